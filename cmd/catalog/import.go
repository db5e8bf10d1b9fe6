package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/edit"
	"catalog.example/generator/importer"
	"catalog.example/generator/output"
	"github.com/spf13/cobra"
)

// importFlags are the flags of catalog import.
type importFlags struct {
	dir, config, mapName, name, report string
	dryRun, noTaxonomy, retire, fresh  bool
}

func newImport(env environment) *cobra.Command {
	var flags importFlags
	names, about := importer.Shipped()
	var maps strings.Builder
	for i, name := range names {
		fmt.Fprintf(&maps, "\n  %-18s %s", name, about[i])
	}
	c := &cobra.Command{
		Use:   "import SOURCE --map FILE",
		Short: "Make listings of a table, JSON, YAML or Markdown",
		Long: `Makes listings of a list that you have: CSV, TSV, JSON, JSON Lines, YAML, lists and
tables in Markdown, or Markdown files with front matter, such as those of Hugo. SOURCE
is a file or a folder. The map, a YAML file, says which column or path becomes which
field. --map auto guesses one from the source, writes it to
content/imports/NAME.yml, and says why; read it, and then give it to --map. A copy of a
shipped map is written there, too, so that you can change it.

What does not fit is printed as file:line:column: message, a few lines of each kind;
--report writes all of them to a file. Categories, platforms, products and facts that
the catalogue lacks are added to its taxonomy. Nothing is written before everything has
been checked as catalog lint does.

Run the command again when the source has changed. It updates what it wrote, and keeps
what has been edited since. content/imports/NAME.jsonl notes what it wrote; commit that
file. Listings that you have deleted stay deleted. With --fresh, it starts over: it writes
over edits of what it wrote, and brings back what has been deleted.

Shipped maps:` + maps.String(),
		Example: `  catalog import instruments.csv --map auto
  catalog import instruments.csv --map content/imports/instruments.yml
  catalog import awesome-selfhosted-data --map awesome-selfhosted`,
		Args: arguments(1, "SOURCE"),
		RunE: func(c *cobra.Command, args []string) error { return flags.run(c, env, args[0]) },
	}
	addContentFlags(c, &flags.dir, &flags.config)
	f := c.Flags()
	f.StringVar(&flags.mapName, "map", "", "file of the map, the name of a shipped map, or auto (required; no default)")
	f.StringVar(&flags.name, "name", "", "name of the import, by which the next one finds what this one wrote "+
		"(default: made from the name of SOURCE)")
	f.StringVar(&flags.report, "report", "", "file for everything that did not fit, with whole values, "+
		"and for the edits that stay (default: none)")
	f.BoolVar(&flags.dryRun, "dry-run", false,
		"write nothing, and print the files that would be written (default false)")
	f.BoolVar(&flags.noTaxonomy, "no-taxonomy", false,
		"leave out values that the taxonomy lacks, instead of adding them (default false)")
	f.BoolVar(&flags.fresh, "fresh", false,
		"start over: write over edits of what the last import wrote, and bring back what has been deleted "+
			"(default false)")
	f.BoolVar(&flags.retire, "retire", false,
		"remove listings whose entries have left the source, as catalog retire does (default false)")
	return c
}

