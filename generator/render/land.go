package render

import (
	"fmt"
	"io/fs"
	"strings"
)

// landFile has the outlines of land for maps: a path with the id land, in degrees. A comment in it says where
// they come from. It is not minified, so that the comment stays.
const landFile = "assets/land.svg"

// prepareLand keeps the outlines of land as an asset, if pages have maps.
func (s *Shared) prepareLand() error {
	if s.Content.Taxonomy.PlaceFact() == nil {
		return nil
	}
	text, err := fs.ReadFile(s.Site.Templates, landFile)
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	_, notice, _ := strings.Cut(string(text), "<!--")
	notice, _, _ = strings.Cut(notice, "-->")
	s.LandNotice = strings.TrimSpace(notice)
	s.View.Land = s.View.Base + "/" + s.keep(landFile, text) + "#land"
	return nil
}
