package api

import "slices"

// AdvisoriesKey is the key of front matter and of a ProjectDetail with the known vulnerabilities of packages.
const AdvisoriesKey = "advisories"

// Ecosystems lists the package ecosystems whose advisories listings tell of, as OSV names them.
var Ecosystems = []string{"crates.io", "Go", "npm", "PyPI"}

// Severities lists the values of Advisory.Severity.
var Severities = []string{"low", "moderate", "high", "critical"}

// MaxAdvisories is the number of advisories of a package that a listing names; it counts the others.
const MaxAdvisories = 20

// AdvisoryIDPattern matches the identifier of an advisory: the prefix of a database, and the entry in it.
const AdvisoryIDPattern = `^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9._:]+)+$`

// PackageVersionPattern matches a version of a package. Texts of strangers stand there, so few characters are allowed.
const PackageVersionPattern = `^v?[0-9][A-Za-z0-9._+!~:-]{0,78}$`

// Advisories holds what OSV knew of the vulnerabilities of a listing's packages. Its yaml tags are for catalog refresh,
// which leaves out what is unknown.
type Advisories struct {
	Read  []AdvisedPackage `json:"read" jsonschema:"The packages whose advisories were read. A package that is not here was not looked for."`
	Known []Advisory       `json:"known" jsonschema:"Their advisories that were not withdrawn: those that affect the version first, then those that may, then the others; each the latest first."`
}

// AdvisedPackage is a package whose advisories were read.
type AdvisedPackage struct {
	Ecosystem string `json:"ecosystem" jsonschema:"Where the package is published, as OSV names it."`
	Package   string `json:"package" jsonschema:"Name of the package."`
	// AsOf is the latest day on which an advisory in the export was changed: what is later cannot be in it.
	AsOf  Date `json:"asOf" yaml:"asOf" jsonschema:"Day of the latest change in the export of OSV that was read."`
	Total int  `json:"total" jsonschema:"How many advisories the package has; known names at most 20 of them."`
	// CheckedVersion may be older than the release of the listing, which other runs bring up to date.
	CheckedVersion *string `json:"checkedVersion" yaml:"checkedVersion,omitempty" jsonschema:"The release of the listing that was compared with the advisories; null if none was known."`
}

// Advisory is a vulnerability of a package, as OSV tells of it. Summary is cut if it is long, Severity is in one of
// Severities, and Affected is computed.
type Advisory struct {
	ID        string   `json:"id" jsonschema:"Identifier at OSV."`
	Ecosystem string   `json:"ecosystem" jsonschema:"Where the package is published, as OSV names it."`
	Package   string   `json:"package" jsonschema:"Name of the package."`
	Summary   *string  `json:"summary" yaml:"summary,omitempty" jsonschema:"One line: what is wrong. Quoted from the advisory."`
	Severity  *string  `json:"severity" yaml:"severity,omitempty" jsonschema:"How bad it is, if the advisory says so in a word."`
	Published *Date    `json:"published" yaml:"published,omitempty" jsonschema:"Day on which it was published."`
	Modified  Date     `json:"modified" jsonschema:"Day on which it was last changed."`
	Fixed     []string `json:"fixed" yaml:"fixed,omitempty" jsonschema:"Versions of the package that are the first without it; empty if none is known."`
	Affected  *bool    `json:"affected" yaml:"affected,omitempty" jsonschema:"Whether it affects checkedVersion; null if that is not known."`
	// URL is AdvisoryURL of the ID.
	URL string `json:"url" yaml:"-" jsonschema:"Where the advisory was read."`
}

// AdvisoryURL returns the address of an advisory.
func AdvisoryURL(id string) string { return "https://osv.dev/vulnerability/" + id }

// Of returns the advisories of a package.
func (a *Advisories) Of(p *AdvisedPackage) (list []Advisory) {
	for _, known := range a.Known {
		if known.Ecosystem == p.Ecosystem && known.Package == p.Package {
			list = append(list, known)
		}
	}
	return list
}

// ReadOf returns what was read of a package; nil if nothing was.
func (a *Advisories) ReadOf(ecosystem, name string) *AdvisedPackage {
	if a == nil {
		return nil
	}
	i := slices.IndexFunc(a.Read, func(p AdvisedPackage) bool { return p.Ecosystem == ecosystem && p.Package == name })
	if i < 0 {
		return nil
	}
	return &a.Read[i]
}

// Completed returns a copy with the addresses and without nil lists. It is nil for nil.
func (a *Advisories) Completed() *Advisories {
	if a == nil {
		return nil
	}
	c := &Advisories{append([]AdvisedPackage{}, a.Read...), append([]Advisory{}, a.Known...)}
	for i := range c.Known {
		known := &c.Known[i]
		known.URL = AdvisoryURL(known.ID)
		if known.Fixed == nil {
			known.Fixed = []string{}
		}
	}
	return c
}
