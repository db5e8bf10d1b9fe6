// Package rule lists the rules for content. Package content checks some of them while it loads, and
// package lint checks the others. catalog build and catalog lint check the same rules, except that
// only lint checks searches, dead links, the age of facts, the form of front matter, and the owner's labels,
// templates and static files.
//
// The owner of a catalogue sets other levels with the setting rules.
package rule

import (
	"fmt"
	"maps"
	"slices"

	"catalog.example/api/spelling"
)

// Severity is the level of a rule. site.Levels lists its values.
type Severity string

// The severities. An error stops a build; a warning is only printed. A rule that is off is not
// checked, unless the setting rules turns it on.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Off     Severity = "off"
)

// Rule is one rule.
type Rule struct {
	Name     string // short and stable
	Severity Severity
	Meaning  string // what content must be like, in one sentence
}

// All lists the rules in the order in which this file defines them.
var All []Rule

// define makes a rule and adds it to All.
func define(name string, severity Severity, meaning string) Rule {
	r := Rule{name, severity, meaning}
	All = append(All, r)
	return r
}

// At returns the rule with its level in a setting rules, or unchanged if it is not in the setting.
func (r Rule) At(levels map[string]string) Rule {
	if level, ok := levels[r.Name]; ok {
		r.Severity = Severity(level)
	}
	return r
}

// CheckLevels returns the mistakes in a setting rules, as pairs of the name of a rule and a
// message. It is a mistake to name an unknown rule, or to lower a rule that must remain an error
// because a build could otherwise publish something broken or harmful.
func CheckLevels(levels map[string]string) (wrong [][2]string) {
	names := names()
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		switch {
		case !slices.Contains(names, name):
			wrong = append(wrong, [2]string{name, "there is no such rule" + spelling.Hint(name, names)})
		case IsFixed(name) && (levels[name] == string(Off) || levels[name] == string(Warning)):
			wrong = append(wrong,
				[2]string{name,
					fmt.Sprintf("a build would publish something broken or harmful without this rule, so it cannot "+
						"be %s: remove it from rules", levels[name])})
		}
	}
	return wrong
}

// IsFixed reports whether a rule is an error in every catalogue.
func IsFixed(name string) bool {
	return slices.ContainsFunc(All, func(r Rule) bool { return r.Name == name && r.Severity == Error })
}

// names returns the names of All.
func names() (list []string) {
	for _, r := range All {
		list = append(list, r.Name)
	}
	return list
}

// Unknown returns the first of some names that no rule has, and a hint at the nearest one; "" if there is
// none.
func Unknown(list []string) (name, hint string) {
	known := names()
	for _, name := range list {
		if !slices.Contains(known, name) {
			return name, spelling.Hint(name, known)
		}
	}
	return "", ""
}

// Rules for files and values.
var (
	File          = define("file", Error, "Files are regular files of a bounded size.")
	MergeConflict = define("merge-conflict", Error,
		"Files have no conflict markers of version control, such as <<<<<<<.")
	NotRead = define("not-read", Warning,
		"Files that look like listings, pages or taxonomy have names that catalog reads.")
	NoListings  = define("no-listings", Error, "The catalogue has at least one listing.")
	Encoding    = define("encoding", Error, "Files are UTF-8.")
	Slug        = define("slug", Error, "A file name is a slug.")
	FrontMatter = define("front-matter", Error,
		"The front matter is YAML with known keys, each once, and values of the right kind.")
	Quotes = define("quotes", Warning,
		"Texts are in quotation marks if other YAML parsers refuse them or read them as numbers, dates or booleans.")
	Bounds = define("bounds", Error,
		"A text can be rendered quickly: its length, links, tables and nesting are bounded.")
	Missing       = define("missing", Error, "A required key is present and has a value.")
	Value         = define("value", Error, "A value is one that its key allows.")
	Unique        = define("unique", Error, "Slugs, names and aliases are unique.")
	Link          = define("link", Error, "A link to another listing leads to one that exists.")
	Taxonomy      = define("taxonomy", Error, "The taxonomy can be read.")
	Synonyms      = define("synonyms", Error, "A group of synonyms has at least two different entries.")
	NoDescription = define("no-description", Warning, "A listing has a text.")
	NoSource      = define("no-source", Warning,
		"The facts that taxonomy/facts.yml marks as sourced have a source.")
	Translation = define("translation", Error,
		"A translation has only texts, and translates a file and entries that there are.")
	OutdatedTranslation = define("outdated-translation", Warning,
		"What a translation translates has not changed since.")
	UnmarkedTranslation = define("unmarked-translation", Warning,
		"A translation says which version of a text it translates; catalog translated writes that.")
	IncompleteTranslation = define("incomplete-translation", Warning,
		"A translation of the categories, sets or facts has a name or label of each.")
	UnusedPicture = define("unused-picture", Warning, "Each picture below pictures/ is shown by a listing or a page.")
)

// Rules against text that deceives people or models.
var (
	Instruction = define("instruction", Error,
		"Texts describe what is listed, and do not give instructions to models that read them.")
	HiddenText = define("hidden-text", Error,
		"People see everything that machines read: no invisible characters, comments or hidden HTML.")
	SmuggledLink = define("smuggled-link", Error,
		"Links lead where they say: no scheme but https, http and mailto, no credentials, no host that imitates "+
			"another, no text that shows another host.")
	LookAlike = define("look-alike", Warning,
		"No host differs by one letter from a well-known host or from another host in the listing.")
	NotShown = define("not-shown", Warning,
		"Texts contain no HTML, which pages omit, and no pictures, which pages show only as links.")
)

