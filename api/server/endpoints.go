package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"catalog.example/api"
)

// listProjects answers spec 4.1, contract 3.
func (s *Server) listProjects(x *exchange) (*answer, error) {
	query, warnings, wrong := api.ParseList(x.request.URL.RawQuery)
	if len(wrong) > 0 {
		return nil, api.InvalidParameters(wrong)
	}
	if len(warnings) > 0 {
		return s.listWithWarnings(x, query, warnings)
	}
	key := formKey{edition: x.edition.identity, source: source{kind: fromList, list: query}}
	plain := s.forms.get(&key)
	if plain == nil {
		var scratch answer
		defer s.release(&scratch)
		if err := s.render(&scratch, x.edition.index, &key.source); err != nil {
			return nil, err
		}
		plain = newForm(listTag(x.edition.identity, query), jsonType[0], int64(len(scratch.body)), true)
		plain.link = []string{listLinks(x.edition.settings.URL(api.PathProjects), query, x.edition.index.Len())}
		s.forms.keep(key, plain)
	}
	return s.formAnswer(x, key, plain)
}

// listWithWarnings answers a request with unknown parameters. It is not kept:
// there is no end of them.
func (s *Server) listWithWarnings(x *exchange, query api.ListQuery, warnings []api.Warning) (*answer, error) {
	tag := tagOf(appendWarnings([]byte("list "+listTag(x.edition.identity, query)), warnings))
	a, err := s.freshAnswer(x, tag, func(dst []byte) []byte { return appendList(dst, x.edition.index, query, warnings) })
	if err == nil {
		a.link = []string{listLinks(x.edition.settings.URL(api.PathProjects), query, x.edition.index.Len())}
	}
	return a, err
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
func (s *Server) getProject(x *exchange) (*answer, error) {
	slug := x.route.asked
	key := formKey{edition: x.edition.identity, source: source{kind: fromProject, name: slug}}
	plain := s.forms.get(&key)
	if plain == nil {
		var scratch answer
		defer s.release(&scratch)
		if err := s.render(&scratch, x.edition.index, &key.source); err != nil {
			return nil, api.NoSuchProject(slug, x.edition.index.NearSlugs(slug, api.MaxSuggestions))
		}
		plain = newForm(tagOf(scratch.body), jsonType[0], int64(len(scratch.body)), true)
		// The slug of a request holds its whole address in memory.
		key.source.name = strings.Clone(slug)
		s.forms.keep(key, plain)
	}
	return s.formAnswer(x, key, plain)
}

// searchCatalog answers spec 4.3, contract 4. Whole answers are not kept: few
// people ask the same.
func (s *Server) searchCatalog(x *exchange) (*answer, error) {
	parameters := x.edition.index.Parameters()
	query, warnings, wrong := api.ParseSearch(x.request.URL.RawQuery, parameters)
	if len(wrong) > 0 {
		return nil, api.InvalidParameters(wrong)
	}
	return s.freshAnswer(x, searchTag(x.edition.identity, parameters, &query, warnings), func(dst []byte) []byte {
		s.metrics.searches.Inc()
		return x.edition.index.AppendSearch(dst, query, warnings...)
	})
}

// freshAnswer sends a body of JSON that is made for this request alone, unless the
// client has it already. tag is what the body follows from.
func (s *Server) freshAnswer(x *exchange, tag string, appendBody func([]byte) []byte) (*answer, error) {
	accepts := acceptanceOf(x.request.Header)
	a := &answer{status: http.StatusNotModified}
	held, ok := heldCoding(x.request.Header, tag, &accepts)
	if !ok {
		a.status, a.contentType = http.StatusOK, jsonType
		a.buffer = s.takeBuffer()
		a.buffer.bytes = appendBody(a.buffer.bytes)
		a.body = a.buffer.bytes
		var err error
		if held, err = s.encodeSearch(a, &accepts); err != nil {
			s.release(a)
			return nil, err
		}
	}
	a.ownETag[0] = etagOf(tag, held)
	a.etag = a.ownETag[:]
	return a, nil
}

// encodeSearch puts the body of a fresh answer into the coding that the client likes
// best, where that is worth it and there is time, and returns which.
func (s *Server) encodeSearch(a *answer, accepts *acceptance) (coding, error) {
	to := codingFor(accepts, int64(len(a.body)))
	if to == identity {
		return identity, nil
	}
	done, ok := s.mayCompress(accepts)
	if !ok {
		return identity, nil
	}
	defer done()
	coded := s.takeBuffer()
	var err error
	if coded.bytes, err = s.compressor.compress(coded.bytes, a.body, to, quick); err != nil {
		s.giveBuffer(coded)
		return identity, err
	}
	s.giveBuffer(a.buffer)
	a.buffer, a.body, a.contentEncoding = coded, coded.bytes, contentEncodings[to]
	return to, nil
}

// searchTag returns the tag of the answer to a query, which follows from the
// index, the program, the query as it was understood, and the warnings, which
// tell of unknown parameters (contract 7).
func searchTag(edition string, parameters []api.Parameter, q *api.SearchQuery, warnings []api.Warning) string {
	var room [512]byte
	b := appendText(append(room[:0], "search "...), edition)
	b = appendText(b, q.Q)
	b = appendTexts(appendTexts(appendTexts(b, q.Category), q.Platform), q.License)
	for i := range parameters {
		if parameters[i].Fact != nil {
			b = appendTexts(b, q.Facts[parameters[i].Name])
		}
	}
	b = appendNumber(appendText(b, q.Sort), q.Limit)
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
func listTag(edition string, q api.ListQuery) string {
	return tagOf(appendNumber(appendNumber(appendText([]byte("list "), edition), q.Limit), q.Offset))
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

// describe answers spec 4.4.
func (s *Server) describe(x *exchange) (*answer, error) {
	key := formKey{edition: x.edition.identity, source: source{kind: fromOpenAPI}}
	plain := s.forms.get(&key)
	if plain == nil {
		plain = newForm(tagOf(x.edition.openAPI), jsonType[0], int64(len(x.edition.openAPI)), true)
		plain.body = x.edition.openAPI
		s.forms.keep(key, plain)
	}
	return s.formAnswer(x, key, plain)
}
