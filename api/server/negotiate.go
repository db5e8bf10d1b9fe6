package server

import (
	"iter"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// coding is a content coding (RFC 9110, section 8.4.1).
type coding uint8

// The codings. If a client gives several the same weight, the last of them is used: zstd (RFC 8878)
// is the fastest to compress and decompress, Brotli (RFC 7932) is smaller than gzip (RFC 1952), and
// every client reads gzip.
const (
	identity coding = iota
	gzipCoding
	brotliCoding
	zstdCoding
	codingCount
)

// codingNames holds the names in the HTTP Content Coding Registry.
var codingNames = [codingCount]string{identity: "identity", gzipCoding: "gzip", brotliCoding: "br", zstdCoding: "zstd"}

// encoding returns the value of Content-Encoding; "" for identity, which has none.
func (c coding) encoding() string {
	if c == identity {
		return ""
	}
	return codingNames[c]
}

// acceptance holds the weight that a client gives to each coding, in thousandths. A coding with
// weight 0 is not accepted.
type acceptance [codingCount]int

// maxWeight is the weight for a quality value of 1; minWeight is the least weight above 0.
const (
	maxWeight = 1000
	minWeight = 1
)

// identityOnly is the acceptance for bodies that are not worth compressing.
var identityOnly = acceptance{identity: maxWeight}

// acceptanceOf parses Accept-Encoding (RFC 9110, section 12.5.3). Without that header, nothing is
// compressed. An entry with a malformed weight is ignored. The last entry for a coding counts.
func acceptanceOf(h http.Header) acceptance {
	var a acceptance
	var named [codingCount]bool
	others := -1 // the weight of codings that are not named; -1 without *
	for name, parameters := range accepted(h["Accept-Encoding"]) {
		weight, ok := weightOf(parameters)
		if !ok {
			continue
		}
		if name == "*" {
			others = weight
		} else if c, ok := codingOf(name); ok {
			a[c], named[c] = weight, true
		}
	}
	for c := range codingCount {
		switch {
		case named[c]:
		case others >= 0:
			a[c] = others
		case c == identity:
			a[c] = minWeight // accepted unless the client excludes it
		}
	}
	return a
}

// accepted returns the entries of a header like Accept: each name with its parameters, as they were
// sent. Repeated lines form one list (RFC 9110, section 5.3). A quoted parameter is split at commas
// inside the quotes; the parts have no meaning and do no harm.
func accepted(lines []string) iter.Seq2[string, string] {
	return func(yield func(name, parameters string) bool) {
		for _, line := range lines {
			for entry := range strings.SplitSeq(line, ",") {
				name, parameters, _ := strings.Cut(entry, ";")
				if !yield(strings.TrimSpace(name), parameters) {
					return
				}
			}
		}
	}
}

func codingOf(name string) (c coding, ok bool) {
	name = strings.ToLower(name)
	if name == "x-gzip" { // RFC 9110, section 8.4.1.3
		return gzipCoding, true
	}
	i := slices.Index(codingNames[:], name)
	return coding(max(i, 0)), i >= 0
}

// quality matches a weight: from 0 to 1, with up to three decimals (RFC 9110, section 12.4.2).
var quality = regexp.MustCompile(`^[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$`)

// weightOf returns the weight of an entry in thousandths; without parameters it is 1000. ok is
// false if the parameters are not a weight.
func weightOf(parameters string) (thousandths int, ok bool) {
	parameters = strings.TrimSpace(parameters)
	if parameters == "" {
		return maxWeight, true
	}
	sent := quality.FindStringSubmatch(parameters)
	if sent == nil {
		return 0, false
	}
	weight, err := strconv.ParseFloat(sent[1], 64)
	return int(math.Round(weight * maxWeight)), err == nil
}

// best returns the coding that the client prefers. If the client accepts none of our codings, best
// returns identity: a response that the client may not be able to read is better than none (RFC
// 9110, section 12.5.3).
func (a *acceptance) best() coding {
	best := identity
	for c := identity + 1; c < codingCount; c++ {
		if a[c] > 0 && a[c] >= a[best] {
			best = c
		}
	}
	return best
}

// refusesIdentity reports whether the client accepts one of our codings, but no uncompressed body.
func (a *acceptance) refusesIdentity() bool { return a[identity] == 0 && a.best() != identity }

// heldCoding returns the coding in which the client already has a body. ok is true if If-None-Match
// contains *, or the body's ETag in a coding that the client accepts, even if another coding would
// be sent now. Weak and strong tags are compared alike (RFC 9110, section 13.1.2).
func heldCoding(h http.Header, tag string, a *acceptance) (held coding, ok bool) {
	lines := h["If-None-Match"]
	if lines == nil {
		return identity, false
	}
	var tags [codingCount]string
	for c := range codingCount {
		tags[c] = etagOf(tag, c)
	}
	for _, line := range lines {
		// Our tags contain no comma. A foreign tag with a comma is split, and its parts match none
		// of ours.
		for entry := range strings.SplitSeq(line, ",") {
			entry = strings.TrimSpace(entry)
			if entry == "*" {
				return a.best(), true
			}
			c := slices.Index(tags[:], strings.TrimPrefix(entry, "W/"))
			if c >= 0 && (a[c] > 0 || coding(c) == identity && !a.refusesIdentity()) {
				return coding(c), true
			}
		}
	}
	return identity, false
}

// prefersMarkdown reports whether a client asks for Markdown: it names text/markdown, and gives
// HTML no greater weight. Browsers do not name Markdown, and a client that accepts anything gets
// HTML. An agent that names both with the same weight gets Markdown, because it would have no other
// reason to name Markdown.
func prefersMarkdown(h http.Header) bool {
	markdown, html, named := 0, 0, false
	specific := -1 // how specific the range was that html is from
	for name, parameters := range accepted(h["Accept"]) {
		weight, ok := rangeWeight(parameters)
		if !ok {
			continue
		}
		of := -1
		switch {
		case strings.EqualFold(name, "text/markdown"):
			markdown, named = weight, true
		case strings.EqualFold(name, "text/html"):
			of = 2
		case strings.EqualFold(name, "text/*"):
			of = 1
		case name == "*/*":
			of = 0
		}
		if of >= 0 && of >= specific {
			html, specific = weight, of
		}
	}
	return named && markdown > 0 && markdown >= html
}

// rangeWeight returns the weight of a media range in thousandths. The range may have other
// parameters. ok is false if the weight is malformed.
func rangeWeight(parameters string) (thousandths int, ok bool) {
	for parameters != "" {
		var one string
		one, parameters, _ = strings.Cut(parameters, ";")
		one = strings.TrimSpace(one)
		if len(one) > 1 && one[0]|0x20 == 'q' && one[1] == '=' {
			return weightOf(one)
		}
	}
	return maxWeight, true
}
