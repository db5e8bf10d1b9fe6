package server

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// acceptOne returns a connection of a listener that limits headers, and its other end.
func acceptOne(t *testing.T) (*connection, net.Conn) {
	t.Helper()
	l := newConnections(listen(t), newMetrics("test"), nil)
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); c.Close() })
	return c.(*connection), client
}

// Writes arrive complete and in order, whether or not the first is held back.
func TestGather(t *testing.T) {
	head, body, large := "head ", strings.Repeat("body ", 5000), strings.Repeat("large ", 2000)
	for _, test := range []struct {
		name   string
		writes []string
		file   string // sent with ReadFrom after the writes
		held   bool   // after the first write
	}{
		{"nothing", nil, "", false},
		{"only a head", []string{head}, "", true},
		{"head and body", []string{head, body}, "", true},
		{"head and parts", []string{head, body, head, large}, "", true},
		{"a large beginning", []string{large, body}, "", false},
		{"head and file", []string{head}, body, true},
		{"a file", nil, body, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, client := acceptOne(t)
			want := strings.Repeat(strings.Join(test.writes, "")+test.file+"end", 2)
			received := make(chan string)
			go func() {
				got, _ := io.ReadAll(client)
				received <- string(got)
			}()
			for range 2 { // responses
				c.gather()
				for i, text := range test.writes {
					if n, err := c.Write([]byte(text)); n != len(text) || err != nil {
						t.Fatalf("%d of %d bytes, %v", n, len(text), err)
					}
					if held := c.first != nil; held != (test.held && i == 0) {
						t.Errorf("after write %d, one is held back: %v", i, held)
					}
				}
				if test.file != "" {
					if n, err := c.ReadFrom(strings.NewReader(test.file)); n != int64(len(test.file)) || err != nil {
						t.Fatalf("%d bytes of a file, %v", n, err)
					}
				}
				if err := c.release(); err != nil || c.first != nil || c.gathers {
					t.Fatal("not released", err)
				}
				if _, err := c.Write([]byte("end")); err != nil || c.first != nil {
					t.Fatal("held back after the response", err)
				}
			}
			_ = c.CloseWrite()
			if got := <-received; got != want {
				t.Errorf("%d bytes were received, want %d", len(got), len(want))
			}
		})
	}
}

// If what was held back cannot be sent, no other response follows.
func TestGatherFails(t *testing.T) {
	c, _ := acceptOne(t)
	_ = c.CloseWrite()
	c.gather()
	if n, err := c.Write([]byte("head")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if err := c.release(); err == nil {
		t.Error("no error")
	}
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil || err == io.EOF {
		t.Errorf("the connection is open: %d, %v", n, err)
	}
	c, _ = acceptOne(t)
	_ = c.CloseWrite()
	c.gather()
	_, _ = c.Write([]byte("head"))
	if n, err := c.Write(bytes.Repeat([]byte("body"), 5000)); n != 0 || err == nil {
		t.Errorf("%d bytes of the body, %v", n, err)
	}
}

// A response over a real connection is complete before its handler returns, and nothing is held back.
func TestResponsesAreGathered(t *testing.T) {
	f := newFixture(t, nil)
	text := strings.Repeat("text ", 700)
	writeFiles(t, f.public, map[string]string{"long.txt": text})
	received := make(chan struct{})
	handler := func(w http.ResponseWriter, r *http.Request) {
		f.server.Handler().ServeHTTP(w, r)
		if c, ok := r.Context().Value(connectionKey{}).(*connection); !ok || c.first != nil || c.gathers {
			t.Error("something is held back")
		}
		<-received
	}
	listener := newConnections(listen(t), f.server.metrics, nil)
	server := httpServer(http.HandlerFunc(handler), writeTimeout, f.server.log.Handler())
	server.ConnContext = withConnection
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer func() {
		_ = server.Close()
		<-ended
	}()
	timeout := time.AfterFunc(patience, func() { close(received) })
	client := http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	response, err := client.Get("http://" + listener.Addr().String() + "/long.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(response.Body)
	if !timeout.Stop() {
		t.Error("the end was not sent before the handler returned")
	} else {
		close(received)
	}
	if err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
