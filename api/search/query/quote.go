package query

import "runtime"

// Quote is a part of an answer that is copied from the index: the JSON of a hit without how it
// matches. Whoever keeps an answer can leave out the quotes, which are most of it.
type Quote struct{ Doc, From, To uint32 } // a listing, and where the answer quotes it

// appendQuoted appends the JSON that the index has for a hit, and remembers it as a quote.
func (s *scratch) appendQuoted(dst []byte, doc int) []byte {
	from := len(dst)
	dst = s.Documents.AppendHit(dst, doc)
	// An answer is shorter than 4 GiB: it has at most 50 hits.
	s.quotes = append(s.quotes, Quote{uint32(doc), uint32(from), uint32(len(dst))})
	return dst
}

// Unquoted returns a copy of the JSON without its quotes.
func (a *Answer) Unquoted() []byte {
	size := len(a.JSON)
	for _, q := range a.Quotes {
		size -= int(q.To - q.From)
	}
	text, end := make([]byte, 0, size), uint32(0)
	for _, q := range a.Quotes {
		text, end = append(text, a.JSON[end:q.From]...), q.To
	}
	return append(text, a.JSON[end:]...)
}

// AppendRequoted appends the JSON of an answer of this Engine, which Unquoted has shortened.
func (e *Engine) AppendRequoted(dst, unquoted []byte, quotes []Quote) []byte {
	defer runtime.KeepAlive(e)
	end := uint32(0)
	for _, q := range quotes {
		n := q.From - end
		dst, unquoted = append(dst, unquoted[:n]...), unquoted[n:]
		dst = e.Documents.AppendHit(dst, int(q.Doc))
		end = q.To
	}
	return append(dst, unquoted...)
}
