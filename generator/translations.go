package generator

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"catalog.example/api/search"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/memo"
	"catalog.example/generator/page"
	"catalog.example/generator/render"
)

// A site in several languages is one site for each: those of the setting languages are in folders of their own.
// Each has its own pages, lists, index and assets, made by the same code.

// translated is the content in one of the setting languages.
type translated struct {
	lang    string
	content *content.Content
}

// loadTranslations reads the content in each of the setting languages. The findings are about translations;
// main has those of the content in the main language. last has the content of an earlier load; nil for none.
func loadTranslations(ctx context.Context, o content.Options, main []content.Finding, last []translated) (
	list []translated, findings []content.Finding, err error,
) {
	for _, lang := range o.Settings.Languages {
		o.Last = nil
		if i := slices.IndexFunc(last, func(t translated) bool { return t.lang == lang }); i >= 0 {
			o.Last = last[i].content
		}
		c, found, err := lint.LoadIn(ctx, o, lang, main)
		if err != nil {
			return nil, nil, err
		}
		list, findings = append(list, translated{lang, c}), append(findings, found...)
	}
	return list, findings, nil
}

// siteIn is the site in one language. The tasks write its files.
type siteIn struct {
	translated
	site  *render.Site
	tasks []page.Task
}

// below returns the tasks with the names of files below the main site.
func (s *siteIn) below() []page.Task {
	tasks := slices.Clone(s.tasks)
	for i := range tasks {
		tasks[i].Names = slices.Clone(tasks[i].Names)
		for j, name := range tasks[i].Names {
			tasks[i].Names[j] = path.Join(s.lang, name)
		}
	}
	return tasks
}

// copied returns the names of the static files that are also below the path of a language: those that hosts do
// not only read at the root, and of which the language has no file of its own.
func (s *static) copied(settings *site.Settings, lang string) (names []string) {
	for _, name := range s.names {
		folder, _, _ := strings.Cut(name, "/")
		if name != "CNAME" && !strings.HasPrefix(name, ".") && !slices.Contains(settings.Languages, folder) &&
			!slices.Contains(s.names, lang+"/"+name) {
			names = append(names, name)
		}
	}
	return names
}

// deadLinks finds links in texts to what the site does not have. The first of the sites is that in the main
// language, which has the others below it.
func deadLinks(sites []siteIn, static *static) (findings []content.Finding, err error) {
	all := pathsOf(nil, static.names)
	for i := range sites {
		maps.Copy(all, pathsOf(sites[i].below(), nil))
	}
	for i, s := range sites {
		paths := all
		if i > 0 {
			paths = pathsOf(s.tasks, static.names)
		}
		dead, err := checkSiteLinks(s.site, paths)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			dead = s.content.TranslationFindings(dead, findings, s.lang)
		}
		findings = append(findings, dead...)
	}
	return findings, nil
}

// addTranslations adds the files of the site in the setting languages to the plan, and finds dead links in all.
func (p *plan) addTranslations(
	ctx context.Context, o *Options, results *memo.Store, write func(string, ...[]byte) error, warn func(string),
) (err error) {
	sites := []siteIn{{site: p.site, tasks: p.tasks}}
	for _, t := range o.translations {
		copySimilar(t.content.Listings, p.site.Listings)
		below := func(name string, parts ...[]byte) error { return write(t.lang+"/"+name, parts...) }
		other, err := newPlan(ctx, o, t.lang, t.content, results, below, warn)
		if err != nil {
			return err
		}
		for _, name := range other.static.copied(&o.Settings, t.lang) {
			other.tasks = append(other.tasks, page.Task{Names: []string{name}, Run: func() error {
				text, err := other.static.read(name)
				if err != nil {
					return err
				}
				return below(name, text)
			}})
		}
		sites = append(sites, siteIn{t, other.site, other.tasks})
		p.tasks = append(p.tasks, page.Task{Run: func() error {
			index, err := other.index()
			if err != nil {
				return err
			}
			other.index = nil // frees its memory
			return below(search.FileName, index...)
		}})
		p.tasks = append(p.tasks, sites[len(sites)-1].below()...)
	}
	p.dead, err = deadLinks(sites, p.static)
	return err
}
