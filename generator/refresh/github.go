package refresh

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v84/github"
)

// askGitHub asks GitHub's REST API, version 2022-11-28: three requests, for the
// repository, the latest commit and the latest release.
func askGitHub(ctx context.Context, s *caller, repository string) (Facts, error) {
	client := github.NewClient(s.client)
	// The courier waits, by a clock that tests can set, and tells that it does.
	client.DisableRateLimitCheck = true
	base, err := url.Parse(s.API + "/")
	if err != nil {
		return Facts{}, err
	}
	client.BaseURL = base
	owner, name, _ := strings.Cut(repository, "/")
	facts, err := ask(ctx, s.cache, s.API+"/repos/"+repository, func(ctx context.Context) (Facts, *http.Response, error) {
		r, response, err := client.Repositories.Get(ctx, owner, name)
		if err != nil {
			return Facts{}, answer(response), gitHubError(response, err)
		}
		if r.FullName == nil || r.StargazersCount == nil || r.Archived == nil {
			return Facts{}, answer(response), errNoRepository
		}
		return Facts{
			Repository: r.GetFullName(), Stars: r.GetStargazersCount(), Archived: r.Archived,
			License: r.GetLicense().GetSPDXID(), Language: r.GetLanguage(), Homepage: r.GetHomepage(), Topics: r.Topics,
		}, answer(response), nil
	})
	if err != nil {
		return Facts{}, err
	}
	// From here on by the name it has now: a redirect costs a request each.
	if !fullName.MatchString(facts.Repository) {
		return Facts{}, errNoRepository
	}
	owner, name, _ = strings.Cut(facts.Repository, "/")
	address := s.API + "/repos/" + facts.Repository
	commit, err := moment(ask(ctx, s.cache, address+"/commits", func(ctx context.Context) (time.Time, *http.Response, error) {
		list, response, err := client.Repositories.ListCommits(ctx, owner, name, &github.CommitsListOptions{ListOptions: github.ListOptions{PerPage: 1}})
		if err != nil || len(list) == 0 {
			return time.Time{}, answer(response), gitHubError(response, err)
		}
		return list[0].GetCommit().GetCommitter().GetDate().Time, answer(response), nil
	}))
	if err != nil {
		return Facts{}, err
	}
	release, err := moment(ask(ctx, s.cache, address+"/releases/latest", func(ctx context.Context) (time.Time, *http.Response, error) {
		r, response, err := client.Repositories.GetLatestRelease(ctx, owner, name)
		if err != nil {
			return time.Time{}, answer(response), gitHubError(response, err)
		}
		return r.GetPublishedAt().Time, answer(response), nil
	}))
	facts.Updated = latest(commit, release)
	return facts, err
}

// answer returns the answer inside of the library's.
func answer(r *github.Response) *http.Response {
	if r == nil {
		return nil
	}
	return r.Response
}

// gitHubError makes a statusError of the library's error about an answer that
// is no success.
func gitHubError(r *github.Response, err error) error {
	if err == nil || r == nil || r.Response == nil || r.StatusCode < 300 {
		return err
	}
	e := &statusError{status: r.StatusCode}
	var said *github.ErrorResponse
	if errors.As(err, &said) {
		e.message = said.Message
		if said.Block != nil && said.Block.Reason != "" { // taken down; GitHub answers 403 for some reasons, 451 for others
			e.status = http.StatusUnavailableForLegalReasons
		}
	}
	return e
}
