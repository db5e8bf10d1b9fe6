package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// component is a third-party work that the release contains.
type component struct {
	name     string // the path of the module, or standard, or scowl
	version  string
	root     string          // its folder
	folders  map[string]bool // folders of linked packages
	parts    map[string]bool // of the release that contain it, such as "linux/amd64", "engine" or "image"
	needs    map[string]bool // names of the components whose packages it imports
	isDirect bool            // whether our own packages import it
	license  string          // an SPDX expression, or the name of a licence that SPDX does not list
	texts    []text
}

// text is a licence or a notice.
type text struct{ title, body string }

const (
	// own is the name of our own module while components are collected.
	own = ""
	// standard is the Go standard library.
	standard = "std"
	// rootsModule has the CA certificates of the image.
	rootsModule = "golang.org/x/crypto/x509roots/fallback"
	// scowl are the word lists that our own package scowlPackage embeds.
	scowl        = "SCOWL"
	scowlVersion = "2020.12.07"
	scowlPackage = "catalog.example/api/search/english"
)

// goPackage is a package as `go list -json` describes it.
type goPackage struct {
	ImportPath, Dir, Root string
	Standard              bool
	Imports               []string
	Module                *struct {
		Path, Version string
		Main          bool
		Replace       *struct{}
	}
}

// origin returns the name of the component that a package belongs to, with its version and folder.
// The version of the standard library is the Go release that compiled this program, because the
// same release compiles catalog.
func (p goPackage) origin() (name, version, root string) {
	switch {
	case p.Standard:
		return standard, strings.TrimPrefix(runtime.Version(), "go"), p.Root
	case p.ImportPath == scowlPackage:
		return scowl, scowlVersion, p.Dir
	case p.Module.Main:
		return own, "", p.Root
	}
	return p.Module.Path, p.Module.Version, p.Root
}

// components returns the third-party works that the release contains, sorted by name. It
// returns an error if one of them has no licence or an unknown one.
func (b *build) components(ctx context.Context) ([]*component, error) {
	found := map[string]*component{}
	for _, p := range b.platforms {
		if err := b.collect(ctx, found, p.String(), ".", p, programArgs...); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(
		b.collect(ctx, found, "engine", ".", platform{"js", "wasm"}, "./cmd/wasm"),
		b.collect(ctx, found, "image", "cmd/dist", platform{"linux", "amd64"}, rootsModule+"/bundle"),
	); err != nil {
		return nil, err
	}
	direct := found[own].needs
	delete(found, own)
	all := slices.SortedFunc(maps.Values(found), func(a, b *component) int { return strings.Compare(a.name, b.name) })
	for _, c := range all {
		c.isDirect = direct[c.name] || c.name == rootsModule
		if err := c.findLicences(); err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.name, c.version, err)
		}
	}
	return all, nil
}

// collect adds the packages of a part of the release to found. args are arguments of `go list`,
// which runs in a folder of the repository.
func (b *build) collect(
	ctx context.Context, found map[string]*component, part, folder string, p platform, args ...string,
) error {
	args = append([]string{"list", "-deps", "-json=ImportPath,Dir,Root,Standard,Imports,Module"}, args...)
	out, err := command(ctx, filepath.Join(b.root, folder), environment(p), "go", args...)
	if err != nil {
		return err
	}
	owner := map[string]string{} // component by package; imported packages come first
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p goPackage
		if err := d.Decode(&p); err != nil {
			return fmt.Errorf("read the output of go list: %w", err)
		}
		if part == "image" && p.Standard {
			continue // the image has the certificates, not the code
		}
		name, version, root := p.origin()
		owner[p.ImportPath] = name
		if p.Module != nil && p.Module.Replace != nil {
			return fmt.Errorf("go.mod replaces %s: remove the replacement, because a release names the published "+
				"versions of modules", name)
		}
		c := found[name]
		if c == nil {
			c = &component{name: name, version: version, root: root}
			c.folders, c.parts, c.needs = map[string]bool{}, map[string]bool{}, map[string]bool{}
			found[name] = c
		}
		c.folders[p.Dir], c.parts[part] = true, true
		for _, imported := range p.Imports {
			if of, ok := owner[imported]; ok && of != name && of != own && name != scowl {
				c.needs[of] = true
			}
		}
	}
	return nil
}

// licenceFile matches the names of files with licences and notices.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|notice|patents|copyright|unlicense)([._-].*)?$`)

// licenceTexts returns the licences and notices in the folders of packages and in the
// folders above them, up to the root of their module, by name.
func licenceTexts(folders map[string]bool, root string) ([]text, error) {
	names := map[string]bool{}
	for folder := range folders {
		for ; strings.HasPrefix(folder, root); folder = filepath.Dir(folder) {
			entries, err := os.ReadDir(folder)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if e.Type().IsRegular() && licenceFile.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
					names[filepath.Join(folder, e.Name())] = true
				}
			}
		}
	}
	// This licence is for an object file that only GOEXPERIMENT=boringcrypto links.
	delete(names, filepath.Join(root, "src", "crypto", "internal", "boring", "LICENSE"))
	// The licence of the fonts in pictures is in a file of another name.
	if fonts := filepath.Join(root, "font", "gofont"); folders[filepath.Join(fonts, "goregular")] {
		names[filepath.Join(fonts, "ttfs", "README")] = true
	}
	var texts []text
	for _, name := range slices.Sorted(maps.Keys(names)) {
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		title := filepath.ToSlash(strings.TrimPrefix(name, root+string(filepath.Separator)))
		texts = append(texts, text{title, strings.ReplaceAll(string(body), "\r\n", "\n")})
	}
	return texts, nil
}
