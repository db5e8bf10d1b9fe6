package api

import (
	"strconv"

	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// SearchQuery is a parsed search request.
type SearchQuery struct {
	Q        string // free text, trimmed; may be ""
	Filters  Filters
	Sort     string // one of Taxonomy.Sorts, or "" if the request has none
	Limit    int
	Offset   int    // number of hits to skip
	NoFacets bool   // leave the facets out of the answer; always set if Brief is
	Brief    bool   // answer with a BriefSearchResponse
	AsSpelt  bool   // do not correct the spelling of words
	Lang     string // the language of Q, one of Taxonomy.QueryLanguages; "" if the words are to say
}

// Filters holds the parsed filters of a search.
type Filters struct {
	// Values maps a parameter to "0" or "1", to slugs, to a date or a place, or to licences as the request gives
	// them. Of several values, a listing need match only one.
	Values  map[string][]string
	Numbers map[string]float64 // by the parameter of a fact
	Machine hardware.Machine   // the user's computer
}

// First returns the first value of a parameter, or "".
func (f *Filters) First(name string) string {
	if values := f.Values[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Number returns the number given for a parameter, and whether there is one.
func (f *Filters) Number(name string) (n float64, ok bool) {
	if figure := f.Machine.Figure(name); figure != nil {
		return *figure, true
	}
	n, ok = f.Numbers[name]
	return n, ok
}

// Texts returns the values of a parameter as a request would write them, with numbers in their
// shortest form. It returns none if the parameter is not given.
func (f *Filters) Texts(name string) []string {
	if values := f.Values[name]; len(values) > 0 {
		return values
	}
	if n, ok := f.Number(name); ok {
		return []string{hardware.FormatGb(n)}
	}
	if value := f.Machine.Get(name); value != "" {
		return []string{value}
	}
	return nil
}

// set stores the checked values of a parameter.
func (f *Filters) set(p *Parameter, values []string) {
	switch {
	case f.Machine.Set(p.Name, values[0]):
	case p.Kind == KindNumber:
		if f.Numbers == nil {
			f.Numbers = map[string]float64{}
		}
		f.Numbers[p.Name], _ = strconv.ParseFloat(values[0], 64) // isNumber has checked it
	default:
		if f.Values == nil {
			f.Values = map[string][]string{}
		}
		f.Values[p.Name] = values
	}
}

// The values of the sort parameter.
const (
	SortRelevance       = "relevance"
	SortPopular         = "popular"
	SortNewest          = "newest"
	SortRecentlyUpdated = "recently-updated"
	SortTrending        = "trending" // deprecated: served as popular
)

// SortValues lists the values of the sort parameter in every catalogue; Taxonomy.Sorts has those of one.
var SortValues = []string{SortRelevance, SortPopular, SortNewest, SortRecentlyUpdated, SortTrending}

// sortOrder describes the order of a sort of SortValues: see Taxonomy.SortOrder.
func sortOrder(s *site.Settings, applied string, hasWords bool) string {
	const byFit = "What fits the computer first, then what likely fits, what is unknown, and what is unlikely to " +
		"fit; among equals, those that q hints at come first, and archived ones last, then "
	switch {
	case applied == SortRelevance && !hasWords && s.Has("stars"):
		return byFit + "by stars, highest first, unknown last."
	case applied == SortRelevance && !hasWords:
		return byFit + "by slug."
	case applied == SortRelevance && s.Has("stars"):
		return "Best match first: exact names, then names and aliases, then purpose, then category and description; " +
			"stars only break ties."
	case applied == SortRelevance:
		return "Best match first: exact names, then names and aliases, then purpose, then category and description."
	case applied == SortNewest && s.Has("createdAt"):
		return "By the day that the listing was added to the catalogue, latest first; then by the day of the first " +
			"commit, latest first, unknown last."
	case applied == SortNewest:
		return "By the day that the listing was added to the catalogue, latest first."
	case applied == SortRecentlyUpdated && s.Has("updatedAt"):
		return "By the day of the latest commit or release, latest first; unknown last."
	case applied == SortPopular && s.Has("stars"):
		return "By stars, highest first; listings without star data last."
	}
	return "By slug."
}

// SearchResponse is the answer of searchCatalog.
type SearchResponse struct {
	Query      QueryEcho      `json:"query" jsonschema:"The request as it was understood."`
	Sort       SortInfo       `json:"sort" jsonschema:"How the hits are ordered."`
	Total      int            `json:"total" jsonschema:"How many listings matched, before offset and limit."`
	Limit      int            `json:"limit" jsonschema:"The limit that was applied."`
	Offset     int            `json:"offset" jsonschema:"The offset that was applied."`
	Products   []NamedProduct `json:"products" jsonschema:"The products that q names and listings replace, at most 3, in the order of q."`
	Hits       []Hit          `json:"hits" jsonschema:"The best matches, in order."`
	Facets     Facets         `json:"facets,omitzero" jsonschema:"For each filter, how many matches have each value. A filter does not restrict its own counts. Left out with facets=0."`
	DidYouMean *string        `json:"didYouMean" jsonschema:"q with its misspelt words corrected, as it was searched for; null if nothing was corrected."`
	Warnings   []Warning      `json:"warnings" jsonschema:"What was ignored, or how to ask better."`
}

// NamedProduct is a proprietary product that a query names.
type NamedProduct struct {
	Name         string `json:"name" jsonschema:"Name of the product."`
	PageURL      string `json:"pageUrl" jsonschema:"Page of the listings that replace it."`
	Alternatives int    `json:"alternatives" jsonschema:"How many listings replace it, without regard to filters."`
}

// String returns the product in words: "8 alternatives to Midjourney: <address>".
func (p *NamedProduct) String() string {
	noun := " alternatives to "
	if p.Alternatives == 1 {
		noun = " alternative to "
	}
	return strconv.Itoa(p.Alternatives) + noun + p.Name + ": " + p.PageURL
}

// QueryEcho repeats the parsed search request: q, a key for each filter, and limit. A
// filter is null if it was not given, a boolean if it takes 0 and 1, a number, or a list.
type QueryEcho map[string]any

// SortInfo describes the order of the hits.
type SortInfo struct {
	Requested  *string `json:"requested" jsonschema:"The order that was asked for; null if none was."`
	Applied    string  `json:"applied" jsonschema:"The order that was applied."`
	Deprecated bool    `json:"deprecated" jsonschema:"True for trending, which is served as popular."`
	Order      string  `json:"order" jsonschema:"The applied order in one plain sentence."`
}

// The values of Match.Tier, strongest first.
const (
	TierExactName   = "exact-name"
	TierName        = "name"
	TierPurpose     = "purpose"
	TierDescription = "description"
)

// Tiers lists the values of Match.Tier other than null, strongest first.
var Tiers = []string{TierExactName, TierName, TierPurpose, TierDescription}

// Match says why a listing is a hit.
type Match struct {
	Tier    *string  `json:"tier" jsonschema:"The strongest group of fields that covers the query; null without q."`
	Partial bool     `json:"partial" jsonschema:"True if the listing lacks a word of the query, or has the words of a longer query only in different texts."`
	Missing []string `json:"missing" jsonschema:"The words of the query that the listing lacks."`
}

// Hit is a search hit: the part of a Project that a shortlist needs, and why it matched.
type Hit struct {
	HitProject
	Fit   *hardware.Fit `json:"fit" jsonschema:"Whether it runs on the computer that the search names; null if it names none."`
	Match Match         `json:"match" jsonschema:"Why the listing is a hit."`
}

// HitProject is the part of a Project in a Hit. The index copies these keys from the project's
// JSON, so hitParts in search/index/documents.go must name them too.
type HitProject struct {
	Slug          string             `json:"slug"`
	Name          string             `json:"name"`
	Purpose       string             `json:"purpose"`
	Untranslated  []string           `json:"untranslated,omitzero"`
	Category      string             `json:"category"`
	Platforms     []string           `json:"platforms"`
	License       *string            `json:"license"`
	OSIApproved   *bool              `json:"osiApproved"`
	Stars         *int               `json:"stars"`
	Archived      *bool              `json:"archived"`
	Replaces      []string           `json:"replaces"`
	FitNotes      FactValues         `json:"fitNotes"`
	Estimate      *hardware.Estimate `json:"estimate"`
	PageURL       string             `json:"pageUrl"`
	RepositoryURL string             `json:"repositoryUrl"`
	UpdatedAt     *Date              `json:"updatedAt"`
	AddedAt       Date               `json:"addedAt"`
	Upkeep        *string            `json:"upkeep"`
}

// HitProject returns the part of the project that a Hit contains.
func (p *Project) HitProject() HitProject {
	return HitProject{
		Slug: p.Slug, Name: p.Name, Purpose: p.Purpose, Untranslated: p.Untranslated, Category: p.Category,
		Platforms: p.Platforms,
		License:   p.License, OSIApproved: p.OSIApproved, Stars: p.Stars, Archived: p.Archived,
		Replaces: p.Replaces, FitNotes: p.FitNotes, Estimate: p.Estimate,
		PageURL: p.PageURL, RepositoryURL: p.RepositoryURL,
		UpdatedAt: p.UpdatedAt, AddedAt: p.AddedAt, Upkeep: p.Upkeep,
	}
}

// Facets holds, for each filter with a list of values, the number of matches with each
// value. A filter does not restrict its own counts. FitFacet counts verdicts, and is empty
// if the search names no machine.
type Facets map[string][]FacetValue

// FitFacet is the facet that counts verdicts for the machine of a search.
const FitFacet = "fit"

// FacetValue is a value of a facet, as the parameter accepts it, with its count. Values
// are ordered by count, highest first, then by value.
type FacetValue struct {
	Value string `json:"value" jsonschema:"A value of the parameter with the facet's name."`
	Count int    `json:"count" jsonschema:"How many matches of this answer have it. A search that requires it may find more: if fewer than three match in full, it finds partial matches, too."`
}

// The codes of warnings. listProjects uses only WarnUnknownParameter, WarnFormerValue and
// WarnUnknownSlug.
const (
	WarnUnknownParameter = "unknown-parameter" // an unknown parameter was ignored, or taken for another
	WarnUnknownLicense   = "unknown-license"   // no listing has this licence
	WarnLicenseRead      = "license-read"      // another spelling of a licence was taken for it
	WarnDeprecatedSort   = "deprecated-sort"   // trending is served as popular
	WarnRelevanceNoQuery = "relevance-without-q"
	WarnOnlyFiller       = "only-filler"      // q has no word to search for
	WarnQueryTruncated   = "query-truncated"  // only the first MaxQueryWords words were used
	WarnSuggestFilter    = "suggested-filter" // q mentions a fact that a filter could require
	WarnPartialMatches   = "partial-matches"  // some hits lack words of q
	WarnFormerValue      = "former-value"     // a former slug was taken for the present one
	WarnUnknownSlug      = "unknown-slug"     // no listing has a slug that the parameter slugs names
	WarnUnderstood       = "understood"       // words of q were taken to describe the user's computer
	WarnTranslated       = "translated"       // q was taken to be in another language
	WarnSizeRead         = "size-read"        // a memory figure was read as a size that is sold
	WarnSystemUnasked    = "system-unasked"   // some hits do not run on every system that the user may have
	WarnWeakMatches      = "weak-matches"     // no listing does what q asks for; the hits are the nearest
	WarnUnknownProduct   = "unknown-product"  // q names a product that no listing replaces or mentions
	WarnNothingFound     = "nothing-found"    // no listing covers enough of q, with or without filters
)

// Warning says what part of a request was ignored, or how to improve the request.
type Warning struct {
	Code      string `json:"code" jsonschema:"Stable and machine-readable, such as unknown-parameter."`
	Parameter string `json:"parameter" jsonschema:"The parameter that the warning is about."`
	Message   string `json:"message" jsonschema:"The warning in a sentence or two."`
	Value     string `json:"value,omitempty" jsonschema:"With suggested-filter: the value of the parameter that leaves only what fits. With nothing-found: the language of the listings, if q does not seem to be in it."`
}

// FormerValue returns the warning that a former slug was taken for the present one.
func FormerValue(parameter, former, present string) Warning {
	return Warning{Code: WarnFormerValue, Parameter: parameter,
		Message: strconv.Quote(former) + " is now " + strconv.Quote(present) + "."}
}

// ShowsOnly returns the end of the message of a WarnSuggestFilter. Pages replace it with a link to
// the search.
func ShowsOnly(parameter, value string) string {
	return "; " + parameter + "=" + value + " shows only these."
}

// MaxQueryLength is the maximum length of q in characters. MaxQueryWords is how many of its words
// are searched for, at most.
const (
	MaxQueryLength = site.MaxJob
	MaxQueryWords  = 16
)
