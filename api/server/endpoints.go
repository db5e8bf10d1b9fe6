package server

import (
	"fmt"
	"strings"

	"catalog.example/api"
)

// maxSuggestions is how many near slugs an unknown one is answered with
// (contract 5).
const maxSuggestions = 3

// listProjects answers spec 4.1, contract 3.
func (s *Server) listProjects(x *exchange) (*answer, error) {
	query, wrong := api.ParseList(x.request.URL.RawQuery)
	if len(wrong) > 0 {
		return nil, invalidParameters(wrong)
	}
	index := x.edition.index
	total := index.Len()
	a := x.edition.jsonAnswer("projects", query, func() ([]byte, error) {
		body := index.AppendList([]byte(`{"projects":[`), query.Offset, query.Limit)
		return fmt.Appendf(body, `],"total":%d,"limit":%d,"offset":%d}`, total, query.Limit, query.Offset), nil
	})
	a.header.Set("Link", listLinks(x.edition.settings.URL(api.PathProjects), query, total))
	return a, nil
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
func (s *Server) getProject(x *exchange, slug string) (*answer, error) {
	body, ok := x.edition.index.AppendProject(nil, slug)
	if !ok {
		problem := api.NewProblem(api.UnknownProject, fmt.Sprintf("No listing has the slug %q.", shown(slug)))
		problem.Suggestions = x.edition.index.NearSlugs(slug, maxSuggestions)
		return nil, problem
	}
	return bytesAnswer(body), nil
}

// searchCatalog answers spec 4.3, contract 4.
func (s *Server) searchCatalog(x *exchange) (*answer, error) {
	query, warnings, wrong := api.ParseSearch(x.request.URL.RawQuery, x.edition.vocabulary)
	if len(wrong) > 0 {
		return nil, invalidParameters(wrong)
	}
	// The warnings tell of unknown parameters, which are not in the query.
	return x.edition.jsonAnswer("search", []any{query, warnings}, func() ([]byte, error) {
		return x.edition.index.AppendSearch(nil, query, warnings...), nil
	}), nil
}

// describe answers spec 4.4.
func (s *Server) describe(x *exchange) (*answer, error) { return bytesAnswer(x.edition.openAPI), nil }

func invalidParameters(wrong []api.ParameterError) *api.Problem {
	var names []string
	for _, w := range wrong {
		names = append(names, w.Parameter)
	}
	verb := " is not valid: "
	if len(wrong) > 1 {
		verb = " are not valid: "
	}
	problem := api.NewProblem(api.InvalidParameter, count(len(wrong), "parameter")+verb+strings.Join(names, ", ")+".")
	problem.Errors = wrong
	return problem
}
