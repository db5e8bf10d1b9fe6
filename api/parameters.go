package api

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// ParameterKind says how the text of a parameter is parsed.
type ParameterKind int

const (
	KindText    ParameterKind = iota // free text
	KindInteger                      // a whole number within bounds
	KindNumber                       // a number within bounds
	KindDate                         // a day, a month or a year: see DateForms
	KindPlace                        // a place and perhaps a distance from it: see PlaceForms
	KindFlag                         // 0 or 1
	KindChoice                       // one value of a fixed list
	KindChoices                      // one or more values of a list, joined by commas or repeated
)

// Parameter describes one query parameter. The handlers parse requests by this description and the
// OpenAPI document is made from it, so the two cannot differ.
type Parameter struct {
	Name        string
	Kind        ParameterKind
	Description string // without the notes that Text adds
	// Short is a shorter description for agents, which pay for each token; "" for Description.
	Short string
	// Default is the value of an absent parameter: an int for KindInteger, else a
	// string; nil for no default.
	Default any
	// Min and Max bound a KindInteger. Max applies only if HasMax is set.
	Min, Max int
	HasMax   bool
	// Least and Most bound a KindNumber; nil for no bound.
	Least, Most *float64
	// Allowed lists the values of a KindChoice or a KindChoices; nil for license,
	// whose values are only checked for their syntax.
	Allowed []string
	// Former maps former values to the present ones in Allowed.
	Former map[string]string
	// Fact is the fact that the parameter filters by; nil if it does not filter by a fact.
	Fact *Fact
	// EmptyIsAbsent treats an empty value as absent, because HTML forms send empty values.
	EmptyIsAbsent bool
	// Undescribed leaves the parameter out of the OpenAPI document. The parameter still
	// works, and llms.txt names it.
	Undescribed bool
	// NotForTools leaves the parameter out of the tools for agents, which can do without it.
	NotForTools bool
}

// IsFilter reports whether the parameter restricts what a search finds. The text q is not a filter.
func (p *Parameter) IsFilter() bool {
	return !slices.Contains([]string{"q", "sort", "limit", "offset", "facets", "correct", "lang", "view"},
		p.Name)
}

// ListParameters lists the parameters of listProjects.
var ListParameters = []Parameter{
	{Name: "limit", Kind: KindInteger, Default: 50, Min: 1, Max: 100, HasMax: true,
		Description: "How many projects to return."},
	{Name: "offset", Kind: KindInteger, Default: 0, Min: 0,
		Description: "How many projects to skip. Past the end, the list is empty."},
	{Name: "slugs", Kind: KindChoices,
		Description: "Only these listings, at most 20, in the order of the list. It cannot be combined with limit " +
			"and offset."},
	viewParameter,
}

// The values of the parameter view.
const (
	ViewBrief = "brief"
	ViewFull  = "full"
)

// viewParameter is the parameter view.
var viewParameter = Parameter{Name: "view", Kind: KindChoice, Allowed: []string{ViewBrief, ViewFull},
	Default: ViewFull, EmptyIsAbsent: true, Description: "brief: what decides, in a fifth of the tokens."}

// ProjectParameters lists the query parameters of getProject.
var ProjectParameters = []Parameter{viewParameter}

// ParseProject parses the query string of getProject. It ignores unknown parameters. The errors name every wrong
// parameter.
func ParseProject(rawQuery string) (isBrief bool, errs []ParameterError) {
	p := parseQuery(rawQuery, ProjectParameters)
	return p.isBrief(), p.sortedErrors()
}

// MaxSlugs is the most listings that the parameter slugs of listProjects may name.
const MaxSlugs = 20

// The notes that Parameter.Text adds, for callers that describe each parameter on its own.
const (
	choicesNote = "Several values, joined by commas or repeated, match any of them."
	flagNote    = "An unknown fact matches neither."
	numberNote  = "An unknown fact matches no number."
	writtenNote = "An unknown fact matches nothing."
)

