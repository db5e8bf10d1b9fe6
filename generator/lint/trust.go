package lint

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// Descriptions are read by models as well as by people, and a model may take a
// text for an order. The rules here find texts that speak to models, texts that
// only machines see, and links that lead elsewhere than they say. They are
// errors: there is always another way to say what a tool does.

// checkPages checks the texts of pages. They are about the catalog, and may show HTML.
func checkPages(c *catalog) []content.Finding {
	var findings []content.Finding
	for _, p := range c.Pages {
		for _, text := range []piece{
			inFrontMatter(&p.Document, "title: ", p.Title, "title"), inFrontMatter(&p.Document, "description: ", p.Description, "description"), inBody(&p.Document),
		} {
			findings = append(findings, checkInvisible(text)...)
		}
		findings = append(findings, checkUnshown(&p.Document)...)
		findings = append(findings, notShown(&p.Document)...)
	}
	return findings
}

// checkTaxonomyTexts checks the texts of the taxonomy.
func checkTaxonomyTexts(c *catalog) []content.Finding {
	return checkPieces(taxonomyPieces(c.Content))
}

// checkListingTexts checks the texts of a listing.
func checkListingTexts(_ *catalog, l *content.Listing) []content.Finding {
	return append(checkPieces(pieces(l)), checkUnshown(&l.Document)...)
}

func checkPieces(list []piece) []content.Finding {
	var findings []content.Finding
	for _, p := range list {
		findings = append(findings, checkInstructions(p)...)
		findings = append(findings, checkInvisible(p)...)
		findings = append(findings, checkScripts(p)...)
	}
	return findings
}

// piece is a text with a way to tell of a place in it, in bytes from its
// beginning.
type piece struct {
	key  string // how messages call it: a key and a colon, or "" for the text below the front matter
	text string
	at   func(r rule.Rule, message string, offset int) content.Finding
}

func inFrontMatter(d *content.Document, key, text string, path ...any) piece {
	return piece{key, text, func(r rule.Rule, message string, _ int) content.Finding { return d.At(r, message, path...) }}
}

func inBody(d *content.Document) piece {
	return piece{"", d.Body, d.InBody}
}

// taxonomyPieces are the texts of the taxonomy.
func taxonomyPieces(c *content.Content) []piece {
	var list []piece
	add := func(file, key, text string, path ...any) {
		list = append(list, piece{key + ": ", text, func(r rule.Rule, message string, _ int) content.Finding {
			return c.InTaxonomy(file, r, message, path...)
		}})
	}
	for i, x := range c.Taxonomy.Categories {
		add("categories.yml", "name", x.Name, i, "name")
		add("categories.yml", "description", x.Description, i, "description")
		add("categories.yml", "group", x.Group, i, "group")
	}
	for i, x := range c.Taxonomy.Platforms {
		add("platforms.yml", "name", x.Name, i, "name")
	}
	for i, x := range c.Taxonomy.Products {
		add("products.yml", "name", x.Name, i, "name")
		add("products.yml", "maker", x.Maker, i, "maker")
		for j, alias := range x.Aliases {
			add("products.yml", "aliases", alias, i, "aliases", j)
		}
	}
	for i, group := range c.Taxonomy.Synonyms {
		for j, phrase := range group {
			add("synonyms.yml", "synonyms", phrase, i, j)
		}
	}
	return list
}

// pieces are the texts of a listing that somebody wrote freely.
func pieces(l *content.Listing) []piece {
	var list []piece
	add := func(key, text string, path ...any) {
		list = append(list, inFrontMatter(&l.Document, key+": ", text, path...))
	}
	each := func(key string, texts []string, path ...any) {
		for i, text := range texts {
			add(key, text, append(slices.Clone(path), i)...)
		}
	}
	add("name", l.Name, "name")
	add("purpose", l.Purpose, "purpose")
	each("aliases", l.Aliases, "aliases")
	each("jobs", l.Jobs, "jobs")
	each("topics", l.Topics, "topics")
	each("caveats", l.FitNotes.Caveats, "fitNotes", "caveats")
	for _, optional := range []struct {
		key  string
		text *string
		path []any
	}{
		{"language", l.Language, []any{"language"}}, {"license", l.License, []any{"license"}}, {"memoryFor", l.FitNotes.MemoryFor, []any{"fitNotes", "memoryFor"}},
	} {
		if optional.text != nil {
			add(optional.key, *optional.text, optional.path...)
		}
	}
	for i, link := range l.InstallLinks {
		add("label", link.Label, "installLinks", i, "label")
	}
	for field, source := range l.Sources {
		add(field, source, "sources", field)
	}
	return append(list, inBody(&l.Document))
}

