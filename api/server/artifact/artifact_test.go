package artifact

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/site"
	"github.com/klauspost/compress/zstd"
)

var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// writeBuild writes a build output whose home page is a text.
func writeBuild(t *testing.T, home string) (folder string) {
	t.Helper()
	settings := site.Defaults()
	settings.Title = home
	index, err := search.Encode(search.Catalog{Settings: settings, Taxonomy: api.Taxonomy{}})
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(t.TempDir(), "public")
	writeFiles(t, folder, map[string]string{
		search.FileName: string(index), "index.html": home, "projects/a/index.html": strings.Repeat("a", 100_000), "projects/a-b/index.html": "b",
		".well-known/api-catalog": "{}", ".catalog-manifest": "hidden", ".git/config": "hidden", "projects/.hidden": "hidden",
	})
	return folder
}

func writeFiles(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// keysOf returns the Keys of a follower.
func keysOf(keys ...ed25519.PrivateKey) func() ([]ed25519.PublicKey, error) {
	var public []ed25519.PublicKey
	for _, key := range keys {
		public = append(public, PublicKeyOf(key))
	}
	return func() ([]ed25519.PublicKey, error) { return public, nil }
}

func pack(t *testing.T, public, out string, key ed25519.PrivateKey, created time.Time) *BuildManifest {
	t.Helper()
	m, err := Pack(t.Context(), PackOptions{Public: public, Out: out, Key: key, Now: created})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPackIsReproducible packs the same files twice, with other times and permissions, and
// other files once.
func TestPackIsReproducible(t *testing.T) {
	first, second, out, key := writeBuild(t, "home"), writeBuild(t, "home"), t.TempDir(), newKey(t)
	if err := errors.Join(os.Chtimes(filepath.Join(second, "index.html"), now, now), os.Chmod(filepath.Join(second, "index.html"), 0o600)); err != nil {
		t.Fatal(err)
	}
	m := pack(t, first, filepath.Join(out, "1"), key, now)
	again := pack(t, second, filepath.Join(out, "2"), nil, now.Add(time.Hour))
	if read(t, out, "1", m.Archive) != read(t, out, "2", again.Archive) || m.Version != again.Version {
		t.Error("the same files make another archive")
	}
	if other := pack(t, writeBuild(t, "another"), filepath.Join(out, "3"), nil, now); other.Version == m.Version {
		t.Error("other files have the same version")
	}

	// The manifest has the fields that other programs rely on.
	sum := sha256.Sum256([]byte(read(t, out, "1", m.Archive)))
	var fields map[string]any
	if err := json.Unmarshal([]byte(read(t, out, "1", ManifestName)), &fields); err != nil {
		t.Fatal(err)
	}
	size := len(read(t, out, "1", m.Archive))
	want := map[string]any{
		"version": m.Version, "archive": "catalog-" + m.Version + ".tar.zst", "size": float64(size), "sha256": fmt.Sprintf("%x", sum),
		"created": "2026-11-26T12:00:00Z", "signature": m.Signature,
	}
	if !maps.Equal(fields, want) {
		t.Errorf("the manifest is %v, want %v", fields, want)
	}
	signature, err := base64.StdEncoding.DecodeString(m.Signature)
	lines := fmt.Sprintf("catalog-manifest-v1\n%s\ncatalog-%s.tar.zst\n%d\n%x\n2026-11-26T12:00:00Z\n", m.Version, m.Version, size, sum)
	if err != nil || !ed25519.Verify(PublicKeyOf(key), []byte(lines), signature) {
		t.Errorf("the signature is not that of %q: %v", lines, err)
	}

	// Every public file is in it, and nothing else.
	folder := t.TempDir()
	version, err := unpack(t.Context(), strings.NewReader(read(t, out, "1", m.Archive)), m.Size, folder, now)
	if err != nil || version != m.Version {
		t.Fatalf("unpack: %s, %v", version, err)
	}
	if version, err := VersionOf(t.Context(), folder); err != nil || version != m.Version {
		t.Errorf("the version of the unpacked files is %s, %v", version, err)
	}
	var names []string
	err = fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		names = append(names, name)
		if read(t, folder, name) != read(t, first, name) {
			t.Errorf("%s has changed", name)
		}
		if info, err := entry.Info(); err != nil || !info.ModTime().Equal(now) {
			t.Errorf("%s has the time %v", name, info.ModTime())
		}
		return nil
	})
	if got := strings.Join(names, " "); err != nil || got != ".well-known/api-catalog api/v1/search.idx index.html projects/a/index.html projects/a-b/index.html" {
		t.Errorf("the files are %s, %v", got, err)
	}
}

