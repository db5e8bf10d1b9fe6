package importer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/notation"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// maxChoice is the number of values up to which a column is a choice.
const maxChoice = 12

// guessFacts guesses facts for the columns that are no field.
func (g *guesser) guessFacts() {
	taken := map[string]bool{}
	isFree := func(key string) bool { return g.content.FrontMatter.IsFreeKey(key) && !taken[key] }
	for _, c := range g.columns {
		if c.isField || strings.HasPrefix(c.path, "@") || c.length > 150 || strings.HasSuffix(c.path, ".url") ||
			g.isPartOfField(c) {
			continue
		}
		if why := c.whyNoFact(); why != "" {
			g.because("not taken: %q %s", c.path, why)
			continue
		}
		key := factKey(c.label, g.lang)
		if f := g.known(c, key); f != nil && !taken[f.Key] {
			taken[f.Key] = true
			g.addFact(c, f.Key, f.Kind, "the catalogue has a fact of this name")
			continue
		}
		if !isFree(key) {
			key += "Value"
		}
		switch {
		case len(g.content.Taxonomy.Facts)+len(g.facts) >= api.MaxFacts:
		case len(c.distinct) == 1 && c.filled > 1:
			g.because("not taken: %q is always %q", c.path, c.example())
		case !isFree(key):
			g.because("not taken: %q cannot be the key of a fact", c.path)
		default:
			taken[key] = true
			g.define(c, key)
		}
	}
}

// isPartOfField reports whether a column has another name of what a field shows, such as category.slug.
func (g *guesser) isPartOfField(c *column) bool {
	return c.parent != "" && slices.Contains([]string{"id", "key", "slug"}, c.name) &&
		slices.ContainsFunc(g.columns, func(x *column) bool { return x.isUsed && x.parent == c.parent })
}

// whyNoFact says why no fact can show a column as it is, or returns "".
func (c *column) whyNoFact() string {
	switch isPath := func(text string) bool { return strings.HasPrefix(text, "/") }; {
	case c.pair != nil:
	case c.repeats != "":
		return fmt.Sprintf("has the values of %q again", c.repeats)
	case c.share(isPath) >= most:
		return "has addresses without a host: write base: https:// and the host, and homepageUrl: " + c.path
	case c.share(pictureName.MatchString) >= most:
		return "names pictures: put their files into content/pictures, and define a fact of the kind picture"
	case c.share(checksum.MatchString) >= most:
		return "has checksums, by which nobody chooses"
	case c.name == "alt":
		return "describes pictures, which are not taken"
	}
	return ""
}

// checksum matches a hash in hexadecimal digits, such as that of a commit.
var checksum = regexp.MustCompile(`^[0-9a-f]{32,}$`)

// known returns the fact of the catalogue that has the name of a column, or nil.
func (g *guesser) known(c *column, key string) *api.Fact {
	label, facts := content.NameKey(words(c.label)), g.content.Taxonomy.Facts
	for i := range facts {
		f := &facts[i]
		if f.Kind != api.FactSetups && (f.Key == key || content.NameKey(f.Label) == label) {
			return f
		}
	}
	return nil
}

// define defines a fact for a column.
func (g *guesser) define(c *column, key string) {
	kind, why := c.kind()
	g.addFact(c, key, kind, why)
	label, group, currency, unit := c.label, content.ImportedFacts(g.lang), "", ""
	if kind.IsApart() {
		group = ""
	}
	if kind.HasBounds() {
		label = cmp.Or(unitInLabel.ReplaceAllString(label, ""), label)
	}
	c.rank = c.filled
	switch {
	case kind == api.FactMoney:
		currency, c.rank = c.currency(), c.rank+g.entries
	case kind.HasUnit():
		unit = c.unit()
	}
	label = api.Shorten(words(label), content.MaxName-1)
	c.fact = yamlnode.Mapping(nil, "key", key, "kind", string(kind), "label", label, "group", group,
		"currency", currency, "unit", unit, "filter", c.filterFor(kind, key))
	g.facts = append(g.facts, c.fact)
	if kind == api.FactMoney || unit != "" {
		g.measured = append(g.measured, c)
	}
}

// sortFacts gives some facts an order and a place in rows: prices first, and then those that most entries have.
func (g *guesser) sortFacts() {
	slices.SortStableFunc(g.measured, func(a, b *column) int { return b.rank - a.rank })
	for _, m := range g.measured[:min(maxSorted, len(g.measured))] {
		label := yamlnode.Child(m.fact, "label").Value
		yamlnode.Add(m.fact, "chip", yamlnode.Mapping(nil, api.FactKnown, label), "sort", "asc")
	}
}

