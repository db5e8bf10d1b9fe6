package content

import (
	"bytes"

	"catalog.example/api"
	"catalog.example/generator/strictyaml"
)

// FrontMatter is what stands between the --- lines of a listing. Keys have the
// names of the API's fields (contract 2); what is left out or null is unknown.
type FrontMatter struct {
	Name          string            `yaml:"name" doc:"display name"`
	Aliases       []string          `yaml:"aliases" doc:"other names people type"`
	Purpose       string            `yaml:"purpose" doc:"one sentence, at most 160 characters: the job it does"`
	Jobs          []string          `yaml:"jobs" doc:"jobs to be done, as a user would put them"`
	Category      string            `yaml:"category" doc:"slug of its home category"`
	AlsoIn        []string          `yaml:"alsoIn" doc:"slugs of other categories whose pages show it"`
	Topics        []string          `yaml:"topics" doc:"lower-case keywords"`
	Platforms     []string          `yaml:"platforms" doc:"slugs of the platforms it runs on"`
	Language      *string           `yaml:"language" doc:"main programming language"`
	License       *string           `yaml:"license" doc:"SPDX expression, or LicenseRef-…"`
	OSIApproved   *bool             `yaml:"osiApproved" doc:"only with a LicenseRef-…, of which the SPDX list does not tell: false for fair-code and non-commercial terms"`
	Stars         *int              `yaml:"stars" doc:"popularity count; together with starsAsOf"`
	StarsAsOf     *string           `yaml:"starsAsOf" doc:"day the stars were read"`
	Replaces      []string          `yaml:"replaces" doc:"names of proprietary products it stands in for"`
	FitNotes      FitNotes          `yaml:"fitNotes" doc:"facts that decide whether it fits a person and a machine"`
	InstallLinks  []InstallLink     `yaml:"installLinks" doc:"where the makers document or publish it"`
	RepositoryURL string            `yaml:"repositoryUrl" doc:"source repository"`
	HomepageURL   *string           `yaml:"homepageUrl" doc:"the project's own site"`
	DocsURL       *string           `yaml:"docsUrl" doc:"the project's documentation"`
	Archived      *bool             `yaml:"archived" doc:"upstream is archived or abandoned"`
	AddedAt       string            `yaml:"addedAt" doc:"day the listing joined the catalog"`
	CreatedAt     *string           `yaml:"createdAt" doc:"day of upstream's first commit"`
	UpdatedAt     *string           `yaml:"updatedAt" doc:"day of upstream's latest commit or release"`
	Sources       map[string]string `yaml:"sources" doc:"field to the URL or citation it was read from, with the day in parentheses: LICENSE in the repository (2026-08-23)"`
}

// FitNotes is the fitNotes mapping of a listing's front matter; see
// api.FitNotes.
type FitNotes struct {
	Docker            *bool    `yaml:"docker" doc:"its makers publish an image, a Compose file or a Dockerfile; false: looked for and not found"`
	Beginner          *bool    `yaml:"beginner" doc:"someone who does not program gets a first result from an installer, an app store or one pasted command"`
	SelfHosted        *bool    `yaml:"selfHosted" doc:"runs on a machine of one's own"`
	GPU               *string  `yaml:"gpu" doc:"none, optional or required"`
	MinRAMGB          *float64 `yaml:"minRamGb" doc:"least main memory in GB, as stated"`
	RecommendedRAMGB  *float64 `yaml:"recommendedRamGb" doc:"recommended main memory in GB, as stated"`
	MinVRAMGB         *float64 `yaml:"minVramGb" doc:"least graphics memory in GB, as stated"`
	RecommendedVRAMGB *float64 `yaml:"recommendedVramGb" doc:"recommended graphics memory in GB, as stated"`
	MemoryFor         *string  `yaml:"memoryFor" doc:"what those figures are stated for, such as a model size"`
	WorksOffline      *bool    `yaml:"worksOffline" doc:"does its job without a network once installed"`
	APIKey            *string  `yaml:"apiKey" doc:"no, optional or yes: a paid provider's key"`
	Caveats           []string `yaml:"caveats" doc:"things to know before choosing"`
}

