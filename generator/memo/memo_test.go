package memo

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

type sample struct {
	Text    string
	Number  int
	Low     int64
	Bytes   []byte
	List    []string
	Empty   []string
	None    []string
	Map     map[string]string
	Pointer *string
	Nil     *int
	Facts   api.FactValues
	Key     Key
	Nested  []struct{ Yes bool }
}

func fullSample() sample {
	text := "ü\x00"
	return sample{
		Text: "a", Number: -300, Low: math.MinInt64, Bytes: []byte{0, 1, 255}, List: []string{"", "b"}, Empty: []string{}, Map: map[string]string{"k": "v", "": ""}, Pointer: &text,
		Facts: api.FactValues{{Key: "a", Value: true}, {Value: nil}, {Value: "text"}, {Value: []string{"x"}}, {Value: 1.5}, {Value: []hardware.Setup{{For: "it"}}}},
		Key:   KeyOf("x"), Nested: []struct{ Yes bool }{{true}, {false}},
	}
}

func TestValuesSurviveTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memo")
	s, want, k := New(), fullSample(), KeyOf("kind", []byte("input"))
	Put(s, k, want)
	if err := s.Save(file, Key{1}); err != nil {
		t.Fatal(err)
	}
	again, err := Open(file, Key{1})
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Get[sample](again, k)
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("read %t %+v, want %+v", ok, got, want)
	}
	if other, err := Open(file, Key{2}); err != nil || len(other.entries) > 0 {
		t.Errorf("another program reads %d entries, error %v", len(other.entries), err)
	}
}

func TestWhatIsNotAskedForIsDropped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memo")
	s := New()
	Put(s, KeyOf("used"), 1)
	Put(s, KeyOf("unused"), 2)
	if err := s.Save(file, Key{}); err != nil {
		t.Fatal(err)
	}
	s, _ = Open(file, Key{})
	Get[int](s, KeyOf("used"))
	if err := s.Save(file, Key{}); err != nil {
		t.Fatal(err)
	}
	s, _ = Open(file, Key{})
	if _, ok := Get[int](s, KeyOf("unused")); ok || len(s.entries) != 1 {
		t.Errorf("%d entries, unused is kept: %t", len(s.entries), ok)
	}
	before, _ := os.Stat(file)
	Get[int](s, KeyOf("used"))
	if err := s.Save(file, Key{}); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.Stat(file); !os.SameFile(before, after) {
		t.Error("the same results were written again")
	}
}

func TestNewResultsAreAdded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memo")
	save := func(program Key, results ...string) {
		t.Helper()
		s, err := Open(file, program)
		if err != nil {
			t.Fatal(err)
		}
		for k := range s.entries {
			Get[string](s, k)
		}
		for _, result := range results {
			Put(s, KeyOf(result), result)
		}
		if err := s.Save(file, program); err != nil {
			t.Fatal(err)
		}
	}
	wantAll := func(program Key, results ...string) {
		t.Helper()
		s, err := Open(file, program)
		for _, want := range results {
			if got, ok := Get[string](s, KeyOf(want)); !ok || got != want {
				t.Errorf("%q, %t, want %q", got, ok, want)
			}
		}
		if len(s.entries) != len(results) || err != nil {
			t.Errorf("%d entries, error %v, want %d", len(s.entries), err, len(results))
		}
	}
	first := strings.Repeat("first", 100)
	save(Key{}, first)
	before, _ := os.ReadFile(file)
	save(Key{}, "second")
	after, _ := os.ReadFile(file)
	if !bytes.HasPrefix(after, before) {
		t.Error("the results that the file had were written again")
	}
	wantAll(Key{}, first, "second")

	if err := os.WriteFile(file, after[:len(after)-1], 0o600); err != nil { // as after a full disk
		t.Fatal(err)
	}
	wantAll(Key{}, first)
	save(Key{}, "third")
	wantAll(Key{}, first, "third")
	save(Key{1}, "of another program")
	wantAll(Key{})
	wantAll(Key{1}, "of another program")
}

func TestDamagedFilesCountAsEmpty(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memo")
	s := New()
	Put(s, KeyOf("a"), fullSample())
	if err := s.Save(file, Key{}); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(file)
	for i := range whole {
		for _, text := range [][]byte{whole[:i], append(append(append([]byte{}, whole[:i]...), whole[i]^4), whole[i+1:]...)} {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if s, err := Open(file, Key{}); err != nil || len(s.entries) > 0 {
				t.Fatalf("byte %d: %d entries, error %v", i, len(s.entries), err)
			}
		}
	}
}

func TestNoStoreKeepsNothing(t *testing.T) {
	calls := 0
	for range 2 {
		if n, err := Of(nil, Key{}, func() (int, error) { calls++; return 7, nil }); n != 7 || err != nil {
			t.Error(n, err)
		}
	}
	if calls != 2 {
		t.Error(calls)
	}
}

func TestKeysTellInputsApart(t *testing.T) {
	seen := map[Key]bool{}
	for _, k := range []Key{KeyOf(""), KeyOf("a"), KeyOf("", []byte("a")), KeyOf("a", nil), KeyOf("", []byte("a"), []byte("b")), KeyOf("", []byte("ab")), KeyOf("", []byte("ab"), nil)} {
		if seen[k] {
			t.Error("two inputs have one key")
		}
		seen[k] = true
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(string(encode(nil, reflect.ValueOf(fullSample()))))
	f.Fuzz(func(_ *testing.T, text string) {
		var s sample
		_ = decode(text, reflect.ValueOf(&s).Elem())
	})
}
