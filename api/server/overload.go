package server

import (
	"net/http"
	"sync/atomic"

	"catalog.example/api"
)

// DefaultMaxConcurrent is how many requests are decided at once where nothing
// else is asked for. A request is decided in some 10 to 1,000 µs, so that the
// last of so many waits for a second at worst, on a single core; what came after
// it would wait longer than its client has patience.
const DefaultMaxConcurrent = 1024

// maxUnsent bounds the memory of answers that clients do not read, in bytes: it
// is that of 600 of the largest answers, lists of 100 listings, each to a client
// that stopped reading.
const maxUnsent = 128 << 20

// retryOverloaded is what Retry-After says with 503, in seconds: whoever is
// turned away finds room as soon as some requests are decided.
const retryOverloaded = 1

// overloadReason is what there was no room in.
type overloadReason uint8

const (
	overloadSlots  overloadReason = iota // requests that are decided at once
	overloadUnsent                       // memory for answers that clients do not read
	overloadBodies                       // memory for messages to the MCP server
	overloadReasons
)

var overloadNames = [overloadReasons]string{overloadSlots: "slots", overloadUnsent: "unsent", overloadBodies: "bodies"}

// bound lets so much be used at once. Whoever finds it full is turned away and
// does not wait: a queue would only make everybody late.
type bound struct {
	most int64
	used atomic.Int64
}

// take uses n more, if there is room.
func (b *bound) take(n int64) bool {
	if b.used.Add(n) > b.most {
		b.used.Add(-n)
		return false
	}
	return true
}

func (b *bound) release(n int64) { b.used.Add(-n) }

// occupy takes a slot for deciding a request. A slot is held until the answer is
// decided, not until it is sent: otherwise clients that do not read would take
// all slots from those that do.
func (s *Server) occupy(x *exchange) error {
	if !s.slots.take(1) {
		s.metrics.overloaded[overloadSlots].Inc()
		return overloadedProblem()
	}
	x.holdsSlot = true
	return nil
}

// vacate gives the slot of a request back, if it has one.
func (s *Server) vacate(x *exchange) {
	if x.holdsSlot {
		x.holdsSlot = false
		s.slots.release(1)
	}
}

// reserve takes memory for an answer until it is sent, and returns how much. An
// answer for which there is no room is replaced by the problem that says so;
// that is small, and is sent in any case.
func (s *Server) reserve(x *exchange, a *answer) (*answer, int64) {
	size := int64(len(a.body))
	if a.shared {
		size = 0
	}
	if x.request.Method == http.MethodHead {
		size = 0 // the body is not sent
	}
	if s.unsent.take(size) {
		return a, size
	}
	s.release(a)
	s.metrics.overloaded[overloadUnsent].Inc()
	return s.problemAnswer(x, overloadedProblem()), 0
}

func overloadedProblem() *api.Problem {
	return api.NewProblem(api.Overloaded, "The server is answering as many requests as it takes at once. Try again in "+count(retryOverloaded, "second")+".")
}
