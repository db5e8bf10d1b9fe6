// Package check asks a deployed site for one of everything that it serves, and says what is wrong.
//
// It reads what the site offers from the site's own index of the API: a static host without a search server is not
// asked for a search. Some 40 requests are sent.
//
//	check.go     runs the checks: requests, the certificate, the build
//	requests.go  the table of what is asked for, and what the answers must be
package check

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
)

// Options configure a check.
type Options struct {
	// URL is the address of the site: http or https, perhaps with a path.
	URL string
	// Build is the version that the site must serve, or its beginning: that of the build or that in catalog.jsonl,
	// which is of its listings. "" stands for any.
	Build string
	// Timeout bounds the whole check. An answer may take a quarter of it.
	Timeout time.Duration
	// Version is the version of this program, for the User-Agent.
	Version string
	// Roots are the certificate authorities that are trusted; nil means those of the system.
	Roots *x509.CertPool
	// Now returns the time of day, for the ages of certificates and builds.
	Now func() time.Time
}

// The levels of findings. Only errors fail a check.
const (
	OK      = "ok"
	Warning = "warning"
	Error   = "error"
)

// Finding is what a check has seen. A check that sees several mistakes has a finding for each.
type Finding struct {
	Level   string `json:"level"`
	Name    string `json:"name"` // of the check
	Address string `json:"address"`
	Seen    string `json:"seen"`
	Do      string `json:"do,omitempty"` // what to do; "" if nothing is wrong
}

// Report has the findings in the order of the checks.
type Report struct {
	URL      string    `json:"url"`
	Search   string    `json:"search"` // who answers searches: a value of site.Settings.Search
	Build    string    `json:"build"`  // the version that is served; "" if it is not known
	Findings []Finding `json:"findings"`
}

// Count returns the number of findings of a level.
func (r *Report) Count(level string) (n int) {
	for _, f := range r.Findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// session is one check of a site.
type session struct {
	o Options
	Report
	client *http.Client
	base   string // where the site is asked for, without a slash at the end
	server string // where its search server is asked for; "" if there is none
	// What the site says of itself: BaseURL, Search and SearchURL.
	settings site.Settings
	// searchOrigin is the origin of SearchURL, if that is not the one of the pages.
	searchOrigin string
	languages    []api.SiteLanguage // of a site that has several, the main one first
	home         answer
	assets       []string                    // paths of the stylesheet, the page code and the search engine
	newest       struct{ Slug, Name string } // the newest listing; empty if there is none
}

const (
	maxAtOnce    = 4        // requests, so that the check is no load
	maxBody      = 64 << 20 // how much of an answer is read, in bytes
	maxRedirects = 5
)

// Run checks a site. If it cannot be reached at all, that is the only finding.
func Run(ctx context.Context, o Options) *Report {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	s := &session{o: o, Report: Report{URL: o.URL}, base: strings.TrimRight(o.URL, "/")}
	s.client = &http.Client{
		Timeout: o.Timeout / 4, CheckRedirect: checkRedirect,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: maxAtOnce, ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
		},
	}
	if s.home = s.get(ctx, s.base+"/"); s.home.err != nil {
		s.add(s.home.failure("address"))
		return &s.Report
	}
	if s.home.final != s.base+"/" { // such as https:// instead of http://
		s.base = strings.TrimRight(s.home.final, "/")
		s.add(Finding{OK, "address", o.URL, "leads to " + s.home.final + ", which is checked", ""})
	}
	s.checkCertificate(s.base, s.home.tls)
	s.discover(ctx)
	answers := s.askAll(ctx, s.requests())
	if originOf(s.server) != originOf(s.base) {
		s.checkCertificate(s.server, answers[ready].tls)
	}
	s.checkBuild(answers)
	return &s.Report
}

func (s *session) add(f ...Finding) { s.Findings = append(s.Findings, f...) }

// askAll asks for everything in a table, and judges the answers, which it returns by name.
func (s *session) askAll(ctx context.Context, requests []request) map[string]answer {
	answers, findings, byName := make([]answer, len(requests)), make([][]Finding, len(requests)), map[string]answer{}
	turns := make(chan struct{}, maxAtOnce)
	var asking sync.WaitGroup
	for i, r := range requests {
		asking.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			answers[i] = s.ask(ctx, r.address, r.post)
			findings[i] = s.judge(ctx, &r, &answers[i])
		})
	}
	asking.Wait()
	for i, r := range requests {
		s.add(findings[i]...)
		byName[r.name] = answers[i]
	}
	return byName
}

