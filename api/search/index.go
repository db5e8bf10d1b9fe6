package search

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"catalog.example/api"
	"github.com/kljensen/snowball/english"
)

// Index answers lists, single projects and queries. It is immutable and safe
// for use by many goroutines.
type Index struct {
	settings api.Settings
	taxonomy api.Taxonomy
	identity string

	docs   []doc            // most popular first
	bySlug map[string]int   // document of a slug
	exact  map[string][]int // documents by compact name
	names  map[string]bool  // compact names, other names and replaced products
	terms  map[string]term  // words of all listings
	stems  map[string][]string
	sorted []string // all words, for prefixes and spelling
	masks  []uint32 // letterMask of each word in sorted
	// synonyms maps the words of a phrase, joined by spaces, to the phrases that
	// mean the same.
	synonyms map[string][][]string
	// longestSynonym is the number of words of the longest phrase in synonyms.
	longestSynonym int
	platformNames  map[string]bool
}

// doc is a listing in the index.
type doc struct {
	project  api.Project
	list     json.RawMessage // the listing as lists carry it
	detail   []byte          // the listing as the single-project endpoint answers it
	fields   []fieldText
	licenses []string            // licences that alone suffice
	asked    map[string]struct{} // folded texts that the license parameter finds it by
}

// fieldText is one text of a listing: its name, one of its jobs, …
type fieldText struct {
	field field
	words []string // without function words, unless it has no others
}

// term is a word of the vocabulary, with where it occurs.
type term struct {
	postings []posting
}

// posting is a place of a word: a text of a listing.
type posting struct {
	doc  int32
	text int32 // index into doc.fields
}

// field is a part of a listing that is searched.
type field uint8

const (
	fieldName field = iota
	fieldAlias
	fieldReplaces
	fieldPurpose
	fieldJob
	fieldCategory
	fieldTopic
	fieldDescription
	fieldCount
)

// tier is the group of fields that a match lies in (contract 4).
type tier uint8

const (
	tierExactName tier = iota
	tierName
	tierPurpose
	tierDescription
	tierNone
)

// fieldTiers tells the tier of each field.
var fieldTiers = [fieldCount]tier{
	fieldName: tierName, fieldAlias: tierName, fieldReplaces: tierName,
	fieldPurpose: tierPurpose, fieldJob: tierPurpose,
	fieldCategory: tierDescription, fieldTopic: tierDescription, fieldDescription: tierDescription,
}

// fieldWeights tells how much a word in a field says about the listing, within
// the field's tier: a name more than an alias, an alias more than a product
// that the listing replaces.
var fieldWeights = [fieldCount]float64{
	fieldName: 1, fieldAlias: 0.85, fieldReplaces: 0.7,
	fieldPurpose: 1, fieldJob: 0.9,
	fieldCategory: 1, fieldTopic: 0.9, fieldDescription: 0.5,
}

// newIndex arranges a catalog for searching. The projects are most popular
// first, as Encode leaves them.
func newIndex(c Catalog, identity string) (*Index, error) {
	ix := &Index{
		settings: c.Settings, taxonomy: c.Taxonomy, identity: identity,
		docs:   make([]doc, len(c.Projects)),
		bySlug: make(map[string]int, len(c.Projects)),
		exact:  map[string][]int{}, names: map[string]bool{}, terms: map[string]term{}, stems: map[string][]string{},
		synonyms: map[string][][]string{}, platformNames: map[string]bool{},
	}
	for i, p := range c.Projects {
		p = p.Normalized()
		if i > 0 && ComparePopular(&c.Projects[i-1].Project, &p.Project) >= 0 {
			return nil, unusable("damaged: listings are out of order at %q", p.Slug)
		}
		if err := ix.addDoc(i, p); err != nil {
			return nil, err
		}
	}
	for word := range ix.terms {
		ix.sorted = append(ix.sorted, word)
	}
	slices.Sort(ix.sorted)
	for _, word := range ix.sorted {
		ix.masks = append(ix.masks, letterMask(word))
		stem := english.Stem(word, false)
		ix.stems[stem] = append(ix.stems[stem], word)
	}
	ix.addSynonyms()
	return ix, nil
}

