package importer

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// withKeys gives each listing a key. It leaves out entries that repeat another one, whose categories that gets.
func (c *converter) withKeys(all []*listing) (listings []*listing, byKey map[string]*listing) {
	byKey = map[string]*listing{}
	for _, l := range all {
		key := l.key
		for n := 2; byKey[l.key] != nil && !l.repeats(byKey[l.key]); n++ {
			l.key = fmt.Sprintf("%s #%d", key, n)
		}
		if first := byKey[l.key]; first != nil {
			l.tell(Ignored, l.node, "%q repeats %s", l.values["name"], first.place())
			first.takeOver(l)
			continue
		}
		if first := byKey[key]; first != nil && len(c.Map.Key) > 0 {
			l.tell(Noted, l.node, "%q has the key %q of %s, but other values: both become listings, and which is "+
				"which depends on their order", l.values["name"], key, first.place())
		}
		byKey[l.key] = l
		listings = append(listings, l)
	}
	return listings, byKey
}

// repeats reports whether a listing is another one: it has the same values, or the same name and address, and no other
// facts, or is in a section of a list in Markdown.
func (l *listing) repeats(first *listing) bool {
	if reflect.DeepEqual(l.values, first.values) {
		return true
	}
	hasAddress := false
	for key, value := range l.values {
		switch has := first.values[key]; {
		case slices.Contains([]string{"category", "alsoIn", "replaces", "purpose", "body"}, key):
		case has == nil:
		case !reflect.DeepEqual(value, has) && (l.beside["section"] == nil || strings.HasSuffix(key, "Url")):
			return false
		case strings.HasSuffix(key, "Url"):
			hasAddress = true
		}
	}
	return hasAddress && l.values["name"] == first.values["name"]
}

// takeOver gives a listing what only an entry that repeats it has.
func (l *listing) takeOver(other *listing) {
	for _, key := range slices.Sorted(maps.Keys(other.values)) {
		switch value := other.values[key]; {
		case key == "category":
			l.add("alsoIn", value.(string), other.placeOf(key))
		case key == "alsoIn", key == "replaces":
			for _, text := range value.([]string) {
				l.add(key, text, other.placeOf(key))
			}
		case l.values[key] == nil, key == "purpose" && l.values[key] == l.values["name"]:
			l.values[key], l.places[key] = value, other.places[key]
			if related := other.related[key]; related != nil {
				l.related[key] = related
			}
		case !reflect.DeepEqual(value, l.values[key]) && value != l.values["name"]:
			other.tell(LeftOut, other.placeOf(key), "%s %s: %s", key, shown(value), onlyOne)
		}
	}
}

// identify gives each listing a key and a slug, and makes names distinct. It leaves out what cannot have them.
func (c *converter) identify(all []*listing) []*listing {
	listings, byKey := c.withKeys(all)
	c.last.followKeys(listings, byKey)
	c.findTaken(byKey)
	return slices.DeleteFunc(listings, func(l *listing) bool {
		name := content.NameKey(l.values["name"].(string))
		if x := c.names[name]; x != nil && c.last.entries[l.key].Slug == "" {
			c.names[name] = nil
			key := c.keys[x.Slug]
			if key == "" {
				l.tell(Kept, l.node, "%q is in the catalogue already: only its empty fields are filled in", x.Name)
				l.slug, l.called = x.Slug, x.Name
				return false
			}
			delete(c.names, name)
			c.last.moveKey(key, l.key) // the key of the entry has changed
		}
		l.slug = cmp.Or(c.last.entries[l.key].Slug, l.slug)
		c.distinguish(l)
		if c.last.entries[l.key].Slug == "" && !c.findSlug(l) {
			return true
		}
		if former, ok := l.values["formerly"].([]string); ok { // sources list the present address, too
			l.values["formerly"] = slices.DeleteFunc(former, func(slug string) bool { return slug == l.slug })
		}
		return false
	})
}

// findTaken notes the names and slugs of the catalogue. byKey has the listings of the source.
func (c *converter) findTaken(byKey map[string]*listing) {
	c.names, c.slugs, c.keys = map[string]*content.Listing{}, map[string]bool{}, map[string]string{}
	if c.Fresh { // what has been deleted is new
		maps.DeleteFunc(c.last.entries, func(_ string, w written) bool { return c.present[w.Slug] == nil })
	}
	for key, w := range c.last.entries {
		c.keys[w.Slug], c.slugs[w.Slug] = key, true
	}
	for _, x := range c.loaded.All() {
		for _, slug := range x.Slugs() {
			c.keys[x.Slug], c.slugs[slug] = cmp.Or(c.keys[x.Slug], c.keys[slug]), true
		}
		name, key := content.NameKey(x.Name), c.keys[x.Slug]
		isInSource := key != "" && byKey[key] != nil
		if has := c.names[name]; !isInSource && (has == nil || c.keys[has.Slug] == "") { // those of the import first
			c.names[name] = x
		}
	}
	for _, r := range c.loaded.Retired {
		for _, slug := range r.Slugs() {
			c.slugs[slug] = true
		}
	}
}

