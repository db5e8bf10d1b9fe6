package lint

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"golang.org/x/net/idna"
)

// link is a link of a listing.
type link struct {
	key  string // of front matter, "" in the text
	text string // that readers see; "" where that is the address
	url  string
	at   func(r rule.Rule, message string) content.Finding
}

// linksOf returns the links of a listing, but those of its sources.
func linksOf(l *content.Listing) []link {
	var links []link
	add := func(key, text string, url *string, path ...any) {
		if url != nil {
			links = append(links, link{key, text, *url, func(r rule.Rule, message string) content.Finding { return l.At(r, message, path...) }})
		}
	}
	add("repositoryUrl", "", &l.RepositoryURL, "repositoryUrl")
	add("homepageUrl", "", l.HomepageURL, "homepageUrl")
	add("docsUrl", "", l.DocsURL, "docsUrl")
	for i := range l.InstallLinks {
		add("url", l.InstallLinks[i].Label, &l.InstallLinks[i].URL, "installLinks", i, "url")
	}
	for _, in := range l.Pieces.Links {
		links = append(links, link{"", in.Text, in.URL, func(r rule.Rule, message string) content.Finding { return l.InBody(r, message, in.Offset) }})
	}
	return links
}

// checkAddresses finds links that lead elsewhere than they say.
func checkAddresses(_ *catalog, l *content.Listing) []content.Finding {
	links := linksOf(l)
	own := ownSites(links)
	for field, source := range l.Sources {
		if !strings.Contains(source, "://") {
			continue
		}
		for _, found := range bareAddress.FindAllString(source, -1) {
			links = append(links, link{field, "", found, func(r rule.Rule, message string) content.Finding { return l.At(r, message, "sources", field) }})
		}
	}
	var findings []content.Finding
	for _, link := range links {
		if why := deceives(link.text, link.url, own); why != "" {
			message := fmt.Sprintf("%q %s", link.url, why)
			if link.key != "" {
				message = link.key + ": " + message
			}
			findings = append(findings, link.at(rule.SmuggledLink, message))
		}
	}
	return findings
}

var bareAddress = regexp.MustCompile(`(?i)\bhttps?://[^\s"'<>]+`)

// forges are sites that everybody trusts, whose names are worth imitating.
var forges = []string{
	"github.com", "github.io", "gitlab.com", "gitlab.io", "codeberg.org", "bitbucket.org", "sourceforge.net", "huggingface.co", "docker.com", "pypi.org", "npmjs.com",
	"crates.io", "readthedocs.io", "readthedocs.org", "google.com", "microsoft.com", "apple.com", "mozilla.org", "chromewebstore.google.com", "homebrew.sh", "brew.sh",
}

// forgeSkeletons are the skeletons of forges.
var forgeSkeletons = func() (list []string) {
	for _, forge := range forges {
		list = append(list, skeleton(forge))
	}
	return list
}()

// ownSites are the sites of a listing's repository, homepage and documentation.
func ownSites(links []link) []string {
	var sites []string
	for _, link := range links {
		if !slices.Contains([]string{"repositoryUrl", "homepageUrl", "docsUrl"}, link.key) {
			continue
		}
		if u, err := url.Parse(link.url); err == nil && u.Hostname() != "" {
			sites = append(sites, siteOf(strings.ToLower(u.Hostname())))
		}
	}
	return sites
}

// siteOf returns the last two labels of a host, by which people know it.
func siteOf(host string) string {
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(0, len(labels)-2):], ".")
}

