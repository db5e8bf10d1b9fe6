package main

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/soak"
)

// TestSoakInterruptedBuilds kills builds, and runs them on a full disk.
func TestSoakInterruptedBuilds(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, _ := buildSmall(t)
	for name, kept := range map[string]map[string]string{
		"killed":             nil,
		"killed beside kept": {".git/HEAD": "ref: refs/heads/gh-pages\n", "CNAME": "catalog.example\n", ".well-known/acme-challenge/token": "proof"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if shm, err := os.MkdirTemp("/dev/shm", "catalog-kill-*"); err == nil && !soak.Full() { // faster than a busy disk
				t.Cleanup(func() { _ = os.RemoveAll(shm) })
				dir = shm
			}
			checkKilledBuilds(t, program, dir, kept)
		})
	}
	t.Run("without room", func(t *testing.T) {
		t.Parallel()
		checkFullDisk(t, program)
	})
}

// checkKilledBuilds kills `catalog build` at random moments. The output must be all of
// the old build or all of the new one, kept files must be there, and the next build must
// succeed and leave no other files. With kept files, files are moved one by one, and a
// killed build may leave whole files of both builds.
func checkKilledBuilds(t *testing.T, program, dir string, kept map[string]string) {
	t.Helper()
	public := filepath.Join(dir, "out", "public")
	for name, text := range kept {
		writeText(t, filepath.Join(public, name), text)
	}
	command := func(title, out string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), program, "build", "--content", "testdata/content", "--out", out, "--pictures=off")
		c.Env = append(os.Environ(), "CATALOG_TITLE="+title)
		return c
	}
	mustBuild := func(title, out string) map[string]string {
		if text, err := command(title, out).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return readFiles(t, out)
	}
	titles := []string{"Old", "New"} // on every page
	var trees []map[string]string
	for _, title := range titles {
		tree := mustBuild(title, filepath.Join(dir, title))
		maps.Copy(tree, kept)
		trees = append(trees, tree)
	}
	buildTime := time.Hour // shortest so far
	rebuild := func(title string) map[string]string {
		start := time.Now()
		tree := mustBuild(title, public)
		buildTime = min(buildTime, time.Since(start))
		return tree
	}
	if got := rebuild(titles[0]); !maps.Equal(got, trees[0]) {
		t.Fatal("two builds of the same differ")
	}

	random := rand.New(rand.NewPCG(2026, 22))
	rounds := soak.Rounds(200)
	killed, outcomes := 0, map[string]int{}
	for round := range rounds {
		target := 1 - round%2
		c := command(titles[target], public)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		maxDelay := buildTime
		if round%4 < 2 { // while the build is put in place, a short part of it
			staged := filepath.Join(dir, "out", ".public.catalog-*", ".catalog-manifest-staged")
			for deadline := time.Now().Add(3 * buildTime); time.Now().Before(deadline); {
				if found, err := filepath.Glob(staged); err != nil || len(found) > 0 {
					break
				}
			}
			maxDelay = buildTime / 20
		}
		time.Sleep(time.Duration(random.Int64N(int64(maxDelay) + 1)))
		_ = c.Process.Kill() // SIGKILL; it may have ended
		if c.Wait() != nil {
			killed++
		}
		got := readFiles(t, public)
		switch old, next := trees[1-target], trees[target]; {
		case maps.Equal(got, old):
			outcomes["old"]++
		case maps.Equal(got, next):
			outcomes["new"]++
		case kept == nil:
			t.Fatalf("round %d: the output is of neither build, %d files", round, len(got))
		default: // files are moved one by one, each whole
			outcomes["both"]++
			for name, text := range got {
				if text != old[name] && text != next[name] && name != ".catalog-manifest" {
					t.Errorf("round %d: %s is of neither build", round, name)
				}
			}
			const index = "api/v1/search.idx"
			for name, text := range next { // the index comes last
				if name != ".catalog-manifest" && got[index] == next[index] && got[name] != text {
					t.Errorf("round %d: the index is new, %s is not", round, name)
				}
			}
			for name, text := range kept {
				if got[name] != text {
					t.Errorf("round %d: %s holds %q", round, name, got[name])
				}
			}
		}
		if next := rebuild(titles[target]); !maps.Equal(next, trees[target]) {
			t.Fatalf("round %d: the next build is not whole", round)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "out", ".*")); err != nil || len(left) > 0 {
			t.Fatalf("round %d: the next build leaves %q, %v", round, left, err)
		}
	}
	if killed == 0 {
		t.Error("no build was killed")
	}
	t.Logf("a build takes %v; of %d builds %d were killed, and then the output was of %v", buildTime, rounds, killed, outcomes)
}

