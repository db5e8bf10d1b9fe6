package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// Manifest is the file in the output folder that lists what builds wrote there.
// A build deletes and replaces nothing else.
//
// The first line names the format. Each other line holds a file's hash (the
// first 16 bytes of its SHA-256, in hexadecimal), its size in bytes, and its path
// below the folder, in the order of the paths. Whatever stands at such a path is
// the build's: an edit to it is lost with the next build. Hash and size are "-" where a
// build was killed while it moved that file into place. An empty manifest lists
// nothing.
const Manifest = ".catalog-manifest"

// manifestFormat is the first line of a manifest.
const manifestFormat = "catalog-manifest 1"

// unsure stands for a file of which two builds are moving versions in and out.
const unsure = "- -"

// manifest maps the path of each file to its hash and size, as they are written
// in a line.
type manifest map[string]string

// sumOf returns hash and size of a content.
func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16]) + " " + strconv.Itoa(len(content))
}

// isFileName reports whether a build may write, and so delete, a file of that
// path: never in a Git folder, whatever a manifest says.
func isFileName(name string) bool {
	return fs.ValidPath(name) && name != "." && utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl) &&
		name != Manifest && !slices.Contains(strings.Split(name, "/"), ".git") && !strings.HasPrefix(name, insideStaging)
}

// readManifest returns what builds wrote to a folder, and whether it has a
// manifest.
func readManifest(dir string) (m manifest, exists bool, err error) {
	name := filepath.Join(dir, Manifest)
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() { // a pipe would be waited for
		return nil, true, fmt.Errorf("%s is not a file: remove it, or name another folder", Manifest)
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{}, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	m = manifest{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line, ended := strings.CutSuffix(line, "\n")
		if number == 1 && ended && line == manifestFormat {
			continue
		}
		fields := strings.SplitN(line, " ", 3)
		if number == 1 || !ended || len(fields) < 3 || !isFileName(fields[2]) {
			return nil, true, fmt.Errorf("line %d of %s is damaged: restore that file, or empty the folder", number, Manifest)
		}
		m[fields[2]] = fields[0] + " " + fields[1]
	}
	return m, true, nil
}

// text returns what stands in the file.
func (m manifest) text() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, manifestFormat)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintln(&b, m[name], name)
	}
	return b.Bytes()
}

// folders returns every folder that holds a file, in the order of their paths.
func (m manifest) folders() []string {
	set := map[string]bool{}
	for name := range m {
		for dir := path.Dir(name); dir != "." && !set[dir]; dir = path.Dir(dir) {
			set[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// union lists the files of both, for the time in which one build's files take the
// place of another's.
func (m manifest) union(next manifest) manifest {
	both := maps.Clone(m)
	for name, sum := range next {
		if both[name] != sum {
			sum = unsure
		}
		both[name] = sum
	}
	for name := range m {
		if _, stays := next[name]; !stays {
			both[name] = unsure
		}
	}
	return both
}

// remove removes the listed files below dir that next does not list, and the
// folders that are empty then. Files that are gone already are no error.
func (m manifest) remove(dir string, next manifest) error {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if _, stays := next[name]; stays {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !isGone(err) {
			return err
		}
	}
	for _, folder := range slices.Backward(m.folders()) {
		// It fails where something is left in it, or where a file stands there now.
		_ = syscall.Rmdir(filepath.Join(dir, filepath.FromSlash(folder)))
	}
	return nil
}

// isGone reports whether an error tells that there is no such file: none of that
// name, a file in the place of its folder, or a folder in its own.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}
