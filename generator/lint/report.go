package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"catalog.example/generator/content"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// Formats are the ways of writing findings.
var Formats = []string{"text", "json", "sarif"}

// Write writes findings in one of the Formats. Paths are written as the
// findings have them.
func Write(w io.Writer, format string, findings []content.Finding) error {
	switch format {
	case "json":
		return writeJSON(w, findings)
	case "sarif":
		return writeSARIF(w, findings)
	}
	for _, f := range findings {
		if _, err := fmt.Fprintln(w, f); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, findings []content.Finding) error {
	type entry struct {
		File     string           `json:"file"`
		Line     int              `json:"line"`
		Column   int              `json:"column"`
		Severity content.Severity `json:"severity"`
		Rule     string           `json:"rule"`
		Message  string           `json:"message"`
	}
	entries := make([]entry, len(findings))
	for i, f := range findings {
		entries[i] = entry(f)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(entries)
}

// writeSARIF writes SARIF 2.1.0 (OASIS), which code hosts show on the lines.
func writeSARIF(w io.Writer, findings []content.Finding) error {
	run := sarif.NewRunWithInformationURI("catalog", "https://catalog.example/")
	run.Results = []*sarif.Result{}
	for _, rule := range slices.Sorted(maps.Keys(Rules)) {
		run.AddRule(rule).WithShortDescription(sarif.NewMultiformatMessageString().WithText(Rules[rule]))
	}
	for _, f := range findings {
		run.CreateResultForRule(f.Rule).WithLevel(string(f.Severity)).WithMessage(sarif.NewTextMessage(f.Message)).
			AddLocation(sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
				WithArtifactLocation(sarif.NewSimpleArtifactLocation(f.File)).
				WithRegion(sarif.NewRegion().WithStartLine(f.Line).WithStartColumn(f.Column))))
	}
	report := sarif.NewReport()
	report.AddRun(run)
	return report.PrettyWrite(w)
}
