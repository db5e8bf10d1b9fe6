package lint

import (
	"fmt"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// CheckAdvisories warns of advisories that listings do not tell of, and of those that were withdrawn. untold returns
// both for a listing, the latter as places in its list. export is the name of the export of OSV, for the remedy.
func CheckAdvisories(c *content.Content, export string, untold func(*content.Listing) ([]api.Advisory, []int)) (
	list []content.Finding,
) {
	for _, l := range c.Listings {
		missing, withdrawn := untold(l)
		remedy := fmt.Sprintf("run: catalog refresh --advisories %s --only %s", export, l.Slug)
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
