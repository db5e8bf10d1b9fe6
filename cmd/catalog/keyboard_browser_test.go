package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	pageproto "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"catalog.example/api"
)

// keys has the Windows key code and the text of keys whose text is not their name in the
// DOM (UI Events).
var keys = map[string]struct {
	code int64
	text string
}{
	"Tab": {9, ""}, "Enter": {13, "\r"}, " ": {32, " "}, "Escape": {27, ""}, "Backspace": {8, ""}, "End": {35, ""}, "Home": {36, ""}, "ArrowUp": {38, ""}, "ArrowDown": {40, ""},
}

// press presses and releases a key as a keyboard does. The page can prevent that its
// text is typed.
func (b *browser) press(t *testing.T, key string, shift bool) {
	t.Helper()
	down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: key}
	if k, ok := keys[key]; ok {
		down.WindowsVirtualKeyCode, down.Text = k.code, k.text
	} else {
		down.Text = key
	}
	if down.Text != "" {
		down.Type = input.DispatchKeyEventTypeKeyDown
	}
	if shift {
		down.Modifiers = int64(chromedp.ModifierShift)
	}
	up := down
	up.Type, up.Text = input.DispatchKeyEventTypeKeyUp, ""
	call(t, b, input.DispatchKeyEvent, down)
	call(t, b, input.DispatchKeyEvent, up)
}

// write types a text.
func (b *browser) write(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r == '\r' {
			b.press(t, "Enter", false)
			continue
		}
		b.press(t, string(r), false)
	}
}

// tabTo presses Tab, or Shift+Tab, until a condition is true for the focused element e.
// The focus must be visible after each step.
func (b *browser) tabTo(t *testing.T, backwards bool, condition string) {
	t.Helper()
	const maxSteps = 80 // elements; the search page has fewer before its hits
	for range maxSteps {
		b.press(t, "Tab", backwards)
		focus := evaluate[struct {
			Reached bool
			Hidden  string
		}](t, b, `(() => {
			const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
			const seen = box.bottom > 0 && box.top < innerHeight && box.width > 0 && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
			return {Reached: Boolean(`+condition+`), Hidden: seen || e === document.body ? "" : e.outerHTML.slice(0, 100)};
		})()`)
		if focus.Hidden != "" {
			t.Errorf("where the focus is cannot be seen: %s", focus.Hidden)
		}
		if focus.Reached {
			return
		}
	}
	t.Fatalf("%d steps of the tabulator do not lead to %s", maxSteps, condition)
}

// back goes back in the history, as the browser's button does.
func (b *browser) back(t *testing.T) {
	t.Helper()
	history := call(t, b, pageproto.GetNavigationHistory, cdp.Empty{})
	call(t, b, pageproto.NavigateToHistoryEntry, pageproto.NavigateToHistoryEntryParams{EntryID: history.Entries[history.CurrentIndex-1].ID})
}

// restartableServer serves a handler. It keeps its address when it is stopped and
// started again.
type restartableServer struct {
	handler http.Handler
	address string
	server  *http.Server
}

