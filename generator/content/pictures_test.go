package content

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
)

// pngOf returns a black PNG.
func pngOf(t *testing.T, width, height int) string {
	t.Helper()
	var text bytes.Buffer
	if err := png.Encode(&text, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func jpegOf(t *testing.T, width, height int) string {
	t.Helper()
	var text bytes.Buffer
	if err := jpeg.Encode(&text, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// pictured is a folder whose listing ant shows a picture; value is the rest of its mapping.
func pictured(file, value string) folder {
	ant := strings.Replace(listingNamed("Ant", "https://code.example.org/ant"), "addedAt:",
		"fitNotes:\n  looks: {file: "+file+value+"}\naddedAt:", 1)
	return baseFolder().with("projects/ant.md", ant).with("taxonomy/facts.yml",
		"- {key: looks, kind: picture, label: Looks, meaning: How it looks.}\n")
}

const described = ", alt: An ant on a leaf, source: drawn here"

func TestPictures(t *testing.T) {
	exif := jpegOf(t, 90, 80)
	exif = exif[:20] + "Exif\x00\x00" + exif[20:]
	// The smallest lossless WebP file of one pixel.
	const webpFile = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"
	for _, c := range []struct {
		about, file, value, text string
		want                     string // the finding; "" for none
	}{
		{"PNG", "pictures/ant.png", described, pngOf(t, 90, 80), ""},
		{"JPEG", "pictures/ant-2.jpg", described, jpegOf(t, 90, 80), ""},
		{"too small", "pictures/ant.webp", described, webpFile, "file: pictures/ant.webp has 1 by 1 pixels: 64 to 2000 are allowed for each side"},
		{"too wide", "pictures/ant.png", described, pngOf(t, 2001, 80), "file: pictures/ant.png has 2001 by 80 pixels: 64 to 2000 are allowed for each side"},
		{"too large", "pictures/ant.png", described, pngOf(t, 90, 80) + strings.Repeat("x", maxPicture), "at most 153600 are allowed"},
		{"another format", "pictures/ant.jpg", described, pngOf(t, 90, 80), "file: pictures/ant.jpg cannot be read as JPG (invalid JPEG format: missing SOI marker): save the picture in the format of its ending"},
		{"cut short", "pictures/ant.png", described, pngOf(t, 90, 80)[:60], "file: pictures/ant.png is cut short, or has something after the picture: save it again"},
		{"cut short as WebP", "pictures/ant.webp", described, webpFile[:len(webpFile)-1], "file: pictures/ant.webp is cut short, or has something after the picture: save it again"},
		{"with metadata", "pictures/ant.jpg", described, exif, "has Exif metadata, which may tell who made it, where and when: save it without"},
		{"drawing", "pictures/ant.svg", described, "<svg/>", "is not the path of a picture: write pictures/NAME.webp, NAME.png or NAME.jpg"},
		{"elsewhere", "pictures/../ant.png", described, pngOf(t, 90, 80), "is not the path of a picture"},
		{"no text", "pictures/ant.png", ", source: drawn here", pngOf(t, 90, 80), "alt: is missing, but required"},
		{"short text", "pictures/ant.png", ", alt: An ant, source: drawn here", pngOf(t, 90, 80), "alt: has 6 characters, too few to say what one sees: write 15 to 250"},
		{"long text", "pictures/ant.png", ", alt: " + strings.Repeat("ant ", 70) + "ant, source: drawn here", pngOf(t, 90, 80), "alt: has 283 characters: at most 250 are allowed"},
		{"empty words", "pictures/ant.png", ", alt: A screenshot of an ant on a leaf, source: drawn here", pngOf(t, 90, 80), "alt: says that it is a picture"},
		{"no source", "pictures/ant.png", ", alt: An ant on a leaf", pngOf(t, 90, 80), "source: is missing, but required"},
		{"unknown key", "pictures/ant.png", described + ", width: 7", pngOf(t, 90, 80), `unknown key "width"`},
	} {
		t.Run(c.about, func(t *testing.T) {
			loaded, findings := pictured(c.file, c.value).with(c.file, c.text).load(t, nil)
			shown := loaded.Listings[0].FitNotes.Pictures()
			if c.want == "" {
				same(t, texts(findings), []string{})
				want := api.Picture{URL: "http://localhost:8080" + loaded.Pictures[0].Path, Alt: "An ant on a leaf", Width: 90, Height: 80, Source: "drawn here"}
				if !slices.Equal(shown, []api.Picture{want}) {
					t.Errorf("the listing shows %+v, want %+v", shown, want)
				}
				if text, err := loaded.Pictures[0].Read(); err != nil || string(text) != c.text {
					t.Errorf("the picture is read as %q, %v", text, err)
				}
				return
			}
			if len(findings) != 1 || findings[0].File != "projects/ant.md" || !strings.Contains(findings[0].Message, c.want) || !HasErrors(findings) {
				t.Errorf("the findings are %q, want %q", texts(findings), c.want)
			}
		})
	}
}

// A link could lead to any file of the computer, and a folder of links to any folder.
func TestLinkedPictures(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "ant.png")
	if err := os.WriteFile(secret, []byte(pngOf(t, 90, 80)), 0o644); err != nil {
		t.Fatal(err)
	}
	link := func(from, to string) func(*Options) {
		return func(o *Options) {
			name := filepath.Join(o.Dir, filepath.FromSlash(to))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(from, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, findings := pictured("pictures/ant.png", described).load(t, link(secret, "pictures/ant.png"))
	same(t, texts(findings), []string{"projects/ant.md:7:17: file: pictures/ant.png is a link: put the picture itself there"})
	_, findings = pictured("pictures/ant.png", described).load(t, link(filepath.Dir(secret), "pictures"))
	same(t, texts(findings), []string{
		"pictures:1:1: is not a folder: put pictures in a folder of this name",
		`projects/ant.md:7:17: file: the content folder has no file "pictures/ant.png": put the picture there, or correct the path`})
}

// A picture that nobody sees is reported; notices beside the pictures are not.
func TestUnusedPictures(t *testing.T) {
	f := pictured("pictures/ant.png", described).with("pictures/ant.png", pngOf(t, 90, 80)).with("pictures/bee.png", pngOf(t, 90, 80)).
		with("pictures/NOTICES.txt", "Whose they are.")
	loaded, findings := f.load(t, nil)
	same(t, texts(findings), []string{"pictures/bee.png:1:1: warning: no listing and no page shows this picture: name it in one, or remove it"})
	if len(loaded.Pictures) != 1 || loaded.Pictures[0].File != "pictures/ant.png" || loaded.PictureNotices != "Whose they are." {
		t.Errorf("the site has the pictures %+v and the notices %q", loaded.Pictures, loaded.PictureNotices)
	}
}

// Pages show pictures of the content folder with their sizes, also in catalogues without facts of the kind picture, and
// say what is wrong with one. Other images are links.
func TestPicturesOfPages(t *testing.T) {
	page := func(text string) folder {
		return baseFolder().with("pictures/ant.png", pngOf(t, 90, 80)).with("pages/about.md", "---\ntitle: About\ndescription: What this is.\n---\n"+text)
	}
	loaded, findings := page("Look:\n\n![An *ant* on a leaf](../pictures/ant.png)\n\n[![An ant on a leaf](../pictures/ant.png)](../projects/ant.md)\n\n![Elsewhere](https://a.example/ant.png) ![Static](/pictures/ant.png)\n").load(t, func(o *Options) { o.Settings.BaseURL = "https://a.example/b" })
	same(t, texts(findings), nil)
	about := loaded.Pages[0]
	want := fmt.Sprintf(`<img src="/b%s" alt="An ant on a leaf" width="90" height="80" loading="lazy">`, loaded.Pictures[0].Path)
	html := about.HTML()
	if strings.Count(html, want) != 2 || !strings.Contains(html, `<a href="/b/projects/ant/">`+want+`</a>`) || strings.Count(html, "<img") != 2 || !strings.Contains(html, `<a href="https://a.example/ant.png">Elsewhere</a> <a href="/b/pictures/ant.png">Static</a>`) {
		t.Errorf("the page has no %s twice: %s", want, html)
	}
	if text := MarkdownOf(about.Sections); !strings.Contains(text, "[An *ant* on a leaf](https://a.example/b"+loaded.Pictures[0].Path+")") {
		t.Errorf("the Markdown version is %s", text)
	}
	for i, l := range about.Parts.Links {
		if isLink := i < 3; l.Image == isLink { // the link around the second picture is one, too
			t.Errorf("%+v", l)
		}
	}
	// A picture that only a translation shows is used.
	_, findings = page("Words.\n").with("pages/about.de.md", "---\ntitle: Über uns\n---\n![Eine Ameise auf einem Blatt](../pictures/ant.png)\n").
		load(t, func(o *Options) { o.Settings.Languages = []string{"de"} })
	same(t, texts(findings), nil)
	_, findings = page("A\n![An ant on a leaf](../pictures/bee.png)\n![Ant](../pictures/ant.png) ![A picture of an ant](../pictures/ant.png)\n![An ant on a leaf](../pictures/a/ant.png)\n").load(t, nil)
	same(t, texts(findings), []string{
		`pages/about.md:6:1: the content folder has no file "pictures/bee.png": put the picture there, or correct the path; did you mean pictures/ant.png?`,
		"pages/about.md:7:1: has 3 characters, too few to say what one sees: write 15 to 250",
		"pages/about.md:7:29: says that it is a picture, which screen readers say anyway: begin with what one sees",
		`pages/about.md:8:1: "pictures/a/ant.png" is not the path of a picture: write pictures/NAME.webp, NAME.png or NAME.jpg, where NAME has lower-case letters and digits, in groups joined by single hyphens`})
}

// A picture that changes gets another address at once, and one that changes during a build is not
// published under the old one.
func TestChangedPicture(t *testing.T) {
	var o Options
	first, _ := pictured("pictures/ant.png", described).with("pictures/ant.png", pngOf(t, 90, 80)).load(t, func(given *Options) { o = *given })
	if err := os.WriteFile(filepath.Join(o.Dir, "pictures", "ant.png"), []byte(pngOf(t, 90, 81)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Pictures[0].Read(); err == nil || !strings.Contains(err.Error(), "has changed since the build began") {
		t.Errorf("the changed picture is read: %v", err)
	}
	o.Last = first
	second, findings, err := Load(t.Context(), o)
	if err != nil || len(findings) > 0 {
		t.Fatal(texts(findings), err)
	}
	before, after := first.Listings[0].FitNotes.Pictures()[0], second.Listings[0].FitNotes.Pictures()[0]
	if before.URL == after.URL || after.Height != 81 || first.Listings[0].Key == second.Listings[0].Key {
		t.Errorf("the picture is %+v, before %+v", after, before)
	}
	if &first.Taxonomy.Facts[0] != &second.Taxonomy.Facts[0] {
		t.Error("the taxonomy, which has not changed, is read again")
	}
}
