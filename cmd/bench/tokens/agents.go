package tokens

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/cmd/bench/command"
)

// Agents defines the command bench agents. A scripted agent, which reads no more than the answer, hands on
// listings for judged requests: a job, a computer and conditions. The benchmark prints a Markdown table of
// how often three or more of them are right, by each shape of answer.
var Agents = command.Benchmark{
	Name: "agents", Summary: "whether a scripted agent hands on what is right, by each shape of answer",
	Timeout: 10 * time.Minute,
	Define: func(flags *flag.FlagSet) command.Run {
		content := flags.String("content", "content", "shipped content `folder`")
		judged := flags.String("judged", "api/search/testdata/requests.jsonl", "judged requests, a `file`")
		each := flags.Bool("each", false, "print what is handed on for each request, too")
		return func(ctx context.Context, out io.Writer) error {
			return runAgents(ctx, *content, *judged, *each, out)
		}
	},
}

// request is a judged request.
type request struct {
	ID       string            `json:"id"`
	Part     string            `json:"part"` // training or held-out
	Q        string            `json:"q"`
	Computer map[string]string `json:"computer"` // parameters of a search
	Filters  map[string]string `json:"filters"`
	// Right lists the listings that do the job well on this computer and meet all conditions. CannotRun
	// lists those that do not run there. Others were judged, too, and are neither.
	Right     []string `json:"right"`
	CannotRun []string `json:"cannotRun"`
	Others    []string `json:"others"`
}

// enough is how many right listings a person should get, and most how many an agent hands on.
const enough, most = 3, 5

// shape is a form of answers.
type shape struct {
	name string
	ask  func(s *builtSite, arguments map[string]any) ([]byte, error)
}

var shapes = []shape{
	{"`/api/v1/search`", askHTTP(api.ViewFull)},
	{"`/api/v1/search` with `view=brief`", askHTTP(api.ViewBrief)},
	{"`search_catalog` over MCP", func(s *builtSite, arguments map[string]any) ([]byte, error) {
		answer, err := s.ask("tools/call", map[string]any{"name": api.ToolSearch, "arguments": arguments})
		if err != nil {
			return nil, err
		}
		var result struct{ Content []struct{ Text string } }
		if err := json.Unmarshal(answer, &result); err != nil || len(result.Content) == 0 {
			return nil, fmt.Errorf("%s: %s", api.ToolSearch, answer)
		}
		return []byte(result.Content[0].Text), nil
	}},
}

func askHTTP(view string) func(*builtSite, map[string]any) ([]byte, error) {
	return func(s *builtSite, arguments map[string]any) ([]byte, error) {
		values := url.Values{"view": {view}, "facets": {"0"}}
		for name, value := range arguments {
			values.Set(name, fmt.Sprint(value))
		}
		q, warnings, wrong := api.ParseSearch(values.Encode(), s.index.Parameters())
		if len(wrong) > 0 {
			return nil, fmt.Errorf("%v: %s", arguments, wrong[0].Message)
		}
		return s.index.AppendSearch(nil, q, warnings...), nil
	}
}

// handed is a listing that the agent hands on.
type handed struct {
	Slug string
	Fit  struct{ Verdict hardware.Verdict }
}

// follow searches with the job, the computer and the conditions, and hands on
// what is there, but nothing that is unlikely to run, and nothing at all if the answer says that no listing
// does this. If that leaves fewer than five, it asks for ten. It returns how many bytes it read.
func (s *builtSite) follow(sh *shape, r *request) (list []handed, read int, err error) {
	arguments := map[string]any{"q": r.Q}
	for _, more := range []map[string]string{r.Computer, r.Filters} {
		for name, value := range more {
			arguments[name] = value
			if gb, err := strconv.ParseFloat(value, 64); err == nil && strings.HasSuffix(name, "Gb") {
				arguments[name] = gb
			}
		}
	}
	for _, n := range []int{most, 2 * most} {
		arguments["limit"] = n
		text, err := sh.ask(s, arguments)
		if err != nil {
			return nil, 0, err
		}
		read += len(text)
		var answer struct {
			Hits     []handed
			Warnings []api.Warning
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return nil, 0, err
		}
		if slices.ContainsFunc(answer.Warnings, func(w api.Warning) bool { return w.Code == api.WarnWeakMatches }) {
			return nil, read, nil
		}
		list = slices.DeleteFunc(answer.Hits, func(h handed) bool { return h.Fit.Verdict == hardware.Unlikely })
		if list = list[:min(most, len(list))]; len(list) == most {
			break
		}
	}
	return list, read, nil
}

// result counts what an agent handed on.
type result struct {
	requests   int
	served     int   // requests with enough right listings
	misled     int   // requests with a listing that is said to fit and does not run there
	right, all int   // listings
	unjudged   int   // listings
	tokens     []int // of each request
}

func (r *result) add(req *request, list []handed, read int) {
	right, isMisled := 0, false
	for _, h := range list {
		switch {
		case slices.Contains(req.Right, h.Slug):
			right++
		case slices.Contains(req.CannotRun, h.Slug):
			isMisled = isMisled || h.Fit.Verdict == hardware.Fits
		case !slices.Contains(req.Others, h.Slug):
			r.unjudged++
		}
	}
	r.requests++
	r.right, r.all = r.right+right, r.all+len(list)
	if right >= enough {
		r.served++
	}
	if isMisled {
		r.misled++
	}
	r.tokens = append(r.tokens, tokensOf(read))
}

func runAgents(ctx context.Context, content, judged string, each bool, out io.Writer) error {
	requests, err := readRequests(judged)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-agents-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := build(ctx, dir, content)
	if err != nil {
		return err
	}
	var table strings.Builder
	table.WriteString("| answer | tokens, median | 3 or more right | of those kept aside | misleading “fits” |" +
		" right of all |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	unjudged := 0
	for i := range shapes {
		sh := &shapes[i]
		all, kept, err := s.measureAgents(sh, requests, each, out)
		if err != nil {
			return fmt.Errorf("%s: %w", sh.name, err)
		}
		slices.Sort(all.tokens)
		fmt.Fprintf(&table, "| %s | %d | %d of %d | %d of %d | %d | %d of %d |\n", sh.name,
			rounded(all.tokens[len(all.tokens)/2]), all.served, all.requests, kept.served, kept.requests, all.misled,
			all.right, all.all)
		unjudged = max(unjudged, all.unjudged)
	}
	_, err = fmt.Fprintf(out, "%s\n%d of the listings were not judged, and count as wrong.\n", &table, unjudged)
	return err
}

// measureAgents follows all requests with a shape of answers. kept has those that were kept aside.
func (s *builtSite) measureAgents(
	sh *shape, requests []request, each bool, out io.Writer,
) (all, kept result, err error) {
	for i := range requests {
		r := &requests[i]
		list, read, err := s.follow(sh, r)
		if err != nil {
			return all, kept, fmt.Errorf("%s: %w", r.ID, err)
		}
		all.add(r, list, read)
		if r.Part == "held-out" {
			kept.add(r, list, read)
		}
		if each {
			fmt.Fprintf(out, "%s %s %q: %v\n", sh.name, r.ID, r.Q, list)
		}
	}
	return all, kept, nil
}

func readRequests(file string) (requests []request, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		requests = append(requests, r)
	}
	return requests, lines.Err()
}
