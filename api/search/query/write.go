package query

import (
	"math/bits"
	"slices"
	"strconv"

	"catalog.example/api"
	"catalog.example/api/search/index"
)

// append appends the answer to a query as JSON. It copies the hits from the index.
func (a *answer) append(dst []byte, q *api.SearchQuery) []byte {
	if q.Brief {
		return a.appendBrief(dst, q)
	}
	hasSetups := a.s.taxonomy.HasSetups()
	dst = a.appendEcho(append(dst, `{"query":`...), q)
	dst = append(dst, `,"sort":{"requested":`...)
	dst = appendOptional(dst, q.Sort)
	dst = api.AppendString(append(dst, `,"applied":`...), a.sort)
	dst = appendBool(append(dst, `,"deprecated":`...), q.Sort == api.SortTrending)
	dst = api.AppendString(append(dst, `,"order":`...), a.s.taxonomy.SortOrder(&a.s.settings, a.sort, !a.empty()))
	dst = appendInt(append(dst, `},"total":`...), a.total)
	dst = appendInt(append(dst, `,"limit":`...), q.Limit)
	dst = appendInt(append(dst, `,"offset":`...), q.Offset)
	dst = append(a.appendNamed(append(dst, `,"products":[`...)), `],"hits":[`...)
	for i := range a.hits {
		h := &a.hits[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = a.s.appendQuoted(dst, h.doc)
		if hasSetups {
			dst = a.machine.appendFit(append(dst, `,"fit":`...), h.doc)
		}
		tier := ""
		if h.tier != tierNone {
			tier = api.Tiers[h.tier]
		}
		dst = appendOptional(append(dst, `,"match":{"tier":`...), tier)
		dst = appendBool(append(dst, `,"partial":`...), h.partial)
		dst = append(a.appendMissing(append(dst, `,"missing":[`...), h.missing), "]}}"...)
	}
	dst = append(dst, ']')
	if !q.NoFacets {
		dst = a.appendFacets(append(dst, `,"facets":`...))
	}
	dst = appendOptional(append(dst, `,"didYouMean":`...), a.corrected)
	dst = api.AppendWarnings(append(dst, `,"warnings":`...), a.warnings)
	return append(dst, '}')
}

// appendMissing appends the words that a match lacks, each once, as JSON strings.
func (a *answer) appendMissing(dst []byte, words uint32) []byte {
	written := a.words[:0:0]
	for left := words; left != 0; left &= left - 1 {
		word := a.words[bits.TrailingZeros32(left)]
		if slices.ContainsFunc(written, func(other queryWord) bool { return other.text == word.text }) {
			continue
		}
		if len(written) > 0 {
			dst = append(dst, ',')
		}
		dst, written = api.AppendString(dst, word.text), append(written, word)
	}
	return dst
}

func (a *answer) appendFacets(dst []byte) []byte {
	dst = append(dst, '{')
	for f, values := range a.facets.values {
		if !a.s.hasFacet(index.Facet(f)) {
			continue
		}
		if f > 0 {
			dst = append(dst, ',')
		}
		dst = append(api.AppendString(dst, a.s.Facets.Names[f]), ":["...)
		for i, v := range values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCount(dst, a.s.facetHeads[f][v.value()], v.count())
		}
		dst = append(dst, ']')
	}
	if a.s.taxonomy.HasSetups() {
		dst = a.machine.appendFacet(append(dst, `,"fit":`...), &a.facets.verdicts)
	}
	return append(dst, '}')
}

// hasFacet reports whether the catalogue uses the field or fact that a facet counts.
func (e *Engine) hasFacet(f index.Facet) bool {
	switch f {
	case index.FacetPlatform:
		return e.settings.Has("platforms")
	case index.FacetLicense:
		return e.settings.Has("license")
	}
	return true
}

// echoedParameter is a parameter that answers echo. key is the JSON before its value: the name and a
// colon.
type echoedParameter struct {
	*api.Parameter
	key []byte
}

// echoedParameters returns the parameters that an api.QueryEcho contains.
func echoedParameters(parameters []api.Parameter) (list []echoedParameter) {
	for i := range parameters {
		if p := &parameters[i]; p.Name == "q" || p.Name == "limit" || p.IsFilter() {
			list = append(list, echoedParameter{p, append(api.AppendString(nil, p.Name), ':')})
		}
	}
	return list
}

// appendEcho appends the api.QueryEcho of a query, or its brief form: only what was given, without the
// limit.
func (a *answer) appendEcho(dst []byte, q *api.SearchQuery) []byte {
	dst = append(dst, '{')
	open := len(dst)
	for i := range a.s.echoed {
		p, before := &a.s.echoed[i], len(dst)
		if before > open {
			dst = append(dst, ',')
		}
		dst = append(dst, p.key...)
		value := len(dst)
		dst = a.appendEchoed(dst, p.Parameter, q)
		if q.Brief && (p.Name == "limit" || string(dst[value:]) == "null") {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

// appendEchoed appends what a query has for a parameter, or null.
func (a *answer) appendEchoed(dst []byte, p *api.Parameter, q *api.SearchQuery) []byte {
	filters := &q.Filters
	values := filters.Values[p.Name]
	number, isNumber := filters.Number(p.Name)
	switch {
	case p.Name == "limit":
		return appendInt(dst, q.Limit)
	case p.Name == "q" && a.text != "":
		return api.AppendString(dst, a.text)
	case isNumber:
		return strconv.AppendFloat(dst, number, 'f', -1, 64)
	case filters.Machine.Get(p.Name) != "":
		return api.AppendString(dst, filters.Machine.Get(p.Name))
	case len(values) == 0:
		return append(dst, "null"...)
	case p.Kind == api.KindFlag:
		return appendBool(dst, values[0] == "1")
	case p.Form() != "":
		return api.AppendString(dst, values[0])
	}
	return api.AppendStrings(dst, values)
}

// appendOptional appends s as a JSON string, or null if s is empty.
func appendOptional(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return api.AppendString(dst, s)
}

// countHead is the JSON of an api.FacetValue before its count.
type countHead []byte

func newCountHead(value string) countHead {
	return append(api.AppendString([]byte(`{"value":`), value), `,"count":`...)
}

// newFacetHeads returns the heads of the values of each facet.
func newFacetHeads(values [][]index.FacetValue) [][]countHead {
	heads := make([][]countHead, len(values))
	for f := range values {
		for i := range values[f] {
			heads[f] = append(heads[f], newCountHead(values[f][i].Value))
		}
	}
	return heads
}

// appendCount appends the JSON of an api.FacetValue.
func appendCount(dst []byte, head countHead, count int) []byte {
	return append(appendInt(append(dst, head...), count), '}')
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }
