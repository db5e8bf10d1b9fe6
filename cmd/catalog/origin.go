package main

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"strings"
	"time"

	"catalog.example/api/server"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/snapshot"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// originFlags are the flags of serve and mcp for an origin of builds.
type originFlags struct {
	from, keys, keyFile, cache string
	poll                       time.Duration
	allowRollback              bool
}

// maxPoll bounds --poll. Nobody waits longer for a build.
const maxPoll = 24 * time.Hour

// add adds the flags. The texts of --from and --cache, the default of --cache, and the mean time
// between two requests differ by command.
func (o *originFlags) add(f *pflag.FlagSet, from, cache, cacheDefault string, poll time.Duration) {
	f.StringVar(&o.from, "from", "", from)
	f.StringVar(&o.keys, "verify-key", "", "public keys from catalog keygen, joined by commas; a build is served only"+
		" if one of them has signed it (default: none, signatures are not checked)")
	f.StringVar(&o.keyFile, "verify-key-file", "", "file with the value of --verify-key, one key a line, which is read"+
		" again for each manifest (default: none)")
	f.StringVar(&o.cache, "cache", cacheDefault, cache)
	f.DurationVar(&o.poll, "poll", poll, "average time between two requests for the manifest of --from")
	f.BoolVar(&o.allowRollback, "allow-rollback", false,
		"accept a manifest that is older than the one of the build that is served (default false)")
}

// parse checks the flags. It returns nil without --from.
func (o *originFlags) parse(c *cobra.Command) (*artifact.FollowerOptions, error) {
	if o.from == "" {
		for _, name := range []string{"verify-key", "verify-key-file", "cache", "poll", "allow-rollback"} {
			if c.Flags().Changed(name) {
				return nil, usageErrorf(c, "--%s needs --from, which names the origin of builds", name)
			}
		}
		return nil, nil
	}
	if c.Flags().Changed("public") {
		return nil, usageErrorf(c, "--from and --public: give only one of them")
	}
	options := &artifact.FollowerOptions{Cache: o.cache, AllowRollback: o.allowRollback, Poll: o.poll,
		StartTimeout: artifact.StartTimeout, Version: version}
	var err error
	if options.Origin, err = artifact.ParseOrigin(o.from); err != nil {
		return nil, usageErrorf(c, "--from: %v", err)
	}
	switch {
	case c.Flags().Changed("verify-key") && c.Flags().Changed("verify-key-file"):
		return nil, usageErrorf(c, "--verify-key and --verify-key-file: give only one of them")
	case c.Flags().Changed("verify-key"):
		keys, err := artifact.ParsePublicKeys(o.keys)
		if err != nil {
			return nil, usageErrorf(c, "--verify-key: %v", err)
		}
		options.Keys = func() ([]ed25519.PublicKey, error) { return keys, nil }
	case c.Flags().Changed("verify-key-file"):
		options.Keys = o.readKeys
		if _, err := o.readKeys(); err != nil {
			return nil, err
		}
	}
	if o.poll < artifact.MinPoll || o.poll > maxPoll {
		return nil, usageErrorf(c, "--poll %v: give a time from %v to %v, such as 30s",
			o.poll, artifact.MinPoll, maxPoll)
	}
	return options, nil
}

// readKeys reads --verify-key-file.
func (o *originFlags) readKeys() ([]ed25519.PublicKey, error) {
	text, err := os.ReadFile(o.keyFile)
	if err != nil {
		return nil, fmt.Errorf("--verify-key-file: %w", err)
	}
	keys, err := artifact.ParsePublicKeys(strings.Join(strings.Fields(string(text)), ","))
	if err != nil {
		return nil, fmt.Errorf("--verify-key-file %s: %w", o.keyFile, err)
	}
	return keys, nil
}

// openOrigin opens the build of an origin for a server, and returns a watcher for the next ones.
func openOrigin(
	ctx context.Context, builds snapshot.Options, follow *artifact.FollowerOptions, o *server.Options,
) (watcher, error) {
	follow.Logger = o.Logger
	follower, err := artifact.NewFollower(*follow)
	if err != nil {
		return nil, err
	}
	if follow.Keys == nil {
		o.Logger.Warn("signatures of builds are not checked: whoever can write to the origin decides what is served;" +
			" set --verify-key or --verify-key-file")
	}
	var source *snapshot.Source
	serve := func(b artifact.Build) (err error) {
		if source != nil {
			return source.Switch(b)
		}
		builds.Build = b
		source, err = snapshot.Open(builds)
		return err
	}
	if err := follower.Start(ctx, serve); err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	o.Snapshot, o.Collectors = source.Current, append(append(o.Collectors, follower.Collectors()...), source)
	return func(ctx context.Context, ask <-chan os.Signal) {
		follower.Follow(ctx, ask, serve)
		_ = follower.Close() // Close only releases a lock
	}, nil
}
