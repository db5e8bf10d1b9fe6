package engine

import (
	"slices"
	"testing"

	"catalog.example/cmd/bench/peer"
)

func testDocuments() []peer.Document {
	return []peer.Document{
		{Slug: "popular", Name: "Popular", Purpose: "Mentions transcribing in passing.", Description: "Transcribe, transcribe."},
		{Slug: "webui", Name: "Open WebUI", Aliases: []string{"openwebui"}, Purpose: "Chat in the browser.", Jobs: []string{"chat with a model"}},
		{Slug: "whisper", Name: "Whisper", Replaces: []string{"Otter"}, Purpose: "Turns speech into text.", Jobs: []string{"transcribe audio"}, Topics: []string{"speech-to-text"}},
	}
}

// plain are settings under which every field counts, jobs most.
func plain() map[string]float64 {
	m := map[string]float64{"stopWords": 1, "prefix": 1, "fuzziness": 1, "bm25": 1}
	for _, f := range peer.Fields {
		m[f] = 1
	}
	m["jobs"] = 8
	return m
}

func TestSearch(t *testing.T) {
	tests := []struct {
		query string
		set   map[string]float64
		want  []string // exactly these, in order
	}{
		{query: "whisper", want: []string{"whisper"}},
		{query: "otter", want: []string{"whisper"}},
		{query: "transcribes", want: []string{"whisper", "popular"}}, // by its stem; jobs weigh more
		{query: "transcribes", set: map[string]float64{"jobs": 0.01, "topics": 0}, want: []string{"popular", "whisper"}},
		{query: "whis", want: []string{"whisper"}},
		{query: "whis", set: map[string]float64{"prefix": 0}, want: nil},
		{query: "how do I chat?", want: []string{"webui"}},
		{query: "open-webui", want: []string{"webui"}},
		{query: "nothing such", want: nil},
		{query: "", want: nil},
		{query: `" AND ) name: *`, want: nil},
		{query: "? -", want: nil},
	}
	for _, name := range []string{"fts5", "bleve"} {
		e, err := Open(name, testDocuments())
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for _, byWord := range []float64{0, 1} {
			for _, test := range tests {
				settings := plain()
				settings["byWord"] = byWord
				for k, v := range test.set {
					settings[k] = v
				}
				got, err := e.Search(test.query, settings, 10)
				if err != nil || !slices.Equal(got, test.want) {
					t.Errorf("%s, by word %v: %q with %v: %v, %v, want %v", name, byWord, test.query, test.set, got, err, test.want)
				}
			}
		}
		if got, err := e.Search("transcribe", plain(), 1); err != nil || len(got) != 1 {
			t.Errorf("%s: limit 1: %v, %v", name, got, err)
		}
	}
}

// Ties go to the earlier document.
func TestTies(t *testing.T) {
	var documents []peer.Document
	for _, slug := range []string{"c", "a", "b"} {
		documents = append(documents, peer.Document{Slug: slug, Name: "Twin"})
	}
	for _, name := range []string{"fts5", "bleve"} {
		e, err := Open(name, documents)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if got, err := e.Search("twin", plain(), 10); err != nil || !slices.Equal(got, []string{"c", "a", "b"}) {
			t.Errorf("%s: %v, %v, want c, a, b", name, got, err)
		}
	}
}

func TestBleveFuzzy(t *testing.T) {
	e, err := Open("bleve", testDocuments())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	settings := plain()
	if got, err := e.Search("whispr", settings, 10); err != nil || len(got) != 0 {
		t.Errorf("without fuzziness: %v, %v", got, err)
	}
	settings["fuzzy"] = 0.5
	if got, err := e.Search("whispr", settings, 10); err != nil || !slices.Equal(got, []string{"whisper"}) {
		t.Errorf("with fuzziness: %v, %v", got, err)
	}
}

func TestAllFirst(t *testing.T) {
	e, err := Open("fts5", []peer.Document{
		{Slug: "one", Name: "rare"},
		{Slug: "both", Description: "rare words, and many others that make it a long text, among them a model"},
		{Slug: "x", Name: "model"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	settings := plain()
	for allFirst, want := range map[float64]string{0: "one", 1: "both"} {
		settings["allFirst"] = allFirst
		settings["name"], settings["description"] = 16, 0.1
		got, err := e.Search("rare model", settings, 10)
		if err != nil || len(got) != 3 || (got[0] == "both") != (want == "both") {
			t.Errorf("allFirst %v: %v, %v, want three with both first: %v", allFirst, got, err, want == "both")
		}
	}
}

func TestMatchExpression(t *testing.T) {
	tests := []struct {
		words  []string
		prefix bool
		want   string
	}{
		{nil, true, ""},
		{[]string{"chat"}, false, `"chat"`},
		{[]string{"chat", "AND", "x"}, true, `"chat" OR "AND" OR "x"*`},
		{[]string{`a"b`, "name:"}, false, `"a""b" OR "name:"`},
	}
	for _, test := range tests {
		if got := matchExpression(test.words, " OR ", test.prefix); got != test.want {
			t.Errorf("%q: %s, want %s", test.words, got, test.want)
		}
	}
}

func TestWordsOf(t *testing.T) {
	stop := map[string]bool{"how": true, "do": true, "it": true}
	for query, want := range map[string][]string{
		"How do  cats do it?": {"cats"},
		"how do it":           {"how", "do", "it"},
		"":                    nil,
	} {
		if got := wordsOf(query, stop); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}
