package index

import (
	"slices"
	"testing"

	"catalog.example/api"
)

func TestTranslations(t *testing.T) {
	t.Parallel()
	languages := []api.Language{
		{Code: "de", Endings: []string{"er", "e"}, Filler: []string{"Für", "das"},
			Words: map[string]string{"Bild": "image", "Bild malen": "draw", "Lösung": "answer", "LÖSUNG": "answer", "'": "mark"}},
		{Code: "zh", Spaceless: true, Filler: []string{"我"}, Words: map[string]string{"翻译": "translate", "翻": "turn"}},
	}
	lists := translationLists(languages)
	list, ok := newTranslations(languages, lists)
	if !ok {
		t.Fatal("the lists do not fit")
	}
	german, chinese := &list[0], &list[1]
	for text, want := range map[string][2]string{
		"bild malen jetzt ": {"bild malen ", "draw"}, "bild mal ": {"bild ", "image"}, "bilder ": {}, "": {}, "losung ": {"losung ", "answer"},
		"a ": {}, "zz ": {},
	} {
		if phrase, english := german.Longest(text); phrase != want[0] || english != want[1] {
			t.Errorf("%q begins with %q, %q", text, phrase, english)
		}
	}
	for text, want := range map[string]string{"翻译我": "翻译", "翻我": "翻", "我翻": "我", "译": ""} {
		if phrase, _ := chinese.Longest(text); phrase != want {
			t.Errorf("%q begins with %q", text, phrase)
		}
	}
	for word, want := range map[string]string{"bilder": "image", "bild": "image", "bilde": "image", "losunger": "answer", "bi": "", "malen": ""} {
		if english := german.OfStem(word); english != want {
			t.Errorf("%q has the stem of %q", word, english)
		}
	}
	if !german.IsFiller("fur") || german.IsFiller("bild") {
		t.Error("filler is not told from words")
	}
	for name, lists := range map[string][][]string{
		"too few": lists[1:], "too many": append(slices.Clone(lists), nil), "unlike": {nil, {"a "}, nil, nil, nil, nil},
	} {
		if _, ok := newTranslations(languages, lists); ok {
			t.Errorf("%s: the lists fit", name)
		}
	}
	// Those of a damaged file may not be sorted.
	damaged := Translation{&languages[0], nil, []string{"b ", "", "a "}, []string{"1", "2", "3"}}
	for _, text := range []string{"a ", "b ", "ab ", "c", ""} {
		damaged.Longest(text)
	}
}
