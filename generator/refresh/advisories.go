package refresh

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/osv"
	"catalog.example/generator/rule"
)

// Export is what an export of OSV says about the packages of some listings.
type Export struct {
	// Days has the ecosystems that the export covers, each with the latest day on which one of its advisories was
	// changed.
	Days map[string]api.Date
	// Others counts the advisories of other ecosystems than api.Ecosystems.
	Others int

	registries []Registry
	packages   map[packageKey][]*osv.Advisory // of Days; each advisory affects one package
	withdrawn  map[string]bool                // identifiers
}

// ReadExport reads an export of OSV. It keeps the advisories about packages of the listings.
func ReadExport(ctx context.Context, name string, now time.Time, listings []*content.Listing, all []Registry) (
	*Export, error,
) {
	e := &Export{Days: map[string]api.Date{}, registries: all, packages: map[packageKey][]*osv.Advisory{},
		withdrawn: map[string]bool{}}
	for _, l := range listings {
		for _, p := range FindPackages(all, l.InstallLinks) {
			for _, key := range p.keys() {
				e.packages[key] = nil
			}
		}
	}
	groups := map[string]*group{}
	err := osv.Read(ctx, name, content.LatestDay(now), func(name string, a *osv.Advisory) {
		if groups[name] == nil {
			groups[name] = &group{days: map[string]api.Date{}}
		}
		ecosystems := a.Ecosystems()
		if len(ecosystems) > 0 && !slices.ContainsFunc(ecosystems, isKnown) {
			e.Others++
		}
		groups[name].add(a, ecosystems)
		e.keep(a)
	})
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		for ecosystem, day := range g.days {
			if isKnown(ecosystem) && g.covers(ecosystem) {
				e.Days[ecosystem] = max(e.Days[ecosystem], day)
			}
		}
	}
	if len(e.Days) == 0 {
		return nil, fmt.Errorf("advisories: %s does not have all advisories of any of these: %s", name,
			strings.Join(api.Ecosystems, ", "))
	}
	maps.DeleteFunc(e.packages, func(key packageKey, _ []*osv.Advisory) bool { return e.Days[key.ecosystem] == "" })
	return e, nil
}

// isKnown reports whether listings tell of the advisories of an ecosystem.
func isKnown(ecosystem string) bool { return slices.Contains(api.Ecosystems, ecosystem) }

// group is a zip or a folder of advisories.
type group struct {
	days   map[string]api.Date // by the ecosystems that they name: the latest day on which one was changed
	shared []string            // the ecosystems that each of them names
}

// add adds an advisory that names ecosystems. One that names none was withdrawn, or is about a repository.
func (g *group) add(a *osv.Advisory, ecosystems []string) {
	if len(ecosystems) == 0 {
		return
	}
	if len(g.days) == 0 {
		g.shared = slices.Clone(ecosystems)
	}
	g.shared = slices.DeleteFunc(g.shared, func(name string) bool { return !slices.Contains(ecosystems, name) })
	day, _ := osv.Day(a.Modified) // it was checked
	for _, name := range ecosystems {
		g.days[name] = max(g.days[name], day)
	}
}

// covers reports whether these are all advisories of an ecosystem that they name. If each names one and the same
// ecosystem, they are the export of that one, with only some advisories of others. Otherwise they are that of all.
func (g *group) covers(ecosystem string) bool {
	return len(g.shared) == 0 || slices.Contains(g.shared, ecosystem)
}

// packageKey identifies a package among those of ecosystems.
type packageKey struct{ ecosystem, name string }

// separators matches what PyPI takes for the same:
// https://packaging.python.org/en/latest/specifications/name-normalization/
var separators = regexp.MustCompile(`[-_.]+`)

// keyOf returns the key of a package: registries take some names for the same.
func keyOf(ecosystem, name string) packageKey {
	switch ecosystem {
	case "PyPI":
		name = separators.ReplaceAllString(strings.ToLower(name), "-")
	case "crates.io":
		name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	}
	return packageKey{ecosystem, name}
}

// key identifies the package.
func (p Package) key() packageKey { return keyOf(p.Registry.ecosystem, p.Name) }

