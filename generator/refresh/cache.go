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
)

const (
	// cacheFile is the file in the cache folder, cacheVersion its format.
	cacheFile    = "refresh.json"
	cacheVersion = 1
	// maxCache bounds what is read of it: a megabyte holds 1,000 listings.
	maxCache = 64 << 20
	// saveEvery is how many new answers are kept before they are saved, so that a
	// run that is killed has not asked in vain.
	saveEvery = 60
)

// cache remembers what was last said at an address and the validator (ETag) of
// that answer, so that a forge can say "not changed", which costs no allowance.
type cache struct {
	file string // "" keeps nothing

	mu      sync.Mutex
	entries map[string]cacheEntry // by address
	fresh   int                   // entries since it was saved
}

// cacheEntry is the part of an answer that facts are made of, not the answer.
type cacheEntry struct {
	ETag string          `json:"etag"`
	Said json.RawMessage `json:"said"`
}

// cacheText is the file.
type cacheText struct {
	Version int                   `json:"version"`
	Answers map[string]cacheEntry `json:"answers"`
}

// openCache reads the cache of a folder; "" keeps nothing. A cache that cannot
// be read is an empty one, and the error says why: what it costs is requests.
func openCache(dir string) (*cache, error) {
	c := &cache{entries: map[string]cacheEntry{}}
	if dir == "" {
		return c, nil
	}
	c.file = filepath.Join(dir, cacheFile)
	info, err := os.Stat(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if info.Size() > maxCache {
		return c, fmt.Errorf("%s is larger than %d MiB", c.file, maxCache>>20)
	}
	text, err := os.ReadFile(c.file)
	if err != nil {
		return c, err
	}
	var read cacheText
	if err := json.Unmarshal(text, &read); err != nil {
		return c, fmt.Errorf("%s: %w", c.file, err)
	}
	if read.Version == cacheVersion && read.Answers != nil {
		c.entries = read.Answers
	}
	return c, nil
}

// save writes the cache where there is something new in it.
func (c *cache) save() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.saveLocked()
}

func (c *cache) saveLocked() error {
	if c.file == "" || c.fresh == 0 {
		return nil
	}
	text, err := json.Marshal(cacheText{cacheVersion, c.entries})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.file), 0o700); err != nil {
		return err
	}
	if err := output.WriteFile(c.file, append(text, '\n')); err != nil {
		return err
	}
	c.fresh = 0
	return nil
}

// get reads what was last said at an address into said, and returns the validator
// of that answer. It reports whether there is such an answer.
func (c *cache) get(address string, said any) (etag string, ok bool) {
	c.mu.Lock()
	e := c.entries[address]
	c.mu.Unlock()
	if e.ETag == "" || json.Unmarshal(e.Said, said) != nil {
		return "", false
	}
	return e.ETag, true
}

// put keeps what was said at an address, unless the answer has no validator. That
// the cache cannot be saved is told at the end.
func (c *cache) put(address, etag string, said any) error {
	if etag == "" {
		return nil
	}
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[address] = cacheEntry{etag, text}
	if c.fresh++; c.fresh%saveEvery == 0 {
		_ = c.saveLocked()
	}
	return nil
}
