package api

import (
	"encoding/json"
	"fmt"

	"catalog.example/api/hardware"
)

// BriefSearchResponse is the answer of searchCatalog with view=brief: what an agent hands on, in a fifth
// of the tokens. It has no nulls: what is unknown, or goes without saying, is left out.
type BriefSearchResponse struct {
	Query      map[string]any `json:"query" jsonschema:"What was given and understood: q and the filters."`
	Total      int            `json:"total" jsonschema:"How many listings matched, before offset and limit."`
	Products   []NamedProduct `json:"products,omitempty" jsonschema:"The products that q names and listings replace, at most 3, in the order of q."`
	Hits       []BriefHit     `json:"hits" jsonschema:"The best matches, in order."`
	DidYouMean string         `json:"didYouMean,omitempty" jsonschema:"q with its misspelt words corrected, as it was searched for."`
	Warnings   []Warning      `json:"warnings" jsonschema:"What was ignored, or how to ask better."`
}

// BriefList is the answer of listProjects with view=brief: a ProjectList of brief listings.
type BriefList struct {
	Projects []BriefHit `json:"projects" jsonschema:"The page of projects; empty past the end. They have no fit and no match."`
	Total    int        `json:"total" jsonschema:"How many projects the catalogue has."`
	Limit    int        `json:"limit" jsonschema:"The limit that was applied."`
	Offset   int        `json:"offset" jsonschema:"The offset that was applied."`
	Warnings []Warning  `json:"warnings" jsonschema:"Unknown parameters that were ignored."`
}

// BriefHit is the brief form of a Hit or a Project: the facts that decide. What is unknown or
// no obstacle is left out.
// Keys that a Hit also has mean the same there.
type BriefHit struct {
	Slug         string             `json:"slug" jsonschema:"Identifier of the listing."`
	Name         string             `json:"name" jsonschema:"Display name."`
	Purpose      string             `json:"purpose" jsonschema:"What it is or does, in one sentence."`
	Untranslated []string           `json:"untranslated,omitempty" jsonschema:"The texts that have not been translated into the language of the answer: keys, such as purpose or fitNotes.caveats."`
	License      string             `json:"license,omitempty" jsonschema:"SPDX expression, or LicenseRef-… for terms outside SPDX."`
	Openness     string             `json:"openness,omitempty" jsonschema:"How freely its code may be used, where it is not plain open source."`
	ModelLicense string             `json:"modelLicense,omitempty" jsonschema:"How freely its models may be used, where that is restricted."`
	Upkeep       string             `json:"upkeep,omitempty" jsonschema:"Set if nobody works on it: archived or dormant."`
	GPU          string             `json:"gpu,omitempty" jsonschema:"Set if it needs a graphics processor: required."`
	Memory       *hardware.Memory   `json:"memory,omitempty" jsonschema:"The memory of the use by which it fits that computer, or else the least that it needs."`
	Fit          *hardware.BriefFit `json:"fit,omitempty" jsonschema:"Whether it runs on the computer that the search names."`
	FitNotes     FactValues         `json:"fitNotes,omitempty" jsonschema:"The known facts by which one chooses."`
	Caveat       string             `json:"caveat,omitempty" jsonschema:"One thing to know before choosing: the first that shares a word with q, or else the first."`
	PageURL      string             `json:"pageUrl" jsonschema:"Human-readable page of the listing."`
	Match        *BriefMatch        `json:"match,omitempty" jsonschema:"Set if it matches only a part of q."`
}

// BriefMatch is the brief form of the Match of a partial match.
type BriefMatch struct {
	Partial bool     `json:"partial" jsonschema:"Always true."`
	Missing []string `json:"missing,omitempty" jsonschema:"The words of the query that the listing lacks."`
}

