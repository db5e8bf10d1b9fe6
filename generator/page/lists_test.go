package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/render"
)

// A title says "open source" only of what is, and the others have a group of their own.
func TestTitlesOfAlternatives(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		approved []*bool
		title    string
		groups   []string
	}{
		{[]*bool{&yes, &yes}, "Open-source alternatives to ", []string{""}},
		{[]*bool{&no}, "Source-available alternatives to ",
			[]string{"Not open source: the source can be read, under limits"}},
		{[]*bool{&no, &yes}, "Alternatives to ", []string{"Open source",
			"Not open source: the source can be read, under limits"}},
		{[]*bool{nil, &yes}, "Alternatives to ", []string{"Open source", "Licence unknown"}},
	} {
		s := smallSite(t)
		for i, approved := range c.approved {
			add(s, fmt.Sprintf("t%d", i), func(p *api.ProjectDetail) { p.OSIApproved = approved })
		}
		groups, title := ready(t, s).byOpenness("X", s.Listings)
		var titles []string
		for _, g := range groups {
			titles = append(titles, g.title)
		}
		if title != c.title+"X" || !slices.Equal(titles, c.groups) {
			t.Errorf("%v: the title %q, the groups %q", c.approved, title, titles)
		}
	}
}

// A short list has no filters, and leads to the rest of its category.
func TestShortLists(t *testing.T) {
	license := "MIT"
	s := smallSite(t)
	for i := range 12 {
		add(s, fmt.Sprintf("t%d", i), func(p *api.ProjectDetail) {
			if i == 0 {
				p.License = &license
			}
		})
	}
	files := built(t, s)
	short, long := files["licenses/mit/index.html"], files["newest/index.html"]
	for _, want := range []string{"More in this category", ">All 12 in "} {
		if !strings.Contains(short, want) || strings.Contains(long, want) {
			t.Errorf("%q is not on the short list alone", want)
		}
	}
	if n := strings.Count(short, `<th scope="row">`); n != 1+moreShown {
		t.Errorf("the short list has %d rows", n)
	}
	if strings.Contains(short, `id="facets"`) || !strings.Contains(long, `id="facets"`) ||
		files["licenses/mit/"+render.TableFile] != "" {
		t.Error("the filters are not on the long list alone")
	}
}

// The file for the filters of a list of more than half of all listings only names them.
func TestLongListsRefer(t *testing.T) {
	s := smallSite(t)
	for i := range 2 * render.MinFiltered {
		platform := "linux"
		if i < render.MinFiltered {
			platform = "macos"
		}
		add(s, fmt.Sprintf("t%02d", i), func(p *api.ProjectDetail) { p.Platforms = []string{platform} })
	}
	add(s, "last", func(p *api.ProjectDetail) { p.Platforms = []string{"linux"} })
	s.Content.Taxonomy.Platforms = append(s.Content.Taxonomy.Platforms, api.Platform{Slug: "macos", Name: "macOS"})
	files := built(t, s)
	long, short := files["platforms/linux/"+render.TableFile], files["platforms/macos/"+render.TableFile]
	if want := `[{"title":"","rows":["t06","t07","t08","t09","t10","t11","last"]}]`; strings.TrimSpace(long) != want {
		t.Errorf("the list of 7 of 13 has %s", long)
	}
	if !strings.HasPrefix(short, `[{"title":"","rows":[{"slug":"t00",`) {
		t.Errorf("the list of 6 of 13 has %s", short)
	}
	if all := files["newest/"+render.TableFile]; strings.Count(all, `"slug":`) != 13 {
		t.Errorf("the list of all has %s", all)
	}
}

// A filter is offered if it tells listings apart.
func TestFiltersTellApart(t *testing.T) {
	s := smallSite(t)
	s.Content.Taxonomy.Fact("gpu").Filter = &api.FactFilter{Parameter: "gpu"}
	for i := range 100 {
		add(s, fmt.Sprintf("t%d", i), func(p *api.ProjectDetail) {
			p.FitNotes.Set("docker", i > 0)
			if p.FitNotes.Set("gpu", "none"); i < 10 {
				p.FitNotes.Set("gpu", "required")
			}
		})
	}
	v := ready(t, s).filtersOf(s.Listings, render.Link{})
	var names []string
	for _, f := range slices.Concat(v.Facts, v.Boxes) {
		for _, c := range f.Choices {
			if c.Count == 0 {
				t.Errorf("%s=%s finds nothing", f.Name, c.Slug)
			}
		}
		if !f.IsNumber {
			names = append(names, f.Name)
		}
	}
	if want := []string{"gpu"}; !slices.Equal(names, want) {
		t.Errorf("the filters are %q, want %q", names, want)
	}
}

