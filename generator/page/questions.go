package page

import (
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

const questionsPath = "/choose/"

// questionsPage asks up to three questions, for people who do not know what to search for. Its form leads to
// a search with the answers as filters, and needs no script. There is no such page for a single question.
type questionsPage struct{ *catalog }

// questionsView is the view of the questions. Answers without listings are left out.
type questionsView struct {
	Total   int
	For     []purposeGroup // what for: categories
	On      []answerView   // on what: systems of computers, or platforms
	HasCard bool           // whether to ask for memory and the graphics card, too
	Matters []answerView   // what matters: values of the filters by facts
}

// purposeGroup has the categories of a group.
type purposeGroup struct {
	All        answerView // any of them; without a value if only one of them can be chosen
	Categories []answerView
}

// answerView is an answer: a value of a parameter of the search.
type answerView struct {
	Parameter, Value string
	Label            string
	Count            int // listings that it finds
}

// number returns how many questions there are to ask.
func (v *questionsView) number() (n int) {
	categories := 0
	for _, group := range v.For {
		categories += len(group.Categories)
	}
	for _, asked := range []bool{categories > 1, len(v.On) > 0, len(v.Matters) > 0} {
		if asked {
			n++
		}
	}
	return n
}

// newView returns the questions. Pages use catalog.questions, which keeps the result.
func (s questionsPage) newView() *questionsView {
	view := &questionsView{Total: len(s.Listings), For: s.purposes(), Matters: s.matters()}
	if view.On = s.systems(); len(view.On) > 0 {
		view.HasCard = true
	} else if s.View.HasPlatforms() {
		on := by(s.Listings, platformsOf)
		for _, p := range s.Content.Taxonomy.Platforms {
			view.On = withAnswer(view.On, answerView{"platform", p.Slug, p.Name, len(on[p.Slug])})
		}
	}
	return view
}

// title returns the title of the page with the questions; "" if there is none, and the link to it on the home
// page.
func (s questionsPage) title() (title, link string) {
	if !s.Settings.HasSearch() {
		return "", ""
	}
	switch s.questions().number() {
	case 3:
		return s.T("Three questions"), s.T("Not sure what to ask? Three questions")
	case 2:
		return s.T("Two questions"), s.T("Not sure what to ask? Two questions")
	}
	return "", ""
}

func (s questionsPage) show() (*render.Page, error) {
	title, _ := s.title()
	return &render.Page{
		Kind: "questions", Title: title, Path: questionsPath, Crumbs: render.Crumbs(title), Data: s.questions(),
		Description: s.T("Answer what you can, and leave the rest. The answers become a search."),
	}, nil
}

// withAnswer appends an answer that finds something.
func withAnswer(list []answerView, a answerView) []answerView {
	if a.Count == 0 {
		return list
	}
	return append(list, a)
}

// purposes returns the categories by their groups.
func (s questionsPage) purposes() (groups []purposeGroup) {
	const parameter = "category"
	home := by(s.Listings, categoryOf)
	for _, g := range s.categoryGroups() {
		group, slugs := purposeGroup{All: answerView{Parameter: parameter, Label: g.Name}}, []string{}
		for _, c := range g.Categories {
			group.Categories = withAnswer(group.Categories, answerView{parameter, c.Slug, c.Name, len(home[c.Slug])})
		}
		for _, c := range group.Categories {
			slugs = append(slugs, c.Value)
			group.All.Count += c.Count
		}
		if g.Name != "" && len(slugs) > 1 && len(slugs) <= api.MaxListValues {
			group.All.Value = strings.Join(slugs, ",")
		}
		if len(slugs) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// systems returns the operating systems with the computers that they run on, if listings say what they
// need of a computer.
func (s questionsPage) systems() (list []answerView) {
	t := &s.Content.Taxonomy
	if !t.HasSetups() || !s.View.HasPlatforms() {
		return nil
	}
	unified, counts := t.Hardware.UnifiedVendors(), by(s.Listings, func(l *content.Listing) []string {
		systems, _ := t.SystemsOf(l.Platforms)
		return systems
	})
	for i := range t.Platforms {
		p := &t.Platforms[i]
		label := ""
		switch render.SystemKind(p, unified) {
		case "phone":
			label = s.T("{system}, on a phone or tablet", "system", p.Name)
		case "mac":
			label = s.T("{system}, on a Mac", "system", p.Name)
		case "card":
			label = s.T("{system}, on a PC or laptop", "system", p.Name)
		default:
			continue
		}
		list = withAnswer(list, answerView{"system", p.Slug, label, len(counts[p.Slug])})
	}
	return list
}

// matters returns the values of filters that the definitions of facts mark.
func (s questionsPage) matters() (list []answerView) {
	counted := s.matches().count(s.Listings)
	for i, p := range s.matches().parameters {
		f := p.Fact
		for _, value := range f.FilterValues() {
			if label := f.Matters[value]; label != "" {
				answer := answerView{p.Name, value, s.OptionLabel(f, label), counted.of(i, value)}
				list = withAnswer(list, answer)
			}
		}
	}
	return slices.DeleteFunc(list, func(a answerView) bool { return a.Count == len(s.Listings) })
}
