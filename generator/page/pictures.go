package page

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"catalog.example/generator/content"
	"catalog.example/generator/memo"
	"catalog.example/generator/render"
)

// picturePath returns the path of the picture of the page at a path, or "" if none are drawn.
func (s *catalog) picturePath(page string) string {
	if s.Drawing == nil {
		return ""
	}
	return path.Join(page, render.SitePicture)
}

// pictureTasks returns the tasks for the pictures of the site, of listings and of lists.
func (s *catalog) pictureTasks() []Task {
	if s.Drawing == nil {
		return nil
	}
	var tasks []Task
	add := func(path string, key func() memo.Key, card func() render.Card) {
		run := func() error { return s.picture(path, card()) }
		tasks = append(tasks, Task{[]string{strings.TrimPrefix(path, "/")}, key, run})
	}
	add(render.SitePicture, func() memo.Key { return s.keyOf("site picture", nil) }, func() render.Card {
		return render.Card{Title: s.Settings.Title, Text: s.Settings.Description}
	})
	for _, l := range s.Listings {
		key := func() memo.Key { return s.keyOf("picture", nil, []*content.Listing{l}) }
		add(s.picturePath(listingPage{l: l}.path()), key, func() render.Card { return s.cardOf(l) })
	}
	for _, l := range s.lists() {
		if l.hasPicture() {
			key := func() memo.Key { return s.keyOf("list picture", l.card()) }
			add(s.picturePath(l.path), key, l.card)
		}
	}
	return tasks
}

// shownPictures returns the tasks for the pictures that listings show.
func shownPictures(s *catalog) (tasks []Task) {
	for i := range s.Content.Pictures {
		p := &s.Content.Pictures[i]
		tasks = append(tasks, Task{
			Names: []string{strings.TrimPrefix(p.Path, "/")},
			Key:   func() memo.Key { return memo.KeyOf("shown picture", []byte(p.Path)) }, // which has its hash
			Run: func() error {
				text, err := p.Read()
				if err != nil {
					return err
				}
				return s.write(strings.TrimPrefix(p.Path, "/"), text)
			},
		})
	}
	return tasks
}

// cardOf returns the texts of a listing's picture. If the fonts lack letters, such as
// Hebrew or Japanese ones, the slug replaces the name, and the purpose is left out.
func (s *catalog) cardOf(l *content.Listing) render.Card {
	c := render.Card{Title: l.Name, Text: l.Purpose, Facts: s.ShortFacts(&l.Project), Site: s.Settings.Title}
	// Facts that need their label, and long ones, come last, where there may be no room for them.
	rank := func(fact string) int {
		if len(fact) < render.MaxCardFact && !strings.Contains(fact, ": ") {
			return 0
		}
		return 1 + len(fact)/render.MaxCardFact
	}
	slices.SortStableFunc(c.Facts, func(a, b string) int { return rank(a) - rank(b) })
	if !s.Drawing.CanDraw(c.Title) {
		c.Title = l.Slug
	}
	return c
}

// hasPicture reports whether the list has a picture of its own: people send links to categories,
// alternatives and sets.
func (l *list) hasPicture() bool {
	return slices.Contains([]string{categoriesPath, alternativesPath, setsPath}, l.parent.Path)
}

// namedOnCard is the number of listings that the picture of a list names.
const namedOnCard = 3

// card returns the texts of the list's picture: its title, its first listings, and how many there are.
func (l *list) card() render.Card {
	c := render.Card{Title: l.title, Site: l.Settings.Title,
		Facts: []string{l.N(l.total(), "{n} listing", "{n} listings")}}
	if !l.Drawing.CanDraw(c.Title) {
		c.Title = path.Base(l.path)
	}
	var names []string
	for _, one := range l.listings {
		if len(names) == namedOnCard {
			break
		}
		if l.Drawing.CanDraw(one.Name) {
			names = append(names, one.Name)
		}
	}
	c.Text = strings.Join(names, ", ")
	if more := l.total() - len(names); len(names) > 0 && more > 0 {
		c.Text += " …"
	}
	return c
}

// picture writes a picture, from the cache if the cache has it.
func (s *catalog) picture(path string, c render.Card) error {
	text, err := s.Drawing.Encoded(c)
	if err != nil {
		return fmt.Errorf("picture %s: %w", path, err)
	}
	return s.write(strings.TrimPrefix(path, "/"), text)
}
