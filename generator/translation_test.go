package generator

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/openapi"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/labels"
	"catalog.example/templates"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// cyrillic writes a text in Cyrillic letters, except for code between backticks and names of
// values in braces.
func cyrillic(text string) string {
	const latin = "abcdefghijklmnopqrstuvwxyz"
	letters := []rune("абцдефгхийклмнопярстувшщыз")
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i > 0 {
			out.WriteByte('`')
		}
		if i%2 == 1 {
			out.WriteString(part)
			continue
		}
		inBraces := false
		for _, r := range part {
			switch at := strings.IndexRune(latin, r|0x20); {
			case r == '{' || r == '}':
				inBraces = r == '{'
				out.WriteRune(r)
			case at >= 0 && !inBraces && r < 0x80:
				out.WriteRune(letters[at])
			default:
				out.WriteRune(r)
			}
		}
	}
	return out.String()
}

// programTexts returns the texts of the API's description that pages show.
func programTexts(t *testing.T, document string, s *site.Settings, taxonomy *api.Taxonomy) (texts []string, names map[string]bool) {
	t.Helper()
	names = map[string]bool{}
	for _, k := range api.ProblemKinds {
		texts = append(texts, k.Title, k.Explanation)
		for _, w := range words(k.Code) {
			names[w] = true
		}
	}
	for _, p := range api.SearchParameters(s, taxonomy) {
		texts = append(texts, p.Description, p.Text(), strings.TrimSpace(strings.TrimPrefix(p.Text(), p.Description)))
	}
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, member := range v {
				for _, w := range words(key) {
					names[w] = true
				}
				text, isText := member.(string)
				switch {
				case isText && (key == "description" || key == "summary"):
					texts = append(texts, strings.Split(text, "\n\n")...)
				case isText:
					for _, w := range words(text) {
						names[w] = true
					}
				case key != "example":
					walk(member)
				}
			}
		case []any:
			for _, member := range v {
				walk(map[string]any{"": member})
			}
		}
	}
	var all any
	if err := json.Unmarshal([]byte(document), &all); err != nil {
		t.Fatal(err)
	}
	walk(all)
	return texts, names
}

var latinWord = regexp.MustCompile(`[A-Za-z]{3,}`)

// words returns the words of Latin letters in a text, in lower case.
func words(text string) []string {
	return latinWord.FindAllString(strings.ToLower(text), -1)
}

// shownAttributes are the attributes that people see or hear, or that search engines show.
var shownAttributes = []string{"aria-label", "title", "placeholder", "alt", "data-label"}

// shownText returns the text that people see and hear of a page, without code.
func shownText(t *testing.T, page string) string {
	t.Helper()
	doc, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			out.WriteString(n.Data + "\n")
		case n.Type == html.ElementNode && slices.Contains([]atom.Atom{atom.Script, atom.Style, atom.Code, atom.Pre}, n.DataAtom):
			return
		}
		isDescription := false
		for _, a := range n.Attr {
			isDescription = isDescription || n.DataAtom == atom.Meta && (a.Val == "description" || a.Val == "og:description" || a.Val == "og:title")
		}
		for _, a := range n.Attr {
			if slices.Contains(shownAttributes, a.Key) || isDescription && a.Key == "content" {
				out.WriteString(a.Val + "\n")
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return out.String()
}

// markdownNoise matches what is no text in Markdown: code, addresses, tags.
var markdownNoise = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|\\]\\([^)]*\\)|https?://\\S+|<[^>]*>")

