package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"catalog.example/api/search"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/processtest"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
	"catalog.example/api/soak"
)

// patience bounds what a test waits for, however busy the machine is.
const patience = time.Minute

// numbered returns the catalogue and the pages of a build that tells its number
// wherever it can: in listings, their count, facets, settings and files.
func numbered(n int) (search.Catalog, map[string]string) {
	settings := site.Defaults()
	settings.AnonymousPerMinute = site.MaxAllowance
	settings.Description = fmt.Sprintf("Build %d.", n)
	c := catalog(settings)
	for i := range c.Projects {
		c.Projects[i].Purpose = fmt.Sprintf("Chat with documents of build %d.", n)
	}
	for i := range n {
		extra := c.Projects[0]
		extra.Slug, extra.Name = fmt.Sprintf("extra-%d", i), fmt.Sprintf("Extra %d", i)
		c.Projects = append(c.Projects, extra)
	}
	files := maps.Clone(publicFiles)
	for name := range files {
		if strings.HasSuffix(name, ".html") || strings.HasSuffix(name, ".json") {
			files[name] = fmt.Sprintf(`{"file":%q,"build":%d,"filler":%q}`, name, n, strings.Repeat("x", 1000*(n%5)))
		}
	}
	return c, files
}

// writeBuild writes a build output folder.
func writeBuild(t testing.TB, folder string, c search.Catalog, files map[string]string) {
	t.Helper()
	index, err := search.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	files = maps.Clone(files)
	files[search.FileName] = string(index)
	writeFiles(t, folder, files)
}

// built is a server and where its builds come from.
type built struct {
	*Server
	*snapshot.Source
}

// newBuilt returns a server of a build output folder, as catalog serve makes it.
func newBuilt(t testing.TB, public string, change func(*options)) (built, *processtest.Output) {
	t.Helper()
	log := &processtest.Output{}
	o := options{Build: artifact.Build{Folder: public}}
	o.Logger = slog.New(slog.NewTextHandler(log, nil))
	if change != nil {
		change(&o)
	}
	if o.Now != nil { // a test's clock passes for the store as well
		o.RateStore = ratestore.NewMemory(0, o.Now)
	}
	s, source, err := o.open()
	if err != nil {
		t.Fatal(err)
	}
	return built{s, source}, log
}

// run answers on a loopback address until the test ends, and returns it.
func run(t testing.TB, s *Server) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx, l, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-ran; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return l.Addr().String()
}

// watchBuilds watches until the test ends. What is sent on the channel that is
// returned asks for a reload.
func watchBuilds(t testing.TB, s *snapshot.Source, interval time.Duration) chan<- os.Signal {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ask := make(chan os.Signal)
	var watching sync.WaitGroup
	watching.Go(func() { s.Watch(ctx, interval, ask) })
	t.Cleanup(func() {
		stop()
		watching.Wait()
	})
	return ask
}

// eventually asks until the answer is yes.
func eventually(t testing.TB, what string, yes func() bool) {
	t.Helper()
	ask := time.NewTicker(time.Millisecond)
	defer ask.Stop()
	giveUp := time.After(patience)
	for !yes() {
		select {
		case <-ask.C:
		case <-giveUp:
			t.Fatalf("in %v it does not come about that %s", patience, what)
		}
	}
}

// reloadTargets are endpoints, JSON pages, pages, and what is wrong.
var reloadTargets = []string{
	"/api/v1/projects", "/api/v1/projects?limit=100", "/api/v1/projects?limit=3&offset=9", "/api/v1/projects/paper-lantern-1",
	"/api/v1/projects/extra-0", "/api/v1/projects/extra-19", "/api/v1/search?q=build", "/api/v1/search?q=extra&limit=50&category=chat-interfaces",
	"/api/v1/openapi", "/api/v1/projects/index.json", "/api/v1/lists/popular/1.json", "/", "/projects/paper-lantern-1/", "/nothing/here", "/llms.txt",
}

