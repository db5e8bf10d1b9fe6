package content

import (
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/rule"
)

// SourceDate returns the day at the end of a source: "LICENSE in the repository (2026-08-23)". If
// the source has only a month, SourceDate returns the first day of that month. ok reports whether
// there is a date. An impossible date is an error.
func SourceDate(source string) (day api.Date, ok bool, err error) {
	before, closed := strings.CutSuffix(source, ")")
	given := before[strings.LastIndexByte(before, '(')+1:]
	if !closed || len(given) == len(before) || given == "" || given[0] == '-' ||
		strings.Trim(given, "0123456789-") != "" {
		return "", false, nil
	}
	text := given
	if len(text) == len("2026-08") {
		text += "-01"
	}
	if day, err = api.ParseDate(text); err != nil {
		return "", true, fmt.Errorf("%q is not a date: write a real day as YYYY-MM-DD, or a month as YYYY-MM", given)
	}
	return day, true, nil
}

// UpkeepAsOf returns the day on which somebody last looked for a commit or release: the later of the
// days of their sources. A source without a day was read, at the earliest, on the day that it tells of.
func UpkeepAsOf(f *api.ProjectDetail) *api.Date {
	latest := f.LatestActivity()
	if latest == nil {
		return nil
	}
	day := *latest
	for _, key := range []string{"updatedAt", "release"} {
		if read, ok, err := SourceDate(f.Sources[key]); ok && err == nil {
			day = max(day, read)
		}
	}
	return &day
}

// sourceKeys returns the fields that may have a source.
func (m *FrontMatter) sourceKeys() []string {
	return slices.DeleteFunc(m.Keys(), func(key string) bool { return key == "sources" })
}

// sourceText checks a source, which may be nil.
func (k *listingCheck) sourceText(source *string, path ...any) {
	if source == nil {
		return
	}
	if strings.TrimSpace(*source) == "" {
		k.fail(path, "is empty: say where the fact was read")
		return
	}
	k.failIf(textProblem(*source, maxSource), path...)
	if day, ok, err := SourceDate(*source); err != nil {
		k.fail(path, "%v", err)
	} else if ok && day > k.today {
		k.fail(path, "%s is in the future: write a day up to today", day)
	}
}

// sources checks the sources, and that every fact that needs a source has one.
func (k *listingCheck) sources() {
	f := k.f
	meant := map[string]bool{} // fields that unknown keys probably misspell
	for key, source := range f.Sources {
		first, fact, _ := strings.Cut(key, ".")
		switch {
		case k.incomplete[FactsFile] && slices.Contains(keysOfFacts, first):
		case slices.Contains(k.sourceKeys, key):
			k.sourceText(&source, "sources", key)
		case first == factsKey && fact != "" && k.doc.Has(factsKey, fact): // the fact itself has been reported
		default:
			for _, near := range spelling.Nearest(key, k.sourceKeys, 1) {
				meant[near] = true
			}
			k.fail(at("sources", key), "is not a field that can have a source%s", spelling.Hint(key, k.sourceKeys))
		}
	}
	if k.doc.Has("sources") && k.undecodedAt("sources") { // there may be some
		return
	}
	needed := map[string]rule.Rule{} // the rule by which a known value needs a source
	if f.License != nil {
		needed["license"] = rule.LicenseSource
	}
	if f.Stars != nil {
		needed["stars"] = rule.LicenseSource
	}
	for i := range k.taxonomy.Facts {
		fact := &k.taxonomy.Facts[i]
		if fact.Sourced && fact.IsStated() && api.Known(f.FitNotes.Get(fact.Key)) {
			needed[factsKey+"."+fact.Key] = rule.NoSource
		}
	}
	for _, key := range k.sourceKeys {
		broken, isNeeded := needed[key]
		if _, ok := f.Sources[key]; isNeeded && !ok && !meant[key] {
			var path []any // the path of fitNotes.docker has two steps
			for step := range strings.SplitSeq(key, ".") {
				path = append(path, step)
			}
			k.add(broken, path, "has no source: add %s to sources, and say where it was read", key)
		}
	}
}
