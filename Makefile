# All tasks of this repository. `make run` and `make test` are enough to begin with.

export GOTOOLCHAIN := local
# The checkout may belong to another user.
export GOFLAGS := -buildvcs=false $(GOFLAGS)

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
# The commit, and its day in UTC, which `catalog version` prints too.
COMMIT := $(shell git log -1 --format=%H 2>/dev/null)
DATE := $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%d --format=%cd 2>/dev/null)
STAMP := -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)
ADDR ?= localhost:8080
FUZZTIME ?= 20s

.PHONY: FORCE run old-public test modules test-catalog test-plain test-race test-bench test-dist test-short test-386 soak build engine man dist lint vet check check-code check-deploy check-content changed-pages schema licences land screenshots fuzz cover lines deps clean measure vulnerabilities engines bench-agents bench-all bench-browser bench-build bench-yaml bench-relevance bench-search bench-http bench-pages bench-replicas bench-scale bench-tokens

# Build the site from content/, and serve pages and API. Pages contain the address, so each
# address has its own output folder.
OUT := $(if $(filter localhost:8080,$(ADDR)),public,.catalog-cache/run/$(subst :,-,$(ADDR)))
run: build old-public
	@echo "Building the site from content/ into $(OUT)/"
	@mkdir -p $(OUT)
	@bin/catalog build --base-url http://$(ADDR) --out $(OUT)
	@echo "Serving the pages and the API, until you press Ctrl-C"
	@bin/catalog serve --addr $(ADDR) --public $(OUT) || { echo "If another program uses $(ADDR), try: make run ADDR=localhost:8081"; exit 1; }

# Old versions of catalog wrote no manifest, so a build cannot distinguish their files from
# yours. They are moved aside, not deleted.
old-public:
	@if [ -e public/api/v1/search.idx ] && [ ! -e public/.catalog-manifest ]; then \
	  mkdir -p .catalog-cache && aside=$$(mktemp -d .catalog-cache/public-XXXXXX) && \
	  find public/ -mindepth 1 -maxdepth 1 ! -name .gitkeep ! -name .git ! -name CNAME ! -name .nojekyll -exec mv {} "$$aside/" \; && \
	  echo "An old version of catalog wrote public/ without a list of its files, so everything in it has been moved to $$aside. Take out your own files, and delete the rest."; \
	fi

# Build the program without cgo. It contains the search engine for browsers.
build: engine
	@echo "Compiling bin/catalog (the first time, this takes about a minute)"
	@CGO_ENABLED=0 go build -trimpath -tags engine -ldflags '-s -w $(STAMP)' -o bin/catalog ./cmd/catalog

# Compile the search engine for browsers, which `build` embeds, and copy the script of this
# Go release that runs it.
engine:
	@echo "Getting the modules that are not here yet"
	@go list -deps ./cmd/catalog > /dev/null
	@echo "Compiling the search engine for browsers"
	@go run ./cmd/wasm/compile generator/engine

# Write the manual pages of all commands to the folder MAN. The shipped program cannot do
# this, because it needs libraries that nothing else needs.
MAN := man
man:
	go run -tags man -ldflags '$(STAMP)' ./cmd/catalog man "$(MAN)"

# Write the files of a release into dist/: archives for six platforms, a container image,
# an SBOM and checksums. SOURCE is the address of the repository, for the image's labels.
SOURCE :=
dist: engine
	go build -C cmd/dist -o ../../bin/dist .
	bin/dist -version '$(VERSION)' -source '$(SOURCE)' -out dist

# Run all tests and linters. Two groups of them run at a time, one for each of two cores,
# the longest first, with one package each. With -p 1, go test would also compile one
# package at a time, so go vet and go list compile them first. Tests of what goroutines
# share also run with the race detector, which makes them many times slower.
RACED := ./api/parallel ./api/search/query ./api/server ./api/server/artifact ./api/server/ratestore ./generator ./generator/dev ./generator/lint ./generator/output ./generator/refresh
RACED_TESTS := AreShared|AtOnce|Barrage|CacheForMany|ClientsNotReading|Concurrent|ConnectionsAre|Downloads|Draft|Draining|Finish|Follow|HostileRedis|Interrupted|Jobs|LateAnswers|MCPConnections|MCPReload|ManyRequests|OneBuild|Overloaded|Pictures|Progress|RedisKilled|Reload|RequestsAreCounted|Restarts|SharedBodies|Slots|Slow|Switch|UnderLoad|Unread|Waiting|Watch
test: deps vet modules
	go list -race -export -test -deps $(RACED) > /dev/null
	@$(alone) $(MAKE) -s --no-print-directory -j2 TMPDIR="$(call memory)" test-catalog test-plain test-race check test-bench test-dist test-386

