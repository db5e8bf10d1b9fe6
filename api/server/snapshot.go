package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/mcp"
	"catalog.example/api/openapi"
	"catalog.example/api/search"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/site"
	"catalog.example/api/site/validate"
)

// snapshot is one build as it is served: its index, its pages and all that follows
// from them. It never changes: a reload puts another in its place, and a request
// takes one when it comes and asks no other, so that no answer is of two builds.
// Nothing needs to be closed: the garbage collector closes the folder of pages and
// frees the memory of the index once no request refers to them.
type snapshot struct {
	index    *search.Index
	settings site.Settings
	basePath string // the decoded path of the base address, without a slash at its end
	openAPI  []byte
	// identity goes into every ETag that is not made from bytes: the index, and
	// the program, whose next version may answer the same query otherwise.
	identity string
	// published tells the version and the age of the build.
	published Published
	written   time.Time // when the index file was written; zero if it is gone
	keys      keyring
	pages     *pages
	// before are the pages of the published build that served before this one, or nil.
	// Browsers that have just got a page of it ask for its assets, whose names have a hash.
	before *pages
	// pageHeaders are those of every page (contract 7).
	pageHeaders []pageHeader
	// origins are those of the site's own pages.
	origins []string
	// mcp is the same build as the MCP server sees it.
	mcp *mcp.Snapshot
	// discovery is the Link header that leads to the description of the API.
	discovery []string
	// moves are the folders of pages whose address has changed, such as projects/old.
	moves map[string]string
}

// newSnapshot returns a snapshot. It fails where the settings are wrong.
func newSnapshot(ix *search.Index, settings site.Settings, pages *pages, version string, published Published) (*snapshot, error) {
	if problems := validate.Settings(&settings); len(problems) > 0 {
		return nil, fmt.Errorf("setting %s %s", problems[0].Key, problems[0].Message)
	}
	// The index has the fields that it was built with.
	settings.Without, settings.Optional = ix.Settings().Without, ix.Settings().Optional
	document, err := openapi.Document(settings, ix.Taxonomy())
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(settings.BaseURL)
	if err != nil {
		return nil, err
	}
	snap := &snapshot{
		index:       ix,
		settings:    settings,
		basePath:    strings.TrimRight(base.Path, "/"),
		openAPI:     document,
		identity:    ix.Identity() + " " + version,
		published:   published,
		keys:        newKeyring(settings.SandboxKey),
		pages:       pages,
		pageHeaders: pageHeadersOf(&settings),
		origins:     ownOrigins(&settings),
		discovery:   []string{headers.Links(&settings)},
	}
	if build := fingerprintIn(pages.root); build.info != nil {
		snap.written = build.info.ModTime()
	}
	snap.moves = map[string]string{}
	for _, move := range ix.Moves() {
		snap.moves[move.From] = move.To
	}
	if snap.mcp, err = mcp.NewSnapshot(ix, settings, pages.readText); err != nil {
		return nil, err
	}
	return snap, nil
}

// kindOf returns what is at the name of a file that this build serves.
func (snap *snapshot) kindOf(name string) (fileKind, error) {
	kind, err := snap.pages.kindOf(name)
	if err == nil && kind == nothing && snap.before != nil && headers.IsHashed(name) {
		if kind, err := snap.before.kindOf(name); err == nil && kind == regularFile {
			return kind, nil
		}
	}
	return kind, err
}

// open opens a file that this build serves.
func (snap *snapshot) open(name string) (*os.File, error) {
	file, err := snap.pages.open(name)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errFolder) && snap.before != nil && headers.IsHashed(name) {
		if file, err := snap.before.open(name); err == nil {
			return file, nil
		}
	}
	return file, err
}

