package server

import (
	"net/http"
	"net/netip"
	"strings"
)

// ipv6ClientBits is how many bits of an IPv6 address identify a client. A host may take
// any address within its /64 network.
const ipv6ClientBits = 64

// proxies are the networks whose X-Forwarded-For is trusted.
type proxies []netip.Prefix

// newProxies writes IPv4-mapped IPv6 networks as IPv4, as addresses are written.
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
	for _, p := range t {
		if p.Contains(address) {
			return true
		}
	}
	return false
}

// client returns the address that requests are counted for: the IPv4 address or the
// IPv6 /64 of the sender. It is the zero Addr if the connection has none, as on a Unix
// socket; such clients share one allowance.
func (t proxies) client(r *http.Request) netip.Addr {
	return clientOf(t.origin(r))
}

// clientOf returns the client that an address is one of: itself, or its IPv6 /64.
func clientOf(address netip.Addr) netip.Addr {
	if !address.Is6() {
		return address
	}
	prefix, err := address.Prefix(ipv6ClientBits)
	if err != nil { // not for an address without a zone
		return address
	}
	return prefix.Addr()
}

// origin returns the address of the sender. Each proxy appends the address of its
// client to X-Forwarded-For. So the header is read from the right, as long as a trusted
// proxy wrote the entry: anybody can forge what is left of that.
func (t proxies) origin(r *http.Request) netip.Addr {
	address, ok := parseHop(r.RemoteAddr)
	if !ok || !t.trust(address) {
		return address
	}
	// Several lines of a header are one list (RFC 9110, section 5.3).
	list := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for list != "" {
		hop := list
		if i := strings.LastIndexByte(list, ','); i >= 0 {
			list, hop = list[:i], list[i+1:]
		} else {
			list = ""
		}
		before, ok := parseHop(hop)
		if !ok { // the proxy itself is the last whose address is known
			return address
		}
		if address = before; !t.trust(address) {
			return address
		}
	}
	return address
}

// parseHop reads an address, which may have a port, in the form in which
// addresses are compared: IPv4 is never mapped, and there is no zone.
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
