package render

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Bounds of the texts of a badge, in characters. A longer title of the site is shortened. A longer
// fact is left out, because a part of it could claim more than the whole.
const (
	maxBadgeTitle = 24
	maxBadgeFact  = 28
)

// badgePadding is the room before and after each text of a badge, in pixels.
const badgePadding = 6

// badgeView is the view of badge.svg. Lengths are in pixels.
type badgeView struct {
	Lang, Dir, Title string
	Label, Fact      badgePart // side by side
	Width            int
	Stopped          bool // nobody works on the listing any more
}

// badgePart is one half of a badge.
type badgePart struct {
	Text                string
	Left, Width, Length int // Length is that of the text
	Middle              float64
}

// Badge returns the badge of a listing: an SVG image which says that it is listed, and the fact that
// decides most.
func (s *Shared) Badge(p *api.Project) ([]byte, error) {
	short, full := s.badgeFact(p)
	v := badgeView{
		Lang: s.View.Lang, Dir: s.View.Dir, Stopped: p.Stopped() != "",
		// The name is isolated, so that a name written from right to left does not reorder the rest.
		Title: "\u2068" + p.Name + "\u2069. " + s.T("Listed: {site}", "site", s.View.Title),
		Label: newBadgePart(s.View.BadgeLabel()),
	}
	if full != "" {
		v.Title += "; " + full
		v.Fact = newBadgePart(short)
	}
	v.Width = v.Label.Width + v.Fact.Width
	first, second := &v.Label, &v.Fact
	if v.Dir != "" {
		first, second = second, first
	}
	second.Left = first.Width
	for _, part := range []*badgePart{first, second} {
		part.Middle = float64(part.Left) + float64(part.Width)/2
	}
	return s.XML("badge.svg", v)
}

func newBadgePart(text string) badgePart {
	length := textWidth(text)
	return badgePart{Text: text, Length: length, Width: length + 2*badgePadding}
}

// BadgeLabel says that something is listed on the site.
func (s *SiteView) BadgeLabel() string {
	site := Shortened(s.Title, maxBadgeTitle)
	if site != s.Title {
		site += "…"
	}
	return s.T("Listed: {site}", "site", site)
}

// badgeFact returns the known fact by which most people decide, in a few words: that nobody works on
// the listing any more, its memory, its licence, a fact that rows show, or its category. full is the
// same without abbreviation; both are "" if nothing is known.
func (s *Shared) badgeFact(p *api.Project) (short, full string) {
	if stopped := s.Stopped(p); stopped != "" {
		return stopped, stopped
	}
	if short, full = s.badgeMemory(p); isBadgeFact(short) {
		return short, full
	}
	facts := s.taxonomy.Chips(p.FitNotes)
	if p.License != nil && s.View.Has("license") {
		facts = append([]string{s.LicenseName(*p.License)}, facts...)
	}
	if c, ok := s.taxonomy.Category(p.Category); ok {
		facts = append(facts, c.Name)
	}
	for _, fact := range facts {
		if isBadgeFact(fact) {
			return fact, fact
		}
	}
	return "", ""
}

func isBadgeFact(text string) bool { return text != "" && utf8.RuneCountInString(text) <= maxBadgeFact }

// badgeMemory returns the least memory of a listing: what its makers state or, else, what editors
// estimate. If the listing also needs something else than RAM, the text names that, because "runs on
// 8 GB" would claim too much.
func (w *Words) badgeMemory(p *api.Project) (short, full string) {
	setups, card := p.FitNotes.Setups(), ""
	if gpu := w.taxonomy.Fact(api.GPUKey); gpu != nil && p.FitNotes.Get(api.GPUKey) == "required" {
		card = ", " + gpu.Phrase("required")
	}
	for _, of := range []string{hardware.DeriveRAM, hardware.DeriveVRAM} {
		least := hardware.LeastMinimumSetup(setups, of)
		if least == nil {
			continue
		}
		needs := *least
		needs.DiskGb = nil
		if needs.VRAMGb != nil {
			card = ""
		}
		short = w.Hardware(&needs) + card
		if ram := w.Hardware(&hardware.Setup{RAMGb: needs.RAMGb}); short == ram {
			short = w.T("runs on {gb} GB", "gb", hardware.FormatGb(*needs.RAMGb))
		}
		return short, w.Hardware(&needs) + card
	}
	ram, vram := p.Estimate.Unstated(setups)
	full = strings.Join(w.BriefEstimate(p), ", ")
	switch {
	case vram != nil:
		return w.T("about {gb} GB VRAM", "gb", hardware.FormatGb(*vram)), full
	case ram != nil:
		return w.T("about {gb} GB RAM", "gb", hardware.FormatGb(*ram)) + card, full + card
	}
	return "", ""
}

// Shortened returns as many words from the start of a text as fit into maxLength characters. If
// even the first word is longer, it is cut.
func Shortened(text string, maxLength int) string {
	characters := []rune(text)
	if len(characters) <= maxLength {
		return text
	}
	cut := string(characters[:maxLength+1])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		return strings.TrimRight(cut[:i], " ,;:-–")
	}
	return string(characters[:maxLength])
}

// Embed returns the small page of a listing which other sites show in a frame.
func (s *Shared) Embed(p *api.Project) ([]byte, error) {
	text, err := s.Partial("embed.html", s.row(p))
	return keepNamesWhole(bytes.TrimSpace([]byte(text))), err
}

// charWidths has the widths of the characters from the space on in the font Verdana, in thousandths
// of its size.
var charWidths = [...]int{
	352, 394, 459, 818, 636, 1076, 727, 269, 454, 454, 636, 818, 364, 454, 364, 454, // space to /
	636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 454, 454, 818, 818, 818, 545, // 0 to ?
	1000, 684, 686, 698, 771, 632, 575, 775, 751, 421, 455, 693, 557, 843, 748, 787, // @ to O
	603, 787, 695, 684, 616, 732, 684, 989, 685, 615, 685, 454, 454, 454, 818, 636, // P to _
	636, 601, 623, 521, 623, 596, 352, 623, 633, 274, 344, 592, 274, 973, 633, 607, // ` to o
	623, 623, 427, 521, 394, 633, 592, 818, 592, 592, 525, 635, 454, 635, 818, // p to ~
}

// Widths of characters that are not in charWidths, in thousandths of the size of the font.
const (
	wideWidth  = 1000 // as high as wide, such as Chinese characters
	otherWidth = 650
)

// badgeFontSize is the size of the font of badges, in pixels.
const badgeFontSize = 11

// textWidth returns the width of a text in a badge, in pixels, rounded up. Browsers that have another
// font stretch the text to this width.
func textWidth(text string) int {
	sum := 0
	for _, r := range norm.NFD.String(text) {
		i := int(r) - ' '
		switch {
		case i >= 0 && i < len(charWidths):
			sum += charWidths[i]
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case isWide(r):
			sum += wideWidth
		default:
			sum += otherWidth
		}
	}
	return int(math.Ceil(float64(sum) * badgeFontSize / 1000))
}

func isWide(r rune) bool {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return true
	}
	return r == '…'
}
