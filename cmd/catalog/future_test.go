package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api/soak"
)

// TestFutureDays checks that a day is in the future until it begins at UTC+14.
func TestFutureDays(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	const listing = "---\nname: Early\npurpose: Does something.\ncategory: speech-to-text\nrepositoryUrl: https://code.example.org/early\naddedAt: 2027-03-02\nsources: {addedAt: an announcement (2027-03-02)}\n---\nText.\n"
	dir := contentWith(t, "early.md", listing)
	for now, want := range map[string]int{
		"2027-03-01T09:59:59Z": exitError, "2027-03-01T10:00:00Z": exitOK, "2027-03-02T00:30:00+13:00": exitOK, "2027-03-01T23:59:59-12:00": exitOK, "2027-02-28T23:59:59-10:00": exitError,
	} {
		instant, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"lint"}, {"build", "--quiet", "--out", filepath.Join(t.TempDir(), "public")}} {
			env := testEnv()
			var printed bytes.Buffer
			env.stdout, env.stderr, env.now = &printed, &printed, func() time.Time { return instant }
			if status := run(append(args, "--content", dir), env); status != want {
				t.Errorf("catalog %s at %s: the exit status is %d, want %d: %s", args[0], now, status, want, printed.String())
			}
			if n := strings.Count(printed.String(), "2027-03-02 is in the future"); want == exitError && n != 2 {
				t.Errorf("catalog %s at %s tells %d days in the future, want 2: %s", args[0], now, n, printed.String())
			}
		}
	}
}
