package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ipv6ClientBits is how many bits of an IPv6 address identify a client. A host may take
// any address within its /64 network.
const ipv6ClientBits = 64

// proxies lists the networks whose X-Forwarded-For is trusted.
type proxies []netip.Prefix

// newProxies returns the trusted networks in the form that parseHop uses: IPv4-mapped networks
// become IPv4.
func newProxies(trusted []netip.Prefix) proxies {
	list := make(proxies, 0, len(trusted))
	for _, p := range trusted {
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		list = append(list, p.Masked())
	}
	return list
}

func (t proxies) trust(address netip.Addr) bool {
	return slices.ContainsFunc(t, func(p netip.Prefix) bool { return p.Contains(address) })
}

// client returns the address by which the rate limit counts: the sender's IPv4 address or IPv6 /64.
// It is the zero Addr if the connection has no address, as on a Unix socket. All such clients share
// one allowance.
func (t proxies) client(r *http.Request) netip.Addr {
	return clientOf(t.origin(r))
}

// clientOf returns an IPv4 address unchanged, and the /64 of an IPv6 address.
func clientOf(address netip.Addr) netip.Addr {
	if !address.Is6() {
		return address
	}
	return netip.PrefixFrom(address, ipv6ClientBits).Masked().Addr()
}

// origin returns the address of the sender. Each proxy appends the address of its client to
// X-Forwarded-For, so the header is read from the right for as long as trusted proxies wrote the
// entries. Anyone can forge the entries further left.
func (t proxies) origin(r *http.Request) netip.Addr {
	address, ok := parseHop(r.RemoteAddr)
	if !ok {
		return address
	}
	// Repeated lines of a header form one list (RFC 9110, section 5.3).
	list := strings.Join(r.Header["X-Forwarded-For"], ",")
	for list != "" && t.trust(address) {
		comma := strings.LastIndexByte(list, ',')
		before, ok := parseHop(list[comma+1:])
		if !ok { // not an address: this proxy is the last known sender
			return address
		}
		address, list = before, list[:max(comma, 0)]
	}
	return address
}

// parseHop parses an address with or without a port, and normalises it for comparison: IPv4-mapped
// addresses become IPv4, and zones are dropped.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone(""), true
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	address, err := netip.ParseAddr(text)
	return address.Unmap().WithZone(""), err == nil
}

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

// identify returns the policy of a request. ok is false if the request presents any key but the
// sandbox key; it then counts as anonymous. Presented keys are never empty, so an empty sandbox key
// matches none. Hashes are compared, so that the time taken says nothing about the sandbox key.
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

// presentedKeys returns every key in Authorization and X-Api-Key. It skips empty values, and
// Authorization schemes other than Bearer.
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
