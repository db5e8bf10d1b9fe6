package render

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// listingView is the view of a listing's page.
type listingView struct {
	Project *api.Project
	// Replaces and Categories stand above the tables of facts.
	Replaces, Categories []factPart
	Groups               []groupTexts
	Setups               []setupRow
	Needs                template.JSStr // what computer.js reads; "" if listings have no setups
	Texts                []textsView
	Links                []linkView // to source and homepage, for the Markdown version
	Parts                []bodyPart
	Prose                markdown // what Parts renders, for the Markdown version
	Similar              []similarView
	Compare              string // path of its comparison with similar listings
	Sources              []sourceView
	Judged               []string     // labels of facts without a source
	Report               template.URL // address for reports of wrong facts; "" for none
}

// groupTexts is a table of facts with rendered rows.
type groupTexts struct {
	Name  string
	Rows  template.HTML
	Lines markdown // what Rows renders, for the Markdown version
}

// textsView is a fact that is a list of texts, which is not in a table.
type textsView struct {
	Label string
	List  []string
}

// similarView is a similar listing with its differences.
type similarView struct {
	Related     template.HTML // the listing itself
	Differences template.HTML // "" for none
	Line        markdown      // all of it for the Markdown version
}

// relatedView is a listing on the page of a similar one.
type relatedView struct{ Base, Slug, Name, Purpose string }

// bodyPart is a section of a listing's description.
type bodyPart struct {
	Class string // "fit", "elsewhere", or "" for any other
	HTML  template.HTML
}

// bodyParts splits a description at its h2 headings outside of quotations and lists. In
// rendered text, every "<" begins a tag, so it splits between elements.
func bodyParts(body string) []bodyPart {
	var parts []bodyPart
	for body != "" {
		end := 1
		for end < len(body) {
			next := strings.Index(body[end:], "<h2")
			if next < 0 {
				end = len(body)
				break
			}
			end += next
			if open(body[:end], "blockquote") == 0 && open(body[:end], "li") == 0 {
				break
			}
			end++
		}
		heading := ""
		if strings.HasPrefix(body, "<h2") {
			heading, _, _ = strings.Cut(body, "</h2>")
		}
		p := bodyPart{HTML: template.HTML(body[:end])} // #nosec G203 -- rendered by goldmark without raw HTML
		switch {
		case strings.HasSuffix(heading, api.HeadingFit):
			p.Class = "fit"
		case strings.HasSuffix(heading, api.HeadingElsewhere):
			p.Class = "elsewhere"
		}
		parts = append(parts, p)
		body = body[end:]
	}
	return parts
}

// open returns how many elements of a name are open at the end of some HTML.
func open(html, name string) int {
	return strings.Count(html, "<"+name+">") - strings.Count(html, "</"+name+">")
}

type sourceView struct{ Field, Text, Link string }

func newSourceView(field, text string) sourceView {
	v := sourceView{Field: field, Text: text}
	if strings.HasPrefix(text, "https://") {
		v.Link, _, _ = strings.Cut(text, " ")
	}
	return v
}

// listing writes a listing's page and its JSON.
func (r *renderer) listing(l *content.Listing) error {
	view := listingView{
		Project:  &l.Project,
		Parts:    bodyParts(l.BodyHTML),
		Prose:    markdown(l.BodyMarkdown),
		Sources:  sourceViews(l.Sources),
		Judged:   r.judged(&l.ProjectDetail),
		Replaces: r.productParts(&l.Project), Categories: r.categoryParts(&l.Project),
		Report: r.report(&l.Project), Texts: r.texts(&l.Project),
	}
	if r.Content.Taxonomy.HasSetups() {
		var err error
		if view.Needs, err = r.needsJSON(&l.Project); err != nil {
			return fmt.Errorf("facts of %s: %w", l.Slug, err)
		}
		view.Setups = r.setupRows(&l.Project)
	}
	for _, link := range []struct {
		title   string
		address *string
	}{{"Source repository", &l.RepositoryURL}, {"Homepage", l.HomepageURL}, {"Documentation", l.DocsURL}} {
		if link.address != nil && *link.address != "" {
			view.Links = append(view.Links, linkView{Title: link.title, Path: *link.address})
		}
	}
	for _, group := range r.factGroups(&l.Project) {
		texts := groupTexts{Name: group.Name}
		rows := r.buffer()
		var lines strings.Builder
		for i := range group.Rows {
			text, err := r.fact(&group.Rows[i])
			if err != nil {
				return err
			}
			rows.Write(text.row)
			lines.WriteString(string(text.line))
			lines.WriteByte('\n')
		}
		texts.Rows = minified(rows.Bytes())
		r.buffers.Put(rows)
		texts.Lines = markdown(lines.String())
		view.Groups = append(view.Groups, texts)
	}
	slugs := []string{l.Slug}
	for _, slug := range l.Similar {
		other := r.bySlug[slug]
		v, err := r.similar(l, other)
		if err != nil {
			return err
		}
		view.Similar = append(view.Similar, v)
		if len(slugs) < maxCompared {
			slugs = append(slugs, slug)
		}
	}
	view.Compare = r.view.Base + "/compare/?slugs=" + strings.Join(slugs, ",")
	crumbs := []crumbView{{"Categories", "/categories/"}}
	if c, ok := r.Content.Taxonomy.Category(l.Category); ok {
		crumbs = append(crumbs, crumbView{c.Name, "/categories/" + c.Slug + "/"})
	}
	err := r.page("project", pageView{
		Title: l.Name, Description: l.Purpose, Path: "/projects/" + l.Slug + "/",
		Crumbs: append(crumbs, crumbView{l.Name, ""}), Data: view, listing: l,
	})
	if err != nil {
		return err
	}
	text, err := l.JSON(&r.Settings)
	if err != nil {
		return err
	}
	return r.write("api/v1/projects/"+l.Slug+".json", text)
}

