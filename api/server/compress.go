package server

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// The sizes of bodies that are compressed, in bytes. A smaller response fits into one
// packet with its headers, compressed or not. A larger one would keep a core busy for too
// long for a single request.
const (
	minCompressed = 1 << 10
	maxCompressed = 1 << 20
)

// effort is how much work is put into compressing: little for a single response or for
// one of endlessly many addresses, more for what is cached and limited in number.
type effort uint8

const (
	quick effort = iota
	thorough
	effortCount
)

// Levels by effort, in the scale of each. On the OpenAPI document, on one core,
// quick takes 4 ns a byte (gzip) to 20 (Brotli), thorough 7 (zstd) to 50, for a tenth
// fewer bytes: the dearest body, a page of maxCompressed bytes in Brotli, takes
// some 50 ms, once.
var (
	gzipLevels   = [effortCount]int{quick: 1, thorough: 6}
	brotliLevels = [effortCount]int{quick: 2, thorough: 5}
	zstdLevels   = [effortCount]zstd.EncoderLevel{quick: zstd.SpeedFastest, thorough: zstd.SpeedDefault}
)

// zstdWindow is how far back zstd looks, in bytes: no body is longer. Clients
// must take windows up to 8 MiB (RFC 9659).
const zstdWindow = maxCompressed

// compressor compresses bodies, as many at once as there are cores.
//
// Compressing an attacker's text together with a secret would let the attacker guess the
// secret by the length (BREACH, CRIME). No body holds a secret: responses follow from a
// public catalogue and the address alone, and the sandbox key is public.
type compressor struct {
	running bound
	zstd    [effortCount]*zstd.Encoder          // makes its tables when it is first used
	writers [codingCount][effortCount]sync.Pool // of writer, for gzip and Brotli
}

// writer compresses one body after another.
type writer interface {
	io.WriteCloser
	Reset(to io.Writer)
}

func newCompressor() (*compressor, error) {
	cores := runtime.GOMAXPROCS(0)
	c := &compressor{running: bound{most: int64(cores)}}
	for e := range effortCount {
		var err error
		c.zstd[e], err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstdLevels[e]), zstd.WithEncoderConcurrency(cores),
			zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil, fmt.Errorf("compress with zstd: %w", err)
		}
		c.writers[brotliCoding][e].New = func() any { return brotli.NewWriterLevel(nil, brotliLevels[e]) }
		c.writers[gzipCoding][e].New = func() any {
			w, _ := gzip.NewWriterLevel(nil, gzipLevels[e]) // the error is that of a level that does not exist
			return w
		}
	}
	return c, nil
}

// compress appends the body in a coding to dst.
func (c *compressor) compress(dst, body []byte, to coding, e effort) ([]byte, error) {
	switch to {
	case identity:
		return append(dst, body...), nil
	case zstdCoding:
		return c.zstd[e].EncodeAll(body, dst), nil
	}
	w, _ := c.writers[to][e].Get().(writer)
	defer c.writers[to][e].Put(w)
	out := bytes.NewBuffer(dst)
	w.Reset(out)
	_, err := w.Write(body)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("compress with %s: %w", codingNames[to], err)
	}
	return out.Bytes(), nil
}

// codingFor decides in which coding a body of that many bytes is to be sent.
func codingFor(accepts *acceptance, size int64) coding {
	if size > maxCompressed || size < minCompressed && !accepts.refusesIdentity() {
		return identity
	}
	return accepts.best()
}
