package server

import (
	"errors"
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

// inChosenLanguage returns a handler that takes the snapshot of the language which the parameter in names, and then
// calls next. If the value is wrong, the answer names what else is wrong, too.
func inChosenLanguage(next handler) handler {
	return func(req *request) (*response, error) {
		languages := req.snapshot.Languages
		if languages == nil || req.file.name != "" {
			return next(req)
		}
		lang, rest, wrong := api.CutLanguage(req.r.URL.RawQuery, req.snapshot.LanguageParameter)
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
}
