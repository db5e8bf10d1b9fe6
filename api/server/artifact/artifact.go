// Package artifact publishes builds as archives, and keeps a server up to date with them.
//
// [Pack] writes a build output folder as an archive, and a [BuildManifest] next to it. Both are
// uploaded to an origin, which can be any file host. A [Follower] requests the manifest from the
// origin, downloads the archive, verifies it, unpacks it into a cache folder and hands that to the
// server. It keeps the last build that was served, so that a server can start without the origin.
//
//	artifact.go     the manifest and its signature
//	pack.go         from a folder to an archive, and the version of a folder
//	unpack.go       from an archive to a folder, within limits
//	origin.go       requests to the origin
//	build_cache.go  the folder that keeps builds and downloads
//	follow.go       when a build is requested, refused and served
package artifact

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// ManifestName is the file name of the manifest.
const ManifestName = "catalog.manifest.json"

const (
	// maxManifest is the size of the largest manifest that is read, in bytes. Usually, one has
	// about 400.
	maxManifest = 16 << 10
	// maxArchive is the size of the largest archive, in bytes. One with 100,000 listings is a tenth
	// of that.
	maxArchive = 8 << 30
)

// BuildManifest describes a published build.
type BuildManifest struct {
	// Version is a hash of the paths and contents of all files, in 32 hexadecimal digits.
	Version string `json:"version"`
	// Archive is the file name of the archive, catalog-<version>.tar.zst, which is next to the
	// manifest.
	Archive string `json:"archive"`
	// Size is the size of the archive in bytes.
	Size int64 `json:"size"`
	// SHA256 is the hash of the archive, in hexadecimal digits.
	SHA256 string `json:"sha256"`
	// Created is when the build was packed (RFC 3339).
	Created string `json:"created"`
	// Signature is the Ed25519 signature of all other fields, in base64, or "".
	Signature string `json:"signature,omitempty"`
}

var (
	versionForm = regexp.MustCompile(`^[0-9a-f]{32}$`)
	hashForm    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Extension ends the names of archives.
const Extension = ".tar.zst"

func archiveName(version string) string { return "catalog-" + version + Extension }

// versionIn returns the version in the name of an archive, and whether Pack gives such names.
func versionIn(name string) (version string, ok bool) {
	version = strings.TrimSuffix(strings.TrimPrefix(name, "catalog-"), Extension)
	return version, versionForm.MatchString(version) && archiveName(version) == name
}

// ParseManifest parses a manifest from JSON. The error names all fields that are wrong. The
// signature is not checked.
func ParseManifest(text []byte) (*BuildManifest, error) {
	var m BuildManifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("the manifest is not the JSON object that catalog pack writes: %w", err)
	}
	var wrong []string
	check := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	check(versionForm.MatchString(m.Version), "version %q is not 32 hexadecimal digits", m.Version)
	check(m.Archive == archiveName(m.Version), "archive %q is not catalog-<version>.tar.zst", m.Archive)
	check(m.Size > 0 && m.Size <= maxArchive, "size %d is not from 1 to %d", m.Size, int64(maxArchive))
	check(hashForm.MatchString(m.SHA256), "sha256 %q is not 64 hexadecimal digits", m.SHA256)
	_, err := time.Parse(time.RFC3339Nano, m.Created)
	isTime := err == nil && !strings.ContainsAny(m.Created, "\r\n")
	check(isTime, "created %q is not an RFC 3339 time", m.Created)
	if len(wrong) > 0 {
		return nil, fmt.Errorf("the manifest is wrong: %s", strings.Join(wrong, "; "))
	}
	return &m, nil
}

// CreatedTime returns Created as a time. It is zero if Created is not a time.
func (m *BuildManifest) CreatedTime() time.Time {
	t, _ := time.Parse(time.RFC3339Nano, m.Created)
	return t
}

// message returns the text that is signed.
func (m *BuildManifest) message() []byte {
	return fmt.Appendf(nil, "catalog-manifest-v1\n%s\n%s\n%d\n%s\n%s\n",
		m.Version, m.Archive, m.Size, m.SHA256, m.Created)
}

// Sign sets the signature.
func (m *BuildManifest) Sign(key ed25519.PrivateKey) {
	m.Signature = base64.StdEncoding.EncodeToString(ed25519.Sign(key, m.message()))
}

// Verify returns an error unless one of the keys made the signature. Without keys, every
// manifest is accepted.
func (m *BuildManifest) Verify(keys []ed25519.PublicKey) error {
	if len(keys) == 0 {
		return nil
	}
	if m.Signature == "" {
		return errors.New("the manifest has no signature, and --verify-key requires one: pack with --sign-key")
	}
	signature, err := base64.StdEncoding.DecodeString(m.Signature)
	if err != nil || len(signature) != ed25519.SignatureSize {
		return errors.New("the signature of the manifest is not an Ed25519 signature in base64")
	}
	for _, key := range keys {
		if ed25519.Verify(key, m.message(), signature) {
			return nil
		}
	}
	return errors.New("the signature of the manifest does not match --verify-key:" +
		" the manifest was changed, or signed with another key")
}

// encode returns the text of the manifest's file.
func (m *BuildManifest) encode() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// privateKeyType is the type of the PEM block of a private key (RFC 7468, section 10).
const privateKeyType = "PRIVATE KEY"

// FormatPrivateKey returns a private key as PKCS #8 in PEM (RFC 8410), which openssl can also read.
func FormatPrivateKey(key ed25519.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateKeyType, Bytes: der}), nil
}

// ParsePrivateKey parses what FormatPrivateKey returns. The error does not quote the text.
func ParsePrivateKey(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != privateKeyType {
		return nil, errors.New("this is not a private key in PEM: make one with catalog keygen")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the private key cannot be read: %w", err)
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("the private key is not an Ed25519 key: make one with catalog keygen")
	}
	return private, nil
}

// PublicKeyOf returns the public key of a private one.
func PublicKeyOf(key ed25519.PrivateKey) ed25519.PublicKey {
	public, _ := key.Public().(ed25519.PublicKey) // it always has this type
	return public
}

// FormatPublicKey returns the 32 bytes of a public key in base64.
func FormatPublicKey(key ed25519.PublicKey) string { return base64.StdEncoding.EncodeToString(key) }

// ParsePublicKeys parses public keys as FormatPublicKey returns them, separated by commas. With two
// keys, the signing key can be replaced without a gap.
func ParsePublicKeys(list string) (keys []ed25519.PublicKey, err error) {
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		key, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(key) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("%q is not a public key as catalog keygen prints it: 32 bytes in base64", text)
		}
		keys = append(keys, key)
	}
	return keys, nil
}
