package mcp

import (
	"testing"
	"unicode"

	"catalog.example/api/invisible"
)

// No character that shows nothing reaches an agent.
func TestInvisibleCharactersAreLeftOut(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !invisible.Is(r) {
			continue
		}
		text := "A" + string(r) + "b 字" + string(r) + "字."
		if got := plain(text); got != "Ab 字字." {
			t.Errorf("%U: as a line %+q", r, got)
		}
		if got := quoted(text); got != "“Ab 字字.”" {
			t.Errorf("%U: quoted %+q", r, got)
		}
		if got := withoutHTML(text); got != "Ab 字字." {
			t.Errorf("%U: as a description %+q", r, got)
		}
	}
}
