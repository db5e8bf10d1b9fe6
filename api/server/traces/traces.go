// Package traces sends a span for each answered request to a collector of OpenTelemetry: in batches, as JSON
// (OTLP/HTTP 1.10). A span continues the trace that the client names in the header traceparent (W3C Trace Context).
//
// The queue is bounded, and nothing is sent twice: what a slow or missing collector does not take is dropped and
// counted. The SDK of OpenTelemetry is not used, because it would add 3.5 MB to the program: see go.mod.
package traces

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	maxQueue    = 4096            // spans that wait; one has about 300 bytes
	maxBatch    = 512             // spans that are sent together
	maxWait     = 2 * time.Second // until a batch that is not full is sent
	sendTimeout = 5 * time.Second
	maxAnswer   = 64 << 10 // how much of the collector's answer is read, in bytes
)

// Results of spans, in metrics.
const (
	resultSent    = "sent"
	resultDropped = "dropped" // the queue was full
	resultFailed  = "failed"  // the collector did not take them
)

// Span is an answered request.
type Span struct {
	Began               time.Time
	Took                time.Duration
	Method, Route, Path string
	Status              int
	Build               string // the version of the build that was used
	RequestID           string

	trace        [16]byte
	span, parent [8]byte
}

// Options configure an Exporter.
type Options struct {
	// Endpoint is the address that takes spans; see ParseEndpoint.
	Endpoint string
	// Share is the share of requests without a traceparent that are traced, from 0 to 1.
	Share float64
	// Version is the version of this program.
	Version string
	// Logger gets a line when the collector stops taking spans, and when it takes them again.
	Logger *slog.Logger

	transport http.RoundTripper // for tests; nil for the usual one
}

// ParseEndpoint checks the address of a collector. The path of an address without one is /v1/traces. Errors do not
// quote it, because it may have a password.
func ParseEndpoint(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return "", errors.New("give an address without user and query, such as http://localhost:4318")
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}

// Exporter sends spans.
type Exporter struct {
	o     Options
	queue chan Span
	stop  chan struct{}
	end   context.CancelFunc // of sending
	done  sync.WaitGroup
	spans *prometheus.CounterVec // by result
}

// New returns an Exporter that sends until Close.
func New(o Options) *Exporter {
	ctx, end := context.WithCancel(context.Background())
	e := &Exporter{o: o, queue: make(chan Span, maxQueue), stop: make(chan struct{}), end: end,
		spans: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "catalog_trace_spans_total",
			Help: "Spans of requests, by result: sent, dropped because too many waited, or failed because the" +
				" collector did not take them.",
		}, []string{"result"})}
	for _, result := range []string{resultSent, resultDropped, resultFailed} {
		e.spans.WithLabelValues(result)
	}
	e.done.Go(func() { e.run(ctx) })
	return e
}

// Collectors returns the metrics of the exporter.
func (e *Exporter) Collectors() []prometheus.Collector { return []prometheus.Collector{e.spans} }

// Close sends what waits, for sendTimeout at most.
func (e *Exporter) Close() {
	close(e.stop)
	defer time.AfterFunc(sendTimeout, e.end).Stop()
	e.done.Wait()
	e.end()
}

// Record takes a span, if the trace of the client's traceparent is sampled or, without one, by chance. It never
// waits.
func (e *Exporter) Record(h http.Header, s Span) {
	sampled := false
	if sent := h["Traceparent"]; len(sent) == 1 {
		s.trace, s.parent, sampled = parseParent(sent[0])
	}
	if s.trace == [16]byte{} {
		_, _ = rand.Read(s.trace[:]) // it never fails
		sampled = float64(binary.BigEndian.Uint64(s.trace[8:])>>11) < e.o.Share*(1<<53)
	}
	if !sampled {
		return
	}
	_, _ = rand.Read(s.span[:])
	select {
	case e.queue <- s:
	default:
		e.spans.WithLabelValues(resultDropped).Inc()
	}
}

// traceparent is the form of the header (W3C Trace Context, section 3.2). Later versions may have more behind the
// flags.
var traceparent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)

// parseParent reads a traceparent. A malformed one gives zeros.
func parseParent(text string) (trace [16]byte, parent [8]byte, sampled bool) {
	m := traceparent.FindStringSubmatch(text)
	if m == nil || m[1] == "ff" || m[1] == "00" && m[5] != "" || strings.Trim(m[2], "0") == "" ||
		strings.Trim(m[3], "0") == "" {
		return trace, parent, false
	}
	var flags [1]byte
	_, _ = hex.Decode(trace[:], []byte(m[2])) // they are hexadecimal
	_, _ = hex.Decode(parent[:], []byte(m[3]))
	_, _ = hex.Decode(flags[:], []byte(m[4]))
	return trace, parent, flags[0]&1 == 1
}