// order is a turn of phrase by which a text speaks to the model that reads it, in
// lower case. It names what is commanded, so that sentences about prompts and
// models pass.
type order struct {
	// needs are words, in lower case, one of each group of which is in every match:
	// most texts have none, and looking for words is a hundred times as fast as
	// the expression.
	needs  [][]string
	phrase *regexp.Regexp
}

var orders = []order{
	// Forget what you were told.
	{oneOf("ignore", "disregard", "forget", "override", "bypass", "follow"),
		regexp.MustCompile(`\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow|stop following)\s+(?:[\w']+\s+){0,3}?(?:previous|prior|above|earlier|preceding|foregoing|your|system|original|initial)\s+(?:[\w']+\s+){0,3}?(?:instructions?|prompts?|rules?|guidelines?|directions|directives|orders|context|training|programming)\b`)},
	{oneOf("ignore", "disregard", "forget"),
		regexp.MustCompile(`\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:\w+\s+){0,2}?(?:above|before|previously|you (?:were|have been))\b`)},
	{both(oneOf("your"), oneOf("prompt", "instructions")),
		regexp.MustCompile(`\b(?:reveal|repeat|print|output|leak|disclose)\s+(?:\w+\s+){0,2}?your\s+(?:\w+\s+){0,2}?(?:prompt|instructions)\b`)},
	{both(oneOf(":"), oneOf("instruction", "prompt", "orders")),
		regexp.MustCompile(`\b(?:new|updated|real|actual|important|additional)\s+(?:system\s+)?(?:instructions?|prompts?|orders)\s*(?:for (?:the |an? )?(?:ai|assistants?|agents?|models?|llms?)\s*)?:`)},
	// You are somebody else.
	{oneOf("you are now "), regexp.MustCompile(`\byou are now (?:an?|the|in|my|free|no longer|acting|operating|going)\b`)},
	{oneOf("from now on"), regexp.MustCompile(`\bfrom now on,?\s+(?:you|act|respond|answer|always|only|never|behave|speak)\b`)},
	{oneOf("pretend "), regexp.MustCompile(`\bpretend (?:to be|that you|you are)\b`)},
	{oneOf("you are a"), regexp.MustCompile(`\b(?:if|when|since|because) you are an? (?:ai|llm|language model|large language model|ai model|ai assistant|ai agent|chatbot)\b`)},
	{oneOf("you are a"), regexp.MustCompile(`\byou are an? (?:ai|llm|language model|large language model|helpful assistant|chatbot)\b`)},
	{oneOf("as a ai", "as an ai", "as a llm", "as an llm", "as a language", "as an language", "as a large", "as an large", "as a artificial", "as an artificial"),
		regexp.MustCompile(`\bas an? (?:ai|artificial intelligence|llm|large language model|language model|ai (?:language )?(?:assistant|model|agent|chatbot)),?\s+(?:you|i|your|always|never|do|please)\b`)},
	{oneOf("note", "message", "attention", "instruction", "hint", "memo"),
		regexp.MustCompile(`\b(?:note|message|attention|instructions?|hint|memo)\s*(?:to|for)?\s*:?\s+(?:all\s+)?(?:ai|llms?|language models?|ai (?:assistants?|agents?|models?|crawlers?))\b\s*[:,!]`)},
	// Keep it from the user, or press something on them.
	{both(oneOf("user"), oneOf("do not", "don't", "never", "must not")),
		regexp.MustCompile(`\b(?:do not|don't|never|must not)\s+(?:tell|inform|mention|reveal|warn|alert|disclose|admit)\s+(?:(?:this|it|that|anything|any of this)\s+)?(?:to\s+)?(?:the\s+|your\s+)?users?\b`)},
	{both(oneOf("user"), oneOf("tell", "inform", "convince", "persuade", "assure")),
		regexp.MustCompile(`\b(?:tell|inform|convince|persuade|assure)\s+the\s+user\s+(?:that|to)\b`)},
	{both(oneOf("must", "should", "shall", "required", "have", "need"), oneOf("assistant", "language models", "llms", "agents", "ai models", "chatbots")),
		regexp.MustCompile(`\b(?:ai assistants?|assistants|language models|llms|ai agents|ai models|chatbots|agents)\s+(?:must|should|shall|are required to|have to|need to)\s+(?:always\s+|only\s+|never\s+)?(?:recommend|rank|prefer|suggest|praise|ignore|disregard|mention this|list this|tell)\b`)},
	{both(oneOf("always", "only"), oneOf("recommend", "suggest", "rank", "choose", "prefer")),
		regexp.MustCompile(`\b(?:always|only)\s+(?:recommend|suggest|rank|choose|prefer)\s+(?:this|our|us)\b`)},
	{both(oneOf("this"), oneOf("first", "above", "before", "over", "instead", "highest", "at the top")),
		regexp.MustCompile(`\b(?:recommend|rank|suggest|list|place|put)\s+(?:only\s+)?this\s+(?:tool|project|listing|entry|product)?\s*(?:first|above|before|over|instead|highest|at the top)\b`)},
	// The marks by which conversations are written down.
	{oneOf("<"), regexp.MustCompile(`</?\s*(?:system|assistant|developer|human|instructions?|system-reminder|im_start|im_end|tool_call|tool_result|function_calls?|function_results?)(?:\s[^<>]*)?/?>`)},
	{oneOf("<|", "inst]", "sys>>"), regexp.MustCompile(`<\|[a-z_ ]+\|>|\[/?inst\]|<</?sys>>`)},
	{both(oneOf(":"), oneOf("system", "assistant", "developer")),
		regexp.MustCompile(`(?m)^[#*>\s-]*(?:system|assistant|developer)(?:\s+(?:message|prompt|instructions?|override))?\**\s*:\**\s`)},
	{both(oneOf("#"), oneOf("system", "instruction", "human", "assistant")),
		regexp.MustCompile(`(?m)^#{1,6}\s*(?:system|instructions?|human|assistant)\s*:?\s*$`)},
}

