package page

import (
	"bytes"
	"fmt"

	"catalog.example/generator/render"
)

// notices is the file that says where the logos and pictures come from and on which terms.
type notices struct{ *catalog }

// text writes the sets of logos, and then the notices of pictures as the catalogue has them.
func (s notices) text() error {
	var b bytes.Buffer
	if len(s.Content.Logos.Sets) > 0 {
		s.addLogos(&b)
	}
	if s.Content.PictureNotices != "" {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s\n\n%s\n", s.T("Pictures"), s.Content.PictureNotices)
	}
	return s.write(render.NoticesFile, b.Bytes())
}

// addLogos adds the sets with their terms and logos.
func (s notices) addLogos(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s\n\n", s.T("Logos and icons"))
	fmt.Fprintf(b, "%s\n", s.T("A logo stands for the thing of its name only. Its maker may have rights in it "+
		"that the licence of its set does not give."))
	all := &s.Content.Logos
	for i := range all.Sets {
		set := &all.Sets[i]
		fmt.Fprintf(b, "\n\n%s %s, %s\n%s\n\n", set.Name, set.Version, set.License, set.Source)
		for j := range all.List {
			if logo := &all.List[j]; logo.Set == set.Slug {
				name := logo.Icon
				if name == "" {
					name = logo.Name
				}
				fmt.Fprintf(b, "- %s (%s)\n", name, set.License)
			}
		}
		fmt.Fprintf(b, "\n%s", set.Terms)
	}
}
