package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"catalog.example/api"
	"catalog.example/api/site/validate"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/render"
	"github.com/spf13/cobra"
)

func newBuild(env environment) *cobra.Command {
	var o generator.Options
	var config, baseURL, pictures string
	var quiet, asJSON bool
	c := &cobra.Command{
		Use:   "build",
		Short: "Build the site and the search index from the content folder",
		Long: `Loads and checks the content folder, and then writes pages, JSON and the search
index. The new output replaces the old one in one step. If the content has errors,
nothing is written.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			settings, err := generator.LoadSettings(config, env.lookup)
			if err != nil {
				return err
			}
			if c.Flags().Changed("base-url") {
				settings.BaseURL = baseURL
				for _, p := range validate.Settings(&settings) {
					if p.Key == "base_url" {
						return usageErrorf(c, "--base-url: %s", p.Message)
					}
				}
			}
			if err := validate.Check(&settings); err != nil {
				return err
			}
			if o.Jobs < 0 {
				return usageErrorf(c, "--jobs %d: give the number of files to process at once, or 0 for one per core",
					o.Jobs)
			}
			choice, ok := pictureChoices[pictures]
			if !ok {
				return usageErrorf(c, "--pictures %q: auto, on and off are allowed", pictures)
			}
			o.Pictures = choice
			o.Settings, o.Now = settings, env.now()
			return build(c, env, o, quiet, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Content, "content", "content", contentUsage)
	f.StringVar(&o.Out, "out", "public", "folder for the build output")
	f.StringVar(&baseURL, "base-url", "", "absolute address of the site (default: the setting base_url)")
	f.StringVar(&config, "config", "", configUsage)
	f.StringVar(&pictures, "pictures", "auto",
		fmt.Sprintf("draw pictures of listings and lists for link previews: on, off, or auto, which draws them for up "+
			"to %d listings", render.MaxAutoPictures))
	f.Lookup("pictures").NoOptDefVal = "on"
	f.StringVar(&o.PictureCache, "picture-cache", filepath.Join(".catalog-cache", "pictures"),
		"folder for pictures that the next build can reuse; empty to keep none")
	f.StringVar(&o.Cache, "cache", filepath.Join(".catalog-cache", "build"),
		"folder for results that the next build can reuse; empty to keep none")
	f.StringVar(&o.Changes, "changes", "",
		"file for a list of the new, changed and removed paths, with their addresses (default: none)")
	f.IntVar(&o.Jobs, "jobs", 0, "number of files to process at once; 0 for one per core (default 0)")
	f.BoolVar(&quiet, "quiet", false, "print only errors (default false)")
	f.BoolVar(&asJSON, "json", false, "print the result as JSON (default false)")
	return c
}

// pictureChoices maps the values of --pictures.
var pictureChoices = map[string]generator.Pictures{"auto": generator.PicturesAuto, "on": generator.PicturesOn,
	"off": generator.PicturesOff}

func build(c *cobra.Command, env environment, o generator.Options, quiet, asJSON bool) error {
	// A build allocates fast and ends soon. Collecting half as often saves a tenth of
	// its time and takes 50 % more memory. GOGC overrides this.
	if _, set := env.lookup("GOGC"); !set {
		defer debug.SetGCPercent(debug.SetGCPercent(200))
	}
	if !quiet {
		noteDefaults(c, env, &o.Settings)
	}
	start := env.now()
	var bar *progress
	if !quiet && !asJSON {
		bar = newProgress(env.stderr, env.now)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // -1 changes nothing
	var limited sync.Once
	o.Progress = func(stage string, done, total int) {
		limited.Do(func() { limitMemory(total) }) // the first stage is about the listings
		bar.show(stage, done, total)
	}
	report, err := generator.Build(c.Context(), o)
	bar.clear()
	if _, ok := errors.AsType[*generator.InvalidContentError](err); ok {
		printFindings(env.stderr, o.Content, report.Findings)
		return err
	}
	if err != nil {
		return err
	}
	if !quiet {
		printFindings(env.stderr, o.Content, report.Findings)
		for _, w := range report.Warnings {
			env.note("catalog: warning: %s\n", w)
		}
	}
	seconds := env.now().Sub(start).Seconds()
	switch {
	case asJSON:
		return json.NewEncoder(env.stdout).Encode(struct {
			generator.Report
			Seconds float64 `json:"seconds"`
		}{report, seconds})
	case quiet:
		return nil
	default:
		return env.print("%s, %d files, %s, %.2f s\n", api.Count(report.Listings, "listing"), report.Files,
			formatBytes(report.Bytes), seconds)
	}
}

// A build holds its listings. The garbage collector lets it take three times that memory, until it
// has taken this much. Then the collector works harder.
const (
	memoryOfBuild   = 512 << 20 // bytes for any build
	memoryOfListing = 54 << 10  // and for each listing
)

// limitMemory limits the memory of the program, unless it has a lower limit (GOMEMLIMIT).
func limitMemory(listings int) {
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), memoryOfBuild+memoryOfListing*int64(listings)))
}

// printFindings prints findings with paths relative to the current folder.
func printFindings(w io.Writer, dir string, findings []content.Finding) {
	_ = lint.Write(w, "text", prefixPaths(dir, findings))
	noteRules(w, findings)
}

// noteRules prints how many findings there are of each rule.
func noteRules(w io.Writer, findings []content.Finding) {
	if len(findings) > 0 {
		fmt.Fprintf(w, "by rule: %s\n", lint.Summary(findings))
	}
}

// prefixPaths returns findings with dir before the path of each file, so that paths
// are relative to the current folder.
func prefixPaths(dir string, findings []content.Finding) []content.Finding {
	list := slices.Clone(findings)
	for i := range list {
		list[i].File = filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(list[i].File)))
	}
	return list
}

// formatBytes formats a number of bytes with a unit.
func formatBytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
}