// texts returns the facts of a listing that are lists of texts.
func (r *renderer) texts(p *api.Project) (list []textsView) {
	for i := range r.Content.Taxonomy.Facts {
		f := &r.Content.Taxonomy.Facts[i]
		if texts, ok := p.FitNotes.Get(f.Key).([]string); ok && f.Kind == api.FactTexts && f.Group == "" && len(texts) > 0 {
			list = append(list, textsView{f.Label, texts})
		}
	}
	return list
}

// similar returns a similar listing for the page of another.
func (r *renderer) similar(one, other *content.Listing) (v similarView, err error) {
	if v.Related, err = r.fragments[other.Slug].related(); err != nil {
		return v, err
	}
	list := r.differences(one, other)
	line := string(r.fragments[other.Slug].brief())
	if len(list) > 0 {
		line += " Differs: " + string(joined(list)) + "."
	} else {
		line += " The facts are the same."
	}
	v.Line = markdown(line)
	var tags strings.Builder
	for _, text := range list {
		tag, err := r.tag(text)
		if err != nil {
			return v, err
		}
		tags.WriteString(tag)
	}
	v.Differences = template.HTML(tags.String()) // #nosec G203 -- rendered by html/template
	return v, nil
}

// tag renders a difference between listings. There are few, so each is rendered once. They
// are inline, so they are minified with the page.
func (r *renderer) tag(text string) (string, error) {
	if made, ok := r.tagCache.Load(text); ok {
		return made.(string), nil
	}
	var out strings.Builder
	if err := r.partials.ExecuteTemplate(&out, "difference", text); err != nil {
		return "", fmt.Errorf("templates: %w", err)
	}
	r.tagCache.Store(text, out.String())
	return out.String(), nil
}

// factTexts is a fact as a row of a table and as a line of Markdown.
type factTexts struct {
	row  []byte // minified
	line markdown
}

// fact renders a row of a table of facts. Many listings have the same row, so each is
// rendered once.
func (r *renderer) fact(row *factRow) (factTexts, error) {
	key := row.Label + "\x00" + row.Mark + "\x00" + row.Note
	for _, p := range row.Parts {
		key += "\x00" + p.Text + "\x00" + p.Link
	}
	if texts, ok := r.factCache.Load(key); ok {
		return texts.(factTexts), nil
	}
	var texts factTexts
	var err error
	if texts.row, err = r.partial("fact", row); err != nil {
		return texts, err
	}
	if texts.line, err = r.markdownPartial("fact", row); err != nil {
		return texts, err
	}
	r.factCache.Store(key, texts)
	return texts, nil
}

// report returns the address for reports of wrong facts of a listing: the owner's contact,
// with the listing as its subject.
func (r *renderer) report(p *api.Project) template.URL {
	contact, err := url.Parse(string(r.view.Contact))
	if err != nil || *contact == (url.URL{}) {
		return r.view.Contact
	}
	// Mail programs read the parameter subject, forms for new issues title.
	field := "subject="
	if strings.HasSuffix(contact.Path, "/issues/new") {
		field = "title="
	}
	if contact.RawQuery != "" {
		contact.RawQuery += "&"
	}
	contact.RawQuery += field + url.PathEscape("Wrong fact: "+p.Slug)
	return template.URL(contact.String()) // #nosec G203 -- from contactLink, with an escaped subject
}

func sourceViews(sources map[string]string) []sourceView {
	var views []sourceView
	for field, text := range sources {
		views = append(views, newSourceView(field, text))
	}
	slices.SortFunc(views, func(a, b sourceView) int { return strings.Compare(a.Field, b.Field) })
	return views
}
