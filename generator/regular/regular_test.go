//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(file("ten"), []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link": "ten", "loose": "nowhere", "to-pipe": "pipe", "to-device": "/dev/zero", "to-itself": "to-itself", "to-folder": "."} {
		if err := os.Symlink(to, file(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		most int64
		want string // a part of the reason; "" for the text
	}{
		{"ten", 10, ""}, {"link", 10, ""}, {"ten", 9, "has 10 bytes: at most 9 are allowed"}, {"link", 9, "has 10 bytes"},
		{"pipe", 10, "is a named pipe"}, {"to-pipe", 10, "is a named pipe"}, {"to-device", 10, "is a device"}, {"to-folder", 10, "is a folder"}, {"", 10, "is a folder"},
	} {
		text, err := ReadFile(file(c.name), c.most)
		var other *Error
		switch {
		case c.want == "" && (err != nil || string(text) != "0123456789"):
			t.Errorf("%s: %q, %v", c.name, text, err)
		case c.want != "" && (!errors.As(err, &other) || !strings.Contains(other.Reason, c.want)):
			t.Errorf("%s: %v; want an *Error with %q", c.name, err, c.want)
		}
	}
	for _, name := range []string{"nothing"} {
		if _, err := ReadFile(file(name), 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want one that says that it is not there", name, err)
		}
	}
	if _, err := ReadFile(file("to-itself"), 10); err == nil {
		t.Error("a link to itself is read")
	}
}

// The size that a file system tells is not believed: files of /proc have none.
func TestFileOfNoSize(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	var other *Error
	if _, err := ReadFile("/proc/self/maps", 10); !errors.As(err, &other) || !strings.Contains(other.Reason, "at most 10") {
		t.Errorf("%v, want that it is too large", err)
	}
}

func TestDir(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"a": "1", "b/c": "22", "large": "1234567890"} {
		file := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	files := Dir(folder, 9)
	if err := os.Remove(filepath.Join(folder, "large")); err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(files, "a", "b/c"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600), os.WriteFile(filepath.Join(folder, "large"), []byte("1234567890"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"pipe": "is a named pipe", "large": "at most 9 are allowed"} {
		var other *Error
		if _, err := files.Open(name); !errors.As(err, &other) || !strings.Contains(other.Reason, want) {
			t.Errorf("%s: %v, want that it %s", name, err, want)
		}
	}
	for _, name := range []string{"nothing", "b/nothing", "a/b"} {
		if _, err := files.Open(name); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
}
