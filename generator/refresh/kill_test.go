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

// killed is the environment variable by which the test's program is told to be
// the run that gets killed: the content folder, the forge and the listings.
const killed = "CATALOG_TEST_KILLED"

func TestMain(m *testing.M) {
	if what := os.Getenv(killed); what != "" {
		refreshUntilKilled(strings.Split(what, "\n"))
	}
	os.Exit(m.Run())
}

// refreshUntilKilled refreshes the listings t0, t1, … of a folder.
func refreshUntilKilled(what []string) {
	dir, api, cache := what[0], what[1], what[2]
	forges, err := Forges(func(key string) (string, bool) { return api, key == "CATALOG_GITHUB_API" }, "")
	if err != nil {
		panic(err)
	}
	var targets []Target
	for i := range killedListings {
		targets = append(targets, Target{fmt.Sprintf("t%d", i), fmt.Sprintf("t%d.md", i), fmt.Sprintf("https://github.com/a/t%d", i)})
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
	// killedText is how much text each of them has, nearly as much as a listing may
	// have, so that a run can be killed while it writes.
	killedText = 48 << 10
)

// TestKilled kills runs while they write, each a little later than the one
// before, until one comes to its end, and looks at every file each time.
func TestKilled(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	var repositories []forgetest.Repository
	dir := t.TempDir()
	old, fresh := map[string][]byte{}, map[string][]byte{}
	for i := range killedListings {
		r := same(fmt.Sprintf("a/t%d", i))
		r.Stars = 77 + i
		repositories = append(repositories, r)
		name := fmt.Sprintf("t%d.md", i)
		old[name] = append([]byte(listing("https://github.com/"+r.Name)), bytes.Repeat([]byte("A line of text.\n"), killedText>>4)...)
		if err := os.WriteFile(filepath.Join(dir, name), old[name], 0o600); err != nil {
			t.Fatal(err)
		}
		day := time.Now().UTC().Format("2006-01-02")
		fresh[name] = []byte(edited(string(old[name]), "stars: 10", fmt.Sprintf("stars: %d", r.Stars), "starsAsOf: 2026-01-01", "starsAsOf: "+day, "a list (2026-01-01)", "GitHub API ("+day+")"))
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
		left, err := filepath.Glob(filepath.Join(dir, ".*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range left { // what was being written
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

// killOnChange runs until a number of changes have been seen in the folder and
// kills the run then. It tells whether the run came to its end instead.
func killOnChange(t *testing.T, changes int, dir, api, cache string) (done bool) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	command := exec.CommandContext(t.Context(), program, "-test.run=^$")
	command.Env = append(os.Environ(), killed+"="+strings.Join([]string{dir, api, cache}, "\n"))
	command.Stdout, command.Stderr = &said, &said
	before := stateOf(t, dir)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, said.String())
			}
			return true
		default:
		}
		now := stateOf(t, dir)
		if now != before {
			before = now
			changes--
		}
		if changes == 0 {
			_ = command.Process.Kill() // SIGKILL; it may have ended
			err := <-ended
			var exit *exec.ExitError
			return !errors.As(err, &exit) || exit.Exited()
		}
	}
}

// stateOf describes the files of a folder by name, length and time.
func stateOf(t *testing.T, dir string) string {
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