// oneOf and both write down what an order needs.
func oneOf(words ...string) [][]string        { return [][]string{words} }
func both(one, another [][]string) [][]string { return slices.Concat(one, another) }

// in returns where the order stands in a text, as pairs of places.
func (o *order) in(text string) [][]int {
	for _, words := range o.needs {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) }) {
			return nil
		}
	}
	return o.phrase.FindAllStringIndex(text, -1)
}

func checkInstructions(p piece) []content.Finding {
	text, offsets := folded(p.text)
	var found [][]int
	for i := range orders {
		found = append(found, orders[i].in(text)...)
	}
	slices.SortFunc(found, slices.Compare)
	var findings []content.Finding
	told := 0 // up to where
	for _, at := range found {
		if at[0] < told {
			continue
		}
		told = at[1]
		begin, end := at[0], at[1]
		if offsets != nil {
			begin, end = offsets[begin], offsets[end]
		}
		given := strings.Join(strings.Fields(p.text[begin:end]), " ")
		findings = append(findings, p.at(rule.Instruction, fmt.Sprintf("%s%q speaks to a model that reads the listing; allowed are texts that describe the tool: say it in other words, or leave it out", p.key, given), begin))
	}
	return findings
}

// folded returns a text as people see it, for comparing: in lower case, without
// what is invisible, with letters that look like those of ASCII as these. offsets
// leads from each byte of it, and from its end, to the text; nil where all places
// are the same.
func folded(text string) (folded string, offsets []int) {
	if isASCII(text) {
		return strings.ToLower(text), nil
	}
	out := make([]byte, 0, len(text))
	offsets = make([]int, 0, len(text)+1)
	for i, r := range text {
		if r < utf8.RuneSelf {
			c := text[i]
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			out, offsets = append(out, c), append(offsets, i)
			continue
		}
		if invisible.Is(r) {
			continue
		}
		seen := strings.ToLower(norm.NFKC.String(string(r)))
		if ascii, ok := lookAlikes[[]rune(seen)[0]]; ok {
			seen = ascii
		}
		for range len(seen) {
			offsets = append(offsets, i)
		}
		out = append(out, seen...)
	}
	return string(out), append(offsets, len(text))
}

