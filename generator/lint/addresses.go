package lint

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// link is a link in a listing.
type link struct {
	key     string // key in the front matter; "" for the text
	text    string // as shown; "" if readers see the URL
	url     string
	finding func(r rule.Rule, message string) content.Finding
}

// listingLinks returns the links of a listing, except the links in its sources.
func listingLinks(l *content.Listing) []link {
	var links []link
	add := func(key, text string, url *string, path ...any) {
		if url != nil {
			links = append(links, link{key, text, *url, func(r rule.Rule, message string) content.Finding {
				return l.At(r, message, path...)
			}})
		}
	}
	add("repositoryUrl", "", &l.RepositoryURL, "repositoryUrl")
	add("homepageUrl", "", l.HomepageURL, "homepageUrl")
	add("docsUrl", "", l.DocsURL, "docsUrl")
	for i := range l.InstallLinks {
		add("url", l.InstallLinks[i].Label, &l.InstallLinks[i].URL, "installLinks", i, "url")
	}
	for _, fact := range l.FitNotes {
		if to, ok := fact.Value.(api.Link); ok {
			add(fact.Key, to.Label, &to.URL, "fitNotes", fact.Key, "url")
		}
	}
	for _, in := range l.Parts.Links {
		links = append(links, link{"", in.Text, in.URL, func(r rule.Rule, message string) content.Finding {
			return l.InBody(r, message, in.Offset)
		}})
	}
	return links
}

// checkAddresses finds links that deceive readers about where they lead.
func checkAddresses(c *catalog, l *content.Listing, found *findings) {
	links := slices.DeleteFunc(listingLinks(l), func(in link) bool {
		wrong, _ := content.CheckAddress(in.url)
		return in.key != "" && wrong != "" // the check of the front matter reports it
	})
	judged := hosts{sites: listingSites(links), known: map[string]judgement{}}
	for field, source := range l.Sources {
		for _, address := range addressesIn(source) {
			links = append(links, link{field, "", address, func(r rule.Rule, message string) content.Finding {
				return l.At(r, message, "sources", field)
			}})
		}
	}
	for _, link := range links {
		text := link.text
		if c.hostNames[strings.ToLower(strings.TrimSpace(text))] { // the name of a tool, such as Cal.com
			text = ""
		}
		if why, violated := judged.deception(text, link.url); why != "" {
			message := fmt.Sprintf("%q %s", link.url, why)
			if link.key != "" {
				message = link.key + ": " + message
			}
			found.add(link.finding(violated, message))
		}
	}
}

// urlPattern matches the address of a web page.
var urlPattern = regexp.MustCompile(`(?i)\bhttps?://[^\s"'<>]+`)

// addressesIn returns the addresses in a source.
func addressesIn(source string) []string {
	end := strings.IndexAny(source+" ", " \t\n\f\r\"'<>")
	switch { // the expression is slow, so use it only if needed
	case !strings.Contains(source[end:], "://") && strings.HasPrefix(source[:end], "https://"):
		return []string{source[:end]}
	case !strings.Contains(source, "://"):
		return nil
	}
	return urlPattern.FindAllString(source, -1)
}

// trustedSites lists well-known sites whose names others imitate.
var trustedSites = []string{
	"github.com", "github.io", "gitlab.com", "gitlab.io", "codeberg.org", "bitbucket.org", "sourceforge.net",
	"huggingface.co", "docker.com", "pypi.org", "npmjs.com", "crates.io", "readthedocs.io", "readthedocs.org",
	"google.com", "microsoft.com", "apple.com", "mozilla.org", "chromewebstore.google.com", "homebrew.sh", "brew.sh",
}

// trustedSkeletons lists the skeletons of trustedSites, in the same order.
var trustedSkeletons = func() (list []string) {
	for _, site := range trustedSites {
		list = append(list, skeleton(site))
	}
	return list
}()

