package content

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/memo"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

var slugPattern = regexp.MustCompile(api.SlugPattern)

// CheckSlug returns what is wrong with a slug, or "".
func CheckSlug(slug string) string {
	switch {
	case slug == "index":
		return `"index" is reserved: choose another name`
	case len(slug) > api.MaxSlug:
		return fmt.Sprintf("the slug %s has %d characters: at most %d are allowed", quote(slug), len(slug), api.MaxSlug)
	case !slugPattern.MatchString(slug):
		return fmt.Sprintf("%q is not a slug: use lower-case letters and digits, in groups joined by single hyphens",
			slug)
	}
	return ""
}

// renameHint returns advice to rename a file whose name is not a slug, or "" if no slug can be made of it. lang is the
// language of the name.
func renameHint(stem, lang string) string {
	slug := Slug(stem, lang)
	if slug == stem || CheckSlug(slug) != "" {
		return ""
	}
	return fmt.Sprintf("; rename the file to %s.md", slug)
}

// maxListing is the maximum size of a listing's file, in bytes: twenty times the longest shipped
// one.
const maxListing = 64 << 10

// listing reads and checks one listing. It returns an error only if the file cannot be read.
func (l *loader) listing(file string, check *listingChecker) (*Listing, error) {
	text, ok, err := l.read(file, maxListing)
	if err != nil {
		return nil, fmt.Errorf("read listing: %w", err)
	}
	if !ok {
		return unread(file), nil
	}
	own, err := l.translation(file, maxListing, check.translatable)
	if err != nil {
		return nil, fmt.Errorf("read listing: %w", err)
	}
	key := memo.KeyOf("listing", check.key[:], []byte(file), text, own.key())
	known, ok := memo.Get[checkedListing](l.options.Memo, key)
	if ok = ok && known.Today <= check.today; ok {
		l.find(known.Findings...)
		return known.listing(file, text, own, key), nil
	}
	listing, findings := check.listing(file, text, own)
	listing.Key = key
	l.find(findings...)
	if !HasErrors(findings) {
		memo.Put(l.options.Memo, key, checkedListing{check.today, listing.ProjectDetail, listing.Rendered,
			listing.Document.Untranslated, findings})
	}
	return listing, nil
}

// setUntranslated sets which texts of a listing its translation, which may be nil, does not have.
func (x *Listing) setUntranslated(own *translation) {
	if own == nil {
		return
	}
	x.Document.Untranslated, x.Project.Untranslated = own.untranslated, slices.Clone(own.untranslated)
	if i := slices.Index(own.untranslated, BodyKey); i >= 0 {
		x.Project.Untranslated[i] = "description" // as the API calls it
	}
}

// checkedListing is what a memo.Store keeps of a listing without errors: everything that cannot be
// read from its file. It is valid from Today on: before that day, its dates could be in the future.
type checkedListing struct {
	Today        api.Date
	Project      api.ProjectDetail
	Rendered     Rendered
	Untranslated []string
	Findings     []Finding
}

// listing restores the listing from its file.
func (c *checkedListing) listing(file string, text []byte, own *translation, key memo.Key) *Listing {
	parts, _ := splitFrontMatter(text)
	own.setBody(&parts)
	return &Listing{ProjectDetail: c.Project, Key: key, Document: Document{
		File: file, Body: string(parts.body), Rendered: c.Rendered,
		bodyLine: parts.bodyLine, frontMatter: parts.frontMatter, translation: own, Untranslated: c.Untranslated,
	}}
}

// unread returns a listing whose file could not be read.
func unread(file string) *Listing {
	l := &Listing{Document: Document{File: file, unread: true}}
	l.Slug = strings.TrimSuffix(path.Base(file), ".md")
	return l
}

// listingChecker checks listings, including their references to the taxonomy. It is safe for
// concurrent use.
type listingChecker struct {
	*FrontMatter
	key          memo.Key
	sourceKeys   []string
	today        api.Date
	products     []string // names of the products
	pictures     []Picture
	translatable translatable // of front matter
	// productByAlias maps the aliases of products to the names of the products.
	productByAlias map[string]string
}

func newListingChecker(m *FrontMatter, key memo.Key, today api.Date) *listingChecker {
	c := &listingChecker{FrontMatter: m, key: key, sourceKeys: m.sourceKeys(), today: today,
		translatable:   listingTexts(m.taxonomy.Facts),
		productByAlias: map[string]string{}}
	for _, x := range m.taxonomy.Products {
		if x.Name == "" {
			continue
		}
		c.products = append(c.products, x.Name)
		for _, other := range append([]string{x.Slug, strings.ToLower(x.Name)}, x.Aliases...) {
			c.productByAlias[strings.ToLower(other)] = x.Name
		}
	}
	return c
}

