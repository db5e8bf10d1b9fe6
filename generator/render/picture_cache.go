package render

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"time"

	"catalog.example/generator/output"
)

// pictureCache is a folder of pictures, each named by a hash of its texts. The first fault of
// the cache gives a warning. After that, pictures are drawn without it.
type pictureCache struct {
	dir    string
	now    time.Time
	warn   func(string)
	failed atomic.Bool // whether a write has failed
}

const (
	// cachedFor is how long an unused picture is kept. Pictures show the stars, so each refresh of
	// the stars makes a new set, which takes 6 MB for 400 listings.
	cachedFor = 30 * 24 * time.Hour
	// markedUsed is how often the use of a picture is recorded in its modification time.
	markedUsed = 24 * time.Hour
)

// cachedPicture matches the names of pictures, and of those that a killed build was
// writing.
var cachedPicture = regexp.MustCompile(`^([0-9a-f]{32}\.png|\.new-[0-9]+)$`)

// prepare creates the folder.
func (c *pictureCache) prepare() {
	if err := output.CacheFolder(c.dir); err != nil {
		c.fail(err)
	}
}

// fail warns of the first fault.
func (c *pictureCache) fail(err error) {
	if !c.failed.Swap(true) && c.warn != nil {
		c.warn(fmt.Sprintf("cannot cache the pictures of this build: %v; check that the folder %s is writable "+
			"and its disk not full, choose another with --picture-cache, or turn the cache off with --picture-cache ''",
			err, c.dir))
	}
}

// pngEnd is the IEND chunk, which ends every complete PNG.
var pngEnd = []byte("\x00\x00\x00\x00IEND\xaeB`\x82")

// read returns a picture, or nil if its file cannot be read or is incomplete.
func (c *pictureCache) read(name string) []byte {
	file := filepath.Join(c.dir, name)
	kept, err := os.ReadFile(file)
	if err != nil || !bytes.HasSuffix(kept, pngEnd) {
		return nil
	}
	if info, err := os.Stat(file); err == nil && c.now.Sub(info.ModTime()) > markedUsed {
		_ = os.Chtimes(file, time.Time{}, c.now) // if this fails, the picture is at worst drawn again in a month
	}
	return kept
}

// keep writes a picture.
func (c *pictureCache) keep(name string, text []byte) {
	if c.failed.Load() {
		return
	}
	err := output.WriteCached(c.dir, name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		c.fail(err)
	}
}

// PrunePictures removes pictures from the cache that no build has used for 30 days. It
// removes no other files.
func PrunePictures(in *Site) {
	if !in.Pictures || in.PictureCache == "" {
		return
	}
	entries, err := os.ReadDir(in.PictureCache)
	if err != nil {
		return // the build has already warned if it could not use the cache
	}
	for _, e := range entries {
		if !cachedPicture.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && in.Now.Sub(info.ModTime()) > cachedFor {
			_ = os.Remove(filepath.Join(in.PictureCache, e.Name())) // the next build tries again
		}
	}
}
