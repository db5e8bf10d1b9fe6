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
	SchemaVersion string          `json:"schema_version"`
	ID            string          `json:"id"`
	Modified      string          `json:"modified"`
	Published     string          `json:"published"`
	Withdrawn     string          `json:"withdrawn"` // when it was withdrawn, or ""
	Aliases       []string        `json:"aliases"`   // identifiers of the same vulnerability elsewhere
	Summary       string          `json:"summary"`
	Affected      []Affected      `json:"affected"`
	Specific      json.RawMessage `json:"database_specific"`
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
	var specific struct {
		Severity any `json:"severity"`
	}
	_ = json.Unmarshal(a.Specific, &specific) // each database may write what it likes
	word, _ := specific.Severity.(string)
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

// Mistakes lists what is wrong with an export.
type Mistakes struct {
	List []string // each begins with its place
	More int      // how many are left out
}

// Error implements error.
func (m *Mistakes) Error() string {
	text := strings.Join(m.List, "\n")
	if m.More > 0 {
		text += fmt.Sprintf("\nand %d more", m.More)
	}
	return text
}

// Read calls visit for each advisory of an export. group names the zip or folder that it is in. The error is a
// *Mistakes if advisories cannot be read: a package could then not be said to have none.
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
			return r.entry(filepath.Join(name, filepath.FromSlash(file)), entry.Type())
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
	case len(r.mistakes.List) > 0:
		return &r.mistakes
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
	mistakes Mistakes
}

// isOf reports whether a file has an extension.
func isOf(name, extension string) bool { return strings.EqualFold(path.Ext(name), extension) }

func (r *reader) wrong(place, format string, args ...any) {
	if len(r.mistakes.List) == maxMistakes {
		r.mistakes.More++
		return
	}
	r.mistakes.List = append(r.mistakes.List, place+": "+fmt.Sprintf(format, args...))
}

// entry reads an entry of a folder. What a link leads to would be missing, so links are mistakes.
func (r *reader) entry(name string, mode fs.FileMode) error {
	if mode.IsRegular() {
		return r.file(name)
	}
	if mode&fs.ModeSymlink != 0 || isOf(name, ".json") || isOf(name, ".zip") {
		r.wrong(name, "is not a regular file: put the file itself there, or remove this")
	}
	return nil
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
	before := len(r.mistakes.List) + r.mistakes.More
	err := json.Unmarshal(text, a)
	names, ours := a.ecosystems()
	switch {
	case names && !ours:
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
	case !names: // it was withdrawn, or is about a repository
		return true
	}
	if !content.IsAdvisoryID(a.ID) {
		r.wrong(place, "id: %q is not the identifier of an advisory, such as GHSA-xxxx-xxxx-xxxx",
			api.Shorten(a.ID, 100))
	}
	for _, at := range []struct {
		key, value string
		required   bool
	}{{"modified", a.Modified, true}, {"published", a.Published, false}, {"withdrawn", a.Withdrawn, false}} {
		if at.value == "" && !at.required {
			continue
		}
		if day, err := Day(at.value); err != nil {
			r.wrong(place, "%s: %q is not a time from 1900 on, such as 2026-01-02T03:04:05Z", at.key, at.value)
		} else if day > r.latest {
			r.wrong(place, "%s: %s is in the future", at.key, day)
		}
	}
	for i := range a.Affected {
		given := a.Affected[i].Package.Ecosystem
		for _, ecosystem := range api.Ecosystems {
			if strings.EqualFold(given, ecosystem) && given != ecosystem {
				r.wrong(place, "affected: %q is not an ecosystem of OSV: write %s", given, ecosystem)
			}
		}
	}
	return before == len(r.mistakes.List)+r.mistakes.More
}

// ecosystems reports whether an advisory names any ecosystem, and whether one is of api.Ecosystems, perhaps in another
// case.
func (a *Advisory) ecosystems() (some, ours bool) {
	for i := range a.Affected {
		given := a.Affected[i].Package.Ecosystem
		some = some || given != ""
		ours = ours || slices.ContainsFunc(api.Ecosystems, func(known string) bool {
			return strings.EqualFold(given, known)
		})
	}
	return some, ours
}

// Day returns the day of a time of an advisory, which must be one that listings may have.
func Day(text string) (api.Date, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", err
	}
	return api.ParseDate(string(api.DateOf(t)))
}
