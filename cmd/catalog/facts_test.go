package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	"github.com/chromedp/chromedp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addedFacts defines a fact of each kind.
const addedFacts = `
- {key: quiet, kind: yes-no, label: Whisper mode, group: Noise, meaning: It understands whispering., chip: {"1": Whispers}, filter: {parameter: quiet}}
- {key: pace, kind: choice, label: Pace, group: Noise, meaning: How fast it writes., values: [{slug: slow, label: slower than speech}, {slug: live, label: while people talk}], filter: {parameter: pace}}
- {key: accents, kind: choices, label: Accents, group: Noise, meaning: The accents it was made for., values: [{slug: irish, label: Irish}, {slug: welsh, label: Welsh}], filter: {parameter: accents}}
- {key: hours, kind: number, label: Hours a day, group: Noise, meaning: How long it may run in a day., unit: h, least: 1, most: 24, chip: {known: Hours a day}, filter: {parameter: runHours, match: at-least}}
- {key: fee, kind: money, label: Monthly fee, group: Noise, meaning: What it costs a month., currency: EUR, least: 0, most: 100, chip: {known: from}, filter: {parameter: maxFee, match: at-most}, sort: true}
- {key: firstSold, kind: date, label: First sold, group: Noise, meaning: When it was first sold., chip: {known: sold since}, filter: {parameter: soldBefore, match: before}, sort: desc}
- {key: speakers, kind: range, label: Speakers, group: Noise, meaning: How many people it tells apart., unit: people, least: 1, chip: {known: for}, filter: {parameter: speakers, match: within}, sort: desc}
- {key: season, kind: dates, label: Season, group: Noise, meaning: When it is sold., filter: {parameter: soldOn, match: within}, sort: asc}
- {key: voiceOf, kind: text, label: Voice of, group: Noise, meaning: Who speaks in its examples.}
- {key: shop, kind: place, label: Shop, group: Noise, meaning: Where one can hear it., chip: {known: heard in}, filter: {parameter: near}}
- {key: partners, kind: relation, label: Goes with, inverse: Goes under, group: Noise, meaning: Listings that stand on it.}
- {key: manual, kind: link, label: Manual, group: Noise, meaning: Where to read how it works.}
- {key: portrait, kind: picture, label: Portrait, meaning: How it looks on a desk.}
- {key: quirks, kind: texts, label: Quirks of the thing, meaning: What surprises people.}
`

// addedValues are values of addedFacts in the front matter of a listing.
const addedValues = "fitNotes:\n  quiet: true\n  pace: live\n  accents: [irish, welsh]\n  hours: 12.5\n  fee: 2.5\n  firstSold: 2019-03\n  speakers: {from: 2, to: 4}\n  season: {from: 2026-04-01, to: 2026-09}\n  voiceOf: a Dublin actor\n  shop: {latitude: 53.35, longitude: -6.26, name: Dublin}\n  partners: [copper-kettle]\n  manual: {url: https://code.example.org/manual, label: How it works}\n  portrait: {file: pictures/paper-lantern.png, alt: A paper lantern on a wooden desk, source: \"https://code.example.org/lantern.png (2026-09-01)\"}\n  quirks: [It stops at midnight]\n"

// editFile changes a file of a content folder. It fails if change does nothing.
func editFile(t *testing.T, dir, name string, change func(text string) string) {
	t.Helper()
	file := filepath.Join(dir, name)
	text := readText(t, file)
	changed := change(text)
	if changed == text {
		t.Fatalf("%s does not change", name)
	}
	writeText(t, file, changed)
}

