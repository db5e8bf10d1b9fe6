package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/generator/content"
)

// checkComputer names the reader's computer, with real keys and clicks, and looks at what
// the pages then say of listings.
func (s *testSite) checkComputer(t *testing.T, b *browser) {
	summary := func(text string) string {
		return fmt.Sprintf(`document.querySelector("#computer-text").textContent === %q`, text)
	}
	rows := `[...document.querySelectorAll("#search-hits tbody tr")]`
	fitText := `document.querySelector("#search-fit-text").textContent`
	// verdicts is whether the first elements have the tags of the hits that the API gives.
	verdicts := func(elements string, parameters ...string) string {
		t.Helper()
		var want []string
		for _, hit := range s.search(t, append(parameters, "limit", "6")...).Hits {
			want = append(want, string(hit.Fit.Verdict))
		}
		if len(want) != 6 || want[0] != string(hardware.Fits) && want[0] != string(hardware.Likely) {
			t.Fatalf("the hits for %q: %q", parameters, want)
		}
		return fmt.Sprintf(`%s.slice(0, 6).map((hit) => hit.querySelector(".tag:is(.fits, .likely, .unknown, .unlikely)")?.classList[1]).join(" ") === %q`, elements, strings.Join(want, " "))
	}
	open := func(t *testing.T, path string) {
		t.Helper()
		b.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate("about:blank"), chromedp.Navigate(s.base+path), chromedp.WaitVisible("main h1"))
	}
	b.do(t, chromedp.Navigate(s.base+"/about/"))
	evaluate[bool](t, b, `(sessionStorage.clear(), true)`) // the tray of other tests
	t.Run("a laptop with 16 GB and no graphics card: a chat app", func(t *testing.T) {
		open(t, "/")
		// 1: the job
		b.do(t, chromedp.Click("#q"))
		b.write(t, "chat app")
		// 2: the computer
		b.do(t, chromedp.Click("#computer summary"))
		// 3: its RAM
		b.do(t, chromedp.Click("#computer-ramGb"))
		b.write(t, "16")
		// 4: no graphics card
		b.do(t, chromedp.Click("#computer-none"))
		b.waitFor(t, summary("16 GB RAM, no graphics card")+` && `+verdicts(`[...document.querySelectorAll(".suggestions:not([hidden]) [role=option]")]`, "q", "chat app", "ramGb", "16", "vramGb", "0"))
		// The button leads to all hits, with the computer.
		b.do(t, chromedp.Click("#ask-form button"))
		b.waitFor(t, `location.pathname === "/search/" && new URLSearchParams(location.search).get("vramGb") === "0" && /^\d+ fits? · .*makers of [1-9]\d* do not say · .*\d+ are left out: they need more than/.test(`+fitText+`)`)
		b.report(t)
	})
	t.Run("an RTX 3060 with 12 GB: image generation", func(t *testing.T) {
		open(t, "/search/")
		// 1: the job
		b.do(t, chromedp.Click("#q"))
		b.write(t, "image generation")
		// 2: the computer
		b.do(t, chromedp.Click("#computer summary"))
		// 3: the name of the card
		b.do(t, chromedp.Click("#computer-name"))
		b.write(t, "rtx 3060")
		b.press(t, "Enter", false)
		b.waitFor(t, summary("12 GB VRAM, NVIDIA")+` && location.search === "?q=image+generation&vramGb=12&gpuVendor=nvidia" && `+verdicts(rows, "q", "image generation", "vramGb", "12", "gpuVendor", "nvidia"))
		// Verdicts that no hit has are not counted.
		b.waitFor(t, `/\d fits? · /.test(`+fitText+`) && !/(^| )0 /.test(`+fitText+`)`)
		// What the makers do not say can be left out.
		unknown := allDrawn + ` && ` + rows + `.every((row) => !row.querySelector(".tag.unknown"))`
		b.do(t, chromedp.Click("#search-fit [name=stated]"))
		b.waitFor(t, `location.search.includes("stated=1") && `+unknown)
		b.report(t)
	})
	t.Run("the computer goes along", func(t *testing.T) {
		b.do(t, chromedp.Click("#search-hits tbody th a"))
		b.waitFor(t, `location.pathname.startsWith("/projects/") && location.hash === "#computer?vramGb=12&gpuVendor=nvidia" && `+summary("12 GB VRAM, NVIDIA")+
			` && document.querySelector("#verdict").textContent === "Fits my computer (12 GB VRAM, NVIDIA)."`)
		b.do(t, chromedp.Click(`.crumbs li:nth-child(3) a`))
		b.waitFor(t, `location.pathname.startsWith("/categories/") && document.querySelector("#search-hits tbody th[scope=rowgroup]")?.textContent.startsWith("Fits my computer: ") && `+allDrawn)
		groups := evaluate[[]string](t, b, `[...document.querySelectorAll("#search-hits tbody")].map((body) => body.rows[0].textContent + " " + (body.rows.length - 1))`)
		if len(groups) < 2 {
			t.Errorf("the groups are %q", groups)
		}
		for _, group := range groups {
			var name, count, rows string
			name, count, _ = strings.Cut(group, ": ")
			if count, rows, _ = strings.Cut(count, " "); count != rows {
				t.Errorf("%s tells %s, and has %s rows", name, count, rows)
			}
		}
		b.report(t)
	})
	t.Run("nothing is kept that nobody asked to keep", func(t *testing.T) {
		if kept := evaluate[int](t, b, `localStorage.length + sessionStorage.length`); kept != 0 {
			t.Errorf("%d entries", kept)
		}
		open(t, "/")
		b.waitFor(t, summary("not set"))
		b.do(t, chromedp.Click("#computer summary"), chromedp.Click("#computer-keep"), chromedp.Click("#computer-ramGb"))
		b.write(t, "8")
		b.waitFor(t, summary("8 GB RAM"))
		// A listing with a setup that 8 GB meet.
		i := slices.IndexFunc(s.content.Listings, func(l *content.Listing) bool {
			return slices.ContainsFunc(l.Setups, func(x hardware.Setup) bool {
				return x.RAMGb != nil && *x.RAMGb <= 8 && x.VRAMGb == nil && !x.ModelsElsewhere && len(x.System) == 0
			})
		})
		slug := s.content.Listings[i].Slug
		open(t, "/projects/"+slug+"/")
		met := 0
		for _, l := range s.content.Listings {
			for _, setup := range l.Setups {
				if l.Slug == slug && setup.RAMGb != nil && *setup.RAMGb <= 8 {
					met++
				}
			}
		}
		b.waitFor(t, summary("8 GB RAM")+fmt.Sprintf(` && %d > 0 && document.querySelectorAll("#setups th.yes").length === %[1]d`, met))
		b.do(t, chromedp.Click("#computer summary"), chromedp.Click("#computer-clear"))
		b.waitFor(t, summary("not set")+` && document.querySelectorAll("#setups th.yes").length === 0 && document.querySelector("#verdict").textContent === ""`)
		b.do(t, chromedp.Click("#computer-keep"))
		b.waitFor(t, `localStorage.length === 0`)
		b.report(t)
	})
	t.Run("a link that somebody sent leaves the computer that is kept alone", func(t *testing.T) {
		const kept = `localStorage.getItem("computer")`
		open(t, "/")
		b.do(t, chromedp.Click("#computer summary"), chromedp.Click("#computer-keep"), chromedp.Click("#computer-ramGb"))
		b.write(t, "64")
		b.waitFor(t, kept+" === `{\"ramGb\":64}`")
		linked := `document.querySelector("#computer-label").textContent === "The computer in this link:" && document.querySelector("#computer-linked").textContent === "This is not the computer that you saved in this browser." && !document.querySelector("#computer-mine").hidden && !document.querySelector("#computer-keep").checked && ` + kept + " === `{\"ramGb\":64}`"
		for _, path := range []string{"/search/?q=whisper&ramGb=8&vramGb=0", "/categories/video/#computer?ramGb=8&vramGb=0", "/categories/video/?ramGb=8&vramGb=0", "/search/?q=ollama#computer?ramGb=8&vramGb=0"} {
			open(t, path)
			b.waitFor(t, summary("8 GB RAM, no graphics card")+" && "+linked)
			// A change is of the link's computer.
			b.do(t, chromedp.Click("#computer summary"), chromedp.SendKeys("#computer-system", "L"))
			b.waitFor(t, summary("8 GB RAM, no graphics card, Linux")+" && "+linked)
			b.do(t, chromedp.Click("#computer-mine"))
			b.waitFor(t, summary("64 GB RAM")+` && document.querySelector("#computer-label").textContent === "My computer:" && document.querySelector("#computer-mine").hidden && document.querySelector("#computer-keep").checked && !decodeURIComponent(location.href).includes("Gb=")`)
		}
		// The link goes along until then.
		open(t, "/search/?q=whisper&ramGb=8&vramGb=0")
		b.waitFor(t, allDrawn)
		b.do(t, chromedp.Click("#search-hits tbody th a"))
		b.waitFor(t, `location.pathname.startsWith("/projects/") && `+summary("8 GB RAM, no graphics card")+" && "+linked)
		// One's own address is no link of somebody else.
		open(t, "/search/?q=whisper&ramGb=64")
		own := summary("64 GB RAM") + ` && document.querySelector("#computer-linked").textContent === "" && document.querySelector("#computer-mine").hidden && document.querySelector("#computer-keep").checked`
		b.waitFor(t, own+` && !location.href.includes("ramGb")`)

		// Back to the link's computer, a change is of that one again.
		open(t, "/search/?q=whisper&ramGb=8&vramGb=0")
		b.do(t, chromedp.SendKeys("#f-docker", "y"))
		b.waitFor(t, `location.search.includes("docker=1") && `+linked)
		b.do(t, chromedp.Click("#computer-mine"))
		b.waitFor(t, own)
		evaluate[bool](t, b, `(history.back(), true)`)
		b.waitFor(t, summary("8 GB RAM, no graphics card")+" && "+linked)
		b.do(t, chromedp.Click("#computer summary"), chromedp.SendKeys("#computer-system", "L"))
		b.waitFor(t, summary("8 GB RAM, no graphics card, Linux")+" && "+linked)
		b.do(t, chromedp.Click("#computer-clear"))
		b.waitFor(t, summary("not set")+` && document.querySelector("#computer-label").textContent === "My computer:" && !document.querySelector("#computer-mine").hidden && `+kept+" === `{\"ramGb\":64}`")

		// A computer that is kept is in no address, so going back never shows an older one.
		open(t, "/categories/video/")
		b.do(t, chromedp.SendKeys("#f-docker", "y"))
		b.waitFor(t, `location.search.includes("docker=1") && `+own)
		b.do(t, chromedp.Click("#computer summary"), chromedp.Click("#computer-ramGb"))
		b.write(t, "0")
		b.waitFor(t, summary("640 GB RAM"))
		evaluate[bool](t, b, `(history.back(), true)`)
		b.waitFor(t, `location.search === "" && location.hash === "" && document.querySelector("#computer-mine").hidden && `+summary("640 GB RAM"))
		evaluate[bool](t, b, `(localStorage.clear(), true)`)
		b.report(t)
	})
	t.Run("names mean the same as in a query", func(t *testing.T) {
		open(t, "/categories/video/")
		b.do(t, chromedp.Click("#computer summary"))
		for _, c := range namedComputers(t) {
			evaluate[bool](t, b, fmt.Sprintf(`(document.querySelector("#computer-clear").click(), [["ramGb", %s], ["name", %q]].forEach(([name, value]) => {
				const field = document.querySelector("#computer-" + name);
				field.value = value ?? "";
				field.dispatchEvent(new Event("change", { bubbles: true }));
			}), true)`, asJSON(c.RAMGb), c.Name))
			b.waitFor(t, is("location.hash", "#computer?"+c.parameters("&")))
		}
		// The memory that is not known is asked for, and fills in the rest.
		const note = `document.querySelector("#computer-note").textContent`
		b.do(t, chromedp.Click("#computer-clear"), chromedp.Click("#computer-name"))
		b.write(t, "m1")
		b.press(t, "Enter", false)
		b.waitFor(t, is(note, "Apple M1 is sold with different amounts of memory: enter yours."))
		b.do(t, chromedp.Click("#computer-ramGb"))
		b.write(t, "16")
		b.waitFor(t, is(note, "")+` && location.hash === "#computer?ramGb=16&vramGb=10.7&gpuVendor=apple&arch=arm64"`)
		b.do(t, chromedp.Click("#computer-clear"), chromedp.Click("#computer-name"))
		b.write(t, "uhd 620")
		b.press(t, "Enter", false)
		b.waitFor(t, is(note, "Intel UHD Graphics 620 is a part of the processor, and no graphics card."))
		b.report(t)
	})
	t.Run("figures that are none are told", func(t *testing.T) {
		const note = `document.querySelector("#computer-note").textContent`
		open(t, "/search/?q=chat")
		b.do(t, chromedp.Click("#computer summary"), chromedp.Click("#computer-name"))
		b.write(t, "Dell Nosuch 13")
		b.press(t, "Enter", false)
		b.waitFor(t, note+` === "This name is not in the list: give the memory instead."`)
		b.do(t, chromedp.Click("#computer-ramGb"))
		b.write(t, "16000")
		b.waitFor(t, summary("not set")+` && `+note+` === "Give a number of GB from 0 to 4096." && document.querySelector("#computer-ramGb").value === "16000" && document.querySelector("#computer-name").value === ""`)
		b.press(t, "Backspace", false)
		b.press(t, "Backspace", false)
		b.waitFor(t, summary("160 GB RAM")+` && `+note+` === "" && location.search === "?q=chat&ramGb=160"`)
		b.do(t, chromedp.Click("#computer-vramGb"))
		b.write(t, "-4")
		b.waitFor(t, summary("160 GB RAM")+` && `+note+` === "Give a number of GB from 0 to 4096."`)
		b.do(t, chromedp.Click("#computer-none"))
		b.waitFor(t, summary("160 GB RAM, no graphics card")+` && `+note+` === "" && document.querySelector("#computer-vramGb").value === ""`)
		// A name that is known takes the place of a figure that is none.
		b.do(t, chromedp.Click("#computer-name"))
		b.write(t, "rtx 3060")
		b.press(t, "Enter", false)
		b.waitFor(t, summary("160 GB RAM, 12 GB VRAM, NVIDIA"))
		b.do(t, chromedp.Click("#computer-ramGb"))
		b.write(t, "00000")
		b.waitFor(t, summary("12 GB VRAM, NVIDIA")+` && `+note+` !== "" && document.querySelector("#computer-name").value === "rtx 3060"`)
		b.do(t, chromedp.Click("#computer-clear"))
		b.waitFor(t, summary("not set")+` && `+note+` === "" && document.querySelector("#computer-ramGb").value === ""`)
		// What of an address is no computer is told.
		open(t, "/categories/video/#computer?ramGb=99999&system=toaster&vramGb=8")
		b.waitFor(t, summary("8 GB VRAM, 2 values left out")+` && `+note+` === "Left out: RAM in GB “99999”, which is not known here. Left out: System “toaster”, which is not known here."`)
		b.report(t)
	})
	t.Run("all hits can be shown", func(t *testing.T) {
		total := s.search(t, "q", "agent").Total
		open(t, "/search/?q=agent")
		for shown := 50; shown < total; shown += 50 {
			b.waitFor(t, fmt.Sprintf(`%s.length === %d && !document.querySelector("#more").disabled`, rows, shown))
			b.do(t, chromedp.ScrollIntoView("#more"), chromedp.Click("#more"))
		}
		b.waitFor(t, fmt.Sprintf(`%s.length === %d && document.querySelector("#more").hidden`, rows, total))
		if got := evaluate[int](t, b, `new Set(`+rows+`.map((row) => row.querySelector("a").href)).size`); got != total {
			t.Errorf("%d of %d listings are different", got, total)
		}
		b.report(t)
	})
	t.Run("the page code judges as the server does", func(t *testing.T) { s.checkVerdicts(t, b) })
}