// BriefProject is the answer of getProject with view=brief, and of ToolProject: a BriefHit with all known
// facts and the links.
type BriefProject struct {
	BriefHit                         // without what fitNotes has
	FitNotes      FactValues         `json:"fitNotes,omitempty" jsonschema:"The known facts that do not follow from setups."`
	Setups        []string           `json:"setups,omitempty" jsonschema:"What its uses need, in words."`
	Estimate      string             `json:"estimate,omitempty" jsonschema:"Why its memory is estimated so."`
	Platforms     []string           `json:"platforms,omitempty" jsonschema:"What it runs on."`
	RunsWith      []string           `json:"runsWith,omitempty" jsonschema:"Slugs of the programs that run its models."`
	InstallLinks  []BriefInstallLink `json:"installLinks,omitempty" jsonschema:"Where its makers say how to get it."`
	RepositoryURL string             `json:"repositoryUrl,omitempty" jsonschema:"Source code repository."`
	UpdatedAt     Date               `json:"updatedAt,omitempty" jsonschema:"Day of the latest commit."`
	Warnings      []Warning          `json:"warnings,omitempty" jsonschema:"What was ignored or read otherwise; only over MCP."`
}

// BriefInstallLink is the brief form of an InstallLink.
type BriefInstallLink struct {
	Kind    string `json:"kind" jsonschema:"What the link leads to, as in InstallLink."`
	Label   string `json:"label" jsonschema:"Link text."`
	URL     string `json:"url" jsonschema:"Link address."`
	Command string `json:"command,omitempty" jsonschema:"The makers' command, as they write it on that page."`
	Clone   bool   `json:"clone,omitempty" jsonschema:"Set if the command works only in a clone of the repository."`
}

// BriefProject returns the brief form of the listing. briefHit is the JSON of its BriefHit; facts defines its facts.
func (p *ProjectDetail) BriefProject(briefHit []byte, facts []Fact) (*BriefProject, error) {
	var hit BriefHit
	if err := json.Unmarshal(briefHit, &hit); err != nil {
		return nil, fmt.Errorf("decode the brief form of %s: %w", p.Slug, err)
	}
	hit.ModelLicense, hit.GPU, hit.Caveat, hit.FitNotes = "", "", "", nil
	if Known(p.FitNotes.Get(OpennessKey)) {
		hit.Openness = ""
	}
	b := &BriefProject{BriefHit: hit, Platforms: p.Platforms, RunsWith: p.RunsWith, RepositoryURL: p.RepositoryURL}
	for i := range facts {
		f := &facts[i]
		if value := p.FitNotes.Get(f.Key); Known(value) && f.Derived == nil && f.Kind != FactSetups &&
			!f.Kind.IsApart() {
			b.FitNotes = append(b.FitNotes, FactValue{Key: f.Key, Kind: f.Kind, Value: value})
		}
	}
	for _, s := range p.FitNotes.Setups() {
		b.Setups = append(b.Setups, s.String())
	}
	if p.Estimate != nil {
		b.Estimate = p.Estimate.Because
	}
	if p.UpdatedAt != nil {
		b.UpdatedAt = *p.UpdatedAt
	}
	for _, l := range p.InstallLinks {
		link := BriefInstallLink{Kind: l.Kind, Label: l.Label, URL: l.URL, Clone: l.Clone}
		if l.Command != nil {
			link.Command = *l.Command
		}
		b.InstallLinks = append(b.InstallLinks, link)
	}
	return b, nil
}

// The keys of the facts that brief hits contain.
const (
	OpennessKey     = "openness"
	ModelLicenseKey = "modelLicense"
	CaveatsKey      = "caveats"
)

// The values of facts that brief hits leave out or contain.
const (
	PlainOpenSource = "open-source"     // of OpennessKey; left out
	NotOpenSource   = "not open source" // if OpennessKey is unknown and the licence is not approved
)

// RestrictedModels lists the values of ModelLicenseKey that brief hits contain.
var RestrictedModels = []string{"restricted", "non-commercial"}
