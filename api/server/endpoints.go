package server

import (
	"encoding/json"
	"math"
	"net/url"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
)

// listProjects answers with a page of the list. Answers to requests with unknown parameters or for
// specific slugs are not cached, because there is no limit to their number.
func (s *Server) listProjects(req *request) (*response, error) {
	query, warnings, wrong := api.ParseList(req.r.URL.RawQuery)
	if len(wrong) > 0 {
		return nil, api.NewInvalidParameters(wrong)
	}
	snap := req.snapshot
	links := func() string {
		address := snap.Settings.URL(api.PathProjects) + "?" + briefParameter(query.Brief)
		return pageLinks(address, query.Limit, query.Offset, snap.Index.Len(), math.MaxInt)
	}
	switch {
	case query.Slugs != "":
		return s.listSlugs(req, query, warnings), nil
	case len(warnings) > 0:
		tag := tagOf(appendWarnings([]byte("list "+listTag(snap.Identity, query)), warnings))
		res := s.reps.respondFresh(req, tag, func(dst []byte) (search.Answer, string) {
			return search.Answer{JSON: appendList(dst, snap.Index, query, warnings)}, ""
		})
		res.link = links()
		return res, nil
	}
	return s.reps.respondSource(req, source{kind: fromList, list: query}, func(plain *representation) {
		plain.tag, plain.link = listTag(snap.Identity, query), links()
	}), nil
}

// listSlugs answers with the listings that have the requested slugs.
func (s *Server) listSlugs(req *request, query api.ListQuery, warnings []api.Warning) *response {
	list := listTag(req.snapshot.Identity, query)
	tag := tagOf(appendWarnings(appendText([]byte("slugs "+list), query.Slugs), warnings))
	res := s.reps.respondFresh(req, tag, func(dst []byte) (search.Answer, string) {
		slugs, former := req.snapshot.Index.PresentSlugs("slugs", strings.Split(query.Slugs, ",")...)
		warnings = append(warnings, former...)
		appendListings := req.snapshot.Index.AppendListings
		if query.Brief {
			appendListings = req.snapshot.Index.AppendBriefListings
		}
		list, n, unknown := appendListings(append(dst, `{"projects":[`...), slugs)
		for _, slug := range unknown {
			message := "No listing has the slug " + strconv.Quote(slug) + "."
			if near := req.snapshot.Index.NearSlugs(slug, 1); len(near) > 0 {
				message += " The nearest is " + strconv.Quote(near[0]) + "."
			}
			warnings = append(warnings, api.Warning{Code: api.WarnUnknownSlug, Parameter: "slugs", Message: message})
		}
		return search.Answer{JSON: appendListEnd(list, n, &query, warnings)}, ""
	})
	slugs := strings.ReplaceAll(url.QueryEscape(query.Slugs), "%2C", ",")
	address := req.snapshot.Settings.URL(api.PathProjects) + "?" + briefParameter(query.Brief)
	only := "<" + address + "slugs=" + slugs + ">"
	if res.link = only + `; rel="first", ` + only + `; rel="last"`; len(res.link) > maxLink {
		res.link = ""
	}
	return res
}

// briefParameter returns the part of an address that asks for brief answers, or "".
func briefParameter(isBrief bool) string {
	if !isBrief {
		return ""
	}
	return "view=" + api.ViewBrief + "&"
}

// appendList appends a page of the list as an api.ProjectList or api.BriefList.
func appendList(dst []byte, ix *search.Index, q api.ListQuery, warnings []api.Warning) []byte {
	appendPage := ix.AppendList
	if q.Brief {
		appendPage = ix.AppendBriefList
	}
	dst = appendPage(append(dst, `{"projects":[`...), q.Offset, q.Limit)
	return appendListEnd(dst, ix.Len(), &q, warnings)
}

// appendListEnd appends the rest of a list, after its projects.
func appendListEnd(dst []byte, total int, q *api.ListQuery, warnings []api.Warning) []byte {
	dst = strconv.AppendInt(append(dst, `],"total":`...), int64(total), 10)
	dst = strconv.AppendInt(append(dst, `,"limit":`...), int64(q.Limit), 10)
	dst = strconv.AppendInt(append(dst, `,"offset":`...), int64(q.Offset), 10)
	dst = api.AppendWarnings(append(dst, `,"warnings":`...), warnings)
	return append(dst, '}')
}

