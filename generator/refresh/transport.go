package refresh

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// maxTries is the number of attempts for a request that gets a server error or no response.
	maxTries = 4
	// firstBackoff is the pause before the second attempt. Each later pause is twice as long.
	firstBackoff = time.Second
	// maxRateLimited is how often a request may be rate limited before it fails:
	// with several requests under way, the first wait may not suffice.
	maxRateLimited = 6
	// secondaryPause is the pause if a service demands slower requests without saying for how long.
	// GitHub's documentation says at least a minute.
	secondaryPause = time.Minute
	// maxResponse bounds what is read of a response, in bytes. A repository is described in
	// 10 KiB; a release may name a thousand files.
	maxResponse int64 = 8 << 20
	// waitStep is the interval at which the remaining time of a wait is reported.
	waitStep = time.Second
)

// Wait is a pause that a service has requested.
type Wait struct {
	Service string
	Reason  string
	Until   time.Time
	Left    time.Duration
}

// tooLargeError reports a response that is larger than this number of bytes.
type tooLargeError int64

// Error implements error.
func (e tooLargeError) Error() string {
	return fmt.Sprintf("the response is larger than %d MiB", int64(e)>>20)
}

// rateLimitError reports that the rate limit is exhausted, and that waiting did
// not help or would take too long.
type rateLimitError struct {
	service string
	until   time.Time
}

// Error implements error.
func (e *rateLimitError) Error() string {
	return fmt.Sprintf("the rate limit of %s is used up until %s", e.service,
		e.until.UTC().Format("2006-01-02 15:04 UTC"))
}

// transport is an http.RoundTripper for one service. It sends the token to that
// service only, retries after server errors, and respects rate limits. It reads
// each response whole, up to a bound, so that a broken connection is retried
// like any other fault.
type transport struct {
	*Service
	*Options

	mu         sync.Mutex
	heldUntil  time.Time // no request is sent before this time
	heldReason string
	next       time.Time // before it, the service wants no request
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != t.API.Scheme || req.URL.Host != t.API.Host {
		return nil, fmt.Errorf("%s redirects to another host, %s: such redirects are not followed", t.Name,
			req.URL.Host)
	}
	ctx := req.Context()
	limited := 0
	for failed := 0; ; {
		if err := t.waitUntilReleased(ctx); err != nil {
			return nil, err
		}
		if err := t.takeTurn(ctx); err != nil {
			return nil, err
		}
		response, err := t.send(req)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if _, tooLarge := errors.AsType[tooLargeError](err); tooLarge {
			return nil, err
		}
		if err == nil {
			if until, reason := t.rateLimited(response, limited); !until.IsZero() {
				t.hold(until, reason)
				if limited++; limited == maxRateLimited || until.Sub(t.Now()) > t.MaxWait {
					return nil, &rateLimitError{t.Name, until}
				}
				continue
			}
			if response.StatusCode < 500 && response.StatusCode != http.StatusRequestTimeout {
				t.holdIfExhausted(response)
				return response, nil
			}
		}
		backoff := firstBackoff << failed
		if failed++; failed == maxTries || backoff > t.MaxWait {
			return response, err
		}
		if response != nil {
			if pause := t.retryAfter(response); pause > t.MaxWait {
				return response, nil
			} else if pause > backoff {
				t.hold(t.Now().Add(pause), fmt.Sprintf("returned %d", response.StatusCode))
				continue
			}
		}
		if err := t.Wait(ctx, backoff); err != nil {
			return nil, err
		}
	}
}