// run sends batches until Close. The end of ctx ends what is being sent.
func (e *Exporter) run(ctx context.Context) {
	client := &http.Client{Timeout: sendTimeout, Transport: e.o.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	tick := time.NewTicker(maxWait)
	defer tick.Stop()
	failing, host := false, ""
	if u, err := url.Parse(e.o.Endpoint); err == nil { // the path of an address may be a secret
		host = u.Host
	}
	send := func(batch []Span) {
		err := e.send(ctx, client, batch)
		if (err != nil) != failing {
			if failing = err != nil; failing {
				e.o.Logger.Warn("the collector does not take spans; they are dropped", "collector", host, "error", err)
			} else {
				e.o.Logger.Info("the collector takes spans again", "collector", host)
			}
		}
	}
	var batch []Span
	for {
		select {
		case s := <-e.queue:
			if batch = append(batch, s); len(batch) < maxBatch {
				continue
			}
		case <-tick.C:
		case <-e.stop:
			for len(e.queue) > 0 {
				batch = append(batch, <-e.queue)
			}
			for part := range slices.Chunk(batch, maxBatch) {
				send(part)
			}
			return
		}
		if len(batch) > 0 {
			send(batch)
			batch = batch[:0]
		}
	}
}

// send sends a batch once, and counts its spans.
func (e *Exporter) send(ctx context.Context, client *http.Client, batch []Span) error {
	failed, err := post(ctx, client, e.o.Endpoint, e.encode(batch))
	failed = min(max(failed, 0), len(batch))
	e.spans.WithLabelValues(resultFailed).Add(float64(failed))
	e.spans.WithLabelValues(resultSent).Add(float64(len(batch) - failed))
	return err
}

// post sends a body. An error says why the collector has refused some spans, or all.
func post(ctx context.Context, client *http.Client, endpoint string, body []byte) (refused int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return maxBatch, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if outer, ok := errors.AsType[*url.Error](err); ok { // it has the address
		err = outer.Err
	}
	if err != nil {
		return maxBatch, err
	}
	defer response.Body.Close() // what was read counts
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil || response.StatusCode != http.StatusOK {
		return maxBatch, errors.Join(err, fmt.Errorf("it answers %s", response.Status))
	}
	var answer struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage // a number, as text or not
			ErrorMessage  string
		}
	}
	_ = json.Unmarshal(text, &answer) // the batch was taken, whatever the text
	refused, _ = strconv.Atoi(strings.Trim(string(answer.PartialSuccess.RejectedSpans), `"`))
	if refused > 0 {
		err = fmt.Errorf("it refuses %d of them: %.200q", refused, answer.PartialSuccess.ErrorMessage)
	}
	return refused, err
}

type object = map[string]any

// methods are the methods that spans name. Others are _OTHER, so that clients cannot make names.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, http.MethodPut,
	http.MethodPatch, http.MethodDelete, http.MethodConnect, http.MethodTrace}

// Numbers of OTLP.
const (
	kindServer  = 2
	statusError = 2
)

// encode returns the body of a request with spans, in the JSON of OTLP: ids are hexadecimal, numbers of 64 bits are
// texts, and enumerations are numbers (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). Attributes
// have the names of OpenTelemetry's semantic conventions, where there are some.
func (e *Exporter) encode(batch []Span) []byte {
	text := func(key, value string) object { return object{"key": key, "value": object{"stringValue": value}} }
	spans := make([]object, len(batch))
	for i, s := range batch {
		if !slices.Contains(methods, s.Method) {
			s.Method = "_OTHER"
		}
		began := s.Began.UnixNano()
		spans[i] = object{
			"traceId": hex.EncodeToString(s.trace[:]), "spanId": hex.EncodeToString(s.span[:]),
			"name": s.Method + " " + s.Route, "kind": kindServer, "status": object{},
			"startTimeUnixNano": strconv.FormatInt(began, 10),
			"endTimeUnixNano":   strconv.FormatInt(began+s.Took.Nanoseconds(), 10),
			"attributes": []object{
				text("http.request.method", s.Method), text("url.path", s.Path),
				{"key": "http.response.status_code", "value": object{"intValue": strconv.Itoa(s.Status)}},
				text("catalog.route", s.Route), text("catalog.build", s.Build), text("catalog.request_id", s.RequestID),
			},
		}
		if s.parent != [8]byte{} {
			spans[i]["parentSpanId"] = hex.EncodeToString(s.parent[:])
		}
		if s.Status >= http.StatusInternalServerError {
			spans[i]["status"] = object{"code": statusError}
		}
	}
	resource := object{"attributes": []object{text("service.name", "catalog"), text("service.version", e.o.Version)}}
	scope := object{"scope": object{"name": "catalog"}, "spans": spans}
	body, _ := json.Marshal(object{"resourceSpans": []object{{ // it has only texts and numbers
		"resource": resource, "scopeSpans": []object{scope}}}})
	return body
}