// Text returns the description of a parameter with the notes for its kind.
func (p *Parameter) Text() string {
	switch {
	case p.Kind == KindChoices:
		return p.Description + " " + choicesNote
	case p.Fact != nil && p.Kind == KindFlag:
		return p.Description + " " + flagNote
	case p.Fact != nil && p.Kind == KindNumber:
		return p.Description + " " + numberNote
	case p.Form() != "":
		return p.Description + " Write " + p.Form() + ". " + writtenNote
	}
	return p.Description
}

// Form says how the text of a KindDate or a KindPlace is written; "" for other kinds.
func (p *Parameter) Form() string {
	switch p.Kind {
	case KindDate:
		return DateForms
	case KindPlace:
		return PlaceForms
	}
	return ""
}

// SearchParameters returns the parameters of searchCatalog. They include filters for the fields
// that listings of the catalogue have and for each fact with a Filter.
func SearchParameters(s *site.Settings, t *Taxonomy) []Parameter {
	about := "Free text, best in " + s.LanguageName() + ": a " + s.Wanted()
	switch {
	case !s.Has("replaces"):
		about += " or a name"
	case s.IsSoftware():
		about += ", a tool or a proprietary product"
	default:
		about += ", a name or a product to replace"
	}
	list := []Parameter{
		{Name: "q", Kind: KindText, EmptyIsAbsent: true, Description: about + ". At most 256 characters.",
			Short: about + "."},
		{Name: "category", Kind: KindChoices, EmptyIsAbsent: true, Allowed: t.CategorySlugs(),
			Former: formerSlugs(t.Moves(), FolderCategories), Description: "Home category."},
	}
	if s.Has("platforms") {
		list = append(list, Parameter{Name: "platform", Kind: KindChoices, EmptyIsAbsent: true,
			Allowed: t.PlatformSlugs(), Former: formerSlugs(t.Moves(), FolderPlatforms),
			Description: "What it runs on."})
	}
	if s.Has("license") {
		list = append(list, Parameter{Name: "license", Kind: KindChoices, EmptyIsAbsent: true,
			Description: "SPDX identifier of a licence that is enough by itself, such as MIT. AGPL-3.0 includes " +
				"-only and -or-later.",
			Short: "SPDX identifier of a licence that is enough by itself, such as MIT."})
	}
	for _, f := range t.SearchFacts(s) {
		if f.Filter != nil {
			list = append(list, f.parameter())
		}
	}
	if t.HasSetups() {
		list = append(list, t.machineParameters()...)
	}
	if languages := t.QueryLanguages(s); len(languages) > 0 {
		list = append(list, Parameter{Name: "lang", Kind: KindChoice, Allowed: languages, EmptyIsAbsent: true,
			NotForTools: true, Description: "Language of q."})
	}
	return append(list,
		sortParameter(s, t),
		Parameter{Name: "limit", Kind: KindInteger, Default: 10, Min: 1, Max: MaxSearchLimit, HasMax: true,
			Description: "How many hits to return.", Short: "How many hits."},
		Parameter{Name: "offset", Kind: KindInteger, Default: 0, Min: 0, Max: MaxSearchOffset, HasMax: true,
			NotForTools: true, Description: "How many hits to skip."},
		Parameter{Name: "facets", Kind: KindFlag, Default: "1", NotForTools: true,
			Description: "0 leaves out the counts of values."},
		Parameter{Name: "correct", Kind: KindFlag, Default: "1", NotForTools: true,
			Description: "0 turns spelling correction off."},
		viewParameter,
	)
}

// sortParameter returns the parameter that orders what a search finds.
func sortParameter(s *site.Settings, t *Taxonomy) Parameter {
	order := "If absent: relevance with q, else popular"
	if !s.Has("stars") {
		order += ", which is by slug"
	}
	order += "."
	if t.HasSetups() {
		order += " relevance without q: what fits the computer first."
	}
	return Parameter{Name: "sort", Kind: KindChoice, Allowed: t.Sorts(), EmptyIsAbsent: true,
		Description: order + " trending is deprecated and served exactly as popular.", Short: order}
}

// MaxSearchLimit is the largest limit of a search, and MaxSearchOffset the largest offset.
const (
	MaxSearchLimit  = 50
	MaxSearchOffset = 1000
)

