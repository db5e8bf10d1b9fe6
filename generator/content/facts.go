package content

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// facts loads the definitions of facts.
func (l *loader) facts() []api.Fact {
	facts := []api.Fact{}
	file := l.taxonomyFile(FactsFile, false, &facts)
	definitions := make([]*definition, len(facts))
	for i := range facts {
		definitions[i] = &definition{file, &l.options.Settings, facts, i, &facts[i]}
	}
	if len(facts) > api.MaxFacts {
		definitions[api.MaxFacts].fail("key", "%d facts are defined: at most %d are allowed", len(facts), api.MaxFacts)
	}
	for _, d := range definitions {
		d.checkAll()
	}
	// A fact with a valid kind and a new key stays defined despite other mistakes, so that listings
	// that state it get no findings.
	usable, locale := []api.Fact{}, localeOf(l.options.Settings.Lang)
	for _, d := range definitions {
		if !l.taxonomy.incomplete[FactsFile] {
			d.comparisons()
			d.setups()
		}
		twice := slices.ContainsFunc(usable, func(f api.Fact) bool { return f.Key == d.Key })
		if slices.Contains(api.FactKinds, d.Kind) && !twice {
			usable = append(usable, d.Fact.WithLocale(locale))
		}
	}
	return usable
}

// definition checks the definition of a fact.
type definition struct {
	fileCheck
	settings *site.Settings
	facts    []api.Fact // all facts
	i        int        // index in facts
	*api.Fact
}

// fail reports a mistake in a key of the definition.
func (d *definition) fail(key, format string, args ...any) {
	d.report(rule.Value, key, fmt.Sprintf(format, args...))
}

// report reports a mistake. It marks the file as incomplete if listings may already use the
// corrected definition.
func (d *definition) report(r rule.Rule, key, message string) {
	if key == "key" || key == "kind" || key == "values" {
		d.incomplete[FactsFile] = true
	}
	d.add(r, at(d.i, key), "%s", message)
}

// first returns the index of the first fact that satisfies is, or -1.
func (d *definition) first(is func(api.Fact) bool) int { return slices.IndexFunc(d.facts, is) }

// camelCase matches valid keys and parameters.
var camelCase = regexp.MustCompile(`^[a-z][a-zA-Z0-9]{0,39}$`)

// Kinds of facts that may have a certain key.
var (
	ordered  = api.KindsWith(func(k api.FactKind) bool { return k.IsMeasured() && !k.IsFree() })
	withUnit = api.KindsWith(api.FactKind.HasUnit)
	bounded  = api.KindsWith(api.FactKind.HasBounds)
	monetary = []api.FactKind{api.FactMoney}
	choices  = api.KindsWith(api.FactKind.HasOptions)
	listable = api.KindsWith(func(k api.FactKind) bool { return !k.IsApart() })
	searched = api.KindsWith(func(k api.FactKind) bool { return k.IsNamed() || k.IsMeasured() })
	queried  = api.KindsWith(func(k api.FactKind) bool { return k.IsNamed() || k.HasBounds() })
	numbers  = []api.FactKind{api.FactNumber}
	suited   = append([]api.FactKind{api.FactSetups, api.FactNumber}, api.KindsWith(api.FactKind.IsNamed)...)
)

