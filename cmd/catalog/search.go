package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/invisible"
	"catalog.example/api/search"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newSearch(env environment) *cobra.Command {
	ix, parameters, openErr := openSearchIndex(env.args)
	var public string
	var asJSON, explain bool
	c := &cobra.Command{
		Use:   "search [QUERY]",
		Short: "Search the built index",
		Long: `Searches the index of a build as the API does, and prints a table, or the API's JSON.
Each parameter of the API is a flag. If there is a build, --help also lists the filters
of its catalogue.

--explain shows why each hit is at its position: which of its texts match each word of
the query, and how its quality is made up. This tells editors how to improve the
position of a listing.`,
		Example: `  catalog search transcribe meetings --limit 3
  catalog search --category image-generation --sort newest
  catalog search "get rid of noise" --explain --limit 3`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if openErr != nil {
				return openErr
			}
			if asJSON && explain {
				return usageErrorf(c, "--json and --explain cannot be used together: give only one of them")
			}
			query, warnings, paramErrs := api.ParseSearch(queryString(c.Flags(), parameters, args), parameters)
			if len(paramErrs) > 0 {
				return usageErrorf(c, "%s", parameterErrors(paramErrs))
			}
			query.Brief = query.Brief && asJSON // the table is the same in both views
			body := ix.AppendSearch(nil, query, warnings...)
			if asJSON {
				return printJSON(env, json.RawMessage(body))
			}
			var answer api.SearchResponse
			if err := json.Unmarshal(body, &answer); err != nil {
				return err
			}
			hits := "Nothing found. Try fewer words or filters.\n"
			if len(answer.Hits) > 0 && explain {
				hits = formatExplanation(&answer, ix.Explain(query))
			} else if len(answer.Hits) > 0 {
				hits = formatHits(ix, &answer, terminalWidth(env.stdout))
			}
			return env.print("%s%s", formatNotes(&answer), hits)
		},
	}
	// Without an index, the filters of the catalogue are not known.
	c.FParseErrWhitelist.UnknownFlags = openErr != nil
	addSearchFlags(c.Flags(), &public, &asJSON, &explain)
	for _, p := range parameters {
		addParameterFlag(c.Flags(), p)
	}
	return c
}

// addSearchFlags adds the flags that are not parameters of the API.
func addSearchFlags(f *pflag.FlagSet, public *string, asJSON, explain *bool) {
	f.StringVar(public, "public", "public", "folder of the build output")
	f.BoolVar(asJSON, "json", false, "print the API's JSON (default false)")
	f.BoolVar(explain, "explain", false, "show why each hit is at its position (default false)")
}

// openSearchIndex opens the index that the command line of a search names, and returns its
// parameters, which become flags. For another command, or if the index cannot be opened, it
// returns no index and the parameters of a catalogue without facts.
func openSearchIndex(args []string) (ix *search.Index, parameters []api.Parameter, err error) {
	var public string
	var asJSON, explain bool
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.ParseErrorsAllowlist.UnknownFlags = true
	f.BoolP("help", "h", false, "")
	addSearchFlags(f, &public, &asJSON, &explain)
	if err = f.Parse(args); err == nil && slices.Contains(args, "search") {
		if ix, err = indexfile.Open(public); err == nil {
			return ix, ix.Parameters(), nil
		}
	}
	settings := site.Defaults()
	return nil, api.SearchParameters(&settings, &api.Taxonomy{}), err
}

// addParameterFlag adds the flag of a parameter. The query, q, is given as arguments.
func addParameterFlag(f *pflag.FlagSet, p api.Parameter) {
	name := content.KebabCase(p.Name)
	if p.Name == "q" || f.Lookup(name) != nil { // an index may define any name
		return
	}
	help := p.Text()
	if len(p.Allowed) > 0 {
		help += " Allowed: " + strings.Join(p.Allowed, ", ") + "."
	}
	defaultValue := ""
	if p.Default != nil {
		defaultValue = fmt.Sprint(p.Default)
	} else {
		help += " (default: none)"
	}
	help = invisible.Escape(help)
	if p.Kind == api.KindChoices {
		f.StringArray(name, nil, help)
	} else {
		f.String(name, defaultValue, help)
	}
}

// queryString returns the query string of an API request with the same flags and words.
func queryString(f *pflag.FlagSet, parameters []api.Parameter, words []string) string {
	values := url.Values{}
	if len(words) > 0 {
		values.Set("q", strings.Join(words, " "))
	}
	for _, p := range parameters {
		flag := f.Lookup(content.KebabCase(p.Name))
		if flag == nil || !flag.Changed {
			continue
		}
		if slice, ok := flag.Value.(pflag.SliceValue); ok {
			values[p.Name] = slice.GetSlice()
		} else {
			values.Set(p.Name, flag.Value.String())
		}
	}
	return values.Encode()
}