// checkVerdicts compares the verdicts of the page code with those of package api: on the
// shared cases, and for all listings on 200 machines.
func (s *testSite) checkVerdicts(t *testing.T, b *browser) {
	text, err := os.ReadFile("../../api/hardware/testdata/fit.json")
	if err != nil {
		t.Fatal(err)
	}
	var code string
	for _, name := range []string{"labels.js", "computer.js"} {
		code += readText(t, filepath.Join("../../templates/assets", name))
	}
	b.do(t, chromedp.Navigate(s.base+"/about/")) // which has no form for the computer
	evaluate[bool](t, b, `(globalThis.COMPUTER = (() => { const CATALOG = { base: "", facts: [], platforms: {}, labels: {}, computer: { sizes: {}, platforms: {} } }; `+code+`; return COMPUTER; })(), true)`)
	wrong := evaluate[[]string](t, b, `(`+string(text)+`).flatMap((c) => c.machines.filter((m) => {
		const got = COMPUTER.fit(m, c), keys = ["verdict", "setups", "estimate", "unasked"];
		return keys.some((key) => JSON.stringify(got[key]) !== JSON.stringify(m.fit[key]));
	}).map((m) => c.name + " " + JSON.stringify(m) + ": " + JSON.stringify(COMPUTER.fit(m, c))))`)
	if text, err = os.ReadFile("../../api/hardware/testdata/models.json"); err != nil {
		t.Fatal(err)
	}
	wrong = append(wrong, evaluate[[]string](t, b, `((file) => file.cases.flatMap((c) => c.machines.filter((m) => {
		const got = COMPUTER.largest(m, file.unified.includes(m.gpuVendor), c, c.runners, file.models);
		return ["name", "memoryGb", "runner"].some((key) => got?.[key] !== m.largest?.[key]);
	}).map((m) => c.name + " " + JSON.stringify(m))))(`+string(text)+`)`)...)
	for _, c := range wrong {
		t.Error(c)
	}
	taxonomy := &s.content.Taxonomy
	var needs []hardware.Needs
	var listings []any
	r := rand.New(rand.NewPCG(10, 11))
	some := func(values ...any) any { return values[r.IntN(len(values))] }
	for i, l := range s.content.Listings {
		n := taxonomy.NeedsOf(&l.Project)
		if i%3 == 0 { // most listings have no estimate
			n.Estimate = &hardware.Estimate{RAMGb: new(hardware.Steps[r.IntN(10)]), Because: "a test"}
			if i%2 == 0 {
				n.Estimate.VRAMGb = new(hardware.Steps[r.IntN(10)])
			}
		}
		needs = append(needs, n)
		listings = append(listings, map[string]any{
			"gpu": l.FitNotes.Get(api.GPUKey), "arch": n.Arch, "gpuVendors": n.GPUVendors, "systems": n.Systems, "own": n.Own, "setups": append([]hardware.Setup{}, n.Setups...), "estimate": n.Estimate,
		})
	}
	var machines []hardware.Machine
	var asked []map[string]any
	for range 200 {
		m := map[string]any{
			"ramGb": some(nil, 0, 0.5, 1, 2, 4, 8, 12, 16, 24, 32, 64, 128, 4096), "vramGb": some(nil, nil, 0, 1, 2, 4, 6, 8, 10.6, 12, 16, 24, 48, 96),
			"arch": some(nil, nil, "amd64", "arm64"), "gpuVendor": some(nil, nil, "nvidia", "amd", "intel", "apple"), "system": some(nil, nil, nil, "linux", "macos", "android"),
		}
		maps.DeleteFunc(m, func(_ string, value any) bool { return value == nil })
		var machine hardware.Machine
		if err := json.Unmarshal([]byte(asJSON(m)), &machine); err != nil {
			t.Fatal(err)
		}
		machine = taxonomy.WithSystems(machine)
		m["systems"] = machine.Systems
		machines, asked = append(machines, machine), append(asked, m)
	}
	got := evaluate[[][]hardware.Fit](t, b, `((machines, facts) => machines.map((m) => facts.map((f) => COMPUTER.fit(m, f))))(`+asJSON(asked)+`,`+asJSON(listings)+`)`)
	seen := map[hardware.Verdict]int{}
	for i, m := range machines {
		for k, l := range s.content.Listings {
			judgement := m.Judge(&needs[k], nil)
			want := judgement.Fit(&needs[k])
			seen[want.Verdict]++
			if fit := got[i][k]; asJSON(fit) != asJSON(want) {
				t.Errorf("%s on %s: the page code says %s, the server %s", l.Slug, asJSON(asked[i]), asJSON(fit), asJSON(want))
			}
		}
	}
	for _, verdict := range hardware.Verdicts {
		if seen[verdict] < 1000 {
			t.Errorf("%s was judged %d times only", verdict, seen[verdict])
		}
	}
}
