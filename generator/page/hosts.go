package page

import (
	"fmt"
	"regexp"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/site"
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
	fmt.Fprintf(&out, "%s/*\n", s.View.Base)
	all := headers.Page(&s.Settings)
	for _, h := range append(all, headers.Field{Name: "X-Content-Type-Options", Value: "nosniff"}) {
		fmt.Fprintf(&out, "  %s: %s\n", h.Name, h.Value)
	}
	for _, set := range s.sites() {
		s.headersOf(&out, &set)
	}
	return s.write("_headers", []byte(out.String()))
}

// sites returns the settings of the site in each of its languages.
func (s hostFiles) sites() []site.Settings {
	list := []site.Settings{s.Settings}
	for _, lang := range s.Settings.Languages {
		list = append(list, s.Settings.In(lang))
	}
	return list
}

// headersOf writes the rules for the files of the site in one language.
func (s hostFiles) headersOf(out *strings.Builder, set *site.Settings) {
	rule := func(path string, fields ...headers.Field) {
		fmt.Fprintf(out, "%s%s\n", set.BasePath(), path)
		for _, h := range fields {
			fmt.Fprintf(out, "  %s: %s\n", h.Name, h.Value)
		}
	}
	frameRule(out, set)
	exposed := headers.ExposedHeaders
	if !set.HasServer() {
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
	rule("/", headers.Field{Name: "Link", Value: headers.Links(set)})
	for _, path := range []string{
		"/*.jsonl", "/favicon.ico", "/llms.txt", "/llms-full.txt", "/*.md", headers.PathAPICatalog,
		"/feed.xml", "/:page/feed.xml", "/:list/:slug/feed.xml", render.OpenSearchPath, render.ManifestPath,
	} {
		// The rules of the main language with these patterns are for all languages.
		isForAll := strings.HasPrefix(path, "/*") || path == "/feed.xml" || path == "/:page/feed.xml"
		if (path != render.OpenSearchPath || set.HasSearch()) && (!isForAll || set.Lang == s.Settings.Lang) {
			rule(path, headers.Field{Name: "Content-Type", Value: headers.ContentType(path[1:])})
		}
	}
	if set.HasServer() {
		for _, path := range []string{headers.PathAICatalog, headers.PathServerCard} {
			rule(path, headers.Field{Name: "Content-Type", Value: headers.ContentType(path[1:])})
		}
	}
}

// frameRule writes the rule for the pages that other sites may frame. On Cloudflare Pages, "!"
// removes what the rule for all pages set. deploy/HOSTS.md says what other hosts do.
func frameRule(out *strings.Builder, set *site.Settings) {
	all, policies := headers.Page(set), ""
	for i, h := range headers.Embed(set) {
		if h != all[i] {
			policies += fmt.Sprintf("  ! %s\n  %s: %s\n", h.Name, h.Name, h.Value)
		}
	}
	fmt.Fprintf(out, "%s/%s*\n%s", set.BasePath(), headers.EmbedFolder, policies)
}

// redirects writes the rules with which static hosts answer API paths without an
// extension.
func (s hostFiles) redirects() error {
	var out strings.Builder
	out.WriteString("# Paths of the API for static hosts. This file must be in the root of the site.\n")
	sites := s.sites()
	for i := range sites {
		s.apiRedirects(&out, &sites[i])
	}
	out.WriteString("" +
		`# Cloudflare Pages applies rules even if the file exists. This rule keeps it from looking for slug.json.json.
# Netlify does not apply rules if the file exists, and supports * only at the end of a path.
`)
	named := func(path string) string { return strings.ReplaceAll(path, "{slug}", ":slug") }
	for i := range sites {
		base := sites[i].BasePath()
		redirect(&out, base, api.PathProjects+"/*.json", base+api.PathProjects+"/:splat.json", 200)
		redirect(&out, base, named(api.PathProject), base+named(api.FilePath(api.PathProject)), 200)
	}
	for i := range sites {
		for _, m := range s.Content.Moves() { // last, because hosts limit the number of rules with patterns
			base := sites[i].BasePath()
			redirect(&out, base, "/"+m.From+"/*", base+"/"+m.To+"/:splat", 301)
		}
	}
	return s.write("_redirects", []byte(out.String()))
}

// redirect writes a rule of the file _redirects, from a path below base.
func redirect(out *strings.Builder, base, from, to string, status int) {
	fmt.Fprintf(out, "%s%s %s %d\n", base, from, to, status)
}

// apiRedirects writes the rules for the API of the site in one language, without those with patterns.
func (s hostFiles) apiRedirects(out *strings.Builder, set *site.Settings) {
	base := set.BasePath()
	for _, path := range []string{api.PathProjects, api.PathOpenAPI, api.PathIndex, api.PathTaxonomy} {
		redirect(out, base, path, base+api.FilePath(path), 200)
	}
	if set.SearchURL != "" {
		redirect(out, base, api.PathSearch, set.SearchURL+api.PathSearch, 302)
	}
	moves := s.Content.Moves()
	if len(moves) > 0 {
		out.WriteString("# Addresses that have changed.\n")
	}
	for _, m := range moves {
		if slug, ok := strings.CutPrefix(m.From, api.FolderProjects+"/"); ok {
			present := strings.TrimPrefix(m.To, api.FolderProjects+"/")
			redirect(out, base, api.PathProjects+"/"+slug, base+api.PathProjects+"/"+present, 301)
			redirect(out, base, api.PathProjects+"/"+slug+".json", base+api.PathProjects+"/"+present+".json", 301)
		}
	}
}

// moved writes the addresses that have changed as entries of a map for nginx and Caddy. The
// configurations in deploy/ include the file.
func (s hostFiles) moved() error {
	var nginx, caddy strings.Builder
	entry := func(from, to string) {
		for _, set := range s.sites() {
			base := set.BasePath()
			pattern := "~^" + regexp.QuoteMeta(base) + from
			fmt.Fprintf(&nginx, "%s(?<moved_rest>/.*|\\.json)?$ %s%s$moved_rest;\n", pattern, base, to)
			fmt.Fprintf(&caddy, "%s(/.*|\\.json)?$ %s%s${1}\n", pattern, base, to)
		}
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
