package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"catalog.example/api"
	"catalog.example/generator/content"
	"github.com/spf13/cobra"
)

func newNew(env environment) *cobra.Command {
	var dir, repository string
	c := &cobra.Command{
		Use:     "new NAME --repo URL",
		Short:   "Write a listing to fill in",
		Example: `  catalog new "Open WebUI" --repo https://github.com/open-webui/open-webui`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if repository == "" {
				return wrong(c, "--repo is missing: give the address of the source repository")
			}
			draft, err := content.NewDraft(args[0], repository, api.DateOf(env.now()))
			if err != nil {
				return wrong(c, "%v", err)
			}
			file := filepath.Join(dir, "projects", draft.Slug+".md")
			if err := createFile(file, draft.Text); err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.stdout, "%s: fill it in, then run: catalog lint\n", file)
			return err
		},
	}
	c.Flags().StringVar(&dir, "content", "content", "folder of the listings")
	c.Flags().StringVar(&repository, "repo", "", "https address of the source repository (required; no default)")
	return c
}

// createFile writes a file that must not be there yet.
func createFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { // #nosec G301 -- public files
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // #nosec G302 G304 -- public files
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; edit it, or choose another name", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}