// prove answers a search for all listings, and looks for the home page and the page of the
// first one.
func (snap *snapshot) prove() error {
	answer, total := snap.index.Search(nil, api.SearchQuery{Limit: 1})
	var found struct {
		Hits []struct{ Slug string }
	}
	if err := json.Unmarshal(answer, &found); err != nil || total != snap.index.Len() || total > 0 && len(found.Hits) != 1 {
		return fmt.Errorf("a search for all of the %d listings finds %d", snap.index.Len(), total)
	}
	names := []string{indexFile}
	for _, hit := range found.Hits {
		names = append(names, fileOf(api.PathProjects+"/"+hit.Slug+".json"), "projects/"+hit.Slug+"/"+indexFile)
	}
	for _, name := range names {
		if kind, err := snap.pages.kindOf(name); err != nil || kind != regularFile {
			return errors.Join(fmt.Errorf("the build has no %s", name), err)
		}
	}
	return nil
}

// version returns what names the build: the published version, or else the hash of its index.
func (snap *snapshot) version() string {
	if snap.published.Version == "" {
		return snap.index.Identity()
	}
	return snap.published.Version
}

// created returns when the build was published, or else when its index was written; it is
// zero if neither is known.
func (snap *snapshot) created() time.Time {
	if snap.published.Version != "" {
		return snap.published.Created
	}
	return snap.written
}

// build is an opened build output. Its folder and index are of one build.
type build struct {
	index       *search.Index
	pages       *pages
	fingerprint fingerprint
}

// openAttempts is how often opening is tried while builds are replaced. Building takes
// longer than opening, so a second attempt is rare.
const openAttempts = 5

// openBuild opens the build output that stands at a folder and checks its index
// whole. The error is search.ErrUnusable where that is missing or damaged. refused
// is that of the pages.
func openBuild(folder string, refused func(fingerprint) bool) (*build, error) {
	for range openAttempts {
		before := fingerprintOf(folder)
		if before.info != nil && !before.isFile() { // opening a pipe would wait for a writer
			return nil, fmt.Errorf("%w: %s in %s is not a file; run: catalog build --out %s", search.ErrUnusable, search.FileName, folder, folder)
		}
		ix, err := indexfile.Open(folder)
		if err != nil {
			return nil, err
		}
		pages, err := openPages(folder, refused)
		if err != nil {
			return nil, err
		}
		if before.same(fingerprintIn(pages.root)) && before.same(fingerprintOf(folder)) {
			return &build{ix, pages, before}, nil
		}
		pages.close()
	}
	return nil, fmt.Errorf("open the build output: %s is replaced faster than it can be opened", folder)
}

// fingerprint identifies the build output in a folder without reading it: it is what the
// file system knows of the index file. The zero fingerprint means that there is none.
type fingerprint struct{ info fs.FileInfo }

// fingerprintOf returns that of the build output in a folder.
func fingerprintOf(folder string) fingerprint {
	info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(search.FileName)))
	if err != nil {
		return fingerprint{}
	}
	return fingerprint{info}
}

// fingerprintIn returns that of the build output in an opened folder, wherever that is
// now.
func fingerprintIn(root *os.Root) fingerprint {
	info, err := root.Stat(search.FileName)
	if err != nil {
		return fingerprint{}
	}
	return fingerprint{info}
}

// same reports whether both are of one index file that has not changed, or both of none.
func (f fingerprint) same(g fingerprint) bool {
	if f.info == nil || g.info == nil {
		return f.info == nil && g.info == nil
	}
	return sameFile(f.info, g.info)
}

// isFile reports whether the index is a regular file, as in every build.
func (f fingerprint) isFile() bool { return f.info != nil && f.info.Mode().IsRegular() }

// errFolder means that the folder of pages was removed, or cannot be read for another
// reason that may pass.
var errFolder = errors.New("the folder of pages cannot be read")

// pageHeader is a header field as http.Header holds it.
type pageHeader struct {
	name   string
	values []string
}

func pageHeadersOf(s *site.Settings) (list []pageHeader) {
	for _, h := range headers.Page(s) {
		list = append(list, pageHeader{h.Name, []string{h.Value}})
	}
	return list
}
