package main

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/cmd/catalog/check"
	"github.com/spf13/cobra"
)

// maxCheck bounds --timeout of catalog check.
const maxCheck = time.Hour

func newCheck(env environment) *cobra.Command {
	var build string
	var timeout time.Duration
	var asJSON bool
	c := &cobra.Command{
		Use:   "check URL",
		Short: "Check a deployed site",
		Long: `Asks a deployed site for one of everything that it serves: pages, files for agents,
JSON, a search and MCP if there is a server, headers, the certificate, and whether all
parts come from one build. Prints a line for each check, with what was seen and what to
do. What the settings of the site leave out is not asked for. Of each further language,
some pages, a file of the API and a search are asked for.

The exit status is 1 if there are errors, and 0 if there are only warnings. URL may be
that of one replica. The check sends some 40 requests, some 15 of which count against
the allowance of this machine. Each further language adds up to 6 and 2 of these.`,
		Example: `  catalog check https://catalog.example
  catalog check https://catalog.example --build 0123456789abcdef0123456789abcdef --json`,
		Args: arguments(1, "URL"),
		RunE: func(c *cobra.Command, args []string) error {
			u, err := url.Parse(args[0])
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" ||
				u.Fragment != "" || u.User != nil { // it may have a password
				return usageErrorf(c, "give the address of a site without user and query, such as "+
					"https://catalog.example")
			}
			if timeout <= 0 || timeout > maxCheck {
				return usageErrorf(c, "--timeout %v: give a time up to %v, such as 1m", timeout, maxCheck)
			}
			report := check.Run(c.Context(), check.Options{
				URL: args[0], Build: build, Timeout: timeout, Version: version, Now: env.now,
			})
			if err := c.Context().Err(); err != nil {
				return err
			}
			if err := printCheck(env, report, asJSON); err != nil {
				return err
			}
			if report.Count(check.Error) > 0 {
				return errReported
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&build, "build", "", "`version` of the build that must be served, or its beginning (default: any)")
	f.DurationVar(&timeout, "timeout", time.Minute, "how long the check may take; an answer may take a quarter of it")
	f.BoolVar(&asJSON, "json", false, "print the findings as JSON (default false)")
	return c
}

// printCheck prints a line for each finding, and their number. What a site says cannot control the terminal.
func printCheck(env environment, report *check.Report, asJSON bool) error {
	if asJSON {
		return printJSON(env, report)
	}
	var b strings.Builder
	for _, f := range report.Findings {
		line := fmt.Sprintf("%-8s %-27s %s", f.Level, f.Name, f.Seen)
		if f.Do != "" {
			line += fmt.Sprintf(" (%s): %s", f.Address, f.Do)
		}
		b.WriteString(invisible.Escape(line) + "\n")
	}
	return env.print("%s\n%s, %s and %s.\n", &b,
		api.Count(len(report.Findings), "finding"), api.Count(report.Count(check.Error), "error"),
		api.Count(report.Count(check.Warning), "warning"))
}