// printJSON prints a value as JSON, indented.
func printJSON(env environment, value any) error {
	encoder := json.NewEncoder(env.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// parameterErrors joins the errors of parameters into one error, which names the flags.
func parameterErrors(list []api.ParameterError) error {
	var errs []error
	for _, e := range list {
		name := "--" + content.KebabCase(e.Parameter)
		if e.Parameter == "q" {
			name = "QUERY"
		}
		message := name + ": " + e.Message
		if len(e.Allowed) > 0 {
			message += "; allowed values: " + strings.Join(e.Allowed, ", ")
		}
		errs = append(errs, errors.New(message))
	}
	return errors.Join(errs...)
}

// Widths in the table of hits, in columns. The purpose takes the rest.
const (
	nameWidth       = 24
	licenseWidth    = 18 // AGPL-3.0-or-later on one line
	fitWidth        = 22
	minPurposeWidth = 24
)

// formatHits formats the hits of an answer for a terminal of the given width. It leaves out licence
// and fit if the listings of the catalogue have none.
func formatHits(ix *search.Index, answer *api.SearchResponse, width int) string {
	settings, taxonomy := ix.Settings(), ix.Taxonomy()
	purpose := table.ColumnConfig{WidthMax: width - 4*borderWidth - nameWidth}
	license := table.ColumnConfig{WidthMax: licenseWidth, WidthMaxEnforcer: text.WrapText,
		Hidden: !settings.Has("license")}
	fit := table.ColumnConfig{WidthMax: fitWidth,
		Hidden: !slices.ContainsFunc(taxonomy.Facts, func(f api.Fact) bool { return len(f.Chip) > 0 })}
	for _, c := range []table.ColumnConfig{license, fit} {
		if !c.Hidden {
			purpose.WidthMax -= c.WidthMax
		}
	}
	purpose.WidthMax = max(minPurposeWidth, purpose.WidthMax)
	t := newTable(table.ColumnConfig{WidthMax: nameWidth}, purpose, license, fit)
	t.Style().Options.SeparateRows = true
	t.AppendHeader(table.Row{"Name", "Purpose", "Licence", "Fit"})
	for i := range answer.Hits {
		h := &answer.Hits[i]
		chips := taxonomy.Chips(h.FitNotes)
		if h.Fit != nil {
			chips = append([]string{fitText(h.Fit)}, chips...)
		}
		t.AppendRow(table.Row{nameCell(h), invisible.Escape(h.Purpose), invisible.Escape(orUnknown(h.License)),
			invisible.Escape(strings.Join(chips, ", "))})
	}
	return fmt.Sprintf("%s\n\n%d of %d. %s\n", t.Render(), len(answer.Hits), answer.Total, answer.Sort.Order)
}

func nameCell(h *api.Hit) string {
	name := invisible.Escape(h.Name) + "\n" + invisible.Escape(h.Slug)
	if stopped := h.Stopped(); stopped != "" {
		name += "\n(" + stopped + ")"
	}
	if h.Match.Partial {
		name += "\n(matched in part)"
	}
	return name
}

var fitTexts = map[hardware.Verdict]string{hardware.Fits: "fits", hardware.Likely: "likely fits",
	hardware.Unknown: "makers do not say", hardware.Unlikely: "unlikely to fit"}

// fitText says whether a listing runs on the computer of a search.
func fitText(f *hardware.Fit) string {
	switch text := fitTexts[f.Verdict]; {
	case f.Estimate != nil:
		return text + ", by an estimate: " + f.Estimate.Because
	case len(f.Unasked) > 0 && f.Verdict == hardware.Fits:
		return text + ", depending on --" + content.KebabCase(strings.Join(f.Unasked, ", --"))
	default:
		return strings.TrimSuffix(text+": "+strings.Join(f.Setups, "; "), ": ")
	}
}

// formatNotes formats the parts of an answer that are printed before its hits.
func formatNotes(answer *api.SearchResponse) string {
	var b strings.Builder
	for _, warning := range answer.Warnings {
		fmt.Fprintf(&b, "%s: %s\n", invisible.Escape(warning.Parameter), invisible.Escape(warning.Message))
	}
	if answer.DidYouMean != nil {
		fmt.Fprintf(&b, "Showing results for %q.\n", invisible.Escape(*answer.DidYouMean))
	}
	for i := range answer.Products {
		b.WriteString(invisible.Escape(answer.Products[i].String()) + "\n")
	}
	return b.String()
}
