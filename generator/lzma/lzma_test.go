package lzma

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/server/processtest"
)

// unpack decompresses files with the script of the pages, to which they arrive in pieces of some bytes. It returns what
// is in each, or "error: " and why not.
func unpack(t *testing.T, piece int, files ...[]byte) (texts []string) {
	t.Helper()
	arguments := []string{"testdata/unpack.js", "../../templates/assets/unlzma.js", fmt.Sprint(piece)}
	dir := t.TempDir()
	for i, file := range files {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, file, 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, name)
	}
	out, err := exec.CommandContext(t.Context(), processtest.Installed(t, "nodejs", "node"), arguments...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if text, err := base64.StdEncoding.DecodeString(line); err == nil {
			line = string(text)
		}
		texts = append(texts, line)
	}
	if len(texts) != len(files) {
		t.Fatalf("%d texts in %d files", len(texts), len(files))
	}
	return texts
}

// texts are of many kinds: short ones, ones that repeat bytes at one distance or at several, and random ones.
func texts() (list [][]byte) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 12 {
		list = append(list, []byte("ababcabcdabcde"[:n]))
	}
	for _, n := range []int{300, 5000, 70_000} {
		noise := make([]byte, n)
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		var records []byte // of 8 bytes, in which some change
		for i := range n / 8 {
			records = append(records, byte(i), 0, 1, byte(i%7), 'x', 'y', byte(random.IntN(3)), 0xFF)
		}
		var copies []byte // of parts of the noise, at all distances
		for len(copies) < 3*n {
			from := random.IntN(n)
			copies = append(copies, noise[from:min(n, from+random.IntN(400))]...)
		}
		list = append(list, noise, records, copies, make([]byte, n), bytes.Repeat([]byte("abc"), n))
	}
	return list
}

// Pages get back what was compressed, whatever the pieces in which it arrives.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	all := texts()
	var files [][]byte
	for _, text := range all {
		file := Encode(text)
		if size, err := Size(file); err != nil || size != len(text) {
			t.Errorf("a text of %d bytes has the size %d, %v", len(text), size, err)
		}
		files = append(files, file)
	}
	for _, piece := range []int{1, 1000, 1 << 30} {
		for i, got := range unpack(t, piece, files...) {
			if got != string(all[i]) {
				t.Errorf("text %d of %d bytes, in pieces of %d: %d bytes, %.60q", i, len(all[i]), piece, len(got), got)
			}
		}
	}
}

// Files are a tenth smaller than those of gzip.
func TestSmallerThanGzip(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../content/projects/*.md")
	if err != nil || len(names) < 50 {
		t.Fatalf("%d listings, %v", len(names), err)
	}
	var text []byte
	for _, name := range names[:50] {
		listing, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, listing...)
	}
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := len(Encode(text)); got > zipped.Len()*9/10 {
		t.Errorf("%d bytes become %d, and with gzip %d", len(text), got, zipped.Len())
	}
}

// Damaged files are refused, or become something else. None keeps a page busy.
func TestDamaged(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("what a file has, and what it has not; "), 200)
	file := Encode(text)
	changed := func(at int, b byte) []byte {
		c := slices.Clone(file)
		c[at] = b
		return c
	}
	files := [][]byte{changed(0, '<'), changed(6, 0xFF), file[:len(file)-1], append(slices.Clone(file), 1)}
	for i := 13; i < len(file); i++ {
		files = append(files, changed(i, file[i]^0x55))
	}
	for i, got := range unpack(t, 1<<30, files...) {
		switch {
		case i == 0 && got != "error: it is not what the build has written", i == 1 && got != "error: it is damaged":
			t.Errorf("file %d: %.60q", i, got)
		case i > 4 && got == string(text): // the bytes at the beginning and at the end may not matter
			t.Logf("a change of byte %d changes nothing", i-4+13)
		}
	}
	for _, wrong := range [][]byte{nil, []byte("<!doctype html>"), file[:12]} {
		if _, err := Size(wrong); err == nil {
			t.Errorf("%q has a size", wrong)
		}
	}
}
