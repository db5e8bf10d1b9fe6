package importer

import (
	"cmp"
	"fmt"
	slashpath "path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// Some facts have values of several parts, such as an amount and a currency. A part may have a field of its own,
// fitNotes.KEY.PART; fitNotes.KEY alone may have all parts, in one text, in a list, or by their keys.

// target is what a field of the map fills: a field of listings, a fact, or a part of a fact.
type target struct {
	field                // what the map says
	key     string       // of the field
	kind    reflect.Type // of its values
	fact    *api.Fact    // nil if it is none
	whole   string       // the key of all parts of the fact
	part    string       // of the fact; "" for all of it
	further bool         // whether a field before it fills the same fact, and then this one, too
	parts   []string     // the keys of all parts that values of the fact have; nil for none

	matched map[string]bool // the keys of values that a value of the source has
	decimal decimal         // how numbers of its column are written
	order   string          // of the slashed days of its column
	usual   string          // the unit of most of them, if none has that of the fact
	// least and most are the least and the greatest number of those with a unit, in that of the fact.
	least, most float64
}

// newTarget returns what a field of the map fills.
func (c *converter) newTarget(key string) *target {
	t := &target{field: c.Map.Fields[key], key: key, kind: targets[key], whole: key, matched: map[string]bool{}}
	if name, isFact := strings.CutPrefix(key, "fitNotes."); isFact {
		name, t.part, _ = strings.Cut(name, ".")
		t.fact, t.whole = c.facts.Fact(name), "fitNotes."+name
	}
	if t.fact != nil {
		if t.kind = t.fact.Kind.StatedType(); t.kind.Kind() == reflect.Struct {
			for _, field := range strictyaml.Fields(t.kind) {
				t.parts = append(t.parts, field.Key)
			}
		}
	}
	t.kind = cmp.Or(t.kind, reflect.TypeFor[string]()) // an address of an installation
	return t
}

// checkFact returns why the map cannot fill a fact, or a part of one, or "".
func (c *converter) checkFact(t *target) string {
	name := strings.TrimPrefix(t.whole, "fitNotes.")
	switch {
	case t.fact == nil || c.NoTaxonomy && c.loaded.Taxonomy.Fact(name) == nil:
		return fmt.Sprintf("the catalogue has no fact %q: define it below facts in the map, or in taxonomy/%s", name,
			content.FactsFile)
	case t.fact.Kind == api.FactSetups:
		return fmt.Sprintf("facts of the kind %s cannot be imported: remove the field", t.fact.Kind)
	case t.part != "" && t.parts == nil:
		return fmt.Sprintf("facts of the kind %s have no parts: write %s", t.fact.Kind, t.whole)
	case t.part != "" && !slices.Contains(t.parts, t.part):
		return fmt.Sprintf("facts of the kind %s have no part %q: write one of %s%s", t.fact.Kind, t.part,
			strings.Join(t.parts, ", "), spelling.Hint(t.part, t.parts))
	}
	return ""
}

// besides are the parts that are no value by themselves: a name needs a place.
var besides = []string{"currency", "name", "alt", "source", "label"}

// otherNames has what sources call parts.
var otherNames = map[string]string{"lat": "latitude", "lng": "longitude", "lon": "longitude", "long": "longitude",
	"min": "from", "start": "from", "max": "to", "end": "to", "value": "amount", "text": "label"}

// isCents reports whether the unit of an amount is a hundredth of its currency.
func isCents(unit string) bool {
	return slices.Contains([]string{"cent", "cents", "minor", "pence"}, strings.ToLower(unit))
}

// spread returns the values in a list one by one. A list of the parts of a fact is one value, which becomes a mapping.
func (t *target) spread(n *yaml.Node) []*yaml.Node {
	isGroup := func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }
	mayBe := n.Kind == yaml.SequenceNode && t.part == "" && len(n.Content) > 1 && len(n.Content) <= len(t.parts)
	if !mayBe || slices.ContainsFunc(n.Content, isGroup) || t.fact.Kind == api.FactLink ||
		t.fact.Kind == api.FactPicture {
		return yamlnode.Spread(n)
	}
	whole := yamlnode.Mapping(n)
	for i, text := range n.Content {
		yamlnode.Add(whole, t.parts[i], text)
	}
	return []*yaml.Node{whole}
}

