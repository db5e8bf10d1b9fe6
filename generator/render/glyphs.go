package render

import (
	"image"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// steps is the number of places within a pixel in which a glyph is drawn.
const steps = 4

// face is a font in one size. It draws each glyph once. Only one goroutine may use it.
type face struct {
	font.Face
	glyphs   map[glyphKey]*glyph
	advances map[rune]fixed.Int26_6
	kerns    map[[2]rune]fixed.Int26_6
}

type glyphKey struct {
	letter rune
	step   int
}

// glyph is a drawn letter.
type glyph struct {
	area   image.Rectangle // relative to the dot
	shades []uint8         // of each pixel of the area, below shades
}

func newFace(f font.Face) *face {
	return &face{f, map[glyphKey]*glyph{}, map[rune]fixed.Int26_6{}, map[[2]rune]fixed.Int26_6{}}
}

// each calls visit for each letter of a text that begins at a dot, and returns the dot after it.
func (f *face) each(text string, dot fixed.Int26_6, visit func(letter rune, dot fixed.Int26_6)) fixed.Int26_6 {
	before := rune(-1)
	for _, letter := range text {
		if before >= 0 {
			pair := [2]rune{before, letter}
			kern, ok := f.kerns[pair]
			if !ok {
				kern = f.Kern(before, letter)
				f.kerns[pair] = kern
			}
			dot += kern
		}
		visit(letter, dot)
		advance, ok := f.advances[letter]
		if !ok {
			advance, _ = f.GlyphAdvance(letter)
			f.advances[letter] = advance
		}
		dot += advance
		before = letter
	}
	return dot
}

// width returns the width of a text.
func (f *face) width(text string) fixed.Int26_6 { return f.each(text, 0, func(rune, fixed.Int26_6) {}) }

// glyph returns a letter that begins at a step of a pixel.
func (f *face) glyph(letter rune, step int) *glyph {
	key := glyphKey{letter, step}
	g, ok := f.glyphs[key]
	if ok {
		return g
	}
	g = &glyph{}
	f.glyphs[key] = g
	area, mask, at, _, ok := f.Glyph(fixed.Point26_6{X: fixed.Int26_6(step * 64 / steps)}, letter)
	coverage, isAlpha := mask.(*image.Alpha)
	if !ok || !isAlpha {
		return g
	}
	g.area = area
	for y := range area.Dy() {
		for x := range area.Dx() {
			alpha := int(coverage.AlphaAt(at.X+x, at.Y+y).A)
			g.shades = append(g.shades, uint8((alpha*(shades-1)+127)/255))
		}
	}
	return g
}
