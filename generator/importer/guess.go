package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/notation"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
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
	g := &guesser{content: loaded, lang: o.Settings.Lang, byPath: map[string]*column{}, of: map[string]*column{}}
	list, n := longestList(entries)
	merged := mergedColumn(entries)
	switch {
	case list != "":
		g.because("entries: the longest list, with %d entries", n)
		m.Entries = []path{mustPath(list)}
	case merged != "":
		g.because("merged: most cells of %q are empty, and get the value above them", merged)
		m.Merged = []path{mustPath(merged)}
	}
	if list+merged != "" {
		if entries, err = read(ctx, source, m, &Report{}, nothing); err != nil {
			return nil, nil, err
		}
	}
	if len(entries) == 0 { // the report says why
		return nil, report.Lines(false), errors.New("no map is written")
	}
	isDocument := slices.Contains([]string{"json", "yaml"}, formatOf(entries[0].file))
	if isDocument && len(entries) == 1 && len(m.Entries) == 0 {
		g.because("the source has no list: the whole of it counts as one entry")
	}
	entries = g.skipOthers(g.skipLast(entries))
	g.measure(entries)
	g.guessFields()
	g.joinPairs()
	g.findRelations()
	g.completePurpose()
	g.guessFacts()
	g.sortFacts()
	root, fields := yamlnode.Mapping(nil, "key", g.key, "entries", list, "merged", merged), yamlnode.Mapping(nil)
	for _, f := range g.fields {
		field := yamlnode.Mapping(nil, "from", listOf(f.from), "join", listOf(f.join), "by", f.by, "with",
			listOf(f.with), "value", f.value)
		field.HeadComment = f.why
		yamlnode.Add(fields, f.key, field)
	}
	yamlnode.Add(root, "skip", yamlnode.List(g.skip...), "fields", fields, "facts", yamlnode.List(g.facts...))
	root.HeadComment = fmt.Sprintf("A first map, guessed from %s. Read it, and change what is wrong.",
		api.Count(len(entries), "row"))
	text, err = yaml.Dump(root, yaml.WithIndent(2), yaml.WithLineWidth(-1), yaml.WithQuotePreference(yaml.QuoteDouble))
	return text, append(report.Lines(false), g.reasons...), err
}

// others has the entries that are none of the things of a source, by the texts of a path.
var others = []struct {
	from path
	is   *regexp.Regexp
	why  string
}{
	{mustPath("@section"), regexp.MustCompile(`(?i)^(contribut(ing|ors|ions?)|contents|footnotes|licen[cs]e|` +
		`related( lists| projects)?)$`), "what is below %s is about the list"},
	{mustPath("@path"), regexp.MustCompile(`(^|/)_index\.md$`), "%s is about a folder"},
	{mustPath("draft"), regexp.MustCompile(`^true$`), "what has draft: %s is not ready"},
}

// skipOthers makes the map skip the entries that are none of the things, and returns the things.
func (g *guesser) skipOthers(entries []*entry) []*entry {
	for _, other := range others {
		var texts []string
		things := slices.DeleteFunc(slices.Clone(entries), func(e *entry) bool {
			return slices.ContainsFunc(e.find(other.from), func(n *yaml.Node) bool {
				text := textOf(n)
				isOther := other.is.MatchString(text)
				if isOther && !slices.Contains(texts, text) {
					texts = append(texts, text)
				}
				return isOther
			})
		})
		if len(texts) > 0 && len(things) > 0 {
			entries = things
			g.skip = append(g.skip, yamlnode.Mapping(nil, "from", other.from.text, "is", listOf(texts)))
			g.because("skip: "+other.why, strings.Join(texts, ", "))
		}
	}
	return entries
}

// mergedColumn returns the first column of a table if its cells reach over several rows: few but the first are filled.
func mergedColumn(entries []*entry) string {
	if len(entries) == 0 || !strings.HasSuffix(formatOf(entries[0].file), "sv") {
		return ""
	}
	column := entries[0].node.Content[0].Value
	isEmpty := func(e *entry) bool { return textOf(yamlnode.Child(e.node, column)) == "" }
	filled := len(slices.DeleteFunc(slices.Clone(entries), isEmpty))
	if isEmpty(entries[0]) || filled < 2 || 3*filled > len(entries) {
		return ""
	}
	return quotedStep(column)
}

// maxListDepth is how deep a list may be that a map is guessed for.
const maxListDepth = 6

