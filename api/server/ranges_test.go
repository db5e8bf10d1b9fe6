package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is asked for in part is sent in part, of the very bytes of the coding that is
// sent; a range that is wrong is told, and one of something else is not given (RFC
// 9110, sections 13.1.5 and 14).
func TestRanges(t *testing.T) {
	f := quietFixture(t)
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "%d ", i*i)
	}
	writeFiles(t, f.public, map[string]string{"assets/app-0123456789ab.js": text.String(), "long.txt": text.String(), "huge.txt": strings.Repeat(text.String(), 1+maxKept/text.Len())})
	for _, target := range []string{"/llms.txt", "/long.txt", "/assets/app-0123456789ab.js", "/huge.txt", "/", "/assets/model.bin"} {
		for _, coding := range []string{"identity", "gzip", "br", "zstd"} {
			accept := []string{"Accept-Encoding", coding}
			whole := f.get(target, accept...)
			whole.expect(t, "Accept-Ranges", "bytes")
			size := len(whole.body)
			part := func(byteRange string, headers ...string) reply {
				return f.get(target, append(append([]string{"Range", byteRange}, accept...), headers...)...)
			}
			etag := whole.header.Get("ETag")
			for _, test := range []struct {
				byteRange string
				headers   []string
				from, to  int // to is not part of it
			}{
				{"bytes=0-2", nil, 0, 3},
				{"bytes=1-", nil, 1, size},
				{"bytes=-2", nil, size - 2, size},
				{"bytes=0-999999999", nil, 0, size},
				{"bytes=1-1", []string{"If-Range", etag}, 1, 2},
			} {
				r := part(test.byteRange, test.headers...)
				if r.status != 206 || r.body != whole.body[test.from:test.to] {
					t.Errorf("%s in %s, %s: %d, %d bytes", target, coding, test.byteRange, r.status, len(r.body))
				}
				r.expect(t, "Content-Range", fmt.Sprintf("bytes %d-%d/%d", test.from, test.to-1, size))
				r.expect(t, "Content-Length", fmt.Sprint(test.to-test.from))
				for _, header := range []string{"Content-Type", "Content-Encoding", "ETag", "Vary", "Cache-Control"} {
					r.expect(t, header, whole.header.Get(header))
				}
			}
			for _, other := range []reply{part("bytes=0-2", "If-Range", `"other"`), part("bytes=0-0", "If-None-Match", `"other"`, "If-Range", "W/"+etag)} {
				if other.status != 200 || other.body != whole.body {
					t.Errorf("%s in %s, of something else: %d", target, coding, other.status)
				}
			}
			for _, none := range []string{"bytes=-0", "bytes=-00", "bytes=-"} {
				if r := part(none); r.status != 200 || r.body != whole.body {
					t.Errorf("%s in %s, an empty suffix (%s): %d", target, coding, none, r.status)
				}
			}
			if r := part("bytes=2-1"); r.status != 416 {
				t.Errorf("%s in %s, of less than nothing: %d", target, coding, r.status)
			}
			beyond := part(fmt.Sprintf("bytes=%d-", size))
			if beyond.status != 416 {
				t.Errorf("%s in %s: %d beyond the end", target, coding, beyond.status)
			}
			beyond.expect(t, "Content-Range", fmt.Sprintf("bytes */%d", size))
			beyond.expect(t, "Content-Encoding", "")
			if r := part("bytes=0-2", "If-None-Match", etag); r.status != 304 {
				t.Errorf("%s in %s, of what the client has: %d", target, coding, r.status)
			}
			r := part("bytes=0-2", "If-Match", `"other"`)
			if r.status != 412 || r.body != "" {
				t.Errorf("%s in %s, of another file: %d", target, coding, r.status)
			}
			r.expect(t, "Cache-Control", "no-store")
			r.expect(t, "Content-Encoding", "")
			r.expect(t, "ETag", "")
			if beyond.header.Get("Cache-Control") != "no-store" || beyond.header.Get("ETag") != "" {
				t.Errorf("%s in %s, beyond the end: %v", target, coding, beyond.header)
			}
			// What is no single range of bytes in a GET is sent whole.
			for _, other := range []reply{part("bytes=0-1,-1"), part("bytes=0-1,0-1,0-1"), part("lines=0-2"), part("bytes 0-2"), f.get(target, append(accept, "Range", "bytes=0-1", "Range", "bytes=3-4")...)} {
				if other.status != 200 || other.body != whole.body {
					t.Errorf("%s in %s, of several ranges or none: %d, %d bytes", target, coding, other.status, len(other.body))
				}
			}
			if head := f.do(http.MethodHead, target, append(accept, "Range", "bytes=0-2")...); head.status != 200 || head.header.Get("Content-Length") != fmt.Sprint(size) {
				t.Errorf("HEAD %s in %s: %d", target, coding, head.status)
			}
		}
	}
	// Answers of the API, whose errors are problem details, and pages that say that
	// there is none are sent whole.
	for _, target := range []string{"/api/v1/projects", "/api/v1/projects/paper-lantern-1", "/api/v1/search?q=chat", "/api/v1/openapi", "/api/v1/lists/popular/1.json", "/nothing", "/api/v1/nothing", "/projects/paper-lantern-1"} {
		whole, r := f.get(target), f.get(target, "Range", "bytes=0-2", "If-Match", `"other"`)
		if r.status != whole.status || r.body != whole.body {
			t.Errorf("%s: %d for a part", target, r.status)
		}
		r.expect(t, "Accept-Ranges", "")
	}
}

// After an answer about preconditions the connection can be used on, whatever the
// length of the file and its coding.
func TestPreconditionsKeepTheConnection(t *testing.T) {
	f := quietFixture(t)
	writeFiles(t, f.public, map[string]string{"long.txt": strings.Repeat("text ", 10_000)})
	connection, err := net.Dial("tcp", run(t, f.server))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	in := bufio.NewReader(connection)
	for _, coding := range []string{"gzip", "identity"} {
		for _, test := range []struct {
			headers string
			status  int
		}{
			{"If-Match: \"other\"\r\n", 412}, {"Range: bytes=999999-\r\n", 416}, {"Range: bytes=5-9\r\n", 206}, {"If-None-Match: *\r\n", 304}, {"", 200},
		} {
			if _, err := io.WriteString(connection, "GET /long.txt HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: "+coding+"\r\n"+test.headers+"\r\n"); err != nil {
				t.Fatal(err)
			}
			r, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("%s%v", test.headers, err)
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != test.status || r.Close {
				t.Errorf("%s%d, %v", test.headers, r.StatusCode, err)
			}
		}
	}
}

// A file that grows while it is read or sent ends where its Content-Length says: a
// client takes what follows for the next response.
func TestGrowingFile(t *testing.T) {
	const evil = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nevil!"
	for _, name := range []string{"long.txt", "api/v1/lists/popular/9.json"} {
		f := quietFixture(t)
		text := strings.Repeat("0123456789abcdef", maxKept)
		writeFiles(t, f.public, map[string]string{name: text})
		connection, err := net.Dial("tcp", run(t, f.server))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = connection.Close() }()
		in := bufio.NewReader(connection)
		ask := func() *http.Response {
			if _, err := io.WriteString(connection, "GET /"+name+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			r, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		r := ask() // the rest is not sent before it is read: it does not fit into the buffers
		file, err := os.OpenFile(filepath.Join(f.public, filepath.FromSlash(name)), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(file, evil); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{text, text + evil} {
			if got, err := io.ReadAll(r.Body); err != nil || string(got) != want {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
			if want == text {
				r = ask()
			}
		}
	}
}
