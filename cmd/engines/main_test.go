//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/server/processtest"
)

// TestTable checks the rows and the exit status.
func TestTable(t *testing.T) {
	t.Parallel()
	wrong, not := errors.New("no | answer"), fmt.Errorf("%w: dockerd is not installed", errNotRunnable)
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
			table.add("e", "s", &tally{requests: 7, failed: 1}, "note", err)
		}
		if got := table.status; got != c.status || !strings.Contains(out.String(), c.want) {
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
	fronts := func() []string { return []string{"http://" + closed, server.URL} }
	for _, broken = range []string{"", "/mcp"} {
		l := startLoad(t.Context(), fronts)
		err := l.settle(t.Context())
		l.stop()
		if err != nil || l.requests < 100 || (l.failed > 0) != (broken != "") || !strings.Contains(fmt.Sprint(l.err(0)), broken) {
			t.Errorf("with %q broken: %d requests, %v, %v", broken, l.requests, l.err(0), err)
		}
	}
}

// TestConfigure checks that the values marked SET are set in a copy of what is shipped.
func TestConfigure(t *testing.T) {
	t.Parallel()
	s := &stack{dir: t.TempDir(), network: kubeNetwork, origin: &origin{key: "KEY", port: 4433}}
	if err := os.CopyFS(s.dir, os.DirFS("../../deploy")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range shippedImage.FindAllStringSubmatch(string(text), -1) {
		if m[2] == "catalog" {
			s.oldTag = m[3]
		} else if _, known := images[m[2]]; !known {
			t.Errorf("%s is not made here", m[0])
		}
	}
	if err := errors.Join((&kube{stack: s}).configure(t.Context()), s.retag()); err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(filepath.Join(s.dir, base))
	if err != nil || !strings.Contains(string(text), "https://172.30.81.1:4433/") || !strings.Contains(string(text), "VERIFY_KEY=KEY") {
		t.Errorf("the kustomization is %s, %v", text, err)
	}
	if err := s.set([][3]string{{base, "no such text", ""}}); err == nil {
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

// fakeEngine notes how it is called, and answers as Docker does.
const fakeEngine = `#!/bin/sh
echo "$*" >>"$0.log"
case "$*" in
load*) echo "Loaded image: catalog:1" ;;
ps*none*) ;;
ps*two*) echo one; echo two ;;
ps*) echo one ;;
"volume ls"*) echo first; echo second ;;
*Pid*) echo 0 ;;
*Image*) echo "registry.example/catalog:next" ;;
esac
`

// TestScripts checks what scripts tell an engine, and where they fail. It is not parallel, because a process that
// another test starts could have the file of the engine open, which then cannot be run.
func TestScripts(t *testing.T) {
	processtest.Installed(t, "sed", "sed")
	e := &engine{program: filepath.Join(t.TempDir(), "fake"), dir: t.TempDir()}
	s := &stack{engine: e, filters: [2]string{"name=redis", "name=catalog-%d"}}
	file := filepath.Join(e.dir, "file")
	if err := errors.Join(os.WriteFile(e.program, []byte(fakeEngine), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err := e.shell(t.Context(), loadProgram, "image.tar", file, "c:1", "c:next")
	err = errors.Join(err, s.on(t.Context(), 2, isNew+"\n"+stopIt), s.on(t.Context(), redis, startIt))
	if wrong := s.on(t.Context(), 1, killIt); wrong == nil {
		t.Error("a program with the process id 0 is killed")
	}
	for _, filter := range []string{"none", "two"} {
		if wrong := (&stack{engine: e, filters: [2]string{filter}}).on(t.Context(), redis, startIt); wrong == nil {
			t.Errorf("of %s containers, one is started", filter)
		}
	}
	if err := errors.Join(err, e.end(t.Context())); err != nil {
		t.Fatal(err)
	}
	// They are not run, because the password comes from openssl, which not every computer has.
	if commands, err := e.shell(t.Context(), shippedCommands, "../../deploy"); err != nil || strings.Count(commands, "\n") != 3 {
		t.Errorf("the commands that write the secrets are %q, %v", commands, err)
	}
	log, err := os.ReadFile(e.program + ".log")
	want := strings.Fields(`load --input image.tar create --name made catalog:1 cp ` + file + ` made:/etc/ssl/certs/origin.pem
		commit made c:1 commit made c:next rm made
		ps -aq --filter name=catalog-2 inspect --format {{.Config.Image}} one stop -t 30 one
		ps -aq --filter name=redis start one
		ps -aq --filter name=catalog-1 inspect --format {{.State.Pid}} one ps -aq --filter none ps -aq --filter two
		pod rm -f -a ps -aq rm -f -v one volume ls -q volume rm first second network prune -f`)
	if got := strings.Fields(string(log)); err != nil || !slices.Equal(got, want) {
		t.Errorf("the engine is told %q, want %q, %v", got, want, err)
	}
}

// TestOrigin checks that the origin serves the current build to clients that trust its certificate, and that it
// answers nothing while it is down.
func TestOrigin(t *testing.T) {
	processtest.Installed(t, "openssl", "openssl")
	dir := t.TempDir()
	o := &origin{folders: [2]string{filepath.Join(dir, "0"), filepath.Join(dir, "1")}}
	for _, folder := range o.folders {
		err := os.Mkdir(folder, 0o700)
		if err := errors.Join(err, os.WriteFile(filepath.Join(folder, "name"), []byte(filepath.Base(folder)), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.serve(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.certificate)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(text)
	https := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: composeNetwork + "1"}}}
	for build, want := range map[int32]string{0: "0", 1: "1", down: ""} {
		o.current.Store(build)
		got := ""
		if answer, err := https.Get(fmt.Sprintf("https://127.0.0.1:%d/name", o.port)); err == nil {
			text, _ := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			got = string(text)
		} else if build != down {
			t.Error(err)
		}
		if got != want {
			t.Errorf("the build %d is %q", build, got)
		}
	}
}
