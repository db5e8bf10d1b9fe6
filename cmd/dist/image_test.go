package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
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

// blob returns what a descriptor names, and checks its size and digest.
func (a archive) blob(t *testing.T, d descriptor) []byte {
	t.Helper()
	text := a[d.path()].text
	sum := sha256.Sum256(text)
	if d.Digest != "sha256:"+hex.EncodeToString(sum[:]) || d.Size != int64(len(text)) || d.Size == 0 {
		t.Fatalf("%s has %d bytes with the digest %x, want %+v", d.path(), len(text), sum, d)
	}
	return text
}

// image is one platform of an image.
type image struct {
	config imageConfig
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
	layout := readTar(t, f)
	var version map[string]string
	decode(t, layout["oci-layout"].text, &version)
	if version["imageLayoutVersion"] != "1.0.0" {
		t.Errorf("oci-layout is %v", version)
	}
	var top, index imageIndex
	decode(t, layout["index.json"].text, &top)
	if len(top.Manifests) != 1 || top.Manifests[0].MediaType != typeIndex || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "localhost/catalog:"+testVersion {
		t.Fatalf("index.json is %+v", top)
	}
	seen := map[string]bool{"oci-layout": true, "index.json": true, "manifest.json": true, "blobs/": true, "blobs/sha256/": true}
	follow := func(d descriptor) []byte {
		seen[d.path()] = true
		return layout.blob(t, d)
	}
	decode(t, follow(top.Manifests[0]), &index)
	images := map[string]image{}
	var docker []dockerImage
	for i, d := range index.Manifests {
		var manifest imageManifest
		var one image
		decode(t, follow(d), &manifest)
		decode(t, follow(manifest.Config), &one.config)
		if d.MediaType != typeManifest || manifest.Config.MediaType != typeConfig || len(manifest.Layers) != 1 || manifest.Layers[0].MediaType != typeLayer {
			t.Fatalf("the manifest of %+v is %+v", d, manifest)
		}
		if d.Platform.OS != one.config.OS || d.Platform.Architecture != one.config.Architecture {
			t.Errorf("%+v has the configuration of %s/%s", d, one.config.OS, one.config.Architecture)
		}
		z, err := gzip.NewReader(bytes.NewReader(follow(manifest.Layers[0])))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(plain); !slices.Equal(one.config.RootFS.DiffIDs, []string{"sha256:" + hex.EncodeToString(sum[:])}) {
			t.Errorf("the layer is %x, but the configuration names %q", sum, one.config.RootFS.DiffIDs)
		}
		one.files = readTar(t, bytes.NewReader(plain))
		images[d.Platform.OS+"/"+d.Platform.Architecture] = one
		if i == 0 {
			docker = []dockerImage{{manifest.Config.path(), []string{"localhost/catalog:" + testVersion}, []string{manifest.Layers[0].path()}}}
		}
	}
	var got []dockerImage
	decode(t, layout["manifest.json"].text, &got)
	if len(got) != 1 || got[0].Config != docker[0].Config || !slices.Equal(got[0].RepoTags, docker[0].RepoTags) || !slices.Equal(got[0].Layers, docker[0].Layers) {
		t.Errorf("manifest.json is %+v, want %+v", got, docker)
	}
	for name := range layout {
		if !seen[name] {
			t.Errorf("nothing leads to %s", name)
		}
	}
	return images
}

// smallImage writes an image whose programs are short texts.
func smallImage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	programs := map[platform]string{}
	for _, p := range linux {
		programs[p] = filepath.Join(dir, p.arch)
		writeFile(t, programs[p], []byte("program for "+p.arch))
	}
	b := build{options: testOptions(t, released{out: dir}, platforms)}
	b.platforms = linux
	var err error
	if b.revision, err = findRevision(t.Context(), dir, b.epoch); err != nil {
		t.Fatal(err)
	}
	b.revision.commit = "0123456789012345678901234567890123456789"
	if err := b.writeImage(dir, programs, []file{{name: "LICENSE", text: []byte("L")}, {name: notices, text: []byte("N")}, {name: "README.md"}}); err != nil {
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
		c := one.config.Config
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
	files := []file{{name: "b/y.exe", text: []byte("Y"), mode: 0o755}, {name: "b/a/x", text: []byte("X")}}
	var first, second bytes.Buffer
	if err := errors.Join(writeZip(&first, files, at.time), writeZip(&second, files, at.time)); err != nil {
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
