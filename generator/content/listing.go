package content

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/strictyaml"
	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"
)

const (
	maxSlug    = 64  // contract 2
	maxPurpose = 160 // contract 2
	maxName    = 80  // a heading of one line on a phone's two
	maxShort   = 200 // a job, a topic, an alias, a caveat: a line, not a text
)

// slugPattern is the shape of every slug (contract 2).
var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidSlug says what is wrong with a slug, or "".
func ValidSlug(slug string) string {
	switch {
	case slug == "index":
		return `"index" is reserved: choose another file name`
	case len(slug) > maxSlug:
		return fmt.Sprintf("the slug %q has %d characters: at most %d are allowed", slug, len(slug), maxSlug)
	case !slugPattern.MatchString(slug):
		return fmt.Sprintf("%q is no slug: lower-case letters and digits are allowed, in groups joined by single hyphens", slug)
	}
	return ""
}

// listing reads and checks one file. The error is about reading only.
func (l *loader) listing(file string, check *listingChecker) (*Listing, error) {
	text, err := fs.ReadFile(l.root, file)
	if err != nil {
		return nil, fmt.Errorf("read listing: %w", err)
	}
	listing, findings := check.listing(file, text, &l.options.Settings)
	l.find(findings...)
	return listing, nil
}

// listingChecker checks what a listing says by itself and against the
// taxonomy. It is safe for concurrent use.
type listingChecker struct {
	today      api.Date
	categories map[string]bool
	platforms  map[string]bool
	products   map[string]bool
	// vocabularies as lists, for suggestions
	categoryList, platformList, productList []string
	// productByAlias leads from another name of a product to its name.
	productByAlias map[string]string
}

func newListingChecker(t *api.Taxonomy, today api.Date) *listingChecker {
	c := &listingChecker{today: today, categories: map[string]bool{}, platforms: map[string]bool{}, products: map[string]bool{}, productByAlias: map[string]string{}}
	for _, x := range t.Categories {
		c.categories[x.Slug] = true
		c.categoryList = append(c.categoryList, x.Slug)
	}
	for _, x := range t.Platforms {
		c.platforms[x.Slug] = true
		c.platformList = append(c.platformList, x.Slug)
	}
	for _, x := range t.Products {
		c.products[x.Name] = true
		c.productList = append(c.productList, x.Name)
		for _, other := range append([]string{x.Slug, strings.ToLower(x.Name)}, x.Aliases...) {
			c.productByAlias[strings.ToLower(other)] = x.Name
		}
	}
	return c
}

// listing checks the text of one file.
func (c *listingChecker) listing(file string, text []byte, settings *api.Settings) (*Listing, []Finding) {
	slug := strings.TrimSuffix(path.Base(file), ".md")
	listing := &Listing{File: file}
	listing.Slug = slug
	var findings []Finding
	fail := func(line int, rule, message string) {
		findings = append(findings, Finding{file, line, 1, Error, rule, message})
	}
	if message := ValidSlug(slug); message != "" {
		fail(1, "slug", message)
	}
	if !utf8.Valid(text) {
		fail(1, "encoding", "the file is not valid UTF-8")
		return listing, findings
	}
	parts, message := splitFrontMatter(text)
	if message != "" {
		fail(1, "front-matter", message)
		return listing, findings
	}
	listing.frontMatter = parts.frontMatter
	doc, syntax := strictyaml.Parse(parts.frontMatter, frontMatterLine)
	if doc == nil {
		return listing, append(findings, problems(file, syntax)...)
	}
	var f FrontMatter
	wrong := doc.Decode(&f)
	findings = append(findings, problems(file, wrong)...)
	listing.ProjectDetail = f.project(slug)
	listing.PageURL = settings.URL("/projects/" + slug + "/")

	k := &checking{listingChecker: c, doc: source{file, doc}, f: &f, broken: wrong}
	k.all()
	findings = append(findings, k.findings...)

	listing.Body, listing.bodyLine = string(parts.body), parts.bodyLine
	body := renderMarkdown(parts.body, "/projects/"+slug+"/", settings)
	listing.BodyHTML, listing.BodyMarkdown = body.html, body.markdown
	listing.links = body.below(parts.bodyLine)
	listing.Description = absoluteLinks(strings.TrimSpace(listing.Body), settings)
	if listing.Description == "" {
		findings = append(findings, Finding{file, parts.bodyLine - 1, 1, Warning, "no-description", "the description below the front matter is empty"})
	}
	return listing, findings
}

