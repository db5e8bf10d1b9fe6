package main

import (
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"

	"catalog.example/api/mcp"
	"catalog.example/api/server/artifact"
	"github.com/spf13/cobra"
)

func newPack(env environment) *cobra.Command {
	var public, out, signKey string
	var forAgents bool
	c := &cobra.Command{
		Use:   "pack",
		Short: "Pack a build for an origin that 'catalog serve' and 'catalog mcp' follow",
		Long: `Packs the build output into one archive, catalog-<version>.tar.zst, and writes
catalog.manifest.json, which names the archive. Upload both to any file host, the
archive first. 'catalog serve --from' follows the manifest there.

The version is a hash of all files. The same files make the same archive, byte for
byte. Hidden files are left out, because servers do not serve them. To go back to an
older build, pack its folder again: servers refuse a manifest that is older than the
one of the build that they serve.

With --for-agents the archive has only what the tools for agents read, and is much
smaller. It is for 'catalog mcp --from'; 'catalog serve' refuses it. Of a catalogue in
several languages, it has only the main one.

With --sign-key the manifest is signed (Ed25519). 'catalog keygen' makes a key.`,
		Example: `  catalog pack --public public --out builds --sign-key sign.key`,
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				return usageErrorf(c, "--out is missing: give a folder for the archive")
			}
			var key ed25519.PrivateKey
			if signKey != "" {
				var err error
				if key, err = readSignKey(signKey); err != nil {
					return fmt.Errorf("--sign-key: %w", err)
				}
			}
			options := artifact.PackOptions{Public: public, Out: out, Key: key, Now: env.now()}
			if forAgents {
				options.Only = mcp.Reads
			}
			m, err := artifact.Pack(c.Context(), options)
			if err != nil {
				return err
			}
			return env.print("%s (%d bytes) and %s\n", filepath.Join(out, m.Archive), m.Size,
				filepath.Join(out, artifact.ManifestName))
		},
	}
	f := c.Flags()
	f.StringVar(&public, "public", "public", "folder of the build output")
	f.StringVar(&out, "out", "",
		"folder for the archive and the manifest, outside the build output (required; no default)")
	f.BoolVar(&forAgents, "for-agents", false, "pack only what 'catalog mcp' reads (default false)")
	f.StringVar(&signKey, "sign-key", "",
		"file with the private key that signs the manifest (default: none, it is not signed)")
	return c
}

func readSignKey(file string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := artifact.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}

func newKeygen(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make a key pair that signs builds",
		Long: `Makes an Ed25519 key pair. Writes the private key, for 'catalog pack --sign-key', to
FILE as PEM; only you can read the file. Prints the public key, for 'catalog serve
--verify-key'. If FILE exists, prints the public key of the private key in it, and
writes nothing.`,
		Example: `  catalog keygen sign.key`,
		Args:    arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			key, err := makeKey(args[0])
			if os.IsExist(err) {
				key, err = readSignKey(args[0])
			}
			if err != nil {
				return fmt.Errorf("keygen: %w", err)
			}
			return env.print("%s\n", artifact.FormatPublicKey(artifact.PublicKeyOf(key)))
		},
	}
}

// makeKey writes a new private key to a file that does not exist yet.
func makeKey(file string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	text, err := artifact.FormatPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, createFile(file, text, 0o600)
}
