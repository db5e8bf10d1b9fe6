package api

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"catalog.example/api/site"
	"catalog.example/api/spelling"
)

// ParameterKind is how a parameter's text is read.
type ParameterKind int

const (
	KindText    ParameterKind = iota // free text
	KindInteger                      // a whole number within bounds
	KindNumber                       // a number within bounds
	KindFlag                         // 0 or 1
	KindChoice                       // one value of a fixed list
	KindChoices                      // one or several values of a list, joined by commas or repeated
)

// Parameter describes one query parameter: the handlers read requests by it
// and the OpenAPI document is made from it, so that the two cannot differ.
type Parameter struct {
	Name        string
	Kind        ParameterKind
	Description string
	// Default is what holds where the parameter is absent: an int for
	// KindInteger, else a text; nil where there is no default.
	Default any
	// Min and Max bound a KindInteger; HasMax tells whether Max counts.
	Min, Max int
	HasMax   bool
	// Least and Most bound a KindNumber; nil where there is no bound.
	Least, Most *float64
	// Allowed lists the values of a KindChoice or a KindChoices; nil for license,
	// whose values are checked by their shape alone.
	Allowed []string
	// Fact is what the parameter filters by; nil for what is no fact.
	Fact *Fact
	// EmptyIsAbsent: an empty value counts as none, because HTML forms send them
	// (contract 4).
	EmptyIsAbsent bool
	// Undescribed parameters are served and named in llms.txt, but omitted from
	// the OpenAPI document (spec 4.3).
	Undescribed bool
	// NotForTools parameters change what an answer carries and not what it finds:
	// tools for agents do not have them.
	NotForTools bool
}

// ListParameters are those of listProjects (spec 4.1).
var ListParameters = []Parameter{
	{Name: "limit", Kind: KindInteger, Default: 50, Min: 1, Max: 100, HasMax: true, Description: "How many projects to return."},
	{Name: "offset", Kind: KindInteger, Default: 0, Min: 0, Description: "How many projects to pass over. Past the end the list is empty."},
}

// severalMean ends the description of a KindChoices.
const severalMean = "Several, joined by commas or repeated, mean any of them."

// SearchParameters are those of searchCatalog (spec 4.3) in a catalog: filters for
// what its listings have, and for each fact that has one.
func SearchParameters(s *site.Settings, t *Taxonomy) []Parameter {
	about := "Free text: a job or a name"
	if s.Has("replaces") {
		about = "Free text: a job, a tool name or a proprietary product name"
	}
	list := []Parameter{
		{Name: "q", Kind: KindText, EmptyIsAbsent: true, Description: about + ". At most 256 characters."},
		{Name: "category", Kind: KindChoices, EmptyIsAbsent: true, Allowed: t.categorySlugs(), Description: "Home category. " + severalMean},
	}
	if s.Has("platforms") {
		list = append(list, Parameter{Name: "platform", Kind: KindChoices, EmptyIsAbsent: true, Allowed: t.platformSlugs(), Description: "Platform that it runs on. " + severalMean})
	}
	if s.Has("license") {
		list = append(list, Parameter{Name: "license", Kind: KindChoices, EmptyIsAbsent: true, Description: "SPDX identifier of a licence that alone suffices, such as MIT; AGPL-3.0 takes in -only and -or-later. " + severalMean})
	}
	for i := range t.Facts {
		if t.Facts[i].Filter != nil {
			list = append(list, t.Facts[i].parameter())
		}
	}
	return append(list,
		Parameter{Name: "sort", Kind: KindChoice, Allowed: SortValues, EmptyIsAbsent: true, Description: "Order of the hits. Absent: relevance where q is given, else popular. trending is deprecated and served exactly as popular."},
		Parameter{Name: "limit", Kind: KindInteger, Default: 10, Min: 1, Max: 50, HasMax: true, Description: "How many hits to return."},
		Parameter{Name: "facets", Kind: KindFlag, Default: "1", NotForTools: true, Description: "0 leaves out facets, the counts of each filter's values: a shorter answer."},
	)
}

// MaxListValues bounds the values of one KindChoices (contract 5).
const MaxListValues = 50

// parsed holds the values of a request's known parameters, and what was wrong
// or unknown.
type parsed struct {
	known   []Parameter
	values  map[string]string // those of a KindChoices joined by commas
	errors  []ParameterError
	unknown []string // names, in order of appearance, at most maxUnknownWarnings
}

