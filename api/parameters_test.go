package api_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/site"
)

var parameters = func() []api.Parameter {
	settings := site.Defaults()
	return api.SearchParameters(&settings, &api.Taxonomy{
		Categories: []api.Category{{Slug: "chat"}, {Slug: "image-editing"}}, Platforms: []api.Platform{{Slug: "linux"}, {Slug: "docker"}},
		Facts: apitest.Facts(),
	})
}()

// Texts for agents speak of a job only where listings are software.
func TestWanted(t *testing.T) {
	software, games := site.Defaults(), site.Defaults()
	games.Without = []string{"repositoryUrl", "platforms", "license", "stars", "installLinks"}
	both := games
	both.Without = append(both.Without, "replaces")
	for _, test := range []struct {
		settings     site.Settings
		by, asks     string
		wanted, lack string
	}{
		{software, "by job, name or product to replace. ", "a job, a tool or a proprietary product.", "job", "wish"},
		{games, "by wish, name or product to replace. ", "a wish, a name or a product to replace.", "wish", "job"},
		{both, "by wish or name. ", "a wish or a name.", "wish", "job"},
		{both, "", "If absent: relevance with q, else popular, which is by slug.", "wish", "job"},
	} {
		taxonomy := api.Taxonomy{}
		search := api.SearchParameters(&test.settings, &taxonomy)
		texts := append(taxonomy.FileSteps(&test.settings), taxonomy.Steps(&test.settings, "search", "Fetch.")...)
		for _, tool := range api.Tools(&test.settings, search) {
			texts = append(texts, tool.Description)
		}
		for _, p := range search {
			texts = append(texts, p.Description, p.Short)
		}
		said := strings.Join(texts, "\n")
		for _, want := range []string{test.by, test.asks, "with the user's " + test.wanted + " and constraints."} {
			if !strings.Contains(said, want) {
				t.Errorf("without %v, %q is not in %s", test.settings.Without, want, said)
			}
		}
		if strings.Contains(said, test.lack) {
			t.Errorf("without %v, %q is in %s", test.settings.Without, test.lack, said)
		}
	}
}

func TestParseList(t *testing.T) {
	for _, test := range []struct {
		query         string
		limit, offset int
		wrong         []string // parameters with errors
	}{
		{query: "", limit: 50},
		{query: "limit=1", limit: 1},
		{query: "limit=100&offset=7", limit: 100, offset: 7},
		{query: "offset=9223372036854775807", limit: 50, offset: math.MaxInt},
		{query: "unknown=1&unknown=2", limit: 50},
		{query: "limit=0", wrong: []string{"limit"}},
		{query: "limit=101&offset=-1", wrong: []string{"limit", "offset"}},
		{query: "limit=", wrong: []string{"limit"}},
		{query: "limit=1e1", wrong: []string{"limit"}},
		{query: "limit=%2B5", wrong: []string{"limit"}},
		{query: "limit=5.0", wrong: []string{"limit"}},
		{query: "limit=99999999999999999999", wrong: []string{"limit"}},
		{query: "limit=1&limit=2", wrong: []string{"limit"}},
		{query: "limit=1&limit=2&limit=3", wrong: []string{"limit"}},
		{query: "limit=%zz", wrong: []string{"limit"}},
		{query: "limit=%ff", wrong: []string{"limit"}},
		{query: "offset=9223372036854775808", limit: 50, offset: math.MaxInt},
		{query: "offset=-9223372036854775809", wrong: []string{"offset"}},
	} {
		t.Run(test.query, func(t *testing.T) {
			q, _, errs := api.ParseList(test.query)
			checkErrors(t, errs, test.wrong)
			if len(test.wrong) == 0 && (q.Limit != test.limit || q.Offset != test.offset) {
				t.Errorf("got limit %d, offset %d; want %d, %d", q.Limit, q.Offset, test.limit, test.offset)
			}
		})
	}
}