// checking is the check of one listing's front matter.
type checking struct {
	*listingChecker
	doc      source
	f        *FrontMatter
	broken   []strictyaml.Problem // what did not decode: its values say nothing
	findings []Finding
}

func (k *checking) fail(path []any, format string, args ...any) {
	k.add(Error, "value", path, format, args...)
}

func (k *checking) warn(rule string, path []any, format string, args ...any) {
	k.add(Warning, rule, path, format, args...)
}

// add records a finding unless the decoder has complained about the same line:
// one mistake, one message.
func (k *checking) add(severity Severity, rule string, path []any, format string, args ...any) {
	key := path[len(path)-1]
	for i := len(path) - 1; i >= 0; i-- {
		if name, ok := path[i].(string); ok {
			key = name
			break
		}
	}
	finding := k.doc.at(severity, rule, fmt.Sprintf("%v: ", key)+fmt.Sprintf(format, args...), path...)
	if !k.undecoded(finding.Line) {
		k.findings = append(k.findings, finding)
	}
}

// undecoded tells whether the decoder has complained about a line.
func (k *checking) undecoded(line int) bool {
	return slices.ContainsFunc(k.broken, func(p strictyaml.Problem) bool { return p.Line == line })
}

// given tells whether the front matter has a value for a key, even a wrong one.
func (k *checking) given(key string, decoded bool) bool {
	line, _ := k.doc.doc.Position(key)
	return decoded || k.doc.doc.Has(key) && k.undecoded(line)
}

// at builds a path.
func at(path ...any) []any { return path }

func (k *checking) all() {
	f := k.f
	k.required("name", f.Name)
	k.line(at("name"), f.Name, maxName)
	k.required("purpose", f.Purpose)
	k.line(at("purpose"), f.Purpose, maxPurpose)
	k.texts("aliases", f.Aliases)
	k.texts("jobs", f.Jobs)
	k.texts("topics", f.Topics)
	for i, topic := range f.Topics {
		if topic != strings.ToLower(topic) {
			k.fail(at("topics", i), "%q must be in lower case", topic)
		}
	}
	k.taxonomy()
	k.license()
	k.stars()
	k.links()
	k.dates()
	k.fitNotes()
	k.sources()
	if f.Language != nil {
		k.nonEmpty(at("language"), *f.Language)
	}
}

func (k *checking) required(key, value string) {
	if value != "" {
		return
	}
	if k.doc.doc.Has(key) {
		k.fail(at(key), "is empty, but required")
		return
	}
	k.findings = append(k.findings, k.doc.at(Error, "missing", fmt.Sprintf("%s: is missing, but required", key)))
}

func (k *checking) nonEmpty(path []any, value string) {
	if strings.TrimSpace(value) == "" {
		k.fail(path, "is empty; leave it out or write null where it is unknown")
	}
}

// line checks a text that stands on one line of a page.
func (k *checking) line(path []any, text string, limit int) {
	if n := utf8.RuneCountInString(text); n > limit {
		k.fail(path, "has %d characters: at most %d are allowed", n, limit)
	}
	if text != strings.TrimSpace(text) {
		k.fail(path, "begins or ends with white space")
	}
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		k.fail(path, "holds a line break or another control character; write one line")
	}
}

// texts checks a list of short texts.
func (k *checking) texts(key string, list []string, parent ...any) {
	seen := map[string]bool{}
	for i, text := range list {
		path := append(slices.Clone(parent), key, i)
		folded := strings.ToLower(text)
		switch {
		case strings.TrimSpace(text) == "":
			k.fail(path, "an entry is empty; remove it")
		case seen[folded]:
			k.fail(path, "%q stands in the list twice", text)
		default:
			k.line(path, text, maxShort)
		}
		seen[folded] = true
	}
}

