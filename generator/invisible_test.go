package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/rule"
)

// Invisible characters in texts, entities, front matter, pages and the taxonomy are
// errors with their position. Those that emoji and scripts need are allowed.
func TestInvisibleCharactersAreRefused(t *testing.T) {
	t.Parallel()
	dir := copyFolder(t, small)
	file := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func(name, text string) {
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	head := func(name, aliases string) string {
		return "---\nname: " + name + "\npurpose: Does something.\ncategory: chat\nrepositoryUrl: https://code.example.org/" + name + "\naddedAt: 2026-11-20\naliases:\n" + aliases + "---\n"
	}
	wanted := map[string]bool{} // positions
	want := func(name string, line int) { wanted[fmt.Sprintf("%s:%d:", name, line)] = true }

	var body, aliases strings.Builder
	var texts []string // names of files, each with a text of maximal length
	textLine, aliasLine := 0, 7
	add := func(line string) {
		const maxLines = 900
		if name := fmt.Sprintf("text-%d", len(texts)); body.Len() == 0 {
			texts = append(texts, "projects/"+name+".md")
			body.WriteString(head(name, "  - the "+name+"\n"))
			textLine = strings.Count(body.String(), "\n")
		}
		body.WriteString(line)
		textLine++
		want(texts[len(texts)-1], textLine)
		if textLine > maxLines {
			write(texts[len(texts)-1], body.String())
			body.Reset()
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !invisible.Is(r) {
			continue
		}
		if !unicode.IsControl(r) { // files with control characters are not read
			add(fmt.Sprintf("a%cb\n", r))
		}
		if r != 0 { // &#0; is U+FFFD
			add(fmt.Sprintf("a&#%d;b\n", r))
		}
		// Only the ends of each range, because each finding parses the front matter.
		if !invisible.Is(r-1) || !invisible.Is(r+1) {
			fmt.Fprintf(&aliases, "  - \"alias %d \\U%08X\"\n", r, r)
			aliasLine++
			want("projects/listed.md", aliasLine)
		}
	}
	write(texts[len(texts)-1], body.String())
	write("projects/listed.md", head("listed", aliases.String())+"Text.\n")
	write("pages/hidden.md", "---\ntitle: \"Hi\\u3164dden\"\ndescription: \"A\\U000E0100 page.\"\n---\nText\u2060.\n")
	want("pages/hidden.md", 2)
	want("pages/hidden.md", 3)
	want("pages/hidden.md", 5)
	categories := read("taxonomy/categories.yml")
	write("taxonomy/categories.yml", categories+"- slug: hidden\n  name: \"Hid\\u200Bden\"\n  description: Hidden.\n  group: Hidden\n")
	want("taxonomy/categories.yml", strings.Count(categories, "\n")+2)

	o := optionsFor(filepath.Join(t.TempDir(), "public"))
	o.Content = dir
	report, err := Build(t.Context(), o)
	if _, ok := errors.AsType[*InvalidContentError](err); !ok {
		t.Fatal(err)
	}
	// Lint has the same findings.
	_, findings, err := lint.Load(t.Context(), content.Options{Dir: dir, Settings: o.Settings, Jobs: 1, Today: content.LatestDay(o.Now)}, "")
	if err != nil || !slices.Equal(findings, report.Findings) {
		t.Errorf("a build finds %v, lint %v, %v", report.Findings, findings, err)
	}
	for _, f := range report.Findings {
		if f.Rule == rule.HiddenText {
			delete(wanted, fmt.Sprintf("%s:%d:", f.File, f.Line))
		}
	}
	for position := range wanted {
		t.Errorf("there is no finding at %s", position)
	}
	if _, err := os.Stat(o.Out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}

	const needed = "می\u200cخواهم \U0001F469\u200d\U0001F4BB \u2764\ufe0f 1\ufe0f\u20e3"
	write("projects/shown.md", head("shown", "  - "+needed+"\n")+needed+"\n")
	write("taxonomy/categories.yml", categories)
	for _, name := range append(texts, "projects/listed.md", "pages/hidden.md") {
		if err := os.Remove(file(name)); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := build(t, func(o *Options) { o.Content = dir })
	tree := readTree(t, out)
	for _, name := range []string{"projects/shown/index.html", "projects/shown/index.html.md", "api/v1/projects/shown.json"} {
		if !strings.Contains(tree[name], needed) {
			t.Errorf("%s has lost characters that its words need", name)
		}
	}
	for name, text := range tree {
		if strings.HasSuffix(name, ".html") || strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".txt") {
			for i, r := range invisible.Find(text) {
				t.Errorf("%s holds %U at %d", name, r, i)
			}
		}
	}
}
