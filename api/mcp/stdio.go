package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is a connection to one client on a pair of streams, with one message per line in both
// directions (MCP, stdio). The SDK's own version stops at the first malformed line, and does not
// answer a last line without a line break. It also drops unfinished calls when its input ends, so
// the last answers to a file of messages would be lost.
type stdio struct {
	in  io.ReadCloser
	out io.WriteCloser

	lines   chan line // from in; closed at its end
	closing chan struct{}
	close   func() error

	writeMu sync.Mutex // guards out

	calls    atomic.Int64  // calls without an answer yet
	answered chan struct{} // gets a value when calls changes
}

// line is a line of the input. err says why it is the last one.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// answerTimeout is how long Read waits for the next answer at the end of the input. A call takes
// some milliseconds, or seconds on a busy machine. Some malformed calls never get an answer.
const answerTimeout = 10 * time.Second

func newStdio(in io.ReadCloser, out io.WriteCloser) *stdio {
	c := &stdio{in: in, out: out, lines: make(chan line), closing: make(chan struct{}),
		answered: make(chan struct{}, 1)}
	c.close = sync.OnceValue(func() error {
		close(c.closing)
		return errors.Join(in.Close(), out.Close())
	})
	go c.readLines()
	return c
}

// Connect implements sdk.Transport.
func (c *stdio) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements sdk.Connection.
func (c *stdio) SessionID() string { return "" }

// Close implements sdk.Connection.
func (c *stdio) Close() error { return c.close() }

// readLines reads in. It runs in its own goroutine, because reading cannot be interrupted.
func (c *stdio) readLines() {
	defer close(c.lines)
	reader := bufio.NewReader(c.in)
	for {
		next := readLine(reader)
		if next.err == io.EOF && len(next.text) == 0 && !next.tooLong {
			return
		}
		select {
		case c.lines <- next:
		case <-c.closing:
			return
		}
		if next.err != nil {
			return
		}
	}
}

// readLine reads to the end of a line or of the input. It discards lines longer than MaxMessage.
func readLine(reader *bufio.Reader) (next line) {
	for {
		part, err := reader.ReadSlice('\n')
		if next.tooLong = next.tooLong || len(next.text)+len(bytes.TrimRight(part, "\r\n")) > MaxMessage; next.tooLong {
			next.text = nil
		} else {
			next.text = append(next.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			next.err = err
			return next
		}
	}
}

// Read implements sdk.Connection: it returns the next message. It answers malformed lines
// itself. At the end of the input it waits until all calls are answered.
func (c *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closing:
			return nil, io.EOF
		case next, more := <-c.lines:
			if !more {
				c.waitForAnswers(ctx)
				return nil, io.EOF
			}
			if next.err != nil && next.err != io.EOF {
				return nil, next.err
			}
			message, refusal := decode(next)
			if refusal != nil {
				if err := c.writeLine(refusal.JSON()); err != nil {
					return nil, err
				}
			}
			if message != nil {
				if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
					c.count(1)
				}
				return message, nil
			}
		}
	}
}

// decode returns the message of a line, or the answer to a malformed line. It returns
// neither for an empty line.
func decode(next line) (jsonrpc.Message, *Refusal) {
	if next.tooLong {
		return nil, refuse(nil, jsonrpc.CodeInvalidRequest, "the message is larger than %d bytes", MaxMessage)
	}
	if len(bytes.TrimSpace(next.text)) == 0 {
		return nil, nil
	}
	checked, refusal := Check(next.text)
	if refusal != nil {
		return nil, refusal
	}
	message, err := jsonrpc.DecodeMessage(next.text)
	if err != nil {
		return nil, checked.Refusal(err.Error())
	}
	return message, nil
}

// Write implements sdk.Connection.
func (c *stdio) Write(_ context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	if err := c.writeLine(text); err != nil {
		return err
	}
	if _, ok := message.(*jsonrpc.Response); ok {
		c.count(-1)
	}
	return nil
}

func (c *stdio) writeLine(text []byte) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// count adds n to the number of calls without an answer.
func (c *stdio) count(n int64) {
	c.calls.Add(n)
	select {
	case c.answered <- struct{}{}:
	default:
	}
}

// waitForAnswers returns when every call is answered, when the connection is closed, or
// after answerTimeout without an answer.
func (c *stdio) waitForAnswers(ctx context.Context) {
	for c.calls.Load() > 0 {
		select {
		case <-c.answered:
		case <-c.closing:
			return
		case <-ctx.Done():
			return
		case <-time.After(answerTimeout):
			return
		}
	}
}