// maxSorted is the number of facts that a first map shows in rows of lists, and sorts by.
const maxSorted = 3

// addFact adds the field of a map that fills a fact from a column.
func (g *guesser) addFact(c *column, key string, kind api.FactKind, why string) {
	with := map[api.FactKind]string{api.FactNumber: "number", api.FactYesNo: "yes-no", api.FactDate: "date"}[kind]
	switch {
	case kind == api.FactChoices && !c.list:
		c.with = c.split
	case len(c.with) == 0:
		c.with = []string{with}
	}
	why = fmt.Sprintf("%d of %d entries have it, such as %q: %s", c.filled, g.entries, c.example(), why)
	add := func(key, from string) {
		g.addField("fitNotes."+key, fmt.Sprintf("fact %s, %s", key, kind), why, from, "", c.with...)
	}
	if c.pair == nil || c.parts[0] == "" {
		add(key, c.path)
		return
	}
	for i, part := range c.pair.parts {
		add(key+"."+part, c.parts[i])
	}
}

// hump matches where a word begins in camel case.
var hump = regexp.MustCompile(`[a-z0-9][A-Z][a-z]`)

// spaced returns words in camel case with spaces.
func spaced(text string) string {
	for range 2 { // a letter may be the end of one word and stand before another: isOnView
		text = hump.ReplaceAllStringFunc(text, func(s string) string { return s[:1] + " " + strings.ToLower(s[1:]) })
	}
	return text
}

