package generator

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/output"
)

// checkChanges returns an error, before the build starts, if it is certain that the file of changes
// cannot be written.
func checkChanges(file, out string) error {
	if file == "" {
		return nil
	}
	absolute, fileErr := filepath.Abs(file)
	folder, outErr := filepath.Abs(out)
	if err := errors.Join(fileErr, outErr); err != nil {
		return err
	}
	if strings.HasPrefix(absolute, folder+string(filepath.Separator)) {
		return fmt.Errorf("--changes %s: the file is in the output folder, where only builds may write: choose a file "+
			"outside it", file)
	}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("--changes %s: this is not a file: choose a file", file)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return fmt.Errorf("--changes %s: there is no folder %s: create it, or choose another file", file,
			filepath.Dir(file))
	}
	return nil
}

// changesText returns the content of the file of changes.
func changesText(c output.Changes, s *site.Settings) []byte {
	var out bytes.Buffer
	for _, kind := range []struct {
		word  string
		names []string
	}{{"new", c.New}, {"changed", c.Changed}, {"gone", c.Gone}} {
		for _, name := range kind.names {
			var addresses []string
			for _, path := range api.Paths(name) {
				addresses = append(addresses, s.URL((&url.URL{Path: path}).EscapedPath()))
			}
			fmt.Fprintf(&out, "%s\t%s\t%s\n", kind.word, name, strings.Join(addresses, " "))
		}
	}
	return out.Bytes()
}