// send sends a request once and reads the whole response.
func (t *transport) send(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.Timeout)
	defer cancel()
	sent := req.Clone(ctx) // a round tripper may not change its request
	if t.Token != "" {
		sent.Header.Set("Authorization", "Bearer "+t.Token)
	}
	sent.Header.Set("User-Agent", "catalog-refresh (updates the facts of a catalogue of software)")
	response, err := http.DefaultTransport.RoundTrip(sent)
	if err != nil {
		return nil, t.explainTimeout(ctx, err)
	}
	limit := cmp.Or(t.maxResponse, maxResponse)
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	_ = response.Body.Close() // the body was read
	switch {
	case int64(len(body)) > limit:
		return nil, tooLargeError(limit)
	case err != nil:
		return nil, t.explainTimeout(ctx, err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	response.ContentLength = int64(len(body))
	return response, nil
}

func (t *transport) explainTimeout(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s did not answer within %v", t.Name, t.Timeout)
	}
	return err
}

// rateLimited returns the time until which a service accepts no requests, or the zero time if the
// response does not report a rate limit. limited is how often this request was rate limited before.
func (t *transport) rateLimited(r *http.Response, limited int) (until time.Time, reason string) {
	if r.StatusCode != http.StatusForbidden && r.StatusCode != http.StatusTooManyRequests {
		return time.Time{}, ""
	}
	now := t.Now()
	if pause := t.retryAfter(r); pause > 0 {
		return now.Add(pause), "asks for slower requests"
	}
	if reset, exhausted := rateLimitReset(r); exhausted {
		return later(reset, now.Add(waitStep)), "the rate limit is used up"
	}
	if r.StatusCode == http.StatusTooManyRequests || strings.Contains(bodyPrefix(r), "secondary rate limit") {
		return now.Add(secondaryPause << limited), "asks for slower requests"
	}
	return time.Time{}, "" // forbidden for another reason
}

// holdIfExhausted holds further requests back if the response used up the rate limit. If the reset
// is too far off to wait for, it does nothing, and the next request fails.
func (t *transport) holdIfExhausted(r *http.Response) {
	if reset, exhausted := rateLimitReset(r); exhausted && reset.After(t.Now()) && reset.Sub(t.Now()) <= t.MaxWait {
		t.hold(reset, "the rate limit is used up")
	}
}

// hold holds all requests back until a time.
func (t *transport) hold(until time.Time, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if until.After(t.heldUntil) {
		t.heldUntil, t.heldReason = until, reason
	}
}

// waitUntilReleased waits as long as requests are held back, and reports the
// time left.
func (t *transport) waitUntilReleased(ctx context.Context) error {
	for {
		t.mu.Lock()
		until, reason := t.heldUntil, t.heldReason
		t.mu.Unlock()
		left := until.Sub(t.Now())
		switch {
		case left <= 0:
			return ctx.Err()
		case left > t.MaxWait:
			return &rateLimitError{t.Name, until}
		}
		t.Waiting(Wait{t.Name, reason, until, left})
		if err := t.Wait(ctx, min(left, waitStep)); err != nil {
			return err
		}
	}
}

// takeTurn waits until the interval of the service has passed since the request before.
func (t *transport) takeTurn(ctx context.Context) error {
	if t.interval == 0 {
		return nil
	}
	t.mu.Lock()
	now := t.Now()
	turn := later(t.next, now)
	t.next = turn.Add(t.interval)
	t.mu.Unlock()
	if !turn.After(now) {
		return nil
	}
	return t.Wait(ctx, turn.Sub(now))
}

// retryAfter returns the pause that Retry-After asks for (RFC 9110, section
// 10.2.3), or 0.
func (t *transport) retryAfter(r *http.Response) time.Duration {
	text := r.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 && seconds < 1<<31 {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(date.Sub(t.Now()), 0)
	}
	return 0
}

// rateLimitReset reports whether no request is left, and when the limit resets.
// GitHub sends X-RateLimit-…, GitLab RateLimit-….
func rateLimitReset(r *http.Response) (reset time.Time, exhausted bool) {
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

// bodyPrefix returns the first KiB of a body. The body can still be read afterwards.
func bodyPrefix(r *http.Response) string {
	body, _ := io.ReadAll(r.Body) // cannot fail: the body is in memory
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body[:min(len(body), 1<<10)])
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Sleep waits for d, or returns an error early if ctx ends.
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
