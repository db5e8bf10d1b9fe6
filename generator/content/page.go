package content

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"catalog.example/api/site"
	"catalog.example/generator/rule"
)

// pageEntry is the front matter of an editorial page.
type pageEntry struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	// Search lists the values of the setting search for which the page is built. If it is empty,
	// the page is always built.
	Search []string `json:"search"`
}

// reservedPages holds the top-level names that the build itself writes.
var reservedPages = map[string]bool{
	"projects": true, "categories": true, "platforms": true, "licenses": true, "alternatives": true, "newest": true,
	"search": true, "docs": true, "problems": true, "api": true, "assets": true, "compare": true, "numbers": true,
	"mcp": true, "404": true, "new-projects": true, "changes": true, "computers": true, "sets": true,
	"badge": true, "embed": true, "saved": true, "choose": true, "offline": true,
	"suggest": true,
}

// IsReserved reports whether the build itself writes a folder or page of this name.
func IsReserved(name string) bool { return reservedPages[name] }

// maxPage is the maximum size of a page's file, in bytes. It is enough for a privacy policy of
// 40,000 words.
const maxPage = 256 << 10

// IsBuilt reports whether a build with these settings includes the page.
func (p *Page) IsBuilt(s *site.Settings) bool {
	return len(p.search) == 0 || slices.Contains(p.search, s.Search)
}

// page reads and checks an editorial page. It replaces names in braces with addresses: {base_url}
// is the site, {search_url} is its search server, and {report_url} and {suggest_url} are where
// readers report a fact or suggest a listing; and with texts, which may be empty: {description} is the setting,
// {imports} says of which lists the listings were made, and {report} is a link to report a fact. It can show the
// pictures. It returns an error only if the files cannot be read.
func (l *loader) page(file string, pictures []Picture) (*Page, error) {
	p := &Page{Slug: strings.TrimSuffix(path.Base(file), ".md"), Document: Document{File: file}}
	if message := CheckSlug(p.Slug); message != "" {
		hint := translationHint(p.Slug)
		l.find(Finding{file, 1, 1, rule.Slug, message + cmp.Or(hint, renameHint(p.Slug, l.options.Settings.Lang))})
		if hint != "" {
			return p, nil
		}
	}
	if IsReserved(p.Slug) || slices.Contains(l.options.Settings.Languages, p.Slug) {
		l.find(Finding{file, 1, 1, rule.Slug,
			fmt.Sprintf("/%s/ is written by the build itself: choose another file name", p.Slug)})
	}
	text, ok, err := l.read(file, maxPage)
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	if !ok {
		return p, nil
	}
	own, err := l.translation(file, maxPage, pageTexts)
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	p.translation = own
	var entry pageEntry
	parts, doc, wrong := decodeFile(file, text, own, &entry)
	l.find(wrong...)
	if doc == nil {
		return p, nil
	}
	if own != nil {
		p.Untranslated = own.untranslated
	}
	k := fileCheck{source: source{file, doc}, find: l.find}
	k.pageEntry(&entry)
	p.Title, p.Description, p.search = entry.Title, entry.Description, entry.Search
	p.frontMatter = parts.frontMatter
	if wrong := pageBounds.check(file, parts); len(wrong) > 0 {
		l.find(wrong...)
		return p, nil
	}
	if err := l.replaceNames(p, &parts); err != nil {
		return nil, fmt.Errorf("read imports: %w", err)
	}
	body := p.setBody(parts, place{file: file, path: p.Slug + "/", settings: &l.options.Settings, showsPictures: true,
		pictures: pictures})
	l.find(body.tooDeep(file, parts.bodyLine)...)
	for _, wrong := range body.pictures {
		l.find(p.InBody(rule.Value, wrong.message, wrong.offset))
	}
	return p, nil
}

// pageEntry checks the front matter of a page.
func (c *fileCheck) pageEntry(entry *pageEntry) {
	c.filled(entry.Title, maxName, "title")
	c.filled(entry.Description, maxDescription, "description")
	modes := strings.Join(site.SearchModes(), ", ")
	if c.doc.Has("search") && len(entry.Search) == 0 {
		c.fail(at("search"), "is empty, so the page would never be built: remove it, or list one or more of %s", modes)
	}
	for i, mode := range entry.Search {
		if !slices.Contains(site.SearchModes(), mode) {
			c.fail(at("search", i), "%q is not a value of the setting search: write one of %s", mode, modes)
		}
	}
}

// replaceNames replaces names in braces in the text of a page with the addresses and texts that they
// stand for.
func (l *loader) replaceNames(p *Page, parts *split) error {
	s := &l.options.Settings
	searchURL := ""
	if s.HasServer() {
		searchURL = s.SearchBase()
	}
	const notSet = "stands for an address that is not set: set %s or contact in catalog.yml, or remove it"
	var addresses []string
	for _, a := range []struct{ name, address, absent string }{
		{"{base_url}", s.BaseURL, ""},
		{"{search_url}", searchURL, fmt.Sprintf("stands for the address of the search server, and there is no server, "+
			"because the setting search is %s: remove it, or add search: [%s] to the front matter, "+
			"so that the page is built only for sites with a server", s.Search, site.SearchByServer)},
		{"{report_url}", s.Report("", ""), fmt.Sprintf(notSet, "report_url")},
		{"{suggest_url}", s.Suggest(""), fmt.Sprintf(notSet, "suggest_url")},
	} {
		if a.address != "" {
			addresses = append(addresses, a.name, a.address)
		}
		if before, _, uses := bytes.Cut(parts.body, []byte(a.name)); uses && a.address == "" && p.IsBuilt(s) {
			line := parts.bodyLine + bytes.Count(before, []byte("\n"))
			l.find(Finding{p.File, line, 1, rule.Value, a.name + " " + a.absent})
		}
	}
	imports, err := imports(l.root, s.Lang)
	toReport := ""
	if text := programText(s.Lang, report, ""); text != "" && s.Report("", "") != "" {
		toReport = "[" + text + "](" + s.Report("", "") + ")."
	}
	addresses = append(addresses, "{description}", s.Description, "{imports}", imports, "{report}", toReport)
	parts.body = []byte(strings.NewReplacer(addresses...).Replace(string(parts.body)))
	return err
}
