// Package osv reads exports of OSV, a database of known vulnerabilities: https://osv.dev. Its form is defined at
// https://ossf.github.io/osv-schema/, and https://google.github.io/osv.dev/data/#data-dumps describes the exports.
//
// An export is a zip with a JSON file for each advisory, such as PyPI/all.zip, or a folder of such files or
// zips. Read hands on one advisory after the other and keeps none, because exports have hundreds of thousands.
package osv

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// Advisory is an advisory, as far as it is used. The values of those that name none of api.Ecosystems are not checked.
type Advisory struct {
	SchemaVersion string     `json:"schema_version"`
	ID            string     `json:"id"`
	Modified      string     `json:"modified"`
	Published     string     `json:"published"`
	Withdrawn     string     `json:"withdrawn"` // when it was withdrawn, or ""
	Aliases       []string   `json:"aliases"`   // identifiers of the same vulnerability elsewhere
	Summary       string     `json:"summary"`
	Affected      []Affected `json:"affected"`
	Specific      any        `json:"database_specific"` // each database writes what it likes
}

// Affected says which versions of a package an advisory affects.
type Affected struct {
	Package struct {
		Ecosystem string `json:"ecosystem"`
		Name      string `json:"name"`
	} `json:"package"`
	Ranges   []Range  `json:"ranges"`
	Versions []string `json:"versions"`
}

// Range is a range of affected versions.
type Range struct {
	Type   string  `json:"type"` // SEMVER, ECOSYSTEM or GIT
	Events []Event `json:"events"`
}

// Event begins or ends a range. One of its fields is set.
type Event struct {
	Introduced   string `json:"introduced"`
	Fixed        string `json:"fixed"`
	LastAffected string `json:"last_affected"`
	Limit        string `json:"limit"`
}

// Severity returns how severe the advisory's database says it is, in one of api.Severities; "" if it uses no such
// word.
func (a *Advisory) Severity() string {
	specific, _ := a.Specific.(map[string]any)
	word, _ := specific["severity"].(string)
	if word = strings.ToLower(word); word == "medium" {
		word = "moderate"
	}
	if !slices.Contains(api.Severities, word) {
		return ""
	}
	return word
}

// Bounds of what is read.
const (
	maxAdvisory = 16 << 20 // bytes of an advisory: some name thousands of versions
	maxTotal    = 64 << 30 // bytes of all advisories, unpacked
	maxMistakes = 100      // that are listed
)

// Read calls visit for each advisory of an export. group names the zip or folder that it is in. The error lists all
// advisories that cannot be read: a package could then not be said to have none.
func Read(ctx context.Context, name string, today api.Date, visit func(group string, a *Advisory)) error {
	r := &reader{ctx: ctx, latest: today, visit: visit, left: maxTotal}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return fmt.Errorf("advisories: %w", err)
	case info.IsDir():
		err = fs.WalkDir(os.DirFS(name), ".", func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			file = filepath.Join(name, filepath.FromSlash(file))
			if entry.Type().IsRegular() {
				return r.file(file)
			}
			// What a link leads to would be missing.
			if entry.Type()&fs.ModeSymlink != 0 || isOf(file, ".json") || isOf(file, ".zip") {
				r.wrong(file, "is not a regular file: put the file itself there, or remove this")
			}
			return nil
		})
	case isOf(name, ".zip"):
		err = r.file(name)
	default:
		return fmt.Errorf("advisories: %s is neither a folder nor a .zip: give the export of an ecosystem, such as "+
			"PyPI/all.zip; what it lacks would count as not known", name)
	}
	switch {
	case err != nil:
		return err
	case r.mistakes > 0:
		if more := r.mistakes - len(r.told); more > 0 {
			r.told = append(r.told, fmt.Sprintf("and %d more", more))
		}
		return fmt.Errorf("advisories: %s in %s, so nothing was compared or changed: download the export again, or "+
			"tell OSV of them\n%s", api.Count(r.mistakes, "mistake"), name, strings.Join(r.told, "\n"))
	case r.read == 0:
		return fmt.Errorf("advisories: %s has no .json of an advisory: give the export of an ecosystem, such as "+
			"PyPI/all.zip", name)
	}
	return nil
}

// reader is the state of Read.
type reader struct {
	ctx      context.Context
	latest   api.Date // dates after this day are mistakes
	visit    func(group string, a *Advisory)
	left     int64 // bytes that may still be read
	read     int   // advisories
	mistakes int
	told     []string // the first mistakes, each after its place
}

// isOf reports whether a file has an extension.
func isOf(name, extension string) bool { return strings.EqualFold(path.Ext(name), extension) }

func (r *reader) wrong(place, format string, args ...any) {
	if r.mistakes++; r.mistakes <= maxMistakes {
		r.told = append(r.told, place+": "+fmt.Sprintf(format, args...))
	}
}