// Limits for the number of words in a listing's text without headings, and for the numbers of jobs
// and asks.
const (
	MinWords, MaxWords = 80, 180
	MinJobs, MaxJobs   = 4, 8
	MinAsks, MaxAsks   = 8, 30
	MaxSharedAsks      = 4
	MinSet             = 5
)

// Rules that make listings useful.
var (
	HeadingLevel = define("heading-level", Warning,
		"The headings of a text begin at the second level, because the page title has the first, and skip no level.")
	LinkText = define("link-text", Warning, "A link has a text that says where it leads.")
	Asks     = define("asks", Warning,
		fmt.Sprintf("An ask has words that the rest of the listing does not have, does not contain the name of a "+
			"listing, and is in at most %d other listings.", MaxSharedAsks))
	InstallLink = define("install-link", Warning,
		"An install link leads where its kind says, and no two have the same label.")
	SetupWords = define("setup-words", Warning,
		"A setup has the key for each system, maker of graphics cards or model elsewhere that its words mention.")
	UnknownGPU = define("unknown-gpu", Warning,
		"A listing with the memory of a minimum setup says whether it needs a graphics card.")
	Praise         = define("praise", Warning, "Texts say what a tool does, and do not praise it.")
	SameRepository = define("same-repository", Warning,
		"No two listings have the same repository, unless it contains several tools.")
	LicenseName = define("license-name", Warning,
		"A licence is written as its SPDX identifier, and a GNU licence says whether later versions may be used.")
	SimilarPurpose = define("similar-purpose", Warning, "No two purposes are the same, or nearly the same.")
	Misspelt       = define("misspelt", Warning,
		"A topic or product that is used once is not spelt nearly like one that is used often.")
	Unused = define("unused", Warning,
		"Each product is replaced by a listing, and each group of synonyms has a phrase that a listing contains.")
	Schema    = define("schema", Warning, "The JSON Schema with which editors check listings exists and is up to date.")
	Unwritten = define("unwritten", Warning,
		"Each category has a description, and the page about the catalogue is written.")
	FarPlace = define("far-place", Warning, "No place lies far from nearly all others.")
	Stale    = define("stale", Warning, "No fact is older than --max-age.")
	Form     = define("form", Warning, "Front matter is in the canonical form that catalog fmt writes.")
	SetSize  = define("set-size", Warning, fmt.Sprintf("A set has at least %d listings, or its own minimum.", MinSet))
	Share    = define("share", Warning, "Enough listings have a value for each key in the setting shares.")
	Labels   = define("labels", Error, "The file labels.yml can be read.")
	Own      = define("own-files", Error,
		"The files in the folders of the settings overrides and static can be used.")
	UnusedLabel = define("unused-label", Warning, "Each text that labels.yml replaces is on a page.")
)

// Limits for the number of listings in a category and the number of its asks.
const (
	MinCategory, MaxCategory = 6, 40
	MinCategoryAsks          = 30
)

// Rules that are off unless the owner turns them on with the setting rules: the style of a catalogue.
var (
	Headings      = define("headings", Off, "A text has the headings that pages show as boxes, in order.")
	Length        = define("length", Off, fmt.Sprintf("A text has %d to %d words.", MinWords, MaxWords))
	Jobs          = define("jobs", Off, fmt.Sprintf("A listing has %d to %d jobs.", MinJobs, MaxJobs))
	AskCount      = define("ask-count", Off, fmt.Sprintf("A listing with asks has %d to %d.", MinAsks, MaxAsks))
	LicenseSource = define("license-source", Off, "The licence and the stars have a source.")
	CategorySize  = define("category-size", Off,
		fmt.Sprintf("A category has %d to %d listings, so that it is easy to look through.", MinCategory, MaxCategory))
	CategoryAsks = define("category-asks", Off, fmt.Sprintf("A category has at least %d asks.", MinCategoryAsks))
	Meanings     = define("meanings", Off, "Each fact has a meaning.")
	SourceDay    = define("source-day", Off, "A source has the day on which it was read.")
	Misses       = define("misses", Off, "The taxonomy says what people who leave a product would miss.")
	Verb         = define("verb", Off, "A purpose begins with a verb in the third person: Turns, Finds.")
)

// Rules that need a search for each ask, job and replaced product (catalog lint --search).
var (
	OwnSearch = define("own-search", Warning,
		"A search for the asks, jobs and replaced products of a listing finds it.")
	StrayWord = define("stray-word", Warning,
		"No listing comes first in a search for an ask of another category because of a single word in one of its "+
			"asks.")
)

// Advisories needs OSV's export (catalog lint --advisories).
var Advisories = define("advisories", Warning,
	"A listing tells of the advisories that OSV's export has about its packages, and of no others.")

// Rules that need the network (catalog lint --links).
var (
	DeadLink        = define("dead-link", Error, "Links lead to pages that exist.")
	UnreachableLink = define("unreachable-link", Warning, "The servers of links respond without an error.")
)