# Tests talk to loopback only. On Linux, root gives them a network of their own that has nothing
# else. No test fails there because another program uses a port, or because a firewall closes one.
# A test that asks another host fails.
alone = $(shell unshare -n ip link set lo up 2>/dev/null && echo "unshare -n sh -c 'ip link set lo up && exec \"\$$0\" \"\$$@\"'")

# Get the modules that vet has not needed: those of the linters, and of other systems.
modules:
	@go list -deps honnef.co/go/tools/cmd/staticcheck > /dev/null
	@go list -C .ci/tools -deps tool > /dev/null
	@for os in darwin windows; do GOOS=$$os go list -deps ./cmd/catalog > /dev/null || exit 1; done

# These tests wait for browsers and servers, so more than one a core run at a time.
test-catalog:
	go test -vet=off -parallel 4 -timeout 20m ./cmd/catalog
test-plain:
	go test -p 1 -vet=off -timeout 20m $$(go list ./... | grep -v '/cmd/catalog$$')
# The garbage collector is slow with the race detector, so it runs less often.
test-race: export GOGC := 400
test-race:
	go test -p 1 -vet=off -race -timeout 20m -run '$(RACED_TESTS)' $(RACED)
test-bench:
	go -C cmd/bench test -p 1 -vet=off -timeout 20m ./...
test-dist:
	go -C cmd/dist test -p 1 -vet=off -timeout 20m ./...

# The folder for temporary files. Builds sync their files, so tests are faster in memory.
# /dev/shm is used if it has 4 GiB free and programs may run there.
memory = $(shell dir=$$(mktemp -d /dev/shm/catalog-XXXXXX 2>/dev/null) && printf '\043!/bin/sh\n' > $$dir/run && chmod +x $$dir/run && $$dir/run && \
	[ $$(df -kP $$dir | awk 'NR == 2 {print $$4}') -gt 4194304 ] && echo /dev/shm || echo "$${TMPDIR:-/tmp}"; rm -rf "$$dir")

# Run the short tests of the latest commit in a fresh clone, with only Go in PATH.
test-short:
	@dir=$$(mktemp -d) && mkdir $$dir/bin && ln -s "$$(command -v go)" "$$(command -v gofmt)" $$dir/bin && git clone -q . $$dir/clone && \
	{ PATH=$$dir/bin go -C $$dir/clone test -short ./... && PATH=$$dir/bin go -C $$dir/clone/cmd/dist test -short ./...; status=$$?; rm -rf $$dir; exit $$status; }

# Test damaged index files where an int has 32 bits. Some kernels cannot run 32-bit
# programs. There, the tests are only compiled.
test-386:
	@if [ "$$(go env GOHOSTOS)/$$(go env GOHOSTARCH)" = linux/amd64 ]; then \
	  export GOARCH=386 CGO_ENABLED=0; program=$$(mktemp) && go test -c -o $$program ./api/server/indexfile || exit 1; \
	  $$program -test.run '^$$' >/dev/null 2>&1; status=$$?; rm -f $$program; \
	  if [ $$status = 126 ]; then echo "This kernel cannot run 32-bit programs, so damaged indexes are tested with 64 bits only."; go test -c -o /dev/null ./api/search/index; \
	  else go test -run 'Mutated|Forged|Damage|Fuzz|Codec' ./api/search/... ./api/server/indexfile; fi; \
	fi

# Run the long tests in full. `make test` runs a tenth of each. Their names begin with
# TestSoak.
soak: deps
	CATALOG_SOAK=1 go test -timeout 120m -v -run '^TestSoak' ./...
	CATALOG_SOAK=1 go -C cmd/dist test -timeout 120m -v -run '^TestSoak' ./...

# What kube-score does not check in the manifests:
# - the pull policy: tags are versions, so an image that is there is the right one;
# - users above 10,000: the image of Redis has the user 999;
# - that probes differ: Redis is ready when it answers;
# - limits of all files: Redis writes into one folder, which has a limit.
KUBE_SCORE := --kubernetes-version v1.32 --ignore-test container-image-pull-policy,container-security-context-user-group-id,pod-probes-identical,container-ephemeral-storage-request-and-limit

lint: vet check check-content

