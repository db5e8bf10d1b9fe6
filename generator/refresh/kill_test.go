package refresh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api/soak"
	"catalog.example/generator/refresh/forgetest"
)

// killedEnv makes the test binary the run that gets killed. It holds the content
// folder, the forge's API and the cache folder, a line each.
const killedEnv = "CATALOG_TEST_KILLED"

func TestMain(m *testing.M) {
	if args := os.Getenv(killedEnv); args != "" {
		runToBeKilled(strings.Split(args, "\n"))
	}
	os.Exit(m.Run())
}

// runToBeKilled refreshes the listings t0, t1, … of a folder.
func runToBeKilled(args []string) {
	dir, api, cache := args[0], args[1], args[2]
	forges, err := Forges(func(key string) (string, bool) { return api, key == "CATALOG_GITHUB_API" }, "")
	if err != nil {
		panic(err)
	}
	var targets []Target
	for i := range killedListings {
		targets = append(targets, Target{Slug: fmt.Sprintf("t%d", i), File: fmt.Sprintf("t%d.md", i), RepositoryURL: fmt.Sprintf("https://github.com/a/t%d", i)})
	}
	report, err := Run(context.Background(), targets, Options{Dir: dir, FrontMatter: frontMatter(), Forges: forges, Jobs: 2, Cache: cache, Timeout: time.Minute})
	if err != nil || len(report.Failed)+len(report.Vanished) > 0 {
		fmt.Println(report, err)
		os.Exit(1)
	}
	os.Exit(0)
}

const (
	killedListings = 12
	// killedText is the size of their texts in bytes, near the limit, so that a run
	// can be killed while it writes.
	killedText = 48 << 10
)

// TestKilled kills runs while they write, each a little later, until one finishes,
// and checks every file after each.
func TestKilled(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	var repositories []forgetest.Repository
	dir := t.TempDir()
	old, fresh := map[string][]byte{}, map[string][]byte{}
	for i := range killedListings {
		r := unchangedRepository(fmt.Sprintf("a/t%d", i))
		r.Stars = 77 + i
		repositories = append(repositories, r)
		name := fmt.Sprintf("t%d.md", i)
		old[name] = append([]byte(listingText("https://github.com/"+r.Name)), bytes.Repeat([]byte("A line of text.\n"), killedText>>4)...)
		if err := os.WriteFile(filepath.Join(dir, name), old[name], 0o600); err != nil {
			t.Fatal(err)
		}
		day := time.Now().UTC().Format("2006-01-02")
		fresh[name] = []byte(replaced(string(old[name]), "stars: 10", fmt.Sprintf("stars: %d", r.Stars), "starsAsOf: 2026-01-01", "starsAsOf: "+day, "a list (2026-01-01)", "GitHub API ("+day+")"))
	}
	forge := forgetest.New(repositories...)
	t.Cleanup(forge.Close)
	cache := t.TempDir()
	kills := 0
	for round := 0; ; round++ {
		if round == 300 {
			t.Fatal("the run never ends")
		}
		done := killOnChange(t, round+1, dir, forge.URL+"/github", cache)
		written := 0
		for name := range old {
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case bytes.Equal(got, fresh[name]):
				written++
			case !bytes.Equal(got, old[name]):
				t.Fatalf("round %d: %s is neither old nor new: %d bytes of %d", round, name, len(got), len(old[name]))
			}
		}
		temporary, err := filepath.Glob(filepath.Join(dir, ".*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range temporary {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		if done {
			if written != killedListings {
				t.Errorf("%d listings are new after a whole run", written)
			}
			break
		}
		kills++
	}
	if kills == 0 {
		t.Error("no run was killed")
	}
}

// killOnChange starts a run and kills it after a number of changes in the folder.
// It reports whether the run finished before.
func killOnChange(t *testing.T, changes int, dir, api, cache string) (done bool) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	command := exec.CommandContext(t.Context(), program, "-test.run=^$")
	command.Env = append(os.Environ(), killedEnv+"="+strings.Join([]string{dir, api, cache}, "\n"))
	command.Stdout, command.Stderr = &output, &output
	before := folderState(t, dir)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, output.String())
			}
			return true
		default:
		}
		now := folderState(t, dir)
		if now != before {
			before = now
			changes--
		}
		if changes == 0 {
			_ = command.Process.Kill() // SIGKILL; fails if it has ended
			err := <-ended
			exit, ok := errors.AsType[*exec.ExitError](err)
			return !ok || exit.Exited()
		}
	}
}

// folderState returns the names, sizes and modification times of a folder's files.
func folderState(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, e.Name(), info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}