// InstallLink is an entry of installLinks; see api.InstallLink.
type InstallLink struct {
	Kind  string `yaml:"kind" doc:"what the link leads to"`
	Label string `yaml:"label" doc:"text of the link"`
	URL   string `yaml:"url" doc:"https address"`
}

// project turns front matter into the listing that the API answers, without
// what only the whole catalog can tell.
func (f *FrontMatter) project(slug string) api.ProjectDetail {
	p := api.ProjectDetail{
		Project: api.Project{
			Slug: slug, Name: f.Name, Aliases: f.Aliases, Purpose: f.Purpose, Jobs: f.Jobs,
			Category: f.Category, AlsoIn: f.AlsoIn, Topics: f.Topics, Platforms: f.Platforms,
			Language: f.Language, License: f.License, OSIApproved: f.OSIApproved,
			Stars: f.Stars, StarsAsOf: (*api.Date)(f.StarsAsOf), Replaces: f.Replaces,
			FitNotes: api.FitNotes{
				Docker: f.FitNotes.Docker, Beginner: f.FitNotes.Beginner, SelfHosted: f.FitNotes.SelfHosted,
				GPU: f.FitNotes.GPU, MinRAMGB: f.FitNotes.MinRAMGB, RecommendedRAMGB: f.FitNotes.RecommendedRAMGB,
				MinVRAMGB: f.FitNotes.MinVRAMGB, RecommendedVRAMGB: f.FitNotes.RecommendedVRAMGB,
				MemoryFor: f.FitNotes.MemoryFor, WorksOffline: f.FitNotes.WorksOffline,
				APIKey: f.FitNotes.APIKey, Caveats: f.FitNotes.Caveats,
			},
			RepositoryURL: f.RepositoryURL, HomepageURL: f.HomepageURL, DocsURL: f.DocsURL,
			Archived: f.Archived, AddedAt: api.Date(f.AddedAt),
			CreatedAt: (*api.Date)(f.CreatedAt), UpdatedAt: (*api.Date)(f.UpdatedAt),
		},
		Sources: f.Sources,
	}
	for _, link := range f.InstallLinks {
		p.InstallLinks = append(p.InstallLinks, api.InstallLink(link))
	}
	return p.Normalized()
}

// source is where a file's values stand, for findings about them.
type source struct {
	file string
	doc  *strictyaml.Document
}

// at returns a finding about the value at a path of the front matter.
func (s source) at(severity Severity, rule, message string, path ...any) Finding {
	line, column := 1, 1
	if s.doc != nil {
		line, column = s.doc.Position(path...)
	}
	return Finding{s.file, line, column, severity, rule, message}
}

// problems turns the decoder's problems into findings.
func problems(file string, list []strictyaml.Problem) []Finding {
	findings := make([]Finding, len(list))
	for i, p := range list {
		findings[i] = Finding{file, p.Line, p.Column, Error, "front-matter", p.Message}
	}
	return findings
}

// split is a Markdown file taken apart.
type split struct {
	frontMatter []byte
	body        []byte
	bodyLine    int // line of the file on which the body begins, from 1
}

// frontMatterLine is the line of a file on which its front matter begins.
const frontMatterLine = 2

// splitFrontMatter takes a file apart at its --- lines. The message says what
// is wrong, "" where nothing is.
func splitFrontMatter(file []byte) (split, string) {
	file = bytes.TrimPrefix(file, []byte("\ufeff")) // a byte order mark, as some editors write it
	first, rest, _ := bytes.Cut(file, []byte("\n"))
	if string(bytes.TrimRight(first, " \t\r")) != "---" {
		return split{}, "the file must begin with a line --- that opens the front matter"
	}
	line, offset := 2, 0
	for offset < len(rest) {
		end := bytes.IndexByte(rest[offset:], '\n')
		if end < 0 {
			end = len(rest) - offset
		}
		if string(bytes.TrimRight(rest[offset:offset+end], " \t\r")) == "---" {
			body := rest[min(len(rest), offset+end+1):]
			return split{rest[:offset], body, line + 1}, ""
		}
		offset += end + 1
		line++
	}
	return split{}, "the front matter is not closed: a line --- must end it"
}
