package apitest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// Listings returns n listings that share many words, names and facts.
func Listings(n int) []api.ProjectDetail {
	r := rand.New(rand.NewPCG(5, 6))
	words := strings.Fields("chat image speech text voice video local model server agent search photo meeting " +
		"transcribe paint summary translate document music game")
	some := func(low, high int) string {
		var list []string
		for range low + r.IntN(high-low+1) {
			// The product of two random numbers makes the first words frequent and the last rare.
			list = append(list, words[r.IntN(len(words))*r.IntN(len(words))/len(words)])
		}
		return strings.Join(list, " ")
	}
	setups := []hardware.Setup{
		{For: "small \"models\"", Level: hardware.LevelMinimum, RAMGb: new(8.0)},
		{For: "large models", Level: hardware.LevelExample, RAMGb: new(64.0)},
		{For: "pictures", Level: hardware.LevelMinimum, VRAMGb: new(6.0), GPUVendor: new("nvidia")},
	}
	flag := func() any { return []any{nil, false, true}[r.IntN(3)] }
	list := make([]api.ProjectDetail, n)
	for i := range list {
		list[i] = Listing(fmt.Sprintf("p-%05d", i), func(p *api.ProjectDetail) {
			p.Name = "Tool " + some(0, 2) + fmt.Sprint(i)
			p.Purpose = some(3, 8)
			p.Prose = some(10, 40) + " <b>&</b> \u2028 \"quoted\"\\ "
			if r.IntN(3) == 0 {
				p.Jobs = []string{some(1, 3), some(2, 4)}
			}
			if r.IntN(4) == 0 {
				p.Topics = []string{some(1, 1), some(1, 2)}
			}
			if r.IntN(5) == 0 {
				p.Replaces = []string{[]string{"ChatGPT", "Otter.ai", "Chat Video Studio"}[r.IntN(3)]}
			}
			if r.IntN(3) > 0 {
				p.Stars = new(r.IntN(50))
			}
			p.AddedAt = api.Date(fmt.Sprintf("2026-%02d-01", 1+r.IntN(9)))
			if r.IntN(2) == 0 {
				p.UpdatedAt = new(api.Date(fmt.Sprintf("2025-%02d-01", 1+r.IntN(9))))
			}
			p.Category = []string{"chat", "speech"}[r.IntN(2)]
			p.Platforms = []string{"linux", "macos"}[:r.IntN(3)]
			p.License = []*string{nil, new("MIT"), new("MIT OR Apache-2.0"), new("AGPL-3.0-only")}[r.IntN(4)]
			p.FitNotes = FitNotes("docker", flag(), "beginner", flag(), "selfHosted", flag(), "gpu",
				[]any{nil, "none", "optional", "required"}[r.IntN(4)])
			p.FitNotes.SetSetups(Facts(), setups[:r.IntN(len(setups)+1)])
			if i%4 == 3 {
				p.RunsWith = []string{"p-00000", "p-00002"}
			}
		})
	}
	return list
}

// Listing returns a small valid listing; change may be nil.
func Listing(slug string, change func(*api.ProjectDetail)) api.ProjectDetail {
	p := api.ProjectDetail{Project: api.Project{
		FitNotes: FitNotes(),
		Slug:     slug, Name: slug, Purpose: "Does a thing nobody asks for.", Category: "chat",
		PageURL: "http://localhost:8080/projects/" + slug + "/", RepositoryURL: "https://github.com/x/" + slug,
		AddedAt: "2026-01-01",
	}}
	if change != nil {
		change(&p)
	}
	return p.Normalized()
}

// Taxonomy returns a small taxonomy.
func Taxonomy() api.Taxonomy {
	return api.Taxonomy{
		Categories: []api.Category{{Slug: "chat", Name: "Chat apps", Description: "d", Group: "g",
			Asks: []string{"someone to keep me company"}}, {Slug: "speech", Name: "Speech to text", Description: "d",
			Group: "g"}},
		Platforms: []api.Platform{
			{Slug: "linux", Name: "Linux", Suggested: []string{"linux"}},
			{Slug: "macos", Name: "macOS", Suggested: []string{"mac", "m1 mac"}},
			{Slug: "windows", Name: "Windows", Suggested: []string{"windows"}},
			{Slug: "android", Name: "Android", Suggested: []string{"android phone"}},
		},
		Facts: Facts(), Words: Words(),

		Products: []api.Product{{Slug: "chatgpt", Name: "ChatGPT", Aliases: []string{"gpt4o"}, Maker: "OpenAI"},
			{Slug: "otter", Name: "Otter.ai", Aliases: []string{}, Maker: "Otter"}},
		Synonyms: [][]string{{"stt", "speech to text", "transcription"}, {"picture", "image"},
			{"diarization", "who spoke when", "speaker labels"}},
		Translations: []api.Language{
			{Code: "de", Name: "German", Endings: []string{"en", "e", "s"},
				Filler: []string{"ich", "möchte", "für", "die"},
				Words: map[string]string{"bild": "image", "übersetzen": "translate", "brief": "letter",
					"zeichnen": "draw", "ohne grafikkarte": "no gpu"}},
			{Code: "nl", Name: "Dutch", Words: map[string]string{"vertalen": "translate", "brief": "letter"}},
			{Code: "zh", Name: "Chinese", Spaceless: true, Filler: []string{"我想"},
				Words: map[string]string{"图片": "image", "翻译": "translate", "翻译信": "translate letters"}},
		},
	}
}

// ComputerTaxonomy returns Taxonomy with Hardware and Models added and every platform marked as a
// system.
func ComputerTaxonomy() api.Taxonomy {
	t := Taxonomy()
	t.Hardware, t.Models = Hardware(), Models()
	for i := range t.Platforms {
		t.Platforms[i].System = true
	}
	return t
}

// Filters parses the filters of a query string, which must be valid.
func Filters(rawQuery string) api.Filters {
	settings, taxonomy := site.Defaults(), ComputerTaxonomy()
	query, _, wrong := api.ParseSearch(rawQuery, api.SearchParameters(&settings, &taxonomy))
	if len(wrong) > 0 {
		panic(wrong[0].Message)
	}
	return query.Filters
}
