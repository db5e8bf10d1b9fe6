package server

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// Bounds on the size of bodies that are compressed, in bytes. A smaller body fits into one packet
// with its headers anyway. A larger one would keep a core busy for too long.
const (
	minCompressed = 1 << 10
	maxCompressed = 1 << 20
)

// effort is how hard to compress: quick for bodies that are sent once, or that have an unlimited
// number of addresses; thorough for bodies that are cached and limited in number.
type effort uint8

const (
	quick effort = iota
	thorough
	effortCount
)

// Compression levels by effort. For the OpenAPI document, on one core, quick takes from 4 ns per
// byte (gzip) to 20 ns (Brotli). thorough takes from 7 ns (zstd) to 50 ns (Brotli), and makes
// bodies a tenth smaller: a page of maxCompressed bytes takes about 50 ms in Brotli, once.
var (
	gzipLevels   = [effortCount]int{quick: 1, thorough: 6}
	brotliLevels = [effortCount]int{quick: 2, thorough: 5}
	zstdLevels   = [effortCount]zstd.EncoderLevel{quick: zstd.SpeedFastest, thorough: zstd.SpeedBetterCompression}
)

// zstdWindow is how far back zstd looks, in bytes. No compressed body is longer before compression.
// Clients must accept windows of up to 8 MiB (RFC 9659).
const zstdWindow = maxCompressed

// compressor compresses bodies.
//
// If a body contains both an attacker's text and a secret, its compressed length can reveal the
// secret (BREACH, CRIME). No body here contains a secret: responses depend only on the public
// catalogue and the address, and the sandbox key is public.
type compressor struct {
	running bound                               // bodies being compressed, at most one per core
	zstd    [effortCount]*zstd.Encoder          // allocates its tables at first use
	writers [codingCount][effortCount]sync.Pool // of writer, for gzip and Brotli
}

// writer compresses one body after another.
type writer interface {
	io.WriteCloser
	Reset(to io.Writer)
}

func newCompressor() *compressor {
	cores := runtime.GOMAXPROCS(0)
	c := &compressor{running: bound{most: int64(cores)}}
	for e := range effortCount { // only invalid options are errors
		c.zstd[e], _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstdLevels[e]), zstd.WithEncoderConcurrency(cores),
			zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
		c.writers[brotliCoding][e].New = func() any { return brotli.NewWriterLevel(nil, brotliLevels[e]) }
		c.writers[gzipCoding][e].New = func() any {
			w, _ := gzip.NewWriterLevel(nil, gzipLevels[e])
			return w
		}
	}
	return c
}

// compress appends the body to dst, in a coding other than identity.
func (c *compressor) compress(dst, body []byte, to coding, e effort) []byte {
	if to == zstdCoding {
		return c.zstd[e].EncodeAll(body, dst)
	}
	w, _ := c.writers[to][e].Get().(writer)
	defer c.writers[to][e].Put(w)
	out := bytes.NewBuffer(dst)
	w.Reset(out)
	_, _ = w.Write(body) // writing to memory cannot fail
	_ = w.Close()
	return out.Bytes()
}

// codingFor returns the coding in which to send a body of size bytes.
func codingFor(accepts *acceptance, size int64) coding {
	if size > maxCompressed || size < minCompressed && !accepts.refusesIdentity() {
		return identity
	}
	return accepts.best()
}