// factKey returns the label of a column in camel case.
func factKey(label, lang string) (key string) {
	for part := range strings.SplitSeq(content.Slug(spaced(label), lang), "-") {
		if key != "" && part != "" {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		key = strings.TrimLeft(key+part, "0123456789")
	}
	return key[:min(len(key), 32)]
}

// kind guesses the kind of a fact, and says why: one that nearly all texts have.
func (c *column) kind() (kind api.FactKind, why string) {
	switch {
	case c.pair != nil:
		return c.pair.kind, c.whyMany("values of "+c.pair.parts[0]+" and "+c.pair.parts[1], c.pair.is)
	case c.relation != "":
		return api.FactRelation, c.relation
	}
	parts, uses := map[string]bool{}, 0
	for _, text := range c.distinct {
		if slices.Contains(c.split, "split /") {
			text = strings.ReplaceAll(text, "/", ";")
		}
		list := split(text, "")
		for _, part := range list {
			parts[part] = true
		}
		uses += len(list)
	}
	maybe, largest := api.FactText, often
	for _, k := range readKinds {
		share := c.share(k.is)
		isMeasure := k.kind.HasUnit()
		switch {
		case c.list || share < most/2 || k.also != nil && !k.also(c):
		case share >= most, k.kind == api.FactDate && share >= 0.8, k.kind == api.FactMoney && share >= usual &&
			(c.share(hasDigit) >= 0.8 || share >= c.share(hasDigit)): // with other text
			return k.kind, c.whyMany(k.are, k.is)
		case why == "", isMeasure && share > largest:
			if why = c.whyMany(k.are, k.is); isMeasure && share > largest {
				maybe, largest = k.kind, share
			}
		}
	}
	if maybe != api.FactText && c.share(hasDigit) >= most && c.share(timeText.MatchString) == 0 {
		return maybe, why
	}
	short := c.share(func(s string) bool {
		return utf8.RuneCountInString(s) <= 40 && !(strings.Contains(s, " ") && strings.HasSuffix(s, "."))
	}) >= most // and no sentence
	switch {
	case c.list && short && len(c.distinct) <= 4*maxChoice:
		return api.FactChoices, fmt.Sprintf("entries have several of %d values", len(c.distinct))
	case !c.list && short && c.split != nil && (len(parts) <= min(2*maxChoice, len(c.distinct)) ||
		len(parts) <= maxChoice && len(parts) < uses):
		return api.FactChoices, fmt.Sprintf("entries have several of %d values", len(parts))
	case !c.list && short && (len(c.distinct) <= maxChoice && c.filled >= 2*len(c.distinct) ||
		len(c.distinct) <= 2*maxChoice && c.filled >= 10*len(c.distinct)):
		return api.FactChoice, fmt.Sprintf("it has only %d values", len(c.distinct))
	case c.list:
		return api.FactTexts, "entries have several values"
	}
	return api.FactText, cmp.Or(why, "it has many values")
}

// readKinds are the kinds of facts that texts show, in the order in which they are tried.
var readKinds = []struct {
	kind api.FactKind
	are  string // what the values are
	is   func(text string) bool
	also func(c *column) bool // what must be true, too
}{
	{api.FactYesNo, "yes or no", reads(notation.YesNo), nil},
	{api.FactPlace, "a latitude and a longitude", reads(notation.Place), mostly(hasDegrees)},
	{api.FactMoney, "amounts of money", isMoney, func(c *column) bool {
		return c.currency() != "" && !hasScale(c.unitOf())
	}},
	{api.FactDate, "years", reads(notation.Date), (*column).hasYears},
	{api.FactText, "numbers that tell things apart", isNumeral, func(c *column) bool { // rooms, which nobody compares
		return labelName.MatchString(c.name)
	}},
	{api.FactNumber, "numbers", isNumeral, (*column).hasOneUnit},
	{api.FactDate, "dates", inEitherOrder(reads(notation.Date)), nil},
	{api.FactRange, "ranges of numbers", isRange, (*column).hasOneUnit},
	{api.FactLink, "addresses", addressText.MatchString, nil},
}

// hasDegrees reports whether a text has decimals or degrees: two whole numbers may be anything.
func hasDegrees(text string) bool { return strings.ContainsAny(text, ".°") }

var (
	yearName  = regexp.MustCompile(`year|jahr|founded|gegruendet|since|seit`)
	yearText  = regexp.MustCompile(`^[12][0-9]{3}$`)
	nearYear  = regexp.MustCompile(`^(1[6-9]|20)[0-9]{2}$`) // of the last centuries
	labelName = regexp.MustCompile(`^(zip|plz|isbn|ean|gtin)|(no|nr|nummer|number|id|code|postcode|telefon|phone|fax)$`)
)

// hasScale reports whether amounts of a unit are no mere money: million US$, 1000 EUR.
func hasScale(unit string) bool {
	return hasDigit(unit) || slices.ContainsFunc(strings.Fields(unit), func(word string) bool {
		by, _ := notation.Scale(word)
		return by != 1
	})
}

// hasYears reports whether numbers are years: those of four digits in a column that says so, or different ones near
// this one.
func (c *column) hasYears() bool {
	return yearName.MatchString(c.name) && c.share(yearText.MatchString) >= most ||
		c.unitOf() == "" && len(c.distinct) > 1 && c.share(nearYear.MatchString) >= most
}

// timeText matches a time of the day or a year, which are no numbers to compare: 7:30, ca. 1950.
var timeText = regexp.MustCompile(`[0-9]:[0-9]{2}|\b(1[6-9]|20)[0-9]{2}$`)

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// hasParts returns a test of whether a text has the parts of a value, and each of them satisfies is.
func hasParts(split func(string) (map[string]string, string), is func(string) bool) func(text string) bool {
	return func(text string) bool {
		parts, wrong := split(text)
		for _, part := range parts {
			if !is(part) {
				return false
			}
		}
		return wrong == ""
	}
}

// inEitherOrder returns a test of texts whose days may have either order.
func inEitherOrder(is func(string) bool) func(text string) bool {
	return func(text string) bool { return is(notation.Ordered(notation.DayFirst, text)) }
}

var (
	isMoney = reads(func(text string) (map[string]string, string) { return notation.Money(text, "") })
	isRange = hasParts(func(text string) (map[string]string, string) { return notation.Range(text, "") }, isNumeral)
)

// whyMany says what the texts that satisfy is are, and how many do not.
func (c *column) whyMany(are string, is func(string) bool) string {
	n, wrong := 0, ""
	for _, text := range c.texts {
		if !is(text) {
			n, wrong = n+1, cmp.Or(wrong, api.Shorten(text, 60))
		}
	}
	if n == 0 {
		return "all values are " + are
	}
	return fmt.Sprintf("many values are %s, but %d of %d are not, such as %q", are, n, len(c.texts), wrong)
}

// unitInLabel matches a unit at the end of the name of a column: Length (cm), length_cm.
var unitInLabel = regexp.MustCompile(`\s*[(\[]([^()\[\]]{1,12})[)\]]\s*$|` +
	`[ _-](mm|cm|m|km|m2|ha|mg|g|kg|ml|l|h|kW|W|kWh|kcal|MB|GB)$`)

// unitOf returns the unit in the name of a column, or "".
func (c *column) unitOf() string {
	if m := unitInLabel.FindStringSubmatch(c.label); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// unit returns the unit of numbers, or of ranges, or "".
func (c *column) unit() string {
	unit, _ := c.units()
	if unit = cmp.Or(c.unitOf(), unit); strings.ContainsAny(unit, `23"″'′`) { // m2 is m²
		return notation.ShortUnit(unit)
	}
	return unit
}

// units returns the unit of most numbers, if most have one, and which part of the units are it or are converted to it.
func (c *column) units() (usual string, share float64) {
	counts := map[string]int{}
	numbers, all, alike := 0, 0, 0
	for _, text := range c.texts {
		for _, f := range notation.Figures(text) {
			_, unit := notation.Scale(f.Unit)
			if numbers++; unit != "" {
				all++
				if counts[unit]++; counts[unit] > counts[usual] {
					usual = unit
				}
			}
		}
	}
	for unit, count := range counts {
		isOne := !strings.Contains(usual, " ") && notation.IsUnit(unit, usual) // those of several words may be streets
		if unit == usual || isOne || notation.Factor(unit, usual) != 0 {
			alike += count
		}
	}
	share = float64(alike) / float64(max(all, 1))
	if 2*all < numbers {
		usual = ""
	}
	return usual, share
}

// hasOneUnit reports whether what stands behind numbers is a unit: behind those of houses, there are streets.
func (c *column) hasOneUnit() bool {
	usual, share := c.units()
	return usual == "" || share >= most
}

// currency returns the most frequent currency (ISO 4217) of amounts; "" if the label has none and few texts do.
func (c *column) currency() string {
	if code, wrong := notation.Currency(c.unitOf(), ""); wrong == "" {
		return code
	}
	counts := map[string]int{}
	best := ""
	for _, text := range c.texts {
		amount, _ := notation.Money(text, "")
		if code := amount["currency"]; code != "" {
			if counts[code]++; counts[code] > counts[best] {
				best = code
			}
		}
	}
	if 4*counts[best] < len(c.texts) {
		return ""
	}
	return best
}

// filters has the filters of facts by kind: what the parameter begins with, and how it compares values.
var filters = map[api.FactKind][2]string{
	api.FactNumber: {"max", api.MatchAtMost}, api.FactMoney: {"max", api.MatchAtMost},
	api.FactDate: {"after", api.MatchAfter}, api.FactPlace: {"near", api.MatchNear},
	api.FactRange: {"", api.MatchWithin}, api.FactDates: {"", api.MatchWithin},
	api.FactYesNo: {}, api.FactChoice: {}, api.FactChoices: {},
}

// better matches names of numbers of which people want many, or a high one.
var better = regexp.MustCompile(`beds|betten|capacity|kapazitaet|plaetze|seats|rating|score|bewertung|punkte|votes`)

// filterFor returns a filter for a fact, or nil.
func (c *column) filterFor(kind api.FactKind, key string) *yaml.Node {
	filter, ok := filters[kind]
	switch {
	case !ok:
		return nil
	case kind == api.FactNumber && better.MatchString(c.name+c.parent):
		filter = [2]string{"min", api.MatchAtLeast}
	}
	if filter[0] != "" {
		key = filter[0] + strings.ToUpper(key[:1]) + key[1:]
	}
	return yamlnode.Mapping(nil, "parameter", key, "match", filter[1])
}

// pair is a kind of facts whose values may be in two columns: of one mapping, or both of a table.
type pair struct {
	kind    api.FactKind
	label   string    // of a fact of a table; "" if the names of columns do not tell enough there
	parts   [2]string // of values
	names   [2]string // of columns that have them, in the form of letters, separated by spaces
	by      string    // what stands between the parts in one text
	is      func(text string) bool
	isExact bool // whether texts must have the decimals of a place, because the names may mean something else
}

var pairs = []pair{
	placePair("Place", "lat latitude", "lon lng long longitude", false),
	placePair("Ort", "breitengrad geobreite", "laengengrad langengrad geolaenge", false),
	placePair("Ort", "breite", "laenge lange", true),
	{kind: api.FactMoney, parts: [2]string{"amount", "currency"}, by: " ",
		names: [2]string{"amount value betrag", "currency waehrung wahrung"}, is: isMoney},
	{kind: api.FactRange, parts: [2]string{"from", "to"}, by: "–", names: [2]string{"from min start", "to max end"},
		is: isRange},
	{kind: api.FactDates, parts: [2]string{"from", "to"}, by: " – ", names: [2]string{"from min start", "to max end"},
		is: inEitherOrder(hasParts(notation.Dates, reads(notation.Date)))},
	{kind: api.FactPicture, parts: [2]string{"file", "alt"}, by: " ", names: [2]string{"src file image", "alt"},
		is: func(text string) bool {
			file, _, _ := strings.Cut(text, " ")
			return pictureName.MatchString(file)
		}},
}

func placePair(label, latitude, longitude string, isExact bool) pair {
	return pair{api.FactPlace, label, [2]string{"latitude", "longitude"}, [2]string{latitude, longitude}, "; ",
		reads(notation.Place), isExact}
}

var (
	pictureName = regexp.MustCompile(`(?i)\.(gif|jpe?g|png|svg|webp)(\?.*)?$`)
	exactPlace  = regexp.MustCompile(`[.,][0-9]{3}|°`)
)

// joinPairs puts a column in the place of two that have the parts of a value.
func (g *guesser) joinPairs() {
	for _, first := range slices.Clone(g.columns) {
		for i := range pairs {
			p := &pairs[i]
			named := func(c *column, part int) bool {
				return slices.Contains(strings.Fields(p.names[part]), c.name) && c.parent == first.parent &&
					!c.isField && !c.list
			}
			at := slices.IndexFunc(g.columns, func(c *column) bool { return named(c, 1) })
			if at >= 0 && named(first, 0) && (first.parent != "" || p.label != "") {
				g.joinPair(p, first, g.columns[at])
			}
		}
	}
}

// joinPair puts a column in the place of two if most of their texts are values of the kind.
func (g *guesser) joinPair(p *pair, first, second *column) {
	label := cmp.Or(spaced(lastKey(first.parent)), p.label)
	c := &column{path: first.parent, label: label, filled: first.filled, pair: p}
	others := map[int]string{}
	for i, at := range second.at {
		others[at] = second.texts[i]
	}
	for i, at := range first.at {
		if other := others[at]; other != "" {
			c.texts = append(c.texts, first.texts[i]+p.by+other)
		}
	}
	if len(c.texts) == 0 || c.share(p.is) < usual || p.isExact && c.share(exactPlace.MatchString) < usual {
		return
	}
	understood := func(name, part string) bool { return name == part || otherNames[name] == part }
	isWhole := c.path != "" && understood(first.name, p.parts[0]) && understood(second.name, p.parts[1])
	own := g.byPath[c.path]
	if own != nil && isWhole { // some entries have a text in place of the mapping
		if own.filled > c.filled && own.share(p.is) < usual {
			return
		}
		own.isField = true
		c.texts, c.filled = append(c.texts, own.texts...), c.filled+own.filled
	}
	if !isWhole {
		c.parts = [2]string{first.path, second.path}
	}
	first.isField, second.isField = true, true
	c.distinct = slices.Compact(slices.Sorted(slices.Values(c.texts)))
	g.columns = slices.Insert(g.columns, slices.Index(g.columns, first), c)
}

// usual is the part of texts that must be values of a kind if the names of columns speak for it, too.
const usual = 0.5

// often is the part of texts that must be numbers if nearly all have digits.
const often = 0.7

// related matches names of columns that name other entries.
var related = regexp.MustCompile(`related|similar|seealso|require|prerequisite|parent|follow|verwandt|aehnlich|ids?$`)

// findRelations finds the columns that name other entries: by names, or by a key, which becomes that of the map.
func (g *guesser) findRelations() {
	i := slices.IndexFunc(g.columns, func(c *column) bool {
		return (strings.HasSuffix(c.name, "id") || slices.Contains([]string{"code", "key", "slug", "sku"}, c.name)) &&
			c.parent == "" && 10*len(c.distinct) > 9*g.entries
	})
	if name := g.of["name"]; name != nil && 10*len(name.distinct) > 9*g.entries && !mostly(isNumeral)(name) {
		g.relateBy(name, func(*column) bool { return true })
	}
	if i < 0 {
		return
	}
	id := g.columns[i]
	isRelated := g.relateBy(id, func(c *column) bool { return related.MatchString(c.name) })
	if isRelated || !id.isField { // it says nothing to readers
		g.key, id.isField = id.path, true
	}
}

// relateBy makes relations of the columns that may be one and mostly have values of key. It reports whether any is.
func (g *guesser) relateBy(key *column, mayBe func(c *column) bool) (found bool) {
	keys, own := map[string]bool{}, map[int]string{}
	for i, entry := range key.at {
		keys[key.texts[i]], own[entry] = true, key.texts[i]
	}
	for _, c := range g.columns {
		share, same := c.share(func(text string) bool { return keys[text] }), 0
		for i, entry := range c.at {
			if own[entry] == c.texts[i] {
				same++
			}
		}
		switch {
		case c == key || c.isField || share < usual || !mayBe(c):
		case float64(same) >= usual*float64(len(c.texts)):
			c.repeats = key.path
		default:
			c.relation = fmt.Sprintf("%d%% of its values are values of %q", int(100*share), key.path)
			found = true
		}
	}
	return found
}