func (ix *Index) addDoc(i int, p api.ProjectDetail) error {
	list, err := json.Marshal(p.Project)
	if err != nil {
		return unusable("damaged: %v", err)
	}
	detail, err := json.Marshal(p)
	if err != nil {
		return unusable("damaged: %v", err)
	}
	d := doc{project: p.Project, list: list, detail: detail, fields: ix.texts(&p), asked: map[string]struct{}{}}
	if p.License != nil {
		d.licenses = sufficientLicenses(*p.License)
		for _, l := range d.licenses {
			for _, key := range licenseKeys(l) {
				d.asked[key] = struct{}{}
			}
		}
	}
	if _, twice := ix.bySlug[p.Slug]; twice {
		return unusable("damaged: the slug %q occurs twice", p.Slug)
	}
	ix.bySlug[p.Slug] = i
	if name := compact(p.Name); name != "" {
		ix.exact[name] = append(ix.exact[name], i)
	}
	for text, f := range d.fields {
		seen := map[string]bool{}
		for _, w := range f.words {
			ix.addPosting(seen, w, i, text)
		}
		// Names are also found with their words joined ("open webui" by "openwebui").
		if fieldTiers[f.field] == tierName {
			joined := strings.Join(f.words, "")
			ix.names[joined] = true
			if len(f.words) > 1 {
				ix.addPosting(seen, joined, i, text)
			}
		}
	}
	ix.docs[i] = d
	return nil
}

func (ix *Index) addPosting(seen map[string]bool, word string, doc, text int) {
	if seen[word] {
		return
	}
	seen[word] = true
	t := ix.terms[word]
	t.postings = append(t.postings, posting{int32(doc), int32(text)}) // #nosec G115 -- a file of 2^31 listings cannot be read into memory
	ix.terms[word] = t
}

// texts returns what is searched of a listing, as words.
func (ix *Index) texts(p *api.ProjectDetail) []fieldText {
	var list []fieldText
	add := func(f field, text string) {
		w := Words(text)
		if len(w) == 0 {
			w = tokens(text)
		}
		if len(w) > 0 {
			list = append(list, fieldText{f, w})
		}
	}
	add(fieldName, p.Name)
	for _, a := range p.Aliases {
		add(fieldAlias, a)
	}
	for _, name := range p.Replaces {
		add(fieldReplaces, name)
		if product, ok := ix.taxonomy.Product(name); ok {
			for _, a := range product.Aliases {
				add(fieldReplaces, a)
			}
		}
	}
	add(fieldPurpose, p.Purpose)
	for _, j := range p.Jobs {
		add(fieldJob, j)
	}
	if c, ok := ix.taxonomy.Category(p.Category); ok {
		add(fieldCategory, c.Name)
	}
	add(fieldCategory, p.Category)
	for _, t := range p.Topics {
		add(fieldTopic, t)
	}
	add(fieldDescription, p.Description)
	return list
}

// addSynonyms makes every phrase of a group stand for every other.
func (ix *Index) addSynonyms() {
	for _, group := range ix.taxonomy.Synonyms {
		phrases := make([][]string, 0, len(group))
		for _, text := range group {
			if w := Words(text); len(w) > 0 {
				phrases = append(phrases, w)
			}
		}
		for i, from := range phrases {
			key := strings.Join(from, " ")
			ix.longestSynonym = max(ix.longestSynonym, len(from))
			for j, to := range phrases {
				if i != j {
					ix.synonyms[key] = append(ix.synonyms[key], to)
				}
			}
		}
	}
}

// Settings returns the settings that the build stored.
func (ix *Index) Settings() api.Settings { return ix.settings }

// Taxonomy returns the vocabulary that the build stored. It must not be changed.
func (ix *Index) Taxonomy() *api.Taxonomy { return &ix.taxonomy }

// Identity returns a hexadecimal text that differs between indexes of different
// content.
func (ix *Index) Identity() string { return ix.identity }

// Len returns the number of listings.
func (ix *Index) Len() int { return len(ix.docs) }

// List returns up to limit listings from offset on in the order of
// sort=popular, each the JSON of an api.Project. It is empty past the end.
func (ix *Index) List(offset, limit int) []json.RawMessage {
	offset = min(max(offset, 0), len(ix.docs))
	limit = min(max(limit, 0), len(ix.docs)-offset)
	list := make([]json.RawMessage, limit)
	for i := range list {
		list[i] = ix.docs[offset+i].list
	}
	return list
}

// ProjectJSON returns the JSON of the api.ProjectDetail of that slug.
func (ix *Index) ProjectJSON(slug string) ([]byte, bool) {
	i, ok := ix.bySlug[slug]
	if !ok {
		return nil, false
	}
	return ix.docs[i].detail, true
}

// NearSlugs returns up to n slugs that the given one is most likely a
// misspelling of, nearest first.
func (ix *Index) NearSlugs(slug string, n int) []string {
	slugs := make([]string, len(ix.docs))
	for i := range ix.docs {
		slugs[i] = ix.docs[i].project.Slug
	}
	slices.Sort(slugs)
	return api.Nearest(slug, slugs, n)
}

// rarity is the inverse document frequency of a word that occurs in df
// listings: greater than 0, at most for words that none has.
func (ix *Index) rarity(df int) float64 {
	return math.Log1p(float64(len(ix.docs)) / (float64(df) + 0.5))
}
