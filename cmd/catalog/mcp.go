package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"catalog.example/api/server"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/snapshot"
	"github.com/spf13/cobra"
)

func newMCP(env environment) *cobra.Command {
	var flags mcpFlags
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve tools for agents (MCP) on standard input and output",
		Long: `Serves the Model Context Protocol on standard input and output: tools that search
and read listings, the Markdown of listings as resources, and the prompt shortlist. An
MCP client starts this command, and ends it by closing its input. Answers come from a
build on this computer, without a rate limit. Log lines go to standard error.

The build is a folder, --public, or comes from --from: an archive of 'catalog pack', or
the address of the manifest of an origin, as for 'catalog serve --from'. The last build
of an origin is kept, so that the tools also answer without network; clients that run
at the same time keep one each. A new build in a folder is served as soon as it is
there, one of an origin after --poll. 'catalog pack --for-agents' makes small archives.
Of a catalogue in several languages, the main one is served; of a folder, --public may
be that of another, such as public/de. Small archives have only the main one.

'catalog serve' serves the same over HTTP, at /mcp.`,
		Example: `  catalog mcp --public /srv/catalog/public
  catalog mcp --from https://builds.example/catalog.manifest.json
  catalog mcp --from catalog-0123456789abcdef0123456789abcdef.tar.zst`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return flags.serve(c, env) },
	}
	f := c.Flags()
	f.StringVar(&flags.public, "public", "public", "folder of the build output")
	flags.origin.add(f, "archive of catalog pack, or `URL` of the manifest of an origin, whose builds are served"+
		" instead of --public (default: none)",
		"folder for the builds of an origin; each process needs its own (default: one in the user's cache)", "",
		time.Hour)
	f.StringVar(&flags.logLevel, "log-level", "info", logLevelUsage)
	f.StringVar(&flags.logFormat, "log-format", "text", logFormatUsage)
	return c
}

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	origin                      originFlags
	public, logLevel, logFormat string
}

// serve checks the flags, opens the build, and serves.
func (m *mcpFlags) serve(c *cobra.Command, env environment) error {
	logger, err := parseLogger(c, env.stderr, m.logFormat, m.logLevel)
	if err != nil {
		return err
	}
	o := server.Options{Logger: logger, Version: version}
	builds := buildsOf(env, m.public, logger)
	var watch watcher
	if strings.HasSuffix(m.origin.from, artifact.Extension) && !strings.Contains(m.origin.from, "://") {
		folder, openErr := m.openArchive(c, builds, &o)
		if openErr != nil {
			return openErr
		}
		defer func() { _ = os.RemoveAll(folder) }() // the system removes temporary folders, too
		watch = func(context.Context, <-chan os.Signal) {}
	} else if watch, err = m.openBuilds(c, builds, &o); err != nil {
		return err
	}
	s, err := server.New(o)
	if err != nil {
		return err
	}
	return serveMCP(c.Context(), env, s, watch)
}

// openArchive unpacks an archive into a temporary folder, which it returns, and opens it.
func (m *mcpFlags) openArchive(
	c *cobra.Command, builds snapshot.Options, o *server.Options,
) (folder string, err error) {
	for _, name := range []string{"public", "verify-key", "verify-key-file", "cache", "poll", "allow-rollback"} {
		if c.Flags().Changed(name) {
			return "", usageErrorf(c, "--%s does not go with an archive in --from", name)
		}
	}
	if folder, err = os.MkdirTemp("", "catalog-mcp-"); err != nil {
		return "", err
	}
	builds.ForAgents = true
	if builds.Build, err = artifact.OpenArchive(c.Context(), m.origin.from, folder); err == nil {
		_, err = openFolder(builds, o)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("--from: %w", err), os.RemoveAll(folder))
	}
	return folder, nil
}

const (
	// answerSoon is how long a start waits for the origin if the cache has a build. Clients give a
	// server half a minute or less to start.
	answerSoon = 3 * time.Second
	// maxProcesses bounds how many processes of a user follow one origin, each with its own cache.
	maxProcesses = 32
)

// openBuilds opens the builds of --from or --public.
func (m *mcpFlags) openBuilds(c *cobra.Command, builds snapshot.Options, o *server.Options) (watcher, error) {
	if m.origin.from != "" && !strings.Contains(m.origin.from, "://") {
		return nil, usageErrorf(c, "--from: %s is neither an archive of catalog pack, whose name ends with %s, nor "+
			"the address of a manifest, such as https://origin.example/%s", m.origin.from, artifact.Extension,
			artifact.ManifestName)
	}
	follow, err := m.origin.parse(c)
	if err != nil {
		return nil, err
	}
	if follow == nil {
		return openFolder(builds, o)
	}
	builds.ForAgents, follow.StartTimeout = true, answerSoon
	if follow.Cache != "" {
		return openOrigin(c.Context(), builds, follow, o)
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("%w; choose a folder with --cache", err)
	}
	sum := sha256.Sum256([]byte(m.origin.from))
	folder = filepath.Join(folder, "catalog", hex.EncodeToString(sum[:8]))
	for n := 1; ; n++ { // several clients may run at the same time
		follow.Cache = filepath.Join(folder, strconv.Itoa(n))
		watch, err := openOrigin(c.Context(), builds, follow, o)
		if !errors.Is(err, artifact.ErrCacheInUse) || n == maxProcesses {
			return watch, err
		}
	}
}

// serveMCP serves the client until it closes standard input or sends a signal.
// Clients end their servers in both ways, so neither is an error.
func serveMCP(ctx context.Context, env environment, s *server.Server, watch watcher) error {
	defer watchBuilds(ctx, watch)()
	err := s.RunMCP(ctx, env.stdin, nopCloser{env.stdout})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// nopCloser adds a Close method that does nothing to a writer.
type nopCloser struct{ io.Writer }

// Close does nothing.
func (nopCloser) Close() error { return nil }