func (p *parsed) fail(name, message string, allowed []string) {
	p.errors = append(p.errors, ParameterError{Parameter: name, Message: message, Allowed: allowed})
}

// maxEchoed bounds how much of a wrong value an error message repeats.
const maxEchoed = 80

// given quotes a wrong value for a message, shortened and made printable.
func given(value string) string {
	if len(value) > maxEchoed {
		value = strings.ToValidUTF8(value[:maxEchoed], "") + "…"
	}
	return strconv.Quote(value)
}

// readQuery takes a raw query string apart by the rules of the WHATWG URL
// standard's application/x-www-form-urlencoded, and tells known parameters
// from unknown ones. At most one thing is said of each parameter.
func readQuery(raw string, known []Parameter) *parsed {
	p := &parsed{known: known, values: map[string]string{}}
	var failed []string
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, ok := unescape(rawName)
		if !ok {
			name = rawName
		}
		i := slices.IndexFunc(known, func(k Parameter) bool { return k.Name == name })
		if i < 0 {
			if len(p.unknown) < maxUnknownWarnings && !slices.Contains(p.unknown, name) && !isTracking(name) {
				p.unknown = append(p.unknown, name)
			}
			continue
		}
		if slices.Contains(failed, name) {
			continue
		}
		before := len(p.errors)
		p.add(&known[i], rawValue)
		if len(p.errors) > before {
			failed = append(failed, name)
			delete(p.values, name)
		}
	}
	return p
}

