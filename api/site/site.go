// Package site defines the settings of a site: their keys in catalog.yml, defaults, and
// overrides by environment variables. Package validate checks them.
package site

import (
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// Settings are the choices of a site's owner. They come from catalog.yml, from environment
// variables CATALOG_<KEY> that override it, and from flags that override both. A build stores
// them in the index, so that the server needs no catalog.yml.
//
// The json tag is the key in catalog.yml. The environment variable is CATALOG_ followed by the key
// in upper case. The tags builds and serves mark keys that only builds and lint, or only the server, use.
type Settings struct {
	Title       string `json:"title" doc:"name of the site"`
	Description string `json:"description" doc:"what the site is, in a sentence"`
	Headline    string `json:"headline" builds:"only" doc:"a short line that the home page begins with; empty: description"`
	Contact     string `json:"contact" doc:"address of the owner of the site: https:// or mailto:"`
	// ReportURL and SuggestURL are addresses such as that of a code host's form for new issues. The
	// placeholders {title} and {page} stand for what is reported; see Report. In SuggestURL, {title} stands
	// for the name of what is suggested, {file} for the name of the listing's file, and {text} for its text;
	// see Suggest.
	ReportURL  string `json:"report_url" builds:"only" doc:"address for reports of wrong facts; {title} and {page} are filled in; empty: contact"`
	SuggestURL string `json:"suggest_url" builds:"only" doc:"address for suggestions of listings; {title}, {file} and {text} are filled in; with {text}, the site has a form that writes the listing; empty: contact"`
	// BaseURL is the absolute prefix, without a trailing slash, of every page
	// address; it may have a path.
	BaseURL string `json:"base_url" doc:"absolute prefix of every address; may have a path"`
	// Search says where searches are answered: one of SearchModes.
	Search string `json:"search" doc:"where searches are answered: server, browser (pages load the search engine) or none"`
	// Offline says whether browsers may keep the search and visited pages: one of Switches; empty means
	// On.
	Offline string `json:"offline" builds:"only" doc:"with search browser, whether browsers keep the search and visited pages: on (the default) or off"`
	// SearchURL is the address of the search server; empty means the same origin as the pages.
	SearchURL string `json:"search_url" doc:"address of the search server; empty: the same host as the site"`
	// SandboxKey is the public key, which any client may use; empty disables key access.
	SandboxKey string `json:"sandbox_key" doc:"the public key; empty disables key access"`
	// AnonymousPerMinute and SandboxPerMinute are the allowances of a client without and with
	// the key, in requests per 60 seconds.
	AnonymousPerMinute int `json:"anonymous_per_minute" doc:"requests that a client may make without a key in any 60 seconds"`
	SandboxPerMinute   int `json:"sandbox_per_minute" doc:"requests that a client may make with the sandbox key in any 60 seconds"`
	// AccessLog says whether the server writes a line for each request: one of Switches; empty means Off.
	AccessLog string `json:"access_log" serves:"only" doc:"whether the server writes a line for each request to standard output: on or off (the default)"`
	// Include and Exclude are doublestar globs below the content folder that select
	// the files of listings.
	Include []string `json:"include" builds:"only" doc:"globs below the content folder that choose listings"`
	Exclude []string `json:"exclude" builds:"only" doc:"globs below the content folder that exclude files"`
	// Overrides is a folder whose templates, styles and texts replace the embedded ones, file by
	// file. It is relative to the file that sets it.
	Overrides string `json:"overrides" builds:"only" doc:"folder whose files replace the embedded templates and assets"`
	// Accent is the colour of links and buttons, as #rrggbb; see Look of package render. Empty means the
	// colour of the program.
	Accent string `json:"accent" builds:"only" doc:"colour of links and buttons, such as #7a1f5c; made darker or lighter until it can be read; empty: a blue"`
	// Font is the kind of the font of the pages: one of Fonts; empty means FontSans.
	Font string `json:"font" builds:"only" doc:"font of the pages, from those of the reader's system: sans (the default), serif, rounded or mono"`
	// Layout says how lists show listings: one of Layouts; empty means LayoutRows.
	Layout string `json:"layout" builds:"only" doc:"how lists show listings: rows (the default) or cards"`
	// Static is a folder whose files are copied into the output as they are. It is relative to the
	// file that sets it.
	Static string `json:"static" builds:"only" doc:"folder whose files are copied into the output as they are"`
	// Jobs lists the searches that the home page offers. If it is empty, the page offers the jobs
	// that most listings do, one for each category.
	Jobs []string `json:"jobs" builds:"only" doc:"searches that the home page offers to start from; empty: the jobs that most listings do"`
	// Lang is the language of the pages (BCP 47), such as "en" or "pt-BR".
	Lang string `json:"lang" doc:"language of the pages, such as en or pt-BR"`
	// Languages are further languages of the site (BCP 47). See In.
	Languages []string `json:"languages" builds:"only" doc:"further languages, such as de: translated texts are in files such as name.de.md, and pages below /de/"`
	// DataLicense is the SPDX expression of the terms under which the listings may be used.
	DataLicense string `json:"data_license" doc:"licence of the listings' texts and facts, as an SPDX expression"`
	// ContentSignal says what may be done with the content: search, ai-input and ai-train, each yes or no.
	ContentSignal string `json:"content_signal" builds:"only" doc:"what programs may do with the content, for robots.txt, such as search=yes, ai-input=yes, ai-train=no; empty: not said"`
	// WebMCPOriginTrial is the token for the page element <meta http-equiv="origin-trial">.
	WebMCPOriginTrial string `json:"webmcp_origin_trial" doc:"token for the WebMCP origin trial"`
	// Without names the OptionalFields that listings of the subject do not have.
	Without []string `json:"without" doc:"fields that listings of this subject do not have, such as repositoryUrl and stars"`
	// Optional names the NullableFields that a listing need not have.
	Optional []string `json:"optional" doc:"fields that a listing may leave out, though listings of other catalogues have them: repositoryUrl"`
	// Keep names files and folders of the output folder, with slashes, that builds do not
	// touch. Any other file that no build wrote is an error.
	Keep []string `json:"keep" builds:"only" doc:"files and folders in the output folder that builds do not touch; any other file there that no build wrote is an error"`
	// Rules maps the name of a rule for content to its level: off, warning or error. Other
	// rules keep their default level; see package generator/rule.
	Rules map[string]string `json:"rules" builds:"only" doc:"levels of rules for content, such as category-size: warning; off, warning or error"`
	// Shares maps a key of front matter, such as asks or fitNotes.docker, to the least share
	// of listings that must have a value, in percent.
	Shares map[string]int `json:"shares" builds:"only" doc:"least percentage of listings that must have a value, such as asks: 100"`
}

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{
		Title:              "Catalog",
		Lang:               "en",
		Description:        "A catalogue of open-source tools that you can run yourself.",
		Contact:            "https://catalog.example/contact",
		BaseURL:            "http://localhost:8080",
		Search:             SearchByServer,
		SandboxKey:         "catalog-sandbox",
		AnonymousPerMinute: 120,
		SandboxPerMinute:   600,
		Include:            []string{"projects/**/*.md"},
		Exclude:            []string{},
		Jobs:               []string{},
		Without:            []string{},
		Optional:           []string{},
		Keep:               []string{".git", "CNAME", ".nojekyll", ".well-known/acme-challenge"},
	}
}

