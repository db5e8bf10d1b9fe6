//go:build linux

package replicas

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/cmd/bench/load"
)

func TestParseCounts(t *testing.T) {
	if got, err := parseCounts("1,2,4"); err != nil || !slices.Equal(got, []int{1, 2, 4}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, list := range []string{"", "1,", "0", "-1", "two", "65", "1 2"} {
		if got, err := parseCounts(list); err == nil || !strings.Contains(err.Error(), "-replicas") {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}

// The shipped configuration is used as it is, apart from addresses.
func TestProxyTo(t *testing.T) {
	shipped, err := os.ReadFile("../../../deploy/replicas.conf")
	if err != nil {
		t.Fatal(err)
	}
	got, err := proxyTo(string(shipped), "127.0.0.1:81", []string{"127.0.0.1:82", "127.0.0.1:83"})
	if err != nil {
		t.Fatal(err)
	}
	servers := regexp.MustCompile(`(?m)^ *server .*;$`).FindAllString(got, -1)
	if !slices.Equal(servers, []string{"  server 127.0.0.1:82 max_fails=0;", "  server 127.0.0.1:83 max_fails=0;"}) {
		t.Errorf("the replicas are %q", servers)
	}
	if !strings.Contains(got, "listen 127.0.0.1:81;") || strings.Contains(got, "listen 8080") {
		t.Error("nginx does not listen where it should")
	}
	if want := strings.Count(string(shipped), "\n") - 1; strings.Count(got, "\n") != want {
		t.Errorf("%d lines instead of %d", strings.Count(got, "\n"), want)
	}
	for _, text := range []string{"", "listen 8080;", "server a:1;\n"} {
		if _, err := proxyTo(text, "", nil); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestPrint(t *testing.T) {
	rate := func(n int, p99 time.Duration) load.Figures {
		return load.Figures{Requests: n, Took: time.Second, P99: p99, Processor: time.Second}
	}
	shared := &table{title: "Counts", rows: []row{
		{name: "in memory", rounds: []load.Figures{rate(300, time.Millisecond), rate(200, 4*time.Millisecond), rate(100, time.Millisecond)}},
		{name: "in Redis", rounds: []load.Figures{rate(100, 6*time.Millisecond)}},
		{name: "neither", rounds: []load.Figures{{Requests: 1, Took: time.Second}}},
	}}
	b := &bench{options: options{rounds: 3, duration: time.Second}}
	var out strings.Builder
	if err := b.print(&out, []*table{shared}, 12345, 23456); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	for _, want := range []string{
		"median of 3 rounds", " cores, ", "12,345 of 23,456 requests",
		"\nin memory 200 0.00 µs 4.00 ms 0.00 µs 5.00 ms 0 1.00 1.00 1.00\n",
		"\nin Redis 100 0.00 µs 6.00 ms 0.00 µs 10.0 ms 0 0.50 1.50 2.00\n",
		"\nneither 1 0.00 µs 0.00 µs 0.00 µs – 0 0.01 0.00 –\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	shared.rows[0].rounds[0].Refused, shared.rows[0].rounds[2].Failed = 1, 2
	if err := b.print(&out, []*table{shared}, 0, 0); err == nil || err.Error() != "Counts, in memory: 3 requests failed" {
		t.Errorf("failed requests: %v", err)
	}
}
