package content

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/canonical"
	"catalog.example/generator/regular"
	"catalog.example/generator/rule"
	"github.com/gosimple/slug"
	"golang.org/x/text/unicode/norm"
)

// DraftFile is a file of the content folder that replaces the built-in template of new
// listings.
const DraftFile = "listing.md.tmpl"

// Draft is a new listing for an editor to complete.
type Draft struct {
	Slug string
	Text []byte // the whole file
}

// DraftFacts holds the known facts of a new listing. Only the name, the day and, if listings must
// have one, the repository are required. The draft marks missing facts as unknown. The editor
// writes the purpose and the description.
type DraftFacts struct {
	Name          string
	Slug          string // "" to derive it from the name
	RepositoryURL string
	Today         api.Date

	Topics      []string
	Language    string
	License     string // SPDX identifier
	Stars       *int   // as of Today
	HomepageURL string // ignored unless it is an https address
	Archived    *bool
	UpdatedAt   api.Date
	// Source is the source of these facts, with the day, as a citation.
	Source string
	// Schema is SchemaFile if the content folder has that file, or else "". NewDraft sets it. The
	// draft names the schema for the editor's program.
	Schema string

	matter *FrontMatter
}

// Has reports whether listings of the catalogue can have a key.
func (f *DraftFacts) Has(key string) bool { return f.matter.Has(key) }

// Checks reports whether the catalogue checks its listings by the rule with a name.
func (f *DraftFacts) Checks(name string) bool {
	i := slices.IndexFunc(rule.All, func(r rule.Rule) bool { return r.Name == name })
	return i >= 0 && rule.All[i].At(f.matter.settings.Rules).Severity != rule.Off
}

// FitNote is a fact in a draft.
type FitNote struct{ Key, Value, Meaning string }

// FitNotes returns the facts that listings of the catalogue state, each with an unknown value.
func (f *DraftFacts) FitNotes() (list []FitNote) {
	for i := range f.matter.taxonomy.Facts {
		fact := &f.matter.taxonomy.Facts[i]
		if !fact.IsStated() {
			continue
		}
		note := FitNote{fact.Key, "null", api.MeaningOf(fact)}
		if fact.Kind.Type().Kind() == reflect.Slice {
			note.Value = "[]"
		}
		if form := fact.Kind.Form(); form != "" {
			note.Meaning = form + ". " + note.Meaning
		}
		if options := fact.Options(); len(options) > 0 {
			note.Meaning = strings.Join(options, ", ") + ". " + note.Meaning
		}
		list = append(list, note)
	}
	return list
}

// Sources returns the known fields that Source covers, in the order of the front matter.
func (f *DraftFacts) Sources() []string {
	var list []string
	for _, fact := range []struct {
		field string
		known bool
	}{
		{"topics", len(f.Topics) > 0}, {"language", f.Language != ""}, {"license", f.License != ""},
		{"stars", f.Stars != nil},
		{"homepageUrl", f.HomepageURL != ""}, {"archived", f.Archived != nil}, {"updatedAt", f.UpdatedAt != ""},
	} {
		if fact.known && f.Source != "" && f.Has(fact.field) {
			list = append(list, fact.field)
		}
	}
	return list
}

// dropInvalid drops values that a listing must not have. Users of code hosts can write anything
// into these fields.
func (f *DraftFacts) dropInvalid() {
	if wrong, _ := CheckAddress(f.HomepageURL); wrong != "" {
		f.HomepageURL = ""
	}
	topics := f.Topics
	f.Topics = nil
	for _, topic := range topics {
		topic = strings.ToLower(strings.TrimSpace(topic))
		if topic != "" && !slices.Contains(f.Topics, topic) && IsShortLine(topic) {
			f.Topics = append(f.Topics, topic)
		}
	}
	if f.Language = strings.TrimSpace(f.Language); !IsShortLine(f.Language) {
		f.Language = ""
	}
}

// IsShortLine reports whether a text is a single line of at most maxShort characters.
func IsShortLine(text string) bool {
	return utf8.ValidString(text) && textProblem(text, maxShort) == ""
}

