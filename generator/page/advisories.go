package page

import (
	"net/url"
	"strings"

	"catalog.example/api"
)

// advisedView is a package of a listing with its known vulnerabilities.
type advisedView struct {
	Says  string // how many are known, and as of which day
	Known []advisoryView
	More  string // how many are not in Known; "" for none
	All   string // address of all at OSV
}

// advisoryView is a known vulnerability.
type advisoryView struct {
	*api.Advisory
	Says string // the facts beside severity and summary, in sentences
}

// advised returns the packages of the listing whose advisories were read.
func (s listingPage) advised() (list []advisedView) {
	if s.l.Advisories == nil || !s.View.Has(api.AdvisoriesKey) {
		return nil
	}
	for i := range s.l.Advisories.Read {
		p := &s.l.Advisories.Read[i]
		query := url.Values{"ecosystem": {p.Ecosystem}, "q": {p.Package}}
		v := advisedView{All: "https://osv.dev/list?" + query.Encode()}
		v.Says = s.T("{package} ({ecosystem}): none known on {day}.", "package", p.Package, "ecosystem", p.Ecosystem,
			"day", p.AsOf)
		if p.Total > 0 {
			v.Says = s.T("{package} ({ecosystem}): {n} known on {day}.", "package", p.Package, "ecosystem", p.Ecosystem,
				"n", p.Total, "day", p.AsOf)
		}
		for _, known := range s.l.Advisories.Of(p) {
			v.Known = append(v.Known, advisoryView{&known, s.says(&known, p.CheckedVersion)})
		}
		if more := p.Total - len(v.Known); more > 0 {
			v.More = s.N(more, "And {n} more vulnerability.", "And {n} more vulnerabilities.")
		}
		list = append(list, v)
	}
	return list
}

// says returns what an advisory says, in sentences. version is the one that it was compared with; nil for none.
func (s listingPage) says(known *api.Advisory, version *string) string {
	var says []string
	if known.Published != nil {
		says = append(says, s.T("Published on {day}.", "day", *known.Published))
	}
	says = append(says, s.T("Changed on {day}.", "day", known.Modified))
	if len(known.Fixed) > 0 {
		says = append(says, s.T("Fixed in {versions}.", "versions", strings.Join(known.Fixed, ", ")))
	} else {
		says = append(says, s.T("No fixed version is known."))
	}
	switch {
	case version == nil:
	case known.Affected == nil:
		says = append(says, s.T("Whether release {version} is affected is not known.", "version", *version))
	case *known.Affected:
		says = append(says, s.T("Release {version} is affected.", "version", *version))
	default:
		says = append(says, s.T("Release {version} is not affected.", "version", *version))
	}
	return strings.Join(says, " ")
}
