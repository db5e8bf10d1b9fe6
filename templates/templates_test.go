package templates

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// overridesWith writes files into a new folder.
func overridesWith(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, files fs.FS, name string) string {
	t.Helper()
	text, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func names(t *testing.T, files fs.FS) (list []string) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestWithoutOverrides(t *testing.T) {
	files, err := Files(nil)
	if err != nil {
		t.Fatal(err)
	}
	list := names(t, files)
	if err := fstest.TestFS(files, list...); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"layout.html", "partials.html", "layout.md", "partials.md", "pages/project.md", "llms.txt", "llms-full.txt", "pages/home.html", "assets/style.css", "assets/app.js"} {
		if read(t, files, want) == "" {
			t.Errorf("%s is empty", want)
		}
	}
}

func TestOneFileIsReplaced(t *testing.T) {
	plain, err := Files(nil)
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string]string{"pages/404.html": "gone", "assets/style.css": "p{color:red}"}
	files, err := Files(os.DirFS(overridesWith(t, replaced)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t, plain) {
		want, ok := replaced[name]
		if !ok {
			want = read(t, plain, name)
		}
		if got := read(t, files, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if _, err := fs.ReadFile(files, "pages/nothing.html"); err == nil {
		t.Error("a file that is not there is read")
	}
}

func TestOverrideThatReplacesNothing(t *testing.T) {
	for _, name := range []string{"pages/hoem.html", "layout.htm", "notes.txt", "assets/fonts/a.woff2"} {
		dir := overridesWith(t, map[string]string{"pages/home.html": "fine", name: "x"})
		_, err := Files(os.DirFS(dir))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOverridesThatAreNoFolder(t *testing.T) {
	dir := overridesWith(t, map[string]string{"file": "x"})
	for _, overrides := range []string{filepath.Join(dir, "nowhere"), filepath.Join(dir, "file")} {
		if _, err := Files(os.DirFS(overrides)); err == nil {
			t.Errorf("%s: %v", filepath.Base(overrides), err)
		}
	}
	// A folder named like a file replaces nothing.
	dir = t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "pages", "home.html"), 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := Files(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if read(t, files, "pages/home.html") == "" {
		t.Error("a folder in a file's place hides the file")
	}
}

// TestContrast computes what README.md says of the colours (WCAG 2.2, relative luminance).
func TestContrast(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("there are no dark colours")
	}
	colour := regexp.MustCompile(`--(\w+): #([0-9a-f]{6})`)
	luminance := func(hex string) float64 {
		n, err := strconv.ParseUint(hex, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
			c := float64(n>>(8*i)&255) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	for mode, part := range map[string]string{"light": light, "dark": dark} {
		of := map[string]float64{}
		for _, m := range colour.FindAllStringSubmatch(part, -1) {
			if _, seen := of[m[1]]; !seen { // the first are those of the mode
				of[m[1]] = luminance(m[2])
			}
		}
		for _, pair := range []struct {
			on, least string
			texts     []string
		}{
			{"page", "4.5", []string{"text", "quiet", "link", "good", "bad"}}, {"raised", "4.5", []string{"text", "quiet", "link", "good", "bad"}},
			{"mark", "4.5", []string{"text"}}, {"accent", "4.5", []string{"page"}}, {"page", "3", []string{"edge"}}, {"raised", "3", []string{"edge"}},
		} {
			for _, text := range pair.texts {
				a, b := of[text], of[pair.on]
				least, _ := strconv.ParseFloat(pair.least, 64)
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); of[pair.on] == 0 || ratio < least {
					t.Errorf("%s: --%s on --%s has a contrast of %.2f, less than %s", mode, text, pair.on, ratio, pair.least)
				}
			}
		}
	}
}

// TestContrastOfMonograms computes the contrast of the text of monograms on their grounds.
func TestContrastOfMonograms(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, _ := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	colour := regexp.MustCompile(`--(\w+): #([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})`)
	ground := regexp.MustCompile(`\.logo\.t\d \{ background: (?:color-mix\(in srgb, var\(--(\w+)\) (\d+)%, var\(--page\)\)|var\(--(\w+)\)); \}`)
	grounds := ground.FindAllStringSubmatch(string(css), -1)
	if len(grounds) != 4 {
		t.Fatalf("there are %d tints", len(grounds))
	}
	for mode, part := range map[string]string{"light": light, "dark": dark} {
		of := map[string][3]float64{}
		for _, m := range colour.FindAllStringSubmatch(part, -1) {
			if _, seen := of[m[1]]; seen {
				continue
			}
			var c [3]float64
			for i := range c {
				n, err := strconv.ParseUint(m[i+2], 16, 8)
				if err != nil {
					t.Fatal(err)
				}
				c[i] = float64(n) / 255
			}
			of[m[1]] = c
		}
		luminance := func(c [3]float64) (sum float64) {
			for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
				if c[i] <= 0.04045 {
					sum += weight * c[i] / 12.92
				} else {
					sum += weight * math.Pow((c[i]+0.055)/1.055, 2.4)
				}
			}
			return sum
		}
		for _, m := range grounds {
			on := of[m[3]]
			if m[1] != "" {
				share, _ := strconv.ParseFloat(m[2], 64)
				for i := range on {
					on[i] = of[m[1]][i]*share/100 + of["page"][i]*(1-share/100)
				}
			}
			a, b := luminance(of["text"]), luminance(on)
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 7 {
				t.Errorf("%s: monograms on %s have a contrast of %.2f, less than 7", mode, m[0], ratio)
			}
		}
	}
}