func TestPackRefuses(t *testing.T) {
	good := writeBuild(t, "home")
	linked := writeBuild(t, "home")
	if err := errors.Join(os.Symlink("index.html", filepath.Join(linked, "link.html")), os.Symlink("/etc", filepath.Join(linked, "etc"))); err != nil {
		t.Fatal(err)
	}
	damaged := writeBuild(t, "home")
	writeFiles(t, damaged, map[string]string{search.FileName: "damaged"})
	newer := t.TempDir()
	pack(t, good, newer, nil, now.Add(time.Minute))
	before := read(t, newer, ManifestName)
	for _, test := range []struct {
		name, public, out string
		want              []string
	}{
		{"links", linked, t.TempDir(), []string{"link.html is a link", "etc is a link"}},
		{"no build", t.TempDir(), t.TempDir(), []string{"search.idx", "catalog build"}},
		{"no folder", filepath.Join(good, "nothing"), t.TempDir(), []string{"no such file"}},
		{"damaged index", damaged, t.TempDir(), []string{"catalog build --out"}},
		{"out in the build", good, filepath.Join(good, "builds"), []string{"is in the build output"}},
		{"out is the build", good, good, []string{"is in the build output"}},
		{"a newer manifest", good, newer, []string{"2026-11-26T12:01:00Z", "Set the clock"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Pack(t.Context(), PackOptions{Public: test.public, Out: test.out, Now: now})
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, without %q", err, want)
				}
			}
			if entries, err := filepath.Glob(filepath.Join(test.out, ".catalog-*.tmp")); err != nil || len(entries) > 0 {
				t.Errorf("it leaves %v, %v", entries, err)
			}
		})
	}
	if read(t, newer, ManifestName) != before {
		t.Error("the manifest was replaced")
	}
}

