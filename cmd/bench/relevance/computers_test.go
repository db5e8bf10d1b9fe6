package relevance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search"
	"catalog.example/api/search/token"
	"catalog.example/cmd/bench/shipped"
)

const testdata = "../../../api/search/testdata/"

// shippedIndex returns the index of the shipped listings.
func shippedIndex(t *testing.T) (*search.Catalog, *search.Index) {
	t.Helper()
	catalog, err := shippedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	file, err := search.Encode(*catalog)
	if err != nil {
		t.Fatal(err)
	}
	index, err := search.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return catalog, index
}

// lines decodes the lines of a JSON Lines file of testdata.
func lines[T any](t *testing.T, name string) (list []T) {
	t.Helper()
	text, err := os.ReadFile(testdata + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var value T
		if err := json.Unmarshal(line, &value); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, value)
	}
	return list
}

// described is what a text says of a computer. A figure or name that is nil is not said; "any"
// is not compared.
type described struct {
	RAMGb, VRAMGb, GPUVendor, System, Arch any
}

// differences compares what was understood with what a text says. Where strict is false, what
// is not said is not compared.
func (d described) differences(query api.QueryEcho, strict bool) (list []string) {
	for _, c := range []struct {
		name string
		want any
	}{{"ramGb", d.RAMGb}, {"vramGb", d.VRAMGb}, {"gpuVendor", d.GPUVendor}, {"system", d.System}, {"arch", d.Arch}} {
		got := query[c.name]
		unsaid := c.want == nil && (!strict || got == nil || c.name == "arch" || c.name == "system") // of desktop computers, systems were not written down
		if c.want != "any" && !unsaid && got != c.want {
			list = append(list, fmt.Sprintf("%s is %v, want %v", c.name, got, c.want))
		}
	}
	return list
}

// understood searches for a text and returns what was understood, and the words that hits must
// have.
func understood(t *testing.T, index *search.Index, text string) (echo api.QueryEcho, required []string) {
	t.Helper()
	query, _, wrong := api.ParseSearch("facets=0&correct=0&limit=1&q="+url.QueryEscape(text), index.Parameters())
	if len(wrong) > 0 {
		t.Fatalf("%q: %v", text, wrong)
	}
	var answer api.SearchResponse
	if err := json.Unmarshal(index.AppendSearch(nil, query), &answer); err != nil {
		t.Fatal(err)
	}
	for _, w := range index.Explain(query).Words {
		required = append(required, w.Text)
	}
	return answer.Query, required
}

// leastRead is the share of the wordings that must be read, in percent, in each part.
const leastRead = 95

// Ordinary wordings of a computer are read, and the words of the job are left.
func TestComputerWordings(t *testing.T) {
	_, index := shippedIndex(t)
	read, count := map[bool]int{}, map[bool]int{}
	for _, w := range lines[struct {
		described
		Query   string
		Left    []string
		HeldOut bool
	}](t, "wordings.jsonl") {
		echo, left := understood(t, index, w.Query)
		wrong := w.differences(echo, true)
		for _, word := range token.Of(strings.Join(w.Left, " ")) {
			if index.IsSearched(word) && !slices.Contains(left, word) {
				wrong = append(wrong, "the word "+word+" is lost")
			}
		}
		count[w.HeldOut]++
		if len(wrong) == 0 {
			read[w.HeldOut]++
		} else if !w.HeldOut { // the others are for checking only
			t.Logf("%q: %s", w.Query, strings.Join(wrong, "; "))
		}
	}
	for heldOut, n := range count {
		if read[heldOut]*100 < n*leastRead {
			t.Errorf("held out %t: %d of %d are read, and at least %d %% must be", heldOut, read[heldOut], n, leastRead)
		}
	}
	if len(count) != 2 {
		t.Errorf("the parts are %v", count)
	}
}

