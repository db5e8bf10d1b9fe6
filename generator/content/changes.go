package content

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/rule"
)

// ChangesFile is the file below the content folder with the history of facts: a Change on each line, as
// JSON. Those who change a fact add a line at the end.
const ChangesFile = "changes.jsonl"

// maxChanges is the maximum size of ChangesFile, in bytes. It is enough for 100,000 changes.
const maxChanges = 32 << 20

// Change is a fact of a listing that changed.
type Change struct {
	Day  api.Date `json:"day"`
	Slug string   `json:"slug"`
	// Field is a key of front matter, such as license or fitNotes.gpu.
	Field string `json:"field"`
	// From and To are texts, numbers, booleans or lists of texts; nil for unknown.
	From any `json:"from"`
	To   any `json:"to"`
	// Source says where the new value was read.
	Source string `json:"source"`

	// Earlier is the number of changes of the same field on the same day that come before.
	Earlier int `json:"-"`
	// Line is the line of ChangesFile.
	Line int `json:"-"`
	// Name is the name of the listing, and Listing the listing; nil if it has left the catalogue.
	Name    string   `json:"-"`
	Listing *Listing `json:"-"`
}

// addChanges loads the history of facts, the latest changes first. It needs the listings.
func (l *loader) addChanges(c *Content) error {
	text, ok, err := l.read(ChangesFile, maxChanges)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !ok {
		return err
	}
	bySlug, sameDay := c.BySlug(), map[string]int{}
	fields, number := c.FrontMatter.sourceKeys(), 0
	for line := range bytes.Lines(text) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		change := Change{Line: number}
		report := func(format string, args ...any) {
			l.find(Finding{ChangesFile, number, 1, rule.Value, fmt.Sprintf(format, args...)})
		}
		if message := change.decode(line); message != "" {
			report("%s", message)
			continue
		}
		if c.FrontMatter.incomplete[FactsFile] {
			fields = []string{change.Field} // it may be a fact that could not be read
		}
		fact := c.Taxonomy.Fact(strings.TrimPrefix(change.Field, factsKey+"."))
		change.check(l.options.Today, fields, func(value any) bool {
			return c.FrontMatter.incomplete[FactsFile] || fact != nil && reflect.TypeOf(value) == fact.Kind.Type()
		}, report)
		if change.Listing = bySlug[change.Slug]; change.Listing != nil {
			change.Name = change.Listing.Name
		} else if retired := c.FindRetired("", change.Slug); retired != nil {
			change.Name = retired.Name
		} else {
			report("slug: there is no listing %s%s", quote(change.Slug),
				spelling.Hint(change.Slug, slices.Sorted(maps.Keys(bySlug))))
		}
		same := strings.Join([]string{string(change.Day), change.Slug, change.Field}, " ")
		change.Earlier, sameDay[same] = sameDay[same], sameDay[same]+1
		c.Changes = append(c.Changes, change)
	}
	slices.SortStableFunc(c.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.Day, a.Day), b.Line-a.Line)
	})
	return nil
}

// changeForm shows the form of a line, in messages.
const changeForm = `{"day": "2026-11-29", "slug": "ollama", "field": "license", "from": "MIT", "to": "Apache-2.0", ` +
	`"source": "https://…"}`

// decode reads a line. It returns what is wrong with its form, or "".
func (c *Change) decode(line []byte) string {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(c)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			return "has something after the change: write each change on a line of its own"
		}
		return ""
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return wrong.Field + ": must be text: write " + changeForm
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "is cut off: write " + changeForm
	}
	message := strings.TrimPrefix(err.Error(), "json: ")
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		message = "is not JSON, " + message
	}
	return message + ": write " + changeForm
}

// check checks the values of a line. isOf reports whether an object is a value of the field.
func (c *Change) check(today api.Date, fields []string, isOf func(any) bool, report func(format string, args ...any)) {
	if day, err := api.ParseDate(string(c.Day)); err != nil {
		report("day: %v", err)
	} else if today != "" && day > today {
		report("day: %s is in the future: write a day up to today", day)
	}
	if !slices.Contains(fields, c.Field) {
		report("field: listings have no field %s%s", quote(c.Field), spelling.Hint(c.Field, fields))
	}
	for _, v := range []struct {
		key   string
		value any
	}{{"from", c.From}, {"to", c.To}} {
		if message := changedValue(v.value, isOf); message != "" {
			report("%s: %s", v.key, message)
		}
	}
	if reflect.DeepEqual(c.From, c.To) {
		report("from and to are the same: write what changed, or remove the line")
	}
	if strings.TrimSpace(c.Source) == "" {
		report("source: is missing: say where the new value was read")
	} else if message := textProblem(c.Source, maxSource); message != "" {
		report("source: %s", message)
	}
}

// changedValue returns what is wrong with a value of a change, or "".
func changedValue(value any, isOf func(any) bool) string {
	switch v := value.(type) {
	case nil, bool, float64:
		return ""
	case string:
		return textProblem(v, maxDescription)
	case []any:
		for _, one := range v {
			text, ok := one.(string)
			if !ok {
				return "a list holds something other than texts: write texts in quotation marks"
			}
			if message := textProblem(text, maxDescription); message != "" {
				return message
			}
		}
		return ""
	case map[string]any:
		if read, err := api.FactOf(v); err == nil && isOf(read) {
			return ""
		}
	}
	return "is an object that is no value of this field: write a text, a number, true, false, null, a list of texts, " +
		"or what the API has for the fact"
}

// Texts returns the texts of the change, which pages show.
func (c *Change) Texts() []string {
	texts := []string{c.Source}
	for _, value := range []any{c.From, c.To} {
		switch v := value.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, one := range v {
				if text, ok := one.(string); ok {
					texts = append(texts, text)
				}
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if text, ok := v[key].(string); ok {
					texts = append(texts, text)
				}
			}
		}
	}
	return texts
}
