package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"catalog.example/api/site"
	"catalog.example/api/site/validate"
	"catalog.example/api/spelling"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"github.com/spf13/cobra"
)

func newSchema(env environment) *cobra.Command {
	var dir, config string
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a listing's front matter",
		Long: `Prints the JSON Schema of a listing's front matter, with the facts of the taxonomy
in the content folder. Editors use it to complete and check listings that begin with
the line "# yaml-language-server: $schema=…".`,
		Example: "  catalog schema > content/" + content.SchemaFile,
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			loaded, err := loadWithTaxonomy(c.Context(), env, dir, config)
			if err != nil {
				return err
			}
			schema, err := loaded.FrontMatter.Schema()
			if err != nil {
				return err
			}
			return env.print("%s", schema)
		},
	}
	addContentFlags(c, &dir, &config)
	return c
}

// Help texts of the flags that name the content folder and its settings.
const (
	contentUsage = "content folder, with listings, taxonomy and pages"
	configUsage  = "settings file (default: catalog.yml in the current folder, if there is one)"
)

// addContentFlags adds the flags that name the content folder and its settings.
func addContentFlags(c *cobra.Command, dir, config *string) {
	c.Flags().StringVar(dir, "content", "content", contentUsage)
	c.Flags().StringVar(config, "config", "", configUsage)
}

// loadSettings returns checked settings.
func loadSettings(env environment, config string) (site.Settings, error) {
	settings, err := generator.LoadSettings(config, env.lookup)
	if err == nil {
		err = validate.Check(&settings)
	}
	return settings, err
}

// noteDefaults says that there is no file of settings, and which settings hold then. It does so for people in the
// folder of a catalogue: no flag names another folder or file, or asks for JSON.
func noteDefaults(c *cobra.Command, env environment, s *site.Settings) {
	for _, flag := range []string{"content", "config", "json"} {
		if c.Flags().Changed(flag) {
			return
		}
	}
	if _, err := os.Lstat(generator.DefaultSettingsFile); err == nil {
		return
	}
	near, _ := filepath.Glob("*.y*ml") // the pattern is valid
	env.note("catalog: note: there is no %s in this folder, so that defaults hold, such as title: %q, lang: %s and "+
		"base_url: %s%s\n", generator.DefaultSettingsFile, s.Title, s.Lang, s.BaseURL,
		spelling.Hint(generator.DefaultSettingsFile, near))
}

// contentOptions returns the options for loading a content folder.
func contentOptions(env environment, dir, config string) (content.Options, error) {
	settings, err := loadSettings(env, config)
	return content.Options{Dir: dir, Settings: settings, Jobs: runtime.GOMAXPROCS(0),
		Today: content.LatestDay(env.now())}, err
}

// loadWithTaxonomy loads a content folder. Listings may have errors, but the taxonomy may not,
// because listings cannot be written without it.
func loadWithTaxonomy(ctx context.Context, env environment, dir, config string) (*content.Content, error) {
	o, err := contentOptions(env, dir, config)
	if err != nil {
		return nil, err
	}
	loaded, _, err := content.Load(ctx, o)
	if err != nil {
		return nil, err
	}
	if wrong := loaded.TaxonomyError(); wrong != nil {
		return nil, fmt.Errorf("%s; run catalog lint to see all errors", prefixPaths(dir, []content.Finding{*wrong})[0])
	}
	return loaded, nil
}