// claims are what one answer says that depends on the build.
type claims struct {
	status                   int
	body, etag, link, policy string
}

func claimsOf(r reply) claims {
	return claims{r.status, r.body, r.header.Get("ETag"), r.header.Get("Link"), r.header.Get("Content-Security-Policy")}
}

// claimsOfBuild returns what a server that has never known another build answers.
func claimsOfBuild(t testing.TB, folder string) map[string]claims {
	t.Helper()
	s, _ := newBuilt(t, folder, nil)
	want := map[string]claims{}
	for _, target := range reloadTargets {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		want[target] = claimsOf(reply{w.Code, w.Header(), w.Body.String()})
	}
	return want
}

// reloadLoad asks a server for everything, over kept connections, while builds
// come and go, and checks that each answer is wholly that of one build.
type reloadLoad struct {
	t       *testing.T
	address string
	builds  []map[string]claims
	// floor is the build that serves for certain, newest the last that may.
	floor, newest atomic.Int64
	answers       atomic.Int64
	unchanged     atomic.Int64 // of them, 304
}

func (l *reloadLoad) ask(ctx context.Context, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	client := &http.Client{Transport: &http.Transport{}, Timeout: patience}
	defer client.CloseIdleConnections()
	known := map[string]string{} // ETags
	for ctx.Err() == nil {
		target := reloadTargets[random.IntN(len(reloadTargets))]
		request, err := http.NewRequest(http.MethodGet, "http://"+l.address+target, nil)
		if err != nil {
			l.t.Error(err)
			return
		}
		// A refusal of compression, so that bodies can be compared.
		request.Header.Set("Accept-Encoding", "identity")
		if random.IntN(2) == 0 && known[target] != "" {
			request.Header.Set("If-None-Match", known[target])
		}
		before := l.floor.Load()
		response, err := client.Do(request)
		if err != nil {
			l.t.Errorf("%s: %v", target, err)
			return
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			l.t.Errorf("%s: %v", target, err)
			return
		}
		got := claimsOf(reply{response.StatusCode, response.Header, string(body)})
		l.answers.Add(1)
		if !l.isOfOneBuild(target, got, before, l.newest.Load(), known[target]) {
			l.t.Errorf("%s is answered as by no build from %d to %d: %d %.200s", target, before, l.newest.Load(), got.status, got.body)
			return
		}
		if got.status < 400 {
			known[target] = got.etag
		}
	}
}

func (l *reloadLoad) isOfOneBuild(target string, got claims, from, to int64, known string) bool {
	for i := from; i <= to; i++ {
		want := l.builds[i][target]
		if got.status == http.StatusNotModified {
			l.unchanged.Add(1)
			want.status, want.body = http.StatusNotModified, ""
			if strings.HasPrefix(target, "/api/v1/search") { // whose pages are not known before it is answered
				want.link = ""
			}
			if known != want.etag {
				continue
			}
		}
		if got == want {
			return true
		}
	}
	return false
}

