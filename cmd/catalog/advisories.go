package main

import (
	"errors"
	"fmt"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/refresh"
	"github.com/spf13/cobra"
)

const advisoriesUsage = "export of OSV: a .zip, such as PyPI/all.zip, or a folder (default: none)"

// advise updates what listings tell of advisories.
func (f *refreshFlags) advise(c *cobra.Command, env environment, loaded *content.Content,
	registries []refresh.Registry, targets []refresh.Target,
) error {
	export, err := readExport(c, env, f.advisories, loaded, registries)
	if err != nil {
		return err
	}
	o := refresh.Options{Dir: f.dir, FrontMatter: loaded.FrontMatter, DryRun: f.dryRun, Now: env.now}
	report, err := export.Advise(c.Context(), targets, o)
	return errors.Join(printReport(env, report, f.quiet, f.asJSON, err != nil), err)
}

// readExport reads an export of OSV, and prints what it covers.
func readExport(c *cobra.Command, env environment, name string, loaded *content.Content,
	registries []refresh.Registry,
) (*refresh.Export, error) {
	if !loaded.FrontMatter.Has(api.AdvisoriesKey) {
		return nil, usageErrorf(c, "--advisories: listings of this catalogue have no advisories, because the setting "+
			"without lists installLinks or advisories")
	}
	export, err := refresh.ReadExport(c.Context(), name, env.now(), loaded.Listings, registries)
	if err != nil {
		return nil, err
	}
	var days []string
	for _, ecosystem := range api.Ecosystems {
		if day, ok := export.Days[ecosystem]; ok {
			days = append(days, fmt.Sprintf("%s up to %s", ecosystem, day))
		}
	}
	env.note("OSV's export tells of %s; left out: %d of other ecosystems\n", strings.Join(days, ", "), export.Others)
	return export, nil
}

// checkAdvisories compares listings with an export of OSV.
func (f *lintFlags) checkAdvisories(c *cobra.Command, env environment, loaded *content.Content) (
	[]content.Finding, error,
) {
	registries, err := refresh.Registries(env.lookup)
	if err != nil {
		return nil, usageErrorf(c, "%v", err)
	}
	export, err := readExport(c, env, f.advisories, loaded, registries)
	if err != nil {
		return nil, err
	}
	remedy := "catalog refresh"
	for _, name := range []string{"content", "config", "advisories"} {
		if flag := c.Flags().Lookup(name); flag.Changed {
			remedy += " --" + name + " " + shellWord(flag.Value.String())
		}
	}
	return export.Check(loaded.Listings, remedy), nil
}
