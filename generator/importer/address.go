package importer

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"catalog.example/generator/content"
	"golang.org/x/net/idna"
)

// bareHost matches the host at the beginning of an address without a scheme: www.x.example, x.example/page.
var bareHost = regexp.MustCompile(`^(?:[\pL\pN](?:[\pL\pN-]*[\pL\pN])?\.)+\pL[\pL\pN-]*[\pL\pN](?::[0-9]+)?(?:[/?#]|$)`)

// fileName matches the name of a file, which is no host although it looks like one.
var fileName = regexp.MustCompile(`(?i)^[^/?#]+\.(csv|gif|html?|jpe?g|json|md|pdf|php|png|svg|txt|webp|xml|zip)$`)

// address returns the web address for which a text stands. An address without a scheme gets https://, a host with other
// letters than ASCII becomes Punycode, and other such letters are percent-encoded.
func (c *converter) address(e *entry, key string, v value) (address, wrong string) {
	address = v.text
	if bareHost.MatchString(address) && !fileName.MatchString(address) && !strings.Contains(address, "@") {
		address = "https://" + address
		c.once("https", func(count int) {
			e.tell(Changed, v.node, "%s %q and the like have no scheme: they begin with https:// now, %d times in all",
				key, v.text, count)
		})
	}
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" && !isASCII(address) {
		if host, err := idna.Lookup.ToASCII(u.Hostname()); err == nil {
			if u.Port() != "" {
				host += ":" + u.Port()
			}
			u.Host = host
		}
		if !strings.Contains(u.Host, "%") && isASCII(u.Host) {
			u.RawQuery = escaped(u.RawQuery)
			address = u.String()
			c.once("ascii", func(count int) {
				e.tell(Changed, v.node, "%s %q and the like have letters that addresses must not have: they are "+
					"encoded now, %d times in all", key, v.text, count)
			})
		}
	}
	switch wrong = content.CheckAddress(address); {
	case strings.HasPrefix(address, "http://"):
		return "", "it does not begin with https://: if the sites of your list have it, write with: https into the map"
	case wrong != "":
		return "", "it " + wrong
	}
	return address, ""
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// escaped returns a text with bytes outside ASCII percent-encoded.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(url.QueryEscape(string(r)))
		}
	}
	return b.String()
}

// withHTTPS returns an address with https:// in place of http://.
func withHTTPS(text string) string {
	if rest, ok := strings.CutPrefix(text, "http://"); ok {
		return "https://" + rest
	}
	return text
}