// checkAll checks a definition by itself, and its key against the earlier definitions.
func (d *definition) checkAll() {
	if !slices.Contains(api.FactKinds, d.Kind) {
		d.fail("kind", "%s is not a kind of fact: write one of %s", quote(string(d.Kind)), listed(api.FactKinds))
		return
	}
	if !camelCase.MatchString(d.Key) {
		d.fail("key", "%s is not a valid key: write at most 40 letters and digits, beginning with a lower-case "+
			"letter, such as minRamGb", quote(d.Key))
	} else if d.first(func(f api.Fact) bool { return f.Key == d.Key }) < d.i {
		d.fail("key", "%s is defined twice", quote(d.Key))
	} else if d.taken() {
		d.fail("key", "%s is already a word of the program, or the parameter of another fact: choose another key",
			quote(d.Key))
	}
	d.filled(d.Label, maxName, d.i, "label")
	d.failIf(textProblem(d.Meaning, maxDescription), d.i, "meaning")
	d.failIf(textProblem(d.Group, maxName), d.i, "group")
	d.failIf(textProblem(d.Unit, maxName), d.i, "unit")
	d.onlyFor(d.Group != "", "group", listable) // a page shows pictures by themselves
	d.onlyFor(d.Sourced, "sourced", listable)   // a picture has its own source
	d.failIf(textProblem(d.Inverse, maxName), d.i, "inverse")
	d.onlyFor(d.Inverse != "", "inverse", []api.FactKind{api.FactRelation})
	d.onlyFor(d.Unit != "", "unit", withUnit)
	d.onlyFor(d.Least != nil, "least", bounded)
	d.onlyFor(d.Most != nil, "most", bounded)
	if d.Least != nil && d.Most != nil && *d.Least > *d.Most {
		d.fail("least", "%v is more than most, which is %v", *d.Least, *d.Most)
	}
	d.onlyFor(d.Everyday, "everyday", []api.FactKind{api.FactYesNo})
	if first := d.first(func(f api.Fact) bool { return f.Everyday }); d.Everyday && first < d.i {
		d.fail("everyday", "the fact %s already has this key: remove it from one of them", quote(d.facts[first].Key))
	}
	d.values()
	d.onlyFor(d.Searched != nil, "searched", api.KindsWith(api.FactKind.IsSearched))
	d.onlyFor(len(d.Chip) > 0, "chip", searched)
	d.known("chip", slices.Sorted(maps.Keys(d.Chip)), slugs(d.Fact))
	d.namedTexts("chip", d.Chip)
	d.suits()
	d.onlyFor(len(d.Cost) > 0, "cost", slices.Concat(choices, []api.FactKind{api.FactYesNo}))
	d.known("cost", slices.Sorted(maps.Keys(d.Cost)), slugs(d.Fact))
	d.namedTexts("cost", d.Cost)
	if d.Filter != nil {
		d.filter()
	}
	d.wordings("asked", d.Asked)
	d.wordings("suggested", d.Suggested)
	d.matters()
	d.currency()
	d.sort()
}

// currency checks the currency of money, without which amounts cannot be compared.
func (d *definition) currency() {
	d.onlyFor(d.Currency != "", "currency", monetary)
	switch {
	case d.Kind != api.FactMoney:
	case d.Currency == "" && (d.Filter != nil || d.Sort != "" || len(d.Asked)+len(d.Suggested) > 0 ||
		d.Least != nil || d.Most != nil):
		d.report(rule.Missing, "currency", "is missing: amounts are compared in one currency only, so name it, such "+
			"as EUR")
	case d.Currency != "" && !api.IsCurrency(d.Currency):
		d.fail("currency", "%s is no currency: write a code of ISO 4217 in capitals, such as EUR", quote(d.Currency))
	}
}

// otherOrders lists the orders of lists that are no values of the parameter sort, and the folder of the lists of
// categories.
var otherOrders = []string{"name", "license", "category"}

// sort checks the order of a fact, whose name is the key of the fact.
func (d *definition) sort() {
	d.onlyFor(d.Sort != "", "sort", ordered)
	if d.Sort != "" && slices.Contains(slices.Concat(api.SortValues, otherOrders), d.Key) {
		d.fail("key", "%s is already the name of an order: choose another key, or remove sort", quote(d.Key))
	}
}

// matters checks what is said of the values of the filter on the page that asks what matters.
func (d *definition) matters() {
	if len(d.Matters) == 0 {
		return
	}
	if d.Filter == nil {
		d.fail("matters", "the fact has no filter, so that nobody can choose by it: add a filter, or remove this key")
		return
	}
	d.known("matters", slices.Sorted(maps.Keys(d.Matters)), d.FilterValues())
	d.namedTexts("matters", d.Matters)
}

