// Package edit renames and retires listings. It updates the links in other files and keeps the old
// addresses working.
//
// Every change is planned first: Rename and Retire read the content folder and return all new
// texts. Apply then writes them. It writes each file in one step, and undoes the changes if a file
// cannot be written or its context ends.
package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/output"
	"catalog.example/generator/regular"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// Change is a planned change of a content folder.
type Change struct {
	Slug string // slug of the listing before the change
	To   string // slug of the listing that replaces it; "" for none
	// Links lists the links that the change updates. ByHand lists the links that it cannot update,
	// because their addresses contain escapes or are elsewhere in the text.
	Links, ByHand []Link
	References    []Link // the lists of listings in front matter that the change updates
	// Translations has the files of the translations that a retired listing loses.
	Translations []string

	output.Patch

	matter     *content.FrontMatter
	references map[string][]content.Reference // of listings, by file
}

// Link is a link in a file.
type Link struct {
	File string // below the content folder, with slashes
	Line int    // from 1
	Key  string // of the list in front matter; "" for a link in the text
}

// newChange returns a change that removes the file of a listing and its translations.
func newChange(c *content.Content, dir string, l *content.Listing) *Change {
	p := &Change{Slug: l.Slug, Patch: output.Patch{Dir: dir, Removes: filesOf(c, l)}, matter: c.FrontMatter,
		references: map[string][]content.Reference{}}
	for _, other := range c.Listings {
		p.references[other.File] = other.References()
	}
	return p
}

// filesOf returns the file of a listing and its translations.
func filesOf(c *content.Content, l *content.Listing) []string {
	return append([]string{l.File}, c.Translations[l.File]...)
}

// Rename plans to change the slug of a listing from old to slug.
func Rename(c *content.Content, dir, old, slug string) (*Change, error) {
	l, err := find(c, dir, old)
	if err != nil {
		return nil, err
	}
	if err := checkFree(c, l, slug); err != nil {
		return nil, err
	}
	former := slices.DeleteFunc(addresses(l), func(s string) bool { return s == slug })
	p := newChange(c, dir, l)
	stem := strings.TrimSuffix(l.File, ".md")
	renamed := path.Join(path.Dir(l.File), slug)
	if _, err := os.Lstat(p.Path(renamed + ".md")); err == nil {
		return nil, fmt.Errorf("%s already exists: choose another slug", p.Path(renamed+".md"))
	}
	if err := p.eachFile(c, func(name string, text []byte) error {
		if name == l.File {
			if text, err = withFormer(c, p.Path(name), text, former); err != nil {
				return err
			}
		}
		if slices.Contains(p.Removes, name) {
			name = renamed + strings.TrimPrefix(name, stem)
		}
		if text, err = p.setReferences(name, text, l.Slug, slug); err != nil {
			return err
		}
		p.Write(name, p.retarget(name, text, l.Slug, slug))
		return nil
	}); err != nil {
		return nil, err
	}
	return p, nil
}