// longestList returns the path of the list of groups of keys that has the most keys in a source of one document, and
// its length: things have more keys than the pictures of each.
func longestList(entries []*entry) (path string, length int) {
	if len(entries) != 1 {
		return "", 0
	}
	counts, keys, most := map[string]int{}, map[string]int{}, 0
	count := func(s spot) bool {
		inner := valuesAt(s.value, []string{"[]"})
		if !slices.ContainsFunc(inner, func(n *yaml.Node) bool { return n.Kind != yaml.MappingNode }) {
			counts[s.path+"[]"] += len(inner)
			for _, n := range inner {
				keys[s.path+"[]"] += len(n.Content)
			}
		}
		return true
	}
	count(spot{value: entries[0].node})
	eachSpot(entries[0].node, "", maxListDepth, count)
	for p, n := range keys {
		if counts[p] > 1 && (n > most || n == most && p < path) {
			path, most = p, n
		}
	}
	return path, counts[path]
}

// column is what a path has in the entries.
type column struct {
	path     string
	parent   string // the path of the mapping in which it is; "" for the entry
	name     string // the last key, in lower-case letters and digits
	label    string // as the source writes it
	texts    []string
	at       []int    // the entry of each text
	distinct []string // the different texts, in the order of the source
	filled   int      // entries with a value
	names    int      // how many texts differ in more than capitals and accents
	length   int      // the mean length of texts

	list            bool // whether an entry has several values
	address         bool // whether most texts are addresses
	isField, isUsed bool // whether it is a field, and cannot be another one

	split    []string  // the functions that make several values of texts, if these may have them
	pair     *pair     // of the columns in whose place it is; nil if it is none of two
	parts    [2]string // the paths of these columns; "" if its own path has both
	with     []string  // the functions that take its texts out of what the path has
	relation string    // why it names other entries; "" if it does not
	repeats  string    // the path of the column whose values it has

	fact *yaml.Node // the definition of the fact that is made of it
	rank int        // the higher, the sooner lists can be sorted by it
}

// measure collects the columns of the entries.
func (g *guesser) measure(entries []*entry) {
	g.entries = len(entries)
	for i, e := range entries {
		seen := map[string]bool{}
		isMarkdown := formatOf(e.file) == "markdown" && e.beside["body"] == nil
		eachSpot(e.node, "", maxPathDepth, func(s spot) bool {
			if isMarkdown && slices.Contains([]string{"text", "links"}, s.key) { // besides what readers see
				return false
			}
			g.add(i, s, seen)
			return true
		})
		if c := g.byPath["codes"]; isMarkdown && c != nil { // they are parts of texts, or licences
			c.isField = true
		}
		for _, name := range []string{"body", "file", "folder", "section", "key", "struck"} {
			if n := e.beside[name]; n != nil {
				g.add(i, spot{path: "@" + name, key: name, value: n}, seen)
			}
		}
	}
	for _, c := range g.columns {
		seen, names := map[string]bool{}, map[string]bool{}
		for _, text := range c.texts {
			if c.length += utf8.RuneCountInString(text); !seen[text] {
				seen[text], names[content.NameKey(text)], c.distinct = true, true, append(c.distinct, text)
			}
		}
		c.names = len(names)
		c.length /= len(c.texts)
		c.address = c.share(addressText.MatchString) > 0.5
		if c.share(isSlashed) > 0.05 {
			c.split = append(c.split, "split /")
		}
		isBound := slices.ContainsFunc(c.texts, boundComma.MatchString)
		has := func(marks string) float64 {
			return c.share(func(s string) bool { return strings.ContainsAny(s, marks) })
		}
		if !isBound && (has(",;") > 0.2 || has(";") > 0.05 || c.split != nil && has(",") > 0) {
			c.split = append(c.split, "split")
		}
	}
}

func hasComma(text string) bool { return strings.Contains(text, ", ") }

func isSlashed(text string) bool { return strings.Contains(text, " / ") && !rate.MatchString(text) }

// rate matches a price for a time or an amount: 40 € / day.
var rate = regexp.MustCompile(`\p{Sc} *[0-9.,]* */`)

// boundComma matches a comma at which texts must not be split: of decimals or thousands (1,8 m), or within brackets.
var boundComma = regexp.MustCompile(`\b[0-9]+,[0-9]{1,3}(?:[^0-9]|$)|\([^()]*,[^()]*\)|\[[^\[\]]*,[^\[\]]*\]`)

