package importer

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/content"
	"go.yaml.in/yaml/v4"
	"golang.org/x/text/currency"
)

// Guess returns a first map for a source, and the reasons for what it says, a line each.
func Guess(ctx context.Context, source string, o content.Options) (text []byte, reasons []string, err error) {
	loaded, _, err := content.Load(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	m, report := &Map{}, &Report{}
	nothing := func(int, int) {}
	entries, err := read(ctx, source, m, report, nothing)
	if err != nil {
		return nil, nil, err
	}
	g := &guesser{content: loaded, isField: map[string]bool{}, used: map[string]bool{}, settings: o}
	if list, n := longestList(entries); list != "" {
		g.add("entries", scalar(list), fmt.Sprintf("the longest list, with %d entries", n))
		steps, _ := parsePath(list) // it is made of steps
		m.Entries, m.entries = []string{list}, []path{steps}
		if entries, err = read(ctx, source, m, &Report{}, nothing); err != nil {
			return nil, nil, err
		}
	}
	if len(entries) == 0 {
		return nil, report.Lines(false), fmt.Errorf("source %s has no entries from which a map can be guessed", source)
	}
	g.measure(entries)
	g.fields()
	g.facts()
	root := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: g.pairs,
		HeadComment: fmt.Sprintf("A first map, guessed from %s. Read it, and change what is wrong.",
			api.Count(len(entries), "row"))}
	text, err = yaml.Dump(root, yaml.WithIndent(2), yaml.WithLineWidth(-1), yaml.WithQuotePreference(yaml.QuoteDouble))
	return text, append(report.Lines(false), g.reasons...), err
}

// longestList returns the path of the most entries in a source of one document, and their number.
func longestList(entries []*entry) (path string, most int) {
	if len(entries) != 1 {
		return "", 0
	}
	counts := map[string]int{}
	var walk func(n *yaml.Node, path string, depth int)
	walk = func(n *yaml.Node, path string, depth int) {
		if n = resolve(n); depth > 6 || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			at := strings.TrimPrefix(path+"."+quotedStep(n.Content[i].Value), ".")
			inner := resolve(n.Content[i+1])
			groups := spread(inner)
			if inner.Kind == yaml.MappingNode {
				walk(inner, at, depth+1)
				groups = nil
				for j := 1; j < len(inner.Content); j += 2 {
					groups = append(groups, inner.Content[j])
				}
			}
			if slices.ContainsFunc(groups, func(n *yaml.Node) bool { return resolve(n).Kind != yaml.MappingNode }) {
				continue
			}
			counts[at+"[]"] += len(groups)
			for _, group := range groups {
				walk(group, at+"[]", depth+1)
			}
		}
	}
	walk(entries[0].node, "", 0)
	for p, n := range counts {
		if n > most || n == most && p < path {
			path, most = p, n
		}
	}
	if most < 2 {
		return "", 0
	}
	return path, most
}

// quotedStep returns a key as a step of a path.
func quotedStep(key string) string {
	if strings.ContainsAny(key, `.["`) || strings.HasPrefix(key, "@") {
		return `"` + key + `"`
	}
	return key
}

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// column is what a path has in the entries.
type column struct {
	path   string
	name   string   // the last key, in lower-case letters and digits
	label  string   // as the source writes it
	texts  []string // all values
	filled int      // entries with a value
	list   bool     // whether an entry has several values
}

// share returns which part of the values satisfies is.
func (c *column) share(is func(string) bool) float64 {
	n := 0
	for _, text := range c.texts {
		if is(text) {
			n++
		}
	}
	return float64(n) / float64(max(len(c.texts), 1))
}

// distinct returns the different values, in the order of the source.
func (c *column) distinct() (list []string) {
	seen := map[string]bool{}
	for _, text := range c.texts {
		if !seen[text] {
			seen[text], list = true, append(list, text)
		}
	}
	return list
}

// example returns the first value, shortened, on one line.
func (c *column) example() string {
	return api.Shorten(strings.Join(strings.Fields(c.texts[0]), " "), 60)
}

// length returns the mean length of the values.
func (c *column) length() int {
	n := 0
	for _, text := range c.texts {
		n += utf8.RuneCountInString(text)
	}
	return n / max(len(c.texts), 1)
}

// isGroup reports whether the values divide the entries into a few groups.
func (c *column) isGroup() bool {
	n := len(c.distinct())
	return n > 1 && n <= 4*maxChoice && 3*n <= c.filled && c.length() <= 40 && !c.list && !numeric(c) && !yesNo(c) &&
		!days(c)
}

