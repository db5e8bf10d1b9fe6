// Package synthetic makes any number of listings of tools that do not exist, with the form of
// the real ones.
//
// The input is a number, a seed and a taxonomy. The output is listings, one at a time and always
// the same for the same options, or a content folder in which `catalog lint` finds nothing.
//
// Properties that affect benchmarks follow the real listings: the lengths of texts, the numbers of
// list entries, and the share of unknown facts. The taxonomy defines the facts, and their values
// are drawn by kind. Words are drawn from 20,000 by Zipf's law with the exponent 0.9. Topics and
// the words of jobs follow the same law without the function words. Categories, products and stars
// are similarly uneven: a few are everywhere, and most are rare. The texts are nonsense.
package synthetic

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// Options say what listings to make.
type Options struct {
	Count    int    // number of listings, at most MaxCount
	Seed     uint64 // different seeds give different listings
	Taxonomy *api.Taxonomy
	// BodyBytes is the least length of a description. Descriptions exceed it by less than a
	// sentence. 0 means DefaultBodyBytes.
	BodyBytes int
}

// DefaultBodyBytes is the median length of the shipped listings' descriptions:
//
//	for f in content/projects/*.md; do awk 'n==2; /^---$/ {n++}' $f | wc -c; done | sort -n |
//		awk '{a[NR]=$1} END {print a[int((NR+1)/2)]}'
const DefaultBodyBytes = 937

// MaxCount is the greatest number of listings without repeated names.
const MaxCount = syllableCount * syllableCount * syllableCount * syllableCount

// Listings returns the listings in random order. Their slugs, names and repositories are unique. As
// in a content folder, links in descriptions lead to the files of other listings, and Similar is
// empty. Listings panics if Count is out of bounds or the taxonomy lacks categories or platforms.
func Listings(o Options) iter.Seq[api.ProjectDetail] {
	if o.Count < 0 || o.Count > MaxCount {
		panic(fmt.Sprintf("synthetic: cannot make %d listings, only 0 to %d", o.Count, MaxCount))
	}
	if len(o.Taxonomy.Categories) == 0 || len(o.Taxonomy.Platforms) == 0 {
		panic("synthetic: the taxonomy needs categories and platforms")
	}
	if o.BodyBytes == 0 {
		o.BodyBytes = DefaultBodyBytes
	}
	return func(yield func(api.ProjectDetail) bool) {
		m := newMaker(o)
		for i := range o.Count {
			if !yield(m.listing(i)) {
				return
			}
		}
	}
}

// maker makes one listing after another.
type maker struct {
	Options
	source     *rand.PCG
	random     *rand.Rand
	words      *zipf // ranks in the vocabulary
	topics     *zipf // the same without function words
	categories *rand.Zipf
	products   *rand.Zipf
	stars      *rand.Zipf
}

func newMaker(o Options) *maker {
	m := &maker{Options: o, source: rand.NewPCG(0, 0)}
	m.random = rand.New(m.source)
	m.words = newZipf(zipfExponent, 0, vocabularySize)
	m.topics = newZipf(zipfExponent, len(functionWords), vocabularySize)
	m.categories = rand.NewZipf(m.random, 1.01, 8, uint64(len(o.Taxonomy.Categories)-1))
	if n := len(o.Taxonomy.Products); n > 0 {
		m.products = rand.NewZipf(m.random, 1.01, 8, uint64(n-1))
	}
	m.stars = rand.NewZipf(m.random, 1.4, 900, 250_000)
	return m
}

