package server

import (
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"

	"catalog.example/api"
)

// DefaultMaxConcurrent is the default number of requests that are processed at once. A request
// takes from 10 to 1,000 µs, so on a single core the last of 1,024 waits for a second at worst.
// Clients would not wait much longer.
const DefaultMaxConcurrent = 1024

// maxUnsent bounds the memory for responses that clients have not yet read, in bytes. About 230 of
// the largest fit, which are lists of 100 listings. Even with a thousand connections and
// uncollected garbage, the process stays below 256 MiB.
const maxUnsent = 48 << 20

// clientShare is the part of maxUnsent that one client may use, in bytes: about 30 of the largest
// responses. A client reads one at a time, but many clients may share an address. It takes 8
// addresses to use up maxUnsent.
const clientShare = maxUnsent / 8

// retryOverloaded is the Retry-After of a 503, in seconds. There is room again as soon as some
// requests have been processed.
const retryOverloaded = 1

// Reasons for a 503 in metrics: what was full.
const (
	overloadSlots   = "slots"   // requests being processed
	overloadUnsent  = "unsent"  // memory for responses that clients have not yet read
	overloadBodies  = "bodies"  // memory for messages to the MCP server
	overloadHeaders = "headers" // connections that send large headers
)

// bound limits how much is used at once. When it is full, requests are refused rather than queued:
// a queue would make all of them late.
type bound struct {
	most int64
	used atomic.Int64
}

// take uses n more, if there is room. It never exceeds the bound, not even briefly, so that a large
// take that is refused cannot make a small one fail.
func (b *bound) take(n int64) bool {
	for {
		used := b.used.Load()
		if used+n > b.most {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

func (b *bound) release(n int64) { b.used.Add(-n) }

// shares limits how much each client uses at once, so that one client cannot use up everything.
// Clients without an address cannot be told apart, and have no limit.
type shares struct {
	most int64

	mu   sync.Mutex
	used map[netip.Addr]int64
}

func newShares(most int64) shares { return shares{most: most, used: map[netip.Addr]int64{}} }

// take uses n more for a client, if its share has room.
func (s *shares) take(client netip.Addr, n int64) bool {
	if !client.IsValid() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used[client]+n > s.most {
		return false
	}
	s.used[client] += n
	return true
}

func (s *shares) release(client netip.Addr, n int64) {
	if !client.IsValid() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used[client] -= n; s.used[client] == 0 {
		delete(s.used, client)
	}
}

// unsent counts the memory of responses until they are sent.
type unsent struct {
	bound
	clients shares

	mu sync.Mutex
	// readers counts the responses that are sending a shared body, by the address of its first
	// byte.
	readers map[*byte]int
}

func newUnsent() unsent {
	return unsent{bound: bound{most: maxUnsent}, clients: newShares(clientShare), readers: map[*byte]int{}}
}

// take reserves room for a body until release is called. A shared body counts once, and not against
// any client's share.
func (u *unsent) take(client netip.Addr, body []byte, shared bool) (release func(), ok bool) {
	size := int64(len(body))
	switch {
	case size == 0:
		return func() {}, true
	case shared:
		return u.takeShared(&body[0], size)
	case !u.clients.take(client, size):
		return nil, false
	case !u.bound.take(size):
		u.clients.release(client, size)
		return nil, false
	}
	return func() {
		u.clients.release(client, size)
		u.bound.release(size)
	}, true
}

// takeShared reserves room for a body that several responses send. first points to its first byte.
func (u *unsent) takeShared(first *byte, size int64) (release func(), ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.readers[first] == 0 && !u.bound.take(size) {
		return nil, false
	}
	u.readers[first]++
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.readers[first]--; u.readers[first] == 0 {
			delete(u.readers, first)
			u.bound.release(size)
		}
	}, true
}

// reserve reserves room for a response until release is called. If there is no room, a problem that
// says so replaces the response. The problem is small, and is always sent.
func (s *Server) reserve(req *request, res *response) (reserved *response, release func()) {
	body := res.body
	if res.uncounted || req.r.Method == http.MethodHead { // nothing to count
		body = nil
	}
	if release, ok := s.unsent.take(s.proxies.client(req.r), body, res.shared); ok {
		return res, release
	}
	s.reps.release(res)
	return s.problemResponse(req, s.metrics.full(overloadUnsent)), func() {}
}

// full counts a request that is refused because the server is full, and returns its problem.
func (m *metrics) full(reason string) *api.Problem {
	m.overloaded.WithLabelValues(reason).Inc()
	return api.NewProblem(api.Overloaded, "The server is already answering as many requests as it can at once."+
		" Try again in "+api.Count(retryOverloaded, "second")+".")
}
