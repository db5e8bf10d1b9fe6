package importer

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"go.yaml.in/yaml/v4"
)

// value is a text of a source with its place.
type value struct {
	text string
	node *yaml.Node
	done bool // a table of values has given it its final form
}

// Function turns values of a source into others.
type Function struct {
	Name     string
	Does     string // in a sentence
	Argument string // what its argument is; "" for none
	// each turns one value into any number; wrong says why it cannot. all turns all values of a field into others.
	each func(c *converter, text, argument string) (texts []string, wrong string)
	all  func(c *converter, values []value) []value
}

// Functions are what a map can apply to values.
var Functions = []Function{
	{Name: "all-of", Does: "makes one licence of several that all apply.", all: join(" AND ")},
	{Name: "any-of", Does: "makes one licence of several of which one may be chosen.", all: join(" OR ")},
	{Name: "date", Does: "reads a day, also with a time, as 29.11.2026, 29 Nov 2026, or a number of seconds.",
		each: one(readDate)},
	{Name: "first-sentence", Does: "takes the first sentence.", each: plainly(firstSentence)},
	{Name: "license", Does: "reads a licence by its common name, such as MIT License or GPLv3.",
		each: func(c *converter, text, _ string) ([]string, string) {
			expression, wrong := c.license(text)
			return []string{expression}, wrong
		}},
	{Name: "lower", Does: "writes lower-case letters.", each: plainly(strings.ToLower)},
	{Name: "number", Does: "takes the number of a text with separators or a unit, such as 1,234 g.",
		each: one(readNumber)},
	{Name: "plain", Does: "makes plain text of Markdown or HTML.", each: plainly(plainText)},
	{Name: "prefix", Argument: "a text", Does: "writes a text before the value.",
		each: func(_ *converter, text, before string) ([]string, string) { return []string{before + text}, "" }},
	{Name: "repository", Does: "keeps the address of a repository on a code host, and drops others.",
		each: func(_ *converter, text, _ string) ([]string, string) { return repository(text), "" }},
	{Name: "slug", Does: "makes a slug: open-webui for Open WebUI.",
		each: func(c *converter, text, _ string) ([]string, string) {
			return []string{content.Slug(text, c.settings.Lang)}, ""
		}},
	{Name: "split", Argument: "what separates the values, or space; by default a comma, a semicolon or a line break",
		Does: "makes several values of one.", each: split},
	{Name: "words", Does: "makes words of a slug: Web server for web-server.", each: plainly(words)},
	{Name: "yes-no", Does: "reads true or false from yes, no, 1, 0, x, ✓ and –.", each: one(readYesNo)},
}

// one returns a function of a reader that may fail.
func one(read func(text string) (string, string)) func(*converter, string, string) ([]string, string) {
	return func(_ *converter, text, _ string) ([]string, string) {
		result, wrong := read(text)
		return []string{result}, wrong
	}
}

// plainly returns a function of one that cannot fail.
func plainly(change func(string) string) func(*converter, string, string) ([]string, string) {
	return func(_ *converter, text, _ string) ([]string, string) { return []string{change(text)}, "" }
}

// join returns a function that joins licences.
func join(operator string) func(*converter, []value) []value {
	return func(c *converter, values []value) []value {
		if len(values) < 2 {
			return values
		}
		var texts []string
		for _, v := range values {
			id, wrong := c.license(v.text)
			if wrong != "" {
				id = v.text
			}
			if strings.Contains(id, " ") && wrong == "" {
				id = "(" + id + ")"
			}
			if !slices.Contains(texts, id) {
				texts = append(texts, id)
			}
		}
		return []value{{text: strings.Join(texts, operator), node: values[0].node}}
	}
}

// call is a function with its argument.
type call struct {
	*Function
	argument string
}

// parseCall parses a function as a map writes it. The message says what is wrong, or is "".
func parseCall(text string) (c call, message string) {
	name, argument, _ := strings.Cut(text, " ")
	var names []string
	for i := range Functions {
		f := &Functions[i]
		if names = append(names, f.Name); f.Name != name {
			continue
		}
		if argument != "" && f.Argument == "" {
			return c, fmt.Sprintf("%s has no argument: remove %q", name, argument)
		}
		return call{f, argument}, ""
	}
	return c, fmt.Sprintf("there is no function %q: write one of %s%s", name, strings.Join(names, ", "),
		spelling.Hint(name, names))
}

