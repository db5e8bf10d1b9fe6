package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/refresh"
	"github.com/spf13/cobra"
)

// newTimeout bounds each request to a forge about a new listing: somebody waits
// for it, and can do without.
const newTimeout = 15 * time.Second

// newOptions are the flags of catalog new.
type newOptions struct {
	dir, repository, tokenEnv string
	offline, noEdit           bool
}

func newNew(env environment) *cobra.Command {
	var o newOptions
	c := &cobra.Command{
		Use:   "new [NAME] --repo URL",
		Short: "Write a listing to fill in",
		Long: `Writes a listing with every key there is and a word on each. What the forge of
the repository says (GitHub, GitLab or Codeberg) is filled in, with its source:
stars, licence, language, topics, homepage, archived and the latest commit or
release. Where no forge can be reached, those are left unknown.

The name may be left out; it is then the repository's. Where the setting without
holds repositoryUrl, no forge is asked, and the name is required. The purpose and the text
are yours to write: nothing of the kind is copied.

The file is opened in $VISUAL or $EDITOR where the output is a terminal. A file
` + content.DraftFile + ` in the content folder takes the place of the built-in template.`,
		Example: `  catalog new "Open WebUI" --repo https://github.com/open-webui/open-webui`,
		Args:    oneArgument("NAME", 0),
		RunE: func(c *cobra.Command, args []string) error {
			options, err := contentOptions(env, o.dir, "")
			if err != nil {
				return err
			}
			matter, err := content.LoadFrontMatter(o.dir, &options.Settings)
			if err != nil {
				return err
			}
			switch message := content.ValidAddress(o.repository); {
			case !options.Settings.Has("repositoryUrl"):
				if o.repository != "" || len(args) == 0 {
					return wrong(c, "listings of this catalog have no repository: give NAME, and no --repo")
				}
				o.offline = true // no forge knows of it
			case o.repository == "":
				return wrong(c, "--repo is missing: give the address of the source repository")
			case message != "":
				return wrong(c, "repository %q %s", o.repository, message)
			}
			facts := content.DraftFacts{RepositoryURL: o.repository, Today: api.DateOf(env.now())}
			if len(args) > 0 {
				facts.Name = args[0]
				// What is wrong with the name is known before anybody is asked.
				if _, _, err := draft(c, matter, o.dir, facts); err != nil {
					return err
				}
			}
			if err := notListed(c.Context(), env, &o, &facts); err != nil {
				return err
			}
			if err := askForge(c.Context(), env, &o, &facts); err != nil {
				return err
			}
			// The forge may know the repository, and call it, by another name.
			if err := notListed(c.Context(), env, &o, &facts); err != nil {
				return err
			}
			if facts.Name == "" {
				return wrong(c, "the name is missing: catalog new NAME --repo %s", o.repository)
			}
			file, written, err := draft(c, matter, o.dir, facts)
			if err != nil {
				return err
			}
			if err := createFile(file, written.Text); err != nil {
				return err
			}
			if _, err = fmt.Fprintf(env.stdout, "%s: fill it in, then run: catalog lint\n", invisible.Escape(file)); err != nil || o.noEdit {
				return err
			}
			return openEditor(env, file)
		},
	}
	f := c.Flags()
	f.StringVar(&o.dir, "content", "content", "folder of the listings")
	f.StringVar(&o.repository, "repo", "", "https address of the source repository (required where listings have one; no default)")
	f.BoolVar(&o.offline, "offline", false, "ask no forge (default false)")
	f.StringVar(&o.tokenEnv, "token-env", "GITHUB_TOKEN", "environment variable that holds a token for GitHub")
	f.BoolVar(&o.noEdit, "no-edit", false, "do not open the file in $VISUAL or $EDITOR (default false)")
	return c
}

// draft makes a listing and the name of its file, which must not exist yet.
func draft(c *cobra.Command, matter *content.FrontMatter, dir string, facts content.DraftFacts) (file string, d content.Draft, err error) {
	d, err = matter.NewDraft(dir, facts)
	if broken := (*content.DraftTemplateError)(nil); errors.As(err, &broken) {
		return "", d, fmt.Errorf("template of new listings: %w", err)
	}
	if err != nil {
		return "", d, wrong(c, "%v", err)
	}
	file = filepath.Join(dir, "projects", d.Slug+".md")
	if _, err := os.Lstat(file); err == nil {
		return "", d, existsError(file)
	}
	return file, d, nil
}

