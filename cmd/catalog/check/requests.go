package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
)

// request is one thing that a site serves.
type request struct {
	name, address string
	post          string // what is posted; "" for GET
	mediaType     string // "" for any
	contains      string
	fields        []headers.Field // headers that the answer must have
	again         bool            // what the client has must not be sent again
	do            string          // what to do if it is not there; "" for the usual
	missing       bool            // it must be missing
	optional      bool            // it may be missing
	ofServer      bool            // the search server answers
}

// Names of checks whose answers are compared.
const (
	lines, list, project  = "catalog.jsonl", "projects/index.json", "projects/SLUG.json"
	served, servedProject = "projects", "projects/SLUG"
	servedLines           = "catalog.jsonl of the server"
	sitemap, ready        = "sitemap.xml", "readyz"
)

var (
	pathNewest = strings.NewReplacer("{order}", "newest", "{page}", "1").Replace(api.PathList)
	// assetForms are the forms of the names of assets. Each script names those after it.
	assetForms = []*regexp.Regexp{assetForm("style", "css"), assetForm("app", "js"), assetForm("search", "js"),
		assetForm("search", "wasm.lzma"), assetForm("search", "idx.lzma")}
	// readable is the header that lets pages of other sites read an answer.
	readable = headers.Field{Name: "Access-Control-Allow-Origin", Value: "*"}
	// namesLanguages is in the home page of a site in several languages.
	namesLanguages = []byte(" hreflang=")
	cached         = headers.Field{Name: "Cache-Control", Value: headers.CacheControl}
	forever        = headers.Field{Name: "Cache-Control", Value: headers.CacheForever}
)

func assetForm(name, extension string) *regexp.Regexp {
	return regexp.MustCompile(name + `-[0-9a-f]{12}\.` + regexp.QuoteMeta(extension))
}

// at returns the request of a file of the build output, or of a path of the API.
func at(base, name, path, contains string, fields ...headers.Field) request {
	file, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "?")
	if file == "" || strings.HasSuffix(file, "/") {
		file += "index.html"
	}
	r := request{name: name, address: base + path, contains: contains, fields: fields}
	r.mediaType = headers.ContentType(file)
	if strings.HasPrefix(path, "/api/") {
		r.fields = append(r.fields, readable)
		if r.mediaType == headers.UnknownType {
			r.mediaType = "application/json"
		}
	}
	return r
}

// requests returns everything that the site must serve by its settings.
func (s *session) requests() []request {
	file := func(name, path, contains string, fields ...headers.Field) request {
		return at(s.base, name, path, contains, fields...)
	}
	home := file("home", "/", "<h1", cached)
	if s.settings.BaseURL != "" { // otherwise the settings are not known, and the check of index.json says why
		home.fields = append(headers.Page(&s.settings), cached)
	}
	if strings.HasPrefix(s.base, "https:") {
		home.fields = append(home.fields, headers.Field{Name: "Strict-Transport-Security"})
	}
	missing := file("a missing page", "/no-page-has-this-address/", "")
	security := file("security.txt", "/.well-known/security.txt", "Expires:")
	projects := file(list, api.FilePath(api.PathProjects), `"projects":[`, cached)
	home.again, projects.again, missing.missing, security.optional = true, true, true, true
	requests := []request{
		home, file("newest", "/newest/", "<h1"), missing,
		file(headers.WorkerFile, "/"+headers.WorkerFile, "", headers.Field{Name: "Cache-Control",
			Value: headers.CacheRevalidated}),
		file("favicon.ico", "/favicon.ico", ""), file("site.webmanifest", "/site.webmanifest", `"start_url"`),
		file("feed.xml", "/feed.xml", "<feed"), file(sitemap, "/sitemap.xml", "sitemaps.org/schemas/sitemap"),
		file("robots.txt", "/robots.txt", "Sitemap: "), file("llms.txt", "/llms.txt", "# "),
		file("llms-full.txt", "/llms-full.txt", "# "), security,
		file("api-catalog", headers.PathAPICatalog, `"linkset"`, readable),
		file("index.json", api.FilePath(api.PathIndex), `"links":[`),
		file("openapi.json", api.FilePath(api.PathOpenAPI), `"openapi":"3.`),
		file("taxonomy.json", api.FilePath(api.PathTaxonomy), `"categories":[`),
		file("lists/newest/1.json", pathNewest, `"projects":[`), projects,
		file(lines, api.PathCatalogLines, `"schemaVersion":`),
	}
	if slug := s.newest.Slug; slug != "" {
		page := "/" + api.FolderProjects + "/" + slug + "/"
		requests = append(requests, file("listing", page, "<h1"),
			file("listing as Markdown", page+"index.html.md", "# "),
			file("embed", "/"+headers.EmbedFolder+slug+"/", "", headers.Embed(&s.settings)[0]),
			file(project, api.FilePath(api.PathProjects+"/"+slug+".json"), `"slug":"`+slug+`"`))
	}
	if s.settings.HasSearch() {
		requests = append(requests, file("opensearch.xml", "/opensearch.xml", "<OpenSearchDescription"))
	}
	for _, path := range s.assets {
		requests = append(requests, file(strings.TrimPrefix(path, "/assets/"), path, "", forever))
	}
	if bytes.Contains(s.home.body, namesLanguages) {
		requests = append(requests, file("languages.json", api.PathLanguages, `"languages":[{`))
	}
	for _, l := range s.languages[min(1, len(s.languages)):] {
		requests = append(requests, s.languageRequests(l.Language)...)
	}
	if s.server == "" {
		return requests
	}
	return append(requests, s.serverRequests()...)
}

