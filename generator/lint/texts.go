package lint

import (
	"slices"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkPages checks the texts of pages. They are about the catalogue itself, and may contain HTML.
func checkPages(c *catalog) []content.Finding {
	var findings []content.Finding
	for _, p := range c.Pages {
		for _, text := range []textField{
			frontMatterText(&p.Document, "title: ", p.Title, "title"), frontMatterText(&p.Document, "description: ",
				p.Description, "description"), bodyText(&p.Document),
		} {
			findings = append(findings, checkInvisible(text)...)
		}
		findings = append(findings, checkHidden(&p.Document)...)
		findings = append(findings, shownFindings(&p.Document)...)
	}
	return findings
}

// checkTaxonomyTexts checks the texts of the taxonomy.
func checkTaxonomyTexts(c *catalog) []content.Finding {
	return checkTexts(taxonomyTexts(c.Content))
}

// checkListingTexts checks the texts of a listing.
func checkListingTexts(_ *catalog, l *content.Listing) []content.Finding {
	return append(checkTexts(listingTexts(l)), checkHidden(&l.Document)...)
}

func checkTexts(texts []textField) []content.Finding {
	var findings []content.Finding
	for _, f := range texts {
		findings = append(findings, checkInstructions(f)...)
		findings = append(findings, checkInvisible(f)...)
		findings = append(findings, checkScripts(f)...)
	}
	return findings
}

// textField is a text with a function that returns a finding about it. offset is in bytes from the
// beginning of the text.
type textField struct {
	key     string // for messages: a key and a colon, or "" for the body
	text    string
	finding func(r rule.Rule, message string, offset int) content.Finding
}

func frontMatterText(d *content.Document, key, text string, path ...any) textField {
	return textField{key, text, func(r rule.Rule, message string, _ int) content.Finding {
		return d.At(r, message,
			path...)
	}}
}

func bodyText(d *content.Document) textField {
	return textField{"", d.Body, d.InBody}
}

// taxonomyTexts returns the texts of the taxonomy.
func taxonomyTexts(c *content.Content) []textField {
	var list []textField
	add := func(file, key, text string, path ...any) {
		list = append(list, textField{key + ": ", text, func(r rule.Rule, message string, _ int) content.Finding {
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
		for _, text := range []struct{ key, text string }{{"label", fact.Label}, {"group", fact.Group},
			{"meaning", fact.Meaning}, {"unit", fact.Unit}} {
			add(content.FactsFile, text.key, text.text, i, text.key)
		}
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
		list = append(list, frontMatterText(&l.Document, key+": ", text, path...))
	}
	each := func(key string, texts []string, path ...any) {
		for i, text := range texts {
			add(key, text, append(slices.Clone(path), i)...)
		}
	}
	add("name", l.Name, "name")
	add("purpose", l.Purpose, "purpose")
	each("aliases", l.Aliases, "aliases")
	each("jobs", l.Jobs, "jobs")
	each("asks", l.Asks, "asks")
	each("topics", l.Topics, "topics")
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
	for _, optional := range []struct {
		key  string
		text *string
		path []any
	}{
		{"language", l.Language, []any{"language"}}, {"license", l.License, []any{"license"}},
	} {
		if optional.text != nil {
			add(optional.key, *optional.text, optional.path...)
		}
	}
	for i, link := range l.InstallLinks {
		add("label", link.Label, "installLinks", i, "label")
		if link.Command != nil {
			add("command", *link.Command, "installLinks", i, "command")
		}
	}
	for field, source := range l.Sources {
		add(field, source, "sources", field)
	}
	return append(list, bodyText(&l.Document))
}