// distinguish adds to a name that another listing has, because names are unique.
func (c *converter) distinguish(l *listing) {
	name := l.values["name"].(string)
	l.called = name
	isTaken := func(name string) bool { _, is := c.names[content.NameKey(name)]; return is }
	if isTaken(name) {
		mark := c.terms["category/"+l.values["category"].(string)].name
		if strings.Contains(name, mark) { // it says nothing more
			mark = ""
		}
		longest := []rune(name)
		longest = longest[:min(len(longest), content.MaxName-len([]rune(mark))-len(" () 9999"))]
		with := fmt.Sprintf("%s (%s)", string(longest), cmp.Or(mark, "2"))
		for n := 2; isTaken(with); n++ {
			with = fmt.Sprintf("%s (%s)", string(longest), strings.TrimSpace(fmt.Sprint(mark, " ", n)))
		}
		l.tell(Changed, l.placeOf("name"), "name: another listing is called %q: this one becomes %q", name, with)
		l.values["name"], name = with, with
	}
	c.names[content.NameKey(name)] = nil
}

// findSlug gives a new listing the slug of the map, or one made from its name. It reports whether it can.
func (c *converter) findSlug(l *listing) bool {
	name := l.values["name"].(string)
	slug := cmp.Or(l.slug, content.Slug(name, c.Content.Settings.Lang))
	const room = len("-999")
	if len(slug) > api.MaxSlug-room {
		slug = strings.TrimRight(slug[:api.MaxSlug-room], "-")
	}
	if content.CheckSlug(slug) != "" {
		l.tell(Skipped, l.placeOf("name"), "the name %q has no letters or digits for an address: fill slug in the map",
			name)
		return false
	}
	l.slug = slug
	for n := 2; c.slugs[l.slug]; n++ {
		l.slug = fmt.Sprintf("%s-%d", slug, n)
	}
	if c.slugs[l.slug] = true; l.slug != slug {
		l.tell(Changed, l.placeOf("name"), "the slug %q is taken: %q becomes %q", slug, name, l.slug)
	}
	return true
}

// Sources name what is related by its name or by a key of their own; listings name it by its slug.

// relate writes slugs in place of what sources call related listings: a slug, a name or the key of an entry.
func (c *converter) relate(listings []*listing) {
	called := map[string][]string{} // slugs by what listings are called; one name may be of several
	call := func(slug string, names ...string) {
		for _, name := range names {
			if !slices.Contains(called[name], slug) {
				called[name] = append(called[name], slug)
			}
		}
	}
	for slug, x := range c.present {
		call(x.Slug, "slug "+slug, "name "+content.NameKey(x.Name))
	}
	for _, l := range listings {
		slug := l.slug
		if x := c.present[slug]; x != nil {
			slug = x.Slug
		} else if c.last.entries[l.key].Slug != "" { // it stays deleted
			continue
		}
		call(slug, "slug "+slug, "key "+l.key, "name "+content.NameKey(l.called),
			"name "+content.NameKey(l.values["name"].(string)))
	}
	for _, l := range listings {
		for _, key := range slices.Sorted(maps.Keys(l.related)) {
			delete(l.values, key)
			for _, v := range l.related[key] {
				slug, wrong := find(called, v.text)
				switch {
				case wrong == "":
					l.add(key, slug, v.node)
				case c.skipped[v.text]:
					l.tellOnce("skipped", Noted, v.node,
						"%s %q and the like are entries that the map skips, {n} times in all", key, v.text)
				default:
					l.leaveOut(key, v, wrong)
				}
			}
			if l.values[key] == nil {
				delete(l.values, "sources."+key)
			}
		}
	}
}

// find returns the slug of the listing that a text means: its slug, its name, or the key of its entry, in this order.
func find(called map[string][]string, text string) (slug, wrong string) {
	for _, name := range []string{"slug " + text, "name " + content.NameKey(text), "key " + text} {
		switch slugs := called[name]; len(slugs) {
		case 0:
		case 1:
			return slugs[0], ""
		default:
			return "", fmt.Sprintf("several listings have this name: write the slug, which is one of %s",
				strings.Join(slices.Sorted(slices.Values(slugs)), ", "))
		}
	}
	return "", "no listing has this slug or name, and no entry this key: correct it in the list"
}
