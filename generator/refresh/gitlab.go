package refresh

import (
	"context"
	"errors"
	"net/url"
	"time"
)

// askGitLab asks GitLab's REST API, version 4: four requests, for the project,
// its languages, the latest commit and the latest release.
func askGitLab(ctx context.Context, s *caller, repository string) (Facts, error) {
	type project struct {
		PathWithNamespace string   `json:"path_with_namespace"`
		StarCount         *int     `json:"star_count"`
		Archived          *bool    `json:"archived"` // said to members only
		Topics            []string `json:"topics"`
		License           *struct {
			Key string `json:"key"` // an SPDX identifier in lower case
		} `json:"license"`
	}
	facts, err := askJSON(ctx, s, "/projects/"+url.PathEscape(repository)+"?license=true", func(p project) (Facts, error) {
		if p.PathWithNamespace == "" || p.StarCount == nil {
			return Facts{}, errNoRepository
		}
		f := Facts{Repository: p.PathWithNamespace, Stars: *p.StarCount, Topics: p.Topics, Archived: p.Archived}
		if p.License != nil {
			f.License = p.License.Key
		}
		return f, nil
	})
	if err != nil {
		return Facts{}, err
	}
	address := "/projects/" + url.PathEscape(facts.Repository)
	facts.Language, err = askJSON(ctx, s, address+"/languages", func(shares map[string]float64) (string, error) {
		return languageOf(shares), nil
	})
	if e := (*statusError)(nil); err != nil && !errors.As(err, &e) { // a project without code has no languages
		return Facts{}, err
	}
	commit, err := moment(askJSON(ctx, s, address+"/repository/commits?per_page=1", func(list []struct {
		CommittedDate time.Time `json:"committed_date"`
	}) (time.Time, error) {
		if len(list) == 0 {
			return time.Time{}, nil
		}
		return list[0].CommittedDate, nil
	}))
	if err != nil {
		return Facts{}, err
	}
	release, err := moment(askJSON(ctx, s, address+"/releases?per_page=1", func(list []struct {
		ReleasedAt time.Time `json:"released_at"`
		Upcoming   bool      `json:"upcoming_release"`
	}) (time.Time, error) {
		if len(list) == 0 || list[0].Upcoming {
			return time.Time{}, nil
		}
		return list[0].ReleasedAt, nil
	}))
	facts.Updated = latest(commit, release)
	return facts, err
}