// machineParameters returns the parameters that describe the user's computer.
func (t *Taxonomy) machineParameters() (list []Parameter) {
	zero, most := 0.0, float64(hardware.MaxGb)
	number := func(name, description string) {
		list = append(list, Parameter{Name: name, Kind: KindNumber, Least: &zero, Most: &most, EmptyIsAbsent: true,
			Description: description})
	}
	number("ramGb", "RAM of the user's computer in GB, as reported: leaves out what needs more. fit: fits (stated), "+
		"likely, unlikely (estimated) or unknown.")
	number("vramGb", "Its VRAM in GB; 0: no graphics card.")
	choice := func(name string, allowed []string, description string) {
		if len(allowed) > 0 {
			list = append(list, Parameter{Name: name, Kind: KindChoice, Allowed: allowed, EmptyIsAbsent: true,
				Description: description})
		}
	}
	options := func(key string) []string {
		if f := t.Fact(key); f != nil {
			return f.Options()
		}
		return nil
	}
	choice("arch", options(ArchKey), "Its processor.")
	choice("gpuVendor", options(GPUVendorsKey), "Maker of its GPU.")
	choice("system", t.SystemSlugs(), "Its system.")
	return append(list, Parameter{Name: "stated", Kind: KindFlag, EmptyIsAbsent: true,
		Description: "1: only what fits."})
}

// MaxListValues is the most values that one KindChoices may have.
const MaxListValues = 50

// parsedParameters holds the values of the known parameters of a request, what is wrong with them,
// and the names of unknown parameters.
type parsedParameters struct {
	known   []Parameter
	values  map[string]string // values of a KindChoices are joined by commas
	errors  []ParameterError
	unknown []string  // names, in order of appearance, at most maxUnknownWarnings
	former  []Warning // about former values
}

func (p *parsedParameters) fail(name, message string, allowed []string) {
	p.errors = append(p.errors, ParameterError{Parameter: name, Message: message, Allowed: allowed})
}

// maxEchoed bounds how much of a wrong value an error message repeats, in characters.
const maxEchoed = 80

// quote quotes a wrong value for a message. It shortens the value and escapes what cannot be
// printed.
func quote(value string) string { return strconv.Quote(Shorten(value, maxEchoed)) }

// parseQuery splits a raw query string as the WHATWG URL standard parses
// application/x-www-form-urlencoded, and separates known parameters from unknown ones.
// It records at most one error for each parameter.
func parseQuery(raw string, known []Parameter) *parsedParameters {
	p := &parsedParameters{known: known, values: map[string]string{}}
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
		i := slices.IndexFunc(known, func(param Parameter) bool { return param.Name == name })
		if i < 0 {
			if len(p.unknown) < maxUnknownWarnings && !slices.Contains(p.unknown, name) && !isTracking(name) {
				p.unknown = append(p.unknown, name)
			}
			continue
		}
		if slices.Contains(failed, name) {
			continue
		}
		errorCount := len(p.errors)
		p.add(&known[i], rawValue)
		if len(p.errors) > errorCount {
			failed = append(failed, name)
			delete(p.values, name)
		}
	}
	return p
}

// unescape decodes a name or a value of a query string as url.QueryUnescape does: + stands for a
// space, %XX for a byte. Package net/url would add 110 kB to the WebAssembly program, most of it
// for IP addresses.
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

// add stores a value of a parameter, or records what is wrong with it.
func (p *parsedParameters) add(param *Parameter, rawValue string) {
	previous, repeated := p.values[param.Name]
	value, ok := unescape(rawValue)
	switch {
	case repeated && param.Kind != KindChoices:
		p.fail(param.Name, "is given more than once, as "+quote(previous)+" and "+quote(rawValue)+": give it once", nil)
	case !ok:
		p.fail(param.Name, quote(rawValue)+
			" is not percent-encoded correctly: every % must be followed by two hexadecimal digits", nil)
	case !utf8.ValidString(value):
		p.fail(param.Name, "is not valid UTF-8", nil)
	case param.Kind == KindChoices:
		if repeated {
			value = previous + "," + value
		}
		if strings.Count(value, ",") >= MaxListValues {
			p.fail(param.Name, "has more than "+strconv.Itoa(MaxListValues)+" values in one list: at most "+
				strconv.Itoa(MaxListValues)+" are allowed", nil)
			return
		}
		p.values[param.Name] = value
	default:
		p.values[param.Name] = value
		p.check(param, value)
	}
}

