package synthetic

import (
	"math"
	"slices"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// Shares of known or unknown facts by kind, from the means of the shipped listings.
const (
	unknownYesNo = 0.19
	yesShare     = 0.63
	knownChoice  = 0.96
	knownNumber  = 0.20 // a little above the mean, because contradictory numbers are dropped
	knownText    = 0.37
	knownSetups  = 0.43
)

// facts draws a value for each fact. The draw depends only on the fact's kind and bounds.
func (m *maker) facts() api.FactValues {
	values := api.UnknownFacts(m.Taxonomy.Facts)
	for i := range m.Taxonomy.Facts {
		f := &m.Taxonomy.Facts[i]
		switch {
		case f.Kind == api.FactSetups:
			values.SetSetups(m.Taxonomy.Facts, m.setups())
		case !f.IsStated():
		default:
			if value := m.fact(f); value != nil {
				values.Set(f.Key, value)
			}
		}
	}
	return values
}

// fact returns a value for a fact, or nil for unknown.
func (m *maker) fact(f *api.Fact) any {
	switch f.Kind {
	case api.FactYesNo:
		if yes := m.maybe(unknownYesNo, yesShare); yes != nil {
			return *yes
		}
	case api.FactChoice:
		if m.random.Float64() < knownChoice {
			return m.option(f)
		}
	case api.FactChoices:
		if m.random.Float64() < knownChoice {
			return m.distinct(m.between(1, min(2, len(f.Values))), func() string { return m.option(f) })
		}
	case api.FactNumber:
		if m.random.Float64() < knownNumber {
			return m.number(f)
		}
	case api.FactText:
		if m.random.Float64() < knownText {
			return m.phrase(30)
		}
	case api.FactTexts:
		return m.distinct(m.between(2, 3), func() string { return m.sentence(m.between(40, 55)) })
	}
	return nil
}

// setups draws the setups of a listing. As in the shipped listings, most have none; the others
// have a minimum and perhaps an example.
func (m *maker) setups() []hardware.Setup {
	if m.random.Float64() >= knownSetups {
		return nil
	}
	gb := func(most int) *float64 { n := float64(int(1) << m.between(0, most)); return &n }
	list := []hardware.Setup{{For: m.phrase(30), Level: hardware.LevelMinimum, RAMGb: gb(4)}}
	if m.random.Float64() < knownSetups {
		list = append(list, hardware.Setup{For: m.phrase(30), Level: hardware.LevelExample, RAMGb: gb(2)})
		*list[1].RAMGb += *list[0].RAMGb
	}
	return list
}

// estimate draws what a listing needs, except for memory that its first setup, a minimum, states.
func (m *maker) estimate(setups []hardware.Setup) *hardware.Estimate {
	step := func() *float64 { return &hardware.Steps[m.between(0, len(hardware.Steps)/2)] }
	e := &hardware.Estimate{VRAMGb: new(0.), Because: m.phrase(40)}
	if len(setups) == 0 {
		e.RAMGb = step()
	}
	if m.random.Float64() < knownNumber {
		e.VRAMGb = step()
	}
	return e
}

// option draws one of the options of a fact. The last one is rare, as in the shipped listings.
func (m *maker) option(f *api.Fact) string {
	weights := slices.Repeat([]int{5}, len(f.Values))
	weights[len(weights)-1] = 1
	return f.Values[m.weighted(weights)].Slug
}

// number draws a number that is 2, 4, 8 or 16 above the least allowed one, but at most the
// greatest.
func (m *maker) number(f *api.Fact) float64 {
	n := float64(int(1) << m.between(1, 4))
	if f.Least != nil {
		n += math.Floor(*f.Least)
	}
	if f.Most != nil {
		n = min(n, *f.Most)
	}
	return n
}

// agree changes values that the definitions do not allow. A number above its limit becomes the
// limit. A fact becomes unknown if a fact that it depends on lacks the required value, or if it
// contradicts the licence or the install links.
func agree(t *api.Taxonomy, p *api.Project) {
	values := p.FitNotes
	unknown := api.UnknownFacts(t.Facts)
	for changed := true; changed; { // again, because a fact may depend on one that has become unknown
		changed = false
		for i := range t.Facts {
			f := &t.Facts[i]
			value := values.Get(f.Key)
			if !api.Known(value) {
				continue
			}
			if limit, ok := values.Get(f.Checks.NotAbove).(float64); ok {
				values.Set(f.Key, min(value.(float64), limit))
			}
			approved, checked := false, false
			for _, slug := range f.Slugs(value) {
				approved, checked = f.Checks.OSIApproved[slug], len(f.Checks.OSIApproved) > 0
			}
			unlinked := value == true && len(f.Checks.Links) > 0 && !slices.ContainsFunc(p.InstallLinks,
				func(l api.InstallLink) bool { return slices.Contains(f.Checks.Links, l.Kind) })
			if unlinked || checked && p.OSIApproved != nil && approved != *p.OSIApproved {
				values.Set(f.Key, unknown.Get(f.Key))
				changed = true
			}
			for key, needed := range f.Checks.Needs {
				if f.Derived != nil {
					break // it is computed from setups, which have no VRAM
				}
				has := t.Fact(key).Slugs(values.Get(key))
				if !slices.ContainsFunc(has, func(s string) bool { return slices.Contains(needed, s) }) {
					values.Set(f.Key, unknown.Get(f.Key))
					changed = true
				}
			}
		}
	}
}

// Computers lists the computers in queries that name the user's computer, as API parameters.
var Computers = []string{
	"ramGb=8&vramGb=0", "ramGb=16", "ramGb=32&vramGb=12&gpuVendor=nvidia", "vramGb=6&stated=1",
	"ramGb=16&vramGb=10.6&arch=arm64&gpuVendor=apple",
}
