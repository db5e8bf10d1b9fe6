package page

import (
	"fmt"

	"catalog.example/api"
)

// robots writes robots.txt (RFC 9309), which allows everything. The setting content_signal says what
// may be done with the content (https://contentsignals.org).
func (s discovery) robots() error {
	signal := ""
	if s.Settings.ContentSignal != "" {
		signal = "Content-Signal: " + s.Settings.ContentSignal + "\n"
	}
	sitemaps := "Sitemap: " + s.Settings.URL("/sitemap.xml") + "\n"
	for _, l := range s.Languages[min(1, len(s.Languages)):] {
		sitemaps += "Sitemap: " + l.Base + "/sitemap.xml\n"
	}
	return s.write("robots.txt", fmt.Appendf(nil, ""+
		`# People and their agents are welcome: this catalogue is public and read-only.
# Guide for agents: %s
# Description of the API: %s
User-agent: *
%sAllow: /

%s`, s.Settings.URL("/llms.txt"), api.Address(&s.Settings, api.PathOpenAPI), signal, sitemaps))
}
