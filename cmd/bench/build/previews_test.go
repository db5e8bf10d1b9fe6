//go:build linux

package build

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

func TestCheckCounterReadsLinesInParts(t *testing.T) {
	c := &checkCounter{}
	for _, part := range []string{"checking a\nche", "cked: 0 errors", ", 0 warnings\nis not checked: x\n", "checked: 1 errors\nchecked: "} {
		if n, err := c.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := c.count.Load(); got != 2 {
		t.Errorf("%d lines are counted, want 2", got)
	}
}

func TestPollWaitsForAnAnswer(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "asked ", asked.Add(1)) }))
	defer server.Close()
	start := time.Now()
	took, err := poll(t.Context(), start, func() (bool, error) { return answers(t.Context(), server.URL, "asked 3") })
	if err != nil || took <= 0 || asked.Load() != 3 {
		t.Errorf("%v after %d requests: %v", took, asked.Load(), err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := poll(ended, start, func() (bool, error) { return false, nil }); err == nil {
		t.Error("it waits on after the end")
	}
}

func TestReplacePurpose(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.md")
	if err := os.WriteFile(file, []byte("---\nname: X\npurpose: Old.\njobs: [a]\n---\npurpose: text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replacePurpose(file, "New."); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if want := "---\nname: X\npurpose: New.\njobs: [a]\n---\npurpose: text\n"; err != nil || string(text) != want {
		t.Errorf("%q: %v", text, err)
	}
}