// Values are parsed once, and texts are as a request has them.
func TestFilterTexts(t *testing.T) {
	settings, taxonomy := site.Defaults(), api.Taxonomy{Categories: []api.Category{{Slug: "chat"}}, Facts: apitest.Facts()}
	q, _, wrong := api.ParseSearch("ramGb=15.50&gpuVendor=nvidia&maxRamGb=8.0&docker=1&category=chat,chat", api.SearchParameters(&settings, &taxonomy))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for name, want := range map[string]string{"ramGb": "[15.5]", "gpuVendor": "[nvidia]", "maxRamGb": "[8]", "docker": "[1]", "category": "[chat]", "vramGb": "[]", "arch": "[]"} {
		if got := fmt.Sprint(q.Filters.Texts(name)); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestParseSearch(t *testing.T) {
	for _, test := range []struct {
		query string
		want  api.SearchQuery
		wrong []string
	}{
		{query: "", want: api.SearchQuery{Limit: 10}},
		{query: "q=&category=&platform=&license=&sort=", want: api.SearchQuery{Limit: 10}},
		{query: "q=+a+b+", want: api.SearchQuery{Q: "a b", Limit: 10}},
		{query: "category=CHAT,image-editing,chat,,", want: api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"category": {"chat", "image-editing"}}}, Limit: 10}},
		{query: "category=chat&category=image-editing", want: api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"category": {"chat", "image-editing"}}}, Limit: 10}},
		{query: "platform=linux&category=chat&platform=docker,linux&platform=", want: api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"category": {"chat"}, "platform": {"linux", "docker"}}}, Limit: 10}},
		{query: "license=MIT&license=Apache-2.0&license=mit", want: api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"MIT", "Apache-2.0"}}}, Limit: 10}},
		{query: "license=MIT" + strings.Repeat(",MIT", 49), want: api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"MIT"}}}, Limit: 10}},
		{query: "facets=0", want: api.SearchQuery{Limit: 10, NoFacets: true}},
		{query: "view=brief", want: api.SearchQuery{Limit: 10, NoFacets: true, Brief: true}},
		{query: "view=full&facets=0", want: api.SearchQuery{Limit: 10, NoFacets: true}},
		{query: "view=", want: api.SearchQuery{Limit: 10}},
		{query: "correct=0", want: api.SearchQuery{Limit: 10, AsSpelt: true}},
		{query: "facets=1", want: api.SearchQuery{Limit: 10}},
		{query: "category=,", want: api.SearchQuery{Limit: 10}},
		{query: "license=MIT,%20mit,Apache-2.0", want: api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"MIT", "Apache-2.0"}}}, Limit: 10}},
		{query: "license=No-Such-License", want: api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"No-Such-License"}}}, Limit: 10}},
		{query: "docker=1&beginner=0&gpu=0&selfHosted=1", want: api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"docker": {"1"}, "beginner": {"0"}, "gpu": {"0"}, "selfHosted": {"1"}}}, Limit: 10}},
		{query: "maxRamGb=8&q=a", want: api.SearchQuery{Q: "a", Filters: api.Filters{Numbers: map[string]float64{"maxRamGb": 8}}, Limit: 10}},
		{query: "maxRamGb=", want: api.SearchQuery{Limit: 10}},
		// Programs print a float64 with up to 17 digits: 16276992 kB in GB, for example.
		{query: "maxRamGb=15.52295684814453", want: api.SearchQuery{Filters: api.Filters{Numbers: map[string]float64{"maxRamGb": 15.52295684814453}}, Limit: 10}},
		{query: "maxRamGb=0.76293945312500001", want: api.SearchQuery{Filters: api.Filters{Numbers: map[string]float64{"maxRamGb": 0.7629394531250000}}, Limit: 10}},
		{query: "maxRamGb=8." + strings.Repeat("0", 21), wrong: []string{"maxRamGb"}},
		{query: "maxRamGb=1.5", want: api.SearchQuery{Filters: api.Filters{Numbers: map[string]float64{"maxRamGb": 1.5}}, Limit: 10}},
		{query: "maxRamGb=0.25", wrong: []string{"maxRamGb"}},
		{query: "maxRamGb=1e3", wrong: []string{"maxRamGb"}},
		{query: "maxRamGb=NaN", wrong: []string{"maxRamGb"}},
		{query: "maxRamGb=8&maxRamGb=9", wrong: []string{"maxRamGb"}},
		{query: "sort=trending&limit=50", want: api.SearchQuery{Sort: "trending", Limit: 50}},
		{query: "q=" + strings.Repeat("%C3%A4", 256), want: api.SearchQuery{Q: strings.Repeat("ä", 256), Limit: 10}},
		{query: "q=" + strings.Repeat("a", 257), wrong: []string{"q"}},
		{query: "q=%FF", wrong: []string{"q"}},
		{query: "q=%", wrong: []string{"q"}},
		{query: "q=a&q=b", wrong: []string{"q"}},
		{query: "q=&q=", wrong: []string{"q"}},
		{query: "sort=popular&sort=popular", wrong: []string{"sort"}},
		{query: "docker=1&docker=1", wrong: []string{"docker"}},
		{query: "facets=1&facets=0&facets=x", wrong: []string{"facets"}},
		{query: "facets=", wrong: []string{"facets"}},
		{query: "facets=no", wrong: []string{"facets"}},
		{query: "license=MIT" + strings.Repeat(",MIT", 50), wrong: []string{"license"}},
		{query: "license=MIT" + strings.Repeat("&license=MIT", 50), wrong: []string{"license"}},
		{query: "category=" + strings.Repeat("nonsense,", 50), wrong: []string{"category"}},
		{query: "category=chat&category=%zz&category=%FF&category=nonsense", wrong: []string{"category"}},
		{query: "license=%3C,%3E&license=%3D", wrong: []string{"license"}},
		{query: "docker=true", wrong: []string{"docker"}},
		{query: "docker=", wrong: []string{"docker"}},
		{query: "sort=Popular", wrong: []string{"sort"}},
		{query: "category=chat,nonsense", wrong: []string{"category"}},
		{query: "platform=amiga", wrong: []string{"platform"}},
		{query: "license=%3Cscript%3E", wrong: []string{"license"}},
		{query: "limit=51&category=x&docker=2&q=%FF&sort=z&gpu=y", wrong: []string{"q", "category", "gpu", "docker", "sort", "limit"}},
	} {
		t.Run(test.query, func(t *testing.T) {
			q, _, errs := api.ParseSearch(test.query, parameters)
			checkErrors(t, errs, test.wrong)
			if len(test.wrong) > 0 {
				return
			}
			if got, want := format(q), format(test.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func format(q api.SearchQuery) string {
	return strings.Join([]string{q.Q, q.Sort, fmt.Sprint(q.Filters, q.Limit, q.NoFacets, q.AsSpelt, q.Brief)}, "|")
}

func checkErrors(t *testing.T, errs []api.ParameterError, want []string) {
	t.Helper()
	var got []string
	for _, e := range errs {
		got = append(got, e.Parameter)
		if e.Message == "" {
			t.Errorf("%s: no message", e.Parameter)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("wrong parameters: got %v, want %v (%v)", got, want, errs)
	}
}

// Errors name the wrong value and what is allowed.
func TestParameterErrorsSayWhatIsAllowed(t *testing.T) {
	_, _, errs := api.ParseSearch("limit=500&platform=amiga&docker=yes", parameters)
	text := ""
	for _, e := range errs {
		text += e.Parameter + ": " + e.Message + " " + strings.Join(e.Allowed, ",") + "\n"
	}
	for _, want := range []string{`"500"`, "1 to 50", `"amiga"`, "linux,docker", `"yes"`, "0,1"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestManyUnknownParameters(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("u%d=1", i))
	}
	_, warnings, errs := api.ParseSearch(strings.Join(names, "&")+"&limit=3", parameters)
	if len(errs) != 0 || len(warnings) != 8 || warnings[0].Parameter != "u0" || warnings[7].Parameter != "u7" {
		t.Errorf("%v, %d warnings: %v", errs, len(warnings), warnings)
	}
}

func TestUnknownParametersAreWarnedAbout(t *testing.T) {
	_, warnings, errs := api.ParseSearch("catgory=chat&catgory=x&self_hosted=1", parameters)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if len(warnings) != 2 {
		t.Fatalf("got %d warnings, want 2: %v", len(warnings), warnings)
	}
	for i, nearest := range []string{`"category"`, `"selfHosted"`} {
		if warnings[i].Code != api.WarnUnknownParameter || !strings.Contains(warnings[i].Message, nearest) {
			t.Errorf("warning %v does not name %s", warnings[i], nearest)
		}
	}
}

// Unknown parameters have warnings in the list and in a search; tracking parameters have none.
func TestTrackingParametersHaveNoWarning(t *testing.T) {
	_, warnings, errs := api.ParseList("ofset=5&utm_source=x&limit=1")
	if len(errs) > 0 || len(warnings) != 1 || warnings[0].Parameter != "ofset" || !strings.Contains(warnings[0].Message, `"offset"`) {
		t.Errorf("%v, %v", warnings, errs)
	}
	for _, raw := range []string{"utm_source=a&utm_medium=b&UTM_Campaign=c", "fbclid=x&gclid=y&msclkid=z", "mc_cid=1&mc_eid=2&igshid=3&ref=4&_hsenc=5"} {
		if _, warnings, _ := api.ParseList(raw); len(warnings) > 0 {
			t.Errorf("the list warns of %s: %v", raw, warnings)
		}
		if _, warnings, _ := api.ParseSearch(raw, parameters); len(warnings) > 0 {
			t.Errorf("the search warns of %s: %v", raw, warnings)
		}
	}
	for _, raw := range []string{"utm=1", "reff=1", "preference=1"} {
		if _, warnings, _ := api.ParseSearch(raw, parameters); len(warnings) != 1 {
			t.Errorf("%s has the warnings %v", raw, warnings)
		}
	}
}

// The number of values is checked before the values.
func TestTooManyValuesSayHowMany(t *testing.T) {
	for _, raw := range []string{"license=" + strings.Repeat("MIT,", 2200), strings.Repeat("category=nonsense&", 400)} {
		_, _, errs := api.ParseSearch(raw, parameters)
		if len(errs) != 1 || !strings.Contains(errs[0].Message, "more than 50 values in one list") || len(errs[0].Message) > 200 {
			t.Errorf("%.20s…: %v", raw, errs)
		}
	}
}

func FuzzParseSearch(f *testing.F) {
	for _, seed := range []string{"q=a&limit=5", "category=chat,%20&docker=1", "q=%ff&q=", "license=MIT%20OR%20X", "category=chat&category=x,&license=a&license=<", "facets=0&utm_a=b", "&&=&%=%", strings.Repeat("a=b&", 50)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, warnings, errs := api.ParseSearch(raw, parameters)
		if len(errs) > 0 {
			for _, e := range errs {
				if e.Message == "" || !utf8.ValidString(e.Message) {
					t.Errorf("error about %s is empty or not UTF-8: %q", e.Parameter, e.Message)
				}
			}
			return
		}
		if q.Limit < 1 || q.Limit > 50 || utf8.RuneCountInString(q.Q) > api.MaxQueryLength || !utf8.ValidString(q.Q) {
			t.Errorf("out of bounds: %+v", q)
		}
		for _, c := range q.Filters.Values["category"] {
			if !slices.Contains(parameters[1].Allowed, c) {
				t.Errorf("category %q is not allowed", c)
			}
		}
		if len(warnings) > 8 {
			t.Errorf("%d warnings", len(warnings))
		}
	})
}
