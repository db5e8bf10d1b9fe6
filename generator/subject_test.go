package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/site"
)

// A catalogue of another subject has its own facts, and its pages do not mention
// software.
func TestAnotherSubject(t *testing.T) {
	dir := staticFolder(t, map[string]string{
		"taxonomy/categories.yml": "- {slug: lever, name: Lever machines, description: You pull the shot by hand., group: Machines}\n",
		"taxonomy/facts.yml": `- key: boiler
  kind: choice
  label: Boiler
  group: Will it suit you?
  meaning: How the water is heated.
  values:
    - {slug: single, label: one boiler}
    - {slug: dual, label: two boilers}
  chip: {dual: Two boilers}
  filter: {parameter: boiler}
- key: drinks
  kind: choices
  label: Drinks
  group: Will it suit you?
  meaning: What it makes without more equipment.
  values:
    - {slug: espresso, label: espresso}
    - {slug: latte, label: milk drinks}
  filter: {parameter: drinks}
- key: priceEur
  kind: number
  label: Price
  group: What it costs
  meaning: Price of the makers, in euros.
  unit: EUR
  least: 1
  most: 100000
  chip: {known: Price}
  filter: {parameter: priceEur, match: at-most}
- key: weightKg
  kind: number
  label: Weight
  group: What it costs
  meaning: Weight without water.
  unit: kg
- key: plumbed
  kind: yes-no
  label: Plumbed in
  group: Will it suit you?
  meaning: It can be connected to a water pipe.
  filter: {parameter: plumbed}
- key: warnings
  kind: texts
  label: Before you buy
  meaning: What owners wish they had known.
`,
		"projects/one.md": "---\nname: Lever One\npurpose: Pulls one shot after the other.\njobs: [make espresso by hand]\ncategory: lever\ntopics: [lever]\nfitNotes:\n" +
			"  boiler: dual\n  drinks: [espresso, latte]\n  priceEur: 1200\n  plumbed: false\n  warnings: [It is loud]\naddedAt: 2026-11-20\nsources: {fitNotes.priceEur: price list (2026-11-20)}\n---\nIt is made of steel.\n",
		"projects/two.md": "---\nname: Lever Two\npurpose: Pulls shots slowly.\njobs: [make espresso by hand]\ncategory: lever\ntopics: [lever]\nfitNotes:\n" +
			"  boiler: single\n  priceEur: 800\n  weightKg: 9.5\naddedAt: 2026-11-19\n---\nIt is made of brass.\n",
		"taxonomy/retired.yml": "- {slug: four, name: Lever Four, left: 2026-11-20, because: It is no longer made., category: lever}\n",
		"projects/three.md":    "---\nname: Lever Three\npurpose: Is not known well.\njobs: [make espresso by hand]\ncategory: lever\naddedAt: 2026-11-18\n---\nNobody has tried it.\n",
	})
	out, _ := build(t, func(o *Options) {
		o.Content, o.Settings.Title, o.Settings.Description = dir, "Espresso machines", "Machines and what is known of them."
		o.Settings.BaseURL = "https://catalog.example"
		o.Settings.Without = site.OptionalFields()
	})
	tree := readTree(t, out)
	for _, path := range []string{"platforms/index.html", "licenses/index.html", "alternatives/index.html"} {
		if exists(tree, path) {
			t.Errorf("there is %s", path)
		}
	}
	const judged = `<span class="source" title="Judged by our editors, without a source">judged</span>`
	for path, wants := range map[string][]string{
		"projects/one/index.html": {
			`<caption>Will it suit you?</caption><tbody><tr><th scope="row">Boiler</th><td>two boilers ` + judged + `</td></tr><tr><th scope="row">Drinks</th><td>espresso, milk drinks ` + judged + `</td></tr><tr><th scope="row">Plumbed in</th><td class="no">no ` + judged + `</td></tr></tbody>`,
			`<caption>What it costs</caption><tbody><tr><th scope="row">Price</th><td>1200 EUR <span class="source">price list (2026-11-20)</span></td></tr></tbody>`, `<caption>About this listing</caption>`, `<h2>Before you buy</h2><ul><li>It is loud</li></ul>`,
			`"@type":"Product"`, `{"@type":"PropertyValue","name":"Price","propertyID":"priceEur","unitText":"EUR","value":1200}`, `<span class="tag">Boiler: one boiler</span> <span class="tag">Price 800 EUR</span>`,
		},
		"projects/two/index.html.md":     {"\n## What it costs\n\n- Price: 800 EUR (judged)\n- Weight: 9.5 kg\n", "\n## About this listing\n\n- Facts read on: unknown\n- In this catalogue since: 2026-11-19\n"},
		"projects/three/index.html":      {`<th scope="row">Drinks</th><td class="unknown">unknown</td>`, `<th scope="row">Price</th><td class="unknown">unknown</td>`},
		"categories/lever/index.html":    {`<td class="fit"><span class="tag">Two boilers</span> <span class="tag">Price 1200 EUR</span></td><td class="choose">`},
		"numbers/index.html.md":          {"## Boiler\n\nHow the water is heated.\n\n- one boiler: 1 (33%)\n- two boilers: 1 (33%)\n- unknown: 1 (33%)\n", "- up to 800 EUR: 1 (33%)\n- over 800 EUR: 1 (33%)\n"},
		"llms.txt":                       {"by fit: Boiler, Drinks, Price, plumbed in.", "- `priceEur`: Price of the makers, in euros. Finds listings where it is at most the given number, in EUR.", "`pageUrl` and the facts that decide."},
		"llms-full.txt":                  {"- Facts: Two boilers, Drinks: espresso, milk drinks, Price 1200 EUR, Plumbed in: no\n", "- Before you buy: It is loud\n"},
		"docs/index.html.md":             {"- `priceEur` (number)", "- `boiler` (array of string)"},
		"api/v1/projects/one.json":       {`"fitNotes":{"boiler":"dual","drinks":["espresso","latte"],"priceEur":1200,"weightKg":null,"plumbed":false,"warnings":["It is loud"]}`},
		"api/v1/lists/newest/1.json":     {`"alsoIn":[],"topics":["lever"],"fitNotes"`},
		"search/index.html":              {"Boiler"},
		"categories/lever/index.html.md": {"— Two boilers, Price 1200 EUR\n", "— facts unknown\n"},
	} {
		for _, want := range wants {
			if !strings.Contains(tree[path], want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
	}
	software := regexp.MustCompile(`(?i)\b(GPUs?|V?RAM|memory|docker|hardware|software|repository|repositoryUrl|license|licen[cs]es?|stars?|starred|platforms?|open.source|tools?|language)\b`)
	jobs := regexp.MustCompile(`(?i)>[^<]*\bjobs?\b|placeholder="[^"]*\bjobs?\b`) // there is also a class
	for path, text := range tree {
		if strings.HasPrefix(path, "projects/") || strings.HasPrefix(path, "categories/") || path == "index.html" || path == "index.html.md" || strings.HasPrefix(path, "numbers/") || path == "llms-full.txt" || path == "search/index.html" || path == "404.html" || strings.HasPrefix(path, "choose/") || strings.HasPrefix(path, "changes/") || strings.HasPrefix(path, "saved/") || strings.HasPrefix(path, "newest/") || strings.HasPrefix(path, "compare/") {
			matches := software.FindAllStringIndex(text, -1)
			if strings.HasSuffix(path, ".html") {
				matches = append(matches, jobs.FindAllStringIndex(text, -1)...)
			}
			for _, match := range matches {
				t.Errorf("%s: …%s…", path, text[max(0, match[0]-60):min(len(text), match[1]+30)])
			}
		}
	}
}

// Only software is called open source, or not.
func TestLicensesOfOtherThings(t *testing.T) {
	dir := staticFolder(t, map[string]string{
		"taxonomy/categories.yml": "- {slug: maths, name: Maths, description: Books on maths., group: Books}\n",
		"taxonomy/products.yml":   "- {slug: paid-book, name: Paid Book, maker: Ann}\n",
		"projects/one.md":         "---\nname: One\npurpose: Counts to one.\ncategory: maths\nlicense: CC0-1.0\nreplaces: [Paid Book]\naddedAt: 2026-11-20\n---\n",
		"projects/two.md":         "---\nname: Two\npurpose: Counts to two.\ncategory: maths\nlicense: CC-BY-4.0\nreplaces: [Paid Book]\naddedAt: 2026-11-20\n---\n",
		"projects/three.md":       "---\nname: Three\npurpose: Counts to three.\ncategory: maths\nreplaces: [Paid Book]\naddedAt: 2026-11-20\n---\n",
	})
	out, _ := build(t, func(o *Options) {
		o.Content, o.Settings.Title, o.Settings.Description = dir, "Books", "Books and what is known of them."
		o.Settings.BaseURL, o.Settings.SuggestURL = "https://catalog.example", "mailto:owner@catalog.example"
		o.Settings.Without = []string{"repositoryUrl", "platforms", "language"}
	})
	tree := readTree(t, out)
	for _, want := range []string{"Share and change it for any purpose, with credit.", `"@type":"Product"`, "Suggest a listing"} {
		if page := tree["projects/two/index.html"]; !strings.Contains(page, want) {
			t.Errorf("the page has no %s:\n%s", want, page)
		}
	}
	software := regexp.MustCompile(`(?i)open.?source|osiApproved|SoftwareApplication|suggest a tool|the code\b`)
	for path, text := range tree {
		if slices.Contains([]string{".html", ".md", ".json", ".txt"}, filepath.Ext(path)) {
			for _, match := range software.FindAllStringIndex(text, -1) {
				t.Errorf("%s: …%s…", path, text[max(0, match[0]-60):min(len(text), match[1]+30)])
			}
		}
	}
}

// A listing may be without a repository if the setting optional says so.
func TestOptionalRepository(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(small)); err != nil {
		t.Fatal(err)
	}
	listing := filepath.Join(dir, "projects", "amber-chat.md")
	text, err := os.ReadFile(listing)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		repository string // the line of the listing
		optional   []string
		want       string // the error; "" for none
	}{
		{"", nil, "repositoryUrl: is missing, but required"}, {"", []string{"repositoryUrl"}, ""}, {"repositoryUrl: null\n", []string{"repositoryUrl"}, ""},
		{"repositoryUrl: \"\"\n", []string{"repositoryUrl"}, "repositoryUrl: is empty, but required"}, {"repositoryUrl: http://a.example\n", []string{"repositoryUrl"}, "does not begin with https://"},
	} {
		changed := regexp.MustCompile(`(?m)^repositoryUrl: .*\n`).ReplaceAllLiteral(text, []byte(test.repository))
		if err := os.WriteFile(listing, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		o := optionsFor(filepath.Join(t.TempDir(), "public"))
		o.Content, o.Settings.Optional = dir, test.optional
		report, err := Build(t.Context(), o)
		if test.want != "" {
			found := false
			for _, f := range report.Findings {
				found = found || strings.Contains(f.Message, test.want)
			}
			if err == nil || !found {
				t.Errorf("%q with optional %v: %v, %v", test.repository, test.optional, err, report.Findings)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v\n%v", err, report.Findings)
		}
		tree := readTree(t, o.Out)
		if body := tree["api/v1/projects/amber-chat.json"]; !strings.Contains(body, `"repositoryUrl":null`) {
			t.Errorf("the API says %.600s", body)
		}
		if list := tree["api/v1/projects/index.json"]; !strings.Contains(list, `"repositoryUrl":null`) || !strings.Contains(list, `"repositoryUrl":"https://`) {
			t.Error("the list has not both")
		}
		if document := tree["api/v1/openapi.json"]; strings.Count(document, `"repositoryUrl":{"type":["string","null"]`) < 2 {
			t.Error("the OpenAPI document does not say that it can be null")
		}
		for _, name := range []string{"projects/amber-chat/index.html", "projects/amber-chat/index.html.md", "llms-full.txt"} {
			if strings.Contains(tree[name], `href=""`) || strings.Contains(tree[name], "]()") || strings.Contains(tree[name], `"url":""`) {
				t.Errorf("%s links to nothing", name)
			}
		}
	}
}
