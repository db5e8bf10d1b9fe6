package index

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// fill gives every part of a value a different value.
func fill(t *testing.T, v reflect.Value, next *int) {
	t.Helper()
	*next++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *next))
	case reflect.Int:
		v.SetInt(int64(*next))
	case reflect.Float64:
		v.SetFloat(float64(*next) + 0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), next)
		fill(t, v.Index(1), next)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(t, key, next)
			fill(t, value, next)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(t, v.Field(i), next)
			}
		}
	default:
		t.Fatalf("there is no way to fill %s", v.Type())
	}
}

// roundTrip checks that a filled and a zero value decode as encoded, and that truncated
// bytes do not decode.
//
// leftOut sets the fields to zero that are not encoded.
func roundTrip[T any](leftOut ...func(*T)) func(*testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		var zero, filled T
		next := 0
		fill(t, reflect.ValueOf(&filled).Elem(), &next)
		for _, clear := range leftOut {
			clear(&filled)
		}
		for _, value := range []T{zero, filled} {
			b := encode(&value)
			// Encoding concurrently lets the race detector find changes of the value.
			var both sync.WaitGroup
			both.Go(func() { encode(&value) })
			both.Go(func() { encode(&value) })
			both.Wait()
			var got T
			if !decode(b, &got) || !reflect.DeepEqual(got, value) {
				t.Errorf("read %+v, want %+v", got, value)
			}
			for n := range b {
				if decode(b[:n], new(T)) {
					t.Errorf("the first %d of %d bytes are accepted", n, len(b))
				}
			}
			if decode(append(b, 0), new(T)) {
				t.Error("a byte too many is accepted")
			}
		}
	}
}

// TestCodec fails if a field was added to a type but not to the codec.
func TestCodec(t *testing.T) {
	t.Parallel()
	t.Run("settings", roundTrip(func(s *site.Settings) {
		s.Accent, s.Font, s.Layout, s.Languages = "", "", "", nil
		s.Overrides, s.Static, s.ReportURL, s.SuggestURL, s.Headline, s.Offline, s.ContentSignal, s.Rules, s.Shares = "", "", "", "", "", "", "", nil, nil
	}))
	t.Run("taxonomy", roundTrip(func(taxonomy *api.Taxonomy) {
		for i := range taxonomy.Translations { // see translationLists
			taxonomy.Translations[i].Filler, taxonomy.Translations[i].Words = nil, nil
		}
	}))
	t.Run("facet tables", roundTrip[facetTables]())
	t.Run("needs", roundTrip(func(n *hardware.Needs) {
		n.Estimate.Because = "" // see Needs.Uses
		for i := range n.Setups {
			s := &n.Setups[i]
			s.For, s.DiskGb, s.Source, s.Measured = "", nil, nil, &hardware.Measured{Job: new(string)}
		}
	}))
}

// An empty list and nil stay different.
func TestCodecKeepsNil(t *testing.T) {
	t.Parallel()
	for _, want := range []site.Settings{{}, {Jobs: []string{}}} {
		var got site.Settings
		if !decode(encode(&want), &got) || (got.Jobs == nil) != (want.Jobs == nil) {
			t.Errorf("%#v becomes %#v", want.Jobs, got.Jobs)
		}
	}
}

func FuzzCodec(f *testing.F) {
	taxonomy := apitest.ComputerTaxonomy()
	f.Add(encode(&taxonomy))
	f.Fuzz(func(t *testing.T, b []byte) {
		var first, second api.Taxonomy
		if !decode(b, &first) {
			return
		}
		written := encode(&first)
		if !decode(written, &second) || !bytes.Equal(encode(&second), written) {
			t.Error("a decoded value does not encode to the same bytes")
		}
	})
}

// TestFormat fails if the bytes of a type change. The index then has another format.
func TestFormat(t *testing.T) {
	t.Parallel()
	var b []byte
	next := 0
	for _, value := range []any{&site.Settings{}, &api.Taxonomy{}, &facetTables{}, &hardware.Needs{}} {
		fill(t, reflect.ValueOf(value).Elem(), &next)
		b = append(b, encode(value)...)
	}
	if got, want := crc(b), uint32(0xe552dca); got != want {
		t.Errorf("the bytes of version %d have changed: raise FormatVersion, and write %#x here", FormatVersion, got)
	}
}
