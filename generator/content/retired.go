package content

import (
	"fmt"
	"slices"

	"catalog.example/api"
	"catalog.example/generator/rule"
)

// RetiredFile lists the listings that have been removed from the catalogue.
const RetiredFile = "retired.yml"

// Retired is a listing that has been removed from the catalogue. The pages at its current and
// former addresses say so.
type Retired struct {
	Slug string   `json:"slug"`
	Name string   `json:"name"`
	Left api.Date `json:"left"` // the day of its removal
	// Because gives the reason in one sentence; "" for none.
	Because string `json:"because"`
	// Category is the slug of the listing's category, which its page links to; "" for none.
	Category string   `json:"category"`
	Formerly []string `json:"formerly"`
}

// Slugs returns the present slug and the former ones.
func (r *Retired) Slugs() []string { return append([]string{r.Slug}, r.Formerly...) }

// pathOfSlug returns the YAML path of a slug: entry i of the file, and index j in its Slugs.
func pathOfSlug(i, j int) []any {
	if j == 0 {
		return at(i, "slug")
	}
	return at(i, "formerly", j-1)
}

// CheckReason returns what is wrong with a reason for removing a listing, or "".
func CheckReason(text string) string { return textProblem(text, maxDescription) }

// retired loads the removed listings. The categories must have been loaded before.
func (l *loader) retired(t *api.Taxonomy) (list []Retired) {
	k := l.taxonomyFile(RetiredFile, false, &list)
	seen := map[string]bool{}
	for i := range list {
		r := &list[i]
		k.filled(r.Slug, maxName, i, "slug")
		k.filled(r.Name, maxName, i, "name")
		k.failIf(CheckReason(r.Because), i, "because")
		for j, slug := range r.Slugs() {
			if message := CheckSlug(slug); message != "" && slug != "" {
				k.add(rule.Slug, pathOfSlug(i, j), "%s", message)
			} else if seen[slug] {
				k.add(rule.Unique, pathOfSlug(i, j), "%q is in this file twice: remove one of them", slug)
			}
			seen[slug] = true
		}
		if day, err := api.ParseDate(string(r.Left)); r.Left == "" {
			message := "left: is missing: write the day on which the listing left the catalogue"
			l.find(k.at(rule.Missing, message, i))
		} else if err != nil {
			k.fail(at(i, "left"), "%v", err)
		} else if l.options.Today != "" && day > l.options.Today {
			k.fail(at(i, "left"), "%s is in the future: write a day up to today", day)
		}
		_, known := t.Category(r.Category)
		if r.Category != "" && !known && !l.taxonomy.incomplete[CategoriesFile] {
			k.fail(at(i, "category"), "%s is not a category: write one of taxonomy/%s, or remove it",
				quote(r.Category), CategoriesFile)
		}
	}
	return list
}

// retiredAcross checks that no listing uses an address of a removed listing.
func (l *loader) retiredAcross(listings []*Listing) {
	l.taxonomy.positions.Lock()
	defer l.taxonomy.positions.Unlock()
	file := l.taxonomy.docs[RetiredFile]
	listed := bySlug(listings)
	for i := range l.taxonomy.retired {
		for j, slug := range l.taxonomy.retired[i].Slugs() {
			x := listed[slug]
			if x == nil {
				continue
			}
			line, _ := file.doc.Position(pathOfSlug(i, j)...)
			message := fmt.Sprintf("%s is an address of %s, which has left the catalogue: choose another, "+
				"or remove it from taxonomy/%s, line %d", quote(slug), l.taxonomy.retired[i].Name, RetiredFile, line)
			l.find(x.At(rule.Unique, message))
		}
	}
}

// FindRetired returns the removed listing with the given name, ignoring case, or with the given
// current or former slug. It returns nil if there is none.
func (c *Content) FindRetired(name, slug string) *Retired {
	for i := range c.Retired {
		r := &c.Retired[i]
		if name != "" && NameKey(r.Name) == NameKey(name) || slices.Contains(r.Slugs(), slug) {
			return r
		}
	}
	return nil
}
