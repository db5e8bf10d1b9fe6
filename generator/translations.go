package generator

import (
	"context"
	"slices"
	"strings"

	"catalog.example/api/search"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/memo"
	"catalog.example/generator/page"
)

// A site in several languages is one site for each: those of the setting languages are in folders of their own.
// Each has its own pages, lists, index and assets, made by the same code.

// translated is the content in one of the setting languages.
type translated struct {
	lang    string
	content *content.Content
}

// loadTranslations reads the content in each of the setting languages. The findings are errors of translations;
// main has those of the content in the main language.
func loadTranslations(ctx context.Context, o content.Options, main []content.Finding) (
	list []translated, findings []content.Finding, err error,
) {
	for _, lang := range o.Settings.Languages {
		c, found, err := lint.LoadIn(ctx, o, lang, main)
		if err != nil {
			return nil, nil, err
		}
		list, findings = append(list, translated{lang, c}), append(findings, found...)
	}
	return list, findings, nil
}

// addTranslations adds the files of the site in the setting languages to the plan.
func (p *plan) addTranslations(
	ctx context.Context, o *Options, results *memo.Store, write func(string, ...[]byte) error, warn func(string),
) error {
	for _, t := range o.translations {
		below := func(name string, parts ...[]byte) error { return write(t.lang+"/"+name, parts...) }
		other, err := newPlan(ctx, o, t.lang, t.content, results, below, warn)
		if err != nil {
			return err
		}
		p.dead = append(p.dead, t.content.TranslationFindings(other.dead, p.dead, t.lang)...)
		p.tasks = append(p.tasks, page.Task{Run: func() error {
			index, err := other.index()
			if err != nil {
				return err
			}
			other.index = nil // frees its memory
			return below(search.FileName, index...)
		}})
		for _, task := range other.tasks {
			task.Names = slices.Clone(task.Names)
			for i := range task.Names {
				task.Names[i] = t.lang + "/" + task.Names[i]
			}
			p.tasks = append(p.tasks, task)
		}
		for _, name := range other.static.names {
			if name == "CNAME" || strings.HasPrefix(name, ".") { // only read at the root
				continue
			}
			p.tasks = append(p.tasks, page.Task{Names: []string{t.lang + "/" + name}, Run: func() error {
				text, err := other.static.read(name)
				if err != nil {
					return err
				}
				return below(name, text)
			}})
		}
	}
	return nil
}
