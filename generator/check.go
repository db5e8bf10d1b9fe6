package generator

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/api/search"
	"catalog.example/api/site"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/page"
	"catalog.example/generator/render"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
	"catalog.example/templates"
)

// Check returns the problems of a catalogue, sorted by place: the findings of package lint, facts
// older than oldest ("" for none), front matter that is not in canonical form, labels, templates
// and static files that a build cannot use, and links to pages that the site does not have. It
// parses templates but does not execute them, and needs no network. It returns an error if files
// cannot be read or ctx ends.
func Check(ctx context.Context, o content.Options, oldest api.Date) (*content.Content, []content.Finding, error) {
	c, findings, err := lint.Load(ctx, o, oldest)
	if err != nil {
		return c, findings, err
	}
	translations, more, err := loadTranslations(ctx, o, findings, nil)
	if err != nil {
		return c, findings, err
	}
	form, err := checkForm(ctx, c, findings, o)
	if err != nil {
		return c, findings, err
	}
	findings = append(findings, more...)
	var own []content.Finding
	if !slices.ContainsFunc(findings, func(f content.Finding) bool {
		return f.Rule.Severity == rule.Error && f.Rule.Name != rule.Link.Name
	}) { // templates are not checked if there are other errors
		if own, err = checkSites(c, translations, o); err != nil {
			return c, findings, err
		}
	}
	findings = append(findings, content.Leveled(append(form, own...), o.Settings.Rules)...)
	content.SortFindings(findings)
	return c, findings, nil
}

// checkForm warns of listings whose front matter is not in canonical form. It skips files with a wrong value,
// which is often what stands in the wrong form, and those that cannot be decoded: findings names both.
func checkForm(ctx context.Context, c *content.Content, findings []content.Finding, o content.Options,
) ([]content.Finding, error) {
	wrongValue := map[string]bool{}
	for i := range findings {
		if f := &findings[i]; f.Rule.Name == rule.Value.Name {
			wrongValue[f.File] = true
		}
	}
	found := make([]*content.Finding, len(c.Listings))
	err := parallel.Each(ctx, max(o.Jobs, 1), len(c.Listings), func(i int) error {
		file := c.Listings[i].File
		if wrongValue[file] {
			return nil
		}
		before, after, err := c.FrontMatter.FormatFile(filepath.Join(o.Dir, filepath.FromSlash(file)))
		wrong, unformatted := errors.AsType[*canonical.Error](err)
		switch {
		case unformatted && wrong.Undecoded:
		case unformatted:
			p := wrong.Problems[0]
			found[i] = &content.Finding{File: file, Line: p.Line, Column: p.Column, Rule: rule.Form, Message: p.Message}
		case err != nil:
			return err
		case !bytes.Equal(before, after):
			line := firstDifference(before, after)
			found[i] = &content.Finding{File: file, Line: line, Column: 1, Rule: rule.Form,
				Message: "the front matter is not in its canonical form from this line on: run catalog fmt"}
		}
		return nil
	})
	var form []content.Finding
	for _, f := range found {
		if f != nil {
			form = append(form, *f)
		}
	}
	return form, err
}

// firstDifference returns the number of the first line in which two texts differ, counting from 1.
func firstDifference(a, b []byte) int {
	line := 1
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			line++
		}
	}
	return line
}

// checkSites checks what the owner adds to a site in all its languages: labels, templates and static
// files, and the links of texts to the site itself. It expects content without errors.
func checkSites(c *content.Content, translations []translated, o content.Options) ([]content.Finding, error) {
	main, findings, err := checkTemplates(translated{"", c}, o)
	if err != nil {
		return nil, err
	}
	sites := []siteIn{main}
	for _, t := range translations {
		other, found, err := checkTemplates(t, o)
		if err != nil {
			return nil, err
		}
		sites = append(sites, other)
		findings = append(findings, t.content.TranslationFindings(found, findings, t.lang)...)
	}
	static, err := openStatic(o.Settings.Static)
	if err != nil {
		return append(findings, ownFinding(o, o.Settings.Static, "", problemAt(1, err.Error()), rule.Own)), nil
	}
	findings = append(findings, unmergedFindings(o, o.Settings.Static, static.names)...)
	if slices.ContainsFunc(sites, func(s siteIn) bool { return s.tasks == nil }) {
		return findings, nil
	}
	taken := sitePaths{}
	for _, s := range sites {
		maps.Copy(taken, pathsOf(s.below(), nil))
		taken[path.Join(s.lang, search.FileName)] = true
	}
	for _, name := range static.names {
		if taken[name] {
			problem := problemAt(1, static.conflict(name, name).Error())
			findings = append(findings, ownFinding(o, o.Settings.Static, name, problem, rule.Own))
		}
	}
	dead, err := deadLinks(sites, static)
	return append(findings, dead...), err
}

// checkTemplates checks labels and templates in one language, and parses them. The site has tasks if
// a build can use them.
func checkTemplates(t translated, o content.Options) (in siteIn, findings []content.Finding, err error) {
	in.translated = t
	folder := o.Settings.Overrides
	wrong := func(err error) []content.Finding {
		return append(findings, ownFinding(o, folder, "", problemAt(1, err.Error()), rule.Own))
	}
	if findings = unmergedFindings(o, folder, overridesIn(folder)); len(findings) > 0 {
		return in, findings, nil
	}
	if in.site, err = newSite(o.Settings, t.lang, t.content); err != nil {
		return in, wrong(err), nil
	}
	s := in.site
	if s.Settings.SearchesInBrowser() { // lint does not need a compiled engine
		s.Settings.Search = site.SearchByServer
	}
	mistakes, warnings, err := render.CheckLabels(s)
	if err != nil {
		return in, nil, err
	}
	for _, p := range mistakes {
		findings = append(findings, ownFinding(o, folder, templates.LabelsIn(t.lang), p, rule.Labels))
	}
	for _, p := range warnings {
		findings = append(findings, ownFinding(o, folder, templates.LabelsIn(t.lang), p, rule.UnusedLabel))
	}
	if len(mistakes) > 0 {
		return in, findings, nil
	}
	if in.tasks, err = page.Tasks(s, nil); err != nil {
		return in, wrong(err), nil
	}
	return in, findings, nil
}

// unmergedFindings returns the findings about merge conflicts in files of a folder.
func unmergedFindings(o content.Options, folder string, names []string) (findings []content.Finding) {
	for _, f := range unmerged(folder, names) {
		findings = append(findings, ownFinding(o, folder, f.name, problemAt(f.Conflict, f.Reason), rule.MergeConflict))
	}
	return findings
}

func problemAt(line int, message string) strictyaml.Problem {
	return strictyaml.Problem{Line: line, Column: 1, Message: message}
}

// ownFinding returns a finding about a file in a folder of the settings. Its path is relative to
// the content folder, like the paths of all findings.
func ownFinding(o content.Options, folder, name string, p strictyaml.Problem, r rule.Rule) content.Finding {
	file := filepath.Join(folder, name)
	dir, errDir := filepath.Abs(o.Dir)
	absolute, errFile := filepath.Abs(file)
	if relative, err := filepath.Rel(dir, absolute); errors.Join(errDir, errFile, err) == nil {
		file = relative
	}
	return content.Finding{File: filepath.ToSlash(file), Line: p.Line, Column: p.Column, Rule: r, Message: p.Message}
}
