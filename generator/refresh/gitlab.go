package refresh

import (
	"context"
	"errors"
	"net/url"
	"time"
)

// fetchGitLab uses GitLab's REST API v4. It sends four requests: for the project,
// its languages, the latest commit and the latest release.
func fetchGitLab(ctx context.Context, c *client, repository string) (Facts, error) {
	type project struct {
		PathWithNamespace string   `json:"path_with_namespace"`
		StarCount         *int     `json:"star_count"`
		Archived          *bool    `json:"archived"` // for members only
		Topics            []string `json:"topics"`
		License           *struct {
			Key string `json:"key"` // an SPDX identifier in lower case
		} `json:"license"`
	}
	facts, err := fetch(ctx, c, "/projects/"+url.PathEscape(repository)+"?license=true",
		func(p project) (Facts, error) {
			if p.PathWithNamespace == "" || p.StarCount == nil {
				return Facts{}, errNotRepository
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
	path := "/projects/" + url.PathEscape(facts.Repository)
	facts.Language, err = fetch(ctx, c, path+"/languages", func(shares map[string]float64) (string, error) {
		return mainLanguage(shares), nil
	})
	// a project without code has no languages
	if _, answered := errors.AsType[*statusError](err); err != nil && !answered {
		return Facts{}, err
	}
	commit, err := zeroIfMissing(fetch(ctx, c, path+"/repository/commits?per_page=1", func(list []struct {
		CommittedDate time.Time `json:"committed_date"`
	}) (time.Time, error) {
		return first(list).CommittedDate, nil
	}))
	if err != nil {
		return Facts{}, err
	}
	latest, err := zeroIfMissing(fetch(ctx, c, path+"/releases?per_page=1", func(list []struct {
		TagName    string    `json:"tag_name"`
		ReleasedAt time.Time `json:"released_at"`
		Upcoming   bool      `json:"upcoming_release"`
	}) (release, error) {
		latest := first(list)
		if latest.Upcoming {
			return release{}, nil
		}
		return release{latest.TagName, latest.ReleasedAt}, nil
	}))
	facts.setLatest(commit, latest)
	return facts, err
}
