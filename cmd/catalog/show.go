package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/search"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

func newShow(env environment) *cobra.Command {
	var public string
	var asJSON bool
	c := &cobra.Command{
		Use:   "show SLUG",
		Short: "Show one listing of the built index",
		Args:  oneArgument("SLUG", 1),
		RunE: func(c *cobra.Command, args []string) error {
			ix, err := search.Open(public)
			if err != nil {
				return err
			}
			body, ok := ix.AppendProject(nil, args[0])
			if !ok {
				hint := "find it with: catalog search"
				if near := ix.NearSlugs(args[0], 3); len(near) > 0 {
					hint = "did you mean " + strings.Join(near, ", ") + "?"
				}
				return fmt.Errorf("no listing %q; %s", args[0], hint)
			}
			if asJSON {
				var out bytes.Buffer
				if err := json.Indent(&out, body, "", "  "); err != nil {
					return err
				}
				_, err := fmt.Fprintln(env.stdout, out.String())
				return err
			}
			var p api.ProjectDetail
			if err := json.Unmarshal(body, &p); err != nil {
				return err
			}
			return printProject(env.stdout, &p)
		},
	}
	c.Flags().StringVar(&public, "public", "public", "folder of the build output")
	c.Flags().BoolVar(&asJSON, "json", false, "print the API's answer (default false)")
	return c
}

func printProject(w io.Writer, p *api.ProjectDetail) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options.DrawBorder = false
	t.Style().Options.SeparateHeader = false
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, WidthMax: max(leastPurpose, widthOf(w)-30), WidthMaxEnforcer: text.WrapSoft}})
	row := func(label, value string) {
		if value != "" {
			t.AppendRow(table.Row{invisible.Escape(label), invisible.Escape(value)})
		}
	}
	n := &p.FitNotes
	row("Page", p.PageURL)
	row("Repository", p.RepositoryURL)
	row("Category", strings.Join(slices.Concat([]string{p.Category}, p.AlsoIn), ", "))
	row("Licence", orUnknown(p.License))
	row("Platforms", strings.Join(p.Platforms, ", "))
	row("For beginners", yesNo(n.Beginner))
	row("Self-hosted", yesNo(n.SelfHosted))
	row("Docker", yesNo(n.Docker))
	row("GPU", orUnknown(n.GPU))
	row("RAM, GB", atLeast(n.MinRAMGB, n.RecommendedRAMGB))
	row("Graphics memory, GB", atLeast(n.MinVRAMGB, n.RecommendedVRAMGB))
	if n.MemoryFor != nil {
		row("  stated for", *n.MemoryFor)
	}
	row("Works offline", yesNo(n.WorksOffline))
	row("Paid API key", orUnknown(n.APIKey))
	row("Replaces", strings.Join(p.Replaces, ", "))
	if p.Stars != nil {
		row("Stars", fmt.Sprintf("%d on %s", *p.Stars, *p.StarsAsOf))
	} else {
		row("Stars", "unknown")
	}
	row("Updated", orUnknown(p.UpdatedAt))
	for _, link := range p.InstallLinks {
		row("Install: "+link.Kind, link.URL)
	}
	row("Similar", strings.Join(p.Similar, ", "))
	_, err := fmt.Fprintf(w, "%s\n%s\n\n%s\n\n%s\n", invisible.Escape(p.Name), invisible.Escape(p.Purpose), t.Render(), invisible.EscapeLines(p.Description))
	return err
}

func orUnknown[T ~string](s *T) string {
	if s == nil {
		return "unknown"
	}
	return string(*s)
}

func yesNo(b *bool) string {
	switch {
	case b == nil:
		return "unknown"
	case *b:
		return "yes"
	default:
		return "no"
	}
}

func atLeast(least, recommended *float64) string {
	var parts []string
	if least != nil {
		parts = append(parts, fmt.Sprintf("at least %v", *least))
	}
	if recommended != nil {
		parts = append(parts, fmt.Sprintf("recommended %v", *recommended))
	}
	return strings.Join(parts, ", ")
}
