package refresh

import "context"

// gitHubHeader selects the version of the REST API that fetchGitHub reads.
var gitHubHeader = map[string]string{"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}

// fetchGitHub uses GitHub's REST API. It sends three requests: for the repository,
// the latest commit and the latest release.
func fetchGitHub(ctx context.Context, c *client, repository string) (Facts, error) {
	type repositoryJSON struct {
		FullName        string   `json:"full_name"`
		StargazersCount *int     `json:"stargazers_count"`
		Archived        *bool    `json:"archived"`
		Language        string   `json:"language"`
		Homepage        string   `json:"homepage"`
		Topics          []string `json:"topics"`
		License         struct {
			SPDXID string `json:"spdx_id"`
		} `json:"license"`
	}
	facts, err := fetchJSON(ctx, c, "/repos/"+repository, func(r repositoryJSON) (Facts, error) {
		if r.FullName == "" || r.StargazersCount == nil || r.Archived == nil {
			return Facts{}, errNotRepository
		}
		return Facts{
			Repository: r.FullName, Stars: *r.StargazersCount, Archived: r.Archived,
			License: r.License.SPDXID, Language: r.Language, Homepage: r.Homepage, Topics: r.Topics,
		}, nil
	})
	if err != nil {
		return Facts{}, err
	}
	return fetchUpdated(ctx, c, facts, "per_page=1")
}
