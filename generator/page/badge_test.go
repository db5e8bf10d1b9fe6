package page

import (
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// badge is what a test reads of a badge.
type badge struct {
	Lang      string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	Direction string `xml:"direction,attr"`
	Role      string `xml:"role,attr"`
	Width     int    `xml:"width,attr"`
	Title     string `xml:"title"`
	Groups    []struct {
		Texts []struct {
			X      float64 `xml:"x,attr"`
			Length int     `xml:"textLength,attr"`
			Text   string  `xml:",chardata"`
		} `xml:"text"`
	} `xml:"g"`
}

// parsedBadge parses a badge and checks that its texts have room side by side.
func parsedBadge(t *testing.T, text string) *badge {
	t.Helper()
	b := &badge{}
	if err := xml.Unmarshal([]byte(text), b); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(text) > 1024 || b.Role != "img" || len(b.Groups) != 2 {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	var taken [2][2]float64 // from and to of each text
	for i, x := range b.Groups[1].Texts {
		half := float64(x.Length) / 2
		if taken[i] = [2]float64{x.X - half, x.X + half}; x.X-half < 4 || x.X+half > float64(b.Width)-4 {
			t.Errorf("%q reaches over the edge: %s", x.Text, text)
		}
	}
	if taken[0][1] > taken[1][0] && taken[1][1] > taken[0][0] && len(b.Groups[1].Texts) == 2 {
		t.Errorf("the texts overlap: %s", text)
	}
	return b
}

// texts returns the texts of a badge in their order in the file.
func (b *badge) texts() string {
	var list []string
	for _, x := range b.Groups[1].Texts {
		list = append(list, x.Text)
	}
	return strings.Join(list, " | ")
}

func gb(n float64) *float64 { return &n }

// A badge says the fact that decides, and no more than is known.
func TestFactOfBadge(t *testing.T) {
	s := smallSite(t)
	s.Content.Taxonomy.Facts = append(s.Content.Taxonomy.Facts, api.Fact{Key: api.SetupsKey, Kind: api.FactSetups})
	mit, custom, yes := "MIT", "LicenseRef-A-Very-Long-Name-Of-A-Licence", true
	nvidia := "nvidia"
	ram := func(setups ...hardware.Setup) func(*api.ProjectDetail) {
		return func(p *api.ProjectDetail) {
			p.License = &mit
			p.FitNotes.Set(api.SetupsKey, setups)
		}
	}
	minimum, recommended := hardware.LevelMinimum, hardware.LevelRecommended
	estimate := func(ramGb, vramGb *float64) func(*api.ProjectDetail) {
		return func(p *api.ProjectDetail) {
			p.License, p.Estimate = &mit, &hardware.Estimate{RAMGb: ramGb, VRAMGb: vramGb, Because: "a test"}
		}
	}
	cases := []struct {
		want, title string
		change      func(*api.ProjectDetail)
	}{
		{"runs on 8 GB", "8 GB RAM", ram(hardware.Setup{RAMGb: gb(16), Level: minimum}, hardware.Setup{RAMGb: gb(8), Level: minimum, DiskGb: gb(9)})},
		{"8 GB RAM, 6 GB VRAM", "8 GB RAM, 6 GB VRAM", ram(hardware.Setup{RAMGb: gb(8), VRAMGb: gb(6), Level: minimum})},
		{"8 GB RAM, Linux", "8 GB RAM, Linux", ram(hardware.Setup{RAMGb: gb(8), System: []string{"linux"}, Level: minimum})},
		{"2 GB RAM, model elsewhere", "2 GB RAM, model elsewhere", ram(hardware.Setup{RAMGb: gb(2), ModelsElsewhere: true, Level: minimum})},
		{"6 GB VRAM, nvidia", "6 GB VRAM, nvidia", ram(hardware.Setup{VRAMGb: gb(6), GPUVendor: &nvidia, Level: minimum})},
		{"8 GB RAM, GPU required", "8 GB RAM, GPU required", func(p *api.ProjectDetail) {
			ram(hardware.Setup{RAMGb: gb(8), Level: minimum})(p)
			p.FitNotes.Set("gpu", "required")
		}},
		{"MIT", "MIT", ram(hardware.Setup{RAMGb: gb(8), Level: recommended})}, // no one says how little is enough
		{"about 4 GB RAM", "about 4 GB RAM (estimate)", estimate(gb(4), gb(0))},
		{"about 16 GB VRAM", "about 8 GB RAM (estimate), about 16 GB VRAM (estimate)", estimate(gb(8), gb(16))},
		{"MIT", "MIT", func(p *api.ProjectDetail) { p.License = &mit }},
		{"Docker", "Docker", func(p *api.ProjectDetail) { // a part of the licence could say too much
			p.License = &custom
			p.FitNotes.Set("docker", true)
		}},
		{"Chat", "Chat", nil},
		{"archived", "archived", func(p *api.ProjectDetail) {
			ram(hardware.Setup{RAMGb: gb(8), Level: minimum})(p)
			p.Archived = &yes
		}},
	}
	for i, c := range cases {
		add(s, fmt.Sprintf("n%d", i), c.change)
	}
	files := built(t, s)
	for i, c := range cases {
		slug := fmt.Sprintf("n%d", i)
		b := parsedBadge(t, files["badge/"+slug+".svg"])
		if want := "Listed: Catalog | " + c.want; b.texts() != want || b.Lang != "en" {
			t.Errorf("%s says %q, want %q", slug, b.texts(), want)
		}
		if want := "\u2068" + slug + "\u2069. Listed: Catalog; " + c.title; b.Title != want {
			t.Errorf("%s has the title %q, want %q", slug, b.Title, want)
		}
	}
}

// Names and titles cannot break a badge or an embed, whatever they are written in.
func TestNamesInBadges(t *testing.T) {
	s := smallSite(t)
	s.Settings.Title, s.Settings.Lang = `מאגר הכלים <הפתוחים> & "החופשיים" ביותר`, "he"
	names := []string{`</title><script>alert("1")</script>&amp;`, "מנורה AI", "e\u0301tude\u202e", "ランプ — C++", "]]>'\"\x00"}
	for i, name := range names {
		add(s, fmt.Sprintf("n%d", i), func(p *api.ProjectDetail) { p.Name, p.License = name, &name })
	}
	files := built(t, s)
	for i, name := range names {
		text := files[fmt.Sprintf("badge/n%d.svg", i)]
		b := parsedBadge(t, text)
		if want := "\u2068" + strings.ReplaceAll(name, "\x00", "\uFFFD") + "\u2069. "; !strings.HasPrefix(b.Title, want) {
			t.Errorf("the title %q does not begin with %q", b.Title, want)
		}
		parts := b.Groups[1].Texts
		if b.Lang != "he" || b.Direction != "rtl" || len(parts) != 2 || parts[0].X < parts[1].X {
			t.Errorf("from right to left: %s", text)
		}
		if label := parts[0].Text; !strings.HasSuffix(label, "…") || len([]rune(label)) > len("Listed: ")+25 {
			t.Errorf("the title of the site is not shortened: %s", label)
		}
		embed := files[fmt.Sprintf("embed/n%d/index.html", i)]
		if !strings.Contains(embed, `<html lang="he" dir="rtl">`) || strings.Contains(embed, "<script") || strings.ContainsRune(embed, 0) {
			t.Error(embed)
		}
	}
}

// luminance returns the relative luminance of a colour (WCAG 2.2).
func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	if len(colour) == 4 {
		colour = "#" + strings.Repeat(colour[1:2], 2) + strings.Repeat(colour[2:3], 2) + strings.Repeat(colour[3:], 2)
	}
	for i, share := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += share * c
	}
	return sum
}

