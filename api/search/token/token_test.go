package token

import (
	"slices"
	"testing"
)

// Folding removes accents and optional vowel signs, but no part of a letter. Marks do not
// end a word.
func TestFold(t *testing.T) {
	for _, test := range []struct {
		language, text string
		want           []string
	}{
		{"French", "Café déjà-vu", []string{"cafe", "deja", "vu"}},
		{"French, decomposed", "Cafe\u0301", []string{"cafe"}},
		{"Vietnamese", "Tiếng Việt", []string{"tieng", "viet"}},
		{"Greek", "ΆΛΦΑ ά ᾳ", []string{"αλφα", "α", "α"}},
		{"Cyrillic", "Ёлка Й", []string{"елка", "и"}},
		{"Turkish", "İstanbul ISTANBUL ışık", []string{"istanbul", "istanbul", "ısık"}},
		{"German", "Größe", []string{"große"}},
		{"Hindi", "हिन्दी में", []string{"हिन्दी", "में"}},
		{"Hindi, nukta", "ज़रूर", []string{"ज\u093cरूर"}},
		{"Hindi, with a joiner", "क्\u200dष", []string{"क्ष"}},
		{"Bengali", "বাংলা ভাষা", []string{"বাংলা", "ভাষা"}},
		{"Tamil", "தமிழ் மொழி", []string{"தமிழ்", "மொழி"}},
		{"Thai", "ภาษาไทย ที่นี่", []string{"ภาษาไทย", "ที่นี่"}},
		{"Burmese", "မြန်မာ", []string{"မြန်မာ"}},
		{"Arabic", "العَرَبِيَّة أحمد", []string{"العربية", "احمد"}},
		{"Persian, with a non-joiner", "می\u200cخواهم", []string{"میخواهم"}},
		{"Hebrew", "עִבְרִית", []string{"עברית"}},
		{"Korean", "한국어", []string{"한국어"}},
		{"Korean, decomposed", "\u1112\u1161\u11ab", []string{"한"}},
		{"Japanese", "がぎぐ パン", []string{"がぎぐ", "パン"}},
		{"Japanese, decomposed", "か\u3099 ハ\u309a", []string{"が", "パ"}},
		{"Japanese, half width", "ｶﾞ", []string{"ガ"}},
		{"emoji and digits", "1\ufe0f\u20e3 ❤\ufe0f", []string{"1"}},
		{"signs", "C#/.NET, C++ and F# for .NET (.NET)", []string{"c#", ".net", "c++", "and", "f#", "for", ".net", ".net"}},
		{"signs that are none", "A+ c#4 #c +1 example.net end.net. Notepad++", []string{"a", "c", "4", "c", "1", "example", "net", "end", "net", "notepad"}},
		{"hyphens", "E-mails, e-book-reader; e - mail the-end e-, x-ray", []string{"emails", "ebook", "reader", "e", "mail", "the", "end", "e", "x", "ray"}},
		{"ligatures and full width", "ﬁle ＡＢＣ", []string{"file", "abc"}},
	} {
		if got := Of(test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q becomes %q, want %q", test.language, test.text, got, test.want)
		}
		for _, w := range Of(test.text) {
			if again := Of(w); len(again) != 1 || again[0] != w {
				t.Errorf("%s: %q folded again is %q", test.language, w, again)
			}
		}
	}
}
