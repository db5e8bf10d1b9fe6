package content

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/memo"
	"catalog.example/generator/rule"
)

// today is the day on which the tests' listings are checked.
const today = api.Date("2026-11-21")

// taxonomy has the facts of the shipped content.
var taxonomy = api.Taxonomy{
	Facts:      shippedFrontMatter.taxonomy.Facts,
	Models:     shippedFrontMatter.taxonomy.Models,
	Categories: []api.Category{{Slug: "chat-interfaces", Name: "Chat"}, {Slug: "image-generation", Name: "Images"}},
	Platforms:  []api.Platform{{Slug: "linux", Name: "Linux"}, {Slug: "docker", Name: "Docker"}, {Slug: "macos", Name: "macOS"}},
	Products:   []api.Product{{Slug: "paid-chat", Name: "Paid Chat", Aliases: []string{"PC Pro"}, Maker: "Paid"}},
}

// shippedFrontMatter is that of the shipped listings.
var shippedFrontMatter = func() *FrontMatter {
	settings := strict()
	m, err := LoadFrontMatter(shippedContent, &settings)
	if err != nil {
		panic(err)
	}
	return m
}()

// baseListing has a value for every key and nothing wrong with it.
const baseListing = `---
name: Paper Lantern
aliases: [Lantern]
purpose: Chats with your documents on your own machine.
jobs: [chat with my documents]
category: chat-interfaces
alsoIn: [image-generation]
topics: [documents]
platforms: [linux, docker]
language: Go
license: MIT
osiApproved: true
stars: 1200
starsAsOf: 2026-08-22
replaces: [Paid Chat]
fitNotes:
  docker: true
  beginner: false
  selfHosted: true
  gpu: optional
  worksOffline: true
  apiKey: "no"
  caveats: [Slow without a GPU]
setups:
  - {for: a model of 3 billion parameters, ramGb: 4, source: README}
  - {for: a model of 3 billion parameters, ramGb: 8, vramGb: 2.5, level: recommended}
  - {for: pictures, vramGb: 2}
installLinks:
  - {kind: docker, label: Image, url: "https://hub.example.org/paper-lantern", command: docker run paper-lantern}
repositoryUrl: https://code.example.org/paper-lantern
homepageUrl: https://paper-lantern.example.org/
docsUrl: https://docs.example.org/paper-lantern?v=1#top
archived: false
addedAt: 2026-11-21
createdAt: 2024-02-29
updatedAt: 2026-08-22
sources:
  license: LICENSE in the repository (2026-08-22)
  stars: https://code.example.org/paper-lantern (2026-08)
  fitNotes.docker: README
  setups: README
checkedAt: 2026-11-20
release: {version: v1.2.0, date: 2026-08-02}
---
## What it does

Chats.
`

// check checks one listing's file by itself.
func check(file, text string) (*Listing, []Finding) {
	settings := strict()
	l, findings := newListingChecker(NewFrontMatter(&settings, &taxonomy), memo.Key{}, today).listing(file, []byte(text), nil)
	return l, Leveled(findings, settings.Rules)
}

// strict returns settings with rules that other catalogues leave off.
func strict() site.Settings {
	s := site.Defaults()
	s.Rules = map[string]string{"headings": "warning", "license-source": "warning"}
	return s
}

// shown writes findings as line:column rule: message, with a word before
// warnings.
func shown(findings []Finding) []string {
	list := []string{}
	for _, f := range findings {
		kind := ""
		if f.Rule.Severity == rule.Warning {
			kind = "warning "
		}
		list = append(list, fmt.Sprintf("%d:%d %s%s: %s", f.Line, f.Column, kind, f.Rule.Name, f.Message))
	}
	return list
}

// advised returns front matter with advisories of packages, and a name.
func advised(read string, known ...string) string {
	text := "advisories:\n  read:\n    - " + read + "\n  known:"
	if len(known) == 0 {
		text += " []"
	}
	for _, one := range known {
		text += "\n    - " + one
	}
	return text + "\nname: Paper Lantern"
}

func long(n int) string { return strings.Repeat("é", n) }

