// Package api is the wire contract of the catalogue: the types that are sent as JSON, the
// parameters of requests, and the problems that answer wrong requests.
//
// It takes values and query strings, and returns values and JSON. The generator writes
// these types into the build output and the server reads them from it, so that pages,
// static JSON and answers of the server cannot differ.
//
// Section numbers in comments refer to the catalogue's API specification ("spec")
// and to the contract that completes it ("contract").
package api

import (
	"encoding/json"
	"strings"

	"catalog.example/api/hardware"
)

// The pattern of slugs, and the maximum lengths of a slug and a purpose in characters
// (contract 2).
const (
	SlugPattern = "^[a-z0-9]+(-[a-z0-9]+)*$"
	MaxSlug     = 64
	MaxPurpose  = 160
)

// Project is a listing as it appears in lists (spec 2, contract 2).
//
// Every key is always present: an unknown fact is null, an empty list is []. The front
// matter of a listing has the same keys, except those with another tag for YAML. `catalog
// fmt` writes them in the order of the fields.
type Project struct {
	// Slug identifies the listing in paths; see SlugPattern and MaxSlug. "index" is
	// reserved.
	Slug string `json:"slug" yaml:"-"`
	// Name is the display name.
	Name string `json:"name"`
	// Aliases are other names that people type.
	Aliases []string `json:"aliases"`
	// Formerly are former slugs: old addresses lead to the present one.
	Formerly []string `json:"-" yaml:"formerly"`
	// Purpose is one sentence of at most MaxPurpose characters: the job the tool does.
	Purpose string `json:"purpose"`
	// Jobs are the jobs to be done, in users' words.
	Jobs []string `json:"jobs"`
	// Asks are phrases with which people who do not know the tool ask for what it does, or
	// complain of what it ends (contract 12). They are searched like Jobs, and not shown.
	Asks []string `json:"-" yaml:"asks"`
	// Category is the slug of the listing's home category.
	Category string `json:"category"`
	// AlsoIn are slugs of other categories whose pages show the listing.
	AlsoIn []string `json:"alsoIn"`
	// Topics are lower-case keywords.
	Topics []string `json:"topics"`
	// Platforms are slugs of the platforms that the tool runs on.
	Platforms []string `json:"platforms"`
	// Language is the main programming language.
	Language *string `json:"language"`
	// License is an SPDX expression, or LicenseRef-… for terms outside SPDX.
	License *string `json:"license"`
	// OSIApproved is true if the Open Source Initiative approves the licence;
	// false for fair-code and non-commercial terms.
	OSIApproved *bool `json:"osiApproved"`
	// Stars is the popularity count (spec 2): attention, not quality. Null if the
	// listing has no star data; such listings sort last.
	Stars *int `json:"stars"`
	// StarsAsOf is the day the stars were read. Null exactly when Stars is.
	StarsAsOf *Date `json:"starsAsOf"`
	// Replaces names the proprietary products that the tool replaces.
	Replaces []string `json:"replaces"`
	// FitNotes are the facts that decide whether the tool fits, defined by the taxonomy.
	FitNotes FactValues `json:"fitNotes"`
	// Setups are what uses of the tool take. In JSON they are a fact of FitNotes.
	Setups []hardware.Setup `json:"-" yaml:"setups"`
	// Estimate is what an editor judges the main job of the tool to need; nil for none.
	Estimate *hardware.Estimate `json:"estimate"`
	// InstallLinks lead to where the makers document or publish the tool. Links
	// only: the catalogue never invents an install step (spec 1).
	InstallLinks []InstallLink `json:"installLinks"`
	// PageURL is the listing's human-readable page, {base_url}/projects/<slug>/.
	PageURL string `json:"pageUrl" yaml:"-"`
	// RepositoryURL is the project's source repository.
	RepositoryURL string `json:"repositoryUrl"`
	// HomepageURL is the project's own site.
	HomepageURL *string `json:"homepageUrl"`
	// DocsURL is the project's documentation.
	DocsURL *string `json:"docsUrl"`
	// Archived is true if upstream is archived or abandoned.
	Archived *bool `json:"archived"`
	// AddedAt is the day the listing was added to the catalogue.
	AddedAt Date `json:"addedAt"`
	// CheckedAt is the day on which somebody last read the facts at their sources.
	CheckedAt *Date `json:"checkedAt"`
	// CreatedAt is the day of upstream's first commit.
	CreatedAt *Date `json:"createdAt"`
	// UpdatedAt is the day of upstream's latest commit or release.
	UpdatedAt *Date `json:"updatedAt"`
	// Release is upstream's latest release.
	Release *Release `json:"release"`
	// Upkeep is whether upstream is still worked on, as of CheckedAt: one of UpkeepValues.
	Upkeep *string `json:"upkeep" yaml:"-"`
}

