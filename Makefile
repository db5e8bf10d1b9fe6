# Everything that is done with this repository. `make run` and `make test` are
# all that a newcomer needs.

export GOTOOLCHAIN := local
# The sources may lie in a checkout whose owner differs from the caller.
export GOFLAGS := -buildvcs=false $(GOFLAGS)

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
ADDR ?= localhost:8080
FUZZTIME ?= 20s

.PHONY: FORCE run old-public test test-race test-plain test-short test-386 soak build man lint schema licences fuzz cover deps clean bench-build bench-yaml bench-relevance bench-search bench-http bench-pages bench-tokens

# Builds the site from content/ and serves pages and API.
run: build old-public
	bin/catalog build --base-url http://$(ADDR)
	bin/catalog serve --addr $(ADDR)

# Versions of catalog before the manifest did not list what they wrote, so that a
# build cannot tell their files from yours. They are moved aside, not deleted.
old-public:
	@if [ -e public/api/v1/search.idx ] && [ ! -e public/.catalog-manifest ]; then \
	  mkdir -p .catalog-cache && aside=$$(mktemp -d .catalog-cache/public-XXXXXX) && \
	  find public/ -mindepth 1 -maxdepth 1 ! -name .gitkeep ! -name .git ! -name CNAME ! -name .nojekyll -exec mv {} "$$aside/" \; && \
	  echo "public/ was written by a version of catalog that did not list its files. What was in it is in $$aside now: take out what is yours, and delete the rest."; \
	fi

# The one binary, without cgo.
build:
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/catalog ./cmd/catalog

# The manual pages of all commands, in the folder MAN. The program that writes them
# is not the one that is shipped: it links libraries that nothing else needs.
MAN := man
man:
	go run -tags man -ldflags '-X main.version=$(VERSION)' ./cmd/catalog man "$(MAN)"

# Everything that a machine can judge. Packages and builds that share memory between
# goroutines are tested with the race detector. It makes tests many times slower, so
# long tests of one goroutine, or of other processes, run without it. The two passes
# run at the same time, one package each, so that both cores stay busy. With -p 1,
# go test would also compile one package at a time, so vet compiles them first.
RACED := ./api/mcp ./api/parallel ./api/search ./api/server/... ./generator/lint ./generator/output ./generator/refresh/...
UNRACED := AMillionAddresses|Attacks|MutatedIndexes|SetsAgreeWithMaps|ShippedListings
RACED_BUILDS := Interrupted|Jobs|Pictures|Progress
test: deps lint
	go vet -race $(RACED)
	@$(MAKE) -s --no-print-directory -j2 TMPDIR="$(call memory)" test-race test-plain
	@$(MAKE) -s --no-print-directory test-386

test-race:
	go test -p 1 -race -timeout 20m -skip '$(UNRACED)' $(RACED)
	go test -p 1 -race -timeout 20m -run '$(RACED_BUILDS)' ./generator
test-plain:
	go test -p 1 -timeout 20m $$(go list ./... | grep -vxF "$$(go list $(RACED))")
	go test -p 1 -timeout 20m -run '$(UNRACED)' $(RACED)
	go -C cmd/bench test -p 1 -timeout 20m ./...

# The folder for temporary files. Builds sync what they write, so tests are faster in
# memory. /dev/shm is used if it has 4 GiB free and programs may run there.
memory = $(shell dir=$$(mktemp -d /dev/shm/catalog-XXXXXX 2>/dev/null) && printf '\043!/bin/sh\n' > $$dir/run && chmod +x $$dir/run && $$dir/run && \
	[ $$(df -kP $$dir | awk 'NR == 2 {print $$4}') -gt 4194304 ] && echo /dev/shm || echo "$${TMPDIR:-/tmp}"; rm -rf "$$dir")

# The quick tests of the latest commit in a fresh clone, with a PATH that has Go and
# nothing else.
test-short:
	@dir=$$(mktemp -d) && mkdir $$dir/bin && ln -s "$$(command -v go)" "$$(command -v gofmt)" $$dir/bin && git clone -q . $$dir/clone && \
	{ PATH=$$dir/bin go -C $$dir/clone test -short ./...; status=$$?; rm -rf $$dir; exit $$status; }

# Damaged index files, where an int has 32 bits.
test-386:
	@if [ "$$(go env GOHOSTOS)/$$(go env GOHOSTARCH)" = linux/amd64 ]; then \
	  GOARCH=386 CGO_ENABLED=0 go test -run 'Mutated|Forged|Damage|Fuzz|Codec' ./api/search ./api/server/indexfile; \
	fi

# The long tests, whole: `make test` runs a tenth of each. Their names begin with
# TestSoak.
soak: deps
	CATALOG_SOAK=1 go test -timeout 120m -v -run '^TestSoak' ./...

