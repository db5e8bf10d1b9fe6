package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
)

// wire sends a command of W3C WebDriver, by the name that Marionette has for it, and returns
// the value of the answer.
type wire func(command string, parameters any) (json.RawMessage, error)

// session is a browser that is driven by W3C WebDriver.
type session struct {
	name string // with its version
	send wire
	told func() []string // errors since the last call
}

// firefoxSettings are added to those that Firefox has for automation.
const firefoxSettings = `user_pref("marionette.port", 0);
user_pref("browser.startup.page", 0);
user_pref("toolkit.legacyUserProfileCustomizations.stylesheets", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("layout.css.prefers-color-scheme.content-override", %d);
`

// newFirefox starts a Firefox with an empty profile. It is driven by Marionette, the protocol
// below geckodriver, which Debian does not have: WebDriver's commands as JSON over TCP.
func newFirefox(t *testing.T, dark bool) *session {
	t.Helper()
	program, profile := processtest.Installed(t, "firefox-esr", "firefox-esr"), t.TempDir()
	scheme := 1
	if dark {
		scheme = 0
	}
	writeText(t, filepath.Join(profile, "user.js"), fmt.Sprintf(firefoxSettings, scheme))
	writeText(t, filepath.Join(profile, "chrome", "userChrome.css"), ":root { min-width: 0 !important }") // as narrow as a phone
	process := processtest.Start(t, "env", "HOME="+profile, program, "--headless", "--no-remote", "--profile", profile, "--marionette")
	var connection net.Conn
	err := process.AwaitReady(func() error {
		port, err := os.ReadFile(filepath.Join(profile, "MarionetteActivePort"))
		if err != nil {
			return err
		}
		connection, err = net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = connection.Close() // it was only read
		process.Kill()         // before the profile is removed
	})
	m := &marionette{connection: connection}
	if _, err := m.read(); err != nil { // it greets
		t.Fatal(err)
	}
	s := &session{send: m.send}
	s.begin(t, map[string]any{})
	return s
}

// marionette is a connection to a Firefox.
type marionette struct {
	connection net.Conn
	last       int // number of the last command
}

// send sends a command: [0, number, name, parameters]. The answer is [1, number, error, result].
func (m *marionette) send(command string, parameters any) (json.RawMessage, error) {
	m.last++
	text, err := json.Marshal([]any{0, m.last, command, parameters})
	if err != nil {
		return nil, err
	}
	if err := m.connection.SetDeadline(time.Now().Add(testTimeout)); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(m.connection, "%d:%s", len(text), text); err != nil {
		return nil, err
	}
	text, err = m.read()
	if err != nil {
		return nil, err
	}
	var answer []json.RawMessage
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	if len(answer) != 4 {
		return nil, fmt.Errorf("%s is answered %s", command, text)
	}
	if string(answer[2]) != "null" {
		return nil, fmt.Errorf("%s: %s", command, answer[2])
	}
	var result struct{ Value json.RawMessage }
	if err := json.Unmarshal(answer[3], &result); err == nil && result.Value != nil {
		return result.Value, nil
	}
	return answer[3], nil
}

// read reads a message: its length, a colon, and JSON.
func (m *marionette) read() ([]byte, error) {
	var length []byte
	for digit := make([]byte, 1); ; length = append(length, digit[0]) {
		if _, err := io.ReadFull(m.connection, digit); err != nil {
			return nil, err
		}
		if digit[0] == ':' {
			break
		}
	}
	n, err := strconv.Atoi(string(length))
	if err != nil {
		return nil, err
	}
	message := make([]byte, n)
	_, err = io.ReadFull(m.connection, message)
	return message, err
}