// setups checks the parts of a definition that concern setups.
func (d *definition) setups() {
	first := d.first(func(f api.Fact) bool { return f.Kind == api.FactSetups })
	if d.Kind == api.FactSetups && first < d.i {
		d.fail("kind", "another fact already has the kind %s: listings have only one list of setups", d.Kind)
	}
	if d.Derived == nil {
		return
	}
	if first < 0 {
		d.fail("derived", "needs a fact of the kind %s to be computed from: define one, or remove this key",
			api.FactSetups)
	}
	kinds, levels := numbers, []string{hardware.LevelMinimum, hardware.LevelRecommended}
	remedy := "write " + strings.Join(levels, " or ")
	switch d.Derived.Of {
	case hardware.DeriveRAM, hardware.DeriveVRAM:
	case hardware.DeriveFor:
		kinds, levels, remedy = []api.FactKind{api.FactText}, []string{""}, "remove it"
	default:
		d.fail("derived", "of: %s is not allowed: write %s, %s or %s", quote(d.Derived.Of), hardware.DeriveRAM,
			hardware.DeriveVRAM, hardware.DeriveFor)
		return
	}
	d.onlyFor(true, "derived", kinds)
	if !slices.Contains(levels, d.Derived.Level) {
		d.fail("derived", "level: %s is not allowed here: %s", quote(d.Derived.Level), remedy)
	}
}

// taken reports whether the key of a fact already has another meaning: in listings, in all
// JavaScript objects, or, if the fact has no parameter of its own, in a search.
func (d *definition) taken() bool {
	return slices.Contains(slices.Concat(NewFrontMatter(d.settings, &api.Taxonomy{}).fields(),
		fieldKeys[api.InstallLink](nil), objectKeys), d.Key) ||
		d.Filter == nil && slices.ContainsFunc(api.SearchParameters(d.settings, &api.Taxonomy{Facts: d.facts}),
			func(p api.Parameter) bool { return p.Name == d.Key && p.Name != api.ArchKey })
}

// objectKeys lists properties that all JavaScript objects have.
var objectKeys = []string{"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
	"toString", "valueOf"}

// onlyFor reports a key that is given although facts of this kind cannot have it.
func (d *definition) onlyFor(given bool, key string, kinds []api.FactKind) {
	if given && !slices.Contains(kinds, d.Kind) {
		d.fail(key, "a fact of the kind %s cannot have this key: remove it", d.Kind)
	}
}

func (d *definition) values() {
	d.onlyFor(len(d.Values) > 0, "values", choices)
	if slices.Contains(choices, d.Kind) && len(d.Values) == 0 {
		d.report(rule.Missing, "values", "is missing: list the values, such as - {slug: small, label: Small}")
	}
	for k, o := range d.Values {
		before := d.Values[:k]
		if o.Label == api.Unknown ||
			slices.ContainsFunc(before, func(x api.FactOption) bool { return x.Label == o.Label }) {
			d.fail("values", "the label %s already has another meaning: choose another label", quote(o.Label))
		}
		if message := CheckSlug(o.Slug); message != "" && (o.Slug != "" || !d.incomplete[FactsFile]) {
			d.fail("values", "%s", message)
		}
		if strings.TrimSpace(o.Label) == "" {
			d.fail("values", "%s has no label: add one", quote(o.Slug))
		} else if message := textProblem(o.Label, maxName); message != "" {
			d.fail("values", "the label of %s %s", quote(o.Slug), message)
		}
		if slices.ContainsFunc(before, func(x api.FactOption) bool { return x.Slug == o.Slug }) {
			d.fail("values", "%s is in the list twice: remove one of them", quote(o.Slug))
		}
	}
}

// slugs returns the names that definitions use for a fact's values.
func slugs(f *api.Fact) []string {
	switch {
	case f.Kind.HasOptions():
		return f.Options()
	case f.Kind.IsNamed():
		return []string{"1", "0"}
	}
	return []string{api.FactKnown}
}

// known reports the names of values in a key of the definition that are not allowed there.
func (d *definition) known(key string, given, allowed []string) {
	switch {
	case d.incomplete[FactsFile]: // the list of allowed values may be incomplete, too
	case len(given) > 0 && len(allowed) == 0:
		d.fail(key, "a fact of the kind %s has no values that can be listed here: remove them", d.Kind)
	default:
		for _, value := range given {
			if !slices.Contains(allowed, value) {
				d.fail(key, "%s is not allowed here: write one of %s", quote(value), strings.Join(allowed, ", "))
			}
		}
	}
}

