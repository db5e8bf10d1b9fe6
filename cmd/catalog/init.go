package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/scaffold"
	"github.com/spf13/cobra"
)

func newInit(env environment) *cobra.Command {
	var title, address, name, lang string
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Write the files of a new catalogue",
		Long: `Writes a small catalogue that you can build and serve at once: settings, a taxonomy,
listings, a page, a README and a workflow file for GitHub. Replace its subject with
your own. --example chooses what it is about:

` + examplesHelp() + `

The workflow gets the source code of this program from a git repository, and compiles
it. --program names its address: https://host/path, ssh://git@host/path,
git@host:path, file:///path or /path, then an optional @ with a tag, branch or commit.
Without the flag, the workflow reads the address from the variable CATALOG_REPOSITORY
of your repository on GitHub.

DIR must be a new or an empty folder; it may contain .git. If there is an error,
nothing is written.`,
		Example: `  catalog init espresso --title "Espresso Machines"
  catalog init my-list --example empty --lang de
  catalog init espresso --program https://git.example/owner/catalog@v1.0.0`,
		Args: arguments(1, "DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			dir := args[0]
			if dir == "" {
				return usageErrorf(c, "DIR is empty: give the path of a folder")
			}
			var program scaffold.Program
			if c.Flags().Changed("program") {
				var err error
				if program, err = scaffold.ParseProgram(address); err != nil {
					return usageErrorf(c, "--program: %w", err)
				}
			}
			example, err := scaffold.ExampleNamed(name)
			if err != nil {
				return usageErrorf(c, "--example: %w", err)
			}
			if title == "" && c.Flags().Changed("title") {
				return usageErrorf(c, "--title is empty: give the catalogue a name")
			}
			files, err := scaffold.Write(c.Context(), dir, scaffold.Options{Example: example, Title: title,
				Lang: lang, Today: api.DateOf(env.now()), Program: program})
			if err != nil {
				return err
			}
			return printNextSteps(env, dir, files, example)
		},
	}
	c.Flags().StringVar(&title, "title", "", "name of the catalogue (default: that of the example)")
	c.Flags().StringVar(&name, "example", scaffold.Examples[0].Name, "what the catalogue is about")
	c.Flags().StringVar(&lang, "lang", "en",
		"language of the listings of --example empty: a tag such as en, de or pt-BR")
	c.Flags().StringVar(&address, "program", "",
		"git address from which the workflow gets this program, with an optional @version (default: the workflow "+
			"reads the variable CATALOG_REPOSITORY)")
	return c
}

// examplesHelp lists the examples, a line each.
func examplesHelp() string {
	var lines strings.Builder
	for _, e := range scaffold.Examples {
		fmt.Fprintf(&lines, "  %-14s %s\n", e.Name, e.About)
	}
	return lines.String()
}

func printNextSteps(env environment, dir string, files int, example *scaffold.Example) error {
	purpose, command := "To see it", "dev"
	if example.IsEmpty() {
		purpose, command = "To bring a list", "import SOURCE --map auto"
	}
	cdLine := ""
	if filepath.Clean(dir) != "." {
		cdLine = "  cd " + shellWord(dir) + "\n"
	}
	return env.print(`Wrote %d files of a new catalogue to %s. %s, run:

%s  %s %s

README.md says how to make it your own.
`, files, invisible.Escape(dir), purpose, invisible.EscapeLines(cdLine), invisible.Escape(shellWord(program())), command)
}

// program returns the word that starts this program in a shell: its name if the shell found it in
// PATH, otherwise its path.
func program() string {
	self, err := os.Executable()
	if name := os.Args[0]; err != nil || filepath.Base(name) == name {
		return name
	}
	return self
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
