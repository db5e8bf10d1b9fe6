package content

import (
	"bytes"
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
	"golang.org/x/text/language"
)

// Names of the taxonomy files, in the folder taxonomy.
const (
	CategoriesFile = "categories.yml"
	PlatformsFile  = "platforms.yml"
	ProductsFile   = "products.yml"
	SynonymsFile   = "synonyms.yml"
	FactsFile      = "facts.yml"
	HardwareFile   = "hardware.yml"
	ModelsFile     = "models.yml"
	WordsFile      = "words.yml"
	// TranslationsFile has the words of queries in other languages.
	TranslationsFile = "translations.yml"
)

var taxonomyFiles = []string{CategoriesFile, PlatformsFile, ProductsFile, SynonymsFile, FactsFile, HardwareFile,
	ModelsFile, WordsFile, TranslationsFile, RetiredFile, SetsFile, LogosFile}

// loadTaxonomy loads the files of the taxonomy. Categories are required, and so are platforms
// unless listings have none. All other files are optional.
func (l *loader) loadTaxonomy() api.Taxonomy {
	t := api.Taxonomy{Categories: []api.Category{}, Platforms: []api.Platform{}, Products: []api.Product{}}
	k := l.entries(CategoriesFile, true, &t.Categories, "slug")
	for i, c := range t.Categories {
		k.unique(c.Slug, i, "slug")
		t.Categories[i].Slug = Slug(c.Slug, l.options.Settings.Lang) // listings probably use the corrected slug
		k.unique(c.Name, i, "name")
		k.failIf(textProblem(c.Description, maxDescription), i, "description")
		if c.Description == "" && !l.taxonomy.incomplete[CategoriesFile] {
			l.taxonomy.undescribed = append(l.taxonomy.undescribed, i)
		}
		k.filled(c.Group, maxName, i, "group")
		k.texts(c.Asks, i, "asks")
	}
	formerly(t.Categories, func(c api.Category) (string, []string) { return c.Slug, c.Formerly }, k.former)

	k = l.entries(PlatformsFile, l.options.Settings.Has("platforms"), &t.Platforms, "slug")
	for i, p := range t.Platforms {
		k.unique(p.Slug, i, "slug")
		t.Platforms[i].Slug = Slug(p.Slug, l.options.Settings.Lang)
		k.unique(p.Name, i, "name")
		k.texts(p.Suggested, i, "suggested")
	}
	formerly(t.Platforms, func(p api.Platform) (string, []string) { return p.Slug, p.Formerly }, k.former)
	platforms := k.fileCheck

	k = l.entries(ProductsFile, false, &t.Products, "name")
	for i, p := range t.Products {
		k.unique(p.Slug, i, "slug")
		k.unique(p.Name, i, "name")
		k.filled(p.Maker, maxName, i, "maker")
		k.failIf(textProblem(p.Misses, maxDescription), i, "misses")
		k.texts(p.Aliases, i, "aliases")
		if p.Aliases == nil {
			t.Products[i].Aliases = []string{}
		}
	}
	formerly(t.Products, func(p api.Product) (string, []string) { return p.Slug, p.Formerly }, k.former)

	t.Synonyms = l.synonyms()
	t.Facts = l.facts()
	platforms.taxonomy = &t
	platforms.platformSystems()
	l.hardware(&t)
	l.models(&t)
	l.words(&t.Words)
	l.translations(&t.Translations)
	return t
}

// translations loads the words of queries in other languages.
func (l *loader) translations(list *[]api.Language) {
	k := l.taxonomyFile(TranslationsFile, false, list)
	seen := map[string]bool{}
	for i := range *list {
		t := &(*list)[i]
		if _, err := language.ParseBase(t.Code); err != nil {
			k.fail(at(i, "code"), "%s is not the code of a language: write one of ISO 639, such as de", quote(t.Code))
		} else if seen[t.Code] {
			k.fail(at(i, "code"), "%s is in this file twice: write all its words in one entry", quote(t.Code))
		}
		seen[t.Code] = true
		k.filled(t.Name, maxName, i, "name")
		k.texts(t.Endings, i, "endings")
		k.texts(t.Filler, i, "filler")
		for _, phrase := range slices.Sorted(maps.Keys(t.Words)) {
			k.failIf(entryProblem(phrase), i, "words", phrase)
			k.failIf(entryProblem(t.Words[phrase]), i, "words", phrase)
		}
	}
}

