package page

import (
	"fmt"
	"slices"
	"strings"

	"catalog.example/generator/content"
	"catalog.example/generator/memo"
	"catalog.example/generator/render"
)

// picturePath returns the path of a listing's picture, or "".
func (s *catalog) picturePath(l *content.Listing) string {
	if s.Drawing == nil {
		return ""
	}
	return "/projects/" + l.Slug + render.SitePicture
}

// pictureTasks returns the tasks for the pictures of listings and site.
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
		add(s.picturePath(l), key, func() render.Card { return s.cardOf(l) })
	}
	return tasks
}

// cardOf returns the texts of a listing's picture. If the fonts lack letters, such as
// Hebrew or Japanese ones, the slug replaces the name, and the purpose is left out.
func (s *catalog) cardOf(l *content.Listing) render.Card {
	c := render.Card{Title: l.Name, Text: l.Purpose, Facts: s.ShortFacts(&l.Project), Site: s.Settings.Title}
	// Long facts come last, where there may be no room for them.
	isLong := func(fact string) int { return len(fact) / render.MaxCardFact }
	slices.SortStableFunc(c.Facts, func(a, b string) int { return isLong(a) - isLong(b) })
	if !s.Drawing.CanDraw(c.Title) {
		c.Title = l.Slug
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
