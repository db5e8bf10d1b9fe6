package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"catalog.example/api/search"
	"catalog.example/api/server"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
	"catalog.example/api/site/validate"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/dev"
	"github.com/spf13/cobra"
)

func newDev(env environment) *cobra.Command {
	var folder, config, addr string
	c := &cobra.Command{
		Use:   "dev",
		Short: "Show the site while you edit it",
		Long: `Serves the site from memory while you edit it. It watches the content folder, the
settings file, and the folders of the settings overrides and static. An open page
reloads when you save a file that it shows. Errors and warnings are shown on the
page and printed here. A listing with an error is shown as it was before.

Nothing is written to the output folder. This program answers searches itself, even
if the setting search is browser.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkListenAddress(addr); err != nil {
				return usageErrorf(c, "--addr %q: %v", addr, err)
			}
			if err := content.CheckFolder(folder); err != nil {
				return err
			}
			listener, err := net.Listen("tcp", addr)
			if err != nil {
				return fmt.Errorf("%w; choose another address with --addr", err)
			}
			empty, err := os.MkdirTemp("", "catalog-dev-") // the server of the API needs a folder
			if err != nil {
				return err
			}
			defer func() { _ = os.RemoveAll(empty) }()
			settings := func() (site.Settings, error) {
				s, err := generator.LoadSettings(config, env.lookup)
				if err == nil {
					s.BaseURL, s.SearchURL = "http://"+shownAddress(addr, listener.Addr()), ""
					err = validate.Check(&s)
				}
				return s, err
			}
			if s, err := settings(); err == nil {
				noteDefaults(c, env, &s)
			}
			return dev.Run(c.Context(), listener, dev.Options{
				Preview: generator.PreviewOptions{Content: folder, Settings: settings, Now: env.now,
					PictureCache: filepath.Join(".catalog-cache", "pictures")},
				Folders: func() []string { return watched(folder, config, settings) },
				API:     func(d *generator.Draft, index []byte) (http.Handler, error) { return apiOf(d, index, empty) },
				Out:     env.stdout,
			})
		},
	}
	f := c.Flags()
	f.StringVar(&folder, "content", "content", contentUsage)
	f.StringVar(&config, "config", "", configUsage)
	f.StringVar(&addr, "addr", "localhost:8080", "address to listen on; port 0 picks a free one")
	return c
}

// watched returns the folders and files that a site is made from.
func watched(folder, config string, settings func() (site.Settings, error)) []string {
	if config == "" {
		config = generator.DefaultSettingsFile
	}
	list := []string{folder, config}
	s, _ := settings() // settings with errors name no folders
	for _, folder := range []string{s.Overrides, s.Static} {
		if folder != "" {
			list = append(list, folder)
		}
	}
	return list
}

// apiOf returns the handler of the API for an index, without the rate limits of a public server.
// empty is an empty folder.
func apiOf(d *generator.Draft, index []byte, empty string) (http.Handler, error) {
	ix, err := search.Open(index)
	if err != nil {
		return nil, err
	}
	settings := d.Settings
	settings.AnonymousPerMinute, settings.SandboxPerMinute = site.MaxAllowance, site.MaxAllowance
	source, err := snapshot.Open(snapshot.Options{
		Build: artifact.Build{Folder: empty}, Index: ix, Settings: settings, Version: version,
	})
	if err != nil {
		return nil, err
	}
	s, err := server.New(server.Options{Snapshot: source.Current, Version: version})
	if err != nil {
		return nil, err
	}
	return s.Handler(), nil
}
