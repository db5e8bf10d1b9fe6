//go:build js || wasip1

// Command wasm is the search engine as WebAssembly: it opens an index and answers queries with
// the bytes that the server sends.
//
//	GOOS=js GOARCH=wasm go build -ldflags="-s -w" ./cmd/wasm
//	GOOS=wasip1 GOARCH=wasm go build -ldflags="-s -w" ./cmd/wasm
//
// In a browser or in Node.js it gives scripts the global object catalogSearch; as a WASI
// program it takes a file and a query and prints the answer.
package main

import (
	"catalog.example/api"
	"catalog.example/api/search"
)

// answer returns the body of the answer to a query string such as "q=chat&limit=5": an
// api.SearchResponse, or where parameters are wrong an api.Problem (spec 4.3, contract 4
// and 5).
func answer(ix *search.Index, rawQuery string) []byte {
	query, warnings, wrong := api.ParseSearch(rawQuery, ix.Parameters())
	if len(wrong) > 0 {
		return api.InvalidParameters(wrong).WithBase(ix.Settings().BaseURL).JSON()
	}
	return ix.AppendSearch(nil, query, warnings...)
}
