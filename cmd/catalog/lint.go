package main

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/refresh"
	"catalog.example/generator/rule"
	"github.com/spf13/cobra"
)

// lintFlags are the flags of catalog lint.
type lintFlags struct {
	dir, config, format, maxAge, advisories string
	links, search, strict                   bool
	rules                                   []string
}

func newLint(env environment) *cobra.Command {
	var flags lintFlags
	c := &cobra.Command{
		Use:   "lint",
		Short: "Report everything that is wrong with the content folder",
		Long: `Checks the content folder, and prints every finding as file:line:column: message.
Errors come first. Of a rule that is broken often, the first findings are shown; --rule
shows all of one rule. The last line counts the findings of each rule.

The exit status is 1 if there are errors, also of rules that --rule does not show, and
0 if there are only warnings; with --strict, it is 1 if any finding is shown. With --format github, a workflow of GitHub
shows the findings at their lines in a pull request.

--advisories also compares listings with an export of OSV, as catalog refresh does. It
warns of advisories that listings do not tell of yet, and of those that were withdrawn.

--links also checks every outgoing link, with one request at a time to each host. A
dead link is an error. A host that does not answer is a warning.

--search also searches for each ask, each job and each replaced product, which takes
some seconds for 1,000 listings. It warns of listings that these searches do not find,
and of asks with a word that alone puts their listing first in a search for something
else. It is skipped if the content has errors.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return flags.run(c, env) },
	}
	addContentFlags(c, &flags.dir, &flags.config)
	f := c.Flags()
	f.StringVar(&flags.format, "format", "text", "format of the findings: "+strings.Join(lint.Formats, ", "))
	f.StringVar(&flags.maxAge, "max-age", "", "warn about facts that are older than a number of days, "+
		"months or years, such as 90d, 6m or 1y (default: no limit)")
	f.StringSliceVar(&flags.rules, "rule", nil, "show only the findings of these rules, joined by commas, and all of "+
		"them (default: all rules)")
	f.BoolVar(&flags.strict, "strict", false, "exit with status 1 even if there are only warnings (default false)")
	f.BoolVar(&flags.search, "search", false,
		"search for the asks, jobs and replaced products of listings (default false)")
	f.StringVar(&flags.advisories, "advisories", "", advisoriesUsage)
	f.BoolVar(&flags.links, "links", false, "check every outgoing link (default false)")
	return c
}

func (f *lintFlags) run(c *cobra.Command, env environment) error {
	if !slices.Contains(lint.Formats, f.format) {
		return usageErrorf(c, "--format %q: %s are allowed", f.format, strings.Join(lint.Formats, ", "))
	}
	age, err := parseAge(f.maxAge)
	if err != nil {
		return usageErrorf(c, "--max-age %q: %v", f.maxAge, err)
	}
	if name, hint := rule.Unknown(f.rules); name != "" {
		return usageErrorf(c, "--rule %q: there is no such rule%s", name, hint)
	}
	options, err := contentOptions(env, f.dir, f.config)
	if err != nil {
		return err
	}
	noteDefaults(c, env, &options.Settings)
	var oldest api.Date
	if age > 0 {
		oldest = api.DateOf(env.now().Add(-age))
	}
	loaded, findings, err := generator.Check(c.Context(), options, oldest)
	if err != nil {
		return err
	}
	if f.search && content.HasErrors(findings) {
		env.note("--search is skipped, because the content has errors\n")
	} else if f.search {
		bar := newProgress(env.stderr, env.now)
		found, err := lint.CheckSearches(c.Context(), loaded, options, lint.SearchOptions{
			Progress: func(done, total int) { bar.show("searches", done, total) },
		})
		bar.clear()
		if err != nil {
			return err
		}
		findings = append(findings, content.Leveled(found, options.Settings.Rules)...)
	}
	if f.links {
		bar := newProgress(env.stderr, env.now)
		dead, err := lint.CheckLinks(c.Context(), loaded, lint.LinkOptions{
			Client: &http.Client{Timeout: linkTimeout}, Parallelism: maxLinkHosts, Wait: refresh.Sleep,
			Progress: func(done, total int) { bar.show("links", done, total) },
		})
		bar.clear()
		if err != nil {
			return err
		}
		findings = append(findings, content.Leveled(dead, options.Settings.Rules)...)
	}
	if f.advisories != "" {
		found, err := f.checkAdvisories(c, env, loaded)
		if err != nil {
			return err
		}
		findings = append(findings, content.Leveled(found, options.Settings.Rules)...)
	}
	return f.report(env, loaded, options.Settings.Languages, findings)
}

// report prints the findings and a summary. It returns errReported if they fail the check.
func (f *lintFlags) report(env environment, loaded *content.Content, languages []string,
	findings []content.Finding) error {
	content.SortFindings(findings)
	all, allErrors := findings, content.CountErrors(findings)
	write := lint.Write
	if len(f.rules) > 0 {
		findings, write = lint.OfRules(findings, f.rules), lint.WriteAll
	}
	if err := write(env.stdout, f.format, prefixPaths(f.dir, findings)); err != nil {
		return err
	}
	noteTranslations(env, loaded, languages, all)
	errorCount := content.CountErrors(findings)
	env.note("%s, %s, %s\n", api.Count(len(loaded.Listings)+len(loaded.Unreadable), "listing"),
		api.Count(errorCount, "error"), api.Count(len(findings)-errorCount, "warning"))
	noteRules(env.stderr, findings)
	if hidden := allErrors - errorCount; hidden > 0 {
		env.note("%s of other rules not shown: run catalog lint without --rule\n", api.Count(hidden, "error"))
	}
	if allErrors > 0 || f.strict && len(findings) > 0 {
		return errReported
	}
	return nil
}

// agePattern matches a number of days, months or years.
var agePattern = regexp.MustCompile(`^([1-9][0-9]{0,4})([dmy])$`)

// parseAge parses an age such as 90d. It counts 30 days for a month and 365 for a year, which
// is precise enough for warnings.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	m := agePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("write a number with d, m or y, such as 90d, 6m or 1y")
	}
	n, _ := strconv.Atoi(m[1]) // the pattern allows only five digits
	days := map[string]int{"d": 1, "m": 30, "y": 365}[m[2]] * n
	if days > 36500 {
		return 0, errors.New("at most 100 years are allowed")
	}
	return time.Duration(days) * 24 * time.Hour, nil
}

const (
	linkTimeout  = 20 * time.Second // of each request of --links
	maxLinkHosts = 16               // hosts that are checked in parallel
)
