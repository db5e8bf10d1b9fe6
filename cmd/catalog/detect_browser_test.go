package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// toldBy is what a browser tells of its computer. What is "" or 0 is not told.
type toldBy struct {
	renderer     string  // by WebGL
	masked       string  // what RENDERER has if only the extension tells the renderer
	gpu          string  // vendor, by WebGPU
	memory       float64 // navigator.deviceMemory
	platform     string  // of userAgentData
	architecture string  // of userAgentData: x86 or arm, 64 bits
	model        string  // of userAgentData
	userAgent    string
	touchPoints  int
}

// tell makes the page's browser tell that.
func (b *browser) tell(t *testing.T, told toldBy) {
	t.Helper()
	evaluate[bool](t, b, fmt.Sprintf(`((renderer, masked, gpu, memory, platform, architecture, model, userAgent, touchPoints) => {
		const tell = (name, value) => Object.defineProperty(navigator, name, { value, configurable: true });
		tell("deviceMemory", memory || undefined);
		tell("userAgent", userAgent);
		tell("maxTouchPoints", touchPoints);
		tell("gpu", gpu ? { requestAdapter: async () => ({ info: { vendor: gpu } }) } : { requestAdapter: async () => { throw new Error("no WebGPU"); } });
		tell("userAgentData", platform ? { platform, getHighEntropyValues: async () => ({ architecture, bitness: "64", model }) } : undefined);
		const names = { 1: masked || renderer, 2: renderer };
		HTMLCanvasElement.prototype.getContext = (kind) => kind === "webgl" && renderer ? {
			RENDERER: 1, getParameter: (name) => names[name] ?? null,
			getExtension: (name) => name === "WEBGL_debug_renderer_info" ? { UNMASKED_RENDERER_WEBGL: 2 } : null,
		} : null;
		return true;
	})(%q, %q, %q, %g, %q, %q, %q, %q, %d)`,
		told.renderer, told.masked, told.gpu, told.memory, told.platform, told.architecture, told.model, told.userAgent, told.touchPoints))
}

