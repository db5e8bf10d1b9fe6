package refresh

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/osv"
	"catalog.example/generator/output"
)

// Export is what an export of OSV says about some packages.
type Export struct {
	// Days has the ecosystems that the export covers, each with the latest day on which one of its advisories was
	// changed.
	Days map[string]api.Date
	// Others counts the advisories of ecosystems that listings have no packages of.
	Others int

	packages  map[string][]*osv.Advisory // by ecosystem and name as in packageKey, without those that were withdrawn
	withdrawn map[string]bool            // identifiers that listings tell of
}

// ReadExport reads an export of OSV. Of its advisories, it keeps those about packages of the listings.
func ReadExport(ctx context.Context, name string, now time.Time, listings []*content.Listing, all []Registry) (
	*Export, error,
) {
	e := &Export{map[string]api.Date{}, 0, map[string][]*osv.Advisory{}, map[string]bool{}}
	told, groups := map[string]bool{}, map[string]*exportGroup{}
	for _, l := range listings {
		for _, p := range FindPackages(all, l.InstallLinks) {
			if p.Registry.ecosystem != "" {
				e.packages[packageKey(p.Registry.ecosystem, p.Name)] = nil
			}
		}
		if l.Advisories != nil {
			for _, known := range l.Advisories.Known {
				told[known.ID] = true
			}
		}
	}
	modules := e.modules()
	err := osv.Read(ctx, name, content.LatestDay(now), func(group string, a *osv.Advisory) {
		if a.Withdrawn != "" && told[a.ID] {
			e.withdrawn[a.ID] = true
		}
		if groups[group] == nil {
			groups[group] = &exportGroup{named: map[string]int{}}
		}
		if !groups[group].add(a, e.Days) {
			e.Others++
		}
		e.keep(a, modules)
	})
	if err != nil {
		return nil, err
	}
	covered := map[string]bool{}
	for _, g := range groups {
		g.cover(covered)
	}
	maps.DeleteFunc(e.Days, func(ecosystem string, _ api.Date) bool { return !covered[ecosystem] })
	if len(e.Days) == 0 {
		return nil, fmt.Errorf("advisories: %s has none of the ecosystems %s, from which listings install packages", name,
			strings.Join(api.Ecosystems, ", "))
	}
	return e, nil
}

// exportGroup counts the advisories of one zip or folder.
type exportGroup struct {
	total int            // those that name an ecosystem
	named map[string]int // of each ecosystem
}

// add counts an advisory, and brings the days of its ecosystems up to date. It reports whether it names one of
// api.Ecosystems.
func (g *exportGroup) add(a *osv.Advisory, days map[string]api.Date) (ours bool) {
	day, _ := osv.Day(a.Modified) // it was checked
	seen := map[string]bool{}
	for i := range a.Affected {
		ecosystem := a.Affected[i].Package.Ecosystem
		if ecosystem == "" || seen[ecosystem] {
			continue
		}
		seen[ecosystem] = true
		g.named[ecosystem]++
		if slices.Contains(api.Ecosystems, ecosystem) {
			days[ecosystem], ours = max(days[ecosystem], day), true
		}
	}
	if len(seen) > 0 {
		g.total++
	}
	return ours || len(seen) == 0
}

// cover adds the ecosystems whose advisories the group has. If all its advisories name one ecosystem, it is the export
// of that ecosystem, and has only some advisories of the others that it names. Otherwise it is the export of all.
func (g *exportGroup) cover(covered map[string]bool) {
	one := false
	for ecosystem, n := range g.named {
		if n == g.total {
			one, covered[ecosystem] = true, true
		}
	}
	for ecosystem := range g.named {
		covered[ecosystem] = covered[ecosystem] || !one
	}
}

// separators matches what PyPI takes for the same:
// https://packaging.python.org/en/latest/specifications/name-normalization/
var separators = regexp.MustCompile(`[-_.]+`)

