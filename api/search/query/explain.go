package query

import (
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/index"
)

// Explanation shows editors why a search finds what it finds.
type Explanation struct {
	Words []ExplainedWord
	// Everyday is set if the query has no technical word. Listings for people who do not know
	// the field then rank higher.
	Everyday bool
	Hits     []ExplainedHit
}

// ExplainedWord is a word of the query as it is searched for.
type ExplainedWord struct {
	Text   string
	Role   string  // required, weak or hint
	Weight float64 // by rarity and clause; mostly 1 to 2.5
	// Fact is the fact that the word may mean, such as "platform=linux", or "".
	Fact string
}

// ExplainedHit says how a listing matches. Strengths are probabilities; qualities are roughly
// between 0 and 1.
type ExplainedHit struct {
	Close bool // one text has every required word, apart from those met by facts
	// Grade is the step, out of Steps, that the quality falls into; 0 is the best. Steps is 0 if
	// hits are not ordered by quality: for exact names, queries of hints, and orders other than
	// relevance.
	Grade, Steps int
	Quality      float64 // Own plus Category
	Own          float64 // the listing's own quality, from Words, Arrangement, Hints and Suits
	Category     float64 // what the best listings of its category add
	Words        []WordEvidence
	Arrangement  float64 // how well the words are arranged in the best text
	Hints        int     // how many of the suggested facts it has
	Suits        bool    // it is for people who do not know the field, and the query has no technical word
	Unmet        bool    // it contradicts what the query requires
	Unwanted     bool    // it is the tool that the user wants to leave
}

// WordEvidence is the evidence in a listing for a word of the query.
type WordEvidence struct {
	Word     string
	Strength float64 // how likely the listing is about it; 0 if the word is missing
	Evidence []Evidence
}

// Evidence is a place where a listing has a word.
type Evidence struct {
	// Kind is how the word matches: word, stem (another form), beginning, synonym, correction or
	// fact.
	Kind  string
	Field string // of the listing; "" for a fact
	Text  string // without function words; or the value of a fact
	// Strength is how likely the listing is about the word, judged by this evidence alone.
	Strength float64
}

var roleNames = [...]string{roleRequired: "required", roleWeak: "weak", roleHint: "hint"}

var fieldTitles = [index.FieldCount]string{
	index.FieldName: "name", index.FieldAlias: "alias", index.FieldReplaces: "replaces",
	index.FieldPurpose: "purpose", index.FieldJob: "job", index.FieldAsk: "ask",
	index.FieldCategory: "category", index.FieldCategoryAsk: "ask of the category",
	index.FieldTopic: "topic", index.FieldDescription: "description",
}

// Explain explains the answer of Search to a query.
func (e *Engine) Explain(q api.SearchQuery) (why Explanation) {
	defer runtime.KeepAlive(e)
	s := e.acquire()
	defer s.release()
	a := s.answer(&q)
	for i, word := range a.words {
		explained := ExplainedWord{Text: word.text, Role: roleNames[word.role], Weight: a.lookups[i].rarity}
		var facts []string
		for _, r := range a.required {
			if r.from <= i && i < r.to {
				facts = append(facts, r.text())
			}
		}
		explained.Fact = strings.Join(facts, " or ")
		why.Words = append(why.Words, explained)
	}
	why.Everyday = len(why.Words) > 0 && !a.technical && e.vocabulary.everyday != ""
	for i := range a.hits {
		why.Hits = append(why.Hits, a.explain(&a.hits[i]))
	}
	return why
}

// text returns the fact as "parameter=value", with "or" between several values.
func (r *requirement) text() string {
	values := make([]string, len(r.terms))
	for i, term := range r.terms {
		values[i] = strings.TrimSuffix(index.TermText(term), anyAfter)
	}
	return strings.Join(values, " or ")
}

