//go:build js || wasip1

// Command wasm is the search engine as WebAssembly. It opens an index and answers queries
// with the same bytes as the server.
//
//	make engine
//	GOOS=wasip1 GOARCH=wasm go build -ldflags="-s -w" ./cmd/wasm
//
// With GOOS=js, which `make engine` compiles for browsers, it defines the global object
// catalogSearch, for compact indexes. As a WASI program it takes an index file and a query
// and prints the answer.
package main

import (
	"catalog.example/api"
	"catalog.example/api/search"
)

// answer returns the JSON of the answer to a query string such as "q=chat&limit=5": an
// api.SearchResponse, or an api.Problem if parameters are invalid.
func answer(ix *search.Index, rawQuery string) []byte {
	query, warnings, invalid := api.ParseSearch(rawQuery, ix.Parameters())
	if len(invalid) > 0 {
		return api.NewInvalidParameters(invalid).WithBase(ix.Settings().BaseURL).JSON()
	}
	return ix.AppendSearch(nil, query, warnings...)
}
