package query

import (
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// productNames holds the names of the products that listings replace.
type productNames struct {
	byName   map[string]*productName // by the words of the name, joined
	longest  int                     // length of the longest name in bytes
	listings []int                   // how many listings replace each product of the taxonomy
}

// productName is a name or alias, which several products may share.
type productName struct {
	products []int // positions in the taxonomy
	ordinary bool
}

func newProductNames(ix *index.Index) productNames {
	all := ix.Taxonomy().Products
	n := productNames{byName: map[string]*productName{}, listings: make([]int, len(all))}
	for i := range all {
		p := &all[i]
		term, ok := ix.Terms.Find(index.ValueTerm(index.FactReplaces, p.Slug))
		if !ok {
			continue
		}
		n.listings[i] = ix.Postings.Frequency(term)
		for _, text := range index.NamesOf(p) {
			key := strings.Join(ix.Language.Of(text), "") // see at
			name := n.byName[key]
			if name == nil {
				name = &productName{ordinary: slices.Contains(ix.Ordinary, token.Join(text))}
				n.byName[key] = name
			}
			name.products = append(name.products, i)
			n.longest = max(n.longest, len(key))
		}
	}
	return n
}

// at returns the longest name at the start of words, or nil, and how many words it takes up.
func (n *productNames) at(words []string) (found *productName, length int) {
	joined := make([]byte, 0, 64) // enough for most, without allocating
	for i, word := range words {
		if joined = append(joined, word...); len(joined) > n.longest {
			break
		}
		if name := n.byName[string(joined)]; name != nil {
			found, length = name, i+1
		}
	}
	return found, length
}

// maxNamed is the maximum number of named products in an answer.
const maxNamed = 3

// betweenNames holds the words that join names in a row, such as "cursor or windsurf".
var betweenNames = token.Set("or and vs versus")

// findNamed returns the products that the query names, in the order of the query. If the query was
// corrected, it reads the corrected one. If one name in a row is meant as a product, all are.
func (s *scratch) findNamed(p *parsed, corrected string, q *api.SearchQuery) []int {
	if corrected != "" {
		other := s.vocabulary.parse(corrected, &q.Filters.Machine, s.isName)
		p = &other
	}
	named := s.named[:0]
	row, end, meant := 0, -1, true
	for i := 0; i < len(p.all); {
		name, n := s.productNames.at(p.all[i:])
		if name == nil {
			i++
			continue
		}
		if end < 0 || i != end+1 || !betweenNames[p.all[end]] {
			if !meant {
				named = named[:row]
			}
			row, meant = len(named), false
		}
		meant = meant || !name.ordinary && p.mayMean(i, i+n) || p.isAbout(i, i+n)
		for _, product := range name.products {
			if !slices.Contains(named, product) {
				named = append(named, product)
			}
		}
		i += n
		end = i
	}
	if !meant {
		named = named[:row]
	}
	s.named = named
	return named[:min(len(named), maxNamed)]
}

// appendNamed appends an api.NamedProduct for each product that the query names.
func (a *answer) appendNamed(dst []byte) []byte {
	for i, number := range a.named {
		if i > 0 {
			dst = append(dst, ',')
		}
		p := &a.s.taxonomy.Products[number]
		dst = api.AppendString(append(dst, `{"name":`...), p.Name)
		dst = api.AppendString(append(dst, `,"pageUrl":`...), a.s.settings.URL("/"+api.FolderProducts+"/"+p.Slug+"/"))
		dst = append(appendInt(append(dst, `,"alternatives":`...), a.s.productNames.listings[number]), '}')
	}
	return dst
}

// Words that, before or after an ordinary name, show that it is meant as a name.
var (
	namedAfter = phrases(leavingPhrases + `,
		alternative for, alternatives for, like, similar to, equivalent to, version of, clone of`)
	namedBefore = token.Set("clone but without")
)

// usedWith holds the words that precede the name of a product which the user wants to keep.
var usedWith = token.Set("in inside within into for with from")

// mayMean reports whether a name, the words from:to of a query, may be a product that the user
// wants to replace. "track objects in video" does not name InVideo, and a search for "notes in
// obsidian" means to keep Obsidian.
func (p *parsed) mayMean(from, to int) bool {
	if p.vocabulary.language.FunctionWords[p.all[from]] || p.vocabulary.language.FunctionWords[p.all[to-1]] {
		return false
	}
	return from == 0 || !usedWith[p.all[from-1]]
}

// isAbout reports whether the words from:to of a query, an ordinary name, are meant as the name of
// a product. This is so if the user wants to leave it or wants something like it, or if the query
// has no other words to search for.
func (p *parsed) isAbout(from, to int) bool {
	v, before, name, behind := p.vocabulary, p.all[:from], p.all[from:to], p.all[to:]
	for i := range before {
		if _, n := v.namedAfter.at(before[i:]); i+n == from {
			return true
		}
	}
	if from == 0 || !v.language.FunctionWords[before[from-1]] {
		if len(behind) > 0 && (v.leavingBehind[behind[0]] || v.namedBefore[behind[0]]) {
			return true
		}
	}
	inside, outside, others := false, false, false
	for _, word := range p.freeWords {
		content := !v.language.FunctionWords[word] && !v.weak[word]
		if slices.Contains(name, word) {
			inside = inside || content
		} else {
			outside, others = outside || content, true
		}
	}
	return !outside && (inside || !others) // if the name has only words such as "make", any other word counts
}
