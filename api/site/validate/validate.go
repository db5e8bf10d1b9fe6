// Package validate checks the settings of a site.
package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"catalog.example/api/invisible"
	"catalog.example/api/site"
	"golang.org/x/text/language"
)

// Problem is an error in a setting.
type Problem struct {
	Key     string // the key in catalog.yml
	Message string // what was given and what is allowed
	Item    int    // position of the wrong value in a list, from 1; 0 if the problem is not one value
}

// Check returns all problems of the settings of a site as one error. It changes s as the function
// Settings does.
func Check(s *site.Settings) error {
	var errs []error
	for _, p := range Settings(s) {
		errs = append(errs, fmt.Errorf("setting %s: %s", p.Key, p.Message))
	}
	return errors.Join(errs...)
}

// Settings returns all problems of the settings of a site. It trims the texts in s, and removes
// trailing slashes from its addresses and from the values of Keep.
func Settings(s *site.Settings) []Problem {
	c := &checker{Settings: s}
	c.checkTexts()
	c.checkAddresses()
	c.checkLook()
	c.checkServer()
	c.checkContent()
	return c.problems
}

// checker collects the problems of settings.
type checker struct {
	*site.Settings
	problems []Problem
}

func (s *checker) add(key, format string, args ...any) {
	s.problems = append(s.problems, Problem{Key: key, Message: fmt.Sprintf(format, args...)})
}

// addItem adds a problem of the value at position i of a list, from 0.
func (s *checker) addItem(key string, i int, format string, args ...any) {
	s.problems = append(s.problems, Problem{key, fmt.Sprintf(format, args...), i + 1})
}

// checkTexts checks the texts that pages show.
func (s *checker) checkTexts() {
	for _, text := range []struct {
		key   string
		value *string
	}{{"title", &s.Title}, {"description", &s.Description}, {"headline", &s.Headline}} {
		*text.value = strings.TrimSpace(*text.value)
		if strings.ContainsFunc(*text.value, unicode.IsControl) {
			s.add(text.key, "contains a line break or another control character: write one line")
		}
		for _, r := range invisible.Find(*text.value) {
			s.add(text.key, "contains %U, which machines read but people do not see: delete it", r)
			break
		}
	}
	if s.Title == "" {
		s.add("title", "is empty: give the site a name")
	}
	if _, err := language.Parse(s.Lang); err != nil {
		s.add("lang", "%q is not a language tag (BCP 47): write one such as en, de or pt-BR", s.Lang)
	}
	s.checkLanguages()
}

