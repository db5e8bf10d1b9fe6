package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// component is a work of others that the release contains.
type component struct {
	name     string // the path of the module, or "std", or the name of a list of words
	version  string
	isData   bool     // a component that is no Go module
	isDirect bool     // whether our own packages import it
	parts    []string // what contains it, such as "linux/amd64", "engine" or "image", sorted
	needs    []string // the names of components that it imports packages of, sorted
	license  string   // an SPDX expression, or the name of a licence that SPDX does not list
	texts    []text
}

// text is a licence or a notice.
type text struct{ title, body string }

// standard is the name of the Go standard library as a component.
const standard = "std"

// rootsModule has the CA certificates of the image.
const rootsModule = "golang.org/x/crypto/x509roots/fallback"

// scowl are the word lists that our own package scowlPackage embeds.
const (
	scowl        = "SCOWL"
	scowlVersion = "2020.12.07"
	scowlPackage = "catalog.example/api/search/english"
)

// goPackage is a package as `go list -json` describes it.
type goPackage struct {
	ImportPath, Dir string
	Standard        bool
	Imports         []string
	Module          *goModule
}

type goModule struct {
	Path, Version, Dir string
	Main               bool
	Replace            *goModule
}

// listing is one call of `go list`: the packages that a part of the release contains.
type listing struct {
	part string
	env  []string
	args []string
}

// components returns the works that the release contains, by name. It fails if one has
// no licence, or one that is not known.
func (b *build) components(ctx context.Context, programs map[platform]string) ([]component, error) {
	found := map[string]*linked{}
	var calls []listing
	for _, p := range b.platforms {
		calls = append(calls, listing{p.String(), environment(p), []string{"-tags", "engine", "./cmd/catalog"}})
	}
	calls = append(calls,
		listing{"engine", environment(platform{"js", "wasm"}), []string{"./cmd/wasm"}},
		listing{"image", environment(platform{"linux", "amd64"}), []string{rootsModule + "/bundle"}})
	for _, call := range calls {
		packages, err := listPackages(ctx, b.root, call)
		if err != nil {
			return nil, err
		}
		if call.part == "image" { // its certificates, not its code
			packages = slices.DeleteFunc(packages, func(p goPackage) bool { return p.Standard })
		}
		if err := b.add(found, call.part, packages); err != nil {
			return nil, err
		}
	}
	if found[rootsModule] == nil {
		return nil, fmt.Errorf("go list does not name %s, which has the certificates of the image", rootsModule)
	}
	found[rootsModule].isDirect = true
	for p, program := range programs {
		if err := checkLinked(found, p, program); err != nil {
			return nil, err
		}
	}
	var all []component
	for name, l := range found {
		c := component{
			name: name, version: l.version, isDirect: l.isDirect,
			parts: slices.Sorted(maps.Keys(l.parts)), needs: slices.Sorted(maps.Keys(l.needs)),
		}
		var err error
		if c.texts, err = licenceTexts(l.folders, l.root); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name == scowl { // SPDX does not list its terms; the package has them
			c.isData, c.license, c.needs = true, scowl, nil
		} else if c.license, err = c.classify(); err != nil {
			return nil, fmt.Errorf("%s %s: %w", name, c.version, err)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b component) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// linked is a module of which the release contains packages.
type linked struct {
	version, root string
	isDirect      bool
	folders       map[string]bool // of the packages
	parts, needs  map[string]bool
}

// add adds the packages of a part of the release to what was found.
func (b *build) add(found map[string]*linked, part string, packages []goPackage) error {
	owner := map[string]string{} // of each package
	for _, p := range packages {
		switch {
		case p.Standard:
			owner[p.ImportPath] = standard
		case p.Module == nil:
			return fmt.Errorf("the package %s belongs to no module", p.ImportPath)
		case p.ImportPath == scowlPackage:
			owner[p.ImportPath] = scowl
		case !p.Module.Main:
			owner[p.ImportPath] = p.Module.Path
		}
	}
	entry := func(name string) *linked {
		if found[name] == nil {
			found[name] = &linked{folders: map[string]bool{}, parts: map[string]bool{}, needs: map[string]bool{}}
		}
		return found[name]
	}
	for _, p := range packages {
		name := owner[p.ImportPath]
		if name == "" { // our own
			for _, imported := range p.Imports {
				if of := owner[imported]; of != "" {
					entry(of).isDirect = true
				}
			}
			continue
		}
		l := entry(name)
		switch {
		case p.Standard:
			l.version, l.root = strings.TrimPrefix(b.toolchain.version, "go"), b.toolchain.root
		case name == scowl:
			l.version, l.root = scowlVersion, p.Dir
		case p.Module.Replace != nil:
			return fmt.Errorf("go.mod replaces %s: remove the replacement, because a release names the published versions of modules", name)
		default:
			l.version, l.root = p.Module.Version, p.Module.Dir
		}
		l.folders[p.Dir] = true
		l.parts[part] = true
		for _, imported := range p.Imports {
			if of := owner[imported]; of != "" && of != name {
				l.needs[of] = true
			}
		}
	}
	return nil
}

func listPackages(ctx context.Context, root string, call listing) ([]goPackage, error) {
	args := append([]string{"list", "-deps", "-json=ImportPath,Dir,Standard,Imports,Module"}, call.args...)
	out, err := command(ctx, root, call.env, "go", args...)
	if err != nil {
		return nil, err
	}
	var packages []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the output of go list: %w", err)
		}
		packages = append(packages, p)
	}
}

// checkLinked compares the modules that a program says it contains with what was found.
func checkLinked(found map[string]*linked, p platform, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read the modules of the program for %s: %w", p, err)
	}
	contains := map[string]bool{standard: true}
	for _, m := range info.Deps {
		contains[m.Path] = true
		if l := found[m.Path]; l == nil || !l.parts[p.String()] || l.version != m.Version || m.Replace != nil {
			return fmt.Errorf("the program for %s contains %s %s, which go list does not name", p, m.Path, m.Version)
		}
	}
	for name, l := range found {
		if l.parts[p.String()] && !contains[name] && name != scowl {
			return fmt.Errorf("go list names %s for %s, which the program does not contain", name, p)
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
		for {
			inside, err := filepath.Rel(root, folder)
			if err != nil || strings.HasPrefix(inside, "..") {
				return nil, fmt.Errorf("the folder %s is outside its module, %s", folder, root)
			}
			entries, err := os.ReadDir(folder)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if e.Type().IsRegular() && licenceFile.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
					names[filepath.Join(inside, e.Name())] = true
				}
			}
			if inside == "." {
				break
			}
			folder = filepath.Dir(folder)
		}
	}
	// This licence is for an object file that only GOEXPERIMENT=boringcrypto links.
	delete(names, filepath.Join("src", "crypto", "internal", "boring", "LICENSE"))
	// The fonts that pictures are drawn with have their licence in the folder of the fonts.
	if fonts := filepath.Join("font", "gofont"); folders[filepath.Join(root, fonts, "goregular")] {
		names[filepath.Join(fonts, "ttfs", "README")] = true
	}
	var texts []text
	for _, name := range slices.Sorted(maps.Keys(names)) {
		body, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		texts = append(texts, text{filepath.ToSlash(name), strings.ReplaceAll(string(body), "\r\n", "\n")})
	}
	return texts, nil
}