// discover reads from the index of the API and the home page what the site offers.
func (s *session) discover(ctx context.Context) {
	var index struct{ Links []struct{ Name, URL string } }
	_ = json.Unmarshal(s.get(ctx, s.base+api.FilePath(api.PathIndex)).body, &index) // its check says what is wrong
	links := map[string]string{}
	for _, l := range index.Links {
		links[l.Name] = l.URL
	}
	s.settings.BaseURL, s.settings.Search = strings.TrimSuffix(links["docs"], "/docs/"), site.SearchNone
	if s.findAssets(ctx) {
		s.settings.Search = site.SearchInBrowser
	}
	if search := strings.TrimSuffix(links["search"], api.PathSearch); search != "" {
		s.settings.Search, s.server = site.SearchByServer, s.base // which may be one of several replicas
		if search != s.settings.BaseURL {
			s.settings.SearchURL, s.server = search, search
			s.searchOrigin = originOf(search)
			if strings.HasPrefix(string(s.get(ctx, s.base+"/readyz").body), "ok\nversion ") {
				s.server = s.base // one of the replicas behind that address
			}
		}
	}
	s.Search = s.settings.Search
	if bytes.Contains(s.home.body, namesLanguages) {
		var file api.Languages
		_ = json.Unmarshal(s.get(ctx, s.base+api.PathLanguages).body, &file) // its check says what is wrong
		s.languages = append(s.languages, file.Languages...)
	}
	var list struct{ Projects []struct{ Slug, Name string } }
	if json.Unmarshal(s.get(ctx, s.base+pathNewest).body, &list) == nil && len(list.Projects) > 0 {
		s.newest = list.Projects[0]
	}
	named, err := url.Parse(s.settings.BaseURL)
	asked, err2 := url.Parse(s.base)
	switch f := (Finding{Warning, "base_url", s.base, "pages name " + s.settings.BaseURL, ""}); {
	case err != nil || err2 != nil || s.settings.BaseURL == "" || s.settings.BaseURL == s.base:
	case api.IsLoopback(named.Hostname()) && !api.IsLoopback(asked.Hostname()):
		f.Level, f.Do = Error, "only that machine can open this: build with --base-url "+s.base
		s.add(f)
	default: // right for a replica, which is asked by its own address
		f.Do = "if people do not find the site there, build with --base-url " + s.base
		s.add(f)
	}
}

// originOf returns scheme and host of an address.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// findAssets follows the names of assets from the home page to the page code and the search engine. It reports whether
// there is an engine.
func (s *session) findAssets(ctx context.Context) (hasEngine bool) {
	text := s.home.body
	for _, form := range assetForms {
		name := string(form.Find(text))
		if name == "" {
			continue
		}
		s.assets = append(s.assets, "/assets/"+name)
		if strings.HasSuffix(name, ".js") {
			text, hasEngine = s.get(ctx, s.base+"/assets/"+name).body, strings.HasPrefix(name, "search-")
		}
	}
	return hasEngine
}

// Below certificateWarning, or a third of its lifetime, a certificate should have been renewed. Above buildWarning, an
// alert of deploy/alerts.yml says that the build is old.
const (
	day                = 24 * time.Hour
	certificateWarning = 14 * day
	buildWarning       = 14 * day
)

// checkCertificate reports the certificate of a host, and how long the first of its chain lasts. A wrong one has failed
// the request.
func (s *session) checkCertificate(base string, connection *tls.ConnectionState) {
	if connection == nil {
		return
	}
	c := connection.PeerCertificates[0]
	end := c.NotAfter
	for _, x := range connection.VerifiedChains[0] {
		if x.NotAfter.Before(end) {
			end = x.NotAfter
		}
	}
	left := end.Sub(s.o.Now())
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	f := Finding{OK, "certificate", base, fmt.Sprintf("%s left, for %s", days(left), strings.Join(names, ", ")), ""}
	if left < min(certificateWarning, c.NotAfter.Sub(c.NotBefore)/3) {
		f.Level, f.Do = Warning, "renew it, and find out why that did not happen by itself"
	}
	s.add(f)
}

func days(d time.Duration) string { return api.Count(int(d/day), "day") }

// head is the first line of catalog.jsonl.
type head struct {
	Version string // a hash of the listings
	Total   int
}

// headOf returns the first line of an answer; an empty head if it is none.
func headOf(a *answer) (h head) {
	first, _, _ := bytes.Cut(a.body, []byte("\n"))
	_ = json.Unmarshal(first, &h) // the check of the file says so
	return h
}

