package server

import (
	"errors"
	"net"
	"testing"
	"time"
)

// Connections that wait to be accepted when the server stops are accepted, and not reset.
func TestWaitingConnectionsAreAccepted(t *testing.T) {
	const waiting = 20
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dial := func() {
		c, err := net.DialTimeout("tcp", listener.Addr().String(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	l := newConnections(listener, nil, nil)
	dial()
	if c, err := l.Accept(); err != nil { // in ordinary times
		t.Fatal(err)
	} else {
		_ = c.Close()
	}
	for range waiting {
		dial() // the system has accepted it, and the server has not
	}
	stopped := make(chan struct{})
	go func() {
		l.stop()
		close(stopped)
	}()
	accepted := 0
	for {
		c, err := l.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
			break
		}
		accepted++
		_ = c.Close()
	}
	<-stopped
	if accepted != waiting {
		t.Errorf("%d of %d connections that waited were accepted", accepted, waiting)
	}
	if _, err := net.DialTimeout("tcp", listener.Addr().String(), time.Minute); err == nil {
		t.Error("the listener is open")
	}
}

// A listener stops also where connections come without a pause, or nobody accepts.
func TestStopIsBounded(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newConnections(listener, nil, nil)
	l.stopping.Store(time.Now().Add(-time.Second).UnixNano())
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accepting beyond the bound: %v", err)
	}
	l.stop() // Accept has ended
	if _, err := l.Accept(); err == nil {
		t.Error("a closed listener accepts")
	}
}
