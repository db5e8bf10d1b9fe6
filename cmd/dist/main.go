// Command dist writes the files of a release into a folder: for each of Linux, macOS and
// Windows on amd64 and arm64, an archive with the program, shell completions, manual pages
// and the licences of all linked code; an OCI image for Linux; a CycloneDX SBOM; and checksums.
//
//	bin/dist -version v1.0.0 -out dist
//
// It runs in the root of the repository, after `make engine`; `make dist` does both. The
// same commit, version and Go release give the same bytes: times are those of the commit.
//
// It is a module of its own, so that the main go.mod does not require what only releases need.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "dist:", err)
		}
		stop()
		os.Exit(1)
	}
}

// run executes a command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o := options{root: ".", platforms: platforms, epoch: os.Getenv("SOURCE_DATE_EPOCH"), log: stdout}
	flags := flag.NewFlagSet("dist", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.version, "version", "",
		"the `version` of the release; if it is that of a tag, such as v1.0.0, CHANGELOG.md must have a heading for it")
	flags.StringVar(&o.out, "out", "dist", "the `folder` to write")
	flags.StringVar(&o.source, "source", "", "the `address` of the repository, for the labels of the image")
	flags.Func("platform", "release only for this `platform`, such as linux/amd64", func(name string) error {
		at := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if at < 0 {
			return fmt.Errorf("the platforms are %v", platforms)
		}
		o.platforms = platforms[at : at+1]
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: this program takes only flags", flags.Arg(0))
	}
	return release(ctx, o)
}

// options say what is released.
type options struct {
	root      string // the folder of the repository
	version   string // such as v1.0.0
	out       string // the folder that is written
	source    string // the address of the repository, or empty
	epoch     string // the time in seconds since 1970, or empty for that of the commit
	platforms []platform
	log       io.Writer
}

// release checks the options, and then writes the files of a release into a new folder beside
// the output folder. Once it is complete, the new folder replaces the output folder.
func release(ctx context.Context, o options) (err error) {
	if err := checkVersion(o.version); err != nil {
		return err
	}
	changelog, err := os.ReadFile(filepath.Join(o.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if err := checkChangelog(string(changelog), o.version); err != nil {
		return err
	}
	if err := checkReplaceable(o.out); err != nil {
		return err
	}
	from, err := findRevision(ctx, o.root, o.epoch)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(o.root, "generator", "engine", "search.wasm.lzma")); err != nil {
		return errors.New("the search engine for browsers is not compiled: run `make dist`, or `make engine` first")
	}

	out, err := filepath.Abs(o.out)
	if err != nil {
		return err
	}
	staging, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+"-")
	if err != nil {
		return fmt.Errorf("make a folder for the release: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staging)) }()
	work, files := filepath.Join(staging, "work"), filepath.Join(staging, "files")
	if err := errors.Join(os.Mkdir(work, 0o755), os.Mkdir(files, 0o755)); err != nil {
		return err
	}

	b := build{options: o, revision: from, work: work}
	if err := b.write(ctx, files); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return replace(out, files, filepath.Join(staging, "old"))
}

// build is a release in progress.
type build struct {
	options
	revision revision
	work     string // a folder for files that are not released
}

// write writes all files of the release into a folder.
func (b *build) write(ctx context.Context, folder string) error {
	b.say("Compiling for %d platforms", len(b.platforms))
	if err := b.compile(ctx); err != nil {
		return err
	}
	b.say("Reading the licences of all linked modules")
	components, err := b.components(ctx)
	if err != nil {
		return err
	}
	b.say("Writing completions and manual pages")
	documents, err := b.documents(ctx, components)
	if err != nil {
		return err
	}
	b.say("Writing archives, image, SBOM and checksums")
	for _, p := range b.platforms {
		if err := b.writeArchive(folder, p, documents); err != nil {
			return err
		}
	}
	if err := b.writeImage(folder, documents); err != nil {
		return err
	}
	if err := b.writeSBOM(folder, components); err != nil {
		return err
	}
	return writeChecksums(folder)
}

// say prints the next step.
func (b *build) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.log, format+"\n", args...)
}

// name returns the name of a file of the release, such as catalog_v1.0.0_linux_amd64.tar.gz.
func (b *build) name(rest string) string { return "catalog_" + b.version + rest }

// checkReplaceable returns an error if the output folder has files, but no release wrote it.
func checkReplaceable(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(out, checksums)); err != nil {
		return fmt.Errorf("%s has no %s, so `make dist` did not write it: move it away, or choose another folder with "+
			"-out", out, checksums)
	}
	return nil
}

// replace moves the folder out to old, and the folder files to out.
func replace(out, files, old string) error {
	if err := os.Rename(out, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(files, out); err != nil {
		return errors.Join(err, os.Rename(old, out))
	}
	return nil
}
