// Package page renders a checked catalogue into the files of the build output: pages, JSON,
// llms.txt, the sitemap, the OpenAPI document.
//
// Tasks takes a render.Site and returns tasks, which pass files to a write function, in any
// order and from many goroutines. Each file depends only on the Site, so the output does not
// depend on the number of workers.
//
// Each kind of page is a type with the values that it shows. Its method show returns what its
// templates get, for HTML and Markdown alike. Package render has what pages share. The files:
//
//   - tasks.go: all tasks. keys.go: what files depend on.
//   - listing.go, facts_table.go: the page of a listing. badge.go: what other sites show of it.
//   - lists.go, list.go: lists of listings, and their pages. filters.go: their filters. places.go: maps.
//     jsonlists.go: the same as JSON. overviews.go: lists of lists.
//   - sets.go: selections by facts. computers.go: the pages of typical computers.
//   - home.go, search.go, questions.go, suggest.go, numbers.go, changes.go, docs.go, texts.go: other pages.
//     samples.go: example programs.
//   - parts.go: the page of all parts, in previews.
//   - offline.go: what browsers keep, and the service worker that keeps it.
//   - data.go: other JSON. llms.go: llms.txt. feeds.go: Atom feeds. structured.go: structured data.
//   - discovery.go: what programs find the site by: OpenAPI, linkset, OpenSearch, web manifest.
//     agents.go: what agents find it by: AI catalog, server card, skill.
//     sitemap.go, robots.go: what crawlers visit. hosts.go: files for static hosts.
//   - pictures.go: the pictures of link previews, and those that listings show. notices.go: where logos
//     come from.
package page

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/search/index"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
	"catalog.example/generator/render"
)

// Task writes some files. Tasks may run in any order and in parallel.
type Task struct {
	// Names are the paths of the files. Above 50,000 addresses, the sitemap has more.
	Names []string
	// Key returns the hash of everything that the files depend on. It is nil if they depend on most
	// listings, because such a key would hardly ever match.
	Key func() memo.Key
	Run func() error
}

// Tasks prepares a site and returns the tasks that write its files.
func Tasks(in *render.Site, write render.Write) ([]Task, error) {
	s, err := newCatalog(in, write)
	if err != nil {
		return nil, err
	}
	// llms.txt is first, because it takes longest.
	tasks := []Task{{Names: []string{"llms.txt", "llms-full.txt"}, Run: llms{s}.files}}
	for _, l := range s.Listings {
		p := listingPage{catalog: s, l: l}
		names := append(pageFiles(p.path()), p.dataFile())
		for _, slug := range p.slugs() {
			names = append(names, badgeFile(slug), embedFile(slug))
		}
		tasks = append(tasks, Task{names, p.pageKey, p.files})
	}
	for _, l := range s.lists() {
		if l.filters != nil {
			tasks = append(tasks, Task{[]string{l.tableFile()}, l.tableKey, l.writeTable})
		}
		if l.news != nil {
			tasks = append(tasks, Task{[]string{strings.TrimPrefix(l.feedPath(), "/")}, l.feedKey, l.writeFeed})
		}
		for number := 1; number <= l.pages(); number++ {
			p := listPage{l, number}
			tasks = append(tasks, s.pageTask(p.path(), p))
		}
	}
	tasks = append(tasks, s.pageTasks()...)
	tasks = append(tasks, s.pictureTasks()...)
	tasks = append(tasks, shownPictures(s)...)
	tasks = append(tasks, s.jsonLists()...)
	return append(tasks, s.fileTasks()...), nil
}

// pageTasks returns the tasks for pages other than those of listings and lists.
func (s *catalog) pageTasks() (tasks []Task) {
	add := func(path string, p kind) { tasks = append(tasks, s.pageTask(path, p)) }
	add("/", homePage{s})
	for _, o := range s.overviews() {
		add(o.path, o)
	}
	for _, p := range s.computers() {
		add(p.path(), p)
	}
	if s.Settings.HasSearch() {
		add("/search/", searchPage{s})
	}
	if title, _ := (questionsPage{s}).title(); title != "" {
		add(questionsPath, questionsPage{s})
	}
	if len(s.Content.Changes) > 0 {
		add(render.ChangesPath, changesPage{s})
	}
	if s.Settings.HasSuggestForm() {
		add(site.SuggestPath, suggestPage{s})
	}
	if s.Settings.KeepsOffline() {
		add(offlinePath, offlinePage{s})
	}
	if s.IsPreview {
		add(partsPath, partsPage{s})
	}
	add("/compare/", comparePage{s})
	add("/saved/", savedPage{s})
	add("/numbers/", numbersPage{s})
	add("/docs/", docsPage{s})
	for _, k := range s.problemKinds() {
		add("/problems/"+k.Code+"/", problemPage{s, k})
	}
	for _, p := range s.Content.Pages {
		add("/"+p.Slug+"/", textPage{s, p})
	}
	for i := range s.Content.Retired {
		for _, slug := range s.Content.Retired[i].Slugs() {
			p := retiredPage{s, &s.Content.Retired[i], slug}
			add(p.path(), p)
		}
	}
	add("/404.html", notFoundPage{s})
	return tasks
}

