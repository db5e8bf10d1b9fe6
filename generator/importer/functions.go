package importer

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/content"
	"catalog.example/generator/notation"
	"go.yaml.in/yaml/v4"
	"golang.org/x/net/idna"
)

// value is a text of a source with its place.
type value struct {
	text    string
	node    *yaml.Node
	done    bool             // the map says what to write
	decimal notation.Decimal // how numbers of its column are written
	inCents bool             // whether it is an amount of cents
	// parts has the texts of the parts of a fact, if the source gives them one by one.
	parts map[string]string
}

// function turns values of a source into others. The page for owners says what each does.
type function struct {
	name string
	// argument has what may stand behind the name: nothing, words between | or, for …, any text.
	argument string
	// each turns one value into any number; wrong says why it cannot. all turns all values of a field into others.
	each each
	all  func(c *converter, values []value) []value
}

// functions are what a map can apply to values.
var functions = []function{
	{"after", "…", cuts(func(text string, _, end int) string { return text[end:] }), nil},
	{"all-of", "", nil, join(" AND ")},
	{"any-of", "", nil, join(" OR ")},
	{"before", "…", cuts(func(text string, start, _ int) string { return text[:start] }), nil},
	{"brackets", "|first|last", brackets, nil},
	{"cents", "", divided(100), nil},
	{"date", "|dmy|mdy", one(func(_ *converter, v value, _ string) (string, string) {
		return notation.Date(v.text)
	}), nil},
	{"emoji", "", func(_ *converter, v value, _ string) ([]string, string) {
		return emoji.FindAllString(v.text, -1), ""
	}, nil},
	{"first-sentence", "", changes(notation.FirstSentence), nil},
	{"https", "", changes(func(text string) string { return plainHTTP.ReplaceAllString(text, "https://") }), nil},
	{"license", "", one(func(c *converter, v value, _ string) (string, string) { return c.license(v.text) }), nil},
	{"lower", "", changes(strings.ToLower), nil},
	{"no-emoji", "", changes(withoutEmoji), nil},
	{"number", "|,|.", divided(1), nil},
	{"plain", "", changes(commonmark.Line), nil},
	{"prefix", "…", one(func(_ *converter, v value, start string) (string, string) { return start + v.text, "" }), nil},
	{"repository", "", changes(repository), nil},
	{"slug", "", one(func(c *converter, v value, _ string) (string, string) {
		return content.Slug(v.text, c.Content.Settings.Lang), ""
	}), nil},
	{"split", "|…", func(_ *converter, v value, at string) ([]string, string) { return split(v.text, at), "" }, nil},
	{"words", "", changes(words), nil},
	{"yes-no", "", one(func(c *converter, v value, _ string) (string, string) { return c.yesNo(v.text) }), nil},
}

var plainHTTP = regexp.MustCompile(`^http://`)

type each = func(c *converter, v value, argument string) (texts []string, wrong string)

// one returns a function of one that makes one text.
func one(read func(c *converter, v value, argument string) (string, string)) each {
	return func(c *converter, v value, argument string) ([]string, string) {
		result, wrong := read(c, v, argument)
		return []string{result}, wrong
	}
}