// crowns has the currencies for which kr stands, by the language.
var crowns = map[string]string{"da": "DKK", "is": "ISK", "nb": "NOK", "nn": "NOK", "no": "NOK", "sv": "SEK"}

var crownSign = regexp.MustCompile(`\b[Kk]r\b`)

// add adds the texts of an entry to their column. seen has the paths of the texts of the entry before them.
func (g *guesser) add(entry int, s spot, seen map[string]bool) {
	for _, n := range yamlnode.Spread(s.value) {
		text := crownSign.ReplaceAllString(oui(strings.TrimSpace(textOf(n)), g.lang), cmp.Or(crowns[g.lang], "$0"))
		c := g.byPath[s.path]
		if isNothing(text) || c == nil && len(g.columns) == maxPaths {
			continue
		}
		if c == nil {
			name := strings.ReplaceAll(content.Slug(s.key, g.lang), "-", "")
			c = &column{path: s.path, parent: s.around, label: spaced(s.key), name: name}
			switch group := lastKey(c.parent); {
			case c.nameOfGroup() != "": // lecturers, for lecturers.name
				c.label = spaced(group)
			case group != "" && vague.MatchString(c.name):
				c.label = group + " " + c.label
			}
			g.byPath[s.path], g.columns = c, append(g.columns, c)
		}
		c.at = append(c.at, entry)
		if c.texts = append(c.texts, text); seen[s.path] {
			c.list = true
		} else {
			c.filled++
		}
		seen[s.path] = true
	}
}

// vague matches the last keys of paths that say nothing by themselves.
var vague = regexp.MustCompile(`^(alt|amount|avg|count|currency|date|end|from|height|id|key|kind|label|length|main|` +
	`max|min|name|number|size|src|start|text|title|to|total|type|unit|url|value|website|width)$`)

// lastKey returns the last key of a path.
func lastKey(path string) string { return strings.Trim(path[strings.LastIndexByte(path, '.')+1:], `"`) }

// share returns which part of the texts satisfies is.
func (c *column) share(is func(string) bool) float64 {
	n := 0
	for _, text := range c.texts {
		if is(text) {
			n++
		}
	}
	return float64(n) / float64(len(c.texts))
}

// reads returns a test of whether a text can be read.
func reads[T any](read func(text string) (T, string)) func(text string) bool {
	return func(text string) bool {
		_, wrong := read(text)
		return wrong == ""
	}
}

// mostly returns a test of whether nearly all texts of a column satisfy is.
func mostly(is func(text string) bool) func(*column) bool {
	return func(c *column) bool { return c.share(is) >= most }
}

// most is the part of texts that counts as nearly all.
const most = 0.9

// example returns the first text, shortened, on one line.
func (c *column) example() string {
	return api.Shorten(strings.Join(strings.Fields(c.texts[0]), " "), 60)
}

// isGroup reports whether the values divide the entries into a few groups.
func (c *column) isGroup() bool {
	n := len(c.distinct)
	kind, _ := c.kind()
	return kind != api.FactMoney && kind != api.FactDate && n > 1 && n <= 4*maxChoice && 3*n <= c.filled &&
		c.length <= 40 && !c.list && !c.address && !mostly(isNumeral)(c) && !mostly(reads(notation.YesNo))(c)
}

var addressText = regexp.MustCompile(`^(https?://|www\.)`)

// guesser guesses a map.
type guesser struct {
	content  *content.Content
	lang     string
	columns  []*column
	byPath   map[string]*column
	entries  int
	of       map[string]*column // the columns of fields
	measured []*column          // those of facts that lists may be sorted by
	reasons  []string

	// The map:
	key         string // "" for the name
	fields      []*guessed
	skip, facts []*yaml.Node
}

// because notes a reason for what the map says.
func (g *guesser) because(format string, args ...any) {
	g.reasons = append(g.reasons, fmt.Sprintf(format, args...))
}

// guessed is a field of the map.
type guessed struct {
	key, why         string
	from, with, join []string
	value, by        string
}

// guess is a field with the names of columns that are probably its values.
type guess struct {
	field, with string
	names       string // in the form of letters, separated by spaces
	is          func(c *column) bool
}

