package content

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/generator/strictyaml"
)

func TestSlug(t *testing.T) {
	for _, test := range []struct{ name, lang, want string }{
		{"Open WebUI", "en", "open-webui"},
		{"open-webui", "en", "open-webui"},
		{"  Paper   Lantern  ", "en", "paper-lantern"},
		{"C++", "en", "c-plus-plus"},
		{"Notepad++ AI", "en", "notepad-plus-plus-ai"},
		{"Stable Diffusion 3.5", "en", "stable-diffusion-3-5"},
		{"Café Ünïcode", "en", "cafe-unicode"},
		{"ﬁne print", "en", "fine-print"},
		{"Ｆｕｌｌ　ｗｉｄｔｈ", "en", "full-width"},
		{"½ price", "en", "1-2-price"},
		{"a/b\\c_d", "en", "a-b-c-d"},
		{"--edge--", "en", "edge"},
		{"Don't", "en", "dont"},
		{"Q&A", "en", "q-and-a"},
		{"Q&A", "de-AT", "q-und-a"},
		{"Große Möwenbucht", "de", "grosse-moewenbucht"},
		{"Gro\u00dfe Mo\u0308wenbucht", "de", "grosse-moewenbucht"},
		{"Große Möwenbucht", "en", "grosse-mowenbucht"},
		{"Café Zürich Straße", "", "cafe-zurich-strasse"},
		{"Øresund", "en", "oresund"},
		{"Москва", "ru", "moskva"},
		{"東京港野鳥公園", "ja", "dong-jing-gang-ye-niao-gong-yuan"},
		{"한국어", "ko", "hangugeo"},
		{"Ελλάδα", "el", "ellada"},
		{"Ładowarka", "pl", "ladowarka"},
		{"", "en", ""},
		{"!!!", "en", ""},
	} {
		if got := Slug(test.name, test.lang); got != test.want {
			t.Errorf("Slug(%q, %q) = %q, want %q", test.name, test.lang, got, test.want)
		}
		if again := Slug(test.want, test.lang); again != test.want {
			t.Errorf("Slug(%q) = %q: a slug is its own slug", test.want, again)
		}
	}
}

// names that YAML would read as something else, or not at all, if they were
// written as they are.
var awkwardNames = []string{
	"Paper Lantern", "yes", "null", "1.5 X", "12", "2026-01-02", "true", "A: B", "A #1", "- dash", "[A]", "{A}", `"A"`, "'A'", "A\\B", "*A", "&A", "!A", "|A", "%A", "@A", "`A`", "<<A", "ünï A", "עברית A",
	strings.Repeat("A", 64),
}

// A draft is a listing in which only what nobody but its author can know is
// missing.
func TestDraft(t *testing.T) {
	for _, name := range awkwardNames {
		draft, err := shippedFrontMatter.NewDraft(t.TempDir(), DraftFacts{Name: " " + name + " ", RepositoryURL: "https://code.example.org/x", Today: today})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		l, findings := check("projects/"+draft.Slug+".md", string(draft.Text))
		var missing []string
		for _, f := range findings {
			missing = append(missing, string(f.Rule.Severity)+" "+f.Message)
		}
		want := []string{"error purpose: is empty, but required", "error category: is empty, but required"}
		if !slices.Equal(missing, want) {
			t.Errorf("%q: findings %q, want %q", name, missing, want)
		}
		if l.Name != name || l.RepositoryURL != "https://code.example.org/x" || l.AddedAt != today {
			t.Errorf("%q: the draft says %q, %q, %q", name, l.Name, l.RepositoryURL, l.AddedAt)
		}
		filled := strings.NewReplacer(`purpose: ""`, "purpose: It shines.", `category: ""`, "category: chat-interfaces").Replace(string(draft.Text))
		if _, findings := check("projects/"+draft.Slug+".md", filled); len(findings) > 0 {
			t.Errorf("%q: once filled in: %v", name, shown(findings))
		}
	}
}

func TestDraftLeadsToTheSchema(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, want string
		prepare    func() error
	}{
		{"without a schema", "---\nname: Paper Lantern\n", func() error { return nil }},
		{"with one", "---\n# yaml-language-server: $schema=../" + SchemaFile + "\nname: Paper Lantern\n", func() error {
			return os.WriteFile(filepath.Join(dir, SchemaFile), []byte("{}"), 0o600)
		}},
	} {
		if err := c.prepare(); err != nil {
			t.Fatal(err)
		}
		draft, err := shippedFrontMatter.NewDraft(dir, DraftFacts{Name: "Paper Lantern", RepositoryURL: "https://code.example.org/x", Today: today})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(draft.Text), c.want) {
			t.Errorf("%s: the draft begins %.90q, want %q", c.name, draft.Text, c.want)
		}
	}
}

func TestDraftHasEveryKey(t *testing.T) {
	draft, err := shippedFrontMatter.NewDraft(t.TempDir(), DraftFacts{Name: "Paper Lantern", RepositoryURL: "https://code.example.org/x", Today: today})
	if err != nil {
		t.Fatal(err)
	}
	parts, message := splitFrontMatter(draft.Text)
	if message != "" {
		t.Fatal(message)
	}
	doc, problems := strictyaml.Parse(parts.frontMatter, frontMatterLine)
	if doc == nil {
		t.Fatal(problems)
	}
	for _, key := range shippedFrontMatter.Keys() {
		line := "\n" + key + ":"
		if _, inner, ok := strings.Cut(key, "."); ok {
			line = "\n  " + inner + ":"
		}
		if !strings.Contains("\n"+string(parts.frontMatter), line) {
			t.Errorf("the draft has no key %s", key)
		}
	}
}

func TestDraftOfNothing(t *testing.T) {
	for _, c := range []struct{ name, repository, want string }{
		{"", "https://code.example.org/x", `name "" has no letters or digits for a file name: choose a slug with --slug`},
		{"∞!", "https://code.example.org/x", `name "∞!" has no letters or digits for a file name: choose a slug with --slug`},
		{"Index", "https://code.example.org/x", `"index" is reserved`},
		{strings.Repeat("A", 65), "https://code.example.org/x", "at most 64 are allowed"},
		{"A\nB", "https://code.example.org/x", "one line"},
		{"A", "http://code.example.org/x", "does not begin with https://"},
		{"A", "code.example.org/x", "does not begin with https://"},
		{"A", "", "does not begin with https://"},
		{"A", "https://code.example.org/x\nlicense: MIT", "is not an address"},
		{"A", "git@code.example.org:x", "does not begin with https://"},
	} {
		draft, err := shippedFrontMatter.NewDraft(t.TempDir(), DraftFacts{Name: c.name, RepositoryURL: c.repository, Today: "2026-01-02"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("NewDraft(%q, %q) = %q, %v; want an error with %q", c.name, c.repository, draft.Slug, err, c.want)
		}
	}
}