func TestParseManifest(t *testing.T) {
	_, err := ParseManifest([]byte(`{"version":"../up","archive":"../x.tar.zst","size":-1,"sha256":"AB","created":"today"}`))
	for _, want := range []string{`version "../up"`, `archive "../x.tar.zst"`, "size -1", `sha256 "AB"`, `created "today"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, without %q", err, want)
		}
	}
	for _, text := range []string{"", "<html>", "[]", `{"size":"1"}`, "null"} {
		if _, err := ParseManifest([]byte(text)); err == nil {
			t.Errorf("%q is taken for a manifest", text)
		}
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"version":"76c44b6c0ff8fc654275ef693c726ab7","archive":"catalog-76c44b6c0ff8fc654275ef693c726ab7.tar.zst","size":1,"sha256":"0123b798e3ea50ca1f9bd857b0c6fc0a74554f235f54bbb399b2edeb048dd10b","created":"2026-11-26T12:00:00Z"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseManifest(text)
		if err != nil {
			return
		}
		// What is signed has one reading only.
		if lines := strings.Split(string(m.message()), "\n"); len(lines) != 7 || filepath.Base(m.Archive) != m.Archive {
			t.Errorf("%q is accepted", text)
		}
	})
}

func TestKeys(t *testing.T) {
	key, other := newKey(t), newKey(t)
	text, err := FormatPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if parsed, err := ParsePrivateKey(text); err != nil || !parsed.Equal(key) {
		t.Errorf("the private key is read as another: %v", err)
	}
	list := FormatPublicKey(PublicKeyOf(other)) + ", " + FormatPublicKey(PublicKeyOf(key))
	keys, err := ParsePublicKeys(list)
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d keys are read from %s: %v", len(keys), list, err)
	}
	m := &BuildManifest{Version: "1", Created: "2026"}
	m.Sign(key)
	if err := m.Verify(keys); err != nil {
		t.Errorf("the second key does not verify: %v", err)
	}
	for _, wrong := range []string{"", "x", FormatPublicKey(PublicKeyOf(key)) + ",", "AAAA"} {
		if _, err := ParsePublicKeys(wrong); err == nil {
			t.Errorf("%q is taken for a key", wrong)
		}
	}
	for _, wrong := range []string{"", "secret", strings.Replace(string(text), "PRIVATE", "PUBLIC", 2), "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"} {
		if _, err := ParsePrivateKey([]byte(wrong)); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example/b/m.json":           "",
		"https://u:hush@a.example/m.json?hush": "",
		"http://localhost:8080/m.json":         "",
		"http://[::1]/m.json":                  "",
		"file:///srv/m.json":                   "",
		"http://a.example/m.json":              "without encryption",
		"http://u:hush@a.example/m.json?hush":  "without encryption",
		"http://127.0.0.1.a.example/m.json":    "without encryption",
		"ftp://a.example/m.json":               "not an address",
		"/srv/m.json":                          "not an address",
		"file://host/m.json":                   "not an address",
		"https:///m.json":                      "not an address",
		"https://a.example/builds/":            "does not name a file",
		"https://a.example":                    "does not name a file",
		"https://a.example/m.json#x":           "does not name a file",
		"https://hush\x00":                     "not an address",
	} {
		o, err := ParseOrigin(text)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if shown := fmt.Sprint(o.url != nil && strings.Contains(o.String(), "hush"), err); strings.Contains(shown, "true") || strings.Contains(shown, "hush") {
			t.Errorf("%s: a secret is shown: %s", text, shown)
		}
	}
}

// origin is an HTTP server whose files a test changes.
type origin struct {
	folder string
	server *httptest.Server

	mu       sync.Mutex
	answer   http.HandlerFunc // instead of the files; nil is the files
	requests []*http.Request
}

func newOrigin(t *testing.T) *origin {
	t.Helper()
	o := &origin{folder: t.TempDir()}
	files := http.FileServer(http.Dir(o.folder))
	o.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.requests = append(o.requests, r)
		answer := o.answer
		o.mu.Unlock()
		if text, err := os.ReadFile(filepath.Join(o.folder, filepath.Base(r.URL.Path))); err == nil {
			w.Header().Set("ETag", fmt.Sprintf("%q", strconv.Quote(fmt.Sprintf("%x", sha256.Sum256(text)))[1:20]))
		}
		if answer != nil {
			answer(w, r)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(o.server.Close)
	return o
}

func (o *origin) answers(answer http.HandlerFunc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer, o.requests = answer, nil
}

// replica is a follower with what it serves.
type replica struct {
	t *testing.T
	*Follower
	log    bytes.Buffer
	serves Build
	refuse error // by the server
	clock  time.Time
}

func newReplica(t *testing.T, o *origin, change func(*FollowerOptions)) *replica {
	t.Helper()
	r := &replica{t: t, clock: now.Add(time.Hour)}
	address, err := ParseOrigin(o.server.URL + "/" + ManifestName)
	if err != nil {
		t.Fatal(err)
	}
	options := FollowerOptions{StartTimeout: StartTimeout,
		Origin: address, Cache: filepath.Join(t.TempDir(), "cache"), Poll: time.Minute, Logger: slog.New(slog.NewTextHandler(&r.log, nil)),
		Now: func() time.Time { return r.clock },
	}
	if change != nil {
		change(&options)
	}
	if r.Follower, err = NewFollower(options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func (r *replica) serve(b Build) error {
	if r.refuse != nil {
		return r.refuse
	}
	r.serves = b
	return nil
}

func (r *replica) start() error { return r.Start(r.t.Context(), r.serve) }
func (r *replica) ask() error   { return r.check(r.t.Context(), r.serve) }

// home returns the home page that is served.
func (r *replica) home() string { return read(r.t, r.serves.Folder, "index.html") }

// TestFollow follows an origin from one build to the next, and starts without it.
func TestFollow(t *testing.T) {
	o, key := newOrigin(t), newKey(t)
	one, two := writeBuild(t, "one"), writeBuild(t, "two")
	first := pack(t, one, o.folder, key, now)
	cache := filepath.Join(t.TempDir(), "cache")
	change := func(f *FollowerOptions) {
		f.Cache, f.Keys = cache, keysOf(key)
	}
	r := newReplica(t, o, change)
	if err := r.start(); err != nil || r.home() != "one" || r.serves.Version != first.Version || !r.serves.Created.Equal(now) {
		t.Fatalf("the first build: %v, %+v", err, r.serves)
	}
	o.answers(nil)
	if err := r.ask(); err != nil || len(o.requests) != 1 || o.requests[0].Header.Get("If-None-Match") == "" {
		t.Errorf("nothing new: %v, %d requests", err, len(o.requests))
	}
	pack(t, two, o.folder, key, now.Add(time.Minute))
	if err := r.ask(); err != nil || r.home() != "two" {
		t.Errorf("the second build: %v, %s", err, r.home())
	}
	// Requests may still be answered from the first one.
	if folders, err := os.ReadDir(filepath.Join(cache, buildsName)); err != nil || len(folders) != 2 {
		t.Errorf("the cache has the builds %v, %v", folders, err)
	}
	// The old folder packed again goes back without a download.
	pack(t, one, o.folder, key, now.Add(2*time.Minute))
	o.answers(nil)
	if err := r.ask(); err != nil || r.home() != "one" || len(o.requests) != 1 {
		t.Errorf("back to the first build: %v, %s, %d requests", err, r.home(), len(o.requests))
	}
	// Packed again, it gets a new time and no more.
	pack(t, one, o.folder, key, now.Add(3*time.Minute))
	if err := r.ask(); err != nil || !r.serves.Created.Equal(now.Add(3*time.Minute)) {
		t.Errorf("packed again: %v, %v", err, r.serves.Created)
	}

	if _, err := NewFollower(FollowerOptions{Origin: r.o.Origin, Cache: cache}); err == nil || !strings.Contains(err.Error(), "another process uses the cache") {
		t.Errorf("two processes use one cache: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	o.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	r = newReplica(t, o, change)
	if err := r.start(); err != nil || r.home() != "one" || !strings.Contains(r.log.String(), "serving the last good build from the cache") {
		t.Errorf("a start without the origin: %v, %s", err, &r.log)
	}
	if err := errors.Join(r.ask(), r.ask()); err == nil || strings.Count(r.log.String(), "cannot get a build from the origin") != 1 {
		t.Errorf("an origin that is gone: %v, %s", err, &r.log)
	}
	o.answers(nil)
	if err := r.ask(); err != nil || !strings.Contains(r.log.String(), "the origin answers again") {
		t.Errorf("the origin is back: %v, %s", err, &r.log)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}

	// What was changed on disk, or signed with another key, is not served.
	o.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	strange := newReplica(t, o, func(f *FollowerOptions) {
		change(f)
		f.Keys = keysOf(newKey(t))
	})
	if err := strange.start(); err == nil || !strings.Contains(err.Error(), "has none") || !strings.Contains(strange.log.String(), "another key") {
		t.Errorf("a cache of another key: %v, %s", err, &strange.log)
	}
	if err := strange.Close(); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, filepath.Join(cache, buildsName, first.Version), map[string]string{"index.html": "changed"})
	r = newReplica(t, o, change)
	if err := r.start(); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("a damaged cache: %v", err)
	}
	o.answers(nil)
	if err := r.start(); err != nil || r.home() != "one" {
		t.Errorf("a damaged cache with an origin: %v", err)
	}
}

// entry is an entry of a hostile archive.
type entry struct {
	header  tar.Header
	content string
}

// heldRecord is written where "GNU.sparse." is meant, which is as long.
const heldRecord = "GNX.sparse."

// publish writes an archive with these entries, and its manifest.
func publish(t *testing.T, folder string, entries []entry, created time.Time) *BuildManifest {
	t.Helper()
	var stream, archive bytes.Buffer
	writer := tar.NewWriter(&stream)
	for _, e := range entries {
		e.header.Size, e.header.Mode = int64(len(e.content)), 0o644
		if err := writer.WriteHeader(&e.header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	encoder, err := zstd.NewWriter(&archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	// The writer leaves out the records of sparse files, so they are written under another name.
	raw := bytes.ReplaceAll(stream.Bytes(), []byte(heldRecord), []byte("GNU.sparse."))
	content := sha256.Sum256(raw)
	if _, err := encoder.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := encoder.Close(); err != nil {
		t.Fatal(err)
	}
	return publishBytes(t, folder, archive.Bytes(), hex.EncodeToString(content[:16]), created)
}

func publishBytes(t *testing.T, folder string, archive []byte, version string, created time.Time) *BuildManifest {
	t.Helper()
	sum := sha256.Sum256(archive)
	m := &BuildManifest{Version: version, Archive: archiveName(version), Size: int64(len(archive)), SHA256: hex.EncodeToString(sum[:]), Created: created.Format(time.RFC3339Nano)}
	writeFiles(t, folder, map[string]string{m.Archive: string(archive)})
	writeManifest(t, folder, m)
	return m
}

func writeManifest(t *testing.T, folder string, m *BuildManifest) {
	t.Helper()
	text, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, folder, map[string]string{ManifestName: string(text)})
}

// TestRefusedBuilds publishes what is wrong. Each is refused with one clear line, the build
// before it stays in use, nothing is written elsewhere, and the next good build is served.
func TestRefusedBuilds(t *testing.T) {
	file := func(name string) entry {
		return entry{tar.Header{Typeflag: tar.TypeReg, Name: name}, "x"}
	}
	later := now.Add(time.Minute)
	zeros := strings.Repeat("\x00", freeBytes)
	key := newKey(t)
	for name, test := range map[string]struct {
		signed bool
		spoil  func(t *testing.T, folder string)
		want   string
	}{
		"bomb": {false, func(t *testing.T, folder string) {
			publish(t, folder, []entry{{tar.Header{Typeflag: tar.TypeReg, Name: "a"}, zeros}, {tar.Header{Typeflag: tar.TypeReg, Name: "b"}, zeros}}, later)
		}, "unpacks to more than"},
		"sparse file": {false, func(t *testing.T, f string) {
			records := map[string]string{heldRecord + "major": "1", heldRecord + "minor": "0", heldRecord + "realsize": "700", heldRecord + "name": "a"}
			publish(t, f, []entry{{tar.Header{Typeflag: tar.TypeReg, Name: "a", PAXRecords: records}, "1\n0\n5\n" + strings.Repeat("\x00", 506) + "hello"}}, later)
		}, `"a" is a sparse file`},
		"path up":       {false, func(t *testing.T, f string) { publish(t, f, []entry{file("../../../escaped")}, later) }, "../../../escaped"},
		"absolute path": {false, func(t *testing.T, f string) { publish(t, f, []entry{file("/tmp/escaped")}, later) }, "/tmp/escaped"},
		"backslash":     {false, func(t *testing.T, f string) { publish(t, f, []entry{file(`..\escaped`)}, later) }, "escaped"},
		"symbolic link": {false, func(t *testing.T, f string) {
			publish(t, f, []entry{{tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/etc"}, ""}}, later)
		}, "is a link"},
		"hard link": {false, func(t *testing.T, f string) {
			publish(t, f, []entry{{tar.Header{Typeflag: tar.TypeLink, Name: "a", Linkname: "b"}, ""}}, later)
		}, "is a link"},
		"device": {false, func(t *testing.T, f string) {
			publish(t, f, []entry{{tar.Header{Typeflag: tar.TypeChar, Name: "a"}, ""}}, later)
		}, "special file"},
		"twice":          {false, func(t *testing.T, f string) { publish(t, f, []entry{file("a"), file("a")}, later) }, "comes once"},
		"file as folder": {false, func(t *testing.T, f string) { publish(t, f, []entry{file("a"), file("a/b")}, later) }, "file exists"},
		"not an archive": {false, func(t *testing.T, f string) { publishBytes(t, f, []byte("no zstd"), strings.Repeat("0", 32), later) }, "magic number"},
		"wrong version": {false, func(t *testing.T, f string) {
			m := publish(t, f, []entry{file("a")}, later)
			publishBytes(t, f, []byte(read(t, f, m.Archive)), strings.Repeat("0", 32), later)
		}, "have the version"},
		"wrong hash": {false, func(t *testing.T, f string) {
			m := publish(t, f, []entry{file("a")}, later)
			m.SHA256 = strings.Repeat("0", 64)
			writeManifest(t, f, m)
		}, "has the SHA-256"},
		"too long": {false, func(t *testing.T, f string) {
			m := publish(t, f, []entry{file("a")}, later)
			m.Size--
			writeManifest(t, f, m)
		}, "has more than"},
		"no signature": {true, func(t *testing.T, f string) { publish(t, f, []entry{file("a")}, later) }, "has no signature"},
		"another key": {true, func(t *testing.T, f string) {
			m := publish(t, f, []entry{file("a")}, later)
			m.Sign(newKey(t))
			writeManifest(t, f, m)
		}, "signed with another key"},
		"changed after signing": {true, func(t *testing.T, f string) {
			m := publish(t, f, []entry{file("a")}, later)
			m.Sign(key)
			m.Created = later.Add(time.Second).Format(time.RFC3339Nano)
			writeManifest(t, f, m)
		}, "the manifest was changed"},
		"half a signature": {true, func(t *testing.T, f string) {
			m := publish(t, f, []entry{file("a")}, later)
			m.Signature = "AAAA"
			writeManifest(t, f, m)
		}, "not an Ed25519 signature"},
		"replayed": {true, func(t *testing.T, f string) { pack(t, writeBuild(t, "old"), t.TempDir(), key, now); replay(t, f, key) }, "before the one in use"},
		"future":   {false, func(t *testing.T, f string) { publish(t, f, []entry{file("a")}, now.Add(48*time.Hour)) }, "clock"},
		"path in the manifest": {false, func(t *testing.T, f string) {
			m := publish(t, f, []entry{file("a")}, later)
			m.Archive = "../../" + m.Archive
			writeManifest(t, f, m)
		}, "archive"},
		"not a manifest": {false, func(t *testing.T, f string) { writeFiles(t, f, map[string]string{ManifestName: "<html>"}) }, "not the JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOrigin(t)
			var sign ed25519.PrivateKey
			change := func(*FollowerOptions) {}
			if test.signed {
				sign = key
				change = func(f *FollowerOptions) { f.Keys = keysOf(key) }
			}
			good := writeBuild(t, "good")
			pack(t, good, o.folder, sign, now)
			r := newReplica(t, o, change)
			if err := r.start(); err != nil {
				t.Fatal(err)
			}
			r.log.Reset()
			test.spoil(t, o.folder)
			err := r.ask()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, without %q", err, test.want)
			}
			// It is not downloaded again at once.
			o.answers(nil)
			if err := r.ask(); err == nil || len(o.requests) != 1 {
				t.Errorf("asked again: %v, %d requests", err, len(o.requests))
			}
			if log := r.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "the origin's build was refused") {
				t.Errorf("the log says %s", log)
			}
			if r.home() != "good" {
				t.Errorf("%s is served", r.home())
			}
			for _, folder := range []string{buildsName, downloadsName} {
				if entries, err := os.ReadDir(filepath.Join(r.cache.folder, folder)); err != nil || len(entries) > 1 || folder == downloadsName && len(entries) > 0 {
					t.Errorf("%s has %v, %v", folder, entries, err)
				}
			}
			for _, escaped := range []string{"/tmp/escaped", filepath.Join(r.cache.folder, "..", "escaped"), filepath.Join(r.cache.folder, "escaped")} {
				if _, err := os.Lstat(escaped); err == nil {
					t.Errorf("%s was written", escaped)
				}
			}
			r.clock = r.clock.Add(2 * time.Minute)
			if err := os.Remove(filepath.Join(o.folder, ManifestName)); err != nil {
				t.Fatal(err)
			}
			pack(t, writeBuild(t, "next"), o.folder, sign, now.Add(time.Hour))
			if err := r.ask(); err != nil || r.home() != "next" {
				t.Errorf("the next build: %v, %s", err, r.home())
			}
		})
	}
}

// replay puts a build that was signed earlier at the origin.
func replay(t *testing.T, folder string, key ed25519.PrivateKey) {
	t.Helper()
	if err := os.Remove(filepath.Join(folder, ManifestName)); err != nil {
		t.Fatal(err)
	}
	pack(t, writeBuild(t, "earlier"), folder, key, now.Add(-time.Minute))
}

// TestRollback accepts an earlier build if that is allowed.
func TestRollback(t *testing.T) {
	o, key := newOrigin(t), newKey(t)
	pack(t, writeBuild(t, "new"), o.folder, key, now)
	r := newReplica(t, o, func(f *FollowerOptions) { f.AllowRollback = true })
	if err := r.start(); err != nil {
		t.Fatal(err)
	}
	replay(t, o.folder, key)
	if err := r.ask(); err != nil || r.home() != "earlier" {
		t.Errorf("%v, %s", err, r.home())
	}
}

// TestKeysAreReplaced replaces keys while the follower runs. While they cannot be read, no build is new.
func TestKeysAreReplaced(t *testing.T) {
	o, old, fresh := newOrigin(t), newKey(t), newKey(t)
	keys := keysOf(old)
	pack(t, writeBuild(t, "one"), o.folder, old, now)
	r := newReplica(t, o, func(f *FollowerOptions) {
		f.Keys = func() ([]ed25519.PublicKey, error) { return keys() }
	})
	if err := r.start(); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		keys   func() ([]ed25519.PublicKey, error)
		signed ed25519.PrivateKey
		want   string // of the error
	}{
		{keysOf(old), fresh, "signed with another key"}, {keysOf(old, fresh), fresh, ""}, {keysOf(fresh), fresh, ""}, {keysOf(fresh), old, "signed with another key"},
		{func() ([]ed25519.PublicKey, error) { return nil, errors.New("no key file") }, fresh, "no key file"},
	} {
		name, before := fmt.Sprintf("step %d", i), r.home()
		keys, r.clock = step.keys, r.clock.Add(time.Hour)
		pack(t, writeBuild(t, name), o.folder, step.signed, r.clock)
		err := r.ask()
		if step.want == "" && (err != nil || r.home() != name) || step.want != "" && (err == nil || !strings.Contains(err.Error(), step.want) || r.home() != before) {
			t.Errorf("%s: %v, and %s is served", name, err, r.home())
		}
	}
}

// TestServerRefuses keeps the build before, and tries again later: the cause may be gone.
func TestServerRefuses(t *testing.T) {
	o := newOrigin(t)
	pack(t, writeBuild(t, "one"), o.folder, nil, now)
	r := newReplica(t, o, nil)
	if err := r.start(); err != nil {
		t.Fatal(err)
	}
	pack(t, writeBuild(t, "two"), o.folder, nil, now.Add(time.Minute))
	r.refuse = errors.New("the index has another format")
	for range 3 {
		if err := r.ask(); err == nil || r.home() != "one" {
			t.Errorf("%v, %s", err, r.home())
		}
		if builds, err := os.ReadDir(filepath.Join(r.cache.folder, buildsName)); err != nil || len(builds) != 1 {
			t.Errorf("the cache has %v, %v: a build that is refused does not stay", builds, err)
		}
		r.clock = r.clock.Add(r.o.Poll) // the second is tried, and the third is not
	}
	if n := strings.Count(r.log.String(), "another format"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
	r.refuse, r.clock = nil, r.clock.Add(2*r.o.Poll)
	if err := r.ask(); err != nil || r.home() != "two" {
		t.Errorf("tried again: %v, %s", err, r.home())
	}
}

// TestDownloads cuts, stalls and spoils downloads.
func TestDownloads(t *testing.T) {
	const part = 5000
	isArchive := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, ".tar.zst") }
	// cut sends a part of what is asked for, and ends the connection.
	cut := func(o *origin, ranges bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			text := []byte(read(t, o.folder, filepath.Base(r.URL.Path)))
			from := 0
			if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil && ranges {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(text)-1, len(text)))
			} else {
				from = 0
			}
			w.Header().Set("Content-Length", strconv.Itoa(len(text)-from))
			if from > 0 {
				w.WriteHeader(http.StatusPartialContent)
			}
			rest := text[from:]
			if isArchive(r) && len(rest) > part {
				rest = rest[:part]
			}
			_, _ = w.Write(rest) // the connection may be gone
		}
	}
	t.Run("resumed", func(t *testing.T) {
		o := newOrigin(t)
		m := pack(t, writeBuild(t, "home"), o.folder, nil, now)
		o.answers(cut(o, true))
		r := newReplica(t, o, nil)
		if err := r.start(); err != nil || r.home() != "home" {
			t.Fatal(err)
		}
		if want := 1 + int(m.Size+part-1)/part; len(o.requests) != want || want < 3 {
			t.Errorf("%d requests for %d bytes, want %d", len(o.requests), m.Size, want)
		}
	})
	t.Run("resumed by the next process", func(t *testing.T) {
		o := newOrigin(t)
		m := pack(t, writeBuild(t, "home"), o.folder, nil, now)
		r := newReplica(t, o, nil)
		writeFiles(t, filepath.Join(r.cache.folder, downloadsName), map[string]string{m.SHA256: read(t, o.folder, m.Archive)[:part]})
		if err := r.start(); err != nil || r.home() != "home" {
			t.Fatal(err)
		}
		if got := o.requests[1].Header.Get("Range"); got != fmt.Sprintf("bytes=%d-", part) {
			t.Errorf("the range is %q", got)
		}
	})
	t.Run("begun with other bytes", func(t *testing.T) {
		o := newOrigin(t)
		m := pack(t, writeBuild(t, "home"), o.folder, nil, now)
		r := newReplica(t, o, nil)
		writeFiles(t, filepath.Join(r.cache.folder, downloadsName), map[string]string{m.SHA256: strings.Repeat("x", part)})
		if err := r.start(); err != nil || r.home() != "home" {
			t.Error(err)
		}
	})
	t.Run("without ranges", func(t *testing.T) {
		o := newOrigin(t)
		pack(t, writeBuild(t, "home"), o.folder, nil, now)
		o.answers(cut(o, false))
		r := newReplica(t, o, nil)
		if err := r.start(); err == nil {
			t.Error("an archive that never comes whole is served")
		}
		o.answers(nil)
		if err := r.start(); err != nil || r.home() != "home" {
			t.Error(err)
		}
	})
	t.Run("stalled", func(t *testing.T) {
		o := newOrigin(t)
		pack(t, writeBuild(t, "home"), o.folder, nil, now)
		files := http.FileServer(http.Dir(o.folder))
		o.answers(func(w http.ResponseWriter, r *http.Request) {
			if !isArchive(r) {
				files.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("begin")) // the connection may be gone
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
		r := newReplica(t, o, nil)
		r.client.stall = 50 * time.Millisecond
		if err := r.start(); err == nil || !strings.Contains(err.Error(), "no data arrived for") {
			t.Error(err)
		}
	})
	t.Run("endless manifest", func(t *testing.T) {
		o := newOrigin(t)
		o.answers(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 4096)); err != nil {
					return
				}
			}
		})
		if err := newReplica(t, o, nil).start(); err == nil || !strings.Contains(err.Error(), "more than 16384 bytes") {
			t.Error(err)
		}
	})
	t.Run("no archive yet", func(t *testing.T) {
		o := newOrigin(t)
		m := pack(t, writeBuild(t, "home"), o.folder, nil, now)
		if err := os.Remove(filepath.Join(o.folder, m.Archive)); err != nil {
			t.Fatal(err)
		}
		if err := newReplica(t, o, nil).start(); err == nil || !strings.Contains(err.Error(), "404") {
			t.Error(err)
		}
	})
	t.Run("redirects", func(t *testing.T) {
		o := newOrigin(t)
		o.answers(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://plain.example/secret", http.StatusFound)
		})
		if err := newReplica(t, o, nil).start(); err == nil || !strings.Contains(err.Error(), "without encryption") || strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	})
	t.Run("asked to wait", func(t *testing.T) {
		o := newOrigin(t)
		o.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "100000")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		r := newReplica(t, o, nil)
		if err := r.start(); err == nil {
			t.Error("it starts without a build")
		}
		if wait := time.Until(r.client.notBefore); wait < 50*time.Minute || wait > maxRetryAfter {
			t.Errorf("it waits %v", wait)
		}
	})
}

// TestFileOrigin follows a folder.
func TestFileOrigin(t *testing.T) {
	folder := t.TempDir()
	pack(t, writeBuild(t, "one"), folder, nil, now)
	o := &origin{server: &httptest.Server{URL: "file://" + filepath.ToSlash(folder)}}
	r := newReplica(t, o, nil)
	if err := r.start(); err != nil || r.home() != "one" {
		t.Fatal(err)
	}
	pack(t, writeBuild(t, "two"), folder, nil, now.Add(time.Minute))
	if err := errors.Join(r.ask(), r.ask()); err != nil || r.home() != "two" {
		t.Error(err)
	}
}

// stamps is a transport that notes when it is asked, and has nothing.
type stamps struct {
	mu    sync.Mutex
	times []time.Time
}

func (s *stamps) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times = append(s.times, time.Now())
	return &http.Response{StatusCode: http.StatusNotFound, Status: "404 Not Found", Body: http.NoBody, Request: r}, nil
}

// TestRequestsAreSpread starts 300 replicas at once, and tells them to ask at once.
func TestRequestsAreSpread(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const replicas, poll = 300, 30 * time.Second
		all := &stamps{}
		address, err := ParseOrigin("https://origin.example/m.json")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ask := make(chan os.Signal)
		var running sync.WaitGroup
		for i := range replicas {
			f, err := NewFollower(FollowerOptions{
				Origin: address, Cache: filepath.Join(folder, strconv.Itoa(i)), Poll: poll, Logger: slog.New(slog.DiscardHandler), Transport: all,
			})
			if err != nil {
				t.Fatal(err)
			}
			running.Go(func() {
				f.Follow(ctx, ask, func(Build) error { return nil })
				_ = f.Close()
			})
		}
		// most returns how many ask within a second, at most.
		most := func() (most int) {
			all.mu.Lock()
			defer all.mu.Unlock()
			for _, from := range all.times {
				n := 0
				for _, at := range all.times {
					if d := at.Sub(from); d >= 0 && d < time.Second {
						n++
					}
				}
				most = max(most, n)
			}
			return most
		}
		time.Sleep(10 * poll) // in the bubble's clock
		synctest.Wait()
		n, largest := len(all.times), most()
		if n < 9*replicas || n > 12*replicas || largest > 5*replicas/30 {
			t.Errorf("%d requests in 10 polls of %d replicas, %d of them within a second", n, replicas, largest)
		}
		all.times = nil
		for range replicas {
			ask <- os.Interrupt
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		atOnce := map[time.Time]int{}
		for _, at := range all.times {
			atOnce[at.Truncate(100*time.Millisecond)]++
		}
		if len(all.times) < replicas/2 || len(atOnce) < 9 {
			t.Errorf("%d requests after a signal, in %d tenths of a second", len(all.times), len(atOnce))
		}
		stop()
		running.Wait()
	})
}

// A start that does not wait for a slow origin serves the build in the cache, and asks again soon.
func TestStartDoesNotWait(t *testing.T) {
	o := newOrigin(t)
	one, two := writeBuild(t, "one"), writeBuild(t, "two")
	pack(t, one, o.folder, nil, now)
	cache := filepath.Join(t.TempDir(), "cache")
	r := newReplica(t, o, func(f *FollowerOptions) { f.Cache = cache })
	if err := errors.Join(r.start(), r.Close()); err != nil {
		t.Fatal(err)
	}
	pack(t, two, o.folder, nil, now.Add(time.Minute))
	r = newReplica(t, o, func(f *FollowerOptions) {
		f.Cache, f.StartTimeout, f.Poll = cache, time.Nanosecond, time.Hour
		f.Random = func() float64 { return 0.05 } // of an hour: three minutes
	})
	if err := r.start(); err != nil || r.home() != "one" {
		t.Fatalf("the start: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r.Follow(ctx, nil, func(b Build) error {
		cancel()
		return r.serve(b)
	})
	if r.home() != "two" {
		t.Error("the next build is not served soon")
	}
}