// givenParts returns what a mapping of a source says of the parts of a fact. It tells of keys that are no parts.
func (t *target) givenParts(e *entry, n *yaml.Node) (v value, ok bool) {
	v = value{node: n, done: true, parts: map[string]string{}}
	if t.part != "" {
		return v, false
	}
	var others []string
	for k, part := range yamlnode.Pairs(n) {
		key, text := k.Value, strings.TrimSpace(textOf(part))
		if other := otherNames[key]; other != "" && !slices.Contains(t.parts, key) {
			key = other
		}
		switch {
		case text == "" && part.Kind == yaml.ScalarNode:
		case key == "unit" && isCents(text):
			v.inCents = true
		case !slices.Contains(t.parts, key):
			others = append(others, k.Value)
		default:
			v.parts[key], v.text = text, strings.TrimPrefix(v.text+", "+text, ", ")
			if isNumber(part) {
				v.decimal = "."
			}
		}
	}
	for _, key := range others {
		if len(v.parts) > 0 {
			e.tellOnce(t.whole+"."+key, LeftOut, yamlnode.Child(n, key), "%s: facts of the kind %s have no part %q, "+
				"{n} times in all: check that the value is right without it", t.whole, t.fact.Kind, key)
		}
	}
	return v, len(v.parts) > 0
}

// fillParts fills in a fact with parts from all of its fields.
func (c *converter) fillParts(l *listing, whole *target) {
	given := map[string]value{} // by part; that of "" has all parts
	for _, t := range c.targets {
		if t.whole != whole.whole {
			continue
		}
		for _, v := range c.values(l.entry, t) {
			v.text = oneLine(v.text)
			inUnit, wrong := t.inUnit(l.entry, v)
			switch {
			case v.text == "":
			case wrong != "":
				l.leaveOut(t.key, v, wrong)
			case given[t.part].text != "":
				l.leaveOut(t.key, v, onlyOne)
			default:
				given[t.part] = inUnit
			}
		}
	}
	at, isWhole := given[""]
	if delete(given, ""); isWhole && at.parts == nil {
		usual, wrong := currencyNamed(given["currency"].text, whole.fact.Currency)
		if wrong != "" {
			usual = whole.fact.Currency
		}
		if at.parts, wrong = splitValue(whole.fact, at, usual); wrong != "" {
			l.leaveOut(whole.whole, at, wrong)
			return
		}
	}
	for part, text := range at.parts { // they come before the fields of parts
		given[part] = value{text: text, node: at.node, decimal: at.decimal, inCents: at.inCents}
	}
	var all []string
	isGiven := false
	for _, part := range whole.parts {
		if v := given[part]; v.text != "" {
			isGiven = isGiven || !slices.Contains(besides, part)
			all, at.node = append(all, v.text), cmp.Or(at.node, v.node)
		}
	}
	at.text = cmp.Or(at.text, strings.Join(all, ", "))
	if isGiven {
		c.setParts(l, whole, given, at)
	}
}

// setParts sets a fact to the value that its parts make. at has what the source says of all of them.
func (c *converter) setParts(l *listing, t *target, given map[string]value, at value) {
	key, f := t.whole, t.fact
	switch {
	case f.Kind == api.FactPlace && given["name"].text == "":
		given["name"] = value{text: l.values["name"].(string)}
	case f.Kind == api.FactPicture && given["source"].text == "":
		given["source"] = value{text: c.Map.Source}
	}
	parts := map[string]any{}
	for _, part := range t.parts {
		v := given[part]
		if v.text == "" {
			continue
		}
		got, wrong := c.readPart(l.entry, t, part, v)
		if wrong != "" {
			if at.parts[part] == "" { // it has a field of its own
				key, at = key+"."+part, v
			}
			l.leaveOut(key, at, wrong)
			return
		}
		parts[part] = got
	}
	value := short(f, parts)
	if wrong := checkValue(f, value); wrong != "" {
		l.leaveOut(key, at, wrong+swapped(parts))
		return
	}
	l.values[key], l.places[key] = value, at.node
}

// swapped says if a latitude and a longitude are probably swapped.
func swapped(parts map[string]any) string {
	latitude, _ := parts["latitude"].(float64)
	longitude, isPlace := parts["longitude"].(float64)
	if isPlace && (latitude > 90 || latitude < -90) && longitude <= 90 && longitude >= -90 {
		return ": the latitude, which is from south to north, and the longitude may be swapped"
	}
	return ""
}

