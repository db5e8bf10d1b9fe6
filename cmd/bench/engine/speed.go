package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"catalog.example/cmd/bench/peer"
)

// speedEngine is an engine that keeps its index in a folder and returns complete answers: the
// stored JSON of the hits, the total and the facets, as one JSON text.
type speedEngine interface {
	add(listings []peer.SpeedListing) error
	// finish writes the rest of the index, and makes it as fast to search as the engine allows.
	finish() error
	answer(q peer.SpeedQuery, settings map[string]float64, limit int) (body []byte, total, hits int, err error)
	close() error
}

func openSpeed(name, dir string, facets []peer.Facet) (speedEngine, error) {
	switch name {
	case "fts5":
		return openSpeedFTS5(dir, facets)
	case "bleve":
		return openSpeedBleve(dir, facets)
	}
	return nil, fmt.Errorf("there is no engine %q", name)
}

// Speed is the part of the program that measures an engine. Its arguments are the name of the
// engine and an empty folder for the index. It answers [peer.SpeedMessage]s with [peer.SpeedReply]s
// until its input ends.
func Speed(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("want the name of an engine and a folder")
	}
	lines, answers := json.NewDecoder(in), json.NewEncoder(out)
	var first peer.SpeedMessage
	if err := lines.Decode(&first); err != nil {
		return err
	}
	e, err := openSpeed(args[0], args[1], first.Facets)
	if err != nil {
		return err
	}
	defer e.close()
	if err := answers.Encode(peer.SpeedReply{}); err != nil {
		return err
	}
	for {
		var m peer.SpeedMessage
		if err := lines.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		r, err := serveSpeed(e, args[1], m)
		if err != nil {
			r = peer.SpeedReply{Error: err.Error()}
		}
		if err := answers.Encode(r); err != nil {
			return err
		}
	}
}

func serveSpeed(e speedEngine, dir string, m peer.SpeedMessage) (peer.SpeedReply, error) {
	var r peer.SpeedReply
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

// folderSize returns the total size of the files in a folder.
func folderSize(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
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

// speedAnswer joins the parts of an answer into one JSON text. The JSON of hits is copied
// unchanged.
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