// packageKey identifies a package: registries take some names for the same.
func packageKey(ecosystem, name string) string {
	switch ecosystem {
	case "PyPI":
		name = separators.ReplaceAllString(strings.ToLower(name), "-")
	case "crates.io":
		name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	}
	return ecosystem + " " + name
}

// majorVersion matches the end of the path of a Go module from its second major version on.
var majorVersion = regexp.MustCompile(`^v[2-9][0-9]*$|^v1[0-9]+$`)

// modules returns the keys of the wanted Go packages by the modules that may contain them: advisories name modules,
// install commands packages. A module ends with its major version.
func (e *Export) modules() map[string][]string {
	modules := map[string][]string{}
	for key := range e.packages {
		name, isGo := strings.CutPrefix(key, "Go ")
		for module := name; isGo && strings.Contains(module, "/"); module = path.Dir(module) {
			modules[module] = append(modules[module], key)
			if majorVersion.MatchString(path.Base(module)) {
				break
			}
		}
	}
	return modules
}

// keep keeps an advisory for each wanted package that it affects. The later of two with the same identifier stays.
func (e *Export) keep(a *osv.Advisory, modules map[string][]string) {
	for i := range a.Affected {
		p := &a.Affected[i].Package
		keys := modules[p.Name]
		if p.Ecosystem != "Go" {
			keys = []string{packageKey(p.Ecosystem, p.Name)}
		}
		for _, key := range keys {
			list, wanted := e.packages[key]
			if !wanted {
				continue
			}
			at := slices.IndexFunc(list, func(other *osv.Advisory) bool { return other.ID == a.ID })
			switch {
			case at < 0:
				kept := *a
				kept.Affected = []osv.Affected{a.Affected[i]}
				e.packages[key] = append(list, &kept)
			case list[at].Modified == a.Modified && !slices.ContainsFunc(list[at].Affected, func(f osv.Affected) bool {
				return reflect.DeepEqual(f, a.Affected[i])
			}): // another range of versions of the same package
				list[at].Affected = append(list[at].Affected, a.Affected[i])
			case list[at].Modified < a.Modified:
				*list[at] = *a
				list[at].Affected = []osv.Affected{a.Affected[i]}
			}
		}
	}
}

// Of returns what a listing should tell: what the export says of the packages in the ecosystems that it covers, and
// what the listing tells of the others. It is nil if that is nothing. isSafe reports whether a summary may be shown.
func (e *Export) Of(l *api.ProjectDetail, all []Registry, isSafe func(string) bool) *api.Advisories {
	a := &api.Advisories{Read: []api.AdvisedPackage{}, Known: []api.Advisory{}}
	for _, p := range FindPackages(all, l.InstallLinks) {
		ecosystem := p.Registry.ecosystem
		day, covered := e.Days[ecosystem]
		before := l.Advisories.ReadOf(ecosystem, p.Name)
		switch {
		case ecosystem == "" || !packageName.MatchString(p.Name) || !covered && before == nil:
		case !covered:
			a.Read, a.Known = append(a.Read, *before), append(a.Known, l.Advisories.Of(before)...)
		default:
			read := api.AdvisedPackage{Ecosystem: ecosystem, Package: p.Name, AsOf: day, CheckedVersion: comparedVersion(l, p)}
			var known []api.Advisory
			for _, same := range e.vulnerabilities(p) {
				numbered := func(name string) bool { return sameNumbers(l, p, name) }
				known = append(known, advisoryOf(same, &read, numbered, isSafe))
			}
			slices.SortStableFunc(known, func(a, b api.Advisory) int {
				return cmp.Or(urgency(b.Affected)-urgency(a.Affected), strings.Compare(dayOf(b.Published), dayOf(a.Published)),
					strings.Compare(a.ID, b.ID))
			})
			read.Total = len(known)
			a.Read, a.Known = append(a.Read, read), append(a.Known, known[:min(len(known), api.MaxAdvisories)]...)
		}
	}
	if len(a.Read) == 0 {
		return nil
	}
	return a
}

