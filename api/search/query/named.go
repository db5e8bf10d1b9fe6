package query

import (
	"slices"

	"catalog.example/api"
	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// productNames are the names of the products that listings replace.
type productNames struct {
	byName   map[string]*productName // by the name, folded and joined
	longest  int                     // length of the longest name in bytes
	listings []int                   // how many listings replace each product of the taxonomy
}

// productName is a name that a product has, or an alias that several have.
type productName struct {
	products []int // positions in the taxonomy
	ordinary bool
}

func newProductNames(ix *index.Index, ordinary []string) productNames {
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
			key := token.Join(text)
			name := n.byName[key]
			if name == nil {
				name = &productName{ordinary: slices.Contains(ordinary, key)}
				n.byName[key] = name
			}
			name.products = append(name.products, i)
			n.longest = max(n.longest, len(key))
		}
	}
	return n
}

// at returns the longest name at the start of words, or nil, and how many words it takes.
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

// maxNamed is how many products an answer tells of.
const maxNamed = 3

// betweenNames are the words in a row of names, such as "cursor or windsurf".
var betweenNames = token.Set("or and vs versus")

// findNamed finds the products that the query names, or the corrected one if there is one, in
// its order. In a row of names, all are meant if one is.
func (w *scratch) findNamed(corrected string) {
	q := &w.query
	if corrected != "" {
		other := w.ix.vocabulary.parse(corrected, &w.machine.Machine, w.ix.isName)
		q = &other
	}
	row, end, meant := 0, -1, true
	for i := 0; i < len(q.all); {
		name, n := w.ix.productNames.at(q.all[i:])
		if name == nil {
			i++
			continue
		}
		if end < 0 || i != end+1 || !betweenNames[q.all[end]] {
			if !meant {
				w.named = w.named[:row]
			}
			row, meant = len(w.named), false
		}
		meant = meant || !name.ordinary && q.mayMean(i, i+n) || q.isAbout(i, i+n)
		for _, p := range name.products {
			if !slices.Contains(w.named, p) {
				w.named = append(w.named, p)
			}
		}
		i += n
		end = i
	}
	if !meant {
		w.named = w.named[:row]
	}
	w.named = w.named[:min(len(w.named), maxNamed)]
}

// appendNamed appends each api.NamedProduct that findNamed found.
func (w *scratch) appendNamed(dst []byte) []byte {
	for i, number := range w.named {
		if i > 0 {
			dst = append(dst, ',')
		}
		p := &w.ix.taxonomy.Products[number]
		dst = api.AppendString(append(dst, `{"name":`...), p.Name)
		dst = api.AppendString(append(dst, `,"pageUrl":`...), w.ix.settings.URL("/"+api.FolderProducts+"/"+p.Slug+"/"))
		dst = append(appendInt(append(dst, `,"alternatives":`...), w.ix.productNames.listings[number]), '}')
	}
	return dst
}

// Words before and after an ordinary name that is meant as a name.
var (
	namedAfter  = append(phrases("alternative for, alternatives for, like, similar to, equivalent to, version of, clone of"), leavingBefore...)
	namedBefore = token.Set("clone but without")
)

// usedWith are words before the name of what somebody keeps.
var usedWith = token.Set("in inside within into for with from")

// mayMean reports whether the words from:to of a query, a name, may be what somebody wants to
// replace: "track objects in video" does not name InVideo, and "notes in obsidian" keeps it.
func (q *parsed) mayMean(from, to int) bool {
	return !token.FunctionWords[q.all[from]] && !token.FunctionWords[q.all[to-1]] && (from == 0 || !usedWith[q.all[from-1]])
}

// isAbout reports whether the words from:to of a query, an ordinary name, are meant as the
// name: somebody leaves it or wants something like it, or the query has no other words to
// search for.
func (q *parsed) isAbout(from, to int) bool {
	before, name, behind := q.all[:from], q.all[from:to], q.all[to:]
	for _, p := range namedAfter {
		if len(p) <= from && slices.Equal(p, before[from-len(p):]) {
			return true
		}
	}
	if len(behind) > 0 && (leavingBehind[behind[0]] || namedBefore[behind[0]]) && (from == 0 || !token.FunctionWords[before[from-1]]) {
		return true
	}
	inside, outside, others := false, false, false
	for _, word := range q.freeWords {
		content := !token.FunctionWords[word] && !q.vocabulary.weak[word]
		if slices.Contains(name, word) {
			inside = inside || content
		} else {
			outside, others = outside || content, true
		}
	}
	return !outside && (inside || !others) // of "make", all other words count
}
