// Package lint checks content that package content has loaded by all other rules of
// package rule: that nothing deceives readers, that texts have their headings, that
// purposes differ, that words are not empty, that facts are not old, that links lead
// somewhere.
package lint

import (
	"context"
	"slices"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/generator/content"
)

// Load reads a content folder and checks it by every rule but those that need the
// network. The findings are ordered by place; with an error among them the content is
// not fit to build from. Facts that were read before oldest are told; "" tells none.
// The error is about reading files, or that ctx ended.
func Load(ctx context.Context, o content.Options, oldest api.Date) (*content.Content, []content.Finding, error) {
	c, findings, err := content.Load(ctx, o)
	if err != nil {
		return nil, findings, err
	}
	found, err := check(ctx, &catalog{c, o, oldest, newNames(c)})
	findings = append(findings, found...)
	content.SortFindings(findings)
	return c, findings, err
}

// catalog is what is checked.
type catalog struct {
	*content.Content
	options content.Options
	oldest  api.Date // facts from before are told; "" for none
	names   names
}

// listingChecks find what is wrong with one listing, checks with all of the catalog.
var (
	listingChecks = []func(*catalog, *content.Listing) []content.Finding{
		checkListingTexts, checkShown, checkAddresses, checkHeadings, checkLength, checkJobs, checkPraise, checkAge,
	}
	checks = []func(*catalog) []content.Finding{
		checkPages, checkTaxonomyTexts, checkPurposes, checkTopics, checkProducts, checkSynonyms, checkSchema,
	}
)

// check runs all checks, several at once. The error is that ctx ended.
func check(ctx context.Context, c *catalog) ([]content.Finding, error) {
	found := make([][]content.Finding, len(checks)+len(c.Listings))
	err := parallel.Each(ctx, c.options.Jobs, len(found), func(i int) error {
		if i < len(checks) {
			found[i] = checks[i](c)
			return nil
		}
		for _, check := range listingChecks {
			found[i] = append(found[i], check(c, c.Listings[i-len(checks)])...)
		}
		return nil
	})
	return slices.Concat(found...), err
}
