package output

import (
	"fmt"
	"os"
	"path/filepath"
)

// File is a file of a build: its name, its hash and size as in the manifest, and its
// modification time in nanoseconds (Unix time).
type File struct {
	Name, Sum string
	Modified  int64
}

// Files returns staged files. It returns an error if the file system fails or a file was not
// staged.
func (s *Stage) Files(names []string) ([]File, error) {
	files := make([]File, len(names))
	for i, name := range names {
		info, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("output folder %s: %w", s.Folder, err)
		}
		s.mu.Lock()
		files[i] = File{name, s.written[name], info.ModTime().UnixNano()}
		s.mu.Unlock()
	}
	return files, nil
}

// Reuse stages files of an earlier build, if all of them are in the target as that build left them:
// listed in the manifest, with the same size and modification time. It reports whether it did. If
// not, the files must be written.
func (s *Stage) Reuse(files []File) bool {
	for _, f := range files {
		file := filepath.Join(s.dir, filepath.FromSlash(f.Name))
		if s.previous[f.Name] != f.Sum || link(s.targetPath(f.Name), file) != nil {
			return false
		}
		info, err := os.Lstat(file)
		if err != nil || info.Mode() != 0o644 || // regular files have no other bits
			info.ModTime().UnixNano() != f.Modified || info.Size() != sizeIn(f.Sum) {
			_ = os.Remove(file) // Write replaces it
			return false
		}
		s.mu.Lock()
		s.written[f.Name] = f.Sum
		s.mu.Unlock()
	}
	return true
}
