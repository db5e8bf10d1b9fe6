package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

var echo = map[string]Part{"echo": func(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("nothing to say")
	}
	text, err := io.ReadAll(in)
	fmt.Fprint(out, args, string(text))
	return err
}}

// TestMain lets the test binary start itself.
func TestMain(m *testing.M) {
	RunPart(echo)
	os.Exit(m.Run())
}

func TestMainFunction(t *testing.T) {
	benchmarks := []Benchmark{{Name: "sums", Summary: "adds numbers", Timeout: time.Minute, Define: func(flags *flag.FlagSet) Run {
		n := flags.Int("n", 2, "how many `numbers`")
		return func(ctx context.Context, out io.Writer) error {
			if *n < 0 {
				return errors.New("-n must not be negative")
			}
			<-map[bool]<-chan struct{}{true: ctx.Done(), false: closed()}[*n == 99]
			fmt.Fprintln(out, "sum of", *n)
			return ctx.Err()
		}
	}}}
	for _, test := range []struct {
		args      string
		code      int
		out, errs string // parts of what is printed; "": nothing
	}{
		{"sums", 0, "sum of 2", ""},
		{"sums -n 3", 0, "sum of 3", ""},
		{"sums -n -1", 1, "", "bench sums: -n must not be negative"},
		{"sums -n 99 -timeout 1ms", 1, "sum of 99", "deadline exceeded"},
		{"sums -m", 2, "", "not defined: -m"},
		{"sums 3", 2, "", `unexpected argument "3"`},
		{"sums -h", 0, "", "how many numbers"},
		{"", 2, "", "sums       adds numbers"},
		{"help", 0, "adds numbers", ""},
		{"products", 2, "", `no benchmark "products"`},
		{"echo a b", 0, "[a b]in", ""},
		{"echo", 1, "", "bench echo: nothing to say"},
	} {
		var out, errs strings.Builder
		code := Main(benchmarks, echo, strings.Fields(test.args), strings.NewReader("in"), &out, &errs)
		if code != test.code || !says(out.String(), test.out) || !says(errs.String(), test.errs) {
			t.Errorf("bench %s: code %d, want %d; output %q, errors %q", test.args, code, test.code, out.String(), errs.String())
		}
	}
}

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func says(text, part string) bool {
	return part != "" && strings.Contains(text, part) || part == "" && text == ""
}

func TestSelf(t *testing.T) {
	c, err := Self(t.Context(), "echo", "a")
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin = strings.NewReader("b")
	if out, err := c.Output(); err != nil || string(out) != "[a]b" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestCheckNames(t *testing.T) {
	known := []string{"ours", "bleve"}
	if err := CheckNames("-engines", "bleve,ours", known); err != nil {
		t.Error(err)
	}
	for _, list := range []string{"", "ours,lucene"} {
		if err := CheckNames("-engines", list, known); err == nil || !strings.Contains(err.Error(), "-engines") || !strings.Contains(err.Error(), "ours, bleve") {
			t.Errorf("%q: %v", list, err)
		}
	}
}
