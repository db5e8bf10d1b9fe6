// Package hardware says whether a tool runs on a computer. It takes a listing's hardware needs
// ([Setup], [Needs]) and the user's computer as a search names it ([Machine]), and returns a
// [Judgement]. It also defines the graphics cards, computers and phones that people name
// ([Device]), and the words around such names ([Words]).
//
// The package does not depend on listings, requests or files. The function fit in
// templates/assets/computer.js does the same as [Machine.Judge]; testdata/fit.json has cases
// for both.
package hardware

import "slices"

// Verdict says whether a listing runs on a machine.
type Verdict string

// The verdicts, best first.
const (
	Fits      Verdict = "fits"     // its makers say so, or it was measured in a job
	Likely    Verdict = "likely"   // an estimate says so
	Unknown   Verdict = "unknown"  // neither its makers nor an estimate say
	Unlikely  Verdict = "unlikely" // an estimate, or every example that its makers give, says no
	NeedsMore Verdict = "needs-more"
)

// Verdicts lists the verdicts, best first.
var Verdicts = []Verdict{Fits, Likely, Unknown, Unlikely, NeedsMore}

// Fit is a listing's verdict for the machine of a search.
type Fit struct {
	Verdict  Verdict   `json:"verdict" jsonschema:"Whether it runs on the computer that the search names. fits: its makers say so, or a job was measured; likely: an estimate says so; unknown: nobody says; unlikely: an estimate, or all that its makers or editors tried, says no."`
	Setups   []string  `json:"setups" jsonschema:"The uses whose needs that computer meets."`
	Estimate *Estimate `json:"estimate" jsonschema:"The estimate that the verdict rests on; null if it rests on what its makers state or what was measured. Call it an estimate."`
	Unasked  []string  `json:"unasked" jsonschema:"Parameters that the search does not give, and that the uses state on which the verdict rests: ask the user."`
	// LargestModel is left out where the taxonomy has no sizes of models.
	LargestModel *LargestModel `json:"largestModel" jsonschema:"The largest size of language model that its graphics card holds with the tool or, without a card that the tool can use, its RAM, by arithmetic; null if unknown, or if none fits."`
}

// The values of the fact gpu.
const (
	gpuNone     = "none"
	gpuOptional = "optional"
	GPURequired = "required"
)

// Needs holds the facts of a listing that verdicts read.
type Needs struct {
	GPU        string   // gpuNone, gpuOptional or GPURequired; "" if unknown
	Arch       []string // architectures that it runs on; empty if unknown
	GPUVendors []string // makers of cards that it can use; empty if unknown
	Systems    []string // operating systems that it runs on, even if only in a container or a browser; empty if unknown
	Own        []string // those on which the program itself runs; empty for apps whose pages are the program
	Setups     []Setup
	Estimate   *Estimate // nil if there is none
}

// Judgement is a verdict with its reasons.
type Judgement struct {
	Verdict     Verdict
	Met         []int // indexes of the setups whose needs the machine meets
	ByEstimate  bool  // the verdict rests on the estimate
	UnaskedRAM  bool  // see Fit.Unasked
	UnaskedVRAM bool
}

// Unasked returns the value of Fit.Unasked.
func (j *Judgement) Unasked() []string {
	list := []string{}
	if j.UnaskedRAM {
		list = append(list, "ramGb")
	}
	if j.UnaskedVRAM {
		list = append(list, "vramGb")
	}
	return list
}

// Fit returns the judgement in the form that answers show.
func (j *Judgement) Fit(n *Needs) Fit {
	f := Fit{Verdict: j.Verdict, Setups: []string{}, Unasked: j.Unasked()}
	for _, i := range j.Met {
		if use := n.Setups[i].For; !slices.Contains(f.Setups, use) {
			f.Setups = append(f.Setups, use)
		}
	}
	if j.ByEstimate {
		f.Estimate = n.Estimate
	}
	return f
}

// noCard is the VRAM of a machine without a graphics card, and the VRAM that a tool without use for
// a GPU needs.
var noCard = 0.0

// outcome is the result of comparing a machine with a setup, as bits.
type outcome uint8

const (
	open        outcome = 1 << iota // undecided: a figure is missing, or too little memory rules nothing out
	missed                          // the setup states more than the machine has, which rules it out
	lacking                         // the setup or the estimate exceeds the machine, whether or not this rules it out
	helped                          // the machine has enough by the estimate, where the setup states nothing
	unaskedRAM                      // the setup states RAM, but the search does not
	unaskedVRAM                     // the same for VRAM
)

func (o outcome) has(bits outcome) bool { return o&bits != 0 }

func (o outcome) isMet() bool { return !o.has(open | missed) }

