package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"sync"
	"time"
)

// settled joins the streams of one client so that the end of in is not seen before
// everything that came in has been answered: the SDK gives up what it is at when
// its input ends, and a program whose input is a file would lose its last answers.
func settled(in io.ReadCloser, out io.WriteCloser) (io.ReadCloser, io.WriteCloser) {
	b := &backlog{}
	b.changed.L = &b.mu
	// The SDK counts the beginning of a line to the line before, as far as it has read
	// it with that, and so takes some that are longer.
	return &settledReader{in, b, lines{most: 2 * MaxMessage}}, &settledWriter{out, b, lines{most: math.MaxInt}}
}

// settleTimeout is how long the end of input waits for the next answer: each is
// given in some milliseconds, on a machine that is busy in a second or two, but to
// what only looks like a call none is.
const settleTimeout = 10 * time.Second

// backlog counts the calls that have come and are not answered.
type backlog struct {
	mu      sync.Mutex
	changed sync.Cond
	calls   int
	closed  bool
}

func (b *backlog) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls += n
	b.changed.Broadcast()
}

// wait returns once there is none, the reader is closed or nothing was answered for
// settleTimeout.
func (b *backlog) wait() {
	patience := time.AfterFunc(settleTimeout, b.close)
	defer patience.Stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.calls > 0 && !b.closed {
		b.changed.Wait()
		patience.Reset(settleTimeout)
	}
}

func (b *backlog) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.changed.Broadcast()
}

type settledReader struct {
	in      io.ReadCloser
	backlog *backlog
	lines   lines
}

// Read implements io.Reader.
func (r *settledReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.lines.each(p[:n], func(m *message) {
		if m.Method != nil {
			r.backlog.add(1)
		}
	})
	if err == io.EOF && n == 0 {
		r.backlog.wait()
	}
	return n, err
}

// Close implements io.Closer.
func (r *settledReader) Close() error {
	r.backlog.close()
	return r.in.Close()
}

type settledWriter struct {
	out     io.WriteCloser
	backlog *backlog
	lines   lines
}

// Write implements io.Writer.
func (w *settledWriter) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	w.lines.each(p[:n], func(m *message) {
		if m.Method == nil {
			w.backlog.add(-1)
		}
	})
	return n, err
}

// Close implements io.Closer.
func (w *settledWriter) Close() error { return w.out.Close() }

// message is what tells a call from its answer (JSON-RPC 2.0): both have an id.
type message struct {
	ID     json.RawMessage
	Method *string
}

// lines takes a stream apart into messages with an id, a line each or several in
// the list of a batch. What is no message, or longer than most bytes, is passed
// over.
type lines struct {
	most    int
	rest    []byte // of the line that has begun
	tooLong bool   // that line is
}

func (l *lines) each(p []byte, visit func(*message)) {
	for {
		line, after, whole := bytes.Cut(p, []byte{'\n'})
		if l.tooLong = l.tooLong || len(l.rest)+len(line) > l.most; !l.tooLong {
			l.rest = append(l.rest, line...)
		}
		if !whole {
			return
		}
		if !l.tooLong {
			visitMessages(l.rest, visit)
		}
		l.rest, l.tooLong, p = l.rest[:0], false, after
	}
}

func visitMessages(line []byte, visit func(*message)) {
	var batch []message
	if err := json.Unmarshal(line, &batch); err != nil {
		batch = make([]message, 1)
		if err := json.Unmarshal(line, &batch[0]); err != nil {
			return
		}
	}
	for i := range batch {
		if len(batch[i].ID) > 0 && !bytes.Equal(batch[i].ID, []byte("null")) {
			visit(&batch[i])
		}
	}
}
