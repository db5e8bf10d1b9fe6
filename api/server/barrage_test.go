package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/soak"
)

// parameter is one of an operation, as the OpenAPI document describes it.
type parameter struct {
	Name, In string
	Schema   struct {
		Type    any
		Enum    []any
		Minimum *int
		Maximum *int
		Default any
	}
}

// described is what the OpenAPI document says may be asked.
type described map[string][]parameter // by path

// readDescribed reads the document from the server that describes itself.
func readDescribed(t testing.TB, address string) described {
	t.Helper()
	r, err := fetch("http://"+address, http.MethodGet, "/api/v1/openapi")
	if err != nil {
		t.Fatal(err)
	}
	document := decode[struct {
		Paths map[string]struct {
			Get struct{ Parameters []json.RawMessage }
		}
	}](t, r)
	d := described{}
	for path, item := range document.Paths {
		d[path] = nil
		for _, raw := range item.Get.Parameters {
			var p parameter
			if err := json.Unmarshal(raw, &p); err == nil && p.Name != "" {
				d[path] = append(d[path], p)
			}
		}
	}
	return d
}

// rubbish is what no parameter and no header expects.
var rubbish = []string{
	"", " ", "0", "1", "-1", "2", "1.5", "1e9", "0x10", "+1", "%2B1", "99999999999999999999", "-9223372036854775808", "null", "true", "NaN",
	"%00", "%FF", "%ED%A0%80", "%C0%AF", "%zz", "%", "a%0d%0ab", "'", "%22", "%3Cscript%3E", "..%2f..%2f", "{{7*7}}", "$(id)", ",", ",,,", "a,b,c", "MIT,Apache-2.0",
	"%E2%80%AE", "%F0%9F%92%A9", "e%CC%81", "%EF%BB%BF", "ａ", "ﷺ", "\xff", strings.Repeat("a", 255), strings.Repeat("a", 256), strings.Repeat("a", 257),
	strings.Repeat("%41", 300), strings.Repeat("a+", 128), strings.Repeat("é", 128), strings.Repeat(",", 500), strings.Repeat("(", 200),
}

func one[T any](random *rand.Rand, list ...T) T { return list[random.IntN(len(list))] }

// value returns one that is valid, at a bound, beyond it, or rubbish.
func (p *parameter) value(random *rand.Rand) string {
	var choices []string
	for _, e := range p.Schema.Enum {
		choices = append(choices, fmt.Sprint(e))
	}
	for _, bound := range []*int{p.Schema.Minimum, p.Schema.Maximum} {
		if bound != nil {
			choices = append(choices, strconv.Itoa(*bound-1), strconv.Itoa(*bound), strconv.Itoa(*bound+1))
		}
	}
	if p.Schema.Default != nil {
		choices = append(choices, fmt.Sprint(p.Schema.Default))
	}
	if p.In == "path" || len(choices) == 0 {
		choices = append(choices, "paper-lantern-1", "paper-lantern-2", "chat", "documents+of+build", "paper+lantern", "no+gpu+8gb", "lantren")
	}
	if random.IntN(3) == 0 {
		return one(random, rubbish...)
	}
	return one(random, choices...)
}