// unescape decodes a name or a value of a query string: + is a space, and %XX a byte. It
// does what url.QueryUnescape does. Package net/url would add 110 kB to the program that
// searches in a browser, most of it for IP addresses.
func unescape(s string) (decoded string, ok bool) {
	if !strings.ContainsAny(s, "%+") {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for ; s != ""; s = s[1:] {
		switch s[0] {
		case '+':
			b = append(b, ' ')
		case '%':
			if len(s) < 3 {
				return "", false
			}
			n, err := strconv.ParseUint(s[1:3], 16, 8)
			if err != nil {
				return "", false
			}
			b, s = append(b, byte(n)), s[2:]
		default:
			b = append(b, s[0])
		}
	}
	return string(b), true
}

// add takes a value of a parameter, or records what is wrong with it.
func (p *parsed) add(k *Parameter, rawValue string) {
	earlier, again := p.values[k.Name]
	value, ok := unescape(rawValue)
	switch {
	case again && k.Kind != KindChoices:
		p.fail(k.Name, "is given more than once, as "+given(earlier)+" and "+given(rawValue)+": give it once", nil)
	case !ok:
		p.fail(k.Name, given(rawValue)+" is not percent-encoded correctly: every % must be followed by two hexadecimal digits", nil)
	case !utf8.ValidString(value):
		p.fail(k.Name, "is not valid UTF-8", nil)
	case k.Kind == KindChoices:
		if again {
			value = earlier + "," + value
		}
		if strings.Count(value, ",") >= MaxListValues {
			p.fail(k.Name, "has more than "+strconv.Itoa(MaxListValues)+" values in one list: at most "+strconv.Itoa(MaxListValues)+" are allowed", nil)
			return
		}
		p.values[k.Name] = value
	default:
		p.values[k.Name] = value
		check(p, k, value)
	}
}

// wrong returns what is wrong, in the order of the parameters.
func (p *parsed) wrong() []ParameterError {
	var wrong []ParameterError
	for _, k := range p.known {
		for _, e := range p.errors {
			if e.Parameter == k.Name {
				wrong = append(wrong, e)
			}
		}
	}
	return wrong
}

// trackingParameters are those that mailings, advertisements and sites that link
// here add to addresses, in lower case: their users cannot help it, so that no
// warning tells of them. One that ends in * stands for all that begin so.
var trackingParameters = []string{
	"utm_*", "mtm_*", "pk_*", "hsa_*", "_hs*", "__hs*", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "oly_anon_id", "oly_enc_id",
	"gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid", "srsltid", "_ga", "_gl",
	"fbclid", "igsh", "igshid", "msclkid", "twclid", "ttclid", "li_fat_id", "yclid", "ysclid", "epik", "rdt_cid", "ref", "ref_src",
}

func isTracking(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(trackingParameters, func(t string) bool {
		prefix, whole := strings.CutSuffix(t, "*")
		return name == t || whole && strings.HasPrefix(name, prefix)
	})
}

// isInteger tells whether a KindInteger accepts a value before its bounds are looked at.
func isInteger(value string) bool { return isDigits(strings.TrimPrefix(value, "-"), math.MaxInt) }

// isNumber tells whether a KindNumber accepts a value before its bounds are looked at:
// no exponents, no infinities, and no more digits than a float64 has.
func isNumber(value string) bool {
	whole, fraction, broken := strings.Cut(strings.TrimPrefix(value, "-"), ".")
	return isDigits(whole, 15) && (!broken || isDigits(fraction, 6))
}

// isDigits tells whether a text is 1 to most digits.
func isDigits(text string, most int) bool {
	return text != "" && len(text) <= most && strings.Trim(text, "0123456789") == ""
}

// NumberBounds says which numbers are allowed; nil is no bound.
func NumberBounds(least, most *float64) string {
	number := func(n *float64) string { return strconv.FormatFloat(*n, 'f', -1, 64) }
	switch {
	case least != nil && most != nil:
		return "a number from " + number(least) + " to " + number(most)
	case least != nil:
		return "a number of at least " + number(least)
	case most != nil:
		return "a number of at most " + number(most)
	}
	return "a number such as 8 or 1.5"
}

// check records what is wrong with a value as far as the parameter's own
// description tells.
func check(p *parsed, k *Parameter, value string) {
	if value == "" && k.EmptyIsAbsent {
		return
	}
	switch k.Kind {
	case KindInteger:
		if !isInteger(value) {
			p.fail(k.Name, given(value)+" is not a whole number: "+k.bounds()+" is allowed", nil)
			return
		}
		if n := wholeNumber(value); n < k.Min || k.HasMax && n > k.Max {
			p.fail(k.Name, given(value)+" is out of bounds: "+k.bounds()+" is allowed", nil)
		}
	case KindNumber:
		if n, err := strconv.ParseFloat(value, 64); err != nil || !isNumber(value) {
			p.fail(k.Name, given(value)+" is not a number: "+k.bounds()+" is allowed", nil)
		} else if k.Least != nil && n < *k.Least || k.Most != nil && n > *k.Most {
			p.fail(k.Name, given(value)+" is out of bounds: "+k.bounds()+" is allowed", nil)
		}
	case KindFlag:
		if value != "0" && value != "1" {
			p.fail(k.Name, given(value)+" is neither 0 nor 1", []string{"0", "1"})
		}
	case KindChoice:
		if !slices.Contains(k.Allowed, value) {
			p.fail(k.Name, given(value)+" is not a known value", k.Allowed)
		}
	case KindText:
		if n := utf8.RuneCountInString(value); n > MaxQueryLength {
			p.fail(k.Name, "has "+strconv.Itoa(n)+" characters: at most "+strconv.Itoa(MaxQueryLength)+" are allowed", nil)
		}
	}
}

// bounds says which values a KindInteger or a KindNumber may have.
func (k *Parameter) bounds() string {
	if k.Kind == KindNumber {
		return NumberBounds(k.Least, k.Most)
	}
	if k.HasMax {
		return "a whole number from " + strconv.Itoa(k.Min) + " to " + strconv.Itoa(k.Max)
	}
	return "a whole number of at least " + strconv.Itoa(k.Min)
}

// wholeNumber returns the number that digits write, or the nearest that an int
// holds: an offset of twenty digits lies past the end as any large one does.
func wholeNumber(digits string) int {
	n, _ := strconv.Atoi(digits) // on a number out of range it returns the nearest
	return n
}

// integer returns the value of a KindInteger that has been checked.
func (p *parsed) integer(name string) int {
	if v := p.values[name]; v != "" {
		return wholeNumber(v)
	}
	i := slices.IndexFunc(p.known, func(k Parameter) bool { return k.Name == name })
	return p.known[i].Default.(int)
}

// choices returns the values of a KindChoices as slugs, without regard to case
// and each once. Those that are not among the allowed ones are an error.
func (p *parsed) choices(k *Parameter) []string {
	var chosen, wrong []string
	for part := range strings.SplitSeq(p.values[k.Name], ",") {
		part = strings.ToLower(strings.TrimSpace(part))
		switch {
		case part == "" || slices.Contains(chosen, part) || slices.Contains(wrong, part):
		case slices.Contains(k.Allowed, part):
			chosen = append(chosen, part)
		default:
			wrong = append(wrong, part)
		}
	}
	p.notAllowed(k.Name, wrong, "no such "+k.Name, k.Allowed)
	return chosen
}

// maxLicense is how many bytes a value of the license parameter may have.
const maxLicense = 200

// isLicense tells whether a text has the shape of an SPDX license expression (SPDX 2.3,
// annex D), whatever its words are.
func isLicense(text string) bool {
	return text != "" && len(text) <= maxLicense && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".+:() -", r)
	})
}