func (l *loader) synonyms() [][]string {
	synonyms := [][]string{}
	k := l.taxonomyFile(SynonymsFile, false, &synonyms)
	for i, group := range synonyms {
		if len(group) < 2 {
			k.find(k.at(rule.Synonyms, "a group of synonyms needs at least two entries", i))
		}
		for j, phrase := range group {
			message := textProblem(phrase, maxShort)
			if strings.TrimSpace(phrase) == "" || slices.Index(group, phrase) != j {
				message = quote(phrase) + " is empty or is in its group twice: remove it"
			}
			if message != "" {
				k.find(k.at(rule.Synonyms, message, i, j))
			}
		}
	}
	return synonyms
}

// platformSystems checks the systems that run a platform's programs, and the makers of the graphics
// cards that a system can have.
func (c *fileCheck) platformSystems() {
	for i := range c.taxonomy.Platforms {
		p := &c.taxonomy.Platforms[i]
		if p.System && len(p.On) > 0 {
			c.fail(at(i, "on"), "is only for platforms that are not systems: remove it")
		}
		if !c.incomplete[PlatformsFile] && !p.System && len(p.GPUVendors) > 0 {
			c.fail(at(i, "gpuVendors"), "is only for systems: remove it, or write system: true")
		}
		for _, slug := range p.On {
			c.system(slug, i, "on")
		}
		fact := c.taxonomy.Fact(api.GPUVendorsKey)
		for _, maker := range p.GPUVendors {
			if !c.incomplete[FactsFile] && (fact == nil || !slices.Contains(fact.Options(), maker)) {
				c.fail(at(i, "gpuVendors"), "%s is not an option of the fact %s in taxonomy/%s: remove it, or add "+
					"it there", quote(maker), api.GPUVendorsKey, FactsFile)
			}
		}
	}
}

// words loads the words that are specific to the catalogue's subject.
func (l *loader) words(w *api.Words) {
	file := struct {
		*api.Words
		Headings []string `json:"headings"` // in place of api.Headings
	}{Words: w}
	k := l.taxonomyFile(WordsFile, false, &file)
	l.taxonomy.headings = file.Headings
	k.texts(file.Headings, "headings")
	if n := len(api.Headings); len(file.Headings) > 0 && len(file.Headings) != n {
		k.fail(at("headings"), "has %d texts: write %d, in place of %s", len(file.Headings), n,
			strings.Join(api.Headings, ", "))
	}
	k.failIf(textProblem(w.Constraints, maxShort), "constraints")
	k.failIf(textProblem(w.Shortlist, maxShort), "shortlist")
	k.texts(w.Filler, "filler")
	k.texts(w.Weak, "weak")
	k.texts(w.Technical, "technical")
	for i, text := range w.Technical {
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			k.fail(at("technical", i), "%q is not one word of letters and digits; write one, such as api", text)
		}
	}
	for key, wordings := range map[string]map[string][]string{"languages": w.Languages, "licenses": w.Licenses} {
		for _, value := range slices.Sorted(maps.Keys(wordings)) {
			k.texts(wordings[value], key, value)
		}
	}
}

// maxTaxonomy is the maximum size of a taxonomy file, in bytes: forty times the longest shipped
// one.
const maxTaxonomy = 1 << 20

// readFile holds what loader.read returned for a file.
type readFile struct {
	text []byte
	ok   bool
	err  error
	own  []byte // its translation; nil for none
}

// readTaxonomy reads the files of the taxonomy and the logos, and returns a hash of the files and the
// settings.
func (l *loader) readTaxonomy() (memo.Key, error) {
	settings, err := json.Marshal(l.options.Settings)
	if err != nil {
		return memo.Key{}, fmt.Errorf("settings: %w", err)
	}
	parts := [][]byte{settings}
	for _, name := range taxonomyFiles {
		var f readFile
		f.text, f.ok, f.err = l.read("taxonomy/"+name, maxTaxonomy)
		l.translateTaxonomy(name, &f)
		l.taxonomyFiles[name] = f
		parts = append(parts, fmt.Append(nil, f.ok, f.err, f.own != nil), f.text, f.own)
	}
	return memo.KeyOf("content", append(parts, l.readLogos()...)...), nil
}

