// Package scaffold writes a new catalogue into an empty folder: settings, a taxonomy with its own facts,
// listings, an editorial page, a README and a CI workflow. There are several examples of subjects other than
// software, and an empty catalogue; see Examples.
//
// The result builds without findings of package lint. The files of an example are below examples/, those
// of all examples below shared/, as templates with the delimiters <% and %>; dot- stands for a leading dot of
// a name.
package scaffold

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"go.yaml.in/yaml/v4"
	"golang.org/x/text/language"
)

//go:embed examples shared
var embedded embed.FS

// dotPrefix stands for a leading dot: a .gitignore below shared/ would affect this
// repository.
const dotPrefix = "dot-"

// maxTitle bounds the title, in characters.
const maxTitle = 80

// Options say what to write.
type Options struct {
	Example *Example // what to write; nil means the first of Examples
	Title   string   // name of the catalogue, one line of up to 80 characters; "" means that of the example
	Lang    string   // language tag of the listings; "" means English, which all examples but the empty one are in
	Today   api.Date // addedAt of the listings
	// Program is what the workflow builds; if it is zero, the workflow reads the address
	// from a variable of the repository.
	Program Program
}

// versionControl is allowed in the target, which may be a new repository.
const versionControl = ".git"

// Write writes a new catalogue into dir and returns the number of files. It creates a
// missing dir, and returns an error if dir contains anything but .git. It first writes into
// a new folder in dir, so that dir is unchanged after an error.
func Write(ctx context.Context, dir string, o Options) (files int, err error) {
	if o.Example == nil {
		o.Example = &Examples[0]
	}
	if o.Title == "" {
		o.Title = o.Example.Title
	}
	if message := checkTitle(o.Title); message != "" {
		return 0, fmt.Errorf("title %q %s", o.Title, message)
	}
	if err := o.setLang(); err != nil {
		return 0, err
	}
	target, err := filepath.Abs(dir)
	if err != nil {
		return 0, fmt.Errorf("folder %s: %w", dir, err)
	}
	missing, err := checkTarget(target, dir)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return 0, fmt.Errorf("folder %s: %w", dir, err)
	}
	if missing {
		defer func() {
			if err != nil {
				_ = os.Remove(target) // it is empty
			}
		}()
	}
	stage, err := os.MkdirTemp(target, ".catalog-init-")
	if err != nil {
		return 0, fmt.Errorf("folder %s: %w", dir, err)
	}
	defer os.RemoveAll(stage)
	if files, err = fill(ctx, stage, o); err != nil {
		return 0, err
	}
	if err := moveInto(stage, target); err != nil {
		return 0, fmt.Errorf("move the new catalogue to %s: %w", dir, err)
	}
	return files, nil
}

func checkTitle(title string) string {
	switch {
	case strings.TrimSpace(title) == "":
		return "is empty: give the catalogue a name"
	case title != strings.TrimSpace(title):
		return "begins or ends with white space: remove it"
	case strings.ContainsFunc(title, unicode.IsControl):
		return "contains a line break or another control character: write one line"
	case len([]rune(title)) > maxTitle:
		return fmt.Sprintf("is longer than %d characters: shorten it", maxTitle)
	}
	return ""
}

// setLang sets the default of the language, and checks it.
func (o *Options) setLang() error {
	tag, err := language.Parse(cmp.Or(o.Lang, "en"))
	switch base, _ := tag.Base(); {
	case err != nil:
		return fmt.Errorf("language %q is not a language tag (BCP 47): write one such as en, de or pt-BR", o.Lang)
	case base.String() != "en" && !o.Example.IsEmpty():
		return fmt.Errorf("language %q: the example %s is in English: choose the example empty", o.Lang, o.Example.Name)
	}
	o.Lang = tag.String()
	return nil
}

// IsEnglish reports whether the catalogue is in English.
func (o Options) IsEnglish() bool { return o.isIn("en") }

// IsGerman reports whether the catalogue is in German, in which the program has its texts, too.
func (o Options) IsGerman() bool { return o.isIn("de") }

func (o Options) isIn(lang string) bool { return o.Lang == lang || strings.HasPrefix(o.Lang, lang+"-") }

// Description returns the description of an empty catalogue. It is the title if the program does not know the language.
func (o Options) Description() string {
	switch {
	case o.IsEnglish():
		return o.Title + ", with the facts to choose by."
	case o.IsGerman():
		return o.Title + ": suchen, filtern und vergleichen."
	}
	return o.Title
}