// changes returns a function of one that cannot fail.
func changes(change func(string) string) each {
	return one(func(_ *converter, v value, _ string) (string, string) { return change(v.text), "" })
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
			switch {
			case wrong != "":
				id = v.text
			case strings.Contains(id, " "):
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
	*function
	argument string
}

// SetShort implements strictyaml.Shorthand.
func (c *call) SetShort(scalar any) (remedy string) {
	name, argument, _ := strings.Cut(fmt.Sprint(scalar), " ")
	var names []string
	for i := range functions {
		if names = append(names, functions[i].name); functions[i].name == name {
			*c = call{&functions[i], argument}
		}
	}
	if c.function == nil {
		return "write one of " + strings.Join(names, ", ") + spelling.Hint(name, names)
	}
	allowed := strings.Split(c.function.argument, "|")
	switch {
	case slices.Contains(allowed, argument), argument != "" && slices.Contains(allowed, "…"):
		return ""
	case c.function.argument == "":
		return name + " has no argument: write it alone"
	}
	return "write " + strings.ReplaceAll(name+" "+strings.Join(allowed, " or "+name+" "), "  ", " ")
}

// apply applies a function to the values of a field. It tells of those that it cannot read. What the map says of values
// holds for what the function makes, too.
func (c *converter) apply(e *entry, t *target, f call, values []value) (result []value) {
	if f.all != nil {
		return f.all(c, values)
	}
	for _, v := range values {
		if v.done {
			result = append(result, v)
			continue
		}
		texts, wrong := f.each(c, v, f.argument)
		if wrong != "" {
			e.leaveOut(t.key, v, wrong)
			continue
		}
		for _, text := range texts {
			part := t.replaced(value{text: text, node: v.node, decimal: v.decimal})
			if part.text != "" {
				result = append(result, part)
			}
		}
	}
	return result
}

// isDated reports whether values of a field are read as days, months or years.
func (t *target) isDated() bool {
	return t.kind == reflect.TypeFor[api.Date]() || t.fact != nil && t.fact.Kind.IsDated() ||
		slices.ContainsFunc(t.With, func(f call) bool { return f.name == "date" })
}

// readDateValue reads a date as listings have it: a year alone is a number.
func readDateValue(text string) (value any, wrong string) {
	when, wrong := notation.Date(text)
	if year, err := strconv.Atoi(when); err == nil {
		return year, wrong
	}
	return when, wrong
}

// licenseAddress matches the address of a licence that ends with its identifier.
var licenseAddress = regexp.MustCompile(`^https?://(?:www\.)?` +
	`(?:spdx\.org/licenses|opensource\.org/licenses?|choosealicense\.com/licenses)/([^/]+?)(?:\.html|\.json)?/?$`)

// license returns the SPDX expression that a text or the address of a licence means. wrong says why it means none,
// or is "". Finding the names that are meant takes long, and sources have few licences.
func (c *converter) license(text string) (expression, wrong string) {
	if m := licenseAddress.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	known, ok := c.licenses[text]
	if !ok {
		known[0], known[1] = content.LicenseNamed(text)
		c.licenses[text] = known
	}
	return known[0], known[1]
}

// yesNo reads a yes or no in the language of the catalogue.
func (c *converter) yesNo(text string) (yesNo, wrong string) {
	return notation.YesNo(oui(text, c.Content.Settings.Lang))
}

// oui returns a text in which the O of French tables is written out. Other languages have no such word.
func oui(text, lang string) string {
	if lang, _, _ := strings.Cut(lang, "-"); lang == "fr" && strings.EqualFold(text, "o") {
		return "oui"
	}
	return text
}

// bareHost matches the host at the beginning of an address without a scheme: www.x.example, x.example/page.
var bareHost = regexp.MustCompile(`^(?:[\pL\pN](?:[\pL\pN-]*[\pL\pN])?\.)+\pL[\pL\pN-]*[\pL\pN](?::[0-9]+)?(?:[/?#]|$)`)

// fileName matches the name of a file, which is no host although it looks like one.
var fileName = regexp.MustCompile(`(?i)^[^/?#]+\.(csv|gif|html?|jpe?g|json|md|pdf|php|png|svg|txt|webp|xml|zip)$`)

// notASCII matches what must be encoded in addresses.
var notASCII = regexp.MustCompile(`[^\x00-\x7f]+`)

// address returns the web address for which a text stands. One that begins with a slash is completed with the base of
// the map. An address without a scheme gets https://, a host with other
// letters than ASCII becomes Punycode, and other such letters are percent-encoded.
func (c *converter) address(e *entry, key string, v value) (address, wrong string) {
	address = v.text
	isBelow := strings.HasPrefix(address, "/")
	if base, err := url.Parse(c.Map.Base); isBelow && err == nil && base.IsAbs() {
		if u, err := base.Parse(address); err == nil {
			address = u.String()
		}
	}
	isPackage := strings.HasPrefix(key, "installLinks.") // ghcr.io/example/image is the name of one
	isOther := fileName.MatchString(address) || strings.Contains(address, "@")
	if bareHost.MatchString(address) && !isPackage && !isOther {
		address = "https://" + address
		e.tellOnce("https", Changed, v.node, "%s %q and the like have no scheme: they begin with https:// now, {n} "+
			"times in all", key, v.text)
	}
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" && notASCII.MatchString(address) {
		if host, err := idna.Lookup.ToASCII(u.Hostname()); err == nil {
			if u.Port() != "" {
				host += ":" + u.Port()
			}
			u.Host = host
		}
		if !strings.Contains(u.Host, "%") && !notASCII.MatchString(u.Host) {
			u.RawQuery = notASCII.ReplaceAllStringFunc(u.RawQuery, url.QueryEscape)
			address = u.String()
			e.tellOnce("ascii", Changed, v.node, "%s %q and the like have letters that addresses must not have: "+
				"they are encoded now, {n} times in all", key, v.text)
		}
	}
	switch wrong, _ = content.CheckAddress(address); {
	case strings.HasPrefix(address, "http://"):
		return "", "it does not begin with https://: if the sites of your list have it, write with: https into the map"
	case wrong != "" && isBelow && c.Map.Base == "":
		return "", "it " + wrong + ": write base: and the address of the site of your list into the map"
	case wrong != "":
		return "", "it " + wrong
	}
	return address, ""
}

