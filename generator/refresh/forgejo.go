package refresh

import "context"

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
	return updated(ctx, s, facts, "limit=1&stat=false&verification=false&files=false")
}
