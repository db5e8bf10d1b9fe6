package page

import (
	"fmt"
	"regexp"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/generator/render"
)

// hostFiles writes the files that hosts read.
type hostFiles struct{ *catalog }

// headers writes the rules with which static hosts such as Netlify and Cloudflare Pages
// set headers. No two rules set the same header for a path, because hosts would
// join their values with a comma. The exception is frameRule.
func (s hostFiles) headers() error {
	var out strings.Builder
	out.WriteString("# Headers for static hosts. This file must be in the root of the site.\n")
	rule := func(path string, fields ...headers.Field) {
		fmt.Fprintf(&out, "%s%s\n", s.View.Base, path)
		for _, h := range fields {
			fmt.Fprintf(&out, "  %s: %s\n", h.Name, h.Value)
		}
	}
	rule("/*", append(headers.Page(&s.Settings), headers.Field{Name: "X-Content-Type-Options", Value: "nosniff"})...)
	s.frameRule(&out)
	exposed := headers.ExposedHeaders
	if !s.Settings.HasServer() {
		exposed = "ETag"
	}
	rule("/api/*",
		headers.Field{Name: "Access-Control-Allow-Origin", Value: "*"},
		headers.Field{Name: "Access-Control-Expose-Headers", Value: exposed},
		headers.Field{Name: "Cache-Control", Value: headers.CacheControl})
	rule(headers.WellKnown+"*", headers.Field{Name: "Access-Control-Allow-Origin", Value: "*"})
	// Pages keep the host's default, which is to revalidate each time.
	// All have a hash in their names.
	rule("/assets/*",
		headers.Field{Name: "Cache-Control", Value: headers.CacheForever},
		headers.Field{Name: "CDN-Cache-Control", Value: headers.CacheForever})
	rule("/"+headers.WorkerFile, headers.Field{Name: "Cache-Control", Value: headers.CacheRevalidated})
	rule("/", headers.Field{Name: "Link", Value: headers.Links(&s.Settings)})
	for _, path := range []string{
		"/*.jsonl", "/favicon.ico", "/llms.txt", "/llms-full.txt", "/*.md", headers.PathAPICatalog,
		"/feed.xml", "/:page/feed.xml", "/:list/:slug/feed.xml", render.OpenSearchPath, render.ManifestPath,
	} {
		if path != render.OpenSearchPath || s.Settings.HasSearch() {
			rule(path, headers.Field{Name: "Content-Type", Value: headers.ContentType(path[1:])})
		}
	}
	if s.Settings.HasServer() {
		for _, path := range []string{headers.PathAICatalog, headers.PathServerCard} {
			rule(path, headers.Field{Name: "Content-Type", Value: headers.ContentType(path[1:])})
		}
	}
	return s.write("_headers", []byte(out.String()))
}

// frameRule writes the rule for the pages that other sites may frame. On Cloudflare Pages, "!"
// removes what the rule for all pages set. deploy/HOSTS.md says what other hosts do.
func (s hostFiles) frameRule(out *strings.Builder) {
	all, policies := headers.Page(&s.Settings), ""
	for i, h := range headers.Embed(&s.Settings) {
		if h != all[i] {
			policies += fmt.Sprintf("  ! %s\n  %s: %s\n", h.Name, h.Name, h.Value)
		}
	}
	fmt.Fprintf(out, "%s/%s*\n%s", s.View.Base, headers.EmbedFolder, policies)
}

// redirects writes the rules with which static hosts answer API paths without an
// extension.
func (s hostFiles) redirects() error {
	var out strings.Builder
	out.WriteString("# Paths of the API for static hosts. This file must be in the root of the site.\n")
	rule := func(from, to string, status int) {
		fmt.Fprintf(&out, "%s%s %s %d\n", s.View.Base, from, to, status)
	}
	for _, path := range []string{api.PathProjects, api.PathOpenAPI, api.PathIndex, api.PathTaxonomy} {
		rule(path, s.View.Base+api.FilePath(path), 200)
	}
	if s.Settings.SearchURL != "" {
		rule(api.PathSearch, s.Settings.SearchURL+api.PathSearch, 302)
	}
	moves := s.Content.Moves()
	if len(moves) > 0 {
		out.WriteString("# Addresses that have changed.\n")
	}
	for _, m := range moves {
		if slug, ok := strings.CutPrefix(m.From, api.FolderProjects+"/"); ok {
			present := strings.TrimPrefix(m.To, api.FolderProjects+"/")
			rule(api.PathProjects+"/"+slug, s.View.Base+api.PathProjects+"/"+present, 301)
			rule(api.PathProjects+"/"+slug+".json", s.View.Base+api.PathProjects+"/"+present+".json", 301)
		}
	}
	out.WriteString("" +
		`# Cloudflare Pages applies rules even if the file exists. This rule keeps it from looking for slug.json.json.
# Netlify does not apply rules if the file exists, and supports * only at the end of a path.
`)
	rule(api.PathProjects+"/*.json", s.View.Base+api.PathProjects+"/:splat.json", 200)
	named := func(path string) string { return strings.ReplaceAll(path, "{slug}", ":slug") }
	rule(named(api.PathProject), s.View.Base+named(api.FilePath(api.PathProject)), 200)
	for _, m := range moves { // last, because hosts limit the number of rules with patterns
		rule("/"+m.From+"/*", s.View.Base+"/"+m.To+"/:splat", 301)
	}
	return s.write("_redirects", []byte(out.String()))
}

// moved writes the addresses that have changed as entries of a map for nginx and Caddy. The
// configurations in deploy/ include the file.
func (s hostFiles) moved() error {
	var nginx, caddy strings.Builder
	entry := func(from, to string) {
		pattern := "~^" + regexp.QuoteMeta(s.View.Base) + from
		fmt.Fprintf(&nginx, "%s(?<moved_rest>/.*|\\.json)?$ %s%s$moved_rest;\n", pattern, s.View.Base, to)
		fmt.Fprintf(&caddy, "%s(/.*|\\.json)?$ %s%s${1}\n", pattern, s.View.Base, to)
	}
	for _, m := range s.Content.Moves() {
		entry("/"+m.From, "/"+m.To)
		if strings.HasPrefix(m.From, api.FolderProjects+"/") {
			entry("/api/v1/"+m.From, "/api/v1/"+m.To)
		}
	}
	err := s.write("_moved.conf", []byte("# Addresses that have changed, for a map of nginx.\n"+nginx.String()))
	if err != nil {
		return err
	}
	return s.write("_moved.caddy", []byte("# Addresses that have changed, for a map of Caddy.\n"+caddy.String()))
}
