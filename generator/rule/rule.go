// Package rule lists the rules for content. Package content checks some of them while
// it loads, and package lint checks the others. catalog build and catalog lint check the
// same rules, except that only lint checks dead links and the age of facts.
package rule

import "fmt"

// Severity reports whether breaking a rule stops a build.
type Severity string

// The severities. An error stops a build; a warning is printed.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Rule is one rule.
type Rule struct {
	Name     string // short and stable
	Severity Severity
	Meaning  string // what content must be like, in a sentence
}

// All lists the rules in the order below.
var All []Rule

// define makes a rule and adds it to All.
func define(name string, severity Severity, meaning string) Rule {
	r := Rule{name, severity, meaning}
	All = append(All, r)
	return r
}

// Rules for files and values.
var (
	File          = define("file", Error, "Files are regular files of a bounded size.")
	NotRead       = define("not-read", Warning, "Files whose names look like those of listings, pages or taxonomy are read.")
	NoListings    = define("no-listings", Error, "There is a listing.")
	Encoding      = define("encoding", Error, "Files are UTF-8.")
	Slug          = define("slug", Error, "A file name is a slug.")
	FrontMatter   = define("front-matter", Error, "The front matter is YAML with known keys, each once, and values of the right kind.")
	Quotes        = define("quotes", Warning, "Texts that other YAML parsers refuse, or read as numbers, dates or yes and no, are in quotation marks.")
	Bounds        = define("bounds", Error, "A text can be rendered quickly: its length, links, tables and nesting are bounded.")
	Missing       = define("missing", Error, "A required key is there and filled.")
	Value         = define("value", Error, "A value is one that the contract allows.")
	Unique        = define("unique", Error, "Slugs, names, aliases and repositories are unique.")
	Link          = define("link", Error, "Links to other listings lead to one.")
	Taxonomy      = define("taxonomy", Error, "The taxonomy can be read.")
	Synonyms      = define("synonyms", Error, "A group of synonyms has at least two different entries.")
	NoDescription = define("no-description", Warning, "A listing has a text.")
	NoSource      = define("no-source", Warning, "Facts that decide have a source.")
)

// Rules against text that deceives people or models.
var (
	Instruction  = define("instruction", Error, "Texts describe what is listed, and do not speak to the model that reads them.")
	HiddenText   = define("hidden-text", Error, "People see everything that machines read: no invisible characters, comments or hidden HTML.")
	SmuggledLink = define("smuggled-link", Error, "Links lead where they say: no scheme but https, http and mailto, no credentials, no look-alike hosts, no text that names another host.")
	NotShown     = define("not-shown", Warning, "Texts hold no HTML and no pictures, which pages leave out.")
)

// The number of words in a listing's text, without headings, and of jobs and asks.
const (
	MinWords, MaxWords = 80, 180
	MinJobs, MaxJobs   = 4, 8
	MinAsks, MaxAsks   = 8, 30
	MaxSharedAsks      = 4
)

// Rules that make listings useful.
var (
	Headings       = define("headings", Warning, "A text has the three headings, in order.")
	Length         = define("length", Warning, fmt.Sprintf("A text has %d to %d words.", MinWords, MaxWords))
	Jobs           = define("jobs", Warning, fmt.Sprintf("A listing names %d to %d jobs.", MinJobs, MaxJobs))
	Asks           = define("asks", Warning, fmt.Sprintf("A listing with asks has %d to %d, in words that the rest of it lacks, without names of listings, and shared with at most %d others.", MinAsks, MaxAsks, MaxSharedAsks))
	InstallLink    = define("install-link", Warning, "An install link leads where its kind says, and no label stands twice.")
	Praise         = define("praise", Warning, "Words do not praise, but say what something does.")
	SimilarPurpose = define("similar-purpose", Warning, "No two purposes are the same, or nearly.")
	Misspelt       = define("misspelt", Warning, "A topic or product that is used once is not near one that is used often.")
	Unused         = define("unused", Warning, "Each product and each group of synonyms is of use for a listing.")
	Schema         = define("schema", Warning, "The schema that listings lead editors to is there and current.")
	Stale          = define("stale", Warning, "No fact is older than --max-age.")
)

// Rules that need the network (catalog lint --links).
var (
	DeadLink        = define("dead-link", Error, "Links lead somewhere.")
	UnreachableLink = define("unreachable-link", Warning, "Links answer.")
)
