package server

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api/server/artifact"
	"catalog.example/api/server/traces"
	"go.yaml.in/yaml/v4"
)

// exposedHere returns what a server shows after some requests.
func exposedHere(t *testing.T) exposed {
	t.Helper()
	origin, err := artifact.ParseOrigin("https://origin.example/" + artifact.ManifestName)
	if err != nil {
		t.Fatal(err)
	}
	follower, err := artifact.NewFollower(artifact.FollowerOptions{Origin: origin, Cache: t.TempDir(), StartTimeout: artifact.StartTimeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = follower.Close() })
	exporter := traces.New(traces.Options{})
	t.Cleanup(exporter.Close)
	f := newFixture(t, func(o *options) { o.Collectors = append(follower.Collectors(), exporter.Collectors()...) })
	for _, target := range []string{"/", "/api/v1/projects", "/api/v1/search?q=chat", "/nothing"} {
		f.get(target)
	}
	return readExposed(t, f.scrape(t))
}

var labelInTemplate = regexp.MustCompile(`\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}`)

// checkTemplate checks that the labels that a text names are those of the series
// it is for.
func checkTemplate(t *testing.T, where, text string, value promValue) {
	t.Helper()
	for _, m := range labelInTemplate.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(value.labels, m[1]) {
			t.Errorf("%s: %q names the label %s, there are %v", where, text, m[1], value.labels)
		}
	}
	if got, all := len(labelInTemplate.FindAllString(text, -1)), strings.Count(text, "{{"); got != all {
		t.Errorf("%s: %q holds more than labels", where, text)
	}
}

// TestAlerts checks each alert rule: its expression against the metrics that
// exist, the labels that its texts name, and that it says what to do.
func TestAlerts(t *testing.T) {
	text, err := os.ReadFile("../../deploy/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	type rule struct {
		Alert, Expr, For    string
		Labels, Annotations map[string]string
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []rule
		}
	}
	if err := yaml.Load(text, &file, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	p := promParser{metrics: exposedHere(t), used: map[string]bool{}}
	names := map[string]bool{}
	for _, group := range file.Groups {
		for _, r := range group.Rules {
			value, err := p.check(r.Expr)
			if err != nil {
				t.Errorf("%s: %v", r.Alert, err)
				continue
			}
			if value.promType != promVector {
				t.Errorf("%s gives no vector", r.Alert)
			}
			if !regexp.MustCompile(`^Catalog[A-Z][A-Za-z]+$`).MatchString(r.Alert) || names[r.Alert] {
				t.Errorf("the name %q is wrong or comes twice", r.Alert)
			}
			names[r.Alert] = true
			if severity := r.Labels["severity"]; severity != "page" && severity != "ticket" {
				t.Errorf("%s has the severity %q", r.Alert, severity)
			}
			if _, err := time.ParseDuration(r.For); r.For != "" && err != nil {
				t.Errorf("%s: %v", r.Alert, err)
			}
			checkTemplate(t, r.Alert, r.Annotations["summary"], value)
			if len(r.Annotations["summary"]) < 20 || len(r.Annotations["runbook"]) < 80 {
				t.Errorf("%s does not say what happened or what to do: %q", r.Alert, r.Annotations)
			}
		}
	}
	if len(names) < 10 {
		t.Errorf("only %d alerts were seen", len(names))
	}
	checkRunbook(t, names, p.metrics)
	// What must never be without an alert.
	for _, metric := range []string{
		"catalog_http_panics_total", "catalog_http_overloaded_total", "catalog_index_reloads_total", "catalog_index_modified_timestamp_seconds", "catalog_rate_store_up",
		"catalog_allowance_evictions_total", "catalog_allowance_rejections_total", "catalog_origin_checks_total", "catalog_origin_answered_timestamp_seconds",
	} {
		if !p.used[metric] {
			t.Errorf("no alert asks for %s", metric)
		}
	}
}

// checkRunbook checks that the page for operators has each alert and no other, and that the metrics that it names exist.
func checkRunbook(t *testing.T, alerts map[string]bool, metrics exposed) {
	t.Helper()
	text, err := os.ReadFile("../../content/pages/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "\n## When something is wrong\n")
	page, _, _ = strings.Cut(page, "\n## ")
	rows := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`Catalog.*?) \\|").FindAllStringSubmatch(page, -1) {
		for _, name := range strings.Split(strings.ReplaceAll(row[1], "`", ""), ", ") {
			rows[name] = true
		}
	}
	if !maps.Equal(rows, alerts) {
		t.Errorf("the page for operators has rows for %v, and the alerts are %v", rows, alerts)
	}
	for _, name := range regexp.MustCompile(`\b(?:catalog|process)_[a-z_]+`).FindAllString(page, -1) {
		known := func(metric string) bool { return strings.HasPrefix(metric, name) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(metrics)), known) {
			t.Errorf("the page for operators names %s, which does not exist", name)
		}
	}
}

// TestDashboard checks each query of the Grafana dashboard against the metrics
// that exist, and that each of ours is shown.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../../deploy/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	type panel struct {
		ID          int
		Type, Title string
		GridPos     struct{ H, W, X, Y int }
		Targets     []struct{ Expr, LegendFormat, RefID string }
	}
	var dashboard struct {
		Title, UID string
		Panels     []panel
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	metrics := exposedHere(t)
	p := promParser{metrics: metrics, used: map[string]bool{}}
	variables := map[string]bool{"__rate_interval": true}
	for _, v := range dashboard.Templating.List {
		variables[v.Name] = true
		if m := regexp.MustCompile(`^label_values\((.*), ([a-z_]+)\)$`).FindStringSubmatch(v.Query); v.Type == "query" {
			if m == nil {
				t.Errorf("the variable %s asks %q", v.Name, v.Query)
			} else if value, err := p.check(m[1]); err != nil || !slices.Contains(value.labels, m[2]) {
				t.Errorf("the variable %s asks %q: %v", v.Name, v.Query, err)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\$\{?([a-z_]+)`).FindAllSubmatch(text, -1) {
		if !variables[string(m[1])] {
			t.Errorf("there is no variable %s", m[1])
		}
	}
	ids, queries := map[int]bool{}, 0
	for i, one := range dashboard.Panels {
		if ids[one.ID] || one.Title == "" {
			t.Errorf("the panel %d %q has the id or the title of another, or none", one.ID, one.Title)
		}
		ids[one.ID] = true
		if one.Type != "row" && len(one.Targets) == 0 {
			t.Errorf("%s asks nothing", one.Title)
		}
		for _, target := range one.Targets {
			queries++
			value, err := p.check(strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
			if err != nil {
				t.Errorf("%s: %v", one.Title, err)
				continue
			}
			checkTemplate(t, one.Title, target.LegendFormat, value)
			if !strings.Contains(target.Expr, `{job="$job", instance=~"$instance"`) {
				t.Errorf("%s does not follow the variables: %s", one.Title, target.Expr)
			}
		}
		a := one.GridPos
		for _, other := range dashboard.Panels[:i] {
			if b := other.GridPos; a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%s covers %s", one.Title, other.Title)
			}
		}
	}
	if queries < 20 {
		t.Errorf("only %d queries were seen", queries)
	}
	for name := range metrics {
		if strings.HasPrefix(name, "catalog_") && !p.used[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}
