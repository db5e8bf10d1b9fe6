//go:build unix

package processtest

import (
	"io"
	"net/http"
	"testing"
	"time"
)

func TestMain(m *testing.M) { Main(m) }

// A started server answers clients of several addresses, and its memory is that of
// its own process.
func TestCatalog(t *testing.T) {
	t.Parallel()
	program, public := Shipped(t)
	c := StartCatalog(t, program, public)
	for n, want := range map[int]string{0: "127.1.0.1", 999: "127.1.3.232"} {
		if got := Client(n).String(); got != want {
			t.Errorf("client %d has the address %s, want %s", n, got, want)
		}
		response, err := c.HTTP(Client(n), time.Minute).Get("http://" + c.Address + "/api/v1/search?q=image")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close() // it was read
		if rate := response.Header.Get("RateLimit"); err != nil || response.StatusCode != http.StatusOK || rate != `"anonymous";r=119;t=60` {
			t.Errorf("client %d is answered %d with the allowance %s, %v: %.200s", n, response.StatusCode, rate, err, body)
		}
	}
	c.ResetPeakMemory()
	if peak := c.PeakMemory(); peak < 4<<20 || peak > 256<<20 {
		t.Errorf("an idle server has %d bytes of memory", peak)
	}
	if !c.Running() {
		t.Errorf("the server has ended: %s", c.Said())
	}
	c.process.kill()
	if c.Running() {
		t.Error("a killed server is running")
	}
}
