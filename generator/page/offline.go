package page

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"catalog.example/api/headers"
	"catalog.example/generator/render"
)

const offlinePath = "/offline/"

// Bounds of the visited pages that a browser keeps. Beyond them, the oldest go.
const (
	keptPages = 50
	keptMB    = 16
)

// offlinePage says what the browser keeps, and switches that on and off. It also stands for pages that
// the browser does not keep.
type offlinePage struct{ *catalog }

func (s offlinePage) show() (*render.Page, error) {
	title := s.T("Offline")
	return &render.Page{
		Kind: "offline", Title: title, Path: offlinePath, NoIndex: true, Crumbs: render.Crumbs(title),
		Description: s.T("What this site keeps in your browser to work offline, and how to switch that off."),
		Data:        struct{ Pages, MB int }{keptPages, keptMB},
	}, nil
}

// workerConstants are what sw.js knows of the site. sw-off.js uses Base alone.
type workerConstants struct {
	Base    string   `json:"base"`
	Version string   `json:"version,omitempty"` // differs if anything else in the script differs
	Assets  []string `json:"assets,omitempty"`  // paths below the base, always kept
	Pages   []string `json:"pages,omitempty"`
	Offline string   `json:"offline,omitempty"` // one of Pages
	Most    *most    `json:"most,omitempty"`
	Others  []string `json:"others,omitempty"` // paths below the base of the site in other languages
}

// most bounds the visited pages.
type most struct {
	Pages int `json:"pages"`
	Bytes int `json:"bytes"`
}

// worker writes the service worker. Each build has one, because a browser may have that of an earlier
// build: if this site keeps nothing in browsers, the worker removes itself.
func (s offlinePage) worker() error {
	file, constants := "assets/sw-off.js", workerConstants{Base: s.View.Base}
	if s.Settings.KeepsOffline() {
		file = "assets/sw.js"
		constants.Offline, constants.Most = offlinePath, &most{keptPages, keptMB << 20}
		constants.Pages = []string{"/", "/search/", "/saved/", "/compare/", categoriesPath, offlinePath}
		for _, l := range s.Languages {
			if other, isBelow := strings.CutPrefix(l.Base, s.Settings.BaseURL+"/"); isBelow {
				constants.Others = append(constants.Others, "/"+other+"/")
			}
		}
		for _, name := range slices.Sorted(maps.Keys(s.Assets)) {
			if !strings.HasPrefix(name, render.LogoFile) { // there are hundreds
				constants.Assets = append(constants.Assets, "/"+name)
			}
		}
	}
	code, err := fs.ReadFile(s.Site.Templates, file)
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	value, err := json.Marshal(constants)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if s.Settings.KeepsOffline() {
		sum := sha256.Sum256(slices.Concat(code, value))
		constants.Version = hex.EncodeToString(sum[:6])
		if value, err = json.Marshal(constants); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	text, err := s.Minify(file, fmt.Appendf(nil, "(() => {\n\"use strict\";\nconst SITE = %s;\n%s})();\n", value, code))
	if err != nil {
		return err
	}
	return s.write(headers.WorkerFile, text)
}
