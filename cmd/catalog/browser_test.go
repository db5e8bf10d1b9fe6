package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/api/server/processtest"
)

// browser is a tab of a real Chromium, with its faults.
type browser struct {
	context.Context
	mu        sync.Mutex
	faults    []string
	responses int      // number received
	requested []string // addresses since the last check
}

// chromium is the Chromium of all tests. The first test with a browser starts it, and
// TestMain stops it.
var chromium struct {
	start sync.Once
	ctx   context.Context
	stop  func()
	err   error
}

// startChromium starts a Chromium with an empty profile and with WebMCP, which is still
// behind a flag.
func startChromium(program string) (stop func(), err error) {
	profile, err := os.MkdirTemp("", "catalog-chromium-")
	if err != nil {
		return nil, err
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(program), chromedp.UserDataDir(profile),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("enable-features", "WebMCP"))
	var cancel context.CancelFunc
	chromium.ctx, cancel = chromedp.NewContext(allocator)
	return func() {
		cancel()
		_ = os.RemoveAll(profile)
	}, chromedp.Do(chromium.ctx)
}

// newBrowser opens a tab with an empty profile of its own.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	program := processtest.Installed(t, "chromium", "chromium")
	chromium.start.Do(func() { chromium.stop, chromium.err = startChromium(program) })
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	return newTab(t, chromium.ctx, chromedp.WithNewBrowserContext())
}

// tab opens another tab with the same profile.
func (b *browser) tab(t *testing.T) *browser {
	t.Helper()
	return newTab(t, b)
}

// newTab opens a tab, with the profile of the tab of a context unless an option says otherwise.
func newTab(t *testing.T, parent context.Context, options ...chromedp.ContextOption) *browser {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, options...)
	t.Cleanup(cancel)
	b := &browser{Context: ctx}
	if err := chromedp.Listen(ctx, b.record); err != nil {
		t.Fatal(err)
	}
	for _, enable := range []cdp.Command[cdp.Empty, cdp.Empty]{log.Enable, audits.Enable} {
		if _, err := chromedp.Call(ctx, enable, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// record keeps faults of a page: errors and warnings in the console, exceptions,
// failed requests, and issues of the browser's audit, which include violations of the
// Content-Security-Policy.
func (b *browser) record(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			fault = fmt.Sprintf("console %s: %s", e.Type, asJSON(e.Args))
		}
	case *runtime.EventExceptionThrown:
		fault = "exception: " + asJSON(e.ExceptionDetails)
	case *log.EventEntryAdded:
		isTold := e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning
		if isTold && e.Entry.Text != "No available adapters." { // this computer has no WebGPU
			fault = fmt.Sprintf("log %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case *network.EventLoadingFailed:
		if !e.Canceled { // the page code cancels a search when the next one begins
			fault = fmt.Sprintf("request failed: %s %s", e.Type, e.ErrorText)
		}
	case *network.EventRequestWillBeSent:
		b.mu.Lock()
		b.requested = append(b.requested, e.Request.URL)
		b.mu.Unlock()
	case *network.EventResponseReceived:
		b.mu.Lock()
		b.responses++
		b.mu.Unlock()
		if e.Response.Status >= 400 {
			fault = fmt.Sprintf("%s answered %d", e.Response.URL, e.Response.Status)
		}
	case *audits.EventIssueAdded:
		// Chromium also has this one for images with a size that the page code hides while they are loaded.
		if e.Issue.Code != audits.InspectorIssueCodeLazyLoadImageIssue {
			fault = "issue: " + asJSON(e.Issue)
		}
	}
	if fault != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.faults = append(b.faults, fault)
	}
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// do runs steps and reports the faults of the page. It stops the test on any.
func (b *browser) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, testTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Error(err)
	}
	b.report(t)
	if t.Failed() {
		t.FailNow()
	}
}

// report reports the faults and clears them.
func (b *browser) report(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		t.Error(fault)
	}
	b.faults = nil
}

// clearFaults drops faults that a test has caused on purpose.
func (b *browser) clearFaults() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = nil
}

// evaluate returns the value of an expression, which may be a promise.
func evaluate[T any](t *testing.T, b *browser, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, testTimeout)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// callTool calls a tool of the page, once the page has it, and returns the JSON of the value.
func (b *browser) callTool(t *testing.T, name, input string) string {
	t.Helper()
	return evaluate[string](t, b, fmt.Sprintf(`(async () => {
		for (;;) {
			const tool = (await document.modelContext.getTools()).find((t) => t.name === %q);
			if (tool) return document.modelContext.executeTool(tool, %s);
			await new Promise((done) => requestAnimationFrame(done));
		}
	})()`, name, input))
}

// toolAnswer is the result of the tool search_catalog.
type toolAnswer struct {
	Total int
	Hits  []struct {
		Slug, PageURL string
		License       *string
		FitNotes      api.FactValues
		Match         api.Match
	}
}