// file reads an advisory or a zip. Other files, such as lists of identifiers, are left out.
func (r *reader) file(name string) error {
	switch {
	case isOf(name, ".json"):
		return r.advisory(filepath.Dir(name), name, func() (io.ReadCloser, error) {
			return os.Open(name) // #nosec G304 -- the user names it
		})
	case !isOf(name, ".zip"):
		return nil
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		r.wrong(name, "cannot be read as a zip: %v; download it again", err)
		return nil
	}
	defer func() { _ = z.Close() }()
	for _, f := range z.File {
		if !isOf(f.Name, ".json") {
			continue
		}
		if err := r.advisory(name, name+"/"+f.Name, f.Open); err != nil {
			return err
		}
	}
	return nil
}

// advisory reads one advisory. It returns an error only if nothing more is to be read.
func (r *reader) advisory(group, place string, open func() (io.ReadCloser, error)) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	f, err := open()
	if err != nil {
		r.wrong(place, "cannot be read: %v", err)
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, maxAdvisory+1))
	_ = f.Close()
	r.read++
	if r.left -= int64(len(text)); r.left < 0 {
		return fmt.Errorf("advisories: %s: more than %d GiB of advisories: give the export of one ecosystem", place,
			int64(maxTotal>>30))
	}
	switch {
	case err != nil:
		r.wrong(place, "cannot be read: %v; download it again", err)
	case len(text) > maxAdvisory:
		r.wrong(place, "is larger than %d MiB, which no advisory is", maxAdvisory>>20)
	default:
		var a Advisory
		if r.decode(place, text, &a) {
			r.visit(group, &a)
		}
	}
	return nil
}

// decode decodes and checks an advisory. It reports whether nothing is wrong with it.
func (r *reader) decode(place string, text []byte, a *Advisory) bool {
	before := r.mistakes
	err := json.Unmarshal(text, a)
	ecosystems := a.Ecosystems()
	switch {
	case len(ecosystems) > 0 && !slices.ContainsFunc(ecosystems, func(name string) bool { return meant(name) != "" }):
		return true // what else is wrong with it does not matter
	case err != nil:
		offset, message := int64(0), err.Error()
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset, message = syntax.Offset, "is not JSON, "+message
		} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			offset = kind.Offset
			message = fmt.Sprintf("%s is of the kind %s, which OSV does not write there",
				cmp.Or(kind.Field, "the advisory"), kind.Value)
		}
		read := text[:min(max(offset-1, 0), int64(len(text)))]
		line := bytes.Count(read, []byte("\n")) + 1
		r.wrong(fmt.Sprintf("%s:%d:%d", place, line, len(read)-bytes.LastIndexByte(read, '\n')), "%s", message)
		return false
	case a.SchemaVersion != "" && !strings.HasPrefix(a.SchemaVersion, "1."):
		r.wrong(place, "schema_version: %q is not known: versions that begin with 1. are read", a.SchemaVersion)
		return false
	case len(ecosystems) == 0: // it was withdrawn, or is about a repository
		return true
	}
	if !content.IsAdvisoryID(a.ID) {
		r.wrong(place, "id: %q is not the identifier of an advisory, such as GHSA-xxxx-xxxx-xxxx",
			api.Shorten(a.ID, 100))
	}
	for _, at := range [][2]string{{"modified", a.Modified}, {"published", a.Published}, {"withdrawn", a.Withdrawn}} {
		key, value := at[0], at[1]
		switch day, err := Day(value); {
		case value == "" && key != "modified": // it may be missing
		case err != nil:
			r.wrong(place, "%s: %q is not a time from 1900 on, such as 2026-01-02T03:04:05Z", key, value)
		case day > r.latest:
			r.wrong(place, "%s: %s is in the future", key, day)
		}
	}
	for _, given := range ecosystems {
		if known := meant(given); known != "" && known != given {
			r.wrong(place, "affected: %q is not an ecosystem of OSV: write %s", given, known)
		}
	}
	return before == r.mistakes
}

// Ecosystems returns the ecosystems that the advisory names, each once. There are none if it was withdrawn, or is about
// a repository.
func (a *Advisory) Ecosystems() (names []string) {
	for i := range a.Affected {
		if name := a.Affected[i].Package.Ecosystem; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// meant returns the one of api.Ecosystems that a name means, perhaps in another case; "" for none.
func meant(name string) string {
	for _, known := range api.Ecosystems {
		if strings.EqualFold(name, known) {
			return known
		}
	}
	return ""
}

// Day returns the day of a time of an advisory, which must be one that listings may have.
func Day(text string) (api.Date, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", err
	}
	return api.ParseDate(string(api.DateOf(t)))
}
