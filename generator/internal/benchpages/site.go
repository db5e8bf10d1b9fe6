package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"catalog.example/api"
)

// patience is how long the server may take to answer for the first time.
const patience = 30 * time.Second

// page is one of those that are measured.
type page struct{ name, path string }

// site is the shipped catalog, served by the program.
type site struct {
	base     string // the address, without a slash at its end
	listings int
	pages    []page
	stop     func()
}

// serve compiles the program, lets it build the catalog below dir for the address
// that it will have, and starts it.
func serve(ctx context.Context, content, dir string) (*site, error) {
	binary, public := filepath.Join(dir, "catalog"), filepath.Join(dir, "public")
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &site{base: "http://" + address}
	for _, step := range [][]string{
		{"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "./cmd/catalog"},
		{binary, "build", "--quiet", "--content", content, "--out", public, "--base-url", s.base},
	} {
		c := exec.CommandContext(ctx, step[0], step[1:]...) // #nosec G204 -- fixed programs
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s %s: %w\n%s", step[0], step[1], err, text)
		}
	}
	var log bytes.Buffer
	server := exec.CommandContext(ctx, binary, "serve", "--public", public, "--addr", address, "--log-level", "error") // #nosec G204 -- the program just built
	// No visit is refused, however many there are.
	server.Env = append(os.Environ(), fmt.Sprintf("CATALOG_ANONYMOUS_PER_MINUTE=%d", api.MaxAllowance), fmt.Sprintf("CATALOG_SANDBOX_PER_MINUTE=%d", api.MaxAllowance))
	server.Stderr = &log
	if err := server.Start(); err != nil {
		return nil, err
	}
	s.stop = func() {
		_ = server.Process.Kill() // it may have ended
		_ = server.Wait()         // it was killed
	}
	if err := s.choose(ctx); err != nil {
		s.stop()
		return nil, fmt.Errorf("%w\n%s", err, log.String())
	}
	return s, nil
}

// choose waits for the server and takes the listing with most stars, and its
// category, as examples of their kinds.
func (s *site) choose(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		p, total, err := s.first(ctx)
		if err == nil {
			s.listings = total
			s.pages = []page{
				{"home", "/"}, {"search", "/search/?q=transcribe+meetings"}, {"category", "/categories/" + p.Category + "/"}, {"listing", "/projects/" + p.Slug + "/"},
			}
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
	}
}

// first asks for the first listing, and for how many there are.
func (s *site) first(ctx context.Context) (p api.Project, total int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+api.PathProjects+"?limit=1", nil)
	if err != nil {
		return p, 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return p, 0, err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	var list struct {
		Projects []api.Project
		Total    int
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return p, 0, fmt.Errorf("%s answers %s: %w", request.URL, response.Status, err)
	}
	if len(list.Projects) == 0 {
		return p, 0, errors.New("the catalog has no listing")
	}
	return list.Projects[0], list.Total, nil
}

// freeAddress returns an address on this machine that nobody listens on just now.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
