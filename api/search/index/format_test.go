package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
)

func TestEncodeIsDeterministic(t *testing.T) {
	c := TwoListings()
	first, err := Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Projects[0], c.Projects[1] = c.Projects[1], c.Projects[0]
	second, err := Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the order of the listings shows in the file")
	}
	a, _ := Open(first)
	c.Projects[0].Purpose = "Something else."
	third, _ := Encode(c)
	b, _ := Open(third)
	if a.Identity() == b.Identity() {
		t.Error("other content has the same identity")
	}
}

func TestHashOfIdentities(t *testing.T) {
	for size := range 300 {
		text := bytes.Repeat([]byte{0xff, byte(size), 7}, size)
		want := fnv.New128a()
		_, _ = want.Write(text)
		if got := appendHash([]byte("a"), text); !bytes.Equal(got, want.Sum([]byte("a"))) {
			t.Fatalf("%d bytes have the hash %x, want %x", len(text), got[1:], want.Sum(nil))
		}
	}
}

// A file of another release is refused with what to do.
func TestOtherFormats(t *testing.T) {
	file, err := Encode(TwoListings())
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[uint32]string{
		FormatVersion - 1: "an older release of catalog wrote it, so build again with this program", FormatVersion + 1: "a newer release of catalog wrote it, so update this program, or build again with it",
	} {
		binary.LittleEndian.PutUint32(file[8:], version)
		_, err := Open(file)
		if want = fmt.Sprintf("it has format version %d and this program reads version %d: %s", version, FormatVersion, want); !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), want) {
			t.Errorf("version %d: %v, want %q", version, err, want)
		}
	}
}

// Every changed byte and every truncation is detected.
func TestDamageIsNoticed(t *testing.T) {
	file, err := Encode(TwoListings())
	if err != nil {
		t.Fatal(err)
	}
	for i := range file {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x20
		if _, err := Open(damaged); !errors.Is(err, ErrUnusable) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	for cut := range file {
		if _, err := Open(file[:cut]); !errors.Is(err, ErrUnusable) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	if _, err := Open(append(bytes.Clone(file), 0)); !errors.Is(err, ErrUnusable) {
		t.Errorf("a byte too many: %v", err)
	}
}

// All bytes are checked, including those between sections.
func TestDamagedFileIsNoticed(t *testing.T) {
	file, err := Encode(TwoListings())
	if err != nil {
		t.Fatal(err)
	}
	entries, _, err := readTOC(file[:maxTocSize], uint64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var places []int
	end := headerSize + tocEntrySize*len(entries) + 4
	for _, e := range entries { // what lies between sections
		for ; end < int(e.offset); end++ {
			places = append(places, end)
		}
		end += int(e.length)
	}
	if len(places) < 8 {
		t.Fatalf("only %d bytes lie between sections", len(places))
	}
	for i := 0; i < len(file); i += 97 {
		places = append(places, i)
	}
	for _, i := range places {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x20
		if _, err := Open(damaged); !errors.Is(err, ErrUnusable) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
}
