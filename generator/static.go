package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api/parallel"
	"catalog.example/generator/output"
	"catalog.example/generator/regular"
)

// maxStatic bounds a static file. It is the limit of Cloudflare Pages, the lowest of the
// hosts of deploy/HOSTS.md.
const maxStatic = 25 << 20

// visibleDots are the names with a leading dot that hosts serve or read. Any other may be
// a secret, such as .env or .git, and catalog serve would not serve it.
var visibleDots = []string{".well-known", ".nojekyll"}

// leftovers are files that programs leave in any folder. They are not copied.
var leftovers = []string{".DS_Store", output.Placeholder}

// static are the files of the setting static.
type static struct {
	folder string
	names  []string // with slashes, sorted
}

// openStatic lists the files of a folder, which may be "". The error lists all entries that
// cannot be copied, a line each.
func openStatic(folder string) (*static, error) {
	s := &static{folder: folder}
	if folder == "" {
		return s, nil
	}
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("setting static: there is no folder %s: create it, or remove the setting", folder)
	case err != nil:
		return nil, fmt.Errorf("setting static: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("setting static: %s is not a folder: choose the folder whose files the build should "+
			"copy", folder)
	}
	var problems []error
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && name != "." {
			err = checkStatic(name, e)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("setting static: %s: %w", s.path(name), err))
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !e.IsDir() && !slices.Contains(leftovers, e.Name()) {
			s.names = append(s.names, name)
		}
		return nil
	})
	return s, errors.Join(append(problems, err)...)
}

// mergedStatic is like openStatic, but also returns an error for files with a merge conflict.
func mergedStatic(folder string) (*static, error) {
	s, err := openStatic(folder)
	if err == nil {
		err = checkMerged("static", folder, s.names)
	}
	return s, err
}

// path returns the path of a file of the folder.
func (s *static) path(name string) string {
	return filepath.Join(s.folder, filepath.FromSlash(name))
}

// checkStatic returns why a file or folder cannot be copied, and the remedy.
func checkStatic(name string, e fs.DirEntry) error {
	switch {
	case slices.Contains(leftovers, e.Name()):
		return nil
	case strings.HasPrefix(e.Name(), ".") && !slices.Contains(visibleDots, name):
		return fmt.Errorf("it is hidden, and hidden files may be secrets: move it out of the folder; the only hidden "+
			"files that are copied are %s", strings.Join(visibleDots, " and "))
	case !output.IsFileName(name) || strings.ContainsAny(name, `\:`):
		return errors.New("its name contains a character that hosts do not serve: use letters, digits, dots, hyphens " +
			"and underscores")
	case name == "assets":
		return errors.New("browsers cache the files below assets/ for a year, because their names contain hashes: " +
			"give the folder another name")
	case e.IsDir():
		return nil
	case e.Type()&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link, which may lead out of the folder: replace it with a copy of the file")
	case !e.Type().IsRegular():
		return errors.New("it is neither a file nor a folder: remove it")
	}
	info, err := e.Info()
	if err == nil && info.Size() > maxStatic {
		return fmt.Errorf("it has %d bytes, and Cloudflare Pages accepts at most %d: make it smaller, or publish it "+
			"elsewhere and link to it", info.Size(), maxStatic)
	}
	return err
}

// write stages the static files after the files of the build, whose names are only known then. The
// error lists all static files that would replace one of those.
func (s *static) write(ctx context.Context, stage *output.Stage, jobs int) error {
	if len(s.names) == 0 {
		return nil
	}
	var problems []error
	conflicts := stage.Conflicts(s.names)
	for _, name := range slices.Sorted(maps.Keys(conflicts)) {
		problems = append(problems, s.conflict(name, conflicts[name]))
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	return parallel.Each(ctx, jobs, len(s.names), func(i int) error {
		content, err := s.read(s.names[i])
		if err != nil {
			return err
		}
		return stage.Write(s.names[i], content)
	})
}

// conflict returns the error for a static file whose path the build uses.
func (s *static) conflict(name, other string) error {
	return fmt.Errorf("setting static: %s: the build writes %s itself: %s", s.path(name), other, remedyFor(other))
}

// read returns the content of one of the files.
func (s *static) read(name string) ([]byte, error) {
	content, err := regular.ReadFile(s.path(name), maxStatic)
	if err != nil {
		return nil, fmt.Errorf("setting static: %s: %w", s.path(name), err)
	}
	return content, nil
}

// remedyFor says how an owner changes a file that the build writes.
func remedyFor(name string) string {
	switch {
	case name == "favicon.ico":
		return "put your file in the folder of overrides as assets/favicon.ico"
	case name == "llms.txt", name == "llms-full.txt", strings.HasSuffix(name, ".html"),
		strings.HasSuffix(name, ".html.md"):
		return "change its template in the folder of overrides, or rename your file"
	}
	return "rename your file, or remove it"
}
