package engine

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"catalog.example/cmd/bench/peer"
)

// speedFTS5 is an SQLite database on disk: a full-text table that keeps no copy of the texts, the
// facts for filters and facets as small numbers, and the JSON of the hits.
type speedFTS5 struct {
	db        *sql.DB
	tx        *sql.Tx // open until finish, because the index is written in one transaction
	inserts   map[string]*sql.Stmt
	selects   map[string]*sql.Stmt // by SQL text, so that SQLite compiles each only once
	facets    []peer.Facet
	stopWords map[string]bool
	codes     map[string]int // of facet values
	values    []string       // by code
	count     int
	ranked    string // the table's present rank function, with weights
}

// column returns the column of a single-valued facet in the table fact. The other facets are in the
// table many.
func column(f peer.Facet) string { return `"` + f.Name + `"` }

func openSpeedFTS5(dir string, facets []peer.Facet) (speedEngine, error) {
	db, err := sql.Open("sqlite", filepath.Join(dir, "listings.db"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // settings apply to one connection
	e := &speedFTS5{db: db, facets: facets, stopWords: stopWords(), codes: map[string]int{},
		inserts: map[string]*sql.Stmt{}, selects: map[string]*sql.Stmt{}}
	if err := e.prepare(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return e, nil
}

func (e *speedFTS5) prepare() error {
	columns, single := "", 0
	for _, f := range e.facets {
		if f.Single {
			columns += ", " + column(f) + " INTEGER"
			single++
		}
	}
	for _, statement := range []string{
		// The data need not survive a crash, and all of it fits in memory.
		"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "PRAGMA cache_size=-1048576", "PRAGMA temp_store=MEMORY",
		"CREATE VIRTUAL TABLE listing USING fts5(" + strings.Join(peer.Fields, ", ") +
			", content='', tokenize='porter unicode61 remove_diacritics 2')",
		"CREATE TABLE stored(id INTEGER PRIMARY KEY, json TEXT)",
		"CREATE TABLE fact(id INTEGER PRIMARY KEY" + columns + ")",
		// The columns need types: without them, SQLite would not use the primary key to find the
		// numbers of a join.
		"CREATE TABLE many(id INTEGER, field INTEGER, value INTEGER, PRIMARY KEY(id, field, value)) WITHOUT ROWID",
	} {
		if _, err := e.db.Exec(statement); err != nil {
			return err
		}
	}
	var err error
	if e.tx, err = e.db.Begin(); err != nil {
		return err
	}
	for name, columns := range map[string]int{"listing": len(peer.Fields), "stored": 1, "fact": single, "many": 2} {
		into := name
		if name == "listing" {
			into += "(rowid, " + strings.Join(peer.Fields, ", ") + ")"
		}
		if e.inserts[name], err = e.tx.Prepare("INSERT INTO " + into + " VALUES (?" + strings.Repeat(", ?", columns) +
			")"); err != nil {
			return err
		}
	}
	return nil
}

// code returns the number that stands for a facet value, and assigns the next one to a new value.
func (e *speedFTS5) code(value string) int {
	n, ok := e.codes[value]
	if !ok {
		n = len(e.values)
		e.codes[value] = n
		e.values = append(e.values, value)
	}
	return n
}

func (e *speedFTS5) add(listings []peer.SpeedListing) error {
	for i := range listings {
		if err := e.addOne(&listings[i]); err != nil {
			return fmt.Errorf("%s: %w", listings[i].Slug, err)
		}
	}
	return nil
}

func (e *speedFTS5) addOne(l *peer.SpeedListing) error {
	e.count++
	row := []any{e.count}
	for _, texts := range l.ByField() {
		row = append(row, strings.Join(texts, "\n"))
	}
	facts := []any{e.count}
	for _, f := range e.facets {
		switch {
		case !f.Single:
		case len(l.Facets[f.Name]) == 0:
			facts = append(facts, nil)
		default:
			facts = append(facts, e.code(l.Facets[f.Name][0]))
		}
	}
	_, err := e.inserts["listing"].Exec(row...)
	_, err2 := e.inserts["fact"].Exec(facts...)
	_, err3 := e.inserts["stored"].Exec(e.count, l.JSON)
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	for at, f := range e.facets {
		if f.Single {
			continue
		}
		for _, v := range l.Facets[f.Name] {
			if _, err := e.inserts["many"].Exec(e.count, at, e.code(v)); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish merges the full-text index into one segment, as SQLite's documentation advises for
// tables that are only read.
func (e *speedFTS5) finish() error {
	if _, err := e.tx.Exec("INSERT INTO listing(listing) VALUES('optimize')"); err != nil {
		return err
	}
	if err := e.tx.Commit(); err != nil {
		return err
	}
	_, err := e.db.Exec("ANALYZE")
	return err
}

func (e *speedFTS5) close() error { return e.db.Close() }

// rankBy makes the table rank by weights. According to SQLite's documentation, ordering by
// rank is faster than by bm25(…).
func (e *speedFTS5) rankBy(settings map[string]float64) error {
	weights := make([]string, len(peer.Fields))
	for i, f := range peer.Fields {
		weights[i] = strconv.FormatFloat(settings[f], 'g', -1, 64)
	}
	rank := "bm25(" + strings.Join(weights, ", ") + ")"
	if rank == e.ranked {
		return nil
	}
	e.ranked = rank
	_, err := e.db.Exec("INSERT INTO listing(listing, rank) VALUES('rank', ?)", rank)
	return err
}

func (e *speedFTS5) answer(q peer.SpeedQuery, settings map[string]float64, limit int) ([]byte, int, int, error) {
	if err := e.rankBy(settings); err != nil {
		return nil, 0, 0, err
	}
	operator := " OR "
	if settings["all"] != 0 {
		operator = " AND "
	}
	text := matchExpression(wordsOf(q.Q, e.stopWords), operator, false)
	where, arguments := e.where(text, q.Filters)

	id, order := "listing.rowid", "rank"
	from := "listing"
	if text == "" {
		id, order, from = "fact.id", "fact.id", "fact"
	} else if len(q.Filters) > 0 {
		from = "listing CROSS JOIN fact ON fact.id = listing.rowid"
	}
	// The matches are found first, and then the JSON is read for the few in the answer. CROSS
	// JOIN keeps SQLite from choosing another order.
	hits, err := e.texts("SELECT json FROM (SELECT "+id+" AS id, "+order+" AS score FROM "+from+where+
		" ORDER BY "+order+" LIMIT ?) AS best CROSS JOIN stored USING (id) ORDER BY score",
		append(arguments[:len(arguments):len(arguments)], limit))
	if err != nil {
		return nil, 0, 0, err
	}
	if settings["facets"] == 0 {
		body, err := speedAnswer(len(hits), hits, nil)
		return body, 0, len(hits), err
	}
	total, facets, err := e.counts("SELECT "+id+" AS id FROM "+from+where, arguments)
	if err != nil {
		return nil, 0, 0, err
	}
	body, err := speedAnswer(total, hits, facets)
	return body, total, len(hits), err
}

// where returns the conditions of a query, and the values for their question marks.
func (e *speedFTS5) where(text string, filters map[string][]string) (string, []any) {
	var conditions []string
	var arguments []any
	if text != "" {
		conditions, arguments = append(conditions, "listing MATCH ?"), append(arguments, text)
	}
	for at, f := range e.facets {
		values, ok := filters[f.Name]
		if !ok {
			continue
		}
		marks := strings.TrimPrefix(strings.Repeat(", ?", len(values)), ", ")
		condition := "fact." + column(f) + " IN (" + marks + ")"
		if !f.Single {
			condition = "EXISTS (SELECT 1 FROM many WHERE many.id = fact.id AND field = " + strconv.Itoa(at) +
				" AND value IN (" + marks + "))"
		}
		conditions = append(conditions, condition)
		for _, v := range values {
			code, known := e.codes[v]
			if !known {
				code = -1
			}
			arguments = append(arguments, code)
		}
	}
	if len(conditions) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(conditions, " AND "), arguments
}

func (e *speedFTS5) query(statement string, arguments []any) (*sql.Rows, error) {
	prepared, ok := e.selects[statement]
	if !ok {
		var err error
		if prepared, err = e.db.Prepare(statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
		e.selects[statement] = prepared
	}
	return prepared.Query(arguments...)
}

func (e *speedFTS5) texts(statement string, arguments []any) ([]string, error) {
	rows, err := e.query(statement, arguments)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// counts returns the number of rows that a statement selects, and counts their facet values. The
// rows are selected once and kept for all counts.
func (e *speedFTS5) counts(selected string, arguments []any) (int, map[string][]facetCount, error) {
	statement := "WITH matched AS MATERIALIZED (" + selected + ") SELECT -1, 0, count(*) FROM matched"
	for at, f := range e.facets {
		if f.Single {
			statement += " UNION ALL SELECT " + strconv.Itoa(at) + ", " + column(f) +
				", count(*) FROM matched CROSS JOIN fact USING (id) WHERE " + column(f) + " IS NOT NULL GROUP BY " +
				column(f)
		}
	}
	statement += " UNION ALL SELECT field, value, count(*) FROM matched CROSS JOIN many USING (id) GROUP BY field, " +
		"value"
	rows, err := e.query(statement, arguments)
	if err != nil {
		return 0, nil, err
	}
	defer rows.Close()
	total, facets := 0, map[string][]facetCount{}
	for rows.Next() {
		var at, code, n int
		if err := rows.Scan(&at, &code, &n); err != nil {
			return 0, nil, err
		}
		if at < 0 {
			total = n
			continue
		}
		name := e.facets[at].Name
		facets[name] = append(facets[name], facetCount{e.values[code], n})
	}
	for _, counts := range facets {
		slices.SortFunc(counts, func(a, b facetCount) int { return b.Count - a.Count })
	}
	return total, facets, rows.Err()
}
