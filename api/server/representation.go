package server

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"

	"catalog.example/api"
	"catalog.example/api/server/snapshot"
)

// representation is a body in one content coding, with the headers that describe it (RFC 9110,
// section 3.2). It never changes, and any number of responses share it.
type representation struct {
	tag               string // prefix of the body's ETags in all codings
	coding            coding
	contentType, link string // headers; link may be ""
	size              int64  // of the body, in bytes
	shrinks           bool   // the body is text, which is worth compressing

	// body is nil if each response copies it from the snapshot, reads it from its file, or makes it
	// from answer.
	body []byte
	// answer is what the body is made from if it is an answer without a coding, or else nil.
	answer *keptAnswer
	// once means that it was asked for only once.
	once bool
	// file describes the body's file as it was when it was read; nil if the body is not from a
	// file. sum tells whether a file that is read again has the same content: it is a hash with a
	// random seed, and faster than that of the tag.
	file fs.FileInfo
	sum  uint64
}

// isLarge reports whether the body is a file that is sent from disk.
func (rep *representation) isLarge() bool { return rep.file != nil && rep.size > maxKept }

// acceptance returns the weights that a client gives to the codings of the representation.
func (rep *representation) acceptance(h http.Header) acceptance {
	if rep.shrinks {
		return acceptanceOf(h)
	}
	return identityOnly
}

// vary returns the Vary header for responses outside the API, which has its own.
func (rep *representation) vary() string {
	if rep.shrinks {
		return "Accept-Encoding"
	}
	return ""
}

// tagBytes is how many bytes of a SHA-256 hash make up a tag: 128 bits are enough to avoid
// collisions.
const tagBytes = 16

// etagOf returns the strong ETag of a body in a coding. The bytes differ between codings, so each
// needs an ETag of its own (RFC 9110, section 8.8.3.3).
func etagOf(tag string, c coding) string {
	if c == identity {
		return `"` + tag + `"`
	}
	return `"` + tag + "-" + codingNames[c] + `"`
}

// tagOf returns the tag of a body that is content, or that depends only on content.
func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:tagBytes])
}

// sourceKind says where the body of a representation comes from.
type sourceKind uint8

const (
	fromProject sourceKind = iota // a listing, by its slug
	fromList                      // a page of the list
	fromOpenAPI                   // the OpenAPI document
	fromFile                      // a file of the build output
	fromAnswer                    // the answer to a query, by its tag
)

// source says what a body is made from.
type source struct {
	kind sourceKind
	name string // a slug, or the name of a file
	list api.ListQuery
}

// appendTo appends a body from the index. It reports whether the snapshot has it.
func (o *source) appendTo(dst []byte, snap *snapshot.Snapshot) ([]byte, bool) {
	switch o.kind {
	case fromProject:
		return snap.Index.AppendProject(dst, o.name)
	case fromOpenAPI:
		return append(dst, snap.OpenAPI...), true
	default:
		return appendList(dst, snap.Index, o.list, nil), true
	}
}

// effort returns how hard to compress the body. The number of lists and queries is unlimited.
func (o *source) effort() effort {
	if o.kind == fromList || o.kind == fromAnswer {
		return quick
	}
	return thorough
}

// representations makes the bodies of responses, and caches them.
type representations struct {
	cache      *representationCache
	asked      *askedAgain
	compressor *compressor
	buffers    sync.Pool // of *buffer
	slots      *bound    // requests being processed
	seed       maphash.Seed
}

// represent answers with 304 if the client already has the body (RFC 9110, section 13.1.2), or else
// with the body in the coding that the client prefers. plain is the body without a coding. The
// response is nil if the body is in a file that has changed.
func (reps *representations) represent(req *request, key cacheKey, plain *representation) *response {
	accepts := plain.acceptance(req.r.Header)
	if held, ok := heldCoding(req.r.Header, plain.tag, &accepts); ok {
		etag := etagOf(plain.tag, held)
		return &response{status: http.StatusNotModified, etag: etag, link: plain.link, vary: plain.vary()}
	}
	return reps.representBody(req, http.StatusOK, key, plain, &accepts)
}

