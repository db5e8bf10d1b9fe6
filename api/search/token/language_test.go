package token

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/site"
)

// The forms of a word have one stem, although folding has removed their accents.
func TestStems(t *testing.T) {
	for lang, groups := range map[string][]string{
		"da": {"fugl fugle fuglene"},
		"de": {"Vogel Vogels", "beobachten beobachte", "Häuser Häusern", "straße strasse"},
		"en": {"bird birds", "watching watched"},
		"es": {"grabación grabaciones", "pájaro pájaros"},
		"fi": {"lintu lintua", "järvi järvet"},
		"fr": {"oiseaux oiseau", "enregistrée enregistrées enregistrer", "qualité qualités"},
		"it": {"uccello uccelli", "qualità qualita"},
		"nb": {"fugl fugler fuglene"},
		"nl": {"vogel vogels", "kaart kaarten"},
		"pt": {"organização organizações", "pássaro pássaros"},
		"ru": {"птица птицы птицам", "красный красная"},
		"sv": {"bil bilar bilarna"},
		"pl": {"ptak"}, // has no stemmer
	} {
		l := LanguageOf(lang + "-AA")
		for _, group := range groups {
			stems := l.Stems(l.Of(group))
			if len(slices.Compact(slices.Clone(stems))) > 1 {
				t.Errorf("%s: %s have the stems %v", lang, group, stems)
			}
			for _, stem := range stems {
				if Fold(stem) != stem {
					t.Errorf("%s: the stem %q is not folded", lang, stem)
				}
			}
		}
	}
	if got := LanguageOf("pl").Stem("ptaki"); got != "ptaki" {
		t.Errorf("a word of a language without a stemmer has the stem %q", got)
	}
}

// Words with another meaning have another stem, although the algorithm gives them the same.
func TestStemExceptions(t *testing.T) {
	english := LanguageOf("en-GB")
	for _, pair := range []string{"animate animals", "accounting accounts", "conversions conversations", "organs organise"} {
		if stems := english.Stems(strings.Fields(pair)); stems[0] == stems[1] {
			t.Errorf("%s have the stem %s", pair, stems[0])
		}
	}
	for _, group := range []string{"animate animated animation", "accounting accountants", "convert conversion converted"} {
		if stems := slices.Compact(english.Stems(strings.Fields(group))); len(stems) > 1 {
			t.Errorf("%s have the stems %v", group, stems)
		}
	}
}

// Function words are those of the language, folded as the words of a text are.
func TestFunctionWords(t *testing.T) {
	for lang, want := range map[string]string{
		"de": "Wo kann ich für Kraniche hin: kraniche hin", "fr": "Où est-ce qu’il y a l'oiseau?: oiseau",
		"en": "Where are the cranes?: cranes", "pl": "gdzie są żurawie: gdzie sa zurawie",
		"zh": "鹤在哪里: 鹤在 在哪 哪里",
	} {
		text, want, _ := strings.Cut(want, ": ")
		if got := strings.Join(LanguageOf(lang).Content(text), " "); got != want {
			t.Errorf("%s: of %q remains %q, want %q", lang, text, got, want)
		}
	}
}

// Every language whose words are known has a name for the texts that programs read.
func TestLanguageNames(t *testing.T) {
	for _, lang := range append(slices.Sorted(maps.Keys(stemmers)), "ja", "th", "zh") {
		if name := (&site.Settings{Lang: lang}).LanguageName(); strings.Contains(name, lang) {
			t.Errorf("%s is called %q: add it to languageNames of package site", lang, name)
		}
	}
}

// Without spaces between words, pairs of characters are compared. Other words stay whole.
func TestPairs(t *testing.T) {
	for lang, tests := range map[string]map[string]string{
		"ja": {"音声をテキストに": "音声 声を をテ テキ キス スト トに", "鳥": "鳥", "GPUなしでOK": "gpu なし しで ok", "don't 鳥類": "dont 鳥類", "サーバー": "サー ーバ バー"},
		"zh": {"语音 识别2024年": "语音 识别 2024 年"},
		"th": {"ที่นี่": "ที่นี่", "ภาษา": "ภา าษ ษา"},
		"de": {"音声をテキストに": "音声をテキストに"},
	} {
		l := LanguageOf(lang)
		for text, want := range tests {
			folded, rebuilt := Fold(text), ""
			words := l.Of(text)
			if got := strings.Join(words, " "); got != want {
				t.Errorf("%s: %q becomes %q, want %q", lang, text, got, want)
			}
			last := 0
			l.Each(folded, func(_ string, start, end int) {
				if start < last || end <= start {
					t.Errorf("%s: a word of %q takes up %d to %d, after %d", lang, text, start, end, last)
				}
				rebuilt, last = rebuilt+folded[start:end], end
			})
			if want := strings.Join(Of(rebuilt), ""); l.Join(words) != want {
				t.Errorf("%s: the joined words of %q are %q, want %q", lang, text, l.Join(words), want)
			}
		}
	}
}