# Check the format, and what go vet checks. This also compiles what others only read.
vet: export GOGC := 400
vet: engine
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "gofmt would change: $$unformatted"; exit 1; }
	go vet ./...
	go vet -tags man,engine ./cmd/catalog ./generator/engine
	go -C cmd/bench vet ./...
	go -C cmd/dist vet ./...
	go -C .ci/gosec vet .
	go -C .ci/deploy vet .
	for os in js wasip1; do GOOS=$$os GOARCH=wasm GOFLAGS="$(GOFLAGS) -trimpath" go vet ./cmd/wasm || exit 1; done

# Run the other linters of code, after vet. Those that take long run only if their files have
# changed.
check: export GOGC := 400
check: check-code check-deploy
check-code:
	go build -o bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	.ci/once staticcheck '*.go' 'go.mod' -- bin/staticcheck -tags man,engine ./...
	.ci/once staticcheck-bench '*.go' '*go.mod' -- sh -c 'cd cmd/bench && ../../bin/staticcheck ./...'
	.ci/once staticcheck-dist '*.go' '*go.mod' -- sh -c 'cd cmd/dist && ../../bin/staticcheck ./...'
	for os in js wasip1; do GOOS=$$os GOARCH=wasm GOFLAGS="$(GOFLAGS) -trimpath" .ci/once staticcheck-$$os '*.go' 'go.mod' -- bin/staticcheck ./cmd/wasm || exit 1; done
	go build -C .ci/gosec -o ../../bin/gosec .
	.ci/once gosec '*.go' '*go.mod' -- bin/gosec
