package render

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/generator/content"
)

// Logo is how pages show a listing or a product: the logo in a file or, without one, a monogram, which
// the stylesheet draws. parts.js has the same rules.
type Logo struct {
	File    string // path, with the base; "" for a monogram
	Letters string // of the monogram, at most two
	Tint    int    // of the monogram: which of the colours of the stylesheet
}

// NoticesFile is the file of the build output with the sources and licences of logos and pictures.
const NoticesFile = "notices.txt"

// tints is how many colours the stylesheet has for monograms.
const tints = 4

// logos finds the logos and icons of a site.
type logos struct {
	base     string
	suffix   string            // of all files with logos, after their names; it has a hash
	listings map[string]string // the name of the logo by slug
	products map[string]string
	icons    map[string]string // by the path of the page of a category or platform: the address in a sprite
}

// LogoFile is how the paths of files with logos begin.
const LogoFile = "assets/logo-"

// prepareLogos keeps the logos as assets: a file for each logo of a listing or product, all with one hash
// in their names, so that page code finds a file by the name of the logo; and a sprite each for the
// icons of categories and platforms, which pages show together.
func (s *Shared) prepareLogos() {
	all := s.Content.Logos.List
	s.logos = logos{base: s.View.Base, listings: map[string]string{}, products: map[string]string{},
		icons: map[string]string{}}
	var texts []byte
	for i := range all {
		texts = append(append(texts, all[i].Name...), all[i].SVG...)
	}
	s.logos.suffix = strings.TrimPrefix(headers.HashedName(LogoFile+".svg", texts), LogoFile)
	given := map[string]string{}
	for i := range all {
		logo := &all[i]
		for _, slug := range logo.Listings {
			given[slug] = logo.Name
		}
		for _, slug := range logo.Products {
			s.logos.products[slug] = logo.Name
		}
		if len(logo.Listings)+len(logo.Products) > 0 {
			s.Assets[LogoFile+logo.Name+s.logos.suffix] = logo.SVG
		}
	}
	for _, l := range s.Listings {
		for _, slug := range l.Slugs() {
			if name := given[slug]; name != "" {
				s.logos.listings[l.Slug] = name
			}
		}
	}
	s.keepSprite("categories", func(l *content.Logo) []string { return l.Categories })
	s.keepSprite("platforms", func(l *content.Logo) []string { return l.Platforms })
}

// keepSprite keeps a file with the icons of what a function returns, by slug.
func (s *Shared) keepSprite(kind string, slugs func(*content.Logo) []string) {
	var symbols bytes.Buffer
	var drawn []string
	for i := range s.Content.Logos.List {
		logo := &s.Content.Logos.List[i]
		attributes, shapes, ends := strings.Cut(strings.TrimPrefix(string(logo.SVG), content.SVGRoot), ">")
		if !ends { // a text that lint refuses
			continue
		}
		shapes = strings.TrimSuffix(strings.TrimSpace(shapes), "</svg>")
		for _, slug := range slugs(logo) {
			symbols.WriteString(`<symbol id="` + slug + `" viewBox="0 0 24 24"` + attributes + ">" + shapes + "</symbol>")
			drawn = append(drawn, slug)
		}
	}
	if len(drawn) == 0 {
		return
	}
	text := `<svg xmlns="` + content.SVGNamespace + `">` + symbols.String() + "</svg>\n"
	file := s.keep("assets/"+kind+".svg", []byte(text))
	for _, slug := range drawn {
		s.logos.icons["/"+kind+"/"+slug+"/"] = s.View.Base + "/" + file + "#" + slug
	}
}

// ListingLogo returns the logo of a listing.
func (l *logos) ListingLogo(p *api.Project) Logo { return l.logo(l.listings[p.Slug], p.Slug, p.Name) }

// ProductLogo returns the logo of a product.
func (l *logos) ProductLogo(p *api.Product) Logo { return l.logo(l.products[p.Slug], p.Slug, p.Name) }

func (l *logos) logo(file, slug, name string) Logo {
	logo := Logo{Letters: monogram(name), Tint: len(slug) % tints}
	if file != "" {
		logo.File = l.base + "/" + LogoFile + file + l.suffix
	}
	return logo
}

// Icon returns the address of the icon of a category or platform in a sprite, by the path of its page,
// such as /platforms/linux/. It returns "" for any other path and without an icon.
func (l *logos) Icon(path string) string { return l.icons[path] }

// LogosOf returns the names of the logos of listings by slug, for page code: slug:name, or the slug if
// that is the name, separated by spaces.
func (l *logos) LogosOf(listings []*content.Listing) string {
	var list []string
	for _, one := range listings {
		switch name := l.listings[one.Slug]; name {
		case "":
		case one.Slug:
			list = append(list, name)
		default:
			list = append(list, one.Slug+":"+name)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// monogram returns the first characters of the first two words of a name; a word is letters and digits.
// The stylesheet shows them in upper case.
func monogram(name string) string {
	var b strings.Builder
	words, within := 0, false
	for _, r := range name {
		starts := unicode.IsLetter(r) || unicode.IsNumber(r)
		if starts && !within {
			if words++; words > 2 {
				break
			}
			b.WriteRune(r)
		}
		within = starts || within && unicode.IsMark(r)
	}
	return b.String()
}