// notListed tells that a listing has the name, as its own or as an alias, or the
// repository already.
func notListed(ctx context.Context, env environment, o *newOptions, facts *content.DraftFacts) error {
	if _, err := os.Stat(o.dir); errors.Is(err, fs.ErrNotExist) {
		return nil // the listing is the first
	}
	loaded, _, err := loadContent(ctx, env, o.dir, "")
	if err != nil {
		return err
	}
	if l := loaded.Listed(facts.Name, facts.RepositoryURL); l != nil {
		given := facts.RepositoryURL
		if loaded.Listed("", facts.RepositoryURL) == nil {
			given = strconv.Quote(facts.Name)
		}
		of := ""
		if l.RepositoryURL != "" {
			of = " of " + l.RepositoryURL
		}
		return fmt.Errorf("%s is listed already, as %s%s: edit %s", given, l.Name, of, filepath.Join(o.dir, filepath.FromSlash(l.File)))
	}
	return nil
}

func existsError(file string) error {
	return fmt.Errorf("%s exists already; edit it, or choose another name", file)
}

// askForge fills in what a forge says of the repository. Where it cannot be
// asked that is told, and nothing is filled in. The error is that there is no
// such repository.
func askForge(ctx context.Context, env environment, o *newOptions, into *content.DraftFacts) error {
	if o.offline {
		return nil
	}
	token, _ := env.lookup(o.tokenEnv)
	forges, err := refresh.Forges(env.lookup, strings.TrimSpace(token))
	if err != nil {
		return err
	}
	facts, err := refresh.Ask(ctx, o.repository, refresh.Options{Forges: forges, Timeout: newTimeout, Now: env.now})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, refresh.ErrGone):
		return fmt.Errorf("%s: %w; mend the address, or write the listing without asking by --offline", o.repository, err)
	case err != nil:
		_, _ = fmt.Fprintf(env.stderr, "catalog: nothing is filled in: %s\n", invisible.Escape(err.Error()))
		return nil
	}
	if !sameRepository(o.repository, facts.URL) {
		_, _ = fmt.Fprintf(env.stderr, "catalog: the repository is now %s\n", invisible.Escape(facts.URL))
	}
	if into.Name == "" {
		into.Name = path.Base(facts.Repository)
	}
	into.RepositoryURL = facts.URL
	into.Topics, into.Language, into.License, into.HomepageURL = facts.Topics, facts.Language, facts.License, strings.TrimSpace(facts.Homepage)
	into.Stars, into.Archived, into.UpdatedAt, into.Source = &facts.Stars, facts.Archived, facts.Updated, facts.Source(into.Today)
	return nil
}

// sameRepository tells whether two addresses are of the same repository by
// name.
func sameRepository(a, b string) bool {
	plain := strings.NewReplacer("https://www.", "", "https://", "", ".git", "")
	return strings.EqualFold(strings.TrimRight(plain.Replace(a), "/"), strings.TrimRight(plain.Replace(b), "/"))
}

// openEditor opens a file in the user's editor where the output is a terminal.
// The variable may hold arguments, as in "code --wait".
func openEditor(env environment, file string) error {
	if !isTerminal(env.stdout) {
		return nil
	}
	var words []string
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if value, _ := env.lookup(variable); len(words) == 0 {
			words = strings.Fields(value)
		}
	}
	if len(words) == 0 {
		return nil
	}
	// Without the context: an interrupt is the editor's to deal with, which holds
	// what was written.
	editor := exec.Command(words[0], append(words[1:], file)...) // #nosec G204 -- the user's own choice
	editor.Stdin, editor.Stdout, editor.Stderr = os.Stdin, env.stdout, env.stderr
	if err := editor.Run(); err != nil {
		return fmt.Errorf("%s was written, but the editor failed: %w", file, err)
	}
	return nil
}

// createFile writes a file that must not be there yet.
func createFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return existsError(name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(name) // half a listing would be in the way of the next try
	}
	return err
}
