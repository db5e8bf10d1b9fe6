package main

import (
	"context"
	"errors"
	"io"

	"catalog.example/api/server"
	"github.com/spf13/cobra"
)

func newMCP(env environment) *cobra.Command {
	var public, logLevel, logFormat string
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve tools for agents (MCP) on standard input and output",
		Long: `Serves the Model Context Protocol on standard input and output: the tools
search_catalog and get_project, the Markdown of listings as resources, and the
prompt shortlist. An MCP client starts this command, and ends it by closing its
input. Answers come from the build output, without network and without a rate limit.
A new build is served as soon as it is in place. Log lines go to standard error.

'catalog serve' serves the same over HTTP, at /mcp.`,
		Example: `  catalog mcp --public /srv/catalog/public`,
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			logger, err := parseLogger(c, env.stderr, logFormat, logLevel)
			if err != nil {
				return err
			}
			o := server.Options{Logger: logger, Version: version}
			watch, err := openFolder(buildsOf(env, public, logger), &o)
			if err != nil {
				return err
			}
			s, err := server.New(o)
			if err != nil {
				return err
			}
			return serveMCP(c.Context(), env, s, watch)
		},
	}
	f := c.Flags()
	f.StringVar(&public, "public", "public", "folder of the build output")
	f.StringVar(&logLevel, "log-level", "info", logLevelUsage)
	f.StringVar(&logFormat, "log-format", "text", logFormatUsage)
	return c
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
