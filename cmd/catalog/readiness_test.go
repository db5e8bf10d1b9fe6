package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/headers"
)

// checkReadiness asks for everything in the table of the page for agents that lists what checks of
// agent readiness look for.
func (s *testSite) checkReadiness(t *testing.T) {
	get := func(target string, header ...string) reply { return s.do(t, http.MethodGet, target, header...) }
	robots := get("/robots.txt").body
	home := get("/")
	isJSON := func(target string, contains ...string) func() bool {
		return func() bool {
			r := get(target)
			isMissing := func(part string) bool { return !strings.Contains(r.body, part) }
			return r.status == http.StatusOK && json.Valid([]byte(r.body)) && !slices.ContainsFunc(contains, isMissing)
		}
	}
	has := func(text string, parts ...string) func() bool {
		return func() bool {
			return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
		}
	}
	absent := func(targets ...string) func() bool {
		return func() bool {
			return !slices.ContainsFunc(targets, func(target string) bool {
				return s.getUnchecked(t, target).status != http.StatusNotFound
			})
		}
	}
	checks := []struct {
		name string
		ok   func() bool
	}{
		{"robots.txt", has(robots, "User-agent: *\n", "Sitemap: ")},
		{"rules for AI bots", func() bool {
			return strings.Count(robots, "User-agent:") == 1 && strings.Contains(robots, "\nAllow: /\n") && !strings.Contains(robots, "Disallow")
		}},
		{"Content Signals", func() bool { return !strings.Contains(robots, "Content-Signal") }}, // TestRobots has those that are set
		{"sitemap", func() bool { return strings.Contains(get("/sitemap.xml").body, "<urlset") }},
		{"Link headers (RFC 8288)", has(home.header.Get("Link"), `rel="api-catalog"`, `rel="service-desc"`, "service-doc", "describedby")},
		{"Markdown by content negotiation", func() bool {
			return strings.HasPrefix(get("/", "Accept", "text/markdown").header.Get("Content-Type"), "text/markdown")
		}},
		{"llms.txt", func() bool { return strings.HasPrefix(get("/llms.txt").body, "# ") }},
		{"structured data", has(home.body, `<script type="application/ld+json">`)},
		{"content without JavaScript", func() bool {
			text := get("/categories/speech-to-text/").body
			return strings.Count(text, `href="/projects/`)+strings.Count(text, "href=/projects/") > 20
		}},
		{"API catalogue (RFC 9727)", isJSON(headers.PathAPICatalog, `"linkset"`)},
		{"OpenAPI description", isJSON("/api/v1/openapi", `"openapi":"3.1`)},
		{"MCP server", func() bool {
			tools, err := s.mcpClient(t).ListTools(t.Context(), nil)
			return err == nil && len(tools.Tools) > 0
		}},
		{"MCP Server Card (SEP-2127)", func() bool {
			card := get(headers.PathServerCard)
			same := get("/mcp/server-card").body == card.body
			return same && card.header.Get("Content-Type") == headers.TypeServerCard && card.header.Get("Access-Control-Allow-Origin") == "*" &&
				isJSON(headers.PathServerCard, s.base+"/mcp")() && isJSON(headers.PathAICatalog, s.base+headers.PathServerCard)()
		}},
		{"entry for MCP registries", isJSON(headers.PathRegistryEntry, "/server.schema.json", s.base+"/mcp")},
		{"Agent Skills", func() bool { return s.hasSkill(t) }},
		{"WebMCP", has(home.body, "/assets/app-")}, // TestShipped/browser calls the tools
		{"A2A agent card", absent("/.well-known/agent-card.json")},
		{"OAuth discovery", absent("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")},
		{"protected resource metadata", absent("/.well-known/oauth-protected-resource")},
		{"Web Bot Auth", absent("/.well-known/http-message-signatures-directory")},
		{"commerce (x402, MPP, UCP, ACP, AP2)", absent("/.well-known/ucp", "/.well-known/x402")},
	}
	_, table, _ := strings.Cut(readText(t, "../../content/pages/agents.md"), "| looked for | here |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) != len(checks) {
		t.Fatalf("the table has %d rows, and there are %d checks", len(rows), len(checks))
	}
	for i, c := range checks {
		if !strings.HasPrefix(rows[i], "| "+c.name+" | ") {
			t.Errorf("row %d is %q, want %q", i+1, rows[i], c.name)
		}
		if !c.ok() {
			t.Errorf("%s is not as the page for agents says", c.name)
		}
	}
}

// hasSkill follows the index of skills as an agent does: it checks the digest of the skill, and that
// its front matter says the same.
func (s *testSite) hasSkill(t *testing.T) bool {
	index := getJSON[struct {
		Schema string `json:"$schema"`
		Skills []struct{ Name, Type, Description, URL, Digest string }
	}](t, s, "/"+headers.SkillsFolder+"index.json")
	if len(index.Skills) != 1 || index.Schema != "https://schemas.agentskills.io/discovery/0.2.0/schema.json" {
		return false
	}
	skill := index.Skills[0]
	text := s.do(t, http.MethodGet, strings.TrimPrefix(skill.URL, s.base)).body
	sum := sha256.Sum256([]byte(text))
	return skill.Type == "skill-md" && skill.Digest == "sha256:"+hex.EncodeToString(sum[:]) &&
		regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(skill.Name) && len(skill.Name) <= 64 &&
		strings.HasPrefix(text, "---\nname: "+skill.Name+"\ndescription: \""+skill.Description+"\"\n---\n")
}
