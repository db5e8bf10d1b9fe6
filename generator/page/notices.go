package page

import (
	"fmt"
	"strings"

	"catalog.example/generator/render"
)

// notices is the file that says where the logos, the pictures and the land on maps come from and on which terms.
type notices struct{ *catalog }

// text writes the sets of logos, the notices of pictures as the catalogue has them, and those of maps.
func (s notices) text() error {
	var parts []string
	if len(s.Content.Logos.Sets) > 0 {
		parts = append(parts, s.logos())
	}
	if s.Content.PictureNotices != "" {
		parts = append(parts, s.T("Pictures")+"\n\n"+s.Content.PictureNotices+"\n")
	}
	if s.LandNotice != "" {
		parts = append(parts, s.T("Maps")+"\n\n"+s.LandNotice+"\n")
	}
	return s.write(render.NoticesFile, []byte(strings.Join(parts, "\n\n")))
}

// logos returns the sets with their terms and logos.
func (s notices) logos() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", s.T("Logos and icons"))
	fmt.Fprintf(&b, "%s\n", s.T("A logo stands for the thing of its name only. Its maker may have rights in it "+
		"that the licence of its set does not give."))
	all := &s.Content.Logos
	for i := range all.Sets {
		set := &all.Sets[i]
		fmt.Fprintf(&b, "\n\n%s %s, %s\n%s\n\n", set.Name, set.Version, set.License, set.Source)
		for j := range all.List {
			if logo := &all.List[j]; logo.Set == set.Slug {
				name := logo.Icon
				if name == "" {
					name = logo.Name
				}
				fmt.Fprintf(&b, "- %s (%s)\n", name, set.License)
			}
		}
		fmt.Fprintf(&b, "\n%s", set.Terms)
	}
	return b.String()
}
