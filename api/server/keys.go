package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// policy is the allowance that a request counts against (spec 5). Rate stores hold its
// numbers: they must not change, because other versions share the store.
type policy uint8

const (
	anonymous policy = iota
	sandbox
	policyCount
)

// String returns the policy's name in the RateLimit headers.
func (p policy) String() string {
	if p == sandbox {
		return "sandbox"
	}
	return "anonymous"
}

// keyring holds the keys of the service: the public sandbox key. If that is empty, no
// key is known, because presented keys are never empty.
type keyring struct {
	sandbox [sha256.Size]byte // of the key
}

func newKeyring(sandboxKey string) keyring {
	return keyring{sha256.Sum256([]byte(sandboxKey))}
}

// identify returns the policy of a request with these headers. ok is false if any
// presented key is unknown; such a request counts as anonymous (contract 5). Two keys
// that differ need no check of their own: at most one of them is known.
func (k *keyring) identify(h http.Header) (p policy, ok bool) {
	for _, key := range presentedKeys(h) {
		if !k.knows(key) {
			return anonymous, false
		}
		p = sandbox
	}
	return p, true
}

// knows compares in constant time: hashes have one length and are compared whole.
func (k *keyring) knows(key string) bool {
	sum := sha256.Sum256([]byte(key))
	return subtle.ConstantTimeCompare(sum[:], k.sandbox[:]) == 1
}

// presentedKeys returns every key in either header (spec 5). An empty header
// and an Authorization of another scheme than Bearer hold none (contract 5).
func presentedKeys(h http.Header) []string {
	var keys []string
	for _, value := range h["Authorization"] {
		scheme, token, _ := strings.Cut(strings.TrimSpace(value), " ")
		if token = strings.TrimSpace(token); strings.EqualFold(scheme, "Bearer") && token != "" {
			keys = append(keys, token)
		}
	}
	for _, value := range h["X-Api-Key"] {
		if value = strings.TrimSpace(value); value != "" {
			keys = append(keys, value)
		}
	}
	return keys
}