// fileTasks returns the tasks for files that are not pages.
func (s *catalog) fileTasks() (tasks []Task) {
	add := func(run func() error, names ...string) { tasks = append(tasks, Task{Names: names, Run: run}) }
	for _, move := range s.Content.Moves() {
		add(func() error { return s.moved(move) }, move.From+"/index.html")
	}
	data, found, host := dataFiles{s}, discovery{s}, hostFiles{s}
	add(data.index, "api/v1/index.json")
	add(data.taxonomy, "api/v1/taxonomy.json")
	if s.Languages != nil {
		add(data.languages, api.PathLanguages[1:])
	}
	add(data.wholeCatalog, "api/v1/catalog.json", "api/v1/catalog.jsonl")
	if found.hasSecurityText() {
		add(found.securityText, securityTextPath)
	}
	if s.Settings.HasSearch() {
		add(found.openSearch, strings.TrimPrefix(render.OpenSearchPath, "/"))
	}
	add(found.openAPI, "api/v1/openapi.json")
	add(found.favicon, "favicon.ico")
	add(found.apiCatalog, strings.TrimPrefix(headers.PathAPICatalog, "/"))
	if agents := (agentFiles{s}); s.Settings.HasServer() {
		add(agents.aiCatalog, headers.PathAICatalog[1:])
		add(agents.serverCard, headers.PathServerCard[1:])
		add(agents.registryEntry, headers.PathRegistryEntry[1:])
		add(agents.skills, agents.skillFile(), headers.SkillsFolder+"index.json")
	}
	add(found.webManifest, strings.TrimPrefix(render.ManifestPath, "/"))
	add(sitemap{s}.files, "sitemap.xml")
	add(offlinePage{s}.worker, headers.WorkerFile)
	add(s.assets, slices.Collect(maps.Keys(s.Assets))...)
	add(feeds{s}.site, render.FeedFile)
	if len(s.Content.Changes) > 0 {
		add(changesPage{s}.feed, strings.TrimPrefix(render.ChangesPath, "/")+render.FeedFile)
	}
	if s.View.HasNotices {
		add(notices{s}.text, render.NoticesFile)
	}
	if s.Language == "" { // only read at the root
		add(found.robots, "robots.txt")
		add(host.headers, "_headers")
		add(host.redirects, "_redirects")
		add(host.moved, "_moved.conf", "_moved.caddy")
	}
	return tasks
}

// kind is implemented by every kind of page.
type kind interface {
	// show returns what the templates of the page show.
	show() (*render.Page, error)
}

// pageTask returns the task that writes a page.
func (s *catalog) pageTask(path string, p kind) Task {
	t := Task{Names: pageFiles(path), Run: func() error { return s.writePage(p) }}
	if k, ok := p.(keyed); ok {
		t.Key = k.pageKey
	}
	return t
}

// pageFiles returns the names of a page's files: index.html and its Markdown version if the path
// ends in a slash, otherwise the path itself.
func pageFiles(path string) []string {
	path = strings.TrimPrefix(path, "/")
	if path != "" && !strings.HasSuffix(path, "/") {
		return []string{path}
	}
	return []string{path + "index.html", path + render.MarkdownFile}
}

// writePage writes a page and its Markdown version, if it has one.
func (s *catalog) writePage(page kind) error {
	p, err := page.show()
	if err != nil {
		return err
	}
	files := pageFiles(p.Path)
	err = s.WriteHTML(p, func(text []byte) error { return s.write(files[0], text) })
	if err != nil || len(files) == 1 {
		return err
	}
	return s.WriteMarkdown(p, func(text []byte) error { return s.write(files[1], text) })
}

// catalog is the input of all files of a build.
type catalog struct {
	*render.Shared
	write  render.Write
	key    memo.Key // hash of what all files depend on; see setKey
	bySlug map[string]*content.Listing
	counts map[string]int // listings on the page of each category
	// changes are the changes of facts of each listing, by its slug, the latest first.
	changes map[string][]*content.Change
	latest  api.Date // the latest date of any fact; ages are relative to it
	// hasSources is set if some fact has a source. Otherwise pages do not mark facts without one as judged.
	hasSources bool

	// Listings in the order of sort=newest and of sort=recently-updated.
	newest, updated func() []*content.Listing
	lists           func() []*list // see allLists
	matches         func() *matches
	questions       func() *questionsView
}

func newCatalog(in *render.Site, write render.Write) (*catalog, error) {
	shared, err := render.New(in)
	if err != nil {
		return nil, err
	}
	s := &catalog{
		Shared: shared, write: write, bySlug: map[string]*content.Listing{}, counts: map[string]int{},
		changes: map[string][]*content.Change{},
	}
	for i := range in.Content.Changes {
		if c := &in.Content.Changes[i]; c.Listing != nil {
			s.changes[c.Listing.Slug] = append(s.changes[c.Listing.Slug], c)
		}
	}
	s.newest = sync.OnceValue(func() []*content.Listing { return s.sorted(index.CompareNewest) })
	s.updated = sync.OnceValue(func() []*content.Listing { return s.sorted(index.CompareRecentlyUpdated) })
	s.lists = sync.OnceValue(s.allLists)
	s.matches = sync.OnceValue(func() *matches { return newMatches(s.SearchParameters(), s.Listings) })
	s.questions = sync.OnceValue(questionsPage{s}.newView)
	for _, l := range in.Listings {
		for _, category := range append([]string{l.Category}, l.AlsoIn...) {
			s.counts[category]++
		}
		s.bySlug[l.Slug] = l
		s.latest, s.hasSources = max(s.latest, l.AddedAt), s.hasSources || len(l.Sources) > 0
		for _, day := range []*api.Date{l.StarsAsOf, l.UpdatedAt} {
			if day != nil {
				s.latest = max(s.latest, *day)
			}
		}
	}
	s.setKey()
	return s, nil
}

func (s *catalog) sorted(compare func(a, b *api.Project) int) []*content.Listing {
	list := slices.Clone(s.Listings)
	slices.SortFunc(list, func(a, b *content.Listing) int { return compare(&a.Project, &b.Project) })
	return list
}

func (s *catalog) assets() error {
	for name, content := range s.Assets {
		if err := s.write(name, content); err != nil {
			return err
		}
	}
	return nil
}
