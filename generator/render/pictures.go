package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The size of a picture in pixels. Services with link previews recommend its ratio of 1.91; ogp.me
// does not define one.
const (
	pictureWidth  = 1200
	pictureHeight = 630
)

// SitePicture is the picture of pages without one of their own.
const SitePicture = "/picture.png"

// pictureVersion is part of the name of cached pictures. It changes when the drawing code
// changes.
const pictureVersion = 3

// MaxAutoPictures is the number of listings up to which pictures are drawn by default. A
// thousand take a few seconds on one core.
const MaxAutoPictures = 1000

// Drawing draws the pictures of a site.
type Drawing struct {
	cache *pictureCache // nil for none
	fonts [fontCount]*sfnt.Font
	pens  sync.Pool // of *pen, because only one goroutine may use a font face
}

// The fonts of a picture.
const (
	regular = iota
	bold
	fontCount
)

// newDrawing returns nil if no pictures are drawn.
func newDrawing(in *Site) (*Drawing, error) {
	if !in.Pictures {
		return nil, nil
	}
	p := &Drawing{}
	for i, text := range [fontCount][]byte{regular: goregular.TTF, bold: gobold.TTF} {
		var err error
		if p.fonts[i], err = opentype.Parse(text); err != nil {
			return nil, fmt.Errorf("pictures: font: %w", err)
		}
	}
	if in.PictureCache != "" {
		p.cache = &pictureCache{dir: in.PictureCache, now: in.Now, warn: in.Warn}
		p.cache.prepare()
	}
	return p, nil
}

// Card has the texts of a picture.
type Card struct {
	Title string   `json:"title"`
	Text  string   `json:"text"`
	Facts []string `json:"facts"`
	Site  string   `json:"site"`
}

// Encoded returns a picture as PNG.
func (p *Drawing) Encoded(c Card) ([]byte, error) {
	if p.cache == nil {
		return p.draw(c)
	}
	key, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(fmt.Appendf(key, " %d", pictureVersion))
	name := hex.EncodeToString(sum[:16]) + ".png"
	if kept := p.cache.read(name); kept != nil {
		return kept, nil
	}
	text, err := p.draw(c)
	if err != nil {
		return nil, err
	}
	p.cache.keep(name, text)
	return text, nil
}

// palette has 16 colours, so that a pixel takes 4 bits: the background, and shades of ink
// and accent for smooth edges.
var palette = makePalette(color.RGBA{0xfd, 0xfd, 0xfc, 0xff},
	color.RGBA{0x1c, 0x23, 0x21, 0xff}, color.RGBA{0x1f, 0x5f, 0x8b, 0xff})

// shades is the number of steps from the background to a colour.
const shades = 8

// ink and accent are the indices of the first shade of each colour.
const (
	ink    = 0
	accent = shades
)

func makePalette(ground color.RGBA, colours ...color.RGBA) color.Palette {
	var p color.Palette
	mix := func(from, to uint8, step int) uint8 {
		return uint8((int(from)*(shades-1-step) + int(to)*step) / (shades - 1)) // between from and to
	}
	for _, c := range colours {
		for step := range shades {
			red, green, blue := mix(ground.R, c.R, step), mix(ground.G, c.G, step), mix(ground.B, c.B, step)
			p = append(p, color.RGBA{red, green, blue, 0xff})
		}
	}
	return p
}

// MaxCardFact is the length, in bytes, from which a fact counts as long. Three facts of this length
// fit on a line.
const MaxCardFact = 24

// The layout of a picture in pixels.
const (
	pictureMargin = 80
	cardBarHeight = 16
	factSize      = 30 // of the font of facts
)

// draw draws a picture as PNG.
func (p *Drawing) draw(c Card) ([]byte, error) {
	pen, err := p.pen()
	if err != nil {
		return nil, err
	}
	defer p.pens.Put(pen)
	pen.picture.clear()
	for y := range cardBarHeight {
		for x, row := 0, pen.picture.row(y, pictureWidth); x < len(row); x++ {
			row[x] = accent + shades - 1
		}
	}
	y := pen.paragraph(bold, []float64{84, 68, 54, 44}, c.Title, 2, ink, 170)
	if p.CanDraw(c.Text) {
		y = pen.paragraph(regular, []float64{40, 34}, c.Text, 3, ink, y+14)
	}
	if p.CanDraw(strings.Join(c.Facts, "")) {
		face := pen.faces[faceKey{bold, factSize}]
		for i, line := range factLines(face, c.Facts, 2) {
			pen.text(face, line, accent, pictureMargin, y+24+i*factSize*5/4)
		}
	}
	pen.paragraph(regular, []float64{28}, c.Site, 1, accent, pictureHeight-50)
	text, err := pen.png.write(pen.picture)
	return bytes.Clone(text), err
}

