// Package lint checks content by the rules of package rule. Package content checks
// the syntax and values of files; this package adds the other rules: deceptive
// texts and links, headings, similar purposes, praise, old facts, dead links.
package lint

import (
	"context"
	"slices"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/generator/content"
)

// Load reads a content folder and checks it by all rules except those that need the
// network. The findings are sorted by position; if one is an error, the content
// cannot be built. Facts from before oldest are reported; "" reports none. The error
// is about reading files, or that ctx ended.
func Load(ctx context.Context, o content.Options, oldest api.Date) (*content.Content, []content.Finding, error) {
	c, findings, err := content.Load(ctx, o)
	if err != nil {
		return nil, findings, err
	}
	found, err := check(ctx, &catalog{c, o, oldest, newProperNames(c)})
	findings = append(findings, found...)
	content.SortFindings(findings)
	return c, findings, err
}

// catalog is the content to check.
type catalog struct {
	*content.Content
	options content.Options
	oldest  api.Date // earlier facts are reported; "" for none
	names   properNames
}

// listingChecks check one listing, catalogChecks the whole catalog.
var (
	listingChecks = []func(*catalog, *content.Listing) []content.Finding{
		checkListingTexts, checkNotShown, checkAddresses, checkHeadings, checkLength, checkJobs, checkInstallLinks, checkPraise, checkAge,
	}
	catalogChecks = []func(*catalog) []content.Finding{
		checkPages, checkTaxonomyTexts, checkPurposes, checkTopics, checkAsks, checkProducts, checkSynonyms, checkSchema,
	}
)

// check runs all checks concurrently. The error is that ctx ended.
func check(ctx context.Context, c *catalog) ([]content.Finding, error) {
	found := make([][]content.Finding, len(catalogChecks)+len(c.Listings))
	err := parallel.Each(ctx, c.options.Jobs, len(found), func(i int) error {
		if i < len(catalogChecks) {
			found[i] = catalogChecks[i](c)
			return nil
		}
		for _, check := range listingChecks {
			found[i] = append(found[i], check(c, c.Listings[i-len(catalogChecks)])...)
		}
		return nil
	})
	return slices.Concat(found...), err
}