// checkBuild reports version and age of the build, and whether the parts of the site are of one build.
func (s *session) checkBuild(answers map[string]answer) {
	file, other := answers[lines], answers[servedLines]
	head, servedHead := headOf(&file), headOf(&other)
	if head.Version == "" {
		return // its check says so
	}
	s.Build = head.Version
	age, old := time.Duration(0), "of unknown age"
	if changed, err := http.ParseTime(file.header.Get("Last-Modified")); err == nil {
		age = s.o.Now().Sub(changed)
		old = days(age) + " old"
	}
	if said := strings.Fields(string(answers[ready].body)); len(said) >= 3 { // ok version V, and perhaps age N seconds
		if s.Build = said[2]; len(said) > 4 {
			seconds, _ := strconv.Atoi(said[4])
			age = time.Duration(seconds) * time.Second
			old = days(age) + " old"
		}
	}
	f := Finding{OK, "build", s.base, "version " + s.Build, ""}
	if s.Build != head.Version {
		f.Seen += ", listings " + head.Version
	}
	f.Seen += ", " + old
	switch {
	case !strings.HasPrefix(s.Build, s.o.Build) && !strings.HasPrefix(head.Version, s.o.Build):
		f.Level, f.Do = Error, "it should be "+s.o.Build+": look whether the upload arrived, and purge the CDN"
	case age > buildWarning:
		f.Level, f.Do = Warning, "look whether the job that builds the site still runs"
	}
	s.add(f)
	wrong := func(seen string, args ...any) {
		s.add(Finding{Error, "one build", s.base, fmt.Sprintf(seen, args...),
			"bring the whole of one build to all hosts, and purge the CDN"})
	}
	if servedHead.Version != "" && servedHead.Version != head.Version {
		wrong("%s has the version %s, and %s has %s", file.address, head.Version, other.address, servedHead.Version)
	}
	for _, name := range []string{list, served} {
		var got struct{ Total *int }
		a := answers[name]
		if json.Unmarshal(a.body, &got) == nil && got.Total != nil && *got.Total != head.Total {
			wrong("%s has %d listings, and %s has %d", file.address, head.Total, a.address, *got.Total)
		}
	}
	page := []byte("<loc>" + s.settings.BaseURL + "/" + api.FolderProjects + "/")
	pages := answers[sitemap]
	if n := bytes.Count(pages.body, page); s.settings.BaseURL != "" && n != head.Total &&
		bytes.Contains(pages.body, []byte("<urlset")) {
		wrong("%s has %d listings, and %s has %d", file.address, head.Total, pages.address, n)
	}
	stored, answered := answers[project], answers[servedProject]
	if stored.status == http.StatusOK && answered.status == http.StatusOK && !bytes.Equal(stored.body, answered.body) {
		wrong("%s and %s differ", stored.address, answered.address)
	}
}

// answer is an answer to a request, or the error instead of one.
type answer struct {
	address, final string // final is the address after redirects
	status         int
	header         http.Header
	body           []byte
	tls            *tls.ConnectionState
	err            error
}

func (s *session) get(ctx context.Context, address string, headers ...string) answer {
	return s.ask(ctx, address, "", headers...)
}

// ask sends a request: a POST if there is something to post, which is JSON. Headers are pairs of name and value.
func (s *session) ask(ctx context.Context, address, post string, headers ...string) answer {
	a, method := answer{address: address}, http.MethodGet
	if post != "" {
		method = http.MethodPost
		headers = append(headers, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	}
	sent, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(post))
	if err != nil {
		a.err = err
		return a
	}
	sent.Header.Set("User-Agent", "catalog-check/"+s.o.Version)
	for i := 0; i < len(headers); i += 2 {
		sent.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.client.Do(sent)
	if err != nil {
		a.err = err
		return a
	}
	defer response.Body.Close() // what was read counts
	a.final, a.tls = response.Request.URL.String(), response.TLS
	a.status, a.header = response.StatusCode, response.Header
	a.body, a.err = io.ReadAll(io.LimitReader(response.Body, maxBody))
	return a
}

// errRedirects means that redirects do not end.
var errRedirects = errors.New("redirects do not end")

func checkRedirect(next *http.Request, before []*http.Request) error {
	if len(before) > maxRedirects {
		last := before[maxRedirects].URL
		return fmt.Errorf("%w: after %d, %s leads to %s", errRedirects, maxRedirects, last, next.URL)
	}
	return nil
}

// failure returns the finding for a request that had no answer.
func (a *answer) failure(name string) Finding {
	f := Finding{Error, name, a.address, a.err.Error(), "look whether the server runs, and at the proxy before it"}
	if inner, ok := errors.AsType[*url.Error](a.err); ok {
		f.Seen = inner.Err.Error()
	}
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](a.err)
	switch {
	case isCertificate:
		f.Do = "get a certificate for this name, renew it, or send its whole chain; if the authority is your own," +
			" name its file in SSL_CERT_FILE"
	case errors.Is(a.err, errRedirects):
		f.Do = "mend the redirects of the host or proxy"
	case os.IsTimeout(a.err):
		f.Seen = "no answer in time"
		f.Do = "look whether the server is overloaded or hangs; --timeout gives it more time"
	}
	return f
}
