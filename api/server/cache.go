package server

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cacheKey is the key of a representation in the cache. It includes the identity of the snapshot,
// so that nothing from a replaced index is ever sent. Files can change under the same identity, so
// they are also compared each time.
type cacheKey struct {
	snapshot string
	source   source
	coding   coding
}

// cacheBytes bounds the memory of the cache, in bytes: some 5,000 packed answers of searches, or 2,500
// that were asked for once, or the headers of 19,000 files or listings. That is 30 % of the memory
// that the server of a small catalogue may take.
const cacheBytes = 14 << 20

// representationBytes is roughly the memory of a representation without its body: its headers, its
// key and its place in the cache.
const representationBytes = 768

// memory returns roughly the memory of the representation, in bytes.
func (rep *representation) memory() int {
	return representationBytes + len(rep.body) + rep.answer.memory()
}

// representationCache keeps the most recently used representations. Those of a replaced index age
// out. Any number of goroutines may use it.
type representationCache struct {
	most int // bytes

	mu    sync.Mutex
	bytes int // memory of all representations
	lru   *simplelru.LRU[cacheKey, *representation]
	// once has those that were asked for only once. They are evicted before all others, the oldest
	// first.
	once *simplelru.LRU[cacheKey, *representation]
}

// newRepresentationCache returns an empty cache, whose maximum size in bytes is most.
func newRepresentationCache(most int) *representationCache {
	c := &representationCache{most: most}
	// Only the memory is bounded, not the number of entries. NewLRU fails only if the size is not
	// positive.
	evicted := func(_ cacheKey, rep *representation) { c.bytes -= rep.memory() }
	c.lru, _ = simplelru.NewLRU(math.MaxInt, evicted)
	c.once, _ = simplelru.NewLRU(math.MaxInt, evicted)
	return c
}

// get returns the representation for a key, or nil.
func (c *representationCache) get(key cacheKey) *representation {
	c.mu.Lock()
	defer c.mu.Unlock()
	rep, ok := c.lru.Get(key)
	if !ok {
		rep, _ = c.once.Peek(key)
	}
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
	c.once.Remove(key)
	if rep.once {
		c.once.Add(key, rep)
	} else {
		c.lru.Add(key, rep)
	}
	for c.bytes += rep.memory(); c.bytes > c.most; {
		if _, _, ok := c.once.RemoveOldest(); !ok {
			c.lru.RemoveOldest()
		}
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
