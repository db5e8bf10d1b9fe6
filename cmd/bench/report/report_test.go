package report

import (
	"strings"
	"testing"
	"time"
)

func TestPercentile(t *testing.T) {
	thousand := make([]int, 1000)
	for i := range thousand {
		thousand[i] = i + 1
	}
	tests := []struct {
		list []int
		p    float64
		want int
	}{
		{nil, 0.5, 0},
		{[]int{7}, 0, 7},
		{[]int{7}, 0.5, 7},
		{[]int{7}, 1, 7},
		{[]int{1, 2}, 0.5, 1},
		{[]int{1, 2, 3}, 0.5, 2},
		{[]int{1, 2, 3}, 0.67, 3},
		{thousand, 0.5, 500},
		{thousand, 0.99, 990},
		{thousand, 0.999, 999},
		{thousand, 0.9991, 1000},
		{thousand, 1, 1000},
	}
	for _, test := range tests {
		if got := Percentile(test.list, test.p); got != test.want {
			t.Errorf("%g of %d values: %d, want %d", test.p, len(test.list), got, test.want)
		}
	}
}

func TestFigures(t *testing.T) {
	for got, want := range map[string]string{
		Thousands(0): "0", Thousands(999): "999", Thousands(1000): "1,000", Thousands(1234567): "1,234,567",
		Duration(0): "0.00 µs", Duration(1500): "1.50 µs", Duration(12345): "12.3 µs", Duration(123456): "123 µs",
		Duration(1234567): "1.23 ms", Duration(59 * time.Second): "59.0 s", Duration(999 * time.Millisecond): "999 ms",
		Times(5, 2): "2.5×", Times(53, 1): "53×", Times(1, 0): "–", Times(1, 4): "0.2×", MiB(3 << 19): "1.5",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMedianAndMean(t *testing.T) {
	values := []time.Duration{9, 1, 5, 3}
	if got := Median(values); got != 3 || values[0] != 9 {
		t.Errorf("the median is %d of %v", got, values)
	}
	if got := Mean(values); got != 4.5 {
		t.Errorf("the mean is %v", got)
	}
	if Median([]int(nil)) != 0 || Mean([]int(nil)) != 0 {
		t.Error("of nothing, want 0")
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	table := NewTable(&out, "Sizes", "tool", "MiB", "")
	table.Row("catalog", "1.5", "met")
	table.Row("naïve", "100.0", "")
	if err := table.Print(); err != nil {
		t.Fatal(err)
	}
	want := "\nSizes\n\ntool       MiB\ncatalog    1.5  met\nnaïve    100.0\n"
	if out.String() != want {
		t.Errorf("got\n%q, want\n%q", out.String(), want)
	}
}

func TestAims(t *testing.T) {
	var out strings.Builder
	if err := PrintAims(&out, nil); err != nil || out.Len() > 0 {
		t.Errorf("without aims: %q, %v", out.String(), err)
	}
	if err := PrintAims(&out, []Aim{{Name: "p99", Wanted: "at most 1 ms", Reached: "2 ms"}, {Name: "size", Wanted: "at most 1 MiB", Reached: "1 MiB", Met: true}}); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(strings.Fields(out.String()), " "); text != "Aims aim wanted reached p99 at most 1 ms 2 ms missed size at most 1 MiB 1 MiB met" {
		t.Error(text)
	}
}