// majorVersion matches the end of the path of a Go module from its second major version on.
var majorVersion = regexp.MustCompile(`/v([2-9]|1[0-9])[0-9]*$`)

// keys returns the keys under which advisories name the package: those of Go name a module, which contains it and ends
// with its major version.
func (p Package) keys() []packageKey {
	keys := []packageKey{p.key()}
	for module := p.Name; p.Registry.ecosystem == "Go" && !majorVersion.MatchString(module); {
		end := strings.LastIndexByte(module, '/')
		if end < 0 {
			break
		}
		module = module[:end]
		keys = append(keys, packageKey{"Go", module})
	}
	return keys
}

// keep keeps an advisory for each wanted package that it affects.
func (e *Export) keep(a *osv.Advisory) {
	if a.Withdrawn != "" {
		e.withdrawn[a.ID] = true
		return
	}
	for _, affected := range a.Affected {
		key := keyOf(affected.Package.Ecosystem, affected.Package.Name)
		if list, isWanted := e.packages[key]; isWanted {
			one := *a
			one.Affected = []osv.Affected{affected}
			e.packages[key] = append(list, &one)
		}
	}
}

// Of returns what a listing should tell: what the export says of the packages that it was read for, and what the
// listing tells of the others, less what was withdrawn. It is nil if that is nothing.
func (e *Export) Of(l *api.ProjectDetail) *api.Advisories {
	a := &api.Advisories{}
	for _, p := range FindPackages(e.registries, l.InstallLinks) {
		before := l.Advisories.ReadOf(p.Registry.ecosystem, p.Name)
		// An editor may have added the install link since.
		if _, isRead := e.packages[p.key()]; isRead && packageName.MatchString(p.Name) {
			e.add(a, l, p)
		} else if before != nil {
			kept := *before
			for _, known := range l.Advisories.Of(before) {
				if e.withdrawn[known.ID] {
					kept.Total--
				} else {
					a.Known = append(a.Known, known)
				}
			}
			a.Read = append(a.Read, kept)
		}
	}
	if len(a.Read) == 0 {
		return nil
	}
	return a.Completed()
}

// add adds what the export says of a package.
func (e *Export) add(a *api.Advisories, l *api.ProjectDetail, p Package) {
	ecosystem := p.Registry.ecosystem
	version := comparedVersion(l, ecosystem)
	var list []api.Advisory
	for _, v := range e.vulnerabilities(p) {
		known := v.merged()
		known.Ecosystem, known.Package = ecosystem, p.Name
		var affected []*bool
		for _, one := range v.advisories {
			of := &one.Affected[0]
			affected = append(affected, isAffected(of, version, sameNumbers(l, p, of.Package.Name)))
		}
		known.Affected = mostUrgent(affected)
		list = append(list, known)
	}
	slices.SortFunc(list, func(a, b api.Advisory) int {
		return cmp.Or(urgency(b.Affected)-urgency(a.Affected), cmp.Compare(dayOf(b), dayOf(a)),
			cmp.Compare(a.ID, b.ID))
	})
	a.Read = append(a.Read, api.AdvisedPackage{Ecosystem: ecosystem, Package: p.Name, AsOf: e.Days[ecosystem],
		Total: len(list), CheckedVersion: version})
	a.Known = append(a.Known, list[:min(len(list), api.MaxAdvisories)]...)
}

func dayOf(a api.Advisory) api.Date {
	if a.Published == nil {
		return ""
	}
	return *a.Published
}

// vulnerability is what advisories of a package tell of that name each other as aliases.
type vulnerability struct {
	// advisories has those with a summary first, then those with the lower identifier.
	advisories []*osv.Advisory
	names      []string // their identifiers and aliases
}

