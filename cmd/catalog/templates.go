package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/site/validate"
	"catalog.example/generator/overrides"
	"github.com/spf13/cobra"
)

func newTemplates(env environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "templates",
		Short: "Copy shipped templates to change them, and show what has changed since",
		Long: `Copies shipped templates into the folder of the setting overrides, and shows what has
changed since, in the copies and in the shipped files. A file in that folder replaces
the shipped file of the same name.`,
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
		Long: `Copies the named shipped templates, or all, into the folder of the setting overrides,
and prints the files that it writes. FILE is a path below templates/ of the source
code, or a pattern: * matches any name, and ** any folders.

It is an error if a file already exists and differs, unless --force is set. If there
is an error, nothing is written.

The folder .catalog-templates, inside the folder of overrides, keeps the shipped text
of each copied file. 'catalog templates diff' needs it to show what has changed.
After you have updated your files by hand, use --record, which replaces the texts in
.catalog-templates by those of this program, and changes nothing else.`,
		Example: `  catalog templates export assets/extra.css
  catalog templates export --out look 'pages/*.html'
  catalog templates export --record pages/home.html`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, patterns []string) error {
			if force && record {
				return usageErrorf(c, "--force replaces files, and --record leaves them as they are: give only one of them")
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
				return usageErrorf(c, "the setting overrides is empty: set it in catalog.yml, or give --out")
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
			_, _ = fmt.Fprintf(env.stderr, "%s %s\n", api.Count(len(names), "file"), done) // a failure to write here cannot be reported
			if !isSet {
				_, _ = fmt.Fprintf(env.stderr, "To use them in builds, add this line to catalog.yml: overrides: %s\n", invisible.Escape(folder))
			}
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder to write to (default: the setting overrides)")
	c.Flags().StringVar(&config, "config", "", configUsage)
	c.Flags().BoolVar(&force, "force", false, "replace files that differ (default false)")
	c.Flags().BoolVar(&record, "record", false, "write no template, but record that your files are up to date (default false)")
	return c
}

func newTemplatesDiff(env environment) *cobra.Command {
	var config string
	c := &cobra.Command{
		Use:   "diff",
		Short: "Show what changed in your files, and in the shipped ones",
		Long: `Shows two unified diffs for each file in the folder of the setting overrides: what you
changed, and what has changed in the shipped file since 'catalog templates export'
copied it. A file that was copied in another way is compared with the shipped file of
this program.

The exit status is 1 if a shipped file has changed, and 0 if none has. Update your
copies of changed files, and run 'catalog templates export --record'.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			folder, err := overridesFolder(env, config)
			if err != nil {
				return err
			}
			if folder == "" {
				return usageErrorf(c, "the setting overrides is empty: set it in catalog.yml")
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
			_, _ = fmt.Fprintf(env.stderr, "%s, %d outdated\n", api.Count(len(files), "file"), len(outdated)) // a failure to write here cannot be reported
			if len(outdated) == 0 {
				return nil
			}
			_, _ = fmt.Fprintf(env.stderr, "After you have updated them, run: catalog templates export --record %s\n", invisible.Escape(strings.Join(outdated, " ")))
			return errReported
		},
	}
	c.Flags().StringVar(&config, "config", "", configUsage)
	return c
}

// overridesFolder returns the setting overrides.
func overridesFolder(env environment, config string) (string, error) {
	settings, err := loadSettings(env, config)
	if err == nil {
		err = validate.Check(&settings)
	}
	return settings.Overrides, err
}