// request returns one that the document describes, more or less: any path, any of
// its parameters, some twice, and headers.
func (d described) request(random *rand.Rand, paths []string) (method, text string) {
	path := one(random, paths...)
	var query []string
	for _, p := range d[path] {
		switch {
		case p.In == "path":
			path = strings.Replace(path, "{"+p.Name+"}", p.value(random), 1)
		case random.IntN(3) == 0:
			query = append(query, p.Name+"="+p.value(random))
			if random.IntN(20) == 0 {
				query = append(query, p.Name+"="+p.value(random))
			}
		}
	}
	if random.IntN(8) == 0 {
		query = append(query, one(random, "gpu=", "selfHosted=", "catgory=", "=", "&", "limit", "q")+one(random, rubbish...))
	}
	target := path
	if len(query) > 0 {
		target += "?" + strings.Join(query, "&")
	}
	method = one(random, "GET", "GET", "GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "DELETE")
	text = method + " " + target + " HTTP/1.1\r\nHost: a\r\n"
	for range random.IntN(3) {
		text += one(random, "If-None-Match: ", "Authorization: Bearer ", "Authorization: ", "X-Api-Key: ", "Accept-Encoding: ", "Accept: ", "X-Request-Id: ",
			"X-Forwarded-For: ", "Range: bytes=", "If-Modified-Since: ", "Origin: ", "Cookie: ", "User-Agent: ", "Access-Control-Request-Method: ")
		text += one(random, append([]string{"catalog-sandbox", "*", `"a", W/"b"`, "gzip, br;q=0.5, zstd;q=0", "identity;q=0, *;q=0", "gzip;q=1.0001", "0-10", "192.0.2.1, ::1"}, rubbish...)...) + "\r\n"
	}
	return method, text + "\r\n"
}

// mutate changes some bytes of requests as those who do not mean well would.
func mutate(random *rand.Rand, request []byte) []byte {
	b := slices.Clone(request)
	for range 1 + random.IntN(6) {
		if len(b) == 0 {
			return b
		}
		at := random.IntN(len(b))
		switch random.IntN(8) {
		case 0:
			b[at] ^= 1 << random.IntN(8)
		case 1:
			b[at] = byte(random.IntN(256))
		case 2:
			b = slices.Delete(b, at, min(len(b), at+1+random.IntN(8)))
		case 3:
			b = slices.Insert(b, at, bytes.Repeat(b[at:at+1], 1<<random.IntN(12))...)
		case 4:
			b = slices.Insert(b, at, b[at:min(len(b), at+random.IntN(64))]...)
		case 5:
			b = slices.Insert(b, at, []byte(one(random, "\r\n", "\n", "\r", "\x00", " ", "\t", "%", "%00", ":", "/../", "//", "?", "#", "\r\n ", "HTTP/1.1", "\xff\xfe"))...)
		case 6:
			b = slices.Insert(b, at, []byte(one(random, "\r\nContent-Length: 3", "\r\nTransfer-Encoding: chunked", "\r\nExpect: 100-continue", "\r\nConnection: keep-alive, close",
				"\r\nHost: b", "\r\nUpgrade: websocket", "\r\nX-Forwarded-For: 192.0.2.1", "\r\n\r\nGET / HTTP/1.1\r\nHost: a"))...)
		case 7:
			b = b[:at]
		}
	}
	return b
}

// keptConnection is one that is used for as many requests as the server allows.
type keptConnection struct {
	address string
	c       net.Conn
	reader  *bufio.Reader
}

func (k *keptConnection) close() {
	if k.c != nil {
		_ = k.c.Close()
		k.c = nil
	}
}

// ask returns the status of the answer to one request.
func (k *keptConnection) ask(method, request string) (status int, err error) {
	if k.c == nil {
		if k.c, err = net.DialTimeout("tcp", k.address, patience); err != nil {
			return 0, err
		}
		k.reader = bufio.NewReader(k.c)
	}
	if err := k.c.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	if _, err := io.WriteString(k.c, request); err != nil {
		return 0, err
	}
	response, err := http.ReadResponse(k.reader, &http.Request{Method: method})
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if response.Close {
		k.close()
	}
	return response.StatusCode, err
}

// sendRaw sends bytes, tells that there are no more, and returns what comes back
// until the connection ends; reset tells that the server would read no more.
func sendRaw(address string, request []byte) (answers []byte, reset bool, err error) {
	c, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = c.Close() }()
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil, false, errors.New("this is not TCP")
	}
	// Without lingering, no port stays taken.
	if err := errors.Join(c.SetDeadline(time.Now().Add(patience)), tcp.SetLinger(0)); err != nil {
		return nil, false, err
	}
	go func() {
		_, _ = tcp.Write(request) // the server may answer and close before it has read everything
		_ = tcp.CloseWrite()
	}()
	answers, err = io.ReadAll(c)
	if errors.Is(err, syscall.ECONNRESET) {
		return answers, true, nil
	}
	return answers, false, err
}

