package engine

import (
	"database/sql"
	"fmt"
	"strings"

	"catalog.example/cmd/bench/peer"
	_ "modernc.org/sqlite" // SQLite in Go, so that nobody needs a C compiler
)

// fts5 is an in-memory SQLite full-text table with a column for each field.
type fts5 struct {
	db        *sql.DB
	stopWords map[string]bool
}

func openFTS5(documents []peer.Document) (Engine, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	// Every connection to :memory: opens a new database, so only one is allowed.
	db.SetMaxOpenConns(1)
	e := &fts5{db: db, stopWords: stopWords()}
	if err := e.fill(documents); err != nil {
		_ = db.Close()
		return nil, err
	}
	return e, nil
}

func (e *fts5) fill(documents []peer.Document) error {
	if _, err := e.db.Exec("CREATE VIRTUAL TABLE listing USING fts5(slug UNINDEXED, " + strings.Join(peer.Fields,
		", ") +
		", prefix='2 3', tokenize='porter unicode61 remove_diacritics 2')"); err != nil {
		return err
	}
	tx, err := e.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // has no effect after Commit
	for i := range documents {
		row := []any{i, documents[i].Slug}
		for _, texts := range documents[i].ByField() {
			row = append(row, strings.Join(texts, "\n"))
		}
		if _, err := tx.Exec("INSERT INTO listing(rowid, slug, "+strings.Join(peer.Fields, ", ")+") VALUES (?, ?"+
			strings.Repeat(", ?", len(peer.Fields))+")", row...); err != nil {
			return fmt.Errorf("%s: %w", documents[i].Slug, err)
		}
	}
	return tx.Commit()
}

func (e *fts5) Close() error { return e.db.Close() }

func (e *fts5) Search(query string, settings map[string]float64, limit int) ([]string, error) {
	stopWords := e.stopWords
	if settings["stopWords"] == 0 {
		stopWords = nil
	}
	words := wordsOf(query, stopWords)
	operators := []string{" OR "}
	if settings["allFirst"] != 0 {
		operators = []string{" AND ", " OR "}
	}
	var slugs []string
	seen := map[string]bool{}
	for _, operator := range operators {
		found, err := e.match(matchExpression(words, operator, settings["prefix"] != 0), settings, limit)
		if err != nil {
			return nil, err
		}
		for _, slug := range found {
			if !seen[slug] && len(slugs) < limit {
				seen[slug] = true
				slugs = append(slugs, slug)
			}
		}
	}
	return slugs, nil
}

func (e *fts5) match(expression string, settings map[string]float64, limit int) ([]string, error) {
	if expression == "" {
		return nil, nil
	}
	arguments := []any{expression}
	for _, f := range peer.Fields {
		arguments = append(arguments, settings[f])
	}
	rows, err := e.db.Query("SELECT slug FROM listing WHERE listing MATCH ? ORDER BY bm25(listing, 0"+
		strings.Repeat(", ?", len(peer.Fields))+"), rowid LIMIT ?", append(arguments, limit)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var slugs []string
	for rows.Next() {
		var slug string
		if err := rows.Scan(&slug); err != nil {
			return nil, err
		}
		slugs = append(slugs, slug)
	}
	return slugs, rows.Err()
}

// matchExpression joins words into an FTS5 query. Every word is quoted, so that none is read as an
// operator or a column. A word with a hyphen becomes a phrase. With prefix, words that begin with
// the last word also match.
func matchExpression(words []string, operator string, prefix bool) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
		if prefix && i == len(words)-1 {
			quoted[i] += "*"
		}
	}
	return strings.Join(quoted, operator)
}
