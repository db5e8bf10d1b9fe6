package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// policy is the allowance that a request counts against. The numbers must not change, because other
// versions of the program may share the rate store.
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

// identify returns the policy of a request. ok is false if it has a key other than the sandbox key;
// then it counts as anonymous. Keys in a request are never empty, so an empty sandbox key matches
// none. Comparing hashes takes the same time for all keys.
func identify(h http.Header, sandboxKey string) (p policy, ok bool) {
	for _, key := range presentedKeys(h) {
		sent, known := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(sandboxKey))
		if subtle.ConstantTimeCompare(sent[:], known[:]) != 1 {
			return anonymous, false
		}
		p = sandbox
	}
	return p, true
}

// presentedKeys returns every key in either header. An empty header and an Authorization with another
// scheme than Bearer have none.
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
