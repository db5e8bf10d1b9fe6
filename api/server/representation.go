package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"catalog.example/api"
	"catalog.example/api/search"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// representation is what is sent of a resource in one content coding: the body, and
// the headers that follow from it (RFC 9110, section 3.2). It never changes, and any
// number of responses share it.
type representation struct {
	tag     string // what the ETags of all codings of the body begin with
	coding  coding
	size    int64 // of the body, in bytes
	shrinks bool  // it is text, which is worth compressing

	// Values of headers; nil where there is none.
	etag, contentType, contentLength, link []string

	// body is nil where it is copied from the index each time, or read from a large
	// file.
	body []byte
	// file is what the representation was made of, as it was then; nil for the index.
	file fs.FileInfo
}

// newRepresentation returns the representation of a body of that size without a
// coding.
func newRepresentation(tag, contentType string, size int64, shrinks bool) *representation {
	return &representation{
		tag: tag, size: size, shrinks: shrinks, etag: []string{etagOf(tag, identity)},
		contentType: []string{contentType}, contentLength: []string{strconv.FormatInt(size, 10)},
	}
}

// coded returns the representation in a coding in which the body is these bytes.
func (rep *representation) coded(c coding, body []byte) *representation {
	other := *rep
	other.coding, other.body, other.size = c, body, int64(len(body))
	other.etag, other.contentLength = []string{etagOf(rep.tag, c)}, []string{strconv.Itoa(len(body))}
	return &other
}

// acceptance returns what a client makes of the codings of the representation.
func (rep *representation) acceptance(h http.Header) acceptance {
	if rep.shrinks {
		return acceptanceOf(h)
	}
	return identityOnly
}

// vary is the header Vary of the representation outside the API, which has its own.
func (rep *representation) vary() []string {
	if rep.shrinks {
		return varyPage
	}
	return nil
}

// tagBytes is how much of a SHA-256 a tag is made of: 128 bits are enough to avoid
// collisions.
const tagBytes = 16

// etagSuffixes tell the strong ETags of the codings of one body apart: each
// coding is other bytes (RFC 9110, section 8.8.3.3).
var etagSuffixes = [codingCount]string{gzipCoding: "-gzip", brotliCoding: "-br", zstdCoding: "-zstd"}

// etagOf returns the strong ETag of a body in a coding, for the tag of the body.
func etagOf(tag string, c coding) string { return `"` + tag + etagSuffixes[c] + `"` }

// tagOf returns the tag of a body that has these bytes, or follows from them alone.
func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:tagBytes])
}

// sourceKind is where the body of a representation comes from.
type sourceKind uint8

const (
	fromProject sourceKind = iota // the listing of a slug
	fromList                      // a page of the list
	fromOpenAPI                   // the OpenAPI document
	fromFile                      // a file of the build output
)

// source is what is represented.
type source struct {
	kind sourceKind
	name string // a slug, or the name of a file
	list api.ListQuery
}

// appendTo appends the body of what comes from the index; it reports whether there is
// one.
func (o *source) appendTo(dst []byte, ix *search.Index) ([]byte, bool) {
	if o.kind == fromProject {
		return ix.AppendProject(dst, o.name)
	}
	return appendList(dst, ix, o.list, nil), true
}

// effort is what compressing it is worth: there are as many lists as numbers.
func (o *source) effort() effort {
	if o.kind == fromList {
		return quick
	}
	return thorough
}

// cacheKey is by what a representation is found. What comes from an index is found by
// the identity of that, so that nothing of an index that was replaced is ever sent
// again. What comes from a file is compared with the file each time.
type cacheKey struct {
	snapshot string
	source   source
	coding   coding
}

// cacheBytes bounds the memory of all representations that are kept, in bytes. It
// holds the pages of some hundred listings in every coding that browsers ask for, or
// the headers of 20,000 listings; a quarter of the memory that a server of a small
// catalogue may take.
const cacheBytes = 16 << 20

// representationBytes is about what a representation takes beside its body: its
// headers, its key and its place in the cache.
const representationBytes = 768

// memory is about what the representation takes, in bytes.
func (rep *representation) memory() int { return representationBytes + len(rep.body) }