// readPart reads a part of a value.
func (c *converter) readPart(e *entry, t *target, part string, v value) (got any, wrong string) {
	switch kind := t.fact.Kind; {
	case part == "url":
		return c.address(e, t.whole, v)
	case part == "currency":
		return currencyNamed(v.text, t.fact.Currency)
	case part == "latitude", part == "longitude":
		return readDegrees(v.text, c.Content.Settings.Lang)
	case part == "file":
		text, _, _ := strings.Cut(v.text, "?") // of an address
		return "pictures/" + slashpath.Base(strings.ReplaceAll(text, `\`, "/")), ""
	case kind == api.FactDates:
		return readDateValue(v.text)
	case kind == api.FactMoney, kind == api.FactRange:
		number, wrong := readFigure(v)
		if v.inCents {
			number /= 100
		}
		return number, wrong
	}
	return v.text, ""
}

// short returns the short form of a value, if it has one.
func short(f *api.Fact, parts map[string]any) any {
	switch {
	case f.Kind == api.FactMoney && f.Currency != "" && (parts["currency"] == nil || parts["currency"] == f.Currency):
		return parts["amount"]
	case f.Kind == api.FactRange && parts["from"] == parts["to"]:
		return parts["from"]
	case f.Kind == api.FactLink && len(parts) == 1:
		return parts["url"]
	}
	return parts
}

// checkValue returns what is wrong with a value of a fact, or "". It reads the value as listings are read.
func checkValue(f *api.Fact, value any) (wrong string) {
	text, err := yaml.Dump(map[string]any{f.Key: value})
	if err != nil {
		return err.Error()
	}
	into := reflect.New(reflect.MapOf(reflect.TypeFor[string](), f.Kind.StatedType()))
	doc, problems := strictyaml.Parse(text, 1)
	if doc != nil {
		problems = doc.Decode(into.Interface())
	}
	if len(problems) > 0 {
		message := strings.TrimPrefix(problems[0].Message, f.Key+": ")
		if _, remedy, ok := strings.Cut(message, `" is not allowed: `); ok { // the note has the value already
			return remedy
		}
		return message
	}
	if _, wrongs := f.Read(into.Elem().MapIndex(reflect.ValueOf(f.Key)).Interface()); len(wrongs) > 0 {
		return wrongs[0].Message
	}
	return ""
}

// splitValue returns the parts of a text that has all of a value. usual is the currency of amounts without one.
func splitValue(f *api.Fact, v value, usual string) (parts map[string]string, wrong string) {
	switch {
	case f.Kind == api.FactMoney && isNumber(v.node):
		return map[string]string{"amount": v.text}, ""
	case f.Kind == api.FactMoney:
		return splitMoney(v.text, usual)
	case f.Kind == api.FactRange:
		return splitRange(v.text, f.Unit)
	case f.Kind == api.FactDates:
		return splitDates(v.text)
	case f.Kind == api.FactPlace:
		return splitPlace(v.text)
	case f.Kind == api.FactPicture:
		return map[string]string{"file": v.text}, ""
	}
	return map[string]string{"url": v.text}, ""
}

// signs has the currencies (ISO 4217) that a sign or a word may stand for. The first one counts, unless the fact has
// another of them; "" says that none does.
var signs = map[string][]string{
	"$": {"USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN", "ARS", "BBD", "BMD", "BND", "BSD", "BZD", "CLP",
		"COP", "DOP", "FJD", "GYD", "JMD", "KYD", "LRD", "NAD", "NIO", "SBD", "SRD", "TTD", "UYU", "XCD"},
	"£": {"GBP", "EGP", "FKP", "GIP", "LBP", "SDG", "SHP", "SSP", "SYP"},
	"¥": {"JPY", "CNY"}, "￥": {"JPY", "CNY"}, "円": {"JPY"}, "元": {"CNY"},
	"kr": {"", "DKK", "ISK", "NOK", "SEK"},
	"€":  {"EUR"}, "Euro": {"EUR"}, "Euros": {"EUR"}, "euro": {"EUR"}, "euros": {"EUR"},
	"US$": {"USD"}, "A$": {"AUD"}, "AU$": {"AUD"}, "C$": {"CAD"}, "CA$": {"CAD"}, "HK$": {"HKD"}, "MX$": {"MXN"},
	"NT$": {"TWD"}, "NZ$": {"NZD"}, "R$": {"BRL"}, "S$": {"SGD"},
	"₡": {"CRC"}, "₦": {"NGN"}, "₩": {"KRW", "KPW"}, "₪": {"ILS"}, "₫": {"VND"}, "₭": {"LAK"}, "₮": {"MNT"},
	"₱": {"PHP"}, "₲": {"PYG"}, "₴": {"UAH"}, "₵": {"GHS"}, "₸": {"KZT"}, "₹": {"INR"}, "₺": {"TRY"}, "₼": {"AZN"},
	"₽": {"RUB"}, "₾": {"GEL"}, "฿": {"THB"}, "৳": {"BDT"}, "៛": {"KHR"}, "֏": {"AMD"},
	"Fr": {"CHF"}, "SFr": {"CHF"}, "Ft": {"HUF"}, "Kč": {"CZK"}, "zł": {"PLN"}, "lei": {"RON"},
}

// amountText matches an amount between what may say its currency: € 12, 12.50 EUR, CHF 12.–.
var amountText = regexp.MustCompile(`^([^0-9]*?)\s*` +
	`([-+]?[0-9](?:[0-9.,'’\x{a0}\x{202f}\x{2009} _]*[0-9])?)(?:[.,][-–—]{1,2})?\s*([^0-9]*)$`)

// free matches what stands for an amount of nothing.
var free = regexp.MustCompile(`(?i)^\s*(free|gratis|gratuite?|gratuito|kostenlos)\s*$`)

// splitMoney reads an amount, with the currency if the text says it. usual is the currency of amounts without one. It
// also says what a sign of several currencies stands for.
func splitMoney(text, usual string) (parts map[string]string, wrong string) {
	if free.MatchString(text) {
		text = "0"
	}
	m := amountText.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil, "it is not one amount of money"
	}
	parts = map[string]string{"amount": m[2]}
	for _, sign := range []string{strings.TrimLeft(m[1], "~≈ "), m[3]} {
		if sign = strings.TrimSpace(sign); sign == "" {
			continue
		}
		code, wrong := currencyNamed(sign, usual)
		switch {
		case wrong != "":
			return nil, wrong
		case parts["currency"] != "" && parts["currency"] != code:
			return nil, fmt.Sprintf("it has two currencies, %s and %s", parts["currency"], code)
		}
		parts["currency"] = code
	}
	return parts, ""
}

