package content

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// source finds the positions of a file's values, for findings.
type source struct {
	file string
	doc  *strictyaml.Document
}

// at returns a finding about the value at a path of the file's YAML.
func (s source) at(r rule.Rule, message string, path ...any) Finding {
	line, column := 1, 1
	if s.doc != nil {
		line, column = s.doc.Position(path...)
	}
	return Finding{s.file, line, column, r, message}
}

// at builds a path.
func at(path ...any) []any { return path }

// fileCheck checks the values of one file.
type fileCheck struct {
	source
	find       func(...Finding) // receives the findings
	taxonomy   *api.Taxonomy
	incomplete map[string]bool // see parsedTaxonomy
}

// add reports a value that breaks a rule. The message begins with the last key of its path.
func (c *fileCheck) add(r rule.Rule, path []any, format string, args ...any) {
	key := ""
	for _, step := range path {
		if name, ok := step.(string); ok {
			key = name
		}
	}
	c.find(c.at(r, key+": "+fmt.Sprintf(format, args...), path...))
}

// fail reports a value that is not allowed for its key.
func (c *fileCheck) fail(path []any, format string, args ...any) {
	c.add(rule.Value, path, format, args...)
}

// failIf reports a value if message is not "".
func (c *fileCheck) failIf(message string, path ...any) {
	if message != "" {
		c.fail(path, "%s", message)
	}
}

// filled checks a required text of one line, and reports whether it is present.
func (c *fileCheck) filled(text string, most int, path ...any) bool {
	if strings.TrimSpace(text) == "" {
		isMisspelt := len(path) == 1 && c.doc != nil && slices.Contains(c.doc.Meant, fmt.Sprint(path[0]))
		if !isMisspelt { // which has been reported
			c.add(rule.Missing, path, "is missing, but required")
		}
		return false
	}
	c.failIf(textProblem(text, most), path...)
	return true
}

// texts checks the entries of a list of short texts.
func (c *fileCheck) texts(list []string, path ...any) {
	for i, text := range list {
		c.failIf(entryProblem(text), append(slices.Clone(path), i)...)
	}
}

// oneOf checks that a value is one of the allowed values.
func (c *fileCheck) oneOf(value string, allowed []string, path ...any) {
	if !slices.Contains(allowed, value) {
		c.fail(path, "%s is not allowed: write one of %s", quote(value), strings.Join(allowed, ", "))
	}
}

// option checks a value that must be an option of a fact.
func (c *fileCheck) option(factKey, value string, path ...any) {
	switch fact := c.taxonomy.Fact(factKey); {
	case c.incomplete[FactsFile]:
	case fact != nil:
		c.oneOf(value, fact.Options(), path...)
	default:
		c.fail(path, "is not allowed, because taxonomy/%s has no fact %s that lists the values: remove it, or define "+
			"that fact", FactsFile, factKey)
	}
}

// system checks the slug of a platform that must be a system.
func (c *fileCheck) system(slug string, path ...any) {
	systems := c.taxonomy.SystemSlugs()
	switch {
	case c.incomplete[PlatformsFile]:
	case len(systems) == 0:
		c.fail(path, "is not allowed, because no platform in taxonomy/%s is a system: remove it, or write system: "+
			"true for one", PlatformsFile)
	case slug == "":
		c.fail(path, "is missing: write one of %s", strings.Join(systems, ", "))
	default:
		c.oneOf(slug, systems, path...)
	}
}

// minGb is the smallest allowed figure of memory or disk space, in gigabytes.
const minGb = 0.01

// figure checks a figure of memory or disk space, which may be nil.
func (c *fileCheck) figure(gb *float64, most float64, path ...any) {
	if least := minGb; gb != nil && (*gb < least || *gb > most) {
		c.fail(path, "%v is out of bounds: %s is allowed", *gb, api.NumberBounds(&least, &most))
	}
}

// address checks an outgoing link. remedy says what to do; "" for what CheckAddress says.
func (c *fileCheck) address(address, remedy string, path ...any) {
	if wrong, usual := CheckAddress(address); wrong != "" {
		c.fail(path, "%s %s: %s", quote(address), wrong, cmp.Or(remedy, usual))
	}
}

// Maximum lengths of texts, in characters.
const (
	maxName        = 80   // two lines of a heading on a phone
	maxShort       = 200  // one line: a job, a topic, an alias, a caveat
	maxSource      = 500  // an address or a citation
	maxDescription = 300  // of a category or a page: twice what a search engine shows
	maxAddress     = 2000 // every browser and server accepts addresses of this length
)

// MaxName and MaxShort are the maximum lengths of names and of short texts, for forms.
const MaxName, MaxShort = maxName, maxShort

// textProblem returns what is wrong with a text of one line, or "". All texts of front matter and
// taxonomy must pass this check.
func textProblem(text string, most int) string {
	switch n := utf8.RuneCountInString(text); {
	case n > most:
		return fmt.Sprintf("has %d characters: at most %d are allowed", n, most)
	case strings.ContainsFunc(text, breaksLine):
		return "contains a line break or another control character: write one line"
	case text != strings.TrimSpace(text):
		return "begins or ends with white space"
	}
	return ""
}

// entryProblem returns what is wrong with an entry of a list of short texts, or "".
func entryProblem(text string) string {
	if strings.TrimSpace(text) == "" {
		return "an entry is empty: remove it"
	}
	return textProblem(text, maxShort)
}

// breaksLine reports whether a character is a control character, or a line or paragraph separator,
// which browsers and terminals treat as a line break.
func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// emptyMessage is the message for an empty value.
const emptyMessage = "is empty: remove it, or write null if the value is unknown"

// maxQuoted is the maximum length of a text quoted in a message, in characters.
const maxQuoted = 100

// listed returns the elements of a list of words or numbers, separated by commas.
func listed(values any) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(values)), ", "), "[]")
}

// quote returns a text in quotation marks for a message, shortened to maxQuoted characters.
func quote(text string) string { return strconv.Quote(api.Shorten(text, maxQuoted)) }