func (k *checking) taxonomy() {
	f := k.f
	k.required("category", f.Category)
	if f.Category != "" && !k.categories[f.Category] {
		k.unknown(at("category"), f.Category, "category", "taxonomy/categories.yml", k.categoryList)
	}
	k.texts("alsoIn", f.AlsoIn)
	for i, c := range f.AlsoIn {
		if c == f.Category {
			k.fail(at("alsoIn", i), "%q is the home category already", c)
		} else if !k.categories[c] {
			k.unknown(at("alsoIn", i), c, "category", "taxonomy/categories.yml", k.categoryList)
		}
	}
	k.texts("platforms", f.Platforms)
	for i, p := range f.Platforms {
		if !k.platforms[p] {
			k.unknown(at("platforms", i), p, "platform", "taxonomy/platforms.yml", k.platformList)
		}
	}
	k.texts("replaces", f.Replaces)
	for i, p := range f.Replaces {
		if k.products[p] {
			continue
		}
		if name, ok := k.productByAlias[strings.ToLower(p)]; ok {
			k.fail(at("replaces", i), "%q is listed in taxonomy/products.yml as %q; write that name", p, name)
			continue
		}
		k.unknown(at("replaces", i), p, "product", "taxonomy/products.yml", k.productList)
	}
}

func (k *checking) unknown(path []any, given, kind, file string, known []string) {
	hint := ""
	if near := api.Nearest(given, known, 3); len(near) > 0 {
		hint = " (did you mean " + strings.Join(near, ", ") + "?)"
	}
	k.fail(path, "no %s %q in %s%s", kind, given, file, hint)
}

func (k *checking) license() {
	f := k.f
	if f.License == nil {
		return
	}
	if *f.License == "" {
		k.nonEmpty(at("license"), "")
		return
	}
	if *f.License != strings.Join(strings.Fields(*f.License), " ") {
		k.fail(at("license"), "%q has white space that is not a single space between words", *f.License)
		return
	}
	if ok, _ := spdxexp.ValidateLicenses([]string{*f.License}); !ok {
		k.fail(at("license"), "%q is no SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms", *f.License)
		return
	}
	for _, id := range licenseWords.FindAllString(*f.License, -1) {
		if listed := listedSpelling(id); listed != id {
			k.fail(at("license"), "%q is written %q in the SPDX list", id, listed)
		}
	}
}

// licenseWords are the identifiers and operators of a licence expression.
var licenseWords = regexp.MustCompile(`[A-Za-z0-9.-]+`)

// listedSpelling returns a licence or exception as the SPDX list writes it, and
// anything else as it is: identifiers are compared without regard to case (SPDX
// 2.3, annex D), but one spelling is shown.
func listedSpelling(id string) string {
	for _, find := range []func(string) (bool, string){spdxlicenses.IsActiveLicense, spdxlicenses.IsDeprecatedLicense, spdxlicenses.IsException} {
		if ok, listed := find(id); ok {
			return listed
		}
	}
	if operator := strings.ToUpper(id); operator == "AND" || operator == "OR" || operator == "WITH" {
		return operator
	}
	return id
}

func (k *checking) stars() {
	f := k.f
	stars, asOf := k.given("stars", f.Stars != nil), k.given("starsAsOf", f.StarsAsOf != nil)
	switch {
	case stars && !asOf:
		k.fail(at("stars"), "is given without starsAsOf, the day it was read")
	case !stars && asOf:
		k.fail(at("starsAsOf"), "is given without stars")
	}
	if f.Stars != nil && *f.Stars < 0 {
		k.fail(at("stars"), "%d is less than 0", *f.Stars)
	}
}

