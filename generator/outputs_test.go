package generator

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	"golang.org/x/net/html"
)

const testBase = "https://catalog.example/tools"

// readFeed checks a feed by RFC 4287, sections 4.1.1 and 4.1.2, and returns the URLs of
// its entries.
func readFeed(t *testing.T, name, text string) (entries []string) {
	t.Helper()
	type element struct {
		XMLName xml.Name
		Attrs   []xml.Attr `xml:",any,attr"`
		Text    string     `xml:",chardata"`
		Inner   []element  `xml:",any"`
	}
	var feed element
	if err := xml.Unmarshal([]byte(text), &feed); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	const atom = "http://www.w3.org/2005/Atom"
	checkOnce := func(about string, e element, elements ...string) {
		for _, want := range elements {
			n := 0
			for _, inner := range e.Inner {
				if inner.XMLName.Space != atom {
					t.Errorf("%s: %s is not of Atom", about, inner.XMLName.Local)
				}
				if inner.XMLName.Local == want && (len(inner.Inner) > 0 || strings.TrimSpace(inner.Text) != "") {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s has %d elements %s", about, n, want)
			}
		}
	}
	childText := func(e element, name string) string {
		for _, inner := range e.Inner {
			if inner.XMLName.Local == name {
				return inner.Text
			}
		}
		return ""
	}
	attr := func(e element, name string) string {
		for _, a := range e.Attrs {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	// link returns the first link with a relation, or the first of all.
	link := func(e element, rel string) string {
		for _, inner := range e.Inner {
			if inner.XMLName.Local == "link" && (rel == "" || attr(inner, "rel") == rel) {
				return attr(inner, "href")
			}
		}
		return ""
	}
	if feed.XMLName != (xml.Name{Space: atom, Local: "feed"}) {
		t.Errorf("%s is %v", name, feed.XMLName)
	}
	checkOnce(name, feed, "id", "title", "updated", "author")
	if got := link(feed, "self"); got != testBase+"/"+name {
		t.Errorf("the self link of %s is %q", name, got)
	}
	// Some readers take the first link of a feed for its page.
	if got := link(feed, ""); got == "" || got != link(feed, "alternate") {
		t.Errorf("the first link of %s is %q, want that of its page", name, got)
	}
	latest, ids := "", map[string]bool{}
	for _, e := range feed.Inner {
		if e.XMLName.Local != "entry" {
			continue
		}
		checkOnce(name+": entry", e, "id", "title", "updated", "published", "summary")
		id := childText(e, "id")
		if ids[id] {
			t.Errorf("%s has the id %s twice", name, id)
		}
		ids[id] = true
		if link(e, "alternate") == "" {
			t.Errorf("%s: %s leads nowhere", name, id)
		}
		for _, date := range []string{"updated", "published"} {
			if _, err := time.Parse(time.RFC3339, childText(e, date)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		latest = max(latest, childText(e, "updated"))
		entries = append(entries, link(e, "alternate"))
	}
	if updated := childText(feed, "updated"); latest != "" && updated != latest {
		t.Errorf("%s was updated at %s, its latest entry at %s", name, updated, latest)
	} else if _, err := time.Parse(time.RFC3339, updated); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return entries
}

func TestFeeds(t *testing.T) {
	out, _ := build(t, nil)
	const long = "every-word-of-a-very-long-name-stands-on-one-line-in-each-list-x"
	for name, want := range map[string][]string{
		"feed.xml":                        {"borrowed-light", long, "amber-chat", "empty-hands", "cold-storage", "menora"},
		"categories/chat/feed.xml":        nil,
		"categories/speech/feed.xml":      nil,
		"categories/nothing-yet/feed.xml": {},
		"categories/retrieval/feed.xml":   nil,
	} {
		entries := readFeed(t, name, string(mustRead(t, out, name)))
		if want == nil {
			continue
		}
		slugs := []string{}
		for _, e := range entries {
			slugs = append(slugs, strings.Trim(strings.TrimPrefix(e, testBase+"/projects/"), "/"))
		}
		if !slices.Equal(slugs, want) {
			t.Errorf("%s holds %q, want %q", name, slugs, want)
		}
	}
	many, _ := build(t, func(o *Options) { o.Content, o.Pictures = generateContent(t, 60), PicturesOff })
	if n := len(readFeed(t, "feed.xml", string(mustRead(t, many, "feed.xml")))); n != 50 {
		t.Errorf("a feed of 60 listings has %d entries", n)
	}
	tree, found := readTree(t, out), map[string]int{}
	for name, page := range tree {
		folder := strings.TrimSuffix(name, "index.html")
		parts := strings.Split(folder, "/")
		isList := len(parts) == 3 && slices.Contains([]string{"categories", "platforms", "alternatives"}, parts[0])
		if folder == name || !isList || strings.Contains(page, `http-equiv="refresh"`) { // an address that has changed
			continue
		}
		found[parts[0]]++
		readFeed(t, folder+"feed.xml", tree[folder+"feed.xml"])
		for _, link := range []string{`<link rel="alternate" type="application/atom+xml" title="`, `<p><a href="/tools/` + folder + `feed.xml">`} {
			if !strings.Contains(page, link) || strings.Count(page, `href="/tools/`+folder+`feed.xml"`) != 2 {
				t.Errorf("%s does not lead to its feed", name)
			}
		}
	}
	if len(found) != 3 {
		t.Errorf("lists with feeds: %v", found)
	}
	for name, want := range map[string]string{"alternatives/": "feed.xml", "projects/amber-chat/": "feed.xml", "categories/chat/": "categories/chat/feed.xml"} {
		head, _, _ := strings.Cut(tree[name+"index.html"], "</head>")
		if !strings.Contains(head, ` href="/tools/`+want+`"`) || strings.Count(head, "application/atom+xml") != 1 {
			t.Errorf("%s names another feed than %s", name, want)
		}
	}
}

func TestBrowserFiles(t *testing.T) {
	out, _ := build(t, func(o *Options) { o.Settings.Title = "A Catalogue of a Rather Long Name" })
	var search struct {
		XMLName   xml.Name `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
		ShortName string
		URLs      []struct {
			Type     string `xml:"type,attr"`
			Template string `xml:"template,attr"`
		} `xml:"Url"`
	}
	if err := xml.Unmarshal(mustRead(t, out, "opensearch.xml"), &search); err != nil {
		t.Fatal(err)
	}
	if search.ShortName != "A Catalogue of a" || len(search.URLs) != 2 || search.URLs[0].Template != testBase+"/search/?q={searchTerms}" {
		t.Errorf("OpenSearch: %+v", search)
	}
	var manifest struct {
		Name  string
		Start string `json:"start_url"`
		Scope string
		Icons []struct{ Src string }
	}
	if err := json.Unmarshal(mustRead(t, out, "site.webmanifest"), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Start != "/tools/" || manifest.Scope != "/tools/" || len(manifest.Icons) != 1 || !exists(readTree(t, out), strings.TrimPrefix(manifest.Icons[0].Src, "/tools/")) {
		t.Errorf("manifest: %+v", manifest)
	}
}

// structuredData returns the nodes of a page's structured data by type.
func structuredData(t *testing.T, name, text string) map[string]map[string]any {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string]map[string]any{}
	for n := range root.Descendants() {
		if n.Data != "script" || !slices.Contains(n.Attr, html.Attribute{Key: "type", Val: "application/ld+json"}) {
			continue
		}
		var document struct {
			Context string           `json:"@context"`
			Graph   []map[string]any `json:"@graph"`
		}
		if err := json.Unmarshal([]byte(n.FirstChild.Data), &document); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if document.Context != "https://schema.org" {
			t.Errorf("%s: context %q", name, document.Context)
		}
		for _, node := range document.Graph {
			kind, _ := node["@type"].(string)
			if nodes[kind] != nil {
				t.Errorf("%s has two of %s", name, kind)
			}
			nodes[kind] = node
		}
	}
	return nodes
}

func TestStructuredData(t *testing.T) {
	out, _ := build(t, nil)
	dataOf := func(name string) map[string]map[string]any {
		return structuredData(t, name, string(mustRead(t, out, name)))
	}
	amber := dataOf("projects/amber-chat/index.html")
	for key, want := range map[string]any{
		"name": "Amber Chat", "description": "Chats with models on your own machine & keeps what you said to itself.", "license": "https://spdx.org/licenses/MIT.html",
		"url": "https://amber-chat.example.org/", "operatingSystem": "Linux, Docker", "image": testBase + "/projects/amber-chat/picture.png",
		"dateModified": "2026-11-20",
	} {
		if got := amber["SoftwareApplication"][key]; got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	// Unknown facts are left out.
	empty := dataOf("projects/empty-hands/index.html")["SoftwareApplication"]
	for _, key := range []string{"license", "operatingSystem", "featureList", "aggregateRating", "offers"} {
		if got, ok := empty[key]; ok {
			t.Errorf("%s of a listing without facts is %v", key, got)
		}
	}
	if name := dataOf("projects/menora/index.html")["SoftwareApplication"]["name"]; name != "מנורה AI “lamp” — ランプ" {
		t.Errorf("the name is %q", name)
	}
	crumbs, _ := amber["BreadcrumbList"]["itemListElement"].([]any)
	if len(crumbs) != 4 {
		t.Fatalf("%d steps lead to a listing", len(crumbs))
	}
	if last, _ := crumbs[3].(map[string]any); last["item"] != testBase+"/projects/amber-chat/" || last["position"] != 4.0 {
		t.Errorf("the last step is %v", last)
	}
	list := dataOf("newest/index.html")["ItemList"]
	items, _ := list["itemListElement"].([]any)
	if list["numberOfItems"] != 6.0 || len(items) != 6 {
		t.Errorf("the newest are %v", list)
	}
	if first, _ := items[0].(map[string]any); first["url"] != testBase+"/projects/borrowed-light/" || first["position"] != 1.0 {
		t.Errorf("the newest is %v", items[0])
	}
	if list := dataOf("categories/nothing-yet/index.html")["ItemList"]; list["numberOfItems"] != 0.0 {
		t.Errorf("a list of nothing is %v", list)
	}
	if dataOf("index.html")["WebSite"]["url"] != testBase+"/" {
		t.Error("the home page is no WebSite")
	}
}

// decodePicture decodes and checks a picture of the output.
func decodePicture(t *testing.T, out, name string) *image.Paletted {
	t.Helper()
	text := mustRead(t, out, name)
	decoded, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	picture, paletted := decoded.(*image.Paletted)
	if !paletted || picture.Rect != image.Rect(0, 0, 1200, 630) || len(picture.Palette) > 16 || len(text) > 60<<10 {
		t.Fatalf("%s: %T of %v and %d bytes", name, decoded, decoded.Bounds(), len(text))
	}
	return picture
}

func TestPictures(t *testing.T) {
	soak.Long(t)
	cache := filepath.Join(t.TempDir(), "cache", "pictures")
	cached := func(o *Options) { o.PictureCache = cache }
	plain, _ := build(t, nil)
	out, _ := build(t, cached)
	checkTree(t, "with a cache", readTree(t, out), readTree(t, plain))
	for _, page := range []string{"projects/amber-chat", "projects/menora", "projects/empty-hands",
		"projects/every-word-of-a-very-long-name-stands-on-one-line-in-each-list-x", "categories/nothing-yet"} {
		name := page + "/picture.png"
		picture := decodePicture(t, out, name)
		drawn := 0
		for y := 17; y < 630; y++ {
			for x := range 1200 {
				r, g, b, _ := picture.At(x, y).RGBA()
				if r>>8 == 0xfd && g>>8 == 0xfd && b>>8 == 0xfc {
					continue
				}
				drawn++
				// A letter may extend a little into the margin.
				if x < 70 || x > 1130 || y > 610 {
					t.Fatalf("%s: something is drawn at %d, %d", name, x, y)
				}
			}
		}
		if drawn < 2000 {
			t.Errorf("%s: only %d pixels are drawn", name, drawn)
		}
		if page := string(mustRead(t, out, page+"/index.html")); !strings.Contains(page, `<meta property="og:image" content="`+testBase+"/"+name+`">`) {
			t.Errorf("%s does not name its picture", page)
		}
	}
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) != 6+6+1+1 { // listings, lists, the site, and .gitignore
		t.Fatalf("the cache holds %v: %v", entries, err)
	}
	if ignore, err := os.ReadFile(filepath.Join(cache, ".gitignore")); err != nil || string(ignore) != "*\n" {
		t.Errorf("the cache is not kept out of repositories: %q, %v", ignore, err)
	}

	// Cached pictures are used, and truncated ones are drawn again.
	var truncated, other string
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".png" {
			continue
		}
		truncated, other = other, filepath.Join(cache, e.Name())
	}
	intact, err := os.ReadFile(truncated)
	if err != nil {
		t.Fatal(err)
	}
	otherPNG, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	// A second end chunk makes another valid PNG.
	if err := os.WriteFile(other, append(otherPNG, otherPNG[len(otherPNG)-12:]...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(truncated, intact[:len(intact)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	again, _ := build(t, cached)
	differs := 0
	for name, text := range readTree(t, again) {
		if strings.HasSuffix(name, "picture.png") && text != string(mustRead(t, out, name)) {
			differs++
		}
	}
	if differs != 1 {
		t.Errorf("%d pictures differ, want the one that was changed in the cache", differs)
	}
	if mended, err := os.ReadFile(truncated); err != nil || !bytes.Equal(mended, intact) {
		t.Errorf("a picture that was cut short stays so: %v", err)
	}

	never, _ := build(t, func(o *Options) { o.Pictures = PicturesOff })
	for name, text := range readTree(t, never) {
		if strings.HasSuffix(name, ".png") || strings.Contains(text, "picture.png") {
			t.Errorf("%s has to do with pictures that are not drawn", name)
		}
	}
}

// If the cache cannot be written, the build has one warning and all pictures.
func TestPictureCacheErrors(t *testing.T) {
	soak.Long(t)
	plain, _ := build(t, nil)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []string{filepath.Join(dir, "file"), filepath.Join(dir, "file", "below"), "/proc/nowhere"} {
		out, report := build(t, func(o *Options) { o.PictureCache = cache })
		checkTree(t, cache, readTree(t, out), readTree(t, plain))
		if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], cache) || !strings.Contains(report.Warnings[0], "--picture-cache") || strings.Contains(report.Warnings[0], "\n") {
			t.Errorf("%s: warnings %q", cache, report.Warnings)
		}
	}
	// The cache is removed while pictures are drawn.
	gone := filepath.Join(dir, "gone")
	out, report := build(t, func(o *Options) {
		o.PictureCache, o.Jobs = gone, 1
		o.Progress = func(stage string, _, _ int) {
			if stage == "write" {
				_ = os.RemoveAll(gone)
			}
		}
	})
	checkTree(t, "gone", readTree(t, out), readTree(t, plain))
	if len(report.Warnings) != 1 {
		t.Errorf("warnings %q", report.Warnings)
	}
}

// Pictures that were not used for 30 days are removed; foreign files stay.
func TestPictureCachePruning(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "pictures")
	cached := func(o *Options) { o.PictureCache, o.Now = cache, time.Now() }
	build(t, cached)
	used, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	old, older, recent := strings.Repeat("0a", 16)+".png", ".new-123", strings.Repeat("0b", 16)+".png"
	foreign := []string{"holiday.png", strings.Repeat("0A", 16) + ".png", strings.Repeat("0a", 16) + ".png.txt", ".new", strings.Repeat("0c", 16) + ".png/x"}
	for _, name := range append([]string{old, older, recent}, foreign...) {
		name = filepath.Join(cache, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("x"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries { // including the used ones
		age := 31 * 24 * time.Hour
		if e.Name() == recent {
			age = 29 * 24 * time.Hour
		}
		if err := os.Chtimes(filepath.Join(cache, e.Name()), time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	build(t, cached)
	left := readTree(t, cache)
	for name, want := range map[string]bool{old: false, older: false, recent: true} {
		if _, ok := left[name]; ok != want {
			t.Errorf("%s is there: %t", name, ok)
		}
	}
	for _, e := range used {
		foreign = append(foreign, e.Name())
	}
	for _, name := range foreign {
		if _, ok := left[name]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
}

func TestWhenPicturesAreDrawn(t *testing.T) {
	for _, c := range []struct {
		when     Pictures
		listings int
		want     bool
	}{{PicturesAuto, 0, true}, {PicturesAuto, 1000, true}, {PicturesAuto, 1001, false}, {PicturesOn, 1001, true}, {PicturesOff, 1, false}} {
		if got := c.when.drawn(c.listings); got != c.want {
			t.Errorf("%d with %d listings: %t", c.when, c.listings, got)
		}
	}
}

// With _redirects, a static host serves API paths without an extension.
func TestRedirectsOfStaticHosts(t *testing.T) {
	out, _ := build(t, func(o *Options) { o.Settings.SearchURL = "https://search.example" })
	tree := readTree(t, out)
	placeholder := regexp.MustCompile(`:([A-Za-z]\w*)`)
	// answer applies the first matching rule, as hosts do; a placeholder matches a part
	// of one segment. Netlify prefers files to rules, Cloudflare Pages rules to files.
	answer := func(path string, rulesFirst bool) (to, status string) {
		_, isFile := tree[strings.TrimPrefix(path, "/tools/")]
		if isFile && !rulesFirst {
			return path, "200"
		}
		for line := range strings.Lines(tree["_redirects"]) {
			fields := strings.Fields(line)
			if strings.HasPrefix(line, "#") || len(fields) != 3 {
				continue
			}
			pattern := strings.ReplaceAll(placeholder.ReplaceAllString(regexp.QuoteMeta(fields[0]), "(?P<$1>[^/]+)"), `\*`, "(?P<splat>.*)")
			from := regexp.MustCompile("^" + pattern + "$")
			if m := from.FindStringSubmatchIndex(path); m != nil {
				return string(from.ExpandString(nil, placeholder.ReplaceAllString(fields[1], "$${$1}"), path, m)), fields[2]
			}
		}
		if isFile {
			return path, "200"
		}
		return "", "404"
	}
	for path, want := range map[string]string{
		"/api/v1/projects": "api/v1/projects/index.json", "/api/v1/openapi": "api/v1/openapi.json",
		"/api/v1/projects/menora": "api/v1/projects/menora.json", "/api/v1/projects/menora.json": "api/v1/projects/menora.json",
		"/api/v1/projects/index.json": "api/v1/projects/index.json", "/projects/menora/index.html.md": "projects/menora/index.html.md",
		"/api/v1/lists/popular/1.json": "api/v1/lists/popular/1.json",
	} {
		for _, rulesFirst := range []bool{false, true} {
			to, status := answer("/tools"+path, rulesFirst)
			if to != "/tools/"+want || status != "200" || tree[want] == "" {
				t.Errorf("%s leads to %q (%s), want %s; rules before files: %t", path, to, status, want, rulesFirst)
			}
		}
	}
	for path, want := range map[string]string{
		"/projects/ambre-chat/": "projects/amber-chat/", "/projects/amber/index.html.md": "projects/amber-chat/index.html.md", "/categories/talk/feed.xml": "categories/chat/feed.xml",
		"/api/v1/projects/ambre-chat": "api/v1/projects/amber-chat", "/api/v1/projects/amber.json": "api/v1/projects/amber-chat.json",
	} {
		if to, status := answer("/tools"+path, true); to != "/tools/"+want || status != "301" {
			t.Errorf("%s leads to %q (%s), want %s", path, to, status, want)
		}
	}
	// Hosts without redirects have a page at the old address.
	for name, target := range map[string]string{"projects/ambre-chat/index.html": "projects/amber-chat/", "categories/talk/index.html": "categories/chat/"} {
		for _, want := range []string{`<link rel="canonical" href="` + testBase + "/" + target, `content="0; url=` + testBase + "/" + target} {
			if !strings.Contains(tree[name], want) {
				t.Errorf("%s has no %s: %s", name, want, tree[name])
			}
		}
	}
	if to, status := answer("/tools/api/v1/search", true); to != "https://search.example/api/v1/search" || status != "302" {
		t.Errorf("a search leads to %q (%s)", to, status)
	}
	if to, _ := answer("/tools/api/v1/projects/nobody", true); tree[strings.TrimPrefix(to, "/tools/")] != "" {
		t.Errorf("an unknown listing leads to %s", to)
	}
	alone, _ := build(t, nil)
	if rules := string(mustRead(t, alone, "_redirects")); strings.Contains(rules, "/api/v1/search") {
		t.Errorf("without a search server: %s", rules)
	}
}

// placeholder matches a part of a rule that stands for a part of a path.
var placeholder = regexp.MustCompile(`:[a-z]+`)

// Every file has at most one value of each header, and the headers that hosts would
// set wrong.
func TestHeadersOfStaticHosts(t *testing.T) {
	out, _ := build(t, func(o *Options) { o.Settings.SearchURL = "https://search.example" })
	tree := readTree(t, out)
	headersFor := func(path string) map[string][]string {
		all, matches := map[string][]string{}, false
		for line := range strings.Lines(tree["_headers"]) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "#") {
				continue
			}
			if !strings.HasPrefix(line, " ") {
				pattern := regexp.QuoteMeta(line)
				pattern = placeholder.ReplaceAllString(strings.ReplaceAll(pattern, `\*`, ".*"), "[^/]+")
				matches = regexp.MustCompile("^" + pattern + "$").MatchString(path)
				continue
			}
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "! "); ok { // as Cloudflare Pages reads it
				if matches {
					delete(all, name)
				}
			} else if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && matches {
				all[name] = append(all[name], value)
			} else if !ok {
				t.Errorf("line %q", line)
			}
		}
		return all
	}
	if got, want := headersFor("/tools/")["Link"], headers.Links(&site.Settings{BaseURL: testBase, Search: site.SearchByServer}); len(got) != 1 || got[0] != want {
		t.Errorf("the home page leads to %q, want %q", got, want)
	}
	framed := 0
	for name := range tree {
		all := headersFor("/tools/" + name)
		for header, values := range all {
			if len(values) != 1 {
				t.Errorf("%s has %s %d times", name, header, len(values))
			}
		}
		one := func(header string) string { return strings.Join(all[header], "") }
		if policy := one("Content-Security-Policy"); strings.HasPrefix(name, "embed/") {
			if !strings.HasPrefix(policy, "default-src 'none'; style-src 'self';") || !strings.HasSuffix(policy, "; frame-ancestors *") {
				t.Errorf("%s has the policy %q", name, policy)
			}
			framed++
		} else if !strings.HasSuffix(policy, "; frame-ancestors 'none'") || !strings.Contains(policy, "connect-src 'self' https://search.example;") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s has the policy %q", name, policy)
		}
		if got := one("Access-Control-Allow-Origin"); (got == "*") != (strings.HasPrefix(name, "api/") || strings.HasPrefix(name, ".well-known/")) {
			t.Errorf("%s may be read by %q", name, got)
		}
		want := map[string]string{".webmanifest": "application/manifest+json", ".md": "text/markdown; charset=utf-8", ".jsonl": "application/jsonl", ".ico": "image/x-icon"}[filepath.Ext(name)]
		switch filepath.Base(name) {
		case "feed.xml":
			want = "application/atom+xml"
		case "opensearch.xml":
			want = "application/opensearchdescription+xml"
		case "api-catalog":
			want = headers.TypeAPICatalog
		case "ai-catalog.json":
			want = headers.TypeAICatalog
		case "server-card.json":
			want = headers.TypeServerCard
		case "llms.txt", "llms-full.txt":
			want = "text/plain; charset=utf-8"
		}
		if got := one("Content-Type"); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
		cache := ""
		switch {
		case strings.HasPrefix(name, "assets/"):
			cache = headers.CacheForever
			if !headers.IsHashed(name) {
				t.Errorf("%s is cached forever, but its name has no hash", name)
			}
		case strings.HasPrefix(name, "api/"):
			cache = headers.CacheControl
		case name == headers.WorkerFile:
			cache = headers.CacheRevalidated
		}
		if got := one("Cache-Control"); got != cache {
			t.Errorf("%s is cached %q, want %q", name, got, cache)
		}
	}
	if framed < 6 {
		t.Errorf("only %d pages may be framed", framed)
	}
}

// textAndLinks returns the text of a page without white space, its ids, and the
// targets of its links.
func textAndLinks(t *testing.T, page string) (text string, ids, targets map[string]bool) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, targets = map[string]bool{}, map[string]bool{}
	var out strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			out.WriteString(n.Data)
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				if ids[a.Val] {
					t.Errorf("the id %s is there twice", a.Val)
				}
				ids[a.Val] = true
			case "href":
				targets[a.Val] = true
			}
		}
	}
	return withoutSpace(out.String()), ids, targets
}

func withoutSpace(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "`", "")), "")
}

// The HTML documentation contains all texts of the OpenAPI document about operations,
// parameters, responses, headers and schemas.
func TestDocumentationIsComplete(t *testing.T) {
	out, _ := build(t, nil)
	page, ids, targets := textAndLinks(t, string(mustRead(t, out, "docs/index.html")))
	var document map[string]any
	if err := json.Unmarshal(mustRead(t, out, "api/v1/openapi.json"), &document); err != nil {
		t.Fatal(err)
	}
	checked := 0
	var walk func(where string, value any)
	walk = func(where string, value any) {
		switch v := value.(type) {
		case []any:
			for i, inner := range v {
				walk(fmt.Sprintf("%s/%d", where, i), inner)
			}
		case map[string]any:
			for key, inner := range v {
				path := where + "/" + key
				text, isText := inner.(string)
				switch {
				case isText && (key == "description" || key == "summary" || key == "name") && !strings.HasPrefix(path, "/info/contact") && !strings.HasPrefix(path, "/tags") &&
					!strings.Contains(path, "/securitySchemes/") && path != "/info/summary" && !strings.HasPrefix(path, "/externalDocs") && !strings.Contains(path, "/schema/"):
					checked++
					if !strings.Contains(page, withoutSpace(text)) {
						t.Errorf("%s is left out: %s", path, text)
					}
				case key == "example" && strings.Contains(path, "/content/"):
					checked++
					example, err := json.Marshal(inner)
					if err != nil {
						t.Fatal(err)
					}
					// The members of a map have another order than in the page.
					for _, leaf := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).FindAllString(string(example), -1) {
						if !strings.Contains(page, withoutSpace(leaf)) {
							t.Errorf("%s: the example lacks %s", path, leaf)
						}
					}
				default:
					walk(path, inner)
				}
			}
		}
	}
	walk("", document)
	if checked < 100 {
		t.Errorf("only %d texts were looked for", checked)
	}
	for target := range targets {
		if id, ok := strings.CutPrefix(target, "#"); ok && !ids[id] {
			t.Errorf("the page leads to %s, which is not on it", target)
		}
	}
	for _, id := range []string{"searchCatalog", "listProjects", "getProject", "getOpenAPI", "errors", "schema-Project", "header-RateLimit"} {
		if !ids[id] {
			t.Errorf("there is no place %s", id)
		}
	}
}

// Each error code has a page, to which problems link.
func TestProblemPages(t *testing.T) {
	out, _ := build(t, nil)
	for _, k := range api.ProblemKinds {
		page, _, _ := textAndLinks(t, string(mustRead(t, out, "problems/"+k.Code+"/index.html")))
		for _, want := range []string{k.Title, k.Code, fmt.Sprint(k.Status), k.Explanation, "Example answer"} {
			if !strings.Contains(page, withoutSpace(want)) {
				t.Errorf("the page of %s does not say %q", k.Code, want)
			}
		}
	}
}

// Each kind of template and asset can be overridden by a file of the same name.
func TestOverridesOfEachKind(t *testing.T) {
	soak.Long(t)
	plain, _ := build(t, nil)
	style, err := os.ReadFile("../templates/assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	for file, c := range map[string]struct{ text, path, want string }{
		"assets/style.css": {string(style) + "\n:root{--accent:#b00b1e}\n", "assets/style-", "--accent:#b00b1e"},
		"assets/extra.css": {":root { --accent: #b00b1e }\n", "assets/style-", "}:root{--accent:#b00b1e}"},
		"assets/icon.svg":  {`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle r="3"/></svg>`, "assets/icon-", "<circle"},
		"llms.txt":         {"# Ours\n", "llms.txt", "# Ours"},
		"llms-full.txt":    {"# Ours: {{.Count}}\n", "llms-full.txt", "# Ours: 6"},
		"layout.md":        {"# Ours: {{.Title}}\n", "about/index.html.md", "# Ours: About"},
		"partials.md":      {`{{define "row"}}- ours: {{.Purpose}}{{end}}{{define "fact"}}{{end}}{{define "parts"}}{{end}}{{define "rows"}}{{range .}}{{.}}{{end}}{{end}}{{define "pager"}}{{end}}{{define "note"}}{{end}}{{define "footer"}}{{end}}{{define "source"}}{{end}}{{define "judged"}}{{end}}`, "categories/chat/index.html.md", "- ours: Chats with models on your own machine & keeps"},
		"pages/project.md": {`{{define "main"}}Ours: {{.Data.Project.Name}}{{end}}`, "projects/amber-chat/index.html.md", "Ours: Amber Chat"},
		"meta.html":        {`{{define "meta"}}<meta property="og:title" content="Ours: {{.Title}}">{{end}}`, "about/index.html", `content="Ours: About"`},
		"pages/docs.html":  {`{{define "main"}}<h1>Ours</h1>{{range .Data.Operations}}<p>{{.Path}}</p>{{end}}{{end}}`, "docs/index.html", "<p>/api/v1/projects</p>"},
	} {
		t.Run(file, func(t *testing.T) {
			overrides := t.TempDir()
			name := filepath.Join(overrides, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			out, _ := build(t, func(o *Options) { o.Settings.Overrides = overrides })
			tree := readTree(t, out)
			found := false
			for path, text := range tree {
				found = found || strings.HasPrefix(path, c.path) && strings.Contains(text, c.want)
			}
			if !found {
				t.Errorf("no %s holds %s", c.path, c.want)
			}
			if len(tree) != len(readTree(t, plain)) {
				t.Error("there are other files than without it")
			}
		})
	}
}