// checkInBrowser opens pages in a real browser.
func (s *testSite) checkInBrowser(t *testing.T) {
	b := newBrowser(t)

	t.Run("faults are noticed", func(t *testing.T) {
		// Otherwise the other tests could never fail.
		ctx, cancel := context.WithTimeout(b, testTimeout)
		defer cancel()
		err := chromedp.Do(ctx, chromedp.Navigate(s.base+"/"), chromedp.Evaluate[chromedp.Void](`(async () => {
			console.error("an error on purpose");
			const image = new Image();
			image.src = "http://elsewhere.example/image.png";
			const style = document.createElement("style");
			style.textContent = "p { color: red }";
			document.body.append(image, style);
			await fetch("/nosuch.json");
			setTimeout(() => { throw new Error("an exception on purpose") });
			await new Promise((done) => setTimeout(done));
		})()`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		all := strings.Join(b.faults, "\n")
		for _, want := range []string{"an error on purpose", "an exception on purpose", "/nosuch.json answered 404", "img-src", "style-src"} {
			if !strings.Contains(all, want) {
				t.Errorf("%q was not noticed among\n%s", want, all)
			}
		}
		b.faults = nil
	})

	t.Run("home page", func(t *testing.T) {
		b.do(t, chromedp.Navigate(s.base+"/"), chromedp.WaitVisible("main h1"))
		if n := evaluate[int](t, b, `document.querySelectorAll("main a[href*='/categories/']").length`); n < len(s.content.Taxonomy.Categories) {
			t.Errorf("the home page leads to %d categories", n)
		}
		if family := evaluate[string](t, b, `getComputedStyle(document.body).fontFamily`); !strings.Contains(family, "sans-serif") {
			t.Errorf("the stylesheet is not in effect: the font is %s", family)
		}
	})

	t.Run("project page", func(t *testing.T) {
		l := s.content.Listings[0]
		b.do(t, chromedp.Navigate(s.base+"/projects/"+l.Slug+"/"), chromedp.WaitVisible(".facts-table"))
		if heading := evaluate[string](t, b, `document.querySelector("main h1").textContent`); heading != l.Name {
			t.Errorf("the heading of %s is %q", l.Slug, heading)
		}
	})

	t.Run("search page", func(t *testing.T) {
		const query = "transcribe meetings"
		answer := s.search(t, "q", query, "limit", "50")
		status := statusOf(answer.Total)
		all := statusOf(len(s.content.Listings))
		b.do(t, chromedp.Navigate(s.base+"/search/"), b.waitForStatus(all))
		b.do(t, chromedp.SendKeys("#q", query+"\r"), b.waitForStatus(status))
		b.waitFor(t, allDrawn)
		names := evaluate[[]string](t, b, `[...document.querySelectorAll("#search-hits tbody th a")].map((e) => e.textContent)`)
		var want []string
		for _, h := range answer.Hits {
			want = append(want, h.Name)
		}
		if fmt.Sprint(names) != fmt.Sprint(want) {
			t.Errorf("the page shows %v, want %v", names, want)
		}
		if address := evaluate[string](t, b, `location.search`); address != "?q=transcribe+meetings" {
			t.Errorf("the address of the search is %q", address)
		}

		// The same address shows the same hits, with its filter set. A parameter named like a
		// property of the form (length) does no harm.
		filtered := s.search(t, "q", query, "beginner", "1")
		b.do(t, chromedp.Navigate(s.base+"/search/?q=transcribe+meetings&beginner=1&length=1"), b.waitForStatus(fmt.Sprintf("%d listings", filtered.Total)))
		if !evaluate[bool](t, b, `document.querySelector("[name=beginner]").value === "1" && document.querySelector("#q").value === "transcribe meetings"`) {
			t.Error("the form does not show what is searched for")
		}

		// The search field in the header of every page leads here.
		b.do(t, chromedp.Navigate(s.base+"/docs/"), chromedp.SendKeys("#site-search", query+"\r"), chromedp.WaitVisible("#search-hits tbody tr"), b.waitForStatus(status))

		// A hit leads to its page.
		b.do(t, chromedp.Click("#search-hits a"), chromedp.WaitVisible(".facts-table"))
		if heading := evaluate[string](t, b, `document.querySelector("main h1").textContent`); heading != want[0] {
			t.Errorf("the first hit leads to %q", heading)
		}
	})

	s.checkTools(t, b)
	s.checkPageUse(t, b)
	s.checkDeciding(t, b)
	s.checkComparison(t, b)
	s.checkQuestions(t, b)
	s.checkKeyboard(t, b)
	s.checkComputer(t, b)
	s.checkDetecting(t, b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.responses < 20 {
		t.Errorf("only %d answers were seen in the browser", b.responses)
	}
}

// allDrawn is true when a search or a list shows all rows that it tells of, or the first 50 with a button for more.
// Those out of sight follow the others.
const allDrawn = `!document.querySelector(".busy") && ((told) => [told, Math.min(50, told)].includes(document.querySelectorAll("#search-hits tbody tr:not(.group)").length))(
	Number(document.querySelector("#search-status").textContent.match(/^\d+/)))`

// statusOf is what the search page says of a search with n hits.
func statusOf(n int) string {
	status := api.Count(n, "listing")
	if n > 50 {
		status += ", the first 50 shown"
	}
	return status
}

// waitForStatus waits until the search page shows a status.
func (b *browser) waitForStatus(status string) chromedp.Action[chromedp.Void] {
	shown := chromedp.Poll[bool](fmt.Sprintf(`document.querySelector("#search-status")?.textContent === %q`, status))
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		ctx, cancel := context.WithTimeout(ctx, testTimeout/2)
		defer cancel()
		for {
			_, err := shown(ctx, target)
			if err == nil {
				return chromedp.Void{}, nil
			}
			if ctx.Err() != nil || errors.Is(err, chromedp.ErrPollingTimeout) { // others come from a page that was just left
				return chromedp.Void{}, fmt.Errorf("the search page does not come to show %q: %w", status, err)
			}
		}
	}
}