// TestReloadUnderLoad puts 20 builds in place of each other, as builds do, while
// everything is asked for: no request fails, and every body, ETag and header is
// that of one build, which is not older than the one that served for certain.
func TestReloadUnderLoad(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	const reloads, askers = 20, 6
	dir := t.TempDir()
	public := filepath.Join(dir, "public")
	load := &reloadLoad{t: t}
	for n := range reloads + 1 {
		c, files := numbered(n)
		folder := filepath.Join(dir, fmt.Sprint(n))
		writeBuild(t, folder, c, files)
		load.builds = append(load.builds, claimsOfBuild(t, folder))
		for _, target := range reloadTargets {
			if now, before := load.builds[n][target], load.builds[max(0, n-1)][target]; now.etag == before.etag && now.body != before.body && now.etag != "" {
				t.Fatalf("%s has the ETag %s in two builds, with two bodies", target, now.etag)
			}
		}
	}
	if err := os.Rename(filepath.Join(dir, "0"), public); err != nil {
		t.Fatal(err)
	}
	s, log := newBuilt(t, public, nil)
	ask := watchBuilds(t, s.Source, 5*time.Millisecond)
	load.address = run(t, s.Server)
	ctx, stop := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	defer asking.Wait()
	defer stop()
	for i := range askers {
		asking.Go(func() { load.ask(ctx, uint64(i)) })
	}
	snapshots := []weak.Pointer[snapshot.Snapshot]{weak.Make(s.current())}
	for n := 1; n <= reloads; n++ {
		answers := load.answers.Load()
		eventually(t, "all ask on", func() bool { return load.answers.Load() > answers+10*askers || t.Failed() })
		load.newest.Store(int64(n))
		old := filepath.Join(dir, fmt.Sprint(n))
		if err := errors.Join(exchangeFolders(old, public), os.RemoveAll(old)); err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 {
			ask <- os.Interrupt
		}
		eventually(t, fmt.Sprintf("build %d serves", n), func() bool {
			return s.current().Settings.Description == fmt.Sprintf("Build %d.", n)
		})
		load.floor.Store(int64(n))
		if snap := weak.Make(s.current()); !slices.Contains(snapshots, snap) {
			snapshots = append(snapshots, snap)
		}
	}
	stop()
	asking.Wait()
	for i, snap := range snapshots[:len(snapshots)-1] {
		eventually(t, fmt.Sprintf("snapshot %d is collected", i), func() bool { runtime.GC(); return snap.Value() == nil })
	}
	done, refused := scrapeReloads(t, s.Server)
	if done < reloads || refused != 0 {
		t.Errorf("%v reloads and %v refusals were counted\n%s", done, refused, log)
	}
	if load.unchanged.Load() == 0 || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("%d answers were 304; the log: %s", load.unchanged.Load(), log)
	}
	t.Logf("%d answers, %d of them 304", load.answers.Load(), load.unchanged.Load())
}

// scrapeReloads returns the counts of reloads.
func scrapeReloads(t testing.TB, s *Server) (done, refused float64) {
	t.Helper()
	f := &fixture{t: t, server: s}
	return f.value(t, `catalog_index_reloads_total{result="success"}`), f.value(t, `catalog_index_reloads_total{result="refused"}`)
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// Settings that do not fit refuse a build as damage does, and what overrides a
// build's settings overrides those of the next.
func TestReloadKeepsOverrides(t *testing.T) {
	t.Parallel()
	public := filepath.Join(t.TempDir(), "public")
	c, files := numbered(1)
	writeBuild(t, public, c, files)
	var broken error
	s, _ := newBuilt(t, public, func(o *options) {
		o.Override = func(built site.Settings) (site.Settings, error) {
			built.SandboxKey = "another"
			return built, broken
		}
	})
	c, files = numbered(2)
	c.Settings.AnonymousPerMinute = 7
	writeBuild(t, public, c, files)
	broken = errors.New("the environment is wrong")
	if err := s.Reload(); !errors.Is(err, broken) {
		t.Fatalf("Reload: %v", err)
	}
	broken = nil
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, from("192.0.2.1:1", "/api/v1/projects"))
	if got := w.Header().Get("RateLimit-Policy"); got != `"anonymous";q=7;w=60` {
		t.Errorf("the allowance of the new build is not kept: %s", got)
	}
	w = httptest.NewRecorder()
	s.Handler().ServeHTTP(w, from("192.0.2.1:1", "/api/v1/projects", "X-Api-Key", "another"))
	if w.Code != 200 {
		t.Errorf("the key that overrides is answered %d", w.Code)
	}
}

