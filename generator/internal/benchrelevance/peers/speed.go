package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"
)

// The protocol of `peers speed`, which benchsearch speaks: a line of JSON each
// way. Listings come in batches, then the order to finish, then queries. Times
// are taken here, around the engine's own work, so that neither the pipe nor
// the decoding of messages counts.

// speedMessage is what the parent sends: one of its parts is set.
type speedMessage struct {
	StopWords []string       `json:"stopWords"` // goes with the first message
	Listings  []speedListing `json:"listings"`
	Finish    bool           `json:"finish"`
	Ask       *speedRequest  `json:"ask"`
}

// speedListing is a listing with what an answer carries of it.
type speedListing struct {
	document
	JSON   string              `json:"json"`   // the hit, handed out as it is
	Facets map[string][]string `json:"facets"` // by facet, its values
}

// speedRequest asks for answers, one query after the other, until all are
// answered or the budget is used up.
type speedRequest struct {
	Settings map[string]float64 `json:"settings"`
	Queries  []speedQuery       `json:"queries"`
	Limit    int                `json:"limit"`
	Budget   time.Duration      `json:"budget"` // nanoseconds
}

type speedQuery struct {
	Q       string              `json:"q"`
	Filters map[string][]string `json:"filters"` // by facet: any of these values
}

// speedReply answers every message.
type speedReply struct {
	Error   string          `json:"error"`
	Elapsed time.Duration   `json:"elapsed"` // of adding or finishing, nanoseconds
	Bytes   int64           `json:"bytes"`   // of the files, once finished
	Took    []time.Duration `json:"took"`    // by query, nanoseconds
	Totals  []int           `json:"totals"`  // by query; 0 where it is not counted
	Hits    int             `json:"hits"`    // of all queries
}

// facetNames are the facets that an answer counts (contract 4).
var facetNames = []string{"category", "platform", "license", "docker", "beginner", "gpu", "selfHosted"}

// speedEngine is an engine that keeps its index in a folder and answers whole:
// the stored JSON of the hits, the total and the facets, as one JSON text.
type speedEngine interface {
	add(listings []speedListing) error
	// finish writes what is left, and leaves the index as fast to search as the
	// engine can make it.
	finish() error
	answer(q speedQuery, settings map[string]float64, limit int) (body []byte, total, hits int, err error)
	close() error
}

func openSpeed(name, dir string, stopWords map[string]bool) (speedEngine, error) {
	switch name {
	case "fts5":
		return openSpeedFTS5(dir, stopWords)
	case "bleve":
		return openSpeedBleve(dir, stopWords)
	}
	return nil, fmt.Errorf("no engine is called %q", name)
}

// runSpeed serves the protocol until the input ends.
func runSpeed(name, dir string, in io.Reader, out io.Writer) error {
	lines, answers := json.NewDecoder(in), json.NewEncoder(out)
	var e speedEngine
	for {
		var m speedMessage
		if err := lines.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		var r speedReply
		var err error
		if e == nil {
			set := greeting{StopWords: m.StopWords}
			if e, err = openSpeed(name, dir, set.stopWordSet()); err != nil {
				return err
			}
			defer e.close()
		}
		if r, err = serveSpeed(e, dir, m); err != nil {
			r = speedReply{Error: err.Error()}
		}
		if err := answers.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func serveSpeed(e speedEngine, dir string, m speedMessage) (speedReply, error) {
	var r speedReply
	start := time.Now()
	switch {
	case m.Finish:
		if err := e.finish(); err != nil {
			return r, err
		}
		r.Elapsed = time.Since(start)
		var err error
		r.Bytes, err = folderSize(dir)
		return r, err
	case m.Ask == nil:
		err := e.add(m.Listings)
		r.Elapsed = time.Since(start)
		return r, err
	}
	for _, q := range m.Ask.Queries {
		before := time.Now()
		body, total, hits, err := e.answer(q, m.Ask.Settings, m.Ask.Limit)
		took := time.Since(before)
		if err != nil {
			return r, fmt.Errorf("%q: %w", q.Q, err)
		}
		if !json.Valid(body) {
			return r, fmt.Errorf("%q: the answer is no JSON: %.200s", q.Q, body)
		}
		r.Took, r.Totals, r.Hits = append(r.Took, took), append(r.Totals, total), r.Hits+hits
		if time.Since(start) > m.Ask.Budget {
			break
		}
	}
	return r, nil
}

// folderSize sums the files of a folder.
func folderSize(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // #nosec G703 -- a folder of our own
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		sum += info.Size()
		return nil
	})
	return sum, err
}

// facetCount is a value of a facet with its count.
type facetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// speedAnswer joins the parts of an answer to one JSON text. Hits are JSON
// already and copied.
func speedAnswer(total int, hits []string, facets map[string][]facetCount) ([]byte, error) {
	body := fmt.Appendf(nil, `{"total":%d,"hits":[`, total)
	for i, hit := range hits {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, hit...)
	}
	body = append(body, ']')
	if facets != nil {
		text, err := json.Marshal(facets)
		if err != nil {
			return nil, err
		}
		body = append(append(body, `,"facets":`...), text...)
	}
	return append(body, '}'), nil
}
