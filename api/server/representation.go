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

// cache keeps the representations that were used last. Those of a replaced index age
// out of it. It may be used by any number of goroutines.
type cache struct {
	most int // bytes

	mu    sync.Mutex
	bytes int // of all that are kept
	lru   *simplelru.LRU[cacheKey, *representation]
}

// newCache returns a cache of at most so many bytes.
func newCache(most int) *cache {
	c := &cache{most: most}
	// Bytes are the bound, not the number of entries. The error is that of a size of 0.
	c.lru, _ = simplelru.NewLRU(math.MaxInt, func(_ cacheKey, rep *representation) { c.bytes -= rep.memory() })
	return c
}

// get returns the representation of a key, or nil.
func (c *cache) get(key cacheKey) *representation {
	c.mu.Lock()
	defer c.mu.Unlock()
	rep, _ := c.lru.Get(key)
	return rep
}

// keep keeps a representation, in place of another one of the key. One that would take
// more than an eighth of the cache is not kept.
func (c *cache) keep(key cacheKey, rep *representation) {
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

// represent answers with what is kept: its headers, where the client has the body
// already (RFC 9110, section 13.1.2), or else the body in the coding that the client
// likes best.
func (s *Server) represent(req *request, key cacheKey, plain *representation) (*response, error) {
	accepts := plain.acceptance(req.r.Header)
	if held, ok := heldCoding(req.r.Header, plain.tag, &accepts); ok {
		res := &response{status: http.StatusNotModified, etag: plain.etag, link: plain.link, vary: plain.vary()}
		if held != identity {
			res.ownETag[0] = etagOf(plain.tag, held)
			res.etag = res.ownETag[:]
		}
		return res, nil
	}
	return s.representBody(req, http.StatusOK, key, plain, &accepts)
}

// representBody answers with the body in the coding that the client likes best.
func (s *Server) representBody(req *request, status int, key cacheKey, plain *representation, accepts *acceptance) (*response, error) {
	res, rep := &response{status: status}, plain
	var err error
	if key.coding = codingFor(accepts, plain.size); key.coding != identity {
		rep, err = s.codedRepresentation(res, req.snapshot.Index, &key, plain, accepts)
	}
	if err == nil && rep.body == nil && res.body == nil && key.source.kind != fromFile {
		err = s.render(res, req.snapshot.Index, &key.source)
	}
	if err != nil {
		s.release(res)
		return nil, err
	}
	if rep.body != nil {
		s.release(res)
		res.body, res.shared = rep.body, true
		res.uncounted = rep.file != nil && rep.size <= sharedBytes
	}
	res.isFile, res.size = rep.file != nil, rep.size
	res.etag, res.link, res.vary = rep.etag, rep.link, rep.vary()
	res.contentType, res.contentLength, res.contentEncoding = rep.contentType, rep.contentLength, contentEncodings[rep.coding]
	return res, nil
}

// codedRepresentation returns the representation of a key, the plain one where there
// is no time to make it. On the way it may render the body into the response.
func (s *Server) codedRepresentation(res *response, ix *search.Index, key *cacheKey, plain *representation, accepts *acceptance) (*representation, error) {
	// The tag is compared because a file may have changed since.
	if kept := s.cache.get(*key); kept != nil && kept.tag == plain.tag {
		return kept, nil
	}
	body := plain.body
	if body == nil {
		if err := s.render(res, ix, &key.source); err != nil {
			return nil, err
		}
		body = res.body
	}
	rep, err := s.encode(plain, body, key.coding, accepts, key.source.effort())
	if err != nil || rep == nil {
		return plain, err
	}
	s.cache.keep(*key, rep)
	return rep, nil
}

// errGone tells that a listing is not in the index that had it.
var errGone = errors.New("the listing is not in the index")

// render copies the body from the index into the response.
func (s *Server) render(res *response, ix *search.Index, o *source) error {
	res.buffer = s.takeBuffer()
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
func (s *Server) encode(plain *representation, body []byte, to coding, accepts *acceptance, e effort) (*representation, error) {
	done, ok := s.mayCompress(accepts)
	if !ok {
		return nil, nil
	}
	defer done()
	out := s.takeBuffer()
	defer s.giveBuffer(out)
	var err error
	if out.bytes, err = s.compressor.compress(out.bytes, body, to, e); err != nil {
		return nil, err
	}
	if len(out.bytes) >= len(body) && !accepts.refusesIdentity() {
		return plain, nil
	}
	return plain.coded(to, slices.Clone(out.bytes)), nil
}

// respondFresh answers with a body of JSON that is made for this request alone,
// unless the client has it already. tag is what the body follows from.
func (s *Server) respondFresh(req *request, tag string, appendBody func([]byte) []byte) (*response, error) {
	accepts := acceptanceOf(req.r.Header)
	res := &response{status: http.StatusNotModified}
	held, ok := heldCoding(req.r.Header, tag, &accepts)
	if !ok {
		res.status, res.contentType = http.StatusOK, jsonType
		res.buffer = s.takeBuffer()
		res.buffer.bytes = appendBody(res.buffer.bytes)
		res.body = res.buffer.bytes
		var err error
		if held, err = s.compressFresh(res, &accepts); err != nil {
			s.release(res)
			return nil, err
		}
	}
	res.ownETag[0] = etagOf(tag, held)
	res.etag = res.ownETag[:]
	return res, nil
}

// compressFresh puts the body of a response into the coding that the client likes
// best, where that is worth it and there is time, and returns which.
func (s *Server) compressFresh(res *response, accepts *acceptance) (coding, error) {
	to := codingFor(accepts, int64(len(res.body)))
	if to == identity {
		return identity, nil
	}
	done, ok := s.mayCompress(accepts)
	if !ok {
		return identity, nil
	}
	defer done()
	coded := s.takeBuffer()
	var err error
	if coded.bytes, err = s.compressor.compress(coded.bytes, res.body, to, quick); err != nil {
		s.giveBuffer(coded)
		return identity, err
	}
	s.giveBuffer(res.buffer)
	res.buffer, res.body, res.contentEncoding = coded, coded.bytes, contentEncodings[to]
	return to, nil
}

// mayCompress reports whether there is time to compress, and takes a core for it;
// done gives it back. There is none while every core compresses already, nor while
// the server is near its bound of requests: then bytes are cheaper than time. A client
// that takes nothing else has it compressed all the same.
func (s *Server) mayCompress(accepts *acceptance) (done func(), ok bool) {
	if accepts.refusesIdentity() {
		return func() {}, true
	}
	if 4*s.slots.used.Load() > 3*s.slots.most && s.slots.most > 1 || !s.compressor.running.take(1) {
		return nil, false
	}
	return func() { s.compressor.running.release(1) }, true
}
