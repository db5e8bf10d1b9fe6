package lint

import (
	"fmt"
	"slices"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkPages checks the texts of pages. They are about the catalogue itself, and may give
// instructions and show addresses that run code.
func checkPages(c *catalog, found *findings) {
	for _, p := range c.Pages {
		checkInvisible(frontMatterText(&p.Document, "title", p.Title, "title"), found)
		checkInvisible(frontMatterText(&p.Document, "description", p.Description, "description"), found)
		checkInvisible(bodyText(&p.Document), found)
		checkParts(&p.Document, found)
	}
}

// checkTaxonomyTexts checks the texts of the taxonomy.
func checkTaxonomyTexts(c *catalog, found *findings) {
	checkTexts(taxonomyTexts(c.Content), found)
}

// checkListingTexts checks the texts of a listing.
func checkListingTexts(_ *catalog, l *content.Listing, found *findings) {
	checkTexts(listingTexts(l), found)
	checkParts(&l.Document, found)
}

func checkTexts(texts []textField, found *findings) {
	for _, f := range texts {
		checkInstructions(f, found)
		checkInvisible(f, found)
		checkScripts(f, found)
	}
}

// textField is a text of a content folder.
type textField struct {
	key  string // for messages; "" for the body
	text string
	// at returns a finding about the text, at an offset in bytes.
	at func(r rule.Rule, message string, offset int) content.Finding
}

// finding returns a finding about the text, at an offset in bytes. The message begins with the key.
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

// taxonomyTexts returns the texts of the taxonomy.
func taxonomyTexts(c *content.Content) []textField {
	var list []textField
	add := func(file, key, text string, path ...any) {
		list = append(list, textField{key, text, func(r rule.Rule, message string, _ int) content.Finding {
			return c.InTaxonomy(file, r, message, path...)
		}})
	}
	for i, x := range c.Taxonomy.Categories {
		add(content.CategoriesFile, "name", x.Name, i, "name")
		add(content.CategoriesFile, "description", x.Description, i, "description")
		add(content.CategoriesFile, "group", x.Group, i, "group")
		for j, ask := range x.Asks {
			add(content.CategoriesFile, "asks", ask, i, "asks", j)
		}
	}
	for i, x := range c.Taxonomy.Platforms {
		add(content.PlatformsFile, "name", x.Name, i, "name")
	}
	for i, x := range c.Taxonomy.Products {
		add(content.ProductsFile, "name", x.Name, i, "name")
		add(content.ProductsFile, "maker", x.Maker, i, "maker")
		add(content.ProductsFile, "misses", x.Misses, i, "misses")
		for j, alias := range x.Aliases {
			add(content.ProductsFile, "aliases", alias, i, "aliases", j)
		}
	}
	for i, fact := range c.Taxonomy.Facts {
		add(content.FactsFile, "label", fact.Label, i, "label")
		add(content.FactsFile, "group", fact.Group, i, "group")
		add(content.FactsFile, "meaning", fact.Meaning, i, "meaning")
		add(content.FactsFile, "unit", fact.Unit, i, "unit")
		for j, option := range fact.Values {
			add(content.FactsFile, "label", option.Label, i, "values", j, "label")
		}
		for value, chip := range fact.Chip {
			add(content.FactsFile, "chip", chip, i, "chip", value)
		}
		if fact.Filter != nil {
			for value, label := range fact.Filter.Labels {
				add(content.FactsFile, "labels", label, i, "filter", "labels", value)
			}
		}
	}
	for i, r := range c.Retired {
		add(content.RetiredFile, "name", r.Name, i, "name")
		add(content.RetiredFile, "because", r.Because, i, "because")
	}
	add(content.WordsFile, "constraints", c.Taxonomy.Words.Constraints, "constraints")
	add(content.WordsFile, "shortlist", c.Taxonomy.Words.Shortlist, "shortlist")
	for i, group := range c.Taxonomy.Synonyms {
		for j, phrase := range group {
			add(content.SynonymsFile, "synonyms", phrase, i, j)
		}
	}
	return list
}

// listingTexts returns the free texts of a listing.
func listingTexts(l *content.Listing) []textField {
	var list []textField
	add := func(key, text string, path ...any) {
		list = append(list, frontMatterText(&l.Document, key, text, path...))
	}
	each := func(key string, texts []string, path ...any) {
		for i, text := range texts {
			add(key, text, append(slices.Clone(path), i)...)
		}
	}
	optional := func(key string, text *string, path ...any) {
		if text != nil {
			add(key, *text, path...)
		}
	}
	add("name", l.Name, "name")
	add("purpose", l.Purpose, "purpose")
	each("aliases", l.Aliases, "aliases")
	each("jobs", l.Jobs, "jobs")
	each("asks", l.Asks, "asks")
	each("topics", l.Topics, "topics")
	optional("language", l.Language, "language")
	optional("license", l.License, "license")
	for _, fact := range l.FitNotes {
		if value, ok := fact.Value.(string); ok && fact.Kind == api.FactText && !fact.Derived {
			add(fact.Key, value, "fitNotes", fact.Key)
		}
		if value, ok := fact.Value.([]string); ok && fact.Kind == api.FactTexts {
			each(fact.Key, value, "fitNotes", fact.Key)
		}
	}
	for i, s := range l.Setups {
		add("for", s.For, api.SetupsKey, i, "for")
	}
	for i, link := range l.InstallLinks {
		add("label", link.Label, "installLinks", i, "label")
		optional("command", link.Command, "installLinks", i, "command")
	}
	for field, source := range l.Sources {
		add(field, source, "sources", field)
	}
	return append(list, bodyText(&l.Document))
}