// sortedErrors returns the errors in the order of the known parameters.
func (p *parsedParameters) sortedErrors() []ParameterError {
	var errs []ParameterError
	for _, param := range p.known {
		for _, e := range p.errors {
			if e.Parameter == param.Name {
				errs = append(errs, e)
			}
		}
	}
	return errs
}

// trackingParameters lists the names, in lower case, of parameters that newsletters, advertisements
// and linking sites add to addresses. Users cannot avoid them, so there is no warning. A name that
// ends in * is a prefix.
var trackingParameters = []string{
	"utm_*", "mtm_*", "pk_*", "hsa_*", "_hs*", "__hs*", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "oly_anon_id",
	"oly_enc_id",
	"gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid", "srsltid", "_ga", "_gl",
	"fbclid", "igsh", "igshid", "msclkid", "twclid", "ttclid", "li_fat_id", "yclid", "ysclid", "epik", "rdt_cid", "ref",
	"ref_src",
}

func isTracking(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(trackingParameters, func(t string) bool {
		prefix, isPrefix := strings.CutSuffix(t, "*")
		return name == t || isPrefix && strings.HasPrefix(name, prefix)
	})
}

// isInteger reports whether a value has the syntax of a KindInteger.
func isInteger(value string) bool { return isDigits(strings.TrimPrefix(value, "-"), math.MaxInt) }

// maxDecimals is how many decimals a KindNumber may have. Programs print a float64 with up to 17 digits, and the bytes
// of a memory divided by 2^30 have many.
const maxDecimals = 20

// isNumber reports whether a value has the syntax of a KindNumber: no exponents and no infinities.
func isNumber(value string) bool { return isDecimal(value, maxDecimals) }

// isDecimal reports whether a value is a number with at most as many decimals.
func isDecimal(value string, decimals int) bool {
	integer, fraction, hasPoint := strings.Cut(strings.TrimPrefix(value, "-"), ".")
	return isDigits(integer, 15) && (!hasPoint || isDigits(fraction, decimals))
}

// isDigits reports whether a text consists of 1 to maxLength digits.
func isDigits(text string, maxLength int) bool {
	return text != "" && len(text) <= maxLength && strings.Trim(text, "0123456789") == ""
}

// NumberBounds describes the allowed numbers in words; nil means no bound.
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

// check records what is wrong with the value of a parameter that is not a KindChoices.
func (p *parsedParameters) check(param *Parameter, value string) {
	if value == "" && param.EmptyIsAbsent {
		return
	}
	switch param.Kind {
	case KindInteger:
		if !isInteger(value) {
			p.fail(param.Name, quote(value)+" is not a whole number: "+param.bounds()+" is allowed", nil)
			return
		}
		if n := clampedInt(value); n < param.Min || param.HasMax && n > param.Max {
			p.fail(param.Name, quote(value)+" is out of bounds: "+param.bounds()+" is allowed", nil)
		}
	case KindNumber:
		if n, err := strconv.ParseFloat(value, 64); err != nil || !isNumber(value) {
			p.fail(param.Name, quote(value)+" is not a number: "+param.bounds()+" is allowed", nil)
		} else if param.Least != nil && n < *param.Least || param.Most != nil && n > *param.Most {
			p.fail(param.Name, quote(value)+" is out of bounds: "+param.bounds()+" is allowed", nil)
		}
	case KindDate:
		if _, _, ok := daysOf(value); !ok {
			p.fail(param.Name, quote(value)+" is no date: write a real day, month or year from the year 1 on, as "+
				DateForms, nil)
		}
	case KindPlace:
		if _, ok := circleOf(value); !ok {
			p.fail(param.Name, quote(value)+" is no place: write "+PlaceForms+", such as 52.52,13.4,10 for 10 km "+
				"around Berlin", nil)
		}
	case KindFlag:
		if value != "0" && value != "1" {
			p.fail(param.Name, quote(value)+" is neither 0 nor 1", []string{"0", "1"})
		}
	case KindChoice:
		if !slices.Contains(param.Allowed, value) {
			p.fail(param.Name, quote(value)+" is not a known value", param.Allowed)
		}
	case KindText:
		if n := utf8.RuneCountInString(value); n > MaxQueryLength {
			p.fail(param.Name, "has "+strconv.Itoa(n)+" characters: at most "+strconv.Itoa(MaxQueryLength)+
				" are allowed", nil)
		}
	}
}