// translateTaxonomy reads the translation of a file of the taxonomy, if it has one.
func (l *loader) translateTaxonomy(name string, f *readFile) {
	t, hasTexts := taxonomyTexts[name]
	if l.options.Language == "" || !hasTexts {
		return
	}
	own, ok, err := l.read("taxonomy/"+translationFile(name, l.options.Language), maxTaxonomy)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil || t == nil:
		f.text, f.ok, f.err = own, ok, err
	default:
		f.own = own
	}
	l.setTranslated("taxonomy/" + name)
}

// taxonomyFile decodes one file of the taxonomy. It marks the file as incomplete if the file, or a
// value in it, could not be read or decoded.
func (l *loader) taxonomyFile(name string, required bool, into any) fileCheck {
	file := "taxonomy/" + name
	k := fileCheck{source: source{file: file}, find: l.find, incomplete: l.taxonomy.incomplete}
	defer func() { l.taxonomy.docs[name] = k.source }()
	read := l.taxonomyFiles[name]
	missing := errors.Is(read.err, fs.ErrNotExist)
	switch {
	case missing && !required:
		return k
	case missing:
		l.find(Finding{file, 1, 1, rule.Taxonomy, "is missing: every catalogue needs it"})
	case read.err != nil:
		l.find(Finding{file, 1, 1, rule.Taxonomy, fmt.Sprintf("cannot be read: %v", read.err)})
	}
	isEmpty := required && read.ok && len(bytes.TrimSpace(read.text)) == 0
	if isEmpty {
		l.find(Finding{file, 1, 1, rule.Taxonomy, "is empty: write its entries, or [] if there are none"})
	}
	if !read.ok || isEmpty { // already reported, by loader.read or above
		l.taxonomy.incomplete[name] = true
		return k
	}
	var wrong []strictyaml.Problem
	if k.doc, wrong = strictyaml.Parse(read.text, 1); k.doc != nil {
		if read.own != nil {
			own := translationFile(file, l.options.Language)
			from, bad := strictyaml.Parse(read.own, 1)
			l.find(problems(own, bad)...)
			l.find(mergeTaxonomy(k.doc.Root(), from, own, taxonomyTexts[name])...)
		}
		wrong = k.doc.Decode(into)
	}
	if k.doc == nil || k.doc.Lost {
		l.taxonomy.incomplete[name] = true
	}
	l.taxonomy.undecoded[name] = wrong
	l.find(problems(file, wrong)...)
	return k
}

// dropConsequences removes findings that only follow from the decoder's findings: other findings at
// the same position, missing keys in the same entry, and all findings about an entry in which a key
// is repeated, because it is probably two entries.
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
		places, undecoded, repeats := map[[2]int]bool{}, map[int]bool{}, map[int]bool{} // the last two: by entry
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

// entryCheck checks the entries of one file of the taxonomy.
type entryCheck struct {
	fileCheck
	id   string             // the key whose value listings use to name an entry
	seen map[[2]string]bool // pairs of a key and its value in lower case
}

// entries loads a file of the taxonomy that holds a list of entries.
func (l *loader) entries(name string, required bool, into any, id string) *entryCheck {
	return &entryCheck{l.taxonomyFile(name, required, into), id, map[[2]string]bool{}}
}

// unique checks that the value of a key is not empty, is valid if it is a slug, and is unique in
// its file. It marks the file as incomplete if the name of an entry is missing or repeated, because
// listings may use the correct name.
func (k *entryCheck) unique(value string, i int, key string) {
	place := [2]string{key, strings.ToLower(value)}
	filled := k.filled(value, maxName, i, key)
	if message := CheckSlug(value); filled && key == "slug" && message != "" {
		k.find(k.at(rule.Slug, message, i, key))
	}
	if filled && k.seen[place] {
		k.add(rule.Unique, at(i, key), "%q is in this file twice: change one of them", value)
	}
	if key == k.id && (!filled || k.seen[place]) {
		k.incomplete[path.Base(k.file)] = true
	}
	k.seen[place] = true
}

// former reports a problem with a former slug of an entry.
func (k *entryCheck) former(r rule.Rule, message string, entry, i int) {
	k.add(r, at(entry, "formerly", i), "%s", message)
}