func (a *answer) explain(h *hit) ExplainedHit {
	var e ExplainedHit
	if h.tier == tierNone {
		return e
	}
	var read textsMatch
	a.readTexts(h.doc, &read)
	own := a.gradeBy(h.doc, &read)
	e.Own, e.Close, e.Unmet, e.Arrangement = own.quality, read.close, read.unmet, read.arrangement
	e.Quality = e.Own
	if h.by != nil {
		e.Grade, e.Steps, e.Quality, e.Category = h.grade, h.by.steps, h.quality, h.quality-own.quality
	}
	e.Hints, e.Suits, e.Unwanted = own.hints, a.suited.Has(h.doc), a.unwanted.Has(h.doc)
	for i, word := range a.words {
		e.Words = append(e.Words, WordEvidence{Word: word.text, Strength: read.words[i].strength})
	}
	a.addEvidence(e.Words, a.s.Texts.Of(h.doc))
	a.addEvidence(e.Words, a.s.CategoryTexts.Of(a.s.categoryOf(h.doc)))
	for _, r := range a.required {
		for word := r.from; word < r.to && r.listings.Has(h.doc); word++ {
			fact := Evidence{Kind: "fact", Text: r.text(), Strength: ranking.fact}
			e.Words[word].Evidence = append(e.Words[word].Evidence, fact)
		}
	}
	for i := range e.Words {
		slices.SortStableFunc(e.Words[i].Evidence, func(a, b Evidence) int {
			return cmp.Compare(b.Strength, a.Strength)
		})
	}
	return e
}

// addEvidence adds, for each word of the query, the places where the texts have it.
func (f *found) addEvidence(words []WordEvidence, texts []byte) {
	for rest := texts; ; {
		t, after, ok := f.nextText(rest)
		if !ok {
			return
		}
		rest = after
		m := f.matchFieldText(&t)
		if m == nil {
			continue
		}
		if t.Field == index.FieldReplaces {
			t.Terms = f.s.Products.Get(t.Term(0)).Terms
		}
		text, factor := f.s.wordsOf(t.Terms), ranking.fields[t.Field]*f.nameFactor(&t, m)
		for i, kind := range f.kindsIn(&t) {
			if m.words>>i&1 != 0 && i < len(words) {
				place := Evidence{cmp.Or(kind, "word"), fieldTitles[t.Field], text, factor * m.evidence[i]}
				words[i].Evidence = append(words[i].Evidence, place)
			}
		}
	}
}

// kindsIn returns, for each word, the Evidence.Kind of its best expansion in a text. It is "" for
// words that match only when written together.
func (f *found) kindsIn(t *index.Text) (kinds [maxWords]string) {
	var best [maxWords]float64
	for position := range t.Len() {
		term := binary.LittleEndian.Uint32(t.Terms[4*position:])
		for i := f.table.find(term); i >= 0; i = f.table.entries[i].next {
			e := &f.expansions[f.table.entries[i].expansion]
			if e.phrase != nil && (position+len(e.phrase) > t.Len() || !f.s.hasStems(t.Terms[4*position:], e.phrase)) {
				continue
			}
			for word := e.from; word < e.to; word++ {
				if e.quality > best[word] {
					best[word], kinds[word] = e.quality, e.kind()
				}
			}
		}
	}
	return kinds
}

// kind returns the Evidence.Kind of an expansion.
func (e *expansion) kind() string {
	switch {
	case e.corrected:
		return "correction"
	case e.synonym:
		return "synonym"
	case !e.literal:
		return "stem"
	case e.quality < 1:
		return "beginning"
	default:
		return "word"
	}
}

// wordsOf returns the words of a text.
func (e *Engine) wordsOf(terms []byte) string {
	var words []string
	for ; len(terms) >= 4; terms = terms[4:] {
		if term := index.Number(terms); term < e.Terms.N {
			words = append(words, string(e.Terms.Text(term)))
		}
	}
	return strings.Join(words, " ")
}
