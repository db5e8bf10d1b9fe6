package relevance

// knob is a setting of a peer, with its value and the values that tuning may try.
type knob struct {
	name  string
	value float64
	steps []float64 // ascending
}

// The values that tuning may try: for the weight of a field, for a switch, and for a fraction.
var (
	weights  = []float64{0, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16}
	onOff    = []float64{0, 1}
	fraction = []float64{0, 0.1, 0.2, 0.35, 0.5, 0.75, 1}
)

// peers lists the engines that ours is compared with. -tune found the values of their knobs on the
// training part of the judged set.
var peers = []peerSpec{
	{name: "fts5", knobs: []knob{
		{"name", 8, weights}, {"aliases", 8, weights}, {"replaces", 8, weights}, {"purpose", 2, weights},
		{"jobs", 2, weights}, {"category", 2, weights}, {"topics", 2, weights}, {"description", 0.1, weights},
		{"prefix", 0, onOff},    // the last word may be the beginning of a word
		{"stopWords", 1, onOff}, // drop stop words from the query
		{"allFirst", 0, onOff},  // listings with all words before those with any
	}},
	{name: "bleve", knobs: []knob{
		{"name", 0.25, weights}, {"aliases", 1, weights}, {"replaces", 4, weights}, {"purpose", 0.25, weights},
		{"jobs", 2, weights}, {"category", 0.5, weights}, {"topics", 1, weights}, {"description", 4, weights},
		{"byWord", 0, onOff},              // disjunctions have words as parts, not fields
		{"bm25", 1, onOff},                // BM25 as the scoring model; otherwise tf-idf
		{"prefix", 0, weights},            // weight of prefixes, relative to whole words
		{"fuzzy", 1, weights},             // weight of misspelt words, relative to correct ones
		{"fuzziness", 2, []float64{1, 2}}, // maximum number of edits
	}},
	{name: "minisearch", script: "minisearch.mjs", knobs: []knob{
		{"name", 1, weights}, {"aliases", 2, weights}, {"replaces", 4, weights}, {"purpose", 1, weights},
		{"jobs", 2, weights}, {"category", 4, weights}, {"topics", 0.25, weights}, {"description", 1, weights},
		{"stopWords", 1, onOff},
		{"stem", 1, onOff},                // with the npm package stemmer, as MiniSearch's documentation suggests
		{"fuzzy", 0.1, fraction},          // edits per letter
		{"prefix", 0, []float64{0, 1, 2}}, // prefix search for no word, the last word, or any word
		{"fuzzyWeight", 0.5, fraction},
		{"prefixWeight", 0.35, fraction},
		{"k", 0.4, []float64{0.4, 0.8, 1.2, 2, 3}}, // a parameter of BM25+, like b
		{"b", 0.75, fraction},
	}},
	{name: "pagefind", script: "pagefind.mjs", knobs: []knob{
		// Weights of words on the page, 0 to 10 (data-pagefind-weight).
		{"name", 3, pageWeights}, {"aliases", 2, pageWeights}, {"replaces", 10, pageWeights},
		{"purpose", 5, pageWeights},
		{"jobs", 3, pageWeights}, {"category", 5, pageWeights}, {"topics", 2, pageWeights},
		{"description", 1, pageWeights},
		// Weights of the same texts as metadata (ranking.metaWeights).
		{"metaName", 2, weights}, {"metaAliases", 0, weights}, {"metaReplaces", 0.5, weights},
		{"stopWords", 1, onOff},
		{"pageLength", 0, fraction},
		{"termFrequency", 0.5, fraction},
		{"termSimilarity", 20, []float64{0, 1, 3, 9, 20}},
		{"termSaturation", 1, []float64{0.1, 0.5, 1, 1.5, 2}},
	}},
}

var pageWeights = []float64{0.1, 0.25, 0.5, 1, 2, 3, 5, 7, 10}

// peerNamed returns the peer with the given name.
func peerNamed(name string) (*peerSpec, bool) {
	for i := range peers {
		if peers[i].name == name {
			return &peers[i], true
		}
	}
	return nil, false
}

// settings returns the values of the knobs.
func (s *peerSpec) settings() map[string]float64 {
	m := map[string]float64{}
	for _, k := range s.knobs {
		m[k.name] = k.value
	}
	return m
}
