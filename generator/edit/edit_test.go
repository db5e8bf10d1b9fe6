package edit_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/edit"
)

// listing returns the file of a listing with a text.
func listing(name, more, body string) string {
	return "---\nname: " + name + "\n" + more + "purpose: Does one thing.\ncategory: chat\nrepositoryUrl: https://forge.example/" + name + "\naddedAt: 2026-01-01\n---\n" + body
}

// folder writes a content folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("taxonomy/categories.yml", "- {slug: chat, name: Chat, description: Talk., group: All}\n")
	write("taxonomy/platforms.yml", "- {slug: linux, name: Linux}\n")
	for name, text := range files {
		write(name, text)
	}
	return dir
}

// load returns the content of a folder and its findings that are errors.
func load(t *testing.T, dir string) (c *content.Content, wrong []string) {
	t.Helper()
	settings := site.Defaults()
	settings.Languages = []string{"de"}
	c, findings, err := content.Load(t.Context(), content.Options{Dir: dir, Settings: settings, Jobs: 1, Today: "2026-11-28"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if content.HasErrors([]content.Finding{f}) {
			wrong = append(wrong, f.String())
		}
	}
	return c, wrong
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	return string(text)
}

// links are links in all forms to ant, and texts that only look like links.
const links = "[Ant](ant.md), [**an** ant](./ant.md#good) and [a [small] one](../projects/ant.md \"The (ant)\"), [`x`](<ant.md>).\n\n" +
	"`[code](ant.md)` and \\[no\\](ant.md) [antenna](antenna.md)\n\n" +
	"```\n[block](ant.md)\n```\n\n- quoted:\n\n  > [deep](ant.md) [Bee](bee.md)\n\n[site](http://LOCALHOST:8080/projects/ant/?x=ant.md#a) See [there] and [here][there].\n\n[there]: ant.md \"Ant\"\n"

// others are the files beside ant.
func others() map[string]string {
	return map[string]string{
		"projects/ant.md":      listing("Ant", "formerly: [emmet]\n", "It is [itself](ant.md).\n"),
		"projects/antenna.md":  listing("Antenna", "", "Text.\n"),
		"projects/bee.md":      listing("Bee", "", links),
		"projects/deep/cat.md": listing("Cat", "", "No link.\r\n"),
		"pages/about.md":       "---\ntitle: About\ndescription: What it is.\n---\nSee [Ant]({base_url}/projects/ant/), [ant](../projects/ant/#x) and [Ant](../projects/ant.md).\n",
	}
}

// Translations of a listing go where the listing goes, and links in translations are mended.
func TestTranslations(t *testing.T) {
	files := others()
	files["projects/ant.de.md"] = "---\nname: Ameise\n---\nSie [selbst](ant.md).\n"
	files["projects/bee.de.md"] = "---\nname: Biene\n---\nSiehe [Ameise](ant.md).\n"
	dir := folder(t, files)
	c, _ := load(t, dir)
	change, err := edit.Rename(c, dir, "ant", "pismire")
	if err == nil {
		err = change.Apply(t.Context())
	}
	if err != nil || read(t, dir, "projects/ant.de.md") != "" || !strings.HasSuffix(read(t, dir, "projects/pismire.de.md"), "Sie [selbst](pismire.md).\n") ||
		!strings.HasSuffix(read(t, dir, "projects/bee.de.md"), "Siehe [Ameise](pismire.md).\n") {
		t.Errorf("%v; after rename, the ant is %q, the bee %q", err, read(t, dir, "projects/pismire.de.md"), read(t, dir, "projects/bee.de.md"))
	}
	c, wrong := load(t, dir)
	if change, err = edit.Retire(c, dir, "pismire", "", "", "2026-11-28"); err == nil {
		err = change.Apply(t.Context())
	}
	if err != nil || len(wrong) > 0 || read(t, dir, "projects/pismire.de.md") != "" || !strings.HasSuffix(read(t, dir, "projects/bee.de.md"), "Siehe Ameise.\n") {
		t.Errorf("%v, %v; after it left, the bee is %q", err, wrong, read(t, dir, "projects/bee.de.md"))
	}
}

func TestRename(t *testing.T) {
	dir := folder(t, others())
	c, wrong := load(t, dir)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	change, err := edit.Rename(c, dir, filepath.Join(dir, "projects", "ant.md"), "pismire")
	if err != nil {
		t.Fatal(err)
	}
	if read(t, dir, "projects/ant.md") == "" {
		t.Error("a plan has written files")
	}
	if err := change.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if read(t, dir, "projects/ant.md") != "" {
		t.Error("the old file is still there")
	}
	if text := read(t, dir, "projects/pismire.md"); !strings.Contains(text, "\nformerly: [emmet, ant]\n") || !strings.Contains(text, "[itself](pismire.md)") {
		t.Errorf("the listing is %s", text)
	}
	want := strings.NewReplacer("[Ant](ant.md)", "[Ant](pismire.md)", "./ant.md#good", "./pismire.md#good", "../projects/ant.md", "../projects/pismire.md", "<ant.md>", "<pismire.md>",
		"[deep](ant.md)", "[deep](pismire.md)", "/projects/ant/?x=ant.md#a", "/projects/pismire/?x=ant.md#a", "]: ant.md", "]: pismire.md").Replace(links)
	if got := read(t, dir, "projects/bee.md"); !strings.HasSuffix(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := read(t, dir, "pages/about.md"); !strings.HasSuffix(got, "See [Ant]({base_url}/projects/pismire/), [ant](../projects/pismire/#x) and [Ant](../projects/pismire.md).\n") {
		t.Errorf("the page is %s", got)
	}
	if len(change.Links) != 11 || len(change.ByHand) != 0 || change.Links[0].File == "" {
		t.Errorf("%d links and %v", len(change.Links), change.ByHand)
	}
	c, wrong = load(t, dir)
	if len(wrong) > 0 {
		t.Errorf("after the change: %v", wrong)
	}
	// Back again: the address of the listing is no former one.
	if change, err = edit.Rename(c, dir, "pismire", "ant"); err == nil {
		err = change.Apply(t.Context())
	}
	if err != nil || !strings.Contains(read(t, dir, "projects/ant.md"), "\nformerly: [emmet, pismire]\n") || !strings.HasSuffix(read(t, dir, "projects/bee.md"), links) {
		t.Errorf("back again: %v %s", err, read(t, dir, "projects/ant.md"))
	}
}

// runnerFolder has listings that name others in runsWith.
func runnerFolder(t *testing.T) string {
	t.Helper()
	return folder(t, map[string]string{
		"taxonomy/facts.yml": "- {key: setups, kind: setups, label: Memory, meaning: It takes so much.}\n",
		"taxonomy/models.yml": "contextTokens: 8192\nprocessGb: 0.6\nmeasured: On a card.\nkeeps: {ramGb: 4, vramGb: 0.5, because: A guess., source: https://example.org/system}\n" +
			"sizes: [{name: 1B, parameters: 1.24, bits: 4.5, layers: 16, heads: 8, headSize: 64, model: Small, source: https://example.org/small}]\n",
		"projects/ant.md": listing("Ant", "", "Text.\n"), "projects/bee.md": listing("Bee", "runsWith: [cat, ant]\n", "Text.\n"), "projects/cat.md": listing("Cat", "runsWith: [ant]\n", "Text.\n"),
	})
}

// runsWith follows a listing that is renamed, replaced or removed.
func TestRunsWithFollows(t *testing.T) {
	for _, test := range []struct {
		about, bee, cat string
		change          func(*content.Content, string) (*edit.Change, error)
	}{
		{"rename", "runsWith: [cat, pismire]", "runsWith: [pismire]", func(c *content.Content, dir string) (*edit.Change, error) {
			return edit.Rename(c, dir, "ant", "pismire")
		}},
		{"retire", "runsWith: [cat]", "runsWith: []", func(c *content.Content, dir string) (*edit.Change, error) {
			return edit.Retire(c, dir, "ant", "", "Its makers have stopped.", "2026-11-28")
		}},
		{"replace", "runsWith: [cat]", "runsWith: []", func(c *content.Content, dir string) (*edit.Change, error) {
			return edit.Retire(c, dir, "ant", "cat", "Its makers have stopped.", "2026-11-28")
		}},
	} {
		t.Run(test.about, func(t *testing.T) {
			dir := runnerFolder(t)
			c, wrong := load(t, dir)
			if len(wrong) > 0 {
				t.Fatal(wrong)
			}
			change, err := test.change(c, dir)
			if err == nil {
				err = change.Apply(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"bee": test.bee, "cat": test.cat} {
				if got := read(t, dir, "projects/"+name+".md"); !strings.Contains(got, "\n"+want+"\n") {
					t.Errorf("%s is %s\nwant %s", name, got, want)
				}
			}
			if _, wrong := load(t, dir); len(wrong) > 0 || len(change.Links) > 0 || len(change.References) != 2 || change.References[0].Line != 5 {
				t.Errorf("errors %v, links %v, runsWith %v", wrong, change.Links, change.References)
			}
		})
	}
}

// Relations follow a listing that is renamed, as runsWith does.
func TestRelationsFollow(t *testing.T) {
	dir := folder(t, map[string]string{
		"taxonomy/facts.yml": "- {key: friends, kind: relation, label: Friends, meaning: Whom it likes.}\n",
		"projects/ant.md":    listing("Ant", "", "Text.\n"), "projects/bee.md": listing("Bee", "fitNotes: {friends: [ant]}\n", "Text.\n"),
	})
	c, _ := load(t, dir)
	change, err := edit.Rename(c, dir, "ant", "emmet")
	if err == nil {
		err = change.Apply(t.Context())
	}
	if got := read(t, dir, "projects/bee.md"); err != nil || !strings.Contains(got, "\nfitNotes:\n  friends: [emmet]\n") {
		t.Errorf("%v: %s", err, got)
	}
	if want := []edit.Link{{File: "projects/bee.md", Line: 6, Key: "friends"}}; !slices.Equal(change.References, want) {
		t.Errorf("the change names %v, want %v", change.References, want)
	}
	if _, wrong := load(t, dir); len(wrong) > 0 {
		t.Error(wrong)
	}
}

func TestRetire(t *testing.T) {
	dir := folder(t, others())
	c, _ := load(t, dir)
	change, err := edit.Retire(c, dir, "ant", "", "Its makers: they have stopped.", "2026-11-28")
	if err == nil {
		err = change.Apply(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("[Ant](ant.md)", "Ant", "[**an** ant](./ant.md#good)", "**an** ant", "[a [small] one](../projects/ant.md \"The (ant)\")", "a [small] one", "[`x`](<ant.md>)", "`x`",
		"[deep](ant.md)", "deep", "[site](http://LOCALHOST:8080/projects/ant/?x=ant.md#a)", "site").Replace(links)
	if got := read(t, dir, "projects/bee.md"); !strings.HasSuffix(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := read(t, dir, "pages/about.md"); !strings.HasSuffix(got, "See Ant, ant and Ant.\n") {
		t.Errorf("the page is %s", got)
	}
	if len(change.ByHand) != 1 || change.ByHand[0].File != "projects/bee.md" {
		t.Errorf("by hand: %v", change.ByHand)
	}
	const retired = "# Listings that have left the catalogue. Their pages say so. catalog retire adds to this list.\n" +
		"- slug: ant\n  name: Ant\n  left: 2026-11-28\n  because: \"Its makers: they have stopped.\"\n  category: chat\n  formerly: [emmet]\n"
	if got := read(t, dir, "taxonomy/retired.yml"); got != retired {
		t.Errorf("the list is %s", got)
	}
	c, wrong := load(t, dir)
	if !slices.Equal(wrong, []string{"projects/bee.md:20:1: the link leads to ant.md, but there is no such listing: did you mean antenna.md?", "projects/bee.md:20:1: the link leads to ant.md, but there is no such listing: did you mean antenna.md?"}) {
		t.Errorf("left over: %q", wrong)
	}
	if r := c.FindRetired("ANT", ""); r == nil || r.Name != "Ant" || c.FindRetired("Emmet", "emmet") != r || c.FindRetired("Bee", "bee") != nil {
		t.Errorf("found %v", r)
	}
	// Nobody else gets the address.
	for _, slug := range []string{"ant", "emmet"} {
		if _, err := edit.Rename(c, dir, "bee", slug); err == nil || !strings.Contains(err.Error(), "which has left") {
			t.Errorf("rename to %s: %v", slug, err)
		}
	}
	// A second one is added to the list.
	if change, err = edit.Retire(c, dir, "antenna", "", "", "2026-11-29"); err == nil {
		err = change.Apply(t.Context())
	}
	if got := read(t, dir, "taxonomy/retired.yml"); err != nil || got != retired+"- slug: antenna\n  name: Antenna\n  left: 2026-11-29\n  category: chat\n" {
		t.Errorf("%v %s", err, got)
	}
}

func TestRetireToAnother(t *testing.T) {
	files := others()
	files["projects/antenna.md"] = listing("Antenna", "formerly: [feeler]\n", "Unlike [Ant](ant.md).\n")
	dir := folder(t, files)
	c, _ := load(t, dir)
	change, err := edit.Retire(c, dir, "ant", "antenna", "", "2026-11-28")
	if err == nil {
		err = change.Apply(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if text := read(t, dir, "projects/antenna.md"); !strings.Contains(text, "\nformerly: [feeler, emmet, ant]\n") || !strings.HasSuffix(text, "Unlike Ant.\n") {
		t.Errorf("the heir is %s", text)
	}
	if got := read(t, dir, "projects/bee.md"); strings.Contains(got, "[Ant](ant.md)") || !strings.Contains(got, "[there]: antenna.md") {
		t.Errorf("got %s", got)
	}
	if _, wrong := load(t, dir); len(wrong) > 0 || read(t, dir, "taxonomy/retired.yml") != "" {
		t.Errorf("%q", wrong)
	}
}

func TestRefused(t *testing.T) {
	files := others()
	files["projects/bad.md"] = "no front matter\n"
	files["taxonomy/retired.yml"] = "- {slug: gone, name: Gone, left: 2026-01-01}\n"
	dir := folder(t, files)
	c, _ := load(t, dir)
	for _, test := range []struct{ old, slug, want string }{
		{"aunt", "x", `there is no listing "aunt"; did you mean ant?`}, {"bad", "x", "projects/bad.md cannot be read: correct it first"},
		{"ant", "Ant", `"Ant" is not a slug`}, {"ant", "bee", `the slug "bee" is taken by projects/bee.md`}, {"bee", "emmet", `"emmet" is a former slug of projects/ant.md`},
		{"ant", "bad", `the slug "bad" is taken by projects/bad.md`}, {"ant", "gone", `"gone" is an address of Gone, which has left`}, {"ant", "ant", `the slug "ant" is taken by projects/ant.md`},
	} {
		if _, err := edit.Rename(c, dir, test.old, test.slug); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("rename %s to %s: %v, want %q", test.old, test.slug, err, test.want)
		}
	}
	for _, test := range []struct{ slug, to, because, want string }{
		{"aunt", "", "", "did you mean ant?"}, {"ant", "aunt", "", "did you mean ant?"}, {"ant", "ant", "", "ant cannot replace itself"}, {"ant", "", "a\nb", "the reason contains a line break"},
	} {
		if _, err := edit.Retire(c, dir, test.slug, test.to, test.because, "2026-11-28"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("retire %s: %v, want %q", test.slug, err, test.want)
		}
	}
}

// A file is named by its path only if it is that file, and a slug only if one file has it.
func TestNamedFile(t *testing.T) {
	files := others()
	files["projects/other/bee.md"] = listing("Bumblebee", "", "Text.\n")
	dir := folder(t, files)
	c, _ := load(t, dir)
	for slug, want := range map[string]string{
		"bee": `projects/bee.md and projects/other/bee.md have the slug "bee": rename one of the files by hand`, "elsewhere/ant.md": `there is no listing "elsewhere/ant.md"; did you mean ant?`, "ant.md": `there is no listing "ant.md"; did you mean ant?`,
	} {
		if _, err := edit.Retire(c, dir, slug, "", "", "2026-11-28"); err == nil || err.Error() != want {
			t.Errorf("retire %s: %v, want %s", slug, err, want)
		}
	}
	change, err := edit.Rename(c, dir, filepath.Join(dir, "projects", "other", "bee.md"), "bumblebee")
	if err == nil {
		err = change.Apply(t.Context())
	}
	if err != nil || read(t, dir, "projects/other/bumblebee.md") == "" || read(t, dir, "projects/bee.md") == "" {
		t.Errorf("by its path: %v", err)
	}
}

// What lint complains of does not move to where it would stop every build.
func TestWrongListings(t *testing.T) {
	files := others()
	files["projects/Wasp.md"] = strings.Replace(listing("Wasp", "formerly: [Vespa, hornet]\n", "Text.\n"), "category: chat", "category: none", 1)
	files["taxonomy/retired.yml"] = "  - slug: gone\n    name: Gone\n    left: 2026-01-01\n"
	dir := folder(t, files)
	c, _ := load(t, dir)
	change, err := edit.Rename(c, dir, "Wasp", "wasp")
	if err != nil {
		t.Fatal(err)
	}
	if err := change.Apply(t.Context()); err != nil || !strings.Contains(read(t, dir, "projects/wasp.md"), "\nformerly: [hornet]\n") {
		t.Errorf("%v: %s", err, read(t, dir, "projects/wasp.md"))
	}
	c, _ = load(t, dir)
	// An entry cannot be added to a list that is indented, and nothing is lost.
	if _, err := edit.Retire(c, dir, "wasp", "", "", "2026-11-28"); err == nil || !strings.Contains(err.Error(), "retired.yml: entries cannot be added") || read(t, dir, "projects/wasp.md") == "" {
		t.Errorf("an indented list: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "taxonomy", "retired.yml"), []byte("[]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := edit.Retire(c, dir, "wasp", "", "", "2026-11-28"); err == nil || !strings.Contains(err.Error(), "retired.yml: entries cannot be added") {
		t.Errorf("a list in brackets: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "taxonomy", "retired.yml")); err != nil {
		t.Fatal(err)
	}
	if change, err = edit.Retire(c, dir, "wasp", "", "", "2026-11-28"); err == nil {
		err = change.Apply(t.Context())
	}
	if got := read(t, dir, "taxonomy/retired.yml"); err != nil || !strings.HasSuffix(got, "- slug: wasp\n  name: Wasp\n  left: 2026-11-28\n  formerly: [hornet]\n") {
		t.Errorf("%v %s", err, got)
	}
}

// Comments of former slugs stay.
func TestFormerSlugsKeepComments(t *testing.T) {
	files := others()
	files["projects/ant.md"] = listing("Ant", "formerly:\n  - emmet # until 2024\n", "See [itself](ant.md).\n")
	dir := folder(t, files)
	c, _ := load(t, dir)
	change, err := edit.Rename(c, dir, "ant", "pismire")
	if err == nil {
		err = change.Apply(t.Context())
	}
	if err != nil || !strings.Contains(read(t, dir, "projects/pismire.md"), "formerly:\n  - emmet # until 2024\n  - ant\n") {
		t.Errorf("%v: %s", err, read(t, dir, "projects/pismire.md"))
	}
	// The link is named where it is now.
	i := slices.IndexFunc(change.Links, func(l edit.Link) bool { return l.File == "projects/pismire.md" })
	if i < 0 || !strings.Contains(strings.Split(read(t, dir, "projects/pismire.md"), "\n")[change.Links[i].Line-1], "[itself]") {
		t.Errorf("the links are %v", change.Links)
	}
}

// If a file cannot be written, all files are as they were.
func TestUndone(t *testing.T) {
	dir := folder(t, others())
	c, _ := load(t, dir)
	before := read(t, dir, "projects/bee.md")
	change, err := edit.Rename(c, dir, "ant", "pismire")
	if err != nil {
		t.Fatal(err)
	}
	// The file that is to be removed has become a folder with a file in it.
	if err := os.Remove(filepath.Join(dir, "projects", "ant.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "projects", "ant.md", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := change.Apply(t.Context()); err == nil {
		t.Error("the change is said to be done")
	}
	if read(t, dir, "projects/bee.md") != before || read(t, dir, "projects/pismire.md") != "" {
		t.Error("the change is half done")
	}
}

// Links are found in any text without a fault, and their places hold the slug.
func FuzzListingLinks(f *testing.F) {
	f.Add(links)
	f.Add("[a](ant.md")
	f.Add("[a](../projects/ant.md?ant.md#see-ant.md) [b](http://localhost:8080/projects/bee/) <http://localhost:8080/projects/bee/>")
	settings := site.Defaults()
	matter := content.NewFrontMatter(&settings, &api.Taxonomy{})
	f.Fuzz(func(t *testing.T, body string) {
		file := []byte("---\nname: A\n---\n" + body)
		for _, l := range matter.ListingLinks("projects/x.md", file) {
			if l.Stop > 0 && string(file[l.Start:l.Stop]) != l.Slug || l.Close > 0 && (l.Open >= l.Text || l.Text >= l.Start || l.Stop >= l.Close || file[l.Open] != '[' || file[l.Text] != ']' || file[l.Close-1] != ')') {
				t.Errorf("%q: %+v", body, l)
			}
		}
	})
}
