package main

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"catalog.example/api/server"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/processtest"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/soak"
)

// serveSmall builds and serves the small content folder, and returns the base address
// and the build output.
func serveSmall(t *testing.T) (base, public string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base = "http://" + listener.Addr().String()
	public = buildSite(t, filepath.Join(t.TempDir(), "public"), base, "")
	source, err := snapshot.Open(snapshot.Options{Build: artifact.Build{Folder: public}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Options{Snapshot: source.Current})
	if err != nil {
		t.Fatal(err)
	}
	httpServer := httptest.NewUnstartedServer(s.Handler())
	_ = httpServer.Listener.Close()
	httpServer.Listener = listener
	httpServer.Start()
	t.Cleanup(httpServer.Close)
	return base, public
}

// docSamples returns the example programs of the API documentation by name,
// such as "searchCatalog-python".
func docSamples(t *testing.T, public string) map[string]string {
	t.Helper()
	file, err := os.Open(filepath.Join(public, "docs", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	root, err := html.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	samples := map[string]string{}
	for n := range root.Descendants() {
		if n.DataAtom != atom.Pre {
			continue
		}
		for _, a := range n.Attr {
			if name, ok := strings.CutPrefix(a.Val, "sample-"); ok && a.Key == "id" {
				var code strings.Builder
				for inner := range n.Descendants() {
					if inner.Type == html.TextNode {
						code.WriteString(inner.Data)
					}
				}
				samples[name] = code.String()
			}
		}
	}
	return samples
}

// TestDocumentedPrograms runs every example program of the API documentation against a
// real server.
func TestDocumentedPrograms(t *testing.T) {
	t.Parallel()
	_, public := serveSmall(t)
	samples := docSamples(t, public)
	if len(samples) != 4*4+2 {
		t.Errorf("there are %d programs, want one in each of 4 languages for each of 4 operations, one with the key, and the steps of agents", len(samples))
	}
	wantOutput := map[string]string{
		"searchCatalog": "/projects/", "listProjects": "/projects/paper-lantern/", "getProject": "/projects/", "getOpenAPI": "Catalog API", "key": `"hits"`, "agents": "/projects/",
	}
	for name, code := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			operation, language, _ := strings.Cut(name, "-")
			dir := t.TempDir()
			var command *exec.Cmd
			switch language {
			case "curl":
				processtest.Installed(t, "curl", "curl")
				command = exec.CommandContext(t.Context(), "sh", "-c", code)
			case "javascript":
				command = exec.CommandContext(t.Context(), processtest.Installed(t, "nodejs", "node"), writeProgram(t, dir, "sample.mjs", code))
			case "python":
				command = exec.CommandContext(t.Context(), processtest.Installed(t, "python3", "python3"), writeProgram(t, dir, "sample.py", code))
			case "go":
				soak.Long(t) // it is compiled
				command = exec.CommandContext(t.Context(), "go", "run", writeProgram(t, dir, "sample.go", code))
				if formatted, err := exec.CommandContext(t.Context(), "gofmt", "-l", dir).Output(); err != nil || len(formatted) > 0 {
					t.Errorf("gofmt would change it: %v\n%s", err, code)
				}
			default:
				t.Fatalf("no way to run %s", language)
			}
			output, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s\n%s", err, output, code)
			}
			if !strings.Contains(string(output), wantOutput[operation]) {
				t.Errorf("it says %.300q, without %q", output, wantOutput[operation])
			}
		})
	}
}

func writeProgram(t *testing.T, dir, name, code string) (file string) {
	t.Helper()
	file = filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(code+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTryForm submits the form of the documentation in a real browser without
// JavaScript. The Content-Security-Policy must allow it.
func TestTryForm(t *testing.T) {
	t.Parallel()
	base, _ := serveSmall(t)
	b := newBrowser(t)
	const form = "form.try[action$='/api/v1/search'] "
	if _, err := chromedp.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b, testTimeout)
	defer cancel()
	err := chromedp.Do(ctx, chromedp.Navigate(base+"/docs/"), chromedp.WaitVisible("main h1"),
		chromedp.Click("details:has(> form.try[action$='/api/v1/search']) > summary"), chromedp.SendKeys(form+"[name=q]", "paper lantern"), chromedp.Click(form+"button:not([type])"), chromedp.WaitVisible("body > pre")) // how Chromium shows JSON
	if err != nil {
		t.Error(err)
	}
	b.mu.Lock() // for JSON, Chromium requests a default icon
	b.faults = slices.DeleteFunc(b.faults, func(fault string) bool { return strings.Contains(fault, "/favicon.ico") })
	b.mu.Unlock()
	b.report(t)
	if t.Failed() {
		t.FailNow()
	}
	address := evaluate[string](t, b, "location.href")
	if !strings.HasPrefix(address, base+"/api/v1/search?q=paper+lantern&") {
		t.Errorf("the form asks %s", address)
	}
	if body := evaluate[string](t, b, "document.body.textContent"); !strings.Contains(body, `"slug":"paper-lantern"`) {
		t.Errorf("the answer is %.300s", body)
	}
}