// readAnswers parses the answers on a connection. A mutated request may be a HEAD, so an
// answer may have no body. If the connection was reset, the last answer may be cut short.
func readAnswers(raw []byte, reset bool) (statuses []int, problems []string) {
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte("\r\n\r\n"))
		if reset && !ok {
			return statuses, problems
		}
		if !ok || !bytes.HasPrefix(head, []byte("HTTP/1.")) || len(head) < len("HTTP/1.1 200") {
			return statuses, append(problems, fmt.Sprintf("this is no answer: %.100q", raw))
		}
		status, err := strconv.Atoi(string(head[9:12]))
		if err != nil {
			return statuses, append(problems, err.Error())
		}
		statuses = append(statuses, status)
		// The next answer begins behind the body, if that was sent.
		length := 0
		for line := range bytes.Lines(head) {
			if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
				length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
			}
		}
		switch {
		case len(rest) == 0 || bytes.HasPrefix(rest, []byte("HTTP/1.")):
			raw = rest
		case bytes.Contains(head, []byte("Connection: close")) && length == 0:
			raw = nil // the rest is the body, to the end
		case length > len(rest) && reset:
			raw = nil
		case length > len(rest):
			return statuses, append(problems, fmt.Sprintf("an answer is cut at %d of %d bytes", len(rest), length))
		default:
			raw = rest[length:]
		}
	}
	return statuses, problems
}

// TestBarrage sends 50,000 requests: half as the OpenAPI document describes them,
// with values that are valid, at bounds and rubbish; half of those bytes mutated.
// There is no fault, no panic, no memory that is kept, and others are served.
// Not in parallel: it measures the memory of the process.
func TestBarrage(t *testing.T) {
	soak.Long(t)
	const requests, senders = 50_000, 8
	s, address, log := newTarget(t, nil)
	d := readDescribed(t, address)
	if len(d) < 4 || len(d["/api/v1/search"]) < 7 {
		t.Fatalf("the document describes %v", d)
	}
	paths := append(slices.Sorted(maps.Keys(d)), "/", "/llms.txt", "/projects/paper-lantern-1/", "/api/v1/lists/popular/1.json", "/api/v1/nothing", "/healthz", "/assets/../index.html")
	heapBefore := heap()
	others := probe(t, address)
	var counts [1000]atomic.Int64
	var sent atomic.Int64
	var sending sync.WaitGroup
	for sender := range senders {
		sending.Go(func() {
			random := rand.New(rand.NewPCG(uint64(sender), 20261121))
			kept := &keptConnection{address: address}
			defer kept.close()
			for i := 0; i < requests/senders && !t.Failed(); i++ {
				method, request := d.request(random, paths)
				var statuses []int
				if i%2 == 0 {
					status, err := kept.ask(method, request)
					if err != nil {
						t.Errorf("%q: %v", request, err)
					}
					statuses = []int{status}
				} else {
					mutated := mutate(random, []byte(request))
					answers, reset, err := sendRaw(address, mutated)
					if err != nil {
						t.Errorf("%q: %v", mutated, err)
					}
					var problems []string
					if statuses, problems = readAnswers(answers, reset); len(problems) > 0 {
						t.Errorf("%q: %v", mutated, problems)
					}
					request = string(mutated)
				}
				for _, status := range statuses {
					counts[status].Add(1)
					// net/http itself says 501 to codings and 505 to versions that it does not know.
					if status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported {
						t.Errorf("%q is answered %d", request, status)
					}
				}
				sent.Add(1)
			}
		})
	}
	sending.Wait()
	others.end()
	checkUnharmed(t, s, log)
	var told []string
	for status := range counts {
		if n := counts[status].Load(); n > 0 {
			told = append(told, fmt.Sprintf("%d×%d", n, status))
		}
	}
	for _, status := range []int{200, 204, 304, 400, 401, 404, 405} {
		if counts[status].Load() == 0 {
			t.Errorf("none of the requests was answered %d", status)
		}
	}
	if sent.Load() != requests {
		t.Errorf("%d requests were sent", sent.Load())
	}
	const keeps = 16 << 20 // allowances, ETags and pools of this many
	if kept := heap() - heapBefore; kept > keeps {
		t.Errorf("%d bytes of memory are kept, want at most %d", kept, keeps)
	}
	t.Logf("%s; %v; %d KiB of memory kept", strings.Join(told, " "), others, (heap()-heapBefore)>>10)
}

// heap returns how many bytes are in use after everything else was let go of.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