// listingSites returns the sites of a listing's repository, homepage and docs.
func listingSites(links []link) []string {
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

// siteOf returns the part of a host that belongs to one owner: one label followed by a public
// suffix (https://publicsuffix.org). For "www.alice.github.io" that is "alice.github.io".
func siteOf(host string) string {
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host // the host itself is a public suffix
}

// schemePattern matches the scheme of a URL (RFC 3986, section 3.1).
var schemePattern = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*):`)

// hosts judges the hosts of a listing's links. Most of its links lead to a few hosts.
type hosts struct {
	sites []string // of the repository, the homepage and the docs
	known map[string]judgement
}

// judgement holds the results of imitation and likeness for a host.
type judgement struct {
	imitates, like string
	confusable     bool
}

func (h *hosts) judge(host string) judgement {
	j, ok := h.known[host]
	if !ok {
		j.imitates = imitation(host)
		j.like, j.confusable = likeness(host, h.sites)
		h.known[host] = j
	}
	return j
}

// deception says how a link deceives, and returns the rule that the link violates, or "".
func (h *hosts) deception(text, address string) (why string, violated rule.Rule) {
	address = content.AsBrowsersRead(html.UnescapeString(address))
	if !strings.HasPrefix(address, "https://") { // the expression is slow, so use it only if needed
		if m := schemePattern.FindStringSubmatch(address); m != nil &&
			!slices.Contains([]string{"https", "http", "mailto"}, strings.ToLower(m[1])) {
			return fmt.Sprintf("has the scheme %s: only https, http and mailto are allowed", strings.ToLower(m[1])),
				rule.SmuggledLink
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", violated // relative, or reported by the checks of the front matter
	}
	if u.User != nil {
		return fmt.Sprintf("contains a user name, and leads to %s: remove the user name", u.Hostname()),
			rule.SmuggledLink
	}
	host := strings.ToLower(u.Hostname())
	is := h.judge(host)
	if is.imitates != "" {
		return is.imitates, rule.SmuggledLink
	}
	if is.confusable {
		return is.like, rule.SmuggledLink
	}
	if named := hostInText(text); named != "" && siteOf(named) != siteOf(host) {
		return fmt.Sprintf("leads to %s, but its text says %s: write the host that the link leads to", host, named),
			rule.SmuggledLink
	}
	return is.like, rule.LookAlike
}

// imitation says which other host a host imitates in a way that no honest host would, or returns
// "".
func imitation(host string) string {
	decoded := host
	if strings.Contains(host, "xn--") {
		if name, err := idna.Punycode.ToUnicode(host); err == nil {
			decoded = name
		}
	}
	if !isASCII(decoded) {
		for label := range strings.SplitSeq(decoded, ".") {
			if scripts := scriptsOf(label); len(scripts) > 1 {
				return fmt.Sprintf("has the host %q, which mixes letters of several scripts (%s): only one script is "+
					"allowed", decoded, strings.Join(scripts, ", "))
			}
		}
		if plain, _ := fold(decoded); isASCII(plain) {
			return fmt.Sprintf("has the host %q, which looks like %s: write the host in ASCII letters", decoded, plain)
		}
	}
	site := siteOf(host)
	for _, known := range trustedSites {
		// Contains is checked first because this runs for each link, and joining texts takes long.
		if site != known && strings.Contains(host, known) && strings.Contains("."+host, "."+known+".") {
			return fmt.Sprintf("has the host %s, which begins with %s but is another site: link to the site itself",
				host, known)
		}
	}
	return ""
}

// likeness says which well-known site, or site of the listing, a host looks like, or returns "".
// confusable means that people mistake its letters for those of the other site, as in glthub.com.
// Otherwise one letter differs, and the host may be honest: crate.io is a database.
func likeness(host string, sites []string) (message string, confusable bool) {
	site := siteOf(host)
	name, ending, _ := strings.Cut(site, ".")
	if slices.ContainsFunc(trustedSites, func(known string) bool { return isOf(host, known) }) {
		return "", false
	}
	siteSkeleton := skeleton(site)
	for i, known := range slices.Concat(trustedSites, sites) {
		trusted := i < len(trustedSites)
		knownName, knownEnding, _ := strings.Cut(known, ".")
		if len(knownName) < 6 || site == known || knownName == name && !trusted {
			continue // short names often differ by one letter, and an owner may use several endings
		}
		confusable = len(siteSkeleton) <= len(known) && (trusted && siteSkeleton == trustedSkeletons[i] ||
			!trusted && siteSkeleton == skeleton(known))
		similar := trusted && oneLetterApart(site, known) ||
			!trusted && ending == knownEnding && len(name) == len(knownName) && oneLetterApart(name, knownName) &&
				digitsOf(name) == digitsOf(knownName)
		if confusable || similar {
			return fmt.Sprintf("has the host %s, which looks like %s: did you mean that one?", host, known), confusable
		}
	}
	return "", false
}

// isOf reports whether a host is a site or below it.
func isOf(host, site string) bool {
	before, ok := strings.CutSuffix(host, site)
	return ok && (before == "" || before[len(before)-1] == '.')
}

// oneLetterApart reports whether two words have an edit distance of 1.
func oneLetterApart(a, b string) bool {
	return len(a)-len(b) <= 1 && len(b)-len(a) <= 1 && spelling.Distance(a, b) == 1
}

// skeleton returns a host name in which characters that look alike are replaced with the same one.
func skeleton(host string) string { return asciiConfusables.Replace(host) }

var asciiConfusables = strings.NewReplacer("0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w", "5", "s", "-", "")

// scriptsOf returns the scripts of a label's letters, among those scripts whose letters look alike.
func scriptsOf(label string) []string {
	var found []string
	for _, name := range []string{"Latin", "Cyrillic", "Greek", "Armenian", "Cherokee"} {
		if strings.ContainsFunc(label, func(r rune) bool { return unicode.Is(unicode.Scripts[name], r) }) {
			found = append(found, name)
		}
	}
	return found
}

// hostText matches a text that consists of a URL, or of a host name with a common ending. It does
// not match "llama.cpp" or "Node.js".
var hostText = regexp.MustCompile(`(?i)^\s*(?:https?://(?:[^\s/@]*@)?([a-z0-9.-]+)(?:[:/?#]\S*)?|((?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|ai|co|app|example|(?:com?|org|net|ac)\.[a-z]{2}))(?:/\S*)?)\s*$`)

// hostNames returns the names of listings and products that look like hosts, such as cal.com.
func hostNames(c *content.Content) map[string]bool {
	var names []string
	for _, l := range c.Listings {
		names = append(append(names, l.Name), l.Aliases...)
	}
	for _, p := range c.Taxonomy.Products {
		names = append(append(names, p.Name), p.Aliases...)
	}
	hosts := map[string]bool{}
	for _, name := range names {
		if hostInText(name) != "" {
			hosts[strings.ToLower(name)] = true
		}
	}
	return hosts
}

// hostInText returns the host in a link's text, in lower case, if the text is only a URL or a host
// name. Otherwise it returns "".
func hostInText(text string) string {
	if !strings.Contains(text, ".") {
		return "" // the expression is slow, so use it only if needed
	}
	if m := hostText.FindStringSubmatch(text); m != nil {
		return strings.ToLower(m[1] + m[2])
	}
	return ""
}

// scriptURL matches the beginning of a URL that contains a script or data. A scheme name followed
// by a quotation mark, a bracket or a full stop is part of a sentence and does not match.
var scriptURL = regexp.MustCompile(
	"(?i)\\b(?:(?:javascript|vbscript|livescript):[^\\s\"'`”’»)\\],.;]|data:[a-z]+/[a-z0-9.+-]+[;,])")

// checkScripts finds script and data URLs in the text of a field.
func checkScripts(f textField, found *findings) {
	if !strings.Contains(f.text, ":") {
		return
	}
	if lower := strings.ToLower(f.text); !strings.Contains(lower, "script:") && !strings.Contains(lower, "data:") {
		return // the expression is slow, so use it only if needed
	}
	for _, match := range scriptURL.FindAllStringIndex(f.text, -1) {
		found.add(f.finding(rule.SmuggledLink, match[0], "%q is an address that runs code or holds data: only https "+
			"addresses are allowed", f.text[match[0]:match[1]]))
	}
}
