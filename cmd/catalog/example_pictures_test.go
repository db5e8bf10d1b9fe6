package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	pageproto "github.com/chromedp/cdproto/page"
	"golang.org/x/image/webp"
)

// maxExamplePicture bounds the pictures of examples, in bytes, so that the page for owners loads fast.
const maxExamplePicture = 60_000

// examplePictures are what the page for owners shows of each example.
var examplePictures = []struct{ example, path, ready string }{
	{"board-games", "/newest/", `document.querySelectorAll("#search-hits tbody tr").length > 3`},
	{"bird-watching", "/newest/", `document.querySelector(".map use")?.getBBox().width > 300 && [...document.images].every((i) => i.complete || i.loading === "lazy")`},
	{"instruments", "/", `document.readyState === "complete"`},
}

// TestExamplePictures checks the pictures of the examples. With -update-screenshots it makes them (make screenshots).
func TestExamplePictures(t *testing.T) {
	t.Parallel()
	page := readText(t, "../../content/pages/owners.md")
	for _, shot := range examplePictures {
		name := "example-" + shot.example + ".webp"
		file := filepath.Join("../../content/pictures", name)
		if *updateScreenshots {
			s, b := newExample(t, shot.example), newBrowser(t)
			call(t, b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: screenshotWidth, Height: screenshotHeight, DeviceScaleFactor: 1})
			b.setMedia(t, "light", "")
			call(t, b, pageproto.Navigate, pageproto.NavigateParams{URL: s.base + shot.path})
			b.waitFor(t, fmt.Sprintf("location.href === %q && (%s)", s.base+shot.path, shot.ready))
			evaluate[bool](t, b, nextPaint)
			picture := call(t, b, pageproto.CaptureScreenshot, pageproto.CaptureScreenshotParams{Format: pageproto.CaptureScreenshotFormatWebp, Quality: new(int64(75))})
			writeText(t, file, string(picture.Data))
			b.report(t)
		}
		picture := readText(t, file)
		config, err := webp.DecodeConfig(strings.NewReader(picture))
		if err != nil || config.Width != screenshotWidth || config.Height != screenshotHeight || len(picture) > maxExamplePicture {
			t.Errorf("%s has %d by %d pixels and %d bytes, %v", name, config.Width, config.Height, len(picture), err)
		}
		if !strings.Contains(page, "](../pictures/"+name+")") {
			t.Errorf("the page for owners does not show %s", name)
		}
	}
}
