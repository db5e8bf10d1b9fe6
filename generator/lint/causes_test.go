package lint_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/site"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/rule"
)

// shippedSample returns the shipped taxonomy with some shipped listings.
func shippedSample(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	add := func(pattern string, most int) {
		names, err := filepath.Glob(filepath.Join("../../content", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names[:min(len(names), most)] {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.ToSlash(strings.TrimPrefix(name, "../../content/"))] = string(text)
		}
	}
	add("taxonomy/*.yml", 100)
	add("projects/*.md", 4)
	add("listing.schema.json", 1)
	// Long lists are cut, so that many cases can be tried.
	files["taxonomy/categories.yml"] = regexp.MustCompile(`(?m)^  asks:\n(?:    - .*\n)+`).ReplaceAllString(files["taxonomy/categories.yml"], "")
	for file, entry := range map[string]string{"products": "\n- ", "synonyms": "\n- ", "hardware": "\n  - name:"} {
		name := "taxonomy/" + file + ".yml"
		if list := strings.SplitAfterN(files[name], entry, 12); len(list) == 12 {
			files[name] = strings.TrimSuffix(strings.Join(list[:11], ""), strings.TrimPrefix(entry, "\n"))
		}
	}
	return files
}

// A file of the taxonomy that cannot be read, or a mistake in it, is one finding. Nothing that
// follows from it is reported: of no listing that states a fact, and of no other file.
func TestOneCauseOneFinding(t *testing.T) {
	t.Parallel()
	sample := shippedSample(t)
	settings, err := generator.LoadSettings("../../catalog.yml", func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	settings.Shares = nil // of a whole catalogue
	find := func(t *testing.T, files map[string]string) map[string]bool {
		t.Helper()
		_, findings, err := generator.Check(t.Context(), content.Options{Dir: write(t, files), Settings: settings, Jobs: 2, Today: "2026-12-31"}, "")
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, f := range findings {
			found[f.File+" "+f.Rule.Name+" "+f.Message] = true
		}
		return found
	}
	before := find(t, sample)
	replace := func(pattern, by string) func(string) string {
		return func(text string) string {
			at := regexp.MustCompile(pattern).FindStringSubmatchIndex(text)
			if at == nil {
				t.Fatalf("no %s", pattern)
			}
			return text[:at[2]] + by + text[at[3]:]
		}
	}
	everyFile := map[string]func(string) string{
		"a merge conflict": replace(`^[^\n]*\n()`, "<<<<<<< HEAD\n"),
		"a byte":           func(text string) string { return text + "\xff" },
		"too long":         func(text string) string { return text + strings.Repeat("# long\n", 200_000) },
	}
	lists := map[string]func(string) string{
		"a tab":           replace(`\n(  )\w`, "\t"),
		"no dash":         replace(`(?s)\n- .*?\n(- )`, "  "),
		"an unknown key":  replace(`\n- \w+: [^\n]*\n(  )\w`, "  nonsense: 1\n  "),
		"no list at all":  func(text string) string { return "one: " + strings.Join(strings.Fields(text)[:1], "") + "x\n" },
		"a misspelt slug": replace(`(?m)^- (slug|key): `, "slgu"),
		"a wrong slug":    replace(`(?m)^- (?:slug|key): (.*)`, "[x]"),
	}
	cases := map[string]map[string]func(string) string{
		"facts": {
			"a kind": replace(`kind: (choice)\n`, "chocie"), "the kind of setups": replace(`kind: (setups)`, "setup"), "a misspelt key": replace(`\n  (values):`, "valeus"), "a key": replace(`key: (\w+)`, "a key!"),
			"a value": replace(`slug: (\w+)`, "[a]"),
		},
		"categories": {"a description": replace(`description: (.*)`, "[x]"), "no name": replace(`\n(  name: .*\n)`, "")},
		"platforms":  {"a system": replace(`system: (true)`, "yes"), "a slug with blanks": replace(`- slug: (l)inux`, "L")},
		"products":   {"a name": replace(`  name: (.*)`, "[x]"), "no name": replace(`\n(  name: .*\n)`, "")},
		"hardware":   {"a name": replace(`  - name: (.*)`, "[x]"), "a tab": replace(`\n(  )\w`, "\t")},
		"words":      {"a key": replace(`(?m)^(weak):`, "waek")},
		"synonyms":   {"no list": replace(`(?m)^- (\[.*\])`, "x")},
	}
	for _, file := range []string{"facts", "categories", "platforms", "products"} {
		maps.Copy(cases[file], lists)
	}
	for file, changes := range cases {
		maps.Copy(changes, everyFile)
		name := "taxonomy/" + file + ".yml"
		for about, change := range changes {
			t.Run(file+" with "+about, func(t *testing.T) {
				t.Parallel()
				files := maps.Clone(sample)
				files[name] = change(files[name])
				var more []string
				for f := range find(t, files) {
					if !before[f] {
						more = append(more, f)
					}
				}
				if len(more) != 1 || !strings.HasPrefix(more[0], name+" ") {
					slices.Sort(more)
					t.Errorf("%d new findings, want one in %s:\n%s", len(more), name, strings.Join(more[:min(len(more), 6)], "\n"))
				}
			})
		}
	}
}

// A key that is misspelt is not missing, too. A fact that is not known has no wrong source.
func TestOneFindingForAKey(t *testing.T) {
	t.Parallel()
	for about, change := range map[string][2]string{
		"a required key": {"purpose:", "purpos:"}, "a list": {"jobs: [", "jobs: one\naliases: ["}, "a line --- among the keys": {"category:", "---\ncategory:"}, "a fact": {"topics:", "fitNotes: {quiet: true}\nsources: {fitNotes.quiet: 'https://a.example/ (2026-01-01)'}\ntopics:"},
	} {
		if found := check(t, map[string]string{"projects/one.md": strings.Replace(listing("one"), change[0], change[1], 1), "projects/two.md": listing("two")}, ""); len(found) != 1 {
			t.Errorf("%s: %v", about, found)
		}
	}
	// Links have the name that a file with a wrong one is to get.
	files := map[string]string{"projects/One.md": listing("one"), "projects/two.md": strings.Replace(listing("two"), "- always", "- [one](one.md) is no answer", 1)}
	if found := check(t, files, ""); len(found) != 1 || found[0].File != "projects/One.md" {
		t.Errorf("a wrong name of a file: %v", found)
	}
}

// What a listing that cannot be read may have is not missed elsewhere.
func TestUnreadListing(t *testing.T) {
	t.Parallel()
	one := strings.Replace(listing("one"), "topics:", "replaces: [Paid]\ntopics:", 1)
	files := map[string]string{
		"projects/one.md": one, "projects/two.md": strings.Replace(listing("two"), "- always", "- [one](one.md) is no answer", 1), "projects/three.md": listing("three"),
		"taxonomy/products.yml": "- {slug: paid, name: Paid, maker: Payee}\n", "taxonomy/synonyms.yml": "- [oneaa, other]\n",
	}
	if found := check(t, files, ""); len(found) > 0 {
		t.Fatal(found)
	}
	for about, text := range map[string]string{
		"merge conflict": strings.Replace(one, "jobs:", "=======\n>>>>>>> theirs\njobs:", 1), "value": strings.Replace(one, "replaces: [Paid]", "replaces: Paid", 1), "syntax": strings.Replace(one, "jobs: [", "jobs: {", 1),
	} {
		files := maps.Clone(files)
		files["projects/one.md"] = text
		if found := check(t, files, ""); len(found) != 1 || found[0].File != "projects/one.md" {
			t.Errorf("%s: %v, want one finding in projects/one.md", about, found)
		}
	}
}

const conflict = "<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> theirs\n"

// A merge conflict is one error that says so, in whatever file it is.
func TestMergeConflicts(t *testing.T) {
	t.Parallel()
	one := listing("one")
	for name, files := range map[string]map[string]string{
		"projects/one.md":         {"projects/one.md": one + conflict, "projects/two.md": listing("two")},
		"projects/two.md":         {"projects/one.md": one, "projects/two.md": strings.Replace(listing("two"), "jobs:", conflict+"jobs:", 1)},
		"pages/about.md":          {"projects/one.md": one, "pages/about.md": "---\ntitle: About\ndescription: What this is.\n---\nText.\r\n" + strings.ReplaceAll(conflict, "\n", "\r\n")},
		"taxonomy/categories.yml": {"projects/one.md": one, "taxonomy/categories.yml": conflict},
		"taxonomy/retired.yml":    {"projects/one.md": one, "taxonomy/retired.yml": conflict},
		content.SchemaFile:        {"projects/one.md": strings.Replace(one, "name:", "# yaml-language-server: $schema=../listing.schema.json\nname:", 1), content.SchemaFile: conflict},
	} {
		found := check(t, files, "")
		if len(found) != 1 || found[0].File != name || found[0].Rule != rule.MergeConflict || !strings.Contains(found[0].Message, "has a merge conflict: keep one of the versions, and delete the conflict markers on lines ") {
			t.Errorf("%s: %v", name, found)
		}
	}
	settings := site.Defaults()
	settings.Rules = map[string]string{"form": "off"} // the listing is not canonical
	settings.Static = t.TempDir()
	for _, name := range []string{"style.css", "CNAME", "picture.png"} {
		text := conflict
		if name == "picture.png" {
			text += "\x00"
		}
		if err := os.WriteFile(filepath.Join(settings.Static, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := checkAll(t, map[string]string{"projects/one.md": one}, settings, "Search: Find\n"+conflict)
	var names []string
	for _, f := range found {
		if names = append(names, filepath.Base(f.File)); f.Rule != rule.MergeConflict || f.Line != map[string]int{"labels.yml": 2}[filepath.Base(f.File)] && f.Line != 1 {
			t.Error(f)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"CNAME", "labels.yml", "style.css"}) {
		t.Errorf("conflicts in %v", names)
	}
	config := filepath.Join(t.TempDir(), "catalog.yml")
	if err := os.WriteFile(config, []byte("title: A\n"+conflict), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := generator.LoadSettings(config, func(string) (string, bool) { return "", false }); err == nil || !strings.HasPrefix(err.Error(), config+":2:1: has a merge conflict: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("settings: %v", err)
	}
}

// Purposes that follow one pattern are one finding a listing, however many they are.
func TestManyLikePurposes(t *testing.T) {
	t.Parallel()
	const n = 500
	for about, test := range map[string]struct {
		purpose func(i int) string
		want    string // the message about the last listing
	}{
		"the same": {func(int) string { return "Installs the service for your own cluster." },
			"is nearly the same as that of listing-0000 (100% of the words), and like those of 498 other listings"},
		"a pattern": {func(i int) string {
			return fmt.Sprintf("In variant %d two players move small stones across the big wooden board.", i)
		}, "(83% of the words), and like those of 498 other listings"},
	} {
		files := map[string]string{}
		for i := range n {
			name := fmt.Sprintf("listing-%04d", i)
			files["projects/"+name+".md"] = strings.Replace(listing(name), "Does "+words(name, 8)+".", test.purpose(i), 1)
		}
		found := slices.DeleteFunc(check(t, files, ""), func(f content.Finding) bool { return f.Rule != rule.SimilarPurpose })
		if len(found) != n-1 || !strings.Contains(found[n-2].Message, test.want) {
			t.Errorf("%s: %d findings, the last %v", about, len(found), found[max(0, len(found)-1):])
		}
		var out bytes.Buffer
		if err := lint.Write(&out, "text", found); err != nil {
			t.Fatal(err)
		}
		if page, err := os.ReadFile("../../content/pages/editors.md"); err != nil || strings.Count(out.String(), "nearly the same") != 20 || !strings.Contains(string(page), "the first 20 warnings or 200 errors") {
			t.Errorf("%d findings are written: %v", strings.Count(out.String(), "nearly the same"), err)
		}
		if lines := strings.Count(out.String(), "\n"); lines > 30 || !strings.Contains(out.String(), "479 more findings of the rule similar-purpose are not shown: correct those above first, or list them with catalog lint --rule similar-purpose") {
			t.Errorf("%s: %d lines are written", about, lines)
		}
		out.Reset()
		if err := lint.WriteAll(&out, "text", found); err != nil || strings.Count(out.String(), "nearly the same") != n-1 {
			t.Errorf("%s: not all are written: %v", about, err)
		}
	}
	// A pair has no others, and each of three has one.
	for k, want := range map[int]string{2: "of the words): say how they differ", 3: "of the words), and like that of another listing: say"} {
		files := map[string]string{}
		for i := range k {
			name := fmt.Sprintf("listing-%d", i)
			files["projects/"+name+".md"] = strings.Replace(listing(name), words(name, 8), words("pattern", 8)+" "+words(name, 1), 1)
		}
		if found := check(t, files, ""); len(found) != k-1 || !strings.Contains(found[0].Message, want) {
			t.Errorf("%d like purposes: %v", k, found)
		}
	}
}

// An ask that many listings share is one finding a listing, too.
func TestManySharedAsks(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 8 {
		name := fmt.Sprintf("listing-%d", i)
		files["projects/"+name+".md"] = strings.Replace(listing(name), "topics:", "asks: [a butler, a cook, a maid, a driver, a nurse, a guard, a clown, a tutor]\ntopics:", 1)
	}
	found := check(t, files, "")
	if len(found) != 8 || !strings.Contains(found[0].Message, `"a butler" is in 8 listings, and 7 others of its asks are in many: write`) {
		t.Errorf("%d findings: %v", len(found), found)
	}
}

// A link within the site leads to a page, in whatever form it is written, or is an error.
func TestSiteLinks(t *testing.T) {
	t.Parallel()
	about := "---\ntitle: About\ndescription: What this is.\n---\n## Licence\n\nText.\n\nMORE\n"
	find := func(file, link string) string {
		t.Helper()
		files := map[string]string{
			"projects/one.md": listing("one") + "\nMORE\n", "projects/two.md": listing("two") + "\n## Größe\n", "projects/audio/deep.md": listing("deep") + "\nMORE\n", "pages/about.md": about,
		}
		for name := range files {
			more := ""
			if name == file {
				more = "[a](" + link + ")"
			}
			files[name] = strings.Replace(files[name], "MORE", more, 1)
		}
		settings := site.Defaults()
		settings.Rules = map[string]string{"form": "off", "headings": "off"}
		_, findings, err := generator.Check(t.Context(), content.Options{Dir: write(t, files), Settings: settings, Jobs: 2, Today: "2026-11-21"}, "")
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		for _, f := range findings {
			messages = append(messages, f.String())
		}
		return strings.Join(messages, "\n")
	}
	for _, test := range [][2]string{
		{"projects/one.md", "two two.md two.md#good-fit-if two.md#größe two.md#gr%C3%B6%C3%9Fe #good-fit-if two.md?plain=1 audio/deep.md ./two.md ../projects/two.md ../pages/about.md ../pages/about.md#licence <two.md>"},
		{"projects/one.md", "/ /projects/two/ /projects/two /projects/two/index.html /projects/two/index.html.md /projects/two/#install /categories/ ../categories/chat/ /llms.txt /feed.xml /api/v1/search?q=x /mcp /search/?q=a%20b#x /api/v1/ /api/v1/projects /api/v1/projects/two /api/v1/taxonomy /api/v1/openapi #top #:~:text=a /projects/two/#Top"},
		{"projects/one.md", "http://localhost:8080/projects/two/ http://localhost:8080 http://LOCALHOST:8080/projects/two/ //localhost:8080/projects/two/ http://localhost:8081/nothing https://a.example/nothing mailto:a@b.example //a.example/nothing"},
		{"projects/audio/deep.md", "../one.md ../two.md#good-fit-if ../../pages/about.md deep.md /about/"},
		{"pages/about.md", "about.md #licence ../projects/two.md ../projects/audio/deep.md ../categories/ /docs/ .. ../ ?q=1"},
	} {
		for link := range strings.FieldsSeq(test[1]) {
			if found := find(test[0], link); found != "" {
				t.Errorf("%s: [a](%s): %s", test[0], link, found)
			}
		}
	}
	for _, test := range [][3]string{
		{"projects/one.md", "Two.md", "there is no such listing: did you mean two.md?"}, {"projects/one.md", "TWO.MD", "the site has nothing at /projects/TWO.MD; did you mean /projects/two/?"},
		{"projects/one.md", "nosuch", "the site has nothing at /projects/nosuch"}, {"projects/one.md", "nosuch.md", "there is no such listing: correct"},
		{"projects/one.md", "/Projects/Two/", "did you mean /projects/two/?"}, {"projects/one.md", "../categories/video/", "the site has nothing at /categories/video/"}, {"projects/one.md", "../../README.md", "leads out of the content folder"},
		{"projects/one.md", "two.md#nope", "its page has no heading #nope; its text has #what-it-does, #good-fit-if, #look-elsewhere-if, #größe"}, {"projects/one.md", "#good-fit", "did you mean #good-fit-if?"}, {"projects/one.md", "", `the link to "" leads nowhere`},
		{"projects/one.md", "../pages/nosuch.md", "there is no such page"}, {"projects/one.md", "two.md%2", "is not a valid address"}, {"projects/one.md", "http://localhost:8080/nosuch/", "the site has nothing at /nosuch/"},
		{"projects/one.md", "/projects/two.md", "the site has nothing at /projects/two.md; did you mean /projects/two/?"}, {"projects/one.md", "http://LOCALHOST:8080/nope/", "the site has nothing at /nope/"},
		{"projects/one.md", "//localhost:8080/nope/", "the site has nothing at /nope/"}, {"projects/one.md", "two.md) <http://localhost:8080/nope/> [c](two.md", "the site has nothing at"},
		{"projects/one.md", "../foo/two.md", "there is no such listing: did you mean two.md?"}, {"projects/audio/deep.md", "one.md", "there is no such listing: did you mean ../one.md?"}, {"pages/about.md", "projects/one.md", "there is no such listing: did you mean ../projects/one.md?"},
		{"projects/one.md", "../static/x.pdf", "the site has nothing at /static/x.pdf; correct the link or remove it"},
		{"projects/one.md", "www.example.org", "; for another site, write https://www.example.org"}, {"projects/one.md", "github.com/a/b", "; for another site, write https://github.com/a/b"},
		{"projects/audio/deep.md", "../pages/about.md", "there is no such listing: did you mean ../../pages/about.md?"}, {"projects/audio/deep.md", "../../../README.md", "leads out of the content folder"},
		{"pages/about.md", "../none/", "the site has nothing at /none/"}, {"pages/about.md", "two.md", "there is no such page: did you mean ../projects/two.md?"}, {"pages/about.md", "#license", "did you mean #licence?"},
	} {
		if found := find(test[0], test[1]); !strings.Contains(found, test[2]) || strings.Contains(found, "\n") || !strings.HasPrefix(found, test[0]+":") {
			t.Errorf("%s: [a](%s): got %q, want %q", test[0], test[1], found, test[2])
		}
	}
}

// A wrong value is often in a wrong form, too. Only the value is reported, because it has to be written anew.
func TestWrongValueHasNoForm(t *testing.T) {
	t.Parallel()
	for day, want := range map[string]string{"2026-01-01": rule.Form.Name, "01.01.2026": rule.Value.Name} {
		text := strings.Replace(listing("one"), "addedAt: 2026-01-01", "addedAt: "+day, 1)
		got := ""
		for _, f := range checkAll(t, map[string]string{"projects/one.md": text}, site.Defaults(), "") {
			if f.Rule == rule.Form || f.Rule == rule.Value {
				got += f.Rule.Name
			}
		}
		if got != want {
			t.Errorf("addedAt: %s: %q, want %q", day, got, want)
		}
	}
}

// A heading of a wrong level is not missing, too, and a wrong address is no deception, too.
func TestOneFindingForAMistake(t *testing.T) {
	t.Parallel()
	settings := site.Defaults()
	settings.Rules = map[string]string{"headings": "warning", "form": "off"}
	for _, test := range [][3]string{
		{"## Good fit if", "# Good fit if", rule.HeadingLevel.Name},
		{"## Good fit if\n", "", rule.Headings.Name},
		{"addedAt:", "docsUrl: ftp://a.example/b\naddedAt:", rule.Value.Name},
		{"addedAt:", "docsUrl: https://me@a.example/b\naddedAt:", rule.Value.Name},
	} {
		text := strings.Replace(listing("one"), test[0], test[1], 1)
		if text == listing("one") {
			t.Fatalf("the listing has no %q", test[0])
		}
		before := checkAll(t, map[string]string{"projects/one.md": listing("one")}, settings, "")
		var got []string
		for _, f := range checkAll(t, map[string]string{"projects/one.md": text}, settings, "") {
			if !slices.ContainsFunc(before, func(b content.Finding) bool { return b.Rule == f.Rule && b.Message == f.Message }) {
				got = append(got, f.Rule.Name)
			}
		}
		if !slices.Equal(got, []string{test[2]}) {
			t.Errorf("%q: %q, want only %s", test[1], got, test[2])
		}
	}
}