// The texts of a badge can be read on both of its colours (WCAG 2.2, 1.4.3), and the badge of an
// archived listing has a colour of its own.
func TestColoursOfBadges(t *testing.T) {
	s, yes := smallSite(t), true
	add(s, "ant", nil)
	add(s, "bee", func(p *api.ProjectDetail) { p.Archived = &yes })
	files := built(t, s)
	fill := regexp.MustCompile(`fill="(#[0-9a-f]+)"`)
	grounds := map[string]bool{}
	for _, slug := range []string{"ant", "bee"} {
		colours := fill.FindAllStringSubmatch(files["badge/"+slug+".svg"], -1)
		if len(colours) != 3 {
			t.Fatalf("%s has the colours %q", slug, colours)
		}
		text := luminance(t, colours[2][1])
		for _, c := range colours[:2] {
			grounds[c[1]] = true
			if contrast := (text + 0.05) / (luminance(t, c[1]) + 0.05); contrast < 4.5 {
				t.Errorf("the contrast on %s is %.1f", c[1], contrast)
			}
		}
	}
	if len(grounds) != 3 {
		t.Errorf("the badges have the colours %v", grounds)
	}
}

// An embed says what the row of a listing says, and leads to its page in a new tab.
func TestEmbed(t *testing.T) {
	s, mit, no, yes := smallSite(t), "MIT", false, true
	add(s, "ant", func(p *api.ProjectDetail) {
		p.Name, p.Purpose, p.License, p.OSIApproved, p.Archived = "Ant", "Carries things.", &mit, &no, &yes
		p.FitNotes.Set("docker", true)
	})
	embed := built(t, s)["embed/ant/index.html"]
	for _, want := range []string{
		`<meta name="robots" content="noindex">`, `<meta name="color-scheme" content="light dark">`,
		`<a href="https://catalog.example/projects/ant/" target="_blank" rel="noopener"><bdi>Ant</bdi></a>`, "Carries things.",
		`<span class="tag">Docker</span>`, `<span class="tag over">archived</span>`, `<span class="tag over">not open source</span>`,
		"Licence: MIT. Listed: Catalog",
	} {
		if !strings.Contains(embed, want) {
			t.Errorf("there is no %s in %s", want, embed)
		}
	}
	if sitemap := built(t, s)["sitemap.xml"]; strings.Contains(sitemap, "embed") || strings.Contains(sitemap, "badge") {
		t.Error(sitemap)
	}
}