//go:embed draft.md.tmpl
var draftText string

// NewDraft returns a listing with all keys, an explanation of each, the known facts, and null for
// all other values. The template is DraftFile in the content folder, or the built-in one. It can
// use DraftFacts and three functions: yaml returns a text or a list of texts as a YAML value on one
// line, headings returns the headings of a listing's text, and limits returns the limits of a
// listing. NewDraft then formats the front matter.
func (m *FrontMatter) NewDraft(dir string, facts DraftFacts) (Draft, error) {
	facts.matter = m
	facts.Name = strings.TrimSpace(facts.Name)
	facts.dropInvalid()
	name := cmp.Or(facts.Slug, Slug(facts.Name, m.settings.Lang))
	switch message := CheckSlug(name); {
	case message == "":
	case facts.Slug != "":
		return Draft{}, errors.New(message)
	case name == "":
		return Draft{}, fmt.Errorf("the name %q has no letters or digits for a file name: choose a slug with --slug",
			facts.Name)
	default:
		return Draft{}, fmt.Errorf("the name %q cannot become a file name: %s. Choose one with --slug", facts.Name,
			message)
	}
	if message := textProblem(facts.Name, maxName); message != "" {
		return Draft{}, fmt.Errorf("name %s %s", quote(facts.Name), message)
	}
	if wrong, remedy := CheckAddress(facts.RepositoryURL); wrong != "" &&
		(m.Requires("repositoryUrl") || facts.RepositoryURL != "") && m.Has("repositoryUrl") {
		return Draft{}, fmt.Errorf("repository %q %s: %s", facts.RepositoryURL, wrong, remedy)
	}
	facts.Schema = ""
	if _, err := os.Stat(filepath.Join(dir, SchemaFile)); err == nil {
		facts.Schema = SchemaFile
	}
	t, err := m.draftTemplate(dir)
	if err != nil {
		return Draft{}, &DraftTemplateError{err}
	}
	var out bytes.Buffer
	if err := t.Execute(&out, &facts); err != nil {
		return Draft{}, &DraftTemplateError{err}
	}
	text, err := m.Format(out.Bytes())
	if err != nil {
		text = out.Bytes() // keep the mistakes of an owner's template, because lint reports them
	}
	return Draft{name, text}, nil
}

// DraftTemplateError reports a mistake in the template of new listings.
type DraftTemplateError struct{ err error }

// Error implements error.
func (e *DraftTemplateError) Error() string { return e.err.Error() }

// Unwrap implements errors.Unwrap.
func (e *DraftTemplateError) Unwrap() error { return e.err }

func (m *FrontMatter) draftTemplate(dir string) (*template.Template, error) {
	name, text := "draft.md.tmpl", draftText
	file := filepath.Join(dir, DraftFile)
	switch own, err := regular.ReadText(file, maxListing); {
	case err == nil:
		name, text = file, string(own)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return template.New(name).Funcs(template.FuncMap{
		"yaml":     canonical.Value,
		"headings": m.Headings,
		"limits": func() map[string]int {
			return map[string]int{"purpose": api.MaxPurpose, "minJobs": rule.MinJobs, "maxJobs": rule.MaxJobs,
				"minAsks": rule.MinAsks, "maxAsks": rule.MaxAsks}
		},
	}).Parse(text)
}

// Slug returns the slug of a name: "open-webui" for "Open WebUI". Letters outside a to z are
// transliterated by the rules of the language lang (BCP 47): "moewen" for "Möwen" in German,
// "moskva" for "Москва". The slug is empty if the name has no letters or digits.
func Slug(name, lang string) string {
	lang, _, _ = strings.Cut(lang, "-")
	return slug.MakeLang(beforeSlug.Replace(norm.NFKC.String(name)), lang)
}

// beforeSlug replaces what transliteration would lose: C++ and C are different names, and an
// ampersand is a word. It also replaces the underscore, which slugs of this catalogue must not
// contain.
var beforeSlug = strings.NewReplacer("+", " plus ", "&", " & ", "_", " ")