func (f *importFlags) run(c *cobra.Command, env environment, source string) error {
	if f.mapName == "" {
		return usageErrorf(c, "--map is missing: give a file, the name of a shipped map, or auto")
	}
	options, err := contentOptions(env, f.dir, f.config)
	if err != nil {
		return err
	}
	if f.name == "" {
		f.name = importName(source, f.dir, options.Settings.Lang)
	}
	if message := content.CheckSlug(f.name); message != "" {
		return usageErrorf(c, "--name %q: %s", f.name, message)
	}
	if f.mapName == "auto" {
		return f.guess(c, env, source, options)
	}
	m, err := importer.LoadMap(f.mapName)
	if err != nil {
		return err
	}
	others := otherImports(f.dir, f.name)
	bar := newProgress(env.stderr, env.now)
	plan, err := importer.Prepare(c.Context(), importer.Options{Source: source, Map: m, Name: f.name, Content: options,
		Today: api.DateOf(env.now()), NoTaxonomy: f.noTaxonomy, Fresh: f.fresh, Progress: bar.show})
	bar.clear()
	if plan == nil {
		return err
	}
	if reportErr := f.tell(env, plan); reportErr != nil || err != nil {
		return errors.Join(err, reportErr)
	}
	if f.retire && !plan.IsWhole() {
		return errors.New("entries could not be read, so that it is not known which have left the source: correct " +
			"them, or import without --retire; nothing is written")
	}
	if !f.dryRun {
		if err := f.apply(c.Context(), env, plan); err != nil {
			return err
		}
	}
	return f.summary(env, plan, others)
}

// apply writes a plan. With --retire, it also removes the listings whose entries have left the source, and prints what
// catalog retire prints.
func (f *importFlags) apply(ctx context.Context, env environment, plan *importer.Plan) error {
	if err := plan.Apply(ctx); err != nil || !f.retire || len(plan.Left) == 0 {
		return err
	}
	loaded, err := loadWithTaxonomy(ctx, env, f.dir, f.config)
	if err != nil {
		return err
	}
	for i, slug := range plan.Left {
		change, err := edit.Retire(loaded, f.dir, slug, "", "It has left the list from which it came.",
			api.DateOf(env.now()))
		if err == nil {
			err = change.Apply(ctx)
		}
		if err != nil {
			return fmt.Errorf("the listings are imported, and %d of %d that have left the source are retired, but not "+
				"%s: %w", i, len(plan.Left), slug, err)
		}
		loaded.Listings = slices.DeleteFunc(loaded.Listings, func(l *content.Listing) bool { return l.Slug == slug })
		if err := env.print("%s", changedLines(f.dir, change, unlinked)); err != nil {
			return err
		}
	}
	return nil
}

// importName returns the name of an import: that of its file or folder. Many lists are called README.md, so these have
// the name of their folder, unless an earlier release has called the import readme.
func importName(source, dir, lang string) string {
	if whole, err := filepath.Abs(source); err == nil {
		source = whole
	}
	name := strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))
	_, err := os.Stat(filepath.Join(dir, content.ImportsFolder, "readme.jsonl"))
	if strings.EqualFold(name, "readme") && err != nil {
		name = filepath.Base(filepath.Dir(source))
	}
	return content.Slug(name, lang)
}

// otherImports returns the names of earlier imports; none if one has the name.
func otherImports(dir, name string) (others []string) {
	files, _ := fs.Glob(os.DirFS(dir), content.ImportsFolder+"/*.jsonl") // the pattern is valid
	for _, file := range files {
		other := strings.TrimSuffix(path.Base(file), ".jsonl")
		if other == name {
			return nil
		}
		others = append(others, other)
	}
	return others
}

// guess writes a map for a source, and says why.
func (f *importFlags) guess(c *cobra.Command, env environment, source string, options content.Options) error {
	file := filepath.Join(f.dir, importer.MapFile(f.name))
	if _, err := os.Lstat(file); err == nil && !f.dryRun {
		return fmt.Errorf("%s exists already: give it to --map, or remove it to guess again", file)
	}
	text, reasons, err := importer.Guess(c.Context(), source, options)
	for _, reason := range reasons {
		env.note("%s\n", invisible.Escape(reason))
	}
	if err != nil {
		return err
	}
	if f.dryRun {
		return env.print("%s", text)
	}
	if err := output.Replace(c.Context(), []output.Text{{Name: file, Content: text}}, nil); err != nil {
		return err
	}
	return env.print("Wrote %s. Read it, change what is wrong, and then run:\n\n  %s import %s --map %s\n",
		invisible.Escape(file), invisible.Escape(shellWord(program())), invisible.Escape(shellWord(source)),
		invisible.Escape(shellWord(file)))
}