// Every text of the pages can be translated: with translations of all of them, no page has an
// English one, and no word that comes neither from a translation nor from the content.
func TestEveryTextIsTranslated(t *testing.T) {
	shipped, err := fs.ReadFile(templates.Shipped(), labels.File)
	if err != nil {
		t.Fatal(err)
	}
	known, err := labels.Known(shipped)
	if err != nil {
		t.Fatal(err)
	}
	for _, search := range []string{site.SearchByServer, site.SearchNone} {
		t.Run(search, func(t *testing.T) {
			s := settings()
			s.Search, s.Lang, s.Overrides = search, "uk", t.TempDir()
			before, _ := build(t, func(o *Options) { o.Settings = s; o.Settings.Overrides = "" })
			texts, names := programTexts(t, string(mustRead(t, before, "api/v1/openapi.json")), &s, taxonomyOf(t, small, s))
			var own strings.Builder
			for _, text := range slices.Sorted(maps.Keys(known)) {
				if known[text] {
					fmt.Fprintf(&own, "%s: {one: %s, few: %s, many: %s, other: %s}\n", quoted(text), quoted(cyrillic(text)), quoted(cyrillic(text)), quoted(cyrillic(text)), quoted(cyrillic(text)))
				} else {
					fmt.Fprintf(&own, "%s: %s\n", quoted(text), quoted(cyrillic(text)))
				}
			}
			for _, text := range slices.Compact(slices.Sorted(slices.Values(texts))) {
				if _, ok := known[text]; !ok && strings.TrimSpace(text) != "" {
					fmt.Fprintf(&own, "%s: %s\n", quoted(text), quoted(cyrillic(text)))
				}
			}
			if err := os.WriteFile(filepath.Join(s.Overrides, labels.File), []byte(own.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			out, report := build(t, func(o *Options) { o.Settings = s })
			for _, w := range report.Warnings {
				t.Error(w)
			}
			for _, w := range contentWords(t, &s) {
				names[w] = true
			}
			// The content has these words, too.
			if page := string(mustRead(t, out, "projects/amber-chat/index.html")); strings.Contains(page, "GB RAM") || strings.Contains(page, "GB disk") {
				t.Error("the table of setups is English")
			}
			for name, page := range readTree(t, out) {
				shown := ""
				switch {
				case strings.HasSuffix(name, ".html"):
					shown = shownText(t, page)
					if !strings.Contains(page, `lang="uk"`) {
						t.Errorf("%s does not name its language", name)
					}
				case strings.HasSuffix(name, ".html.md"):
					shown = markdownNoise.ReplaceAllString(page, " ")
				default:
					continue
				}
				for _, w := range words(shown) {
					if !names[w] {
						t.Errorf("%s shows %q, which no label translates", name, w)
					}
				}
				for text := range known {
					if len(words(text)) > 1 && !strings.Contains(text, "{") && strings.Contains(shown, text) {
						t.Errorf("%s shows the label %q in English", name, text)
					}
				}
			}
		})
	}
}

// A catalogue in German needs no labels of its own. Those that it has go before the translation of the program, which
// has no text that no page has.
func TestGermanNeedsNoLabels(t *testing.T) {
	s := settings()
	s.Lang, s.Overrides = "de", t.TempDir()
	if err := os.WriteFile(filepath.Join(s.Overrides, labels.File), []byte("Categories: Themen\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, report := build(t, func(o *Options) { o.Settings = s })
	if len(report.Warnings) > 0 {
		t.Errorf("the warnings are %q", report.Warnings)
	}
	home, docs := string(mustRead(t, out, "index.html")), string(mustRead(t, out, "docs/index.html"))
	if !strings.Contains(home, ">Themen<") || !strings.Contains(home, `aria-label="Hauptmenü"`) || strings.Contains(home, "Kategorien") {
		t.Errorf("the page is %s", home)
	}
	if want := "Its makers publish an image. Eine unbekannte Angabe passt zu keinem von beiden."; !strings.Contains(docs, want) {
		t.Errorf("a description with words of the catalogue is not %q", want)
	}
	known, err := labels.Known(templates.ShippedIn("en")[labels.File])
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range content.ProgramTexts {
		known[text] = false
	}
	add := func(search string, without []string, taxonomy *api.Taxonomy) {
		s := s
		s.Search, s.Without, s.Languages = search, without, []string{"de-AT"}
		s = s.In("de-AT")
		document, err := openapi.Document(s, taxonomy)
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := programTexts(t, string(document), &s, taxonomy)
		for _, text := range texts {
			known[text] = false
		}
	}
	taxonomy, whole := taxonomyOf(t, small, s), taxonomyOf(t, "../content", s)
	for _, search := range []string{site.SearchByServer, site.SearchNone} {
		add(search, nil, taxonomy)
		add(search, nil, whole)
		add(search, nil, &api.Taxonomy{})
		for _, without := range [][]string{{"stars", "replaces"}, {"installLinks"}, {"repositoryUrl"}, {"installLinks", "repositoryUrl"}, {"replaces", "repositoryUrl"}} {
			add(search, without, &api.Taxonomy{})
		}
	}
	translated, err := labels.Known(templates.Translation("de"))
	if err != nil {
		t.Fatal(err)
	}
	for text := range translated {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(known)), func(whole string) bool { return strings.Contains(whole, text) }) {
			t.Errorf("templates/labels/de.yml has %q, which is on no page", text)
		}
	}
}

// taxonomyOf returns the taxonomy of a content folder.
func taxonomyOf(t *testing.T, dir string, s site.Settings) *api.Taxonomy {
	t.Helper()
	loaded, _, err := content.Load(t.Context(), content.Options{Dir: dir, Settings: s, Jobs: 1, Today: "2027-01-01"})
	if err != nil {
		t.Fatal(err)
	}
	return &loaded.Taxonomy
}

// quoted returns a text as JSON, which is YAML.
func quoted(text string) string { return string(api.AppendString(nil, text)) }

// contentWords returns the words of the content folder and the settings, and names that are
// the same in all languages.
func contentWords(t *testing.T, s *site.Settings) (list []string) {
	t.Helper()
	list = words(fmt.Sprint(*s) + " llms full txt RTX Markdown JavaScript Python curl RFC GET nbsp jpg uri date-time Licence License custom")
	err := filepath.WalkDir(small, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		list = append(list, words(e.Name())...)
		if !e.IsDir() {
			text, err := os.ReadFile(file)
			list = append(list, words(string(text))...)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// literal matches the texts in page code.
var literal = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|`(?:[^`\\\\]|\\\\.)*`")

// Texts in page code stand in t and n, which look for the owner's.
func TestPageCodeHasNoOtherTexts(t *testing.T) {
	files, err := filepath.Glob("../templates/assets/*.js")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	shipped, err := fs.ReadFile(templates.Shipped(), labels.File)
	if err != nil {
		t.Fatal(err)
	}
	sentence := regexp.MustCompile(`[a-zA-Z]{2,} [a-z]{2,}`)
	others := []string{"tag over", "map overview", "tbody tr", "tbody th a", "thead th", ".choose input", ".group li", ".group li:not([hidden]) a", "tbody tr:not(.group)", "tbody tr:not(.group) th a"} // classes and selectors
	substitution := regexp.MustCompile(`\$\{[^}]*\}`)
	comment := regexp.MustCompile(`(?m)//.*$|/\*(?s:.*?)\*/`)
	for _, file := range files {
		if strings.HasSuffix(file, "worker.js") || strings.HasSuffix(file, "unlzma.js") || strings.HasPrefix(filepath.Base(file), "sw") { // their messages are for the console
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code := comment.ReplaceAllString(string(text), "")
		for _, at := range literal.FindAllStringIndex(code, -1) {
			value := code[at[0]+1 : at[1]-1]
			isTemplate := code[at[0]] == '`'                                                                                                                        // what it substitutes is looked at by itself
			if isTemplate && !sentence.MatchString(substitution.ReplaceAllString(value, "")) || slices.Contains(others, value) || strings.Contains(value, "${n(") { // for agents
				continue
			}
			if sentence.MatchString(value) && !strings.Contains(string(shipped), quoted(value)) {
				t.Errorf("%s: %s is not translated: put it into t() or n()", file, value)
			}
		}
	}
}