// listing checks the text of one file, with the texts of its translation, which may be nil.
func (c *listingChecker) listing(file string, text []byte, own *translation) (*Listing, []Finding) {
	listing := unread(file)
	slug := listing.Slug
	var findings []Finding
	if message := CheckSlug(slug); message != "" {
		hint := translationHint(slug)
		message += cmp.Or(hint, renameHint(slug, c.settings.Lang))
		findings = append(findings, Finding{file, 1, 1, rule.Slug, message})
		if hint != "" { // what else is wrong with it as a listing does not matter
			return listing, findings
		}
	}
	listing.ProjectDetail = *c.empty()
	listing.Slug = slug
	var unchecked []string
	if c.incomplete[FactsFile] {
		unchecked = keysOfFacts
	}
	parts, doc, wrong := decodeFile(file, text, own, &listing.ProjectDetail, unchecked...)
	findings = append(findings, wrong...)
	listing.frontMatter, listing.translation = parts.frontMatter, own
	if doc == nil {
		return listing, findings
	}
	if f, early := c.endsEarly(file, parts); early {
		return listing, []Finding{f}
	}
	c.explain(doc, findings)
	listing.unread = false
	for _, p := range wrong {
		listing.undecoded = append(listing.undecoded, p.Line)
	}
	listing.PageURL = c.settings.URL("/projects/" + slug + "/")

	k := &listingCheck{listingChecker: c, f: &listing.ProjectDetail, undecoded: map[int]bool{},
		missing:   map[string]bool{},
		fileCheck: fileCheck{source: source{file, doc}, taxonomy: c.taxonomy, incomplete: c.incomplete}}
	for _, p := range wrong {
		k.undecoded[p.Line] = true
	}
	k.find = func(found ...Finding) { // drop findings on lines that the decoder has already reported
		k.findings = append(k.findings,
			slices.DeleteFunc(found, func(f Finding) bool { return k.undecoded[f.Line] })...)
	}
	listing.FitNotes.SetSetups(c.taxonomy.Facts, withDefaultLevels(listing.Setups))
	listing.OSIApproved = k.checkAll()
	listing.SetFollowing(c.taxonomy.Facts)
	findings = append(findings, k.findings...)
	findings = append(findings, c.unquoted(file, doc, findings)...)
	listing.ProjectDetail = listing.Normalized()
	listing.setUntranslated(own)

	return listing, append(findings, c.text(listing, parts)...)
}

// text renders the text of a listing, and checks its form.
func (c *listingChecker) text(listing *Listing, parts split) []Finding {
	file, slug := listing.File, listing.Slug
	if wrong := listingBounds.check(file, parts); len(wrong) > 0 {
		listing.Body, listing.bodyLine = string(parts.body), parts.bodyLine
		listing.unread = true // parsing the text may take too long
		return wrong
	}
	body := listing.setBody(parts, place{file: file, path: api.FolderProjects + "/" + slug + "/", settings: c.settings,
		headings: c.headings})
	findings := body.tooDeep(file, parts.bodyLine)
	listing.Description, listing.Prose = strings.TrimSpace(body.absolute), body.prose
	if listing.Description == "" {
		findings = append(findings, Finding{file, parts.bodyLine - 1, 1, rule.NoDescription,
			"the description below the front matter is empty"})
	}
	return findings
}

// explain says more about keys in the wrong place, and values of choices, than the decoder knows.
func (c *listingChecker) explain(doc *strictyaml.Document, findings []Finding) {
	set := func(message string, path ...any) {
		line, column := doc.Position(path...)
		unknown := fmt.Sprintf("unknown key %q", path[len(path)-1]) // the decoder points to the key, not to its value
		for i, f := range findings {
			if f.Line == line && (f.Column == column || strings.HasPrefix(f.Message, unknown)) {
				findings[i].Message = message
			}
		}
	}
	fields := fieldKeys[api.ProjectDetail](nil)
	for i := range c.taxonomy.Facts {
		f := &c.taxonomy.Facts[i]
		if f.IsStated() && doc.Has(f.Key) && !slices.Contains(fields, f.Key) {
			set(fmt.Sprintf("%s: is a fact: write it below %s, indented by two spaces", f.Key, factsKey), f.Key)
		}
		if f.Kind == api.FactChoice && doc.Has(factsKey, f.Key) {
			set(fmt.Sprintf("%s: must be one of %s, or null", f.Key, strings.Join(f.Options(), ", ")), factsKey, f.Key)
		}
	}
	for _, key := range fields {
		if c.Has(key) && doc.Has(factsKey, key) {
			set(fmt.Sprintf("%s: is no fact: write it without indentation, outside %s", key, factsKey), factsKey, key)
		}
	}
}

