package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"catalog.example/api"
	"catalog.example/generator/memo"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// The files of the taxonomy, in the folder taxonomy.
const (
	CategoriesFile = "categories.yml"
	PlatformsFile  = "platforms.yml"
	ProductsFile   = "products.yml"
	SynonymsFile   = "synonyms.yml"
	FactsFile      = "facts.yml"
	HardwareFile   = "hardware.yml"
	WordsFile      = "words.yml"
)

var taxonomyFiles = []string{CategoriesFile, PlatformsFile, ProductsFile, SynonymsFile, FactsFile, HardwareFile,
	WordsFile, RetiredFile}

// loadTaxonomy loads the files of the taxonomy. Categories are required. Platforms are required
// unless listings have none. All other files are optional.
func (l *loader) loadTaxonomy() api.Taxonomy {
	t := api.Taxonomy{Categories: []api.Category{}, Platforms: []api.Platform{}, Products: []api.Product{}}
	doc := l.taxonomyFile(CategoriesFile, true, &t.Categories)
	u := newUniqueness(l, doc, "slug")
	for i, c := range t.Categories {
		u.check(i, "slug", c.Slug)
		t.Categories[i].Slug = Slug(c.Slug, l.options.Settings.Lang) // listings probably use this one
		u.check(i, "name", c.Name)
		u.filled(i, "description", c.Description, maxDescription)
		u.filled(i, "group", c.Group, maxName)
		l.texts(doc, "asks", c.Asks, i, "asks")
	}
	formerOfTaxonomy(l, doc, t.Categories, func(c *api.Category) formerEntry { return formerEntry{c.Slug, c.Formerly} })

	doc = l.taxonomyFile(PlatformsFile, l.options.Settings.Has("platforms"), &t.Platforms)
	u = newUniqueness(l, doc, "slug")
	for i, p := range t.Platforms {
		u.check(i, "slug", p.Slug)
		t.Platforms[i].Slug = Slug(p.Slug, l.options.Settings.Lang)
		u.check(i, "name", p.Name)
		l.texts(doc, "suggested", p.Suggested, i, "suggested")
	}
	formerOfTaxonomy(l, doc, t.Platforms, func(p *api.Platform) formerEntry { return formerEntry{p.Slug, p.Formerly} })

	doc = l.taxonomyFile(ProductsFile, false, &t.Products)
	u = newUniqueness(l, doc, "name")
	for i, p := range t.Products {
		u.check(i, "slug", p.Slug)
		u.check(i, "name", p.Name)
		u.filled(i, "maker", p.Maker, maxName)
		u.bounded(i, "misses", p.Misses, maxDescription)
		l.texts(doc, "aliases", p.Aliases, i, "aliases")
		if p.Aliases == nil {
			t.Products[i].Aliases = []string{}
		}
	}
	formerOfTaxonomy(l, doc, t.Products, func(p *api.Product) formerEntry { return formerEntry{p.Slug, p.Formerly} })

	t.Synonyms = l.synonyms()
	t.Facts = l.facts()
	l.platformSystems(&t)
	l.hardware(&t)
	l.words(&t.Words)
	return t
}

func (l *loader) synonyms() [][]string {
	synonyms := [][]string{}
	doc := l.taxonomyFile(SynonymsFile, false, &synonyms)
	for i, group := range synonyms {
		if len(group) < 2 {
			l.find(doc.at(rule.Synonyms, "a group of synonyms needs at least two entries", i))
		}
		for j, phrase := range group {
			if strings.TrimSpace(phrase) == "" || slices.Index(group, phrase) != j {
				message := quote(phrase) + " is empty or is in its group twice: remove it"
				l.find(doc.at(rule.Synonyms, message, i, j))
			} else if message := textProblem(phrase, maxShort); message != "" {
				l.find(doc.at(rule.Synonyms, message, i, j))
			}
		}
	}
	return synonyms
}

