package artifact

import (
	"archive/tar"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"catalog.example/api/headers"
	"catalog.example/api/server/indexfile"
	"github.com/klauspost/compress/zstd"
)

// window is how far back an archive refers, in bytes. RFC 8878 recommends that every zstd decoder
// support it (section 3.1.1.1.2).
const window = 8 << 20

// PackOptions configure Pack.
type PackOptions struct {
	// Public is the build output folder.
	Public string
	// Out is the folder for the archive and the manifest. It is made if it is missing.
	Out string
	// Only reports whether to pack a file, by its path; nil packs all.
	Only func(name string) bool
	// Key signs the manifest; nil leaves it unsigned.
	Key ed25519.PrivateKey
	// Now becomes the Created time of the manifest.
	Now time.Time
}

// Pack writes the archive of a build output, and then the manifest. The same files always give the
// same archive, byte for byte. Hidden files, which the server does not serve either, are left out;
// those below .well-known/ are not hidden. If Pack fails, the manifest is not replaced.
func Pack(ctx context.Context, o PackOptions) (*BuildManifest, error) {
	m, err := packFolder(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", o.Public, err)
	}
	return m, nil
}

func packFolder(ctx context.Context, o PackOptions) (*BuildManifest, error) {
	root, err := os.OpenRoot(o.Public)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // opened read-only: a close error is harmless
	// A build that no server can open is not published.
	if _, err := indexfile.Open(o.Public); err != nil {
		return nil, err
	}
	if err := checkOut(o.Public, o.Out); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return nil, err
	}
	if err := checkOlder(o.Out, o.Now); err != nil {
		return nil, err
	}
	names, err := publicFiles(root)
	if err != nil {
		return nil, err
	}
	if o.Only != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return !o.Only(name) })
	}
	temporary, err := os.CreateTemp(o.Out, ".catalog-*.tmp")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // already renamed if all went well
	m, err := writeArchive(ctx, root, names, temporary)
	if err == nil {
		err = temporary.Chmod(0o644)
	}
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return nil, err
	}
	if is := indexfile.Info(o.Public); is == nil || !indexfile.SameFile(indexfile.InfoIn(root), is) {
		return nil, errors.New("a build replaced the folder in the meantime; pack again")
	}
	m.Created = o.Now.UTC().Format(time.RFC3339Nano)
	if o.Key != nil {
		m.Sign(o.Key)
	}
	if err := os.Rename(temporary.Name(), filepath.Join(o.Out, m.Archive)); err != nil {
		return nil, err
	}
	text, err := m.encode()
	if err == nil {
		err = replaceFile(o.Out, ManifestName, text)
	}
	return m, err
}

// checkOut refuses an output folder within the build output, because the next archive would include
// this one.
func checkOut(public, out string) error {
	inside, err := filepath.Abs(public)
	if err == nil {
		out, err = filepath.Abs(out)
	}
	if err != nil {
		return err
	}
	if relative, err := filepath.Rel(inside, out); err == nil && filepath.IsLocal(relative) {
		return fmt.Errorf("the folder for the archive, %s, is in the build output: choose another", out)
	}
	return nil
}

// checkOlder returns an error if the manifest in a folder is newer than now.
func checkOlder(out string, now time.Time) error {
	text, err := os.ReadFile(filepath.Join(out, ManifestName))
	if err != nil {
		return nil // there is no manifest, or writing it will fail
	}
	if m, err := ParseManifest(text); err == nil && m.CreatedTime().After(now) {
		return fmt.Errorf("%s was created at %s, and the clock of this machine says %s: servers would refuse the"+
			" new build as older. Set the clock, or remove the file",
			filepath.Join(out, ManifestName), m.Created, now.UTC().Format(time.RFC3339))
	}
	return nil
}

// writeArchive writes the archive of files of a folder, and returns its manifest without Created.
func writeArchive(ctx context.Context, root *os.Root, names []string, to *os.File) (*BuildManifest, error) {
	content, archive := sha256.New(), sha256.New()
	encoder, err := zstd.NewWriter(io.MultiWriter(to, archive), zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
		zstd.WithWindowSize(window))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writeTar(ctx, root, names, io.MultiWriter(encoder, content)), encoder.Close()); err != nil {
		return nil, err
	}
	info, err := to.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxArchive {
		const format = "the archive has %d bytes, and servers accept at most %d"
		return nil, fmt.Errorf(format, info.Size(), int64(maxArchive))
	}
	version, sum := versionOf(content), hex.EncodeToString(archive.Sum(nil))
	return &BuildManifest{Version: version, Archive: archiveName(version), Size: info.Size(), SHA256: sum}, nil
}

// versionOf returns the version of the files whose tar stream was hashed.
func versionOf(content hash.Hash) string { return hex.EncodeToString(content.Sum(nil)[:16]) }

// VersionOf returns the version of the files in a folder, as Pack would compute it.
func VersionOf(ctx context.Context, folder string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // opened read-only: a close error is harmless
	names, err := publicFiles(root)
	if err != nil {
		return "", err
	}
	content := sha256.New()
	if err := writeTar(ctx, root, names, content); err != nil {
		return "", err
	}
	return versionOf(content), nil
}

// writeTar writes files of a folder as a tar stream. Owners, times and permissions are left out, so
// that the stream depends only on paths and contents.
func writeTar(ctx context.Context, root *os.Root, names []string, to io.Writer) error {
	archive := tar.NewWriter(to)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeEntry(root, name, archive); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return archive.Close()
}

// publicFiles returns the paths of the files that the server serves, sorted. The error names all
// files that cannot be packed.
func publicFiles(root *os.Root) (names []string, err error) {
	var wrong []error
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
		case headers.IsHidden(name):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir():
		case !entry.Type().IsRegular():
			wrong = append(wrong, fmt.Errorf("%s is a link or another special file: an archive has only files", name))
		default:
			if err := checkPath(name); err != nil {
				wrong = append(wrong, err)
			}
			names = append(names, name)
		}
		return nil
	})
	if err = errors.Join(append(wrong, err)...); err != nil {
		return nil, err
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("there are %d files, and servers accept at most %d", len(names), maxFiles)
	}
	return names, nil
}

func writeEntry(root *os.Root, name string, archive *tar.Writer) error {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened read-only: a close error is harmless
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o644, ModTime: time.Unix(0, 0),
	}); err != nil {
		return err
	}
	n, err := io.Copy(archive, file)
	if err == nil && n != info.Size() || errors.Is(err, tar.ErrWriteTooLong) {
		return errors.New("the file changed while it was read; pack again")
	}
	return err
}

// checkPath returns an error for a path that some systems cannot write. For example, a backslash or
// a colon is a separator on some.
func checkPath(name string) error {
	isWrong := func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == ':' }
	if !fs.ValidPath(name) || name == "." || len(name) > maxPath || strings.ContainsFunc(name, isWrong) {
		return fmt.Errorf("%q: a path in an archive may have no control character, no . or .. as a folder, "+
			"no backslash and no colon, and at most %d bytes", name, maxPath)
	}
	return nil
}