// currencyNamed returns the code of the currency for which a text stands.
func currencyNamed(text, usual string) (code, wrong string) {
	text = strings.TrimSuffix(text, ".")
	codes := signs[text]
	switch {
	case api.IsCurrency(text):
		return text, ""
	case slices.Contains(codes, usual) && usual != "":
		return usual, ""
	case codes == nil:
		return "", fmt.Sprintf("%q is no known sign or code of a currency: write the amount with a code of ISO 4217, "+
			"such as 12 EUR", text)
	case codes[0] == "":
		return "", fmt.Sprintf("%q may stand for %s: write the code, or name it as the currency of the fact", text,
			strings.Join(codes[1:], ", "))
	}
	return codes[0], ""
}

const (
	figure  = `[-+]?[0-9](?:[0-9.,'’\x{a0}\x{202f}\x{2009} _]*[0-9])?`
	between = `(?:-|–|—|−|\.\.\.?|…|/|\bto\b|\bbis\b|\buntil\b|\btill\b|à)`
)

// rangeText matches two numbers, perhaps with a unit behind each: 8–10, 8 to 10 h, 8 h - 10 h.
var rangeText = regexp.MustCompile(`^(` + figure + `)\s*([^-–—−0-9./…]*?)\s*` + between + `\s*(` + figure +
	`)\s*(` + unitText + `)$`)

// splitRange reads two numbers, or one that is both ends. A rate, such as h / week, is another unit than the hours of
// the fact.
func splitRange(text, unit string) (parts map[string]string, wrong string) {
	m := rangeText.FindStringSubmatch(text)
	if m == nil {
		one := numberText.FindStringSubmatch(text)
		if one == nil {
			return nil, "it is neither a range of numbers, such as 8–10, nor one number"
		}
		m = []string{text, one[1], "", one[1], one[2]}
	}
	if strings.Contains(m[4], "/") && !strings.Contains(unit, "/") {
		return nil, fmt.Sprintf("its unit is %q, and that of the fact is %q", m[4], unit)
	}
	return map[string]string{"from": m[1], "to": m[3]}, ""
}

