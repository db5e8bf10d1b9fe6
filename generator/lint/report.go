package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// Formats are the formats of findings.
var Formats = []string{"text", "json", "sarif", "github"}

// maxOfRule is the maximum number of findings of one rule that are written. A generated catalogue
// can break a rule in each of ten thousand listings, and a few findings are enough to show the
// mistake.
const maxOfRule = 200

// Abridged returns findings with at most about maxOfRule of each rule. A finding in place of the
// first omitted one gives the number of omitted ones.
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
				"%d more findings of the rule %s follow, here and elsewhere: mend those above first", more, f.Rule.Name)
		}
		list = append(list, f)
	}
	return list
}

// Write writes findings in one of the Formats. It abridges them and does not change their paths. As
// text, each finding is a line without control characters.
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

// Characters to escape in a message and in a property of a GitHub workflow command.
var (
	escapeMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// writeGitHub writes workflow commands, so that GitHub shows findings at their lines in a pull
// request. GitHub shows only ten errors and ten warnings of a step. The others are only in the log,
// so each message also contains the place.
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

// writeSARIF writes SARIF 2.1.0 (OASIS). Code hosts show its findings at their lines.
func writeSARIF(w io.Writer, findings []content.Finding) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "catalog", InformationURI: "https://catalog.example/"}
	for _, r := range rule.All {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.Name, sarifText{r.Meaning}})
	}
	for _, f := range findings {
		var at sarifLocation
		at.PhysicalLocation.ArtifactLocation.URI = (&url.URL{Path: f.File}).EscapedPath()
		at.PhysicalLocation.Region.StartLine, at.PhysicalLocation.Region.StartColumn = f.Line, f.Column
		run.Results = append(run.Results, sarifResult{
			f.Rule.Name, slices.IndexFunc(rule.All, func(r rule.Rule) bool { return r.Name == f.Rule.Name }),
			string(f.Rule.Severity), sarifText{f.Message}, []sarifLocation{at},
		})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{"2.1.0", "https://json.schemastore.org/sarif-2.1.0.json", []sarifRun{run}})
}

// The parts of a SARIF log that findings need, named as in the standard.
type (
	sarifLog struct {
		Version string     `json:"version"`
		Schema  string     `json:"$schema"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		PhysicalLocation struct {
			ArtifactLocation struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine   int `json:"startLine,omitempty"`
				StartColumn int `json:"startColumn,omitempty"`
			} `json:"region"`
		} `json:"physicalLocation"`
	}
)