// firstKey matches a key at the beginning of a text.
var firstKey = regexp.MustCompile(`^\s*([A-Za-z]+):(\s|$)`)

// endsEarly returns a finding about a line --- in the middle of the front matter. What would follow from it is of no
// use.
func (c *listingChecker) endsEarly(file string, parts split) (Finding, bool) {
	key := firstKey.FindSubmatch(parts.body)
	if key == nil || !slices.Contains(c.Keys(), string(key[1])) || !bytes.Contains(parts.body, []byte("\n---")) {
		return Finding{}, false
	}
	return Finding{file, parts.bodyLine - 1, 1, rule.FrontMatter, fmt.Sprintf("this line --- ends the front matter, "+
		"but %s and other keys follow: remove the line", key[1])}, true
}

// listingCheck holds the state while the front matter of one listing is checked.
type listingCheck struct {
	*listingChecker
	fileCheck
	f         *api.ProjectDetail
	undecoded map[int]bool    // lines on which the decoder has reported a problem
	missing   map[string]bool // facts already reported as missing
	findings  []Finding
}

// undecodedAt reports whether the decoder has reported a problem at a path.
func (k *listingCheck) undecodedAt(path ...any) bool {
	line, _ := k.doc.Position(path...)
	return k.undecoded[line]
}

// hasValue reports whether the front matter has a value for a key. A value that the decoder has
// reported counts, too.
func (k *listingCheck) hasValue(key string, decoded bool) bool {
	return decoded || k.doc.Has(key) && k.undecodedAt(key)
}

// checkAll runs all checks. It returns whether the Open Source Initiative approves the licence, or
// nil if that is unknown.
func (k *listingCheck) checkAll() (approved *bool) {
	f := k.f
	k.required("name", f.Name)
	k.failIf(textProblem(f.Name, maxName), "name")
	k.required("purpose", f.Purpose)
	k.failIf(textProblem(f.Purpose, api.MaxPurpose), "purpose")
	k.distinct(f.Aliases, "aliases")
	k.distinct(f.Jobs, "jobs")
	k.distinct(f.Asks, "asks")
	k.distinct(f.Topics, "topics")
	for i, topic := range f.Topics {
		if topic != strings.ToLower(topic) {
			k.fail(at("topics", i), "%s must be in lower case", quote(topic))
		}
	}
	k.references()
	if approved = k.license(); !k.Has("osiApproved") {
		approved = nil
	}
	k.checkUnusedKeys()
	k.stars()
	k.links()
	k.dates()
	k.setups()
	k.estimate()
	k.advisories()
	k.fitNotes()
	k.sources()
	k.optional(f.Language, "language")
	return approved
}

// checkUnusedKeys reports keys that listings of this catalogue do not have.
func (k *listingCheck) checkUnusedKeys() {
	for _, key := range fieldKeys[api.ProjectDetail](nil) {
		switch {
		case k.Has(key) || !k.doc.Has(key):
		case key == api.RunsWithKey && k.taxonomy.HasSetups() && !k.taxonomy.HasModels():
			if !k.incomplete[ModelsFile] {
				k.fail(at(key), "listings of this catalogue do not have this key, because taxonomy/%s has no sizes: "+
					"remove the key, or add sizes", ModelsFile)
			}
		case !hasKey(k.taxonomy, key):
			k.fail(at(key), "listings of this catalogue do not have this key, because taxonomy/%s has no fact of the "+
				"kind %s: remove the key, or define such a fact", FactsFile, api.FactSetups)
		default:
			fields, also := k.settings.WithoutFor(key), ""
			if slices.Contains(fields, "repositoryUrl") {
				also = "; if some listings have no repository, write optional: [repositoryUrl] there"
			}
			k.fail(at(key), "listings of this catalogue do not have this key, because the setting without in "+
				"catalog.yml lists %[1]s: remove the key, or take %[1]s out of without%[2]s",
				strings.Join(fields, " and "), also)
		}
	}
}

func (k *listingCheck) required(key, value string) {
	switch {
	case value != "":
	case k.doc.Has(key):
		k.fail(at(key), "is empty, but required")
	case !slices.Contains(k.doc.Meant, key): // a misspelt key has already been reported
		k.findings = append(k.findings, k.at(rule.Missing, key+": is missing, but required"))
	}
}

