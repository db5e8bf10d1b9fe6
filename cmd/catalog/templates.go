package main

import (
	"cmp"
	"path/filepath"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/overrides"
	"catalog.example/templates"
	"github.com/spf13/cobra"
)

func newTemplates(env environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "templates",
		Short: "Copy shipped templates to change them, and list those that have changed since",
		Long: `Copies shipped templates into the folder of the setting overrides, and lists those that
have changed since. A file in that folder replaces the shipped file of the same name.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTemplatesExport(env), newTemplatesStatus(env), newTemplatesShow(env))
	return c
}

// templatesExport has the flags of catalog templates export.
type templatesExport struct {
	out, config   string
	force, record bool
}

func newTemplatesExport(env environment) *cobra.Command {
	var flags templatesExport
	c := &cobra.Command{
		Use:   "export [FILE...]",
		Short: "Copy shipped templates into the folder of overrides",
		Long: `Copies the named shipped templates, or all, into the folder of the setting overrides,
and prints the files that it writes. FILE is a path below templates/ of the source
code, or a pattern: * matches any name, and ** any folders. labels.yml has the texts
of pages in the language of the setting lang, labels.de.yml those in German if the
setting languages names de, and so on. They are English where this program has no
translation.

It is an error if a file already exists and differs, unless --force is set. If there
is an error, nothing is written.

The folder .catalog-templates, inside the folder of overrides, keeps the shipped text
of each copied file. 'catalog templates status' needs it to find what has changed.
After you have updated your files by hand, use --record, which replaces the texts in
.catalog-templates by those of this program, and changes nothing else.`,
		Example: `  catalog templates export assets/extra.css
  catalog templates export --out look 'pages/*.html'
  catalog templates export --record pages/home.html`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, patterns []string) error { return flags.run(c, env, patterns) },
	}
	c.Flags().StringVar(&flags.out, "out", "", "folder to write to (default: the setting overrides)")
	c.Flags().StringVar(&flags.config, "config", "", configUsage)
	c.Flags().BoolVar(&flags.force, "force", false, "replace files that differ (default false)")
	c.Flags().BoolVar(&flags.record, "record", false,
		"write no template, but record that your files are up to date (default false)")
	return c
}

func (f *templatesExport) run(c *cobra.Command, env environment, patterns []string) error {
	if f.force && f.record {
		return usageErrorf(c, "--force replaces files, and --record leaves them as they are: give only one of them")
	}
	settings, err := loadSettings(env, f.config)
	if err != nil {
		return err
	}
	folder := cmp.Or(f.out, settings.Overrides)
	if folder == "" {
		return usageErrorf(c, "the setting overrides is empty: set it in catalog.yml, or give --out")
	}
	own, done := overrides.In(folder, &settings), "copied"
	var names []string
	if f.record {
		names, err = own.Record(patterns)
		done = "recorded as up to date"
	} else {
		names, err = own.Export(patterns, f.force)
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := env.print("%s\n", invisible.Escape(filepath.Join(folder, filepath.FromSlash(name)))); err != nil {
			return err
		}
	}
	env.note("%s %s\n", api.Count(len(names), "file"), done)
	if filepath.Clean(folder) != filepath.Clean(settings.Overrides) {
		env.note("To use them in builds, add this line to catalog.yml: overrides: %s\n", invisible.Escape(folder))
	}
	return nil
}

func newTemplatesStatus(env environment) *cobra.Command {
	var config string
	c := &cobra.Command{
		Use:   "status",
		Short: "List your files, and which of them are outdated",
		Long: `Says for each file in the folder of the setting overrides whether you have changed it,
and whether the shipped file has changed since 'catalog templates export' copied it.

The exit status is 1 if a shipped file has changed, and 0 if none has. For each changed
file, it prints the command that shows the changes. Update your copies, and run
'catalog templates export --record'.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			settings, err := loadSettings(env, config)
			if err != nil {
				return err
			}
			folder := settings.Overrides
			if folder == "" {
				return usageErrorf(c, "the setting overrides is empty: set it in catalog.yml")
			}
			files, err := overrides.In(folder, &settings).Read()
			if err != nil {
				return err
			}
			return showStatus(env, folder, files)
		},
	}
	c.Flags().StringVar(&config, "config", "", configUsage)
	return c
}

// showStatus prints how the owner's files relate to the shipped ones, and what to do about outdated
// ones.
func showStatus(env environment, folder string, files []overrides.File) error {
	outdated := 0
	var names []string // of outdated copies of templates that this program still has
	for _, f := range files {
		if err := env.print("%s: %s\n", invisible.Escape(f.Name), f.Status()); err != nil {
			return err
		}
		if f.IsOutdated() {
			outdated++
		}
		if f.IsOutdated() && f.Shipped != nil {
			names = append(names, f.Name)
		}
	}
	env.note("%s, %d outdated\n", api.Count(len(files), "file"), outdated)
	if outdated == 0 {
		return nil
	}
	for i, name := range names {
		copied := shellWord(filepath.Join(folder, templates.Originals, filepath.FromSlash(name)))
		names[i] = invisible.Escape(shellWord(name))
		env.note("To see what has changed, run: catalog templates show %s | git diff --no-index %s -\n",
			names[i], invisible.Escape(copied))
	}
	if len(names) > 0 {
		env.note("After you have updated your copies, run: catalog templates export --record %s\n",
			strings.Join(names, " "))
	}
	return errReported
}

func newTemplatesShow(env environment) *cobra.Command {
	var config string
	c := &cobra.Command{
		Use:   "show FILE",
		Short: "Print a shipped template",
		Long: `Prints a shipped template. FILE is a path below templates/ of the source code. To compare
a copy with it, use git.`,
		Example: `  catalog templates show pages/home.html | git diff --no-index look/pages/home.html -`,
		Args:    arguments(1, "FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			settings, err := loadSettings(env, config)
			if err != nil {
				return err
			}
			text, err := overrides.In(settings.Overrides, &settings).Shipped(args[0])
			if err != nil {
				return err
			}
			return env.print("%s", text)
		},
	}
	c.Flags().StringVar(&config, "config", "", configUsage)
	return c
}
