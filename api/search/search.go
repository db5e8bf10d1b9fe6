// Package search is the catalogue's search engine. Encode turns settings, taxonomy and
// listings (a Catalog) into the bytes of an index. Open turns these bytes into an Index,
// which lists, fetches and searches: it takes requests parsed by package api and returns
// JSON, ranked as section 4 of the contract specifies. It uses no HTTP and no files, and
// compiles to a small WebAssembly program for browsers (cmd/wasm).
//
// # The index
//
// A file begins with the version of its format, the identity of its content and a table of
// contents. The sections follow. The checksum of a section is made of those of its blocks,
// so that all cores can check it. Open refuses a file of another version or with a wrong
// byte. Numbers are little-endian and read in place.
//
// Each source file writes and reads its part:
//
//	build.go       from listings to sections (reader.go: one listing)
//	format.go      sections and checksums
//	codec.go       settings, taxonomy, tables
//	index.go       the opened sections
//	documents.go   the JSON of each listing, and its parts that hits contain
//	dictionary.go  sorted, numbered texts: words, stems, slugs
//	stems.go       words that share a stem
//	spelling.go    corrections of misspelt words
//	english.go     common English words, which are not misspelt
//	postings.go    the listings that have a word, by field
//	texts.go       the words of each listing
//	categories.go  the asks of each category
//	products.go    names of replaced products
//	facts.go       values of listings for filters, facets and hints
//	order.go       the orders of lists
//
// # How a query is answered
//
// The source files, in order:
//
//	answer.go      from a query to the JSON of its answer
//	fold.go        how text becomes words
//	query.go       from free text to words and hints (vocab.go)
//	computer.go    the user's computer in the words of a query (lexicon.go)
//	quantity.go    numbers with units
//	expansions.go  from words to terms of the index (synonyms.go)
//	lookup.go      from terms to the listings that have each word
//	partial.go     listings that have all words, or some
//	rank.go        the best of many listings
//	grade.go       how well a listing matches (weights.go has the numbers)
//	match.go       the match of one text with the query
//	facets.go      filters and counts
//	machine.go     which listings fit the computer
//	set.go         sets of listings as bits
//	named.go       products that a query names
//	explain.go     why a listing is where it is, for editors
//	workspace.go   the memory of one query, reused for the next
//
// The steps:
//
//  1. parse cuts out the words that name the user's computer, and sorts the others into required words, weak words that are optional,
//     hints (facts that the wording suggests), requirements (platforms, licences) and
//     filler, and counts clauses: what is wanted comes first, circumstances follow. General
//     English is in vocab.go, the rest in the taxonomy.
//  2. expand finds the expansions of each word: the word, words with its stem, its
//     completions if it is the last, two words joined, synonyms. Only if
//     hardly any listing has them, and the word is no common English word, it looks for the
//     nearest spellings.
//  3. lookUp fills three sets of listings for each word from the postings: those that have
//     it in names; in names, purpose, jobs or asks; anywhere. Sets are bit maps that record
//     which blocks were touched, so that rare words cost little in large catalogues.
//  4. Full matches of a tier are the intersection of the words' sets, without those of
//     stronger tiers. Queries of more than shortQuery required words, and sentences, want
//     them in one text, unless too many listings match to read them. Partial matches come from adding the words' weights, rounded to 6 bits, for
//     64 listings at a time.
//  5. Filters are intersections with the sets of their values. Bounds read the column of a
//     number. Facets are counted from the members, the non-members or the lists of the
//     values, whichever are fewest.
//  6. gradeOf reads the texts of the listings that may be on the page, and of no others. It
//     finds expansions by a small hash table behind a filter of filterBits bits. Fields are
//     combined as independent evidence for a word: 1 - Π(1 - weight·quality). Words are
//     weighed by rarity and clause. The arrangement of the words in the best text, the facts
//     of hints, and whether the listing suits who asks complete the quality. Partial matches
//     are lifted by the best of their category. Qualities become grades in steps; equal
//     grades are ordered by whether they fit the computer, hints, stars and slug.
//  7. The JSON is written by appending. Hits are copied from the documents.
//
// # Bounds
//
// A query has at most 16 words, 8,192 completions of the last, and 4 corrected words. In a
// small catalogue, 512 listings of each tier are graded; in a large one 64. If more match one word, those that have it in the best places are chosen, else the
// most popular. Of partial matches, maxLoose with most of the query are graded together. The
// memory of a query is some sets of one bit for each listing, and is reused.
//
// # Alternatives
//
//   - Bleve, or another library: it ranks by BM25 over fields, so that tiers, whole names
//     and hints would be workarounds. Its file is smaller. It is many times slower when
//     facets are counted (make bench-search).
//   - SQLite FTS5: the same, and each facet needs a query. Without cgo it needs a translated
//     C library.
//   - An inverted index that is decoded on opening (format 1): the time until the first
//     answer grows with the catalogue.
//   - Scoring every match (document at a time, WAND): total and facets need every match
//     anyway, and sets are cheaper for that. Only the first page needs grades.
//   - Compressed postings (varints, Roaring): most of the file is JSON, so that little is
//     gained. Arrays and bit maps can be intersected directly.
//   - An index of deletions, or an automaton, for misspelt words: the first is several times
//     as large as the dictionary; the second is slower for two edits than comparing the
//     letters of words of similar length.
//   - Mapping the index file itself, or a hard link to it: truncating it in place would end
//     the process (SIGBUS).
//   - Embeddings: better for paraphrases, but a model has tens of megabytes and takes
//     milliseconds a query, and nobody can explain its order to an editor. Editors have
//     asks and synonyms in content/ instead.
//   - A table of near words from word vectors (GloVe), as weak evidence beside asks: every
//     weight and threshold that was tried made the judged queries a little worse, because
//     near words are of the same subject and not of the same sense ("oven" is near "cake").
package search
