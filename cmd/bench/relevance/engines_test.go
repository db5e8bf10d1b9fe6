package relevance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/cmd/bench/peer"
)

// peerVariable makes the test binary a peer; its value says of what kind.
const peerVariable = "BENCHRELEVANCE_TEST_PEER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(peerVariable); kind != "" {
		os.Exit(fakePeer(kind))
	}
	os.Exit(m.Run())
}

// fakePeer answers every query with the listing of that name, or misbehaves.
func fakePeer(kind string) int {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	var g peer.Greeting
	if err := json.Unmarshal(lines.Bytes(), &g); err != nil || len(g.StopWords) < 100 {
		fmt.Fprintln(os.Stderr, "bad greeting:", err)
		return 1
	}
	if kind == "dies" {
		fmt.Fprintln(os.Stderr, "out of order")
		return 3
	}
	if kind == "refuses" {
		fmt.Println(`{"error":"no memory"}`)
		return 0
	}
	fmt.Println("{}")
	for lines.Scan() {
		if kind == "dies later" {
			fmt.Fprintln(os.Stderr, "out of order")
			return 3
		}
		var q peer.Request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return 1
		}
		r := peer.Reply{Hits: [][]string{}}
		for _, text := range q.Queries {
			hits := []string{}
			for _, d := range g.Documents {
				if d.Name == text && q.Settings["name"] > 0 {
					hits = append(hits, d.Slug)
				}
			}
			switch kind {
			case "invents":
				hits = []string{"nowhere"}
			case "repeats":
				hits = append(hits, hits...)
			case "floods":
				for i := range g.Documents {
					hits = append(hits, g.Documents[i].Slug)
				}
			}
			r.Hits = append(r.Hits, hits)
		}
		if kind == "short" {
			r.Hits = r.Hits[1:]
		}
		data, err := json.Marshal(r)
		if err != nil {
			return 1
		}
		fmt.Println(string(data))
	}
	return 0
}

// fakeDocuments are named A, B, … with the slugs a, b, …
func fakeDocuments() []peer.Document {
	var list []peer.Document
	for c := 'a'; c < 'a'+12; c++ {
		list = append(list, peer.Document{Slug: string(c), Name: strings.ToUpper(string(c))})
	}
	return list
}

func startFake(t *testing.T, kind string) (*runningPeer, error) {
	t.Helper()
	// A peer that hangs must not hang the tests.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), peerVariable+"="+kind)
	return startProcess(command, fakeDocuments())
}

func TestPeer(t *testing.T) {
	p, err := startFake(t, "good")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	on, off := map[string]float64{"name": 1}, map[string]float64{"name": 0}
	for range 2 {
		hits, err := p.ask(on, []string{"B", "unknown", "A"})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(hits, [][]string{{"b"}, {}, {"a"}}, slices.Equal) {
			t.Errorf("hits are %v", hits)
		}
	}
	if err := p.checkNames(on); err != nil {
		t.Errorf("a peer that finds every name: %v", err)
	}
	if err := p.checkNames(off); err == nil || !strings.Contains(err.Error(), "0 of 12") {
		t.Errorf("a peer that finds no name: %v", err)
	}
}

func TestPeerThatMisbehaves(t *testing.T) {
	for kind, want := range map[string]string{
		"dies":       "out of order",
		"refuses":    "no memory",
		"dies later": "out of order",
		"invents":    `"nowhere" is unknown or repeated`,
		"repeats":    "unknown or repeated",
		"floods":     "asked for 10",
		"short":      "1 answers to 2 queries",
	} {
		t.Run(kind, func(t *testing.T) {
			p, err := startFake(t, kind)
			if err == nil {
				defer p.close()
				_, err = p.ask(map[string]float64{"name": 1}, []string{"A", "B"})
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error is %v, want it to say %q", err, want)
			}
		})
	}
}

func TestMissingPackages(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		// The other message, then: there is always one of the two.
		t.Logf("no Node.js here: %v", err)
	}
	spec, _ := peerNamed("minisearch")
	_, err := spec.start(context.Background(), t.TempDir(), nil)
	if err == nil || !strings.Contains(err.Error(), "npm ci") && !strings.Contains(err.Error(), "nodejs.org") {
		t.Errorf("error is %v, want it to say what to install", err)
	}
}
