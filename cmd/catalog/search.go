package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/search"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newSearch(env environment) *cobra.Command {
	var public string
	var asJSON bool
	c := &cobra.Command{
		Use:   "search [QUERY]",
		Short: "Search the built index",
		Long: `Searches the index of a build as the API does, with the same parameters, and
prints a table, or the API's JSON.`,
		Example: `  catalog search transcribe meetings --gpu 0
  catalog search --category image-generation --sort newest`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			ix, err := search.Open(public)
			if err != nil {
				return err
			}
			values := url.Values{}
			if len(args) > 0 {
				values.Set("q", strings.Join(args, " "))
			}
			for _, p := range api.SearchParameters {
				flag := c.Flags().Lookup(flagName(p))
				if flag == nil || !flag.Changed {
					continue
				}
				if several, ok := flag.Value.(pflag.SliceValue); ok {
					values[p.Name] = several.GetSlice()
				} else {
					values.Set(p.Name, flag.Value.String())
				}
			}
			query, warnings, wrongOnes := api.ParseSearch(values.Encode(), ix.Taxonomy().Vocabulary())
			if len(wrongOnes) > 0 {
				return wrong(c, "%s", parameterErrors(wrongOnes))
			}
			answer, err := ix.Search(query, warnings...)
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(env.stdout)
				enc.SetIndent("", "  ")
				return enc.Encode(answer)
			}
			return printHits(env.stdout, answer)
		},
	}
	f := c.Flags()
	f.StringVar(&public, "public", "public", "folder of the build output")
	f.BoolVar(&asJSON, "json", false, "print the API's answer (default false)")
	for _, p := range api.SearchParameters {
		if p.Name == "q" {
			continue
		}
		help := p.Description
		if len(p.Allowed) > 0 {
			help += " Allowed: " + strings.Join(p.Allowed, ", ") + "."
		}
		def := ""
		if p.Default != nil {
			def = fmt.Sprint(p.Default)
		} else {
			help += " (default: none)"
		}
		if p.Kind == api.KindChoices {
			f.StringArray(flagName(p), nil, help)
		} else {
			f.String(flagName(p), def, help)
		}
	}
	return c
}

// flagName is a parameter's name as a flag: selfHosted is self-hosted.
func flagName(p api.Parameter) string {
	var b strings.Builder
	for _, r := range p.Name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func parameterErrors(list []api.ParameterError) error {
	var errs []error
	for _, e := range list {
		message := e.Parameter + ": " + e.Message
		if len(e.Allowed) > 0 {
			message += "; allowed are " + strings.Join(e.Allowed, ", ")
		}
		errs = append(errs, errors.New(message))
	}
	return errors.Join(errs...)
}

// Columns of the table of hits, besides the purpose, and what their borders
// take.
const (
	nameWidth    = 24
	licenseWidth = 18 // AGPL-3.0-or-later on one line
	fitWidth     = 22
	borders      = 4 * 3
	leastPurpose = 24
)

func printHits(w io.Writer, answer api.SearchResponse) error {
	for _, warning := range answer.Warnings {
		if _, err := fmt.Fprintf(w, "%s: %s\n", invisible.Escape(warning.Parameter), invisible.Escape(warning.Message)); err != nil {
			return err
		}
	}
	if answer.DidYouMean != nil {
		if _, err := fmt.Fprintf(w, "Did you mean: %s\n", invisible.Escape(*answer.DidYouMean)); err != nil {
			return err
		}
	}
	if len(answer.Hits) == 0 {
		_, err := fmt.Fprintln(w, "Nothing found. Try fewer words or filters.")
		return err
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options.DrawBorder = false
	t.Style().Options.SeparateRows = true
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"Name", "Purpose", "Licence", "Fit"})
	purpose := max(leastPurpose, widthOf(w)-nameWidth-licenseWidth-fitWidth-borders)
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, WidthMax: nameWidth, WidthMaxEnforcer: text.WrapSoft},
		{Number: 2, WidthMax: purpose, WidthMaxEnforcer: text.WrapSoft},
		{Number: 3, WidthMax: licenseWidth, WidthMaxEnforcer: text.WrapText},
		{Number: 4, WidthMax: fitWidth, WidthMaxEnforcer: text.WrapSoft},
	})
	for _, h := range answer.Hits {
		license := "unknown"
		if h.License != nil {
			license = invisible.Escape(*h.License)
		}
		name := invisible.Escape(h.Name) + "\n" + invisible.Escape(h.Slug)
		if h.Match.Partial {
			name += "\n(in part)"
		}
		t.AppendRow(table.Row{name, invisible.Escape(h.Purpose), license, invisible.Escape(fit(&h.FitNotes))})
	}
	_, err := fmt.Fprintf(w, "%s\n\n%d of %d. %s\n", t.Render(), len(answer.Hits), answer.Total, answer.Sort.Order)
	return err
}

// fit says in a few words what a tool asks of a machine and of a person.
func fit(n *api.FitNotes) string {
	var parts []string
	if n.GPU != nil {
		parts = append(parts, "GPU "+*n.GPU)
	}
	if n.MinRAMGB != nil {
		parts = append(parts, fmt.Sprintf("%v GB RAM", *n.MinRAMGB))
	}
	if n.Docker != nil && *n.Docker {
		parts = append(parts, "Docker")
	}
	if n.Beginner != nil && *n.Beginner {
		parts = append(parts, "for beginners")
	}
	return strings.Join(parts, ", ")
}
