package lint

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"text/template"

	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// Formats lists the output formats of findings.
var Formats = []string{"text", "json", "sarif", "github"}

// The most findings of one rule that are written. In a generated catalogue, every one of ten thousand
// listings can break the same rule, and a few findings are enough to show the mistake.
const (
	maxOfRule = 200
	maxInText = 20 // warnings, in the format text
)

// abridged returns findings with the errors first, and with at most about limit of each rule. The first omitted finding
// of a rule is replaced with one that says how many are omitted.
func abridged(findings []content.Finding, limit func(content.Finding) int) []content.Finding {
	all, shown := countRules(findings), map[string]int{}
	list := make([]content.Finding, 0, min(len(findings), maxOfRule*len(all)))
	for _, f := range errorsFirst(findings) {
		shown[f.Rule.Name]++
		most := limit(f)
		switch more := all[f.Rule.Name] - most; {
		case more > 0 && shown[f.Rule.Name] > most+1:
			continue
		case more > 1 && shown[f.Rule.Name] > most:
			f.Message = fmt.Sprintf("%d more findings of the rule %s are not shown: correct those above first, or "+
				"list them with catalog lint --rule %[2]s", more, f.Rule.Name)
		}
		list = append(list, f)
	}
	return list
}

// errorsFirst returns findings with the errors before the warnings, each in the given order.
func errorsFirst(findings []content.Finding) []content.Finding {
	list := slices.Clone(findings)
	slices.SortStableFunc(list, func(a, b content.Finding) int {
		return cmp.Compare(rank(a), rank(b))
	})
	return list
}

// rank returns 0 for an error and 1 for a warning.
func rank(f content.Finding) int {
	if f.Rule.Severity == rule.Error {
		return 0
	}
	return 1
}

// countRules returns the number of findings of each rule, by name.
func countRules(findings []content.Finding) map[string]int {
	n := map[string]int{}
	for _, f := range findings {
		n[f.Rule.Name]++
	}
	return n
}

// Summary returns the number of findings of each rule in one line, the most frequent rules first:
// "headings 12, praise 3". It is "" without findings.
func Summary(findings []content.Finding) string {
	n := countRules(findings)
	names := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(n[b]-n[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, n[name])
	}
	return strings.Join(names, ", ")
}

// OfRules returns the findings of the rules with the given names.
func OfRules(findings []content.Finding, names []string) []content.Finding {
	return slices.DeleteFunc(slices.Clone(findings),
		func(f content.Finding) bool { return !slices.Contains(names, f.Rule.Name) })
}

// Write works like WriteAll, but leaves out findings of rules that are broken often.
func Write(w io.Writer, format string, findings []content.Finding) error {
	return WriteAll(w, format, abridged(findings, func(f content.Finding) int {
		if format == "text" && rank(f) > 0 {
			return maxInText
		}
		return maxOfRule
	}))
}

// WriteAll writes findings, the errors first, in one of the Formats. It does not change their paths. In the
// format text, each finding is one line without control characters.
func WriteAll(w io.Writer, format string, findings []content.Finding) error {
	findings = errorsFirst(findings)
	switch format {
	case "json":
		return writeJSON(w, findings)
	case "sarif":
		return writeSARIF(w, findings)
	case "github":
		return writeGitHub(w, findings)
	}
	for _, f := range findings {
		if _, err := fmt.Fprintln(w, invisible.Escape(f.String())); err != nil {
			return err
		}
	}
	return nil
}

// Escapes for a message and for a property of a GitHub workflow command.
var (
	escapeMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// writeGitHub writes workflow commands, so that GitHub shows findings at their lines in a pull
// request. GitHub shows only ten errors and ten warnings of a step. The others are only in the log,
// so each message also contains the file and line.
func writeGitHub(w io.Writer, findings []content.Finding) error {
	for _, f := range findings {
		_, err := fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", f.Rule.Severity,
			escapeProperty.Replace(f.File), f.Line, f.Column,
			escapeProperty.Replace(f.Rule.Name),
			escapeMessage.Replace(invisible.Escape(fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message))))
		if err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, findings []content.Finding) error {
	type entry struct {
		File     string        `json:"file"`
		Line     int           `json:"line"`
		Column   int           `json:"column"`
		Severity rule.Severity `json:"severity"`
		Rule     string        `json:"rule"`
		Message  string        `json:"message"`
	}
	entries := make([]entry, len(findings))
	for i, f := range findings {
		entries[i] = entry{f.File, f.Line, f.Column, f.Rule.Severity, f.Rule.Name, f.Message}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(entries)
}

// sarif is the template of a SARIF 2.1.0 log (OASIS).
var sarif = template.Must(template.New("sarif").Funcs(template.FuncMap{
	"json": inJSON,
	"address": func(file string) (string, error) {
		return inJSON((&url.URL{Path: file}).EscapedPath())
	},
	"number": func(broken rule.Rule) int {
		return slices.IndexFunc(rule.All, func(r rule.Rule) bool { return r.Name == broken.Name })
	},
}).Parse(sarifText))

//go:embed sarif.json.tmpl
var sarifText string

func inJSON(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// writeSARIF writes findings as SARIF, which code hosts show at the lines of the findings.
func writeSARIF(w io.Writer, findings []content.Finding) error {
	var text, indented bytes.Buffer
	err := sarif.Execute(&text, struct {
		Rules    []rule.Rule
		Findings []content.Finding
	}{rule.All, findings})
	if err == nil {
		err = json.Indent(&indented, text.Bytes(), "", "  ")
	}
	if err == nil {
		_, err = indented.WriteTo(w)
	}
	return err
}
