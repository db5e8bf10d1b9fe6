package render

import (
	"fmt"
	"regexp"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
)

// hostHeaders writes the rules with which static hosts such as Netlify and Cloudflare Pages
// set headers (contract 8). No two rules set the same header for a path, because hosts would
// join their values with a comma.
func (r *renderer) hostHeaders() error {
	var out strings.Builder
	out.WriteString("# Headers for static hosts. The host wants this file in the root of what it serves.\n")
	rule := func(path string, headers ...headers.Field) {
		fmt.Fprintf(&out, "%s%s\n", r.view.Base, path)
		for _, h := range headers {
			fmt.Fprintf(&out, "  %s: %s\n", h.Name, h.Value)
		}
	}
	contentType := func(value string) headers.Field { return headers.Field{Name: "Content-Type", Value: value} }
	rule("/*", append(headers.Page(&r.Settings), headers.Field{Name: "X-Content-Type-Options", Value: "nosniff"})...)
	exposed := headers.ExposedHeaders
	if !r.Settings.HasServer() {
		exposed = "ETag"
	}
	rule("/api/*",
		headers.Field{Name: "Access-Control-Allow-Origin", Value: "*"}, headers.Field{Name: "Access-Control-Expose-Headers", Value: exposed},
		headers.Field{Name: "Cache-Control", Value: headers.CacheControl})
	// Pages keep the host's default, which is to revalidate each time.
	// All have a hash in their names.
	rule("/assets/*", headers.Field{Name: "Cache-Control", Value: headers.CacheForever}, headers.Field{Name: "CDN-Cache-Control", Value: headers.CacheForever})
	rule("/", headers.Field{Name: "Link", Value: headers.Links(&r.Settings)})
	rule("/*.jsonl", contentType("application/jsonl"))
	rule("/favicon.ico", contentType("image/x-icon"))
	rule("/llms.txt", contentType("text/plain; charset=utf-8"))
	rule("/llms-full.txt", contentType("text/plain; charset=utf-8"))
	rule("/*.md", contentType("text/markdown; charset=utf-8"))
	rule(headers.PathAPICatalog, contentType(headers.TypeAPICatalog))
	rule("/feed.xml", contentType("application/atom+xml"))
	rule("/categories/:category/feed.xml", contentType("application/atom+xml"))
	if r.Settings.HasSearch() {
		rule(openSearchPath, contentType(openSearchDescriptionType))
	}
	rule(manifestPath, contentType("application/manifest+json"))
	return r.write("_headers", []byte(out.String()))
}

// hostRedirects writes the rules with which static hosts answer API paths without an
// extension (contract 8).
func (r *renderer) hostRedirects() error {
	var out strings.Builder
	out.WriteString("# Paths of the API for static hosts. The host wants this file in the root of what it serves.\n")
	rule := func(from, to string, status int) { fmt.Fprintf(&out, "%s%s %s %d\n", r.view.Base, from, to, status) }
	for _, path := range []string{api.PathProjects, api.PathOpenAPI, api.PathIndex, api.PathTaxonomy} {
		rule(path, r.view.Base+api.FilePath(path), 200)
	}
	if r.Settings.SearchURL != "" {
		rule(api.PathSearch, r.Settings.SearchURL+api.PathSearch, 302)
	}
	moves := r.Content.Moves()
	if len(moves) > 0 {
		out.WriteString("# Addresses that have changed.\n")
	}
	for _, m := range moves {
		if slug, ok := strings.CutPrefix(m.From, api.FolderProjects+"/"); ok {
			present := strings.TrimPrefix(m.To, api.FolderProjects+"/")
			rule(api.PathProjects+"/"+slug, r.view.Base+api.PathProjects+"/"+present, 301)
			rule(api.PathProjects+"/"+slug+".json", r.view.Base+api.PathProjects+"/"+present+".json", 301)
		}
	}
	out.WriteString("# Cloudflare Pages applies rules even where there is a file: this one keeps it from looking for slug.json.json.\n# Netlify does not, and knows no * before the end of a path.\n")
	rule(api.PathProjects+"/*.json", r.view.Base+api.PathProjects+"/:splat.json", 200)
	rule(strings.ReplaceAll(api.PathProject, "{slug}", ":slug"), r.view.Base+strings.ReplaceAll(api.FilePath(api.PathProject), "{slug}", ":slug"), 200)
	for _, m := range moves { // last, because hosts bound the number of rules with patterns
		rule("/"+m.From+"/*", r.view.Base+"/"+m.To+"/:splat", 301)
	}
	return r.write("_redirects", []byte(out.String()))
}

// movedPaths writes the addresses that have changed as entries of a map of nginx and of
// Caddy, which the configurations in deploy/ include.
func (r *renderer) movedPaths() error {
	var nginx, caddy strings.Builder
	entry := func(from, to string) {
		pattern := "~^" + regexp.QuoteMeta(r.view.Base) + from
		fmt.Fprintf(&nginx, "%s(?<moved_rest>/.*|\\.json)?$ %s%s$moved_rest;\n", pattern, r.view.Base, to)
		fmt.Fprintf(&caddy, "%s(/.*|\\.json)?$ %s%s${1}\n", pattern, r.view.Base, to)
	}
	for _, m := range r.Content.Moves() {
		entry("/"+m.From, "/"+m.To)
		if strings.HasPrefix(m.From, api.FolderProjects+"/") {
			entry("/api/v1/"+m.From, "/api/v1/"+m.To)
		}
	}
	if err := r.write("_moved.conf", []byte("# Addresses that have changed, for a map of nginx.\n"+nginx.String())); err != nil {
		return err
	}
	return r.write("_moved.caddy", []byte("# Addresses that have changed, for a map of Caddy.\n"+caddy.String()))
}
