package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

const (
	userID     = 65532 // "nonroot" of other images without a shell
	programAt  = "usr/local/bin/catalog"
	rootsAt    = "etc/ssl/certs/ca-certificates.crt"
	documentAt = "usr/share/doc/catalog/"
)

// writeImage writes an image for all Linux platforms as a tar archive. It is an OCI image
// layout. Its index.json names one image index, as Podman, Skopeo, containerd and crane
// expect for several platforms. Its manifest.json names the first platform, for versions of
// Docker without the image store of containerd.
func (b *build) writeImage(out string, documents map[string][]byte) error {
	var index v1.ImageIndex = empty.Index
	var docker tarball.Manifest
	// Docker would add its own registry to a name without a host.
	name := "localhost/catalog:" + b.version
	for _, p := range b.platforms {
		if p.os != "linux" {
			continue
		}
		image, err := b.platformImage(p, documents)
		if err != nil {
			return fmt.Errorf("image for %s: %w", p, err)
		}
		one := v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: one})
		if docker == nil {
			manifest, err := image.Manifest()
			if err != nil {
				return err
			}
			blob := func(d v1.Descriptor) string { return "blobs/sha256/" + d.Digest.Hex }
			layers := []string{blob(manifest.Layers[0])}
			docker = tarball.Manifest{{Config: blob(manifest.Config), RepoTags: []string{name}, Layers: layers}}
		}
	}
	index = mutate.Annotations(index, b.labels()).(v1.ImageIndex)
	folder, err := layout.Write(filepath.Join(b.work, "image"), empty.Index)
	if err != nil {
		return err
	}
	names := map[string]string{"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name}
	if err := folder.AppendIndex(index, layout.WithAnnotations(names)); err != nil {
		return err
	}
	files := newTree(b.revision.time)
	if err := files.addFolder(string(folder)); err != nil {
		return err
	}
	text, err := json.Marshal(docker)
	if err != nil {
		return err
	}
	files.add("manifest.json", text, 0o644)
	return create(filepath.Join(out, b.name("_oci.tar")), files.tar)
}

// platformImage returns the image for a platform.
func (b *build) platformImage(p platform, documents map[string][]byte) (v1.Image, error) {
	files, err := b.rootFiles(p, documents)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	if err := files.tarGzip(&packed); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: b.revision.time}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		Created: created, Architecture: p.arch, OS: p.os,
		Config: v1.Config{
			User:         fmt.Sprintf("%d:%[1]d", userID),
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			Env:          []string{"PATH=/usr/local/bin", "SSL_CERT_FILE=/" + rootsAt},
			Entrypoint:   []string{"/" + programAt},
			Cmd:          []string{"serve", "--addr", ":8080", "--public", "/public"},
			WorkingDir:   "/",
			Labels:       b.labels(),
		},
		RootFS: v1.RootFS{Type: "layers"},
	}); err != nil {
		return nil, err
	}
	history := v1.History{Created: created, CreatedBy: "cmd/dist"}
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: history})
	if err != nil {
		return nil, err
	}
	return mutate.Annotations(image, b.labels()).(v1.Image), nil
}

// labels returns annotations that the OCI image specification defines.
func (b *build) labels() map[string]string {
	labels := map[string]string{
		"org.opencontainers.image.created":  b.revision.time.Format(time.RFC3339),
		"org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.title":    "catalog",
		"org.opencontainers.image.version":  b.version,
	}
	if b.revision.commit != "" {
		labels["org.opencontainers.image.revision"] = b.revision.commit
	}
	if b.source != "" {
		labels["org.opencontainers.image.source"] = b.source
	}
	return labels
}

// rootFiles returns the files of the image: the program, CA certificates, a user, the
// licences, and folders for temporary files, for the site and for the builds of an origin.
func (b *build) rootFiles(p platform, documents map[string][]byte) (tree, error) {
	files := newTree(b.revision.time)
	text, err := os.ReadFile(b.program(p))
	if err != nil {
		return files, err
	}
	roots, err := certificates()
	if err != nil {
		return files, err
	}
	files.add(programAt, text, 0o755)
	files.add(rootsAt, roots, 0o644)
	users := "root:x:0:0:root:/:/sbin/nologin\ncatalog:x:%d:%[1]d:catalog:/:/sbin/nologin\n"
	files.add("etc/passwd", fmt.Appendf(nil, users, userID), 0o644)
	files.add("etc/group", fmt.Appendf(nil, "root:x:0:\ncatalog:x:%d:\n", userID), 0o644)
	files.add("tmp", nil, fs.ModeDir|fs.ModeSticky|0o777)
	files.add("public", nil, fs.ModeDir|0o755)
	files.add("var/cache/catalog", nil, fs.ModeDir|0o700) // for serve --cache
	files.MapFS["var/cache/catalog"].Sys = &tar.Header{Uid: userID, Gid: userID}
	for _, name := range []string{"LICENSE", notices} {
		files.add(documentAt+name, documents[name], 0o644)
	}
	return files, nil
}

// certificates returns Mozilla's CA certificates as PEM. go.sum pins them, so that they
// do not depend on the computer that makes the release. Those that Mozilla trusts with a
// constraint are left out, because PEM cannot express the constraint.
func certificates() ([]byte, error) {
	var w bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&w, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	return w.Bytes(), nil
}
