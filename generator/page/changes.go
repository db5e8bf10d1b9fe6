package page

import (
	"cmp"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// maxChanges is the number of changes on the page and in its feed.
const maxChanges = 200

// changesPage says which facts of listings changed, the latest first.
type changesPage struct{ *catalog }

// changedDay has the changes of a day.
type changedDay struct {
	Day     api.Date
	Changes []changeView
}

// changeView is a change in words.
type changeView struct {
	ID         string // of the entry on the page
	Name, Path string // of the listing; Path is "" if it has left the catalogue
	Field      string
	From, To   string
	Source     *sourceView
}

func (s changesPage) show() (*render.Page, error) {
	var days []changedDay
	for i := range s.latestChanges() {
		c := &s.Content.Changes[i]
		if n := len(days); n == 0 || days[n-1].Day != c.Day {
			days = append(days, changedDay{Day: c.Day})
		}
		of := &days[len(days)-1]
		of.Changes = append(of.Changes, s.changeView(c))
	}
	title := s.T("What changed")
	return &render.Page{
		Kind: "changes", Title: title, Path: render.ChangesPath, Crumbs: render.Crumbs(title),
		Feed: render.ChangesPath + render.FeedFile, FeedTitle: title,
		Description: s.T("Licences, requirements and other facts of listings that changed, the latest first."),
		Data: struct {
			Days []changedDay
		}{days},
	}, nil
}

// latestChanges returns the changes that the page and the feed have.
func (s changesPage) latestChanges() []content.Change {
	return s.Content.Changes[:min(maxChanges, len(s.Content.Changes))]
}

func (s changesPage) changeView(c *content.Change) changeView {
	v := changeView{ID: changeID(c), Name: c.Name, Field: s.FieldLabel(c.Field)}
	if c.Listing != nil {
		v.Path = projectsPath + c.Listing.Slug + "/"
	}
	fact := &api.Fact{}
	if key, ok := strings.CutPrefix(c.Field, "fitNotes."); ok {
		fact = cmp.Or(s.Content.Taxonomy.Fact(key), fact)
	}
	v.Source = newSourceView(v.Field, c.Source)
	v.From, v.To = s.changedText(fact, c.From), s.changedText(fact, c.To)
	return v
}

// changedText returns a value of a change in words.
func (s changesPage) changedText(f *api.Fact, value any) string {
	if read, err := api.FactOf(value); err == nil { // package content checks that it is
		value = read
	}
	return s.FactText(f, value)
}

// changeID identifies a change on the page and in the feed.
func changeID(c *content.Change) string {
	id := strings.Join([]string{"on", string(c.Day), c.Slug, strings.ReplaceAll(c.Field, ".", "-")}, "-")
	if c.Earlier > 0 {
		id += "-" + strconv.Itoa(c.Earlier+1)
	}
	return id
}

// feed writes the feed of the changes.
func (s changesPage) feed() error {
	latest := s.latestChanges()
	entries := make([]feedEntry, len(latest))
	for i := range latest {
		entries[i] = s.feedEntry(&latest[i])
	}
	return feeds(s).feed(feedView{
		Page: render.ChangesPath, Path: render.ChangesPath + render.FeedFile, Entries: entries,
		Title: s.T("{title}: what changed", "title", s.Settings.Title),
	})
}

// feedEntry returns a change as an entry of a feed.
func (s changesPage) feedEntry(c *content.Change) feedEntry {
	change := s.changeView(c)
	entry := feedEntry{
		ID: s.Settings.URL(render.ChangesPath) + "#" + change.ID, Title: change.Name + ": " + change.Field,
		Changed: string(c.Day), Published: string(c.Day),
		Summary: s.T("{field}: now {to} (was {from})", "field", change.Field, "from", change.From, "to", change.To),
	}
	entry.Link = entry.ID
	if c.Listing != nil {
		entry.Link = c.Listing.PageURL
	}
	return entry
}
