package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func testGreeting() greeting {
	return greeting{
		StopWords: []string{"the", "how", "do", "i"},
		Documents: []document{
			{Slug: "popular", Name: "Popular", Purpose: "Mentions transcribing in passing.", Description: "Transcribe, transcribe."},
			{Slug: "webui", Name: "Open WebUI", Aliases: []string{"openwebui"}, Purpose: "Chat in the browser.", Jobs: []string{"chat with a model"}},
			{Slug: "whisper", Name: "Whisper", Replaces: []string{"Otter"}, Purpose: "Turns speech into text.", Jobs: []string{"transcribe audio"}, Topics: []string{"speech-to-text"}},
		},
	}
}

// plain are settings under which every field counts, jobs most.
func plain() map[string]float64 {
	m := map[string]float64{"stopWords": 1, "prefix": 1, "fuzziness": 1, "bm25": 1}
	for _, f := range fields {
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
		e, err := open(name, testGreeting())
		if err != nil {
			t.Fatal(err)
		}
		defer e.close()
		for _, byWord := range []float64{0, 1} {
			for _, test := range tests {
				settings := plain()
				settings["byWord"] = byWord
				for k, v := range test.set {
					settings[k] = v
				}
				got, err := e.search(test.query, settings, 10)
				if err != nil || !slices.Equal(got, test.want) {
					t.Errorf("%s, by word %v: %q with %v: %v, %v, want %v", name, byWord, test.query, test.set, got, err, test.want)
				}
			}
		}
		if got, err := e.search("transcribe", plain(), 1); err != nil || len(got) != 1 {
			t.Errorf("%s: limit 1: %v, %v", name, got, err)
		}
	}
}

// Ties go to the earlier document.
func TestTies(t *testing.T) {
	var g greeting
	for _, slug := range []string{"c", "a", "b"} {
		g.Documents = append(g.Documents, document{Slug: slug, Name: "Twin"})
	}
	for _, name := range []string{"fts5", "bleve"} {
		e, err := open(name, g)
		if err != nil {
			t.Fatal(err)
		}
		defer e.close()
		if got, err := e.search("twin", plain(), 10); err != nil || !slices.Equal(got, []string{"c", "a", "b"}) {
			t.Errorf("%s: %v, %v, want c, a, b", name, got, err)
		}
	}
}

func TestBleveFuzzy(t *testing.T) {
	e, err := open("bleve", testGreeting())
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	settings := plain()
	if got, err := e.search("whispr", settings, 10); err != nil || len(got) != 0 {
		t.Errorf("without fuzziness: %v, %v", got, err)
	}
	settings["fuzzy"] = 0.5
	if got, err := e.search("whispr", settings, 10); err != nil || !slices.Equal(got, []string{"whisper"}) {
		t.Errorf("with fuzziness: %v, %v", got, err)
	}
}

func TestAllFirst(t *testing.T) {
	e, err := open("fts5", greeting{Documents: []document{
		{Slug: "one", Name: "rare"},
		{Slug: "both", Description: "rare words, and many others that make it a long text, among them a model"},
		{Slug: "x", Name: "model"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	settings := plain()
	for allFirst, want := range map[float64]string{0: "one", 1: "both"} {
		settings["allFirst"] = allFirst
		settings["name"], settings["description"] = 16, 0.1
		got, err := e.search("rare model", settings, 10)
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

func TestRun(t *testing.T) {
	var in, out strings.Builder
	lines := json.NewEncoder(&in)
	for _, message := range []any{
		testGreeting(),
		request{plain(), []string{"whisper", "unheard"}, 10},
		request{plain(), nil, 10},
	} {
		if err := lines.Encode(message); err != nil {
			t.Fatal(err)
		}
	}
	if err := run([]string{"fts5"}, strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"hits":null,"error":""}
{"hits":[["whisper"],null],"error":""}
{"hits":[],"error":""}
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	for _, arguments := range [][]string{nil, {"lucene"}} {
		if err := run(arguments, strings.NewReader(in.String()), &out); err == nil {
			t.Errorf("%q gives no error", arguments)
		}
	}
}