// CanDraw reports whether the fonts have all letters of a text and it runs from left to
// right.
func (p *Drawing) CanDraw(text string) bool {
	var b sfnt.Buffer
	for _, c := range text {
		if unicode.Is(unicode.Mn, c) { // combining marks would be drawn beside their letter
			return false
		}
		for _, f := range p.fonts {
			if i, err := f.GlyphIndex(&b, c); err != nil || i == 0 {
				return false
			}
		}
	}
	return true
}

// pen draws one picture after the other.
type pen struct {
	faces   map[faceKey]*face
	picture canvas
	png     pngWriter
}

type faceKey struct {
	font int
	size float64 // of the em, in pixels
}

func (p *Drawing) pen() (*pen, error) {
	if kept, ok := p.pens.Get().(*pen); ok {
		return kept, nil
	}
	size := image.Rect(0, 0, pictureWidth, pictureHeight)
	made := &pen{faces: map[faceKey]*face{}, picture: newCanvas(size)}
	for f, sizes := range map[int][]float64{bold: {84, 68, 54, 44, factSize}, regular: {40, 34, 28}} {
		for _, size := range sizes {
			options := &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone}
			drawn, err := opentype.NewFace(p.fonts[f], options)
			if err != nil {
				return nil, fmt.Errorf("font: %w", err)
			}
			made.faces[faceKey{f, size}] = newFace(drawn)
		}
	}
	return made, nil
}

// paragraph draws a text on at most maxLines lines, in the largest size in which it fits. The
// first line is on the baseline y. It returns the next baseline. In the smallest size, an ellipsis
// replaces the text that does not fit.
func (p *pen) paragraph(f int, sizes []float64, text string, maxLines int, colour uint8, y int) int {
	var lines []string
	var face *face
	height := 0
	for _, size := range sizes {
		var whole bool
		face, height = p.faces[faceKey{f, size}], int(size*1.25)
		if lines, whole = broken(face, text, pictureWidth-2*pictureMargin, maxLines); whole {
			break
		}
	}
	for _, line := range lines {
		p.text(face, line, colour, pictureMargin, y)
		y += height
	}
	return y
}

// factLines joins facts into at most maxLines lines, and leaves out those for which there is no room. It
// breaks no fact. The first is cut short if it is wider than a line.
func factLines(f *face, facts []string, maxLines int) (lines []string) {
	const between, limit = " · ", pictureWidth - 2*pictureMargin
	gap, end := f.width(between), fixed.Int26_6(0)
	for i, fact := range facts {
		width := f.width(fact)
		switch {
		case i == 0 && width > fixed.I(limit):
			lines, _ = broken(f, fact, limit, 1)
			end = fixed.I(limit)
		case i > 0 && end+gap+width <= fixed.I(limit):
			lines[len(lines)-1] += between + fact
			end += gap + width
		case len(lines) < maxLines && width <= fixed.I(limit):
			lines, end = append(lines, fact), width
		}
	}
	return lines
}

// broken breaks a text between words, or within a word that is wider than a line. whole is
// false if text was left out.
func broken(f *face, text string, width, maxLines int) (lines []string, whole bool) {
	limit := fixed.I(width)
	fits := func(s string) bool { return f.width(s) <= limit }
	words := strings.Fields(text)
	whole = true
	line := ""
	for len(words) > 0 {
		joined := strings.TrimPrefix(line+" "+words[0], " ")
		switch {
		case fits(joined):
			line, words = joined, words[1:]
			continue
		case line == "": // one word, wider than a line
			letters := []rune(words[0])
			n := len(letters)
			for n > 1 && !fits(string(letters[:n])) {
				n--
			}
			line, words[0] = string(letters[:n]), string(letters[n:])
			whole = false // it may fit in a smaller size
		}
		lines, line = append(lines, line), ""
		if len(lines) == maxLines {
			break
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(words) == 0 {
		return lines, whole
	}
	last := []rune(lines[len(lines)-1])
	for len(last) > 0 && !fits(string(last)+"…") {
		last = last[:len(last)-1]
	}
	lines[len(lines)-1] = strings.TrimRight(string(last), " ·") + "…"
	return lines, false
}

// text draws a line of text.
func (p *pen) text(f *face, text string, colour uint8, x, y int) {
	f.each(text, fixed.I(x), func(letter rune, dot fixed.Int26_6) {
		const step = 64 / steps
		at := dot + step/2
		p.stamp(f.glyph(letter, int(at&63)/step), colour, at.Floor(), y)
	})
}

// stamp draws a glyph on the picture.
func (p *pen) stamp(g *glyph, colour uint8, x, y int) {
	shown := g.area.Add(image.Pt(x, y)).Intersect(p.picture.Rect)
	for row := shown.Min.Y; row < shown.Max.Y; row++ {
		from := (row-y-g.area.Min.Y)*g.area.Dx() + shown.Min.X - x - g.area.Min.X
		pixels := p.picture.row(row, shown.Max.X)[shown.Min.X:]
		for i, shade := range g.shades[from : from+shown.Dx()] {
			if shade > 0 {
				pixels[i] = max(pixels[i], colour+shade) // below shades
			}
		}
	}
}
