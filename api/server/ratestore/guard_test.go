package ratestore

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// said is a connection that has been told something.
type said struct {
	net.Conn
	io.Reader
}

func (s said) Read(p []byte) (int, error)  { return s.Reader.Read(p) }
func (s said) Write(p []byte) (int, error) { return len(p), nil }

// readThrough returns what is read of a text after one call.
func readThrough(reader io.Reader) (string, error) {
	g := &guard{Conn: said{Reader: reader}}
	if _, err := g.Write([]byte("*1\r\n$4\r\nPING\r\n")); err != nil {
		return "", err
	}
	text, err := io.ReadAll(g)
	return string(text), err
}

// Only replies of a bounded size reach the library.
func TestGuard(t *testing.T) {
	t.Parallel()
	string64 := "$64\r\n" + strings.Repeat("x", 58) + "\r\n*x\r\n\r\n"
	for text, passes := range map[string]bool{
		"": true, "+OK\r\n": true, "+\r\n": true, "-NOSCRIPT No matching script.\r\n": true,
		"*3\r\n:1\r\n:-3\r\n:60\r\n": true, "*0\r\n": true, "*-1\r\n": true, "$-1\r\n": true, "$0\r\n\r\n": true,
		"*2\r\n$1\r\na\r\n" + string64: true, strings.Repeat(string64, 1000): true,
		"-" + strings.Repeat("x", maxLine-2) + "\r\n": true, "-" + strings.Repeat("x", maxLine) + "\r\n": false,
		"\r\n": false, "+OK\n": false, "HTTP/1.1 400 Bad Request\r\n": false, "\x15\x03\x01\n": false,
		"_\r\n": false, "%1\r\n+a\r\n:1\r\n": false, ">1\r\n+a\r\n": false,
		":\r\n": false, ":1.5\r\n": false, ":99999999999999999999\r\n": false,
		"*a\r\n": false, "*-2\r\n": false, "$-2\r\n": false, "$?\r\n": false,
		"*262145\r\n": false, "$262145\r\n": false, strings.Repeat("*50000\r\n", 6): false,
		strings.Repeat("+OK\r\n", 20000): false, strings.Repeat("*1\r\n", 20000): false,
	} {
		for _, reader := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			got, err := readThrough(reader)
			if passes && (err != nil || got != text) || !passes && !errors.Is(err, errReply) {
				t.Errorf("%.60q: %.60q, %v", text, got, err)
			}
		}
	}
}

// Where reads end makes no difference, and no text makes the guard fail.
func FuzzGuard(f *testing.F) {
	f.Add([]byte("*3\r\n:1\r\n:3\r\n:60\r\n"))
	f.Add([]byte("*2\r\n$3\r\n\r\n-\r\n-ERR\r\n"))
	f.Add([]byte("$9\r\nx"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, whole := readThrough(bytes.NewReader(text))
		if _, parts := readThrough(iotest.OneByteReader(bytes.NewReader(text))); !errors.Is(parts, whole) {
			t.Errorf("%q: %v at once, %v byte by byte", text, whole, parts)
		}
	})
}