// maxLink bounds a Link header, in bytes. Some readers cut off, or refuse, longer ones.
const maxLink = 2000

// linkRelations lists the relations of links to pages of results. If the header is too long with some, it has
// the next.
var linkRelations = [][]string{{"first", "prev", "next", "last"}, {"prev", "next"}, {"next"}, {"first"}}

// pageLinks returns the Link header of a page of results (RFC 8288). It links to the first,
// previous, next and last pages, in steps of limit from offset. For a page beyond the end, prev is
// the last page. Pages that begin beyond maxOffset are left out, and so are links for which the header has no
// room: see linkRelations. limit and offset are appended to address, which ends with ? or &.
func pageLinks(address string, limit, offset, total, maxOffset int) string {
	last := offset % limit // the lowest offset in these steps
	if last < total {
		last += (total - 1 - last) / limit * limit
	} else {
		last = 0
	}
	begins := func(relation string) int { // -1 for no such page
		switch {
		case relation == "first":
			return 0
		case relation == "prev" && offset > 0:
			return max(0, min(last, offset-limit))
		case relation == "next" && offset < last:
			return offset + limit
		case relation == "last":
			return last
		}
		return -1
	}
	for _, relations := range linkRelations {
		links := make([]byte, 0, len(relations)*(len(address)+40))
		for _, relation := range relations {
			if at := begins(relation); at >= 0 && at <= maxOffset {
				links = appendPageLink(links, address, limit, at, relation)
			}
		}
		if len(links) > 0 && len(links) <= maxLink {
			return string(links)
		}
	}
	return ""
}

func appendPageLink(links []byte, address string, limit, offset int, relation string) []byte {
	if len(links) > 0 {
		links = append(links, ", "...)
	}
	links = append(append(append(links, '<'), address...), "limit="...)
	links = append(strconv.AppendInt(links, int64(limit), 10), "&offset="...)
	links = append(strconv.AppendInt(links, int64(offset), 10), `>; rel="`...)
	return append(append(links, relation...), '"')
}

// searchAddress returns the address of a search without its limit and offset.
func searchAddress(settings *site.Settings, parameters []api.Parameter, q *api.SearchQuery) string {
	var b strings.Builder
	b.Grow(256) // most addresses are shorter
	b.WriteString(settings.URL(api.PathSearch))
	b.WriteByte('?')
	add := func(name string, values ...string) {
		if len(values) == 0 || values[0] == "" {
			return
		}
		b.WriteString(name)
		for i, value := range values {
			b.WriteByte("=,"[min(i, 1)])
			b.WriteString(url.QueryEscape(value))
		}
		b.WriteByte('&')
	}
	add("q", q.Q)
	for i := range parameters {
		add(parameters[i].Name, q.Filters.Texts(parameters[i].Name)...)
	}
	add("sort", q.Sort)
	if q.NoFacets && !q.Brief {
		add("facets", "0")
	}
	if q.AsSpelt {
		add("correct", "0")
	}
	add("lang", q.Lang)
	b.WriteString(briefParameter(q.Brief))
	return b.String()
}

// getProject answers with a listing, or redirects from a former slug.
func (s *Server) getProject(req *request) (*response, error) {
	if req.file.name != "" { // a JSON page
		return s.sendFile(req)
	}
	ix, slug := req.snapshot.Index, req.slug
	if req.r.URL.RawQuery != "" {
		isBrief, wrong := api.ParseProject(req.r.URL.RawQuery)
		if len(wrong) > 0 {
			return nil, api.NewInvalidParameters(wrong)
		}
		if _, unknown := ix.Find([]string{slug}); isBrief && len(unknown) == 0 {
			return s.briefProject(req), nil
		}
	}
	if res := s.reps.respondSource(req, source{kind: fromProject, name: slug}, nil); res != nil {
		return res, nil
	}
	former, isFile := strings.CutSuffix(slug, ".json")
	present, ok := ix.PresentSlug(former)
	if !ok {
		return nil, api.NewUnknownProject(ix.NearSlugs, slug)
	}
	if isFile {
		present += ".json"
	}
	return redirectMoved(req, api.PathProjects+"/"+present), nil
}

