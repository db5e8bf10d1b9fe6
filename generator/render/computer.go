package render

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/generator/labels"
)

// The form "My computer" is on every page where listings have setups. Pages have it closed; the
// script computer.js fills it and reads it.

// computerView is the view of the fields of the form.
type computerView struct {
	IsSent  bool   // whether searches send the computer to the host
	Systems []Link // platforms that are operating systems
	Archs   []api.FactOption
}

// scriptComputer is what the script needs for the form and for verdicts.
type scriptComputer struct {
	Fields    template.HTML             `json:"fields"`
	Hardware  string                    `json:"hardware"` // path of the file with the names of hardware
	Detect    string                    `json:"detect"`   // path of the module detect.js
	Sizes     scriptSizes               `json:"sizes"`
	Platforms map[string]scriptPlatform `json:"platforms"` // by slug
	Models    *scriptModels             `json:"models,omitempty"`
}

// scriptModels is what the script needs to name the largest model.
type scriptModels struct {
	ContextTokens int                     `json:"contextTokens"`
	Keeps         map[string]float64      `json:"keeps"`   // by ramGb and vramGb
	Sizes         []scriptSize            `json:"sizes"`   // ascending
	Runners       map[string]scriptRunner `json:"runners"` // the listings that others name, by slug
}

type scriptSize struct {
	Name     string  `json:"name"`
	MemoryGb float64 `json:"memoryGb"`
}

// scriptRunner is what the script needs of a listing that runs models.
type scriptRunner struct {
	Name       string   `json:"name"`
	GPU        string   `json:"gpu,omitempty"`
	Arch       []string `json:"arch,omitempty"`
	GPUVendors []string `json:"gpuVendors,omitempty"`
	Systems    []string `json:"systems,omitempty"`
	Own        []string `json:"own,omitempty"` // hardware.Needs.Own, if not the same
}

type scriptSizes struct {
	hardware.Sizes
	Unified []string `json:"unified"` // see hardware.Table.UnifiedVendors
}

// scriptPlatform is what verdicts read of an api.Platform.
type scriptPlatform struct {
	System     bool     `json:"system,omitempty"`
	Kind       string   `json:"kind,omitempty"` // of the computers of a system: see SystemKind
	GPUVendors []string `json:"gpuVendors,omitempty"`
	On         []string `json:"on,omitempty"`
	Client     bool     `json:"client,omitempty"`
}

// scriptHardware is what the script needs once the form is open: names of computers and cards, and
// how to find out what one has.
type scriptHardware struct {
	Help    template.HTML       `json:"help"`
	Devices []scriptDevice      `json:"devices"`
	Variant []string            `json:"variant"` // see hardware.Words
	CardOf  map[string][]string `json:"cardOf"`
}

// scriptDevice is a device with the filters that each of its sizes stands for.
type scriptDevice struct {
	Names []string `json:"names"` // all that people type for it, the one to show first
	// Integrated means that it is the graphics of a processor, or a processor: it is no card.
	Integrated bool `json:"integrated,omitempty"`
	// Open means that its memory has to be asked for: the first of Sizes has none.
	Open  bool         `json:"open,omitempty"`
	Sizes []deviceSize `json:"sizes"` // the one that is assumed first; at least one
}

type deviceSize struct {
	Name    string         `json:"name"`           // of the device with this size, to show
	Size    string         `json:"size,omitempty"` // in words; "" if the device tells no memory
	Filters map[string]any `json:"filters"`
}

// computer renders the form, and returns what the script needs for it. It is nil if listings have no setups.
func (s *Shared) computer() (*scriptComputer, error) {
	t := &s.Content.Taxonomy
	if !t.HasSetups() {
		return nil, nil
	}
	c := &scriptComputer{
		Platforms: map[string]scriptPlatform{}, Sizes: scriptSizes{t.Hardware.Sizes, t.Hardware.UnifiedVendors()},
	}
	if err := s.prepareFormFiles(c); err != nil {
		return nil, err
	}
	if t.HasModels() {
		c.Models = s.models()
	}
	view := computerView{IsSent: s.Settings.HasSearch()}
	for _, p := range t.Platforms {
		if p.System && s.View.HasPlatforms() {
			view.Systems = append(view.Systems, Link{Slug: p.Slug, Title: p.Name})
		}
		c.Platforms[p.Slug] = scriptPlatform{
			p.System, SystemKind(&p, c.Sizes.Unified), p.GPUVendors, p.On, p.Client,
		}
	}
	if f := t.Fact(api.ArchKey); f != nil {
		view.Archs = f.Values
	}
	var err error
	if s.View.Computer, err = s.Partial("computer", view); err != nil {
		return nil, err
	}
	c.Fields, err = s.Partial("computer-fields", view)
	return c, err
}