// anyScheme is the scheme of an address (RFC 3986, section 3.1).
var anyScheme = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*):`)

// deceives says how a link with a text deceives, or "". own are sites that the
// listing's other links lead to.
func deceives(text, address string, own []string) string {
	// Browsers resolve entities and drop white space and controls.
	address = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, html.UnescapeString(address))
	if !strings.HasPrefix(address, "https://") {
		if m := anyScheme.FindStringSubmatch(address); m != nil && !slices.Contains([]string{"https", "http", "mailto"}, strings.ToLower(m[1])) {
			return fmt.Sprintf("has the scheme %s; allowed are https, http and mailto", strings.ToLower(m[1]))
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "" // to another listing, or said by the checks of the front matter
	}
	if u.User != nil {
		return fmt.Sprintf("holds a user name, and leads to %s; allowed are addresses without one", u.Hostname())
	}
	host := strings.ToLower(u.Hostname())
	if why := looksLike(host, own); why != "" {
		return why
	}
	if named := hostNamed(text); named != "" && siteOf(named) != siteOf(host) {
		return fmt.Sprintf("leads to %s, and its text names %s; allowed is a text that names where it leads", host, named)
	}
	return ""
}

// looksLike says which other host one may be taken for, or "".
func looksLike(host string, own []string) string {
	seen := host
	if strings.Contains(host, "xn--") {
		if decoded, err := idna.Punycode.ToUnicode(host); err == nil {
			seen = decoded
		}
	}
	if !isASCII(seen) {
		for label := range strings.SplitSeq(seen, ".") {
			if scripts := scriptsOf(label); len(scripts) > 1 {
				return fmt.Sprintf("has the host %q of letters from several scripts (%s); allowed is one", seen, strings.Join(scripts, ", "))
			}
		}
		if plain, _ := folded(seen); isASCII(plain) {
			return fmt.Sprintf("has the host %q, which looks like %s; write the host in ASCII letters", seen, plain)
		}
	}
	site := siteOf(host)
	name, ending, _ := strings.Cut(site, ".")
	if slices.Contains(forges, site) {
		return ""
	}
	skeletonOfSite := skeleton(site)
	for i := range len(forges) + len(own) {
		forge := i < len(forges)
		var known, skeletonOfKnown string
		if forge {
			known, skeletonOfKnown = forges[i], forgeSkeletons[i]
		} else {
			known = own[i-len(forges)]
			skeletonOfKnown = skeleton(known)
		}
		if forge && strings.Contains("."+host, "."+known+".") {
			return fmt.Sprintf("has the host %s, which begins like %s and is another; allowed is the site itself", host, known)
		}
		knownName, knownEnding, _ := strings.Cut(known, ".")
		if len(knownName) < 6 || site == known || knownName == name && !forge {
			continue // short names differ by a letter and mean something else; a maker has several endings
		}
		near := len(skeletonOfSite) <= len(known) && skeletonOfSite == skeletonOfKnown
		switch {
		case forge:
			near = near || distanceIsOne(site, known)
		default:
			near = near || ending == knownEnding && len(name) == len(knownName) && distanceIsOne(name, knownName) && digitsOf(name) == digitsOf(knownName)
		}
		if near {
			return fmt.Sprintf("has the host %s, which looks like %s; did you mean that?", host, known)
		}
	}
	return ""
}

// distanceIsOne tells whether two words are a letter apart.
func distanceIsOne(a, b string) bool {
	return len(a)-len(b) <= 1 && len(b)-len(a) <= 1 && spelling.Distance(a, b) == 1
}

// skeleton is a host with letters and digits that look alike as one.
func skeleton(host string) string { return sameLetters.Replace(host) }

var sameLetters = strings.NewReplacer("0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w", "5", "s", "-", "")

// scriptsOf returns the scripts of a label's letters that can be taken for each
// other.
func scriptsOf(label string) []string {
	var found []string
	for _, name := range []string{"Latin", "Cyrillic", "Greek", "Armenian", "Cherokee"} {
		if strings.ContainsFunc(label, func(r rune) bool { return unicode.Is(unicode.Scripts[name], r) }) {
			found = append(found, name)
		}
	}
	return found
}

// namedHost is a text that is an address or the name of a host of one of the
// usual endings: "llama.cpp" and "Node.js" are none.
var namedHost = regexp.MustCompile(`(?i)^\s*(?:https?://(?:[^\s/@]*@)?([a-z0-9.-]+)(?:[:/?#]\S*)?|((?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|ai|co|app|example))(?:/\S*)?)\s*$`)

// hostNamed returns the host that the text of a link names, in lower case, or "".
func hostNamed(text string) string {
	if !strings.Contains(text, ".") {
		return "" // the expression is slow
	}
	m := namedHost.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.ToLower(m[1] + m[2])
}

// scriptAddress is an address that runs or holds something instead of leading
// somewhere.
var scriptAddress = regexp.MustCompile(`(?i)\b(?:(?:javascript|vbscript|livescript):\S|data:[a-z]+/[a-z0-9.+-]+[;,])`)

// checkScripts finds such addresses in texts that are no links.
func checkScripts(p piece) []content.Finding {
	var findings []content.Finding
	if lower := strings.ToLower(p.text); !strings.Contains(lower, "script:") && !strings.Contains(lower, "data:") {
		return nil // the expression is slow
	}
	for _, at := range scriptAddress.FindAllStringIndex(p.text, -1) {
		findings = append(findings, p.at(rule.SmuggledLink, fmt.Sprintf("%s%q is an address that runs; allowed are https addresses", p.key, p.text[at[0]:at[1]]), at[0]))
	}
	return findings
}
