package search

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/site"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
)

// PartOurs is the name of the part of the program that measures our own search. Each measurement
// has a process of its own, so that memory and time are separate:
//
//	index   makes the listings and writes their index
//	cold    opens the index and answers one query
//	ask     opens the index and answers many
//
// Each process reads its task from standard input and answers on standard output, both as JSON.
// Queries are query strings of the API, so that the program of another commit can read them too
// (-before).
const PartOurs = "search-ours"

// Ours runs the measurement that its only argument names.
func Ours(args []string, in io.Reader, out io.Writer) error {
	tasks := map[string]func(in io.Reader, out io.Writer) error{
		"index": task(measureIndex), "cold": answerCold, "ask": task(measureAnswers),
	}
	if len(args) != 1 || tasks[args[0]] == nil {
		return fmt.Errorf("want one of %s, not %q", strings.Join(slices.Sorted(maps.Keys(tasks)), ", "), args)
	}
	return tasks[args[0]](in, out)
}

func task[T, R any](do func(T) (R, error)) func(io.Reader, io.Writer) error {
	return func(in io.Reader, out io.Writer) error {
		var task T
		if err := json.NewDecoder(in).Decode(&task); err != nil {
			return err
		}
		answer, err := do(task)
		if err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(answer)
	}
}

// contender is a program whose search is measured: this program, or that of another commit.
type contender struct {
	program string
	content string // its content folder
}

// command returns a command for a task.
func (c contender) command(ctx context.Context, name string, task any) (*exec.Cmd, error) {
	text, err := json.Marshal(task)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, c.program, PartOurs, name)
	command.Stdin, command.Stderr = bytes.NewReader(text), os.Stderr
	return command, nil
}

// run runs a process and decodes its answer.
func (c contender) run(ctx context.Context, name string, task, answer any) error {
	command, err := c.command(ctx, name, task)
	if err != nil {
		return err
	}
	text, err := command.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return json.Unmarshal(text, answer)
}

// indexTask is the task of writing the index of a corpus.
type indexTask struct {
	Content, Size string
	Seed          uint64
	Dir           string   // the index is written below it, as below public/
	Words         []string // to check; their listings are counted
}

// indexResult holds the costs of writing an index.
type indexResult struct {
	Listings   int
	Add, Write time.Duration // inside Add, and from WriteTo until the file is closed
	FileBytes  int64
	JSONBytes  int64 // of all listings, as GET /api/v1/projects/<slug> returns them
	MedianJSON int   // bytes
	Peak       int64 // resident memory in bytes, including the listings
	Counts     wordCounts
}

func measureIndex(t indexTask) (indexResult, error) {
	var r indexResult
	c, err := openCorpus(context.Background(), t.Content, t.Size, t.Seed)
	if err != nil {
		return r, err
	}
	file := filepath.Join(t.Dir, filepath.FromSlash(search.FileName))
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return r, err
	}
	check := newWordCounter(t.Words)
	var sizes []int

	start := time.Now()
	b, forget, err := newBuilder(c, t.Dir)
	if err != nil {
		return r, err
	}
	defer forget()
	r.Add = time.Since(start)
	for batch := range c.batches(batchSize) {
		for i := range batch {
			text, err := json.Marshal(&batch[i])
			if err != nil {
				return r, err
			}
			r.JSONBytes += int64(len(text))
			sizes = append(sizes, len(text))
			check.take(batch[i], &c.taxonomy)
		}
		r.Listings += len(batch)
		// The batch can be reused: the builder does not use it after Add has returned.
		start = time.Now()
		if err := b.Add(batch...); err != nil {
			return r, err
		}
		r.Add += time.Since(start)
	}
	slices.Sort(sizes)
	r.MedianJSON, r.Counts = report.Percentile(sizes, 0.5), check.counts

	start = time.Now()
	f, err := os.Create(file)
	if err != nil {
		return r, err
	}
	_, err = b.WriteTo(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return r, err
	}
	r.Write = time.Since(start)
	info, err := os.Stat(file)
	if err != nil {
		return r, err
	}
	r.FileBytes = info.Size()
	r.Peak, err = ownMemory("VmHWM")
	return r, err
}

// keptGCPercent bounds what the garbage collector leaves while the index of a large corpus is
// written.
const keptGCPercent = 25