// optional checks a short text that may be null.
func (k *listingCheck) optional(text *string, path ...any) {
	switch {
	case text == nil:
	case strings.TrimSpace(*text) == "":
		k.fail(path, emptyMessage)
	default:
		k.failIf(textProblem(*text, maxShort), path...)
	}
}

// distinct checks a list of short texts, each of which may occur only once.
func (k *listingCheck) distinct(list []string, path ...any) {
	seen := map[string]bool{}
	for i, text := range list {
		message, folded := entryProblem(text), strings.ToLower(text)
		if seen[folded] && strings.TrimSpace(text) != "" {
			message = quote(text) + " is in the list twice: remove one of them"
		}
		k.failIf(message, append(slices.Clone(path), i)...)
		seen[folded] = true
	}
}

// references checks the categories, platforms and products of a listing.
func (k *listingCheck) references() {
	f := k.f
	k.required("category", f.Category)
	categories := k.taxonomy.CategorySlugs()
	if f.Category != "" {
		k.known(at("category"), f.Category, "category", CategoriesFile, categories)
	}
	k.distinct(f.AlsoIn, "alsoIn")
	for i, c := range f.AlsoIn {
		if c == f.Category {
			k.fail(at("alsoIn", i), "%q is already the category of the listing: remove it", c)
		} else {
			k.known(at("alsoIn", i), c, "category", CategoriesFile, categories)
		}
	}
	k.distinct(f.Platforms, "platforms")
	for i, p := range f.Platforms {
		k.known(at("platforms", i), p, "platform", PlatformsFile, k.taxonomy.PlatformSlugs())
	}
	k.distinct(f.RunsWith, api.RunsWithKey)
	for i, slug := range f.RunsWith {
		if slug == f.Slug {
			k.fail(at(api.RunsWithKey, i), "%q is the listing itself: name the other listings that run its models, or "+
				"remove it", slug)
		}
	}
	k.distinct(f.Replaces, "replaces")
	for i, p := range f.Replaces {
		if name, ok := k.productByAlias[strings.ToLower(p)]; ok && !slices.Contains(k.products, p) {
			k.fail(at("replaces", i), "%q is listed in taxonomy/%s as %q; write that name", p, ProductsFile, name)
		} else {
			k.known(at("replaces", i), p, "product", ProductsFile, k.products)
		}
	}
}

// known reports a value that a file of the taxonomy does not contain.
func (k *listingCheck) known(path []any, given, kind, file string, allowed []string) {
	if k.incomplete[file] || slices.Contains(allowed, given) {
		return
	}
	hint := ""
	if near := spelling.Nearest(given, allowed, 3); len(near) > 0 {
		hint = " (did you mean " + strings.Join(near, ", ") + "?)"
	}
	k.fail(path, "there is no %s %s in taxonomy/%s%s", kind, quote(given), file, hint)
}

// maxStars is fifty times the number of stars of the most popular repository.
const maxStars = 10_000_000

func (k *listingCheck) stars() {
	f := k.f
	stars, asOf := k.hasValue("stars", f.Stars != nil), k.hasValue("starsAsOf", f.StarsAsOf != nil)
	switch {
	case stars && !asOf:
		k.fail(at("stars"), "is given without starsAsOf: add the day on which the stars were counted")
	case !stars && asOf:
		k.fail(at("starsAsOf"), "is given without stars: add stars, or remove starsAsOf")
	}
	if f.Stars != nil && (*f.Stars < 0 || *f.Stars > maxStars) {
		k.fail(at("stars"), "%d is out of bounds: 0 to %d are allowed", *f.Stars, maxStars)
	}
}

func (k *listingCheck) links() {
	f := k.f
	if k.Requires("repositoryUrl") || k.Has("repositoryUrl") && k.doc.HasValue("repositoryUrl") {
		k.required("repositoryUrl", f.RepositoryURL)
	}
	if f.RepositoryURL != "" {
		k.address(f.RepositoryURL, "", "repositoryUrl")
	}
	k.optionalAddress(f.HomepageURL, "homepageUrl")
	k.optionalAddress(f.DocsURL, "docsUrl")
	for i, link := range f.InstallLinks {
		path := func(key string) []any { return at("installLinks", i, key) }
		if link.Kind == "" {
			k.fail(path("kind"), "is missing: write one of %s", strings.Join(api.InstallKinds, ", "))
		} else {
			k.oneOf(link.Kind, api.InstallKinds, path("kind")...)
		}
		if link.Label == "" {
			k.fail(path("label"), "is missing: say where the link leads")
		}
		k.failIf(textProblem(link.Label, maxShort), path("label")...)
		if link.URL == "" {
			k.fail(path("url"), "is missing: write the https address that the link leads to")
		} else {
			k.address(link.URL, "", path("url")...)
		}
		k.optional(link.Command, path("command")...)
		if link.Clone && link.Command == nil {
			k.fail(path("clone"), "says that a command works only in a clone of the repository, but there is no "+
				"command: write it, or remove clone")
		}
	}
}

