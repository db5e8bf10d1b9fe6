package server

import (
	"net/http"
	"slices"

	"catalog.example/api/search"
	"catalog.example/api/server/snapshot"
	"github.com/klauspost/compress/s2"
)

// keptAnswer is an answer as the cache keeps it: without what the index has as well. That leaves less
// than half of a search.
type keptAnswer struct {
	text   []byte // without the quotes
	quotes []search.Quote
	// isPacked means that text is in the S2 format, which is unpacked faster than any content coding.
	isPacked bool
}

// quoteBytes is the memory of a quote, in bytes.
const quoteBytes = 12

func (a *keptAnswer) memory() int {
	if a == nil {
		return 0
	}
	return len(a.text) + quoteBytes*len(a.quotes)
}

// appendAnswer appends the body of an answer that was kept.
func (reps *representations) appendAnswer(
	dst []byte, snap *snapshot.Snapshot, a *keptAnswer,
) (body []byte, ok bool) {
	text := a.text
	if a.isPacked {
		room := reps.takeBuffer()
		defer reps.giveBuffer(room)
		unpacked, err := s2.Decode(room.bytes[:cap(room.bytes)], a.text)
		if err != nil {
			return dst, false
		}
		room.bytes, text = unpacked, unpacked
	}
	return snap.Index.AppendRequoted(dst, text, a.quotes), true
}

// packedCopy returns a copy of a representation that was asked for again, with its answer packed if
// that makes it smaller.
func (reps *representations) packedCopy(rep *representation) *representation {
	again := *rep
	again.once = false
	text := rep.answer.text
	room := reps.takeBuffer()
	defer reps.giveBuffer(room)
	room.bytes = slices.Grow(room.bytes, s2.MaxEncodedLen(len(text)))
	if packed := s2.Encode(room.bytes[:cap(room.bytes)], text); len(packed) < len(text) {
		again.answer = &keptAnswer{slices.Clone(packed), rep.answer.quotes, true}
	}
	return &again
}

// respondFresh answers with a JSON body that appendBody makes, with its Link header, or with 304 and
// no Link header if the client already has the body. Both must depend only on what the tag is made
// from. An answer is cached as long as there is room that nothing else needs, and longer if it is
// asked for again: most queries are asked once.
func (reps *representations) respondFresh(
	req *request, tag string, appendBody func(dst []byte) (answer search.Answer, link string),
) *response {
	key := cacheKey{snapshot: req.snapshot.Identity, source: source{kind: fromAnswer, name: tag}}
	if kept := reps.cache.get(key); kept != nil {
		if kept.once {
			reps.cache.keep(key, reps.packedCopy(kept))
		}
		res := reps.represent(req, key, kept)
		if !res.hasBody() {
			res.link = "" // as without the cache, where it is not known
		}
		return res
	}
	accepts := acceptanceOf(req.r.Header)
	res := &response{status: http.StatusNotModified}
	coding, ok := heldCoding(req.r.Header, tag, &accepts)
	if !ok {
		res.status, res.contentType = http.StatusOK, jsonType
		res.buffer = reps.takeBuffer()
		var answer search.Answer
		answer, res.link = appendBody(res.buffer.bytes)
		res.buffer.bytes, res.body = answer.JSON, answer.JSON
		reps.keepAnswer(key, &representation{
			tag: tag, contentType: jsonType, link: res.link, size: int64(len(res.body)), shrinks: true,
			answer: &keptAnswer{text: answer.Unquoted(), quotes: answer.Quotes}, once: true,
		})
		coding = reps.compressFresh(res, &accepts)
	}
	res.etag = etagOf(tag, coding)
	return res
}

// keepAnswer caches an answer.
func (reps *representations) keepAnswer(key cacheKey, rep *representation) {
	if reps.asked.is(rep.tag) {
		rep = reps.packedCopy(rep)
	}
	reps.cache.keep(key, rep)
}
