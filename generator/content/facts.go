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
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// facts loads the definitions of facts.
func (l *loader) facts() []api.Fact {
	facts := []api.Fact{}
	d := &definitions{loader: l, doc: l.taxonomyFile(FactsFile, false, &facts), facts: facts}
	if len(facts) > api.MaxFacts {
		d.fail(api.MaxFacts, "key", "%d facts are defined: at most %d are allowed", len(facts), api.MaxFacts)
	}
	// A fact with a mistake in its definition stays defined, so that listings that state it get no
	// findings.
	usable := []api.Fact{}
	for i := range facts {
		d.check(i)
	}
	for i := range facts {
		if !l.taxonomy.incomplete[FactsFile] {
			d.comparisons(i)
			d.setups(i)
		}
		twice := slices.ContainsFunc(usable, func(f api.Fact) bool { return f.Key == facts[i].Key })
		if slices.Contains(api.FactKinds, facts[i].Kind) && !twice {
			usable = append(usable, facts[i])
		}
	}
	return usable
}

// definitions checks the definitions of facts.
type definitions struct {
	loader *loader
	doc    source
	facts  []api.Fact
}

// fail reports a mistake in a definition. It marks the file as incomplete if listings may already
// use the corrected definition.
func (d *definitions) fail(i int, key, format string, args ...any) {
	d.find(rule.Value, i, key, fmt.Sprintf(format, args...))
}

// missing reports that a definition lacks a key that it needs.
func (d *definitions) missing(i int, key, message string) { d.find(rule.Missing, i, key, message) }

func (d *definitions) find(r rule.Rule, i int, key, message string) {
	if key == "key" || key == "kind" || key == "values" {
		d.loader.taxonomy.incomplete[FactsFile] = true
	}
	d.loader.find(d.doc.at(r, key+": "+message, i, key))
}

// camelCase is the shape of keys and parameters.
var camelCase = regexp.MustCompile(`^[a-z][a-zA-Z0-9]{0,39}$`)

// check checks one definition by itself, and its key against the earlier definitions.
func (d *definitions) check(i int) {
	f := &d.facts[i]
	if !slices.Contains(api.FactKinds, f.Kind) {
		kinds := make([]string, len(api.FactKinds))
		for i, kind := range api.FactKinds {
			kinds[i] = string(kind)
		}
		d.fail(i, "kind", "%s is not a kind of fact: write one of %s", quote(string(f.Kind)), strings.Join(kinds, ", "))
		return
	}
	if !camelCase.MatchString(f.Key) {
		d.fail(i, "key", "%s is not a valid key: write at most 40 letters and digits, beginning with a lower-case "+
			"letter, such as minRamGb", quote(f.Key))
	} else if first := slices.IndexFunc(d.facts, func(o api.Fact) bool { return o.Key == f.Key }); first < i {
		d.fail(i, "key", "%s is defined twice", quote(f.Key))
	} else if d.taken(f) {
		d.fail(i, "key", "%s is in use already: choose another key", quote(f.Key))
	}
	for _, text := range []struct {
		key, value string
		most       int
		required   bool
	}{{"label", f.Label, maxName, true}, {"meaning", f.Meaning, maxDescription, true},
		{"group", f.Group, maxName, false}, {"unit", f.Unit, maxName, false}} {
		if text.required && strings.TrimSpace(text.value) == "" {
			d.missing(i, text.key, "is missing, but required")
		} else if message := textProblem(text.value, text.most); message != "" {
			d.fail(i, text.key, "%s", message)
		}
	}
	d.values(i)
	d.rejectOtherKinds(i, "unit", f.Unit != "", api.FactNumber)
	d.rejectOtherKinds(i, "least", f.Least != nil, api.FactNumber)
	d.rejectOtherKinds(i, "most", f.Most != nil, api.FactNumber)
	if f.Least != nil && f.Most != nil && *f.Least > *f.Most {
		d.fail(i, "least", "%v is more than most, which is %v", *f.Least, *f.Most)
	}
	d.rejectOtherKinds(i, "everyday", f.Everyday, api.FactYesNo)
	if first := slices.IndexFunc(d.facts, func(o api.Fact) bool { return o.Everyday }); f.Everyday && first < i {
		d.fail(i, "everyday", "the fact %s has it already: remove it from one of them", quote(d.facts[first].Key))
	}
	d.chip(i)
	d.filter(i)
	d.wordings(i, "asked", f.Asked)
	d.wordings(i, "suggested", f.Suggested)
}

