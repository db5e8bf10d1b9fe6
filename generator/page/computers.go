package page

import (
	"net/url"
	"slices"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

const computersPath = "/computers/"

// toolsOfCategory is the number of tools that the page of a computer shows for each category.
const toolsOfCategory = 4

// computerPage is the page of a typical computer: which sizes of models run on it, in which
// programs, and which tools.
type computerPage struct {
	*catalog
	computer *hardware.Computer
	machine  hardware.Machine
	unified  bool // the GPU uses the main memory
}

// computerView is the view of a computerPage.
type computerView struct {
	Heading string
	Machine string // in words
	Search  string // path of a search with the computer; "" if pages do not search
	Sizes   []sizeView
	Context int    // tokens
	Rule    string // how the sizes follow from the memory
	Because string // why the computer keeps some memory
	Source  string // of the figure for RAM
	Runners []computerTool
	Groups  []computerGroup
}

// sizeView is a size of models.
type sizeView struct {
	Name, Memory, Model, Source string
	Basis                       string // whether the memory is measured or computed, in words
	IsMeasured                  bool
}

// computerGroup has the best-known tools of a category that run on a computer.
type computerGroup struct {
	Name, Path string
	Tools      []computerTool
}

// computerTool is a tool with its verdict for a computer.
type computerTool struct {
	Name, Path, Purpose string // Path is below the base
	Verdict             hardware.Verdict
	Said                string // the verdict in words
	Largest             string // the largest model, in words; "" for none
}

// hasComputers reports whether there are pages of computers.
func hasComputers(t *api.Taxonomy) bool { return t.HasModels() && len(t.Models.Computers) > 0 }

// computers returns the pages of computers.
func (s *catalog) computers() (pages []computerPage) {
	t := &s.Content.Taxonomy
	if !hasComputers(t) {
		return nil
	}
	reader := t.Hardware.SizeReader()
	for i := range t.Models.Computers {
		c := &t.Models.Computers[i]
		machine := t.WithSystems(reader.Read(c.Machine(&t.Hardware)))
		pages = append(pages, computerPage{s, c, machine, reader.IsUnified(&machine)})
	}
	return pages
}

func (p computerPage) path() string { return computersPath + p.computer.Slug + "/" }

// heading is the question that the page answers.
func (p computerPage) heading() string {
	return p.T("What runs on {computer}?", "computer", p.computer.Name)
}

func (p computerPage) show() (*render.Page, error) {
	models := &p.Content.Taxonomy.Models
	v := computerView{
		Heading: p.heading(), Machine: p.words(), Context: models.ContextTokens,
		Because: models.Keeps.Because, Source: models.Keeps.Source,
		Rule: p.T("A model takes its memory from the graphics card, less {vram} GB for the screen, or else from the "+
			"RAM, less {ram} GB for the operating system. What the tool itself needs, as its makers state or as our "+
			"editors estimate, is taken off, too. Sizes are rounded up, so that none needs more than there is.",
			"vram", hardware.FormatGb(models.Keeps.VRAMGb), "ram", hardware.FormatGb(models.Keeps.RAMGb)),
	}
	if p.Settings.HasSearch() {
		v.Search = "/search/?" + p.query()
	}
	runners, all := p.runners()
	for _, s := range models.SizesOn(&p.machine, p.unified, all) {
		size := sizeView{
			Name: s.Name, Memory: hardware.FormatGb(models.MemoryGb(&s)), Model: s.Model, Source: s.Source,
			Basis: p.T("computed"), IsMeasured: s.MeasuredGb != nil,
		}
		if size.IsMeasured {
			size.Basis = p.T("partly measured")
		}
		v.Sizes = append(v.Sizes, size)
	}
	v.Runners = runners
	for _, group := range p.categoryGroups() {
		for _, c := range group.Categories {
			g := computerGroup{Name: c.Name, Path: categoriesPath + c.Slug + "/", Tools: p.tools(c.Slug)}
			if len(g.Tools) > 0 {
				v.Groups = append(v.Groups, g)
			}
		}
	}
	description := p.T("Sizes of language models and tools that run on this computer: {machine}.", "machine", v.Machine)
	crumbs := render.Crumbs(p.T("Computers"), computersPath, p.computer.Name)
	return &render.Page{
		Kind: "machine", Title: v.Heading, Description: description, Path: p.path(), Crumbs: crumbs, Data: v,
	}, nil
}

// words returns the computer in words: "16 GB RAM, no graphics card".
func (p computerPage) words() string {
	m := &p.machine
	var vendor *string
	if m.GPUVendor != "" {
		vendor = &m.GPUVendor
	}
	if m.VRAMGb != nil && *m.VRAMGb == 0 {
		return p.Hardware(&hardware.Setup{RAMGb: m.RAMGb}) + ", " + p.T("no graphics card")
	}
	return p.Hardware(&hardware.Setup{RAMGb: m.RAMGb, VRAMGb: m.VRAMGb, GPUVendor: vendor})
}

// query returns the computer as the query of a search.
func (p computerPage) query() string {
	values := url.Values{}
	for _, name := range hardware.Parameters {
		if value := p.machine.Get(name); value != "" {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

// runners returns the programs that run models for other tools and fit the computer, the most used
// first. all has every such program, as SizesOn needs it.
func (p computerPage) runners() (tools []computerTool, all []hardware.Runner) {
	byUse := slices.Clone(p.Listings)
	slices.SortStableFunc(byUse, func(a, b *content.Listing) int { return len(p.Users(b.Slug)) - len(p.Users(a.Slug)) })
	for _, l := range byUse {
		if len(p.Users(l.Slug)) == 0 {
			break
		}
		needs := p.Content.Taxonomy.NeedsOf(&l.Project)
		all = append(all, hardware.Runner{Slug: l.Slug, Needs: &needs, IsTool: true})
		if tool, ok := p.tool(l); ok && tool.Largest != "" {
			tools = append(tools, tool)
		}
	}
	return tools, all
}

// tools returns the best-known tools of a category that run on the computer.
func (p computerPage) tools(category string) (tools []computerTool) {
	for _, l := range p.Listings {
		if l.Category != category || p.Stopped(&l.Project) != "" {
			continue
		}
		if tool, ok := p.tool(l); ok {
			tools = append(tools, tool)
		}
		if len(tools) == toolsOfCategory {
			break
		}
	}
	return tools
}

// tool returns a listing with its verdict. ok is false unless it fits or likely fits.
func (p computerPage) tool(l *content.Listing) (tool computerTool, ok bool) {
	t := &p.Content.Taxonomy
	needs := t.NeedsOf(&l.Project)
	tool = computerTool{
		Name: l.Name, Path: projectsPath + l.Slug + "/", Purpose: l.Purpose,
		Verdict: p.machine.Judge(&needs, nil).Verdict,
	}
	switch tool.Verdict {
	case hardware.Fits:
		tool.Said = p.T("fits")
	case hardware.Likely:
		tool.Said = p.T("likely fits")
	default:
		return tool, false
	}
	runners := p.runnersOf(l)
	largest, ok := t.Models.LargestOn(&p.machine, p.unified, &needs, runners)
	switch {
	case !ok:
	case largest.Runner == l.Slug:
		tool.Largest = p.T("models up to {size}", "size", largest.Name)
	default:
		tool.Largest = p.T("models up to {size} with {runner}", "size", largest.Name, "runner",
			p.bySlug[largest.Runner].Name)
	}
	return tool, true
}

// runnersOf returns the listings that may run the models of a listing: first itself, if others name
// it.
func (s *catalog) runnersOf(l *content.Listing) (runners []hardware.Runner) {
	slugs := l.RunsWith
	if len(s.Users(l.Slug)) > 0 {
		slugs = append([]string{l.Slug}, slugs...)
	}
	for _, slug := range slugs {
		if r := s.bySlug[slug]; r != nil {
			needs := s.Content.Taxonomy.NeedsOf(&r.Project)
			runners = append(runners, hardware.Runner{Slug: slug, Needs: &needs, IsTool: r == l})
		}
	}
	return runners
}

// computerLinks returns the links to the pages of computers.
func (o overview) computerLinks() []overviewGroup {
	var g overviewGroup
	computers := o.computers()
	for _, p := range computers {
		g.Links = append(g.Links, render.Link{Title: p.heading(), Path: p.path(), Note: p.words()})
	}
	for _, l := range o.Listings {
		if l.Stopped() != "" {
			continue
		}
		needs := o.Content.Taxonomy.NeedsOf(&l.Project)
		for i := range computers {
			if content.Fits(&computers[i].machine, &needs) {
				g.Links[i].Count++
			}
		}
	}
	return []overviewGroup{g}
}