// vulnerabilities returns those of a package whose advisories were not withdrawn.
func (e *Export) vulnerabilities(p Package) (list []vulnerability) {
	var kept []*osv.Advisory
	named := map[string][]*osv.Advisory{}
	for _, key := range p.keys() {
		for _, a := range e.packages[key] {
			if !e.withdrawn[a.ID] {
				kept = append(kept, a)
				for _, name := range names(a) {
					named[name] = append(named[name], a)
				}
			}
		}
	}
	done := map[*osv.Advisory]bool{}
	for _, a := range kept {
		var v vulnerability
		for next := []*osv.Advisory{a}; len(next) > 0; next = next[1:] {
			if b := next[0]; !done[b] {
				done[b], v.advisories, v.names = true, append(v.advisories, b), append(v.names, names(b)...)
				for _, name := range names(b) {
					next = append(next, named[name]...)
					delete(named, name)
				}
			}
		}
		slices.SortFunc(v.advisories, func(a, b *osv.Advisory) int {
			return cmp.Or(min(len(b.Summary), 1)-min(len(a.Summary), 1), cmp.Compare(a.ID, b.ID))
		})
		if len(v.advisories) > 0 {
			list = append(list, v)
		}
	}
	return list
}

func names(a *osv.Advisory) []string { return append([]string{a.ID}, a.Aliases...) }

const (
	maxSummary = content.MaxShort - 1 // characters, before the mark of what was cut off
	maxFixed   = 10                   // versions
)

// merged returns what the advisories say together.
func (v *vulnerability) merged() api.Advisory {
	known := api.Advisory{ID: v.advisories[0].ID}
	for _, a := range v.advisories {
		summary := api.Shorten(strings.Join(strings.Fields(a.Summary), " "), maxSummary)
		if known.Summary == nil && summary != "" && content.IsShortLine(summary) && lint.IsSafe(summary) {
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
// say.
func (e *Export) Advise(ctx context.Context, targets []Target, o Options) (Report, error) {
	o.setDefaults()
	r := &run{options: &o, total: len(targets), report: newReport(o.DryRun)}
	r.report.Offline = true
	for _, target := range targets {
		if ctx.Err() != nil {
			break
		}
		r.change(job{Target: target}, e.plan)
	}
	r.report.sort()
	return r.report, ctx.Err()
}

// plan says how the export changes a listing.
func (e *Export) plan(l *api.ProjectDetail) (p plan) {
	before, after := l.Advisories.Completed(), e.Of(l)
	if !reflect.DeepEqual(before, after) {
		p.changes = []Change{{api.AdvisoriesKey, summaryOf(before), summaryOf(after)}}
		p.set(after, api.AdvisoriesKey)
	}
	return p
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

// Check warns of advisories that listings do not tell of, of those that were withdrawn, and of packages that listings
// no longer have. An alias of an advisory counts as that advisory. remedy is the command that corrects all listings.
func (e *Export) Check(listings []*content.Listing, remedy string) (list []content.Finding) {
	for _, l := range listings {
		warn := func(message string, path ...any) {
			message = fmt.Sprintf("advisories: %s; run: %s --only %s", message, remedy, l.Slug)
			list = append(list, l.At(rule.Advisories, message, path...))
		}
		before, after := cmp.Or(l.Advisories, &api.Advisories{}), cmp.Or(e.Of(&l.ProjectDetail), &api.Advisories{})
		place := api.AdvisoriesKey
		if l.Advisories == nil {
			place = "installLinks"
		}
		for _, p := range FindPackages(e.registries, l.InstallLinks) {
			for _, v := range e.vulnerabilities(p) {
				if id := v.advisories[0].ID; isIn(after.Known, id) && !isIn(before.Known, v.names...) {
					warn(fmt.Sprintf("%s about %s %s is missing here", id, p.Registry.ecosystem, p.Name), place)
				}
			}
		}
		for i, known := range before.Known {
			if e.withdrawn[known.ID] {
				warn(known.ID+" was withdrawn", api.AdvisoriesKey, "known", i)
			}
		}
		for i, p := range before.Read {
			if after.ReadOf(p.Ecosystem, p.Package) == nil {
				warn(fmt.Sprintf("no install link leads to %s %s", p.Ecosystem, p.Package), api.AdvisoriesKey, "read",
					i, "package")
			}
		}
	}
	return list
}

// isIn reports whether a list has an advisory with one of some names.
func isIn(list []api.Advisory, names ...string) bool {
	return slices.ContainsFunc(list, func(a api.Advisory) bool { return slices.Contains(names, a.ID) })
}
