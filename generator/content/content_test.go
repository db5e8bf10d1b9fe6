package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"weak"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// folder is a content folder: path with slashes → text.
type folder map[string]string

// listingNamed is a listing with nothing but what is required.
func listingNamed(name, repository string) string {
	return fmt.Sprintf("---\nname: %s\npurpose: Lights the way.\ncategory: chat-interfaces\nrepositoryUrl: %s\naddedAt: 2026-01-02\n---\nIt lights the way.\n", name, repository)
}

// baseFolder is a content folder with nothing wrong in it.
func baseFolder() folder {
	return folder{
		"taxonomy/categories.yml": `- {slug: chat-interfaces, name: Chat, description: To chat with., group: Text}
- {slug: image-generation, name: Images, description: To look at., group: Pictures}
`,
		"taxonomy/platforms.yml": "- {slug: linux, name: Linux}\n- {slug: docker, name: Docker}\n",
		"taxonomy/products.yml":  "- slug: paid-chat\n  name: Paid Chat\n  aliases: [PC Pro]\n  maker: Paid\n",
		"taxonomy/synonyms.yml":  "- [chat, talk]\n",
		"projects/ant.md":        listingNamed("Ant", "https://code.example.org/ant"),
		"projects/bee.md":        listingNamed("Bee", "https://code.example.org/bee"),
		"pages/about.md":         "---\ntitle: About\ndescription: What this is.\n---\nText.\n",
	}
}

// with returns the folder with one file more, or another text in its place; ""
// takes the file away.
func (f folder) with(name, text string) folder {
	if f[name] = text; text == "" {
		delete(f, name)
	}
	return f
}