// digitsOfDate matches a date of digits.
const digitsOfDate = `[0-9]{4}(?:-[0-9]{2}){0,2}|[0-9]{1,2}\.[0-9]{1,2}\.(?:[0-9]{2}){1,2}`

// datesBetween matches what stands between two dates, which have hyphens themselves, and datesText two dates between
// which it does not: 1852-1899, 2026-04/2026-09.
var (
	datesBetween = regexp.MustCompile(`\s+(?:-|to|bis|until|till)\s+|\s*(?:–|—|−|\.\.\.?|…)\s*`)
	datesText    = regexp.MustCompile(`^(` + digitsOfDate + `)\s*[-/]\s*(` + digitsOfDate + `)$`)
)

// splitDates reads two dates, or one that is both ends.
func splitDates(text string) (parts map[string]string, wrong string) {
	ends := datesBetween.Split(strings.TrimPrefix(text, "from "), -1)
	if m := datesText.FindStringSubmatch(text); m != nil {
		ends = m[1:]
	}
	if len(ends) > 2 {
		return nil, "it is not one range of dates, such as 2026-04-01 – 2026-09-30"
	}
	return map[string]string{"from": ends[0], "to": ends[len(ends)-1]}, ""
}

// degreesText is a latitude or a longitude: 52.5, 52.5° N, W 13° 24′ 18.5″, 11° Ost.
const degreesText = toward + `\s*([-+−]?[0-9]{1,3}(?:[.,][0-9]+)?)\s*(?:[°º]\s*(?:([0-9]{1,2}(?:[.,][0-9]+)?)\s*['′’]\s*` +
	`(?:([0-9]{1,2}(?:[.,][0-9]+)?)\s*(?:["″”]|''|′′)\s*)?)?)?\s*` + toward

const toward = `((?:N(?:ORD)?|S(?:ÜD)?|E|O(?:ST)?|W(?:EST)?)?)`

var (
	degreesPattern = regexp.MustCompile(`^\s*` + degreesText + `\s*$`)
	placeText      = regexp.MustCompile(`^(?:GEO:)?\s*(` + degreesText + `)(?:\s*[,;/]\s*|\s+)(` + degreesText + `)\s*$`)
)

// isToward reports whether a latitude or longitude names one of some directions, before or behind it.
func isToward(letters, before, behind string) bool {
	name := before + behind
	return name != "" && strings.Contains(letters, name[:1])
}

// splitPlace reads a latitude and a longitude. The letters E, O and W say that the longitude comes first.
func splitPlace(text string) (parts map[string]string, wrong string) {
	m := placeText.FindStringSubmatch(strings.ToUpper(strings.Trim(text, "()[] ")))
	if m == nil {
		return nil, "it is no latitude and longitude: write them as 52.52, 13.4"
	}
	parts = map[string]string{"latitude": m[1], "longitude": m[7]}
	if isToward("EOW", m[2], m[6]) && isToward("NS", m[8], m[12]) {
		parts = map[string]string{"latitude": m[7], "longitude": m[1]}
	}
	return parts, ""
}

// The languages in which O is the east, as in Ost, and those in which it is the west, as in oeste.
const (
	eastO = "de nl"
	westO = "ca es fr gl it pt"
)

// readDegrees reads a latitude or a longitude in a language (BCP 47).
func readDegrees(text, lang string) (degrees any, wrong string) {
	m := degreesPattern.FindStringSubmatch(strings.ToUpper(text))
	if m == nil {
		return nil, "it is no number of degrees: write it as 13.4 or 13° 24′ 0″ E"
	}
	lang, _, _ = strings.Cut(lang, "-")
	isWest := isToward("SW", m[1], m[5])
	if isToward("O", m[1], m[5]) && m[1]+m[5] != "OST" {
		isWest = slices.Contains(strings.Fields(westO), lang)
		if isEast := slices.Contains(strings.Fields(eastO), lang); !isWest && !isEast {
			return nil, "O is the east for some, and the west for others: write E or W"
		}
	}
	number := 0.0
	for i, unit := range []float64{1, 60, 3600} {
		digits := strings.NewReplacer(",", ".", "+", "", "−", "", "-", "").Replace(m[2+i])
		n, _ := strconv.ParseFloat(digits, 64) // the pattern has checked it; minutes and seconds may be ""
		number += n / unit
	}
	if isWest != strings.ContainsAny(m[2], "-−") {
		number = -number
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(number, 'f', 6, 64), 64) // a tenth of a metre
	return rounded, ""
}
