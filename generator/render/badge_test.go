package render

import "testing"

func TestTextWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "i": 4, "m": 11, "Listed": 33, "runs on 8 GB": 73, "iiii": 13, "WWWW": 44,
		"\u00e9": 7, "e\u0301": 7, // composed or not
		"日本": 22, "ランプ": 33, "\u2068a\u2069": 7, "שלום": 29, "~": 9, "\u00a0": 8,
	} {
		if got := textWidth(text); got != want {
			t.Errorf("%q is %d pixels wide, want %d", text, got, want)
		}
	}
}

func TestShortened(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Games": "Games", "Open-source AI catalogue": "Open-source AI catalogue",
		"Open-source AI catalogues": "Open-source AI…", "Trails - and more in the Alps": "Trails - and more in…",
		"Donaudampfschifffahrtsgesellschaft": "Donaudampfschifffahrtsge…", "ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ": "ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ…",
	} {
		if got := shortened(text, 24); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