func (k *listingCheck) optionalAddress(address *string, key string) {
	switch {
	case address == nil:
	case *address == "":
		k.fail(at(key), emptyMessage)
	default:
		k.address(*address, "", key)
	}
}

// hostPattern matches a host name with at least two labels (RFC 1123, section 2.1).
var hostPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]$`)

// CheckAddress returns what is wrong with an outgoing link, and what to do; or "".
func CheckAddress(address string) (wrong, remedy string) {
	const copied = "copy it from the address bar of a browser"
	u, err := url.Parse(address)
	switch {
	case len(address) > maxAddress:
		return fmt.Sprintf("has %d characters", len(address)), fmt.Sprintf("at most %d are allowed", maxAddress)
	case err != nil && strings.HasPrefix(address, "https://"):
		return "is not an address", copied
	case err != nil || u.Scheme != "https":
		return "does not begin with https://", "write " + secure(address)
	case u.User != nil:
		return "contains a user name, which is not allowed", "remove what stands before the @, and the @"
	case !hostPattern.MatchString(u.Hostname()):
		return "has no valid host name", "after https:// comes a name such as example.org"
	case strings.ContainsFunc(address, func(r rune) bool {
		return r > unicode.MaxASCII || unicode.IsSpace(r) || unicode.IsControl(r) ||
			strings.ContainsRune(`<>"\^{|}`+"`", r)
	}):
		return "contains a character that must be percent-encoded", copied
	}
	return "", ""
}

// notSecure matches what stands before the host of an address that does not begin with https://,
// also as git writes it: git@host:path.
var notSecure = regexp.MustCompile(`^(?i:https?:/*|git://|ssh://(?:[\w.-]+@)?|[\w.-]+@)`)

// secure returns the https address that another address probably means, or says how one looks.
func secure(address string) string {
	rest := notSecure.ReplaceAllString(address, "")
	if host, path, isGit := strings.Cut(rest, ":"); isGit && hostPattern.MatchString(host) && rest != address {
		rest = host + "/" + path
	}
	if hostPattern.MatchString(strings.SplitN(rest, "/", 2)[0]) && len(rest) < maxAddress {
		if wrong, _ := CheckAddress("https://" + rest); wrong == "" {
			return "https://" + rest
		}
	}
	return "an address such as https://example.org/page"
}

func (k *listingCheck) dates() {
	f := k.f
	k.required("addedAt", string(f.AddedAt))
	if f.AddedAt != "" {
		k.date(&f.AddedAt, "addedAt")
	}
	k.date(f.CheckedAt, "checkedAt")
	k.date(f.StarsAsOf, "starsAsOf")
	created := k.date(f.CreatedAt, "createdAt")
	updated := k.date(f.UpdatedAt, "updatedAt")
	if created && updated && *f.CreatedAt > *f.UpdatedAt {
		k.fail(at("updatedAt"), "%s is before createdAt, which is %s: correct one of them", *f.UpdatedAt, *f.CreatedAt)
	}
	k.release()
	f.UpkeepAsOf = UpkeepAsOf(f)
	f.Upkeep = f.UpkeepThen()
}

func (k *listingCheck) release() {
	release := k.f.Release
	if release == nil {
		return
	}
	if release.Version == "" {
		k.fail(at("release", "version"), "is missing: write it as the makers do, such as v1.2.0")
	}
	k.failIf(textProblem(release.Version, maxShort), "release", "version")
	if release.Date == "" {
		k.fail(at("release", "date"), "is missing: write the day of the release")
		return
	}
	k.date(&release.Date, "release", "date")
}

// date checks a date, and reports whether it is present and valid.
func (k *listingCheck) date(value *api.Date, path ...any) bool {
	if value == nil {
		return false
	}
	d, err := api.ParseDate(string(*value))
	switch {
	case err != nil:
		k.fail(path, "%v", err)
	case d > k.today:
		k.fail(path, "%s is in the future: write a day up to today", d)
	}
	return err == nil
}