# vet comes first: it compiles what the others only read.
lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "gofmt would change: $$unformatted"; exit 1; }
	go vet ./...
	go vet -tags man ./cmd/catalog
	go -C cmd/bench vet ./...
	go -C .ci/gosec vet .
	go build -o bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	bin/staticcheck ./...
	bin/staticcheck -tags man ./cmd/catalog
	cd cmd/bench && ../../bin/staticcheck ./...
	for os in js wasip1; do GOOS=$$os GOARCH=wasm go vet ./cmd/wasm && GOOS=$$os GOARCH=wasm bin/staticcheck ./cmd/wasm || exit 1; done
	go build -C .ci/gosec -o ../../bin/gosec .
	bin/gosec
	go run ./cmd/catalog lint

# The JSON Schema by which editors check listings; a test tells when it is not
# current.
schema:
	go run ./cmd/catalog schema > content/listing.schema.json.new
	mv content/listing.schema.json.new content/listing.schema.json

# The table of licences that the Open Source Initiative approves, by the SPDX list of
# the module that checks licences; a test tells when it is not current.
licences:
	go test ./generator/content -run '^TestOSITableIsCurrent$$' -update-osi

# Each fuzz target for FUZZTIME. Inputs that reach new code are kept in .fuzz/, a
# folder for each package, and the next run begins with them; git ignores it.
# An input that fails is written to testdata/fuzz/ of its package: commit it with
# the mend, and every `go test` tries it from then on.
fuzz:
	@for package in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "$$package $$target"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$package \
	      -test.fuzzcachedir "$(CURDIR)/.fuzz/$$package" || exit 1; \
	  done; \
	done

cover:
	go test -coverprofile cover.out -coverpkg ./... ./...
	go tool cover -func cover.out | tail -n 1

# $(call install,PACKAGES,npm): install Debian packages that are missing, and npm,
# which some packages of Node.js contain.
install = @missing=$$(for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done; \
	$(if $(2),command -v npm >/dev/null || echo npm)); \
	if [ -n "$$missing" ]; then apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing; fi

# What the tests need beyond Go, make and git, from Debian: a C compiler for the
# race detector, a browser for the pages, Redis and nginx for replicas and static
# hosts, curl, Node.js and Python for the programs of the documentation, npm for
# what judges the pages and for clients of the API and of the MCP server. Tests
# start and stop their own servers, never those of the system.
DEBIAN := chromium curl gcc libc6-dev nginx nodejs python3 redis-server
NODE_MODULES := $(addsuffix /node_modules/.package-lock.json,cmd/catalog/testdata/pagecheck cmd/catalog/testdata/inspector cmd/catalog/testdata/client)
deps:
	$(call install,$(DEBIAN),npm)
	@$(MAKE) -s --no-print-directory $(NODE_MODULES)

# npm writes this file last, so that it is newer than the lock file where all is
# there.
%/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --ignore-scripts --no-audit --no-fund

# The benchmarks, a module of their own: cmd/bench. ARGS are flags, which -h lists:
# make bench-search ARGS='-sizes real,10000 -engines ours'. With -before FILE,
# bench-build, bench-http and bench-search also measure the program of another
# commit in the same run.
bin/bench: FORCE
	@CGO_ENABLED=0 go build -C cmd/bench -o ../../bin/bench .
FORCE:

# A build beside Hugo's, for the same 10,000 listings. The first run downloads Hugo.
bench-build: bin/bench
	bin/bench build $(ARGS)

# Requests a second on one core, beside a bare net/http server and nginx.
bench-http: bin/bench
	$(call install,nginx wrk)
	bin/bench http $(ARGS)

# Lighthouse's scores of home, search, category and listing, and what they weigh.
bench-pages: bin/bench
	$(call install,chromium nodejs,npm)
	@$(MAKE) -s --no-print-directory cmd/bench/pages/lighthouse/node_modules/.package-lock.json
	bin/bench pages $(ARGS)

# The order of search results for the judged queries, beside SQLite FTS5, Bleve,
# MiniSearch and Pagefind. ARGS=-held-out measures the third that is held out.
bench-relevance: bin/bench
	$(call install,nodejs,npm)
	@$(MAKE) -s --no-print-directory cmd/bench/engine/node_modules/.package-lock.json
	bin/bench relevance $(ARGS)

# The speed of the search, from the shipped listings to a million, beside SQLite
# FTS5 and Bleve. It needs 10 GiB of disk.
bench-search: bin/bench
	bin/bench search $(ARGS)

# What an agent reads to get 3 to 5 fits, by each way to the facts, in tokens.
bench-tokens: bin/bench
	$(call install,nodejs)
	bin/bench tokens $(ARGS)

# Strict decoding of front matter beside other YAML libraries.
bench-yaml: bin/bench
	bin/bench yaml $(ARGS)

clean:
	rm -rf bin man cover.out
