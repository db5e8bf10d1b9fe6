package api

import "catalog.example/api/site"

// SearchQuery is a search request that has been understood (spec 4.3).
type SearchQuery struct {
	Q        string   // free text, trimmed; "" where there is none
	Category []string // slugs; a listing's home category is any of them
	Platform []string // slugs; a listing runs on any of them
	License  []string // SPDX identifiers or expressions as given
	// Facts are the filters by facts that were given, by parameter: "0" or "1", slugs,
	// or a number.
	Facts    map[string][]string
	Sort     string // one of SortValues, or "" where none was asked for
	Limit    int
	NoFacets bool // leave the facets out of the answer
}

// The values of the sort parameter (spec 4.3).
const (
	SortRelevance       = "relevance"
	SortPopular         = "popular"
	SortNewest          = "newest"
	SortRecentlyUpdated = "recently-updated"
	SortTrending        = "trending" // deprecated: served as popular
)

// SortValues lists what the sort parameter may hold.
var SortValues = []string{SortRelevance, SortPopular, SortNewest, SortRecentlyUpdated, SortTrending}

// SortOrder says in one plain sentence how an applied sort orders.
func SortOrder(s *site.Settings, applied string) string {
	switch {
	case applied == SortRelevance && s.Has("stars"):
		return "Best match first: exact names, then names and aliases, then purpose, then category and description; stars only break ties."
	case applied == SortRelevance:
		return "Best match first: exact names, then names and aliases, then purpose, then category and description."
	case applied == SortNewest && s.Has("createdAt"):
		return "Day of joining the catalog, latest first; then day of upstream's first commit, latest first, unknown last."
	case applied == SortNewest:
		return "Day of joining the catalog, latest first."
	case applied == SortRecentlyUpdated && s.Has("updatedAt"):
		return "Day of upstream's latest commit or release, latest first; unknown last."
	case applied == SortPopular && s.Has("stars"):
		return "Stars, highest first; listings without star data last."
	}
	return "In the order of slugs."
}

// SearchResponse is the answer of searchCatalog (contract 4).
type SearchResponse struct {
	Query      QueryEcho `json:"query"`
	Sort       SortInfo  `json:"sort"`
	Total      int       `json:"total"` // all that matched, before limit
	Hits       []Hit     `json:"hits"`
	Facets     Facets    `json:"facets,omitzero"` // left out with facets=0
	DidYouMean *string   `json:"didYouMean"`      // a spelling that finds more
	Warnings   []Warning `json:"warnings"`
}

// QueryEcho tells what was understood of a search request: q, a key for each filter,
// and limit. A filter is null where it was not given, a boolean where it takes 0 or 1,
// a number, or a list.
type QueryEcho map[string]any

// SortInfo is the sort metadata of a search answer.
type SortInfo struct {
	Requested  *string `json:"requested"`
	Applied    string  `json:"applied"`
	Deprecated bool    `json:"deprecated"` // true for trending
	Order      string  `json:"order"`      // one plain sentence
}

// The values of Match.Tier, strongest first (contract 4).
const (
	TierExactName   = "exact-name"
	TierName        = "name"
	TierPurpose     = "purpose"
	TierDescription = "description"
)

// Tiers lists what Match.Tier may hold beside null, strongest first.
var Tiers = []string{TierExactName, TierName, TierPurpose, TierDescription}

// Match tells why a listing is a hit.
type Match struct {
	Tier    *string `json:"tier"`    // null where no q was given
	Partial bool    `json:"partial"` // true where not every word of the query is covered
}

// Hit is one search hit: the part of a Project that a shortlist needs, and why
// it matched.
type Hit struct {
	HitProject
	Match Match `json:"match"`
}

// HitProject is the part of a Project that a hit repeats.
type HitProject struct {
	Slug          string     `json:"slug"`
	Name          string     `json:"name"`
	Purpose       string     `json:"purpose"`
	Category      string     `json:"category"`
	Platforms     []string   `json:"platforms"`
	License       *string    `json:"license"`
	OSIApproved   *bool      `json:"osiApproved"`
	Stars         *int       `json:"stars"`
	Archived      *bool      `json:"archived"`
	Replaces      []string   `json:"replaces"`
	FitNotes      FactValues `json:"fitNotes"`
	PageURL       string     `json:"pageUrl"`
	RepositoryURL string     `json:"repositoryUrl"`
	UpdatedAt     *Date      `json:"updatedAt"`
	AddedAt       Date       `json:"addedAt"`
}

// HitProject returns the part of the project that a hit repeats.
func (p *Project) HitProject() HitProject {
	return HitProject{
		Slug: p.Slug, Name: p.Name, Purpose: p.Purpose, Category: p.Category, Platforms: p.Platforms,
		License: p.License, OSIApproved: p.OSIApproved, Stars: p.Stars, Archived: p.Archived,
		Replaces: p.Replaces, FitNotes: p.FitNotes, PageURL: p.PageURL, RepositoryURL: p.RepositoryURL,
		UpdatedAt: p.UpdatedAt, AddedAt: p.AddedAt,
	}
}

// Facets counts, for each filter that has a list of values, how many of the matches
// hold each of them; each is counted with every filter but its own.
type Facets map[string][]FacetValue

// FacetValue is one value of a facet, as the parameter accepts it, with its
// count. Values are ordered by count, highest first, then by value.
type FacetValue struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// The codes of warnings in answers: the first in those of a search and of the
// list, the others in those of a search.
const (
	WarnUnknownParameter = "unknown-parameter" // a parameter that the endpoint does not have was ignored
	WarnUnknownLicense   = "unknown-license"   // no listing has this licence
	WarnDeprecatedSort   = "deprecated-sort"   // trending is served as popular
	WarnRelevanceNoQuery = "relevance-without-q"
	WarnOnlyFiller       = "only-filler"      // q holds nothing that can be searched for
	WarnQueryTruncated   = "query-truncated"  // only the first MaxQueryWords words were used
	WarnSuggestFilter    = "suggested-filter" // the wording asks for a fact; a filter would insist on it
	WarnPartialMatches   = "partial-matches"  // some hits do not cover every word
	WarnNothingFound     = "nothing-found"    // no listing covers enough of q, whatever the filters
)

// Warning tells a client what was ignored or could be asked better.
type Warning struct {
	Code      string `json:"code"`
	Parameter string `json:"parameter"`
	Message   string `json:"message"`
}

// MaxQueryLength bounds q, in characters (contract 5); MaxQueryWords is how
// many words of it are searched for.
const (
	MaxQueryLength = site.MaxJob
	MaxQueryWords  = 16
)