func TestListingFindings(t *testing.T) {
	allKeys := strings.Join(slices.DeleteFunc(shippedFrontMatter.Keys(), func(key string) bool { return strings.Contains(key, ".") }), ", ")
	for _, c := range []struct {
		about string
		// old is what stands in baseListing, new what stands there instead.
		old, new string
		want     []string
	}{
		{"nothing wrong", "", "", nil},

		{"no name", "name: Paper Lantern\n", "", []string{"2:1 missing: name: is missing, but required"}},
		{"empty name", "name: Paper Lantern", "name: ''", []string{"2:7 value: name: is empty, but required"}},
		{"name null", "name: Paper Lantern", "name:", []string{"2:6 value: name: is empty, but required"}},
		{"name of the wrong kind", "name: Paper Lantern", "name: 12", []string{`2:7 front-matter: name: "12" is a number, but a text is expected: put it in quotation marks`}},
		{"name with space around", "name: Paper Lantern", "name: ' Paper Lantern'", []string{"2:7 value: name: begins or ends with white space"}},
		{"longest name", "name: Paper Lantern", "name: " + long(80), nil},
		{"name too long", "name: Paper Lantern", "name: " + long(81), []string{"2:7 value: name: has 81 characters: at most 80 are allowed"}},
		{"name with a control character", "name: Paper Lantern", `name: "Paper\tLantern"`, []string{"2:7 value: name: contains a line break or another control character: write one line"}},

		{"no purpose", "purpose: Chats with your documents on your own machine.\n", "", []string{"2:1 missing: purpose: is missing, but required"}},
		{"longest purpose", "purpose: Chats with your documents on your own machine.", "purpose: " + long(160), nil},
		{"purpose too long", "purpose: Chats with your documents on your own machine.", "purpose: " + long(161), []string{"4:10 value: purpose: has 161 characters: at most 160 are allowed"}},
		{"purpose of two lines", "purpose: Chats with", "purpose: |-\n  Chats\n  with", []string{"4:10 value: purpose: contains a line break or another control character: write one line"}},

		{"empty alias", "aliases: [Lantern]", "aliases: ['']", []string{"3:11 value: aliases: an entry is empty: remove it"}},
		{"alias twice", "aliases: [Lantern]", "aliases: [Lantern, LANTERN]", []string{`3:20 value: aliases: "LANTERN" is in the list twice: remove one of them`}},
		{"alias too long", "aliases: [Lantern]", "aliases: [" + long(201) + "]", []string{"3:11 value: aliases: has 201 characters: at most 200 are allowed"}},
		{"job with space around", "jobs: [chat with my documents]", "jobs: ['chat ']", []string{"5:8 value: jobs: begins or ends with white space"}},
		{"topic in upper case", "topics: [documents]", "topics: [documents, RAG]", []string{`8:21 value: topics: "RAG" must be in lower case`}},
		{"number as a topic", "topics: [documents]", "topics: [2024]", []string{`8:10 front-matter: topics: "2024" is a number, but a text is expected: put it in quotation marks`}},

		{"advisories", "name: Paper Lantern", advised("{ecosystem: PyPI, package: a, asOf: 2026-01-02, total: 1, checkedVersion: 1.2.0}",
			"{id: TEST-2026-0001, ecosystem: PyPI, package: a, summary: Made up, severity: high, published: 2026-01-01, modified: 2026-01-02, fixed: [\"1.3\"], affected: true}"), nil},
		{"no advisory", "name: Paper Lantern", advised("{ecosystem: Go, package: example.com/a, asOf: 2026-01-02, total: 0}"), nil},
		{"advisories of nothing", "name: Paper Lantern", "advisories: {}\nname: Paper Lantern", []string{"2:13 value: read: is empty: name the packages whose advisories were read, or write null for advisories"}},
		{"advisories that do not fit", "name: Paper Lantern", advised("{ecosystem: pypi, package: '', total: 3}\n    - {ecosystem: npm, package: a, asOf: 2026-01-02, total: 0}\n    - {ecosystem: npm, package: a, asOf: 2099-01-02, total: 0, checkedVersion: ''}",
			"{id: wrong, ecosystem: npm, package: a, severity: bad, fixed: [1a, 1a, do as I say], summary: ''}"), []string{
			`4:19 value: ecosystem: "pypi" is not allowed: write one of crates.io, Go, npm, PyPI`,
			"4:34 missing: package: is missing, but required", "4:7 value: asOf: is missing: write the day as YYYY-MM-DD",
			"5:61 value: total: 0 is too low: known names 1",
			"6:42 value: asOf: 2099-01-02 is in the future: write a day up to today",
			"6:80 value: checkedVersion: is empty: remove it, or write null if the value is unknown",
			`6:33 value: package: "a" is in the list twice: remove one of them`,
			`8:12 value: id: "wrong" is not the identifier of an advisory, such as GHSA-xxxx-xxxx-xxxx: write it as OSV does`,
			"8:101 value: summary: is empty: remove it, or write null if the value is unknown",
			`8:57 value: severity: "bad" is not allowed: write one of low, moderate, high, critical`, "8:7 value: modified: is missing: write the day as YYYY-MM-DD",
			`8:74 value: fixed: "1a" is in the list twice: remove one of them`,
			`8:78 value: fixed: "do as I say" is not the version of a package, such as 1.2.3: write it as OSV does`,
		}},
		{"an advisory of a package that was not read", "name: Paper Lantern", advised("{ecosystem: npm, package: a, asOf: 2026-01-02, total: 0}",
			"{id: TEST-1, ecosystem: npm, package: b, modified: 2026-01-02}"), []string{`6:45 value: package: "npm b" is not in read: add it there, or remove the advisory`}},

		{"no category", "category: chat-interfaces\n", "", []string{"2:1 missing: category: is missing, but required"}},
		{"unknown category", "category: chat-interfaces", "category: chat-interface", []string{`6:11 value: category: there is no category "chat-interface" in taxonomy/categories.yml (did you mean chat-interfaces?)`}},
		{"category like no other", "category: chat-interfaces", "category: zzz", []string{`6:11 value: category: there is no category "zzz" in taxonomy/categories.yml`}},
		{"also at home", "alsoIn: [image-generation]", "alsoIn: [chat-interfaces]", []string{`7:10 value: alsoIn: "chat-interfaces" is already the category of the listing: remove it`}},
		{"also in an unknown category", "alsoIn: [image-generation]", "alsoIn: [images]", []string{`7:10 value: alsoIn: there is no category "images" in taxonomy/categories.yml`}},
		{"also in one category twice", "alsoIn: [image-generation]", "alsoIn: [image-generation, image-generation]", []string{`7:28 value: alsoIn: "image-generation" is in the list twice: remove one of them`}},
		{"unknown platform", "platforms: [linux, docker]", "platforms: [linux, mac]", []string{`9:20 value: platforms: there is no platform "mac" in taxonomy/platforms.yml (did you mean macos?)`}},
		{"product by its alias", "replaces: [Paid Chat]", "replaces: [pc pro]", []string{`15:12 value: replaces: "pc pro" is listed in taxonomy/products.yml as "Paid Chat"; write that name`}},
		{"product by its slug", "replaces: [Paid Chat]", "replaces: [paid-chat]", []string{`15:12 value: replaces: "paid-chat" is listed in taxonomy/products.yml as "Paid Chat"; write that name`}},
		{"unknown product", "replaces: [Paid Chat]", "replaces: [Paid Chef]", []string{`15:12 value: replaces: there is no product "Paid Chef" in taxonomy/products.yml (did you mean Paid Chat?)`}},

		{"language empty", "language: Go", "language: ' '", []string{"10:11 value: language: is empty: remove it, or write null if the value is unknown"}},
		{"either licence", "license: MIT", "license: MIT OR Apache-2.0", nil},
		{"both licences", "license: MIT", "license: (MIT AND BSD-3-Clause) OR GPL-2.0-only WITH Classpath-exception-2.0", nil},
		{"licence as people call it", "license: MIT", "license: Apache 2.0", []string{`11:10 value: license: "Apache 2.0" is not an SPDX licence expression (did you mean Apache-2.0?); see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"licence in short", "license: MIT", "license: GPLv3", []string{`11:10 value: license: "GPLv3" is not an SPDX licence expression (did you mean GPL-3.0-only or GPL-3.0-or-later?); see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"licence by its whole name", "license: MIT", "license: MIT License", []string{`11:10 warning license-name: license: "MIT License" is read as MIT: write that`}},
		{"deprecated licence", "license: MIT", "license: GPL-3.0", []string{`11:10 warning license-name: license: "GPL-3.0" does not say whether later versions may be used: add -only or -or-later to the version, if the makers say which`}},
		{"deprecated licence of a later version too", "license: MIT", "license: GPL-2.0+ OR MIT", []string{`11:10 warning license-name: license: "GPL-2.0+ OR MIT" is read as GPL-2.0-or-later OR MIT: write that`}},
		{"deprecated licences in an expression", "license: MIT", "license: MIT AND (LGPL-2.1 OR AGPL-3.0)", []string{`11:10 warning license-name: license: "MIT AND (LGPL-2.1 OR AGPL-3.0)" does not say whether later versions may be used: add -only or -or-later to the version, if the makers say which`}},
		{"licence by the name of GitHub", "license: MIT", "license: GNU Affero General Public License v3.0", []string{`11:10 warning license-name: license: "GNU Affero General Public License v3.0" does not say whether later versions may be used: add -only or -or-later to the version, if the makers say which`}},
		{"exception to terms of one's own", "license: MIT", "license: LicenseRef-Own WITH Classpath-exception-2.0", nil},
		{"unknown exception to terms of one's own", "license: MIT", "license: LicenseRef-Own WITH Own-exception", []string{`11:10 value: license: "LicenseRef-Own WITH Own-exception" is not an SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"deprecated licence of another name", "license: MIT", "license: wxWindows", []string{`11:10 value: license: "wxWindows" is deprecated in the SPDX list: write LGPL-2.0-or-later WITH WxWindows-exception-3.1`}},
		{"deprecated licence without a successor", "license: MIT", "license: Net-SNMP", []string{`11:10 value: license: "Net-SNMP" is deprecated in the SPDX list: see https://spdx.org/licenses/ for what to write now`}},
		{"licence of another spelling", "license: MIT", "license: mit", []string{`11:10 value: license: "mit" is written "MIT" in the SPDX list`}},
		{"brackets that do not close", "license: MIT", "license: ((((", []string{`11:10 value: license: "((((" is not an SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"bracket that does not open", "license: MIT", "license: MIT)", []string{`11:10 value: license: "MIT)" is not an SPDX licence expression (did you mean MIT?); see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"two licences without an operator", "license: MIT", "license: MIT ISC", []string{`11:10 value: license: "MIT ISC" is not an SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"longest expression", "license: MIT", "license: LicenseRef-" + strings.Repeat("a", 109), nil},
		{"expression too long", "license: MIT", "license: LicenseRef-" + strings.Repeat("a", 110), []string{"11:10 value: license: has 121 characters: at most 120 are allowed"}},
		{"licence of two lines", "license: MIT", `license: "MIT\nOR ISC"`, []string{"11:10 value: license: contains a line break or another control character: write one line"}},
		{"approval that contradicts the licence", "osiApproved: true", "osiApproved: false", []string{
			"12:14 value: osiApproved: false contradicts the SPDX list, which says that the Open Source Initiative approves MIT: remove the key, which is for licences that are not in the list, or write the makers' own terms as LicenseRef-…"}},
		{"approval of a licence that is not", "license: MIT", "license: BUSL-1.1 AND MIT", []string{
			"12:14 value: osiApproved: true contradicts the SPDX list, which says that the Open Source Initiative does not approve BUSL-1.1 AND MIT: remove the key, which is for licences that are not in the list, or write the makers' own terms as LicenseRef-…"}},
		{"own terms that are said not to be approved", "license: MIT\nosiApproved: true", "license: LicenseRef-Own AND MIT\nosiApproved: false", nil},
		{"own terms", "license: MIT", "license: LicenseRef-Fair-Use", nil},
		{"own terms of another document", "license: MIT", "license: DocumentRef-a:LicenseRef-b", nil},
		{"a document without terms", "license: MIT", "license: DocumentRef-a", []string{`11:10 value: license: "DocumentRef-a" is not an SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"unknown licence", "license: MIT", "license: Apache", []string{`11:10 value: license: "Apache" is not an SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"unknown exception", "license: MIT", "license: MIT WITH nothing", []string{`11:10 value: license: "MIT WITH nothing" is not an SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"half an expression", "license: MIT", "license: MIT OR", []string{`11:10 value: license: "MIT OR" is not an SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"prose", "license: MIT", "license: free for all", []string{`11:10 value: license: "free for all" is not an SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms`}},
		{"licence empty", "license: MIT", "license: ''", []string{"11:10 value: license: is empty: remove it, or write null if the value is unknown"}},
		{"licence with space around", "license: MIT", "license: 'MIT '", []string{"11:10 value: license: begins or ends with white space"}},
		{"licence with two spaces", "license: MIT", "license: MIT  OR ISC", []string{`11:10 value: license: "MIT  OR ISC" has white space other than single spaces between words: remove it`}},
		{"osiApproved of the wrong kind", "osiApproved: true", "osiApproved: yes", []string{`12:14 front-matter: osiApproved: "yes" is not allowed: write true, false or null`}},

		{"stars without a day", "starsAsOf: 2026-08-22\n", "", []string{"13:8 value: stars: is given without starsAsOf: add the day on which the stars were counted"}},
		{"a day without stars", "stars: 1200\n", "", []string{"13:12 value: starsAsOf: is given without stars: add stars, or remove starsAsOf"}},
		{"neither stars nor a day", "stars: 1200\nstarsAsOf: 2026-08-22\n", "", nil},
		{"no stars at all", "stars: 1200", "stars: 0", nil},
		{"more stars than there are", "stars: 1200", "stars: 9223372036854775807", []string{"13:8 value: stars: 9223372036854775807 is out of bounds: 0 to 10000000 are allowed"}},
		{"most stars", "stars: 1200", "stars: 10000000", nil},
		{"less than no stars", "stars: 1200", "stars: -1", []string{"13:8 value: stars: -1 is out of bounds: 0 to 10000000 are allowed"}},
		{"stars with a unit", "stars: 1200", "stars: 1.2k", []string{`13:8 front-matter: stars: "1.2k" is not a whole number: write only digits, without a unit`}},
		{"day of the stars of the wrong kind", "starsAsOf: 2026-08-22", "starsAsOf: 2026", []string{`14:12 front-matter: starsAsOf: "2026" is a number, but a text is expected: put it in quotation marks`}},

		{"no repository", "repositoryUrl: https://code.example.org/paper-lantern\n", "", []string{"2:1 missing: repositoryUrl: is missing, but required"}},
		{"repository without encryption", "repositoryUrl: https:", "repositoryUrl: http:", []string{`30:16 value: repositoryUrl: "http://code.example.org/paper-lantern" does not begin with https://: write https://code.example.org/paper-lantern`}},
		{"repository by ssh", "repositoryUrl: https://code.example.org/paper-lantern", "repositoryUrl: git@code.example.org:paper-lantern", []string{`30:16 value: repositoryUrl: "git@code.example.org:paper-lantern" does not begin with https://: write https://code.example.org/paper-lantern`}},
		{"homepage empty", "homepageUrl: https://paper-lantern.example.org/", "homepageUrl: ''", []string{"31:14 value: homepageUrl: is empty: remove it, or write null if the value is unknown"}},
		{"homepage with a user", "homepageUrl: https://", "homepageUrl: https://me:secret@", []string{`31:14 value: homepageUrl: "https://me:secret@paper-lantern.example.org/" contains a user name, which is not allowed: remove what stands before the @, and the @`}},
		{"homepage without a host", "homepageUrl: https://paper-lantern.example.org/", "homepageUrl: https:///x", []string{`31:14 value: homepageUrl: "https:///x" has no valid host name: after https:// comes a name such as example.org`}},
		{"homepage on a local host", "homepageUrl: https://paper-lantern.example.org/", "homepageUrl: https://localhost/", []string{`31:14 value: homepageUrl: "https://localhost/" has no valid host name: after https:// comes a name such as example.org`}},
		{"homepage on a number", "homepageUrl: https://paper-lantern.example.org/", "homepageUrl: https://192.0.2.1/", []string{`31:14 value: homepageUrl: "https://192.0.2.1/" has no valid host name: after https:// comes a name such as example.org`}},
		{"docs with a script", "docsUrl: https://docs.example.org/paper-lantern?v=1#top", "docsUrl: javascript:alert(1)", []string{`32:10 value: docsUrl: "javascript:alert(1)" does not begin with https://: write an address such as https://example.org/page`}},
		{"docs without a scheme", "docsUrl: https://docs.example.org/paper-lantern?v=1#top", "docsUrl: docs.example.org/a", []string{`32:10 value: docsUrl: "docs.example.org/a" does not begin with https://: write https://docs.example.org/a`}},
		{"docs with a space", "docsUrl: https://docs.example.org/paper-lantern?v=1#top", "docsUrl: https://docs.example.org/a b", []string{`32:10 value: docsUrl: "https://docs.example.org/a b" contains a character that must be percent-encoded: copy it from the address bar of a browser`}},
		{"docs with an umlaut", "docsUrl: https://docs.example.org/paper-lantern?v=1#top", "docsUrl: https://docs.example.org/ü", []string{`32:10 value: docsUrl: "https://docs.example.org/ü" contains a character that must be percent-encoded: copy it from the address bar of a browser`}},
		{"docs with a wrong escape", "docsUrl: https://docs.example.org/paper-lantern?v=1#top", "docsUrl: https://docs.example.org/%zz", []string{`32:10 value: docsUrl: "https://docs.example.org/%zz" is not an address: copy it from the address bar of a browser`}},

		{"install link of an unknown kind", "kind: docker", "kind: deb", []string{`29:12 value: kind: "deb" is not allowed: write one of docker, pip, npm, brew, binary, installer, helm, source, docs, store, extension`}},
		{"install link without a label", "label: Image, ", "", []string{"29:5 value: label: is missing: say where the link leads"}},
		{"install link without an address", `, url: "https://hub.example.org/paper-lantern"`, "", []string{"29:5 value: url: is missing: write the https address that the link leads to"}},
		{"install link as a command", `url: "https://hub.example.org/paper-lantern"`, `url: docker run paper-lantern`, []string{`29:39 value: url: "docker run paper-lantern" does not begin with https://: write an address such as https://example.org/page`}},
		{"unknown key of an install link", "label: Image, ", "label: Image, step: x, ", []string{`29:34 front-matter: unknown key "step"; allowed here: kind, label, url, command, clone`}},
		{"a command in a clone", "command: docker run paper-lantern", "command: docker compose up, clone: true", nil},
		{"a clone without a command", "command: docker run paper-lantern", "clone: true", []string{
			"29:87 value: clone: says that a command works only in a clone of the repository, but there is no command: write it, or remove clone"}},
		{"command of two lines", "command: docker run paper-lantern", `command: "a\nb"`, []string{"29:89 value: command: contains a line break or another control character: write one line"}},
		{"empty command", "command: docker run paper-lantern", `command: ""`, []string{"29:89 value: command: is empty: remove it, or write null if the value is unknown"}},

		{"no day of joining", "addedAt: 2026-11-21\n", "", []string{"2:1 missing: addedAt: is missing, but required"}},
		{"joining tomorrow", "addedAt: 2026-11-21", "addedAt: 2026-11-22", []string{"34:10 value: addedAt: 2026-11-22 is in the future: write a day up to today"}},
		{"no such day", "createdAt: 2024-02-29", "createdAt: 2023-02-29", []string{`35:12 value: createdAt: "2023-02-29" is not a date: write a real day as YYYY-MM-DD`}},
		{"a day as others write it", "createdAt: 2024-02-29", "createdAt: 29.2.2024", []string{`35:12 value: createdAt: "29.2.2024" is not a date: write a real day as YYYY-MM-DD`}},
		{"a day with a time", "createdAt: 2024-02-29", "createdAt: 2024-02-29T10:00:00Z", []string{`35:12 value: createdAt: "2024-02-29T10:00:00Z" is not a date: write a real day as YYYY-MM-DD`}},
		{"stars read tomorrow", "starsAsOf: 2026-08-22", "starsAsOf: 2026-11-22", []string{"14:12 value: starsAsOf: 2026-11-22 is in the future: write a day up to today"}},
		{"created tomorrow", "createdAt: 2024-02-29\nupdatedAt: 2026-08-22", "createdAt: 2027-02-28", []string{"35:12 value: createdAt: 2027-02-28 is in the future: write a day up to today"}},
		{"updated before it was created", "updatedAt: 2026-08-22", "updatedAt: 2024-02-28", []string{"36:12 value: updatedAt: 2024-02-28 is before createdAt, which is 2024-02-29: correct one of them"}},
		{"updated on its first day", "updatedAt: 2026-08-22", "updatedAt: 2024-02-29", nil},

		{"text that YAML 1.1 reads as no", `apiKey: "no"`, "apiKey: no", []string{`22:11 warning quotes: other YAML parsers do not read "no" as text: put it in quotation marks, or run: catalog fmt`}},
		{"text that others read as a time", "jobs: [chat with my documents]", "jobs: [chat with my documents, 12:30]", []string{`5:32 warning quotes: other YAML parsers do not read "12:30" as text: put it in quotation marks, or run: catalog fmt`}},
		{"text that others read as a date", "jobs: [chat with my documents]", "jobs: [chat with my documents, 2024-01-01]", []string{`5:32 warning quotes: other YAML parsers do not read "2024-01-01" as text: put it in quotation marks, or run: catalog fmt`}},
		{"question mark in brackets", `url: "https://hub.example.org/paper-lantern"`, "url: https://hub.example.org/paper-lantern?a=b", []string{`29:39 warning quotes: other YAML parsers do not read "https://hub.example.org/paper-lantern?a=b" as text: put it in quotation marks, or run: catalog fmt`}},
		{"checked tomorrow", "checkedAt: 2026-11-20", "checkedAt: 2026-11-22", []string{"42:12 value: checkedAt: 2026-11-22 is in the future: write a day up to today"}},
		{"release tomorrow", "date: 2026-08-02", "date: 2026-11-22", []string{"43:34 value: date: 2026-11-22 is in the future: write a day up to today"}},
		{"release without a day", ", date: 2026-08-02", "", []string{"43:10 value: date: is missing: write the day of the release"}},
		{"release without a version", "version: v1.2.0, ", "", []string{"43:10 value: version: is missing: write it as the makers do, such as v1.2.0"}},
		{"language of two lines", "language: Go", `language: "Go\nC"`, []string{"10:11 value: language: contains a line break or another control character: write one line"}},
		{"language with an escape", "language: Go", `language: "Go\e[31m"`, []string{"10:11 value: language: contains a line break or another control character: write one line"}},
		{"language with a line separator", "language: Go", `language: "Go\LC"`, []string{"10:11 value: language: contains a line break or another control character: write one line"}},
		{"longest language", "language: Go", "language: " + long(200), nil},
		{"language too long", "language: Go", "language: " + long(201), []string{"10:11 value: language: has 201 characters: at most 200 are allowed"}},
		{"setup for NUL", "for: pictures", `for: "a\0b"`, []string{"27:11 value: for: contains a line break or another control character: write one line"}},
		{"setup for too much", "for: pictures", "for: " + long(201), []string{"27:11 value: for: has 201 characters: at most 200 are allowed"}},
		{"label of two lines", "label: Image", `label: "Image\nx"`, []string{"29:27 value: label: contains a line break or another control character: write one line"}},
		{"address too long", "homepageUrl: https://paper-lantern.example.org/", "homepageUrl: https://paper-lantern.example.org/" + strings.Repeat("a", 1967), []string{
			`31:14 value: homepageUrl: "https://paper-lantern.example.org/` + strings.Repeat("a", 66) + `…" has 2001 characters: at most 2000 are allowed`}},
		{"a real escape character", "language: Go", "language: Go\x1b[31m", []string{"10:13 encoding: there is an invisible character here (U+001B): remove it"}},
		{"a job cut by a comment", "jobs: [chat with my documents]", "jobs:\n  - find papers\n  - be #1 in chat", []string{
			`7:8 front-matter: jobs: "#1 in chat" is read as a comment: put the whole text in quotation marks, or write a space after the # of a comment`}},
		{"a purpose cut by a comment", "purpose: Chats with", "purpose: The #1 chat with", []string{
			`4:14 front-matter: purpose: "#1 chat with your documents on your own m…" is read as a comment: put the whole text in quotation marks, or write a space after the # of a comment`}},
		{"two jobs that are one", "jobs: [chat with my documents]", "jobs:\n  - find papers\n    - read them", []string{
			`7:5 front-matter: jobs: "- read them" is read as part of the text above: indent it like the entry above`}},
		{"graphics memory, and a GPU unknown", "gpu: optional", "gpu: null", []string{
			"25:3 value: setups: Minimum VRAM is given, but gpu is unknown: write gpu: optional or required, or remove this value"}},
		{"graphics memory without a GPU", "gpu: optional", "gpu: none", []string{
			"25:3 value: setups: Minimum VRAM is given, but gpu is none: write gpu: optional or required, or remove this value"}},
		{"figure in fitNotes", "worksOffline: true", "minRamGb: 4", []string{
			"21:3 front-matter: minRamGb is computed from setups: write the figure there, such as setups: [{for: the program itself, ramGb: 8}] at the top level"}},
		{"setup without a use", "for: pictures, vramGb: 2", "vramGb: 2", []string{"27:5 value: for: is missing: say what the figures are for, such as 7B models or the program itself"}},
		{"GPU as true or false", "gpu: optional", "gpu: true", []string{`20:8 front-matter: gpu: must be one of none, optional, required, or null`}},
		{"GPU perhaps", "gpu: optional", "gpu: maybe", []string{`20:8 value: gpu: "maybe" is not allowed: write one of none, optional, required, or null`}},
		{"key perhaps", `apiKey: "no"`, "apiKey: maybe", []string{`22:11 value: apiKey: "maybe" is not allowed: write one of no, optional, yes, or null`}},
		{"no memory at all", "ramGb: 4", "ramGb: 0", []string{"25:51 value: ramGb: 0 is out of bounds: a number from 0.01 to 4096 is allowed"}},
		{"memory in megabytes", "ramGb: 8", "ramGb: 8192", []string{"26:51 value: ramGb: 8192 is out of bounds: a number from 0.01 to 4096 is allowed"}},
		{"memory with a unit", "ramGb: 4", "ramGb: 4 GB", []string{`25:51 front-matter: ramGb: "4 GB" is not a number: write only digits, without a unit`}},
		{"least more than recommended", "ramGb: 4", "ramGb: 8.5", []string{"26:51 value: ramGb: 8 is less than the smallest minimum, which is 8.5: give this setup the level minimum, or correct the figure"}},
		{"example below the minimum", "vramGb: 2.5, level: recommended", "vramGb: 1, level: example", []string{"26:62 value: vramGb: 1 is less than the smallest minimum, which is 2: give this setup the level minimum, or correct the figure"}},
		{"memory below zero", "vramGb: 2}", "vramGb: -1}", []string{"27:29 value: vramGb: -1 is out of bounds: a number from 0.01 to 4096 is allowed"}},
		{"memory of no card", "vramGb: 2}", "vramGb: 0}", []string{
			"27:29 value: vramGb: 0 is not allowed: leave it out of a use that needs no graphics card"}},
		{"level of no kind", "level: recommended", "level: ideal", []string{`26:74 value: level: "ideal" is not allowed: write one of minimum, recommended, example`}},
		{"measured below the minimum", "vramGb: 2.5, level: recommended", "vramGb: 1, level: example, " + measured, nil},
		{"measured minimum", "for: pictures, vramGb: 2", "for: pictures, vramGb: 2, " + measured, []string{`27:5 value: level: is "minimum", but a measured setup is what one use took: write level: example`}},
		{"measured by whom and when", "for: pictures, vramGb: 2", `for: pictures, vramGb: 2, level: example, measured: {date: 2026-11-22, job: ""}`, []string{
			"27:58 value: version: is missing: write the version that was measured, such as v1.2.0",
			"27:58 value: os: is missing: write the system and the processor, such as Debian 12, amd64",
			"27:58 value: how: is missing: write what was read, such as PSS of all its processes",
			"27:65 value: date: 2026-11-22 is in the future: write a day up to today",
			"27:82 value: job: is empty: say what it did, or write null if it was only started",
		}},
		{"setup twice", "level: recommended", "level: minimum", []string{`26:11 value: for: "a model of 3 billion parameters" is in the list twice with the level minimum: remove one of them`}},
		{"setup without a figure", ", vramGb: 2}", "}", []string{"27:11 value: for: has no figure: add ramGb, vramGb or diskGb"}},
		{"maker of no kind", "vramGb: 2}", "gpuVendor: matrox, vramGb: 2}", []string{`27:32 value: gpuVendor: "matrox" is not allowed: write one of nvidia, amd, intel, apple`}},
		{"setup with a source of tomorrow", "source: README}", "source: README (2026-11-22)}", []string{"25:62 value: source: 2026-11-22 is in the future: write a day up to today"}},
		{"setup for nothing", "for: pictures", "for: ''", []string{"27:11 value: for: is missing: say what the figures are for, such as 7B models or the program itself"}},
		{"caveat of two lines", "caveats: [Slow without a GPU]", "caveats: [\"Slow\\nwithout\"]", []string{"23:13 value: caveats: contains a line break or another control character: write one line"}},
		{"fact without its group", "  gpu: optional", "gpu: optional", []string{"21:3 front-matter: this line is indented by 2 spaces, but the key above already has a value: begin it in the same column as the other keys"}},

		{"source for no field", "  license: LICENSE", "  licence: x\n  license: LICENSE", []string{"38:12 value: licence: is not a field that can have a source; did you mean license?"}},
		{"source for a fit note without its group", "fitNotes.docker: README", "docker: README\n  fitNotes.docker: README", []string{"40:11 value: docker: is not a field that can have a source; did you mean fitNotes.docker?"}},
		{"source for sources", "  license: LICENSE", "  sources: x\n  license: LICENSE", []string{"38:12 value: sources: is not a field that can have a source"}},
		{"empty source", "license: LICENSE in the repository (2026-08-22)", "license: ''", []string{"38:12 value: license: is empty: say where the fact was read"}},
		{"source read tomorrow", "(2026-08-22)", "(2026-11-22)", []string{"38:12 value: license: 2026-11-22 is in the future: write a day up to today"}},
		{"source read next month", "(2026-08)", "(2026-12)", []string{"39:10 value: stars: 2026-12-01 is in the future: write a day up to today"}},
		{"source of no real month", "(2026-08)", "(2026-13)", []string{`39:10 value: stars: "2026-13" is not a date: write a real day as YYYY-MM-DD, or a month as YYYY-MM`}},
		{"source of a year", "(2026-08)", "(2026)", []string{`39:10 value: stars: "2026" is not a date: write a real day as YYYY-MM-DD, or a month as YYYY-MM`}},
		{"number within a source", "(2026-08)", "(2026) at the end", nil},
		{"source too long", "fitNotes.docker: README", "fitNotes.docker: " + long(501), []string{"40:20 value: fitNotes.docker: has 501 characters: at most 500 are allowed"}},
		{"no source for the licence", "  license: LICENSE in the repository (2026-08-22)\n", "", []string{"11:10 warning license-source: license: has no source: add license to sources, and say where it was read"}},
		{"no source for the stars", "  stars: https://code.example.org/paper-lantern (2026-08)\n", "", []string{"13:8 warning license-source: stars: has no source: add stars to sources, and say where it was read"}},
		{"no source for Docker", "  fitNotes.docker: README\n", "", []string{"17:11 warning no-source: docker: has no source: add fitNotes.docker to sources, and say where it was read"}},
		{"no Docker needs no source", "docker: true", "docker: false", nil},
		{"an estimate", "  - {for: pictures, vramGb: 2}\n", "  - {for: pictures, vramGb: 2, level: example}\nestimate: {vramGb: 0, because: a program without a model}\n", nil},
		{"an estimate beside models elsewhere", "vramGb: 2}\n", "vramGb: 2, modelsElsewhere: true}\nestimate: {vramGb: 2, because: a program without a model}\n", nil},
		{"an estimate of what is stated", "installLinks:", "estimate: {ramGb: 4, vramGb: 3, because: a guess}\ninstallLinks:", []string{
			"28:19 value: ramGb: a minimum setup already states 4: remove the estimate",
			"28:30 value: vramGb: 3 is not allowed in an estimate: write one of 0, 0.5, 1, 2, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 80"}},
		{"an estimate without figures and reason", "installLinks:", "estimate: {}\ninstallLinks:", []string{
			"28:11 value: estimate: has no figure: add ramGb or vramGb, or remove it",
			"28:11 value: because: is missing: say in a few words why, such as runs 7B models in 4 bits"}},
		{"a system that is none", "ramGb: 4, source: README}", "ramGb: 4, system: [docker], source: README}", []string{
			`25:63 value: system: is not allowed, because no platform in taxonomy/platforms.yml is a system: remove it, or write system: true for one`}},
		{"no source for setups", "  setups: README\n", "", []string{"26:11 warning no-source: for: has no source: add source to the setup, or setups to sources", "27:11 warning no-source: for: has no source: add source to the setup, or setups to sources"}},

		{"unknown key", "language: Go", "languages: Go", []string{`10:1 front-matter: unknown key "languages" (did you mean language?); allowed here: ` + allKeys}},
		{"repeated key", "language: Go", "name: Again", []string{`10:1 front-matter: key "name" is repeated; it is already on line 2: remove one of them`}},
		{"slug as a key", "language: Go", "slug: paper-lantern", []string{`10:1 front-matter: unknown key "slug"; allowed here: ` + allKeys}},
		{"no description", "## What it does\n\nChats.\n", "\n \n", []string{"44:1 warning no-description: the description below the front matter is empty"}},
		{"not closed", "\n---\n## What", "\n--\n## What", []string{"1:1 front-matter: the front matter is not closed: a line --- must end it"}},
		{"not opened", "---\nname", "name", []string{"1:1 front-matter: the front matter is missing: the file must begin with a line ---"}},
		{"not UTF-8", "Chats.", "Chats\xff.", []string{"47:6 encoding: the file is not valid UTF-8: the byte here is 0xff; save the file as UTF-8"}},
		{"with a byte order mark", "---\nname", "\ufeff---\nname", nil},
	} {
		t.Run(c.about, func(t *testing.T) {
			if strings.Count(baseListing, c.old) != 1 && c.old != "" {
				t.Fatalf("%q stands %d times in the base listing", c.old, strings.Count(baseListing, c.old))
			}
			_, findings := check("projects/paper-lantern.md", strings.Replace(baseListing, c.old, c.new, 1))
			got := shown(findings)
			if c.want == nil {
				c.want = []string{}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
			}
		})
	}
}

// Upkeep is counted from the later day of the sources of updatedAt and release.
// A link of a wrong kind may be what the fact asks for, so only the kind is reported.
func TestLinkOfAWrongKindIsReportedOnce(t *testing.T) {
	command := ", command: docker run paper-lantern"
	easy := strings.NewReplacer("beginner: false", "beginner: true", command, "").Replace(baseListing)
	for kind, want := range map[string]string{"docker": "beginner: is true, but no install link has", "flathub": `kind: "flathub" is not allowed`, "store": ""} {
		_, findings := check("projects/paper-lantern.md", strings.Replace(easy, "kind: docker", "kind: "+kind, 1))
		if got := strings.Join(shown(findings), "\n"); !strings.Contains(got, want) || len(findings) != min(len(want), 1) {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

func TestUpkeepAsOf(t *testing.T) {
	day := func(d api.Date) *api.Date { return &d }
	release := &api.Release{Version: "v1", Date: "2026-03-01"}
	for _, c := range []struct {
		updated *api.Date
		release *api.Release
		sources map[string]string
		want    api.Date
	}{
		{nil, nil, map[string]string{"updatedAt": "https://a.example/ (2026-08-22)"}, ""},
		{day("2026-01-10"), nil, map[string]string{"updatedAt": "https://a.example/ (2026-08-22)"}, "2026-08-22"},
		{day("2026-01-10"), nil, map[string]string{"updatedAt": "https://a.example/"}, "2026-01-10"},
		{day("2026-01-10"), release, nil, "2026-03-01"},
		{day("2026-01-10"), release, map[string]string{"updatedAt": "a (2026-08-22)", "release": "b (2026-03-02)"}, "2026-08-22"},
		{day("2026-01-10"), release, map[string]string{"updatedAt": "a (2026-01-12)", "release": "b (2026-03-02)"}, "2026-03-02"},
	} {
		p := api.ProjectDetail{Project: api.Project{UpdatedAt: c.updated, Release: c.release}, Sources: c.sources}
		got := UpkeepAsOf(&p)
		if got == nil && c.want != "" || got != nil && *got != c.want {
			t.Errorf("%v, %v: %v, want %q", c.updated, c.sources, got, c.want)
		}
	}
}

// measured says how a setup was measured.
const measured = `measured: {version: "1.2", date: 2026-11-20, os: "Debian 12, amd64", how: PSS, job: answers one chat}`

// A measured setup is its own source.
func TestMeasuredSetupNeedsNoSource(t *testing.T) {
	text := strings.NewReplacer("  setups: README\n", "", "{for: pictures, vramGb: 2}",
		"{for: pictures, vramGb: 2, level: example, "+measured+"}").Replace(baseListing)
	l, findings := check("projects/paper-lantern.md", text)
	want := "26:11 warning no-source: for: has no source: add source to the setup, or setups to sources"
	if got := shown(findings); !slices.Equal(got, []string{want}) {
		t.Errorf("got %s, want only %s", got, want)
	}
	setups := l.FitNotes.Setups()
	if m := setups[2].Measured; m == nil || m.Version != "1.2" || m.Job == nil || *m.Job != "answers one chat" {
		t.Errorf("measured is %+v", m)
	}
}

// An edit may add no mistake to those of a listing.
func TestCheckEdit(t *testing.T) {
	before := strings.Replace(baseListing, "category: chat-interfaces", "category: none", 1)
	settings := strict()
	m := NewFrontMatter(&settings, &taxonomy)
	for _, c := range []struct{ after, want string }{
		{before, ""},
		{strings.Replace(before, "aliases: [Lantern]", "aliases: [Lantern, LANTERN]", 1), `would have a mistake: aliases: "LANTERN" is in the list twice: remove one of them`},
		{before + strings.Repeat("x", maxListing-len(before)+1), "would have 65537 bytes, and at most 65536 are allowed: shorten its text, or remove install links"},
	} {
		err := m.CheckEdit("projects/paper-lantern.md", []byte(before), []byte(c.after), today)
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("the error is %v, want %q", err, c.want)
		}
	}
}

// TestWithoutKey checks that a key which the setting without removes is told with what to change, also if the setting
// names another field.
func TestWithoutKey(t *testing.T) {
	t.Parallel()
	f := baseFolder()
	f["projects/own.md"] = "---\nname: Own\npurpose: Has terms of its own.\ncategory: chat-ui\nlicense: LicenseRef-Own\nosiApproved: true\naddedAt: 2026-08-22\n---\n"
	_, findings := f.load(t, func(o *Options) { o.Settings.Without = []string{"repositoryUrl", "platforms"} })
	want := "osiApproved: listings of this catalogue do not have this key, because the setting without in catalog.yml " +
		"lists repositoryUrl: remove the key, or take repositoryUrl out of without; if some listings have no " +
		"repository, write optional: [repositoryUrl] there"
	if !slices.ContainsFunc(findings, func(f Finding) bool { return f.Message == want }) {
		t.Errorf("the findings are %v", findings)
	}
}
