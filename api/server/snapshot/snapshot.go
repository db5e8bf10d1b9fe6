// Package snapshot opens builds, and replaces each with the next.
//
// A [Source] holds the [Snapshot] in use: one build as it is served. It opens the next build when a
// folder has changed, or when package artifact has downloaded one from an origin.
//
//	snapshot.go  one build, and what is derived from it
//	files.go     the files of a build, even while another build replaces it
//	same_*.go    reads a known file again, with few system calls
//	source.go    holds the build in use, and its metrics; replaces it, or refuses the next
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
	"catalog.example/api/site/validate"
)

// Snapshot is one build as it is served: its index, its files and all that is derived from them. It
// never changes; a reload makes another one. A request uses only the snapshot that is current when
// it begins, so that no answer mixes two builds. Nothing needs to be closed: the garbage collector
// closes the folder and frees the memory of the index when no request refers to them.
type Snapshot struct {
	// Build is the build's folder, with a version and a time if it was published.
	Build    artifact.Build
	Index    *search.Index
	Settings site.Settings
	Files    *Files
	// IndexFile describes the index file as it was when opened; nil if there is none.
	IndexFile fs.FileInfo
	// Loaded is when the build was put into use.
	Loaded time.Time

	// Identity is part of every ETag that is not a hash of the body. It identifies the index and
	// the version of the program, because another version may answer the same query differently.
	Identity string
	// BasePath is the decoded path of the base address, without a trailing slash.
	BasePath string
	// OpenAPI is the description of the API.
	OpenAPI []byte
	// MCP is the snapshot for the MCP server.
	MCP *mcp.Snapshot
	// pageHeaders are the security headers of every page, and embedHeaders those of the pages that
	// other sites may frame.
	pageHeaders, embedHeaders http.Header

	// Languages has the snapshot of each language of the site, which all of them share; nil if there is only
	// one. The files of another than the main language are in a folder of the build.
	Languages map[string]*Snapshot
	// LanguageParameter is the parameter that chooses among them.
	LanguageParameter api.Parameter

	// before holds the files of the published build that was in use before this one, or is nil.
	// Browsers that show a page of that build request its assets, whose names contain a hash.
	before *Files
	// moves maps the former folders of moved pages, such as projects/old, to the current ones.
	moves map[string]string
}

// derive fills in what depends on the index, the files and the settings, which have been checked.
func (snap *Snapshot) derive(settings site.Settings, version string) (err error) {
	// These depend on the fields in the index, so they are not overridden.
	stored := snap.Index.Settings()
	settings.Without, settings.Optional = stored.Without, stored.Optional
	if settings.Languages, err = snap.otherLanguages(); err != nil {
		return err
	}
	if len(settings.Languages) > 0 { // one of which another tag could be
		settings.Lang = stored.Lang
	}
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
	snap.MCP = mcp.NewSnapshot(snap.Index, settings, snap.Files.readText)
	snap.pageHeaders, snap.embedHeaders = header(headers.Page(&settings)), header(headers.Embed(&settings))
	snap.moves = map[string]string{}
	for _, move := range snap.Index.Moves() {
		snap.moves[move.From] = move.To
	}
	return nil
}

// otherLanguages returns the further languages of the site, which a file of the build lists.
func (snap *Snapshot) otherLanguages() (list []string, err error) {
	text, err := snap.Files.readText(api.PathLanguages[1:])
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var file api.Languages
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	for i, l := range file.Languages {
		if i == 0 {
			continue
		}
		if !validate.IsLanguageFolder(l.Language) {
			return nil, fmt.Errorf("%s: no language can have the folder %q: build the site again",
				api.PathLanguages[1:], l.Language)
		}
		list = append(list, l.Language)
	}
	return list, err
}

// published returns the same snapshot, in all languages, for a build with another time.
func (snap *Snapshot) published(b artifact.Build, loaded time.Time) *Snapshot {
	again := *snap
	again.Build, again.Loaded = b, loaded
	if snap.Languages != nil {
		again.Languages = map[string]*Snapshot{}
	}
	for lang, other := range snap.Languages {
		if other == snap {
			again.Languages[lang] = &again
			continue
		}
		copied := *other
		copied.Build.Created, copied.Languages = b.Created, again.Languages
		again.Languages[lang] = &copied
	}
	return &again
}

func header(fields []headers.Field) http.Header {
	h := http.Header{}
	for _, field := range fields {
		h.Set(field.Name, field.Value)
	}
	return h
}

// SecurityHeaders returns the security headers of a file of the build output, or of the page that
// says that there is none if the name is "".
func (snap *Snapshot) SecurityHeaders(name string) http.Header {
	if headers.IsEmbed(name) {
		return snap.embedHeaders
	}
	return snap.pageHeaders
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

// hasOlder reports whether a missing file may be an asset of the previous build.
func (snap *Snapshot) hasOlder(name string, err error) bool {
	return errors.Is(err, fs.ErrNotExist) && snap.before != nil && headers.IsHashed(name)
}

// MovedTo returns the current path of a page whose address has changed, or "".
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

// prove checks that a build works: it searches for all listings and, unless it serves only agents,
// looks for the home page and for the page and the JSON file of the first listing.
func (snap *Snapshot) prove(forAgents bool) error {
	answer := snap.Index.Search(nil, api.SearchQuery{Limit: 1})
	total := answer.Total
	var found struct {
		Hits []struct{ Slug string }
	}
	err := json.Unmarshal(answer.JSON, &found)
	if err != nil || total != snap.Index.Len() || total > 0 && len(found.Hits) != 1 {
		return fmt.Errorf("a search for all of the %d listings finds %d", snap.Index.Len(), total)
	}
	if forAgents {
		return nil
	}
	names := []string{"index.html"}
	for _, hit := range found.Hits {
		data := strings.TrimPrefix(api.FilePath(api.PathProjects+"/"+hit.Slug+".json"), "/")
		names = append(names, data, "projects/"+hit.Slug+"/index.html")
	}
	var missing []string
	for _, name := range names {
		info, err := snap.Files.Stat(name)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("the build has no %s: %w", name, err)
		case err != nil || !info.Mode().IsRegular():
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case len(missing) == len(names) && len(names) > 1: // the index and the Markdown of listings are all that there is
		return errors.New("the build has no pages: 'catalog pack --for-agents' packs only what 'catalog mcp' reads; " +
			"pack it without --for-agents")
	}
	return fmt.Errorf("the build has no %s", missing[0])
}