// Release is a release of a tool.
type Release struct {
	Version string `json:"version"` // as its makers write it, such as "v1.2.0"
	Date    Date   `json:"date"`
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

// InstallKinds lists what InstallLink.Kind may hold (contract 2).
var InstallKinds = []string{"docker", "pip", "npm", "brew", "binary", "installer", "helm", "source", "docs", "store", "extension"}

// InstallLink leads to one place where the makers document or publish a way to
// install the tool.
type InstallLink struct {
	Kind  string `json:"kind"` // one of InstallKinds
	Label string `json:"label"`
	URL   string `json:"url"` // https
	// Command is the makers' own command on one line, quoted exactly from the page at URL.
	Command *string `json:"command"`
}

// Registries are the beginnings of addresses of packages by the kind of link, without the
// scheme.
var Registries = map[string][]string{
	"pip": {"pypi.org/project/"}, "npm": {"www.npmjs.com/package/"}, "brew": {"formulae.brew.sh/formula/", "formulae.brew.sh/cask/"},
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

// ProjectDetail is the answer of getProject (spec 4.2): a Project, and what is too long
// for a list.
type ProjectDetail struct {
	Project
	// Description is the listing's text as Markdown source. Links to other
	// listings in it are absolute page addresses.
	Description string `json:"description" yaml:"-"`
	// Prose is the part of Description that a search reads, without markup: without headings,
	// addresses of links, and the section under HeadingElsewhere.
	Prose string `json:"-"`
	// Similar are up to five slugs of listings that do a related job, nearest first.
	Similar []string `json:"similar" yaml:"-"`
	// Sources maps a field ("license", "fitNotes.docker") to the URL or citation that it
	// was read from, followed by the date in parentheses if it is known.
	Sources map[string]string `json:"sources"`
}

// Normalized returns the project with every nil list and map replaced by an empty one, so
// that none is encoded as null.
func (p ProjectDetail) Normalized() ProjectDetail {
	for _, list := range []*[]string{&p.Aliases, &p.Jobs, &p.AlsoIn, &p.Topics, &p.Platforms, &p.Replaces, &p.Similar} {
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
	return p
}

// ProjectList is the answer of listProjects (spec 4.1, contract 3).
type ProjectList struct {
	Projects []json.RawMessage `json:"projects"` // each a Project
	Total    int               `json:"total"`
	Limit    int               `json:"limit"`
	Offset   int               `json:"offset"`
	Warnings []Warning         `json:"warnings"` // never nil
}

// ListPage is a pre-sorted JSON page of the build output (contract 8): a ProjectList with
// its place in the sequence.
type ListPage struct {
	ProjectList
	Page  int     `json:"page"`  // this page, from 1
	Pages int     `json:"pages"` // how many pages there are, at least 1
	Next  *string `json:"next"`  // absolute address of the next page; null on the last
}

// ListPageSize is the number of projects on a ListPage (contract 8).
const ListPageSize = 50
