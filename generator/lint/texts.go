package lint

import (
	"fmt"
	"reflect"
	"slices"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// checkPages checks the texts of pages. Pages are about the catalogue itself, so they may give
// instructions and show addresses that run code.
func checkPages(c *catalog, found *findings) {
	for _, p := range c.Pages {
		checkInvisible(frontMatterText(&p.Document, "title", p.Title, "title"), found)
		checkInvisible(frontMatterText(&p.Document, "description", p.Description, "description"), found)
		checkInvisible(bodyText(&p.Document), found)
		checkParts(&p.Document, found)
		c.checkPraisedKey(&p.Document, found, p.Title, "title", "title")
		c.checkPraisedKey(&p.Document, found, p.Description, "description", "description")
		c.checkPraisedBody(&p.Document, found)
	}
}

// checkTaxonomyTexts checks the texts of the taxonomy, and of the history of facts.
func checkTaxonomyTexts(c *catalog, found *findings) {
	taxonomyTexts(c.Content, found.checkText)
	changedTexts(c.Content, found.checkText)
}

// changedTexts visits the texts of the history of facts.
func changedTexts(c *content.Content, visit func(textField)) {
	for i := range c.Changes {
		for _, text := range c.Changes[i].Texts() {
			visit(textField{"", text, func(r rule.Rule, message string, _ int) content.Finding {
				return content.Finding{
					File: content.ChangesFile, Line: c.Changes[i].Line, Column: 1, Rule: r, Message: message,
				}
			}})
		}
	}
}

// checkListingTexts checks the texts of a listing.
func checkListingTexts(_ *catalog, l *content.Listing, found *findings) {
	listingTexts(l, found.checkText)
	checkParts(&l.Document, found)
}

func (f *findings) checkText(text textField) {
	checkInstructions(text, f)
	checkInvisible(text, f)
	checkScripts(text, f)
}

// IsSafe reports whether a text of others may be in a listing: it gives no instructions to models and hides nothing.
func IsSafe(text string) bool {
	var found findings
	found.checkText(textField{"", text, func(r rule.Rule, message string, _ int) content.Finding {
		return content.Finding{Line: 1, Rule: r, Message: message}
	}})
	return len(found.list) == 0
}

// textField is a text of a content folder.
type textField struct {
	key  string // names the text in messages; "" for the body
	text string
	// at returns a finding about the text at an offset in bytes.
	at func(r rule.Rule, message string, offset int) content.Finding
}

// finding returns a finding about the text at an offset in bytes. The message begins with the key.
func (f *textField) finding(r rule.Rule, offset int, format string, args ...any) content.Finding {
	message := fmt.Sprintf(format, args...)
	if f.key != "" {
		message = f.key + ": " + message
	}
	return f.at(r, message, offset)
}

func frontMatterText(d *content.Document, key, text string, path ...any) textField {
	return textField{key, text, func(r rule.Rule, message string, _ int) content.Finding {
		return d.At(r, message, path...)
	}}
}

func bodyText(d *content.Document) textField { return textField{"", d.Body, d.InBody} }

// taxonomyTexts visits the texts of the taxonomy.
func taxonomyTexts(c *content.Content, visit func(textField)) {
	for _, file := range []struct {
		name, key string
		value     any
	}{
		{content.CategoriesFile, "", c.Taxonomy.Categories}, {content.PlatformsFile, "", c.Taxonomy.Platforms},
		{content.ProductsFile, "", c.Taxonomy.Products}, {content.FactsFile, "", c.Taxonomy.Facts},
		{content.RetiredFile, "", c.Retired}, {content.WordsFile, "", c.Taxonomy.Words},
		{content.SynonymsFile, "synonyms", c.Taxonomy.Synonyms}, {content.ModelsFile, "", c.Taxonomy.Models},
		{content.TranslationsFile, "", c.Taxonomy.Translations},
	} {
		eachText(reflect.ValueOf(file.value), file.key, nil, func(key, text string, path []any) {
			visit(textField{key, text, func(r rule.Rule, message string, _ int) content.Finding {
				return c.InTaxonomy(file.name, r, message, path...)
			}})
		})
	}
}

// listingTexts visits the free texts of a listing.
func listingTexts(l *content.Listing, visit func(textField)) {
	add := func(key, text string, path []any) {
		visit(frontMatterText(&l.Document, key, text, path...))
	}
	eachText(reflect.ValueOf(&l.ProjectDetail), "", nil, add)
	for _, fact := range l.FitNotes {
		if fact.Kind.IsFree() && fact.Kind != api.FactRelation && !fact.Derived && api.Known(fact.Value) {
			eachText(reflect.ValueOf(fact.Value), fact.Key, at("fitNotes", fact.Key), add)
		}
	}
	for field, source := range l.Sources {
		add(field, source, at("sources", field))
	}
	visit(bodyText(&l.Document))
}

// freeTexts lists the keys of listings and of the taxonomy whose values are texts for people. Other
// keys hold slugs, addresses, dates, or words of queries.
var freeTexts = []string{"aliases", "alt", "asks", "because", "chip", "command", "constraints",
	"description", "for", "group", "how", "inverse", "job", "jobs", "label", "labels", "language", "license",
	"maker", "matters", "meaning", "misses", "model", "name", "os", "purpose", "shortlist", "source", "suits",
	"summary", "topics", "unit", "version"}

// eachText calls visit for each free text in the value v at a path, which changes when visit has returned. key is
// the key of v if it is one of freeTexts, or else "".
func eachText(v reflect.Value, key string, path []any, visit func(key, text string, path []any)) {
	within := func(v reflect.Value, key string, step any) {
		eachText(v, key, append(path, step), visit)
	}
	switch v.Kind() {
	case reflect.String:
		if key != "" && v.Len() > 0 {
			visit(key, v.String(), path)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			eachText(v.Elem(), key, path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			within(v.Index(i), key, i)
		}
	case reflect.Map:
		for name, value := range v.Seq2() {
			within(value, key, name.String())
		}
	case reflect.Struct:
		for _, f := range strictyaml.Fields(v.Type()) {
			if value := f.Of(v); !value.IsZero() {
				if key = ""; slices.Contains(freeTexts, f.Key) {
					key = f.Key
				}
				within(value, key, f.Key)
			}
		}
	}
}
