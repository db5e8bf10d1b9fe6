package main

import (
	"fmt"

	"catalog.example/api"
	"catalog.example/generator/content"
	"github.com/spf13/cobra"
)

func newLint(env environment) *cobra.Command {
	var dir, config string
	c := &cobra.Command{
		Use:   "lint",
		Short: "Tell everything that is wrong with the content folder",
		Long: `Prints every finding as file:line:column: message, all at once. The exit status
is 1 where there are errors; warnings alone leave it at 0.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			settings, err := loadSettings(env, config)
			if err != nil {
				return err
			}
			if err := checkSettings(&settings); err != nil {
				return err
			}
			loaded, findings, err := content.Load(c.Context(), content.Options{
				Dir: dir, Settings: settings, Jobs: env.numCPU, Today: api.DateOf(env.now()),
			})
			if err != nil {
				return err
			}
			printFindings(env.stdout, dir, findings)
			errorCount := 0
			for _, f := range findings {
				if f.Severity == content.Error {
					errorCount++
				}
			}
			_, _ = fmt.Fprintf(env.stderr, "%d listings, %d errors, %d warnings\n", len(loaded.Listings), errorCount, len(findings)-errorCount)
			if errorCount > 0 {
				return errReported
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "content", "content", "folder of the listings")
	c.Flags().StringVar(&config, "config", "", "settings file (default: catalog.yml in this folder, where there is one)")
	return c
}
