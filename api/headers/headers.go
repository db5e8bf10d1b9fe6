// Package headers holds the response headers that our server and static hosts share: the
// security policy of pages, links to the descriptions of the API, and cache rules.
package headers

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"

	"catalog.example/api/site"
)

// Field is a header field of an answer.
type Field struct{ Name, Value string }

// Page returns the headers of every page that keep it safe (contract 7),
// whoever serves it: our server, or a static host by the build output's
// _headers.
func Page(s *site.Settings) []Field {
	return []Field{
		{"Content-Security-Policy", contentSecurityPolicy(s)},
		{"Referrer-Policy", "strict-origin-when-cross-origin"},
		{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
	}
}

// contentSecurityPolicy is that of the pages: everything from this origin, no
// inline code or styles, and requests and forms only to it and to the search
// server.
func contentSecurityPolicy(s *site.Settings) string {
	ours := "'self'"
	if u, err := url.Parse(s.SearchURL); err == nil && u.Host != "" {
		ours += " " + u.Scheme + "://" + u.Host
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
		"connect-src " + ours, "manifest-src 'self'", "form-action " + ours, "base-uri 'none'", "frame-ancestors 'none'",
	}, "; ")
}

// CacheForever is the Cache-Control of files whose names hold a hash of their
// content, whoever serves them.
const CacheForever = "public, max-age=31536000, immutable"

// hashBytes is how much of a SHA-256 a file's name holds.
const hashBytes = 6

// HashedName puts a hash of the content into the name of a file below assets/, such
// as assets/style.css: whoever has a file of that name has this content.
func HashedName(name string, content []byte) string {
	sum := sha256.Sum256(content)
	dot := strings.LastIndexByte(name, '.')
	return name[:dot] + "." + hex.EncodeToString(sum[:hashBytes]) + name[dot:]
}

var hashedName = regexp.MustCompile(`^assets/[^/]+\.[0-9a-f]{12}\.[a-z0-9]+$`)

// IsHashed reports whether the name of a file of the build output is one that
// HashedName makes.
func IsHashed(name string) bool { return hashedName.MatchString(name) }

// Values of the headers that every answer below /api/ carries (contract 7).
const (
	// CacheControl is that of 200 and 304.
	CacheControl = "public, max-age=60, stale-while-revalidate=86400"
	// Vary is that of 200 and 304: the encoding is negotiated, and the allowance
	// that the answer tells of depends on the key.
	Vary = "Accept-Encoding, Authorization, X-Api-Key"
	// ExposedHeaders is the Access-Control-Expose-Headers of every answer.
	ExposedHeaders = "RateLimit, RateLimit-Policy, Link, ETag, Retry-After"
)
