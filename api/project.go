// Package api is the wire contract of the catalogue: the types that are sent as JSON, the
// parameters of requests, and the problems that answer wrong requests.
//
// The package takes values and query strings, and returns values and JSON. The generator writes
// these types into the build output, and the server reads them from there. So pages, static JSON
// and the server's answers cannot differ.
//
// A jsonschema tag is the description of a property in the OpenAPI document and in the JSON
// Schema of listings. Package openapi adds bounds and lists of values.
package api

import (
	"encoding/json"
	"strings"

	"catalog.example/api/hardware"
)

// The pattern of slugs, and the maximum lengths of a slug and a purpose in characters.
const (
	SlugPattern = "^[a-z0-9]+(-[a-z0-9]+)*$"
	MaxSlug     = 64
	MaxPurpose  = 160
)

// Project is a listing as it appears in lists.
//
// Every key is always present: an unknown fact is null, an empty list is []. The front matter of a
// listing has the same keys, except where a yaml tag says otherwise. `catalog fmt` writes the keys
// in the order of the fields.
type Project struct {
	// Slug identifies the listing in paths; see SlugPattern and MaxSlug. "index" is
	// reserved.
	Slug    string   `json:"slug" yaml:"-" jsonschema:"Identifier of the listing."`
	Name    string   `json:"name" jsonschema:"Display name."`
	Aliases []string `json:"aliases" jsonschema:"Other names that people type."`
	// Formerly lists former slugs, whose addresses redirect to the present one.
	Formerly []string `json:"-" yaml:"formerly"`
	// Purpose has at most MaxPurpose characters.
	Purpose string `json:"purpose" jsonschema:"What it is or does, in one sentence."`
	// Untranslated is nil in the main language, which has no such key; see site.Settings.HasKey.
	Untranslated []string `json:"untranslated,omitzero" yaml:"-" jsonschema:"The texts that have not been translated into the language of the answer: keys, such as purpose or fitNotes.caveats."`
	Jobs         []string `json:"jobs" jsonschema:"What it is good for, as a user would put it."`
	// Asks holds phrases of people who do not know the tool: they ask for its job, or complain
	// about the problem that it solves. These phrases are searched like Jobs, but not shown.
	Asks []string `json:"-" yaml:"asks"`
	// Category, AlsoIn and Platforms are slugs of the taxonomy.
	Category    string   `json:"category" jsonschema:"Home category: a value of the parameter category."`
	AlsoIn      []string `json:"alsoIn" jsonschema:"Other categories whose pages show the listing."`
	Topics      []string `json:"topics" jsonschema:"Lower-case keywords."`
	Platforms   []string `json:"platforms" jsonschema:"Platforms that it runs on: values of the parameter platform."`
	Language    *string  `json:"language" jsonschema:"Main programming language."`
	License     *string  `json:"license" jsonschema:"SPDX expression, or LicenseRef-… for terms outside SPDX."`
	OSIApproved *bool    `json:"osiApproved" jsonschema:"Whether the Open Source Initiative approves the licence; false for fair-code and non-commercial terms."`
	Stars       *int     `json:"stars" jsonschema:"Popularity count: attention, not quality. Null if there is no star data; such listings sort last."`
	// StarsAsOf is nil exactly when Stars is.
	StarsAsOf *Date    `json:"starsAsOf" jsonschema:"Day on which the stars were read; null if stars is null."`
	Replaces  []string `json:"replaces" jsonschema:"Proprietary products that it stands in for."`
	// FitNotes holds the facts that the taxonomy defines.
	FitNotes FactValues `json:"fitNotes" jsonschema:"Facts that decide whether it fits."`
	// Setups lists the hardware that uses of the tool need. In JSON, it is a fact of FitNotes.
	Setups   []hardware.Setup   `json:"-" yaml:"setups"`
	Estimate *hardware.Estimate `json:"estimate" jsonschema:"What an editor judges its main job to need, where its makers state nothing; null if there is no estimate. Call it an estimate."`
	// RunsWith holds slugs of listings.
	RunsWith     []string      `json:"runsWith" jsonschema:"Slugs of the listings that run its models, if its makers name other programs for that."`
	InstallLinks []InstallLink `json:"installLinks" jsonschema:"Where its makers document or publish it. Links only: hand them on, never invent a step."`
	// PageURL is {base_url}/projects/<slug>/.
	PageURL       string   `json:"pageUrl" yaml:"-" jsonschema:"Human-readable page of the listing."`
	RepositoryURL string   `json:"repositoryUrl" jsonschema:"Source repository of the project."`
	HomepageURL   *string  `json:"homepageUrl" jsonschema:"Its own site."`
	DocsURL       *string  `json:"docsUrl" jsonschema:"Its documentation."`
	Archived      *bool    `json:"archived" jsonschema:"Whether its repository is archived, or its makers have stopped."`
	AddedAt       Date     `json:"addedAt" jsonschema:"Day on which the listing was added to the catalogue."`
	CheckedAt     *Date    `json:"checkedAt" jsonschema:"Day on which somebody last read the facts at their sources."`
	CreatedAt     *Date    `json:"createdAt" jsonschema:"Day of the first commit."`
	UpdatedAt     *Date    `json:"updatedAt" jsonschema:"Day of the latest commit or release."`
	Release       *Release `json:"release" jsonschema:"The latest release."`
	// Upkeep says whether the tool was still worked on at UpkeepAsOf: one of UpkeepValues.
	Upkeep     *string `json:"upkeep" yaml:"-" jsonschema:"Whether it is worked on, as of upkeepAsOf."`
	UpkeepAsOf *Date   `json:"upkeepAsOf" yaml:"-" jsonschema:"Day on which somebody last looked for a commit or release."`
}