// TestWatch sees each way in which a build comes into place.
func TestWatch(t *testing.T) {
	t.Parallel()
	type place struct{ public, next string }
	for name, install := range map[string]func(t *testing.T, p place) error{
		"exchanged": func(_ *testing.T, p place) error { return exchangeFolders(p.next, p.public) },
		"moved file by file": func(_ *testing.T, p place) error {
			return os.Rename(filepath.Join(p.next, filepath.FromSlash(search.FileName)), filepath.Join(p.public, filepath.FromSlash(search.FileName)))
		},
		"written in place, in pieces": func(t *testing.T, p place) error {
			content, err := os.ReadFile(filepath.Join(p.next, filepath.FromSlash(search.FileName)))
			if err != nil {
				return err
			}
			file, err := os.OpenFile(filepath.Join(p.public, filepath.FromSlash(search.FileName)), os.O_WRONLY|os.O_TRUNC, 0)
			if err != nil {
				return err
			}
			for piece := range slices.Chunk(content, len(content)/20) {
				if _, err := file.Write(piece); err != nil {
					return err
				}
			}
			return file.Close()
		},
		"removed and made anew": func(t *testing.T, p place) error {
			return errors.Join(os.RemoveAll(p.public), os.Rename(p.next, p.public))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := place{filepath.Join(dir, "public"), filepath.Join(dir, "next")}
			for n, folder := range []string{p.public, p.next} {
				c, files := numbered(n + 1)
				writeBuild(t, folder, c, files)
			}
			s, _ := newBuilt(t, p.public, nil)
			watchBuilds(t, s.Source, 5*time.Millisecond)
			if err := install(t, p); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the new build serves", func() bool { return s.current().Settings.Description == "Build 2." })
		})
	}
	t.Run("a link that leads elsewhere", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		for n, folder := range []string{"one", "two"} {
			c, files := numbered(n + 1)
			writeBuild(t, filepath.Join(dir, folder), c, files)
		}
		public, next := filepath.Join(dir, "public"), filepath.Join(dir, "next")
		if err := errors.Join(os.Symlink("one", public), os.Symlink("two", next)); err != nil {
			t.Fatal(err)
		}
		s, _ := newBuilt(t, public, nil)
		watchBuilds(t, s.Source, 5*time.Millisecond)
		old := s.current()
		if err := os.Rename(next, public); err != nil {
			t.Fatal(err)
		}
		// Until it is loaded, pages are those of the index that serves.
		if file, err := old.Open("index.html"); err == nil {
			content, err := io.ReadAll(file)
			if _ = file.Close(); err != nil || !strings.Contains(string(content), `"build":1,`) {
				t.Errorf("the page beside the old index is %s, %v", content, err)
			}
		} else if !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		eventually(t, "the new build serves", func() bool { return s.current().Settings.Description == "Build 2." })
	})
}

// A published build has the assets of the one before, which pages that were just sent name,
// and nothing else of it.
func TestAssetsOfTheBuildBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := func(n int) string { return filepath.Join(dir, fmt.Sprint(n)) }
	asset := func(n int) string { return fmt.Sprintf("assets/style-%012d.css", n) }
	for n := range 3 {
		c, files := numbered(0)
		files[asset(n)] = fmt.Sprintf("main{margin:%dpx}", n)
		files[fmt.Sprintf("only-%d.txt", n)] = "x"
		writeBuild(t, folder(n), c, files)
	}
	published := func(n int) artifact.Build {
		return artifact.Build{Folder: folder(n), Version: fmt.Sprint("v", n), Created: time.Now()}
	}
	s, _ := newBuilt(t, folder(0), func(o *options) { o.Build = published(0) })
	check := func(want map[string]int) {
		t.Helper()
		for range 2 { // read, and kept
			for name, status := range want {
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+name, nil))
				cached := strings.Contains(w.Header().Get("Cache-Control"), "immutable")
				if isAsset := strings.HasPrefix(name, "assets/"); w.Code != status || isAsset && cached != (status == 200) {
					t.Errorf("%s is answered %d, with Cache-Control: %s", name, w.Code, w.Header().Get("Cache-Control"))
				}
			}
		}
	}
	check(map[string]int{asset(0): 200, asset(1): 404, "only-0.txt": 200})
	for n := 1; n < 3; n++ {
		if err := s.Switch(published(n)); err != nil {
			t.Fatal(err)
		}
		if err := s.Switch(published(n)); err != nil { // packed again
			t.Fatal(err)
		}
		check(map[string]int{asset(n + 1): 404, asset(n - 1): 200, asset(n): 200, fmt.Sprintf("only-%d.txt", n-1): 404, fmt.Sprintf("only-%d.txt", n): 200})
	}
	check(map[string]int{asset(0): 404})
	remove(t, folder(1))
	check(map[string]int{asset(1): 404, asset(2): 200})
}