func (f folder) write(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range f {
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

// load loads the folder with the default settings, as changed.
func (f folder) load(t testing.TB, change func(*Options)) (*Content, []Finding) {
	t.Helper()
	o := Options{Dir: f.write(t), Settings: site.Defaults(), Jobs: 2, Today: today}
	if change != nil {
		change(&o)
	}
	c, findings, err := Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c, findings
}

// texts writes findings as lint does.
func texts(findings []Finding) []string {
	list := []string{}
	for _, f := range findings {
		list = append(list, f.String())
	}
	return list
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestFolderFindings(t *testing.T) {
	for _, c := range []struct {
		about, file, text string
		want              []string
	}{
		{"nothing wrong", "projects/ant.md", baseFolder()["projects/ant.md"], []string{}},
		{"without what may be missing", "taxonomy/products.yml", "", []string{}},
		{"synonyms of nothing but comments", "taxonomy/synonyms.yml", "# none yet\n", []string{}},

		{"slug in upper case", "projects/Cat.md", listingNamed("Cat", "https://code.example.org/cat"), []string{
			`projects/Cat.md:1:1: "Cat" is not a slug: use lower-case letters and digits, in groups joined by single hyphens; rename the file to cat.md`}},
		{"slug with two hyphens", "projects/c--t.md", listingNamed("Cat", "https://code.example.org/cat"), []string{
			`projects/c--t.md:1:1: "c--t" is not a slug: use lower-case letters and digits, in groups joined by single hyphens; rename the file to c-t.md`}},
		{"slug with a dot", "projects/v1.0.md", listingNamed("Cat", "https://code.example.org/cat"), []string{
			`projects/v1.0.md:1:1: "v1.0" is not a slug: use lower-case letters and digits, in groups joined by single hyphens; rename the file to v1-0.md`}},
		{"longest slug", "projects/" + strings.Repeat("c", 64) + ".md", listingNamed("Cat", "https://code.example.org/cat"), []string{}},
		{"slug too long", "projects/" + strings.Repeat("c", 65) + ".md", listingNamed("Cat", "https://code.example.org/cat"), []string{
			"projects/" + strings.Repeat("c", 65) + ".md:1:1: the slug \"" + strings.Repeat("c", 65) + "\" has 65 characters: at most 64 are allowed"}},
		{"slug that is reserved", "projects/index.md", listingNamed("Cat", "https://code.example.org/cat"), []string{
			`projects/index.md:1:1: "index" is reserved: choose another name`}},

		{"slug taken", "projects/more/ant.md", listingNamed("Cat", "https://code.example.org/cat"), []string{
			`projects/more/ant.md:1:1: the slug "ant" is taken by projects/ant.md: rename the file`}},
		{"a copy of a listing", "projects/copy.md", baseFolder()["projects/bee.md"], []string{
			`projects/copy.md:2:7: name: "Bee" is taken by projects/bee.md: choose another name, or remove one of the two listings`}},
		{"name taken", "projects/cat.md", listingNamed("  'bée ' ", "https://code.example.org/cat"), []string{
			"projects/cat.md:2:9: name: \"bée \" is taken by projects/bee.md: choose another name, or remove one of the two listings", "projects/cat.md:2:9: name: begins or ends with white space"}},
		{"repository taken", "projects/cat.md", listingNamed("Cat", "https://CODE.example.org/Bee.git/"), []string{
			"projects/cat.md:5:16: warning: repositoryUrl: https://CODE.example.org/Bee.git/ is also the repository of projects/bee.md: if they are one tool, remove one of the two listings"}},
		{"same path on another host", "projects/cat.md", listingNamed("Cat", "https://other.example.org/bee"), []string{}},

		{"alias that is another's name", "projects/ant.md", strings.Replace(listingNamed("Ant", "https://code.example.org/ant"), "purpose", "aliases: [an ant, BÉE]\npurpose", 1), []string{
			`projects/ant.md:3:19: aliases: "BÉE" is the name of projects/bee.md, and people who type it look for that listing: remove it`}},
		{"file of another ending", "projects/more/cat.markdown", listingNamed("Cat", "https://code.example.org/cat"), []string{
			"projects/more/cat.markdown:1:1: warning: is not read because of its name: rename it to cat.md"}},
		{"file of an ending in upper case", "projects/cat.MD", listingNamed("Cat", "https://code.example.org/cat"), []string{
			"projects/cat.MD:1:1: warning: is not read because of its name: rename it to cat.md"}},
		{"page of another ending", "pages/imprint.markdown", "---\ntitle: A\ndescription: B\n---\n", []string{"pages/imprint.markdown:1:1: warning: is not read because of its name: rename it to pages/imprint.md"}},
		{"page in a folder", "pages/legal/imprint.md", "---\ntitle: A\ndescription: B\n---\n", []string{"pages/legal/imprint.md:1:1: warning: is not read because of its name: rename it to pages/imprint.md"}},
		{"taxonomy of another ending", "taxonomy/products.yaml", "[]", []string{"taxonomy/products.yaml:1:1: warning: is not read because of its name: rename it to products.yml"}},
		{"files that nobody takes for a listing", "projects/cat.png", "x", []string{}},

		{"listing too long", "projects/cat.md", listingNamed("Cat", "https://code.example.org/cat") + strings.Repeat("a\n", 32<<10), []string{
			"projects/cat.md:1:1: has 65688 bytes: at most 65536 are allowed"}},
		{"page too long", "pages/about.md", strings.Repeat("a\n", 128<<10+1), []string{"pages/about.md:1:1: has 262146 bytes: at most 262144 are allowed"}},
		{"taxonomy too long", "taxonomy/synonyms.yml", strings.Repeat("#\n", 1<<19+1), []string{"taxonomy/synonyms.yml:1:1: has 1048578 bytes: at most 1048576 are allowed"}},
		{"page with a title of two lines", "pages/about.md", "---\ntitle: \"A\\nB\"\ndescription: B\n---\n", []string{"pages/about.md:2:8: title: contains a line break or another control character: write one line"}},
		{"page with a title too long", "pages/about.md", "---\ntitle: " + long(81) + "\ndescription: B\n---\n", []string{"pages/about.md:2:8: title: has 81 characters: at most 80 are allowed"}},
		{"alias of a product with an escape", "taxonomy/products.yml", "- {slug: paid-chat, name: Paid Chat, aliases: [\"PC\\e\"], maker: Paid}\n", []string{
			"taxonomy/products.yml:1:48: aliases: contains a line break or another control character: write one line"}},
		{"maker too long", "taxonomy/products.yml", "- {slug: paid-chat, name: Paid Chat, maker: " + long(81) + "}\n", []string{"taxonomy/products.yml:1:45: maker: has 81 characters: at most 80 are allowed"}},
		{"synonym of two lines", "taxonomy/synonyms.yml", "- [chat, \"a\\nb\"]\n", []string{"taxonomy/synonyms.yml:1:10: contains a line break or another control character: write one line"}},
		{"taxonomy of UTF-16", "taxonomy/synonyms.yml", "\xff\xfea\x00", []string{"taxonomy/synonyms.yml:1:1: the file is UTF-16: save it as UTF-8"}},

		{"link to no listing", "projects/cat.md", listingNamed("Cat", "https://code.example.org/cat") + "\nAnother is\n[Ant](ant.md), or\n[Dog](dog.md).\n\n## More\n\n- **[Elk](./elk.md)**\n- [`Fox`][1]\n\n[1]: ../projects/fox.md#top\n", []string{
			"projects/cat.md:12:7: the link leads to dog.md, but there is no such listing: correct the link or remove it",
			"projects/cat.md:16:11: the link leads to ./elk.md, but there is no such listing: correct the link or remove it",
			"projects/cat.md:17:1: the link leads to ../projects/fox.md#top, but there is no such listing: correct the link or remove it"}},
		{"link from a page to no listing", "pages/about.md", "---\ntitle: About\ndescription: What this is.\n---\nSee [Ant](../projects/ant.md) and\n[Cat](../projects/cat.md).\n", []string{
			"pages/about.md:6:7: the link leads to ../projects/cat.md, but there is no such listing: correct the link or remove it"}},

		{"front matter that is no YAML", "projects/cat.md", "---\nname: Cat\npurpose: a: b\n---\n", []string{
			`projects/cat.md:3:11: a text that contains ": " must be in quotation marks: write purpose: "a: b"`}},
		{"nothing but front matter", "projects/cat.md", "---\n---", []string{
			"projects/cat.md:2:1: addedAt: is missing, but required", "projects/cat.md:2:1: category: is missing, but required",
			"projects/cat.md:2:1: name: is missing, but required", "projects/cat.md:2:1: purpose: is missing, but required",
			"projects/cat.md:2:1: repositoryUrl: is missing, but required", "projects/cat.md:2:1: warning: the description below the front matter is empty"}},

		{"page without a title", "pages/about.md", "---\ndescription: What this is.\n---\n", []string{"pages/about.md:2:1: title: is missing, but required"}},
		{"page without a description", "pages/about.md", "---\ntitle: About\ndescription: ' '\n---\n", []string{"pages/about.md:3:14: description: is missing, but required"}},
		{"page with an unknown key", "pages/about.md", "---\ntitle: About\ndescription: D\nauthor: me\n---\n", []string{`pages/about.md:4:1: unknown key "author"; allowed here: title, description, search`}},
		{"page for an unknown search", "pages/about.md", "---\ntitle: About\ndescription: D\nsearch: [server, wasm]\n---\n", []string{`pages/about.md:4:18: search: "wasm" is not a value of the setting search: write one of server, browser, none`}},
		{"page for no search", "pages/about.md", "---\ntitle: About\ndescription: D\nsearch: []\n---\n", []string{"pages/about.md:4:9: search: is empty, so the page would never be built: remove it, or list one or more of server, browser, none"}},
		{"page that is no YAML", "pages/about.md", "---\ntitle: [\n---\n", []string{"pages/about.md:2:9: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks"}},
		{"page without front matter", "pages/about.md", "# About\n", []string{"pages/about.md:1:1: the front matter is missing: the file must begin with a line ---"}},
		{"page that is not UTF-8", "pages/about.md", "---\ntitle: About\ndescription: D\n---\n\xff", []string{"pages/about.md:5:1: the file is not valid UTF-8: the byte here is 0xff; save the file as UTF-8"}},
		{"page in the place of one that is built", "pages/search.md", "---\ntitle: Search\ndescription: D\n---\n", []string{
			"pages/search.md:1:1: /search/ is written by the build itself: choose another file name"}},
		{"page of no slug", "pages/About us.md", "---\ntitle: About\ndescription: D\n---\n", []string{
			`pages/About us.md:1:1: "About us" is not a slug: use lower-case letters and digits, in groups joined by single hyphens; rename the file to about-us.md`}},

		{"no categories", "taxonomy/categories.yml", "", []string{
			"taxonomy/categories.yml:1:1: is missing: every catalogue needs it"}},
		{"categories that are empty", "taxonomy/categories.yml", "\n", []string{
			"taxonomy/categories.yml:1:1: is empty: write its entries, or [] if there are none"}},
		{"category without anything", "taxonomy/categories.yml", baseFolder()["taxonomy/categories.yml"] + "- {}\n", []string{
			"taxonomy/categories.yml:3:3: group: is missing, but required",
			"taxonomy/categories.yml:3:3: name: is missing, but required", "taxonomy/categories.yml:3:3: slug: is missing, but required"}},
		{"category of no slug", "taxonomy/categories.yml", baseFolder()["taxonomy/categories.yml"] + "- {slug: A B, name: X, description: X., group: X}\n", []string{
			`taxonomy/categories.yml:3:10: "A B" is not a slug: use lower-case letters and digits, in groups joined by single hyphens`}},
		{"category twice", "taxonomy/categories.yml", baseFolder()["taxonomy/categories.yml"] + "- {slug: chat-interfaces, name: CHAT, description: X., group: X}\n", []string{
			`taxonomy/categories.yml:3:10: slug: "chat-interfaces" is in this file twice: change one of them`, `taxonomy/categories.yml:3:33: name: "CHAT" is in this file twice: change one of them`}},
		{"category of two lines", "taxonomy/categories.yml", baseFolder()["taxonomy/categories.yml"] + "- slug: x\n  name: X\n  description: |\n    X.\n  group: X\n", []string{
			"taxonomy/categories.yml:5:16: description: contains a line break or another control character: write one line"}},
		{"category with an unknown key", "taxonomy/categories.yml", baseFolder()["taxonomy/categories.yml"] + "- {slug: x, name: X, description: X., group: X, icon: x}\n", []string{
			`taxonomy/categories.yml:3:49: unknown key "icon"; allowed here: slug, name, description, group, formerly, asks`}},
		{"platforms that are no list", "taxonomy/platforms.yml", "linux: Linux\n", []string{`taxonomy/platforms.yml:1:1: is a mapping, but a list is expected: begin each entry with "- ", or write [a, b]`}},
		{"platform without a name", "taxonomy/platforms.yml", "- slug: linux\n", []string{"taxonomy/platforms.yml:1:3: name: is missing, but required"}},
		{"platforms that are no YAML", "taxonomy/platforms.yml", "- slug: linux\n  name: [", []string{"taxonomy/platforms.yml:2:10: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks"}},
		{"product without a maker", "taxonomy/products.yml", "- slug: a\n  name: A\n", []string{"taxonomy/products.yml:1:3: maker: is missing, but required"}},
		{"product twice", "taxonomy/products.yml", "- {slug: a, name: A, maker: M}\n- {slug: b, name: a, maker: M}\n", []string{
			`taxonomy/products.yml:2:19: name: "a" is in this file twice: change one of them`}},
		{"synonym of nothing", "taxonomy/synonyms.yml", "- [chat, talk]\n- [image]\n", []string{"taxonomy/synonyms.yml:2:3: a group of synonyms needs at least two entries"}},
		{"synonym twice", "taxonomy/synonyms.yml", "- [chat, talk, chat]\n", []string{`taxonomy/synonyms.yml:1:16: "chat" is empty or is in its group twice: remove it`}},
		{"empty synonym", "taxonomy/synonyms.yml", "- [chat, talk, ' ']\n", []string{`taxonomy/synonyms.yml:1:16: " " is empty or is in its group twice: remove it`}},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, findings := baseFolder().with(c.file, c.text).load(t, nil)
			same(t, texts(findings), c.want)
		})
	}
}

// wrongFolder has something wrong in every kind of file.
func wrongFolder() folder {
	f := baseFolder().
		with("taxonomy/categories.yml", "- {slug: chat-interfaces, name: Chat, description: To chat with., group: Text, icon: x}\n- {slug: Images}\n").
		with("taxonomy/synonyms.yml", "- [chat]\n").
		with("pages/about.md", "---\ntitel: About\n---\n").
		with("pages/docs.md", "no front matter").
		with("projects/bee.md", "---\nname: Ant\npurpose: ''\ncategory: chat\nstars: many\nstarsAsOf: 2027-01-01\nrepositoryUrl: http://code.example.org/ant\naddedAt: 2026-02-30\naddedAt: 2026-01-01\nsources: {licens: x}\n---\n[x](nowhere.md)\n").
		with("projects/sub/ant.md", "---\nname: [\n---\n")
	for i := range 40 {
		f[fmt.Sprintf("projects/more/n%d.md", i)] = listingNamed(fmt.Sprintf("N%d", i/2), fmt.Sprintf("https://code.example.org/n%d", i/3))
	}
	return f
}

func TestAllMistakesOfAFolderAtOnce(t *testing.T) {
	f := wrongFolder()
	for name := range f {
		if strings.HasPrefix(name, "projects/more/") {
			delete(f, name)
		}
	}
	_, findings := f.load(t, nil)
	same(t, texts(findings), []string{
		"pages/about.md:2:1: description: is missing, but required",
		`pages/about.md:2:1: unknown key "titel" (did you mean title?); allowed here: title, description, search`,
		"pages/docs.md:1:1: /docs/ is written by the build itself: choose another file name",
		"pages/docs.md:1:1: the front matter is missing: the file must begin with a line ---",
		`projects/bee.md:2:7: name: "Ant" is taken by projects/ant.md: choose another name, or remove one of the two listings`,
		"projects/bee.md:3:10: purpose: is empty, but required",
		`projects/bee.md:4:11: category: there is no category "chat" in taxonomy/categories.yml (did you mean chat-interfaces?)`,
		`projects/bee.md:5:8: stars: "many" is not a whole number: write only digits, without a unit`,
		"projects/bee.md:6:12: starsAsOf: 2027-01-01 is in the future: write a day up to today",
		`projects/bee.md:7:16: repositoryUrl: "http://code.example.org/ant" does not begin with https://: write https://code.example.org/ant`,
		`projects/bee.md:8:10: addedAt: "2026-02-30" is not a date: write a real day as YYYY-MM-DD`,
		`projects/bee.md:9:1: key "addedAt" is repeated; it is already on line 8: remove one of them`,
		"projects/bee.md:10:19: licens: is not a field that can have a source; did you mean license?",
		"projects/bee.md:12:5: the link leads to nowhere.md, but there is no such listing: correct the link or remove it",
		"projects/sub/ant.md:1:1: the slug \"ant\" is taken by projects/ant.md: rename the file",
		"projects/sub/ant.md:2:8: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks",
		`taxonomy/categories.yml:1:80: unknown key "icon"; allowed here: slug, name, description, group, formerly, asks`,
		"taxonomy/categories.yml:2:3: group: is missing, but required",
		"taxonomy/categories.yml:2:3: name: is missing, but required",
		`taxonomy/categories.yml:2:10: "Images" is not a slug: use lower-case letters and digits, in groups joined by single hyphens`,
		"taxonomy/synonyms.yml:1:3: a group of synonyms needs at least two entries",
	})
	if !HasErrors(findings) || HasErrors([]Finding{{Rule: rule.NoSource}}) || HasErrors(nil) {
		t.Error("HasErrors does not tell errors from warnings")
	}
}

// What comes out does not depend on which file was read first.
func TestOrderDoesNotDependOnJobs(t *testing.T) {
	for name, f := range map[string]folder{"with mistakes": wrongFolder(), "without": baseFolder()} {
		dir := f.write(t)
		var before *Content
		var beforeFindings []Finding
		for round, jobs := range []int{1, 8, 8, 3, 1000} {
			c, findings, err := Load(t.Context(), Options{Dir: dir, Settings: site.Defaults(), Jobs: jobs, Today: today})
			if err != nil {
				t.Fatal(err)
			}
			c.taxonomy, c.FrontMatter = nil, nil // parsed YAML, and functions: both say nothing more
			for _, l := range slices.Concat(c.Listings, c.Unreadable) {
				l.parsed = weak.Pointer[strictyaml.Document]{} // gone at any time
			}
			if round > 0 && (!reflect.DeepEqual(c, before) || !slices.Equal(findings, beforeFindings)) {
				t.Errorf("%s: %d jobs give another result", name, jobs)
			}
			before, beforeFindings = c, findings
		}
		if !slices.IsSortedFunc(before.Listings, func(a, b *Listing) int { return strings.Compare(a.Slug, b.Slug) }) {
			t.Errorf("%s: listings are not ordered by slug", name)
		}
	}
}

func TestWhichFilesAreListings(t *testing.T) {
	f := baseFolder()
	for _, name := range []string{"projects/deep/down/cat.md", "projects/drafts/dog.md", "other/elk.md", "projects/notes.txt"} {
		f[name] = listingNamed(strings.TrimSuffix(filepath.Base(name), ".md"), "https://code.example.org/"+filepath.Base(name))
	}
	for _, c := range []struct {
		include, exclude []string
		want, leftOut    string
	}{
		{[]string{"projects/**/*.md"}, nil, "ant bee cat dog", "other/elk.md is not read"},
		{[]string{"projects/*.md"}, []string{"other/**"}, "ant bee", "projects/deep/down/cat.md and 1 more file below projects are not read"},
		{[]string{"projects/**/*.md"}, []string{"**/drafts/**", "other/*"}, "ant bee cat", ""},
		{[]string{"projects/**/*.md", "other/*.md", "projects/ant.md"}, []string{"projects/{bee,drafts/*}.md"}, "ant cat elk", ""},
		{[]string{"{projects,other}/**/[c-e]*.md"}, nil, "cat dog elk", "projects/ant.md and 1 more file below projects are not read"},
	} {
		content, findings := f.load(t, func(o *Options) { o.Settings.Include, o.Settings.Exclude = c.include, c.exclude })
		var slugs []string
		for _, l := range content.Listings {
			slugs = append(slugs, l.Slug)
		}
		leftOut := ""
		for _, f := range findings {
			leftOut += f.File + " " + f.Message
		}
		if got := strings.Join(slugs, " "); got != c.want || len(findings) > 1 || !strings.HasPrefix(leftOut, c.leftOut) || c.leftOut == "" && leftOut != "" {
			t.Errorf("include %q, exclude %q: got %s, want %s; findings %v", c.include, c.exclude, got, c.want, findings)
		}
	}

	_, findings := f.load(t, func(o *Options) { o.Settings.Include = []string{"nothing/*.md"}; o.Dir = filepath.Clean(o.Dir) })
	if len(findings) != 1 || findings[0].Rule != rule.NoListings || !HasErrors(findings) {
		t.Errorf("no listing at all: %v", findings)
	}
	for _, change := range []func(*site.Settings){
		func(s *site.Settings) { s.Include = []string{"projects/[.md"} },
		func(s *site.Settings) { s.Exclude = []string{"projects/{.md"} },
	} {
		o := Options{Dir: f.write(t), Settings: site.Defaults(), Jobs: 1, Today: today}
		change(&o.Settings)
		if _, _, err := Load(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is not a glob") {
			t.Errorf("a glob that is none: %v", err)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	dir := baseFolder().write(t)
	for name, d := range map[string]string{"no folder": filepath.Join(dir, "nowhere"), "a file": filepath.Join(dir, "projects", "ant.md")} {
		if _, _, err := Load(t.Context(), Options{Dir: d, Settings: site.Defaults(), Jobs: 1, Today: today}); err == nil || !strings.Contains(err.Error(), "--content") {
			t.Errorf("%s: %v", name, err)
		}
	}
	stop := errors.New("stopped by a test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, _, err := Load(ctx, Options{Dir: dir, Settings: site.Defaults(), Jobs: 2, Today: today}); !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
	if err := os.Symlink(filepath.Join(dir, "projects", "ant.md", "not a folder"), filepath.Join(dir, "projects", "loose.md")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(t.Context(), Options{Dir: dir, Settings: site.Defaults(), Jobs: 2, Today: today}); err == nil || !strings.Contains(err.Error(), "loose.md") {
		t.Errorf("a listing that cannot be read: %v", err)
	}
}

func TestProgress(t *testing.T) {
	var mu sync.Mutex
	var seen []int
	baseFolder().load(t, func(o *Options) {
		o.Progress = func(done, total int) {
			mu.Lock()
			defer mu.Unlock()
			if total != 2 {
				t.Errorf("%d of %d listings", done, total)
			}
			seen = append(seen, done)
		}
	})
	slices.Sort(seen)
	if !slices.Equal(seen, []int{1, 2}) {
		t.Errorf("progress %v", seen)
	}
}

// Every fact of the front matter arrives where the API looks for it.
func TestLoadedListing(t *testing.T) {
	l, findings := check("projects/deep/paper-lantern.md", strings.ReplaceAll(baseListing, "\n", "\r\n"))
	if len(findings) > 0 {
		t.Fatal(shown(findings))
	}
	const want = `{"slug":"paper-lantern","name":"Paper Lantern","aliases":["Lantern"],"purpose":"Chats with your documents on your own machine.",` +
		`"jobs":["chat with my documents"],"category":"chat-interfaces","alsoIn":["image-generation"],"topics":["documents"],"platforms":["linux","docker"],` +
		`"language":"Go","license":"MIT","osiApproved":true,"stars":1200,"starsAsOf":"2026-08-22","replaces":["Paid Chat"],` +
		`"fitNotes":{"gpu":"optional","gpuVendors":[],"arch":[],"setups":[` +
		`{"for":"a model of 3 billion parameters","ramGb":4,"vramGb":null,"diskGb":null,"system":[],"gpuVendor":null,"modelsElsewhere":false,"level":"minimum","source":"README","measured":null},` +
		`{"for":"a model of 3 billion parameters","ramGb":8,"vramGb":2.5,"diskGb":null,"system":[],"gpuVendor":null,"modelsElsewhere":false,"level":"recommended","source":null,"measured":null},` +
		`{"for":"pictures","ramGb":null,"vramGb":2,"diskGb":null,"system":[],"gpuVendor":null,"modelsElsewhere":false,"level":"minimum","source":null,"measured":null}],` +
		`"minRamGb":4,"recommendedRamGb":8,"minVramGb":2,"recommendedVramGb":2.5,` +
		`"memoryFor":"a model of 3 billion parameters","docker":true,"beginner":false,"selfHosted":true,"worksOffline":true,"apiKey":"no","modelRuns":[],"telemetry":null,"openness":null,"installer":false,"caveats":["Slow without a GPU"]},"estimate":null,"runsWith":[],` +
		`"installLinks":[{"kind":"docker","label":"Image","url":"https://hub.example.org/paper-lantern","command":"docker run paper-lantern","clone":false}],` +
		`"pageUrl":"http://localhost:8080/projects/paper-lantern/","repositoryUrl":"https://code.example.org/paper-lantern",` +
		`"homepageUrl":"https://paper-lantern.example.org/","docsUrl":"https://docs.example.org/paper-lantern?v=1#top","archived":false,` +
		`"addedAt":"2026-11-21","checkedAt":"2026-11-20","createdAt":"2024-02-29","updatedAt":"2026-08-22","release":{"version":"v1.2.0","date":"2026-08-02"},"upkeep":"active","upkeepAsOf":"2026-08-22","description":"## What it does\r\n\r\nChats.","similar":[],"advisories":null,` +
		`"sources":{"fitNotes.docker":"README","license":"LICENSE in the repository (2026-08-22)","setups":"README","stars":"https://code.example.org/paper-lantern (2026-08)"}}`
	got, err := json.Marshal(l.ProjectDetail)
	if err != nil {
		t.Fatal(err)
	}
	if got := withoutAdded(string(got), want); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// withoutAdded leaves out the unknown facts that want does not have: those that were added to
// the shipped taxonomy since.
func withoutAdded(got, want string) string {
	for _, f := range shippedFrontMatter.taxonomy.Facts {
		if key := `"` + f.Key + `":`; !strings.Contains(want, key) {
			got = strings.NewReplacer(key+"null,", "", key+"[],", "").Replace(got)
		}
	}
	return got
}

// What is not said is unknown: null, or a list without entries.
func TestUnknownFacts(t *testing.T) {
	l, findings := check("projects/ant.md", listingNamed("Ant", "https://code.example.org/ant"))
	if len(findings) > 0 {
		t.Fatal(shown(findings))
	}
	const want = `{"slug":"ant","name":"Ant","aliases":[],"purpose":"Lights the way.","jobs":[],"category":"chat-interfaces","alsoIn":[],"topics":[],"platforms":[],` +
		`"language":null,"license":null,"osiApproved":null,"stars":null,"starsAsOf":null,"replaces":[],` +
		`"fitNotes":{"gpu":null,"gpuVendors":[],"arch":[],"setups":[],"minRamGb":null,"recommendedRamGb":null,"minVramGb":null,"recommendedVramGb":null,` +
		`"memoryFor":null,"docker":null,"beginner":null,"selfHosted":null,"worksOffline":null,"apiKey":null,"modelRuns":[],"telemetry":null,"openness":null,"installer":null,"caveats":[]},"estimate":null,"runsWith":[],"installLinks":[],"pageUrl":"http://localhost:8080/projects/ant/",` +
		`"repositoryUrl":"https://code.example.org/ant","homepageUrl":null,"docsUrl":null,"archived":null,"addedAt":"2026-01-02","checkedAt":null,"createdAt":null,"updatedAt":null,"release":null,"upkeep":null,"upkeepAsOf":null,` +
		`"description":"It lights the way.","similar":[],"advisories":null,"sources":{}}`
	got, err := json.Marshal(l.ProjectDetail)
	if err != nil {
		t.Fatal(err)
	}
	if got := withoutAdded(string(got), want); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestLoadedTaxonomy(t *testing.T) {
	c, findings := baseFolder().with("taxonomy/synonyms.yml", "").load(t, nil)
	if len(findings) > 0 {
		t.Fatal(texts(findings))
	}
	want := api.Taxonomy{
		Categories: []api.Category{{Slug: "chat-interfaces", Name: "Chat", Description: "To chat with.", Group: "Text"}, {Slug: "image-generation", Name: "Images", Description: "To look at.", Group: "Pictures"}},
		Platforms:  []api.Platform{{Slug: "linux", Name: "Linux"}, {Slug: "docker", Name: "Docker"}},
		Products:   []api.Product{{Slug: "paid-chat", Name: "Paid Chat", Aliases: []string{"PC Pro"}, Maker: "Paid"}},
		Synonyms:   [][]string{},
		Facts:      []api.Fact{},
	}
	if !reflect.DeepEqual(c.Taxonomy, want) {
		t.Errorf("got %+v, want %+v", c.Taxonomy, want)
	}
	if f := c.InTaxonomy("products.yml", rule.Unused, "message", 0, "maker"); f.String() != "taxonomy/products.yml:4:10: warning: message" {
		t.Errorf("InTaxonomy gives %s", f)
	}
}

func TestSourceDate(t *testing.T) {
	for source, want := range map[string]string{
		"LICENSE (2026-08-23)": "2026-08-23 true", "README (2025-10)": "2025-10-01 true", "README": " false", "(2026-08-23) README": " false",
		"(v2)": " false", "README (2026-02-29)": " true error", "README (20)": " true error", "README (2026-8-1)": " true error", "": " false", "README (-2026)": " false",
	} {
		day, ok, err := SourceDate(source)
		got := fmt.Sprintf("%s %t", day, ok)
		if err != nil {
			got += " error"
		}
		if got != want {
			t.Errorf("SourceDate(%q) = %s, want %s", source, got, want)
		}
	}
}

// An alias leads to one listing; one's own name, or an alias twice, is no collision
// with another.
func TestAliasOfTwoListings(t *testing.T) {
	with := func(name, aliases string) string {
		return strings.Replace(listingNamed(name, "https://code.example.org/"+name), "purpose", "aliases: "+aliases+"\npurpose", 1)
	}
	_, findings := baseFolder().with("projects/ant.md", with("Ant", "[Tom, Ant]")).with("projects/bee.md", with("Bee", "[x, tóm]")).load(t, nil)
	same(t, texts(findings), []string{`projects/bee.md:3:14: aliases: "tóm" is already an alias in projects/ant.md: remove it from one of them`})
}

// What the settings leave out is left out on purpose.
func TestExcludedFilesAreNotAskedFor(t *testing.T) {
	_, findings := baseFolder().with("projects/drafts/cat.markdown", "x").with("other/dog.markdown", "x").load(t, func(o *Options) { o.Settings.Exclude = []string{"**/drafts/**"} })
	same(t, texts(findings), []string{})
}

// Only regular files are read: a link to a device never ends, and a pipe waits for a
// writer that never comes.
func TestIrregularFiles(t *testing.T) {
	dir := baseFolder().write(t)
	file := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for name, make := range map[string]func(string) error{
		"projects/pipe.md":       func(f string) error { return syscall.Mkfifo(f, 0o600) },
		"projects/zero.md":       func(f string) error { return os.Symlink("/dev/zero", f) },
		"projects/nowhere.md":    func(f string) error { return os.Symlink("../nothing", f) },
		"projects/.#link.md":     func(f string) error { return os.Symlink("editor@host.123", f) },
		"projects/link.md":       func(f string) error { return os.Symlink("../text", f) },
		"pages/pipe.md":          func(f string) error { return syscall.Mkfifo(f, 0o600) },
		"taxonomy/products.yml":  func(f string) error { return errors.Join(os.Remove(f), syscall.Mkfifo(f, 0o600)) },
		"taxonomy/platforms.yml": func(f string) error { return errors.Join(os.Remove(f), os.Mkdir(f, 0o700)) },
		"text": func(f string) error {
			return os.WriteFile(f, []byte(listingNamed("Link", "https://code.example.org/link")), 0o600)
		},
	} {
		if err := make(file(name)); err != nil {
			t.Fatal(err)
		}
	}
	c, findings, err := Load(t.Context(), Options{Dir: dir, Settings: site.Defaults(), Jobs: 2, Today: today})
	if err != nil {
		t.Fatal(err)
	}
	same(t, texts(findings), []string{
		"pages/pipe.md:1:1: is a named pipe: only regular files are read",
		"projects/nowhere.md:1:1: is a link to a file that does not exist: change the link, or remove it",
		"projects/pipe.md:1:1: is a named pipe: only regular files are read",
		"projects/zero.md:1:1: is a device: only regular files are read",
		"taxonomy/platforms.yml:1:1: is a folder: only regular files are read",
		"taxonomy/products.yml:1:1: is a named pipe: only regular files are read",
	})
	if len(c.Listings) != 3 || len(c.Unreadable) != 3 {
		t.Errorf("%d listings are read and %d are not, want 3 and 3", len(c.Listings), len(c.Unreadable))
	}
}

// A taxonomy full of mistakes takes no longer for each of them.
func TestManyMistakesOfATaxonomy(t *testing.T) {
	const n = 50_000
	_, findings := baseFolder().with("taxonomy/categories.yml", strings.Repeat("- {a: 1}\n", n)).load(t, nil)
	if len(findings) != n || findings[0].Rule != rule.FrontMatter {
		t.Errorf("%d findings, want one for each of %d entries: %v", len(findings), n, findings[:min(3, len(findings))])
	}
}