// setups checks the part of a definition that is about setups.
func (d *definitions) setups(i int) {
	f := &d.facts[i]
	isSetups := func(other api.Fact) bool { return other.Kind == api.FactSetups }
	if f.Kind == api.FactSetups && slices.IndexFunc(d.facts, isSetups) < i {
		d.fail(i, "kind", "another fact has the kind %s already: listings have one list of setups", f.Kind)
	}
	if f.Derived == nil {
		return
	}
	if !slices.ContainsFunc(d.facts, isSetups) {
		d.fail(i, "derived", "needs a fact of the kind %s to be computed from: define one, or remove this key",
			api.FactSetups)
	}
	kind, levels := api.FactNumber, []string{hardware.LevelMinimum, hardware.LevelRecommended}
	switch f.Derived.Of {
	case hardware.DeriveRAM, hardware.DeriveVRAM:
	case hardware.DeriveFor:
		kind, levels = api.FactText, []string{""}
	default:
		d.fail(i, "derived", "of: %s is not allowed: write %s, %s or %s", quote(f.Derived.Of), hardware.DeriveRAM,
			hardware.DeriveVRAM, hardware.DeriveFor)
		return
	}
	d.rejectOtherKinds(i, "derived", true, kind)
	if !slices.Contains(levels, f.Derived.Level) {
		remedy := "write " + strings.Join(levels, " or ")
		if kind == api.FactText {
			remedy = "remove it"
		}
		d.fail(i, "derived", "level: %s is not allowed here: %s", quote(f.Derived.Level), remedy)
	}
}

// taken reports whether the key of a fact already has another meaning: in listings, in all
// JavaScript objects, or in a search if the fact has no parameter of its own.
func (d *definitions) taken(f *api.Fact) bool {
	settings := &d.loader.options.Settings
	return slices.Contains(slices.Concat(NewFrontMatter(settings, &api.Taxonomy{}).fields(),
		fieldKeys[api.InstallLink](nil), objectKeys), f.Key) ||
		f.Filter == nil && slices.ContainsFunc(api.SearchParameters(settings, &api.Taxonomy{Facts: d.facts}),
			func(p api.Parameter) bool { return p.Name == f.Key && p.Name != api.ArchKey })
}

// objectKeys are the properties that all JavaScript objects have.
var objectKeys = []string{"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
	"toString", "valueOf"}

// rejectOtherKinds reports a key that facts of this kind must not have.
func (d *definitions) rejectOtherKinds(i int, key string, given bool, kinds ...api.FactKind) {
	if kind := d.facts[i].Kind; given && !slices.Contains(kinds, kind) {
		d.fail(i, key, "a fact of the kind %s cannot have this key: remove it", kind)
	}
}

func (d *definitions) values(i int) {
	f := &d.facts[i]
	d.rejectOtherKinds(i, "values", len(f.Values) > 0, api.FactChoice, api.FactChoices)
	if (f.Kind == api.FactChoice || f.Kind == api.FactChoices) && len(f.Values) == 0 {
		d.missing(i, "values", "is missing: list the values, such as - {slug: small, label: Small}")
	}
	for k, o := range f.Values {
		if o.Label == api.Unknown ||
			slices.IndexFunc(f.Values, func(other api.FactOption) bool { return other.Label == o.Label }) < k {
			d.fail(i, "values", "the label %s has another meaning already: choose another label", quote(o.Label))
		}
		if message := CheckSlug(o.Slug); message != "" && (o.Slug != "" || !d.loader.taxonomy.incomplete[FactsFile]) {
			d.fail(i, "values", "%s", message)
		}
		if strings.TrimSpace(o.Label) == "" {
			d.fail(i, "values", "%s has no label: add one", quote(o.Slug))
		} else if message := textProblem(o.Label, maxName); message != "" {
			d.fail(i, "values", "the label of %s %s", quote(o.Slug), message)
		}
		if slices.IndexFunc(f.Values, func(other api.FactOption) bool { return other.Slug == o.Slug }) < k {
			d.fail(i, "values", "%s is in the list twice: remove one of them", quote(o.Slug))
		}
	}
}

// slugs returns the names of a fact's values in its definition.
func slugs(f *api.Fact) []string {
	switch f.Kind {
	case api.FactYesNo:
		return []string{"1", "0"}
	case api.FactChoice, api.FactChoices:
		return f.Options()
	}
	return []string{api.FactKnown}
}

