package main

import (
	"context"
	"encoding/json"
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
		fault = "issue: " + asJSON(e.Issue)
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

	t.Run("search_catalog", func(t *testing.T) {
		b.do(t, chromedp.Navigate(s.base+"/"), chromedp.WaitVisible("main h1"))
		tool := evaluate[struct {
			Name, Description, InputSchema string
			Annotations                    struct{ ReadOnlyHint bool }
		}](t, b, `document.modelContext.getTools().then((tools) => tools.filter((t) => t.name === "search_catalog").map(
			({name, description, inputSchema, annotations}) => ({Name: name, Description: description, InputSchema: typeof inputSchema === "string" ? inputSchema : JSON.stringify(inputSchema), Annotations: {ReadOnlyHint: annotations.readOnlyHint}}))[0])`)
		if tool.Name != "search_catalog" || !tool.Annotations.ReadOnlyHint || !strings.Contains(tool.Description, "never invent install steps") {
			t.Errorf("the tool is %+v", tool)
		}
		schema := decodeJSON[struct{ Properties map[string]any }](t, tool.InputSchema)
		for _, p := range api.SearchParameters(&s.settings, &s.content.Taxonomy) {
			if (schema.Properties[p.Name] == nil) != p.NotForTools {
				t.Errorf("the tool's schema has %s: %v", p.Name, schema.Properties[p.Name])
			}
		}

		// The result reaches the caller as JSON text in the shape of the Model Context
		// Protocol. An exception of the tool would not reach the caller.
		type result struct {
			Content []struct{ Type, Text string }
			IsError bool
		}
		execute := func(input string) result {
			t.Helper()
			return decodeJSON[result](t, evaluate[string](t, b, `document.modelContext.getTools().then((tools) =>
				document.modelContext.executeTool(tools.find((t) => t.name === "search_catalog"), `+input+`))`))
		}
		brief := execute(`{q: "transcribe meetings", gpu: "0", limit: 3}`)
		if len(brief.Content) != 1 || strings.Contains(brief.Content[0].Text, `"fitNotes"`) || !strings.Contains(brief.Content[0].Text, `"caveat"`) {
			t.Errorf("without a view the tool answers %+v", brief)
		}
		good := execute(`{q: "transcribe meetings", gpu: "0", limit: 3, view: "full"}`)
		if good.IsError || len(good.Content) != 1 || good.Content[0].Type != "text" {
			t.Fatalf("the tool answers %+v", good)
		}
		want := s.search(t, "q", "transcribe meetings", "gpu", "0", "limit", "3")
		got := decodeJSON[toolAnswer](t, good.Content[0].Text)
		if len(got.Hits) != 3 || got.Total != want.Total {
			t.Fatalf("the tool answers %+v, want the hits %s", got, asJSON(want.Hits))
		}
		for i, hit := range got.Hits {
			w := want.Hits[i]
			if hit.Slug != w.Slug || hit.PageURL != w.PageURL || asJSON(hit.License) != asJSON(w.License) || asJSON(hit.FitNotes) != asJSON(w.FitNotes) || hit.Match.Partial != w.Match.Partial {
				t.Errorf("hit %d of the tool is %+v, want %s", i, hit, asJSON(w))
			}
		}
		if everything := execute(`{}`); everything.IsError || len(decodeJSON[toolAnswer](t, everything.Content[0].Text).Hits) != 10 {
			t.Errorf("without input the tool answers %+v", everything)
		}
		b.report(t)

		bad := execute(`{q: "transcribe meetings", limit: 999, platform: "toaster"}`)
		if !bad.IsError || len(bad.Content) != 1 {
			t.Fatalf("to wrong input the tool answers %+v", bad)
		}
		for _, want := range []string{`platform: "toaster": no such platform`, `limit: "999" is out of bounds: a whole number from 1 to 50 is allowed`} {
			if !strings.Contains(bad.Content[0].Text, want) {
				t.Errorf("to wrong input the tool answers %q without %q", bad.Content[0].Text, want)
			}
		}
		b.clearFaults() // of the request that was answered 400
	})
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

// allDrawn is true when a search or a list shows all rows that it tells of. Those out of sight
// follow the others.
const allDrawn = `!document.querySelector(".busy") && document.querySelectorAll("#search-hits tbody tr:not(.group)").length ===
	Math.min(50, Number(document.querySelector("#search-status").textContent.match(/^\d+/)))`

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
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Poll[bool](fmt.Sprintf(`document.querySelector("#search-status")?.textContent === %q`, status))(ctx, target)
		if err != nil {
			err = fmt.Errorf("the search page does not come to show %q: %w", status, err)
		}
		return chromedp.Void{}, err
	}
}
