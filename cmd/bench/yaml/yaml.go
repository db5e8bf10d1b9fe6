// Package yaml compares our strict decoder of front matter with other YAML libraries for Go.
//
// The input is the shipped listings. The benchmark prints how long each decoder takes for the front
// matter of all listings, also as a multiple of our time. Our decoder is the only one that reports
// all mistakes at once and keeps the position of every value. The fastest passes are compared,
// because other work on the machine slows these least.
//
//	bench yaml
package yaml

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"catalog.example/api"
	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
	"catalog.example/generator/strictyaml"
	goccy "github.com/goccy/go-yaml"
	yaml3 "go.yaml.in/yaml/v3"
	yaml4 "go.yaml.in/yaml/v4"
)

// Benchmark defines the command bench yaml.
var Benchmark = command.Benchmark{
	Name: "yaml", Summary: "strict decoding of front matter beside other YAML libraries", Timeout: 10 * time.Minute,
	Define: func(flags *flag.FlagSet) command.Run {
		dir := flags.String("content", "content", "shipped content `folder`")
		passes := flags.Int("passes", 30, "how often each decodes all listings")
		return func(ctx context.Context, out io.Writer) error { return run(ctx, *dir, *passes, out) }
	},
}

// decoder is a strict decoder.
type decoder struct {
	name   string
	decode func(text []byte, into any) error
	// refuses is set if the decoder may refuse some front matter that YAML allows.
	refuses bool
}

// frontMatter is a struct type that front matter is decoded into.
type frontMatter struct{ reflect.Type }

// frontMatterOf returns api.ProjectDetail with yaml tags, which the other libraries need, and
// with a field for each fact, because the other libraries cannot decode facts into
// api.FactValues.
func frontMatterOf(facts []api.Fact) frontMatter {
	return frontMatter{withYAMLTags(reflect.TypeFor[api.ProjectDetail](), api.UnknownFacts(facts))}
}

// empty returns a pointer to an empty struct.
func (t frontMatter) empty() any { return reflect.New(t.Type).Interface() }

// withYAMLTags returns a type like t whose structs have a field with a yaml tag for each key.
func withYAMLTags(t reflect.Type, facts api.FactValues) reflect.Type {
	var fields []reflect.StructField
	add := func(key string, t reflect.Type) {
		tag := fmt.Sprintf(`json:"%s" yaml:"%s"`, key, key)
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", len(fields)), Type: t,
			Tag: reflect.StructTag(tag)})
	}
	switch {
	case t == reflect.TypeFor[api.FactValues]():
		for _, f := range facts {
			kind := reflect.TypeOf(facts.MappingValue(f.Key))
			if kind.Elem().Kind() == reflect.Slice {
				kind = kind.Elem()
			}
			add(f.Key, kind)
		}
		return reflect.StructOf(fields)
	case t.Kind() == reflect.Pointer:
		return reflect.PointerTo(withYAMLTags(t.Elem(), facts))
	case t.Kind() == reflect.Slice:
		return reflect.SliceOf(withYAMLTags(t.Elem(), facts))
	case t.Kind() == reflect.Struct:
		for _, f := range strictyaml.Fields(t) {
			add(f.Key, withYAMLTags(f.Type, facts))
		}
		return reflect.StructOf(fields)
	}
	return t
}

// decoders lists the compared decoders, ours first.
var decoders = []decoder{
	{name: "strictyaml", decode: func(text []byte, into any) error {
		doc, problems := strictyaml.Parse(text, 1)
		if doc != nil {
			problems = doc.Decode(into)
		}
		if len(problems) > 0 {
			return errors.New(problems[0].Message)
		}
		return nil
	}},
	{name: "yaml/v4", decode: func(text []byte, into any) error {
		return yaml4.Load(text, into, yaml4.WithKnownFields(), yaml4.WithUniqueKeys())
	}},
	// yaml/v3 refuses addresses with a question mark inside braces.
	{name: "yaml/v3", refuses: true, decode: func(text []byte, into any) error {
		d := yaml3.NewDecoder(bytes.NewReader(text))
		d.KnownFields(true)
		return d.Decode(into)
	}},
	{name: "goccy/go-yaml", decode: func(text []byte, into any) error {
		return goccy.UnmarshalWithOptions(text, into, goccy.Strict())
	}},
}

func run(ctx context.Context, dir string, passes int, out io.Writer) error {
	if passes < 1 {
		return errors.New("-passes must be at least 1")
	}
	texts, into, err := accepted(ctx, dir)
	if err != nil {
		return err
	}
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	best := make([]time.Duration, len(decoders))
	for range passes { // in turn, so that other work on the machine slows all of them
		for i, d := range decoders {
			if err := ctx.Err(); err != nil {
				return err
			}
			took, err := d.time(texts, into)
			if err != nil {
				return err
			}
			if best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	t := report.NewTable(out, fmt.Sprintf("Front matter of %d listings, the fastest of %d passes", len(texts), passes),
		"decoder", "time", "MB/s", "to ours")
	for i, d := range decoders {
		t.Row(d.name, report.Duration(best[i]), report.Fixed(float64(size)/1e6/best[i].Seconds(), 1),
			report.Times(float64(best[i]), float64(best[0])))
	}
	return t.Print()
}

// time decodes all texts once.
func (d *decoder) time(texts [][]byte, into frontMatter) (time.Duration, error) {
	start := time.Now()
	for _, text := range texts {
		if err := d.decode(text, into.empty()); err != nil {
			return 0, fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return time.Since(start), nil
}

// leastAccepted is the minimum share of listings that all decoders must accept for a meaningful
// comparison.
const leastAccepted = 0.9

// accepted returns the front matter of the listings that every decoder accepts, and the type
// that it is decoded into.
func accepted(ctx context.Context, dir string) (texts [][]byte, into frontMatter, err error) {
	all, err := frontMatters(dir)
	if err != nil {
		return nil, into, err
	}
	loaded, err := shipped.Content(ctx, dir)
	if err != nil {
		return nil, into, err
	}
	into = frontMatterOf(loaded.Taxonomy.Facts)
	for _, text := range all {
		accepted := true
		for _, d := range decoders {
			err := d.decode(text, into.empty())
			if err != nil && !d.refuses {
				return nil, into, fmt.Errorf("%s: %w in\n%s", d.name, err, text)
			}
			accepted = accepted && err == nil
		}
		if accepted {
			texts = append(texts, text)
		}
	}
	if float64(len(texts)) < leastAccepted*float64(len(all)) {
		return nil, into, fmt.Errorf("all decoders accept only %d of %d listings", len(texts), len(all))
	}
	return texts, into, nil
}

// frontMatters returns the texts between the --- lines of the listings.
func frontMatters(dir string) ([][]byte, error) {
	files, err := filepath.Glob(filepath.Join(dir, "projects", "*.md"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("there is no listing in %s", dir))
	}
	var texts [][]byte
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		parts := bytes.SplitN(file, []byte("---\n"), 3)
		if len(parts) < 3 {
			return nil, fmt.Errorf("%s has no front matter", name)
		}
		texts = append(texts, parts[1])
	}
	return texts, nil
}