// languageRequests returns the requests of a further language: one of each kind that hosts and proxies may treat
// otherwise below its path.
func (s *session) languageRequests(lang string) []request {
	path := "/" + url.PathEscape(lang)
	settings := s.settings.In(lang)
	missing := at(s.base, lang+": a missing page", path+"/no-page-has-this-address/", "")
	missing.missing = true
	requests := []request{
		at(s.base, lang+": home", path+"/", "<h1", append(headers.Page(&settings), cached)...), missing,
		at(s.base, lang+": llms.txt", path+"/llms.txt", "# "),
		{name: lang + ": index.json", address: s.base + path + api.FilePath(api.PathIndex),
			mediaType: "application/json", contains: `"links":[`, fields: []headers.Field{readable}},
	}
	if s.newest.Slug != "" {
		requests = append(requests, at(s.base, lang+": embed", path+"/"+headers.EmbedFolder+s.newest.Slug+"/", "",
			headers.Embed(&settings)[0]))
	}
	if s.server != "" {
		requests = append(requests, request{name: lang + ": search",
			address: s.server + path + api.PathSearch + "?limit=1", mediaType: "application/json", contains: `"hits":[`, fields: []headers.Field{readable, cached},
			do: "let the proxy pass this path to catalog serve, too"})
	}
	return requests
}

// serverRequests returns the requests of the search server, and of the files that lead to it.
func (s *session) serverRequests() []request {
	hello := request{name: "mcp", address: s.server + "/mcp", contains: `"serverInfo"`, post: `{"jsonrpc":"2.0","id":1,` +
		`"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":` +
		`"catalog-check","version":"1"}}}`}
	hits, query := `"hits":[`, api.PathSearch+"?limit=1&q="+url.QueryEscape(s.newest.Name)
	files := []request{
		at(s.base, "ai-catalog.json", headers.PathAICatalog, `"entries"`, readable),
		at(s.base, "server-card.json", headers.PathServerCard, `"remotes"`, readable),
		at(s.base, "server.json", headers.PathRegistryEntry, `"remotes"`, readable),
		at(s.base, "skills", "/"+headers.SkillsFolder+"index.json", `"skills"`, readable),
	}
	requests := []request{
		at(s.server, served, api.PathProjects+"?limit=1", `"total":`), hello,
		{name: "healthz", address: s.server + "/healthz", mediaType: "text/plain", contains: "ok"},
		{name: ready, address: s.server + "/readyz", mediaType: "text/plain", contains: "ok\n"},
	}
	if s.newest.Slug != "" {
		hits += "{"
		requests = append(requests, at(s.server, servedProject, api.PathProjects+"/"+s.newest.Slug, `"slug":`))
	}
	requests = append(requests, at(s.server, "search", query, hits, cached))
	if s.server != s.base {
		all := at(s.server, servedLines, api.PathCatalogLines, `"schemaVersion":`)
		all.optional = true // a proxy may pass only searches
		requests = append(requests, all)
	}
	for i := range requests {
		requests[i].ofServer = true
		requests[i].do = "let the proxy pass this path to catalog serve; without one, build with search: browser " +
			"or none"
	}
	return append(files, requests...)
}

// level returns the level of a wrong header or type. Our server sends all. Many static hosts cannot.
func (s *session) level(r *request) string {
	if r.ofServer || s.server == s.base {
		return Error
	}
	return Warning
}

// sameTypes maps other names of media types to ours.
var sameTypes = map[string]string{
	"application/javascript": "text/javascript", "image/vnd.microsoft.icon": "image/x-icon",
}

