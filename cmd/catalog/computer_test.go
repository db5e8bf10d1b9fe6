package main

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/mcp"
	"catalog.example/api/server/artifact"
)

// checkComputerWords searches for the words of catalog computer, and compares what is understood.
func (s *testSite) checkComputerWords(t *testing.T) {
	count := 0
	for line := range strings.Lines(readText(t, "computer/testdata/words.tsv")) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			continue
		}
		count++
		q := "chat with a model, " + fields[1]
		answer := getJSON[api.SearchResponse](t, s, api.PathSearch+"?limit=1&facets=0&q="+url.QueryEscape(q))
		understood := ""
		for _, w := range answer.Warnings {
			understood += w.Message
		}
		// Some figures are followed by the size that is sold.
		want := " was understood as " + strings.ReplaceAll(fields[2], "&", ", ")
		if !strings.Contains(understood, want+".") && !strings.Contains(understood, want+";") {
			t.Errorf("%s: %q, want %q", q, understood, want)
		}
	}
	if count < 8 {
		t.Errorf("%d computers", count)
	}
}

// namedComputer is a case of names.json: what a device's name means in a query and in the form "My computer", with the
// RAM that the user gave.
type namedComputer struct {
	Name    string
	RAMGb   *float64
	Machine hardware.Machine
}

// parameters returns the machine as the parameters of an address, joined by a separator.
func (c *namedComputer) parameters(separator string) string {
	var list []string
	for _, name := range hardware.Parameters {
		if value := c.Machine.Get(name); value != "" {
			list = append(list, name+"="+value)
		}
	}
	return strings.Join(list, separator)
}

func namedComputers(t *testing.T) []namedComputer {
	t.Helper()
	return decodeJSON[[]namedComputer](t, readText(t, "../../api/hardware/testdata/names.json"))
}

// checkComputerNames searches for the names of devices.
func (s *testSite) checkComputerNames(t *testing.T) {
	for _, c := range namedComputers(t) {
		q := "chat with a model, " + c.Name
		if c.RAMGb != nil {
			q += ", " + hardware.FormatGb(*c.RAMGb) + " GB RAM"
		}
		answer := getJSON[api.SearchResponse](t, s, api.PathSearch+"?limit=1&facets=0&q="+url.QueryEscape(q))
		understood := ""
		for _, w := range answer.Warnings {
			understood += w.Message
		}
		if want := " was understood as " + c.parameters(", ") + "."; !strings.Contains(understood, want) {
			t.Errorf("%s: %q, want %q", q, understood, want)
		}
	}
}

// checkAgentsArchive measures the archive that an agent's computer downloads.
func (s *testSite) checkAgentsArchive(t *testing.T) {
	m, err := artifact.Pack(t.Context(), artifact.PackOptions{Public: s.public, Out: t.TempDir(), Now: time.Now(), Only: mcp.Reads})
	if err != nil {
		t.Fatal(err)
	}
	if m.Size > 4_000_000 {
		t.Errorf("the archive for agents has %d bytes, at most 4 MB are wanted", m.Size)
	}
}