// prepareFormFiles prepares the files that pages load when the form is opened, and names them.
func (s *Shared) prepareFormFiles(c *scriptComputer) error {
	known := newScriptHardware(&s.Content.Taxonomy.Hardware)
	var err error
	if known.Help, err = s.Partial("computer-help", nil); err != nil {
		return err
	}
	text, err := json.Marshal(known)
	if err != nil {
		return fmt.Errorf("names of hardware: %w", err)
	}
	c.Hardware = s.View.Base + "/" + s.keep("assets/hardware.json", text)
	_, c.Detect, err = s.module("detect")
	return err
}

// SystemKind returns the kind of computer that a system runs on, as the form offers it: phone if it
// has no graphics cards, mac if all use the main memory, or else card; "" for other platforms.
func SystemKind(p *api.Platform, unified []string) string {
	isCard := func(vendor string) bool { return !slices.Contains(unified, vendor) }
	switch {
	case !p.System:
		return ""
	case len(p.GPUVendors) == 0:
		return "phone"
	case slices.ContainsFunc(p.GPUVendors, isCard):
		return "card"
	}
	return "mac"
}

// models returns what the script needs to name the largest model.
func (s *Shared) models() *scriptModels {
	t := &s.Content.Taxonomy
	m := &scriptModels{
		ContextTokens: t.Models.ContextTokens,
		Keeps: map[string]float64{
			hardware.DeriveRAM: t.Models.Keeps.RAMGb, hardware.DeriveVRAM: t.Models.Keeps.VRAMGb,
		},
		Sizes: []scriptSize{}, Runners: map[string]scriptRunner{},
	}
	for i := range t.Models.Sizes {
		size := &t.Models.Sizes[i]
		m.Sizes = append(m.Sizes, scriptSize{size.Name, t.Models.MemoryGb(size)})
	}
	for _, l := range s.Listings {
		if len(s.Users(l.Slug)) == 0 {
			continue
		}
		n := t.NeedsOf(&l.Project)
		runner := scriptRunner{l.Name, n.GPU, n.Arch, n.GPUVendors, n.Systems, n.Own}
		if slices.Equal(runner.Own, runner.Systems) {
			runner.Own = nil
		}
		m.Runners[l.Slug] = runner
	}
	return m
}

// newScriptHardware returns what the script needs of a table.
func newScriptHardware(t *hardware.Table) scriptHardware {
	h := scriptHardware{Devices: []scriptDevice{}, Variant: t.Words.Variant, CardOf: t.Words.CardOf}
	unified := t.UnifiedVendors()
	for i := range t.Devices {
		d := &t.Devices[i]
		device := scriptDevice{
			Names:      append([]string{d.Name}, d.Aliases...),
			Integrated: d.Kind == hardware.KindProcessor && !slices.Contains(unified, d.Vendor),
			Open:       d.IsOpen(),
		}
		if d.AssumedGb() == nil {
			device.Sizes = []deviceSize{{Name: d.Name, Filters: filtersOf(d, nil)}}
		}
		for _, gb := range d.MemoryGb {
			size := hardware.FormatGb(gb) + " GB"
			device.Sizes = append(device.Sizes, deviceSize{d.Name + " (" + size + ")", size, filtersOf(d, &gb)})
		}
		h.Devices = append(h.Devices, device)
	}
	return h
}

// filtersOf returns the filters that a device with some memory stands for, by parameter.
func filtersOf(d *hardware.Device, gb *float64) map[string]any {
	filters, machine := map[string]any{}, d.Machine(gb)
	for _, parameter := range hardware.Parameters {
		if figure := machine.Figure(parameter); figure != nil {
			filters[parameter] = *figure
		} else if value := machine.Get(parameter); value != "" {
			filters[parameter] = value
		}
	}
	return filters
}

// Estimate returns an estimate in words, or "".
func (w *Words) Estimate(e *hardware.Estimate) string {
	if e == nil {
		return ""
	}
	needs := w.Hardware(&hardware.Setup{RAMGb: e.RAMGb, VRAMGb: e.VRAMGb})
	if e.VRAMGb != nil && *e.VRAMGb == 0 {
		needs = w.Hardware(&hardware.Setup{RAMGb: e.RAMGb})
		needs = strings.TrimPrefix(needs+", "+w.T("no graphics card"), ", ")
	}
	return w.T("Estimated by our editors, not stated by its makers: {needs} ({reason}).",
		"needs", needs, "reason", e.Because)
}

// BriefEstimate returns the figures of a listing's estimate for rows of lists: "about 4 GB RAM
// (estimate)". It leaves out what is stated.
func (w *Words) BriefEstimate(p *api.Project) (list []string) {
	ram, vram := p.Estimate.Unstated(p.FitNotes.Setups())
	if ram != nil {
		list = append(list, w.T("about {gb} GB RAM (estimate)", "gb", hardware.FormatGb(*ram)))
	}
	if vram != nil {
		list = append(list, w.T("about {gb} GB VRAM (estimate)", "gb", hardware.FormatGb(*vram)))
	}
	return list
}

// measuredSetups returns the setups of a listing that were measured, each in words.
func (w *Words) measuredSetups(p *api.Project) (list []string) {
	for _, s := range p.FitNotes.Setups() {
		if s.Measured != nil {
			list = append(list, s.For+": "+w.Hardware(&s)+". "+w.Measured(s.Measured))
		}
	}
	return list
}

