package refresh

import (
	"context"
	"time"
)

// askForgejo asks the REST API, version 1, of Forgejo and Gitea: three
// requests, for the repository, the latest commit and the latest release.
func askForgejo(ctx context.Context, s *caller, repository string) (Facts, error) {
	type repositoryAnswer struct {
		FullName   string   `json:"full_name"`
		StarsCount *int     `json:"stars_count"`
		Archived   *bool    `json:"archived"`
		Language   string   `json:"language"`
		Website    string   `json:"website"`
		Topics     []string `json:"topics"`
		Licenses   []string `json:"licenses"` // SPDX identifiers; older servers do not say
	}
	facts, err := askJSON(ctx, s, "/repos/"+repository, func(r repositoryAnswer) (Facts, error) {
		if r.FullName == "" || r.StarsCount == nil || r.Archived == nil {
			return Facts{}, errNoRepository
		}
		f := Facts{Repository: r.FullName, Stars: *r.StarsCount, Archived: r.Archived, Language: r.Language, Homepage: r.Website, Topics: r.Topics}
		if len(r.Licenses) == 1 { // of several, it does not tell whether all hold or any
			f.License = r.Licenses[0]
		}
		return f, nil
	})
	if err != nil {
		return Facts{}, err
	}
	if !fullName.MatchString(facts.Repository) {
		return Facts{}, errNoRepository
	}
	address := "/repos/" + facts.Repository
	commit, err := moment(askJSON(ctx, s, address+"/commits?limit=1&stat=false&verification=false&files=false", func(list []struct {
		Commit struct {
			Committer struct {
				Date time.Time `json:"date"`
			} `json:"committer"`
		} `json:"commit"`
	}) (time.Time, error) {
		if len(list) == 0 {
			return time.Time{}, nil
		}
		return list[0].Commit.Committer.Date, nil
	}))
	if err != nil {
		return Facts{}, err
	}
	release, err := moment(askJSON(ctx, s, address+"/releases/latest", func(r struct {
		PublishedAt time.Time `json:"published_at"`
	}) (time.Time, error) {
		return r.PublishedAt, nil
	}))
	facts.Updated = latest(commit, release)
	return facts, err
}
