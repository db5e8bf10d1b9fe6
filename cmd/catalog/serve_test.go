//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/site"
	"catalog.example/api/soak"
)

// testTimeout bounds every wait for a started program.
const testTimeout = time.Minute

// buildSmall builds the small content folder. The program is this test binary, which
// TestMain runs as catalog.
func buildSmall(t *testing.T) (program, public string) {
	t.Helper()
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	public = filepath.Join(t.TempDir(), "public")
	if out, err := exec.CommandContext(t.Context(), program, "build", "--quiet", "--content", "testdata/content", "--out", public).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program, public
}

// serveProcess is a running catalog serve.
type serveProcess struct {
	command *exec.Cmd
	lines   *bufio.Scanner // standard output
	stderr  *processtest.Output
}

// startServe starts catalog serve. It is killed at the end of the test.
func startServe(t *testing.T, program string, args ...string) *serveProcess {
	t.Helper()
	return startServeWith(t, func(*serveProcess) {}, program, args...)
}

// startServeWith is startServe after a change to the command.
func startServeWith(t *testing.T, change func(*serveProcess), program string, args ...string) *serveProcess {
	t.Helper()
	return startServeFor(t, testTimeout, change, program, args...)
}

// startServeFor is startServeWith with another time after which the program is killed.
func startServeFor(t *testing.T, most time.Duration, change func(*serveProcess), program string, args ...string) *serveProcess {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	s := &serveProcess{command: exec.CommandContext(ctx, program, append([]string{"serve"}, args...)...), stderr: &processtest.Output{}}
	s.command.Stderr = s.stderr
	s.command.Env = append(os.Environ(), "CATALOG_TITLE=Another title")
	out, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.lines = bufio.NewScanner(out)
	change(s)
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = s.command.Wait() // fails if the test has waited already
	})
	return s
}

// address reads the next line of standard output and returns the address in it.
func (s *serveProcess) address(t *testing.T, prefix string) string {
	t.Helper()
	if !s.lines.Scan() {
		t.Fatalf("standard output ends where %q is expected: %v\n%s", prefix, s.lines.Err(), s.stderr)
	}
	m := regexp.MustCompile(`^` + prefix + ` (http://127\.0\.0\.1:[1-9][0-9]*)$`).FindStringSubmatch(s.lines.Text())
	if m == nil {
		t.Fatalf("standard output says %q where %q is expected", s.lines.Text(), prefix)
	}
	return m[1]
}

// end waits for the end, and returns the rest of standard output and the exit status.
func (s *serveProcess) end(t *testing.T) (rest string, status int) {
	t.Helper()
	for s.lines.Scan() {
		rest += s.lines.Text() + "\n"
	}
	err := s.command.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return rest, s.command.ProcessState.ExitCode()
}