// newBuilder returns a builder for a corpus. If the corpus is large, the builder keeps its listings in
// a file of a folder. forget removes the file.
func newBuilder(c *corpus, dir string) (b *search.Builder, forget func(), err error) {
	b = search.NewBuilder(site.Defaults(), c.taxonomy)
	if c.count <= maxPeerListings {
		return b, func() {}, nil
	}
	kept, err := os.CreateTemp(dir, "listings-")
	if err != nil {
		return nil, nil, err
	}
	b.KeepIn(kept)
	before := debug.SetGCPercent(keptGCPercent)
	return b, func() {
		debug.SetGCPercent(before)
		_ = errors.Join(kept.Close(), os.Remove(kept.Name())) // the folder is removed too
	}, nil
}

// coldTask is the task of answering one query.
type coldTask struct {
	Dir   string
	Query string
}

// answerCold prints the unchanged answer on one line.
func answerCold(in io.Reader, out io.Writer) error {
	var t coldTask
	if err := json.NewDecoder(in).Decode(&t); err != nil {
		return err
	}
	ix, err := indexfile.Open(t.Dir)
	if err != nil {
		return err
	}
	q, err := parse(ix, t.Query)
	if err != nil {
		return err
	}
	_, err = out.Write(append(ix.AppendSearch(nil, q), '\n'))
	return err
}

// coldStart measures the time from the start of a process until its first answer has been read
// completely.
func (c contender) coldStart(ctx context.Context, t coldTask) (time.Duration, error) {
	command, err := c.command(ctx, "cold", t)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	text, err := command.Output()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("cold: %w", err)
	}
	if !json.Valid(text) || len(text) < 2 {
		return 0, fmt.Errorf("cold: the answer is no JSON: %.200s", text)
	}
	return took, nil
}

// askTask is the task of answering many queries, one after the other.
type askTask struct {
	Dir        string
	Queries    []string
	Passes     int      // timed passes, after an untimed one
	Machine    []string // queries that name the user's computer
	Check      []string // queries of which only the totals are returned
	Worst      []string
	CPUProfile string // a file for the profile of the timed passes, or ""
}

// askResult holds the costs of the answers.
type askResult struct {
	Open     time.Duration
	Took     []time.Duration // by pass and query
	Machine  []time.Duration // by pass and query of Machine
	Plain    []time.Duration // the same queries without their computer, alternating with them
	Elapsed  time.Duration   // of all passes
	Allocs   float64         // per query
	Bytes    float64         // allocated per query
	Answer   float64         // mean size of a body in bytes
	GCs      int
	GCPause  time.Duration
	Anon     int64 // anonymous memory in bytes right after the passes
	AnonFree int64 // the same after returning free memory to the system
	Totals   []int // by query of Check
	Worst    []worstResult
}

type worstResult struct {
	Median, Max time.Duration
	Total       int
}

func measureAnswers(t askTask) (askResult, error) {
	var r askResult
	start := time.Now()
	ix, err := indexfile.Open(t.Dir)
	if err != nil {
		return r, err
	}
	r.Open = time.Since(start)
	var queries, machine, check, worst []api.SearchQuery
	for _, list := range []struct {
		parsed *[]api.SearchQuery
		raw    []string
	}{{&queries, t.Queries}, {&machine, t.Machine}, {&check, t.Check}, {&worst, t.Worst}} {
		if *list.parsed, err = parseAll(ix, list.raw); err != nil {
			return r, err
		}
	}
	if err := r.timeQueries(ix, t, queries); err != nil {
		return r, err
	}
	r.timeMachines(ix, machine, t.Passes)
	for _, q := range check {
		total, err := totalOf(ix.AppendSearch(nil, q))
		if err != nil {
			return r, fmt.Errorf("%q: %w", q.Q, err)
		}
		r.Totals = append(r.Totals, total)
	}
	for _, q := range worst {
		w, err := repeat(ix, q, worstRepetitions)
		if err != nil {
			return r, fmt.Errorf("%q: %w", q.Q, err)
		}
		r.Worst = append(r.Worst, w)
	}
	return r, nil
}

