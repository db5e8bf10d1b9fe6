package search

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
)

func testCatalog() Catalog {
	return Catalog{Settings: site.Defaults(), Taxonomy: testTaxonomy(), Projects: []api.ProjectDetail{
		listing("b", nil), listing("a", func(p *api.ProjectDetail) { p.Stars = ptr(4) }),
	}}
}

func TestEncodeIsDeterministic(t *testing.T) {
	c := testCatalog()
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
	a, _ := Decode(first)
	c.Projects[0].Purpose = "Something else."
	third, _ := Encode(c)
	b, _ := Decode(third)
	if a.Identity() == b.Identity() {
		t.Error("other content has the same identity")
	}
}

// Every damaged byte and every cut is noticed.
func TestDamageIsNoticed(t *testing.T) {
	file, err := Encode(testCatalog())
	if err != nil {
		t.Fatal(err)
	}
	for i := range file {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x20
		if _, err := Decode(damaged); !errors.Is(err, ErrUnusable) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	for cut := range file {
		if _, err := Decode(file[:cut]); !errors.Is(err, ErrUnusable) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	if _, err := Decode(append(bytes.Clone(file), 0)); !errors.Is(err, ErrUnusable) {
		t.Errorf("a byte too many: %v", err)
	}
}

// A file is checked as its bytes are, whether it is read or mapped: what lies
// between its sections, too.
func TestDamagedFileIsNoticed(t *testing.T) {
	file, err := Encode(testCatalog())
	if err != nil {
		t.Fatal(err)
	}
	entries, _, err := readTOC(file[:maxTocSize], uint64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var places []int
	for _, g := range gaps(entries) {
		for i := g.from; i < g.to; i++ {
			places = append(places, int(i))
		}
	}
	if len(places) < 8 {
		t.Fatalf("only %d bytes lie between sections", len(places))
	}
	for i := 0; i < len(file); i += 97 {
		places = append(places, i)
	}
	path := filepath.Join(t.TempDir(), "search.idx")
	for _, i := range places {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x20
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		for name, most := range map[string]int64{"read": inMemory, "mapped": 0} {
			if _, err := openFile(path, most, now); !errors.Is(err, ErrUnusable) {
				t.Errorf("%s, byte %d changed: %v", name, i, err)
			}
		}
	}
}

func TestOpenSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	if !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), "catalog build") || strings.Contains(err.Error(), "\n") {
		t.Errorf("missing: %v", err)
	}
	name := filepath.Join(dir, filepath.FromSlash(FileName))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	file, _ := Encode(testCatalog())
	other := bytes.Clone(file)
	other[8] = 99
	for text, content := range map[string][]byte{"not an index": []byte("hello"), "version 99": other, "checksum": append(bytes.Clone(file[:len(file)-1]), 'x')} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "catalog build") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := os.WriteFile(name, file, 0o644); err != nil {
		t.Fatal(err)
	}
	if ix, err := Open(dir); err != nil || ix.Len() != 2 {
		t.Errorf("%v", err)
	}
}

// FuzzDecode: no sequence of bytes makes opening panic, loop or read out of
// bounds.
func FuzzDecode(f *testing.F) {
	file, err := Encode(testCatalog())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:60])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		ix, err := Decode(b)
		if err != nil {
			if !errors.Is(err, ErrUnusable) {
				t.Errorf("not ErrUnusable: %v", err)
			}
			return
		}
		answerTo(ix, api.SearchQuery{Q: "a thing", Limit: 10})
	})
}
