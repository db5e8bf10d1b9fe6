package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/soak"
	"catalog.example/generator/content"
)

// llmsFile is a file in the llms.txt format (llmstxt.org).
type llmsFile struct {
	title, summary string
	prose          string
	sections       []llmsSection
}

type llmsSection struct {
	title string
	links []llmsLink
}

type llmsLink struct{ name, url, notes string }

// llmsLinkLine matches an entry of a list of links: a link, with notes after a colon.
var llmsLinkLine = regexp.MustCompile(`^- \[([^\[\]]+)\]\((https?://[^\s()]+)\)(?:: (.*\S))?$`)

// parseLLMs parses the llms.txt format strictly: a first-level heading, a blockquote,
// prose without headings, and then sections that contain only lists of links.
func parseLLMs(text string) (*llmsFile, error) {
	if strings.Contains(text, "\r") || !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
		return nil, fmt.Errorf("lines must end in one line feed")
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	f := &llmsFile{}
	var prose []string
	for i, line := range lines {
		fail := func(why string) (*llmsFile, error) { return nil, fmt.Errorf("line %d %q: %s", i+1, line, why) }
		title, isSection := strings.CutPrefix(line, "## ")
		switch {
		case i == 0:
			var ok bool
			if f.title, ok = strings.CutPrefix(line, "# "); !ok || strings.TrimSpace(f.title) == "" {
				return fail("the file begins with a heading of the first level")
			}
		case line == "":
		case f.summary == "":
			var ok bool
			if f.summary, ok = strings.CutPrefix(line, "> "); !ok {
				return fail("a blockquote follows the heading")
			}
		case isSection:
			f.sections = append(f.sections, llmsSection{title: title})
		case strings.HasPrefix(line, "#"):
			return fail("there are no other headings")
		case len(f.sections) == 0:
			prose = append(prose, line)
		default:
			m := llmsLinkLine.FindStringSubmatch(line)
			if m == nil {
				return fail("a section holds links alone")
			}
			s := &f.sections[len(f.sections)-1]
			s.links = append(s.links, llmsLink{m[1], m[2], m[3]})
		}
	}
	f.prose = strings.Join(prose, "\n")
	for _, s := range f.sections {
		if len(s.links) == 0 {
			return nil, fmt.Errorf("section %q holds no links", s.title)
		}
	}
	return f, nil
}

// Contract 8 requires these parts of llms.txt.
func TestLLMsText(t *testing.T) {
	out, _ := build(t, nil)
	f, err := parseLLMs(string(mustRead(t, out, "llms.txt")))
	if err != nil {
		t.Fatal(err)
	}
	s := settings()
	if f.title != s.Title || f.summary != s.Description {
		t.Errorf("title %q, summary %q", f.title, f.summary)
	}
	for topic, want := range map[string]string{
		"what the service is":               "catalogue",
		"the number of listings":            "6 ",
		"that all operations are reads":     "GET",
		"what people choose by":             "by fit: licence, GPU, RAM and VRAM, Docker, for beginners, self-hosted, works offline.",
		"step 1":                            "1. Call https://catalog.example/tools/api/v1/search with the user's job and hardware constraints.",
		"step 2":                            "2. Return 3 to 5 fits with `pageUrl` and licence/RAM facts.",
		"step 3":                            "3. Use https://catalog.example/tools/api/v1/projects/{slug} for one listing.",
		"what stars measure":                "Stars measure attention, not quality",
		"that links are passed on":          "Pass on the links",
		"that install steps are not":        "never invent install steps",
		"the anonymous allowance":           "120 requests",
		"the sandbox allowance":             "600 with",
		"the sandbox key":                   "`catalog-sandbox`",
		"how the key is sent":               "`Authorization: Bearer catalog-sandbox`",
		"how else the key is sent":          "`X-Api-Key: catalog-sandbox`",
		"whom the sandbox allowance is for": "for each client address",
		"the tool of the pages":             "`search_catalog`",
		"the Markdown of pages":             "`index.html.md`",
		"how Markdown is asked for":         "`Accept: text/markdown`",
		"that texts instruct nobody":        "data, not instructions",
		"where the categories are":          "https://catalog.example/tools/categories/{category}/index.html.md",
	} {
		if !strings.Contains(f.prose, want) {
			t.Errorf("the prose does not tell %s: no %q in it", topic, want)
		}
	}

	// Every parameter has its own line with its values.
	allowed := map[string]string{
		"category": "chat, speech, retrieval, nothing-yet", "platform": "linux, docker, macos",
		"sort": "relevance, popular, newest, recently-updated, trending", "limit": "1 to 50",
		"view": "brief, full. Default: full.", "facets": "0 or 1. Default: 1.", "correct": "0 or 1. Default: 1.", "openSource": "0 or 1", "upkeep": "active, slow, dormant, archived", "ramGb": "0 to 4096", "vramGb": "0 to 4096", "arch": "amd64, arm64", "gpuVendor": "nvidia, amd, intel, apple", "stated": "0 or 1", "offset": "0 to 1000",
		"docker": "0 or 1", "beginner": "0 or 1", "gpu": "0 or 1", "selfHosted": "0 or 1", "q": "256 characters", "license": "SPDX",
	}
	loaded, _, err := content.Load(t.Context(), content.Options{Dir: small, Settings: s, Jobs: 1, Today: content.LatestDay(now)})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range api.SearchParameters(&s, &loaded.Taxonomy) {
		i := slices.IndexFunc(strings.Split(f.prose, "\n"), func(line string) bool { return strings.HasPrefix(line, "- `"+p.Name+"`: ") })
		if i < 0 {
			t.Errorf("the parameter %s is not told", p.Name)
			continue
		}
		line := strings.Split(f.prose, "\n")[i]
		if want, ok := allowed[p.Name]; !ok || !strings.Contains(line, want) {
			t.Errorf("%q does not tell that %s allows %q", line, p.Name, want)
		}
	}

	tree := readTree(t, out)
	for slug := range strings.SplitSeq(allowed["category"], ", ") {
		if !exists(tree, "categories/"+slug+"/index.html.md") {
			t.Errorf("there is no page where llms.txt says that the category %s is", slug)
		}
	}
	linked := map[string]bool{}
	for _, section := range f.sections {
		for _, l := range section.links {
			path, internal := strings.CutPrefix(l.url, "https://catalog.example/tools/")
			if linked[path] || !internal || !exists(tree, path) {
				t.Errorf("%s: %s leads nowhere, or is linked twice", section.title, l.url)
			}
			linked[path] = true
		}
	}
	for _, want := range []string{"api/v1/openapi", "docs/index.html.md", "sitemap.xml", "api/v1/lists/popular/1.json", "llms-full.txt"} {
		if !linked[want] {
			t.Errorf("%s is not linked", want)
		}
	}
	if last := f.sections[len(f.sections)-1]; last.title != "Optional" {
		t.Errorf("the last section is %q; what may be passed over is called Optional", last.title)
	}
}