// fetch gets an address.
func fetch(t *testing.T, address string) (status int, body string) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// TestServe checks that the program prints its addresses, answers there, and ends on a
// signal with status 0.
func TestServe(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, public := buildSmall(t)
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			s := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0")
			admin := s.address(t, "admin on")
			address := s.address(t, "listening on")

			for path, want := range map[string]string{
				"/":                               "<!doctype html>",
				"/projects/paper-lantern/":        "Paper Lantern",
				"/llms.txt":                       "search_catalog",
				"/api/v1/projects?limit=1":        `"total":3`,
				"/api/v1/projects/willow-bridge":  `"slug":"willow-bridge"`,
				"/api/v1/search?q=transcribe":     `"slug":"paper-lantern"`,
				"/api/v1/openapi":                 `"openapi":"3.1.0"`,
				"/healthz":                        "ok",
				"/readyz":                         "ok",
				"/api/v1/lists/newest/1.json":     `"slug":"copper-kettle"`,
				"/api/v1/projects/index.json":     `"total":3`,
				"/categories/image-generation":    "Copper Kettle", // redirected
				"/alternatives/grand-scribe/":     "Paper Lantern",
				"/api/v1/search?license=AGPL-3.0": `"slug":"copper-kettle"`,
			} {
				if status, body := fetch(t, address+path); status != http.StatusOK || !strings.Contains(body, want) {
					t.Errorf("%s answers %d without %q: %.200s", path, status, want, body)
				}
			}
			if status, _ := fetch(t, address+"/debug/pprof/"); status != http.StatusNotFound {
				t.Errorf("profiles on the public address answer %d", status)
			}
			if status, body := fetch(t, admin+"/debug/pprof/cmdline"); status != http.StatusOK || !strings.Contains(body, "serve") {
				t.Errorf("profiles on the admin address answer %d: %.200s", status, body)
			}
			if !strings.Contains(s.stderr.String(), "setting=title") {
				t.Errorf("an override that pages do not follow is not warned about: %s", s.stderr)
			}

			if err := s.command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if rest, status := s.end(t); status != exitOK || rest != "" {
				t.Errorf("on %v the program ends with status %d and says %q\n%s", signal, status, rest, s.stderr)
			}
			if response, err := http.Get(address); err == nil {
				_ = response.Body.Close()
				t.Error("the address still answers")
			}
		})
	}

	t.Run("port in use", func(t *testing.T) {
		t.Parallel()
		first := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0")
		taken := strings.TrimPrefix(first.address(t, "listening on"), "http://")
		for flag, args := range map[string][]string{
			"--addr":       {"--addr", taken},
			"--admin-addr": {"--addr", "127.0.0.1:0", "--admin-addr", taken},
		} {
			second := startServe(t, program, append([]string{"--public", public}, args...)...)
			rest, status := second.end(t)
			if status != exitError || rest != "" {
				t.Errorf("%s: the program ends with status %d and says %q", flag, status, rest)
			}
			output := second.stderr.String()
			if !strings.Contains(output, taken) || !strings.Contains(output, "address already in use; choose another address with "+flag+"\n") {
				t.Errorf("%s: the program says %q", flag, output)
			}
		}
	})
}

