// Package ratestore counts the requests of clients against their allowances:
// never more than the allowance in any 60 seconds (contract 6).
//
// In goes who asks and how many requests in 60 seconds are theirs; out comes a
// Verdict: whether this one is allowed, how many are left, and in how many
// seconds more become free. There are two stores:
//
//	memory.go      Memory counts for one process, within a bound of bytes
//	shared.go      Shared counts for all replicas, in Redis, and falls back on a Memory
//	redis.go       where the Redis is, and the one round trip to it
//	connection.go  the connection to it, and the few replies that are understood
//	take.lua       the law, as Redis runs it
//
// # The law
//
// Both stores count alike. Requests are kept by the second in which they came:
// how many, and when the last of them did. A second's requests leave the window
// together, 60 seconds after the last of them, so that a request counts for up to a
// second too long and never too short. A request that is refused does not count,
// so that a client that keeps asking is served again.
//
// # When Redis cannot be relied on
//
// A replica counts what it grants in its own Memory, too, and grants nothing that
// exceeds the allowance there. So one replica never grants more than the allowance
// in any 60 seconds, whatever Redis does: it may be gone, lose its counts, have its
// clock set, or lie. n replicas grant at most n times the allowance then. What a
// replica granted without Redis is not sent to it afterwards: Redis catches up
// within 60 seconds, and the replica's own count holds until then.
//
// # Time
//
// Memory measures time with a monotonic clock, which nobody sets. Redis has only
// the time of day. Where it is set back, requests count from that moment, for 60
// seconds; where it is set ahead, Redis forgets, and each replica's own count holds.
package ratestore

import (
	"context"
	"net/netip"
	"time"
)

// Window is the time that an allowance is for (spec 8, contract 6).
const Window = 60 * time.Second

// Payer is whom requests are counted for: a client under a policy.
type Payer struct {
	// Client is the address, IPv4 mapped into IPv6; zero where all share one
	// allowance.
	Client [16]byte
	// Policy tells the allowances of one client apart. Replicas that share a store
	// must mean the same by it.
	Policy uint8
}

// NewPayer returns the payer of that client; the zero Addr is the client that
// all share who have no address.
func NewPayer(policy uint8, client netip.Addr) Payer {
	if !client.IsValid() {
		return Payer{Policy: policy}
	}
	return Payer{client.As16(), policy}
}

// Verdict is what an allowance says to one request.
type Verdict struct {
	// Allowed tells that the request may be answered, and has been counted.
	Allowed bool
	// Left is how many more requests would be allowed now.
	Left int
	// Reset is in how many seconds, at least 1 and at most 60, one is free or more
	// become free.
	Reset int
}

// Store counts requests. Its methods may be used by any number of goroutines.
type Store interface {
	// Take asks for one request now, and counts it if it is allowed: of a payer's
	// requests in any 60 seconds, at most limit are, which is at least 1. It does
	// not fail, and waits for no longer than a small fraction of a second, or until
	// ctx ends.
	Take(ctx context.Context, p Payer, limit int) Verdict
	// Stats tells how the store does. It may take some microseconds.
	Stats() Stats
}

// State is where a store counts.
type State string

// The states of a store.
const (
	InMemory State = "memory" // for this process, as it was asked to
	InShared State = "shared" // in Redis, for all replicas
	InLocal  State = "local"  // for this process, because Redis cannot be reached
)

// Stats tells how a store does. Counters begin at 0 with the process.
type Stats struct {
	// State is where requests are counted now.
	State State
	// Clients is how many payers the counts in memory are of, Bytes the memory that
	// is held for them, and Bound what Bytes does not exceed.
	Clients, Bytes, Bound int64
	// Evictions counts payers whose counts in memory were given up while they still
	// mattered, for want of room.
	Evictions uint64

	// The rest is 0 but for a Shared.

	// SharedDecisions counts requests that were decided on while Redis answers: by
	// it, or because this replica alone had granted the whole allowance.
	// LocalDecisions counts those that were decided on without it.
	SharedDecisions, LocalDecisions uint64
	// Errors counts calls of Redis that failed, probes included.
	Errors uint64
	// ScriptLoads counts calls that needed a second round trip, because Redis did
	// not have the script: the first after each start of Redis.
	ScriptLoads uint64
	// Falls counts changes from shared to local counting, and Rejoins those back.
	Falls, Rejoins uint64
}