var guesses = []guess{
	{field: "name", is: func(c *column) bool {
		isTitle := c.parent == "" && slices.Contains([]string{"name", "title", "titel", "nom"}, c.name)
		return !c.address && !c.list && c.length <= content.MaxName && len(c.distinct) > 1 &&
			(isTitle || 2*len(c.distinct) > c.filled) // a title is joined with what tells entries apart
	},
		names: "name title titel nom nome nombre naam namn navn nimi bezeichnung designation instrument tool product " +
			"project software package label fullname model id key file"},
	{field: "purpose", with: "plain", is: func(c *column) bool {
		return !c.address && c.length > 8 && (c.length > 20 || 2*len(c.distinct) > c.filled)
	},
		names: "purpose summary description beschreibung desc shortdescription tagline abstract about details " +
			"overview beskrivning beskrivelse omschrijving descripcion descrizione descricao kuvaus"},
	{field: "category", names: "category categories kategorie type group section kind class family genre department " +
		"abteilung gattung rubrik bereich folder classification categorie categoria kategori typ",
		is: func(c *column) bool {
			isOfPart := c.parent != "" && slices.Contains([]string{"type", "kind"}, c.name)
			return !c.address && !isOfPart && !mostly(isNumeral)(c) && len(c.distinct) > 1 &&
				len(c.distinct) < max(c.filled, 3)
		}},
	{field: "topics", names: "tags keywords topics labels",
		is: func(c *column) bool { return c.list || c.split != nil }},
	{field: "license", names: "license licence licenses licences spdx licensename codes", is: func(c *column) bool {
		return c.share(reads((&converter{licenses: map[string][2]string{}}).license)) > 0.4
	}},
	{field: "repositoryUrl", with: "repository",
		names: "repository repo repositoryurl repourl sourcecodeurl sourcecode source github gitrepository " +
			"coderepository repositorycode url link",
		is: func(c *column) bool { return c.share(func(s string) bool { return repository(s) != "" }) > 0.3 }},
	{field: "homepageUrl", is: func(c *column) bool {
		return c.address && (c.parent == "" || 2*len(c.distinct) > c.filled)
	},
		names: "homepage homepageurl website websiteurl url link site web home page permalink"},
	{field: "docsUrl", names: "docs documentation docsurl documentationurl manual",
		is: func(c *column) bool { return c.address }},
	{field: "platforms", names: "platforms platform os operatingsystems",
		is: func(c *column) bool { return !c.address }},
	{field: "stars", with: "number", is: mostly(isNumeral), names: "stars stargazerscount githubstars stargazers"},
	{field: "language", names: "language programminglanguage lang",
		is: func(c *column) bool { return !c.address && !c.list }}, // of programs alone: see guessFields
	{field: "archived", is: mostly(reads(notation.YesNo)), names: "archived struck"},
	{field: "createdAt", with: "date", is: mostly(inEitherOrder(reads(notation.Day))),
		names: "createdat created datecreated"},
	{field: "updatedAt", with: "date", is: mostly(inEitherOrder(reads(notation.Day))),
		names: "updatedat updated lastupdated modified datemodified lastmod"},
	{field: "body", names: "body content longdescription readme text notes",
		is: func(c *column) bool { return c.length > 60 }},
}

// guessFields guesses the fields.
func (g *guesser) guessFields() {
	for i := range guesses {
		guess := &guesses[i]
		isSoftware := g.of["repositoryUrl"] != nil || g.of["license"] != nil || g.of["stars"] != nil
		if !g.content.FrontMatter.Has(guess.field) && guess.field != "body" ||
			guess.field == "language" && !isSoftware {
			continue
		}
		with, value := []string{guess.with}, ""
		c, because := g.columnFor(guess)
		if c != nil && guess.field == "purpose" && c.path == "@body" {
			with = append(with, "first-sentence")
		}
		switch {
		case c == nil && guess.field == "category":
			c, value, because = &column{}, "All", "no column has few values: all listings are in one category"
		case c == nil:
			continue
		case guess.field == "category" && c.filled < g.entries:
			value = "Others"
		}
		switch {
		case !slices.Contains([]string{"topics", "platforms", "category"}, guess.field):
		case !c.list && c.split != nil:
			with = c.split
		case guess.field == "topics" && slices.ContainsFunc(c.texts, hasComma):
			with = []string{"split"}
		}
		if strings.HasSuffix(guess.field, "Url") && c.share(plainHTTP.MatchString) > usual {
			with = append(with, "https")
			because += "; most begin with http://, which becomes https://"
		}
		c.isField = true
		c.isUsed = c.isUsed || !strings.HasSuffix(guess.field, "Url") // one address may be both
		from := c.path
		if from == "codes" && c.list { // others come behind the licence
			from = "codes[0]"
		}
		g.of[guess.field] = c
		field := g.addField(guess.field, guess.field, because, from, value, with...)
		switch guess.field {
		case "name":
			g.distinguish(c, field)
		case "purpose":
			g.findAuthors(c, field)
		}
	}
}