// bounds describes in words the allowed values of a KindInteger or a KindNumber.
func (p *Parameter) bounds() string {
	if p.Kind == KindNumber {
		return NumberBounds(p.Least, p.Most)
	}
	if p.HasMax {
		return "a whole number from " + strconv.Itoa(p.Min) + " to " + strconv.Itoa(p.Max)
	}
	return "a whole number of at least " + strconv.Itoa(p.Min)
}

// clampedInt parses an integer. A number outside the range of int becomes the nearest int: an
// offset of twenty digits is past the end like any other large offset.
func clampedInt(text string) int {
	n, _ := strconv.Atoi(text) // for a number out of range, Atoi returns the nearest int
	return n
}

// integer returns the checked value of a KindInteger, or its default.
func (p *parsedParameters) integer(name string) int {
	if v := p.values[name]; v != "" {
		return clampedInt(v)
	}
	return p.defaultOf(name).(int)
}

// defaultOf returns the default of a known parameter.
func (p *parsedParameters) defaultOf(name string) any {
	i := slices.IndexFunc(p.known, func(param Parameter) bool { return param.Name == name })
	return p.known[i].Default
}

// isBrief reports whether the view is brief, by choice or by default.
func (p *parsedParameters) isBrief() bool {
	return cmp.Or(p.values["view"], p.defaultOf("view").(string)) == ViewBrief
}

// choices returns the values of a KindChoices in lower case, each once. It records an error for
// values that are not allowed.
func (p *parsedParameters) choices(param *Parameter) []string {
	var chosen, invalid []string
	for part := range strings.SplitSeq(p.values[param.Name], ",") {
		part = strings.ToLower(strings.TrimSpace(part))
		if present, ok := param.Former[part]; ok {
			p.former = append(p.former, FormerValue(param.Name, part, present))
			part = present
		}
		switch {
		case part == "" || slices.Contains(chosen, part) || slices.Contains(invalid, part):
		case slices.Contains(param.Allowed, part):
			chosen = append(chosen, part)
		default:
			invalid = append(invalid, part)
		}
	}
	p.failValues(param.Name, invalid, "no such "+param.Name, param.Allowed)
	return chosen
}

// maxLicense is the maximum length of a value of the parameter license, in bytes.
const maxLicense = 200

// isLicense reports whether a text is short enough and has only characters of SPDX licence
// expressions (SPDX 2.3, annex D).
func isLicense(text string) bool {
	return text != "" && len(text) <= maxLicense && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".+:() -",
			r)
	})
}

// licenses returns the values of the parameter license. It checks only their characters, and not
// the grammar (package spdx): whether a listing has such a licence is known only to the index.
func (p *parsedParameters) licenses() []string {
	var chosen, invalid []string
	for part := range strings.SplitSeq(p.values["license"], ",") {
		part = strings.Join(strings.Fields(part), " ")
		switch {
		case part == "" || slices.ContainsFunc(chosen, func(c string) bool { return strings.EqualFold(c, part) }):
		case isLicense(part):
			chosen = append(chosen, part)
		default:
			invalid = append(invalid, part)
		}
	}
	p.failValues("license", invalid, "not an SPDX licence identifier, such as MIT or Apache-2.0", nil)
	return chosen
}

// failValues records an error for the invalid values of a list, if there are any.
func (p *parsedParameters) failValues(name string, invalid []string, reason string, allowed []string) {
	if len(invalid) == 0 {
		return
	}
	quoted := make([]string, len(invalid))
	for i, value := range invalid {
		quoted[i] = quote(value)
	}
	p.fail(name, strings.Join(quoted, ", ")+": "+reason, allowed)
}