// Judge says whether the machine can run the listing. It appends to met the indexes of the setups
// whose needs the machine meets. Only the fields that the machine names are compared.
//
// A setup takes part if it states RAM or VRAM, covers the model, was not only started when it was
// measured, and matches the machine's system and maker of graphics card as far as both are known.
// The minimum setups decide; if none of them takes part, the others do. The estimate provides
// figures that a setup does not state. It does not count on a system on which the listing does not
// itself run, because only its pages are shown there. If the listing has no use for a GPU or can do
// without, the processor can do the work, and a lack of VRAM rules nothing out.
func (m *Machine) Judge(n *Needs, met []int) Judgement {
	if m.cannotRun(n) {
		return Judgement{Verdict: NeedsMore, Met: met[:0]}
	}
	if n.Estimate != nil && apart(n.Own, m.Systems) {
		shown := *n // in a browser: the estimate is of another computer
		shown.Estimate = nil
		n = &shown
	}
	other := m.hasOtherCard(n)
	if len(n.Setups) == 0 && n.Estimate == nil { // like most listings
		return Judgement{Verdict: m.withoutSetups(n), Met: met}
	}
	vram := m.VRAMGb
	if other && vram != nil {
		vram = &noCard
	}
	all := tally{minimum: group{met: none, helped: none}, others: group{met: none, helped: none}}
	before := len(met)
	for i := range n.Setups {
		s := &n.Setups[i]
		if !m.takesPart(s, other) {
			all.elsewhere = all.elsewhere || s.ModelsElsewhere && s.RAMGb != nil
			continue
		}
		o := m.compareRAM(s, n) | compareVRAM(vram, s, n)
		if o.isMet() && !o.has(unaskedRAM|unaskedVRAM) {
			met = append(met, i)
		}
		all.add(s.Level, o)
	}
	j := m.decide(n, &all, vram)
	if j.Met = met; j.Verdict != Fits && j.Verdict != Likely {
		j.Met = met[:before]
	}
	return j
}

// cannotRun reports whether a known fact of a listing rules the machine out, whatever its memory.
func (m *Machine) cannotRun(n *Needs) bool {
	return lacks(n.Arch, m.Arch) || apart(n.Systems, m.Systems) || m.hasOtherCard(n) && n.GPU != gpuOptional ||
		n.GPU == GPURequired && m.VRAMGb != nil && *m.VRAMGb == 0
}

// hasOtherCard reports whether the listing cannot use the machine's graphics card, for which it has
// use.
func (m *Machine) hasOtherCard(n *Needs) bool {
	return n.GPU != gpuNone && lacks(n.GPUVendors, m.GPUVendor)
}

// takesPart reports whether a setup says anything about the machine. other means that the listing
// cannot use the machine's graphics card.
func (m *Machine) takesPart(s *Setup, other bool) bool {
	switch {
	case s.RAMGb == nil && s.VRAMGb == nil || s.ModelsElsewhere || s.StartedOnly() ||
		apart(s.System, m.Systems):
		return false
	case s.GPUVendor != nil:
		return m.GPUVendor == "" || *s.GPUVendor == m.GPUVendor
	}
	return s.VRAMGb == nil || !other
}

func (m *Machine) compareRAM(s *Setup, n *Needs) outcome {
	switch {
	case m.RAMGb == nil && s.RAMGb != nil:
		return unaskedRAM
	case m.RAMGb == nil:
		return 0
	case s.RAMGb != nil && *s.RAMGb > *m.RAMGb:
		return missed | lacking
	case s.RAMGb != nil:
		return 0
	}
	return estimated(n.estimate(DeriveRAM), *m.RAMGb)
}

func compareVRAM(vram *float64, s *Setup, n *Needs) outcome {
	switch {
	case vram == nil && s.VRAMGb != nil:
		return open | unaskedVRAM
	case vram == nil || s.VRAMGb != nil && *s.VRAMGb <= *vram:
		return 0
	case s.VRAMGb != nil && n.GPU == gpuOptional:
		return open | lacking
	case s.VRAMGb != nil:
		return missed | lacking
	case n.GPU == gpuNone || n.GPU == gpuOptional && s.RAMGb != nil && s.GPUVendor == nil:
		return 0 // the setup is for the processor
	}
	return estimated(n.estimate(DeriveVRAM), *vram)
}

// estimated compares a figure of the estimate, which may be nil, with what the machine has.
func estimated(figure *float64, gb float64) outcome {
	switch {
	case figure == nil:
		return open
	case *figure > gb:
		return open | lacking
	}
	return helped
}

