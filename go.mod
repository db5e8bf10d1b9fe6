module catalog.example

go 1.26.0

// Each module has what it is for, and what leaving it would take. go.opentelemetry.io/otel with otlptracehttp is not
// here: it adds 3.5 MB to a binary of 37 MB, and gRPC; api/server/traces has the 250 lines that are needed of it.
require (
	github.com/andybalholm/brotli v1.2.8 // Brotli of responses; without it, gzip for old browsers
	github.com/blevesearch/snowballstem v0.9.0 // stemmers; without it, another port of Snowball
	github.com/bmatcuk/doublestar/v4 v4.10.4 // ** in globs; without it, a walk and a matcher
	github.com/chromedp/cdproto v0.159.2 // tests in a browser
	github.com/chromedp/chromedp v0.23.0 // tests in a browser
	github.com/creack/pty v1.1.24 // tests in a terminal
	github.com/fsnotify/fsnotify v1.10.1 // notices saved files; without it, polling
	github.com/getkin/kin-openapi v0.152.0 // tests of answers against the OpenAPI document
	github.com/github/go-spdx/v2 v2.7.0 // the SPDX licence list; without it, a copy of the list
	github.com/google/jsonschema-go v0.4.3 // JSON Schemas of Go types; the MCP SDK has it anyway; without it, some 200 lines of reflection
	github.com/gosimple/slug v1.15.0 // file names from names in any script; without it, tables of letters
	github.com/hashicorp/golang-lru/v2 v2.0.7 // the cache of representations; without it, a map and a list
	github.com/jedib0t/go-pretty/v6 v6.8.3 // tables in the terminal; without it, plain lines
	github.com/klauspost/compress v1.20.3 // zstd of responses, and S2 for those in memory; without it, Brotli alone, and fewer answers in memory
	github.com/modelcontextprotocol/go-sdk v1.8.0 // MCP in all its versions, 2.1 MB of the binary; without it, some 2,000 lines
	github.com/owenrumney/go-sarif/v3 v3.3.1 // tests of SARIF against its schema
	github.com/pelletier/go-toml/v2 v2.4.3 // TOML as front matter, for catalog import; without it, a message to convert the files
	github.com/prometheus/client_golang v1.25.0 // /metrics; without it, some hundred lines
	github.com/redis/go-redis/v9 v9.23.0 // Redis, Cluster and Sentinels, 8.2 MB of the binary; without it, 350 lines for one Redis alone
	github.com/rogpeppe/go-internal v1.16.0 // tests of the command line as its users drive it
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // tests of schemas and answers against JSON Schema
	github.com/spf13/cobra v1.10.2 // commands, completion, manual pages; without it, flag and some hundred lines
	github.com/spf13/pflag v1.1.0 // the flags of cobra
	github.com/tdewolff/minify/v2 v2.24.25 // smaller HTML, CSS, JavaScript, JSON, XML, SVG; without it, larger files
	github.com/tdewolff/parse/v2 v2.8.20 // mistakes in CSS; it comes with minify
	github.com/yuin/goldmark v1.8.7 // CommonMark without raw HTML; without it, another renderer
	go.yaml.in/yaml/v4 v4.0.0 // YAML nodes with line and column, chosen with make bench-yaml; without it, another parser
	golang.org/x/image v0.47.0 // draws the pictures of link previews, reads those in WebP; without it, neither
	golang.org/x/net v0.62.0 // host names in lint and imports (idna); pages in tests (html); without it, 40 lines of RFC 3492
	golang.org/x/sys v0.49.0 // swaps two folders in one call (renameat2); without it, raw system calls
	golang.org/x/term v0.47.0 // the width of the terminal; without it, raw system calls
	golang.org/x/text v0.43.0 // Unicode normalisation and language tags; without it, tables of our own
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.6 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/go-openapi/jsonpointer v1.0.2 // indirect
	github.com/gosimple/unidecode v1.0.1 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/kr/pretty v0.3.1 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/oasdiff/yaml v0.1.1 // indirect
	github.com/oasdiff/yaml3 v0.0.14 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/xeipuuv/gojsonpointer v0.0.0-20180127040702-4e3ac2762d5f // indirect
	github.com/xeipuuv/gojsonreference v0.0.0-20180127040603-bd5ef7bd5415 // indirect
	github.com/xeipuuv/gojsonschema v1.2.0 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

tool honnef.co/go/tools/cmd/staticcheck
