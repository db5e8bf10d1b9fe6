package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/scaffold"
	"github.com/spf13/cobra"
)

func newInit(env environment) *cobra.Command {
	var title, address string
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Write a new catalog to begin from",
		Long: `Writes a small catalog that builds and serves at once: settings, a taxonomy,
four listings, a page, a README and a workflow file for GitHub. They are about
board games; make them about your subject.

The workflow compiles this program from a git address, which --program names:
https://host/path, ssh://git@host/path, git@host:path, file:///path or /path. A
tag, branch or commit may follow an @. Without the flag, the workflow reads the
address from the variable CATALOG_REPOSITORY of your repository on GitHub.

DIR must be missing or empty; a .git folder in it is left alone. With an error
nothing is written.`,
		Example: `  catalog init espresso --title "Espresso Machines"
  catalog init espresso --program https://git.example/owner/catalog@v1.0.0`,
		Args: maxOneArgument("DIR", 1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := args[0]
			if dir == "" {
				return usageErrorf(c, "the folder's name is empty")
			}
			var program scaffold.Program
			if c.Flags().Changed("program") {
				var err error
				if program, err = scaffold.ParseProgram(address); err != nil {
					return usageErrorf(c, "--program: %w", err)
				}
			}
			files, err := scaffold.Write(c.Context(), dir, scaffold.Options{Title: title, Today: api.DateOf(env.now()), Program: program})
			if err != nil {
				return err
			}
			return printNextSteps(env, dir, files)
		},
	}
	c.Flags().StringVar(&title, "title", scaffold.DefaultTitle, "name of the catalog")
	c.Flags().StringVar(&address, "program", "", "git address from which the workflow gets this program, with an optional @version (default: a variable of the repository)")
	return c
}

func printNextSteps(env environment, dir string, files int) error {
	cdLine := ""
	if filepath.Clean(dir) != "." {
		cdLine = "  cd " + shellWord(dir) + "\n"
	}
	_, err := fmt.Fprintf(env.stdout, `%d files of a new catalog written to %s. See it:

%s  catalog dev

Then make it yours: README.md tells how.
`, files, invisible.Escape(dir), invisible.EscapeLines(cdLine))
	return err
}

// plainWord matches words that need no quoting in any shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./+:@%-]+$`)

// shellWord quotes a text as one shell word, if it needs quoting.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
