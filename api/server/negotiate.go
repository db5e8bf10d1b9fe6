package server

import (
	"iter"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// coding is a content coding (RFC 9110, section 8.4.1).
type coding uint8

// The codings, the later the better liked where a client likes them alike: zstd
// (RFC 8878) is the quickest to make and to read, Brotli (RFC 7932) is smaller
// than gzip (RFC 1952), which everybody reads.
const (
	identity coding = iota
	gzipCoding
	brotliCoding
	zstdCoding
	codingCount
)

// codingNames are those of the HTTP Content Coding Registry.
var codingNames = [codingCount]string{identity: "identity", gzipCoding: "gzip", brotliCoding: "br", zstdCoding: "zstd"}

// contentEncodings are the values of the header Content-Encoding; identity has
// none.
var contentEncodings = [codingCount][]string{gzipCoding: {"gzip"}, brotliCoding: {"br"}, zstdCoding: {"zstd"}}

// acceptance is what a client makes of each coding, in thousandths; 0 is a
// coding that it does not take.
type acceptance [codingCount]int

// maxWeight is a quality value of 1; minWeight is the least above 0.
const (
	maxWeight = 1000
	minWeight = 1
)

// identityOnly is the acceptance under which what cannot be compressed is sent.
var identityOnly = acceptance{identity: maxWeight}

// acceptanceOf reads Accept-Encoding (RFC 9110, section 12.5.3). Without one,
// nothing is compressed. An entry whose weight is malformed counts as absent; of
// entries for one coding the last counts.
func acceptanceOf(h http.Header) acceptance {
	var a acceptance
	var named [codingCount]bool
	others := -1 // the weight of what is not named; -1 where * is absent
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
			a[c] = minWeight // taken unless it is ruled out
		}
	}
	return a
}

// accepted returns the entries of a header such as Accept: each name with its
// parameters as they were sent. Several lines are one list (RFC 9110, section 5.3). A
// comma or semicolon in a quoted parameter cuts it into pieces that name nothing.
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

func codingOf(name string) (coding, bool) {
	for c := range codingCount {
		if strings.EqualFold(name, codingNames[c]) {
			return c, true
		}
	}
	// RFC 9110, section 8.4.1.3.
	return gzipCoding, strings.EqualFold(name, "x-gzip")
}

// quality is the form of a weight: 0, 1 or between, with up to three decimals (RFC 9110, section
// 12.4.2).
var quality = regexp.MustCompile(`^[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$`)

// weightOf returns the weight in an entry's parameters in thousandths, 1000 if there are none.
// ok is false if it is something else.
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

// best returns the coding that the client likes best: identity where it takes
// none of ours, because an answer that it may not be able to read is better than
// none (RFC 9110, section 12.5.3).
func (a *acceptance) best() coding {
	best := identity
	for c := identity + 1; c < codingCount; c++ {
		if a[c] > 0 && a[c] >= a[best] {
			best = c
		}
	}
	return best
}

// refusesIdentity reports whether the client takes one of our codings, but no body
// without a coding.
func (a *acceptance) refusesIdentity() bool { return a[identity] == 0 && a.best() != identity }

// heldCoding reports whether If-None-Match names the ETag of a body in a coding
// that the client takes, or *, and in which coding the client has it. Weak and
// strong tags compare alike (RFC 9110, section 13.1.2). A client that has another
// coding than it would be sent now may go on with what it has.
func heldCoding(h http.Header, tag string, a *acceptance) (held coding, ok bool) {
	for _, line := range h["If-None-Match"] {
		// Our tags hold no comma, so that a list can be split at commas: pieces of
		// a foreign tag that holds one match nothing of ours.
		for entry := range strings.SplitSeq(line, ",") {
			entry = strings.TrimSpace(entry)
			if entry == "*" {
				return a.best(), true
			}
			entry = strings.TrimPrefix(entry, "W/")
			if len(entry) < len(tag)+2 || entry[0] != '"' || entry[len(entry)-1] != '"' || entry[1:1+len(tag)] != tag {
				continue
			}
			suffix := entry[1+len(tag) : len(entry)-1]
			for c := range codingCount {
				if suffix == etagSuffixes[c] && (a[c] > 0 || c == identity && !a.refusesIdentity()) {
					return c, true
				}
			}
		}
	}
	return identity, false
}

// prefersMarkdown reports whether a client asks for Markdown: it names text/markdown,
// and takes HTML no more gladly. Browsers name HTML alone, and who takes anything
// gets what people read. Agents that name both with the same weight get Markdown:
// they would not name it otherwise.
func prefersMarkdown(h http.Header) bool {
	markdown, html, named := 0, 0, false
	specific := -1 // how specific the range is that html is from
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

// rangeWeight returns the weight among the parameters of a media range, in
// thousandths; ok is false where it is malformed.
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