// timeQueries answers the queries in all passes, and measures time, allocations and memory.
func (r *askResult) timeQueries(ix *search.Index, t askTask, queries []api.SearchQuery) (err error) {
	// All answers share one buffer, because a server reuses buffers from a pool.
	var body []byte
	answered := 0
	for _, q := range queries { // without timing, to load the pages into memory
		body = ix.AppendSearch(body[:0], q)
		answered += len(body)
	}
	r.Answer = float64(answered) / float64(max(1, len(t.Queries)))
	r.Took = make([]time.Duration, 0, t.Passes*len(t.Queries))

	if t.CPUProfile != "" {
		f, err := os.Create(t.CPUProfile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return errors.Join(err, f.Close())
		}
		defer f.Close()
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range t.Passes {
		for _, q := range queries {
			asked := time.Now()
			body = ix.AppendSearch(body[:0], q)
			r.Took = append(r.Took, time.Since(asked))
		}
	}
	r.Elapsed = time.Since(start)
	runtime.ReadMemStats(&after)
	if t.CPUProfile != "" {
		pprof.StopCPUProfile()
	}
	n := float64(max(1, len(r.Took)))
	r.Allocs, r.Bytes = float64(after.Mallocs-before.Mallocs)/n, float64(after.TotalAlloc-before.TotalAlloc)/n
	r.GCs, r.GCPause = int(after.NumGC-before.NumGC), time.Duration(after.PauseTotalNs-before.PauseTotalNs)
	if r.Anon, err = ownMemory("RssAnon"); err != nil {
		return err
	}
	debug.FreeOSMemory()
	r.AnonFree, err = ownMemory("RssAnon")
	return err
}

// timeMachines times queries that name a computer, and the same queries without it.
func (r *askResult) timeMachines(ix *search.Index, machine []api.SearchQuery, passes int) {
	var body []byte
	// The second of two queries with the same words finds their data in the processor's caches, so
	// each kind comes first half of the time.
	ask := func(q api.SearchQuery) time.Duration {
		asked := time.Now()
		body = ix.AppendSearch(body[:0], q)
		return time.Since(asked)
	}
	for pass := range passes + 1 {
		for i, q := range machine {
			plain := q
			plain.Filters = api.Filters{}
			var took, without time.Duration
			if (pass+i)%2 == 0 {
				took, without = ask(q), ask(plain)
			} else {
				without, took = ask(plain), ask(q)
			}
			if pass > 0 {
				r.Machine, r.Plain = append(r.Machine, took), append(r.Plain, without)
			}
		}
	}
}

// repeat times one query n times.
func repeat(ix *search.Index, q api.SearchQuery, n int) (worstResult, error) {
	body := ix.AppendSearch(nil, q)
	total, err := totalOf(body)
	if err != nil {
		return worstResult{}, err
	}
	took := make([]time.Duration, n)
	for i := range took {
		start := time.Now()
		body = ix.AppendSearch(body[:0], q)
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return worstResult{Median: report.Percentile(took, 0.5), Max: report.Percentile(took, 1), Total: total}, nil
}

// totalOf reads the total of an answer. It returns an error if the text is not an answer.
func totalOf(body []byte) (int, error) {
	var answer struct{ Total *int }
	if err := json.Unmarshal(body, &answer); err != nil {
		return 0, fmt.Errorf("the answer is no JSON: %w", err)
	}
	if answer.Total == nil {
		return 0, errors.New("the answer has no total")
	}
	return *answer.Total, nil
}

// ownMemory returns the value of a line of /proc/self/status in bytes, or 0 on systems without
// that file.
func ownMemory(key string) (int64, error) {
	if runtime.GOOS != "linux" {
		return 0, nil
	}
	return program.Memory(os.Getpid(), key)
}

// parse reads a query string of the API.
func parse(ix *search.Index, raw string) (api.SearchQuery, error) {
	q, _, wrong := api.ParseSearch(raw, ix.Parameters())
	if len(wrong) > 0 {
		return q, fmt.Errorf("%s: %s", raw, wrong[0].Message)
	}
	return q, nil
}

func parseAll(ix *search.Index, raw []string) ([]api.SearchQuery, error) {
	queries := make([]api.SearchQuery, len(raw))
	for i, text := range raw {
		var err error
		if queries[i], err = parse(ix, text); err != nil {
			return nil, err
		}
	}
	return queries, nil
}