// Override replaces every setting whose environment variable CATALOG_<KEY> is set, and returns the
// keys of the settings that changed. Commas separate the entries of a list or mapping; the entries
// of a mapping have the form key=value. An error names the variable. lookup is os.LookupEnv or a
// substitute.
func (s *Settings) Override(lookup func(string) (string, bool)) (changed []string, err error) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("json")
		name := "CATALOG_" + strings.ToUpper(key)
		text, ok := lookup(name)
		if !ok {
			continue
		}
		before := v.Field(i).Interface()
		switch field := v.Field(i); field.Kind() {
		case reflect.String:
			field.SetString(text)
		case reflect.Int:
			n, convErr := strconv.Atoi(text)
			if convErr != nil {
				return changed, fmt.Errorf("environment variable %s: %q is not a whole number", name, text)
			}
			field.SetInt(int64(n))
		case reflect.Slice:
			field.Set(reflect.ValueOf(listOf(text)))
		case reflect.Map:
			if err := setMapping(field, listOf(text)); err != nil {
				return changed, fmt.Errorf("environment variable %s: %w", name, err)
			}
		}
		if !reflect.DeepEqual(v.Field(i).Interface(), before) {
			changed = append(changed, key)
		}
	}
	return changed, nil
}

// listOf splits a text at commas, except for commas in the braces of a glob.
func listOf(text string) []string {
	list := []string{}
	open := 0
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool {
		switch r {
		case '{':
			open++
		case '}':
			open--
		}
		return r == ',' && open <= 0
	}) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// setMapping sets a mapping, whose values are texts or whole numbers, from entries of the form
// key=value.
func setMapping(field reflect.Value, entries []string) error {
	m := reflect.MakeMap(field.Type())
	for _, entry := range entries {
		key, text, ok := strings.Cut(entry, "=")
		key, text = strings.TrimSpace(key), strings.TrimSpace(text)
		if !ok {
			return fmt.Errorf("%q has no value: write key=value, with commas between entries", entry)
		}
		value := reflect.ValueOf(text)
		if field.Type().Elem().Kind() == reflect.Int {
			n, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("%q is not a whole number", text)
			}
			value = reflect.ValueOf(n)
		}
		m.SetMapIndex(reflect.ValueOf(key), value)
	}
	field.Set(m)
	return nil
}

// OnlyBuilds reports whether only builds and lint use a key, so that the server ignores it.
func OnlyBuilds(key string) bool { return only("builds", key) }

// OnlyServes reports whether only the server uses a key, so that pages do not depend on it.
func OnlyServes(key string) bool { return only("serves", key) }

// only reports whether the field of a key has a tag with the value only.
func only(tag, key string) bool {
	t := reflect.TypeFor[Settings]()
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("json") == key {
			return t.Field(i).Tag.Get(tag) == "only"
		}
	}
	return false
}

