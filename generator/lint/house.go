package lint

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// checkVerb warns of a purpose that does not begin with a verb in the third person.
func checkVerb(_ *catalog, l *content.Listing, found *findings) {
	first, _, _ := strings.Cut(l.Purpose, " ")
	if l.Purpose != "" && !strings.HasSuffix(strings.TrimRight(first, ","), "s") {
		found.at(&l.Document, rule.Verb, at("purpose"), "purpose: begins with %q: begin with a verb that says what "+
			"the tool does, such as Turns or Finds", first)
	}
}

// checkSourceDays warns of a listing with sources that do not say when they were read.
func checkSourceDays(_ *catalog, l *content.Listing, found *findings) {
	var without []string
	add := func(field, source string) {
		if _, ok, _ := content.SourceDate(source); !ok && source != "" && !slices.Contains(without, field) {
			without = append(without, field)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(l.Sources)) {
		add(field, l.Sources[field])
	}
	path := at("sources")
	for i := range l.Setups {
		if source := l.Setups[i].Source; source != nil {
			add(api.SetupsKey, *source)
		}
	}
	if len(l.Sources) == 0 {
		path = at(api.SetupsKey)
	}
	if len(without) > 0 {
		found.at(&l.Document, rule.SourceDay, path, "sources: no day for %s: write behind each source the day on "+
			"which you read it, such as (2026-11-24)", strings.Join(without, ", "))
	}
}

// checkCategories warns of categories with too few or too many listings, or with too few asks.
// Listings that could not be read may belong to any category.
func checkCategories(c *catalog, found *findings) {
	sizes := map[string]int{}
	for _, l := range c.Listings {
		sizes[l.Category]++
	}
	for i, category := range c.Taxonomy.Categories {
		if category.Slug == "" { // the category could not be read
			continue
		}
		remedy := ""
		switch n := sizes[category.Slug]; {
		case n > rule.MaxCategory:
			remedy = "divide it, or move listings to other categories"
		case n < rule.MinCategory && c.whole:
			remedy = "move listings to it, or merge it with another"
		}
		if remedy != "" {
			found.inTaxonomy(c, content.CategoriesFile, rule.CategorySize, at(i, "slug"),
				"%q is the category of %d listings, but should have %d to %d: %s", category.Slug,
				sizes[category.Slug], rule.MinCategory, rule.MaxCategory, remedy)
		}
		if n := len(category.Asks); n < rule.MinCategoryAsks {
			found.inTaxonomy(c, content.CategoriesFile, rule.CategoryAsks, at(i, "asks"),
				"asks: %q has %d: write at least %d phrases of people who need a tool of this category", category.Slug,
				n, rule.MinCategoryAsks)
		}
	}
}

// checkMisses warns of products for which the taxonomy does not say what people who leave them
// would miss.
func checkMisses(c *catalog, found *findings) {
	for i, p := range c.Taxonomy.Products {
		if p.Misses == "" {
			found.inTaxonomy(c, content.ProductsFile, rule.Misses, at(i),
				"misses: %q has no text: say what people who leave it would miss", p.Name)
		}
	}
}

// checkSets warns of sets that have too few listings for a page.
func checkSets(c *catalog, found *findings) {
	if !c.whole { // the unread listings may belong to them
		return
	}
	for i := range c.Sets {
		set := &c.Sets[i]
		least := cmp.Or(set.Minimum, rule.MinSet)
		if n := len(set.Of(&c.Taxonomy, &c.options.Settings, c.Listings)); n < least {
			found.inTaxonomy(c, content.SetsFile, rule.SetSize, at(i, "search"),
				"search: the set %q has %d listings, but should have at least %d: leave out a filter, or remove the "+
					"set", set.Slug, n, least)
		}
	}
}

// checkShareKeys returns an error if the setting shares names a key that listings do not have.
func checkShareKeys(c *content.Content, shares map[string]int) error {
	for _, key := range slices.Sorted(maps.Keys(shares)) {
		if known := c.FrontMatter.Keys(); !slices.Contains(known, key) {
			return fmt.Errorf("setting shares: listings have no key %q: write one of %s", key,
				strings.Join(known, ", "))
		}
	}
	return nil
}

// checkShares warns of keys that too few listings have a value for. If all listings must have a
// value, it reports each listing without one. Otherwise it reports the newest listing without one,
// which was probably just added.
func checkShares(c *catalog, found *findings) {
	shares := c.options.Settings.Shares
	if !c.whole || len(shares) == 0 { // the unread listings may have the values
		return
	}
	without := map[string][]*content.Listing{}
	for _, l := range c.Listings {
		has := valuesOf(l)
		for key := range shares {
			if !has[key] {
				without[key] = append(without[key], l)
			}
		}
	}
	for key, lacking := range without {
		share, have := shares[key], len(c.Listings)-len(lacking)
		var path []any // the path of fitNotes.docker has two steps
		for step := range strings.SplitSeq(key, ".") {
			path = append(path, step)
		}
		if share == 100 {
			for _, l := range lacking {
				found.at(&l.Document, rule.Share, path,
					"%s: has no value, but the setting shares requires one in every listing: add a value", key)
			}
		} else if 100*have < share*len(c.Listings) {
			newest := slices.MaxFunc(lacking, func(a, b *content.Listing) int {
				return cmp.Or(strings.Compare(string(a.AddedAt), string(b.AddedAt)), strings.Compare(b.Slug, a.Slug))
			})
			found.at(&newest.Document, rule.Share, path, "%s: %d of %d listings have a value, but the setting shares "+
				"requires %d %%: add a value to this listing or to others", key, have, len(c.Listings), share)
		}
	}
}

// valuesOf returns the keys of a listing's front matter that have a value. Links to the docs or to
// the source do not count as a value of installLinks, because readers cannot install anything from
// them.
func valuesOf(l *content.Listing) map[string]bool {
	has := map[string]bool{}
	for _, f := range strictyaml.Fields(reflect.TypeFor[api.ProjectDetail]()) {
		value := f.Of(reflect.ValueOf(&l.ProjectDetail).Elem())
		has[f.Key] = !value.IsZero() && (value.Kind() != reflect.Slice && value.Kind() != reflect.Map ||
			value.Len() > 0)
	}
	for _, fact := range l.FitNotes {
		has["fitNotes."+fact.Key] = api.Known(fact.Value)
	}
	has["installLinks"] = slices.ContainsFunc(l.InstallLinks, func(i api.InstallLink) bool { return i.Installs() })
	return has
}
