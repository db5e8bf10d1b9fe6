package content

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/regular"
	"catalog.example/generator/rule"
)

// LogosFile is the file of the taxonomy that says what the files of LogosFolder are the logos of.
const LogosFile = "logos.yml"

// LogosFolder is the folder below the content folder with a file NAME.svg for each logo, and the
// licence SLUG.txt of each set.
const LogosFolder = "logos"

// Bounds of files in LogosFolder, in bytes. A row of a list loads a logo, so that it has to be small.
const (
	maxLogo    = 2500
	maxLicence = 64 << 10
)

// Logos are the logos of listings and products, and the icons of categories and platforms. A
// catalogue may have none.
type Logos struct {
	Sets []LogoSet `json:"sets"`
	List []Logo    `json:"logos"`
}

// LogoSet is a collection of logos of others, with the terms on which the catalogue uses them.
type LogoSet struct {
	Slug    string `json:"slug"`
	Name    string `json:"name"`
	Version string `json:"version"`
	License string `json:"license"` // SPDX expression
	Source  string `json:"source"`  // address
	Terms   string `json:"-"`       // the text of the licence
}

// Logo is a logo or icon in one colour, and what has it.
type Logo struct {
	Name string `json:"name"`
	Set  string `json:"set"`
	// Icon is its name in the set; "" if that is Name.
	Icon string `json:"icon"`

	Listings   []string `json:"listings"`
	Products   []string `json:"products"`
	Categories []string `json:"categories"`
	Platforms  []string `json:"platforms"`

	SVG []byte `json:"-"` // as CheckSVG allows it
}

// Set returns the set with a slug, which must exist.
func (l *Logos) Set(slug string) *LogoSet {
	i := slices.IndexFunc(l.Sets, func(s LogoSet) bool { return s.Slug == slug })
	return &l.Sets[i]
}

// readLogos reads the files of LogosFolder, if there is one. It returns their names and texts, for
// the key of the taxonomy.
func (l *loader) readLogos() (parts [][]byte) {
	entries, err := fs.ReadDir(l.root, LogosFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		wrong := &regular.Error{Reason: fmt.Sprintf("cannot be read: %v", err)}
		l.find(FileFinding(LogosFolder, wrong))
	}
	for _, e := range entries {
		most := int64(maxLogo)
		switch path.Ext(e.Name()) {
		case ".txt":
			most = maxLicence
		case ".svg":
		default:
			continue
		}
		var f readFile
		if f.text, f.ok, f.err = l.read(LogosFolder+"/"+e.Name(), most); f.err != nil {
			l.find(FileFinding(LogosFolder+"/"+e.Name(), &regular.Error{Reason: f.err.Error()}))
		}
		l.logoFiles[e.Name()] = f
		parts = append(parts, []byte(e.Name()), f.text)
	}
	return parts
}

// logoCheck checks the table of logos and its files.
type logoCheck struct {
	fileCheck
	files  map[string]readFile // of LogosFolder, by name
	unused map[string]bool     // those that no entry has named yet
	sets   map[string]bool
	slugs  map[string][]string  // those of the taxonomy, by kind
	owners map[[2]string]string // the logo by kind and slug of what has it
}

// logos loads the logos. The rest of the taxonomy must have been loaded before.
func (l *loader) logos(t *api.Taxonomy) Logos {
	var logos Logos
	c := logoCheck{
		fileCheck: l.taxonomyFile(LogosFile, false, &logos), files: l.logoFiles, unused: map[string]bool{},
		sets: map[string]bool{}, owners: map[[2]string]string{}, slugs: map[string][]string{
			"products":   slugsOf(t.Products, func(p api.Product) string { return p.Slug }),
			"categories": slugsOf(t.Categories, func(c api.Category) string { return c.Slug }),
			"platforms":  slugsOf(t.Platforms, func(p api.Platform) string { return p.Slug }),
		},
	}
	for name := range c.files {
		c.unused[name] = true
	}
	for i := range logos.Sets {
		c.set(i, &logos.Sets[i])
	}
	names := map[string]bool{}
	for i := range logos.List {
		logo := &logos.List[i]
		if c.filled(logo.Name, maxName, "logos", i, "name") && names[logo.Name] {
			c.add(rule.Unique, at("logos", i, "name"), "%q is in this file twice: remove one of them", logo.Name)
		}
		names[logo.Name] = true
		c.logo(i, logo)
	}
	if l.taxonomy.incomplete[LogosFile] {
		return logos
	}
	for name := range c.unused {
		l.find(Finding{LogosFolder + "/" + name, 1, 1, rule.NotRead,
			"is not used: name it in taxonomy/" + LogosFile + ", or remove it"})
	}
	return logos
}

