package refresh

import "context"

// gitHubHeader asks for the version of GitHub's REST API that askGitHub reads.
var gitHubHeader = map[string]string{"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}

// askGitHub asks GitHub's REST API: three requests, for the repository, the latest
// commit and the latest release.
func askGitHub(ctx context.Context, s *caller, repository string) (Facts, error) {
	type repositoryAnswer struct {
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
	facts, err := askJSON(ctx, s, "/repos/"+repository, func(r repositoryAnswer) (Facts, error) {
		if r.FullName == "" || r.StargazersCount == nil || r.Archived == nil {
			return Facts{}, errNoRepository
		}
		return Facts{
			Repository: r.FullName, Stars: *r.StargazersCount, Archived: r.Archived,
			License: r.License.SPDXID, Language: r.Language, Homepage: r.Homepage, Topics: r.Topics,
		}, nil
	})
	if err != nil {
		return Facts{}, err
	}
	return updated(ctx, s, facts, "per_page=1")
}