// namedTexts checks a key that has a text for each of several values.
func (d *definition) namedTexts(key string, texts map[string]string) {
	for _, value := range slices.Sorted(maps.Keys(texts)) {
		message := textProblem(texts[value], maxName)
		if strings.TrimSpace(texts[value]) == "" {
			message = "is empty: remove it"
		}
		if message != "" {
			d.fail(key, "the text of %s %s", quote(value), message)
		}
	}
}

func (d *definition) filter() {
	d.onlyFor(true, "filter", searched)
	name := d.Filter.Parameter
	others := api.SearchParameters(d.settings, &api.Taxonomy{Facts: d.facts[:d.i]})
	if !camelCase.MatchString(name) {
		d.fail("filter", "%s is not a valid parameter name: write at most 40 letters and digits, beginning with a "+
			"lower-case letter, such as maxPrice", quote(name))
	} else if slices.Contains(reservedParameters, name) || slices.Contains(objectKeys, name) ||
		slices.ContainsFunc(others, func(p api.Parameter) bool { return KebabCase(p.Name) == KebabCase(name) }) {
		d.fail("filter", "the parameter %s already exists: choose another name", quote(name))
	}
	flag := len(d.Filter.Zero)+len(d.Filter.One) > 0
	choice := slices.Contains(choices, d.Kind)
	if only := d.Kind.Matches(); d.Filter.Match == "" && len(only) == 1 {
		d.Filter.Match = only[0]
	}
	match := d.Filter.Match
	switch {
	case d.Kind.IsMeasured() && !slices.Contains(d.Kind.Matches(), match):
		d.fail("filter", "match: %s is not allowed: for a fact of the kind %s, write %s", quote(match), d.Kind,
			strings.Join(d.Kind.Matches(), " or "))
	case !d.Kind.IsMeasured() && match != "":
		d.fail("filter", "match: a fact of the kind %s cannot have this key: remove it", d.Kind)
	case flag && !choice:
		d.fail("filter", `only a fact of the kind choice or choices can have "0" and "1": remove both`)
	case flag && (len(d.Filter.Zero) == 0 || len(d.Filter.One) == 0):
		d.fail("filter", `"0" and "1" must be given together: list the values that each of them finds`)
	}
	if len(d.Filter.Matches) > 0 && (flag || !choice) {
		d.fail("filter",
			`matches: only a fact of the kind choice or choices without "0" and "1" can have this key: remove it`)
	}
	for _, value := range slices.Sorted(maps.Keys(d.Filter.Matches)) {
		d.known("filter", append([]string{value}, d.Filter.Matches[value]...), d.Options())
	}
	d.known("filter", slices.Concat(d.Filter.Zero, d.Filter.One), d.Options())
	d.known("filter", slices.Sorted(maps.Keys(d.Filter.Labels)), d.FilterValues())
	d.namedTexts("filter", d.Filter.Labels)
}

// suits checks the phrases that say for whom a listing is the right one.
func (d *definition) suits() {
	d.onlyFor(len(d.Suits) > 0, "suits", suited)
	d.known("suits", slices.Sorted(maps.Keys(d.Suits)), slugs(d.Fact))
	d.namedTexts("suits", d.Suits)
	if d.Kind == api.FactNumber && len(d.Suits) > 0 && d.Filter == nil {
		d.fail("suits", "needs a filter, whose match says whether less or more is better: add one, or remove this key")
	}
}

// reservedParameters lists the names that a fact's parameter must not have: other parameters of the
// search, flags of commands, and properties of forms. A form field with the name of a property
// would hide that property from the page script.
var reservedParameters = []string{"platform", "license", "openSource", "upkeep", "offset", "slugs", "ramGb", "vramGb",
	"gpuVendor", "system", "stated", "public", "json", "help", "content", "config",
	"addEventListener", "classList", "dataset", "elements", "querySelector", "querySelectorAll", "reset"}