// codeHosts are the hosts whose addresses of the form host/owner/name are repositories.
var codeHosts = []string{"github.com", "gitlab.com", "codeberg.org", "bitbucket.org", "git.sr.ht", "gitea.com",
	"salsa.debian.org", "gitlab.freedesktop.org", "gitlab.gnome.org", "invent.kde.org", "framagit.org",
	"git.savannah.gnu.org"}

// repository returns an address if it leads to a repository, or else "".
func repository(text string) string {
	text = strings.TrimSuffix(strings.TrimSpace(text), ".git")
	if bareHost.MatchString(text) {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if !slices.Contains(codeHosts, host) || len(parts) < 2 || parts[1] == "" || host == "github.com" &&
		slices.Contains([]string{"orgs", "sponsors", "topics", "apps", "marketplace"}, parts[0]) {
		return ""
	}
	return u.String()
}

// split makes several values of one. The argument is what separates them, or space; by default, it is a comma, a
// semicolon or a line break.
func split(text, separator string) (parts []string) {
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
	return parts
}

const (
	pictures  = `[\x{2300}-\x{27bf}\x{2b00}-\x{2bff}\x{1f000}-\x{1faff}\x{fe0f}\x{200d}]+`
	emojiCode = `:[a-z][a-z0-9_+-]*:`
)

var (
	// emoji matches emoji, also several that stand together, and their codes.
	emoji = regexp.MustCompile(pictures + `|` + emojiCode)
	// apart matches emoji in a text: the codes of words such as std::path::Path are none.
	apart = regexp.MustCompile(pictures + `|(^|[^\pL\pN:])(?:` + emojiCode + `)+`)
	// apartStop matches a full stop or a comma behind what has been dropped.
	apartStop = regexp.MustCompile(` ([.,])( |$)`)
)

// withoutEmoji drops the emoji of a text.
func withoutEmoji(text string) string {
	without := strings.Join(strings.Fields(apart.ReplaceAllString(text, "$1 ")), " ")
	return apartStop.ReplaceAllString(without, "$1$2")
}

// cuts returns a function that takes a part of a text. take gets where the first of some words and signs begins and
// ends, or the length of the text. Spaces must stand around words and signs, but not before , : or ;, nor around
// brackets.
func cuts(take func(text string, start, end int) string) each {
	return one(func(_ *converter, v value, marks string) (string, string) {
		start, end := len(v.text), len(v.text)
		for mark := range strings.FieldsSeq(marks) {
			before, behind := `(?:^|\s)`, `(?:\s|$)`
			if strings.ContainsAny(mark, ",:;()[]") {
				before = ""
			}
			if strings.ContainsAny(mark, "()[]") {
				behind = ""
			}
			m := regexp.MustCompile(before + regexp.QuoteMeta(mark) + behind).FindStringIndex(v.text)
			if m != nil && m[0] < start {
				start, end = m[0], m[1]
			}
		}
		return strings.TrimSpace(take(v.text, start, end)), ""
	})
}

// bracketed matches a text in brackets.
var bracketed = regexp.MustCompile(`\(([^()]*)\)|\[([^\[\]]*)\]`)

// brackets returns the text in the first or the last brackets.
func brackets(_ *converter, v value, which string) (texts []string, _ string) {
	for _, m := range bracketed.FindAllStringSubmatch(v.text, -1) {
		texts = append(texts, strings.TrimSpace(m[1]+m[2]))
	}
	if which == "last" {
		slices.Reverse(texts)
	}
	return texts[:min(len(texts), 1)], ""
}

// words makes words of a slug.
func words(text string) string {
	text = strings.TrimSpace(strings.NewReplacer("-", " ", "_", " ").Replace(text))
	first, _, _ := strings.Cut(text, " ")
	if r, size := utf8.DecodeRuneInString(text); text != "" && first == strings.ToLower(first) {
		return string(unicode.ToUpper(r)) + text[size:]
	}
	return text
}
