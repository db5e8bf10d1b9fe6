package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/output"
	"catalog.example/generator/rule"
	"github.com/spf13/cobra"
)

func newTranslated(env environment) *cobra.Command {
	var dir, config string
	c := &cobra.Command{
		Use:   "translated [FILE...]",
		Short: "Mark translations as up to date",
		Long: `Notes in the named translations, such as content/projects/lamp.de.md, that they say what
the listing or page says now: the key translates gets a hash of each text that they
translate. When such a text changes, catalog lint says which translations need another
look. Run it after you have read both.

Without files, it marks what is new: translations, or texts in them, that are not
marked yet. It leaves the others alone, so that outdated ones stay known.

Prints the files that changed. A file that cannot be read does not change; its errors are
printed as file:line:column: message, and the exit status is 1.`,
		Example: `  catalog translated
  catalog translated content/projects/lamp.de.md`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, files []string) error {
			loaded, err := loadWithTaxonomy(c.Context(), env, dir, config)
			if err != nil {
				return err
			}
			names, err := translationsNamed(loaded, dir, files)
			if err != nil {
				return err
			}
			return markTranslated(env, loaded, dir, names, len(files) > 0)
		},
	}
	addContentFlags(c, &dir, &config)
	return c
}

// markedTranslations returns the translations of listings and pages, which can be marked.
func markedTranslations(c *content.Content) (files []string) {
	for main, list := range c.Translations {
		if filepath.Ext(main) == ".md" {
			files = append(files, list...)
		}
	}
	slices.Sort(files)
	return files
}

// translationsNamed returns the translations with the given paths, as paths below the content folder; all for none.
func translationsNamed(c *content.Content, dir string, files []string) (names []string, err error) {
	all := markedTranslations(c)
	if len(files) == 0 {
		return all, nil
	}
	var wrong []string
	for _, file := range files {
		name := file
		if absolute, err := filepath.Abs(dir); err == nil {
			if own, err := filepath.Abs(file); err == nil {
				if below, err := filepath.Rel(absolute, own); err == nil {
					name = filepath.ToSlash(below)
				}
			}
		}
		if !slices.Contains(all, name) {
			wrong = append(wrong, fmt.Sprintf("%q is not a translation of a listing or page of %s: name files such as "+
				"name.de.md, in one of the setting languages", file, dir))
		}
		names = append(names, name)
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(wrong, "\n"))
	}
	return names, nil
}

// markTranslated marks translations as up to date. With again, it marks texts that are marked already, too.
func markTranslated(env environment, c *content.Content, dir string, names []string, again bool) error {
	var findings []content.Finding
	changed := 0
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		before, after, err := c.MarkTranslated(dir, name, again)
		if err == nil && bytes.Equal(before, after) {
			continue
		}
		if err == nil {
			err = output.WriteFile(file, after)
		}
		if err != nil {
			findings = append(findings, formatFindings(file, err)...)
			continue
		}
		changed++
		if err := env.print("%s\n", invisible.Escape(file)); err != nil {
			return err
		}
	}
	if err := lint.WriteAll(env.stderr, "text", findings); err != nil {
		return err
	}
	env.note("%s, %d changed, %s\n", api.Count(len(names), "translation"), changed, api.Count(len(findings), "error"))
	if len(findings) > 0 {
		return errReported
	}
	return nil
}

// noteTranslations prints, for each language, how many of the listings and pages are translated, and how many of the
// translations are not known to be up to date.
func noteTranslations(env environment, c *content.Content, languages []string, findings []content.Finding) {
	all := len(c.Listings) + len(c.Unreadable) + len(c.Pages)
	for _, lang := range languages {
		isIn := func(file string) bool { return content.LanguageOf(file) == lang }
		count := func(r rule.Rule) int {
			files := map[string]bool{}
			for _, f := range findings {
				if f.Rule.Name == r.Name && isIn(f.File) {
					files[f.File] = true
				}
			}
			return len(files)
		}
		there := len(slices.DeleteFunc(markedTranslations(c), func(file string) bool { return !isIn(file) }))
		line := fmt.Sprintf("%s: %d of %d listings and pages translated", lang, there, all)
		if n := count(rule.OutdatedTranslation); n > 0 {
			line += fmt.Sprintf(", %d outdated", n)
		}
		if n := count(rule.UnmarkedTranslation); n > 0 {
			line += fmt.Sprintf(", %d unmarked", n)
		}
		env.note("%s\n", line)
	}
}
