package lint

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// link is an address with the places that link to it.
type link struct {
	url    string
	places []func(r rule.Rule, message string) content.Finding
}

// CheckLinks asks for every outgoing link, each once, and returns a finding for
// each place of one that is dead (an error: status 404, 410 or 451) or did not
// answer properly (a warning). It fails only where ctx ends.
func CheckLinks(ctx context.Context, c *content.Content, o LinkOptions) ([]content.Finding, error) {
	byHost := map[string][]*link{}
	total := 0
	for _, l := range gatherLinks(c) {
		u, err := url.Parse(l.url)
		if err != nil {
			continue // said by the checks of the front matter
		}
		byHost[u.Host] = append(byHost[u.Host], l)
		total++
	}
	var mu sync.Mutex
	var findings []content.Finding
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.AtOnce, 1))
	for _, links := range byHost {
		group.Go(func() error {
			for i, l := range links {
				if i > 0 {
					if err := o.Wait(ctx, politePause); err != nil {
						return err
					}
				}
				broken, message := ask(ctx, o, l.url)
				if err := ctx.Err(); err != nil {
					return err
				}
				mu.Lock()
				done++
				if message != "" {
					for _, place := range l.places {
						findings = append(findings, place(broken, message))
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

// gatherLinks returns the outgoing links of a catalog, ordered by address.
func gatherLinks(c *content.Content) []*link {
	byURL := map[string]*link{}
	add := func(address string, place func(rule.Rule, string) content.Finding) {
		if byURL[address] == nil {
			byURL[address] = &link{url: address}
		}
		byURL[address].places = append(byURL[address].places, place)
	}
	for _, l := range c.Listings {
		at := func(path ...any) func(rule.Rule, string) content.Finding {
			return func(r rule.Rule, message string) content.Finding { return l.At(r, message, path...) }
		}
		add(l.RepositoryURL, at("repositoryUrl"))
		if l.HomepageURL != nil {
			add(*l.HomepageURL, at("homepageUrl"))
		}
		if l.DocsURL != nil {
			add(*l.DocsURL, at("docsUrl"))
		}
		for i, install := range l.InstallLinks {
			add(install.URL, at("installLinks", i, "url"))
		}
		for _, out := range l.Pieces.Links {
			if strings.HasPrefix(out.URL, "http") {
				add(out.URL, func(r rule.Rule, message string) content.Finding {
					return l.InBody(r, message, out.Offset)
				})
			}
		}
	}
	var links []*link
	for _, l := range byURL {
		links = append(links, l)
	}
	slices.SortFunc(links, func(a, b *link) int {
		if a.url < b.url {
			return -1
		}
		return 1
	})
	return links
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