// newWebKit starts WebKitGTK's MiniBrowser on a screen of its own. Whether pages are dark is
// what its toolkit says. It draws without a thread for compositing, in which its software renderer was seen to crash.
func newWebKit(t *testing.T, dark bool) *session {
	t.Helper()
	driver, screens := processtest.Installed(t, "webkit2gtk-driver", "WebKitWebDriver"), processtest.Installed(t, "xvfb", "Xvfb")
	programs, err := filepath.Glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")
	if err != nil || len(programs) == 0 {
		t.Fatalf("there is no MiniBrowser (Debian: libwebkit2gtk-4.1-0): %v", err)
	}
	screen := processtest.Start(t, screens, "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp")
	display := regexp.MustCompile(`(?m)^\d+$`)
	if err := screen.AwaitReady(func() error {
		if !display.MatchString(screen.Said()) {
			return errors.New("no display yet")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	theme := "Adwaita"
	if dark {
		theme += ":dark"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // of a TCP listener, it has both
	_ = listener.Close()                                      // the driver cannot choose a free port
	home := t.TempDir()
	process := processtest.Start(t, "env", "DISPLAY=:"+display.FindString(screen.Said()), "GTK_THEME="+theme, "HOME="+home, "XDG_RUNTIME_DIR="+home, "GDK_BACKEND=x11", "LIBGL_ALWAYS_SOFTWARE=1", "WEBKIT_DISABLE_COMPOSITING_MODE=1",
		driver, "--host=127.0.0.1", "--port="+port)
	s := &session{send: overHTTP("http://127.0.0.1:" + port)}
	if err := process.AwaitReady(func() error {
		_, err := s.send("WebDriver:Status", nil)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	s.begin(t, map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{"webkitgtk:browserOptions": map[string]any{
		"binary": programs[0], "args": []string{"--automation"},
	}}}})
	t.Cleanup(process.Kill)
	return s
}

// tellingHost passes requests on, and adds to the page code that it tells of errors:
// WebDriver has no command that reads the console.
type tellingHost struct {
	http.Handler
	public string // the build
	mu     sync.Mutex
	faults []string
}

// telling is in front of the page code. Images that were not loaded before the page was left are not told of:
// WebKit has an error event for some of them.
const telling = `{
	const tell = (...all) => navigator.sendBeacon("/told", all.join(" "));
	for (const level of ["error", "warn"]) {
		const usual = console[level];
		console[level] = (...all) => { tell(level, ...all); usual.apply(console, all); };
	}
	let left = false;
	addEventListener("beforeunload", () => { left = true; });
	addEventListener("pageshow", () => { left = false; });
	addEventListener("error", (e) => { if (!left) tell(e.message ?? "not loaded:", e.target.src ?? e.target.href ?? e.filename, e.lineno); }, true);
	addEventListener("unhandledrejection", (e) => tell(e.reason));
	addEventListener("securitypolicyviolation", (e) => tell(e.violatedDirective, e.blockedURI));
}
`

func (h *tellingHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/told" {
		text, _ := io.ReadAll(r.Body) // what came, if the page was left
		h.mu.Lock()
		defer h.mu.Unlock()
		h.faults = append(h.faults, string(text))
		return
	}
	if strings.HasPrefix(r.URL.Path, "/assets/app-") {
		code, err := os.ReadFile(filepath.Join(h.public, filepath.FromSlash(r.URL.Path)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = io.WriteString(w, telling+string(code)) // the browser may have gone
		return
	}
	h.Handler.ServeHTTP(w, r)
}

func (h *tellingHost) told() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	faults := h.faults
	h.faults = nil
	return faults
}

// overHTTP is WebDriver as the standard has it.
func overHTTP(base string) wire {
	paths := map[string]string{
		"WebDriver:Navigate": "url", "WebDriver:ExecuteAsyncScript": "execute/async", "WebDriver:PerformActions": "actions",
		"WebDriver:SetWindowRect": "window/rect", "WebDriver:Back": "back", "WebDriver:SetTimeouts": "timeouts",
	}
	client := http.Client{Timeout: testTimeout}
	id := ""
	return func(command string, parameters any) (json.RawMessage, error) {
		method, address := http.MethodPost, base+"/session/"+id+"/"+paths[command]
		switch command {
		case "WebDriver:Status":
			method, address = http.MethodGet, base+"/status"
		case "WebDriver:NewSession":
			address = base + "/session"
		case "WebDriver:TakeScreenshot":
			method, address = http.MethodGet, base+"/session/"+id+"/screenshot"
		}
		body, err := json.Marshal(parameters)
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequest(method, address, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer func() { _ = response.Body.Close() }() // it was only read
		var answer struct{ Value json.RawMessage }
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return nil, fmt.Errorf("%s: %w", command, err)
		}
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s", command, answer.Value)
		}
		if command == "WebDriver:NewSession" {
			var begun struct{ SessionID string }
			if err := json.Unmarshal(answer.Value, &begun); err != nil {
				return nil, err
			}
			id = begun.SessionID
		}
		return answer.Value, nil
	}
}

// begin begins a session, with a bound for pages, and a shorter one for scripts: one whose page is left may never
// end, and whoever waits for a condition then asks again.
func (s *session) begin(t *testing.T, parameters map[string]any) {
	t.Helper()
	value := s.mustSend(t, "WebDriver:NewSession", parameters)
	begun := decodeJSON[struct {
		Capabilities struct{ BrowserName, BrowserVersion string }
	}](t, string(value)).Capabilities
	s.name = begun.BrowserName + " " + begun.BrowserVersion
	bound := testTimeout.Milliseconds() / 2
	s.mustSend(t, "WebDriver:SetTimeouts", map[string]any{"script": bound / 3, "pageLoad": bound})
}

func (s *session) mustSend(t *testing.T, command string, parameters any) json.RawMessage {
	t.Helper()
	value, err := s.send(command, parameters)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return value
}

// The methods of driver.

func (s *session) version(*testing.T) string { return s.name }

func (s *session) open(t *testing.T, address string) {
	t.Helper()
	s.mustSend(t, "WebDriver:Navigate", map[string]any{"url": address})
}

func (s *session) goBack(t *testing.T) {
	t.Helper()
	s.mustSend(t, "WebDriver:Back", map[string]any{})
}

func (s *session) resize(t *testing.T, width, height int64) {
	t.Helper()
	s.mustSend(t, "WebDriver:SetWindowRect", map[string]any{"width": width, "height": height})
}

func (s *session) json(expression string) (string, error) {
	value, err := s.send("WebDriver:ExecuteAsyncScript", map[string]any{"args": []any{}, "script": `
		const done = arguments[arguments.length - 1];
		(async () => (` + expression + `))().then((value) => done(JSON.stringify({ value })), (error) => done(JSON.stringify({ error: String(error) })));`})
	if err != nil {
		return "", err
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", err
	}
	var result struct {
		Value json.RawMessage
		Error string
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		return "", err
	}
	if result.Error != "" {
		return "", errors.New(result.Error)
	}
	return string(result.Value), nil
}

// action is one step of an input device.
type action map[string]any

func (s *session) perform(t *testing.T, device map[string]any, actions []action) {
	t.Helper()
	device["id"], device["actions"] = device["type"], actions
	s.mustSend(t, "WebDriver:PerformActions", map[string]any{"actions": []any{device}})
}

func (s *session) clickAt(t *testing.T, x, y float64) {
	t.Helper()
	s.perform(t, map[string]any{"type": "pointer", "parameters": map[string]any{"pointerType": "mouse"}}, []action{
		{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y), "origin": "viewport"},
		{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0},
	})
}

// webDriverKeys has the characters for keys that type none.
var webDriverKeys = map[string]string{"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowDown": "\ue015", "Shift": "\ue008"}

func (s *session) keys(t *testing.T, keys ...string) {
	t.Helper()
	var actions []action
	for _, key := range keys {
		if special, ok := webDriverKeys[key]; ok {
			key = special
		}
		actions = append(actions, action{"type": "keyDown", "value": key}, action{"type": "keyUp", "value": key})
	}
	s.perform(t, map[string]any{"type": "key"}, actions)
}

func (s *session) faultsSince(*testing.T) []string { return s.told() }
