package query

import (
	"encoding/binary"

	"catalog.example/api"
	"catalog.example/api/search/index"
)

// tier is a group of fields in which a listing may match, the strongest first. Matches in a
// stronger tier come first.
type tier uint8

const (
	tierExactName tier = iota
	tierName
	tierPurpose
	tierDescription
	tierNone
)

// fieldTiers maps each field to its tier.
var fieldTiers = [index.FieldCount]tier{
	index.FieldName: tierName, index.FieldAlias: tierName, index.FieldReplaces: tierName,
	index.FieldPurpose: tierPurpose, index.FieldJob: tierPurpose, index.FieldAsk: tierPurpose,
	index.FieldCategory: tierDescription, index.FieldCategoryAsk: tierDescription,
	index.FieldTopic: tierDescription, index.FieldDescription: tierDescription,
}

// maxWords is the maximum number of words of a query.
const maxWords = api.MaxQueryWords

// textMatch is how a text matches the query.
type textMatch struct {
	words       uint32            // bit i: the text has word i of the query
	directWords uint32            // bit i: the text has it other than as a synonym
	evidence    [maxWords]float64 // for each word: how likely the text is about it
	arrangement float64           // see found.arrangement
	complete    bool              // the query has every word of the text
}

// textScan holds what matchText collects while it reads a text, for each word of the query.
type textScan [maxWords]struct {
	quality float64 // of the best match of the word
	end     int     // 1 + the end of its latest match; 0 if there is none
	latest  float64 // the quality of its latest match
	near    float64 // how near it is to the one before it in the query
}

// add records an expansion at a position of the text.
func (s *textScan) add(e *expansion, position, length int) {
	for word := e.from; word < e.to; word++ {
		s[word].quality = max(s[word].quality, e.quality)
		if word > e.from {
			s[word].near = max(s[word].near, e.quality) // one expansion matches both words
		}
		// Adjacent words in the order of the query are nearest. Words between them, or the reverse
		// order, make them less near.
		if word > 0 && word == e.from && s[word-1].end > 0 {
			s.addGap(word, min(e.quality, s[word-1].latest), position-(s[word-1].end-1))
		}
		if word+1 < maxWords && word == e.to-1 && s[word+1].end > 0 {
			s.addGap(word+1, min(e.quality, s[word+1].latest), position-(s[word+1].end-1)+1)
		}
	}
	for word := e.from; word < e.to; word++ {
		s[word].end, s[word].latest = position+length+1, e.quality
	}
}

func (s *textScan) addGap(word int, quality float64, gap int) {
	gap = max(gap, 0) // one word of the text may match both
	if gap <= maxGap {
		s[word].near = max(s[word].near, quality/float64(1+gap))
	}
}

// nextText is index.NextText without the texts that cannot match. It looks for terms in all texts
// at once, because few listings have the words of a query in more than a few texts.
func (f *found) nextText(rest []byte) (t index.Text, after []byte, ok bool) {
	for at := f.table.next(rest, 0); at < len(rest); {
		if t, after, ok = index.NextText(rest); !ok {
			break
		}
		if at == 0 { // the head of the text is like a term
			at = f.table.next(rest, 4)
		}
		size := len(rest) - len(after)
		if at < size {
			return t, after, true
		}
		rest, at = after, at-size
	}
	return index.Text{}, nil, false
}

// matchText matches a text with the query, and reports whether any word matches. If
// none does, m is not changed.
func (f *found) matchText(m *textMatch, terms []byte, field index.Field) bool {
	length := len(terms) / 4
	used, literal, begun := 0, 0, false
	scan, table := &f.s.scan, f.table
	for at := table.next(terms, 0); at < len(terms); at = table.next(terms, at+4) {
		isWord, isLiteral := 0, 0
		for i := table.find(binary.LittleEndian.Uint32(terms[at:])); i >= 0; i = table.entries[i].next {
			e := &f.expansions[table.entries[i].expansion]
			size := max(1, len(e.phrase))
			switch {
			case e.phrase == nil:
				isWord = 1
				if e.literal {
					isLiteral = 1
				}
			case at/4+size > length || !f.s.hasStems(terms[at:], e.phrase):
				continue
			default:
				used += size
				if e.literal {
					literal += size
				}
			}
			if !begun {
				n := len(f.words) // clearing the rest would take longer than most texts
				m.words, m.directWords = 0, 0
				clear(m.evidence[:n])
				clear(scan[:n])
				begun = true
			}
			m.add(e, field)
			scan.add(e, at/4, size)
		}
		used += isWord
		literal += isLiteral
	}
	if !begun {
		return false
	}
	m.complete = literal == length
	m.arrangement = f.arrangement(scan, float64(min(used, length))/float64(length))
	return true
}

// add records that a text has an expansion.
func (m *textMatch) add(e *expansion, f index.Field) {
	quality := e.quality
	if e.synonym && fieldTiers[f] == tierName && f != index.FieldReplaces {
		quality *= ranking.nameSynonym
	}
	for word := e.from; word < e.to; word++ {
		m.words |= 1 << word
		if !e.synonym {
			m.directWords |= 1 << word
		}
		m.evidence[word] = probabilityOr(m.evidence[word], quality)
	}
}

// probabilityOr returns the probability that at least one of two independent events happens.
func probabilityOr(a, b float64) float64 { return a + b - a*b }

// hasStems reports whether a text begins with words that have these stems.
func (e *Engine) hasStems(terms []byte, stems []int) bool {
	for i, stem := range stems {
		if e.StemOf(index.Number(terms[4*i:])) != stem {
			return false
		}
	}
	return true
}

// arrangement returns how well the words of a query are arranged in a text, from 0 to 1. share is
// the share of the text's words that match.
func (f *found) arrangement(s *textScan, share float64) float64 {
	together, pairs, near := 0.0, 0.0, 0.0
	for i := range f.lookups {
		together += f.lookups[i].rarity * s[i].quality
		if i > 0 {
			// A pair weighs as much as its more common word.
			weight := min(f.lookups[i-1].rarity, f.lookups[i].rarity)
			pairs += weight
			near += weight * s[i].near
		}
	}
	together /= f.weight
	if pairs > 0 {
		near /= pairs
	} else {
		near = together // one word has no neighbours
	}
	return arrangedTogether*together + arrangedNear*near + arrangedWhole*together*min(1, share)
}