// platformSystems checks which systems run a platform's programs and have its cards.
func (l *loader) platformSystems(t *api.Taxonomy) {
	doc := l.taxonomy.docs[PlatformsFile]
	facts, platforms := !l.taxonomy.incomplete[FactsFile], !l.taxonomy.incomplete[PlatformsFile]
	for i := range t.Platforms {
		p := &t.Platforms[i]
		fail := func(key, message string) { l.find(doc.at(rule.Value, key+": "+message, i, key)) }
		if p.System && len(p.On) > 0 {
			fail("on", "is only for platforms that are no systems: remove it")
		}
		if platforms && !p.System && len(p.GPUVendors) > 0 {
			fail("gpuVendors", "is only for systems: remove it, or write system: true")
		}
		for _, slug := range p.On {
			if message := systemProblem(t, slug); platforms && message != "" {
				fail("on", message)
			}
		}
		fact := t.Fact(api.GPUVendorsKey)
		for _, maker := range p.GPUVendors {
			if facts && (fact == nil || !slices.Contains(fact.Options(), maker)) {
				fail("gpuVendors",
					fmt.Sprintf("%s is no option of the fact %s in taxonomy/%s: remove it, or add it there",
						quote(maker), api.GPUVendorsKey, FactsFile))
			}
		}
	}
}

// words loads the words that are specific to the subject.
func (l *loader) words(w *api.Words) {
	doc := l.taxonomyFile(WordsFile, false, w)
	for _, text := range []struct{ key, value string }{{"constraints", w.Constraints}, {"shortlist", w.Shortlist}} {
		if message := textProblem(text.value, maxShort); message != "" {
			l.find(doc.at(rule.Value, text.key+": "+message, text.key))
		}
	}
	l.texts(doc, "filler", w.Filler, "filler")
	l.texts(doc, "weak", w.Weak, "weak")
	l.texts(doc, "technical", w.Technical, "technical")
	for i, text := range w.Technical {
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			l.find(doc.at(rule.Value,
				fmt.Sprintf("technical: %q is not one word of letters and digits; write one, such as api", text),
				"technical", i))
		}
	}
	for key, wordings := range map[string]map[string][]string{"languages": w.Languages, "licenses": w.Licenses} {
		for _, value := range slices.Sorted(maps.Keys(wordings)) {
			l.texts(doc, value, wordings[value], key, value)
		}
	}
}

// texts checks a list of short texts at a path.
func (l *loader) texts(doc source, key string, list []string, path ...any) {
	for i, text := range list {
		message := textProblem(text, maxShort)
		if strings.TrimSpace(text) == "" {
			message = "an entry is empty; remove it"
		}
		if message != "" {
			l.find(doc.at(rule.Value, key+": "+message, append(slices.Clone(path), i)...))
		}
	}
}

// maxTaxonomy bounds a file of the taxonomy: forty times the longest shipped one.
const maxTaxonomy = 1 << 20

// readFile is a file as loader.read returned it.
type readFile struct {
	text []byte
	ok   bool
	err  error
}

// readTaxonomy reads the files of the taxonomy, and returns a hash of them and of the settings.
func (l *loader) readTaxonomy() (memo.Key, error) {
	settings, err := json.Marshal(l.options.Settings)
	if err != nil {
		return memo.Key{}, fmt.Errorf("settings: %w", err)
	}
	parts := [][]byte{settings}
	for _, name := range taxonomyFiles {
		var f readFile
		f.text, f.ok, f.err = l.read("taxonomy/"+name, maxTaxonomy)
		l.taxonomyFiles[name] = f
		parts = append(parts, fmt.Append(nil, f.ok, f.err), f.text)
	}
	return memo.KeyOf("content", parts...), nil
}

