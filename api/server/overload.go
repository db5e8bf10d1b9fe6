package server

import (
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"

	"catalog.example/api"
)

// DefaultMaxConcurrent is the default for the number of requests that are decided at once. A
// request takes from 10 to 1,000 µs, so on a single core the last of them waits for a second at
// worst. Clients would not wait much longer.
const DefaultMaxConcurrent = 1024

// maxUnsent bounds the memory of responses that clients have not read, in bytes. It
// holds 230 of the largest ones, lists of 100 listings. With a thousand connections
// and the garbage that waits to be collected, the process stays below 256 MiB.
const maxUnsent = 48 << 20

// clientShare is the part of maxUnsent that one client may use, in bytes: 30 of the largest
// responses. A client reads one at a time, but many clients may share an address. It takes 8
// addresses to use up maxUnsent.
const clientShare = maxUnsent / 8

// retryOverloaded is the Retry-After of a 503, in seconds. There is room again as soon
// as some requests are decided.
const retryOverloaded = 1

// Reasons for a 503 in metrics: what was full.
const (
	overloadSlots   = "slots"   // requests that are decided at once
	overloadUnsent  = "unsent"  // memory of responses that clients have not read
	overloadBodies  = "bodies"  // memory of messages to the MCP server
	overloadHeaders = "headers" // connections that send large headers
)

// bound limits how much is used at once. When it is full, requests are refused and do not wait: a
// queue would make all of them late.
type bound struct {
	most int64
	used atomic.Int64
}

// take uses n more, if there is room. It never exceeds the bound, so that a large take that is
// refused cannot make a small one fail.
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
	// readers counts the responses that send the same memory, by its first byte.
	readers map[*byte]int
}

func newUnsent() unsent {
	return unsent{bound: bound{most: maxUnsent}, clients: newShares(clientShare), readers: map[*byte]int{}}
}

// unsentBody is the part of that memory that one response takes.
type unsentBody struct {
	size   int64
	client netip.Addr // whose share it counts against
	shared *byte      // the first byte of a body that several responses send
}

// take makes room for a body. A shared body counts once, and against no client's share.
func (u *unsent) take(client netip.Addr, body []byte, shared bool) (unsentBody, bool) {
	b := unsentBody{size: int64(len(body)), client: client}
	switch {
	case b.size == 0:
		return unsentBody{}, true
	case shared:
		b.shared, b.client = &body[0], netip.Addr{}
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.readers[b.shared] == 0 && !u.bound.take(b.size) {
			return unsentBody{}, false
		}
		u.readers[b.shared]++
	case !u.clients.take(client, b.size):
		return unsentBody{}, false
	case !u.bound.take(b.size):
		u.clients.release(client, b.size)
		return unsentBody{}, false
	}
	return b, true
}

func (u *unsent) release(b unsentBody) {
	if b.shared != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.readers[b.shared]--; u.readers[b.shared] > 0 {
			return
		}
		delete(u.readers, b.shared)
	}
	u.clients.release(b.client, b.size)
	u.bound.release(b.size)
}

// reserve takes memory for a response until it is sent. If there is no room, a problem that says so
// replaces the response. The problem is small, and is always sent.
func (s *Server) reserve(req *request, res *response) (*response, unsentBody) {
	body := res.body
	if res.uncounted || req.r.Method == http.MethodHead { // no body is sent
		body = nil
	}
	if b, ok := s.unsent.take(s.proxies.client(req.r), body, res.shared); ok {
		return res, b
	}
	s.reps.release(res)
	return s.problemResponse(req, s.metrics.full(overloadUnsent)), unsentBody{}
}

// full counts a request that is refused because the server is full, and returns its problem.
func (m *metrics) full(reason string) *api.Problem {
	m.overloaded.WithLabelValues(reason).Inc()
	return api.NewProblem(api.Overloaded, "The server is already answering as many requests as it can at once."+
		" Try again in "+api.Count(retryOverloaded, "second")+".")
}