// Measured returns how a setup was measured, in a sentence.
func (w *Words) Measured(m *hardware.Measured) string {
	text := w.T("Measured here: version {version}, {day}, {system}; {how}.",
		"version", m.Version, "day", m.Date, "system", m.OS, "how", m.How) + " "
	if m.Job == nil {
		return text + w.T("It was only started, so this decides no verdict.")
	}
	return text + w.T("Job: {job}.", "job", *m.Job)
}

// Hardware returns the hardware that a setup needs, in the words of the owner, as Setup.Needs does
// in English.
func (w *Words) Hardware(s *hardware.Setup) string {
	var parts []string
	add := func(gb *float64, text string) {
		if gb != nil {
			parts = append(parts, labels.Fill(text, "gb", strconv.FormatFloat(*gb, 'f', -1, 64)))
		}
	}
	add(s.RAMGb, w.T("{gb} GB RAM"))
	add(s.VRAMGb, w.T("{gb} GB VRAM"))
	add(s.DiskGb, w.T("{gb} GB disk"))
	if s.GPUVendor != nil {
		vendor := *s.GPUVendor
		if makers := w.taxonomy.Fact(api.GPUVendorsKey); makers != nil {
			vendor = makers.Text(vendor)
		}
		parts = append(parts, vendor)
	}
	for _, slug := range s.System {
		if p, ok := w.taxonomy.Platform(slug); ok {
			parts = append(parts, p.Name)
		}
	}
	if s.ModelsElsewhere {
		parts = append(parts, w.T("model elsewhere"))
	}
	return strings.Join(parts, ", ")
}

// NeedsAttribute returns an attribute with the facts of a listing that the script needs for a verdict.
func (w *Words) NeedsAttribute(p *api.Project) (template.HTMLAttr, error) {
	text, err := api.JSON(struct {
		FitNotes  api.FactValues     `json:"fitNotes"`
		Slug      string             `json:"slug"`
		Platforms []string           `json:"platforms,omitempty"`
		Estimate  *hardware.Estimate `json:"estimate,omitempty"`
		RunsWith  []string           `json:"runsWith,omitempty"`
	}{w.scriptFacts(p, w.isNeed), p.Slug, p.Platforms, p.Estimate, p.RunsWith})
	return jsonAttribute("data-needs", text), err
}

// jsonAttribute returns an attribute with JSON. It has single quotation marks around it, because JSON
// has double ones.
func jsonAttribute(name string, text []byte) template.HTMLAttr {
	escaped := attributeEscapes.Replace(string(text))
	return template.HTMLAttr(name + "='" + escaped + "'") // #nosec G203 -- escaped
}

var attributeEscapes = strings.NewReplacer("&", "&amp;", "'", "&#39;", "<", "&lt;")

// isNeed reports whether verdicts read a fact (hardware.Needs).
func (w *Words) isNeed(f *api.Fact) bool {
	return f.Kind == api.FactSetups ||
		w.taxonomy.HasSetups() && slices.Contains([]string{api.GPUKey, api.ArchKey, api.GPUVendorsKey}, f.Key)
}

// scriptFacts returns the known facts of a listing for which include is true, as page
// scripts read them.
func (w *Words) scriptFacts(p *api.Project, include func(*api.Fact) bool) api.FactValues {
	values := api.FactValues{}
	for i := range w.taxonomy.Facts {
		f := &w.taxonomy.Facts[i]
		value := p.FitNotes.Get(f.Key)
		if !include(f) || !api.Known(value) {
			continue
		}
		if setups, ok := value.([]hardware.Setup); ok {
			value = shortSetups(setups)
		}
		values = append(values, api.FactValue{Key: f.Key, Kind: f.Kind, Value: value})
	}
	return values
}

// shortSetup is what a verdict reads of a setup.
type shortSetup struct {
	For       string   `json:"for"`
	Level     string   `json:"level,omitempty"` // "" for minimum
	RAMGb     *float64 `json:"ramGb,omitempty"`
	VRAMGb    *float64 `json:"vramGb,omitempty"`
	System    []string `json:"system,omitempty"`
	GPUVendor *string  `json:"gpuVendor,omitempty"`
	Elsewhere bool     `json:"modelsElsewhere,omitempty"`
	// Measured is not nil if the figures were measured.
	Measured *shortMeasured `json:"measured,omitempty"`
}

type shortMeasured struct {
	Job bool `json:"job"` // false if it was only started
}

func shortSetups(setups []hardware.Setup) []shortSetup {
	list := make([]shortSetup, len(setups))
	for i, s := range setups {
		list[i] = shortSetup{s.For, s.Level, s.RAMGb, s.VRAMGb, s.System, s.GPUVendor, s.ModelsElsewhere, nil}
		if s.Measured != nil {
			list[i].Measured = &shortMeasured{Job: !s.StartedOnly()}
		}
		if s.Level == hardware.LevelMinimum {
			list[i].Level = ""
		}
	}
	return list
}
