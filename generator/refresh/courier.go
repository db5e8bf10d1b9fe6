package refresh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// tries is how often a request is sent whose answer is a fault of the forge,
	// or none.
	tries = 4
	// firstBackoff lies before the second try; each later pause is twice as long.
	firstBackoff = time.Second
	// limitedTries is how often a request waits for an allowance before it fails:
	// with several requests under way, the first wait may not suffice.
	limitedTries = 6
	// secondaryPause is how long to wait where a forge asks for slower requests
	// and does not say how long; GitHub's documents say at least a minute.
	secondaryPause = time.Minute
	// maxAnswer bounds what is read of an answer. A repository is described in 10
	// KiB; a release may name a thousand files.
	maxAnswer = 8 << 20
	// step is how often a wait tells how much is left of it.
	step = time.Second
)

// Wait is a pause that a forge has asked for.
type Wait struct {
	Forge  string
	Reason string
	Until  time.Time
	Left   time.Duration
}

// errTooLarge tells of an answer beyond maxAnswer.
var errTooLarge = fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)

// limitedError tells that an allowance is used up and waiting was no use, or
// would have taken too long.
type limitedError struct {
	forge string
	until time.Time
}

// Error implements error.
func (e *limitedError) Error() string {
	return fmt.Sprintf("the allowance at %s is used up until %s", e.forge, e.until.UTC().Format("2006-01-02 15:04 UTC"))
}

// courier sends the requests to one forge: with the token, but to nobody else;
// again after faults of the forge; and not before the forge wants another one.
// It is an http.RoundTripper. Answers are read whole and bounded before they are
// handed on, so that an answer that breaks off is one more fault.
type courier struct {
	forge   string
	origin  *url.URL // scheme and host of the API
	token   string   // may be empty
	base    http.RoundTripper
	timeout time.Duration // of each try
	patient time.Duration // longest single wait
	now     func() time.Time
	wait    func(context.Context, time.Duration) error
	waiting func(Wait) // may be nil

	mu     sync.Mutex
	until  time.Time // no request before it
	reason string
}

// RoundTrip implements http.RoundTripper.
func (c *courier) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != c.origin.Scheme || req.URL.Host != c.origin.Host {
		return nil, fmt.Errorf("%s leads to another host, %s: not followed", c.forge, req.URL.Host)
	}
	ctx := req.Context()
	limited := 0
	for failed := 0; ; {
		if err := c.pause(ctx); err != nil {
			return nil, err
		}
		response, err := c.once(req)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if errors.Is(err, errTooLarge) {
			return nil, err
		}
		if err == nil {
			if until, reason := c.allowance(response, limited); !until.IsZero() {
				c.hold(until, reason)
				if limited++; limited == limitedTries || until.Sub(c.now()) > c.patient {
					return nil, &limitedError{c.forge, until}
				}
				continue
			}
			if response.StatusCode < 500 && response.StatusCode != http.StatusRequestTimeout {
				c.lastOne(response)
				return response, nil
			}
		}
		backoff := firstBackoff << failed
		if failed++; failed == tries || backoff > c.patient {
			return response, err
		}
		if response != nil {
			if asked := c.retryAfter(response); asked > c.patient {
				return response, nil
			} else if asked > backoff {
				c.hold(c.now().Add(asked), fmt.Sprintf("answers %d", response.StatusCode))
				continue
			}
		}
		if err := c.wait(ctx, backoff); err != nil {
			return nil, err
		}
	}
}

// once sends a request a single time and reads the answer.
func (c *courier) once(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), c.timeout)
	defer cancel()
	sent := req.Clone(ctx) // a round tripper may not change its request
	if c.token != "" {
		sent.Header.Set("Authorization", "Bearer "+c.token)
	}
	sent.Header.Set("User-Agent", "catalog-refresh (keeps the facts of a catalog of software current)")
	response, err := c.base.RoundTrip(sent)
	if err != nil {
		return nil, c.noAnswer(ctx, err)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	_ = response.Body.Close() // nothing of it is used any more
	switch {
	case len(body) > maxAnswer:
		return nil, errTooLarge
	case err != nil:
		return nil, c.noAnswer(ctx, err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	response.ContentLength = int64(len(body))
	return response, nil
}

func (c *courier) noAnswer(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s did not answer within %v", c.forge, c.timeout)
	}
	return err
}

// allowance tells until when a forge wants no request, the zero time where it
// has answered properly. limited counts the waits of this request so far.
func (c *courier) allowance(r *http.Response, limited int) (until time.Time, reason string) {
	if r.StatusCode != http.StatusForbidden && r.StatusCode != http.StatusTooManyRequests {
		return time.Time{}, ""
	}
	now := c.now()
	if asked := c.retryAfter(r); asked > 0 {
		return now.Add(asked), "asks for slower requests"
	}
	if reset, used := resetOf(r); used {
		return later(reset, now.Add(step)), "allowance used up"
	}
	if r.StatusCode == http.StatusTooManyRequests || strings.Contains(peek(r), "secondary rate limit") {
		return now.Add(secondaryPause << limited), "asks for slower requests"
	}
	return time.Time{}, "" // forbidden for another reason
}

// lastOne holds further requests back where an answer says that the allowance
// is used up with it. A reset that is too far off to wait for is left to the
// next request to find out.
func (c *courier) lastOne(r *http.Response) {
	if reset, used := resetOf(r); used && reset.After(c.now()) && reset.Sub(c.now()) <= c.patient {
		c.hold(reset, "allowance used up")
	}
}

// hold lets no request out until a time.
func (c *courier) hold(until time.Time, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until.After(c.until) {
		c.until, c.reason = until, reason
	}
}

// pause waits as long as requests are held back and tells how long that is.
func (c *courier) pause(ctx context.Context) error {
	for {
		c.mu.Lock()
		until, reason := c.until, c.reason
		c.mu.Unlock()
		left := until.Sub(c.now())
		switch {
		case left <= 0:
			return ctx.Err()
		case left > c.patient:
			return &limitedError{c.forge, until}
		}
		if c.waiting != nil {
			c.waiting(Wait{c.forge, reason, until, left})
		}
		if err := c.wait(ctx, min(left, step)); err != nil {
			return err
		}
	}
}

// retryAfter reads how long a forge asks to be left alone (RFC 9110, section
// 10.2.3), 0 where it does not say.
func (c *courier) retryAfter(r *http.Response) time.Duration {
	text := r.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 && seconds < 1<<31 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(c.now()), 0)
	}
	return 0
}

// resetOf tells whether an answer says that no request is left, and when there
// will be some again: X-RateLimit-… at GitHub, RateLimit-… at GitLab.
func resetOf(r *http.Response) (at time.Time, used bool) {
	for _, prefix := range []string{"X-RateLimit-", "RateLimit-"} {
		if r.Header.Get(prefix+"Remaining") != "0" {
			continue
		}
		if seconds, err := strconv.ParseInt(r.Header.Get(prefix+"Reset"), 10, 64); err == nil {
			return time.Unix(seconds, 0), true
		}
	}
	return time.Time{}, false
}

// peek returns the beginning of an answer's body and leaves it to be read.
func peek(r *http.Response) string {
	body, _ := io.ReadAll(r.Body) // of bytes in memory
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body[:min(len(body), 1<<10)])
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Sleep lets real time pass, or returns early with an error where ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