// guesser guesses a map.
type guesser struct {
	content  *content.Content
	settings content.Options
	columns  []*column
	entries  int
	// isField has the paths that are a field, and used those that cannot be another one.
	isField, used map[string]bool
	pairs         []*yaml.Node // of the map
	reasons       []string
}

// add adds a key to the map, with the reason for it.
func (g *guesser) add(key string, value *yaml.Node, reason string) {
	g.pairs = append(g.pairs, scalar(key), value)
	g.reasons = append(g.reasons, key+": "+reason)
}

// measure collects the columns of the entries.
func (g *guesser) measure(entries []*entry) {
	byPath := map[string]*column{}
	markdown := false // whether the entry is one of a list or a table, with keys besides what readers see
	var add func(path, label string, n *yaml.Node, depth int, seen map[string]int)
	add = func(path, label string, n *yaml.Node, depth int, seen map[string]int) {
		for _, n := range spread(n) {
			n = resolve(n)
			if n.Kind == yaml.MappingNode && depth < 3 {
				for i := 0; i+1 < len(n.Content); i += 2 {
					if key := n.Content[i].Value; key == "text" && path != "" {
						add(path, label, n.Content[i+1], depth+1, seen)
					} else if !markdown || !slices.Contains([]string{"text", "links", "codes"}, key) {
						inner := quotedStep(key)
						if path == "" {
							inner = key
						}
						add(strings.TrimPrefix(path+"."+inner, "."), key, n.Content[i+1], depth+1, seen)
					}
				}
			}
			text := strings.TrimSpace(textOf(n))
			if n.Kind == yaml.MappingNode || text == "" {
				continue
			}
			c := byPath[path]
			if c == nil {
				c = &column{path: path, label: label, name: letters(label)}
				byPath[path] = c
				g.columns = append(g.columns, c)
			}
			if seen[path]++; seen[path] == 1 {
				c.filled++
			} else {
				c.list = true
			}
			c.texts = append(c.texts, text)
		}
	}
	for _, e := range entries {
		seen := map[string]int{}
		markdown = formatOf(e.file) == "markdown" && e.extra["body"] == nil
		add("", "", e.node, 0, seen)
		for _, name := range []string{"body", "file", "folder", "section", "key"} {
			if n := e.extra[name]; n != nil {
				add("@"+name, name, n, 1, seen)
			}
		}
	}
	g.entries = len(entries)
}

// letters returns the letters and digits of a text in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// guess is a field with the names of columns that are probably its values.
type guess struct {
	field, with string
	names       string // in the form of letters, separated by spaces
	is          func(c *column) bool
}