func (c *logoCheck) set(i int, s *LogoSet) {
	if message := CheckSlug(s.Slug); c.filled(s.Slug, maxName, "sets", i, "slug") && message != "" {
		c.add(rule.Slug, at("sets", i, "slug"), "%s", message)
	}
	if c.sets[s.Slug] {
		c.add(rule.Unique, at("sets", i, "slug"), "%q is in this file twice: change one of them", s.Slug)
	}
	c.sets[s.Slug] = true
	c.filled(s.Name, maxName, "sets", i, "name")
	c.filled(s.Version, maxName, "sets", i, "version")
	if c.filled(s.License, maxName, "sets", i, "license") {
		c.failIf(licenseProblem(s.License), "sets", i, "license")
	}
	if c.filled(s.Source, maxAddress, "sets", i, "source") {
		c.address(s.Source, "", "sets", i, "source")
	}
	name := s.Slug + ".txt"
	delete(c.unused, name)
	switch f, found := c.files[name]; {
	case !found && s.Slug != "":
		c.add(rule.Missing, at("sets", i, "slug"), "the text of the licence is missing: add it as %s/%s", LogosFolder,
			name)
	case f.ok:
		s.Terms = string(f.text)
	}
}

func (c *logoCheck) logo(i int, logo *Logo) {
	if message := CheckSlug(logo.Name); message != "" && logo.Name != "" {
		c.add(rule.Slug, at("logos", i, "name"), "%s", message)
	}
	if c.filled(logo.Set, maxName, "logos", i, "set") && !c.sets[logo.Set] {
		c.fail(at("logos", i, "set"), "%s is not one of the sets at the top of this file", quote(logo.Set))
	}
	c.failIf(textProblem(logo.Icon, maxName), "logos", i, "icon")
	name := logo.Name + ".svg"
	delete(c.unused, name)
	f, found := c.files[name]
	if !found {
		c.add(rule.Missing, at("logos", i, "name"), "there is no file %s/%s: add it, or remove the entry", LogosFolder,
			name)
	} else if f.ok {
		logo.SVG = slices.Clip(f.text)
		if line, message := CheckSVG(f.text); message != "" {
			c.find(Finding{LogosFolder + "/" + name, line, 1, rule.Value, message})
		}
	}
	c.uses(i, logo.Name, "listings", logo.Listings, nil) // see logosAcross
	c.uses(i, logo.Name, "products", logo.Products, c.slugs["products"])
	c.uses(i, logo.Name, "categories", logo.Categories, c.slugs["categories"])
	c.uses(i, logo.Name, "platforms", logo.Platforms, c.slugs["platforms"])
	if len(logo.Listings)+len(logo.Products)+len(logo.Categories)+len(logo.Platforms) == 0 {
		c.add(rule.Missing, at("logos", i), "is the logo of nothing: name listings, products, categories or "+
			"platforms, or remove it and its file")
	}
}

// uses checks the slugs of what has a logo. slugs has those that exist; nil if they are not known yet.
func (c *logoCheck) uses(i int, name, kind string, used, slugs []string) {
	for j, slug := range used {
		owner := [2]string{kind, slug}
		switch other, taken := c.owners[owner]; {
		case taken:
			c.add(rule.Unique, at("logos", i, kind, j), "%s has the logo %s, too: remove one of them", quote(slug),
				other)
		case slugs != nil && !slices.Contains(slugs, slug) && !c.incomplete[kind+".yml"]:
			c.add(rule.Link, at("logos", i, kind, j), "taxonomy/%s.yml has no %s%s: correct it, or remove it", kind,
				quote(slug), spelling.Hint(slug, slugs))
		}
		c.owners[owner] = name
	}
}

// slugsOf returns the slugs of entries, not nil.
func slugsOf[T any](list []T, slug func(T) string) []string {
	slugs := make([]string, len(list))
	for i, one := range list {
		slugs[i] = slug(one)
	}
	return slugs
}

// logosAcross checks that the listings which have a logo exist, under this slug or a former one.
func (l *loader) logosAcross(listings []*Listing) {
	l.taxonomy.positions.Lock()
	defer l.taxonomy.positions.Unlock()
	k := fileCheck{source: l.taxonomy.docs[LogosFile], find: l.find}
	listed := bySlug(listings)
	for i := range l.taxonomy.logos.List {
		for j, slug := range l.taxonomy.logos.List[i].Listings {
			if listed[slug] == nil {
				k.add(rule.Link, at("logos", i, "listings", j), "there is no listing %s%s: correct it, or remove it",
					quote(slug), spelling.Hint(slug, slices.Sorted(maps.Keys(listed))))
			}
		}
	}
}