// byText matches a description that begins with a name: by Ann Lee - Tells of it.
var byText = regexp.MustCompile(`^[Bb]y (\pL[^-–—]*?) [-–—] `)

// findAuthors makes a column of the names with which nearly all purposes begin.
func (g *guesser) findAuthors(purpose *column, field *guessed) {
	if purpose.share(byText.MatchString) < most {
		return
	}
	c := &column{path: purpose.path, label: "By", filled: purpose.filled, with: []string{"after by By", "before - – —"}}
	for _, text := range purpose.texts {
		if m := byText.FindStringSubmatch(text); m != nil {
			c.texts = append(c.texts, m[1])
		}
	}
	c.distinct = slices.Compact(slices.Sorted(slices.Values(c.texts)))
	g.columns = append(g.columns, c)
	field.with = []string{"after - – —"}
}

// distinguish joins names of which many are the same with what tells the entries apart, and models with
// their makers.
func (g *guesser) distinguish(name *column, field *guessed) {
	maker := slices.IndexFunc(g.columns, func(c *column) bool {
		return slices.Contains([]string{"brand", "maker", "make", "manufacturer", "vendor"}, c.name) &&
			c.parent == name.parent && c.filled == g.entries
	})
	if name.name == "model" && maker >= 0 {
		field.from, field.join, field.by = nil, []string{g.columns[maker].path, name.path}, " "
		g.because("name: %q stands before it", g.columns[maker].path)
		return
	}
	i := slices.IndexFunc(g.columns, func(c *column) bool {
		return c.parent == "" && labelName.MatchString(c.name) && c.length <= 20 && 50*len(c.distinct) > 49*g.entries
	})
	if 5*len(name.distinct) > 4*name.filled || i < 0 {
		return
	}
	c := g.columns[i]
	c.isField, c.isUsed = true, true
	field.from, field.join, field.by = nil, []string{name.path, c.path}, ", "
	g.because("name: many are the same, so %q is added", c.path)
}

// completePurpose says what stands where the purpose is empty: the category and the first choices, or the name.
func (g *guesser) completePurpose() {
	name, purpose := g.of["name"], g.of["purpose"]
	if name == nil || purpose == nil || purpose != name && purpose.filled == g.entries {
		return
	}
	var paths []string
	for _, c := range g.columns {
		isCategory := c == g.of["category"]
		isFilled := c.filled == g.entries || purpose == name && 10*c.filled > 9*g.entries
		if !isFilled || c.list || len(c.distinct) == 1 || c.path == "" || c.whyNoFact() != "" ||
			strings.HasPrefix(c.path, "@") && !isCategory {
			continue
		}
		kind, _ := c.kind()
		isChoice := !c.isUsed && !g.isPartOfField(c) && c.pair == nil && (kind == api.FactChoice ||
			kind == api.FactChoices ||
			kind == api.FactText && c.length > 4 && c.length <= 40 && c.isWordy()) // no codes
		if len(paths) < 3 && (isChoice || isCategory) {
			paths = append(paths, c.path)
		}
	}
	field := g.fields[slices.IndexFunc(g.fields, func(f *guessed) bool { return f.key == "purpose" })]
	switch {
	case len(paths) > 1:
		g.because("purpose: where it is empty, it is made of %s", strings.Join(paths, ", "))
		if field.join, field.by = paths, ", "; purpose == name {
			field.from = nil
		}
	case purpose != name:
		g.because("purpose: where it is empty, the name is taken")
		field.from = append(field.from, name.path)
	}
}

// addField adds a field to the map, with the reason for it. what names it in the list of reasons.
func (g *guesser) addField(key, what, why, from, value string, with ...string) *guessed {
	f := &guessed{key: key, why: why, from: []string{from}, with: with, value: value}
	g.fields = append(g.fields, f)
	g.because("%s: %s", what, why)
	return f
}