func (k *checking) links() {
	f := k.f
	k.required("repositoryUrl", f.RepositoryURL)
	if f.RepositoryURL != "" {
		k.address(at("repositoryUrl"), f.RepositoryURL)
	}
	if f.HomepageURL != nil {
		k.address(at("homepageUrl"), *f.HomepageURL)
	}
	if f.DocsURL != nil {
		k.address(at("docsUrl"), *f.DocsURL)
	}
	for i, link := range f.InstallLinks {
		if !slices.Contains(api.InstallKinds, link.Kind) {
			k.fail(at("installLinks", i, "kind"), "%q is not allowed; allowed are %s", link.Kind, strings.Join(api.InstallKinds, ", "))
		}
		if link.Label == "" {
			k.fail(at("installLinks", i, "label"), "is empty: say where the link leads")
		}
		k.line(at("installLinks", i, "label"), link.Label, maxShort)
		k.address(at("installLinks", i, "url"), link.URL)
	}
}

// address checks a link that people are sent to.
func (k *checking) address(path []any, address string) {
	if message := checkAddress(address); message != "" {
		k.fail(path, "%q %s", address, message)
	}
}

// hostPattern is a host name of at least two labels (RFC 1123 section 2.1).
var hostPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]$`)

// checkAddress says what is wrong with an outgoing link, or "".
func checkAddress(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil && strings.HasPrefix(address, "https://"):
		return "is no address"
	case err != nil || u.Scheme != "https":
		return "does not begin with https://"
	case u.User != nil:
		return "may not hold a user name"
	case !hostPattern.MatchString(u.Hostname()):
		return "has no proper host name"
	case strings.ContainsFunc(address, func(r rune) bool {
		return r > unicode.MaxASCII || unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`<>"\^{|}`+"`", r)
	}):
		return "holds a character that must be percent-encoded"
	}
	return ""
}

func (k *checking) dates() {
	f := k.f
	k.required("addedAt", f.AddedAt)
	if f.AddedAt != "" {
		k.date("addedAt", &f.AddedAt)
	}
	k.date("starsAsOf", f.StarsAsOf)
	created := k.date("createdAt", f.CreatedAt)
	updated := k.date("updatedAt", f.UpdatedAt)
	if created && updated && *f.CreatedAt > *f.UpdatedAt {
		k.fail(at("updatedAt"), "%s is before createdAt %s", *f.UpdatedAt, *f.CreatedAt)
	}
}

// date checks a day, and tells whether there is one that is real.
func (k *checking) date(key string, value *string) bool {
	if value == nil {
		return false
	}
	d, err := api.ParseDate(*value)
	switch {
	case err != nil:
		k.fail(at(key), "%v", err)
	case d > k.today:
		k.fail(at(key), "%s is in the future", d)
	}
	return err == nil
}

func (k *checking) fitNotes() {
	n := &k.f.FitNotes
	k.choice(at("fitNotes", "gpu"), n.GPU, api.GPUValues)
	k.choice(at("fitNotes", "apiKey"), n.APIKey, api.APIKeyValues)
	for _, m := range []struct {
		key  string
		gb   *float64
		over *float64 // what it may not exceed
	}{
		{"minRamGb", n.MinRAMGB, n.RecommendedRAMGB},
		{"recommendedRamGb", n.RecommendedRAMGB, nil},
		{"minVramGb", n.MinVRAMGB, n.RecommendedVRAMGB},
		{"recommendedVramGb", n.RecommendedVRAMGB, nil},
	} {
		if m.gb != nil && (*m.gb <= 0 || *m.gb > 4096) {
			k.fail(at("fitNotes", m.key), "%v is out of bounds: more than 0 and at most 4096 gigabytes are allowed", *m.gb)
		}
		if m.gb != nil && m.over != nil && *m.gb > *m.over {
			k.fail(at("fitNotes", m.key), "%v is more than the recommended %v", *m.gb, *m.over)
		}
	}
	if n.MemoryFor != nil {
		k.nonEmpty(at("fitNotes", "memoryFor"), *n.MemoryFor)
	}
	k.texts("caveats", n.Caveats, "fitNotes")
}

func (k *checking) choice(path []any, value *string, allowed []string) {
	if value != nil && !slices.Contains(allowed, *value) {
		k.fail(path, "%q is not allowed; allowed are %s or null", *value, strings.Join(allowed, ", "))
	}
}
