package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// Media types of the OCI image specification 1.1.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// The parts of the OCI image specification that the image has.
type (
	descriptor struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int64             `json:"size"`
		Platform    *imagePlatform    `json:"platform,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	imagePlatform struct {
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
	}
	imageIndex struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     string            `json:"mediaType"`
		Manifests     []descriptor      `json:"manifests"`
		Annotations   map[string]string `json:"annotations,omitempty"`
	}
	imageManifest struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     string            `json:"mediaType"`
		Config        descriptor        `json:"config"`
		Layers        []descriptor      `json:"layers"`
		Annotations   map[string]string `json:"annotations,omitempty"`
	}
	imageConfig struct {
		Created      string       `json:"created"`
		Architecture string       `json:"architecture"`
		OS           string       `json:"os"`
		Config       runConfig    `json:"config"`
		RootFS       rootFS       `json:"rootfs"`
		History      []imageEvent `json:"history"`
	}
	runConfig struct {
		User         string
		ExposedPorts map[string]struct{}
		Env          []string
		Entrypoint   []string
		Cmd          []string
		WorkingDir   string
		Labels       map[string]string
	}
	rootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	}
	imageEvent struct {
		Created   string `json:"created"`
		CreatedBy string `json:"created_by"`
	}
	// dockerImage is an entry of manifest.json, by which versions of Docker before its
	// image store was that of containerd load an image.
	dockerImage struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
)

const (
	userID     = 65532 // "nonroot" of other images without a shell
	programAt  = "usr/local/bin/catalog"
	rootsAt    = "etc/ssl/certs/ca-certificates.crt"
	documentAt = "usr/share/doc/catalog/"
)

// layout is an OCI image layout while it is made: files of a tar archive.
type layout []file

// add adds a blob and returns its descriptor.
func (l *layout) add(mediaType string, blob []byte) descriptor {
	sum := sha256.Sum256(blob)
	digest := hex.EncodeToString(sum[:])
	*l = append(*l, file{name: "blobs/sha256/" + digest, text: blob})
	return descriptor{MediaType: mediaType, Digest: "sha256:" + digest, Size: int64(len(blob))}
}

// addJSON adds a value as JSON.
func (l *layout) addJSON(mediaType string, value any) (descriptor, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return descriptor{}, err
	}
	return l.add(mediaType, text), nil
}

// path returns the file of a blob.
func (d descriptor) path() string { return "blobs/sha256/" + d.Digest[len("sha256:"):] }

// writeImage writes an image for all Linux platforms as a tar archive. It is an OCI image
// layout, whose index.json names one image index, which is what Podman, Skopeo, containerd
// and crane expect of several platforms. manifest.json beside it names the first platform
// for old versions of Docker.
func (b *build) writeImage(out string, programs map[platform]string, own []file) error {
	var l layout
	index := imageIndex{SchemaVersion: 2, MediaType: typeIndex, Annotations: b.labels()}
	var docker []dockerImage
	// A host name keeps Docker from completing the name to one of its own registry.
	name := "localhost/catalog:" + b.version
	for _, p := range b.platforms {
		if p.os != "linux" {
			continue
		}
		manifest, err := b.addPlatform(&l, p, programs[p], own)
		if err != nil {
			return fmt.Errorf("image for %s: %w", p, err)
		}
		d, err := l.addJSON(typeManifest, manifest)
		if err != nil {
			return err
		}
		d.Platform = &imagePlatform{p.arch, p.os}
		index.Manifests = append(index.Manifests, d)
		if docker == nil {
			docker = []dockerImage{{manifest.Config.path(), []string{name}, []string{manifest.Layers[0].path()}}}
		}
	}
	if docker == nil {
		return nil // nothing for Linux is released
	}
	d, err := l.addJSON(typeIndex, index)
	if err != nil {
		return err
	}
	d.Annotations = map[string]string{"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name}
	for _, top := range []struct {
		name  string
		value any
	}{
		{"oci-layout", map[string]string{"imageLayoutVersion": "1.0.0"}},
		{"index.json", imageIndex{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{d}}},
		{"manifest.json", docker},
	} {
		text, err := json.Marshal(top.value)
		if err != nil {
			return err
		}
		l = append(l, file{name: top.name, text: text})
	}
	return create(filepath.Join(out, b.name("_oci.tar")), func(w io.Writer) error { return writeTar(w, l, b.revision.time) })
}

// addPlatform adds the layer and the configuration of a platform, and returns its manifest.
func (b *build) addPlatform(l *layout, p platform, program string, own []file) (imageManifest, error) {
	files, err := rootFiles(program, own)
	if err != nil {
		return imageManifest{}, err
	}
	var packed bytes.Buffer
	plain := sha256.New()
	if err := compress(&packed, func(w io.Writer) error {
		return writeTar(io.MultiWriter(w, plain), files, b.revision.time)
	}); err != nil {
		return imageManifest{}, err
	}
	created := b.revision.time.Format(time.RFC3339)
	config, err := l.addJSON(typeConfig, imageConfig{
		Created: created, Architecture: p.arch, OS: p.os,
		Config: runConfig{
			User:         fmt.Sprintf("%d:%[1]d", userID),
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			Env:          []string{"PATH=/usr/local/bin", "SSL_CERT_FILE=/" + rootsAt},
			Entrypoint:   []string{"/" + programAt},
			Cmd:          []string{"serve", "--addr", ":8080", "--public", "/public"},
			WorkingDir:   "/",
			Labels:       b.labels(),
		},
		RootFS:  rootFS{"layers", []string{"sha256:" + hex.EncodeToString(plain.Sum(nil))}},
		History: []imageEvent{{created, "cmd/dist"}},
	})
	if err != nil {
		return imageManifest{}, err
	}
	return imageManifest{
		SchemaVersion: 2, MediaType: typeManifest, Config: config,
		Layers:      []descriptor{l.add(typeLayer, packed.Bytes())},
		Annotations: b.labels(),
	}, nil
}

// labels are the annotations that the OCI image specification defines.
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

// rootFiles returns the files of the image: the program, CA certificates, one user, the
// licences, and folders for temporary files, for the site and for builds of an origin.
func rootFiles(program string, own []file) ([]file, error) {
	roots, err := certificates()
	if err != nil {
		return nil, err
	}
	files := []file{
		{name: programAt, from: program, mode: 0o755},
		{name: rootsAt, text: roots},
		{name: "etc/passwd", text: fmt.Appendf(nil, "root:x:0:0:root:/:/sbin/nologin\ncatalog:x:%d:%[1]d:catalog:/:/sbin/nologin\n", userID)},
		{name: "etc/group", text: fmt.Appendf(nil, "root:x:0:\ncatalog:x:%d:\n", userID)},
		{name: "tmp/", mode: os.ModeSticky | 0o777},
		{name: "public/"},
		{name: "var/cache/catalog/", mode: 0o700, id: userID}, // for serve --cache
	}
	for _, f := range own {
		if f.name == "LICENSE" || f.name == notices {
			f.name = documentAt + f.name
			files = append(files, f)
		}
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
