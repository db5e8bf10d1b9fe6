package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// revision is the commit that a release is made from.
type revision struct {
	commit string    // the full hash; empty without git
	time   time.Time // of the commit, in UTC: the time of everything in the release
}

// day returns the date of the revision, such as 2026-11-26.
func (r revision) day() string { return r.time.Format(time.DateOnly) }

// findRevision reads the commit and its time from git. epoch, the value of SOURCE_DATE_EPOCH,
// replaces the time, and is required outside a git checkout
// (https://reproducible-builds.org/specs/source-date-epoch/).
func findRevision(ctx context.Context, root, epoch string) (revision, error) {
	var r revision
	out, err := command(ctx, root, nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil && epoch == "" {
		return r, fmt.Errorf("cannot read the time of the commit from git: %w\nOutside a git checkout, set "+
			"SOURCE_DATE_EPOCH to the time of the release in seconds since 1970", err)
	}
	if err == nil {
		hash, seconds, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		r.commit = hash
		if epoch == "" {
			epoch = seconds
		}
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	// Archives cannot hold a time before 1980 (zip).
	if err != nil || seconds < 315532800 || seconds > 4102444800 {
		return r, fmt.Errorf("the time %q is not allowed: it must be in seconds since 1970, and between the years "+
			"1980 and 2100", epoch)
	}
	r.time = time.Unix(seconds, 0).UTC()
	return r, nil
}

var (
	// versionPattern matches texts that may be part of a file name, of a tag of an image and of a
	// flag of the linker.
	versionPattern = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$`)
	// tagPattern matches versions that are tags, with or without "v". It does not match the name
	// that git describe gives a commit between two tags, such as v1.0.0-3-g25ed458.
	tagPattern = regexp.MustCompile(`^v?(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?)$`)
	// headingPattern matches the headings of versions in the changelog.
	headingPattern = regexp.MustCompile(`(?m)^## (.*)$`)
)

func checkVersion(version string) error {
	if !versionPattern.MatchString(version) {
		return fmt.Errorf("the version %q is not allowed: begin with a letter or digit, and then use letters, "+
			"digits, dots, hyphens and underscores, as in v1.0.0", version)
	}
	return nil
}

// checkChangelog returns an error if a version is a tag that the changelog does not describe.
func checkChangelog(changelog, version string) error {
	tag := tagPattern.FindStringSubmatch(version)
	if tag == nil {
		return nil
	}
	headings := headingPattern.FindAllStringSubmatchIndex(changelog, -1)
	for i, h := range headings {
		number, day, _ := strings.Cut(changelog[h[2]:h[3]], " - ")
		if number != tag[1] {
			continue
		}
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return fmt.Errorf("CHANGELOG.md: the heading of %s has no day: write `## %s - 2026-11-26`, with the day "+
				"of the release", number, number)
		}
		end := len(changelog)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		if strings.TrimSpace(changelog[h[1]:end]) == "" {
			return fmt.Errorf("CHANGELOG.md: there is nothing below the heading of %s: say what has changed", number)
		}
		return nil
	}
	return fmt.Errorf("CHANGELOG.md has no heading for %s: write `## %s - ` with the day of the release right below "+
		"`## Unreleased`, so that the changes belong to the release", version, tag[1])
}

// command runs a program in a folder, with more environment variables, and returns its standard
// output. The error includes its standard error.
func command(ctx context.Context, folder string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = folder
	c.Env = append(os.Environ(), env...)
	out, err := c.Output()
	if err != nil {
		said := ""
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			said = "\n" + strings.TrimSpace(string(exit.Stderr))
		}
		return nil, fmt.Errorf("%s %s: %w%s", name, strings.Join(args, " "), err, said)
	}
	return out, nil
}
