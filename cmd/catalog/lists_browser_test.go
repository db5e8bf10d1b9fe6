package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// onLists has functions for a page with a list: shown are its rows that a reader can see, framed waits for the next
// frame, and choose sets the filter by hand.
const onLists = `
	const table = document.getElementById("search-hits");
	const shown = () => [...table.querySelectorAll("tbody tr:not(.group)")].filter((row) => row.checkVisibility());
	const framed = () => new Promise((end) => requestAnimationFrame(() => {
		const channel = new MessageChannel();
		channel.port1.onmessage = end;
		channel.port2.postMessage(0);
	}));
	const choose = (value) => {
		const field = document.getElementById("f-byHand");
		field.value = value;
		field.dispatchEvent(new Event("change", { bubbles: true }));
	};`

// newLongList serves 150 grinders, of which 75 are turned by hand.
func newLongList(t *testing.T) *testSite {
	dir := t.TempDir()
	for name, text := range grinders {
		if !strings.HasPrefix(name, "projects/") {
			writeText(t, filepath.Join(dir, name), text)
		}
	}
	for i := range 150 {
		text := grinder(fmt.Sprintf("G-%03d", i), fmt.Sprintf("{manual: %t}", i%2 == 0))
		writeText(t, filepath.Join(dir, fmt.Sprintf("projects/g-%03d.md", i)), text)
	}
	return newSite(t, dir)
}

// TestLongList filters a long list on a telephone. What is in sight is drawn first, and the rest in small pieces.
func TestLongList(t *testing.T) {
	t.Parallel()
	s, b := newLongList(t), newBrowser(t)
	open := func(t *testing.T, query, status string) {
		t.Helper()
		b.do(t, chromedp.EmulateViewport(412, 823), chromedp.Navigate("about:blank"), chromedp.Navigate(s.base+"/newest/"+query),
			b.waitForStatus(status))
	}
	const filtered, all = "75 of 150 listings, the first 50 shown", "150 listings, page 1 of 2"

	t.Run("what is in sight comes first", func(t *testing.T) {
		open(t, "", all)
		type state struct {
			Counts []int // of rows, frame by frame
			Wrong  int   // rows that are not turned by hand, in all frames
			Bottom float64
			Told   []string
		}
		got := evaluate[state](t, b, `(async () => {`+onLists+`
			const status = document.getElementById("search-status"), told = [], counts = [];
			new MutationObserver(() => told.push(status.textContent)).observe(status, { childList: true, characterData: true, subtree: true });
			choose("1");
			while (shown().length === 100) await framed(); // the facts are loaded
			let wrong = 0, bottom = shown().at(-1).getBoundingClientRect().bottom - innerHeight;
			for (; counts.at(-1) !== 50; await framed()) {
				counts.push(shown().length);
				wrong += shown().filter((row) => !row.textContent.includes("By hand")).length;
			}
			return { Counts: counts, Wrong: wrong, Bottom: bottom, Told: told };
		})()`)
		if got.Wrong > 0 || got.Bottom < 0 || got.Counts[0] > 12 {
			t.Errorf("first drawn are %d rows, down to %.0f pixels below the window, with %d wrong ones", got.Counts[0], got.Bottom, got.Wrong)
		}
		for i, n := range got.Counts[1:] {
			if n-got.Counts[i] > 6 || n < got.Counts[i] {
				t.Errorf("the rows of frames are %v: a piece has more than 6", got.Counts)
				break
			}
		}
		if !slices.Equal(got.Told, []string{filtered}) {
			t.Errorf("a screen reader is told %q", got.Told)
		}
		b.waitFor(t, `!document.querySelector("#search-hits .old") && document.querySelectorAll("#search-hits tbody tr:not(.group)").length === 50 && location.search === "?byHand=1"`)
		b.report(t)
	})
	t.Run("what is found is there before the next frame", func(t *testing.T) {
		open(t, "?byHand=1", filtered) // the facts are loaded
		if rows := evaluate[int](t, b, `(async () => {`+onLists+`
			const field = document.getElementById("q");
			field.value = "G-002";
			field.dispatchEvent(new Event("input", { bubbles: true }));
			for (let i = 0; i < 100; i++) await null; // no timer and no frame comes between
			return shown().length;
		})()`); rows != 1 {
			t.Errorf("the list shows %d rows, want 1", rows)
		}
		b.report(t)
	})
	t.Run("print has all rows", func(t *testing.T) {
		open(t, "?byHand=1", filtered)
		b.waitFor(t, `document.querySelectorAll("#search-hits tbody tr:not(.group)").length === 50`)
		if got := evaluate[[]int](t, b, `(async () => {`+onLists+`
			choose("");
			while (shown().length === 50) await framed();
			const before = shown().length;
			dispatchEvent(new Event("beforeprint"));
			return [before, table.querySelectorAll("tbody tr:not(.group)").length];
		})()`); got[0] == 100 || got[1] != 100 {
			t.Errorf("before and in print are %d rows, want fewer and 100", got)
		}
		b.report(t)
	})
	t.Run("the address is written before the reader leaves", func(t *testing.T) {
		open(t, "?byHand=1", filtered)
		if got := evaluate[string](t, b, `(() => {`+onLists+`
			const link = document.querySelector("footer a");
			link.addEventListener("click", (event) => event.preventDefault());
			choose("0");
			link.click();
			return location.search;
		})()`); got != "?byHand=0" {
			t.Errorf("the address has %q", got)
		}
		b.report(t)
	})
	t.Run("back leads to the place on the page", func(t *testing.T) {
		open(t, "?byHand=1", filtered)
		b.waitFor(t, `document.querySelectorAll("#search-hits tbody tr:not(.group)").length === 50`)
		got := evaluate[[]float64](t, b, `(async () => {`+onLists+`
			scrollTo(0, document.documentElement.scrollHeight - innerHeight - 200);
			await framed();
			const place = scrollY;
			const field = document.getElementById("q");
			field.value = "G-002"; // one row, so that the page becomes short
			field.dispatchEvent(new Event("input", { bubbles: true }));
			while (shown().length === 50) await framed();
			const stays = scrollY;
			while (!location.search.includes("G-002")) await framed();
			scrollTo(0, 0);
			await framed();
			const returned = new Promise((end) => addEventListener("popstate", () => requestAnimationFrame(() => end(shown().length)), { once: true }));
			history.back();
			const rows = await returned;
			while (scrollY !== place) await framed();
			return [place, stays, rows];
		})()`)
		if got[0] < 1000 || got[1] != got[0] || got[2] != 50 {
			t.Errorf("the place is %v; after the filter %v; back with %v rows", got[0], got[1], got[2])
		}
		b.report(t)
	})
}