// urgency orders advisories by whether they affect the version.
func urgency(affected *bool) int {
	switch {
	case affected == nil:
		return 1
	case *affected:
		return 2
	}
	return 0
}

func dayOf(day *api.Date) string {
	if day == nil {
		return ""
	}
	return string(*day)
}

// vulnerabilities returns the advisories of a package that were not withdrawn. Those that are aliases of each other
// are together: they tell of the same vulnerability. Those with a summary come first, then those with the lower
// identifier.
func (e *Export) vulnerabilities(p Package) (groups [][]*osv.Advisory) {
	list := slices.Clone(e.packages[packageKey(p.Registry.ecosystem, p.Name)])
	list = slices.DeleteFunc(list, func(a *osv.Advisory) bool { return a.Withdrawn != "" })
	for _, a := range list {
		same := []*osv.Advisory{a}
		groups = slices.DeleteFunc(groups, func(group []*osv.Advisory) bool {
			is := slices.ContainsFunc(group, func(b *osv.Advisory) bool { return namesSame(a, b) })
			if is {
				same = append(same, group...)
			}
			return is
		})
		groups = append(groups, same)
	}
	for _, same := range groups {
		slices.SortFunc(same, func(a, b *osv.Advisory) int {
			return cmp.Or(min(len(b.Summary), 1)-min(len(a.Summary), 1), strings.Compare(a.ID, b.ID))
		})
	}
	return groups
}

// namesSame reports whether two advisories have a name in common.
func namesSame(a, b *osv.Advisory) bool {
	return slices.ContainsFunc(append([]string{a.ID}, a.Aliases...), func(name string) bool {
		return name == b.ID || slices.Contains(b.Aliases, name)
	})
}

// advisoryOf returns what a listing tells of advisories of the same vulnerability. isNumbered is sameNumbers.
func advisoryOf(same []*osv.Advisory, p *api.AdvisedPackage, isNumbered func(name string) bool,
	isSafe func(string) bool,
) api.Advisory {
	known := api.Advisory{ID: same[0].ID, Ecosystem: p.Ecosystem, Package: p.Package, URL: api.AdvisoryURL(same[0].ID)}
	verdicts := map[verdict]bool{}
	for _, a := range same {
		if summary := api.Shorten(strings.Join(strings.Fields(a.Summary), " "), maxSummary); known.Summary == nil &&
			summary != "" && content.IsShortLine(summary) && isSafe(summary) {
			known.Summary = &summary
		}
		if severity := a.Severity(); known.Severity == nil && severity != "" {
			known.Severity = &severity
		}
		modified, _ := osv.Day(a.Modified) // it was checked
		known.Modified = max(known.Modified, modified)
		if day, err := osv.Day(a.Published); err == nil && (known.Published == nil || day < *known.Published) {
			known.Published = &day
		}
		for i := range a.Affected {
			of := &a.Affected[i]
			known.Fixed = append(known.Fixed, fixedIn(of)...)
			verdicts[verdictOf(of, p.CheckedVersion, isNumbered(of.Package.Name))] = true
		}
	}
	switch {
	case verdicts[isAffected]:
		known.Affected = new(true)
	case !verdicts[isUndecided]:
		known.Affected = new(false)
	}
	slices.SortFunc(known.Fixed, func(a, b string) int {
		order, _ := compareVersions(a, b)
		return cmp.Or(order, strings.Compare(a, b))
	})
	known.Fixed = slices.Compact(known.Fixed)
	known.Fixed = append([]string{}, known.Fixed[max(0, len(known.Fixed)-api.MaxFixed):]...)
	return known
}

// maxSummary is the maximum length of a summary in characters, before the mark of what was cut off.
const maxSummary = content.MaxShort - 1