// tell prints what did not fit, and writes all of it to the file of --report.
func (f *importFlags) tell(env environment, plan *importer.Plan) error {
	for _, line := range plan.Lines(false) {
		env.note("%s\n", invisible.Escape(line))
	}
	if plan.Count(importer.LeftOut) > 0 {
		env.note("What is left out, correct in the list, or say below its field in the map what it stands for: " +
			"values: {TEXT: VALUE}\n")
	}
	if f.report == "" {
		return nil
	}
	return output.WriteFile(f.report, []byte(strings.Join(append(plan.Lines(true), ""), "\n")))
}

// summary prints what an import did, or would do. others are the imports from before, if this one is new.
func (f *importFlags) summary(env environment, plan *importer.Plan, others []string) error {
	var lines strings.Builder
	for _, name := range plan.Changes() {
		if f.dryRun {
			fmt.Fprintln(&lines, invisible.Escape(filepath.ToSlash(filepath.Join(f.dir, name))))
		}
	}
	switch left := api.Shorten(strings.Join(plan.Left, ", "), 500); {
	case left == "":
	case f.retire && f.dryRun:
		fmt.Fprintf(&lines, "Would be retired: %s\n", left)
	case f.retire:
		fmt.Fprintf(&lines, "%s retired: %s\nNow run: catalog lint\n", api.Count(len(plan.Left), "listing"), left)
	default:
		fmt.Fprintf(&lines, "No longer in the source: %s. To remove them, run again with --retire.\n", left)
	}
	switch own := invisible.Escape(shellWord(filepath.Join(f.dir, plan.OwnMap))); {
	case plan.OwnMap == "", f.dryRun:
	case slices.Contains(plan.Changes(), plan.OwnMap):
		fmt.Fprintf(&lines, "To change what becomes of values, change the copy of this map, and run again with --map "+
			"%s.\n", own)
	default:
		fmt.Fprintf(&lines, "This import has a map of its own, which differs from %s: to use it, run again with --map "+
			"%s.\n", f.mapName, own)
	}
	if len(others) > 0 && plan.Count(importer.Kept) > 0 {
		undo := ""
		if !f.dryRun {
			undo = fmt.Sprintf(", and remove %s/%s.jsonl", content.ImportsFolder, f.name)
		}
		fmt.Fprintf(&lines, "Some listings are there already. If this is the list of an earlier import under another "+
			"name, give that name with --name%s: %s.\n", undo, invisible.Escape(strings.Join(others, ", ")))
	}
	if plan.Edits > 0 {
		where := "to see which, run again with --report FILE"
		if f.report != "" {
			where = "see " + invisible.Escape(f.report)
		}
		fmt.Fprintf(&lines, "Values that stay because somebody has edited them: %d; %s.\n", plan.Edits, where)
	}
	if len(plan.Unused) > 0 {
		fmt.Fprintf(&lines, "No listing has %s. If no thing of your subject has them, write into catalog.yml:\n"+
			"without: [%[1]s]\n", strings.Join(plan.Unused, ", "))
	}
	fmt.Fprintf(&lines, "%d entries: %d new, %d updated, %d unchanged", plan.Entries, plan.New, plan.Updated, plan.Same)
	if plan.Deleted > 0 {
		fmt.Fprintf(&lines, ", %d stay deleted (--fresh brings them back)", plan.Deleted)
	}
	return env.print("%s; %d skipped, %d ignored, %s left out, %d kept, %d changed, %d added to the taxonomy\n",
		lines.String(), plan.Count(importer.Skipped), plan.Count(importer.Ignored),
		api.Count(plan.Count(importer.LeftOut), "value"), plan.Count(importer.Kept), plan.Count(importer.Changed),
		plan.Count(importer.Added))
}
