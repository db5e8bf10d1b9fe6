package refresh

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"catalog.example/generator/output"
	"catalog.example/generator/regular"
)

const (
	// cacheFile is the file in the cache folder, cacheVersion its format version.
	cacheFile    = "refresh.json"
	cacheVersion = 2
	// maxCache bounds the size of the file, in bytes.
	maxCache = 64 << 20
	// saveEvery is how many new answers are collected before the cache is saved,
	// so that a killed run does not lose them all.
	saveEvery = 60
)

// cache keeps what the last response of each URL said, with its ETag. A service
// can then answer 304, which does not count against GitHub's rate limit.
type cache struct {
	file string // "" for a cache in memory only

	mu      sync.Mutex
	entries map[string]cacheEntry // by URL
	unsaved int                   // entries added since the last save
}

// cacheEntry holds the part of a response from which facts are made.
type cacheEntry struct {
	ETag  string          `json:"etag"`
	Value json.RawMessage `json:"said"`
}

// cacheContent is the format of the file.
type cacheContent struct {
	Version int                   `json:"version"`
	Answers map[string]cacheEntry `json:"answers"`
}

func newCache() *cache { return &cache{entries: map[string]cacheEntry{}} }

// openCache reads the cache of a folder. Without a folder, the cache is in memory only. If the file
// cannot be read, it returns an empty cache and the error.
func openCache(dir string) (*cache, error) {
	c := newCache()
	if dir == "" {
		return c, nil
	}
	c.file = filepath.Join(dir, cacheFile)
	text, err := regular.ReadFile(c.file, maxCache)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", c.file, err)
	}
	var content cacheContent
	if err := json.Unmarshal(text, &content); err != nil {
		return c, fmt.Errorf("%s: %w", c.file, err)
	}
	if content.Version == cacheVersion && content.Answers != nil {
		c.entries = content.Answers
	}
	return c, nil
}

// save writes the cache if it has new entries.
func (c *cache) save() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == "" || c.unsaved == 0 {
		return nil
	}
	text, err := json.Marshal(cacheContent{cacheVersion, c.entries})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.file), 0o700); err != nil {
		return err
	}
	if err := output.WriteFile(c.file, append(text, '\n')); err != nil {
		return err
	}
	c.unsaved = 0
	return nil
}

// get reads the cached value of a URL into value and returns its ETag. It
// reports whether there is one.
func (c *cache) get(url string, value any) (etag string, ok bool) {
	c.mu.Lock()
	e := c.entries[url]
	c.mu.Unlock()
	if e.ETag == "" || json.Unmarshal(e.Value, value) != nil {
		return "", false
	}
	return e.ETag, true
}

// put stores the value of a URL, unless etag is empty. If the cache cannot be
// saved now, the save at the end of the run reports it.
func (c *cache) put(url, etag string, value any) error {
	if etag == "" {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.entries[url] = cacheEntry{etag, text}
	c.unsaved++
	due := c.unsaved%saveEvery == 0
	c.mu.Unlock()
	if due {
		_ = c.save()
	}
	return nil
}
