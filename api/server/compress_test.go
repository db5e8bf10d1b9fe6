package server

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// decodeBody takes the coding off a body, with gzip of the standard library.
func decodeBody(t testing.TB, body, coding string) string {
	t.Helper()
	var r io.Reader = strings.NewReader(body)
	var err error
	switch coding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "br":
		r = brotli.NewReader(r)
	case "zstd":
		// What a client must take at least (RFC 9659).
		r, err = zstd.NewReader(r, zstd.WithDecoderMaxWindow(8<<20))
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("decode %s: %v", coding, err)
	}
	return string(text)
}

// long makes a body that is worth compressing of a few words.
func long(words string) string { return strings.Repeat(words+"\n", 1+2*minCompressed/len(words)) }

// compressible are addresses of every kind of answer that is compressed.
var compressible = []string{
	"/api/v1/projects", "/api/v1/projects?limit=3", "/api/v1/projects/paper-lantern-1", "/api/v1/search?q=lantern", "/api/v1/openapi",
	"/api/v1/lists/long.json", "/long/", "/assets/long.css", "/assets/long.js", "/assets/long.svg", "/long.xml", "/long.md", "/nothing",
}

func compressibleFixture(t testing.TB) *fixture {
	f := quietFixture(t)
	writeFiles(t, f.public, map[string]string{
		"404.html": long("<p>no such page"), "long/index.html": long("<p>page"), "assets/long.css": long("p{}"), "assets/long.js": long("1"),
		"assets/long.svg": long("<svg/>"), "long.xml": long("<x/>"), "long.md": long("# x"), "api/v1/lists/long.json": `{"x":"` + strings.ReplaceAll(long("y"), "\n", " ") + `"}`,
		"assets/long.png": long("png"), "assets/long.woff2": long("font"), "assets/long.bin": long("bytes"),
		"assets/small.css": strings.Repeat("p{}", minCompressed/3-1), "assets/random.css": string(noise(4 * minCompressed)),
	})
	return f
}

// noise cannot be made smaller.
func noise(n int) []byte {
	out, x := make([]byte, n), uint64(1)
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = byte(x)
	}
	return out
}

// Every coding of every kind of answer holds the same bytes, has an ETag of its
// own, and is the same when it is asked for again, by HEAD, and by its ETag.
func TestCodings(t *testing.T) {
	f := compressibleFixture(t)
	for _, target := range compressible {
		plain := f.get(target)
		if len(plain.body) < minCompressed && !strings.Contains(target, "paper-lantern-1") {
			t.Fatalf("%s has only %d bytes", target, len(plain.body))
		}
		plain.expect(t, "Content-Encoding", "")
		vary := "Accept-Encoding"
		if strings.HasPrefix(target, "/api/") {
			vary = "Accept-Encoding, Authorization, X-Api-Key"
		} else if plain.status == 200 && strings.HasPrefix(plain.header.Get("Content-Type"), "text/html") { // or Markdown
			vary = "Accept, Accept-Encoding"
		}
		plain.expect(t, "Vary", vary)
		tags := map[string]bool{plain.header.Get("ETag"): true}
		for _, name := range []string{"gzip", "br", "zstd"} {
			accept := name + ", identity;q=0"
			for again := range 2 {
				r := f.get(target, "Accept-Encoding", accept)
				if r.status != plain.status || decodeBody(t, r.body, name) != plain.body {
					t.Fatalf("%s in %s, asked for %d times: %d, %d bytes", target, name, again+1, r.status, len(r.body))
				}
				r.expect(t, "Content-Encoding", name)
				r.expect(t, "Content-Length", strconv.Itoa(len(r.body)))
				r.expect(t, "Vary", vary)
				for _, header := range []string{"Content-Type", "Cache-Control", "Link", "Accept-Ranges"} {
					r.expect(t, header, plain.header.Get(header))
				}
				head := f.do(http.MethodHead, target, "Accept-Encoding", accept)
				if head.status != r.status || head.body != "" {
					t.Errorf("HEAD %s in %s: %d", target, name, head.status)
				}
				for _, header := range []string{"Content-Encoding", "Content-Length", "Content-Type", "ETag", "Vary", "Cache-Control", "Link"} {
					head.expect(t, header, r.header.Get(header))
				}
				if r.status != 200 {
					r.expect(t, "ETag", "")
					continue
				}
				etag := r.header.Get("ETag")
				if want := strings.TrimSuffix(plain.header.Get("ETag"), `"`) + "-" + name + `"`; etag != want {
					t.Errorf("%s in %s has the ETag %s, want %s", target, name, etag, want)
				}
				tags[etag] = true
				held := f.get(target, "Accept-Encoding", accept, "If-None-Match", etag)
				if held.status != 304 || held.body != "" {
					t.Errorf("%s in %s with its ETag: %d", target, name, held.status)
				}
				held.expect(t, "ETag", etag)
				held.expect(t, "Vary", vary)
				held.expect(t, "Content-Encoding", "")
				// Whoever cannot read the coding is not told to go on with it.
				if r := f.get(target, "If-None-Match", etag); r.status != 200 {
					t.Errorf("%s without Accept-Encoding, with the ETag of %s: %d", target, name, r.status)
				}
			}
		}
		if plain.status == 200 && len(tags) != 4 {
			t.Errorf("%s: the codings have the ETags %v", target, tags)
		}
	}
}