// The values of Settings.Font.
const (
	FontSans    = "sans"
	FontSerif   = "serif"
	FontRounded = "rounded"
	FontMono    = "mono"
)

// Fonts lists the values that Settings.Font may have.
var Fonts = []string{FontSans, FontSerif, FontRounded, FontMono}

// The values of Settings.Layout.
const (
	LayoutRows  = "rows"
	LayoutCards = "cards"
)

// Layouts lists the values that Settings.Layout may have.
var Layouts = []string{LayoutRows, LayoutCards}

// HasCards reports whether lists show listings as cards.
func (s *Settings) HasCards() bool { return s.Layout == LayoutCards }

// Levels lists the values that Settings.Rules may have.
var Levels = []string{"off", "warning", "error"}

// Values of Settings.Search.
const (
	SearchByServer  = "server"  // by catalog serve, at SearchBase
	SearchInBrowser = "browser" // by the search engine, which a page loads when somebody searches
	SearchNone      = "none"    // nowhere
)

// SearchModes returns the possible values of Settings.Search.
func SearchModes() []string { return []string{SearchByServer, SearchInBrowser, SearchNone} }

// HasServer reports whether the site has a search server, with its API and its MCP endpoint.
func (s *Settings) HasServer() bool { return s.Search == SearchByServer }

// HasSearch reports whether pages can search.
func (s *Settings) HasSearch() bool { return s.HasServer() || s.SearchesInBrowser() }

// SearchesInBrowser reports whether pages load the search engine.
func (s *Settings) SearchesInBrowser() bool { return s.Search == SearchInBrowser }

// Values of Settings.Offline and Settings.AccessLog.
const (
	On  = "on"
	Off = "off"
)

// Switches returns the possible values of a setting that is On or Off.
func Switches() []string { return []string{On, Off} }

// KeepsOffline reports whether browsers keep the search and visited pages, after the first search. If not, they
// delete what they have kept. A site whose server searches would keep pages whose search does not work.
func (s *Settings) KeepsOffline() bool { return s.SearchesInBrowser() && s.Offline != Off }

// MaxJob is the maximum length of each of Settings.Jobs, in characters. The home page
// sends it as q, which has the same maximum.
const MaxJob = 256

// MaxAllowance is the maximum allowance, chosen to fit in the 32 bits of a count and in the
// structured-field integers of the RateLimit header.
const MaxAllowance = 1_000_000_000

// BasePath returns the path of BaseURL without a trailing slash: "" or "/path".
func (s *Settings) BasePath() string {
	_, address, _ := strings.Cut(s.BaseURL, "://")
	_, path, found := strings.Cut(address, "/")
	if !found {
		return ""
	}
	return strings.TrimRight("/"+path, "/")
}

// SearchBase returns the absolute prefix of the search server's addresses: SearchURL, or
// BaseURL if that is empty.
func (s *Settings) SearchBase() string {
	if s.SearchURL != "" {
		return s.SearchURL
	}
	return s.BaseURL
}

// Report returns the address at which to report a wrong fact on a page: ReportURL or, if that is
// empty, Contact with the title as its subject; "" if both are empty.
func (s *Settings) Report(title, page string) string {
	if s.ReportURL == "" {
		return s.contactAbout(title)
	}
	return strings.NewReplacer("{title}", escaped(title), "{page}", escaped(page)).Replace(s.ReportURL)
}

// SuggestPath is the path of the form that writes a listing.
const SuggestPath = "/suggest/"

// HasSuggestForm reports whether the site has a form at SuggestPath: SuggestURL has a place for what it writes.
func (s *Settings) HasSuggestForm() bool { return strings.Contains(s.SuggestURL, "{text}") }

// Suggest returns the address at which to suggest a listing: the form of the site, else SuggestURL or, if
// that is empty, Contact with the title as its subject; "" if both are empty.
func (s *Settings) Suggest(title string) string {
	switch {
	case s.HasSuggestForm():
		return s.URL(SuggestPath)
	case s.SuggestURL == "":
		return s.contactAbout(title)
	}
	return s.SuggestByHand(title)
}

// SuggestByHand returns SuggestURL with a title, and without the text of a listing.
func (s *Settings) SuggestByHand(title string) string {
	return strings.NewReplacer("{title}", escaped(title), "{file}", "", "{text}", "").Replace(s.SuggestURL)
}

// contactAbout returns Contact with a subject, in the form that mail programs read (RFC 6068).
func (s *Settings) contactAbout(subject string) string {
	contact, err := url.Parse(s.Contact)
	if err != nil || s.Contact == "" || subject == "" {
		return s.Contact
	}
	if contact.RawQuery != "" {
		contact.RawQuery += "&"
	}
	contact.RawQuery += "subject=" + escaped(subject)
	return contact.String()
}

// escaped escapes a text for the query of an address. A space becomes %20, because mail programs
// would show a +.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// URL returns the absolute address of a path of the site that begins with "/".
func (s *Settings) URL(path string) string { return s.BaseURL + path }
