package server

import (
	"fmt"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search"
)

// listProjects answers spec 4.1, contract 3.
func (s *Server) listProjects(req *request) (*response, error) {
	query, warnings, wrong := api.ParseList(req.r.URL.RawQuery)
	if len(wrong) > 0 {
		return nil, api.NewInvalidParameters(wrong)
	}
	if len(warnings) > 0 {
		return s.listWithWarnings(req, query, warnings)
	}
	key := cacheKey{snapshot: req.snapshot.identity, source: source{kind: fromList, list: query}}
	plain := s.cache.get(key)
	if plain == nil {
		var scratch response
		defer s.release(&scratch)
		if err := s.render(&scratch, req.snapshot.index, &key.source); err != nil {
			return nil, err
		}
		plain = newRepresentation(listTag(req.snapshot.identity, query), jsonType[0], int64(len(scratch.body)), true)
		plain.link = []string{listLinks(req.snapshot.settings.URL(api.PathProjects), query, req.snapshot.index.Len())}
		s.cache.keep(key, plain)
	}
	return s.represent(req, key, plain)
}

// listWithWarnings answers a request with unknown parameters. It is not kept:
// there is no end of them.
func (s *Server) listWithWarnings(req *request, query api.ListQuery, warnings []api.Warning) (*response, error) {
	tag := tagOf(appendWarnings([]byte("list "+listTag(req.snapshot.identity, query)), warnings))
	res, err := s.respondFresh(req, tag, func(dst []byte) []byte { return appendList(dst, req.snapshot.index, query, warnings) })
	if err == nil {
		res.link = []string{listLinks(req.snapshot.settings.URL(api.PathProjects), query, req.snapshot.index.Len())}
	}
	return res, err
}

// appendList appends a page of the list as an api.ProjectList (contract 3).
func appendList(dst []byte, ix *search.Index, q api.ListQuery, warnings []api.Warning) []byte {
	dst = ix.AppendList(append(dst, `{"projects":[`...), q.Offset, q.Limit)
	dst = strconv.AppendInt(append(dst, `],"total":`...), int64(ix.Len()), 10)
	dst = strconv.AppendInt(append(dst, `,"limit":`...), int64(q.Limit), 10)
	dst = strconv.AppendInt(append(dst, `,"offset":`...), int64(q.Offset), 10)
	dst = search.AppendWarnings(append(dst, `,"warnings":`...), warnings)
	return append(dst, '}')
}

// listLinks returns the Link header of a page of a list (RFC 8288). Pages are
// those that one comes upon going forwards and backwards from this one; beyond
// the end, the page before is the last one.
func listLinks(address string, q api.ListQuery, total int) string {
	// The last page is the last of those that begin limit apart from this one.
	last := q.Offset % q.Limit
	if last < total {
		last += (total - 1 - last) / q.Limit * q.Limit
	} else {
		last = 0
	}
	var links []string
	add := func(relation string, offset int) {
		links = append(links, fmt.Sprintf(`<%s?limit=%d&offset=%d>; rel="%s"`, address, q.Limit, offset, relation))
	}
	add("first", 0)
	if q.Offset > 0 {
		add("prev", max(0, min(last, q.Offset-q.Limit)))
	}
	if q.Offset < last {
		add("next", q.Offset+q.Limit)
	}
	add("last", last)
	return strings.Join(links, ", ")
}

// getProject answers spec 4.2.
func (s *Server) getProject(req *request) (*response, error) {
	if req.file.name != "" { // a JSON page
		return s.sendFile(req)
	}
	slug := req.slug
	key := cacheKey{snapshot: req.snapshot.identity, source: source{kind: fromProject, name: slug}}
	plain := s.cache.get(key)
	if plain == nil {
		var scratch response
		defer s.release(&scratch)
		if err := s.render(&scratch, req.snapshot.index, &key.source); err != nil {
			return nil, api.NewUnknownProject(slug, req.snapshot.index.NearSlugs(slug, api.MaxSuggestions))
		}
		plain = newRepresentation(tagOf(scratch.body), jsonType[0], int64(len(scratch.body)), true)
		// The slug of a request holds its whole address in memory.
		key.source.name = strings.Clone(slug)
		s.cache.keep(key, plain)
	}
	return s.represent(req, key, plain)
}

// searchCatalog answers spec 4.3, contract 4. Whole answers are not kept: few
// people ask the same.
func (s *Server) searchCatalog(req *request) (*response, error) {
	parameters := req.snapshot.index.Parameters()
	query, warnings, wrong := api.ParseSearch(req.r.URL.RawQuery, parameters)
	if len(wrong) > 0 {
		return nil, api.NewInvalidParameters(wrong)
	}
	return s.respondFresh(req, searchTag(req.snapshot.identity, parameters, &query, warnings), func(dst []byte) []byte {
		s.metrics.searches.Inc()
		return req.snapshot.index.AppendSearch(dst, query, warnings...)
	})
}

// searchTag returns the tag of the answer to a query, which follows from the
// index, the program, the query as it was understood, and the warnings, which
// tell of unknown parameters (contract 7).
func searchTag(snapshot string, parameters []api.Parameter, q *api.SearchQuery, warnings []api.Warning) string {
	var room [512]byte
	b := appendText(append(room[:0], "search "...), snapshot)
	b = appendText(b, q.Q)
	for i := range parameters {
		if parameters[i].IsFilter() {
			b = appendTexts(b, q.Filters[parameters[i].Name])
		}
	}
	b = appendNumber(appendNumber(appendText(b, q.Sort), q.Limit), q.Offset)
	if q.NoFacets {
		b = append(b, "-facets "...)
	}
	return tagOf(appendWarnings(b, warnings))
}

func appendWarnings(dst []byte, warnings []api.Warning) []byte {
	for _, w := range warnings {
		dst = appendText(appendText(appendText(dst, w.Code), w.Parameter), w.Message)
	}
	return dst
}

// listTag returns the tag of a page of the list, which follows from the index,
// the program and the bounds.
func listTag(snapshot string, q api.ListQuery) string {
	return tagOf(appendNumber(appendNumber(appendText([]byte("list "), snapshot), q.Limit), q.Offset))
}

// appendText appends a text so that no two sequences of texts have one form.
func appendText(dst []byte, text string) []byte {
	return append(appendNumber(dst, len(text)), text...)
}

func appendTexts(dst []byte, texts []string) []byte {
	dst = appendNumber(dst, len(texts))
	for _, text := range texts {
		dst = appendText(dst, text)
	}
	return dst
}

func appendNumber(dst []byte, n int) []byte { return append(strconv.AppendInt(dst, int64(n), 10), ' ') }

// sendOpenAPI answers spec 4.4.
func (s *Server) sendOpenAPI(req *request) (*response, error) {
	key := cacheKey{snapshot: req.snapshot.identity, source: source{kind: fromOpenAPI}}
	plain := s.cache.get(key)
	if plain == nil {
		plain = newRepresentation(tagOf(req.snapshot.openAPI), jsonType[0], int64(len(req.snapshot.openAPI)), true)
		plain.body = req.snapshot.openAPI
		s.cache.keep(key, plain)
	}
	return s.represent(req, key, plain)
}