// briefProject answers with the brief form of a listing, which there is.
func (s *Server) briefProject(req *request) *response {
	tag := tagOf(appendText(appendText([]byte("brief project "), req.snapshot.Identity), req.slug))
	return s.reps.respondFresh(req, tag, func(dst []byte) (search.Answer, string) {
		body, err := briefProjectJSON(req.snapshot, req.slug)
		if err != nil { // cannot happen: the build made this JSON
			panic(err)
		}
		return search.Answer{JSON: append(dst, body...)}, ""
	})
}

// briefProjectJSON returns the JSON of the api.BriefProject of a listing.
func briefProjectJSON(snap *snapshot.Snapshot, slug string) ([]byte, error) {
	detail, _ := snap.Index.AppendProject(nil, slug)
	var p api.ProjectDetail
	if err := json.Unmarshal(detail, &p); err != nil {
		return nil, err
	}
	hit, _, _ := snap.Index.AppendBriefListings(nil, []string{slug})
	brief, err := p.BriefProject(hit, snap.Index.Taxonomy().Facts)
	if err != nil {
		return nil, err
	}
	return api.ProjectJSON(&snap.Settings, brief)
}

// searchCatalog answers a search. Answers are not cached, because few people search for the same
// thing.
func (s *Server) searchCatalog(req *request) (*response, error) {
	snap := req.snapshot
	parameters := snap.Index.Parameters()
	query, warnings, wrong := api.ParseSearch(req.r.URL.RawQuery, parameters)
	if len(wrong) > 0 {
		return nil, api.NewInvalidParameters(wrong)
	}
	tag := searchTag(snap.Identity, parameters, &query, warnings)
	return s.reps.respondFresh(req, tag, func(dst []byte) (search.Answer, string) {
		s.metrics.searches.Inc()
		answer := snap.Index.Search(dst, query, warnings...)
		address := searchAddress(&snap.Settings, parameters, &query)
		return answer, pageLinks(address, query.Limit, query.Offset, answer.Total, api.MaxSearchOffset)
	}), nil
}

// searchTag returns the tag of the answer to a query. The answer depends only on the snapshot, the
// parsed query and the warnings, which name unknown parameters.
func searchTag(snapshot string, parameters []api.Parameter, q *api.SearchQuery, warnings []api.Warning) string {
	var room [512]byte
	b := appendText(append(room[:0], "search "...), snapshot)
	b = appendText(b, q.Q)
	for i := range parameters {
		if parameters[i].IsFilter() {
			texts := q.Filters.Texts(parameters[i].Name)
			b = appendNumber(b, len(texts))
			for _, text := range texts {
				b = appendText(b, text)
			}
		}
	}
	b = appendNumber(appendNumber(appendText(b, q.Sort), q.Limit), q.Offset)
	if q.NoFacets {
		b = append(b, "-facets "...)
	}
	if q.AsSpelt {
		b = append(b, "-correct "...)
	}
	b = appendText(b, q.Lang)
	if q.Brief {
		b = append(b, "brief "...)
	}
	return tagOf(appendWarnings(b, warnings))
}

func appendWarnings(dst []byte, warnings []api.Warning) []byte {
	for _, w := range warnings {
		dst = appendText(appendText(appendText(dst, w.Code), w.Parameter), w.Message)
	}
	return dst
}

// listTag returns the tag of a page of the list. The page depends only on the snapshot, the limit,
// the offset and the view.
func listTag(snapshot string, q api.ListQuery) string {
	kind := "list "
	if q.Brief {
		kind = "brief list "
	}
	return tagOf(appendNumber(appendNumber(appendText([]byte(kind), snapshot), q.Limit), q.Offset))
}

// appendText appends a text preceded by its length, so that different lists of texts never give the
// same bytes.
func appendText(dst []byte, text string) []byte {
	return append(appendNumber(dst, len(text)), text...)
}

func appendNumber(dst []byte, n int) []byte { return append(strconv.AppendInt(dst, int64(n), 10), ' ') }

// sendOpenAPI answers with the description of the API.
func (s *Server) sendOpenAPI(req *request) (*response, error) {
	return s.reps.respondSource(req, source{kind: fromOpenAPI}, nil), nil
}