// licenses returns the values of the license parameter. Whether a listing has a
// licence is a matter of the index; here only its shape is checked.
func (p *parsed) licenses() []string {
	var chosen, wrong []string
	for part := range strings.SplitSeq(p.values["license"], ",") {
		part = strings.Join(strings.Fields(part), " ")
		switch {
		case part == "" || slices.ContainsFunc(chosen, func(c string) bool { return strings.EqualFold(c, part) }):
		case isLicense(part):
			chosen = append(chosen, part)
		default:
			wrong = append(wrong, part)
		}
	}
	p.notAllowed("license", wrong, "not an SPDX licence identifier, such as MIT or Apache-2.0", nil)
	return chosen
}

// notAllowed records the values of a list that are wrong, and why.
func (p *parsed) notAllowed(name string, wrong []string, why string, allowed []string) {
	if len(wrong) == 0 {
		return
	}
	quoted := make([]string, len(wrong))
	for i, w := range wrong {
		quoted[i] = given(w)
	}
	p.fail(name, strings.Join(quoted, ", ")+": "+why, allowed)
}

// ListQuery is a list request that has been understood (spec 4.1).
type ListQuery struct {
	Limit, Offset int
}

// ParseList reads the query string of listProjects. The errors name every
// wrong parameter; an unknown one is ignored with a warning that names the
// nearest known one.
func ParseList(rawQuery string) (ListQuery, []Warning, []ParameterError) {
	p := readQuery(rawQuery, ListParameters)
	if wrong := p.wrong(); len(wrong) > 0 {
		return ListQuery{}, nil, wrong
	}
	return ListQuery{Limit: p.integer("limit"), Offset: p.integer("offset")}, p.warnings(), nil
}

// ParseSearch reads the query string of searchCatalog as ParseList reads that of
// listProjects. The parameters are those of SearchParameters.
func ParseSearch(rawQuery string, parameters []Parameter) (SearchQuery, []Warning, []ParameterError) {
	p := readQuery(rawQuery, parameters)
	q := SearchQuery{Q: strings.TrimSpace(p.values["q"]), Sort: p.values["sort"], NoFacets: p.values["facets"] == "0"}
	for i := range parameters {
		k := &parameters[i]
		if _, isGiven := p.values[k.Name]; !isGiven {
			continue
		}
		var values []string
		switch {
		case k.Name == "license":
			values = p.licenses()
		case k.Kind == KindChoices:
			values = p.choices(k)
		case k.Fact != nil && p.values[k.Name] != "":
			values = []string{p.values[k.Name]}
		}
		switch {
		case len(values) == 0:
		case k.Name == "category":
			q.Category = values
		case k.Name == "platform":
			q.Platform = values
		case k.Name == "license":
			q.License = values
		default:
			if q.Facts == nil {
				q.Facts = map[string][]string{}
			}
			q.Facts[k.Name] = values
		}
	}
	if wrong := p.wrong(); len(wrong) > 0 {
		return SearchQuery{}, nil, wrong
	}
	q.Limit = p.integer("limit")
	return q, p.warnings(), nil
}

// maxUnknownWarnings bounds how many unknown parameters are warned about, so
// that an answer stays small whatever the request holds.
const maxUnknownWarnings = 8

// warnings tells of unknown parameters.
func (p *parsed) warnings() []Warning {
	if len(p.unknown) == 0 {
		return nil
	}
	names := make([]string, len(p.known))
	for i, k := range p.known {
		names[i] = k.Name
	}
	var warnings []Warning
	for _, name := range p.unknown {
		message := "The parameter " + given(name) + " is unknown and was ignored."
		if near := spelling.Nearest(name, names, 1); len(near) > 0 {
			message += " The nearest known one is " + strconv.Quote(near[0]) + "."
		}
		shown := name
		if len(shown) > maxEchoed {
			shown = shown[:maxEchoed]
		}
		warnings = append(warnings, Warning{WarnUnknownParameter, strings.ToValidUTF8(shown, "\uFFFD"), message})
	}
	return warnings
}
