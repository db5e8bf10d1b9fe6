package page

import (
	"fmt"

	"catalog.example/api"
)

// robots writes robots.txt (RFC 9309), which allows everything.
func (s discovery) robots() error {
	return s.write("robots.txt", fmt.Appendf(nil, ""+
		`# People and their agents are welcome: this catalogue is public and read-only.
# Guide for agents: %s
# Description of the API: %s
User-agent: *
Allow: /

Sitemap: %s
`, s.Settings.URL("/llms.txt"), api.Address(&s.Settings, api.PathOpenAPI), s.Settings.URL("/sitemap.xml")))
}
