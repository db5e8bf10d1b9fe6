package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
)

// namingIndex has a listing that replaces each of many products, and a second one that
// replaces Midjourney.
func namingIndex(t testing.TB) *Engine {
	t.Helper()
	taxonomy := apitest.Taxonomy()
	taxonomy.Words.Weak = []string{"ai"}
	taxonomy.Products = nil
	var names []string
	for _, text := range []string{
		"Midjourney, Mid Journey", "ChatGPT", "Notion", "Pocket", "Make, make.com", "Cursor, Cursor AI", "Windsurf", "Character.AI, c.ai", "InVideo AI, InVideo", "D-ID",
		"GitHub Copilot, Copilot", "Microsoft Copilot, Copilot", "Google Search, Google", "Google Cloud Speech-to-Text", "Google Photos", "Claude", "Claude Code", "I Love PDF",
	} {
		name, aliases, _ := strings.Cut(text, ", ")
		p := api.Product{Slug: strings.ReplaceAll(strings.ToLower(name), " ", "-"), Name: name, Maker: name}
		if strings.HasPrefix(name, "Google") {
			p.Maker = "Google"
		}
		if aliases != "" {
			p.Aliases = strings.Split(aliases, ", ")
		}
		taxonomy.Products, names = append(taxonomy.Products, p), append(names, name)
	}
	taxonomy.Products = append(taxonomy.Products, api.Product{Slug: "evernote", Name: "Evernote"}) // nothing replaces it
	return openWith(t, taxonomy,
		apitest.Listing("all", func(p *api.ProjectDetail) { p.Replaces = names }),
		apitest.Listing("painter", func(p *api.ProjectDetail) { p.Replaces = []string{"Midjourney"} }),
	)
}

func TestNamedProducts(t *testing.T) {
	ix := namingIndex(t)
	for _, c := range []struct{ query, want string }{
		{"", ""},
		{"chat", ""},
		{"evernote alternative", ""},
		{"chatgpt", "ChatGPT"},
		{"chat gpt alternative", "ChatGPT"},
		{"Instead of MIDJOURNEY", "Midjourney"},
		{"mid journey", "Midjourney"},
		{"midjurney alternative", "Midjourney"}, // corrected
		{"google cloud speech to text", "Google Cloud Speech-to-Text"},
		{"copilot", "GitHub Copilot, Microsoft Copilot"},
		{"github copilot", "GitHub Copilot"},
		{"midjourney chatgpt notion windsurf", "Midjourney, ChatGPT, Windsurf"},
		{"chatgpt windsurf midjourney claude", "ChatGPT, Windsurf, Midjourney"}, // at most 3
		{"claude code on linux", "Claude Code"},                                 // the longest name
		// What somebody keeps.
		{"paste code into chatgpt", ""},
		{"plugin for claude code", ""},
		{"replacement for claude code", "Claude Code"},
		// Ordinary words.
		{"notion", "Notion"},
		{"free notion app on linux", "Notion"},
		{"notion ai", "Notion"},
		{"NotionAI", "Notion"}, // corrected
		{"i have no notion of cooking", ""},
		{"pocket knife", ""},
		{"something like pocket for articles", "Pocket"},
		{"replace pocket", "Pocket"},
		{"pocket alternative", "Pocket"},
		{"cursor but local", "Cursor"},
		{"draw a cursor but bigger", ""},
		{"cursor or windsurf for work", "Cursor, Windsurf"},
		{"pocket cursor moves", ""},
		{"character ai", "Character.AI"},
		{"character voices", ""},
		{"make", "Make"},
		{"make a song", ""},
		{"make it for me", ""},
		{"instead of make", "Make"},
		{"google colab alternative", ""},
		{"google alternative", "Google Search"},
		// Words that are a name only when joined.
		{"track people in video", ""},
		{"what my players did", ""},
		{"i love pdf", "I Love PDF"},
		{"i love pdf files and images", ""},
	} {
		var names []string
		for _, p := range searchText(ix, c.query).Products {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("%q names %q, want %q", c.query, got, c.want)
		}
	}
	// Filters do not change the counts.
	got := search(ix, api.SearchQuery{Q: "midjourney", Limit: 1, Filters: api.Filters{Values: map[string][]string{"docker": {"1"}}}}).Products
	want := api.NamedProduct{Name: "Midjourney", PageURL: "http://localhost:8080/alternatives/midjourney/", Alternatives: 2}
	if !slices.Equal(got, []api.NamedProduct{want}) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := fmt.Sprint(&want); got != "2 alternatives to Midjourney: http://localhost:8080/alternatives/midjourney/" {
		t.Error(got)
	}
}

func TestFindingNamesAllocatesNothing(t *testing.T) {
	ix := namingIndex(t)
	s := ix.acquire()
	defer s.release()
	q := api.SearchQuery{Q: "turn my cursor recordings into text and make pictures in a pocket book for children"}
	p := ix.parse(&q)
	if n := testing.AllocsPerRun(100, func() { s.findNamed(&p, "", &q) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFindNamed(b *testing.B) {
	ix := namingIndex(b)
	s := ix.acquire()
	defer s.release()
	for _, text := range []string{
		"turn my cursor recordings into text and make pictures in a pocket book for children", "instead of midjourney",
	} {
		q := api.SearchQuery{Q: text}
		p := ix.parse(&q)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				s.findNamed(&p, "", &q)
			}
		})
	}
}
