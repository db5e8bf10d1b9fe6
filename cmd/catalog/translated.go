package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/generator/content"
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
			for i := range names {
				names[i] = filepath.Join(dir, filepath.FromSlash(names[i]))
			}
			mark := func(file string) (before, after []byte, err error) {
				below, err := filepath.Rel(dir, file)
				if err != nil {
					return nil, nil, err
				}
				return loaded.MarkTranslated(dir, filepath.ToSlash(below), len(files) > 0)
			}
			return changeFiles(c.Context(), env, "translation", names, false, mark)
		},
	}
	addContentFlags(c, &dir, &config)
	return c
}

// translationsNamed returns the translations with the given paths, as paths below the content folder; all for none.
func translationsNamed(c *content.Content, dir string, files []string) (names []string, err error) {
	all := c.Translated()
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

// noteTranslations prints, for each language, how many of the listings and pages have a translation, and how many of
// these are not known to be up to date.
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
		there := len(slices.DeleteFunc(c.Translated(), func(file string) bool { return !isIn(file) }))
		line := fmt.Sprintf("%s: %d of %d listings and pages have a translation", lang, there, all)
		if n := count(rule.OutdatedTranslation); n > 0 {
			line += fmt.Sprintf(", %d outdated", n)
		}
		if n := count(rule.UnmarkedTranslation); n > 0 {
			line += fmt.Sprintf(", %d unmarked", n)
		}
		env.note("%s\n", line)
	}
}