// apply applies a function to the values of a field. It tells of those that it cannot read.
func (c *converter) apply(e *entry, key string, f call, values []value) (result []value) {
	if f.all != nil {
		return f.all(c, values)
	}
	for _, v := range values {
		if v.done {
			result = append(result, v)
			continue
		}
		texts, wrong := f.each(c, v.text, f.argument)
		if wrong != "" {
			c.report.tell(LeftOut, e.file, v.node, key+" "+f.Name, "%s %q: %s", key, v.text, wrong)
			continue
		}
		for _, text := range texts {
			if text != "" {
				result = append(result, value{text: text, node: v.node})
			}
		}
	}
	return result
}

// dayLayouts are the ways in which sources write days. A day and a month in numbers with slashes can be read in
// two ways, so it is not read.
var dayLayouts = []string{time.DateOnly, "2006/01/02", "2006.01.02", "20060102", "02.01.2006", "2.1.2006",
	"2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006", "January 2 2006", "Jan 2 2006", "2006-1-2",
	time.RFC3339, time.RFC3339Nano, time.RFC1123, time.RFC1123Z, "2006-01-02 15:04:05", "2006-01-02T15:04:05",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -0700 MST", "2006-01-02 15:04", "2006-01-02T15:04",
	"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05-0700"}

// readDate reads a day.
func readDate(text string) (string, string) {
	text = strings.TrimSpace(text)
	for _, layout := range dayLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			day, err := api.ParseDate(t.Format(time.DateOnly))
			if err != nil {
				return "", err.Error()
			}
			return string(day), ""
		}
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 100_000_000 {
		if seconds > 100_000_000_000 { // milliseconds
			seconds /= 1000
		}
		return string(api.DateOf(time.Unix(seconds, 0))), ""
	}
	return "", "it is not a day that can be read in one way: write it as YYYY-MM-DD"
}

var (
	// numberText matches a number, perhaps with separators, between a sign of a currency and a unit.
	numberText = regexp.MustCompile(`^[~≈]?\s*[$€£¥]?\s*([-+]?[0-9][0-9.,'’\x{a0}\x{202f}\x{2009} _]*)\s*([^0-9]*)$`)
	thousands  = regexp.MustCompile(`^[-+]?[0-9]{1,3}([,'’\x{a0}\x{202f}\x{2009} _][0-9]{3})+(\.[0-9]+)?$`)
	dotted     = regexp.MustCompile(`^[-+]?[0-9]{1,3}(\.[0-9]{3}){2,}(,[0-9]+)?$|^[-+]?[0-9]{1,3}(\.[0-9]{3})+,[0-9]+$`)
	decimals   = regexp.MustCompile(`^[-+]?[0-9]+,([0-9]{1,2}|[0-9]{4,})$`)
)

// readNumber reads a number. A comma before three digits separates thousands, before others decimals.
func readNumber(text string) (string, string) {
	m := numberText.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", "it is not one number"
	}
	digits := strings.TrimSpace(m[1])
	switch {
	case thousands.MatchString(digits):
		digits = strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) || strings.ContainsRune(".-+", r) {
				return r
			}
			return -1
		}, digits)
	case dotted.MatchString(digits):
		digits = strings.ReplaceAll(strings.ReplaceAll(digits, ".", ""), ",", ".")
	case decimals.MatchString(digits):
		digits = strings.ReplaceAll(digits, ",", ".")
	}
	if number, err := strconv.ParseFloat(digits, 64); err == nil {
		return strconv.FormatFloat(number, 'f', -1, 64), ""
	}
	return "", "it is not one number"
}

// licenseAddress matches the address of a licence that ends with its identifier.
var licenseAddress = regexp.MustCompile(
	`^https?://(?:www\.)?(?:spdx\.org/licenses|opensource\.org/licenses?|choosealicense\.com/licenses)/([^/]+?)(?:\.html|\.json)?/?$`)

