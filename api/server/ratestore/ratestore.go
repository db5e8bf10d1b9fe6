// Package ratestore counts requests per client over 60 seconds, and refuses those over the
// allowance.
//
// A Store takes a key and the allowance of that key. It returns a Verdict: whether the request is
// allowed, how many are left, and in how many seconds more become free. There are two stores:
//
//	memory.go      Memory counts for one process, in bounded memory
//	shared.go      Shared counts for all replicas in Redis, and falls back on a Memory
//	endpoint.go    the address of a Redis, a Redis Cluster or Sentinels
//	redis.go       the go-redis client, and the call that counts a request
//	guard.go       bounds what Redis may send to the client
//	take.lua       the algorithm, as Redis runs it
//
// # Algorithm
//
// Both stores use the same algorithm. For each second, they keep the number of requests and the
// time of the last one. All requests of a second leave the window 60 seconds after the last of
// them, so that a request counts for up to a second too long and never too short. Refused requests
// do not count, so a client that keeps asking is served again.
//
// # When Redis fails
//
// Each replica also counts the requests that it grants in its own Memory, and never grants more
// than the allowance there. So one replica never exceeds the allowance, even if Redis is gone,
// loses its counts, has a wrong clock or gives false answers, and n replicas never exceed n times
// the allowance. Requests that were granted without Redis are not sent to it later: the counts in
// Redis are right again after 60 seconds, and each replica's own count holds until then.
//
// # Clocks
//
// Memory uses the monotonic clock, which cannot be set. Redis uses the time of day. If its clock is
// set back, requests count for 60 seconds from then. If it is set ahead, Redis forgets requests,
// and each replica's own count still applies.
package ratestore

import (
	"context"
	"net/netip"
	"time"
)

// Window is the time that an allowance covers: no client is ever answered more often than
// its allowance in any 60 seconds.
const Window = 60 * time.Second

// Key identifies whose requests are counted together: a client under a policy.
type Key struct {
	// Client is the address, with IPv4 mapped into IPv6; zero if all clients share an allowance.
	Client [16]byte
	// Policy separates the allowances of one client. Replicas that share a store must use
	// the same numbers.
	Policy uint8
}

// NewKey returns the key of a client. All clients without an address, which have the zero Addr,
// share one key.
func NewKey(policy uint8, client netip.Addr) Key {
	if !client.IsValid() {
		return Key{Policy: policy}
	}
	return Key{client.As16(), policy}
}

// Verdict is the decision on one request.
type Verdict struct {
	// Allowed reports whether the request may be answered. If so, it has been counted.
	Allowed bool
	// Left is how many more requests would be allowed now.
	Left int
	// Reset is the number of seconds, from 1 to 60, until more requests become free.
	Reset int
}

// Store counts requests. Its methods may be used by any number of goroutines.
type Store interface {
	// Take decides on a request, and counts it if it is allowed. It allows at most limit requests
	// of a key in any 60 seconds; limit is at least 1. It never fails. It blocks for a fraction of
	// a second at most. The request counts even if ctx has ended.
	Take(ctx context.Context, k Key, limit int) Verdict
	// Stats returns the state and the counters of the store. It takes microseconds.
	Stats() Stats
}

// State is where a store counts.
type State string

// The states of a store.
const (
	InMemory State = "memory" // in this process
	InShared State = "shared" // in Redis, for all replicas
	InLocal  State = "local"  // in this process, because Redis cannot be reached
)

// Stats holds the state and the counters of a store. Counters begin at 0 when the process starts.
type Stats struct {
	// State is where requests are counted now.
	State State
	// Clients is the number of keys in memory, Bytes the memory that they take, and Bound
	// the maximum of Bytes.
	Clients, Bytes, Bound int64
	// Evictions counts keys that were evicted before their counts expired, because memory was full.
	Evictions uint64

	// Only a Shared uses the fields below.

	// SharedDecisions counts decisions while Redis answered: by Redis, or because this replica had
	// already granted the whole allowance. LocalDecisions counts decisions without Redis.
	SharedDecisions, LocalDecisions uint64
	// Errors counts failed calls to Redis, including probes.
	Errors uint64
	// ScriptLoads counts calls that had to send the script: the first after each start of Redis.
	ScriptLoads uint64
	// Falls counts changes from shared to local counting, Rejoins changes back.
	Falls, Rejoins uint64
}
