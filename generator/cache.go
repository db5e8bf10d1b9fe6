package generator

import (
	"fmt"
	"path/filepath"
	"strings"

	"catalog.example/generator/memo"
	"catalog.example/generator/output"
	"catalog.example/generator/page"
)

// cache keeps the results of a build in a folder for the next build. A build never fails because of
// its cache. Only this file uses the cache. To remove caching, delete this file with memo/file.go,
// memo/codec.go, output/reuse.go and the keys of page.Task.
type cache struct {
	dir     string
	program memo.Key
	store   *memo.Store // nil for none
}

func openCache(dir string, warnings *collected) *cache {
	c := &cache{dir: dir}
	if dir == "" {
		return c
	}
	err := output.CacheFolder(dir)
	if err == nil {
		c.program, err = memo.Program()
	}
	if err == nil {
		c.store, err = memo.Open(c.file(), c.program)
	}
	if err != nil {
		c.warn(err, warnings)
	}
	return c
}

func (c *cache) file() string { return filepath.Join(c.dir, "results") }

func (c *cache) warn(err error, warnings *collected) {
	warnings.add(fmt.Sprintf("cannot cache the results of this build: %v; "+
		"make the folder %s writable, choose another with --cache, or turn the cache off with --cache ''", err, c.dir))
}

func (c *cache) save(warnings *collected) {
	if c.store == nil {
		return
	}
	if err := c.store.Save(c.file(), c.program); err != nil {
		c.warn(err, warnings)
	}
}

// run runs a task, unless the last build ran it with the same key and its files are still there.
func (c *cache) run(t *page.Task, stage *output.Stage) error {
	if c.store == nil || t.Key == nil {
		return t.Run()
	}
	of := t.Key()
	key := memo.KeyOf("written", of[:], []byte(strings.Join(t.Names, "\n"))) // equal files have equal keys
	if files, ok := memo.Get[[]output.File](c.store, key); ok && stage.Reuse(files) {
		return nil
	}
	if err := t.Run(); err != nil {
		return err
	}
	files, err := stage.Files(t.Names)
	if err == nil {
		memo.Put(c.store, key, files)
	}
	return err
}
