package refresh

import "context"

// fetchForgejo uses the REST API v1 of Forgejo and Gitea. It sends three
// requests: for the repository, the latest commit and the latest release.
func fetchForgejo(ctx context.Context, c *client, repository string) (Facts, error) {
	type repositoryJSON struct {
		FullName   string   `json:"full_name"`
		StarsCount *int     `json:"stars_count"`
		Archived   *bool    `json:"archived"`
		Language   string   `json:"language"`
		Website    string   `json:"website"`
		Topics     []string `json:"topics"`
		Licenses   []string `json:"licenses"` // SPDX identifiers; absent on older servers
	}
	facts, err := fetchJSON(ctx, c, "/repos/"+repository, func(r repositoryJSON) (Facts, error) {
		if r.FullName == "" || r.StarsCount == nil || r.Archived == nil {
			return Facts{}, errNotRepository
		}
		f := Facts{Repository: r.FullName, Stars: *r.StarsCount, Archived: r.Archived, Language: r.Language,
			Homepage: r.Website, Topics: r.Topics}
		if len(r.Licenses) == 1 { // with several licences, it is unclear whether all of them apply or any
			f.License = r.Licenses[0]
		}
		return f, nil
	})
	if err != nil {
		return Facts{}, err
	}
	return fetchUpdated(ctx, c, facts, "limit=1&stat=false&verification=false&files=false")
}
