package render

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"time"
)

// pictureCache is a folder of drawn pictures, each named by a hash of what it
// says. A fault of the cache is told once, and pictures are drawn without it: it
// only saves time.
type pictureCache struct {
	dir    string
	now    time.Time
	warn   func(string)
	failed atomic.Bool // nothing more is written
}

const (
	// cachedFor is how long a picture is kept that no build uses. Pictures show the
	// stars, so that each refresh of those makes another set: for some 400 listings
	// 6 MB.
	cachedFor = 30 * 24 * time.Hour
	// markedUsed is how often the use of a picture is noted, in its modification
	// time: as seldom as that, it costs nothing.
	markedUsed = 24 * time.Hour
)

// cachedPicture is the name of a picture of the cache, or of one that a killed
// build was writing.
var cachedPicture = regexp.MustCompile(`^([0-9a-f]{32}\.png|\.new-[0-9]+)$`)

// prepare makes the folder where it is missing, and one that keeps itself out of
// whatever repository it lies in.
func (c *pictureCache) prepare() {
	if err := os.MkdirAll(c.dir, 0o750); err != nil {
		c.fail(err)
		return
	}
	if _, err := os.Stat(filepath.Join(c.dir, ".gitignore")); errors.Is(err, fs.ErrNotExist) {
		c.keep(".gitignore", []byte("*\n"))
	}
}

// fail tells of the first fault, once.
func (c *pictureCache) fail(err error) {
	if !c.failed.Swap(true) && c.warn != nil {
		c.warn(fmt.Sprintf("pictures of this build are not kept for the next one: %v; make the folder %s writable and its disk not full, or name another one with --picture-cache ('' for none)", err, c.dir))
	}
}

// pngEnd is how every whole PNG ends: its IEND chunk.
var pngEnd = []byte("\x00\x00\x00\x00IEND\xaeB`\x82")

// read returns a picture, or nil. A file that cannot be read or was cut short is
// drawn again.
func (c *pictureCache) read(name string) []byte {
	file := filepath.Join(c.dir, name)
	kept, err := os.ReadFile(file)
	if err != nil || !bytes.HasSuffix(kept, pngEnd) {
		return nil
	}
	if info, err := os.Stat(file); err == nil && c.now.Sub(info.ModTime()) > markedUsed {
		_ = os.Chtimes(file, time.Time{}, c.now) // at worst it is drawn again in a month
	}
	return kept
}

// keep writes a file whole, for other builds at the same time. Nothing waits for
// the disk: what a power cut spoils is drawn again.
func (c *pictureCache) keep(name string, text []byte) {
	if c.failed.Load() {
		return
	}
	temp, err := os.CreateTemp(c.dir, ".new-*")
	if err != nil {
		c.fail(err)
		return
	}
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), filepath.Join(c.dir, name))
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the first error tells more
		c.fail(err)
	}
}

// PrunePictures removes pictures from the cache of a site that no build has used
// for 30 days. It touches no other files.
func PrunePictures(site *Site) {
	if !site.Pictures || site.PictureCache == "" {
		return
	}
	entries, err := os.ReadDir(site.PictureCache)
	if err != nil {
		return // the build has told of it, if it could not use the cache
	}
	for _, e := range entries {
		if !cachedPicture.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && site.Now.Sub(info.ModTime()) > cachedFor {
			_ = os.Remove(filepath.Join(site.PictureCache, e.Name())) // the next build tries again
		}
	}
}