// license returns the SPDX expression that a text or the address of a licence means. wrong says why it means none,
// or is "". Finding the names that are meant takes long, and sources have few licences.
func (c *converter) license(text string) (expression, wrong string) {
	if m := licenseAddress.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	known, ok := c.licenses[text]
	if !ok {
		if c.licenses == nil {
			c.licenses = map[string][2]string{}
		}
		known[0], known[1] = content.LicenseNamed(text)
		c.licenses[text] = known
	}
	return known[0], known[1]
}

// readYesNo reads a yes or no.
func readYesNo(text string) (string, string) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "yes", "y", "true", "t", "1", "x", "✓", "✔", "✔️", "✅", "on", "ja", "oui", "sí", "si":
		return "true", ""
	case "no", "n", "false", "f", "0", "-", "–", "—", "✗", "✘", "❌", "off", "nein", "non":
		return "false", ""
	}
	return "", "it is neither yes nor no"
}

// codeHosts are the hosts whose addresses of the form host/owner/name are repositories.
var codeHosts = []string{"github.com", "gitlab.com", "codeberg.org", "bitbucket.org", "git.sr.ht", "gitea.com",
	"salsa.debian.org", "gitlab.freedesktop.org", "gitlab.gnome.org", "invent.kde.org", "framagit.org",
	"git.savannah.gnu.org"}

// repository returns an address if it leads to a repository.
func repository(text string) []string {
	u, err := url.Parse(strings.TrimSuffix(strings.TrimSpace(text), ".git"))
	if err != nil {
		return nil
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if !slices.Contains(codeHosts, host) || len(parts) < 2 || parts[1] == "" || host == "github.com" &&
		slices.Contains([]string{"orgs", "sponsors", "topics", "apps", "marketplace"}, parts[0]) {
		return nil
	}
	return []string{u.String()}
}

// split makes several values of one.
func split(_ *converter, text, separator string) (parts []string, _ string) {
	list := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;\n", r) })
	switch separator {
	case "":
	case "space":
		list = strings.Fields(text)
	default:
		list = strings.Split(text, separator)
	}
	for _, part := range list {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return parts, ""
}

// words makes words of a slug.
func words(text string) string {
	text = strings.TrimSpace(strings.NewReplacer("-", " ", "_", " ").Replace(text))
	if first, rest, _ := strings.Cut(text, " "); first == strings.ToLower(first) && first != "" {
		r := []rune(first)
		text = strings.TrimSpace(string(unicode.ToUpper(r[0])) + string(r[1:]) + " " + rest)
	}
	return text
}

// abbreviations end with a full stop, but no sentence.
var abbreviations = strings.Fields("e.g. i.e. etc. vs. incl. approx. inc. ltd. dr. mr. st. no.")

// firstSentence returns the first sentence of a text, on one line.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if r == '。' {
			return text[:end]
		}
		if !strings.ContainsRune(".!?…", r) {
			continue
		}
		for _, quote := range text[end:] {
			if !strings.ContainsRune(")\"'”’]", quote) {
				break
			}
			end += utf8.RuneLen(quote)
		}
		next, found := strings.CutPrefix(text[end:], " ")
		first, _ := utf8.DecodeRuneInString(next)
		last := text[strings.LastIndexByte(text[:i], ' ')+1 : i+1]
		initial := r == '.' && utf8.RuneCountInString(last) == 2
		if found && !unicode.IsLower(first) && !initial && !slices.Contains(abbreviations, strings.ToLower(last)) {
			return text[:end]
		}
	}
	return text
}

var (
	markdownImage = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	markdownLink  = regexp.MustCompile(`\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])`)
	anyTag        = regexp.MustCompile(`</?[a-zA-Z][^<>]*>|<!--[\s\S]*?-->`)
	marks         = regexp.MustCompile("(\\*\\*|__|~~|`+)([^*_~`]+)(\\*\\*|__|~~|`+)")
	startMarks    = regexp.MustCompile(`(?m)^\s{0,3}(#{1,6}|[-*+>]|\d+\.)\s+`)
)

// plainText returns the text that people see of Markdown or HTML, on one line.
func plainText(text string) string {
	text = markdownLink.ReplaceAllString(markdownImage.ReplaceAllString(text, "$1"), "$1")
	text = marks.ReplaceAllString(startMarks.ReplaceAllString(anyTag.ReplaceAllString(text, " "), ""), "$2")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}
