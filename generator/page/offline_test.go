package page

import (
	"strings"
	"testing"

	"catalog.example/api/site"
	"catalog.example/generator/engine"
	"catalog.example/generator/lzma"
	"catalog.example/generator/render"
)

// Each build has a service worker. It keeps the site only where pages search themselves, unless the
// setting offline forbids it.
func TestServiceWorker(t *testing.T) {
	worker := func(change func(*render.Site)) (script string, hasPage bool) {
		s := smallSite(t)
		s.Settings.Search, s.Engine = site.SearchInBrowser, &render.Engine{
			Module: engine.Module{Program: lzma.Encode([]byte("program")), Runtime: []byte("globalThis.Go = class {};")},
		}
		change(s)
		if !s.Settings.SearchesInBrowser() {
			s.Engine = nil
		}
		files := built(t, s)
		linked := strings.Contains(files["index.html"], `/offline/"`)
		if hasPage = files["offline/index.html"] != ""; hasPage != linked {
			t.Errorf("there is a page: %t, a link: %t", hasPage, linked)
		}
		for name := range files {
			if hasPage && strings.HasPrefix(name, "assets/") && !strings.HasPrefix(name, render.LogoFile) && !strings.Contains(files["sw.js"], `"/`+name+`"`) {
				t.Errorf("the worker does not keep %s", name)
			}
		}
		return files["sw.js"], hasPage
	}
	keeps, hasPage := worker(func(*render.Site) {})
	if !hasPage || strings.Contains(keeps, "unregister") {
		t.Errorf("the site is not kept: %s", keeps)
	}
	if other, _ := worker(func(s *render.Site) { s.Engine.Index = []byte("other") }); other == keeps {
		t.Error("the worker of another build is the same")
	}
	if others, _ := worker(func(s *render.Site) {
		s.Languages = []render.Language{{Tag: "en", Base: s.Settings.BaseURL}, {Tag: "de", Base: s.Settings.BaseURL + "/de"}}
	}); !strings.Contains(others, `"others":["/de/"]`) && !strings.Contains(others, `others:["/de/"]`) {
		t.Errorf("the worker does not leave other languages alone: %s", others)
	}
	for name, change := range map[string]func(*render.Site){
		"offline: off":   func(s *render.Site) { s.Settings.Offline = site.Off },
		"search: server": func(s *render.Site) { s.Settings.Search = site.SearchByServer },
		"search: none":   func(s *render.Site) { s.Settings.Search = site.SearchNone },
	} {
		if removes, hasPage := worker(change); hasPage || !strings.Contains(removes, "unregister") || strings.Contains(removes, "fetch") {
			t.Errorf("%s: %s", name, removes)
		}
	}
}