// representationCache keeps the representations that were used last. Those of a replaced index
// age out of it. It may be used by any number of goroutines.
type representationCache struct {
	most int // bytes

	mu    sync.Mutex
	bytes int // of all that are kept
	lru   *simplelru.LRU[cacheKey, *representation]
}

// newRepresentationCache returns a cache of at most so many bytes.
func newRepresentationCache(most int) *representationCache {
	c := &representationCache{most: most}
	// Bytes are the bound, not the number of entries. The error is that of a size of 0.
	c.lru, _ = simplelru.NewLRU(math.MaxInt, func(_ cacheKey, rep *representation) { c.bytes -= rep.memory() })
	return c
}

// get returns the representation of a key, or nil.
func (c *representationCache) get(key cacheKey) *representation {
	c.mu.Lock()
	defer c.mu.Unlock()
	rep, _ := c.lru.Get(key)
	return rep
}

// keep keeps a representation, in place of another one of the key. One that would take
// more than an eighth of the cache is not kept.
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

// representations makes the bodies of responses, and keeps those that were used last.
type representations struct {
	cache      *representationCache
	compressor *compressor
	buffers    sync.Pool // of *buffer
	slots      *bound    // requests that are decided at once
}

// represent answers with what is kept: its headers, where the client has the body
// already (RFC 9110, section 13.1.2), or else the body in the coding that the client
// likes best.
func (reps *representations) represent(req *request, key cacheKey, plain *representation) (*response, error) {
	accepts := plain.acceptance(req.r.Header)
	if held, ok := heldCoding(req.r.Header, plain.tag, &accepts); ok {
		res := &response{status: http.StatusNotModified, etag: plain.etag, link: plain.link, vary: plain.vary()}
		if held != identity {
			res.ownETag[0] = etagOf(plain.tag, held)
			res.etag = res.ownETag[:]
		}
		return res, nil
	}
	return reps.representBody(req, http.StatusOK, key, plain, &accepts)
}

// representBody answers with the body in the coding that the client likes best.
func (reps *representations) representBody(
	req *request, status int, key cacheKey, plain *representation, accepts *acceptance,
) (*response, error) {
	res, rep := &response{status: status}, plain
	var err error
	if key.coding = codingFor(accepts, plain.size); key.coding != identity {
		rep, err = reps.codedRepresentation(res, req.snapshot.Index, &key, plain, accepts)
	}
	if err == nil && rep.body == nil && res.body == nil && key.source.kind != fromFile {
		err = reps.render(res, req.snapshot.Index, &key.source)
	}
	if err != nil {
		reps.release(res)
		return nil, err
	}
	if rep.body != nil {
		reps.release(res)
		res.body, res.shared = rep.body, true
		res.uncounted = rep.file != nil && rep.size <= sharedBytes
	}
	res.isFile, res.size = rep.file != nil, rep.size
	res.etag, res.link, res.vary = rep.etag, rep.link, rep.vary()
	res.contentType, res.contentLength = rep.contentType, rep.contentLength
	res.contentEncoding = contentEncodings[rep.coding]
	return res, nil
}

// codedRepresentation returns the representation of a key, the plain one where there
// is no time to make it. On the way it may render the body into the response.
func (reps *representations) codedRepresentation(
	res *response, ix *search.Index, key *cacheKey, plain *representation, accepts *acceptance,
) (*representation, error) {
	// The tag is compared because a file may have changed since.
	if kept := reps.cache.get(*key); kept != nil && kept.tag == plain.tag {
		return kept, nil
	}
	body := plain.body
	if body == nil {
		if err := reps.render(res, ix, &key.source); err != nil {
			return nil, err
		}
		body = res.body
	}
	rep, err := reps.encode(plain, body, key.coding, accepts, key.source.effort())
	if err != nil || rep == nil {
		return plain, err
	}
	reps.cache.keep(*key, rep)
	return rep, nil
}

