// Package search is the catalog's search engine. In go settings, taxonomy and listings
// (a Catalog); out come the bytes of an index. From these bytes it makes an Index, which
// lists, fetches and searches: in go requests that package api has understood, out come
// answers as JSON, ranked as section 4 of the contract asks. It knows no HTTP and no
// files, and compiles to a small program for browsers (cmd/wasm).
//
// # The index
//
// A file begins with the version of its format, the identity of its content and a table of
// contents. The sections follow. Each section has a checksum, made of those of its blocks,
// so that every core can check some. Open checks all: a file of another version, or with one
// wrong byte, is refused. Numbers are little-endian and read where they lie.
//
// Each file writes and reads its part:
//
//	build.go       from listings to sections (reader.go: one listing)
//	format.go      sections and checksums
//	codec.go       settings, taxonomy, tables
//	index.go       the opened sections
//	documents.go   the JSON of each listing, and the parts that hits repeat
//	dictionary.go  sorted texts with numbers: words, stems, slugs
//	stems.go       words that share a stem
//	spelling.go    words like a misspelt one
//	postings.go    which listings have a word, by place
//	texts.go       the words of each listing
//	products.go    names of replaced products
//	facts.go       what filters, facets and hints ask of a listing
//	order.go       the orders of lists
//
// # How a query is answered
//
// The files, in this order:
//
//	answer.go      from a query to the JSON of its answer
//	fold.go        how text becomes words
//	query.go       from free text to words and hints (vocab.go, synonyms.go)
//	covers.go      from words to what answers them in the index
//	look.go        from these to the listings that have each word
//	partial.go     listings that have all words, or some
//	rank.go        tiers, grades, and the best of many listings
//	match.go       one text compared with the query
//	facets.go      filters and counts
//	set.go         sets of listings as bits
//	work.go        the memory of one query, used again for the next
//
// The steps:
//
//  1. understand sorts the words of the text: words that must match; words that fit any
//     job and need not; hints, which are facts that the wording suggests; facts that words
//     mean, such as "rust"; filler. General English is in vocab.go, the rest in the
//     taxonomy.
//  2. findCovers finds what answers each word: the word, its stem, its completions if it
//     is the last, two words joined, synonyms. Only where there is none of these, it looks
//     for the nearest spellings.
//  3. look fills three sets of listings for each word from the postings: those that have
//     it in names; in names, purpose or jobs; anywhere. Sets are bits. They remember which
//     blocks were touched, so that rare words cost little in large catalogs.
//  4. Full matches of a tier are the intersection of the words' sets, without those of
//     stronger tiers. Partial matches come from adding the words' weights, rounded to 6
//     bits, for 64 listings at a time.
//  5. Filters are intersections with the sets of their values. For a number, its column is
//     read. Facets are counted over the members, over the others, or over the lists of the
//     values, whichever is least.
//  6. grade looks at the texts of listings that may be shown, and of no others. It compares
//     them with the covers by a small hash table behind a filter of 1,024 bits. What each
//     field says of a word adds up as independent witnesses do: 1 - Π(1 - weight·quality).
//     Words are weighed by their rarity. How the words stand in the best text, and the
//     facts of hints, complete the grade. Then hints, stars and slug decide.
//  7. The JSON is written by appending. Hits are copied from the documents.
//
// # Bounds
//
// A query has 16 words, 8,192 completions of its last, and 4 words that are looked for
// misspelt. In a small catalog, 512 listings of each tier are graded; in a large one 64, or
// twice the limit. If more match one word, those are chosen that have it in the best
// places, else the most popular. No figure of the judged queries changes with 64. The memory
// of a query is some sets of a bit a listing, and is used again.
//
// # Alternatives
//
//   - Bleve, or another library: it ranks by BM25 over fields, so that tiers, whole names
//     and hints would be worked around it. Its file is smaller. It is many times slower
//     where facets are counted (make bench-search).
//   - SQLite FTS5: the same, and facets need a query each. Without cgo it needs a translated
//     C library.
//   - An inverted index that is decoded on opening (format 1): the time until the first
//     answer grows with the catalog.
//   - Scoring every match (document at a time, WAND): total and facets need every match
//     anyway, and sets give them for less. Grades are needed for the first page alone.
//   - Compressed postings (varints, Roaring): most of the file is JSON, so that little is
//     gained. Arrays and bit maps are what an intersection reads.
//   - An index of deletions, or an automaton, for misspelt words: the first is several times
//     as large as the dictionary; the second is slower for two edits than comparing the
//     letters of words of like length.
//   - Mapping the index file itself, or a hard link to it: cutting it short in place would
//     end the process (SIGBUS).
//   - Embeddings: better for paraphrases, but a model has tens of megabytes and takes
//     milliseconds a query, and nobody can explain its order to an editor. Editors have
//     synonyms in content/ instead.
package search