// A name that does not match in full does not match, and "mac" says the system, as "macbook" does.
func TestShippedNamesMatchInFull(t *testing.T) {
	_, index := shippedIndex(t)
	for text, want := range map[string]string{
		"run llm on m5 ultra": "", "run llm m5 ultra 64gb": "ramGb=64", "run llm on an m5": "gpuVendor=apple arch=arm64", "run llm rtx 3060 ultra": "",
		"run llm on an 8gb mac": "ramGb=8 system=macos", "run llm intel core ultra 7 155h 32gb": "ramGb=32 arch=amd64",
	} {
		echo, _ := understood(t, index, text)
		var got []string
		for _, parameter := range hardware.Parameters {
			if value := echo[parameter]; value != nil {
				got = append(got, fmt.Sprintf("%s=%v", parameter, value))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// What devices print is read as a whole: no word of it is searched for.
func TestPrintedNames(t *testing.T) {
	_, index := shippedIndex(t)
	names := lines[struct {
		described
		Printed, By, Source string
	}](t, "printed.jsonl")
	for _, n := range names {
		echo, left := understood(t, index, n.Printed)
		wrong := n.differences(echo, false)
		if len(left) > 0 {
			wrong = append(wrong, "left over: "+strings.Join(left, " "))
		}
		if len(wrong) > 0 {
			t.Errorf("%q by %s: %s", n.Printed, n.By, strings.Join(wrong, "; "))
		}
	}
	if len(names) < 40 {
		t.Errorf("there are %d names", len(names))
	}
}

// leastSame is the share of the jobs, in percent, whose first five hits hold at least four of
// the first five without a computer.
const leastSame = 95

// A computer leaves out what cannot run on it, and keeps the order of the rest.
func TestJobsWithComputers(t *testing.T) {
	catalog, index := shippedIndex(t)
	without := map[string][]string{} // by job
	for i := range catalog.Projects {
		for _, job := range catalog.Projects[i].Jobs {
			slugs, _, err := slugsOf(index, api.SearchQuery{Q: job, Limit: maxHits})
			if err != nil {
				t.Fatal(err)
			}
			without[job] = slugs
		}
	}
	for _, parameters := range machines {
		parsed, _, wrong := api.ParseSearch(parameters, index.Parameters())
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		enough := enoughFor(catalog, parsed.Filters.Machine)
		same, count := 0, 0
		var others []string
		for job, all := range without {
			first := slices.DeleteFunc(slices.Clone(all), func(slug string) bool { return !enough[slug] })
			first = first[:min(ndcgDepth, len(first))]
			with, _, err := slugsOf(index, api.SearchQuery{Q: job, Limit: ndcgDepth, Filters: parsed.Filters})
			if err != nil {
				t.Fatal(err)
			}
			lost := slices.DeleteFunc(first, func(slug string) bool { return slices.Contains(with, slug) })
			if count++; len(lost) <= 1 {
				same++
			} else {
				others = append(others, job)
			}
		}
		t.Logf("%s: %d of %d jobs keep four of the first five; the others are %q", parameters, same, count, others)
		if count == 0 || same*100 < count*leastSame {
			t.Errorf("%s: %d of %d jobs keep four of the first five, and at least %d %% must", parameters, same, count, leastSame)
		}
	}
}

// Naming a computer does not make the answer worse.
func TestMachinesKeepTheOrder(t *testing.T) {
	catalog, _ := shippedIndex(t)
	queries, err := shipped.Judged(testdata+"judged.jsonl", catalog.Projects)
	if err != nil {
		t.Fatal(err)
	}
	results, err := measureMachines(catalog, queries)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.with.n < 400 || r.with.ndcg < 0.98*r.without.ndcg || r.with.first < 0.98*r.without.first {
			t.Errorf("%s: of %d queries, nDCG@5 is %.3f with the computer and %.3f without, success@1 %.3f and %.3f", r.machine, r.with.n, r.with.ndcg, r.without.ndcg, r.with.first, r.without.first)
		}
	}
}
