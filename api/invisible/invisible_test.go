package invisible_test

import (
	"iter"
	"testing"
	"unicode"
	"unicode/utf8"

	"catalog.example/api/invisible"
)

// ranges are the controls other than white space, Default_Ignorable_Code_Point of Unicode
// 15.1 (DerivedCoreProperties.txt), and interlinear annotations.
var ranges = [][2]rune{
	{0, 8}, {0x0e, 0x1f}, {0x7f, 0x84}, {0x86, 0x9f},
	{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},
	{0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},
	{0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
}

func all() iter.Seq[rune] {
	return func(yield func(rune) bool) {
		for _, bounds := range ranges {
			for r := bounds[0]; r <= bounds[1]; r++ {
				if !yield(r) {
					return
				}
			}
		}
	}
}

func TestIs(t *testing.T) {
	want := map[rune]bool{}
	for r := range all() {
		want[r] = true
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		// Fonts with hieroglyphs show their format controls. Unicode 15 does not ignore
		// them, and texts can be read without them.
		if r >= 0x13430 && r <= 0x1343f {
			continue
		}
		if got := invisible.Is(r); got != want[r] {
			t.Errorf("%U: %v", r, got)
		}
	}
}

// Every invisible character is found and removed between letters, at the ends and in runs.
func TestRemove(t *testing.T) {
	for r := range all() {
		c := string(r)
		for text, want := range map[string]string{
			"a" + c + "b": "ab", c + "ab": "ab", "ab" + c: "ab", "a" + c + c + "b": "ab", "ä" + c + "ö": "äö", "字" + c + "字": "字字", "1" + c + "2": "12",
		} {
			if got := invisible.Remove(text); got != want {
				t.Errorf("%+q becomes %+q, want %+q", text, got, want)
			}
		}
		for i, found := range invisible.Find("ab" + c) {
			if i != 2 || found != r {
				t.Errorf("%U is found as %U at %d", r, found, i)
			}
		}
	}
}

func TestScriptsAndEmojiStay(t *testing.T) {
	for _, text := range []string{
		"", "plain", "tabs\tand\nlines\r\n", "no\u00a0break", "می\u200cخواهم", "क्\u200dष", "ක්\u200dර", "நி\u200cக", "بَ\u200cب",
		"\u2764\ufe0f", "\u263a\ufe0f!", "1\ufe0f\u20e3", "#\ufe0f\u20e3", "\U0001F469\u200d\U0001F4BB", "\U0001F469\U0001F3FD\u200d\U0001F4BB",
		"\U0001F3F3\ufe0f\u200d\U0001F308", "\U0001F468\u200d\u2764\ufe0f\u200d\U0001F468", "\u0600\u0661", "not UTF-8: \xff",
	} {
		if got := invisible.Remove(text); got != text {
			t.Errorf("%+q becomes %+q", text, got)
		}
	}
	for text, want := range map[string]string{
		"\U0001F469\u200d": "\U0001F469", "\u200d\U0001F469": "\U0001F469", "\U0001F469\u200d\u200d\U0001F4BB": "\U0001F469\U0001F4BB", "a\ufe0f\u200d\U0001F4BB": "a\U0001F4BB",
		"م\u200c\u200d\u200cخ": "مخ", "م\u200c": "م", "\u2764\ufe0f\ufe0f": "\u2764\ufe0f", "\u2764\ufe0e": "\u2764", "1\ufe0f": "1", "葛\U000e0100": "葛",
		"م\u200c\u061cم": "مم", "ᠠ\u180b": "ᠠ", "\U0001F3F4\U000e0067\U000e0062\U000e007f": "\U0001F3F4", "x\x00\x1b\x7f\u009b": "x",
	} {
		if got := invisible.Remove(text); got != want {
			t.Errorf("%+q becomes %+q, want %+q", text, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"plain ünïcode \\ \"x\" 👩‍💻": "plain ünïcode \\ \"x\" 👩‍💻",
		"a\nb\tc\r":                  `a\nb\tc\r`,
		"\x1b[31mred":                `\x1b[31mred`,
		"c1 \u009b31m":               `c1 \u009b31m`,
		"turn \u202e x":              `turn \u202e x`,
		"tag \U000e0041":             `tag \U000e0041`,
		"bad \xff\u2028x":            `bad \xff\u2028x`,
		"replaced \ufffd":            "replaced \ufffd",
	} {
		if got := invisible.Escape(text); got != want {
			t.Errorf("%+q is written %s, want %s", text, got, want)
		}
	}
	if got := invisible.EscapeLines("a\n\tb\x1b\r"); got != "a\n\tb\\x1b\\r" {
		t.Errorf("%q", got)
	}
}

// Remove leaves no invisible character, and neither does Escape.
func FuzzRemove(f *testing.F) {
	for _, seed := range []string{"a\u200db", "م\u200cخ", "\u2764\ufe0f", "\U0001F3F3\ufe0f\u200d\U0001F308", "1\ufe0f\u20e3", "\xff\x1b\n", "\xe2\x80\x01\x8c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		removed := invisible.Remove(text)
		for i, r := range invisible.Find(removed) {
			t.Fatalf("%+q becomes %+q, with %U at %d", text, removed, r, i)
		}
		escaped := invisible.Escape(text)
		if !utf8.ValidString(escaped) || invisible.Remove(escaped) != escaped {
			t.Fatalf("%+q is written %+q", text, escaped)
		}
	})
}