// ListQuery is a parsed request for a list.
type ListQuery struct {
	Limit, Offset int
	Slugs         string // the listings asked for, joined by commas; "" for all
	Brief         bool   // answer with a BriefList
}

// ParseList parses the query string of listProjects. The errors name every wrong parameter. An
// unknown parameter is ignored, with a warning that names the nearest known one.
func ParseList(rawQuery string) (ListQuery, []Warning, []ParameterError) {
	p := parseQuery(rawQuery, ListParameters)
	slugs := p.slugs()
	p.checkSlugs(slugs)
	if errs := p.sortedErrors(); len(errs) > 0 {
		return ListQuery{}, nil, errs
	}
	q := ListQuery{Limit: p.integer("limit"), Offset: p.integer("offset"), Slugs: strings.Join(slugs, ","),
		Brief: p.isBrief()}
	if len(slugs) > 0 {
		q.Limit = MaxSlugs
	}
	return q, p.warnings(), nil
}

// slugs returns the values of the parameter slugs, each once.
func (p *parsedParameters) slugs() (slugs []string) {
	for part := range strings.SplitSeq(p.values["slugs"], ",") {
		if part = foldSlug(part); part != "" && !slices.Contains(slugs, part) {
			slugs = append(slugs, part)
		}
	}
	return slugs
}

// foldSlug returns a slug as it is compared. Slugs are in lower case.
func foldSlug(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// checkSlugs checks the slugs of a list. Without any, the parameter is wrong: whoever names no listing does not want
// all of them.
func (p *parsedParameters) checkSlugs(slugs []string) {
	if _, given := p.values["slugs"]; given && len(slugs) == 0 {
		p.fail("slugs", "names no listing: give 1 to "+strconv.Itoa(MaxSlugs)+
			" slugs, joined by commas, or leave the parameter out for the whole list", nil)
	}
	if len(slugs) > MaxSlugs {
		p.fail("slugs", "has "+strconv.Itoa(len(slugs))+" slugs: at most "+strconv.Itoa(MaxSlugs)+" are allowed", nil)
	}
	for _, other := range []string{"limit", "offset"} {
		if _, given := p.values[other]; given && len(slugs) > 0 {
			p.fail(other, "cannot be combined with slugs: leave one of them out", nil)
		}
	}
}

// ParseSearch parses the query string of searchCatalog as ParseList does that of listProjects. The
// parameters come from SearchParameters.
func ParseSearch(rawQuery string, parameters []Parameter) (SearchQuery, []Warning, []ParameterError) {
	p := parseQuery(rawQuery, parameters)
	q := SearchQuery{Q: strings.TrimSpace(p.values["q"]), Sort: p.values["sort"], NoFacets: p.values["facets"] == "0",
		AsSpelt: p.values["correct"] == "0", Lang: p.values["lang"], Brief: p.isBrief()}
	q.NoFacets = q.NoFacets || q.Brief
	for i := range parameters {
		param := &parameters[i]
		if p.values[param.Name] == "" || !param.IsFilter() {
			continue
		}
		values := []string{p.values[param.Name]}
		switch {
		case param.Name == "license":
			values = p.licenses()
		case param.Kind == KindChoices:
			values = p.choices(param)
		}
		if len(values) > 0 {
			q.Filters.set(param, values)
		}
	}
	if errs := p.sortedErrors(); len(errs) > 0 {
		return SearchQuery{}, nil, errs
	}
	q.Limit, q.Offset = p.integer("limit"), p.integer("offset")
	return q, p.warnings(), nil
}

// maxUnknownWarnings limits the warnings about unknown parameters, so that no request can
// make an answer large.
const maxUnknownWarnings = 8

// warnings returns a warning for each former value and each unknown parameter.
func (p *parsedParameters) warnings() []Warning {
	if len(p.unknown) == 0 {
		return p.former
	}
	warnings := p.former
	for _, name := range p.unknown {
		warnings = append(warnings, unknownWarning(name, p.known))
	}
	return warnings
}
