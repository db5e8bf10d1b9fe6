package pages

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// reportOf returns a report as Lighthouse writes it, with one performance for all
// categories, and what a test wants to change in it.
func reportOf(t *testing.T, score float64, change func(report map[string]any)) []byte {
	t.Helper()
	audits := map[string]any{
		"network-requests": map[string]any{"details": map[string]any{"items": []any{
			map[string]any{"resourceType": "Document", "transferSize": 5000}, map[string]any{"resourceType": "Script", "transferSize": 700},
			map[string]any{"resourceType": "Stylesheet", "transferSize": 400}, map[string]any{"resourceType": "Fetch", "transferSize": 30}, map[string]any{"resourceType": "Other", "transferSize": 2}}}},
		"tap-targets": map[string]any{"title": "Tap targets are small", "score": 0.5},
		"unweighed":   map[string]any{"title": "Nobody counts this", "score": 0},
		"odd":         map[string]any{"details": map[string]any{"items": map[string]any{}}},
	}
	for i, m := range metrics {
		audits[m.id] = map[string]any{"numericValue": 100 * (i + 1)}
	}
	list := map[string]any{}
	for _, c := range categories {
		list[c.id] = map[string]any{"score": score, "auditRefs": []any{}}
	}
	list["seo"] = map[string]any{"score": score, "auditRefs": []any{map[string]any{"id": "tap-targets", "weight": 1}, map[string]any{"id": "unweighed", "weight": 0}}}
	report := map[string]any{"lighthouseVersion": "12.0.0", "categories": list, "audits": audits}
	if change != nil {
		change(report)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestReadReport(t *testing.T) {
	v, err := readReport(reportOf(t, 0.97, nil))
	if err != nil {
		t.Fatal(err)
	}
	if v.version != "12.0.0" || v.scores != [categoryCount]float64{97, 97, 97, 97} || v.metrics != [metricCount]float64{100, 200, 300, 400, 500} ||
		v.bytes != [weightCount]float64{5000, 400, 700, 32} || !slices.Equal(v.lost, []string{"tap-targets 0.50: Tap targets are small"}) {
		t.Errorf("%+v", v)
	}
	for name, change := range map[string]func(map[string]any){
		"no score of seo":    func(r map[string]any) { delete(r["categories"].(map[string]any), "seo") },
		"has no speed-index": func(r map[string]any) { delete(r["audits"].(map[string]any), "speed-index") },
		"names no document": func(r map[string]any) {
			maps.Copy(r["audits"].(map[string]any), map[string]any{"network-requests": map[string]any{"details": map[string]any{}}})
		},
		"NO_FCP: nothing was drawn": func(r map[string]any) {
			r["runtimeError"] = map[string]any{"code": "NO_FCP", "message": "nothing was drawn"}
		},
	} {
		if _, err := readReport(reportOf(t, 1, change)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readReport([]byte("no JSON")); err == nil {
		t.Error("no JSON is no error")
	}
}

func TestMedian(t *testing.T) {
	visits := make([]visit, 4)
	for i, n := range []float64{90, 100, 98, 99} {
		visits[i].scores[performance], visits[i].metrics[firstPaint], visits[i].bytes[cssWeight] = n, n, n
	}
	visits[1].lost, visits[2].lost = []string{"a 0.90: A", "b 0.10: B"}, []string{"a 0.40: A"}
	m := median(visits)
	if m.scores[performance] != 98 || m.metrics[firstPaint] != 99 || m.bytes[cssWeight] != 99 || !slices.Equal(m.lost, []string{"a 0.40: A", "b 0.10: B"}) {
		t.Errorf("%+v", m)
	}
	if m := median(visits[:3]); m.scores[performance] != 98 || m.metrics[firstPaint] != 98 {
		t.Errorf("of three: %+v", m)
	}
}

func TestTables(t *testing.T) {
	good, bad := result{page: page{"home", "/"}}, result{page: page{"search", "/search/"}}
	for i, c := range categories {
		good.scores[i], bad.scores[i] = c.aim, c.aim-1
	}
	good.bytes, bad.lost = [weightCount]float64{1000, 200, 30, 4}, []string{"a 0.40: A"}
	var out strings.Builder
	if err := printTables(&out, "Lighthouse 12", []result{good, bad}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"home 100 100 100 100 met", "search 99 99 99 99 4 missed", "wanted 100 100 100 100", "home 1000 200 30 4 1234",
		"good up to 1800 ms 2500 ms 200 ms 0.100 3400 ms", "search loses points: a 0.40: A"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestCheck(t *testing.T) {
	for want, o := range map[string]options{
		"-device":               {device: "watch", rounds: 1},
		"-rounds":               {device: "mobile"},
		"lighthouse is missing": {device: "desktop", rounds: 1, lighthouse: t.TempDir()},
	} {
		if err := o.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestTableOfLists(t *testing.T) {
	var l listSteps
	if err := json.Unmarshal([]byte(`{"rows":484,"steps":[{"name":"order by name","ours":40,"peer":400,"peerPaged":80},{"name":"order by day","ours":40,"later":70,"peer":400,"peerPaged":80},{"name":"find a word","ours":60,"peer":60,"peerPaged":30}]}`), &l); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := printLists(&out, &l); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"A list of 484 rows", "order by name 40 ms below 50 ms 80 ms 0.50 400 ms 0.10 met", "order by day 40 ms 70 ms 80 ms 0.50 400 ms 0.10 missed", "find a word 60 ms below 50 ms 30 ms 2.00 60 ms 1.00 missed"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