func isAddress(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// separated reports whether a text may be several values.
func separated(text string) bool { return strings.ContainsAny(text, ",;") }

func addresses(c *column) bool { return c.share(isAddress) > 0.5 }

func texts(c *column) bool { return !addresses(c) }

var guesses = []guess{
	{field: "name", is: func(c *column) bool { return texts(c) && !c.list && c.length() <= maxNameLength },
		names: "name title instrument tool product project software package label fullname model id key file"},
	{field: "purpose", with: "plain",
		names: "purpose summary description desc shortdescription tagline abstract about details overview",
		is:    func(c *column) bool { return texts(c) && c.length() > 8 }},
	{field: "category", names: "category categories type group section kind class family genre folder tags",
		is: func(c *column) bool {
			return texts(c) && !numeric(c) && len(c.distinct()) > 1 && len(c.distinct()) < max(c.filled, 3)
		}},
	{field: "topics", names: "tags keywords topics labels",
		is: func(c *column) bool { return c.list || c.share(separated) > 0.2 }},
	{field: "license", names: "license licence licenses licences spdx licensename", is: func(c *column) bool {
		licenses := &converter{}
		return c.share(func(s string) bool { _, wrong := licenses.license(s); return wrong == "" }) > 0.4
	}},
	{field: "repositoryUrl", with: "repository",
		names: "repository repo repositoryurl repourl sourcecodeurl sourcecode source github gitrepository " +
			"coderepository repositorycode url link",
		is: func(c *column) bool {
			return c.share(func(s string) bool { return len(repository(s)) > 0 }) > 0.3
		}},
	{field: "homepageUrl", is: addresses,
		names: "homepage homepageurl website websiteurl url link site web home page permalink"},
	{field: "docsUrl", names: "docs documentation docsurl documentationurl manual", is: addresses},
	{field: "language", names: "language programminglanguage lang",
		is: func(c *column) bool { return texts(c) && !c.list }},
	{field: "platforms", names: "platforms platform os operatingsystems", is: texts},
	{field: "stars", with: "number", names: "stars stargazerscount githubstars stargazers", is: numeric},
	{field: "archived", names: "archived", is: yesNo},
	{field: "createdAt", with: "date", names: "createdat created datecreated", is: days},
	{field: "updatedAt", with: "date", names: "updatedat updated lastupdated modified datemodified lastmod", is: days},
	{field: "body", names: "body content longdescription readme text notes",
		is: func(c *column) bool { return c.length() > 60 }},
}

func numeric(c *column) bool {
	return c.share(func(s string) bool { _, wrong := readNumber(s); return wrong == "" }) > 0.9
}

func yesNo(c *column) bool {
	return c.share(func(s string) bool { _, wrong := readYesNo(s); return wrong == "" }) > 0.95
}

func days(c *column) bool {
	return c.share(func(s string) bool { _, wrong := readDate(s); return wrong == "" }) > 0.8
}

// fields guesses the fields.
func (g *guesser) fields() {
	fields := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, guess := range guesses {
		first := guess.field
		if !g.content.FrontMatter.Has(first) && first != "body" {
			continue
		}
		c, because := g.columnFor(&guess)
		field := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if c == nil && guess.field == "category" {
			addPair(field, "value", scalar("All"))
			because = "no column has few values: all listings are in one category"
		} else if c == nil {
			continue
		} else {
			addPair(field, "from", scalar(c.path))
			g.isField[c.path] = true
			g.used[c.path] = g.used[c.path] || !strings.HasSuffix(guess.field, "Url") // one address may be both
			with := guess.with
			if slices.Contains([]string{"topics", "platforms", "category"}, guess.field) && !c.list &&
				c.share(separated) > 0.2 {
				with = "split"
			}
			if with != "" {
				addPair(field, "with", scalar(with))
			}
		}
		field.HeadComment = because
		addPair(fields, guess.field, field)
		g.reasons = append(g.reasons, guess.field+": "+because)
	}
	g.pairs = append(g.pairs, scalar("fields"), fields)
}

// columnFor returns the column of a field and why it is.
func (g *guesser) columnFor(guess *guess) (*column, string) {
	var best *column
	for name := range strings.FieldsSeq(guess.names) {
		for _, c := range g.columns {
			// Every listing needs a name, so the column that most entries have is best.
			if c.name == name && !g.used[c.path] && guess.is(c) &&
				(best == nil || guess.field == "name" && c.filled > best.filled && !strings.HasPrefix(c.path, "@")) {
				best = c
			}
		}
	}
	if best != nil {
		return best, fmt.Sprintf("the name of %q; %d of %d entries have it, such as %q", best.path, best.filled,
			g.entries, best.example())
	}
	why := ""
	for _, c := range g.columns {
		switch {
		case g.used[c.path] || !texts(c) || strings.HasPrefix(c.path, "@"):
		case guess.field == "name" && best == nil && c.filled == g.entries && c.length() <= maxNameLength &&
			len(c.distinct())*10 > c.filled*9:
			best, why = c, "the first column whose values are different"
		case guess.field == "category" && best == nil && c.isGroup():
			best, why = c, fmt.Sprintf("a column with %d values", len(c.distinct()))
		case guess.field == "purpose" && c.length() > 20 && c.filled*2 > g.entries && (best == nil ||
			c.length() > best.length()):
			best, why = c, "the column with the longest texts"
		}
	}
	if best == nil && guess.field == "purpose" {
		for _, c := range g.columns {
			if g.used[c.path] {
				best, why = c, "no column has a description: the name is taken until you write one"
				break
			}
		}
	}
	if best == nil {
		return nil, ""
	}
	return best, fmt.Sprintf("%s: %q, such as %q", why, best.path, best.example())
}

var camel = regexp.MustCompile(`[^a-zA-Z0-9]+`)

// maxChoice is the number of values up to which a column is a choice.
const maxChoice = 12

// facts guesses facts for the columns that are no field.
func (g *guesser) facts() {
	defined := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	fields := g.pairs[len(g.pairs)-1]
	taken := map[string]bool{}
	for _, c := range g.columns {
		if g.isField[c.path] || strings.HasPrefix(c.path, "@") || len(g.content.Taxonomy.Facts)+len(defined.Content) >=
			api.MaxFacts || c.length() > 150 || strings.HasSuffix(c.path, ".url") {
			continue
		}
		if distinct := c.distinct(); len(distinct) == 1 && c.filled > 1 {
			g.reasons = append(g.reasons, fmt.Sprintf("not taken: %q is always %q", c.path, c.example()))
			continue
		}
		key := factKey(c)
		if !g.content.FrontMatter.IsFreeKey(key) || taken[key] {
			key += "Value"
		}
		if !g.content.FrontMatter.IsFreeKey(key) || taken[key] {
			continue
		}
		taken[key] = true
		kind, with, unit, why := c.kind()
		field := mapping("from", c.path)
		if with != "" {
			addPair(field, "with", scalar(with))
		}
		why = fmt.Sprintf("%d of %d entries have it, such as %q: %s", c.filled, g.entries, c.example(), why)
		field.HeadComment = why
		addPair(fields, "fitNotes."+key, field)
		f := mapping("key", key, "kind", string(kind), "label", api.Shorten(words(c.label), maxNameLength-1), "meaning",
			api.Shorten(words(c.label), maxNameLength-1)+", as the list gives it.")
		switch {
		case kind == api.FactMoney:
			addPair(f, "currency", scalar(unit))
		case unit != "":
			addPair(f, "unit", scalar(unit))
		}
		if filter := filterFor(kind, key); filter != nil {
			addPair(f, "filter", filter)
		}
		defined.Content = append(defined.Content, f)
		g.reasons = append(g.reasons, fmt.Sprintf("fact %s, %s: %s", key, kind, why))
	}
	if len(defined.Content) > 0 {
		g.pairs = append(g.pairs, scalar("facts"), defined)
	}
}

// factKey returns the label of a column in camel case.
func factKey(c *column) string {
	parts := strings.Fields(camel.ReplaceAllString(c.label, " "))
	for i, part := range parts {
		if i == 0 {
			parts[i] = strings.ToLower(part[:1]) + part[1:]
			if part == strings.ToUpper(part) {
				parts[i] = strings.ToLower(part)
			}
		} else {
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	key := strings.TrimLeft(strings.Join(parts, ""), "0123456789")
	if key == "" {
		return ""
	}
	return strings.ToLower(key[:1]) + key[1:min(len(key), 32)]
}

// kind guesses the kind of a fact, the function that reads it, its unit, and says why.
func (c *column) kind() (kind api.FactKind, with, unit, why string) {
	distinct := c.distinct()
	parts := map[string]bool{}
	for _, text := range distinct {
		list, _ := split(nil, text, "")
		for _, part := range list {
			parts[part] = true
		}
	}
	short := c.share(func(s string) bool { return utf8.RuneCountInString(s) <= 40 }) == 1
	switch {
	case yesNo(c):
		return api.FactYesNo, "yes-no", "", "all values are yes or no"
	case days(c) && !c.list:
		return api.FactDate, "date", "", "all values are days"
	case numeric(c) && !c.list && currencyOf(c.unit()) != "":
		return api.FactMoney, "number", currencyOf(c.unit()), "all values are amounts of money"
	case numeric(c) && !c.list:
		return api.FactNumber, "number", c.unit(), "all values are numbers"
	case c.list && short && len(distinct) <= 4*maxChoice:
		return api.FactChoices, "", "", fmt.Sprintf("entries have several of %d values", len(distinct))
	case !c.list && short && len(parts) <= 2*maxChoice && c.share(separated) > 0.1:
		return api.FactChoices, "split", "", fmt.Sprintf("entries have several of %d values", len(parts))
	case !c.list && short && len(distinct) <= maxChoice && c.filled >= 2*len(distinct):
		return api.FactChoice, "", "", fmt.Sprintf("it has only %d values", len(distinct))
	case c.list:
		return api.FactTexts, "", "", "entries have several values"
	}
	return api.FactText, "", "", "it has many values"
}

// unitInLabel matches a unit in the name of a column: Length (cm).
var unitInLabel = regexp.MustCompile(`[(\[]([^()\[\]]{1,12})[)\]]\s*$`)

// unit returns the unit of numbers, or "".
func (c *column) unit() string {
	if m := unitInLabel.FindStringSubmatch(c.label); m != nil {
		return m[1]
	}
	if m := numberText.FindStringSubmatch(c.texts[0]); m != nil {
		return strings.TrimSpace(m[2])
	}
	return ""
}

// currencyOf returns the currency (ISO 4217) that a unit names, or "".
func currencyOf(unit string) string {
	if code := map[string]string{"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}[unit]; code != "" {
		return code
	}
	if c, err := currency.ParseISO(unit); err == nil && unit == strings.ToUpper(unit) {
		return c.String()
	}
	return ""
}

// filterFor returns a filter for a fact, or nil.
func filterFor(kind api.FactKind, key string) *yaml.Node {
	capital := strings.ToUpper(key[:1]) + key[1:]
	switch kind {
	case api.FactNumber, api.FactMoney:
		return mapping("parameter", "max"+capital, "match", api.MatchAtMost)
	case api.FactDate:
		return mapping("parameter", "after"+capital, "match", api.MatchAfter)
	case api.FactYesNo, api.FactChoice, api.FactChoices:
		return mapping("parameter", key)
	}
	return nil
}
