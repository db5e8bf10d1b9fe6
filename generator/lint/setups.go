package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/token"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkSetups warns of setups that say only in words for which computers their figures are, and not
// in the keys that verdicts use.
func checkSetups(c *catalog, l *content.Listing) (findings []content.Finding) {
	for i := range l.Setups {
		s := &l.Setups[i]
		if s.RAMGb == nil && s.VRAMGb == nil {
			continue
		}
		text := " " + strings.Join(token.Of(s.For), " ") + " "
		warn := func(key, format string, args ...any) {
			findings = append(findings, l.At(rule.SetupWords, fmt.Sprintf("for: "+format, args...)+
				", or change the words", api.SetupsKey, i, key))
		}
		names := func(phrase string) bool {
			return strings.Contains(text, " "+strings.Join(token.Of(phrase), " ")+" ")
		}
		if word, system := c.systemNamed(names); word != "" && len(s.System) == 0 {
			warn("for", "%q names a system: add system: [%s] to the setup", word, system)
		}
		if word, maker := firstOf(c.Taxonomy.Hardware.Words.CardOf, names); word != "" && s.GPUVendor == nil {
			warn("for", "%q names a maker of graphics cards: add gpuVendor: %s to the setup", word, maker)
		}
		if k := slices.IndexFunc(c.Taxonomy.Hardware.Words.Elsewhere, names); k >= 0 && !s.ModelsElsewhere {
			warn("for", "%q says that the model runs elsewhere: add modelsElsewhere: true to the setup",
				c.Taxonomy.Hardware.Words.Elsewhere[k])
		}
	}
	return findings
}

// systemNamed returns a word that names a system, and that system; "" for none.
func (c *catalog) systemNamed(names func(phrase string) bool) (word, system string) {
	for _, p := range c.Taxonomy.Platforms {
		if p.System && names(p.Name) {
			return p.Name, p.Slug
		}
	}
	return firstOf(c.Taxonomy.Hardware.Words.System, names)
}

// firstOf returns the first phrase for which has returns true, and its key; "" for none.
func firstOf(phrases map[string][]string, has func(string) bool) (phrase, key string) {
	for _, key := range slices.Sorted(maps.Keys(phrases)) {
		for _, phrase := range phrases[key] {
			if has(phrase) {
				return phrase, key
			}
		}
	}
	return "", ""
}