check-deploy:
	go build -C .ci/tools -o ../../bin/ github.com/rhysd/actionlint/cmd/actionlint github.com/zegl/kube-score/cmd/kube-score sigs.k8s.io/kustomize/kustomize/v5
	go -C .ci/deploy test -vet=off .
	go build -C .ci/deploy -o ../../bin/deploy .
	bin/deploy
	@# Those of this repository, and those that init writes.
	@site=$$(mktemp -d) && trap 'rm -rf $$site' EXIT && $(CATALOG) init $$site/a > /dev/null && bin/actionlint -shellcheck= -pyflakes= .github/workflows/*.yml $$site/a/.github/workflows/*.yml
	@for overlay in deploy/kubernetes/overlays/*; do echo "kube-score: $$overlay"; out=$$(bin/kustomize build $$overlay | bin/kube-score score $(KUBE_SCORE) -) || { echo "$$out"; exit 1; }; done

# Look for known vulnerabilities in the modules of this repository, if the database can be reached.
# This is no part of `make test`: a new entry there must not fail a commit that was green. A workflow
# runs it weekly.
vulnerabilities:
	go build -C .ci/tools -o ../../bin/ golang.org/x/vuln/cmd/govulncheck
	@.ci/vulnerabilities bin/govulncheck

# Check the listings and the taxonomy as `make test` does: the rules, links between pages, the
# canonical form, and the shares that catalog.yml requires. It needs only Go. FORMAT=github
# shows the findings at their lines in a pull request.
CATALOG := go run ./cmd/catalog
FORMAT := text
check-content:
	$(CATALOG) lint --strict --format $(FORMAT)

# Copy the pages that differ from those of the commit BASE into changed/, with styles, scripts,
# the data of lists and the list changes.txt. To look at them, run: python3 -m http.server -d
# changed. Searches do not work there. This target needs GNU tools.
BASE := HEAD
changed-pages:
	@rm -rf changed && mkdir changed && old=$$(mktemp -d) && trap 'rm -rf $$old' EXIT && \
	git archive $(BASE) content catalog.yml | tar -x -C $$old && \
	$(CATALOG) build --quiet --pictures=off --cache= --config $$old/catalog.yml --content $$old/content --out $$old/public && \
	$(CATALOG) build --quiet --pictures=off --cache= --out $$old/public --changes changed/changes.txt && \
	awk -F '\t' '$$1 != "gone" && $$2 ~ /(\.html|table\.json)$$/ {print $$2}' changed/changes.txt | (cd $$old/public && xargs -r cp --parents -t "$(CURDIR)/changed" newest/table.json) && \
	cp -R $$old/public/assets changed/

# Write the JSON Schema for editors. A test fails if it is not current.
schema:
	go run ./cmd/catalog schema > content/listing.schema.json.new
	mv content/listing.schema.json.new content/listing.schema.json

# Write the table of licences that the Open Source Initiative approves, from the SPDX
# list of the module that checks licences. A test fails if it is not current.
licences:
	go test ./generator/content -run '^TestOSITableIsCurrent$$' -update-osi

# Make the outlines of land on maps anew, of Natural Earth as a package of npm has it.
WORLD := world-atlas@2.0.2
land:
	$(call install,,npm)
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && npm pack --silent --pack-destination $$dir $(WORLD) > /dev/null && \
	tar -xzf $$dir/*.tgz -C $$dir && go test ./generator/atlas -run '^TestLand$$' -v -update-land $$dir/package

# Run each fuzz target for FUZZTIME. Inputs that reach new code are kept in .fuzz/, which
# git ignores, and the next run starts with them. A failing input is written to
# testdata/fuzz/ of its package: commit it with the fix, and `go test` always runs it.
fuzz:
	@for package in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "$$package $$target"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$package \
	      -test.fuzzcachedir "$(CURDIR)/.fuzz/$$package" || exit 1; \
	  done; \
	done

# Take the screenshots of the README and of the page for owners again, in Chromium.
screenshots:
	$(call install,chromium)
	go test ./cmd/catalog -count=1 -run '^Test(Screenshots|ExamplePictures)$$' -update-screenshots

# Print the share of the code that tests reach.
cover:
	go test -coverprofile cover.out -coverpkg ./... ./...
	go tool cover -func cover.out | tail -n 1

# $(call install,PACKAGES,npm) installs missing Debian packages, and npm if Node.js came
# without it.
install = @missing=$$(for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done; \
	$(if $(2),command -v npm >/dev/null || echo npm)); \
	if [ -n "$$missing" ]; then apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing; fi

# Print the lines of Go without tests: first those of the program by package, then those of
# each part of the repository.
lines:
	@git ls-files '*.go' | grep -v '_test\.go$$' | xargs wc -l | awk '$$2 != "total" { \
	  sub(/\/[^\/]*$$/, "", $$2); part = "the program"; \
	  if ($$2 ~ /^cmd\/(bench|dist|engines)|^\.ci/) part = $$2 ~ /^\.ci/ ? ".ci" : substr($$2, 1, index(substr($$2, 5) "/", "/") + 3); \
	  if ($$2 ~ /\/(apitest|enginetest|forgetest|processtest|soak)$$/) part = "helpers of tests"; \
	  parts[part] += $$1; if (part == "the program") packages[$$2] += $$1 } \
	  END { for (p in packages) printf "%6d %s\n", packages[p], p | "sort -rn"; close("sort -rn"); for (p in parts) printf "%6d in all: %s\n", parts[p], p | "sort -rn" }'

# Packages for tests beyond Go, make and git: a C compiler for the race detector, three
# browsers for pages, with a screen for WebKit's, Redis for replicas, nginx and Caddy for
# static hosts and in front of replicas, Varnish as a CDN, systemd for its unit, Docker and
# Podman for the container image, curl, Node.js and Python for the programs of the
# documentation, ip for the network of tests, and npm for page checks, clients of the API and
# of the MCP server, the rules of other hosts, and the schema of the SBOM. Tests start and stop
# their own servers.
DEBIAN := caddy chromium curl docker.io firefox-esr gcc iproute2 libc6-dev nginx nodejs podman python3 redis-server systemd varnish webkit2gtk-driver xvfb
NODE_MODULES := $(addsuffix /node_modules/.package-lock.json,cmd/catalog/testdata/pagecheck cmd/catalog/testdata/inspector cmd/catalog/testdata/client cmd/catalog/testdata/hosts cmd/dist/testdata/cyclonedx)
deps:
	$(call install,$(DEBIAN),npm)
	@$(MAKE) -s --no-print-directory $(NODE_MODULES)

# npm writes this file last, so it is newer than the lock file if all is installed.
%/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --ignore-scripts --no-audit --no-fund

# Install the packages that recipes in content/measure/ name, run them in a sandbox without network,
# and print how much memory they take. ARGS names listings and flags: make measure ARGS='-write ollama'
# writes the figures into a listing. Programs of others run, in bubblewrap only, so no test does this.
measure:
	$(call install,bubblewrap curl nodejs,npm)
	@CGO_ENABLED=0 go build -o bin/measure ./cmd/measure
	bin/measure $(ARGS)

# Start what deploy/ ships on Docker and Podman, replace and kill its parts under requests, and
# print a table. It needs root, and takes ten minutes and more, so no test does this. The first run
# compiles Docker Compose, which Debian 12 does not have. A newer podman-compose may be put into
# bin/. ARGS are flags: make engines ARGS='-only docker'. The exit status is 2 if an engine cannot
# run on this machine.
COMPOSE := v2.40.3
bin/docker-compose:
	@echo "Compiling Docker Compose $(COMPOSE)"
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && module=github.com/docker/compose/v2 && \
	from=$$(go mod download -json $$module@$(COMPOSE) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') && \
	cp -R "$$from/." $$dir && chmod -R u+w $$dir && CGO_ENABLED=0 go build -C $$dir -trimpath \
	  -ldflags "-s -w -X $$module/internal.Version=$(COMPOSE)" -o "$(CURDIR)/$@" ./cmd
engines: build bin/docker-compose
	$(call install,catatonit containernetworking-plugins docker.io netcat-openbsd nginx openssl podman podman-compose redis-server runc wget)
	go build -C .ci/tools -o ../../bin/ sigs.k8s.io/kustomize/kustomize/v5
	go build -C cmd/dist -o ../../bin/dist .
	mkdir -p .catalog-cache
	bin/dist -version v0.0.0-engines -platform linux/$$(go env GOARCH) -out .catalog-cache/engines
	go build -o bin/engines ./cmd/engines
	bin/engines -image .catalog-cache/engines/catalog_v0.0.0-engines_oci.tar $(ARGS)

# The benchmarks are in a module of their own, cmd/bench. ARGS are flags; -h lists them:
# make bench-search ARGS='-sizes real,10000 -engines ours'. With -before FILE,
# bench-build, bench-http and bench-search also measure the program of another commit.
bin/bench: FORCE
	@CGO_ENABLED=0 go build -C cmd/bench -o ../../bin/bench .
FORCE:

# Whether a scripted agent hands on what is right.
bench-agents: bin/bench
	bin/bench agents $(ARGS)

# What builds, the server, the search and the engine for browsers aim at, in one table. It takes hours
# and what bench-scale and bench-search need. ARGS='-before FOLDER' measures another commit, too, in
# whose checkout make build bin/bench has run.
bench-all: bin/bench build
	$(call install,chromium nginx nodejs wrk,npm)
	@$(MAKE) -s --no-print-directory cmd/bench/pages/lighthouse/node_modules/.package-lock.json cmd/bench/engine/node_modules/.package-lock.json
	bin/bench all $(ARGS)

# Compare builds and previews with Hugo's, for the same 10,000 listings, and a build after one
# listing has changed with one from nothing. The first run downloads Hugo.
bench-build: bin/bench
	bin/bench build $(ARGS)

# Measure searches in the browser, on an emulated phone, compared with Pagefind.
bench-browser: bin/bench build
	$(call install,chromium nodejs,npm)
	@$(MAKE) -s --no-print-directory cmd/bench/pages/lighthouse/node_modules/.package-lock.json cmd/bench/engine/node_modules/.package-lock.json
	bin/bench browser $(ARGS)

# Requests per second on one core, compared with a bare net/http server and nginx.
bench-http: bin/bench
	$(call install,nginx wrk)
	bin/bench http $(ARGS)

# Lighthouse scores and sizes of seven kinds of page, and how fast a list is ordered and
# filtered, compared with List.js.
bench-pages: bin/bench
	$(call install,chromium nodejs,npm)
	@$(MAKE) -s --no-print-directory cmd/bench/pages/lighthouse/node_modules/.package-lock.json
	bin/bench pages $(ARGS)

# The relevance of search results for the judged queries, compared with SQLite FTS5,
# Bleve, MiniSearch and Pagefind. ARGS=-held-out measures the held-out third.
bench-relevance: bin/bench
	$(call install,nodejs,npm)
	@$(MAKE) -s --no-print-directory cmd/bench/engine/node_modules/.package-lock.json
	bin/bench relevance $(ARGS)

# Requests per second of several replicas behind nginx, while builds and programs are
# replaced, and with requests counted in Redis, compared with nginx alone.
bench-replicas: bin/bench
	$(call install,nginx redis-server wrk)
	bin/bench replicas $(ARGS)

# Time, memory and output of builds of 100 to 100,000 listings, the curve in
# deploy/SCALING.md. It needs 12 GiB in /dev/shm, or another folder with -dir.
bench-scale: bin/bench
	bin/bench scale $(ARGS)

# The speed of the search, from the shipped listings to a million, compared with SQLite
# FTS5 and Bleve. It needs 10 GiB of disk.
bench-search: bin/bench
	bin/bench search $(ARGS)

# The tokens that an agent reads to find 3 to 5 suitable listings, by each interface.
bench-tokens: bin/bench
	$(call install,nodejs)
	bin/bench tokens $(ARGS)

# The speed of strict decoding of front matter, compared with other YAML libraries.
bench-yaml: bin/bench
	bin/bench yaml $(ARGS)

# Delete all files that the targets write, except public/.
clean:
	rm -rf bin changed dist man cover.out generator/engine/search.wasm* generator/engine/wasm_exec.js