// IsFreeKey reports whether a new fact of the catalogue, and a search parameter of the same name, may have a key.
func (m *FrontMatter) IsFreeKey(key string) bool {
	taken := slices.Concat(NewFrontMatter(m.settings, &api.Taxonomy{}).fields(), fieldKeys[api.InstallLink](nil),
		objectKeys, reservedParameters, m.taxonomy.FactKeys())
	return camelCase.MatchString(key) && !slices.Contains(taken, key) &&
		!slices.ContainsFunc(api.SearchParameters(m.settings, m.taxonomy),
			func(p api.Parameter) bool { return KebabCase(p.Name) == KebabCase(key) })
}

// KebabCase returns a camelCase name as a command-line flag: self-hosted for selfHosted.
func KebabCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func (d *definition) wordings(key string, wordings map[string][]string) {
	d.onlyFor(len(wordings) > 0, key, queried)
	values := slices.Sorted(maps.Keys(wordings))
	switch {
	case d.Kind.HasBounds():
		for _, value := range values {
			if n, err := strconv.ParseFloat(value, 64); value != api.FactAmount &&
				(err != nil || math.IsNaN(n) || math.IsInf(n, 0)) {
				d.fail(key, "%s is not allowed here: write a number, or %s", quote(value), api.FactAmount)
			}
		}
	case d.IsOptionFlag():
		d.known(key, values, slices.Concat(d.FilterValues(), slugs(d.Fact)))
	default:
		d.known(key, values, slugs(d.Fact))
	}
	for _, value := range values {
		for i, text := range wordings[value] {
			if message := entryProblem(text); message != "" {
				d.find(d.at(rule.Value, key+": "+message, d.i, key, value, i))
			}
			before, unit, inside := strings.Cut(text, " # ")
			switch {
			case strings.HasPrefix(text, "# ") || !strings.HasPrefix(text, "#") && value != api.FactAmount:
			case inside:
				d.fail(key, `%s has words before the number: write "# %s"; a query may have words such as under, up to `+
					`or at least before it, and they need no wording, so leave out %s`, quote(text), unit, quote(before))
			default:
				d.fail(key, `%s has no place for the number: write "# %s", where # stands for the number`, quote(text),
					strings.TrimLeft(text, "#"))
			}
		}
	}
}