// taxonomyFile decodes one file of the taxonomy. The file is incomplete if a value in it could
// not be decoded.
func (l *loader) taxonomyFile(name string, required bool, into any) source {
	file := "taxonomy/" + name
	text, ok, err := l.taxonomyFiles[name].text, l.taxonomyFiles[name].ok, l.taxonomyFiles[name].err
	if errors.Is(err, fs.ErrNotExist) && !required {
		return source{file: file}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.find(Finding{file, 1, 1, rule.Taxonomy, "is missing: every catalogue needs it"})
	case err != nil:
		l.find(Finding{file, 1, 1, rule.Taxonomy, fmt.Sprintf("cannot be read: %v", err)})
	}
	if !ok { // already reported by read or above
		l.taxonomy.incomplete[name] = true
		return source{file: file}
	}
	doc, wrong := strictyaml.Parse(text, 1)
	if doc != nil {
		wrong = doc.Decode(into)
		l.taxonomy.docs[name] = source{file, doc}
	}
	if doc == nil || doc.Lost {
		l.taxonomy.incomplete[name] = true
	}
	l.taxonomy.undecoded[name] = wrong
	l.find(problems(file, wrong)...)
	return source{file, doc}
}

// dropConsequences removes findings that only follow from the decoder's findings: other findings at
// the same place, missing keys of the same entry, and all findings about an entry that repeats a
// key, because it is probably two entries.
func (l *loader) dropConsequences() {
	for name, problems := range l.taxonomy.undecoded {
		doc := l.taxonomy.docs[name].doc
		if doc == nil || len(problems) == 0 {
			continue
		}
		starts := doc.Entries()
		entryOf := func(line int) int {
			i, found := slices.BinarySearch(starts, line)
			if !found {
				i--
			}
			return i
		}
		places, undecoded, repeats := map[[2]int]bool{}, map[int]bool{}, map[int]bool{} // the last two by entry
		for _, p := range problems {
			places[[2]int{p.Line, p.Column}], undecoded[entryOf(p.Line)] = true, true
		}
		for _, line := range doc.Repeated {
			repeats[entryOf(line)] = true
		}
		l.findings = slices.DeleteFunc(l.findings, func(f Finding) bool {
			if f.File != "taxonomy/"+name || f.Rule.Name == rule.FrontMatter.Name {
				return false
			}
			entry := entryOf(f.Line)
			return places[[2]int{f.Line, f.Column}] || repeats[entry] || undecoded[entry] &&
				f.Rule.Name == rule.Missing.Name
		})
	}
}

// uniqueness checks the entries of one file of the taxonomy.
type uniqueness struct {
	loader *loader
	doc    source
	id     string                     // the key by which listings name an entry
	seen   map[string]map[string]bool // key → values
}

func newUniqueness(l *loader, doc source, id string) *uniqueness {
	return &uniqueness{l, doc, id, map[string]map[string]bool{}}
}

// check checks that a value is not empty, is well-formed if it is a slug, and is unique in its
// file. It marks the file as incomplete if the name of an entry is missing or repeated, because
// listings may use the correct name.
func (u *uniqueness) check(i int, key, value string) {
	if u.seen[key] == nil {
		u.seen[key] = map[string]bool{}
	}
	folded := strings.ToLower(value)
	filled := u.filled(i, key, value, maxName)
	if message := CheckSlug(value); filled && key == "slug" && message != "" {
		u.loader.find(u.doc.at(rule.Slug, message, i, key))
	}
	if u.seen[key][folded] && filled {
		u.loader.find(u.doc.at(rule.Unique, fmt.Sprintf("%s: %q is in this file twice: change one of them", key, value),
			i, key))
	}
	if key == u.id && (!filled || u.seen[key][folded]) {
		u.loader.taxonomy.incomplete[path.Base(u.doc.file)] = true
	}
	u.seen[key][folded] = true
}

func (u *uniqueness) filled(i int, key, value string, most int) bool {
	if strings.TrimSpace(value) == "" {
		u.loader.find(u.doc.at(rule.Missing, fmt.Sprintf("%s: is missing, but required", key), i, key))
		return false
	}
	u.bounded(i, key, value, most)
	return true
}

// bounded checks an optional text of an entry.
func (u *uniqueness) bounded(i int, key, value string, most int) {
	if message := textProblem(value, most); message != "" { // pages and llms.txt show each text on one line
		u.loader.find(u.doc.at(rule.Value, key+": "+message, i, key))
	}
}
