package page

import (
	"slices"

	"catalog.example/api/headers"
)

// badgeFile returns the path of the badge of a listing.
func badgeFile(slug string) string { return "badge/" + slug + ".svg" }

// embedFile returns the path of the small page of a listing which other sites show in a frame.
func embedFile(slug string) string { return headers.EmbedFolder + slug + "/index.html" }

// slugs returns the slug of the listing and its former ones. Other sites go on to use the addresses
// of a badge, and hosts do not redirect them.
func (s listingPage) slugs() []string { return slices.Concat([]string{s.l.Slug}, s.l.Formerly) }

// badges writes what other sites show of the listing.
func (s listingPage) badges() error {
	badge, err := s.Badge(&s.l.Project)
	if err != nil {
		return err
	}
	embed, err := s.Embed(&s.l.Project)
	if err != nil {
		return err
	}
	for _, slug := range s.slugs() {
		if err := s.write(badgeFile(slug), badge); err != nil {
			return err
		}
		if err := s.write(embedFile(slug), embed); err != nil {
			return err
		}
	}
	return nil
}
