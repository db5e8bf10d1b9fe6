package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/edit"
	"github.com/spf13/cobra"
)

func newRename(env environment) *cobra.Command {
	var dir, config string
	c := &cobra.Command{
		Use:   "rename OLD NEW",
		Short: "Give a listing another slug, and keep its old address working",
		Long: `Renames the file of a listing, so that its page has another address. The old slug is
added to formerly, so that old addresses lead to the page. Links in other listings and
pages are updated, and printed.

The name and the text of the listing stay as they are. If the tool has a new name,
change name, and put the old name into aliases.`,
		Example: `  catalog rename vane vane-search`,
		Args:    arguments(2, "OLD", "NEW"),
		RunE: func(c *cobra.Command, args []string) error {
			loaded, err := loadWithTaxonomy(c.Context(), env, dir, config)
			if err != nil {
				return err
			}
			change, err := edit.Rename(loaded, dir, args[0], args[1])
			if err != nil {
				return err
			}
			return applyChange(c.Context(), env, dir, change, "link updated",
				fmt.Sprintf("%s is now %s, and its old address leads there", change.Slug, args[1]))
		},
	}
	addContentFlags(c, &dir, &config)
	return c
}

func newRetire(env environment) *cobra.Command {
	var dir, config, to, because string
	c := &cobra.Command{
		Use:   "retire SLUG",
		Short: "Remove a listing, and leave a notice at its address",
		Long: `Removes the file of a listing. Its page then says that it has left the catalogue, and the
API answers 404. Links to it in other listings and pages become plain text, and are
printed. The list of what has left is taxonomy/retired.yml in the content folder.

With --to, another listing takes its place: its addresses and the links to it lead there.`,
		Example: `  catalog retire vane --because "Its repository is gone."
  catalog retire gpt4all --to jan`,
		Args: arguments(1, "SLUG"),
		RunE: func(c *cobra.Command, args []string) error {
			if to != "" && because != "" {
				return usageErrorf(c,
					"--because and --to cannot be used together, because with --to the listing leaves no page that "+
						"could show the reason: give only one of them")
			}
			loaded, err := loadWithTaxonomy(c.Context(), env, dir, config)
			if err != nil {
				return err
			}
			change, err := edit.Retire(loaded, dir, args[0], to, because, api.DateOf(env.now()))
			if err != nil {
				return err
			}
			what := fmt.Sprintf("%s is no longer in the catalogue, and its page says so", change.Slug)
			if to != "" {
				what = fmt.Sprintf("%s is no longer in the catalogue, and its addresses lead to %s", change.Slug,
					change.To)
			}
			return applyChange(c.Context(), env, dir, change, unlinked, what)
		},
	}
	addContentFlags(c, &dir, &config)
	c.Flags().StringVar(&to, "to", "", "slug of the listing that takes its place (default: none)")
	c.Flags().StringVar(&because, "because", "", "why it leaves, in a sentence that its page shows (default: none)")
	return c
}

// unlinked says what becomes of a link to a listing that is retired.
const unlinked = "link updated; read its sentence again"

// applyChange writes a change to the content folder, and prints what has changed.
func applyChange(ctx context.Context, env environment, dir string, change *edit.Change, mended, what string) error {
	if err := change.Apply(ctx); err != nil {
		return err
	}
	return env.print("%s%s. Now run: catalog lint\n", changedLines(dir, change, mended), invisible.Escape(what))
}

// changedLines returns what a change has done besides, a line each: the links and lists of listings that it has
// updated, the translations that are gone, and the links that somebody has to update by hand.
func changedLines(dir string, change *edit.Change, mended string) string {
	var b strings.Builder
	list := func(links []edit.Link, text string) {
		for _, l := range links {
			file := filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(l.File)))
			fmt.Fprintf(&b, "%s:%d: %s\n", invisible.Escape(file), l.Line, text)
		}
	}
	list(change.Links, mended)
	for _, l := range change.References {
		list([]edit.Link{l}, l.Key+" updated")
	}
	for _, name := range change.Translations {
		list([]edit.Link{{File: name, Line: 1}}, "removed, because it translates the listing")
	}
	list(change.ByHand,
		"update this link by hand: its address cannot be changed without changing the text around it")
	return b.String()
}
