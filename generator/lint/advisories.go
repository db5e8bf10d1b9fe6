package lint

import (
	"fmt"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// CheckAdvisories warns of advisories that listings do not tell of, of those that were withdrawn, and of packages that
// listings no longer have. untold returns these for a listing, the latter two as places in its lists. refresh is the
// command that corrects all listings.
func CheckAdvisories(c *content.Content, refresh string,
	untold func(*content.Listing) (missing []api.Advisory, withdrawn, unlinked []int),
) (list []content.Finding) {
	for _, l := range c.Listings {
		missing, withdrawn, unlinked := untold(l)
		remedy := fmt.Sprintf("run: %s --only %s", refresh, l.Slug)
		place := at("installLinks")
		if l.Advisories != nil {
			place = at(api.AdvisoriesKey)
		}
		for _, a := range missing {
			list = append(list, l.At(rule.Advisories, fmt.Sprintf("advisories: %s about %s %s is missing here; %s",
				a.ID, a.Ecosystem, a.Package, remedy), place...))
		}
		for _, i := range withdrawn {
			list = append(list, l.At(rule.Advisories, fmt.Sprintf("advisories: %s was withdrawn; %s",
				l.Advisories.Known[i].ID, remedy), api.AdvisoriesKey, "known", i))
		}
		for _, i := range unlinked {
			p := &l.Advisories.Read[i]
			list = append(list, l.At(rule.Advisories, fmt.Sprintf("advisories: no install link leads to %s %s; %s",
				p.Ecosystem, p.Package, remedy), api.AdvisoriesKey, "read", i, "package"))
		}
	}
	return list
}

// IsSafe reports whether a text of others may be in a listing: it gives no instructions to models and hides nothing.
func IsSafe(text string) bool {
	var found findings
	checkTexts([]textField{{"", text, func(r rule.Rule, message string, _ int) content.Finding {
		return content.Finding{Line: 1, Rule: r, Message: message}
	}}}, &found)
	return len(found.list) == 0
}