// smallContent returns a copy of the small content folder.
func smallContent(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "content")
	if err := os.CopyFS(dir, os.DirFS("testdata/content")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// runCommand runs a command line, checks its exit status, and returns its output with
// errors.
func runCommand(t *testing.T, want int, args ...string) string {
	t.Helper()
	env := testEnv()
	var out bytes.Buffer
	env.stdout, env.stderr = &out, &out
	if status := run(args, env); status != want {
		t.Fatalf("%q: the exit status is %d, want %d: %s", args, status, want, out.String())
	}
	return out.String()
}

// checkContains checks that a text contains each wanted text.
func checkContains(t *testing.T, where, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%s has no %q", where, want)
		}
	}
}

// writePicture writes a black picture of 90 by 66 pixels as PNG.
func writePicture(t *testing.T, dir, name string) {
	t.Helper()
	var text bytes.Buffer
	if err := png.Encode(&text, image.NewGray(image.Rect(0, 0, 90, 66))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pictures", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	writeText(t, file, text.String())
}

// TestAddedFacts adds a fact of each kind to facts.yml and to a listing, and checks that
// it shows everywhere.
func TestAddedFacts(t *testing.T) {
	t.Parallel()
	dir := smallContent(t)
	editFile(t, dir, "taxonomy/facts.yml", func(text string) string { return text + addedFacts })
	editFile(t, dir, "projects/paper-lantern.md", func(text string) string { return strings.Replace(text, "fitNotes:\n", addedValues, 1) })
	writePicture(t, dir, "paper-lantern.png")
	s := newSite(t, dir)

	t.Run("editors", func(t *testing.T) {
		schema := runCommand(t, 0, "schema", "--content", dir)
		checkContains(t, "the schema", schema, `"enum": [
            "slow",
            "live",
            null
          ]`, `"maximum": 24`, `"minimum": -180`, `"maximum": 90`, `"pattern": "^pictures/`, `"fitNotes.hours"`, "What surprises people.")
		runCommand(t, 0, "new", "Nut Brown", "--repo", "https://code.example.org/nut-brown", "--offline", "--no-edit", "--content", dir)
		draft := filepath.Join(dir, "projects", "nut-brown.md")
		checkContains(t, "the draft", readText(t, draft), "\n  quiet: null # true or false. It understands whispering.", "\n  pace: null # slow, live. How fast", "\n  accents: [] # irish, welsh.", "\n  hours: null #", "\n  fee: null # {amount: 2.5, currency: EUR}. What it costs", "\n  firstSold: null # YYYY-MM-DD, YYYY-MM or YYYY. When",
			"\n  speakers: null # {from: 2, to: 4}. How many", "\n  season: null # {from: 2026-04-01, to: 2026-09-30}. When", "\n  voiceOf: null #", "\n  shop: null # {name: Berlin, latitude: 52.52, longitude: 13.4}. Where", "\n  partners: [] # [slug-of-a-listing]. Listings", "\n  manual: null # {label: The manual, url: https://example.org/manual}. Where", "\n  portrait: null # {file: pictures/NAME.webp, alt: what one sees, source: where it is from}. How it looks", "\n  quirks: [] #")
		if err := os.Remove(draft); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("canonical form", func(t *testing.T) {
		runCommand(t, 0, "fmt", "--content", dir)
		checkContains(t, "the listing", readText(t, filepath.Join(dir, "projects", "paper-lantern.md")), "\n  accents: [irish, welsh]\n  hours: 12.5\n  fee: 2.5\n  firstSold: 2019-03\n  speakers: {from: 2, to: 4}\n  season: {from: 2026-04-01, to: 2026-09}\n  voiceOf: a Dublin actor\n"+
			"  shop: {name: Dublin, latitude: 53.35, longitude: -6.26}\n  partners: [copper-kettle]\n  manual: {label: How it works, url: https://code.example.org/manual}\n  portrait:\n")
	})
	t.Run("lint", func(t *testing.T) {
		wrong := contentWith(t, "wrong.md", "---\nname: Wrong\npurpose: Is wrong.\ncategory: speech-to-text\nrepositoryUrl: https://code.example.org/wrong\naddedAt: 2026-09-01\nfitNotes:\n"+
			"  quiet: perhaps\n  pace: fast\n  accents: [irish, scots]\n  hours: 25\n  fee: {amount: 101, currency: EUR}\n  firstSold: 2019-13\n  speakers: {from: 4, to: 2}\n  season: {from: 2026}\n  voiceOf: 7\n  shop: {latitude: 91, longitude: 0, name: X}\n  partners: [coper-kettle, wrong]\n  manual: {url: ftp://code.example.org}\n  portrait: {file: pictures/paper-lantren.png, alt: Screenshot of it}\n  quirks: odd\n---\nIt is wrong.\n")
		editFile(t, wrong, "taxonomy/facts.yml", func(text string) string { return text + addedFacts })
		writePicture(t, wrong, "paper-lantern.png")
		findings := runCommand(t, 1, "lint", "--content", wrong)
		checkContains(t, "lint", findings, `projects/wrong.md:8:10: quiet: "perhaps" is not allowed: write true, false or null`,
			`projects/wrong.md:9:9: pace: "fast" is not allowed: write one of slow, live, or null`, `projects/wrong.md:10:20: accents: "scots" is not allowed: write one of irish, welsh`,
			`projects/wrong.md:11:10: hours: 25 is out of bounds: a number from 1 to 24 is allowed`, `projects/wrong.md:12:17: amount: 101 is out of bounds: a number from 0 to 100 is allowed`,
			`projects/wrong.md:13:14: firstSold: "2019-13" is not allowed: write a real day, month or year as YYYY-MM-DD, YYYY-MM or YYYY, from the year 1 on`,
			`projects/wrong.md:14:20: from: 4 is more than to, which is 2: write the lesser first`, `projects/wrong.md:15:11: season: needs both ends: write {from: 2026-04-01, to: 2026-09-30}`,
			`projects/wrong.md:16:12: voiceOf: "7" is a number, but a text is expected`,
			`projects/wrong.md:17:20: latitude: 91 is out of bounds: a number from -90 to 90 is allowed`, `projects/wrong.md:18:14: partners: there is no listing "coper-kettle": did you mean copper-kettle?`,
			`projects/wrong.md:18:28: partners: "wrong" is the listing itself: name others, or remove it`, `projects/wrong.md:19:17: url: "ftp://code.example.org"`, `projects/wrong.md:20:20: file: the content folder has no file "pictures/paper-lantren.png": put the picture there, or correct the path; did you mean pictures/paper-lantern.png?`,
			`alt: says that it is a picture, which screen readers say anyway: begin with what one sees`, `source: is missing, but required`,
			`projects/wrong.md:21:11: quirks: is a text, but a list is expected`)
	})
	picture := regexp.MustCompile(`/assets/paper-lantern-[0-9a-f]{12}\.png`).FindString(s.do(t, "GET", "/api/v1/projects/paper-lantern").body)
	portrait := `{"url":"` + s.settings.URL(picture) + `","alt":"A paper lantern on a wooden desk","width":90,"height":66,"source":"https://code.example.org/lantern.png (2026-09-01)"}`
	t.Run("API", func(t *testing.T) {
		if got := s.getUnchecked(t, picture); got.status != 200 || !strings.HasPrefix(got.body, "\x89PNG") {
			t.Errorf("the picture %q is answered %d", picture, got.status)
		}
		checkContains(t, "the listing", s.do(t, "GET", "/api/v1/projects/paper-lantern").body,
			`"quiet":true,"pace":"live","accents":["irish","welsh"],"hours":12.5,"fee":{"amount":2.5,"currency":"EUR"},"firstSold":"2019-03","speakers":{"from":2,"to":4},"season":{"from":"2026-04-01","to":"2026-09"},"voiceOf":"a Dublin actor","shop":{"latitude":53.35,"longitude":-6.26,"name":"Dublin"},"partners":["copper-kettle"],"manual":{"url":"https://code.example.org/manual","label":"How it works"},"portrait":`+portrait+`,"quirks":["It stops at midnight"]`)
		checkContains(t, "a listing that says nothing of them", s.do(t, "GET", "/api/v1/projects/copper-kettle").body, `"quiet":null,"pace":null,"accents":[],"hours":null,"fee":null,"firstSold":null,"speakers":null,"season":null,"voiceOf":null,"shop":null,"partners":[],"manual":null,"portrait":null,"quirks":[]`)
		document := s.getUnchecked(t, api.PathOpenAPI).body
		checkContains(t, "the OpenAPI document", document, `"name":"quiet"`, `"name":"pace"`, `"name":"accents"`, `"name":"runHours"`, `"pace":{"type":["string","null"]`, `"hours":{"type":["number","null"]`, `"name":"maxFee"`, `"name":"soldBefore"`, `"Money":{`, `"Range":{`, `"Dates":{`, `"firstSold":{"type":["string","null"]`, `"enum":["relevance","popular","newest","recently-updated","trending","fee","firstSold","speakers","season"]`, `"voiceOf":{`, `"portrait":{`, `"Link":{`, `"Place":{`, `"name":"near"`, `"Picture":{`, `"quirks":{`)
		for _, query := range [][]string{{"quiet", "1"}, {"pace", "live"}, {"accents", "welsh"}, {"runHours", "12"}, {"maxFee", "2.5"}, {"soldBefore", "2019-03"}, {"soldBefore", "2019"}, {"speakers", "3"}, {"soldOn", "2026-09"}, {"soldOn", "2026-04-01"}, {"near", "53.5,-6.26"}, {"near", "52.5,-1.9,350"}, {"q", "Welsh"}} {
			answer := s.search(t, query...)
			if len(answer.Hits) != 1 || answer.Hits[0].Slug != "paper-lantern" {
				t.Errorf("%v finds %v", query, mapStrings(answer.Hits, hitSlug))
			}
			if counts, has := answer.Facets[query[0]]; has != slices.Contains([]string{"quiet", "pace", "accents"}, query[0]) || has && counts[0].Count != 1 {
				t.Errorf("the facet of %s is %v", query[0], counts)
			}
		}
		for _, query := range [][]string{{"runHours", "13"}, {"maxFee", "2.4"}, {"soldBefore", "2019-02"}, {"speakers", "5"}, {"soldOn", "2026-10"}, {"soldOn", "2026"}, {"near", "53.6,-6.26"}, {"near", "52.5,-1.9,300"}} {
			if answer := s.search(t, query...); answer.Total != 0 {
				t.Errorf("%v finds %v", query, mapStrings(answer.Hits, hitSlug))
			}
		}
		checkContains(t, "a wrong date", s.do(t, "GET", searchPath("soldBefore", "May")).body, `"May\" is no date: write a real day, month or year from the year 1 on, as YYYY-MM-DD, YYYY-MM or YYYY`)
		checkContains(t, "a wrong place", s.do(t, "GET", searchPath("near", "Dublin")).body, `"Dublin\" is no place: write LATITUDE,LONGITUDE or LATITUDE,LONGITUDE,KM`)
		checkContains(t, "the echo", s.do(t, "GET", searchPath("soldBefore", "2019", "maxFee", "3")).body, `"maxFee":3,"soldBefore":"2019"`)
		for key, order := range map[string]string{"fee": "By Monthly fee, lowest first; other currencies than EUR and unknown last.", "firstSold": "By First sold, latest first; unknown last.", "season": "By Season, earliest first; unknown last."} {
			if answer := s.search(t, "sort", key); answer.Hits[0].Slug != "paper-lantern" || answer.Hits[1].Slug != "copper-kettle" || answer.Sort.Applied != key || answer.Sort.Order != order {
				t.Errorf("sort=%s: %v %+v", key, mapStrings(answer.Hits, hitSlug), answer.Sort)
			}
			if list := s.do(t, "GET", "/api/v1/lists/"+key+"/1.json").body; !strings.HasPrefix(list, `{"projects":[{"slug":"paper-lantern"`) {
				t.Errorf("the list by %s begins with %.60s", key, list)
			}
		}
		checkContains(t, "the taxonomy", s.do(t, "GET", api.PathTaxonomy).body, `"unit":null,"currency":"EUR","sort":"asc","parameter":"maxFee","known":1`, `"unit":null,"currency":null,"sort":null,"parameter":"quiet"`)
	})
	t.Run("pages", func(t *testing.T) {
		checkContains(t, "llms.txt", s.getUnchecked(t, "/llms.txt").body, "- `quiet`:", "- `pace`:", "- `accents`:", "- `runHours`:", "- `maxFee`: What it costs a month. Finds listings where it is at most the given number, in EUR; amounts in another currency are not compared. Allowed: 0 to 100.", "- `soldBefore`:", "Allowed: YYYY-MM-DD, YYYY-MM or YYYY.", "trending, fee, firstSold, speakers, season.", "whisper mode")
		checkContains(t, "the page", s.getUnchecked(t, "/projects/paper-lantern/").body, "<caption>Noise</caption>", "Whisper mode</th><td class=\"yes\">yes", "while people talk", "Irish, Welsh", "12.5 h", "2–4 people", "<td>€2.50", "2026-04-01 – 2026-09", "a Dublin actor", "<td>Dublin", `Goes with</th><td><a href="/projects/copper-kettle/">Copper Kettle</a>`, `<a href="https://code.example.org/manual">How it works</a>`, "Quirks of the thing", "It stops at midnight",
			`<img src="`+picture+`" width="90" height="66" alt="A paper lantern on a wooden desk" loading="lazy" decoding="async">`, `"screenshot":[{"@type":"ImageObject","caption":"A paper lantern on a wooden desk","contentUrl":"`+s.settings.URL(picture))
		checkContains(t, "the page in Markdown", s.getUnchecked(t, "/projects/paper-lantern/index.html.md").body, "## Noise", "- Whisper mode: yes", "- Pace: while people talk", "- Hours a day: 12.5 h", "- Monthly fee: €2.50", "- First sold: 2019-03", "- Speakers: 2–4 people", "- Season: 2026-04-01 – 2026-09", "- Voice of: a Dublin actor", "- Shop: Dublin", "- Goes with: Copper Kettle", "- Manual: [How it works](https://code.example.org/manual)", "- It stops at midnight", "Portrait: [A paper lantern on a wooden desk]("+s.settings.URL(picture)+")")
		checkContains(t, "the page of a partner", s.getUnchecked(t, "/projects/copper-kettle/").body, `Goes under</th><td><a href="/projects/paper-lantern/">Paper Lantern</a>`)
		checkContains(t, "rows", s.getUnchecked(t, "/newest/").body, "Whispers", "Hours a day 12.5 h", "from €2.50", "sold since 2019-03", "for 2–4 people", "heard in Dublin")
		checkContains(t, "the search page", s.getUnchecked(t, "/search/").body, `name="quiet"`, `name="pace"`, `name="accents"`, `name="runHours"`, `<label for="f-maxFee">Monthly fee (EUR)</label> <input type="number" id="f-maxFee" name="maxFee" min="0" max="100"`, `name="soldBefore" title="2026-09-01, 2026-09 or 2026" placeholder="on or before 2026-09"`, `name="speakers"`, `name="soldOn"`, `name="near"`, `<option value="fee">Monthly fee, lowest first`, `<option value="firstSold">First sold, latest first`, `<option value="season">Season, earliest first`)
		checkContains(t, "the numbers", s.getUnchecked(t, "/numbers/").body, "Whisper mode", "Pace")
	})
	t.Run("MCP", func(t *testing.T) {
		client := s.mcpClient(t)
		tools, err := client.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		input, err := json.Marshal(tools.Tools)
		if err != nil {
			t.Fatal(err)
		}
		checkContains(t, "the input schema", string(input), `"quiet":{`, `"pace":{`, `"accents":{`, `"runHours":{`, `"maxFee":{`, `"soldBefore":{`)
		_, r := searchMCP(t, client, map[string]any{"quiet": "1", "runHours": 10, "view": "full"})
		checkContains(t, "the text", r.Content[0].(*sdk.TextContent).Text, "Paper Lantern", "Whispers", "Pace: while people talk", "Hours a day 12.5 h", "from 2.50 EUR", "sold since 2019-03", "for 2–4 people")
		one, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: api.ToolProject, Arguments: map[string]any{"slug": "paper-lantern", "view": "full"}})
		if err != nil {
			t.Fatal(err)
		}
		checkContains(t, "the text of one", one.Content[0].(*sdk.TextContent).Text, "Accents: Irish, Welsh", "Season: 2026-04-01 – 2026-09", "Voice of: “a Dublin actor”", "Shop: “Dublin” (53.35, -6.26)", "Goes with: copper-kettle", "Manual: “How it works” https://code.example.org/manual", "Portrait: “A paper lantern on a wooden desk” "+s.settings.URL(picture), "Quirks of the thing: “It stops at midnight”")
		one, err = client.CallTool(t.Context(), &sdk.CallToolParams{Name: api.ToolProject, Arguments: map[string]any{"slug": "paper-lantern"}})
		if err != nil {
			t.Fatal(err)
		}
		checkContains(t, "the brief text of one", one.Content[0].(*sdk.TextContent).Text, `"quiet":true`, `"accents":["irish","welsh"]`, `"hours":12.5`, `"fee":{"amount":2.5,"currency":"EUR"}`, `"speakers":{"from":2,"to":4}`, "It stops at midnight")
	})
	t.Run("command line", func(t *testing.T) {
		shown := runCommand(t, 0, "show", "paper-lantern", "--public", s.public)
		checkContains(t, "catalog show", shown, "Whisper mode", "while people talk", "Irish, Welsh", "12.5 h", "2.50 EUR", "2019-03", "2–4 people", "a Dublin actor", "Dublin (53.35, -6.26)", "copper-kettle", "How it works https://code.example.org/manual", "A paper lantern on a wooden desk", "It stops at midnight")
		found := runCommand(t, 0, "search", "--public", s.public, "--quiet", "1", "--run-hours", "12", "--accents", "irish", "--max-fee", "3", "--sold-before", "2020", "--sort", "fee")
		checkContains(t, "catalog search", found, "Paper Lantern", "1 of 1")
	})
	t.Run("comparison", func(t *testing.T) {
		soak.Long(t)
		b := newBrowser(t)
		b.do(t, chromedp.Navigate(s.base+"/compare/?slugs=paper-lantern,copper-kettle"), chromedp.WaitVisible("#compare table"))
		b.waitFor(t, `[...document.querySelectorAll("#compare td a")].some((a) => a.textContent === "Copper Kettle")`)
		rows := evaluate[[]string](t, b, `[...document.querySelectorAll("#compare tbody tr")].map((r) => [...r.cells].map((c) => c.textContent).join("|"))`)
		for _, want := range []string{"Whisper mode|yes|unknown", "Pace|while people talk|unknown", "Accents|Irish, Welsh|unknown", "Hours a day|12.5 h|unknown", "Monthly fee|€2.50|unknown", "First sold|2019-03|unknown", "Speakers|2–4 people|unknown", "Season|2026-04-01 – 2026-09|unknown", "Voice of|a Dublin actor|–", "Manual|How it works|–", "Shop|Dublin|–", "Goes with|Copper Kettle|–", "Portrait||–", "Quirks of the thing|It stops at midnight|–"} {
			if !slices.Contains(rows, want) {
				t.Errorf("the comparison has no row %q, but %q", want, rows)
			}
		}
		if size := evaluate[[]int](t, b, `[...document.querySelectorAll("#compare img")].map((i) => [i.naturalWidth, i.alt.length]).flat()`); !slices.Equal(size, []int{90, 32}) {
			t.Errorf("the pictures of the comparison have the sizes and texts %v", size)
		}
		b.do(t, chromedp.Navigate(s.base+"/projects/paper-lantern/"), chromedp.WaitVisible("figure img"))
		// Its height follows its width, with the ratio that its attributes give before it is loaded.
		if height := evaluate[float64](t, b, `(document.querySelector("figure").style.width = "45px", document.querySelector("figure img").getBoundingClientRect().height)`); height < 33 || height > 34 {
			t.Errorf("a picture in half its width is %v pixels high", height)
		}
		b.report(t)
	})
}

// softwareFacts matches words of the shipped facts.
var softwareFacts = regexp.MustCompile(`(?i)\b(GPUs?|V?RAM|memory|docker|beginners?|self-?hosted)\b`)

// TestNoFacts checks that without definitions of facts no output mentions any.
func TestNoFacts(t *testing.T) {
	t.Parallel()
	dir := smallContent(t)
	if err := os.Remove(filepath.Join(dir, "taxonomy", "facts.yml")); err != nil {
		t.Fatal(err)
	}
	facts := regexp.MustCompile(`(?m)^(?:fitNotes|setups):\n(?:  .*\n)+|^  (?:fitNotes\.|setups:).*\n`)
	listings, err := filepath.Glob(filepath.Join(dir, "projects", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	// Remove the words that come from listings and the taxonomy.
	for _, file := range append(listings, filepath.Join(dir, "taxonomy", "platforms.yml")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		neutral := strings.NewReplacer("slug: docker", "slug: harbour", "name: Docker", "name: Harbour", "docker]", "harbour]", "docker,", "harbour,").Replace(facts.ReplaceAllString(string(text), ""))
		if err := os.WriteFile(file, []byte(softwareFacts.ReplaceAllString(neutral, "box")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := newSite(t, dir, func(settings *site.Settings) { settings.Jobs = nil })
	checkNoFacts := func(where, text string) {
		t.Helper()
		for _, match := range softwareFacts.FindAllStringIndex(text, -1) {
			t.Errorf("%s: …%s…", where, text[max(0, match[0]-80):min(len(text), match[1]+40)])
		}
	}
	// The contract lists the kinds of installation links.
	kinds := strings.NewReplacer(`"docker","pip"`, `"pip"`, "docker, pip", "pip", "&quot;docker&quot;", "", `"docker",`, "")
	seen := 0
	err = fs.WalkDir(os.DirFS(s.public), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !slices.Contains([]string{".html", ".md", ".txt", ".json", ".js", ".xml"}, path.Ext(name)) {
			return err
		}
		text, err := os.ReadFile(filepath.Join(s.public, name))
		seen++
		checkNoFacts(name, kinds.Replace(string(text)))
		return err
	})
	if err != nil || seen < 30 {
		t.Errorf("%d files were read: %v", seen, err)
	}
	checkNoFacts("the search", s.do(t, "GET", searchPath("q", "meetings")).body)
	client := s.mcpClient(t)
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	checkNoFacts("the tools", asJSON(tools))
	checkNoFacts("the instructions", client.InitializeResult().Instructions)
	_, r := searchMCP(t, client, map[string]any{"q": "meetings"})
	checkNoFacts("the text of a search", r.Content[0].(*sdk.TextContent).Text)
	for _, args := range [][]string{
		{"schema", "--content", dir}, {"search", "--public", s.public, "--help"}, {"search", "--public", s.public, "meetings"}, {"show", "paper-lantern", "--public", s.public},
	} {
		checkNoFacts(fmt.Sprint(args), kinds.Replace(strings.ReplaceAll(runCommand(t, 0, args...), "\"docker\",\n", "")))
	}
}