// estimate returns the estimated RAM or VRAM (DeriveRAM, DeriveVRAM), or nil.
func (n *Needs) estimate(of string) *float64 {
	switch {
	case n.Estimate == nil:
		return nil
	case of == DeriveRAM:
		return n.Estimate.RAMGb
	case n.Estimate.VRAMGb == nil && n.GPU == gpuNone:
		return &noCard
	}
	return n.Estimate.VRAMGb
}

// tally sums up the outcomes of the setups that take part: the minimum setups apart from all
// others.
type tally struct {
	minimum, others group
	elsewhere       bool // RAM is stated by a setup whose model runs elsewhere
	// The number of examples that take part, and how many of them need more memory than there is.
	examples, examplesMissed int
}

// group sums up the outcomes of several setups.
type group struct {
	count, missed int
	// met is the outcome with the fewest unasked figures among the setups that are met without the
	// estimate, helped among those that are met with it. Each is none if there is no such setup.
	met, helped outcome
	unasked     outcome // the unasked figures of setups that lack nothing
}

// none is greater than any outcome.
const none outcome = 1<<8 - 1

func (t *tally) add(level string, o outcome) {
	g := &t.others
	if level == LevelMinimum {
		g = &t.minimum
	}
	g.count++
	if o.has(missed) {
		g.missed++
	}
	if level == LevelExample {
		t.examples++
		if o.has(missed) {
			t.examplesMissed++
		}
	}
	if !o.has(lacking) {
		g.unasked |= o & (unaskedRAM | unaskedVRAM)
	}
	switch {
	case !o.isMet():
	case o.has(helped):
		g.helped = min(g.helped, o)
	default:
		g.met = min(g.met, o)
	}
}

// decide returns the judgement that follows from the setups and the estimate.
func (m *Machine) decide(n *Needs, all *tally, vram *float64) (j Judgement) {
	deciding := &all.minimum
	if deciding.count == 0 {
		deciding = &all.others
	}
	unasked := deciding.unasked
	alone := m.compareEstimate(n, vram)
	switch {
	case all.minimum.count > 0 && all.minimum.missed == all.minimum.count:
		return Judgement{Verdict: NeedsMore}
	case m.RAMGb == nil && m.VRAMGb == nil:
		j.Verdict = m.withoutMemory(n)
	case deciding.met != none:
		j.Verdict, unasked = Fits, deciding.met
	case m.RAMGb == nil && all.minimum.count+all.others.count == 0 && n.GPU == gpuNone:
		j.Verdict = Fits
		if all.elsewhere {
			unasked = unaskedRAM
		}
	case deciding.helped != none:
		j.Verdict, j.ByEstimate, unasked = Likely, true, deciding.helped
	case n.Estimate != nil && !alone.has(open):
		j.Verdict, j.ByEstimate = Likely, true
	case alone.has(lacking):
		j.Verdict, j.ByEstimate = Unlikely, true
	case alone.has(open) && all.examples > 0 && all.examplesMissed == all.examples:
		j.Verdict = Unlikely
	default:
		j.Verdict = Unknown
	}
	j.UnaskedRAM, j.UnaskedVRAM = unasked.has(unaskedRAM), unasked.has(unaskedVRAM)
	return j
}

// compareEstimate compares the estimate alone with the RAM and VRAM that the machine names.
func (m *Machine) compareEstimate(n *Needs, vram *float64) (o outcome) {
	if m.RAMGb != nil {
		o |= estimated(n.estimate(DeriveRAM), *m.RAMGb)
	}
	if vram != nil {
		o |= estimated(n.estimate(DeriveVRAM), *vram)
	}
	return o
}

// withoutSetups returns the verdict for a listing that has neither setups nor an estimate. The
// caller has checked that none of its facts rules the machine out.
func (m *Machine) withoutSetups(n *Needs) Verdict {
	switch {
	case m.RAMGb != nil:
		return Unknown
	case m.VRAMGb == nil:
		return m.withoutMemory(n)
	case n.GPU == gpuNone:
		return Fits
	}
	return Unknown
}

// withoutMemory returns the verdict for a machine that names no memory. The caller has checked that
// no fact rules the machine out. The listing fits if its known facts confirm everything that the
// machine names.
func (m *Machine) withoutMemory(n *Needs) Verdict {
	if m.Arch != "" && !slices.Contains(n.Arch, m.Arch) || m.System != "" && !slices.Contains(n.Systems, m.System) ||
		m.GPUVendor != "" && n.GPU != gpuNone && !slices.Contains(n.GPUVendors, m.GPUVendor) {
		return Unknown
	}
	return Fits
}

// lacks reports whether a list that is known lacks a value that the search names. An empty list is
// unknown.
func lacks(known []string, asked string) bool {
	return asked != "" && len(known) > 0 && !slices.Contains(known, asked)
}

// apart reports whether two lists have nothing in common. An empty list is unknown, and apart from
// none.
func apart(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