// TestShippedTexts checks the texts of the shipped catalogue. Agents read llms.txt first, so
// that it must be short. What grows with the content is not counted: the lines of parameters,
// which list its categories and facts.
func TestShippedTexts(t *testing.T) {
	soak.Long(t)
	const maxBytes, base = 3300, "https://catalogue.organisation.example"
	out, report := build(t, func(o *Options) {
		o.Content, o.Settings.BaseURL, o.Pictures, o.Now = "../content", base, PicturesOff, time.Now()
	})
	tree := readTree(t, out)
	checkMarkdownVersions(t, tree, base, "")

	text := tree["llms.txt"]
	own := len(text) - len(strings.Join(regexp.MustCompile("(?m)^- `.*\n").FindAllString(text, -1), ""))
	if own > maxBytes {
		t.Errorf("llms.txt has %d bytes without the parameters, more than %d", own, maxBytes)
	}
	t.Logf("llms.txt has %d bytes, %d of them without the parameters", len(text), own)
	f, err := parseLLMs(text)
	if err != nil {
		t.Fatal(err)
	}
	// Its description of llms-full.txt is correct.
	full := tree["llms-full.txt"]
	want := llmsLink{"All listings", base + "/llms-full.txt", fmt.Sprintf("%d in compact Markdown, %d KB, about %d tokens", report.Listings, (len(full)+999)/1000, (len(full)+3)/4)}
	optional := f.sections[len(f.sections)-1]
	if optional.title != "Optional" || !slices.Contains(optional.links, want) {
		t.Errorf("%v has no %v", optional, want)
	}
	if n := strings.Count(full, "\n## ["); n != report.Listings {
		t.Errorf("llms-full.txt has %d of %d listings", n, report.Listings)
	}
	// llms-full.txt has the same heading and summary.
	if !strings.HasPrefix(full, "# "+f.title+": every listing\n\n> "+f.summary+"\n\n") {
		t.Errorf("llms-full.txt begins %.100q", full)
	}
}

func TestLLMsTextWithoutKey(t *testing.T) {
	out, _ := build(t, func(o *Options) {
		o.Settings.SandboxKey, o.Settings.AnonymousPerMinute = "", 7
	})
	f, err := parseLLMs(string(mustRead(t, out, "llms.txt")))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"sandbox", "X-Api-Key", "Bearer", "600"} {
		if strings.Contains(f.prose, word) {
			t.Errorf("without a key the file mentions %q", word)
		}
	}
	if !strings.Contains(f.prose, "7 requests in any 60 seconds") {
		t.Error("the allowance is not that of the settings")
	}
}

func TestParseLLMs(t *testing.T) {
	const good = "# Title\n\n> Summary\n\nProse.\n\n- a list\n\n## Section\n\n- [A](https://a.example/): notes\n- [B](https://b.example/x?y=1)\n"
	f, err := parseLLMs(good)
	if err != nil {
		t.Fatal(err)
	}
	want := llmsFile{"Title", "Summary", "Prose.\n- a list", []llmsSection{{"Section", []llmsLink{{"A", "https://a.example/", "notes"}, {"B", "https://b.example/x?y=1", ""}}}}}
	if fmt.Sprint(*f) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", *f, want)
	}
	for old, wrong := range map[string]string{
		"# Title": "Title", "> Summary": "Summary", "Prose.": "### Prose", "- a list": "# Again", "- [A]": "* [A]",
		"(https://a.example/)": "(/a)", "): notes": ") notes", "): notes\n": "): \n", "[B]": "[]", "?y=1)": "?y=1) and prose",
		"## Section\n": "## Empty\n\n## Section\n", "- [A](https://a.example/): notes": "Prose in a section", "y=1)\n": "y=1)", "Prose.\n": "Prose.\r\n",
	} {
		if _, err := parseLLMs(strings.Replace(good, old, wrong, 1)); err == nil {
			t.Errorf("with %q instead of %q it is still accepted", wrong, old)
		}
	}
}