// lookAlikes are small letters of other scripts that look like letters of ASCII
// (Unicode UTS #39, the most used), and quotation marks.
var lookAlikes = map[rune]string{
	'а': "a", 'в': "b", 'с': "c", 'ԁ': "d", 'е': "e", 'ё': "e", 'һ': "h", 'і': "i", 'ї': "i", 'ј': "j", 'к': "k", 'ӏ': "l", 'м': "m", 'н': "h", 'о': "o", 'р': "p",
	'ԛ': "q", 'г': "r", 'ѕ': "s", 'т': "t", 'у': "y", 'ѵ': "v", 'ԝ': "w", 'х': "x", 'ь': "b",
	'α': "a", 'β': "b", 'ε': "e", 'η': "n", 'ι': "i", 'κ': "k", 'ν': "v", 'ο': "o", 'ρ': "p", 'τ': "t", 'υ': "u", 'χ': "x", 'γ': "y", 'ω': "w",
	'ı': "i", 'ɡ': "g", 'ɑ': "a", 'օ': "o", 'ս': "u", 'ց': "g", 'հ': "h", 'ո': "n", '’': "'", '‘': "'",
}

// checkInvisible finds characters that nobody sees.
func checkInvisible(p piece) []content.Finding {
	var findings []content.Finding
	for i, r := range invisible.In(p.text) {
		findings = append(findings, p.at(rule.HiddenText, fmt.Sprintf("%sholds %U, which nobody sees but machines; allowed are characters that show: delete it", p.key, r), i))
	}
	return oneALine(findings)
}

// checkEntities finds entities in a text that stand for such characters. In code
// they stand for themselves: what counts is the page.
func checkEntities(d *content.Document) []content.Finding {
	var findings []content.Finding
	for range invisible.In(d.BodyHTML) {
		for _, at := range entity.FindAllStringIndex(d.Body, -1) {
			given := d.Body[at[0]:at[1]]
			for _, r := range string(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(given)))) {
				if invisible.Is(r) {
					findings = append(findings, d.InBody(rule.HiddenText, fmt.Sprintf("%s stands for %U, which nobody sees but machines; allowed are characters that show: delete it", given, r), at[0]))
				}
			}
		}
		break
	}
	return findings
}

// entity is a character reference (CommonMark 0.31, section 2.5).
var entity = regexp.MustCompile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]*);")

