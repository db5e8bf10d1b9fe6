package browser

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The network counts what it sends, compresses text and nothing else, and lets browsers keep
// what has a hash in its name.
func TestPhoneNetwork(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("text ", 1000)
	for name, content := range map[string]string{"page.html": "<p>" + text, "assets/a.gz": text} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	network := &phoneNetwork{public: http.FileServer(http.Dir(dir)), bundle: http.NotFoundHandler()}
	get := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRecorder()
		network.ServeHTTP(r, httptest.NewRequest(http.MethodGet, path, nil))
		return r
	}
	page, asset := get("/page.html"), get("/assets/a.gz")
	sizes := map[string]int{"/page.html": page.Body.Len(), "/assets/a.gz": asset.Body.Len()}
	z, err := gzip.NewReader(page.Body)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(z); err != nil || string(body) != "<p>"+text || page.Header().Get("Cache-Control") != "" {
		t.Errorf("the page: %v, %v, %.20q", err, page.Header(), body)
	}
	if asset.Body.String() != text || asset.Header().Get("Content-Encoding") != "" || !strings.Contains(asset.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("the asset: %v, %d bytes", asset.Header(), asset.Body.Len())
	}
	var counted sent
	if err := json.Unmarshal(get("/sent").Body.Bytes(), &counted); err != nil {
		t.Fatal(err)
	}
	for path, size := range sizes {
		if counted.Files[path] != size {
			t.Errorf("%s: %d bytes are counted, %d sent", path, counted.Files[path], size)
		}
	}
	if get("/bundle/x").Code != http.StatusNotFound {
		t.Error("the bundle is not asked")
	}
}
