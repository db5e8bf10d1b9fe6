package refresh

import (
	"cmp"
	"context"
	"time"
)

// gitHubHeader selects the version of GitHub's REST API that fetchGitHub reads.
var gitHubHeader = map[string]string{"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}

// fetchGitHub uses the REST API of GitHub, or of Forgejo and Gitea, whose API differs only in some
// names. It sends three requests: for the repository, the latest commit and the latest release.
// oneCommit is the query that limits a list of commits to the latest.
func fetchGitHub(oneCommit string) fetcher {
	return func(ctx context.Context, c *client, repository string) (Facts, error) {
		return fetchFromGitHub(ctx, c, repository, oneCommit)
	}
}

func fetchFromGitHub(ctx context.Context, c *client, repository, oneCommit string) (Facts, error) {
	facts, err := fetch(ctx, c, "/repos/"+repository, readRepository)
	if err != nil {
		return Facts{}, err
	}
	if !isRepositoryName(facts.Repository) {
		return Facts{}, errNotRepository
	}
	// If the repository was renamed, its new name saves a redirect, which would
	// count against the rate limit.
	path := "/repos/" + facts.Repository
	committed, err := zeroIfMissing(fetch(ctx, c, path+"/commits?"+oneCommit, func(list []struct {
		Commit struct {
			Committer struct {
				Date time.Time `json:"date"`
			} `json:"committer"`
		} `json:"commit"`
	}) (time.Time, error) {
		return first(list).Commit.Committer.Date, nil
	}))
	if err != nil {
		return Facts{}, err
	}
	latest, err := zeroIfMissing(fetch(ctx, c, path+"/releases/latest", func(r struct {
		TagName     string    `json:"tag_name"`
		PublishedAt time.Time `json:"published_at"`
	}) (release, error) {
		return release{r.TagName, r.PublishedAt}, nil
	}))
	facts.setLatest(committed, latest)
	return facts, err
}

// repositoryJSON is a repository of GitHub or Forgejo.
type repositoryJSON struct {
	FullName string   `json:"full_name"`
	Archived *bool    `json:"archived"`
	Language string   `json:"language"`
	Topics   []string `json:"topics"`
	// Only GitHub has these.
	StargazersCount *int   `json:"stargazers_count"`
	Homepage        string `json:"homepage"`
	License         struct {
		SPDXID string `json:"spdx_id"`
	} `json:"license"`
	// Only Forgejo has these.
	StarsCount *int     `json:"stars_count"`
	Website    string   `json:"website"`
	Licenses   []string `json:"licenses"` // SPDX identifiers; absent on older servers
}

func readRepository(r repositoryJSON) (Facts, error) {
	stars := cmp.Or(r.StargazersCount, r.StarsCount)
	if r.FullName == "" || stars == nil || r.Archived == nil {
		return Facts{}, errNotRepository
	}
	f := Facts{Repository: r.FullName, Stars: *stars, Archived: r.Archived, License: r.License.SPDXID,
		Language: r.Language, Homepage: cmp.Or(r.Homepage, r.Website), Topics: r.Topics}
	if len(r.Licenses) == 1 { // with several licences, it is unclear whether all of them apply or any
		f.License = r.Licenses[0]
	}
	return f, nil
}