// oneALine keeps the first finding of each line.
func oneALine(findings []content.Finding) []content.Finding {
	return slices.CompactFunc(findings, func(a, b content.Finding) bool { return a.Line == b.Line })
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

var (
	// textInAttribute is a tag whose attribute holds words and not an address or a name.
	textInAttribute = regexp.MustCompile(`(?i)<[a-z][^>]*\s(?:title|alt|aria-[a-z]+|data-[a-z-]+|content|value|placeholder|label|summary)\s*=\s*["']?[^\s"'>]`)

	htmlTag      = regexp.MustCompile(`<[^>]*>`)
	hidingMarkup = regexp.MustCompile(`(?i)<[a-z][^>]*(?:\shidden\b|aria-hidden|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(?:white|transparent|#fff))`)
)

// checkUnshown finds what pages leave out and who reads the source, as by the
// API, has: HTML that hides text, and definitions of links that the text does not
// use, which is how comments are written in Markdown.
func checkUnshown(d *content.Document) []content.Finding {
	findings := checkEntities(d)
	for _, h := range d.Pieces.HTML {
		if what := hides(h.Text); what != "" {
			findings = append(findings, d.InBody(rule.HiddenText,
				fmt.Sprintf("%q is %s: machines read what people do not see; allowed is Markdown that shows", firstLine(h.Text), what), h.Offset))
		}
	}
	for _, i := range d.Pieces.Info {
		findings = append(findings, d.InBody(rule.HiddenText,
			fmt.Sprintf("%q stands behind the language of a block of code: machines read what people do not see; leave only the language", firstLine(i.Text)), i.Offset))
	}
	for _, u := range d.Pieces.Unused {
		findings = append(findings, d.InBody(rule.HiddenText,
			fmt.Sprintf("%q is a link that the text does not use: machines read what people do not see; use it, or leave it out", firstLine(u.Text)), u.Offset))
	}
	return findings
}

// hides says as what raw HTML hides text, or "".
func hides(raw string) string {
	switch {
	case strings.HasPrefix(strings.TrimSpace(raw), "<!--"):
		return "a comment"
	case strings.HasPrefix(strings.TrimSpace(raw), "<!"), strings.HasPrefix(strings.TrimSpace(raw), "<?"):
		return "a declaration or an instruction to programs"
	case textInAttribute.MatchString(raw):
		return "HTML with text in an attribute"
	case hidingMarkup.MatchString(raw):
		return "hidden HTML"
	case strings.TrimSpace(htmlTag.ReplaceAllString(raw, "")) != "":
		return "text in HTML, which pages leave out"
	}
	return ""
}

// firstLine returns the first line of a text that has one.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

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
	for field, source := range l.Sources {
		if !strings.Contains(source, "://") {
			continue
		}
		for _, found := range bareAddress.FindAllString(source, -1) {
			links = append(links, link{field, "", found, func(r rule.Rule, message string) content.Finding { return l.At(r, message, "sources", field) }})
		}
	}
	var findings []content.Finding
	own := ownSites(l)
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

// ownSites are the sites of a listing's repository, homepage and documentation.
func ownSites(l *content.Listing) []string {
	var sites []string
	for _, address := range []*string{&l.RepositoryURL, l.HomepageURL, l.DocsURL} {
		if address == nil {
			continue
		}
		if u, err := url.Parse(*address); err == nil && u.Hostname() != "" {
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
	if m := anyScheme.FindStringSubmatch(address); m != nil && !slices.Contains([]string{"https", "http", "mailto"}, strings.ToLower(m[1])) {
		return fmt.Sprintf("has the scheme %s; allowed are https, http and mailto", strings.ToLower(m[1]))
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
	for i, known := range slices.Concat(forges, own) {
		forge := i < len(forges)
		if forge && strings.HasPrefix(host, known+".") || forge && strings.Contains(host, "."+known+".") {
			return fmt.Sprintf("has the host %s, which begins like %s and is another; allowed is the site itself", host, known)
		}
		knownName, knownEnding, _ := strings.Cut(known, ".")
		if len(knownName) < 6 || site == known || knownName == name && !forge {
			continue // short names differ by a letter and mean something else; a maker has several endings
		}
		near := len(skeletonOfSite) <= len(known) && skeletonOfSite == skeleton(known)
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
	return len(a)-len(b) <= 1 && len(b)-len(a) <= 1 && api.EditDistance(a, b) == 1
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

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// namedHost is a text that is an address or the name of a host of one of the
// usual endings: "llama.cpp" and "Node.js" are none.
var namedHost = regexp.MustCompile(`(?i)^\s*(?:https?://(?:[^\s/@]*@)?([a-z0-9.-]+)(?:[:/?#]\S*)?|((?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|ai|co|app|example))(?:/\S*)?)\s*$`)

// hostNamed returns the host that the text of a link names, in lower case, or "".
func hostNamed(text string) string {
	m := namedHost.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.ToLower(m[1] + m[2])
}
