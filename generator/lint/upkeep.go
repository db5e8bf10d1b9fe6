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
func checkAge(c *catalog, l *content.Listing, found *findings) {
	if l.StarsAsOf != nil && *l.StarsAsOf < c.oldest {
		found.at(&l.Document, rule.Stale, at("starsAsOf"), "stars: were read on %s; run: catalog refresh --only %s",
			*l.StarsAsOf, l.Slug)
	}
	for field, source := range l.Sources {
		if day, ok, err := content.SourceDate(source); ok && err == nil && day < c.oldest && field != "stars" {
			found.at(&l.Document, rule.Stale, at("sources", field), "%s: was read on %s; read it again", field, day)
		}
	}
}

// maxSchema is the maximum size of the schema file, in bytes: forty times the shipped one.
const maxSchema = 1 << 20

// checkSchema warns if listings refer editors to a schema file that is missing, or that does not
// match this program and the taxonomy.
func checkSchema(c *catalog, found *findings) {
	i := slices.IndexFunc(c.Listings, func(l *content.Listing) bool { return l.SchemaLine() > 0 })
	if i < 0 || c.TaxonomyError() != nil {
		return
	}
	file := filepath.Join(c.options.Dir, content.SchemaFile)
	remedy := "run: catalog schema > " + filepath.ToSlash(file)
	wrong := content.Finding{File: content.SchemaFile, Line: 1, Column: 1, Rule: rule.Schema,
		Message: "is out of date, so editors check listings by old rules: " + remedy}
	got, err := regular.ReadText(file, maxSchema)
	if conflict, ok := errors.AsType[*regular.Error](err); ok && conflict.Conflict > 0 {
		wrong = content.FileFinding(content.SchemaFile, conflict)
	} else if err != nil {
		wrong.File, wrong.Line = c.Listings[i].File, c.Listings[i].SchemaLine()
		wrong.Message = fmt.Sprintf("this line tells editors to read %s, which cannot be read: %s", content.SchemaFile,
			remedy)
	} else if want, err := c.FrontMatter.Schema(); err != nil ||
		bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		return
	}
	found.add(wrong)
}