func (d *definition) comparisons() {
	other := func(key string) *api.Fact { return (&api.Taxonomy{Facts: d.facts}).Fact(key) }
	if key := d.Checks.NotAbove; key != "" {
		if f := other(key); f == nil || f.Kind != api.FactNumber || d.Kind != api.FactNumber {
			d.fail("checks", "notAbove: cannot compare this fact with %s: both must be facts of the kind number",
				quote(key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d.Checks.Needs)) {
		if f := other(key); f != nil {
			d.known("checks", d.Checks.Needs[key], slugs(f))
		} else {
			d.fail("checks", "needs: no fact has the key %s", quote(key))
		}
	}
	d.onlyFor(len(d.Follows) > 0, "follows", []api.FactKind{api.FactYesNo})
	for _, key := range slices.Sorted(maps.Keys(d.Follows)) {
		if f := other(key); key == api.LinksKey {
			d.known("follows", d.Follows[key], api.InstallKinds)
		} else if f != nil && f.Kind == api.FactChoice {
			d.known("follows", d.Follows[key], slugs(f))
		} else {
			d.fail("follows", "no fact of the kind %s has the key %s: write such a key, or %s", api.FactChoice,
				quote(key), api.LinksKey)
		}
	}
	d.onlyFor(len(d.Checks.Links) > 0, "checks", []api.FactKind{api.FactYesNo})
	d.known("checks", d.Checks.Links, api.InstallKinds)
	d.known("checks", slices.Sorted(maps.Keys(d.Checks.OSIApproved)), slugs(d.Fact))
}

// fitNotes checks the facts of a listing.
func (k *listingCheck) fitNotes() {
	for i := range k.taxonomy.Facts {
		f := &k.taxonomy.Facts[i]
		if !f.IsStated() {
			k.compare(f)
			continue
		}
		path := at(factsKey, f.Key)
		read, problems := f.Read(k.f.FitNotes.Get(f.Key))
		k.f.FitNotes.Set(f.Key, read)
		switch value := read.(type) {
		case api.PictureFile:
			k.f.FitNotes.Set(f.Key, k.picture(f, value))
		case api.Link:
			k.address(value.URL, "", append(path, "url")...)
			k.failIf(textProblem(value.Label, maxShort), append(path, "label")...)
		case api.Place:
			k.failIf(textProblem(value.Name, maxShort), append(path, "name")...)
		case string:
			if !f.Kind.HasOptions() {
				k.optional(&value, path...)
			} else if !slices.Contains(f.Options(), value) {
				k.fail(path, "%s is not allowed: write one of %s, or null", quote(value),
					strings.Join(f.Options(), ", "))
			}
		case []string:
			k.distinct(value, path...)
			for j, slug := range value {
				if f.Kind == api.FactRelation && slug == k.f.Slug {
					k.fail(append(path, j), "%q is the listing itself: name others, or remove it", slug)
				}
				if f.Kind.HasOptions() {
					k.oneOf(slug, f.Options(), append(path, j)...)
				}
			}
		}
		for _, p := range problems {
			k.fail(append(path, p.Path...), "%s", p.Message)
		}
		k.compare(f)
	}
}

// compare checks a fact against other facts, the licence and the install links.
func (k *listingCheck) compare(f *api.Fact) {
	value := k.f.FitNotes.Get(f.Key)
	if !api.Known(value) {
		return
	}
	path, given := at(factsKey, f.Key), "is given"
	if !f.IsStated() {
		if gb, ok := value.(float64); ok && (gb < minGb || gb > hardware.MaxGb) {
			return // already reported as a mistake in the setup
		}
		path, given = at(api.SetupsKey), f.Label+" is given"
	}
	limit, limited := k.f.FitNotes.Get(f.Checks.NotAbove).(float64)
	if number, ok := value.(float64); ok && limited && number > limit {
		k.fail(path, "%v is more than %s, which is %v: correct one of them", value, f.Checks.NotAbove, limit)
	}
	for _, slug := range f.Slugs(value) {
		if want, ok := f.Checks.OSIApproved[slug]; ok && k.f.OSIApproved != nil && *k.f.OSIApproved != want {
			k.fail(path, "is %s, but osiApproved is %t: correct one of them", slug, !want)
		}
	}
	if value == true && len(f.Checks.Links) > 0 && k.settings.Has("installLinks") &&
		!slices.ContainsFunc(k.f.InstallLinks, func(l api.InstallLink) bool {
			// A wrong kind has already been reported.
			return l.Command != nil || slices.Contains(f.Checks.Links, l.Kind) ||
				!slices.Contains(api.InstallKinds, l.Kind)
		}) {
		k.fail(path, "is true, but no install link has a command or one of the kinds %s: add such a link, or write "+
			"false", strings.Join(f.Checks.Links, ", "))
	}
	for _, key := range slices.Sorted(maps.Keys(f.Checks.Needs)) {
		other, needed := k.taxonomy.Fact(key), f.Checks.Needs[key]
		if other == nil {
			continue // already reported as a mistake in the definition
		}
		has := other.Slugs(k.f.FitNotes.Get(key))
		// A wrong value has already been reported. A missing value is reported only once.
		wrong := k.undecodedAt(factsKey, key) ||
			slices.ContainsFunc(has, func(s string) bool { return !slices.Contains(slugs(other), s) })
		if wrong || k.missing[key] ||
			slices.ContainsFunc(has, func(s string) bool { return slices.Contains(needed, s) }) {
			continue
		}
		k.missing[key] = true
		is := api.Unknown
		if len(has) > 0 {
			is = strings.Join(has, ", ")
		}
		k.fail(path, "%s, but %s is %s: write %s: %s, or remove this value", given, key, is, key,
			strings.Join(needed, " or "))
	}
}

var _ strictyaml.Mapping = api.FactValues{} // fitNotes is decoded as a Mapping
