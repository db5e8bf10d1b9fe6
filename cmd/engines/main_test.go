//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTable checks the rows and the exit status.
func TestTable(t *testing.T) {
	t.Parallel()
	wrong, not := errors.New("no | answer"), errNotRunnable{errors.New("dockerd is not installed")}
	for title, c := range map[string]struct {
		errs   []error
		status int
		want   string
	}{
		"all ran":         {[]error{nil}, 0, "| e | s | 7 | 1 | note |"},
		"a failure":       {[]error{nil, wrong}, exitFailed, `FAILED: no \| answer`},
		"not runnable":    {[]error{not}, exitNotRunnable, "not runnable on this machine: dockerd is not installed"},
		"both":            {[]error{not, wrong}, exitFailed, "FAILED"},
		"wrapped":         {[]error{errors.Join(not, nil)}, exitNotRunnable, "not runnable"},
		"nothing was run": {nil, 0, ""},
	} {
		var out strings.Builder
		table := table{out: &out}
		for _, err := range c.errs {
			table.add("e", "s", counts{requests: 7, failed: 1}, "note", err)
		}
		if got := table.status(); got != c.status || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: status %d, want %d:\n%s", title, got, c.status, out.String())
		}
	}
}

// TestWrongUse checks what is refused before an engine is started.
func TestWrongUse(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"-image is missing": nil,
		"-h lists them":     {"docker"},
		"not defined":       {"-engine", "docker"},
	} {
		var errs strings.Builder
		if status := run(t.Context(), args, &errs, &errs); status != exitNotRunnable || !strings.Contains(errs.String(), want) {
			t.Errorf("%q: status %d, want %q: %s", args, status, want, errs.String())
		}
	}
}

// TestLoad checks that failed answers are counted, and that an address that refuses connections
// is passed over.
func TestLoad(t *testing.T) {
	t.Parallel()
	broken := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == broken {
			w.WriteHeader(http.StatusBadGateway)
		}
		for _, d := range doors {
			fmt.Fprint(w, d.want)
		}
	}))
	defer server.Close()
	closed, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	for _, broken = range []string{"", "/mcp"} {
		l := startLoad(t.Context(), func() []string { return []string{"http://" + closed.String(), server.URL} })
		err := l.settle(t.Context())
		c := l.stop()
		if err != nil || c.requests < 100 || (c.failed > 0) != (broken != "") || !strings.Contains(c.first, broken) {
			t.Errorf("with %q broken: %+v, %v", broken, c, err)
		}
	}
}

// TestConfigure checks that the values marked SET are set in a copy of what is shipped, and that
// the commands in compose.yaml write the secrets.
func TestConfigure(t *testing.T) {
	t.Parallel()
	w := &world{options: options{deploy: "../../deploy"}, origin: &origin{key: "KEY", port: 4433}}
	c := &compose{world: w, dir: filepath.Join(t.TempDir(), "deploy")}
	// The password of the comment comes from openssl, which not every computer has.
	t.Run("compose", func(t *testing.T) {
		if err := os.CopyFS(c.dir, os.DirFS(w.deploy)); err != nil {
			t.Fatal(err)
		}
		commands, err := c.commands()
		if err != nil || strings.Count(commands, "\n") != 4 || strings.Contains(commands, "docker") {
			t.Errorf("the commands are %q, %v", commands, err)
		}
	})
	k := &kube{world: w, engine: &engine{dir: t.TempDir()}}
	if err := k.configure(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(k.dir, "base", "kustomization.yaml"))
	if err != nil || !strings.Contains(string(text), "https://172.30.81.1:4433/") || !strings.Contains(string(text), "VERIFY_KEY=KEY") {
		t.Errorf("the kustomization is %s, %v", text, err)
	}
	if err := set(filepath.Join(k.dir, "base", "service.yaml"), "no such text", ""); err == nil {
		t.Error("a value is set that is not there")
	}
}

// TestAwait checks that waiting ends with its context, and says for what.
func TestAwait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := await(ctx, "Redis", func(context.Context) error { return errors.New("refused") })
	if err == nil || !strings.Contains(err.Error(), "Redis: refused") {
		t.Errorf("waiting ends with %v", err)
	}
	if n, err := remaining(`"sandbox";r=599;t=60`); n != 599 || err != nil {
		t.Errorf("%d requests are left, %v", n, err)
	}
}