// detections are browsers, and what the form makes of what they tell.
var detections = []struct {
	name   string
	told   toldBy
	text   string // the computer in words
	report string
}{
	{"a card with two sizes", toldBy{renderer: "ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 (0x00002504) Direct3D11 vs_5_0 ps_5_0, D3D11)", memory: 8, platform: "Windows", architecture: "x86"},
		"12 GB VRAM, NVIDIA, Windows, amd64",
		"Your browser says: GeForce RTX 3060, at least 8 GB RAM, Windows, amd64. Please enter or check: RAM, VRAM (sold with 12 / 8 GB)."},
	{"a card of a laptop", toldBy{renderer: "ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 Laptop GPU Direct3D11 vs_5_0 ps_5_0, D3D11)", memory: 16, platform: "Windows"},
		"6 GB VRAM, NVIDIA, Windows", "Your browser says: GeForce RTX 3060 Laptop, at least 16 GB RAM, Windows. Please enter or check: RAM."},
	{"a card whose name has its memory", toldBy{renderer: "ANGLE (NVIDIA, NVIDIA GeForce GTX 1060 3GB Direct3D11 vs_5_0 ps_5_0, D3D11)", platform: "Windows"},
		"3 GB VRAM, NVIDIA, Windows", "Your browser says: GeForce GTX 1060, Windows. Please enter or check: RAM."},
	{"a card of AMD on Linux", toldBy{renderer: "ANGLE (AMD, AMD Radeon RX 6800 XT (radeonsi, navi21, LLVM 15.0.7, DRM 3.54, 6.6.9), OpenGL 4.6)", memory: 4, platform: "Linux", architecture: "x86"},
		"4 GB RAM, 16 GB VRAM, AMD, Linux, amd64", "Your browser says: Radeon RX 6800 XT, about 4 GB RAM, Linux, amd64. Please enter or check: RAM."},
	{"a card that is another than that with the shorter name", toldBy{renderer: "NVIDIA GeForce RTX 4090 Ti/PCIe/SSE2", platform: "Linux"},
		"NVIDIA, Linux", "Your browser says: NVIDIA, Linux. Please enter or check: RAM, VRAM or graphics card."},
	{"graphics of a processor", toldBy{renderer: "ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)", memory: 8, platform: "Linux", architecture: "x86"},
		"no graphics card, Linux, amd64",
		"Your browser says: Intel UHD Graphics 620, at least 8 GB RAM, Linux, amd64. Please enter or check: RAM, any graphics card besides Intel UHD Graphics 620."},
	{"graphics of a processor without a number", toldBy{renderer: "ANGLE (AMD, AMD Radeon(TM) Vega 8 Graphics (0x000015D8) Direct3D11 vs_5_0 ps_5_0, D3D11)", platform: "Windows"},
		"no graphics card, Windows, amd64",
		"Your browser says: AMD Radeon Vega Graphics, Windows, amd64. Please enter or check: RAM, any graphics card besides AMD Radeon Vega Graphics."},
	{"a second card, which WebGPU sees", toldBy{renderer: "ANGLE (Intel, Intel(R) UHD Graphics (0x00009A60) Direct3D11 vs_5_0 ps_5_0, D3D11)", gpu: "nvidia", memory: 8, platform: "Windows"},
		"NVIDIA, Windows", "Your browser says: NVIDIA, at least 8 GB RAM, Windows. Please enter or check: RAM, VRAM or graphics card."},
	{"the same card, which WebGPU sees, too", toldBy{renderer: "ANGLE (NVIDIA, NVIDIA GeForce RTX 4090 (0x00002684) Direct3D11 vs_5_0 ps_5_0, D3D11)", gpu: "nvidia", platform: "Windows"},
		"24 GB VRAM, NVIDIA, Windows", "Your browser says: GeForce RTX 4090, Windows. Please enter or check: RAM."},
	{"SwiftShader", toldBy{renderer: "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)", gpu: "google", memory: 2, platform: "Linux"},
		"2 GB RAM, Linux", "Your browser says: about 2 GB RAM, Linux. Please enter or check: RAM, VRAM or graphics card."},
	{"llvmpipe, with an Intel processor", toldBy{renderer: "ANGLE (Mesa, llvmpipe (LLVM 15.0.7 256 bits), OpenGL 4.5) Intel", platform: "Linux"},
		"Linux", "Your browser says: Linux. Please enter or check: RAM, VRAM or graphics card."},
	{"Firefox, which names a similar card", toldBy{renderer: "GeForce GTX 980, or similar", userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"},
		"NVIDIA, Windows", "Your browser says: NVIDIA, Windows. Please enter or check: RAM, VRAM or graphics card."},
	{"Safari on a Mac, which names only the maker", toldBy{renderer: "Apple GPU", masked: "WebKit WebGL", userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15"},
		"Apple, macOS", "Your browser says: Apple, macOS. Please enter or check: RAM."},
	{"an iPad, which says that it is a Mac", toldBy{renderer: "Apple GPU", touchPoints: 5, userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15"},
		"iOS", "Your browser says: iOS. Please enter or check: RAM."},
	{"a phone that names its model", toldBy{renderer: "Mali-G715", memory: 8, platform: "Android", model: "Pixel 8"},
		"8 GB RAM, Android, arm64", "Your browser says: Google Pixel 8, at least 8 GB RAM, Android, arm64."},
	{"a phone that does not", toldBy{renderer: "Adreno (TM) 740", memory: 8, platform: "Android", model: "SM-S918B"},
		"Android", "Your browser says: at least 8 GB RAM, Android. Please enter or check: RAM."},
	{"a Chromebook", toldBy{memory: 4, platform: "Chrome OS"},
		"4 GB RAM", "Your browser says: about 4 GB RAM. Please enter or check: RAM, VRAM or graphics card, system."},
	{"a browser that tells nothing", toldBy{}, "not set",
		"Your browser says: nothing. Please enter or check: RAM, VRAM or graphics card, system."},
}

const (
	computerText = `document.querySelector("#computer-text").textContent`
	reportText   = `document.querySelector("#computer-found").textContent.trim()`
	// shownFields are the names of the fields in sight.
	shownFields = `[...document.querySelectorAll("#computer label [id^=computer-]")].filter((e) => e.checkVisibility()).map((e) => e.id.slice("computer-".length)).join(" ")`
)

// is is a condition: a JavaScript expression has a value.
func is(expression, value string) string { return fmt.Sprintf(`%s === %q`, expression, value) }

// checkDetecting looks at what the form "My computer" makes of what browsers tell, and of the
// kind of computer that the reader chooses.
func (s *testSite) checkDetecting(t *testing.T, b *browser) {
	openForm := func(t *testing.T, path string) {
		t.Helper()
		b.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate("about:blank"), chromedp.Navigate(s.base+path), chromedp.WaitVisible("main h1"), chromedp.Click("#computer summary"))
	}
	for _, test := range detections {
		t.Run("detect "+test.name, func(t *testing.T) {
			openForm(t, "/categories/video/")
			b.tell(t, test.told)
			b.do(t, chromedp.Click("#computer-detect"))
			b.waitFor(t, reportText+` !== ""`)
			for expression, want := range map[string]string{computerText: test.text, reportText: test.report} {
				if got := evaluate[string](t, b, expression); got != want {
					t.Errorf("%s is\n%q, want\n%q", expression, got, want)
				}
			}
			b.report(t)
		})
	}
	t.Run("detect: a chip with unified memory", func(t *testing.T) {
		openForm(t, "/categories/video/")
		b.tell(t, toldBy{renderer: "ANGLE (Apple, ANGLE Metal Renderer: Apple M1 Pro, Unspecified Version)", gpu: "apple", memory: 8, platform: "macOS", architecture: "arm"})
		b.do(t, chromedp.Click("#computer-detect"))
		b.waitFor(t, is(computerText, "Apple, macOS, arm64")+" && "+
			is(reportText, "Your browser says: Apple M1 Pro, at least 8 GB RAM, macOS, arm64. Please enter or check: RAM (sold with 16 / 32 GB).")+" && "+
			is(shownFields, "ramGb name keep"))
		// The graphics may use the share that the table states.
		b.do(t, chromedp.Click("#computer-ramGb"))
		b.write(t, "32")
		b.waitFor(t, is(computerText, "32 GB RAM, 21.3 GB VRAM, Apple, macOS, arm64")+` && !`+reportText+`.includes("Please")`)
		b.report(t)
	})
	t.Run("detect keeps the RAM that the reader gave, and no computer of a link", func(t *testing.T) {
		card := toldBy{renderer: "ANGLE (NVIDIA, NVIDIA GeForce RTX 4090 (0x00002684) Direct3D11 vs_5_0 ps_5_0, D3D11)", memory: 4, platform: "Windows"}
		openForm(t, "/search/?q=chat")
		b.do(t, chromedp.Click("#computer-keep"), chromedp.Click("#computer-ramGb"))
		b.write(t, "64")
		b.tell(t, card)
		b.do(t, chromedp.Click("#computer-detect"))
		const kept = `localStorage.getItem("computer")`
		own := `{"ramGb":64,"vramGb":24,"gpuVendor":"nvidia","system":"windows"}`
		b.waitFor(t, is(computerText, "64 GB RAM, 24 GB VRAM, NVIDIA, Windows")+" && "+is(kept, own))
		openForm(t, "/search/?q=chat&ramGb=8&vramGb=0&system=linux")
		b.tell(t, card)
		b.do(t, chromedp.Click("#computer-detect"))
		b.waitFor(t, is(computerText, "4 GB RAM, 24 GB VRAM, NVIDIA, Windows")+" && "+is(kept, own)+` && !document.querySelector("#computer-mine").hidden`)
		b.do(t, chromedp.Click("#computer-mine"))
		b.waitFor(t, is(computerText, "64 GB RAM, 24 GB VRAM, NVIDIA, Windows"))
		evaluate[bool](t, b, `(localStorage.clear(), true)`)
		b.report(t)
	})
	t.Run("detect asks only the browser", func(t *testing.T) {
		openForm(t, "/projects/"+s.content.Listings[0].Slug+"/")
		b.tell(t, detections[0].told)
		b.waitFor(t, `document.querySelector("#computer-help p")`) // the names have arrived
		b.mu.Lock()
		b.requested = nil
		b.mu.Unlock()
		b.do(t, chromedp.Click("#computer-detect"))
		b.waitFor(t, is(reportText, detections[0].report))
		b.mu.Lock()
		defer b.mu.Unlock()
		b.requested = slices.DeleteFunc(b.requested, func(address string) bool { return strings.HasSuffix(address, ".svg") }) // the icon may be late
		if len(b.requested) > 0 {
			t.Errorf("it asks for %q", b.requested)
		}
	})
	s.checkKinds(t, b, openForm)
}

// checkKinds chooses the kind of computer, with the keyboard.
func (s *testSite) checkKinds(t *testing.T, b *browser, openForm func(*testing.T, string)) {
	const all = "ramGb vramGb name system arch none keep"
	kind := func(value string) string {
		return fmt.Sprintf(`(document.querySelector("[name=computer-kind]:checked")?.value ?? "") === %q`, value)
	}
	t.Run("kinds of computers by the keyboard", func(t *testing.T) {
		openForm(t, "/search/?q=chat")
		b.waitFor(t, kind("")+" && "+is(shownFields, all))
		b.press(t, "Tab", false)
		b.press(t, " ", false) // phone
		b.waitFor(t, kind("phone")+" && "+is(shownFields, "ramGb name system keep")+" && "+is(computerText, "not set"))
		b.press(t, "ArrowDown", false)
		b.waitFor(t, kind("mac")+" && "+is(shownFields, "ramGb name keep")+" && "+is(computerText, "macOS")+` && location.search === "?q=chat&system=macos"`)
		b.press(t, "ArrowDown", false)
		b.waitFor(t, kind("card")+" && "+is(shownFields, "ramGb vramGb name system keep")+" && "+is(computerText, "not set"))
		b.press(t, "ArrowDown", false)
		b.waitFor(t, kind("none")+" && "+is(shownFields, "ramGb system keep")+" && "+is(computerText, "no graphics card"))
		b.press(t, "Tab", false)
		b.waitFor(t, `document.activeElement.id === "computer-detect"`)
		b.press(t, "Tab", false)
		b.waitFor(t, `document.activeElement.id === "computer-ramGb"`)
		b.write(t, "16")
		b.waitFor(t, is(computerText, "16 GB RAM, no graphics card")+" && "+kind("none"))
		// All fields: the first that was hidden has the focus.
		b.do(t, chromedp.Focus("#computer-all"))
		b.press(t, "Enter", false)
		b.waitFor(t, is(shownFields, all)+` && document.activeElement.id === "computer-vramGb" && document.querySelector("#computer-all").hidden && `+kind("none"))
		b.write(t, "8")
		b.waitFor(t, is(computerText, "16 GB RAM, 8 GB VRAM")+" && "+kind("card")+" && "+is(shownFields, all))
		b.do(t, chromedp.Click("#computer-clear"))
		b.waitFor(t, kind("")+" && "+is(computerText, "not set"))
		b.report(t)
	})
	t.Run("kinds of computers leave no fact of another kind", func(t *testing.T) {
		openForm(t, "/categories/video/#computer?ramGb=16&vramGb=12&gpuVendor=nvidia&system=linux")
		b.waitFor(t, kind("card")+" && "+is(shownFields, all))
		choose := func(value, text string) {
			b.do(t, chromedp.Click("[name=computer-kind][value="+value+"]"))
			b.waitFor(t, kind(value)+" && "+is(computerText, text))
		}
		choose("none", "16 GB RAM, no graphics card, Linux")
		choose("mac", "16 GB RAM, macOS")
		b.do(t, chromedp.Click("#computer-name"))
		b.write(t, "m1 pro 32 gb")
		b.press(t, "Enter", false)
		b.waitFor(t, is(computerText, "32 GB RAM, 21.3 GB VRAM, Apple, macOS, arm64"))
		choose("phone", "32 GB RAM, arm64")
		choose("card", "32 GB RAM, arm64")
		b.report(t)
	})
}
