package lint

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"catalog.example/generator/content"
	"catalog.example/generator/regular"
	"catalog.example/generator/rule"
)

// checkAge warns of facts that were read before the day c.oldest.
func checkAge(c *catalog, l *content.Listing) []content.Finding {
	var findings []content.Finding
	if l.StarsAsOf != nil && *l.StarsAsOf < c.oldest {
		findings = append(findings,
			l.At(rule.Stale, fmt.Sprintf("stars: were read on %s; run: catalog refresh --only %s", *l.StarsAsOf,
				l.Slug), "starsAsOf"))
	}
	for field, source := range l.Sources {
		if day, ok, err := content.SourceDate(source); ok && err == nil && day < c.oldest && field != "stars" {
			findings = append(findings, l.At(rule.Stale, fmt.Sprintf("%s: was read on %s; read it again", field, day),
				"sources", field))
		}
	}
	return findings
}

// maxSchema bounds the schema file: forty times the shipped one.
const maxSchema = 1 << 20

// checkSchema warns if listings name a schema for editors that is missing or does
// not match this program and taxonomy.
func checkSchema(c *catalog) []content.Finding {
	i := slices.IndexFunc(c.Listings, func(l *content.Listing) bool { return l.SchemaLine() > 0 })
	if i < 0 || !c.TaxonomyIsValid() {
		return nil
	}
	file := filepath.Join(c.options.Dir, content.SchemaFile)
	remedy := "run: catalog schema > " + filepath.ToSlash(file)
	got, err := regular.ReadText(file, maxSchema)
	if wrong, ok := errors.AsType[*regular.Error](err); ok && wrong.Conflict > 0 {
		return []content.Finding{content.FileFinding(content.SchemaFile, wrong)}
	}
	if err != nil {
		l := c.Listings[i]
		return []content.Finding{{File: l.File, Line: l.SchemaLine(), Column: 1, Rule: rule.Schema,
			Message: fmt.Sprintf("this line tells editors to read %s, which cannot be read: %s", content.SchemaFile,
				remedy)}}
	}
	want, err := c.FrontMatter.Schema()
	if err != nil || bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		return nil
	}
	return []content.Finding{{File: content.SchemaFile, Line: 1, Column: 1, Rule: rule.Schema,
		Message: "is out of date, so editors check listings by old rules: " + remedy}}
}