// listing makes listing i. It depends only on the options and i.
func (m *maker) listing(i int) api.ProjectDetail {
	m.source.Seed(m.Seed, uint64(i))
	name := m.name(i)
	slug := slugOf(name)
	host := "https://" + slug + ".example"
	p := api.Project{
		Slug: slug, Name: name, Aliases: m.aliases(name), Purpose: m.purpose(), Jobs: m.jobs(),
		Topics: m.topicList(), Platforms: m.platforms(), Replaces: m.replaces(),
		PageURL:       "http://localhost:8080/projects/" + slug + "/",
		RepositoryURL: "https://code.example/" + slug + "/" + slug,
		AddedAt:       m.day(2024, 2), Archived: m.maybe(0.25, 0.01),
		InstallLinks: m.installLinks(slug, host),
	}
	m.setCategories(&p)
	m.setLicense(&p)
	if m.random.Float64() < 0.97 {
		p.Language = &languages[m.weighted(languageWeights)]
	}
	if m.random.Float64() < 0.75 {
		stars, day := int(m.stars.Uint64())+1, m.day(2025, 1) // at most 250,001, so it fits an int
		p.Stars, p.StarsAsOf = &stars, &day
	}
	if m.random.Float64() < 0.65 {
		p.HomepageURL = new(host + "/")
	}
	if m.random.Float64() < 0.75 {
		p.DocsURL = new(host + "/docs/")
	}
	if m.random.Float64() < 0.9 {
		p.CreatedAt = new(m.day(2018, 6))
		p.UpdatedAt = new(m.day(2024, 2))
		p.Release = &api.Release{Version: fmt.Sprintf("v%d.%d.0", m.between(0, 9), m.between(0, 30)),
			Date: *p.UpdatedAt}
		p.CheckedAt = new(m.day(2025, 1))
	}
	p.Asks = asks(p.Jobs, i)
	description, prose := m.description()
	// Facts are drawn last, so that a change to their definitions leaves the rest of the listing as
	// it was.
	p.FitNotes = m.facts()
	agree(m.Taxonomy, &p)
	p.SetFollowing(m.Taxonomy.Facts)
	p.Setups = slices.Clone(p.FitNotes.Setups())
	for i := range p.Setups {
		p.Setups[i].System = nil // front matter leaves out unknown values
	}
	p.Estimate = m.estimate(p.Setups)
	sources := m.sources(&p)
	p.UpkeepAsOf = content.UpkeepAsOf(&api.ProjectDetail{Project: p, Sources: sources})
	p.Upkeep = p.UpkeepThen()
	return api.ProjectDetail{Project: p, Description: description, Prose: prose, Sources: sources}.Normalized()
}

// maybe returns nil for unknown, true or false, with the given probabilities.
func (m *maker) maybe(unknown, yes float64) *bool {
	switch x := m.random.Float64(); {
	case x < unknown:
		return nil
	default:
		return new(x < unknown+yes)
	}
}

// between returns a random number from low to high, both included.
func (m *maker) between(low, high int) int { return low + m.random.IntN(high-low+1) }

// weighted returns a random index, with probabilities in proportion to the weights.
func (m *maker) weighted(weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	x := m.random.IntN(sum)
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return 0
}

// day returns a random day within so many years from the beginning of the year first. All days are
// in the past, because dates of listings may not be in the future.
func (m *maker) day(first, years int) api.Date {
	return api.Date(fmt.Sprintf("%04d-%02d-%02d", first+m.random.IntN(years), m.between(1, 12), m.between(1, 28)))
}

// name returns the unique name of listing i.
func (m *maker) name(i int) string {
	// A multiplier that has no common factor with MaxCount visits every number once.
	const step = 7_654_321
	n := (uint64(i)*step + m.Seed) % MaxCount
	coined := coin(n, 4)
	name := strings.ToUpper(coined[:1]) + coined[1:]
	if suffix := n % 10; suffix < uint64(len(nameSuffixes)) {
		name += " " + nameSuffixes[suffix]
	}
	return name
}