// languageTag matches a language tag (BCP 47) that may be part of the names of files and addresses.
var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]+)*$`)

// IsLanguageFolder reports whether a further language may have a folder of this name.
func IsLanguageFolder(name string) bool {
	return languageTag.MatchString(name) && !slices.Contains(site.NoLanguages, name)
}

// checkLanguages checks the further languages, which are names of folders.
func (s *checker) checkLanguages() {
	for i, lang := range s.Languages {
		_, err := language.Parse(lang)
		switch {
		case err != nil || !languageTag.MatchString(lang):
			s.addItem("languages", i, "%q is not a language tag (BCP 47): write one such as en, de or pt-BR", lang)
		case slices.Contains(site.NoLanguages, lang):
			s.addItem("languages", i, "%q is a folder of every site, so no language can have it: remove it", lang)
		case strings.EqualFold(lang, s.Lang):
			s.addItem("languages", i, "%q is the main language, which the setting lang names: remove it", lang)
		case slices.ContainsFunc(s.Languages[:i], func(other string) bool { return strings.EqualFold(other, lang) }):
			s.addItem("languages", i, "%q is in the list twice: remove one of them", lang)
		}
	}
}

// checkAddresses checks the addresses, and the settings that must agree with them.
func (s *checker) checkAddresses() {
	s.BaseURL = strings.TrimRight(s.BaseURL, "/")
	s.SearchURL = strings.TrimRight(s.SearchURL, "/")
	if msg := checkHTTPAddress(s.BaseURL); msg != "" {
		s.add("base_url", "%q %s", s.BaseURL, msg)
	}
	if s.SearchURL != "" {
		if msg := checkHTTPAddress(s.SearchURL); msg != "" {
			s.add("search_url", "%q %s", s.SearchURL, msg)
		}
	}
	switch {
	case !slices.Contains(site.SearchModes(), s.Search):
		s.add("search", "%q is not allowed (in catalog.yml, or in CATALOG_SEARCH): write one of %s", s.Search,
			strings.Join(site.SearchModes(), ", "))
	case !s.HasServer() && s.SearchURL != "":
		s.add("search_url", "names a search server, but search is %q (in catalog.yml, or in CATALOG_SEARCH): remove "+
			"search_url, or set search to %s", s.Search, site.SearchByServer)
	}
	for _, c := range []struct{ key, value string }{{"offline", s.Offline}, {"access_log", s.AccessLog}} {
		if c.value != "" && !slices.Contains(site.Switches(), c.value) {
			s.add(c.key, "%q is not allowed (in catalog.yml, or in CATALOG_%s): write one of %s", c.value,
				strings.ToUpper(c.key), strings.Join(site.Switches(), ", "))
		}
	}
	if s.Contact != "" && !strings.HasPrefix(s.Contact, "mailto:") && checkHTTPAddress(s.Contact) != "" {
		s.add("contact", "%q is not an http, https or mailto: address", s.Contact)
	}
	for _, form := range []struct {
		key, value string
		allowed    []string
	}{
		{"report_url", s.ReportURL, []string{"{title}", "{page}"}},
		{"suggest_url", s.SuggestURL, []string{"{title}", "{file}", "{text}"}},
	} {
		if msg := checkForm(form.value, form.allowed); msg != "" {
			s.add(form.key, "%q %s", form.value, msg)
		}
	}
}

// colour matches a colour as #rrggbb.
var colour = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

// checkLook checks the settings of colours, fonts and layout.
func (s *checker) checkLook() {
	if s.Accent != "" && !colour.MatchString(s.Accent) {
		s.add("accent", "%q is not a colour: write # and six hexadecimal digits, such as \"#7a1f5c\"", s.Accent)
	}
	for _, c := range []struct {
		key, value string
		allowed    []string
	}{{"font", s.Font, site.Fonts}, {"layout", s.Layout, site.Layouts}} {
		if c.value != "" && !slices.Contains(c.allowed, c.value) {
			s.add(c.key, "%q is not allowed: write one of %s", c.value, strings.Join(c.allowed, ", "))
		}
	}
}

// checkServer checks the settings of the search server and of searches.
func (s *checker) checkServer() {
	if s.AnonymousPerMinute < 1 || s.AnonymousPerMinute > site.MaxAllowance {
		s.add("anonymous_per_minute", "%d is out of bounds: 1 to %d are allowed", s.AnonymousPerMinute,
			site.MaxAllowance)
	}
	if s.SandboxPerMinute < 1 || s.SandboxPerMinute > site.MaxAllowance {
		s.add("sandbox_per_minute", "%d is out of bounds: 1 to %d are allowed", s.SandboxPerMinute, site.MaxAllowance)
	}
	for _, c := range s.SandboxKey {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' {
			s.add("sandbox_key",
				"contains %q: use only visible ASCII characters other than quotation marks and backslashes", c)
			break
		}
	}
	s.checkSignal()
	for i, job := range s.Jobs {
		s.Jobs[i] = strings.TrimSpace(job)
		if s.Jobs[i] == "" || len([]rune(s.Jobs[i])) > site.MaxJob ||
			strings.ContainsFunc(s.Jobs[i], unicode.IsControl) {
			s.add("jobs", "%q is not a search: write 1 to %d characters in one line", job, site.MaxJob)
		}
	}
}

// signals are the uses that a Content-Signal may name.
var signals = []string{"search", "ai-input", "ai-train"}

// checkSignal checks the setting content_signal, and writes it in one form.
func (s *checker) checkSignal() {
	var list, seen []string
	for part := range strings.SplitSeq(s.ContentSignal, ",") {
		use, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if use == "" && s.ContentSignal == "" {
			return
		}
		if !slices.Contains(signals, use) || value != "yes" && value != "no" || slices.Contains(seen, use) {
			s.add("content_signal", "%q: write each of %s at most once, followed by =yes or =no",
				strings.TrimSpace(part), strings.Join(signals, ", "))
		}
		seen, list = append(seen, use), append(list, use+"="+value)
	}
	s.ContentSignal = strings.Join(list, ", ")
}

// checkContent checks which files are loaded, which fields and rules apply to them, and which files
// builds keep in the output folder.
func (s *checker) checkContent() {
	for _, globs := range []struct {
		key  string
		list []string
	}{{"include", s.Include}, {"exclude", s.Exclude}} {
		for i, glob := range globs.list {
			if msg := checkGlob(glob); msg != "" {
				s.addItem(globs.key, i, "%s", msg)
			}
		}
	}
	for i, name := range s.Without {
		if !slices.Contains(site.OptionalFields(), name) {
			s.addItem("without", i, "%q is not a field that can be omitted: write one of %s",
				name, strings.Join(site.OptionalFields(), ", "))
		}
	}
	for i, name := range s.Optional {
		if !slices.Contains(site.NullableFields(), name) {
			s.addItem("optional", i,
				"%q is not a field that can be optional: write %s; others may be left out anyway, "+
					"or are always required", name, strings.Join(site.NullableFields(), ", "))
		}
	}
	s.Keep = slices.Clone(s.Keep)
	for i, name := range s.Keep {
		s.Keep[i] = strings.TrimSuffix(name, "/")
		if msg := checkKeep(s.Keep[i]); msg != "" {
			s.addItem("keep", i, "%q %s", name, msg)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Rules)) {
		if level := s.Rules[key]; !slices.Contains(site.Levels, level) {
			s.add("rules", "%s: %q is not a level: write one of %s", key, level, strings.Join(site.Levels, ", "))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Shares)) {
		if share := s.Shares[key]; share < 1 || share > 100 {
			s.add("shares", "%s: %d is out of bounds: 1 to 100 percent are allowed", key, share)
		}
	}
	if len(s.Include) == 0 {
		s.add("include", "is empty, so no listing would be found: write a glob such as projects/**/*.md")
	}
}

// The bounds of a glob. Its braces expand to several patterns, and each pattern takes a search of
// the folder.
const (
	maxGlob         = 200
	maxAlternatives = 100
	maxStars        = 4 // how often "**" may occur; each matches any number of folders
)

// checkGlob returns what is wrong with the size of a glob, or "".
func checkGlob(glob string) string {
	alternatives := 1
	for group := range strings.SplitSeq(glob, "{") {
		alternatives = min(alternatives*(1+strings.Count(group, ",")), maxAlternatives+1)
	}
	switch {
	case len(glob) > maxGlob:
		return fmt.Sprintf("a glob has %d characters: at most %d are allowed", len(glob), maxGlob)
	case alternatives > maxAlternatives:
		return fmt.Sprintf("the braces of %q expand to more than %d patterns: write some of them as entries of their "+
			"own", glob, maxAlternatives)
	case strings.Count(glob, "**") > maxStars:
		return fmt.Sprintf("%q has ** more than %d times: write it once for any number of folders", glob, maxStars)
	}
	return ""
}

// checkKeep returns what is wrong with a value of Keep, or "".
func checkKeep(name string) string {
	switch {
	case name == "" || name == ".":
		return "is empty: give the path of a file or folder in the output folder, such as .git"
	case strings.ContainsAny(name, `*?[\`):
		return "contains *, ?, [ or a backslash: patterns are not allowed; list each file or folder, with slashes"
	case strings.HasPrefix(name, "/"), strings.Contains(name, ":"), !fs.ValidPath(name):
		return "is not a plain path in the output folder: give one, such as .well-known/acme-challenge"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "contains a control character: remove it"
	case strings.HasPrefix(name, ".catalog-"):
		return "begins with .catalog-: only builds use such names"
	}
	return ""
}

// checkForm returns what is wrong with an address of a form, which may contain placeholders, or "".
func checkForm(address string, placeholders []string) string {
	if address == "" {
		return ""
	}
	for _, p := range placeholders {
		address = strings.ReplaceAll(address, p, "x")
	}
	u, err := url.Parse(address)
	switch {
	case strings.ContainsAny(address, "{}"):
		return "contains an unknown placeholder: use only " + strings.Join(placeholders, ", ")
	case err != nil, strings.ContainsFunc(address, mustBeEncoded):
		return "is not an address, or contains a character that must be percent-encoded"
	case u.Scheme == "mailto" && u.Opaque != "", (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil:
		return ""
	}
	return "is not an http, https or mailto: address, such as " +
		"https://forge.example/you/catalog/issues/new?title={title}"
}

// mustBeEncoded reports whether an address may contain a character only percent-encoded (RFC 3986,
// section 2).
func mustBeEncoded(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune("<>\"\\^`{|}", r)
}

// checkHTTPAddress returns what is wrong with the absolute http or https prefix of addresses, or
// "".
func checkHTTPAddress(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "is not an address"
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "is not an absolute http or https address, such as https://catalog.example"
	case strings.ContainsAny(address, "?#") || u.User != nil:
		return "has a query, a fragment or a user name: remove it"
	case strings.ContainsFunc(address, mustBeEncoded):
		return "contains a character that must be percent-encoded, or in a host name written in Punycode"
	case path.Join("/", u.Path) != "/"+strings.Trim(u.Path, "/"):
		return "has an empty part, . or .. in its path: remove it"
	}
	return ""
}