// readFiles returns the texts of the files in a folder by slash-separated path.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(dir), name)
		tree[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// checkFullDisk builds where no more can be written: with a file size limit, and on a
// full disk if the test may mount one.
func checkFullDisk(t *testing.T, program string) {
	t.Helper()
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	const steps = `set -e
first="$1 build --quiet --pictures=off --content testdata/content --out $2/public"
CATALOG_TITLE=Old $first
cp -a "$2/public" "$3/before"
eval "$4"
status=0
CATALOG_TITLE=New $1 build --pictures=off --content testdata/content --out "$2/public" 2>"$3/said" >"$3/out" || status=$?
echo $status >"$3/status"
cp -a "$2/public" "$3/after"
eval "$5"
CATALOG_TITLE=New $first
cp -a "$2/public" "$3/next"
ls -A "$2" >"$3/left"
`
	run := func(results string, before string, attributes *syscall.SysProcAttr, fill, empty string) {
		t.Helper()
		if err := os.Mkdir(results, 0o755); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), "bash", "-c", before+steps, "bash", program, disk, results, fill, empty)
		c.SysProcAttr = attributes
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		output := readText(t, filepath.Join(results, "said"))
		if strings.Count(output, "\n") != 1 || !strings.HasPrefix(output, "catalog: output folder "+disk+"/public: ") || !strings.Contains(output, "free some space on the disk") {
			t.Errorf("the program says %q", output)
		}
		if status, out := readText(t, filepath.Join(results, "status")), readText(t, filepath.Join(results, "out")); status != "1\n" || out != "" {
			t.Errorf("it ends with status %q and prints %q", status, out)
		}
		old, got := readFiles(t, filepath.Join(results, "before")), readFiles(t, filepath.Join(results, "after"))
		if !maps.Equal(old, got) {
			t.Error("the output is not what it was")
		}
		if next := readFiles(t, filepath.Join(results, "next")); len(next) != len(old) || maps.Equal(next, old) {
			t.Errorf("the next build has %d files, the first had %d", len(next), len(old))
		}
		if left := strings.Fields(readText(t, filepath.Join(results, "left"))); !slices.Equal(left, []string{"public"}) {
			t.Errorf("the next build leaves %q", left)
		}
	}
	// Bash counts in KiB. The limit applies to the subshell.
	run(filepath.Join(dir, "limited"), "", nil, `limited() { (ulimit -f 8; exec "$@"); }; program=$1; set -- "limited $1" "$2" "$3"`, `set -- "$program" "$2" "$3"`)

	probe := exec.CommandContext(t.Context(), "true")
	probe.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if err := probe.Run(); err != nil {
		t.Logf("nothing can be mounted here (%v): only the limit was tried", err)
		return
	}
	const mount = "mount --make-rprivate /; mount -t tmpfs -o size=3m tmpfs \"$2\"\n"
	run(filepath.Join(dir, "mounted"), mount, &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS},
		fmt.Sprintf(`head -c %d /dev/zero >"$2/filler" || true; truncate -s -%d "$2/filler"`, 4<<20, 64<<10), `rm "$2/filler"`)
}
