package query

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// appendBrief appends the answer to a query as the JSON of an api.BriefSearchResponse.
func (a *answer) appendBrief(dst []byte, q *api.SearchQuery) []byte {
	dst = a.appendEcho(append(dst, `{"query":`...), q)
	dst = appendInt(append(dst, `,"total":`...), a.total)
	if len(a.named) > 0 {
		dst = append(a.appendNamed(append(dst, `,"products":[`...)), ']')
	}
	dst = append(dst, `,"hits":[`...)
	words := a.caveatWords()
	for i := range a.hits {
		h := &a.hits[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = a.s.appendBriefHit(dst, h.doc, &a.machine, words)
		if h.partial {
			dst = append(dst, `,"match":{"partial":true`...)
			if h.missing != 0 {
				dst = append(a.appendMissing(append(dst, `,"missing":[`...), h.missing), ']')
			}
			dst = append(dst, '}')
		}
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if a.corrected != "" {
		dst = api.AppendString(append(dst, `,"didYouMean":`...), a.corrected)
	}
	return append(api.AppendWarnings(append(dst, `,"warnings":`...), a.warnings), '}')
}

// AppendBriefList is AppendList with the JSON of an api.BriefHit for each listing.
func (e *Engine) AppendBriefList(dst []byte, offset, limit int) []byte {
	return e.appendBriefItems(dst, e.Page(offset, limit))
}

// AppendBriefListings is AppendListings with the JSON of an api.BriefHit for each listing.
func (e *Engine) AppendBriefListings(dst []byte, slugs []string) (list []byte, n int, unknown []string) {
	docs, unknown := e.Find(slugs)
	return e.appendBriefItems(dst, docs), len(docs), unknown
}

func (e *Engine) appendBriefItems(dst []byte, docs []int) []byte {
	defer runtime.KeepAlive(e)
	s := e.acquire()
	defer s.release()
	for i, doc := range docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(s.appendBriefHit(dst, doc, &machine{s: s}, nil), '}')
	}
	return dst
}

// appendBriefHit appends the JSON of the api.BriefHit of a listing. It does not close the object: the
// caller adds how the listing matches. words are those of api.BriefHit.Caveat, as stems.
func (s *scratch) appendBriefHit(dst []byte, doc int, m *machine, words []string) []byte {
	values := s.Documents.Brief(doc)
	open := len(dst)
	member := func(name string, value []byte) {
		if value == nil {
			return
		}
		dst = append(append(dst, `,"`...), name...)
		dst = append(append(dst, `":`...), value...)
	}
	member("slug", values[index.BriefSlug])
	member("name", values[index.BriefName])
	member("purpose", values[index.BriefPurpose])
	member("untranslated", values[index.BriefUntranslated])
	member("license", values[index.BriefLicense])
	member("openness", restrictedOpenness(&values))
	if models := values[index.BriefModelLicense]; isOneOf(models, api.RestrictedModels...) {
		member("modelLicense", models)
	}
	if string(values[index.BriefArchived]) == "true" {
		member("upkeep", []byte(`"`+api.UpkeepArchived+`"`))
	} else if upkeep := values[index.BriefUpkeep]; isOneOf(upkeep, api.UpkeepDormant) {
		member("upkeep", upkeep)
	}
	if gpu := values[index.BriefGPU]; isOneOf(gpu, hardware.GPURequired) {
		member("gpu", gpu)
	}
	s.uses = slices.AppendSeq(s.uses[:0], s.Needs.Uses(doc))
	needs := &s.Needs.Distinct[s.Needs.Of(doc)]
	if m.named {
		j := m.Judge(needs, s.met[:0])
		s.met = j.Met
		dst = m.appendMemory(dst, needs, &j)
		dst = m.appendBriefFit(append(dst, `,"fit":`...), doc, needs, &j)
	} else {
		dst = m.appendMemory(dst, needs, nil)
	}
	dst = s.appendBriefFacts(dst, doc)
	member("caveat", chosenCaveat(values[index.BriefCaveats], words, s.Language))
	member("pageUrl", values[index.BriefPageURL])
	if len(dst) == open { // a damaged file
		return append(dst, '{')
	}
	dst[open] = '{'
	return dst
}

// appendBriefFacts appends the member fitNotes of an api.BriefHit, or nothing if no such fact is known.
func (s *scratch) appendBriefFacts(dst []byte, doc int) []byte {
	if len(s.briefFacts) == 0 {
		return dst
	}
	const name = `,"fitNotes":`
	before := len(dst)
	dst = append(dst, name...)
	open := len(dst)
	s.Documents.EachFact(doc, func(key, value []byte) {
		if text := string(value); text != "null" && text != "[]" && slices.Contains(s.briefFacts, string(key)) {
			dst = append(append(append(dst, `,"`...), key...), `":`...)
			dst = append(dst, value...)
		}
	})
	if len(dst) == open {
		return dst[:before]
	}
	dst[open] = '{'
	return append(dst, '}')
}

// restrictedOpenness returns how freely the code may be used, or nil if it is plain open source.
func restrictedOpenness(values *index.BriefValues) []byte {
	openness := values[index.BriefOpenness]
	switch {
	case isOneOf(openness, api.PlainOpenSource):
		return nil
	case openness == nil && string(values[index.BriefOSIApproved]) == "false":
		return []byte(`"` + api.NotOpenSource + `"`)
	}
	return openness
}

// isOneOf reports whether a JSON string is one of some texts, which need no escapes.
func isOneOf(value []byte, texts ...string) bool {
	return len(value) > 2 && slices.Contains(texts, string(value[1:len(value)-1]))
}

// appendMemory appends the member memory of an api.BriefHit, or nothing if no memory is known: that of the
// use by which the listing fits, if j says that it does, or else the least. s.uses must have the uses of
// the listing.
func (m *machine) appendMemory(dst []byte, needs *hardware.Needs, j *hardware.Judgement) []byte {
	s := m.s
	least, use := m.Least(needs)
	if j != nil && j.Verdict == hardware.Fits && !j.ByEstimate && len(s.met) > 0 {
		use = s.met[0]
		least = needs.Setups[use].Memory()
	}
	if least == (hardware.Memory{}) {
		return dst
	}
	dst = append(dst, `,"memory":`...)
	open := len(dst)
	figure := func(name string, gb float64, basis string) {
		if basis != "" {
			dst = strconv.AppendFloat(append(append(append(dst, `,"`...), name...), `Gb":`...), gb, 'f', -1, 64)
			dst = api.AppendString(append(append(append(dst, `,"`...), name...), `Basis":`...), basis)
		}
	}
	figure("ram", least.RAMGb, least.RAMBasis)
	figure("vram", least.VRAMGb, least.VRAMBasis)
	if use >= 0 && use < len(s.uses) { // unless the file is damaged
		dst = append(append(dst, `,"for":`...), s.uses[use]...)
	}
	dst[open] = '{'
	return append(dst, '}')
}

// appendBriefFit appends the JSON of the hardware.BriefFit of a listing, whose judgement is j. s.uses must
// have its uses.
func (m *machine) appendBriefFit(dst []byte, doc int, needs *hardware.Needs, j *hardware.Judgement) []byte {
	s := m.s
	dst = api.AppendString(append(dst, `{"verdict":`...), string(j.Verdict))
	name, use := "", -1
	switch {
	case j.ByEstimate:
		name, use = "estimate", len(needs.Setups)
	case len(s.met) > 0:
		name, use = "setups", s.met[0]
	case j.Verdict == hardware.Unlikely:
		name, use = "unmet", m.Unmet(needs)
	}
	if use >= 0 && use < len(s.uses) { // unless the file is damaged
		dst = append(append(append(dst, `,"`...), name...), `":`...)
		if j.ByEstimate {
			dst = append(append(append(dst, `{"because":`...), s.uses[use]...), '}')
		} else {
			dst = append(append(append(dst, '['), s.uses[use]...), ']')
		}
	}
	if unasked := j.Unasked(); len(unasked) > 0 {
		dst = api.AppendStrings(append(dst, `,"unasked":`...), unasked)
	}
	if s.taxonomy.HasModels() {
		before := len(dst)
		dst = m.appendLargestModel(append(dst, `,"largestModel":`...), doc, needs)
		if bytes.HasSuffix(dst, []byte("null")) {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

// caveatWords returns the stems of the words of the query that a caveat may share: not those that occur
// in any text, such as "the" or "tool".
func (a *answer) caveatWords() (stems []string) {
	for _, word := range a.all {
		if !a.s.Language.FunctionWords[word] && !a.vocabulary.weak[word] {
			stems = append(stems, strings.TrimSuffix(a.s.Language.Stem(word), "i")) // "memory" has the stem "memori"
		}
	}
	return stems
}

// chosenCaveat returns the first of a JSON array of strings that has a word with one of the stems, else
// the first; nil if the array is empty.
func chosenCaveat(caveats []byte, stems []string, language *token.Language) (chosen []byte) {
	for rest := caveats; ; {
		from := bytes.IndexByte(rest, '"')
		if from < 0 {
			return chosen
		}
		to := from + 1
		for to < len(rest) && rest[to] != '"' {
			if rest[to] == '\\' {
				to++
			}
			to++
		}
		if to >= len(rest) { // a damaged file
			return chosen
		}
		caveat := rest[from : to+1]
		rest = rest[to+1:]
		if chosen == nil {
			chosen = caveat
		}
		if len(stems) == 0 {
			return chosen
		}
		if sharesWord(caveat, stems, language) {
			return caveat
		}
	}
}

// maxEnding is the most letters by which a word may be longer than its stem. To stem each word of a
// caveat would take longer than to write the hit.
const maxEnding = 4

// sharesWord reports whether a text has a word with one of the stems.
func sharesWord(text []byte, stems []string, language *token.Language) bool {
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && isWordByte(text[end]) {
			end++
		}
		if beginsWithStem(text[i:end], stems) {
			return true
		}
		if i = end + 1; end < len(text) && text[end] >= utf8.RuneSelf { // such texts are rare, and folding takes long
			shares := false
			language.Each(token.Fold(string(text)), func(word string, _, _ int) {
				shares = shares || beginsWithStem([]byte(word), stems)
			})
			return shares
		}
	}
	return false
}

func isWordByte(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' }

// beginsWithStem reports whether a word, whose case does not matter, seems to have one of the stems.
func beginsWithStem(word []byte, stems []string) bool {
	for _, stem := range stems {
		if n := len(stem); 0 < n && n <= len(word) && len(word) <= n+maxEnding && word[0]|0x20 == stem[0]|0x20 &&
			strings.EqualFold(string(word[:n]), stem) {
			return true
		}
	}
	return false
}