// Release is a release of a tool.
type Release struct {
	Version string `json:"version" jsonschema:"As its makers write it."`
	Date    Date   `json:"date" jsonschema:"Day of the release."`
}

// SearchFact returns the value of one of Taxonomy.SearchFacts.
func (p *Project) SearchFact(f *Fact) any {
	for i := range fieldFacts {
		if f == &fieldFacts[i].Fact {
			return fieldFacts[i].value(p)
		}
	}
	return p.FitNotes.Get(f.Key)
}

// InstallKinds lists the values of InstallLink.Kind.
var InstallKinds = []string{"docker", "pip", "npm", "brew", "binary", "installer", "helm", "source", "docs", "store",
	"extension"}

// InstallLink leads to one place where the makers document or publish a way to
// install the tool.
type InstallLink struct {
	// Kind is one of InstallKinds.
	Kind    string  `json:"kind" jsonschema:"What the link leads to."`
	Label   string  `json:"label" jsonschema:"Text of the link."`
	URL     string  `json:"url" jsonschema:"Where its makers document or publish it."`
	Command *string `json:"command" jsonschema:"The makers' own command on one line, quoted exactly from the page at url; null if there is none."`
	Clone   bool    `json:"clone" jsonschema:"True if the command works only in a clone of the repository: say so."`
}

// Installs reports whether the link leads to something to install, and not to the documentation or the
// source.
func (l *InstallLink) Installs() bool { return l.Kind != "docs" && l.Kind != "source" }

// Registries maps a kind of link to the prefixes of package addresses, without the scheme.
var Registries = map[string][]string{
	"pip": {"pypi.org/project/"}, "npm": {"www.npmjs.com/package/"}, "brew": {"formulae.brew.sh/formula/",
		"formulae.brew.sh/cask/"},
	"docker": {"hub.docker.com/r/", "hub.docker.com/_/"},
}

// Package returns the name of the package that the link leads to, such as "open-webui" on
// PyPI, or "" if it does not lead to a registry.
func (l *InstallLink) Package() string {
	for _, registry := range Registries[l.Kind] {
		if name, ok := strings.CutPrefix(l.URL, "https://"+registry); ok {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "/"), "#")
			return name
		}
	}
	return ""
}

// The second-level headings of a description. The text below HeadingElsewhere is not
// searched, because it says what the tool is not.
const (
	HeadingWhat      = "What it does"
	HeadingFit       = "Good fit if"
	HeadingElsewhere = "Look elsewhere if"
)

// Headings are the headings of a description, in order.
var Headings = []string{HeadingWhat, HeadingFit, HeadingElsewhere}

// ProjectDetail is the answer of getProject: a Project with the fields that are too long for a
// list.
type ProjectDetail struct {
	Project
	// Description links to other listings by absolute addresses.
	Description string `json:"description" yaml:"-" jsonschema:"The listing's text as Markdown source."`
	// Prose is the part of Description that a search reads. It has no markup, headings or
	// link addresses, and lacks the section under HeadingElsewhere.
	Prose   string   `json:"-"`
	Similar []string `json:"similar" yaml:"-" jsonschema:"Up to five slugs of similar listings, nearest first."`
	// Advisories is nil if nobody has looked. A catalogue without advisories in any listing lacks the key.
	Advisories *Advisories `json:"advisories" jsonschema:"Known vulnerabilities of its packages, as OSV tells of them; null if nobody has looked."`
	// Sources maps a field ("license", "fitNotes.docker") to the URL or citation that it
	// was read from, followed by the date in parentheses if it is known.
	Sources map[string]string `json:"sources" jsonschema:"For a field, the URL or citation it was read from, with its date where known."`
}

// Normalized returns the project with every nil list and map replaced by an empty one, so
// that none is encoded as null. It changes nothing that p points to.
func (p ProjectDetail) Normalized() ProjectDetail {
	for _, list := range []*[]string{&p.Aliases, &p.Jobs, &p.AlsoIn, &p.Topics, &p.Platforms, &p.Replaces, &p.RunsWith,
		&p.Similar} {
		if *list == nil {
			*list = []string{}
		}
	}
	if p.InstallLinks == nil {
		p.InstallLinks = []InstallLink{}
	}
	if p.Sources == nil {
		p.Sources = map[string]string{}
	}
	p.Advisories = p.Advisories.Completed()
	return p
}

// ProjectList is the answer of listProjects.
type ProjectList struct {
	// Projects holds the JSON of each Project, as the build wrote it.
	Projects []json.RawMessage `json:"projects" jsonschema:"The page of projects; empty past the end."`
	Total    int               `json:"total" jsonschema:"How many projects the catalogue has."`
	Limit    int               `json:"limit" jsonschema:"The limit that was applied."`
	Offset   int               `json:"offset" jsonschema:"The offset that was applied."`
	Warnings []Warning         `json:"warnings" jsonschema:"Unknown parameters that were ignored."`
}

// ListPage is one pre-sorted JSON page of the build output: a ProjectList that says which page of
// how many it is.
type ListPage struct {
	ProjectList
	Page  int     `json:"page" jsonschema:"The number of the page."`
	Pages int     `json:"pages" jsonschema:"How many pages there are."`
	Next  *string `json:"next" jsonschema:"Address of the next page; null on the last."`
}

// ListPageSize is the number of projects on a ListPage.
const ListPageSize = 50
