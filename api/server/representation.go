package server

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"io/fs"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"

	"catalog.example/api"
	"catalog.example/api/server/snapshot"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// representation is a body in one content coding, with the headers that describe it (RFC 9110,
// section 3.2). It never changes, and any number of responses share it.
type representation struct {
	tag               string // prefix of the body's ETags in all codings
	coding            coding
	contentType, link string // headers; link may be ""
	size              int64  // of the body, in bytes
	shrinks           bool   // the body is text, which is worth compressing

	// body is nil if each response copies it from the snapshot, or reads it from its file.
	body []byte
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

// cacheKey is the key of a representation in the cache. It includes the identity of the snapshot,
// so that nothing from a replaced index is ever sent. Files can change under the same identity, so
// they are also compared each time.
type cacheKey struct {
	snapshot string
	source   source
	coding   coding
}

// cacheBytes bounds the memory of the cache, in bytes. The pages of a few hundred listings fit, in
// every coding that browsers accept, or the headers of 20,000 files or listings. That is a quarter of the
// memory that the server of a small catalogue may take.
const cacheBytes = 16 << 20

// representationBytes is roughly the memory of a representation without its body: its headers, its
// key and its place in the cache.
const representationBytes = 768

// memory returns roughly the memory of the representation, in bytes.
func (rep *representation) memory() int { return representationBytes + len(rep.body) }

// representationCache keeps the most recently used representations. Those of a replaced index age
// out. Any number of goroutines may use it.
type representationCache struct {
	most int // bytes

	mu    sync.Mutex
	bytes int // memory of all representations
	lru   *simplelru.LRU[cacheKey, *representation]
}

// newRepresentationCache returns an empty cache, whose maximum size in bytes is most.
func newRepresentationCache(most int) *representationCache {
	c := &representationCache{most: most}
	// Only the memory is bounded, not the number of entries. NewLRU fails only if the size is not
	// positive.
	c.lru, _ = simplelru.NewLRU(math.MaxInt, func(_ cacheKey, rep *representation) { c.bytes -= rep.memory() })
	return c
}

// get returns the representation for a key, or nil.
func (c *representationCache) get(key cacheKey) *representation {
	c.mu.Lock()
	defer c.mu.Unlock()
	rep, _ := c.lru.Get(key)
	return rep
}

// keep adds or replaces the representation for a key, unless it would take more than an eighth of
// the cache.
func (c *representationCache) keep(key cacheKey, rep *representation) {
	if rep.memory() > c.most/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Remove(key)
	c.lru.Add(key, rep)
	for c.bytes += rep.memory(); c.bytes > c.most; {
		c.lru.RemoveOldest()
	}
}

// askedTags is how many tags of answers are remembered, to know which are asked for again.
const askedTags = 4096

// askedAgain remembers the most recent answers by their tags. Any number of goroutines may use it.
type askedAgain struct {
	mu   sync.Mutex
	tags *simplelru.LRU[string, struct{}]
}

func newAskedAgain() *askedAgain {
	tags, _ := simplelru.NewLRU[string, struct{}](askedTags, nil) // fails only if the size is not positive
	return &askedAgain{tags: tags}
}

// is reports whether an answer was asked for before, and remembers it.
func (a *askedAgain) is(tag string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tags.Contains(tag) {
		return true
	}
	a.tags.Add(tag, struct{}{})
	return false
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
	if from.kind == fromFile {
		res.buffer.bytes, ok = reps.reread(res.buffer.bytes, snap, from.name, rep)
	} else {
		res.buffer.bytes, ok = from.appendTo(res.buffer.bytes, snap)
	}
	res.body = res.buffer.bytes
	return ok
}

// respondFresh answers with a JSON body that appendBody makes, with its Link header, or with 304 and no
// Link header if the client already has the body. Both must depend only on what the tag is made from. An answer that is
// asked for again is cached; most queries are asked once.
func (reps *representations) respondFresh(
	req *request, tag string, appendBody func(dst []byte) (body []byte, link string),
) *response {
	key := cacheKey{snapshot: req.snapshot.Identity, source: source{kind: fromAnswer, name: tag}}
	if kept := reps.cache.get(key); kept != nil {
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
		res.buffer.bytes, res.link = appendBody(res.buffer.bytes)
		res.body = res.buffer.bytes
		if reps.asked.is(tag) {
			reps.cache.keep(key, &representation{
				tag: tag, contentType: jsonType, link: res.link, size: int64(len(res.body)), shrinks: true,
				body: slices.Clone(res.body),
			})
		}
		coding = reps.compressFresh(res, &accepts)
	}
	res.etag = etagOf(tag, coding)
	return res
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
