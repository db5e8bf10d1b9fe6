package refresh

import (
	"cmp"
	"context"
	"encoding/json"
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

// Export is what an export of OSV says about the packages of some listings.
type Export struct {
	// Days has the ecosystems that the export covers, each with the latest day on which one of its advisories was
	// changed.
	Days map[string]api.Date
	// Others counts the advisories of other ecosystems than api.Ecosystems.
	Others int

	packages  map[string][]*osv.Advisory // by packageKey; each affects one package
	withdrawn map[string]bool            // identifiers
}

// ReadExport reads an export of OSV. It keeps the advisories about packages of the listings.
func ReadExport(ctx context.Context, name string, now time.Time, listings []*content.Listing, all []Registry) (
	*Export, error,
) {
	e := &Export{map[string]api.Date{}, 0, map[string][]*osv.Advisory{}, map[string]bool{}}
	told := map[string]bool{}
	for _, l := range listings {
		for _, p := range FindPackages(all, l.InstallLinks) {
			e.packages[p.key()] = nil
		}
		if l.Advisories != nil {
			for _, known := range l.Advisories.Known {
				told[known.ID] = true
			}
		}
	}
	modules, groups := e.modules(), map[string]ecosystemCounts{}
	err := osv.Read(ctx, name, content.LatestDay(now), func(group string, a *osv.Advisory) {
		if groups[group] == nil {
			groups[group] = ecosystemCounts{}
		}
		if groups[group].add(a) {
			e.Others++
		}
		if kept := e.keep(a, modules); a.Withdrawn != "" && (kept || told[a.ID]) {
			e.withdrawn[a.ID] = true
		}
	})
	if err != nil {
		return nil, err
	}
	for _, counts := range groups {
		for _, ecosystem := range api.Ecosystems {
			if counts.cover(ecosystem) {
				e.Days[ecosystem] = max(e.Days[ecosystem], counts[ecosystem].day)
			}
		}
	}
	if len(e.Days) == 0 {
		return nil, fmt.Errorf("advisories: %s does not have all advisories of any of these: %s", name,
			strings.Join(api.Ecosystems, ", "))
	}
	return e, nil
}

// ecosystemCounts counts the advisories of one zip or folder by the ecosystems that they name. The key of those that
// name any is "".
type ecosystemCounts map[string]counted

// counted is a number of advisories, and the latest day on which one was changed.
type counted struct {
	n   int
	day api.Date
}

// add counts an advisory. It reports whether the advisory names ecosystems, but none of api.Ecosystems.
func (c ecosystemCounts) add(a *osv.Advisory) (isOther bool) {
	day, _ := osv.Day(a.Modified) // it was checked
	named := map[string]bool{"": true}
	for i := range a.Affected {
		named[a.Affected[i].Package.Ecosystem] = true
	}
	if len(named) == 1 { // it was withdrawn, or is about a repository
		return false
	}
	isOther = true
	for ecosystem := range named {
		c[ecosystem] = counted{c[ecosystem].n + 1, max(c[ecosystem].day, day)}
		isOther = isOther && !slices.Contains(api.Ecosystems, ecosystem)
	}
	return isOther
}

// cover reports whether these are all advisories of an ecosystem. If each names one and the same ecosystem, they are
// the export of that one, with only some advisories of the others that they name. Otherwise they are the export of all.
func (c ecosystemCounts) cover(ecosystem string) bool {
	for other, counts := range c {
		if other != "" && counts.n == c[""].n {
			return c[ecosystem].n == counts.n
		}
	}
	return c[ecosystem].n > 0
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

// key identifies the package among those of ecosystems.
func (p Package) key() string { return packageKey(p.Registry.ecosystem, p.Name) }

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

// keep keeps an advisory for each wanted package that it affects. It reports whether there is one.
func (e *Export) keep(a *osv.Advisory, modules map[string][]string) (kept bool) {
	for _, affected := range a.Affected {
		keys := modules[affected.Package.Name]
		if affected.Package.Ecosystem != "Go" {
			keys = []string{packageKey(affected.Package.Ecosystem, affected.Package.Name)}
		}
		for _, key := range keys {
			if list, wanted := e.packages[key]; wanted {
				one := *a
				one.Affected, kept = []osv.Affected{affected}, true
				e.packages[key] = append(list, &one)
			}
		}
	}
	return kept
}

// Of returns what a listing should tell: what the export says of the packages that it was read for, and what the
// listing tells of the others, less what was withdrawn. It is nil if that is nothing. isSafe reports whether a summary
// may be shown.
func (e *Export) Of(l *api.ProjectDetail, all []Registry, isSafe func(string) bool) *api.Advisories {
	a := &api.Advisories{}
	for _, p := range FindPackages(all, l.InstallLinks) {
		day, isCovered := e.Days[p.Registry.ecosystem]
		_, isRead := e.packages[p.key()] // an editor may have added the install link since
		before := l.Advisories.ReadOf(p.Registry.ecosystem, p.Name)
		switch {
		case isCovered && isRead && packageName.MatchString(p.Name):
			e.add(a, l, p, day, isSafe)
		case before != nil:
			told, kept := l.Advisories.Of(before), *before
			known := slices.DeleteFunc(slices.Clone(told), func(a api.Advisory) bool { return e.withdrawn[a.ID] })
			kept.Total -= len(told) - len(known)
			a.Read, a.Known = append(a.Read, kept), append(a.Known, known...)
		}
	}
	if len(a.Read) == 0 {
		return nil
	}
	return a.Completed()
}

// add adds what the export says of a package.
func (e *Export) add(a *api.Advisories, l *api.ProjectDetail, p Package, day api.Date, isSafe func(string) bool) {
	ecosystem := p.Registry.ecosystem
	version := comparedVersion(l, ecosystem)
	var list []api.Advisory
	for _, same := range e.vulnerabilities(p) {
		known := merged(same, isSafe)
		known.Ecosystem, known.Package, known.Affected = ecosystem, p.Name, new(false)
		for _, one := range same {
			of := &one.Affected[0]
			switch is := isAffected(of, version, sameNumbers(l, p, of.Package.Name)); {
			case known.Affected != nil && *known.Affected:
			case is == nil || *is:
				known.Affected = is
			}
		}
		list = append(list, known)
	}
	slices.SortStableFunc(list, func(a, b api.Advisory) int {
		return cmp.Or(urgency(b.Affected)-urgency(a.Affected), cmp.Compare(dayOf(b), dayOf(a)),
			cmp.Compare(a.ID, b.ID))
	})
	a.Read = append(a.Read, api.AdvisedPackage{Ecosystem: ecosystem, Package: p.Name, AsOf: day, Total: len(list),
		CheckedVersion: version})
	a.Known = append(a.Known, list[:min(len(list), api.MaxAdvisories)]...)
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

func dayOf(a api.Advisory) api.Date {
	if a.Published == nil {
		return ""
	}
	return *a.Published
}

// vulnerabilities returns the advisories of a package that were not withdrawn. Those that are aliases of each other
// are together: they tell of the same vulnerability. Those with a summary come first, then those with the lower
// identifier.
func (e *Export) vulnerabilities(p Package) (groups [][]*osv.Advisory) {
	list := slices.DeleteFunc(slices.Clone(e.packages[p.key()]), func(a *osv.Advisory) bool {
		return e.withdrawn[a.ID]
	})
	named, done := map[string][]*osv.Advisory{}, map[*osv.Advisory]bool{}
	for _, a := range list {
		for _, name := range names(a) {
			named[name] = append(named[name], a)
		}
	}
	for _, a := range list {
		var same []*osv.Advisory
		for next := []*osv.Advisory{a}; len(next) > 0; {
			b := next[len(next)-1]
			next = next[:len(next)-1]
			if done[b] {
				continue
			}
			done[b], same = true, append(same, b)
			for _, name := range names(b) {
				next = append(next, named[name]...)
				delete(named, name)
			}
		}
		if len(same) == 0 {
			continue
		}
		slices.SortFunc(same, func(a, b *osv.Advisory) int {
			return cmp.Or(min(len(b.Summary), 1)-min(len(a.Summary), 1), cmp.Compare(a.ID, b.ID))
		})
		groups = append(groups, same)
	}
	return groups
}

func names(a *osv.Advisory) []string { return append([]string{a.ID}, a.Aliases...) }

const (
	maxSummary = content.MaxShort - 1 // characters, before the mark of what was cut off
	maxFixed   = 10                   // versions
)

// merged returns what advisories of the same vulnerability say.
func merged(same []*osv.Advisory, isSafe func(string) bool) api.Advisory {
	known := api.Advisory{ID: same[0].ID}
	for _, a := range same {
		summary := api.Shorten(strings.Join(strings.Fields(a.Summary), " "), maxSummary)
		if known.Summary == nil && summary != "" && content.IsShortLine(summary) && isSafe(summary) {
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
		known.Fixed = append(known.Fixed, fixedIn(&a.Affected[0])...)
	}
	slices.SortFunc(known.Fixed, func(a, b string) int {
		order, _ := compareVersions(a, b)
		return cmp.Or(order, cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	known.Fixed = slices.CompactFunc(known.Fixed, strings.EqualFold)
	known.Fixed = known.Fixed[max(0, len(known.Fixed)-maxFixed):]
	return known
}

// Advise writes what an export says about the packages of listings into their files, as Run writes what registries
// say. isSafe is as for Export.Of.
func (e *Export) Advise(ctx context.Context, targets []Target, all []Registry, isSafe func(string) bool, o Options) (
	Report, error,
) {
	o.setDefaults()
	r := &run{options: &o, total: len(targets), report: newReport(o.DryRun)}
	r.report.Offline = true
	for _, target := range targets {
		if ctx.Err() != nil {
			break
		}
		change, err := e.advise(target.File, all, isSafe, &o)
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
	before, after := l.Advisories.Completed(), e.Of(l, all, isSafe)
	if reflect.DeepEqual(before, after) {
		return nil, nil
	}
	edit := canonical.Setting{Path: []string{api.AdvisoriesKey}, Value: frontMatterOf(after)}
	edited, err := o.FrontMatter.Format(text, edit)
	if err == nil {
		err = o.FrontMatter.CheckEdit(file, text, edited, content.LatestDay(o.Now()))
	}
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

// frontMatterOf returns advisories as front matter states them: without addresses, and without what is unknown.
func frontMatterOf(a *api.Advisories) any {
	if a == nil {
		return nil
	}
	var value map[string][]map[string]any
	text, _ := json.Marshal(a) // it has texts and numbers only
	_ = json.Unmarshal(text, &value)
	for _, list := range value {
		for _, entry := range list {
			maps.DeleteFunc(entry, func(key string, value any) bool {
				empty, isList := value.([]any)
				return key == "url" || value == nil || isList && len(empty) == 0
			})
		}
	}
	return value
}

// Untold returns the advisories that a listing should tell of and does not, the places in its Known of those that were
// withdrawn, and the places in its Read of packages to which no install link leads. An alias of an advisory counts as
// that advisory.
func (e *Export) Untold(l *api.ProjectDetail, all []Registry) (missing []api.Advisory, withdrawn, unlinked []int) {
	told, packages := map[string]bool{}, FindPackages(all, l.InstallLinks)
	if l.Advisories != nil {
		for i, known := range l.Advisories.Known {
			told[known.ID] = true
			if e.withdrawn[known.ID] {
				withdrawn = append(withdrawn, i)
			}
		}
		for i := range l.Advisories.Read {
			read := &l.Advisories.Read[i]
			if !slices.ContainsFunc(packages, func(p Package) bool {
				return p.Registry.ecosystem == read.Ecosystem && p.Name == read.Package
			}) {
				unlinked = append(unlinked, i)
			}
		}
	}
	for _, p := range packages {
		for _, same := range e.vulnerabilities(p) {
			for _, a := range same {
				if slices.ContainsFunc(names(a), func(name string) bool { return told[name] }) {
					told[same[0].ID] = true
				}
			}
		}
	}
	if after := e.Of(l, all, func(string) bool { return true }); after != nil {
		missing = slices.DeleteFunc(after.Known, func(a api.Advisory) bool { return told[a.ID] })
	}
	return missing, withdrawn, unlinked
}
