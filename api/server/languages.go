package server

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"catalog.example/api"
)

// A site in several languages has a snapshot for each. What is below the path of a language, such as /de/, is
// answered from its snapshot, as if that path belonged to the base address. The parameter in chooses the snapshot for
// one answer of the API.

// inLanguage takes the snapshot of the language whose path the request begins with, and returns the request with its
// path below that.
func (req *request) inLanguage(r *http.Request) *http.Request {
	lang, rest, isBelow := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	other := req.snapshot.Languages[lang]
	if !isBelow || other == nil || other == req.snapshot {
		return r
	}
	req.snapshot = other
	return withPath(r, "/"+rest, cutSegments(r.URL.EscapedPath(), 1))
}

// chooseLanguage takes the snapshot of the language that the parameter in names. If its value is wrong, the answer
// names what else is wrong, too.
func chooseLanguage(req *request, next handler) (*response, error) {
	languages := req.snapshot.Languages
	if languages == nil || req.file.name != "" {
		return next(req)
	}
	lang, rest, wrong := api.CutLanguage(req.r.URL.RawQuery, slices.Sorted(maps.Keys(languages)))
	if len(rest) < len(req.r.URL.RawQuery) {
		req.r = withPath(req.r, req.r.URL.Path, req.r.URL.RawPath)
		req.r.URL.RawQuery = rest
	}
	asked := req.snapshot
	if other := languages[lang]; other != nil {
		req.snapshot = other
	}
	res, err := next(req)
	if err != nil {
		req.snapshot = asked // problems are the same in all languages
	}
	if len(wrong) == 0 {
		return res, err
	}
	if others, ok := errors.AsType[*api.Problem](err); ok {
		wrong = slices.Concat(wrong, others.Errors)
	}
	return nil, api.NewInvalidParameters(wrong)
}
