package render

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// Whatever a listing says, its picture keeps its margins, and none of its texts
// runs into another.
func TestPicturesOfExtremes(t *testing.T) {
	p, err := newDrawing(&Site{Pictures: true})
	if err != nil {
		t.Fatal(err)
	}
	platforms := make([]string, 40)
	for i := range platforms {
		platforms[i] = fmt.Sprintf("Platform %d", i+1)
	}
	plain, err := p.draw(Card{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Card{
		"nothing": {Title: "x"},
		"one word of 64": {Title: strings.Repeat("W", 64), Text: strings.Repeat("M", 160),
			Facts: []string{strings.Repeat("W", 64)}, Site: strings.Repeat("W", 200)},
		"64 letters in words": {Title: "Every Word of a Very Long Name Stands on One Line in Each List X",
			Text: strings.Repeat("wide words ", 15), Facts: platforms, Site: "Site"},
		"narrow letters":       {Title: strings.Repeat("i", 64), Text: strings.Repeat("i l ", 40), Site: "i"},
		"a purpose in Hebrew":  {Title: "menora", Text: "מנורה AI", Facts: []string{"MIT"}, Site: "Site"},
		"combining characters": {Title: "cafe", Text: "cafe\u0301", Site: "Site"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := p.draw(c)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := p.draw(c); err != nil || !bytes.Equal(again, text) {
				t.Errorf("drawn again it differs: %v", err)
			}
			if bytes.Equal(text, plain) {
				t.Error("nothing is drawn")
			}
			picture, err := png.Decode(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			ground := picture.At(5, 100)
			for y := cardBarHeight; y < pictureHeight; y++ {
				for x := range pictureWidth {
					// Letters such as j begin a little before their place.
					outside := x < pictureMargin-8 || x > pictureWidth-pictureMargin+8 || y > pictureHeight-30 || y < 40
					if outside && picture.At(x, y) != ground {
						t.Fatalf("something is drawn at %d, %d", x, y)
					}
				}
			}
			// The row between what is said of the listing and the name of the site.
			for x := range pictureWidth {
				if picture.At(x, 548) != ground {
					t.Fatalf("texts meet at %d, 548", x)
				}
			}
		})
	}
}

func TestBrokenLines(t *testing.T) {
	p, err := newDrawing(&Site{Pictures: true})
	if err != nil {
		t.Fatal(err)
	}
	pen, err := p.pen()
	if err != nil {
		t.Fatal(err)
	}
	face := pen.faces[faceKey{regular, 40}]
	for _, c := range []struct {
		text  string
		width int
		most  int
		want  string
		whole bool
	}{
		{"", 500, 2, "", true},
		{"one line", 500, 2, "one line", true},
		{"white   \n space", 500, 2, "white space", true},
		{"two lines of text in here", 300, 3, "two lines of text|in here", true},
		{"more than fits into what there is", 300, 1, "more than fits…", false},
	} {
		lines, whole := broken(face, c.text, c.width, c.most)
		if got := strings.Join(lines, "|"); got != c.want || whole != c.whole {
			t.Errorf("%q breaks into %q (%t), want %q (%t)", c.text, got, whole, c.want, c.whole)
		}
	}
	lines, whole := broken(face, strings.Repeat("W", 64), 300, 2)
	if whole || len(lines) != 2 || !strings.HasSuffix(lines[1], "…") {
		t.Errorf("a long word breaks into %q (%t)", lines, whole)
	}
}

// No fact is broken, and one without room leaves its place to the next.
func TestFactLines(t *testing.T) {
	p, err := newDrawing(&Site{Pictures: true})
	if err != nil {
		t.Fatal(err)
	}
	pen, err := p.pen()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("long ", 12) + "fact"
	for _, c := range []struct {
		facts []string
		want  string
	}{
		{nil, ""},
		{[]string{"MIT", "Offline"}, "MIT · Offline"},
		{[]string{"In the public domain", long, "ok"}, "In the public domain|" + long + " · ok"},
		{[]string{"In the public domain", long, long, "ok"}, "In the public domain|" + long + " · ok"},
		{[]string{strings.Repeat("W", 64), "MIT"}, strings.Repeat("W", 35) + "…|MIT"},
		{[]string{"MIT", strings.Repeat("W", 64), "Offline"}, "MIT · Offline"},
	} {
		lines := factLines(pen.faces[faceKey{bold, factSize}], c.facts, 2)
		if got := strings.Join(lines, "|"); got != c.want {
			t.Errorf("%q are drawn as %q, want %q", c.facts, got, c.want)
		}
	}
}

func TestCanDraw(t *testing.T) {
	p, err := newDrawing(&Site{Pictures: true})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"": true, "Ollama": true, "“quoted” – 12\u00a0300 · ±": true, "Ёлка": true, "Straße": true, "מנורה": false,
		"ランプ": false, "كل": false, "e\u0301": false, "🚀": false,
	} {
		if got := p.CanDraw(text); got != want {
			t.Errorf("CanDraw(%q) = %t", text, got)
		}
	}
}

// image/png reads each pixel that was written.
func TestWrittenPicture(t *testing.T) {
	var w pngWriter
	for _, width := range []int{1200, 2} { // the second is written with what the first has left
		picture := newCanvas(image.Rect(0, 0, width, 9))
		for y := range 8 { // the last row is blank
			for x, row := 0, picture.row(y, max(1, width-300*y)); x < len(row); x++ {
				row[x] = uint8((x*x + y) % len(palette))
			}
		}
		text, err := w.write(picture)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := decoded.(*image.Paletted)
		if !ok || !slices.Equal(got.Palette, picture.Palette) || !bytes.Equal(got.Pix, picture.Pix) {
			t.Errorf("a picture of width %d is another when it is read: %v", width, decoded)
		}
	}
}
