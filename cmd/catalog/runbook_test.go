//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"catalog.example/api/search"
	"catalog.example/api/server/artifact"
)

// TestRunbook does what the page for operators says about keys, bad builds and updates, with one program. A build of
// another release is made by changing the version in its index.
func TestRunbook(t *testing.T) {
	t.Parallel()
	program, public := buildSmall(t)
	folder := t.TempDir()
	origin, keyFile := filepath.Join(folder, "builds"), filepath.Join(folder, "keys")
	command := commander(t, program)
	pack := func(public, key string) (version string) {
		t.Helper()
		m := regexp.MustCompile(`catalog-([0-9a-f]{32})`).FindStringSubmatch(command("pack", "--public", public, "--out", origin, "--sign-key", filepath.Join(folder, key)))
		return m[1]
	}
	old, fresh := command("keygen", filepath.Join(folder, "old.key")), command("keygen", filepath.Join(folder, "new.key"))
	writeText(t, keyFile, old+"\n")
	first := pack(public, "old.key")
	second := filepath.Join(folder, "second")
	command("build", "--quiet", "--content", "testdata/content", "--out", second, "--base-url", "https://catalog.example")

	arguments := []string{"--from", "file://" + filepath.ToSlash(filepath.Join(origin, "catalog.manifest.json")), "--verify-key-file", keyFile, "--cache", filepath.Join(folder, "cache"), "--poll", "100ms", "--addr", "127.0.0.1:0"}
	server := startServe(t, program, append(arguments, "--admin-addr", "127.0.0.1:0", "--traces", "http://127.0.0.1:1")...)
	_, metrics := fetch(t, server.address(t, "admin on")+"/metrics")
	for _, name := range []string{"catalog_trace_spans_total", "catalog_origin_checks_total", "catalog_index_reloads_total"} {
		if !strings.Contains(metrics, name) {
			t.Errorf("--from with --traces has no metric %s", name)
		}
	}
	address := server.address(t, "listening on")
	serves := func(version string) {
		t.Helper()
		await(t, func() string { _, text := fetch(t, address+"/readyz"); return text }, "ok\nversion "+version+"\n")
	}
	says := func(text string) {
		t.Helper()
		await(t, server.stderr.String, text)
	}
	hangUp := func() {
		t.Helper()
		if err := server.command.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	serves(first)
	if printed, status := runCheck(t, address, "--build", first); status != exitOK {
		t.Errorf("catalog check: %d, %s", status, printed)
	}

	t.Log("a key is rotated: both keys, a build of the new one, only the new one")
	writeText(t, keyFile, old+"\n"+fresh+"\n")
	rotated := pack(second, "new.key")
	hangUp()
	serves(rotated)
	writeText(t, keyFile, fresh+"\n")

	t.Log("a key has leaked: what it signs is refused")
	pack(public, "old.key")
	says("signed with another key")

	t.Log("a bad build, of a newer release: it is refused, also at a start, which the cache answers")
	other := filepath.Join(folder, "other")
	packNewer(t, origin, second, other, filepath.Join(folder, "new.key"))
	refusal := fmt.Sprintf("it has format version %d and this program reads version %d: a newer release of catalog wrote it, so update this program, or build again with it; pack a build that this version of catalog reads", search.FormatVersion+1, search.FormatVersion)
	hangUp()
	says(refusal)
	serves(rotated)
	if err := server.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, status := server.end(t); status != exitOK {
		t.Fatalf("the server ends with %d: %s", status, server.stderr)
	}
	server = startServe(t, program, arguments...)
	address = server.address(t, "listening on")
	says(refusal)
	says("serving the last good build from the cache")
	serves(rotated)

	t.Log("back to the build before")
	first = pack(public, "new.key")
	hangUp()
	serves(first)

	t.Log("a folder of another release")
	out, err := exec.CommandContext(t.Context(), program, "serve", "--public", other, "--addr", "127.0.0.1:0").CombinedOutput()
	want := strings.Replace(refusal, "pack a build that this version of catalog reads", "run: catalog build --out "+other, 1)
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s", err, out)
	}
}

// commander returns a function that runs a program and returns what it prints.
func commander(t *testing.T, program string) func(args ...string) string {
	return func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("catalog %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
}

// packNewer copies a build, with an index that says that it is of a newer format, to another folder, and publishes it.
// The build must be at the origin already, because catalog pack refuses such an index.
func packNewer(t *testing.T, origin, build, other, keyFile string) {
	t.Helper()
	head := func(version uint32) []byte { return binary.LittleEndian.AppendUint32([]byte("CATALOG\n"), version) }
	newer := func(content []byte) []byte {
		if bytes.Count(content, head(search.FormatVersion)) != 1 {
			t.Fatal("there is no index, or several")
		}
		return bytes.Replace(content, head(search.FormatVersion), head(search.FormatVersion+1), 1)
	}
	if err := os.CopyFS(other, os.DirFS(build)); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(other, filepath.FromSlash(search.FileName))
	writeText(t, index, string(newer([]byte(readText(t, index)))))
	before, err := artifact.VersionOf(t.Context(), build)
	if err != nil {
		t.Fatal(err)
	}
	version, err := artifact.VersionOf(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	archive, err := decoder.DecodeAll([]byte(readText(t, filepath.Join(origin, "catalog-"+before+artifact.Extension))), nil)
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	archive = encoder.EncodeAll(newer(archive), nil)
	m := artifact.BuildManifest{Version: version, Archive: "catalog-" + version + artifact.Extension, Size: int64(len(archive)), SHA256: fmt.Sprintf("%x", sha256.Sum256(archive)), Created: time.Now().UTC().Format(time.RFC3339Nano)}
	key, err := readSignKey(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	m.Sign(key)
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(origin, m.Archive), string(archive))
	writeText(t, filepath.Join(origin, artifact.ManifestName), string(text))
}

// await asks until the answer has a text.
func await(t *testing.T, ask func() string, want string) {
	t.Helper()
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	for deadline := time.Now().Add(testTimeout); ; <-pause.C {
		got := ask()
		if strings.Contains(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q does not come: %s", want, got)
		}
	}
}