// judge compares an answer with what it must be. It returns a finding for each mistake, or one that there is none. Of
// mistakes that follow from another, only the first is told.
func (s *session) judge(ctx context.Context, r *request, a *answer) (found []Finding) {
	wrong := func(level, do, seen string, args ...any) {
		found = append(found, Finding{level, r.name, r.address, fmt.Sprintf(seen, args...), do})
	}
	do := cmp.Or(r.do, "upload the whole build output again, and look at the rules of the host or proxy")
	mediaType, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	want, _, _ := mime.ParseMediaType(r.mediaType)
	mediaType = cmp.Or(sameTypes[mediaType], mediaType)
	isHTML := mediaType == "text/html" || want == "text/html"
	switch {
	case a.err != nil:
		return []Finding{a.failure(r.name)}
	case r.missing && a.status != http.StatusNotFound:
		wrong(Error, "let the host answer 404.html with status 404 where there is no file",
			"%d instead of 404", a.status)
	case r.missing || r.optional && a.status == http.StatusNotFound:
	case a.status == http.StatusTooManyRequests:
		wait := cmp.Or(a.header.Get("Retry-After"), "60")
		if _, err := strconv.Atoi(wait); err != nil { // it is a date
			wait = "until " + wait
		} else {
			wait += " seconds"
		}
		wrong(Error, "wait "+wait+", and check again",
			"429: the allowance of this machine is used up")
	case a.status != http.StatusOK:
		wrong(Error, do, "%d instead of 200", a.status)
	case want != "" && want != mediaType && (isHTML || s.level(r) == Error):
		wrong(Error, do, "the type is %q instead of %q", mediaType, want)
	case strings.HasSuffix(want, "json") && !json.Valid(a.body):
		wrong(Error, do, "this is not JSON: %.60q", a.body)
	case !bytes.Contains(a.body, []byte(r.contains)):
		wrong(Error, do, "%q is not in it, which begins with %.60q", r.contains, a.body)
	default:
		if want != "" && want != mediaType { // many static hosts know few types
			wrong(Warning, "take the type from the file _headers of the build output",
				"the type is %q instead of %q", mediaType, want)
		}
		for _, field := range r.fields {
			s.judgeHeader(r, field, strings.Join(a.header.Values(field.Name), ", "), wrong)
		}
		if r.again {
			s.judgeAgain(ctx, r, a, wrong)
		}
	}
	if len(found) == 0 {
		wrong(OK, "", "%d %s, %s", a.status, mediaType, api.Count(len(a.body), "byte"))
	}
	return found
}

// judgeHeader compares a header. A field without a value must be there.
func (s *session) judgeHeader(r *request, field headers.Field, got string, wrong func(string, string, string, ...any)) {
	level, do := s.level(r), "take the header from the file _headers of the build output"
	if field.Name == "Cache-Control" || field.Name == "Strict-Transport-Security" {
		level = Warning // a proxy or CDN may know better
	}
	if r.ofServer || s.server == s.base {
		do = "let the proxy pass the header of catalog serve"
	}
	switch {
	case got == "" && field.Value == "":
		wrong(level, "let the proxy send it, such as max-age=31536000", "the header %s is missing", field.Name)
	case got == "":
		wrong(level, do, "the header %s is missing", field.Name)
	case s.searchOrigin != "" && strings.Contains(field.Value, s.searchOrigin) && !connects(got, s.searchOrigin):
		wrong(Error, do, "the header %s is %q: browsers do not let pages ask %s", field.Name, got, s.searchOrigin)
	case field.Value != "" && s.withoutOwn(got) != s.withoutOwn(field.Value):
		wrong(level, do, "the header %s is %q instead of %q", field.Name, got, field.Value)
	}
}

// withoutOwn removes from a policy the origin of the pages next to 'self', which is the same. It is there if search_url
// is base_url.
func (s *session) withoutOwn(policy string) string {
	return strings.ReplaceAll(policy, "'self' "+originOf(s.settings.BaseURL), "'self'")
}

// connects reports whether pages with a Content-Security-Policy may ask an origin.
func connects(policy, origin string) bool {
	var allowed []string
	for directive := range strings.SplitSeq(policy, ";") {
		words := strings.Fields(directive)
		if len(words) > 0 && (words[0] == "connect-src" || words[0] == "default-src" && allowed == nil) {
			allowed = words
		}
	}
	scheme, _, _ := strings.Cut(origin, "//")
	return allowed == nil || slices.ContainsFunc(allowed, func(word string) bool {
		return word == origin || word == scheme || word == "*"
	})
}

// judgeAgain asks again with the ETag of an answer or, without one, with its day.
func (s *session) judgeAgain(
	ctx context.Context, r *request, a *answer, wrong func(string, string, string, ...any),
) {
	name, value := "If-None-Match", a.header.Get("ETag")
	if value == "" {
		name, value = "If-Modified-Since", a.header.Get("Last-Modified")
	}
	const do = "let the host or proxy send ETag, and compare If-None-Match"
	if value == "" {
		wrong(s.level(r), do, "it has neither ETag nor Last-Modified, so that each visit loads it again")
		return
	}
	if again := s.get(ctx, a.address, name, value); again.err == nil && again.status != http.StatusNotModified {
		wrong(s.level(r), do, "a second request with %s is answered %d instead of 304", name, again.status)
	}
}
