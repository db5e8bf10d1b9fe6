package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"catalog.example/api/invisible"
	"catalog.example/generator/overrides"
	"github.com/spf13/cobra"
)

func newTemplates(env environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "templates",
		Short: "Copy shipped templates to change them, and see what changed since",
		Long: `Copies shipped templates into the folder of the setting overrides, whose files
replace them, and shows what has changed in the copies and in the shipped files.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTemplatesExport(env), newTemplatesDiff(env))
	return c
}

func newTemplatesExport(env environment) *cobra.Command {
	var out, config string
	var force, record bool
	c := &cobra.Command{
		Use:   "export [FILE...]",
		Short: "Copy shipped templates into the folder of overrides",
		Long: `Copies shipped templates, all or those named, into the folder of overrides, and
prints the files that it writes. A FILE is a path below templates/ of the source,
or a pattern in which * stands for any name, and ** for any folders.

A file that is there already and differs is an error, unless --force is set. With
an error nothing is written.

The folder .catalog-templates in it keeps the text of each file as it was
copied, by which 'catalog templates diff' can tell later what has changed. Keep
it beside the others. After you have brought files up to date by hand, --record
says so: it changes only what .catalog-templates keeps.`,
		Example: `  catalog templates export assets/extra.css
  catalog templates export --out look 'pages/*.html'
  catalog templates export --record pages/home.html`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, patterns []string) error {
			if force && record {
				return usageErrorf(c, "--force replaces files and --record leaves them as they are: give one of them")
			}
			folder, err := overridesFolder(env, config)
			if err != nil {
				return err
			}
			isSet := out == "" || filepath.Clean(out) == filepath.Clean(folder)
			if out != "" {
				folder = out
			}
			if folder == "" {
				return usageErrorf(c, "no folder is named: set overrides in catalog.yml, or give --out")
			}
			done := "recorded as up to date"
			var names []string
			if record {
				names, err = overrides.Record(folder, patterns)
			} else {
				names, err = overrides.Export(folder, patterns, force)
				done = "copied"
			}
			if err != nil {
				return err
			}
			for _, name := range names {
				if _, err := fmt.Fprintln(env.stdout, invisible.Escape(filepath.Join(folder, filepath.FromSlash(name)))); err != nil {
					return err
				}
			}
			_, _ = fmt.Fprintf(env.stderr, "%s %s\n", formatCount(len(names), "file"), done) // a failure to write here cannot be reported
			if !isSet {
				_, _ = fmt.Fprintf(env.stderr, "So that builds use them, write into catalog.yml: overrides: %s\n", invisible.Escape(folder))
			}
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder to write (default: overrides of the settings)")
	c.Flags().StringVar(&config, "config", "", "settings file (default: catalog.yml in this folder, where there is one)")
	c.Flags().BoolVar(&force, "force", false, "replace files that differ (default false)")
	c.Flags().BoolVar(&record, "record", false, "write no template, and record that the files that are there are up to date (default false)")
	return c
}

func newTemplatesDiff(env environment) *cobra.Command {
	var config string
	c := &cobra.Command{
		Use:   "diff",
		Short: "Show what changed in overriding files, and in the shipped ones",
		Long: `Shows for each file of the folder of overrides, as unified diffs, what you changed
in it, and what has changed in the shipped file since 'catalog templates export'
copied it. A file that was copied by other means is compared with the shipped one
of this program.

The exit status is 0 if no shipped file has changed, and 1 if one has. Then bring
yours up to date, and run 'catalog templates export --record'.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			folder, err := overridesFolder(env, config)
			if err != nil {
				return err
			}
			if folder == "" {
				return usageErrorf(c, "no folder is named: set overrides in catalog.yml")
			}
			files, err := overrides.Read(folder)
			if err != nil {
				return err
			}
			var outdated []string
			for _, f := range files {
				if _, err := fmt.Fprint(env.stdout, invisible.EscapeLines(f.Describe(folder))); err != nil {
					return err
				}
				if f.IsOutdated() {
					outdated = append(outdated, shellWord(f.Name))
				}
			}
			_, _ = fmt.Fprintf(env.stderr, "%s, %d outdated\n", formatCount(len(files), "file"), len(outdated)) // a failure to write here cannot be reported
			if len(outdated) == 0 {
				return nil
			}
			_, _ = fmt.Fprintf(env.stderr, "After bringing them up to date: catalog templates export --record %s\n", invisible.Escape(strings.Join(outdated, " ")))
			return errReported
		},
	}
	c.Flags().StringVar(&config, "config", "", "settings file (default: catalog.yml in this folder, where there is one)")
	return c
}

// overridesFolder returns the setting overrides.
func overridesFolder(env environment, config string) (string, error) {
	settings, err := loadSettings(env, config)
	if err == nil {
		err = checkSettings(&settings)
	}
	return settings.Overrides, err
}
