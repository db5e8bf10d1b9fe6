package synthetic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// WriteContent writes a content folder: the listings, one change of a fact, and the taxonomy and the
// editorial pages, with their pictures, of another folder. It creates dir if it does not exist.
func WriteContent(dir, like string, listings iter.Seq[api.ProjectDetail]) error {
	for _, sub := range []string{"taxonomy", "pages", content.PicturesFolder} {
		err := os.CopyFS(filepath.Join(dir, sub), os.DirFS(filepath.Join(like, sub)))
		if err != nil && !(sub == content.PicturesFolder && errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("copy the %s of %s: %w", sub, like, err)
		}
	}
	// Its logos are those of other listings.
	if err := os.Remove(filepath.Join(dir, "taxonomy", "logos.yml")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	projects := filepath.Join(dir, "projects")
	if err := os.MkdirAll(projects, 0o755); err != nil {
		return err
	}
	var changed content.Change
	for p := range listings {
		if err := writeListing(filepath.Join(projects, p.Slug+".md"), &p); err != nil {
			return fmt.Errorf("listing %s: %w", p.Slug, err)
		}
		changed = content.Change{Day: p.AddedAt, Slug: p.Slug, Field: "archived", To: false, Source: p.RepositoryURL}
	}
	line, err := json.Marshal(changed)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, content.ChangesFile), append(line, '\n'), 0o644)
}

func writeListing(name string, p *api.ProjectDetail) error {
	text := "---\n" + FrontMatter(p) + "---\n" + p.Description + "\n"
	return os.WriteFile(name, []byte(text), 0o644)
}

// FrontMatter returns the text between the --- lines of a listing's file, in the style of the
// shipped listings, so that a parser reads the same forms.
func FrontMatter(p *api.ProjectDetail) string {
	var w yamlWriter
	w.frontMatter(p)
	return w.String()
}

type yamlWriter struct{ strings.Builder }

func (w *yamlWriter) frontMatter(p *api.ProjectDetail) {
	w.key("name", scalar(p.Name))
	w.block("", "aliases", p.Aliases)
	w.key("purpose", scalar(p.Purpose))
	w.block("", "jobs", p.Jobs)
	w.block("", "asks", p.Asks)
	w.key("category", p.Category)
	w.flow("alsoIn", p.AlsoIn)
	w.flow("topics", p.Topics)
	w.flow("platforms", p.Platforms)
	w.key("language", text(p.Language))
	w.key("license", text(p.License))
	w.key("osiApproved", boolean(p.OSIApproved))
	w.key("stars", orNull(p.Stars, strconv.Itoa))
	w.key("starsAsOf", date(p.StarsAsOf))
	w.block("", "replaces", p.Replaces)
	w.key("fitNotes", "")
	for _, fact := range p.FitNotes {
		if !fact.Derived {
			w.fact(fact)
		}
	}
	w.memory(p)
	w.key("installLinks", "")
	for _, l := range p.InstallLinks {
		command := ""
		if l.Command != nil {
			command = ", command: " + flowScalar(*l.Command)
		}
		fmt.Fprintf(w, "  - {kind: %s, label: %s, url: %s%s}\n", l.Kind, flowScalar(l.Label), flowScalar(l.URL),
			command)
	}
	w.key("repositoryUrl", p.RepositoryURL)
	w.key("homepageUrl", orNull(p.HomepageURL, same))
	w.key("docsUrl", orNull(p.DocsURL, same))
	w.key("archived", boolean(p.Archived))
	w.key("addedAt", string(p.AddedAt))
	w.key("checkedAt", date(p.CheckedAt))
	w.key("createdAt", date(p.CreatedAt))
	w.key("updatedAt", date(p.UpdatedAt))
	if p.Release != nil {
		w.key("release", "")
		w.key("  version", scalar(p.Release.Version))
		w.key("  date", string(p.Release.Date))
	}
	w.key("sources", "")
	for _, field := range sortedKeys(p.Sources) {
		w.key("  "+field, scalar(p.Sources[field]))
	}
}

// memory writes the setups and the estimate.
func (w *yamlWriter) memory(p *api.ProjectDetail) {
	if setups := p.FitNotes.Setups(); len(setups) > 0 {
		w.key(api.SetupsKey, "")
		for _, s := range setups {
			fmt.Fprintf(w, "  - {for: %s, ramGb: %v, level: %s}\n", flowScalar(s.For), *s.RAMGb, s.Level)
		}
	}
	if e := p.Estimate; e != nil {
		ram := ""
		if e.RAMGb != nil {
			ram = fmt.Sprintf("ramGb: %v, ", *e.RAMGb)
		}
		fmt.Fprintf(w, "estimate: {%svramGb: %v, because: %s}\n", ram, *e.VRAMGb, flowScalar(e.Because))
	}
}

// fact writes a fact. The kind of a fact that was read from JSON is unknown.
func (w *yamlWriter) fact(fact api.FactValue) {
	const indent = "  "
	switch value := fact.Value.(type) {
	case []string:
		if fact.Kind == api.FactChoices {
			w.flow(indent+fact.Key, value)
		} else {
			w.block(indent, fact.Key, value)
		}
	case string:
		w.key(indent+fact.Key, scalar(value))
	case float64:
		w.key(indent+fact.Key, strconv.FormatFloat(value, 'f', -1, 64))
	case bool:
		w.key(indent+fact.Key, strconv.FormatBool(value))
	default:
		w.key(indent+fact.Key, "null")
	}
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (w *yamlWriter) key(key, value string) {
	_, _ = w.WriteString(strings.TrimSuffix(key+": "+value, " ") + "\n")
}

// block writes a list with a line for each entry.
func (w *yamlWriter) block(indent, key string, list []string) {
	if len(list) == 0 {
		w.key(indent+key, "[]")
		return
	}
	w.key(indent+key, "")
	for _, text := range list {
		_, _ = w.WriteString(indent + "  - " + scalar(text) + "\n")
	}
}

// flow writes a list on one line.
func (w *yamlWriter) flow(key string, list []string) {
	quoted := make([]string, len(list))
	for i, text := range list {
		quoted[i] = flowScalar(text)
	}
	w.key(key, "["+strings.Join(quoted, ", ")+"]")
}

// plain matches texts that need no quotation marks in YAML.
var plain = regexp.MustCompile(`^[A-Za-z](?:[A-Za-z0-9 .,()_+/-]|:/)*$`)

func scalar(text string) string {
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(text)
	}
	if plain.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

// flowScalar writes a text for a list in brackets, where a comma ends a text.
func flowScalar(text string) string {
	if strings.Contains(text, ",") {
		return strconv.Quote(text)
	}
	return scalar(text)
}

func orNull[T any](value *T, show func(T) string) string {
	if value == nil {
		return "null"
	}
	return show(*value)
}

func same(s string) string    { return s }
func text(s *string) string   { return orNull(s, scalar) }
func boolean(b *bool) string  { return orNull(b, strconv.FormatBool) }
func date(d *api.Date) string { return orNull(d, func(d api.Date) string { return string(d) }) }
