package output

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"catalog.example/api/parallel"
)

// Manifest is the file in the output folder that lists the files that builds wrote. A build does
// not delete or replace other files.
//
// The first line names the format. Each other line holds a file's hash (the first
// 16 bytes of its SHA-256, in hexadecimal), its size in bytes, and its path below
// the folder, sorted by path. The next build overwrites these files, even if they
// were edited. Hash and size are "-" if a build was killed while it moved that file
// into place. An empty manifest lists nothing.
const Manifest = ".catalog-manifest"

// manifestFormat is the first line of a manifest.
const manifestFormat = "catalog-manifest 1"

// unknownSum is the sum of a file that is about to be replaced or removed.
const unknownSum = "- -"

// manifest maps the path of each file to its hash and size, in the format of the manifest file.
type manifest map[string]string

// sumOf returns the hash and size of a file's content.
func sumOf(parts ...[]byte) string {
	hash, size := sha256.New(), 0
	for _, part := range parts {
		hash.Write(part)
		size += len(part)
	}
	return hex.EncodeToString(hash.Sum(nil)[:16]) + " " + strconv.Itoa(size)
}

// sizeIn returns the size from the result of sumOf.
func sizeIn(sum string) int64 {
	_, size, _ := strings.Cut(sum, " ")
	n, _ := strconv.ParseInt(size, 10, 64) // sumOf wrote it, so it is a number
	return n
}

// IsFileName reports whether a build may write and delete a file at a path. It may never do so in a
// .git folder, whatever a manifest says.
func IsFileName(name string) bool {
	return fs.ValidPath(name) && name != "." && name != Manifest && !strings.HasPrefix(name, innerStaging) &&
		utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl) &&
		!slices.Contains(strings.Split(name, "/"), ".git")
}

// readManifest reads the manifest of a folder, and reports whether it exists.
func readManifest(dir string) (m manifest, exists bool, err error) {
	name := filepath.Join(dir, Manifest)
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() { // reading a pipe would block
		return nil, true, fmt.Errorf("%s is not a file: remove it, or choose another folder", Manifest)
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{}, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	m = make(manifest, bytes.Count(text, []byte("\n")))
	lineNumber := 0
	for line := range strings.Lines(string(text)) {
		lineNumber++
		line, ended := strings.CutSuffix(line, "\n")
		if lineNumber == 1 && ended && line == manifestFormat {
			continue
		}
		fields := strings.SplitN(line, " ", 3)
		if lineNumber == 1 || !ended || len(fields) < 3 || !IsFileName(fields[2]) {
			err := fmt.Errorf("line %d of %s is damaged: restore that file, or empty the folder", lineNumber, Manifest)
			return nil, true, err
		}
		m[fields[2]] = fields[0] + " " + fields[1]
	}
	return m, true, nil
}

// encode returns the content of the manifest file.
func (m manifest) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, manifestFormat)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintln(&b, m[name], name)
	}
	return b.Bytes()
}

// folders returns the set of folders that contain files of the manifest.
func (m manifest) folders() map[string]bool {
	set := map[string]bool{}
	for name := range m {
		for dir := path.Dir(name); dir != "." && !set[dir]; dir = path.Dir(dir) {
			set[dir] = true
		}
	}
	return set
}

// union lists the files of two builds, for the time when one replaces the other.
func (m manifest) union(next manifest) manifest {
	both := maps.Clone(m)
	maps.Copy(both, next)
	for name := range both {
		if m[name] != next[name] {
			both[name] = unknownSum
		}
	}
	return both
}

// remove removes the files below dir that m lists and next does not, and folders that become empty.
// A missing file is not an error.
func (m manifest) remove(dir string, next manifest) error {
	names := slices.Collect(maps.Keys(m))
	err := parallel.Each(context.Background(), runtime.GOMAXPROCS(0), len(names), func(i int) error {
		if _, stays := next[names[i]]; stays {
			return nil
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(names[i]))); err != nil && !isNotExist(err) {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	levels := map[int][]string{} // folders, by their depth
	for folder := range m.folders() {
		depth := strings.Count(folder, "/")
		levels[depth] = append(levels[depth], folder)
	}
	for _, depth := range slices.Backward(slices.Sorted(maps.Keys(levels))) {
		parallel.All(len(levels[depth]), func(i int) {
			// This fails if the folder is not empty, or has become a file.
			_ = syscall.Rmdir(filepath.Join(dir, filepath.FromSlash(levels[depth][i])))
		})
	}
	return nil
}

// isNotExist reports whether an error means that there is no such file: the name does not exist, or
// it is the name of a folder, or it is below a file.
func isNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}
