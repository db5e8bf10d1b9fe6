package output

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/soak"
	"golang.org/x/sys/unix"
)

// These environment variables make the test binary a builder that is killed, or run
// one test in its own mount namespace.
const (
	builderTarget     = "OUTPUT_TEST_BUILDER_TARGET"
	builderFirst      = "OUTPUT_TEST_BUILDER_FIRST"
	builderLimit      = "OUTPUT_TEST_BUILDER_LIMIT"
	mountNamespaceEnv = "OUTPUT_TEST_INSIDE_MOUNTS"
)

func TestMain(m *testing.M) {
	if target := os.Getenv(builderTarget); target != "" {
		first, err := strconv.Atoi(os.Getenv(builderFirst))
		if limit, limited := os.LookupEnv(builderLimit); err == nil && limited {
			err = buildWithLimit(target, limit)
		} else if err == nil {
			err = buildForever(target, first)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// inMountNamespace runs the calling test again in a process with its own mount
// namespace, so that mounts disappear with it. In that process it returns true.
func inMountNamespace(t *testing.T) bool {
	t.Helper()
	if os.Getenv(mountNamespaceEnv) == t.Name() {
		return true
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "-test.v", "-test.timeout=19m", "-test.run=^"+regexp.QuoteMeta(t.Name())+"$")
	c.Env = append(os.Environ(), mountNamespaceEnv+"="+t.Name())
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		c.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	}
	out, err := c.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("the test in a mount namespace of its own (it needs root, or a kernel that allows user namespaces): %v\n%s", err, out)
	}
	return false
}

// mount mounts a new tmpfs of a size at a folder.
func mount(t *testing.T, dir, size string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0755,size="+size); err != nil {
		t.Fatalf("nothing can be mounted here, so that output to a mount point stays untested: run the tests as root: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func TestTargetIsAMountPoint(t *testing.T) {
	if !inMountNamespace(t) {
		return
	}
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mount(t, target, "8m")
	kept := files{Placeholder: "kept", "lost+found/#12": "found by a check of the file system"}
	writeTree(t, target, kept)
	beside := filepath.Join(parent, "beside")
	writeTree(t, beside, files{"x": ""})
	if err := exchange(beside, target); err == nil {
		t.Fatal("the kernel exchanges a mount point: this test tests nothing")
	}
	if err := os.RemoveAll(beside); err != nil {
		t.Fatal(err)
	}

	for _, tree := range clashingBuilds {
		build(t, target, tree)
		want := with(with(tree, Placeholder, "kept"), "lost+found/#12", kept["lost+found/#12"])
		checkTree(t, target, want)
		checkEntries(t, parent, "public")
	}
}

// If a build does not fit, the old one stays.
func TestMountPointIsFull(t *testing.T) {
	if !inMountNamespace(t) {
		return
	}
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mount(t, target, "512k")
	build(t, target, firstBuild)
	s := stage(t, target, secondBuild)
	if err := s.Write("z.bin", []byte(strings.Repeat("z", 1<<20))); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("Write() = %v, want %v", err, unix.ENOSPC)
	}
	s.Abort()
	checkEntries(t, parent, "public")
	for name, content := range readTree(t, target) {
		if content != firstBuild[name] && content != secondBuild[name] {
			t.Errorf("%s holds %q", name, content)
		}
	}
	if got := readTree(t, target)[index]; got != firstBuild[index] {
		t.Errorf("the index is %q, want the old one", got)
	}
	build(t, target, secondBuild)
	checkTree(t, target, secondBuild)
}

// If the parent is read-only, files are staged inside the target.
func TestParentIsReadOnly(t *testing.T) {
	if !inMountNamespace(t) {
		return
	}
	parent := t.TempDir()
	mount(t, parent, "1m")
	target := filepath.Join(parent, "public")
	mount(t, target, "8m")
	if err := unix.Mount("", parent, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	build(t, target, firstBuild)
	checkTree(t, target, firstBuild)

	s := stage(t, target, files{index: "half"})
	if filepath.Dir(s.dir) != target {
		t.Fatalf("files are staged in %s", s.dir)
	}
	s.Abort()
	checkTree(t, target, firstBuild)

	writeTree(t, target, files{innerStaging + "/half": "left by a killed build"})
	build(t, target, secondBuild)
	checkTree(t, target, secondBuild)
}

func TestIsSameFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "staging")
	lock := func() *os.File {
		f, err := lockFolder(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	first := lock()
	if !isSameFolder(first, dir) {
		t.Error("an unchanged folder is taken for another")
	}
	if err := os.Rename(dir, dir+"-gone"); err != nil {
		t.Fatal(err)
	}
	if isSameFolder(first, dir) {
		t.Error("a missing folder is taken for the first")
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if isSameFolder(first, dir) {
		t.Error("another folder at the same path is taken for the first")
	}
	if !isSameFolder(lock(), dir) {
		t.Error("the new folder is taken for another")
	}
}

// sharedFiles are the files of every generation of the builder; each generation also
// has a uniqueFile.
var sharedFiles = func() []string {
	list := []string{index, "index.html", "llms.txt"}
	for i := range 24 {
		list = append(list, fmt.Sprintf("projects/%d/index.html", i))
	}
	return list
}()

func uniqueFile(generation int) string { return fmt.Sprintf("generations/%d.html", generation) }

// contentOf returns a file of a generation: its name, some bytes, and a checksum.
func contentOf(generation int, name string) []byte {
	text := fmt.Appendf(nil, "%d %s %s\n", generation, name, strings.Repeat("x", (generation*7919+len(name)*104729)%20_000))
	return fmt.Appendf(text, "%x", sha256.Sum256(text))
}

// generationOf returns the generation of a file, and an error if it is incomplete.
func generationOf(name string, content []byte) (int, error) {
	end := bytes.LastIndexByte(content, '\n') + 1
	if fmt.Sprintf("%x", sha256.Sum256(content[:end])) != string(content[end:]) {
		return 0, fmt.Errorf("%s is not whole: %d bytes", name, len(content))
	}
	generation, named, _ := strings.Cut(string(content), " ")
	if !strings.HasPrefix(named, name+" ") {
		return 0, fmt.Errorf("%s holds another file", name)
	}
	return strconv.Atoi(generation)
}

// writeGeneration stages a generation.
func writeGeneration(s *Stage, generation int, written func()) error {
	for _, name := range append([]string{uniqueFile(generation)}, sharedFiles...) {
		if err := s.Write(name, contentOf(generation, name)); err != nil {
			return err
		}
		written()
	}
	return nil
}

// buildForever builds generations and writes a line at each step, until it is killed
// or nobody reads the lines.
func buildForever(target string, first int) error {
	for generation := first; ; generation++ {
		s, err := Begin(targetAt(target))
		if err != nil {
			return err
		}
		var printErr error
		report := func() {
			if _, err := fmt.Println(generation); err != nil {
				printErr = err
			}
		}
		if err := writeGeneration(s, generation, report); err != nil {
			return err
		}
		if err := s.Commit(); err != nil {
			return err
		}
		report()
		if printErr != nil {
			return printErr
		}
	}
}

// builder is a process that runs buildForever.
type builder struct {
	process *exec.Cmd
	lines   *bufio.Scanner
	stderr  bytes.Buffer
}

func startBuilder(t *testing.T, target string, first int) *builder {
	t.Helper()
	b := &builder{process: exec.CommandContext(t.Context(), os.Args[0])}
	b.process.Env = append(os.Environ(), builderTarget+"="+target, builderFirst+"="+strconv.Itoa(first))
	b.process.Stderr = &b.stderr
	out, err := b.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	b.lines = bufio.NewScanner(out)
	if err := b.process.Start(); err != nil {
		t.Fatal(err)
	}
	return b
}

// kill ends the builder and returns the last generation that it worked on.
func (b *builder) kill(t *testing.T) (generation int) {
	t.Helper()
	if err := b.process.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatalf("the builder has ended by itself: %v\n%s", err, b.stderr.String())
	}
	for b.lines.Scan() {
		generation, _ = strconv.Atoi(b.lines.Text())
	}
	_ = b.process.Wait()
	if status := b.process.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
		t.Fatalf("the builder has ended by itself:\n%s", b.stderr.String())
	}
	return generation
}

// reader reads the target continuously, as a web server does, and checks it.
type reader struct {
	target string
	swaps  bool // builds exchange the folder
	kept   files
	passes int
	mixed  bool // files of several generations were read
}

// run reads until done is closed, and at least once.
func (r *reader) run(done <-chan struct{}) error {
	for {
		if err := r.pass(); err != nil {
			return err
		}
		r.passes++
		select {
		case <-done:
			return nil
		default:
		}
	}
}

// read returns the generation of a file. It tries again if the folder is exchanged
// while the path is resolved.
func (r *reader) read(name string) (generation int, err error) {
	for range 1 + 3*btoi(r.swaps) {
		var content []byte
		content, err = os.ReadFile(filepath.Join(r.target, filepath.FromSlash(name)))
		if err == nil {
			return generationOf(name, content)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return 0, err
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pass reads the index and then every file. Builds write the index last, so that the
// files are of its generation or a later one.
func (r *reader) pass() error {
	indexGeneration, err := r.read(index)
	if err != nil {
		return err
	}
	for _, name := range sharedFiles {
		generation, err := r.read(name)
		if err != nil {
			return err
		}
		if generation < indexGeneration {
			return fmt.Errorf("%s is of generation %d, the index was of %d already", name, generation, indexGeneration)
		}
		r.mixed = r.mixed || generation != indexGeneration
	}
	for name, want := range r.kept {
		if content, err := os.ReadFile(filepath.Join(r.target, filepath.FromSlash(name))); string(content) != want || err != nil && !strings.HasSuffix(name, "/") {
			return fmt.Errorf("%s, which is kept, holds %q: %w", name, content, err)
		}
	}
	if _, err := r.read(uniqueFile(indexGeneration)); err != nil {
		now, indexErr := r.read(index)
		if indexErr != nil || now == indexGeneration {
			return fmt.Errorf("a file of the index's generation: %w", errors.Join(err, indexErr))
		}
	}
	if r.swaps {
		return r.held()
	}
	return nil
}

// held reads one folder, even after it is replaced. Its files are of one generation,
// and all exist as long as it is the target.
func (r *reader) held() error {
	folder, err := os.OpenRoot(r.target)
	if err != nil {
		return err
	}
	defer folder.Close()
	first := 0
	for _, name := range sharedFiles {
		content, err := folder.ReadFile(name)
		if err != nil {
			held, heldErr := folder.Stat(".")
			now, nowErr := os.Stat(r.target)
			if heldErr != nil || nowErr != nil || os.SameFile(held, now) {
				return fmt.Errorf("a folder is in place without all its files: %w", errors.Join(err, heldErr, nowErr))
			}
			return nil // the folder has been replaced and is being removed
		}
		generation, err := generationOf(name, content)
		if err != nil {
			return err
		}
		if first == 0 {
			first = generation
		}
		if generation != first {
			return fmt.Errorf("%s is of generation %d in a folder of generation %d", name, generation, first)
		}
	}
	return nil
}

// fastDir returns a temporary folder, in memory unless long tests run in full: on a
// busy disk, a sync takes seconds.
func fastDir(t *testing.T) string {
	t.Helper()
	if soak.Full() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "catalog-output-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestSoakKilledBuilds(t *testing.T) {
	testKilledBuilds(t, filepath.Join(fastDir(t), "public"), nil)
}

func TestSoakKilledBuildsBesideKeptEntries(t *testing.T) {
	soak.Long(t)
	target := filepath.Join(fastDir(t), "public")
	writeTree(t, target, keptFiles)
	testKilledBuilds(t, target, keptFiles)
}

func TestSoakKilledBuildsOnAMountPoint(t *testing.T) {
	soak.Long(t)
	if !inMountNamespace(t) {
		return
	}
	target := filepath.Join(t.TempDir(), "public")
	mount(t, target, "32m")
	kept := files{"lost+found/": ""}
	writeTree(t, target, kept)
	testKilledBuilds(t, target, kept)
}

// testKilledBuilds kills builders at random moments. The target must be complete and
// kept files must exist at every moment, and the next build must clean up. With kept
// files, files are moved one by one.
func testKilledBuilds(t *testing.T, target string, kept files) {
	rounds := soak.Rounds(200)
	random := rand.New(rand.NewPCG(2026, 11))
	parent := filepath.Dir(target)
	generation := 1
	complete := func() files {
		tree := with(kept, uniqueFile(generation), string(contentOf(generation, uniqueFile(generation))))
		for _, name := range sharedFiles {
			tree[name] = string(contentOf(generation, name))
		}
		return tree
	}
	build(t, target, without(complete(), kept))

	r := &reader{target: target, swaps: kept == nil, kept: kept}
	done := make(chan struct{})
	var readErr error
	var wg sync.WaitGroup
	wg.Go(func() { readErr = r.run(done) })

	mixed := 0
	leftovers := 0
	for range rounds {
		b := startBuilder(t, target, generation+1)
		steps := 1 + random.IntN(3*len(sharedFiles))
		for range steps {
			if !b.lines.Scan() {
				break
			}
		}
		// Lines count staged files. Commit writes no lines, so a random pause selects a
		// moment in it.
		time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond)
		if last := b.kill(t); last > generation {
			generation = last
		}
		if entries, err := os.ReadDir(parent); err != nil {
			t.Fatal(err)
		} else if len(entries) > 1 {
			leftovers++
		} else if _, err := os.Stat(filepath.Join(target, innerStaging)); err == nil {
			leftovers++
		}
		after := &reader{target: target, swaps: r.swaps, kept: kept}
		if err := after.pass(); err != nil {
			t.Errorf("after a kill: %v", err)
		}
		mixed += btoi(after.mixed)
		generation += 1000
		build(t, target, without(complete(), kept))
		checkTree(t, target, complete())
		checkEntries(t, parent, filepath.Base(target))
		if t.Failed() {
			break
		}
	}
	close(done)
	wg.Wait()
	if readErr != nil {
		t.Error(readErr)
	}
	if leftovers == 0 {
		t.Error("no kill met a build at work: the test tests nothing")
	}
	t.Logf("%d of %d kills left something behind, %d files of two builds; %d passes of the reader", leftovers, rounds, mixed, r.passes)
}

// If the first build on a mount point is killed before the index is in place, the
// next build must succeed.
func TestKilledFirstBuildOnAMountPoint(t *testing.T) {
	if !inMountNamespace(t) {
		return
	}
	caught := 0
	for round := 0; caught == 0 && round < 400 || caught < 3 && round < 8; round++ { // on a busy machine, many kills come late
		parent := t.TempDir()
		target := filepath.Join(parent, "public")
		mount(t, target, "8m")
		b := startBuilder(t, target, 1)
		for deadline := time.Now().Add(20 * time.Second); ; {
			if entries, err := os.ReadDir(target); err != nil || time.Now().After(deadline) {
				t.Fatalf("no file comes: %v\n%s", err, b.stderr.String())
			} else if len(entries) > 1 {
				break
			}
		}
		b.kill(t)
		if _, err := os.Stat(filepath.Join(target, filepath.FromSlash(index))); errors.Is(err, fs.ErrNotExist) {
			caught++
		}
		build(t, target, firstBuild)
		checkTree(t, target, firstBuild)
		checkEntries(t, parent, "public")
	}
	if caught == 0 {
		t.Error("no kill met files on their way: the test tests nothing")
	}
}

// A bind mount may be on the file system of its parent, but files cannot be moved
// into it.
func TestTargetIsABindMount(t *testing.T) {
	if !inMountNamespace(t) {
		return
	}
	parent := t.TempDir()
	target, elsewhere := filepath.Join(parent, "public"), t.TempDir()
	if err := os.Mkdir(target, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(elsewhere, target, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) })
	for _, tree := range clashingBuilds {
		if s := stage(t, target, tree); s.stagedBeside {
			t.Error("files are staged where they cannot be moved from")
		} else if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		checkTree(t, target, tree)
		checkEntries(t, parent, "public")
	}
}

// If the target becomes a mount point during a build, that build fails, and the next one
// does not.
func TestTargetBecomesAMountPoint(t *testing.T) {
	if !inMountNamespace(t) {
		return
	}
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	build(t, target, firstBuild)
	s := stage(t, target, secondBuild)
	mount(t, target, "8m")
	if err := s.Commit(); !errors.Is(err, unix.EXDEV) {
		t.Errorf("Commit() = %v, want %v", err, unix.EXDEV)
	}
	checkTree(t, target, files{})
	checkEntries(t, parent, "public")
	build(t, target, secondBuild)
	checkTree(t, target, secondBuild)
}

// noSpaceMessage is part of the error on a full disk.
const noSpaceMessage = "free some space on the disk"

// The disk fills up at every moment of a build. The old files stay complete, and the
// next build cleans up.
func TestDiskIsFull(t *testing.T) {
	if !inMountNamespace(t) {
		return
	}
	big := func(n int) files {
		tree := files{}
		for name, content := range keptBuilds[n] {
			tree[name] = content + strings.Repeat(fmt.Sprint(n), 20_000+1000*len(name))
		}
		return tree
	}
	old, next := big(0), big(2)
	for _, c := range []struct {
		about   string
		mounted string // below the parent
		kept    files
	}{{"exchange", ".", nil}, {"kept", ".", keptFiles}, {"mount point", "public", files{"lost+found/": ""}}} {
		t.Run(c.about, func(t *testing.T) {
			parent := t.TempDir()
			target := filepath.Join(parent, "public")
			disk := filepath.Join(parent, c.mounted)
			mount(t, disk, "1m")
			writeTree(t, target, c.kept)
			build(t, target, old)
			filler := filepath.Join(parent, c.mounted, "filler")
			to := targetAt(target)
			to.Keep = append(slices.Clone(to.Keep), "filler")
			failed := 0
			for free := 0; ; free += 4096 {
				if free > 1<<20 {
					t.Fatal("the disk is always full")
				}
				fill(t, disk, filler, free)
				err := buildInto(to, next)
				if removeErr := os.Remove(filler); removeErr != nil {
					t.Fatal(removeErr)
				}
				if err == nil {
					break
				}
				failed++
				if !strings.Contains(err.Error(), noSpaceMessage) || strings.Contains(err.Error(), "\n") {
					t.Errorf("with %d bytes free: %v", free, err)
				}
				if c.kept == nil {
					checkTree(t, target, old)
				}
				for name, content := range readTree(t, target) {
					if content != old[name] && content != next[name] && content != c.kept[name] {
						t.Errorf("with %d bytes free: %s holds %d bytes of neither build", free, name, len(content))
					}
				}
				build(t, target, old)
				checkTree(t, target, merge(old, c.kept))
				checkEntries(t, parent, "public")
			}
			if failed < 5 {
				t.Errorf("only %d builds have met a full disk", failed)
			}
			t.Logf("%d builds have met a full disk", failed)
		})
	}
}

// fill writes a file that leaves only free bytes on a disk.
func fill(t *testing.T, disk, filler string, free int) {
	t.Helper()
	var stat unix.Statfs_t
	if err := unix.Statfs(disk, &stat); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Fallocate(int(f.Fd()), 0, 0, max(int64(stat.Bavail)*stat.Bsize-int64(free), 1)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// buildWithLimit builds once, in a process that limits the size of files.
func buildWithLimit(target, limit string) error {
	n, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
		return err
	}
	s, err := Begin(targetAt(target))
	if err != nil {
		return err
	}
	defer s.Abort()
	if err := writeGeneration(s, 2, func() {}); err != nil {
		return err
	}
	return s.Commit()
}

// A limit of file sizes simulates a full disk without mounting one.
func TestFilesOverTheLimit(t *testing.T) {
	for _, kept := range []files{nil, keptFiles} {
		parent := fastDir(t)
		target := filepath.Join(parent, "public")
		writeTree(t, target, kept)
		old := merge(firstBuild, kept)
		build(t, target, firstBuild)
		failed := 0
		for limit := 500; limit < 20_000; limit += 1950 {
			c := exec.CommandContext(t.Context(), os.Args[0])
			c.Env = append(os.Environ(), builderTarget+"="+target, builderFirst+"=2", fmt.Sprintf("%s=%d", builderLimit, limit))
			combined, err := c.CombinedOutput()
			out := string(combined)
			if err == nil || out == "<nil>\n" {
				continue
			}
			failed++
			if strings.Count(out, "\n") != 1 || !strings.Contains(out, noSpaceMessage) {
				t.Errorf("with %d bytes a file: %s", limit, out)
			}
			checkTree(t, target, old)
			build(t, target, firstBuild)
			checkTree(t, target, old)
			checkEntries(t, parent, "public")
		}
		if failed < 3 {
			t.Errorf("only %d builds have met the limit", failed)
		}
	}
}

func TestDiskIsReadOnly(t *testing.T) {
	if !inMountNamespace(t) {
		return
	}
	parent := t.TempDir()
	mount(t, parent, "1m")
	target := filepath.Join(parent, "public")
	build(t, target, firstBuild)
	if err := unix.Mount("", parent, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{target, filepath.Join(parent, "new"), filepath.Join(parent, "new", "below")} {
		err := buildInto(targetAt(name), secondBuild)
		if err == nil || !strings.Contains(err.Error(), "the disk is read-only: choose a folder on another disk with --out") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	checkTree(t, target, firstBuild)
}