// known reports keys or values that the fact does not have.
func (d *definitions) known(i int, key string, given, allowed []string) {
	if d.loader.taxonomy.incomplete[FactsFile] { // the allowed values may be incomplete, too
		return
	}
	if len(given) > 0 && len(allowed) == 0 {
		d.fail(i, key, "a fact of the kind %s has no values that can be named here: remove them", d.facts[i].Kind)
		return
	}
	for _, value := range given {
		if !slices.Contains(allowed, value) {
			d.fail(i, key, "%s is not allowed here: write one of %s", quote(value), strings.Join(allowed, ", "))
		}
	}
}

func (d *definitions) chip(i int) {
	f := &d.facts[i]
	d.rejectOtherKinds(i, "chip", len(f.Chip) > 0, api.FactYesNo, api.FactChoice, api.FactChoices, api.FactNumber)
	d.known(i, "chip", slices.Sorted(maps.Keys(f.Chip)), slugs(f))
	d.checkWordings(i, "chip", f.Chip)
}

// checkWordings checks wordings of values.
func (d *definitions) checkWordings(i int, key string, texts map[string]string) {
	for _, value := range slices.Sorted(maps.Keys(texts)) {
		message := textProblem(texts[value], maxName)
		if strings.TrimSpace(texts[value]) == "" {
			message = "is empty; remove it"
		}
		if message != "" {
			d.fail(i, key, "the text of %s %s", quote(value), message)
		}
	}
}

func (d *definitions) filter(i int) {
	f := &d.facts[i]
	if f.Filter == nil {
		return
	}
	d.rejectOtherKinds(i, "filter", true, api.FactYesNo, api.FactChoice, api.FactChoices, api.FactNumber)
	name := f.Filter.Parameter
	if !camelCase.MatchString(name) {
		d.fail(i, "filter", "%s is not a valid parameter name: write at most 40 letters and digits, beginning with a "+
			"lower-case letter, such as maxPrice", quote(name))
	} else {
		for _, p := range api.SearchParameters(&d.loader.options.Settings, &api.Taxonomy{Facts: d.facts[:i]}) {
			if p.Name == name || KebabCase(p.Name) == KebabCase(name) {
				d.fail(i, "filter", "the parameter %s exists already: choose another name", quote(name))
			}
		}
		if slices.Contains(reservedParameters, name) || slices.Contains(objectKeys, name) {
			d.fail(i, "filter", "the parameter %s exists already: choose another name", quote(name))
		}
	}
	flag := len(f.Filter.Zero)+len(f.Filter.One) > 0
	switch {
	case f.Kind == api.FactNumber && f.Filter.Match != api.MatchAtMost && f.Filter.Match != api.MatchAtLeast:
		d.fail(i, "filter", "match: %s is not allowed: for a number, write %s or %s", quote(f.Filter.Match),
			api.MatchAtMost, api.MatchAtLeast)
	case f.Kind != api.FactNumber && f.Filter.Match != "":
		d.fail(i, "filter", "match: only a fact of the kind number can have it: remove it")
	case flag && f.Kind != api.FactChoice && f.Kind != api.FactChoices:
		d.fail(i, "filter", `only a fact of the kind choice or choices can have "0" and "1": remove both`)
	case flag && (len(f.Filter.Zero) == 0 || len(f.Filter.One) == 0):
		d.fail(i, "filter", `"0" and "1" need each other: list the values that each of them finds`)
	}
	if len(f.Filter.Matches) > 0 && (flag || f.Kind != api.FactChoice && f.Kind != api.FactChoices) {
		d.fail(i, "filter", `matches: only a fact of the kind choice or choices without "0" and "1" can have it: remove it`)
	}
	for _, value := range slices.Sorted(maps.Keys(f.Filter.Matches)) {
		d.known(i, "filter", append([]string{value}, f.Filter.Matches[value]...), f.Options())
	}
	d.known(i, "filter", slices.Concat(f.Filter.Zero, f.Filter.One), f.Options())
	d.known(i, "filter", slices.Sorted(maps.Keys(f.Filter.Labels)), f.FilterValues())
	d.checkWordings(i, "filter", f.Filter.Labels)
}

// reservedParameters are names that a fact's parameter must not have: other parameters of the
// search, flags of commands, and properties of forms. A form field with the name of a property
// would hide that property from the page script.
var reservedParameters = []string{"platform", "license", "openSource", "upkeep", "offset", "slugs", "ramGb", "vramGb",
	"gpuVendor", "system", "stated", "public", "json", "help", "content", "config",
	"addEventListener", "classList", "dataset", "elements", "querySelector", "querySelectorAll", "reset"}