// checkTarget reports whether the target is missing. It returns an error if the target
// is not an empty folder.
func checkTarget(target, dir string) (missing bool, err error) {
	if info, err := os.Stat(target); err == nil && !info.IsDir() {
		return false, fmt.Errorf("folder %s is a file: choose another folder", dir)
	}
	entries, err := os.ReadDir(target)
	if errors.Is(err, fs.ErrNotExist) {
		// The target may be a dangling link.
		if _, err := os.Lstat(target); err == nil {
			return false, fmt.Errorf("folder %s is a link to a folder that does not exist: choose another folder", dir)
		}
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("folder %s: %w", dir, err)
	}
	for _, e := range entries {
		if e.Name() != versionControl {
			return false, fmt.Errorf("folder %s is not empty: it contains %q: choose a new folder, or empty this one",
				dir, e.Name())
		}
	}
	return false, nil
}

// fill writes all files into an empty folder and returns their number.
func fill(ctx context.Context, dir string, o Options) (int, error) {
	count := 0
	write := func(name string, text []byte) error {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		count++
		return os.WriteFile(file, text, 0o644)
	}
	templates, err := o.Example.templates()
	if err != nil {
		return 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		text, err := render(templates[name], o)
		if err == nil {
			err = write(name, text)
		}
		if err != nil {
			return 0, err
		}
	}
	settings, err := generator.LoadSettings(filepath.Join(dir, generator.DefaultSettingsFile),
		func(string) (string, bool) { return "", false })
	if err != nil {
		return 0, err
	}
	schema, err := schema(ctx, dir, settings, o)
	if err == nil {
		err = write("content/"+content.SchemaFile, schema)
	}
	if err != nil || o.Example.list == nil {
		return count, err
	}
	if err := write(listFile, o.Example.list()); err != nil {
		return 0, err
	}
	listings, err := importList(ctx, dir, settings, o)
	return count + listings, err
}

// schema returns the JSON Schema of listings for editors, made from the taxonomy that
// was written to dir.
func schema(ctx context.Context, dir string, settings site.Settings, o Options) ([]byte, error) {
	loaded, findings, err := content.Load(ctx, content.Options{Dir: filepath.Join(dir, "content"), Settings: settings,
		Jobs: 1, Today: o.Today})
	if err != nil {
		return nil, err
	}
	if o.Example.IsEmpty() || o.Example.list != nil {
		findings = slices.DeleteFunc(findings,
			func(f content.Finding) bool { return f.Rule.Name == rule.NoListings.Name })
	}
	if len(findings) > 0 {
		return nil, fmt.Errorf("the new catalogue has an error: %s", findings[0])
	}
	return loaded.FrontMatter.Schema()
}

// targetName returns the path of an embedded file, which is below the folder of its example, in the new
// catalogue.
func targetName(embedded string) string {
	parts := strings.Split(embedded, "/")
	for i, part := range parts {
		if rest, ok := strings.CutPrefix(part, dotPrefix); ok {
			parts[i] = "." + rest
		}
	}
	return path.Join(parts...)
}

func render(name string, o Options) ([]byte, error) {
	text, err := fs.ReadFile(embedded, name)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Delims("<%", "%>").Funcs(template.FuncMap{"yaml": yamlScalar,
		"markdown": escapeMarkdown}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, o)
	return out.Bytes(), err
}

// yamlScalar returns a text as a YAML value on one line.
func yamlScalar(text string) (string, error) {
	out, err := yaml.Dump(text, yaml.WithLineWidth(-1))
	return strings.TrimSpace(string(out)), err
}

// escapeMarkdown escapes the characters of Markdown markup.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_[]<>#&!~|", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// moveInto moves the entries of the stage into an empty folder. After an error it
// removes those that were moved.
func moveInto(stage, target string) error {
	entries, err := os.ReadDir(stage)
	if err != nil {
		return err
	}
	var moved []string
	for _, e := range entries {
		to := filepath.Join(target, e.Name())
		// A rename would replace a file that appeared after checkTarget.
		_, err := os.Lstat(to)
		if err == nil {
			err = fmt.Errorf("another program has just created %s there", e.Name())
		} else if errors.Is(err, fs.ErrNotExist) {
			err = os.Rename(filepath.Join(stage, e.Name()), to)
		}
		if err != nil {
			for _, name := range moved {
				err = errors.Join(err, os.RemoveAll(name))
			}
			return err
		}
		moved = append(moved, to)
	}
	return nil
}