func (s *restartableServer) start(t *testing.T) {
	t.Helper()
	if s.address == "" {
		s.address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	s.address = listener.Addr().String()
	server := &http.Server{Handler: s.handler, ReadHeaderTimeout: testTimeout}
	s.server = server
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close() // it may be closed already
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
}

func (s *restartableServer) stop(t *testing.T) {
	t.Helper()
	if err := s.server.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkKeyboard goes from the home page to a listing with the keyboard alone. The server
// is stopped and restarted on the way.
func (s *testSite) checkKeyboard(t *testing.T, b *browser) {
	const query, slowQuery, refused = "transcribe meetings", "transcribe meetings slowly", "net::ERR_CONNECTION_REFUSED"
	abandoned := make(chan struct{}, 10) // searches that the browser cancelled
	handler := s.server(t, (&steppingClock{current: time.Now(), step: time.Second}).now).Handler()
	front := &restartableServer{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == api.PathSearch && r.URL.Query().Get("q") == slowQuery {
			<-r.Context().Done()
			abandoned <- struct{}{}
			return
		}
		handler.ServeHTTP(w, r)
	})}
	parentT := t // the server outlives the subtest that restarts it
	front.start(parentT)
	base := "http://" + front.address
	statusIs := func(n int) string {
		return fmt.Sprintf(`document.querySelector("#search-status").textContent === %q`, statusOf(n))
	}
	rows := func(n int) string {
		return fmt.Sprintf(`document.querySelectorAll("#search-hits tbody tr").length === %d`, n)
	}
	answer := s.search(t, "q", query, "limit", "50")
	i := slices.IndexFunc(answer.Facets["platform"], func(f api.FacetValue) bool { return f.Count < answer.Total })
	if i < 0 {
		t.Fatal("no platform takes a hit away: choose another question")
	}
	platform, platformCount := answer.Facets["platform"][i].Value, answer.Facets["platform"][i].Count

	t.Run("from the home page to the search", func(t *testing.T) {
		b.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate(base+"/"), chromedp.WaitVisible("main h1"))
		b.tabTo(t, false, `e.id === "q"`)
		b.write(t, query)
		b.waitFor(t, `document.querySelectorAll("main .suggestions:not([hidden]) a").length > 0`)
		b.press(t, "Enter", false)
		b.waitFor(t, `location.pathname === "/search/" && `+statusIs(answer.Total)+` && `+rows(len(answer.Hits)))
		b.report(t)
	})
	t.Run("a slash leads to the field and is not written", func(t *testing.T) {
		b.press(t, "/", false)
		b.waitFor(t, `document.activeElement.id === "q"`)
		if got := evaluate[string](t, b, `document.querySelector("#q").value`); got != query {
			t.Errorf("the field says %q", got)
		}
	})
	t.Run("down to a facet, and back", func(t *testing.T) {
		box := fmt.Sprintf(`[name=platform][value="%s"]`, platform)
		b.tabTo(t, false, fmt.Sprintf(`e.matches(%q)`, box))
		b.press(t, " ", false)
		b.waitFor(t, statusIs(platformCount)+` && location.search === "?q=transcribe+meetings&platform=`+platform+`"`)
		if !evaluate[bool](t, b, fmt.Sprintf(`document.activeElement.matches(%q) && document.activeElement.checked`, box)) {
			t.Error("the facet that was set has lost the focus")
		}
		b.back(t)
		b.waitFor(t, statusIs(answer.Total)+` && location.search === "?q=transcribe+meetings"`)
		if evaluate[bool](t, b, fmt.Sprintf(`document.querySelector(%q).checked`, box)) {
			t.Error("back does not take the filter away")
		}
		b.report(t)
	})
	t.Run("an older request is given up", func(t *testing.T) {
		b.tabTo(t, true, `e.id === "q"`)
		b.press(t, "End", false) // Tab has selected the text
		b.write(t, " slowly")
		b.waitFor(t, `document.querySelector("#search-hits").classList.contains("busy")`)
		b.write(t, "!")
		b.waitFor(t, `!document.querySelector("#search-hits").classList.contains("busy") && location.search.endsWith("slowly%21")`)
		select {
		case <-abandoned:
		case <-time.After(testTimeout / 2):
			t.Error("the server still works on a search that nobody waits for")
		}
		b.report(t)
	})
	t.Run("the server stops and returns", func(t *testing.T) {
		b.waitFor(t, allDrawn)
		n := evaluate[int](t, b, `document.querySelectorAll("#search-hits tbody tr").length`)
		if n == 0 {
			t.Fatal("there are no hits to keep")
		}
		front.stop(t)
		b.write(t, " now")
		b.waitFor(t, `document.querySelector("#search-status").textContent.includes("cannot be reached")`)
		if !evaluate[bool](t, b, rows(n)+` && document.querySelector("#search-hits").checkVisibility() && !document.querySelector(".busy")`) {
			t.Errorf("the last %d hits are not there any more", n)
		}
		if links := evaluate[int](t, b, `document.querySelectorAll("#search-notes a").length`); links < 2 {
			t.Errorf("%d links lead on", links)
		}
		front.start(parentT)
		b.press(t, "Enter", false)
		b.waitFor(t, `/^\d+ listing/.test(document.querySelector("#search-status").textContent) && location.search.endsWith("slowly%21+now")`)
		if notes := evaluate[string](t, b, `document.querySelector("#search-notes").textContent`); strings.Contains(notes, "still here") {
			t.Errorf("the page still says %q", notes)
		}
	})
	t.Run("to a hit, which Enter opens", func(t *testing.T) {
		b.press(t, "ArrowDown", false)
		b.press(t, "ArrowDown", false)
		name := evaluate[string](t, b, `(() => { const second = document.querySelectorAll("#search-hits tbody th a")[1];
			return document.activeElement === second ? second.textContent : ""; })()`)
		if name == "" {
			t.Fatal("two arrows do not lead to the second hit")
		}
		before := evaluate[string](t, b, `document.querySelector("#search-status").textContent + location.search`)
		b.press(t, "Enter", false)
		b.waitFor(t, fmt.Sprintf(`document.querySelector("h1")?.textContent === %q`, name))
		b.back(t)
		b.waitFor(t, fmt.Sprintf(`location.pathname === "/search/" && document.querySelector("#search-status").textContent + location.search === %q`, before))
		b.mu.Lock() // the browser reports the failed search twice, the second time late
		if !strings.Contains(strings.Join(b.faults, "\n"), refused) {
			t.Errorf("the server did not stop: %q", b.faults)
		}
		b.faults = slices.DeleteFunc(b.faults, func(f string) bool { return strings.Contains(f, refused) })
		b.mu.Unlock()
		b.report(t)
	})
}