// Retire plans to remove the listing with the given slug. If to is not "", it names the listing to
// which the addresses of the removed listing, and links to it, will lead. If to is "", links to the
// removed listing become plain text, and it is added to the list of removed listings with the day
// and the reason.
func Retire(c *content.Content, dir, slug, to, because string, day api.Date) (*Change, error) {
	l, err := find(c, dir, slug)
	if err != nil {
		return nil, err
	}
	if message := content.CheckReason(because); message != "" {
		return nil, fmt.Errorf("the reason %s", message)
	}
	p := newChange(c, dir, l)
	p.Translations = c.Translations[l.File]
	var heir *content.Listing
	if to != "" {
		if heir, err = find(c, dir, to); err != nil {
			return nil, err
		}
		p.To = heir.Slug
		if heir == l {
			return nil, fmt.Errorf("%s cannot replace itself: choose another listing with --to", l.Slug)
		}
	}
	if err := p.eachFile(c, func(name string, text []byte) error {
		if slices.Contains(p.Removes, name) {
			return nil
		}
		if heir != nil && name == heir.File {
			if text, err = withFormer(c, p.Path(name), text, slices.Concat(heir.Formerly, addresses(l))); err != nil {
				return err
			}
		}
		if text, err = p.setReferences(name, text, l.Slug, p.To); err != nil {
			return err
		}
		if heir == nil || name == heir.File { // a retargeted link in this file would lead to the file itself
			p.Write(name, p.unlink(name, text, l.Slug))
		} else {
			p.Write(name, p.retarget(name, text, l.Slug, heir.Slug))
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if heir == nil {
		if content.CheckSlug(l.Slug) != "" { // no page has an invalid slug
			return p, nil
		}
		left := content.Retired{Slug: l.Slug, Name: cmp.Or(l.Name, l.Slug), Left: day, Because: because,
			Formerly: addresses(l)}
		left.Formerly = left.Formerly[:len(left.Formerly)-1] // the last one is its current slug
		if _, ok := c.Taxonomy.Category(l.Category); ok {
			left.Category = l.Category
		}
		text, err := withRetired(p.Path("taxonomy/"+content.RetiredFile), &left)
		if err != nil {
			return nil, err
		}
		p.Write("taxonomy/"+content.RetiredFile, text)
	}
	return p, nil
}

// addresses returns the former slugs of a listing and its current slug, except invalid ones.
func addresses(l *content.Listing) []string {
	return slices.DeleteFunc(append(slices.Clone(l.Formerly), l.Slug),
		func(s string) bool { return content.CheckSlug(s) != "" })
}

// find returns the listing with the given slug, or with that file below the content folder.
func find(c *content.Content, dir, slug string) (*content.Listing, error) {
	var slugs []string
	var found []*content.Listing
	for _, l := range c.All() {
		if l.Slug == slug || filepath.Clean(slug) == filepath.Join(dir, filepath.FromSlash(l.File)) {
			found = append(found, l)
		}
		slugs = append(slugs, l.Slug)
	}
	switch {
	case len(found) > 1:
		return nil, fmt.Errorf("%s and %s have the slug %q: rename one of the files by hand", found[0].File,
			found[1].File, slug)
	case len(found) == 1 && slices.Contains(c.Unreadable, found[0]):
		return nil, fmt.Errorf("%s cannot be read: correct it first; catalog lint says what is wrong", found[0].File)
	case len(found) == 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("there is no listing %q%s", slug, spelling.Hint(slug, slugs))
}

// checkFree returns an error if a slug is not available for a listing.
func checkFree(c *content.Content, l *content.Listing, slug string) error {
	if message := content.CheckSlug(slug); message != "" {
		return errors.New(message)
	}
	for _, other := range c.All() {
		switch {
		case other.Slug == slug:
			return fmt.Errorf("the slug %q is taken by %s: choose another", slug, other.File)
		case other != l && slices.Contains(other.Formerly, slug):
			return fmt.Errorf("%q is a former slug of %s, and its addresses lead there: choose another", slug,
				other.File)
		}
	}
	for i := range c.Retired {
		if slices.Contains(c.Retired[i].Slugs(), slug) {
			return fmt.Errorf("%q is an address of %s, which has left the catalogue: choose another, or "+
				"remove it from taxonomy/%s", slug, c.Retired[i].Name, content.RetiredFile)
		}
	}
	return nil
}

// maxFile is the maximum size of the files that are read, in bytes: four times the longest page.
const maxFile = 1 << 20

// eachFile calls change for the file of each listing and page, and for their translations. It skips
// files that are not regular or are too large, because lint reports them.
func (p *Change) eachFile(c *content.Content, change func(name string, text []byte) error) error {
	var names []string
	for _, l := range c.All() {
		names = append(names, filesOf(c, l)...)
	}
	for _, page := range c.Pages {
		names = append(append(names, page.File), c.Translations[page.File]...)
	}
	for _, name := range names {
		text, err := regular.ReadFile(p.Path(name), maxFile)
		if _, irregular := errors.AsType[*regular.Error](err); irregular {
			continue
		}
		if err != nil {
			return err
		}
		if err := change(name, text); err != nil {
			return err
		}
	}
	return nil
}

// retarget returns a file's text in which links to one slug lead to another.
func (p *Change) retarget(name string, text []byte, from, to string) []byte {
	return p.eachLink(name, text, from, func(l content.ListingLink) (start, stop int, slug []byte) {
		return l.Start, l.Stop, []byte(to)
	})
}

// unlink returns a file's text in which links to a slug are replaced with their texts.
func (p *Change) unlink(name string, text []byte, slug string) []byte {
	return p.eachLink(name, text, slug, func(l content.ListingLink) (start, stop int, shown []byte) {
		if l.Close == 0 {
			return 0, 0, nil
		}
		return l.Open, l.Close, text[l.Open+1 : l.Text]
	})
}

// eachLink returns a file's text in which the links to a slug are changed. It calls change for each
// of them in order. change returns which part of the text to replace, and its replacement. A stop
// of 0 means that the link cannot be changed.
func (p *Change) eachLink(name string, text []byte, slug string,
	change func(content.ListingLink) (start, stop int, by []byte)) []byte {
	links := slices.DeleteFunc(p.matter.ListingLinks(name, text),
		func(l content.ListingLink) bool { return l.Slug != slug })
	slices.SortStableFunc(links, func(a, b content.ListingLink) int { return a.Start - b.Start })
	var out bytes.Buffer
	at := 0
	for _, link := range links {
		start, stop, by := change(link)
		if stop == 0 {
			p.ByHand = append(p.ByHand, Link{File: name, Line: link.Line})
			continue
		}
		out.Write(text[at:start])
		out.Write(by)
		at = stop
		p.Links = append(p.Links, Link{File: name, Line: link.Line})
	}
	out.Write(text[at:])
	return out.Bytes()
}

// setReferences replaces the slug from with to in the lists of listings in the front matter of a file. It removes from
// if to is empty, is the listing itself or is in the list already. The text of other files is returned unchanged.
func (p *Change) setReferences(name string, text []byte, from, to string) ([]byte, error) {
	for _, in := range p.references[name] {
		at := slices.Index(in.Slugs, from)
		if at < 0 {
			continue
		}
		slugs := slices.Clone(in.Slugs)
		itself := strings.TrimSuffix(path.Base(name), ".md")
		if to == "" || to == itself || slices.Contains(slugs, to) {
			slugs = slices.Delete(slugs, at, at+1)
		} else {
			slugs[at] = to
		}
		var err error
		if text, err = p.matter.Format(text, canonical.Setting{Path: in.Path, Value: slugs}); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Path(name), err)
		}
		indented := "\n" + strings.Repeat("  ", len(in.Path)-1) + in.Key() + ":"
		line := 1 + bytes.Count(text[:max(0, bytes.Index(text, []byte(indented))+1)], []byte("\n"))
		p.References = append(p.References, Link{name, line, in.Key()})
	}
	return text, nil
}

// withFormer returns the text of a listing with the given former slugs.
func withFormer(c *content.Content, name string, text []byte, former []string) ([]byte, error) {
	text, err := c.FrontMatter.Format(text, canonical.Setting{Path: []string{"formerly"}, Value: former})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// retiredHead begins a new file of removed listings.
const retiredHead = `# Listings that have left the catalogue. Their pages say so. catalog retire adds to this list.
`

// withRetired returns the text of the file of removed listings with one more entry.
func withRetired(name string, r *content.Retired) ([]byte, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		text, err = []byte(retiredHead), nil
	}
	if err != nil {
		return nil, err
	}
	left := yamlnode.Scalar(string(r.Left), nil)
	left.Tag = "!!timestamp"
	var former *yaml.Node
	if len(r.Formerly) > 0 {
		former = &yaml.Node{}
		_ = former.Encode(r.Formerly) // texts can be encoded
		former.Style = yaml.FlowStyle
	}
	entry := yamlnode.Mapping(nil, "slug", r.Slug, "name", r.Name, "left", left, "because", r.Because,
		"category", r.Category, "formerly", former)
	if text, err = canonical.AppendEntries(text, []*yaml.Node{entry}); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}
