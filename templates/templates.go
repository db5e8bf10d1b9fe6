// Package templates embeds the HTML of the pages, the stylesheet, the page code, the feeds,
// the sitemap, the badge of listings, the text of llms.txt and the skill for agents.
//
// The owner of a site can replace each file by one of the same path in the folder that the
// setting overrides names.
package templates

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.yml *.html layout.md partials.md skill.md *.txt *.xml *.svg pages assets
var embedded embed.FS

//go:embed labels
var translations embed.FS

// Originals is a folder in the folder of overrides. It has the shipped files from which the
// owner's files were copied, and replaces nothing.
const Originals = ".catalog-templates"

// Shipped returns the embedded files.
func Shipped() fs.FS { return embedded }

// Labels is the file with the texts of pages.
const Labels = "labels.yml"

// Translation returns the texts of pages in a language, in the form of Labels. It returns nil if the program does not
// have them. A language such as de-AT has those of de.
func Translation(lang string) []byte {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	text, _ := translations.ReadFile("labels/" + lang + ".yml") // an error says that there is none
	return text
}

// ShippedIn returns the names and texts of the embedded files for a catalogue in a main language and others. Its files
// of labels are in these languages, as far as the program has translations, and else in English.
func ShippedIn(main string, others ...string) map[string][]byte {
	files := map[string][]byte{}
	// Embedded files can be read.
	_ = fs.WalkDir(embedded, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files[name], err = embedded.ReadFile(name)
		}
		return err
	})
	english := files[Labels]
	for _, lang := range append([]string{""}, others...) {
		files[LabelsIn(lang)] = english
		if text := Translation(cmp.Or(lang, main)); text != nil {
			files[LabelsIn(lang)] = text
		}
	}
	return files
}

// LabelsIn is the name of the file with the texts of pages in a language; Labels if lang is "".
func LabelsIn(lang string) string {
	if lang == "" {
		return Labels
	}
	return "labels." + lang + ".yml"
}

// Files returns the embedded files, replaced by those of overrides, which may be nil. A file of
// overrides that replaces nothing is an error, because its name is probably misspelt. A file
// that cannot be opened is also an error. Overrides may have labels in each of the languages: see In.
func Files(overrides fs.FS, languages ...string) (fs.FS, error) {
	if overrides == nil {
		return embedded, nil
	}
	err := fs.WalkDir(overrides, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if path == Originals {
				return fs.SkipDir
			}
			return err
		}
		isLabels := slices.ContainsFunc(languages, func(lang string) bool { return path == LabelsIn(lang) })
		if _, err := fs.Stat(embedded, path); err != nil && !isLabels {
			return fmt.Errorf(
				"there is no template %s to replace: use the path of a file below templates/ in the source", path)
		}
		f, err := overrides.Open(path)
		if err != nil {
			return err
		}
		return f.Close()
	})
	if err != nil {
		return nil, err
	}
	return overlay{overrides, embedded}, nil
}

// In returns the files with the labels of a language as Labels, or else the embedded ones.
func In(files fs.FS, lang string) fs.FS { return inLanguage{files, lang} }

type inLanguage struct {
	fs.FS
	lang string
}

// Open implements fs.FS.
func (l inLanguage) Open(name string) (fs.File, error) {
	if name != Labels {
		return l.FS.Open(name)
	}
	if file, err := l.FS.Open(LabelsIn(l.lang)); !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	return embedded.Open(name)
}

// overlay has the files and folders of back. Files of front replace the files of back with the same
// name.
type overlay struct{ front, back fs.FS }

// Open implements fs.FS.
func (o overlay) Open(name string) (fs.File, error) {
	if info, err := fs.Stat(o.front, name); err == nil && info.IsDir() || errors.Is(err, fs.ErrNotExist) {
		return o.back.Open(name)
	}
	return o.front.Open(name)
}
