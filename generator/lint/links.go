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

	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"golang.org/x/sync/errgroup"
)

// LinkOptions say how outgoing links are asked for.
type LinkOptions struct {
	// Client sends the requests; its timeout bounds each.
	Client *http.Client
	// AtOnce is how many requests are under way at most; to one host it is one
	// at a time.
	AtOnce int
	// Wait pauses between requests to the same host and before a second try. It
	// returns early with an error where ctx ends.
	Wait func(ctx context.Context, d time.Duration) error
	// Progress is told how many of how many addresses are done; it may be nil.
	Progress func(done, total int)
}

const (
	// politePause lies between two requests to the same host.
	politePause = 500 * time.Millisecond
	// maxPause bounds how long a host's Retry-After is obeyed; a host that asks
	// for more is reported as not answering.
	maxPause = time.Minute
	// tries is how often a link is asked for that does not answer.
	tries = 2
)

// CheckLinks asks for every outgoing link, each once, and returns a finding for
// each place of one that is dead (an error: status 404, 410 or 451) or did not
// answer properly (a warning). It fails only where ctx ends.
func CheckLinks(ctx context.Context, c *content.Content, o LinkOptions) ([]content.Finding, error) {
	byURL := map[string][]link{} // each address with the links that lead there
	for _, l := range c.Listings {
		for _, out := range linksOf(l) {
			byURL[out.url] = append(byURL[out.url], out)
		}
	}
	byHost := map[string][]string{}
	total := 0
	for _, address := range slices.Sorted(maps.Keys(byURL)) {
		// Others lead to another listing, or are told by the checks of the front matter.
		if u, err := url.Parse(address); err == nil && strings.HasPrefix(u.Scheme, "http") {
			byHost[u.Host] = append(byHost[u.Host], address)
			total++
		}
	}
	var mu sync.Mutex
	var findings []content.Finding
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.AtOnce, 1))
	for _, addresses := range byHost {
		group.Go(func() error {
			for i, address := range addresses {
				if i > 0 {
					if err := o.Wait(ctx, politePause); err != nil {
						return err
					}
				}
				broken, message := ask(ctx, o, address)
				if err := ctx.Err(); err != nil {
					return err
				}
				mu.Lock()
				done++
				if message != "" {
					for _, l := range byURL[address] {
						findings = append(findings, l.at(broken, message))
					}
				}
				if o.Progress != nil {
					o.Progress(done, total)
				}
				mu.Unlock()
			}
			return nil
		})
	}
	err := group.Wait()
	content.SortFindings(findings)
	return findings, err
}

// ask asks for one address and returns which rule it breaks and what is wrong with
// it, "" where nothing is.
func ask(ctx context.Context, o LinkOptions, address string) (broken rule.Rule, message string) {
	var problem string
	for try := range tries {
		status, pause, err := request(ctx, o.Client, address)
		switch {
		case err != nil:
			problem = fmt.Sprintf("%s did not answer: %v", address, err)
		case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusUnavailableForLegalReasons:
			return rule.DeadLink, fmt.Sprintf("%s answers %d %s", address, status, http.StatusText(status))
		case status < 400, status == http.StatusUnauthorized, status == http.StatusForbidden:
			return rule.Rule{}, "" // there is something, if not for machines
		default:
			problem = fmt.Sprintf("%s answers %d %s", address, status, http.StatusText(status))
		}
		if try+1 == tries || pause > maxPause || o.Wait(ctx, max(pause, politePause)) != nil {
			break
		}
	}
	return rule.UnreachableLink, problem
}

// maxRetryAfter bounds what a host may ask for, in seconds: more is no longer a
// time.Duration.
const maxRetryAfter = 365 * 24 * 60 * 60

// maxRead is how much of an answer is read, so that the connection can be used
// again where the answer is short.
const maxRead = 64 << 10

// request asks with HEAD, and with GET where the host does not know HEAD. pause
// is how long the host asks to be left alone.
func request(ctx context.Context, client *http.Client, address string) (status int, pause time.Duration, err error) {
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		req, err := http.NewRequestWithContext(ctx, method, address, nil)
		if err != nil {
			return 0, 0, err
		}
		req.Header.Set("User-Agent", "catalog-lint (checks that links of a catalog lead somewhere)")
		response, err := client.Do(req)
		if err != nil {
			var wrapped *url.Error
			if errors.As(err, &wrapped) {
				err = wrapped.Err // the address is in the message already
			}
			return 0, 0, err
		}
		_, _ = io.CopyN(io.Discard, response.Body, maxRead)
		_ = response.Body.Close()
		status = response.StatusCode
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
			pause = time.Duration(min(seconds, maxRetryAfter)) * time.Second
		}
		// Many hosts answer HEAD wrongly; only GET is believed about a missing page.
		if status < 400 || status == http.StatusTooManyRequests {
			break
		}
	}
	return status, pause, nil
}
