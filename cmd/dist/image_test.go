package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// archive is what an archive contains, by name.
type archive map[string]entry

type entry struct {
	header *tar.Header
	text   []byte
}

// readTar reads a tar archive, and checks that it has the form of all of ours.
func readTar(t *testing.T, r io.Reader) archive {
	t.Helper()
	files := archive{}
	before := ""
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		if h.Name <= before || path.IsAbs(h.Name) || strings.Contains(h.Name, "..") {
			t.Errorf("%s stands after %s", h.Name, before)
		}
		before = h.Name
		owner := 0
		if h.Name == "var/cache/catalog/" {
			owner = userID
		}
		if h.Uid != owner || h.Gid != owner || h.Uname != "" || h.Gname != "" || h.ModTime.Unix() != 1795000000 {
			t.Errorf("%s has the owner %d:%d %s:%s and the time %s", h.Name, h.Uid, h.Gid, h.Uname, h.Gname, h.ModTime)
		}
		files[h.Name] = entry{h, text}
	}
}

// unpackFiles writes the files of a layer.
func unpackFiles(t *testing.T, root string, files archive) {
	t.Helper()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names) // folders first
	for _, name := range names {
		f, to := files[name], filepath.Join(root, filepath.FromSlash(name))
		mode := f.header.FileInfo().Mode()
		var err error
		if mode.IsDir() {
			err = os.Mkdir(to, 0o755)
		} else {
			err = os.WriteFile(to, f.text, mode.Perm())
		}
		if err == nil {
			err = os.Chmod(to, mode.Perm()|mode&os.ModeSticky)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// image is one platform of an image.
type image struct {
	config v1.Config
	files  archive
}

// readImage follows an image layout from index.json to the files of each platform.
func readImage(t *testing.T, name string) map[string]image {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files, folder := readTar(t, f), t.TempDir()
	unpackFiles(t, folder, files)
	top, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(top); err != nil {
		t.Errorf("the layout is not valid: %v", err)
	}
	index := onlyIndex(t, top)
	manifest := indexManifest(t, index)
	images := map[string]image{}
	for _, d := range manifest.Manifests {
		one, err := index.Image(d.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := one.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		layers, err := one.Layers()
		if err != nil || len(layers) != 1 {
			t.Fatalf("%s has %d layers: %v", d.Digest, len(layers), err)
		}
		plain, err := layers[0].Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		if d.MediaType != types.OCIManifestSchema1 || d.Platform.OS != config.OS || d.Platform.Architecture != config.Architecture {
			t.Errorf("%+v has the configuration of %s/%s", d, config.OS, config.Architecture)
		}
		images[d.Platform.String()] = image{config.Config, readTar(t, plain)}
	}
	// What old versions of Docker load.
	var docker tarball.Manifest
	decode(t, files["manifest.json"].text, &docker)
	first, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	old, err := first.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(docker) != 1 || docker[0].Config != blobs+old.Config.Digest.Hex || !slices.Equal(docker[0].Layers, []string{blobs + old.Layers[0].Digest.Hex}) || !slices.Equal(docker[0].RepoTags, []string{"localhost/catalog:" + testVersion}) {
		t.Errorf("manifest.json is %+v", docker)
	}
	if got, want := len(files), 2+3+1+3*len(images); got != want {
		t.Errorf("the layout has %d files, want %d: folders, files at the top, the index, and three for each platform", got, want)
	}
	return images
}

const blobs = "blobs/sha256/"

// onlyIndex returns the index that index.json of a layout names.
func onlyIndex(t *testing.T, top v1.ImageIndex) v1.ImageIndex {
	t.Helper()
	m := indexManifest(t, top)
	if len(m.Manifests) != 1 || m.Manifests[0].MediaType != types.OCIImageIndex || m.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "localhost/catalog:"+testVersion {
		t.Fatalf("index.json is %+v", m)
	}
	index, err := top.ImageIndex(m.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func indexManifest(t *testing.T, index v1.ImageIndex) *v1.IndexManifest {
	t.Helper()
	m, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// smallImage writes an image whose programs are short texts.
func smallImage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	b := build{options: testOptions(t, released{out: dir}, platforms), work: dir}
	for _, p := range linux {
		writeFile(t, b.program(p), []byte("program for "+p.arch))
	}
	b.platforms = linux
	var err error
	if b.revision, err = findRevision(t.Context(), dir, b.epoch); err != nil {
		t.Fatal(err)
	}
	b.revision.commit = "0123456789012345678901234567890123456789"
	if err := b.writeImage(dir, map[string][]byte{"LICENSE": []byte("L"), notices: []byte("N"), "README.md": nil}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "catalog_"+testVersion+"_oci.tar")
}

// TestImage reads an image as a client does, and checks every digest, file and setting.
func TestImage(t *testing.T) {
	t.Parallel()
	images := readImage(t, smallImage(t))
	if len(images) != 2 {
		t.Fatalf("the platforms are %v", images)
	}
	for _, p := range linux {
		one := images[p.String()]
		c := one.config
		if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/local/bin/catalog"}) || !slices.Equal(c.Cmd, []string{"serve", "--addr", ":8080", "--public", "/public"}) {
			t.Errorf("%s: %+v", p, c)
		}
		for label, want := range map[string]string{"created": "2026-11-18T", "revision": "0123456789", "source": "https://catalog.example/source", "version": testVersion, "licenses": "Apache-2.0", "title": "catalog"} {
			if got := c.Labels["org.opencontainers.image."+label]; !strings.HasPrefix(got, want) {
				t.Errorf("%s: the label %s is %q", p, label, got)
			}
		}
		if got := string(one.files["usr/local/bin/catalog"].text); got != "program for "+p.arch {
			t.Errorf("%s: the program is %q", p, got)
		}
		for name, mode := range map[string]int64{
			"usr/local/bin/catalog": 0o755, "usr/local/bin/": 0o755, "tmp/": 0o1777, "public/": 0o755, "etc/passwd": 0o644,
			"usr/share/doc/catalog/LICENSE": 0o644, "usr/share/doc/catalog/" + notices: 0o644,
		} {
			if h := one.files[name].header; h == nil || h.Mode != mode {
				t.Errorf("%s: %s is %+v", p, name, h)
			}
		}
		if _, ok := one.files["usr/share/doc/catalog/README.md"]; ok {
			t.Errorf("%s: the image has a README", p)
		}
		pool := x509.NewCertPool()
		count := 0
		for rest := one.files[rootsAt].text; ; count++ {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil {
				break
			}
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil || !certificate.IsCA {
				t.Fatalf("%s: certificate %d: %v", p, count, err)
			}
			pool.AddCert(certificate)
		}
		if count < 100 || !pool.AppendCertsFromPEM(one.files[rootsAt].text) {
			t.Errorf("%s: there are %d CA certificates", p, count)
		}
	}
}

// TestZip checks that archives for Windows have the same form as the others.
func TestZip(t *testing.T) {
	t.Parallel()
	at, err := findRevision(t.Context(), t.TempDir(), "1795000000")
	if err != nil {
		t.Fatal(err)
	}
	files := newTree(at.time)
	files.add("b/y.exe", []byte("Y"), 0o755)
	files.add("b/a/x", []byte("X"), 0o644)
	var first, second bytes.Buffer
	if err := errors.Join(files.zip(&first), files.zip(&second)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of the same files differ")
	}
	checkZip(t, first.Bytes(), []string{"b/ 0755", "b/a/ 0755", "b/a/x 0644 X", "b/y.exe 0755 Y"})
}

// checkZip compares a zip archive with "name mode text" of each entry.
func checkZip(t *testing.T, archive []byte, want []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		if f.Modified.Unix() != 1795000000 {
			t.Errorf("%s has the time %s", f.Name, f.Modified)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %04o %s", f.Name, f.Mode().Perm(), text)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the entries are %q, want %q", got, want)
	}
}