// KebabCase returns a name as a command-line flag: self-hosted for selfHosted.
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

func (d *definitions) wordings(i int, key string, wordings map[string][]string) {
	f := &d.facts[i]
	d.rejectOtherKinds(i, key, len(wordings) > 0, api.FactYesNo, api.FactChoice, api.FactChoices, api.FactNumber)
	if f.Kind == api.FactNumber {
		for _, value := range slices.Sorted(maps.Keys(wordings)) {
			if n, err := strconv.ParseFloat(value, 64); value != api.FactAmount &&
				(err != nil || math.IsNaN(n) || math.IsInf(n, 0)) {
				d.fail(i, key, "%s is not allowed here: write a number, or %s", quote(value), api.FactAmount)
			}
		}
	} else {
		allowed := slugs(f)
		if f.IsOptionFlag() {
			allowed = slices.Concat(f.FilterValues(), allowed)
		}
		d.known(i, key, slices.Sorted(maps.Keys(wordings)), allowed)
	}
	for _, value := range slices.Sorted(maps.Keys(wordings)) {
		d.loader.texts(d.doc, key, wordings[value], i, key, value)
		for _, text := range wordings[value] {
			if hash := strings.HasPrefix(text, "#"); (hash || value == api.FactAmount) &&
				!strings.HasPrefix(text, "# ") {
				d.fail(i, key, `%s has no place for the number: write "# %s", where # stands for it`, quote(text),
					strings.TrimLeft(text, "#"))
			}
		}
	}
}

func (d *definitions) comparisons(i int) {
	f := &d.facts[i]
	find := func(key string) *api.Fact { return (&api.Taxonomy{Facts: d.facts}).Fact(key) }
	if key := f.Checks.NotAbove; key != "" {
		if other := find(key); other == nil || other.Kind != api.FactNumber || f.Kind != api.FactNumber {
			d.fail(i, "checks", "notAbove: cannot compare this fact with %s: both must be facts of the kind number",
				quote(key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.Checks.Needs)) {
		other := find(key)
		if other == nil {
			d.fail(i, "checks", "needs: no fact has the key %s", quote(key))
			continue
		}
		d.known(i, "checks", f.Checks.Needs[key], slugs(other))
	}
	d.rejectOtherKinds(i, "checks", len(f.Checks.Links) > 0, api.FactYesNo)
	d.known(i, "checks", f.Checks.Links, api.InstallKinds)
	d.known(i, "checks", slices.Sorted(maps.Keys(f.Checks.OSIApproved)), slugs(f))
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
		switch value := k.f.FitNotes.Get(f.Key).(type) {
		case string:
			if f.Kind == api.FactText {
				k.optional(path, &value)
			} else if !slices.Contains(f.Options(), value) {
				k.fail(path, "%s is not allowed: write one of %s, or null", quote(value),
					strings.Join(f.Options(), ", "))
			}
		case []string:
			k.texts(f.Key, value, factsKey)
			for j, slug := range value {
				if f.Kind == api.FactChoices && !slices.Contains(f.Options(), slug) {
					k.fail(append(path, j), "%s is not allowed: write one of %s", quote(slug),
						strings.Join(f.Options(), ", "))
				}
			}
		case float64:
			if f.Least != nil && value < *f.Least || f.Most != nil && value > *f.Most {
				k.fail(path, "%v is out of bounds: %s is allowed", value, api.NumberBounds(f.Least, f.Most))
			}
		}
		k.compare(f)
	}
}

// compare checks a fact against other facts.
func (k *listingCheck) compare(f *api.Fact) {
	value := k.f.FitNotes.Get(f.Key)
	if !api.Known(value) {
		return
	}
	path, given := at(factsKey, f.Key), "is given"
	if !f.IsStated() {
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
			return l.Command != nil || slices.Contains(f.Checks.Links, l.Kind)
		}) {
		k.fail(path, "is true, but no install link has a command or one of the kinds %s: add such a link, or write "+
			"false", strings.Join(f.Checks.Links, ", "))
	}
	for _, key := range slices.Sorted(maps.Keys(f.Checks.Needs)) {
		other, needed := k.taxonomy.Fact(key), f.Checks.Needs[key]
		if other == nil {
			continue // the definition is wrong
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
		k.fail(path, "%s, but %s is %s: write %s: %s, or leave this out", given, key, is, key,
			strings.Join(needed, " or "))
	}
}

var _ strictyaml.Mapping = api.FactValues{} // fitNotes is decoded as a Mapping