// Advise writes what an export says about the packages of listings into their files, as Run writes what registries
// say. isSafe is as for Export.Of.
func (e *Export) Advise(ctx context.Context, listings []*content.Listing, all []Registry, isSafe func(string) bool,
	o Options,
) (Report, error) {
	o.setDefaults()
	r := &run{options: &o, total: len(listings), report: newReport(o.DryRun)}
	for _, l := range listings {
		if ctx.Err() != nil {
			break
		}
		target := Target{Slug: l.Slug, File: l.File}
		change, err := e.advise(l.File, all, isSafe, &o)
		if err != nil {
			r.record(target, &r.report.Failed, err.Error())
			continue
		}
		r.recordChanges(job{Target: target}, change)
		r.record(target, nil)
	}
	r.report.sort()
	return r.report, ctx.Err()
}

// advise brings one listing up to date. It reads the file now, because an editor may have changed it.
func (e *Export) advise(file string, all []Registry, isSafe func(string) bool, o *Options) ([]Change, error) {
	name := filepath.Join(o.Dir, filepath.FromSlash(file))
	text, l, err := o.FrontMatter.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%w; run catalog lint", err)
	}
	before := l.Normalized().Advisories
	after := e.Of(l, all, isSafe)
	if reflect.DeepEqual(before, after) {
		return nil, nil
	}
	edited, err := o.FrontMatter.Format(text,
		canonical.Setting{Path: []string{api.AdvisoriesKey}, Value: frontMatterOf(after)})
	if err == nil && !o.DryRun {
		err = output.WriteFile(name, edited)
	}
	return []Change{{api.AdvisoriesKey, summaryOf(before), summaryOf(after)}}, err
}

// summaryOf says in a few words what a listing tells.
func summaryOf(a *api.Advisories) any {
	if a == nil {
		return nil
	}
	var list []string
	for i := range a.Read {
		p := &a.Read[i]
		list = append(list, fmt.Sprintf("%s %s: %d known on %s", p.Ecosystem, p.Package, p.Total, p.AsOf))
	}
	return strings.Join(list, "; ")
}

// frontMatterOf returns advisories as front matter states them: without what is unknown.
func frontMatterOf(a *api.Advisories) any {
	if a == nil {
		return nil
	}
	read, known := []map[string]any{}, []map[string]any{}
	for _, p := range a.Read {
		entry := map[string]any{"ecosystem": p.Ecosystem, "package": p.Package, "asOf": string(p.AsOf), "total": p.Total}
		if p.CheckedVersion != nil {
			entry["checkedVersion"] = *p.CheckedVersion
		}
		read = append(read, entry)
	}
	for _, k := range a.Known {
		entry := map[string]any{"id": k.ID, "ecosystem": k.Ecosystem, "package": k.Package, "modified": string(k.Modified)}
		for key, value := range map[string]any{"summary": orNil(k.Summary), "severity": orNil(k.Severity),
			"published": orNil((*string)(k.Published)), "affected": orNil(k.Affected)} {
			if value != nil {
				entry[key] = value
			}
		}
		if len(k.Fixed) > 0 {
			entry["fixed"] = k.Fixed
		}
		known = append(known, entry)
	}
	return map[string]any{"read": read, "known": known}
}

// Untold returns the identifiers of advisories that a listing should tell of and does not, and the places in its
// Known of those that were withdrawn. An alias of an advisory counts as that advisory.
func (e *Export) Untold(l *api.ProjectDetail, all []Registry) (missing []api.Advisory, withdrawn []int) {
	told := map[string]bool{}
	if l.Advisories != nil {
		for i, known := range l.Advisories.Known {
			told[known.ID] = true
			if e.withdrawn[known.ID] {
				withdrawn = append(withdrawn, i)
			}
		}
	}
	for _, p := range FindPackages(all, l.InstallLinks) {
		for _, same := range e.vulnerabilities(p) {
			for _, a := range same {
				for _, alias := range append([]string{a.ID}, a.Aliases...) {
					told[same[0].ID] = told[same[0].ID] || told[alias]
				}
			}
		}
	}
	after := e.Of(l, all, func(string) bool { return true })
	if after == nil {
		return nil, withdrawn
	}
	return slices.DeleteFunc(after.Known, func(a api.Advisory) bool { return told[a.ID] }), withdrawn
}