// representBody answers with the body in the coding that the client prefers. The response is nil if
// the body is in a file that has changed.
func (reps *representations) representBody(
	req *request, status int, key cacheKey, plain *representation, accepts *acceptance,
) *response {
	res, rep := &response{status: status}, plain
	if key.coding = codingFor(accepts, plain.size); key.coding != identity {
		rep = reps.codedRepresentation(res, req.snapshot, &key, plain, accepts)
	}
	isMissing := rep != nil && rep.body == nil && res.body == nil && !rep.isLarge()
	if rep == nil || isMissing && !reps.render(res, req.snapshot, &key.source, rep) {
		reps.release(res)
		return nil
	}
	if rep.body != nil {
		reps.release(res)
		res.body, res.shared = rep.body, true
		res.uncounted = rep.file != nil && rep.size <= sharedBytes
	}
	res.isFile, res.size, res.contentType, res.link = rep.file != nil, rep.size, rep.contentType, rep.link
	res.etag, res.vary, res.contentEncoding = etagOf(rep.tag, rep.coding), rep.vary(), rep.coding.encoding()
	return res
}

// codedRepresentation returns the representation for a key, or plain if compressing does not help
// or there is no time for it. It may render the body into the response. It returns nil if the body is
// in a file that has changed.
func (reps *representations) codedRepresentation(
	res *response, snap *snapshot.Snapshot, key *cacheKey, plain *representation, accepts *acceptance,
) *representation {
	// The tag is compared because a file may have changed.
	if kept := reps.cache.get(*key); kept != nil && kept.tag == plain.tag {
		return kept
	}
	body := plain.body
	if body == nil {
		if !reps.render(res, snap, &key.source, plain) {
			return nil
		}
		body = res.body
	}
	out := reps.compress(body, key.coding, accepts, key.source.effort())
	if out == nil {
		return plain
	}
	defer reps.giveBuffer(out)
	rep := plain
	if len(out.bytes) < len(body) || accepts.refusesIdentity() {
		coded := *plain
		coded.coding, coded.body, coded.size = key.coding, slices.Clone(out.bytes), int64(len(out.bytes))
		coded.answer = nil
		rep = &coded
	}
	reps.cache.keep(*key, rep)
	return rep
}

// respondSource answers with a JSON body from the snapshot. It caches the headers and the
// compressed bodies. describe sets the tag and the link of the representation; if describe is nil,
// the tag is the hash of the body. The response is nil if the snapshot has no such body.
func (reps *representations) respondSource(
	req *request, from source, describe func(plain *representation),
) *response {
	key := cacheKey{snapshot: req.snapshot.Identity, source: from}
	plain := reps.cache.get(key)
	if plain == nil {
		var scratch response
		defer reps.release(&scratch)
		if !reps.render(&scratch, req.snapshot, &from, nil) {
			return nil
		}
		plain = &representation{contentType: jsonType, size: int64(len(scratch.body)), shrinks: true}
		if describe == nil {
			plain.tag = tagOf(scratch.body)
		} else {
			describe(plain)
		}
		key.source.name = strings.Clone(from.name) // a slug would keep the request's whole address in memory
		reps.cache.keep(key, plain)
	}
	return reps.represent(req, key, plain)
}

// render copies the body of a representation into the response. It reports whether the snapshot has
// it, and its file has not changed. rep is nil if it is not made yet.
func (reps *representations) render(
	res *response, snap *snapshot.Snapshot, from *source, rep *representation,
) (ok bool) {
	res.buffer = reps.takeBuffer()
	switch from.kind {
	case fromFile:
		res.buffer.bytes, ok = reps.reread(res.buffer.bytes, snap, from.name, rep)
	case fromAnswer:
		res.buffer.bytes, ok = reps.appendAnswer(res.buffer.bytes, snap, rep.answer)
	default:
		res.buffer.bytes, ok = from.appendTo(res.buffer.bytes, snap)
	}
	res.body = res.buffer.bytes
	return ok
}

// compressFresh compresses the body of a response, if the client accepts a coding and there is
// time. It returns the coding used.
func (reps *representations) compressFresh(res *response, accepts *acceptance) coding {
	to := codingFor(accepts, int64(len(res.body)))
	if to == identity {
		return identity
	}
	coded := reps.compress(res.body, to, accepts, quick)
	if coded == nil {
		return identity
	}
	reps.giveBuffer(res.buffer)
	res.buffer, res.body, res.contentEncoding = coded, coded.bytes, to.encoding()
	return to
}

// compress returns a body in a coding, or nil if there is no time: every core is already
// compressing, or the server is near its limit of requests. For a client that accepts no
// uncompressed body, there is always time.
func (reps *representations) compress(body []byte, to coding, accepts *acceptance, e effort) *buffer {
	if !accepts.refusesIdentity() {
		isNearlyFull := 4*reps.slots.used.Load() > 3*reps.slots.most && reps.slots.most > 1
		if isNearlyFull || !reps.compressor.running.take(1) {
			return nil
		}
		defer reps.compressor.running.release(1)
	}
	out := reps.takeBuffer()
	out.bytes = reps.compressor.compress(out.bytes, body, to, e)
	return out
}
