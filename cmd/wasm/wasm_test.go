//go:build !js && !wasip1

// The programs of this folder give the same bytes as the server.
package main_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/server"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/server/processtest"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
	"catalog.example/generator"
	"catalog.example/generator/engine/enginetest"
)

// maxBytes bounds what browsers load to search boundedListings, compressed. A change that adds
// much has linked a package that the engine avoids, such as encoding/json, net/url or regexp.
const (
	maxBytes        = 1_270_000
	boundedListings = 550
)

// queries are of every kind: names, jobs, misspelt words, hints, filters, sorts, errors.
var queries = []string{
	"", "q=chat", "q=transcribe+meetings&limit=5", "q=open-webui", "q=chatgpt+alternative", "q=olama", "q=olama&correct=0", "upkeep=slow,dormant", "q=na%C3%AFve+b%C3%BCro", "q=%EF%AC%81le+%EF%BC%A3%EF%BC%A8%EF%BC%A1%EF%BC%B4", "q=u%CC%88bersetzen", "q=%E3%83%86%E3%82%99%E3%83%BC%E3%82%BF", "q=%EA%B0%80%E1%84%80%E1%85%A1",
	"q=%E5%9B%BE%E7%89%87",
	"q=easy+image+generator+no+gpu", "q=8gb+ram", "q=rust+mit+licence", "q=text+to+speech", "q=best+free", "q=the", "q=zzzzqqqq", "q=a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r",
	"category=chat-apps,agents", "platform=linux&license=MIT", "license=AGPL-3.0&docker=1&beginner=0", "gpu=0&selfHosted=1&facets=0", "license=Nonsense-9.9",
	"sort=newest&limit=50", "sort=recently-updated", "sort=trending&q=chat", "sort=relevance", "sort=popular&q=notes",
	"limit=0", "limit=x&docker=2&category=none&sort=up", "q=a&q=b", "q=%zz", "q=%ff", "q=" + strings.Repeat("x", 300), "categori=chat&utm_source=x&%zz=1",
}

// buildWASI compiles this folder for GOOS=wasip1.
func buildWASI(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "wasi.wasm")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	command.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// run returns the output of a Node.js program.
func run(t *testing.T, stdin string, arguments ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), processtest.Installed(t, "nodejs", "node"), append([]string{"--no-warnings"}, arguments...)...)
	command.Stdin = strings.NewReader(stdin)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnswersEqualServer(t *testing.T) {
	t.Parallel()
	processtest.Installed(t, "nodejs", "node")
	public := t.TempDir()
	settings := site.Defaults()
	settings.Search = site.SearchInBrowser
	report, err := generator.Build(t.Context(), generator.Options{
		Content: "../../content", Out: public, Settings: settings, Engine: enginetest.Compile(t), Pictures: generator.PicturesOff, Now: time.Now(),
	})
	if err != nil {
		t.Fatalf("%v: %v", err, report.Findings)
	}
	index, err := indexfile.Open(public)
	if err != nil {
		t.Fatal(err)
	}
	source, err := snapshot.Open(snapshot.Options{Build: artifact.Build{Folder: public}, Override: func(built site.Settings) (site.Settings, error) {
		built.AnonymousPerMinute = site.MaxAllowance
		return built, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(server.Options{Snapshot: source.Current})
	if err != nil {
		t.Fatal(err)
	}
	queryStrings := queries
	for _, word := range strings.Fields(string(index.AppendList(nil, 0, index.Len())))[:300] { // words of listings, with their punctuation
		queryStrings = append(queryStrings, "q="+url.QueryEscape(word)+"&limit=3")
	}
	var want [][]byte
	for _, q := range queryStrings {
		r := httptest.NewRecorder()
		srv.Handler().ServeHTTP(r, httptest.NewRequest(http.MethodGet, api.PathSearch+"?"+q, nil))
		if r.Code != http.StatusOK && r.Code != http.StatusBadRequest {
			t.Fatalf("%q: the server answers %d %s", q, r.Code, r.Body)
		}
		want = append(want, r.Body.Bytes())
	}

	t.Run("js", func(t *testing.T) {
		total := 0
		arguments := []string{"testdata/ask.js"}
		for _, pattern := range []string{"search-*.js", "search-*.wasm.lzma", "search-*.idx.lzma"} {
			files, err := filepath.Glob(filepath.Join(public, "assets", pattern))
			if err != nil || len(files) != 1 {
				t.Fatalf("%s: %v, %v", pattern, files, err)
			}
			text, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			size := len(text)
			if strings.HasSuffix(pattern, ".idx.lzma") {
				size = size * boundedListings / report.Listings
			}
			t.Logf("%s: %d bytes", pattern, size)
			total += size
			arguments = append(arguments, files[0])
		}
		if total > maxBytes {
			t.Errorf("browsers load %d bytes to search, more than %d", total, maxBytes)
		}
		got := bytes.Split(run(t, strings.Join(queryStrings, "\n"), arguments...), []byte("\n"))
		if len(got) != len(want) {
			t.Fatalf("%d answers to %d queries", len(got), len(want))
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("%q: got %s\nwant %s", queryStrings[i], got[i], want[i])
			}
		}
	})
	t.Run("wasip1", func(t *testing.T) {
		program := buildWASI(t)
		for i, q := range queries[:5] {
			got := run(t, "", "testdata/wasi.mjs", program, public, search.FileName, q)
			if !bytes.Equal(bytes.TrimSuffix(got, []byte("\n")), want[i]) {
				t.Errorf("%q: got %s\nwant %s", q, got, want[i])
			}
		}
	})
}
