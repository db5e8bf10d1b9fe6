package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// agentFiles writes the files by which agents find the search server: an AI catalog with the card of
// the MCP server, the entry for registries of MCP servers, and a skill. Without a search server there
// are none.
type agentFiles struct{ *catalog }

// aiCatalog is an AI Catalog 1.0 (https://github.com/Agent-Card/ai-catalog).
type aiCatalog struct {
	SpecVersion string           `json:"specVersion"`
	Entries     []aiCatalogEntry `json:"entries"`
}

type aiCatalogEntry struct {
	Identifier string `json:"identifier"`
	Type       string `json:"type"`
	URL        string `json:"url"`
}

// serverCard is an MCP Server Card (SEP-2127, as of 2026-07-24) and, with another schema, the
// server.json of the MCP Registry, which has the same fields.
type serverCard struct {
	Schema      string         `json:"$schema"`
	Name        string         `json:"name"` // reverse DNS
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Version     string         `json:"version"`
	WebsiteURL  string         `json:"websiteUrl"`
	Remotes     []serverRemote `json:"remotes"`
}

type serverRemote struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

const (
	cardSchema     = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
	registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
	skillsSchema   = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
	// maxCardText is the longest title and description that the schemas allow, in characters.
	maxCardText = 100
	// maxSkillName and maxSkillDescription are those of agentskills.io, in characters.
	maxSkillName, maxSkillDescription = 64, 1024
	// serverName is the name of the MCP server within the namespace of its host.
	serverName = "catalog"
)

// aiCatalog writes the AI catalog, which leads to the card.
func (s agentFiles) aiCatalog() error {
	return s.writeJSON(headers.PathAICatalog[1:], aiCatalog{"1.0", []aiCatalogEntry{{
		"urn:air:" + s.host() + ":mcp:" + serverName, headers.TypeServerCard, s.Settings.URL(headers.PathServerCard),
	}}})
}

func (s agentFiles) serverCard() error {
	return s.writeJSON(headers.PathServerCard[1:], s.card(cardSchema))
}

func (s agentFiles) registryEntry() error {
	return s.writeJSON(headers.PathRegistryEntry[1:], s.card(registrySchema))
}

func (s agentFiles) card(schema string) serverCard {
	description := s.Settings.Description
	if len([]rune(description)) > maxCardText {
		description = render.Shortened(description, maxCardText-1) + "…"
	}
	labels := strings.Split(s.host(), ".")
	slices.Reverse(labels)
	return serverCard{
		Schema: schema, Name: strings.Join(labels, ".") + "/" + serverName,
		Title:       render.Shortened(s.Settings.Title, maxCardText),
		Description: description,
		Version:     api.InterfaceVersion, WebsiteURL: s.Settings.URL("/"),
		Remotes: []serverRemote{{"streamable-http", s.Settings.SearchBase() + "/mcp"}},
	}
}

// host returns the host of the site without a port.
func (s agentFiles) host() string {
	u, err := url.Parse(s.Settings.BaseURL)
	if err != nil || u.Hostname() == "" {
		return "localhost"
	}
	return u.Hostname()
}

// skillIndex is an index of skills (Agent Skills Discovery 0.2.0).
type skillIndex struct {
	Schema string       `json:"$schema"`
	Skills []skillEntry `json:"skills"`
}

type skillEntry struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Digest      string `json:"digest"`
}

// skillName returns the name of the skill, of which an agent may have others.
func (s agentFiles) skillName() string {
	name := content.Slug(s.Settings.Title, s.Settings.Lang)
	if len(name) > maxSkillName {
		name = strings.TrimRight(name[:maxSkillName], "-")
	}
	return cmp.Or(name, serverName)
}

func (s agentFiles) skillFile() string { return headers.SkillsFolder + s.skillName() + "/SKILL.md" }

// skillView is the view of skill.md.
type skillView struct {
	Site         *render.SiteView
	Name, Quoted render.Markdown // the front matter; Quoted is the description as YAML
	// Addresses.
	Guide, Search, Project render.Markdown
	Shortlist              render.Markdown // what to return with each listing
	HasComputer            bool
}

// skills writes the skill and its index.
func (s agentFiles) skills() error {
	set, taxonomy := &s.Settings, &s.Content.Taxonomy
	description := render.Shortened(fmt.Sprintf("Finds what fits a %[3]s in %[1]s: %[2]s Use it when a user looks for"+
		" something of this kind, names a %[3]s or constraints, or asks for an alternative.",
		set.Title, set.Description, set.Wanted()), maxSkillDescription)
	quoted, err := api.JSON(description) // which is YAML, too
	if err != nil {
		return err
	}
	address := func(path string) render.Markdown { return render.Markdown(set.URL(path)) }
	hasSetups := func(f api.Fact) bool { return f.Kind == api.FactSetups }
	var text bytes.Buffer
	if err := s.Skill.Execute(&text, "skill.md", skillView{
		Site: &s.View, Name: render.Markdown(s.skillName()), Quoted: render.Markdown(quoted),
		Guide: address("/llms.txt"), Search: render.Markdown(set.SearchBase() + api.PathSearch),
		Project:     address(api.PathProject),
		Shortlist:   render.Markdown(cmp.Or(taxonomy.Words.Shortlist, "the facts that decide")),
		HasComputer: slices.ContainsFunc(taxonomy.Facts, hasSetups),
	}); err != nil {
		return err
	}
	if err := s.write(s.skillFile(), text.Bytes()); err != nil {
		return err
	}
	sum := sha256.Sum256(text.Bytes())
	return s.writeJSON(headers.SkillsFolder+"index.json", skillIndex{skillsSchema, []skillEntry{{
		s.skillName(), "skill-md", description, s.Settings.URL("/" + s.skillFile()),
		"sha256:" + hex.EncodeToString(sum[:]),
	}}})
}