// fromIndex returns the representation without a coding of what comes from the index, and keeps
// it. tag returns the tag for a body, and link, unless it is nil, the Link header. The error is
// errGone if the index does not have it.
func (reps *representations) fromIndex(
	key cacheKey, ix *search.Index, tag func(body []byte) string, link func() []string,
) (*representation, error) {
	if plain := reps.cache.get(key); plain != nil {
		return plain, nil
	}
	var scratch response
	defer reps.release(&scratch)
	if err := reps.render(&scratch, ix, &key.source); err != nil {
		return nil, err
	}
	plain := newRepresentation(tag(scratch.body), jsonType[0], int64(len(scratch.body)), true)
	if link != nil {
		plain.link = link()
	}
	// The slug of a request holds its whole address in memory.
	key.source.name = strings.Clone(key.source.name)
	reps.cache.keep(key, plain)
	return plain, nil
}

// errGone means that a listing is not in the index.
var errGone = errors.New("the listing is not in the index")

// render copies the body from the index into the response.
func (reps *representations) render(res *response, ix *search.Index, o *source) error {
	res.buffer = reps.takeBuffer()
	var ok bool
	if res.buffer.bytes, ok = o.appendTo(res.buffer.bytes, ix); !ok {
		return errGone
	}
	res.body = res.buffer.bytes
	return nil
}

// encode returns the representation of a body in another coding, or nil where there
// is no time for it. Where the coding makes the body no smaller, it is the same
// representation again.
func (reps *representations) encode(
	plain *representation, body []byte, to coding, accepts *acceptance, e effort,
) (*representation, error) {
	done, ok := reps.mayCompress(accepts)
	if !ok {
		return nil, nil
	}
	defer done()
	out := reps.takeBuffer()
	defer reps.giveBuffer(out)
	var err error
	if out.bytes, err = reps.compressor.compress(out.bytes, body, to, e); err != nil {
		return nil, err
	}
	if len(out.bytes) >= len(body) && !accepts.refusesIdentity() {
		return plain, nil
	}
	return plain.coded(to, slices.Clone(out.bytes)), nil
}

// respondFresh answers with a body of JSON that is made for this request alone,
// unless the client has it already. tag is what the body follows from.
func (reps *representations) respondFresh(req *request, tag string, appendBody func([]byte) []byte) (*response, error) {
	accepts := acceptanceOf(req.r.Header)
	res := &response{status: http.StatusNotModified}
	held, ok := heldCoding(req.r.Header, tag, &accepts)
	if !ok {
		res.status, res.contentType = http.StatusOK, jsonType
		res.buffer = reps.takeBuffer()
		res.buffer.bytes = appendBody(res.buffer.bytes)
		res.body = res.buffer.bytes
		var err error
		if held, err = reps.compressFresh(res, &accepts); err != nil {
			reps.release(res)
			return nil, err
		}
	}
	res.ownETag[0] = etagOf(tag, held)
	res.etag = res.ownETag[:]
	return res, nil
}

// compressFresh puts the body of a response into the coding that the client likes
// best, where that is worth it and there is time, and returns which.
func (reps *representations) compressFresh(res *response, accepts *acceptance) (coding, error) {
	to := codingFor(accepts, int64(len(res.body)))
	if to == identity {
		return identity, nil
	}
	done, ok := reps.mayCompress(accepts)
	if !ok {
		return identity, nil
	}
	defer done()
	coded := reps.takeBuffer()
	var err error
	if coded.bytes, err = reps.compressor.compress(coded.bytes, res.body, to, quick); err != nil {
		reps.giveBuffer(coded)
		return identity, err
	}
	reps.giveBuffer(res.buffer)
	res.buffer, res.body, res.contentEncoding = coded, coded.bytes, contentEncodings[to]
	return to, nil
}

// mayCompress reports whether there is time to compress, and takes a core for it;
// done gives it back. There is none while every core compresses already, nor while
// the server is near its bound of requests: then bytes are cheaper than time. A client
// that takes nothing else has it compressed all the same.
func (reps *representations) mayCompress(accepts *acceptance) (done func(), ok bool) {
	if accepts.refusesIdentity() {
		return func() {}, true
	}
	if 4*reps.slots.used.Load() > 3*reps.slots.most && reps.slots.most > 1 || !reps.compressor.running.take(1) {
		return nil, false
	}
	return func() { reps.compressor.running.release(1) }, true
}
