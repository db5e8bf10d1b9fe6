package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRunbookFullDisk does what the page for operators says about a full disk of a server, and about too many requests.
// The disk is a file system in memory that only the server sees.
func TestRunbookFullDisk(t *testing.T) {
	t.Parallel()
	own := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	const private = "mount --make-rprivate /"
	if probe := (&exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", private + " && mount -t tmpfs tmpfs /mnt"}, SysProcAttr: own}); probe.Run() != nil {
		t.Skip("nothing can be mounted here")
	}
	program, public := buildSmall(t)
	folder := t.TempDir()
	origin, disk := filepath.Join(folder, "builds"), filepath.Join(folder, "disk")
	command := commander(t, program)
	key := command("keygen", filepath.Join(folder, "key"))
	pack := func() {
		command("pack", "--public", public, "--out", origin, "--sign-key", filepath.Join(folder, "key"))
	}
	pack()
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	const mounted = private + ` && mount -t tmpfs -o size=64m tmpfs "$0" && exec "$@"`
	server := startServeWith(t, func(s *serveProcess) {
		s.command.Args = append([]string{"sh", "-c", mounted, disk}, s.command.Args...)
		s.command.Path, s.command.SysProcAttr = "/bin/sh", own
		s.command.Env = append(s.command.Env, "CATALOG_ANONYMOUS_PER_MINUTE=1")
	}, program, "--from", "file://"+filepath.ToSlash(filepath.Join(origin, "catalog.manifest.json")), "--verify-key", key, "--cache", filepath.Join(disk, "cache"), "--poll", "1h", "--addr", "127.0.0.1:0")
	address := server.address(t, "listening on")
	version := func() string {
		t.Helper()
		_, text := fetch(t, address+"/readyz")
		text, _, _ = strings.Cut(text, "\nage")
		return text
	}
	first := version()

	t.Log("the disk is full: the build before stays in use")
	filler := filepath.Join("/proc", fmt.Sprint(server.command.Process.Pid), "root", disk, "filler")
	file, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for chunk := make([]byte, 4<<10); err == nil; { // the last bytes, too
		_, err = file.Write(chunk)
	}
	command("build", "--quiet", "--content", "testdata/content", "--out", public, "--base-url", "https://catalog.example")
	pack()
	look := func() {
		t.Helper()
		if err := server.command.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	look()
	await(t, server.stderr.String, "no space left on device")
	if now := version(); now != first {
		t.Errorf("it serves %q, not %q", now, first)
	}

	t.Log("there is room again")
	if err := os.Truncate(filler, 0); err != nil {
		t.Fatal(err)
	}
	look()
	await(t, func() string { return fmt.Sprint(version() != first) }, "true")

	t.Log("too many requests: a lower allowance, of which pages take nothing")
	for i, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		if status, body := fetch(t, address+"/api/v1/search?q=chat"); status != want {
			t.Errorf("search %d: %d %s", i+1, status, body)
		}
	}
	if status, _ := fetch(t, address+"/"); status != http.StatusOK {
		t.Errorf("a page: %d", status)
	}
}
