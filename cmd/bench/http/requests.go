//go:build linux

package http

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/cmd/bench/synthetic"
)

// minAddresses is the minimum number of addresses for each kind of request.
const minAddresses = 1000

// kind is a kind of request, sent to many addresses.
type kind struct {
	name      string
	addresses []string // paths with their queries; all different, unless repeats is set
	repeats   bool
	// held means that the client has the answer already and sends its ETag.
	held bool
	// aims holds the least wanted ratios of our throughput to that of other servers.
	aims map[server]float64
}

// The kinds of requests.
const (
	kindProject  = "project"
	kindList     = "list"
	kindSearch   = "search"
	kindFiltered = "filtered search"
	kindMachine  = "search with a computer"
	kindAgain    = "search asked before"
	kindHeld     = "304"
	kindPage     = "page"
)

// sample holds the parts of listings from which requests are made.
type sample struct {
	most  int
	slugs []string
	names []string
	jobs  []string
	facts []string // filters that the listing passes
	total int
}

func newSample(most int) *sample { return &sample{most: most} }

// take adds a listing to the sample, unless the sample is full.
func (s *sample) take(p *api.ProjectDetail) {
	s.total++
	if len(s.slugs) == s.most {
		return
	}
	s.slugs, s.names = append(s.slugs, p.Slug), append(s.names, p.Name)
	job := p.Purpose
	if len(p.Jobs) > 0 {
		job = p.Jobs[0]
	}
	s.jobs = append(s.jobs, job)
	fact := "category=" + url.QueryEscape(p.Category)
	if len(p.Platforms) > 0 {
		fact += "&platform=" + url.QueryEscape(p.Platforms[0])
	}
	s.facts = append(s.facts, fact)
}

// askedOnce is the number of searches that are asked one after the other before one is repeated. The
// server keeps the last 2,500 answers, and longer an answer that is asked for again among 4,096.
const askedOnce = 6000

// askedAgain is the number of searches that are asked again and again, the first ones most often: the
// frequency of a search is one by its rank (Zipf's law).
const askedAgain = 4000

// asked returns requests made from a sample. One in five searches is the name of a tool; the others
// are two to four words of a job.
func (s *sample) asked(addresses int, seed uint64) []kind {
	var projects, lists, searches, filtered, machine []string
	random := rand.New(rand.NewPCG(seed, 0))
	for _, slug := range s.slugs {
		projects = append(projects, api.PathProjects+"/"+slug)
	}
	for n := range 2 * askedOnce { // some are the same
		i := n % len(s.slugs)
		q := url.QueryEscape(s.question(random, i))
		searches = append(searches, api.PathSearch+"?q="+q)
		filtered = append(filtered, api.PathSearch+"?q="+q+"&"+s.facts[i])
		machine = append(machine, api.PathSearch+"?q="+q+"&"+synthetic.Computers[i%len(synthetic.Computers)])
	}
	once := func(addresses []string) []string {
		addresses = distinct(addresses)
		return addresses[:min(len(addresses), askedOnce)]
	}
	searches = once(searches)
	zipf := rand.NewZipf(random, 1.0001, 1, uint64(min(askedAgain, len(searches))-1))
	again := make([]string, 2*askedAgain)
	for i := range again {
		again[i] = searches[zipf.Uint64()]
	}
	for offset := range min(addresses, s.total) {
		lists = append(lists, fmt.Sprintf("%s?offset=%d", api.PathProjects, offset))
	}
	lists[0] = api.PathProjects
	return []kind{
		{name: kindProject, addresses: projects, aims: map[server]float64{floor: 0.95, nginx: 0.6}},
		{name: kindHeld, addresses: projects, held: true, aims: map[server]float64{floor: 0.8, nginx: 0.6}},
		{name: kindList, addresses: lists, aims: map[server]float64{floor: 0.95}},
		{name: kindSearch, addresses: searches, aims: map[server]float64{floor: 0.28}},
		{name: kindFiltered, addresses: once(filtered), aims: map[server]float64{floor: 0.35}},
		{name: kindMachine, addresses: once(machine), aims: map[server]float64{floor: 0.28}},
		{name: kindAgain, addresses: again, repeats: true, aims: map[server]float64{floor: 0.7}},
	}
}

func (s *sample) question(random *rand.Rand, i int) string {
	if i%5 == 0 {
		return s.names[i]
	}
	words := strings.Fields(s.jobs[i])
	n := min(len(words), 2+random.IntN(3))
	from := random.IntN(len(words) - n + 1)
	return strings.Join(words[from:from+n], " ")
}

// distinct returns the texts in order, without duplicates.
func distinct(texts []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(texts, func(t string) bool {
		again := seen[t]
		seen[t] = true
		return again
	})
}

// pagesIn returns the paths of all HTML and Markdown pages of a build output. An output without
// pages is an error.
func pagesIn(public string) ([]string, error) {
	var pages []string
	err := fs.WalkDir(os.DirFS(public), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
		case path.Base(name) == "index.html":
			pages = append(pages, "/"+strings.TrimSuffix(name, "index.html"))
		case strings.HasSuffix(name, ".md"):
			pages = append(pages, "/"+name)
		}
		return err
	})
	if err == nil && len(pages) == 0 {
		err = fmt.Errorf("there is no page in %s", public)
	}
	return pages, err
}

// pagesAsked returns requests for pages, with the given number of addresses. If a page is requested
// more than once, a query, which pages ignore, makes its addresses differ.
func (s *builtSite) pagesAsked(addresses int) kind {
	k := kind{name: kindPage, aims: map[server]float64{floor: 0.8, nginx: 0.6}}
	for i := range addresses {
		address := s.pages[i%len(s.pages)]
		if lap := i / len(s.pages); lap > 0 {
			address += "?lap=" + strconv.Itoa(lap)
		}
		k.addresses = append(k.addresses, address)
	}
	return k
}

// shippedAsked returns the requests for the shipped listings, including pages.
func (s *builtSite) shippedAsked() []kind {
	return append(s.listings.asked(s.shipped, 1), s.pagesAsked(len(s.pages)))
}
