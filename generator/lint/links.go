package lint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"catalog.example/api/parallel"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// LinkOptions configures CheckLinks.
type LinkOptions struct {
	// Client sends the requests. Its timeout applies to each request.
	Client *http.Client
	// Parallelism is the maximum number of concurrent requests. Each host receives only one at a
	// time.
	Parallelism int
	// Wait pauses between requests to the same host and before a second attempt. It returns an
	// error early if ctx ends.
	Wait func(ctx context.Context, d time.Duration) error
	// Progress is called with the number of URLs checked so far and the total; it may be nil.
	Progress func(done, total int)
}

const (
	// hostPause is the pause between two requests to the same host.
	hostPause = 500 * time.Millisecond
	// maxPause is the longest pause that a host may request with Retry-After. A host that requests
	// a longer one is reported as unreachable.
	maxPause = time.Minute
	// maxTries is the number of attempts for a URL that does not respond properly.
	maxTries = 2
)

// CheckLinks requests every outgoing URL once, and a second time if it does not respond properly.
// It returns an error finding for each dead link (status 404, 410 or 451), and a warning for each
// other URL that does not respond properly. It returns an error only if ctx ends.
func CheckLinks(ctx context.Context, c *content.Content, o LinkOptions) ([]content.Finding, error) {
	byURL := map[string][]link{}
	for _, l := range c.Listings {
		for _, link := range listingLinks(l) {
			byURL[link.url] = append(byURL[link.url], link)
		}
	}
	byHost := map[string][]string{}
	total := 0
	for _, address := range slices.Sorted(maps.Keys(byURL)) {
		// Other addresses are relative, or have been reported by the checks of the front matter.
		if u, err := url.Parse(address); err == nil && strings.HasPrefix(u.Scheme, "http") {
			byHost[u.Host] = append(byHost[u.Host], address)
			total++
		}
	}
	var mu sync.Mutex
	var findings []content.Finding
	done := 0
	hosts := slices.Sorted(maps.Keys(byHost))
	err := parallel.Each(ctx, o.Parallelism, len(hosts), func(host int) error {
		for i, address := range byHost[hosts[host]] {
			if i > 0 {
				if err := o.Wait(ctx, hostPause); err != nil {
					return err
				}
			}
			violated, message := checkURL(ctx, o, address)
			if err := ctx.Err(); err != nil {
				return err
			}
			mu.Lock()
			done++
			if message != "" {
				for _, l := range byURL[address] {
					findings = append(findings, l.finding(violated, message))
				}
			}
			if o.Progress != nil {
				o.Progress(done, total)
			}
			mu.Unlock()
		}
		return nil
	})
	content.SortFindings(findings)
	return findings, err
}

// checkURL requests a URL and returns the rule that the URL violates, with a message, or "".
func checkURL(ctx context.Context, o LinkOptions, address string) (violated rule.Rule, message string) {
	var problem string
	for try := range maxTries {
		status, pause, err := requestStatus(ctx, o.Client, address)
		switch {
		case err != nil:
			problem = fmt.Sprintf("%s did not answer: %v", address, err)
		case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusUnavailableForLegalReasons:
			return rule.DeadLink, fmt.Sprintf("%s returns %d %s", address, status, http.StatusText(status))
		case status < 400, status == http.StatusUnauthorized, status == http.StatusForbidden:
			return rule.Rule{}, "" // the page exists, even if programs are not allowed to read it
		default:
			problem = fmt.Sprintf("%s returns %d %s", address, status, http.StatusText(status))
		}
		if try+1 == maxTries || pause > maxPause || o.Wait(ctx, max(pause, hostPause)) != nil {
			break
		}
	}
	return rule.UnreachableLink, problem
}

// maxRetryAfter is the highest value of Retry-After that is used, in seconds. It fits a
// time.Duration.
const maxRetryAfter = 365 * 24 * 60 * 60

// maxDrained is how many bytes of a body are read so that its connection can be reused.
const maxDrained = 64 << 10

// requestStatus sends HEAD, and then GET if HEAD fails. pause is how long the host asks to wait in
// Retry-After.
func requestStatus(ctx context.Context, client *http.Client, address string) (status int, pause time.Duration,
	err error) {
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		req, err := http.NewRequestWithContext(ctx, method, address, nil)
		if err != nil {
			return 0, 0, err
		}
		req.Header.Set("User-Agent", "catalog-lint (checks the links of a catalogue)")
		response, err := client.Do(req)
		if err != nil {
			if wrapped, ok := errors.AsType[*url.Error](err); ok {
				err = wrapped.Err // the message already contains the URL
			}
			return 0, 0, err
		}
		_, _ = io.CopyN(io.Discard, response.Body, maxDrained)
		_ = response.Body.Close()
		status = response.StatusCode
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
			pause = time.Duration(min(seconds, maxRetryAfter)) * time.Second
		}
		// Many hosts do not support HEAD, so only a failed GET counts.
		if status < 400 || status == http.StatusTooManyRequests {
			break
		}
	}
	return status, pause, nil
}
