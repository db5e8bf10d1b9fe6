package generator

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/labels"
	"catalog.example/generator/lint"
	"catalog.example/generator/render"
	"catalog.example/generator/rule"
)

// Check returns all that is wrong with the content of a catalogue, sorted by place: what
// stops a build or makes it warn, facts from before oldest ("" for none), and front matter
// that is not in canonical form. It needs no network. The error is about reading files, or
// that ctx ended.
func Check(ctx context.Context, o content.Options, oldest api.Date) (*content.Content, []content.Finding, error) {
	c, findings, err := lint.Load(ctx, o, oldest)
	if err != nil {
		return c, findings, err
	}
	form, err := checkForm(ctx, c, o)
	if err != nil {
		return c, findings, err
	}
	texts, err := checkLabels(c, o)
	if err != nil {
		return c, findings, err
	}
	for _, f := range append(form, texts...) {
		if f.Rule = f.Rule.At(o.Settings.Rules); f.Rule.Severity != rule.Off {
			findings = append(findings, f)
		}
	}
	content.SortFindings(findings)
	return c, findings, nil
}

// checkForm warns of listings whose front matter is not in canonical form. Files that cannot
// be decoded have been reported.
func checkForm(ctx context.Context, c *content.Content, o content.Options) ([]content.Finding, error) {
	found := make([]*content.Finding, len(c.Listings))
	err := parallel.Each(ctx, max(o.Jobs, 1), len(c.Listings), func(i int) error {
		file := c.Listings[i].File
		before, after, err := c.FrontMatter.FormatFile(filepath.Join(o.Dir, filepath.FromSlash(file)))
		wrong, unformatted := errors.AsType[*canonical.Error](err)
		switch {
		case unformatted && wrong.Undecoded:
		case unformatted:
			p := wrong.Problems[0]
			found[i] = &content.Finding{File: file, Line: p.Line, Column: p.Column, Rule: rule.Form, Message: p.Message}
		case err != nil:
			return err
		case !bytes.Equal(before, after):
			line := firstDifference(before, after)
			found[i] = &content.Finding{File: file, Line: line, Column: 1, Rule: rule.Form, Message: "the front matter is not in its canonical form from here on: run: catalog fmt"}
		}
		return nil
	})
	var findings []content.Finding
	for _, f := range found {
		if f != nil {
			findings = append(findings, *f)
		}
	}
	return findings, err
}

// firstDifference returns the first line in which two texts differ, from 1.
func firstDifference(a, b []byte) int {
	line := 1
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			line++
		}
	}
	return line
}

// checkLabels checks the file of labels in the folder of overrides.
func checkLabels(c *content.Content, o content.Options) (findings []content.Finding, err error) {
	if o.Settings.Overrides == "" {
		return nil, nil
	}
	files, err := templateFiles(o.Settings.Overrides)
	if err != nil {
		return nil, err
	}
	mistakes, warnings, err := render.CheckLabels(&render.Site{Settings: o.Settings, Content: c, Templates: files})
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Rel(o.Dir, o.Settings.Overrides)
	if err != nil {
		folder = o.Settings.Overrides
	}
	file := filepath.ToSlash(filepath.Join(folder, labels.File))
	for _, p := range mistakes {
		findings = append(findings, content.Finding{File: file, Line: p.Line, Column: p.Column, Rule: rule.Labels, Message: p.Message})
	}
	for _, p := range warnings {
		findings = append(findings, content.Finding{File: file, Line: p.Line, Column: p.Column, Rule: rule.UnusedLabel, Message: p.Message})
	}
	return findings, nil
}