// Products are listed by the group of the category that most of their alternatives have.
func TestProductOverview(t *testing.T) {
	s := smallSite(t)
	for i, category := range []string{"video", "chat", "chat"} {
		add(s, fmt.Sprintf("t%d", i), func(p *api.ProjectDetail) {
			p.Category, p.Replaces = category,
				[]string{"Paid"}
		})
	}
	r := ready(t, s)
	chat, _ := r.Content.Taxonomy.Category("chat")
	groups := overview{catalog: r}.products()
	if len(groups) != 1 || groups[0].Name != chat.Group || groups[0].Links[0].Title != "Paid" ||
		groups[0].Links[0].Count != 3 {
		t.Errorf("the groups are %+v", groups)
	}
}

// A field for an amount is offered if there are amounts in its currency.
func TestFilterByMoney(t *testing.T) {
	for currency, want := range map[string]int{"EUR": 1, "USD": 0} {
		s := smallSite(t)
		s.Content.Taxonomy.Facts = append(s.Content.Taxonomy.Facts, api.Fact{Key: "fee", Kind: api.FactMoney, Label: "Fee",
			Currency: "EUR", Filter: &api.FactFilter{Parameter: "maxFee", Match: api.MatchAtMost}})
		for i := range render.MinFiltered {
			add(s, fmt.Sprintf("t%d", i), func(p *api.ProjectDetail) {
				p.FitNotes.Set("fee", api.Money{Amount: 2, Currency: currency})
			})
		}
		v := ready(t, s).filtersOf(s.Listings, render.Link{})
		if got := slices.IndexFunc(v.Facts, func(f filterView) bool { return f.Name == "maxFee" }) + 1; min(got, 1) != want {
			t.Errorf("%s: the fields are %+v", currency, v.Facts)
		}
	}
}

// What matters to people is filtered by first, before the platforms and categories.
func TestWhatMattersIsFirst(t *testing.T) {
	s := smallSite(t)
	for i := range s.Content.Taxonomy.Facts {
		if f := &s.Content.Taxonomy.Facts[i]; f.Key == "languages" {
			f.Filter, f.Matters = &api.FactFilter{Parameter: "languages"}, map[string]string{"de": "Speaks German"}
		}
	}
	for i := range render.MinFiltered {
		add(s, fmt.Sprintf("t%d", i), func(p *api.ProjectDetail) {
			p.Platforms = []string{"linux"}[:i%2]
			p.FitNotes.Set("docker", i%2 == 0)
			p.FitNotes.Set("languages", []string{"de", "en"}[i%2:])
		})
	}
	v := ready(t, s).filtersOf(s.Listings, render.Link{})
	var names []string
	for _, f := range append(v.Facts, v.Boxes...) {
		names = append(names, f.Name)
	}
	if want := []string{"docker", "languages", "platform"}; !slices.Equal(names, want) {
		t.Errorf("the filters are %v, want %v", names, want)
	}
}

// Where no fact is shown in rows, and nothing is said of platforms and computers, tables have no column for it.
func TestNoFitWithoutChips(t *testing.T) {
	s := smallSite(t)
	add(s, "ant", nil)
	all := func() string {
		files := built(t, s)
		text := files["newest/index.html"] + files["newest/index.html.md"]
		for name := range files {
			if strings.HasPrefix(name, "assets/") && strings.HasSuffix(name, ".js") {
				text += files[name]
			}
		}
		return text
	}
	marks := []string{">Facts</th>", `class="fit"`, "facts unknown"}
	for i, text := range []string{all(), ""} {
		if i > 0 {
			s.Settings.Without = []string{"platforms"}
			for i := range s.Content.Taxonomy.Facts {
				s.Content.Taxonomy.Facts[i].Chip = nil
			}
			text = all()
		}
		for _, mark := range append(marks, "fit:!0") {
			if strings.Contains(text, mark) != (i == 0) {
				t.Errorf("with facts in rows %t, %s is there: %t", i == 0, mark, i != 0)
			}
		}
	}
}

// Pages speak of sources, and of facts without one as judged, only if some listing has sources.
func TestCountWithoutSources(t *testing.T) {
	s := smallSite(t)
	add(s, "ant", func(p *api.ProjectDetail) { p.Sources = nil; p.FitNotes.Set("docker", true) })
	files := built(t, s)
	if home := files["index.html"]; !strings.Contains(home, ">1 listing<") || strings.Contains(home, "their sources") {
		t.Errorf("the home page is %s", home)
	}
	if page := files["projects/ant/index.html"]; strings.Contains(strings.ToLower(page), "judged") {
		t.Errorf("the page calls facts judged: %s", page)
	}
	s.Listings[0].Sources = map[string]string{"license": "A letter"}
	files = built(t, s)
	if home := files["index.html"]; !strings.Contains(home, "1 listing with facts and their sources.") {
		t.Errorf("with a source, it is %s", home)
	}
	if page := files["projects/ant/index.html"]; !strings.Contains(page, ">judged<") {
		t.Errorf("with a source, the page is %s", page)
	}
}
