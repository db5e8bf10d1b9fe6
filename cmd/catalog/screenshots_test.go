package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	pageproto "github.com/chromedp/cdproto/page"
	"golang.org/x/image/webp"
)

var updateScreenshots = flag.Bool("update-screenshots", false, "write the pictures of the README anew")

const (
	screenshotFolder = "../../.github/screenshots"
	// maxScreenshot bounds each picture, in bytes, so that the README loads fast.
	maxScreenshot                     = 150_000
	screenshotWidth, screenshotHeight = 1280, 800 // in CSS pixels
	screenshotScale                   = 1.5       // dense screens show text sharply
)

// screenshots are the pictures of the README: each in light and dark.
var screenshots = []struct{ name, path, ready string }{
	{"search", "/search/?q=speech+to+text&offline=1&ramGb=16&vramGb=0", `document.querySelectorAll("#search-hits:not([hidden]) tbody tr").length > 3`},
	{"listing", "/projects/meetily/", `document.readyState === "complete"`},
}

// TestScreenshots checks the pictures of the README. With -update-screenshots it makes
// them (make screenshots).
func TestScreenshots(t *testing.T) {
	t.Parallel()
	if *updateScreenshots {
		makeScreenshots(t)
	}
	readme := readText(t, "../../README.md")
	var names []string
	for _, s := range screenshots {
		for _, scheme := range []string{"dark", "light"} {
			name := s.name + "-" + scheme + ".webp"
			names = append(names, name)
			picture := readText(t, filepath.Join(screenshotFolder, name))
			config, err := webp.DecodeConfig(strings.NewReader(picture))
			if err != nil || float64(config.Width) != screenshotWidth*screenshotScale || float64(config.Height) != screenshotHeight*screenshotScale || len(picture) > maxScreenshot {
				t.Errorf("%s has %d by %d pixels and %d bytes, %v", name, config.Width, config.Height, len(picture), err)
			}
			if !strings.Contains(readme, ".github/screenshots/"+name) {
				t.Errorf("the README does not show %s", name)
			}
		}
	}
	files, err := os.ReadDir(screenshotFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(names, file.Name()) {
			t.Errorf("no test makes %s", file.Name())
		}
	}
}

func makeScreenshots(t *testing.T) {
	t.Helper()
	s, b := newSite(t, "../../content"), newBrowser(t)
	if err := os.MkdirAll(screenshotFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	call(t, b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: screenshotWidth, Height: screenshotHeight, DeviceScaleFactor: screenshotScale})
	for _, shot := range screenshots {
		for _, scheme := range []string{"dark", "light"} {
			b.setMedia(t, scheme, "")
			call(t, b, pageproto.Navigate, pageproto.NavigateParams{URL: s.base + shot.path})
			b.waitFor(t, fmt.Sprintf("location.href === %q && (%s)", s.base+shot.path, shot.ready))
			evaluate[bool](t, b, nextPaint)
			picture := call(t, b, pageproto.CaptureScreenshot, pageproto.CaptureScreenshotParams{Format: pageproto.CaptureScreenshotFormatWebp, Quality: new(int64(85))})
			writeText(t, filepath.Join(screenshotFolder, shot.name+"-"+scheme+".webp"), string(picture.Data))
		}
	}
	b.report(t)
}