// A snapshot that was replaced is collected, and its folder closed, as soon as the
// responses from it are decided, though clients have yet to read them.
func TestReplacedSnapshotIsCollected(t *testing.T) {
	t.Parallel()
	public := filepath.Join(t.TempDir(), "public")
	c, files := numbered(1)
	writeBuild(t, public, c, files)
	held, proceed := make(chan struct{}), make(chan struct{})
	var hold atomic.Bool
	s, _ := newBuilt(t, public, func(o *options) {
		o.Now = func() time.Time {
			if hold.CompareAndSwap(true, false) {
				held <- struct{}{}
				<-proceed
			}
			return time.Time{}
		}
	})
	old, folder := weak.Make(s.current()), weak.Make(s.current().Files)
	hold.Store(true)
	w := stuck{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	var sent sync.WaitGroup
	sent.Go(func() { s.Handler().ServeHTTP(w, from("192.0.2.1:1", "/api/v1/projects")) })
	<-held
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if snap := old.Value(); snap == nil {
		t.Error("a snapshot with a request in it is collected")
	} else if _, err := snap.Stat("."); err != nil {
		t.Errorf("its folder: %v", err)
	}
	close(proceed)
	<-w.reached // its response is being sent
	eventually(t, "nobody needs the snapshot any more", func() bool { runtime.GC(); return old.Value() == nil && folder.Value() == nil })
	close(w.proceed)
	sent.Wait()
}

// A reload in the middle of a request, at the worst moment: whatever it asks for,
// the answer is wholly that of the build that served when it came.
func TestAnswersAreOfOneBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	public, next := filepath.Join(dir, "public"), filepath.Join(dir, "next")
	for n, folder := range []string{public, next} {
		c, files := numbered(n + 1)
		writeBuild(t, folder, c, files)
	}
	want := claimsOfBuild(t, public)
	var hold atomic.Bool
	held, proceed := make(chan struct{}), make(chan struct{})
	s, _ := newBuilt(t, public, func(o *options) {
		o.Now = func() time.Time {
			if hold.CompareAndSwap(true, false) {
				held <- struct{}{}
				<-proceed
			}
			return time.Time{}
		}
	})
	for _, target := range reloadTargets {
		if !strings.HasPrefix(target, "/api/") {
			continue // no clock is asked; TestReloadUnderLoad
		}
		hold.Store(true)
		w := httptest.NewRecorder()
		var asking sync.WaitGroup
		asking.Go(func() { s.Handler().ServeHTTP(w, from("192.0.2.1:1", target)) })
		<-held
		if err := errors.Join(exchangeFolders(next, public), s.Reload()); err != nil {
			t.Fatal(err)
		}
		proceed <- struct{}{}
		asking.Wait()
		if got := claimsOf(reply{w.Code, w.Header(), w.Body.String()}); got != want[target] {
			t.Errorf("%s is answered %d %q %.300s", target, got.status, got.etag, got.body)
		}
		if err := errors.Join(exchangeFolders(next, public), s.Reload()); err != nil { // the first again
			t.Fatal(err)
		}
	}
}
