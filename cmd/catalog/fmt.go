package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/output"
	"catalog.example/generator/rule"
	"github.com/spf13/cobra"
)

func newFmt(env environment) *cobra.Command {
	var dir, config string
	var check bool
	c := &cobra.Command{
		Use:   "fmt [FILE...]",
		Short: "Write the front matter of listings in its canonical form",
		Long: `Formats the front matter of the named listings, or of all: keys in a fixed order,
one on a line, and quotation marks only where YAML needs them. Parsers of YAML 1.1
and 1.2 read the same values from it. Values and comments do not change, and the text
below the front matter stays the same, byte for byte. Prints the files that changed.

A file that cannot be read does not change. Its errors are printed as
file:line:column: message. The exit status is 1 if there are such errors, and with
--check also if a file would change. Each file is replaced in one step.`,
		Example: `  catalog fmt
  catalog fmt --check content/projects/ollama.md`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, files []string) error {
			options, err := contentOptions(env, dir, config)
			if err != nil {
				return err
			}
			frontMatter, err := content.LoadFrontMatter(dir, &options.Settings)
			if err != nil {
				return err
			}
			if len(files) == 0 {
				if files, err = content.Files(dir, options.Settings); err != nil {
					return err
				}
				for i := range files {
					files[i] = filepath.Join(dir, filepath.FromSlash(files[i]))
				}
			}
			return changeFiles(c.Context(), env, "listing", files, check, frontMatter.FormatFile)
		},
	}
	addContentFlags(c, &dir, &config)
	c.Flags().BoolVar(&check, "check", false, "write nothing, and print the files that would change (default false)")
	return c
}

// changeFiles changes files of a kind, and prints which. change returns the text of a file before and after. With
// check, nothing is written. changeFiles returns an error if ctx ends, if a file cannot be changed, or if check finds a
// change.
func changeFiles(ctx context.Context, env environment, kind string, files []string, check bool,
	change func(name string) (before, after []byte, err error)) error {
	var findings []content.Finding
	changed, verb := 0, "changed"
	if check {
		verb = "to format"
	}
	for _, name := range files {
		if ctx.Err() != nil {
			break
		}
		before, after, err := change(name)
		if err == nil && bytes.Equal(before, after) {
			continue
		}
		if err == nil && !check {
			err = output.WriteFile(name, after)
		}
		if err != nil {
			findings = append(findings, formatFindings(name, err)...)
			continue
		}
		changed++
		if err := env.print("%s\n", invisible.Escape(name)); err != nil {
			return err
		}
	}
	if err := lint.WriteAll(env.stderr, "text", findings); err != nil {
		return err
	}
	env.note("%s, %d %s, %s\n", api.Count(len(files), kind), changed, verb, api.Count(len(findings), "error"))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(findings) > 0 || check && changed > 0 {
		return errReported
	}
	return nil
}

// formatFindings returns the findings for a file that could not be formatted.
func formatFindings(name string, err error) []content.Finding {
	file := filepath.ToSlash(name)
	formErr, ok := errors.AsType[*canonical.Error](err)
	if !ok {
		return []content.Finding{{File: file, Line: 1, Column: 1, Rule: rule.File, Message: err.Error()}}
	}
	var findings []content.Finding
	for _, p := range formErr.Problems {
		findings = append(findings, content.Finding{File: file, Line: p.Line, Column: p.Column, Rule: rule.FrontMatter,
			Message: p.Message})
	}
	return findings
}
