// Package headers defines the response headers that our server and static hosts share: the
// security headers of pages, links to descriptions of the API, and cache rules.
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

// Page returns the security headers of every page but those of Embed. Our server sends them; static hosts read
// them from the file _headers of the build output.
func Page(s *site.Settings) []Field {
	return []Field{
		{policyName, contentSecurityPolicy(s)},
		{"Referrer-Policy", "strict-origin-when-cross-origin"},
		{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
	}
}

// contentSecurityPolicy allows content from this origin without inline code and styles,
// and requests and forms to this origin and the search server. Where pages search, it allows
// WebAssembly in a worker of this origin.
func contentSecurityPolicy(s *site.Settings) string {
	scripts, workers := "script-src 'self'", ""
	if s.SearchesInBrowser() {
		scripts, workers = scripts+" 'wasm-unsafe-eval'", "worker-src 'self'; "
	}
	origins := "'self'"
	if u, err := url.Parse(s.SearchURL); err == nil && u.Host != "" {
		origins += " " + u.Scheme + "://" + u.Host
	}
	return strings.Join([]string{
		"default-src 'none'", scripts, workers + "style-src 'self'", "img-src 'self' data:", "font-src 'self'",
		"connect-src " + origins, "manifest-src 'self'", "form-action " + origins, "base-uri 'none'",
		"frame-ancestors 'none'",
	}, "; ")
}

// embedPolicy is the policy of the pages for other sites, which any site may frame. They have a
// stylesheet, which may have pictures and fonts, and nothing else.
const embedPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors *"

// EmbedFolder is the folder of the pages for other sites in the build output. Nothing else is in it.
const EmbedFolder = "embed/"

// IsEmbed reports whether a file of the build output is a page for other sites.
func IsEmbed(name string) bool { return strings.HasPrefix(name, EmbedFolder) }

// Embed returns the security headers of the pages for other sites: those of every page with a
// stricter policy, except that any site may frame them.
func Embed(s *site.Settings) []Field {
	fields := Page(s)
	for i := range fields {
		if fields[i].Name == policyName {
			fields[i].Value = embedPolicy
		}
	}
	return fields
}

// policyName is the name of the header with the policy.
const policyName = "Content-Security-Policy"

// TypeGzip is the media type of files that are compressed by gzip (RFC 6713). They are sent
// without a Content-Encoding; the page code decompresses them.
const TypeGzip = "application/gzip"

// CacheForever is the Cache-Control of files with a HashedName.
const CacheForever = "public, max-age=31536000, immutable"

// WorkerFile is the service worker. It is at the root of the build output, so that it works for all pages.
const WorkerFile = "sw.js"

// CacheRevalidated is the Cache-Control of WorkerFile: no cache answers without asking whether it has
// changed, so that an operator can switch it off.
const CacheRevalidated = "no-cache"

// CacheOf returns the Cache-Control of a file of the build output outside api/; "" for that of pages.
func CacheOf(name string) string {
	switch {
	case IsHashed(name):
		return CacheForever
	case name == WorkerFile:
		return CacheRevalidated
	}
	return ""
}

// CDNCacheControl is the CDN-Cache-Control (RFC 9213) of pages. Shared caches keep pages for
// five minutes. For another day they may send a stale page while they fetch the new one. Files
// with a HashedName have CacheForever.
const CDNCacheControl = "public, max-age=300, stale-while-revalidate=86400"

// hashBytes is how many bytes of the SHA-256 are in a HashedName.
const hashBytes = 6

// HashedName inserts a hash of the content before the extensions of a file below assets/,
// such as assets/style.css, so that the name changes with the content.
func HashedName(name string, content []byte) string {
	sum := sha256.Sum256(content)
	dot := strings.IndexByte(name, '.')
	return name[:dot] + "-" + hex.EncodeToString(sum[:hashBytes]) + name[dot:]
}

var hashedName = regexp.MustCompile(`^assets/[^/]+-[0-9a-f]{12}(\.[a-z0-9]+)+$`)

// IsHidden reports whether a file must not be served, because a name on its path begins with a dot.
// The folder .well-known/ at the root is not hidden (RFC 8615).
func IsHidden(name string) bool {
	if name == ".well-known" || strings.HasPrefix(name, ".well-known/") {
		name = name[1:]
	}
	return strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// IsHashed reports whether a file name of the build output has the form of a HashedName.
func IsHashed(name string) bool { return hashedName.MatchString(name) }

// Values of headers of answers below /api/.
const (
	// CacheControl is for answers with status 200 or 304.
	CacheControl = "public, max-age=60, stale-while-revalidate=86400"
	// Vary is for answers with status 200 or 304: the encoding is negotiated, and the allowance in
	// the RateLimit header depends on the key.
	Vary = "Accept-Encoding, Authorization, X-Api-Key"
	// ExposedHeaders is the value of Access-Control-Expose-Headers of every answer.
	ExposedHeaders = "RateLimit, RateLimit-Policy, Link, ETag, Retry-After"
)
