package strictyaml_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"catalog.example/generator/content"
	"catalog.example/generator/strictyaml"
	goccy "github.com/goccy/go-yaml"
	yaml3 "go.yaml.in/yaml/v3"
	yaml4 "go.yaml.in/yaml/v4"
)

// BenchmarkFrontMatter decodes the front matters of the shipped listings
// strictly, in each of the ways that were to choose from (make bench-yaml). The
// column x-ours is the time of each as a multiple of ours, which is the only one
// that tells all mistakes at once and keeps the place of every value. It compares
// the fastest passes over all texts, which the machine's other work disturbed
// least.
func BenchmarkFrontMatter(b *testing.B) {
	texts := accepted(b)
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	var ours time.Duration
	for i, d := range decoders {
		b.Run(d.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			best := time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				for _, text := range texts {
					var f content.FrontMatter
					if err := d.decode(text, &f); err != nil {
						b.Fatal(err)
					}
				}
				best = min(best, time.Since(start))
			}
			if i == 0 {
				ours = best
			}
			b.ReportMetric(best.Seconds()*1e3, "best-ms")
			if ours > 0 { // ours may have been left out with -bench
				b.ReportMetric(float64(best)/float64(ours), "x-ours")
			}
		})
	}
}

// decoders are the ways of strict decoding, ours first.
var decoders = []struct {
	name   string
	decode func(text []byte, into *content.FrontMatter) error
}{
	{"strictyaml", func(text []byte, into *content.FrontMatter) error {
		doc, problems := strictyaml.Parse(text, 1)
		if doc != nil {
			problems = doc.Decode(into)
		}
		if len(problems) > 0 {
			return errors.New(problems[0].Message)
		}
		return nil
	}},
	{"yaml-v4", func(text []byte, into *content.FrontMatter) error {
		return yaml4.Load(text, into, yaml4.WithKnownFields(), yaml4.WithUniqueKeys())
	}},
	{"yaml-v3", func(text []byte, into *content.FrontMatter) error {
		d := yaml3.NewDecoder(bytes.NewReader(text))
		d.KnownFields(true)
		return d.Decode(into)
	}},
	{"goccy", func(text []byte, into *content.FrontMatter) error {
		return goccy.UnmarshalWithOptions(text, into, goccy.Strict())
	}},
}

// TestDecodersAgree makes sure that what is compared does the same work: the
// same values, and unknown and repeated keys refused.
func TestDecodersAgree(t *testing.T) {
	texts := accepted(t)
	for _, d := range decoders {
		t.Run(d.name, func(t *testing.T) {
			for _, text := range texts {
				var want, got content.FrontMatter
				if err := decoders[0].decode(text, &want); err != nil {
					t.Fatal(err)
				}
				if err := d.decode(text, &got); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("decodes %s\nas   %+v\nours %+v", text, got, want)
				}
			}
			for _, wrong := range []string{"name: A\nnane: B\n", "name: A\nname: B\n"} {
				if err := d.decode([]byte(wrong), new(content.FrontMatter)); err == nil {
					t.Errorf("takes %q", wrong)
				}
			}
		})
	}
}

// accepted returns the front matters that every decoder takes. yaml-v3 refuses
// addresses with a question mark between braces, which YAML allows; there may
// be few of those, or the comparison says nothing.
func accepted(tb testing.TB) [][]byte {
	tb.Helper()
	all := frontMatters(tb)
	var texts [][]byte
	for _, text := range all {
		taken := true
		for _, d := range decoders {
			if err := d.decode(text, new(content.FrontMatter)); err != nil {
				if d.name != "yaml-v3" {
					tb.Fatalf("%s: %v in\n%s", d.name, err, text)
				}
				taken = false
			}
		}
		if taken {
			texts = append(texts, text)
		}
	}
	if len(texts) < len(all)*9/10 {
		tb.Fatalf("only %d of %d front matters are taken by all decoders", len(texts), len(all))
	}
	return texts
}

// frontMatters reads what stands between the --- lines of the shipped listings.
func frontMatters(tb testing.TB) [][]byte {
	tb.Helper()
	files, err := filepath.Glob("../../content/projects/*.md")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no shipped listings: %v", err)
	}
	var texts [][]byte
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		start, end, err := content.FrontMatterSpan(file)
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		texts = append(texts, file[start:end])
	}
	return texts
}
