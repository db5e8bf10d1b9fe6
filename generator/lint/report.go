package lint

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
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

// maxOfRule is the maximum number of findings of one rule that are written. In a generated
// catalogue, every one of ten thousand listings can break the same rule, and a few findings are
// enough to show the mistake.
const maxOfRule = 200

// Abridged returns findings with at most about maxOfRule of each rule. The first omitted finding of
// a rule is replaced with one that says how many are omitted.
func Abridged(findings []content.Finding) []content.Finding {
	all, shown := map[string]int{}, map[string]int{}
	for _, f := range findings {
		all[f.Rule.Name]++
	}
	list := make([]content.Finding, 0, min(len(findings), maxOfRule*len(all)))
	for _, f := range findings {
		shown[f.Rule.Name]++
		switch more := all[f.Rule.Name] - maxOfRule; {
		case more > 0 && shown[f.Rule.Name] > maxOfRule+1:
			continue
		case more > 1 && shown[f.Rule.Name] > maxOfRule:
			f.Message = fmt.Sprintf(
				"%d more findings of the rule %s are not shown: correct those above first", more, f.Rule.Name)
		}
		list = append(list, f)
	}
	return list
}

// Write writes findings, abridged, in one of the Formats. It does not change their paths. In the
// format text, each finding is one line without control characters.
func Write(w io.Writer, format string, findings []content.Finding) error {
	findings = Abridged(findings)
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