func slugOf(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

func (m *maker) aliases(name string) []string {
	all := []string{strings.ReplaceAll(name, " ", "") + "-ai", name + " " + m.topic(), "open-" + slugOf(name)}
	return all[:m.weighted([]int{1, 3, 5, 2})]
}

// purposeBytes is the median length of a purpose in the shipped listings.
const purposeBytes = 121

func (m *maker) purpose() string {
	return m.sentence(purposeBytes)
}

func (m *maker) jobs() []string {
	return m.distinct(m.between(5, 6), func() string {
		return verbs[m.random.IntN(len(verbs))] + " " + m.topic() + " " + objects[m.random.IntN(len(objects))] + " " +
			m.topic()
	})
}

// asks mixes the words of the jobs, so that asks do not change which listings a word finds:
// benchmarks compare with engines that do not read asks. Lint requires a word that is new to the
// listing, so each ask ends with a word that no query has.
func asks(jobs []string, listing int) []string {
	const others = 2_000
	var list []string
	for _, a := range jobs {
		for k, b := range jobs {
			start, end, more := strings.Fields(a), strings.Fields(b), strings.Fields(jobs[(k+1)%len(jobs)])
			ask := strings.Join(start[:len(start)/2], " ") + " " + strings.Join(end[len(end)/2:], " ") + " " +
				strings.Join(more[1:], " ") + " " + word(vocabularySize+uint64((listing*31+len(list))%others))
			if len(list) < 30 && a != b && ask != a && !slices.Contains(list, ask) {
				list = append(list, ask)
			}
		}
	}
	return list
}

func (m *maker) topicList() []string { return m.distinct(m.between(5, 8), m.topic) }

// distinct calls next until it has given n different texts.
func (m *maker) distinct(n int, next func() string) []string {
	list := make([]string, 0, n)
	for len(list) < n {
		if text := next(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

func (m *maker) platforms() []string {
	all := m.Taxonomy.Platforms
	n := min(m.between(2, 5), len(all))
	// The taxonomy begins with the platforms that most tools run on.
	list := make([]string, n)
	for k := range n {
		list[k] = all[k].Slug
	}
	list[n-1] = all[n-1+m.random.IntN(len(all)-n+1)].Slug
	return list
}

func (m *maker) replaces() []string {
	if m.products == nil {
		return nil
	}
	n := min(m.weighted([]int{5, 3, 2}), len(m.Taxonomy.Products))
	return m.distinct(n, func() string { return m.Taxonomy.Products[m.products.Uint64()].Name })
}

func (m *maker) setCategories(p *api.Project) {
	n := min(1+m.weighted([]int{4, 4, 2}), len(m.Taxonomy.Categories))
	list := m.distinct(n, func() string { return m.Taxonomy.Categories[m.categories.Uint64()].Slug })
	p.Category, p.AlsoIn = list[0], list[1:]
}

func (m *maker) setLicense(p *api.Project) {
	l := licenses[m.weighted(licenseWeights)]
	p.License, p.OSIApproved = &l.expression, &l.approved
}

func (m *maker) installLinks(slug, host string) []api.InstallLink {
	command := "pip install " + slug
	all := []api.InstallLink{
		{Kind: "docs", Label: "Installation guide", URL: host + "/docs/getting-started/installation/",
			Command: &command},
		{Kind: "docker", Label: "Container image", URL: "https://images.example/" + slug + "/" + slug},
		{Kind: "pip", Label: "Package", URL: "https://pypi.org/project/" + slug + "/"},
		{Kind: "installer", Label: "Installers", URL: host + "/download/"},
	}
	return all[:m.between(2, 4)]
}

// sources returns a source for every fact for which lint requires one.
func (m *maker) sources(p *api.Project) map[string]string {
	day := " (" + string(m.day(2025, 1)) + ")"
	page := "https://docs." + p.Slug + ".example/reference/configuration/"
	sources := map[string]string{}
	add := func(known bool, field, text string) {
		if known {
			sources[field] = text
		}
	}
	add(p.License != nil, "license", p.RepositoryURL+"/blob/HEAD/LICENSE"+day)
	add(p.Stars != nil, "stars", "https://stars.example/"+p.Slug+day)
	for _, f := range m.Taxonomy.Facts {
		field := "fitNotes." + f.Key
		if !f.IsStated() {
			field = api.SetupsKey
		}
		add((f.Sourced || f.Kind == api.FactChoices) && api.Known(p.FitNotes.Get(f.Key)), field, page+f.Key+day)
	}
	add(p.CreatedAt != nil, "createdAt", p.RepositoryURL+"/commits"+day)
	add(p.UpdatedAt != nil, "updatedAt", p.RepositoryURL+"/commits"+day)
	add(p.Release != nil, "release", p.RepositoryURL+"/releases"+day)
	return sources
}

// description returns a text with the form of the shipped ones, and the part of it that is
// searched. The text has a paragraph and two lists. The second list links to other listings and is
// not searched.
func (m *maker) description() (text, prose string) {
	var fit, elsewhere strings.Builder
	for range 3 {
		fit.WriteString("\n- " + m.sentence(m.between(45, 75)))
	}
	for range 3 {
		other := m.name(m.random.IntN(m.Count))
		elsewhere.WriteString("\n- " + m.phrase(m.between(25, 45)) + ": [" + other + "](" + slugOf(other) + ".md).")
	}
	head := "## " + api.HeadingWhat + "\n\n"
	end := "\n\n## " + api.HeadingFit + "\n" + fit.String() + "\n\n## " + api.HeadingElsewhere + "\n" +
		elsewhere.String()
	var b strings.Builder
	for first := true; first || len(head)+b.Len()+len(end) < m.BodyBytes; first = false {
		if !first {
			b.WriteByte(' ')
		}
		b.WriteString(m.sentence(m.between(50, 110)))
	}
	return head + b.String() + end, b.String() + strings.ReplaceAll(fit.String(), "\n- ", "\n")
}

// sentence returns random words with a full stop: at least n bytes, and at most about a word more.
func (m *maker) sentence(n int) string {
	var b strings.Builder
	for b.Len() < n-1 {
		w := word(m.words.draw(m.random))
		switch {
		case b.Len() == 0:
			w = strings.ToUpper(w[:1]) + w[1:]
		case m.random.IntN(12) == 0:
			b.WriteString(", ")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	b.WriteByte('.')
	return b.String()
}

// phrase returns a sentence without its full stop.
func (m *maker) phrase(n int) string { return strings.TrimSuffix(m.sentence(n), ".") }

// topic returns a keyword in lower case.
func (m *maker) topic() string { return word(m.topics.draw(m.random)) }
