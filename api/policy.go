package api

import (
	"net/url"
	"strings"
)

// Header is a header field of an answer.
type Header struct{ Name, Value string }

// PageHeaders returns the headers of every page that keep it safe (contract 7),
// whoever serves it: our server, or a static host by the build output's
// _headers.
func PageHeaders(s *Settings) []Header {
	return []Header{
		{"Content-Security-Policy", contentSecurityPolicy(s)},
		{"Referrer-Policy", "strict-origin-when-cross-origin"},
		{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
	}
}

// contentSecurityPolicy is that of the pages: everything from this origin, no
// inline code or styles, and requests and forms only to it and to the search
// server.
func contentSecurityPolicy(s *Settings) string {
	ours := "'self'"
	if u, err := url.Parse(s.SearchURL); err == nil && u.Host != "" {
		ours += " " + u.Scheme + "://" + u.Host
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
		"connect-src " + ours, "manifest-src 'self'", "form-action " + ours, "base-uri 'none'", "frame-ancestors 'none'",
	}, "; ")
}