// TestServeRateStore names a Redis to replicas in each possible way. They must share
// their counts, and never print the password.
func TestServeRateStore(t *testing.T) {
	t.Parallel()
	program, public := buildSmall(t)
	certificate := processtest.NewCertificate(t)
	redis := processtest.StartRedis(t, processtest.RedisOptions{Password: "hush-hush", Certificate: certificate})
	file := filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(file, []byte(redis.URL+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	trustCA := "SSL_CERT_FILE=" + certificate.File
	const overridden = "CATALOG_RATE_STORE=redis://:hush-hush@127.0.0.1:1" // overridden by flags
	tests := []struct {
		name      string
		variables []string
		flags     []string
		warned    bool
		logged    string
	}{
		{"flag", []string{trustCA, overridden}, []string{"--rate-store", redis.URL}, true, "the rate store answers"},
		{"file", []string{trustCA, overridden}, []string{"--rate-store-file", file}, false, "the rate store answers"},
		{"variable", []string{trustCA, "CATALOG_RATE_STORE=" + redis.URL}, nil, false, "the rate store answers"},
		{"unreachable", []string{overridden}, nil, false, "the rate store cannot be reached"},
	}
	var replicas []*serveProcess
	var addresses []string
	for _, test := range tests {
		s := startServeWith(t, func(s *serveProcess) { s.command.Env = append(s.command.Env, test.variables...) }, program, append([]string{"--public", public, "--addr", "127.0.0.1:0", "--log-level", "debug"}, test.flags...)...)
		addresses = append(addresses, s.address(t, "listening on"))
		replicas = append(replicas, s)
		for deadline := time.Now().Add(testTimeout); !strings.Contains(s.stderr.String(), test.logged); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: the program does not say that %s: %s", test.name, test.logged, s.stderr)
			}
		}
	}
	ask := func(i int) string {
		t.Helper()
		response, err := http.Get(addresses[i] + "/api/v1/projects")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.Header.Get("RateLimit")
	}
	for i, want := range []string{"r=119;", "r=118;", "r=117;", "r=119;", "r=116;"} {
		if got := ask(i % len(replicas)); !strings.Contains(got, want) {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
	// On a busy machine, Redis may have timed out before it is killed.
	earlierFailures := make([]int, len(replicas))
	for i, s := range replicas {
		if tests[i].logged == "the rate store answers" {
			earlierFailures[i] = strings.Count(s.stderr.String(), "the rate store cannot be reached")
		}
	}
	redis.Kill()
	for i, s := range replicas {
		if got := ask(i); !strings.Contains(got, `"anonymous";r=11`) {
			t.Errorf("without Redis, request %d: %s", i, got)
		}
		if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		rest, status := s.end(t)
		output := rest + s.stderr.String()
		if status != exitOK || strings.Contains(output, "hush") || strings.Count(output, "the rate store cannot be reached") != earlierFailures[i]+1 {
			t.Errorf("%s: the program ends with status %d and has said %s", tests[i].name, status, output)
		}
		if warned := strings.Contains(output, "use --rate-store-file or CATALOG_RATE_STORE"); warned != tests[i].warned {
			t.Errorf("%s: a password on the command line is warned about: %v", tests[i].name, warned)
		}
		for line := range strings.Lines(s.stderr.String()) {
			if !strings.HasPrefix(line, "time=") {
				t.Errorf("%s: something else than the logger says %s", tests[i].name, line)
			}
		}
	}
}

// Settings that only builds use are not in the index, and pages do not have those that only the server uses, so the
// server does not warn that the environment overrides them.
func TestSettingsOfBuildsAreNoOverrides(t *testing.T) {
	variables := map[string]string{"CATALOG_TITLE": "Another", "CATALOG_ACCESS_LOG": site.On}
	for i := range reflect.TypeFor[site.Settings]().NumField() {
		if key := reflect.TypeFor[site.Settings]().Field(i).Tag.Get("json"); site.OnlyBuilds(key) {
			variables["CATALOG_"+strings.ToUpper(key)] = map[string]string{"report_url": "https://catalog.example/{title}", "suggest_url": "https://catalog.example/", "rules": "praise=off", "shares": "asks=9", "content_signal": "search=yes", "offline": "off", "accent": "#123456", "font": "mono", "layout": "cards", "languages": "de"}[key]
			if variables["CATALOG_"+strings.ToUpper(key)] == "" {
				variables["CATALOG_"+strings.ToUpper(key)] = "other"
			}
		}
	}
	env := testEnv()
	env.lookup = func(name string) (string, bool) { value, ok := variables[name]; return value, ok }
	var log bytes.Buffer
	if _, err := overrideSettings(env, site.Defaults(), slog.New(slog.NewTextHandler(&log, nil))); err != nil {
		t.Fatal(err)
	}
	if len(variables) != 19 || strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "setting=title") {
		t.Errorf("with %v the log is %s", variables, log.String())
	}
}

// TestServeWithoutReader closes the reader of the access log. The server goes on.
func TestServeWithoutReader(t *testing.T) {
	t.Parallel()
	program, public := buildSmall(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	server := startServeWith(t, func(s *serveProcess) {
		s.command.Stdout, s.lines = writer, bufio.NewScanner(reader)
		s.command.Env = append(s.command.Env, "CATALOG_ACCESS_LOG=on")
	}, program, "--public", public, "--addr", "127.0.0.1:0")
	address := server.address(t, "listening on")
	if err := errors.Join(writer.Close(), reader.Close()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if status, _ := fetch(t, address+"/llms.txt"); status != http.StatusOK {
			t.Errorf("a page is answered %d", status)
		}
	}
}

// With --log-format json, every line of the program is JSON. The access log is alone on standard output.
func TestServeLogsOnlyJSON(t *testing.T) {
	t.Parallel()
	program, public := buildSmall(t)
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, program, "serve", "--public", public, "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--drain-delay", "0s", "--log-format", "json")
	command.Env = append(os.Environ(), "CATALOG_ACCESS_LOG=on")
	var out processtest.Output
	command.Stdout = &out
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var messages []string
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line struct {
			Message string `json:"msg"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Errorf("%s: %v", lines.Text(), err)
		}
		messages = append(messages, line.Message)
		if address, ok := strings.CutPrefix(line.Message, "listening on "); ok {
			if status, _ := fetch(t, address+"/llms.txt?key=private"); status != http.StatusOK {
				t.Errorf("a page is answered %d", status)
			}
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	}
	var access struct{ Msg, Path string }
	if err := command.Wait(); err != nil || json.Unmarshal([]byte(out.String()), &access) != nil || access.Msg != "request" || access.Path != "/llms.txt" || strings.Contains(out.String(), "private") || !slices.ContainsFunc(messages, func(m string) bool { return strings.HasPrefix(m, "admin on http://") }) {
		t.Errorf("%v; standard output %q; messages %q", err, out.String(), messages)
	}
}