// What is small, compressed already, or grows by compressing is sent as it is,
// and what is never compressed does not depend on what is accepted.
func TestNotCompressed(t *testing.T) {
	f := compressibleFixture(t)
	for target, vary := range map[string]string{
		"/assets/long.png": "", "/assets/long.woff2": "", "/assets/long.bin": "", "/assets/random.css": "Accept-Encoding", "/assets/small.css": "Accept-Encoding",
		"/llms.txt": "Accept-Encoding", "/": "Accept, Accept-Encoding",
	} {
		for range 2 {
			r, plain := f.get(target, "Accept-Encoding", "zstd, br, gzip"), f.get(target)
			if r.status != 200 || r.body != plain.body {
				t.Errorf("%s: %d", target, r.status)
			}
			r.expect(t, "Content-Encoding", "")
			r.expect(t, "Vary", vary)
			r.expect(t, "ETag", plain.header.Get("ETag"))
		}
	}
	r := f.get("/api/v1/projects/nope", "Accept-Encoding", "gzip, identity;q=0")
	r.expect(t, "Content-Encoding", "")
}

// A large file is sent from the file, whole and without a coding.
func TestLargeFiles(t *testing.T) {
	f := quietFixture(t)
	body := strings.Repeat("x", maxKept+1)
	writeFiles(t, f.public, map[string]string{"large.txt": body})
	for range 2 {
		r := f.get("/large.txt", "Accept-Encoding", "gzip, identity;q=0")
		if r.status != 200 || r.body != body {
			t.Fatalf("%d, %d bytes", r.status, len(r.body))
		}
		r.expect(t, "Content-Encoding", "")
		r.expect(t, "Content-Length", strconv.Itoa(len(body)))
		if held := f.get("/large.txt", "If-None-Match", r.header.Get("ETag")); held.status != 304 {
			t.Errorf("with its ETag: %d", held.status)
		}
		if head := f.do(http.MethodHead, "/large.txt"); head.status != 200 || head.header.Get("ETag") != r.header.Get("ETag") {
			t.Errorf("HEAD: %d", head.status)
		}
	}
	key := fileKey(f.server.current(), "large.txt")
	if kept := f.server.reps.cache.get(key); kept == nil || kept.body != nil {
		t.Error("its tag is not kept, or its body is")
	}
	if err := os.WriteFile(filepath.Join(f.public, "large.txt"), []byte(body+"y"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := f.get("/large.txt"); r.body != body+"y" {
		t.Errorf("after a change there are %d bytes", len(r.body))
	}
}

// The codings of a file are those of what is in it now.
func TestCodingsFollowTheFile(t *testing.T) {
	f := compressibleFixture(t)
	for i, words := range []string{"<p>one", "<p>another", "<p>one"} {
		body := long(words)
		path := filepath.Join(f.public, "long", "index.html")
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Unix(int64(i), 0)); err != nil { // whatever the clock's grain
			t.Fatal(err)
		}
		for range 2 {
			if r := f.get("/long/", "Accept-Encoding", "br"); decodeBody(t, r.body, "br") != body {
				t.Errorf("version %d is not sent", i)
			}
		}
	}
}

// While the server is nearly full, or every core compresses, answers are sent as
// they are, unless the client takes nothing else or the coding is kept.
func TestNoCompressionUnderLoad(t *testing.T) {
	f := compressibleFixture(t)
	accept := []string{"Accept-Encoding", "gzip"}
	kept := f.get("/long/", accept...)
	kept.expect(t, "Content-Encoding", "gzip")
	tests := []struct {
		name     string
		busy     func(n int64)
		occupied int64
	}{
		{"the server is nearly full", func(n int64) { f.server.slots.used.Add(n) }, f.server.slots.most * 4 / 5},
		{"every core compresses", func(n int64) { f.server.reps.compressor.running.used.Add(n) }, f.server.reps.compressor.running.most},
	}
	for i, test := range tests {
		test.busy(test.occupied)
		list, search := fmt.Sprintf("/api/v1/projects?limit=%d", 5+i), fmt.Sprintf("/api/v1/search?q=lantern&limit=%d", 5+i)
		for _, target := range []string{list, search} {
			f.get(target, accept...).expect(t, "Content-Encoding", "")
			f.get(target, "Accept-Encoding", "gzip, identity;q=0").expect(t, "Content-Encoding", "gzip")
		}
		f.get("/long/", accept...).expect(t, "Content-Encoding", "gzip")
		test.busy(-test.occupied)
		f.get(list, accept...).expect(t, "Content-Encoding", "gzip")
		f.get(search, accept...).expect(t, "Content-Encoding", "gzip")
	}
	if used := f.server.reps.compressor.running.used.Load(); used != 0 {
		t.Errorf("%d cores are never given back", used)
	}
}

// Writers are used again by requests that come together; none may send the bytes
// of another.
func TestCodingsTogether(t *testing.T) {
	f := compressibleFixture(t)
	want := map[string]string{}
	for i := range 8 {
		target := fmt.Sprintf("/api/v1/search?q=lantern&limit=%d", 3+i)
		want[target] = f.get(target).body
	}
	var all sync.WaitGroup
	for i, name := range []string{"gzip", "br", "zstd", "zstd", "br", "gzip"} {
		all.Go(func() {
			for target, body := range want {
				r := f.get(target, "Accept-Encoding", name+", identity;q=0")
				if got := decodeBody(t, r.body, name); got != body {
					t.Errorf("client %d: %s in %s has %d bytes, want %d", i, target, name, len(got), len(body))
				}
			}
		})
	}
	all.Wait()
}

func TestCompressorAppends(t *testing.T) {
	c := newCompressor()
	body := []byte(long("words"))
	for to := gzipCoding; to < codingCount; to++ {
		for e := range effortCount {
			for range 2 { // the writer is used again
				out := c.compress([]byte("before"), body, to, e)
				if !bytes.HasPrefix(out, []byte("before")) {
					t.Fatalf("%s does not append", codingNames[to])
				}
				if got := decodeBody(t, string(out[6:]), codingNames[to]); got != string(body) {
					t.Errorf("%s with effort %d: %d bytes", codingNames[to], e, len(got))
				}
			}
		}
	}
}

func BenchmarkCompress(b *testing.B) {
	c := newCompressor()
	f := quietFixture(b)
	body := []byte(f.get("/api/v1/openapi").body)
	for to := gzipCoding; to < codingCount; to++ {
		for e := range effortCount {
			b.Run(fmt.Sprintf("%s %d", codingNames[to], e), func(b *testing.B) {
				var out []byte
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					out = c.compress(out[:0], body, to, e)
				}
				b.ReportMetric(float64(len(out))/float64(len(body)), "ratio")
			})
		}
	}
}

// What compressing could betray by the length of an answer is in no body: neither
// a key, nor the client's address, nor any header, however it is asked for.
func TestBodiesHoldNoSecret(t *testing.T) {
	f := compressibleFixture(t)
	const secret = "s3cret-of-a-client"
	for _, target := range append([]string{"/api/v1/projects?limit=0", "/api/nothing", "/api/v1/projects/nope"}, compressible...) {
		for _, key := range []string{"catalog-sandbox", secret} {
			r := f.get(target, "X-Api-Key", key, "Cookie", secret, "Referer", "https://"+secret, "User-Agent", secret, "X-Request-Id", secret, "X-Forwarded-For", "198.51.100.7")
			for _, private := range []string{secret, "198.51.100.7", "192.0.2.1"} {
				if strings.Contains(r.body, private) {
					t.Errorf("%s: %s is in the body of the %d", target, private, r.status)
				}
			}
		}
	}
}
