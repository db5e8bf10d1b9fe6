package main

import (
	"cmp"
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

// newTimeout bounds each request to a forge for a new listing. It is short because
// the user waits, and a draft does not need the answer.
const newTimeout = 15 * time.Second

// newOptions are the flags of catalog new.
type newOptions struct {
	dir, repository, slug, tokenEnv string
	offline, noEdit                 bool
}

func newNew(env environment) *cobra.Command {
	var o newOptions
	c := &cobra.Command{
		Use:   "new [NAME] --repo URL",
		Short: "Write a draft of a listing",
		Long: `Writes a draft of a listing, with every key and an explanation of each. It fills in
facts from the forge of the repository (GitHub, GitLab or Codeberg), with their
source: stars, licence, language, topics, homepage, archived, and the latest commit or
release. If the forge cannot be reached, these stay unknown.

The default name is that of the repository. The file name is made from NAME, with
other scripts transliterated to Latin letters, or is given with --slug. If the setting
without has repositoryUrl, or optional has it and there is no --repo, no forge is asked,
and NAME is required. The purpose and the text are not copied from the forge: write them
yourself.

If the output is a terminal, the file is opened in $VISUAL or $EDITOR. A file
` + content.DraftFile + ` in the content folder replaces the built-in template.`,
		Example: `  catalog new "Open WebUI" --repo https://github.com/open-webui/open-webui`,
		Args:    arguments(0, "NAME"),
		RunE:    func(c *cobra.Command, args []string) error { return o.run(c, env, args) },
	}
	f := c.Flags()
	f.StringVar(&o.dir, "content", "content", contentUsage)
	f.StringVar(&o.repository, "repo", "", "https address of the source repository "+
		"(required unless the setting without or optional has repositoryUrl; no default)")
	f.StringVar(&o.slug, "slug", "", "name of the file and of its page's address (default: made from NAME)")
	f.BoolVar(&o.offline, "offline", false, "do not ask the forge (default false)")
	f.StringVar(&o.tokenEnv, "token-env", "GITHUB_TOKEN", "environment variable with the GitHub token")
	f.BoolVar(&o.noEdit, "no-edit", false, "do not open the file in $VISUAL or $EDITOR (default false)")
	return c
}

func (o *newOptions) run(c *cobra.Command, env environment, args []string) error {
	options, err := contentOptions(env, o.dir, "")
	if err != nil {
		return err
	}
	frontMatter, err := content.LoadFrontMatter(o.dir, &options.Settings)
	if err != nil {
		return err
	}
	if err := o.check(c, frontMatter, len(args) > 0); err != nil {
		return err
	}
	facts := content.DraftFacts{Slug: o.slug, RepositoryURL: o.repository, Today: api.DateOf(env.now())}
	if len(args) > 0 {
		facts.Name = args[0]
		// Reject a wrong name before asking the forge.
		if _, _, err := newDraft(c, frontMatter, o.dir, facts); err != nil {
			return err
		}
	}
	listed := &content.Content{} // there are no listings yet if the folder is missing
	if _, err := os.Stat(o.dir); !errors.Is(err, fs.ErrNotExist) {
		if listed, _, err = content.Load(c.Context(), options); err != nil {
			return err
		}
	}
	if err := checkNotListed(listed, o, options.Settings.Lang, &facts); err != nil {
		return err
	}
	if err := fillFromForge(c.Context(), env, o, &facts); err != nil {
		return err
	}
	// The forge may have returned another address or name.
	if err := checkNotListed(listed, o, options.Settings.Lang, &facts); err != nil {
		return err
	}
	if facts.Name == "" {
		return usageErrorf(c, "NAME is missing: catalog new NAME --repo %s", o.repository)
	}
	file, d, err := newDraft(c, frontMatter, o.dir, facts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := createFile(file, d.Text, 0o644); errors.Is(err, fs.ErrExist) {
		return existsError(file)
	} else if err != nil {
		return err
	}
	err = env.print("%s: fill it in, then run: catalog lint\n", invisible.Escape(file))
	if err != nil || o.noEdit {
		return err
	}
	return openEditor(env, file)
}

// check checks the flags. Without a repository there is no forge to ask.
func (o *newOptions) check(c *cobra.Command, frontMatter *content.FrontMatter, named bool) error {
	if message := content.CheckSlug(o.slug); o.slug != "" && message != "" {
		return usageErrorf(c, "--slug: %s", message)
	}
	o.offline = o.offline || o.repository == ""
	switch wrong, remedy := content.CheckAddress(o.repository); {
	case !frontMatter.Has("repositoryUrl"):
		if o.repository != "" || !named {
			return usageErrorf(c, "listings of this catalogue have no repository: give NAME, and no --repo")
		}
	case o.repository == "" && frontMatter.Requires("repositoryUrl"):
		return usageErrorf(c, "--repo is missing: give the address of the source repository")
	case o.repository == "" && !named:
		return usageErrorf(c, "NAME is missing: give it, or --repo with the address of the source repository")
	case o.repository != "" && wrong != "":
		return usageErrorf(c, "--repo %q %s: %s", o.repository, wrong, remedy)
	}
	return nil
}

// newDraft returns a draft of a listing and its file name. The file must not exist.
func newDraft(c *cobra.Command, frontMatter *content.FrontMatter, dir string, facts content.DraftFacts) (
	file string, d content.Draft, err error,
) {
	d, err = frontMatter.NewDraft(dir, facts)
	if _, ok := errors.AsType[*content.DraftTemplateError](err); ok {
		return "", d, fmt.Errorf("template of new listings: %w", err)
	}
	if err != nil {
		return "", d, usageErrorf(c, "%v", err)
	}
	file = filepath.Join(dir, "projects", d.Slug+".md")
	if _, err := os.Lstat(file); err == nil {
		return "", d, existsError(file)
	}
	return file, d, nil
}

// checkNotListed returns an error if a listing already has the repository, or already has the name
// as its name or alias.
func checkNotListed(loaded *content.Content, o *newOptions, lang string, facts *content.DraftFacts) error {
	if l := loaded.FindListing(facts.Name, facts.RepositoryURL); l != nil {
		duplicate := facts.RepositoryURL
		if loaded.FindListing("", facts.RepositoryURL) == nil {
			duplicate = strconv.Quote(facts.Name)
		}
		repository := ""
		if l.RepositoryURL != "" {
			repository = " of " + l.RepositoryURL
		}
		return fmt.Errorf("%s is listed already, as %s%s: edit %s", duplicate, l.Name, repository,
			filepath.Join(o.dir, filepath.FromSlash(l.File)))
	}
	if r := loaded.FindRetired(facts.Name, cmp.Or(o.slug, content.Slug(facts.Name, lang))); r != nil {
		return fmt.Errorf("%s left the catalogue on %s (%s): remove it from %s if it comes back", r.Name, r.Left,
			cmp.Or(r.Because, "no reason is given"),
			filepath.Join(o.dir, "taxonomy", content.RetiredFile))
	}
	return nil
}

func existsError(file string) error {
	return fmt.Errorf("%s already exists; edit it, or choose another name with --slug", file)
}

// fillFromForge adds the forge's facts about the repository to the draft. It prints a warning if
// the forge does not answer, and returns an error if the repository does not exist.
func fillFromForge(ctx context.Context, env environment, o *newOptions, facts *content.DraftFacts) error {
	if o.offline {
		return nil
	}
	token, _ := env.lookup(o.tokenEnv)
	forges, err := refresh.Forges(env.lookup, strings.TrimSpace(token))
	if err != nil {
		return err
	}
	answer, err := refresh.Fetch(ctx, o.repository, refresh.Options{Forges: forges, Timeout: newTimeout, Now: env.now})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, refresh.ErrGone):
		return fmt.Errorf("%s: %w; correct the address, or use --offline to write the draft without asking the forge",
			o.repository, err)
	case err != nil:
		env.note("catalog: warning: cannot get the facts of the repository, so they stay unknown: %s\n",
			invisible.Escape(err.Error()))
		return nil
	}
	if !sameRepository(o.repository, answer.URL) {
		env.note("catalog: the repository has moved to %s\n", invisible.Escape(answer.URL))
	}
	if facts.Name == "" {
		facts.Name = path.Base(answer.Repository)
	}
	facts.RepositoryURL = answer.URL
	facts.Topics, facts.Language, facts.License = answer.Topics, answer.Language, answer.License
	facts.HomepageURL = strings.TrimSpace(answer.Homepage)
	facts.Stars, facts.Archived, facts.UpdatedAt = &answer.Stars, answer.Archived, answer.Updated
	facts.Source = answer.Source(facts.Today)
	return nil
}

// sameRepository reports whether two addresses differ in spelling only.
func sameRepository(a, b string) bool {
	trim := strings.NewReplacer("https://www.", "", "https://", "", ".git", "")
	return strings.EqualFold(strings.TrimRight(trim.Replace(a), "/"), strings.TrimRight(trim.Replace(b), "/"))
}

// openEditor opens a file in the user's editor if the output is a terminal. $VISUAL and $EDITOR may
// have arguments, as in "code --wait".
func openEditor(env environment, file string) error {
	if !isTerminal(env.stdout) {
		return nil
	}
	visual, _ := env.lookup("VISUAL")
	editor, _ := env.lookup("EDITOR")
	words := strings.Fields(cmp.Or(strings.TrimSpace(visual), editor))
	if len(words) == 0 {
		return nil
	}
	// The editor does not end with the context: it handles an interrupt itself, and may have
	// unsaved text.
	command := exec.Command(words[0], append(words[1:], file)...) // #nosec G204 -- the user's own choice
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, env.stdout, env.stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s was written, but the editor failed: %w", file, err)
	}
	return nil
}

// createFile writes a new file. If the file exists, the error wraps fs.ErrExist.
func createFile(name string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(name) // a partial file would block the next attempt
	}
	return err
}