// listOf returns a list of texts that are not empty, or one alone.
func listOf(texts []string) *yaml.Node {
	var list []*yaml.Node
	for _, text := range texts {
		if text != "" {
			list = append(list, yamlnode.Scalar(text, nil))
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return yamlnode.List(list...)
}

// nameOfGroup returns the group of keys whose name a column has: category of category.name; "" for others.
func (c *column) nameOfGroup() string {
	if slices.Contains([]string{"name", "title", "label", "text"}, c.name) {
		return strings.ToLower(lastKey(c.parent))
	}
	return ""
}

// columnFor returns the column of a field and why it is.
func (g *guesser) columnFor(guess *guess) (*column, string) {
	var best *column
	for name := range strings.FieldsSeq(guess.names) {
		for _, c := range g.columns {
			isCalled := c.name == name || guess.field != "name" && c.nameOfGroup() == name
			if !isCalled || c.isUsed || !guess.is(c) {
				continue
			}
			switch {
			case best == nil, len(c.parent) < len(best.parent) && (c.name == best.name || c.name == "title"):
				best = c // and not that of something within the entry
			case guess.field == "name" && 9*c.filled > 10*best.filled && !strings.HasPrefix(c.path, "@"):
				best = c // every listing needs a name
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
		case guess.field == "repositoryUrl" && best == nil && c.address && !c.list && !g.isOther(c) &&
			2*c.filled > g.entries && c.share(func(s string) bool { return repository(s) != "" }) >= most:
			best, why = c, "a column of addresses on code hosts"
		case guess.field == "homepageUrl" && best == nil && c.address && !c.isField && !c.list &&
			2*c.filled > g.entries && 10*len(c.distinct) > 9*c.filled && !g.isOther(c) &&
			c.share(pictureName.MatchString) < usual:
			best, why = c, "a column of different addresses"
		case c.isUsed || c.address || strings.HasPrefix(c.path, "@"):
		case guess.field == "name" && c.length <= content.MaxName && c.whyNoFact() == "" &&
			(c.filled == g.entries || 5*c.filled > 4*g.entries && c.isWordy()) &&
			len(c.distinct)*10 > c.filled*9 && (best == nil || !best.isWordy() && c.isWordy() && !g.isOther(c)):
			best, why = c, "the first column whose values are different"
		case guess.field == "category" && 10*c.filled >= 9*g.entries && c.isGroup() && !g.isOther(c) &&
			(best == nil || best.names > maxChoice && c.names <= maxChoice && c.names > 2):
			best, why = c, fmt.Sprintf("a column with %d values", c.names)
		case guess.field == "purpose" && c.length > 30 && c.filled*2 > g.entries &&
			2*len(c.distinct) > c.filled && c.whyNoFact() == "" &&
			(best == nil || c.length > best.length):
			best, why = c, "the column with the longest texts"
		}
	}
	if best == nil {
		best, why = g.lastResort(guess.field)
	}
	if best == nil {
		return nil, ""
	}
	return best, fmt.Sprintf("%s: %q, such as %q", why, best.path, best.example())
}

// lastResort returns the column of a field that every listing has, and why it is, or nil.
func (g *guesser) lastResort(field string) (c *column, why string) {
	switch body := g.byPath["@body"]; {
	case field == "name":
		if c = g.mostDifferent(); c == nil {
			g.because("name: no column has one: write name and a column below fields")
		}
		return c, "no column has only different values: the one with the most is taken"
	case field == "purpose" && body != nil && 2*body.filled > g.entries:
		sentence := *body // the rest is the text
		return &sentence, "no column has a description: the first sentence of the text is taken"
	case field == "purpose":
		return cmp.Or(g.of["name"], g.columns[0]), "no column has a description: the name is taken until you write one"
	}
	return nil, ""
}

// mostDifferent returns the column of words that has the most different values, at least half as many as entries.
func (g *guesser) mostDifferent() (best *column) {
	for _, c := range g.columns {
		if !c.address && !c.list && !strings.HasPrefix(c.path, "@") && c.filled == g.entries && c.isWordy() &&
			c.length <= content.MaxName && 2*len(c.distinct) > g.entries &&
			(best == nil || len(c.distinct) > len(best.distinct)) {
			best = c
		}
	}
	return best
}

// wordy matches a text that may be a name, and no mere number or code.
var wordy = regexp.MustCompile(`\pL[\p{Ll}\p{Lo}]{2}`)

func (c *column) isWordy() bool {
	return c.share(wordy.MatchString) >= most && !mostly(reads(notation.Date))(c)
}

// isOther reports whether a column has the name of a field that is guessed after the category.
func (g *guesser) isOther(c *column) bool {
	return slices.ContainsFunc(guesses, func(x guess) bool {
		return x.field != "name" && g.content.FrontMatter.Has(x.field) &&
			slices.Contains(strings.Fields(x.names), c.name) && x.is(c)
	})
}
