package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/search"
	"catalog.example/api/server/indexfile"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

func newShow(env environment) *cobra.Command {
	var public string
	var asJSON bool
	c := &cobra.Command{
		Use:   "show SLUG",
		Short: "Show one listing of the built index",
		Long: `Prints one listing of the index of a build as text, or the API's JSON. SLUG is the
name of its file without .md, such as ollama.`,
		Args: arguments(1, "SLUG"),
		RunE: func(c *cobra.Command, args []string) error {
			ix, err := indexfile.Open(public)
			if err != nil {
				return err
			}
			body, ok := ix.AppendProject(nil, args[0])
			if !ok {
				hint := "find its slug with: catalog search"
				if near := ix.NearSlugs(args[0], 3); len(near) > 0 {
					hint = "did you mean " + strings.Join(near, ", ") + "?"
				}
				return fmt.Errorf("no listing %q; %s", args[0], hint)
			}
			if asJSON {
				return printJSON(env, json.RawMessage(body))
			}
			var p api.ProjectDetail
			if err := json.Unmarshal(body, &p); err != nil {
				return err
			}
			return env.print("%s", formatProject(ix, &p, terminalWidth(env.stdout)))
		},
	}
	c.Flags().StringVar(&public, "public", "public", "folder of the build output")
	c.Flags().BoolVar(&asJSON, "json", false, "print the API's JSON (default false)")
	return c
}

// formatProject formats a listing for a terminal of the given width.
func formatProject(ix *search.Index, p *api.ProjectDetail, width int) string {
	t := newTable(table.ColumnConfig{}, table.ColumnConfig{WidthMax: max(minPurposeWidth, width-30)})
	row := func(label, value string) {
		if value != "" {
			t.AppendRow(table.Row{invisible.Escape(label), invisible.Escape(value)})
		}
	}
	settings, facts := ix.Settings(), ix.Taxonomy().Facts
	row("Page", p.PageURL)
	row("Repository", p.RepositoryURL)
	row("Category", strings.Join(slices.Concat([]string{p.Category}, p.AlsoIn), ", "))
	if settings.Has("license") {
		row("Licence", orUnknown(p.License))
	}
	row("Platforms", strings.Join(p.Platforms, ", "))
	for i := range facts {
		f := &facts[i]
		value := p.FitNotes.Get(f.Key)
		if !f.Kind.IsFree() || f.Kind == api.FactSetups || !api.Known(value) {
			row(f.Label, f.Text(value))
			continue
		}
		for _, text := range f.Says(value, func(text string) string { return text }) {
			row(f.Label, text)
		}
	}
	row("Replaces", strings.Join(p.Replaces, ", "))
	switch {
	case p.Stars != nil:
		row("Stars", fmt.Sprintf("%d on %s", *p.Stars, *p.StarsAsOf))
	case settings.Has("stars"):
		row("Stars", api.Unknown)
	}
	if settings.Has("updatedAt") {
		row("Updated", orUnknown(p.UpdatedAt))
	}
	for _, link := range p.InstallLinks {
		row("Install: "+link.Kind, link.URL)
	}
	row("Similar", strings.Join(p.Similar, ", "))
	return fmt.Sprintf("%s\n%s\n\n%s\n\n%s\n", invisible.Escape(p.Name), invisible.Escape(p.Purpose), t.Render(),
		invisible.EscapeLines(p.Description))
}

func orUnknown[T ~string](s *T) string {
	if s == nil {
		return api.Unknown
	}
	return string(*s)
}
