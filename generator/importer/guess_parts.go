package importer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
)

// pair is a kind of facts whose values may be in two columns: of one mapping, or both of a table.
type pair struct {
	kind    api.FactKind
	label   string    // of a fact of a table; "" if the names of columns do not tell enough there
	parts   [2]string // of values
	names   [2]string // of columns that have them, in the form of letters, separated by spaces
	by      string    // what stands between the parts in one text
	read    func(text string) (string, string)
	isExact bool // whether texts must have the decimals of a place, because the names may mean something else
}

var pairs = []pair{
	placePair("Place", "lat latitude", "lon lng long longitude", false),
	placePair("Ort", "breitengrad geobreite", "laengengrad langengrad geolaenge", false),
	placePair("Ort", "breite", "laenge lange", true),
	{kind: api.FactMoney, parts: [2]string{"amount", "currency"}, by: " ",
		names: [2]string{"amount value betrag", "currency waehrung wahrung"}, read: readsMoney},
	{kind: api.FactRange, parts: [2]string{"from", "to"}, by: "–", names: [2]string{"from min start", "to max end"},
		read: readRange},
	{kind: api.FactDates, parts: [2]string{"from", "to"}, by: " – ", names: [2]string{"from min start", "to max end"},
		read: readSlashed(readsParts(splitDates, readWhen))},
	{kind: api.FactPicture, parts: [2]string{"file", "alt"}, by: " ", names: [2]string{"src file", "alt"},
		read: func(text string) (string, string) {
			if file, _, _ := strings.Cut(text, " "); !pictureName.MatchString(file) {
				return "", "it is no name of a picture"
			}
			return text, ""
		}},
}

func placePair(label, latitude, longitude string, isExact bool) pair {
	return pair{api.FactPlace, label, [2]string{"latitude", "longitude"}, [2]string{latitude, longitude}, "; ",
		readPlace, isExact}
}

var (
	pictureName = regexp.MustCompile(`(?i)\.(gif|jpe?g|png|svg|webp)(\?.*)?$`)
	exactPlace  = regexp.MustCompile(`[.,][0-9]{3}|°`)
)

// joinPairs puts a column in the place of two that have the parts of a value.
func (g *guesser) joinPairs() {
	for _, first := range slices.Clone(g.columns) {
		for i := range pairs {
			p := &pairs[i]
			named := func(c *column, part int) bool {
				return slices.Contains(strings.Fields(p.names[part]), c.name) && c.parent == first.parent &&
					!c.isField && !c.list
			}
			at := slices.IndexFunc(g.columns, func(c *column) bool { return named(c, 1) })
			if at >= 0 && named(first, 0) && (first.parent != "" || p.label != "") {
				g.joinPair(p, first, g.columns[at])
			}
		}
	}
}

// joinPair puts a column in the place of two if most of their texts are values of the kind.
func (g *guesser) joinPair(p *pair, first, second *column) {
	c := &column{path: first.parent, label: cmp.Or(lastKey(first.parent), p.label), filled: first.filled, pair: p}
	others := map[int]string{}
	for i, at := range second.at {
		others[at] = second.texts[i]
	}
	for i, at := range first.at {
		if other := others[at]; other != "" {
			c.texts = append(c.texts, first.texts[i]+p.by+other)
		}
	}
	exact := func(text string) bool { return exactPlace.MatchString(text) }
	if len(c.texts) == 0 || c.reads(p.read) < usual || p.isExact && c.share(exact) < usual {
		return
	}
	understood := func(name, part string) bool { return name == part || otherNames[name] == part }
	isWhole := c.path != "" && understood(first.name, p.parts[0]) && understood(second.name, p.parts[1])
	own := g.byPath[c.path]
	if own != nil && isWhole { // some entries have a text in place of the mapping
		if own.filled > c.filled && own.reads(p.read) < usual {
			return
		}
		own.isField = true
		c.texts, c.filled = append(c.texts, own.texts...), c.filled+own.filled
	}
	if !isWhole {
		c.parts = [2]string{first.path, second.path}
	}
	first.isField, second.isField = true, true
	c.distinct = slices.Compact(slices.Sorted(slices.Values(c.texts)))
	g.columns = slices.Insert(g.columns, slices.Index(g.columns, first), c)
}

// usual is the part of texts that must be values of a kind if the names of columns speak for it, too.
const usual = 0.5

// related matches names of columns that name other entries.
var related = regexp.MustCompile(`related|similar|seealso|require|prerequisite|parent|follow|verwandt|aehnlich|ids?$`)

// findRelations finds the columns that name other entries by a key of theirs, which becomes that of the map.
func (g *guesser) findRelations() {
	i := slices.IndexFunc(g.columns, func(c *column) bool {
		return slices.Contains([]string{"id", "key", "slug", "sku"}, c.name) && c.parent == "" &&
			10*len(c.distinct) > 9*g.entries
	})
	if i < 0 {
		return
	}
	if c := g.columns[i]; !c.isField { // it says nothing to readers
		g.key, c.isField = c.path, true
	}
	keys := map[string]bool{}
	for _, text := range g.columns[i].texts {
		keys[text] = true
	}
	for _, c := range g.columns {
		share := c.share(func(text string) bool { return keys[text] })
		if c != g.columns[i] && !c.isField && share >= usual && related.MatchString(c.name) {
			c.relation = fmt.Sprintf("%d%% of its values are values of %q", int(100*share), g.columns[i].path)
			g.key, g.columns[i].isField = g.columns[i].path, true
		}
	}
}
