package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"

	"catalog.example/api"
	"catalog.example/cmd/bench/program"
)

// page is one of the measured pages.
type page struct{ name, path string }

// site is the shipped catalogue, served by the program.
type site struct {
	*program.Server
	listings int
	pages    []page
}

// base returns the address of the site, without a trailing slash.
func (s *site) base() string { return "http://" + s.Address }

// serve compiles the program, builds the catalogue below dir for the address of the server,
// and starts the server.
func serve(ctx context.Context, content, dir string) (*site, error) {
	file, err := program.Compile(ctx, dir)
	if err != nil {
		return nil, err
	}
	address, err := program.FreeAddress()
	if err != nil {
		return nil, err
	}
	public := filepath.Join(dir, "public")
	if err := program.Run(ctx, file, "build", "--quiet", "--content", content, "--out", public, "--base-url",
		"http://"+address); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, file, "serve", "--public", public, "--addr", address, "--log-level", "error")
	c.Env = program.Unlimited()
	s := &site{}
	if s.Server, err = program.StartAt(ctx, c, address, "/readyz"); err != nil {
		return nil, err
	}
	// The listing with the most stars, its category, and its comparison with the next one represent
	// their kinds of page.
	list, total, err := s.first(ctx)
	if err != nil {
		s.Stop()
		return nil, err
	}
	p := list[0]
	s.listings = total
	s.pages = []page{
		{"home", "/"}, {"search", "/search/?q=transcribe+meetings"}, {"category", "/categories/" + p.Category + "/"},
		{"alternatives", "/alternatives/"}, {"listing", "/projects/" + p.Slug + "/"},
		{"comparison", "/compare/?slugs=" + p.Slug + "," + list[1].Slug}, {"sets", "/sets/"},
	}
	return s, nil
}

// first requests the first two listings and the number of listings.
func (s *site) first(ctx context.Context) (projects []api.Project, total int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base()+api.PathProjects+"?limit=2", nil)
	if err != nil {
		return nil, 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }() // only read: a close error is harmless
	var list struct {
		Projects []api.Project
		Total    int
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return nil, 0, fmt.Errorf("%s answers %s: %w", request.URL, response.Status, err)
	}
	if len(list.Projects) < 2 {
		return nil, 0, errors.New("the catalogue has fewer than two listings")
	}
	return list.Projects, list.Total, nil
}
