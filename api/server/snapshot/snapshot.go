// Package snapshot opens builds, and replaces one by the next.
//
// A [Source] has the [Snapshot] in use: one build as it is served. It opens the next build when a
// folder has changed, or when package artifact has downloaded one from an origin.
//
//	snapshot.go  one build, and what follows from it
//	files.go     the files of a build, even while another build replaces it
//	source.go    the build in use, and its metrics; replaces it, or refuses another one
//	watch.go     notices that a folder has changed
package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/mcp"
	"catalog.example/api/openapi"
	"catalog.example/api/search"
	"catalog.example/api/server/artifact"
	"catalog.example/api/site"
)

// Snapshot is one build as it is served: its index, its files and all that follows from them. It
// never changes; a reload makes another one. A request uses only the one that it takes when it
// begins, so that no answer is from two builds. Nothing needs to be closed: the garbage collector
// closes the folder and frees the memory of the index when no request refers to them.
type Snapshot struct {
	// Build is the folder, with a version and a time if it was published.
	Build    artifact.Build
	Index    *search.Index
	Settings site.Settings
	Files    *Files
	// IndexFile is the file of the index as it was opened; nil if there is none.
	IndexFile fs.FileInfo
	// Loaded is when the build was put into use.
	Loaded time.Time

	// Identity is part of every ETag that is not made from bytes. It has the index and the version
	// of the program, because another version may answer the same query differently.
	Identity string
	// BasePath is the decoded path of the base address, without a slash at its end.
	BasePath string
	// OpenAPI is the description of the API.
	OpenAPI []byte
	// MCP is the snapshot for the MCP server.
	MCP *mcp.Snapshot
	// PageHeaders are the security headers of every page.
	PageHeaders http.Header

	// before has the files of the published build that served before this one, or is nil.
	// Browsers with a page of that build request its assets, whose names have a hash.
	before *Files
	// moves are the folders of pages whose address has changed, such as projects/old.
	moves map[string]string
}

// derive fills in what follows from the index and the files with these settings, which are checked.
func (snap *Snapshot) derive(settings site.Settings, version string) error {
	// These follow from the fields that the index was built with.
	settings.Without, settings.Optional = snap.Index.Settings().Without, snap.Index.Settings().Optional
	base, err := url.Parse(settings.BaseURL)
	if err != nil {
		return err
	}
	snap.Settings = settings
	snap.Identity = snap.Index.Identity() + " " + version
	snap.BasePath = strings.TrimRight(base.Path, "/")
	if snap.OpenAPI, err = openapi.Document(settings, snap.Index.Taxonomy()); err != nil {
		return err
	}
	if snap.MCP, err = mcp.NewSnapshot(snap.Index, settings, snap.Files.readText); err != nil {
		return err
	}
	snap.PageHeaders = http.Header{}
	for _, field := range headers.Page(&settings) {
		snap.PageHeaders.Set(field.Name, field.Value)
	}
	snap.moves = map[string]string{}
	for _, move := range snap.Index.Moves() {
		snap.moves[move.From] = move.To
	}
	return nil
}

// Version returns the published version of the build, or else the hash of its index.
func (snap *Snapshot) Version() string {
	if snap.Build.Version == "" {
		return snap.Index.Identity()
	}
	return snap.Build.Version
}

// Created returns when the build was published, or else when its index was written; it is
// zero if neither is known.
func (snap *Snapshot) Created() time.Time {
	switch {
	case snap.Build.Version != "":
		return snap.Build.Created
	case snap.IndexFile != nil:
		return snap.IndexFile.ModTime()
	}
	return time.Time{}
}

// Stat describes a file or folder that this build serves; see [Files.Stat].
func (snap *Snapshot) Stat(name string) (fs.FileInfo, error) {
	info, err := snap.Files.Stat(name)
	if snap.hasOlder(name, err) {
		if older, err := snap.before.Stat(name); err == nil && older.Mode().IsRegular() {
			return older, nil
		}
	}
	return info, err
}

// Open opens a file that this build serves; see [Files.Open].
func (snap *Snapshot) Open(name string) (*os.File, error) {
	file, err := snap.Files.Open(name)
	if snap.hasOlder(name, err) {
		if older, err := snap.before.Open(name); err == nil {
			return older, nil
		}
	}
	return file, err
}

// hasOlder reports whether a missing file may be an asset of the build before.
func (snap *Snapshot) hasOlder(name string, err error) bool {
	return errors.Is(err, fs.ErrNotExist) && snap.before != nil && headers.IsHashed(name)
}

// MovedTo returns the present path of a page whose address has changed, or "".
func (snap *Snapshot) MovedTo(path string) string {
	if len(snap.moves) == 0 {
		return ""
	}
	parts := append(strings.SplitN(strings.TrimPrefix(path, "/"), "/", 3), "", "")
	to, ok := snap.moves[parts[0]+"/"+parts[1]]
	if !ok {
		return ""
	}
	return "/" + to + "/" + parts[2]
}

// prove answers a search for all listings, and looks for the home page and the page of the
// first one.
func (snap *Snapshot) prove() error {
	answer, total := snap.Index.Search(nil, api.SearchQuery{Limit: 1})
	var found struct {
		Hits []struct{ Slug string }
	}
	err := json.Unmarshal(answer, &found)
	if err != nil || total != snap.Index.Len() || total > 0 && len(found.Hits) != 1 {
		return fmt.Errorf("a search for all of the %d listings finds %d", snap.Index.Len(), total)
	}
	names := []string{"index.html"}
	for _, hit := range found.Hits {
		data := strings.TrimPrefix(api.FilePath(api.PathProjects+"/"+hit.Slug+".json"), "/")
		names = append(names, data, "projects/"+hit.Slug+"/index.html")
	}
	for _, name := range names {
		info, err := snap.Files.Stat(name)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("the build has no %s: %w", name, err)
		case err != nil || !info.Mode().IsRegular():
			return fmt.Errorf("the build has no %s", name)
		}
	}
	return nil
}
