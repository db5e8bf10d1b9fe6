package yaml

import (
	"reflect"
	"strings"
	"testing"
)

const shippedContent = "../../../content"

// The decoders that are compared do the same work: they return the same values,
// and refuse unknown and repeated keys.
func TestDecodersAgree(t *testing.T) {
	texts, into, err := accepted(t.Context(), shippedContent)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range decoders {
		t.Run(d.name, func(t *testing.T) {
			for _, text := range texts {
				want, got := into.empty(), into.empty()
				if err := decoders[0].decode(text, want); err != nil {
					t.Fatal(err)
				}
				if err := d.decode(text, got); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("decodes %s\nas   %+v\nours %+v", text, got, want)
				}
			}
			for _, wrong := range []string{"name: A\nnane: B\n", "name: A\nname: B\n"} {
				if err := d.decode([]byte(wrong), into.empty()); err == nil {
					t.Errorf("accepts %q", wrong)
				}
			}
		})
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), shippedContent, 1, &out); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, d := range decoders {
		row := rows[len(rows)-len(decoders)+i]
		if !strings.HasPrefix(row, d.name) || !strings.HasSuffix(row, "×") || i == 0 && !strings.HasSuffix(row, " 1.0×") {
			t.Errorf("row %d: %q", i, row)
		}
	}
	if err := run(t.Context(), shippedContent, 0, &out); err == nil {
		t.Error("no pass is no error")
	}
	if err := run(t.Context(), t.TempDir(), 1, &out); err == nil || !strings.Contains(err.Error(), "no listing") {
		t.Errorf("an empty folder: %v", err)
	}
}
