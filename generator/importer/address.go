package importer

import (
	"net/url"
	"regexp"
	"strings"

	"catalog.example/generator/content"
	"golang.org/x/net/idna"
)

// bareHost matches the host at the beginning of an address without a scheme: www.x.example, x.example/page.
var bareHost = regexp.MustCompile(`^(?:[\pL\pN](?:[\pL\pN-]*[\pL\pN])?\.)+\pL[\pL\pN-]*[\pL\pN](?::[0-9]+)?(?:[/?#]|$)`)

// fileName matches the name of a file, which is no host although it looks like one.
var fileName = regexp.MustCompile(`(?i)^[^/?#]+\.(csv|gif|html?|jpe?g|json|md|pdf|php|png|svg|txt|webp|xml|zip)$`)

// notASCII matches what must be encoded in addresses.
var notASCII = regexp.MustCompile(`[^\x00-\x7f]+`)

// address returns the web address for which a text stands. An address without a scheme gets https://, a host with other
// letters than ASCII becomes Punycode, and other such letters are percent-encoded.
func (e *entry) address(key string, v value) (address, wrong string) {
	address = v.text
	isPackage := strings.HasPrefix(key, "installLinks.") // ghcr.io/example/image is the name of one
	isOther := fileName.MatchString(address) || strings.Contains(address, "@")
	if bareHost.MatchString(address) && !isPackage && !isOther {
		address = "https://" + address
		e.report.once("https", func(count int) {
			e.tell(Changed, v.node, "%s %q and the like have no scheme: they begin with https:// now, %d times in all",
				key, v.text, count)
		})
	}
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" && notASCII.MatchString(address) {
		if host, err := idna.Lookup.ToASCII(u.Hostname()); err == nil {
			if u.Port() != "" {
				host += ":" + u.Port()
			}
			u.Host = host
		}
		if !strings.Contains(u.Host, "%") && !notASCII.MatchString(u.Host) {
			u.RawQuery = notASCII.ReplaceAllStringFunc(u.RawQuery, url.QueryEscape)
			address = u.String()
			e.report.once("ascii", func(count int) {
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
