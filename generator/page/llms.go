package page

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/memo"
	"catalog.example/generator/render"
)

// tokenBytes is the approximate number of bytes of English, Markdown or JSON in a token of a
// language model.
const tokenBytes = 4

// llms writes the files for agents.
type llms struct{ *catalog }

// files writes llms.txt, the guide for agents in the format of llmstxt.org, and llms-full.txt,
// with all listings, whose size llms.txt names.
func (s llms) files() error {
	full, err := s.full()
	if err != nil {
		return fmt.Errorf("llms-full.txt: %w", err)
	}
	if err := s.write("llms-full.txt", full); err != nil {
		return err
	}
	guide, err := s.guide(len(full))
	if err != nil {
		return fmt.Errorf("llms.txt: %w", err)
	}
	return s.write("llms.txt", guide)
}

func (s llms) full() ([]byte, error) {
	texts := make([]render.Markdown, len(s.Listings))
	for i, l := range s.Listings {
		if !s.Full.Has("listing") { // an owner's template may show no listing
			break
		}
		var err error
		key := memo.KeyOf("llms-full.txt", s.key[:], l.Key[:])
		texts[i], err = memo.Of(s.Memo, key, func() (render.Markdown, error) {
			var out strings.Builder
			err := s.Full.Execute(&out, "listing", &l.Project)
			return render.Markdown(out.String()), err
		})
		if err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	err := s.Full.Execute(&out, "llms-full.txt", struct {
		Site     *render.SiteView
		Count    int
		Listings []render.Markdown // each rendered by the template "listing"
	}{&s.View, len(s.Listings), texts})
	return out.Bytes(), err
}

// guideView is the view of llms.txt.
type guideView struct {
	Site                              *render.SiteView
	BaseURL, SearchBase, Key, Example string
	OpenAPI, Index                    string   // addresses
	Fit                               []string // facts that people choose by
	Count, Anonymous, Sandbox         int
	Parameters                        []parameterView
	FullCount, FullTokens             int // of llms-full.txt
	FullSize                          string
	Steps                             []string          // how agents use the catalogue
	Languages                         []render.Language // the other ones of the site
}

// guide returns llms.txt. size is the size of llms-full.txt in bytes.
func (s llms) guide(size int) ([]byte, error) {
	var out bytes.Buffer
	err := s.Guide.Execute(&out, "llms.txt", guideView{
		Site: &s.View, BaseURL: s.Settings.BaseURL, SearchBase: s.Settings.SearchBase(),
		OpenAPI: api.Address(&s.Settings, api.PathOpenAPI), Index: api.Address(&s.Settings, api.PathIndex),
		Key: s.Settings.SandboxKey, Anonymous: s.Settings.AnonymousPerMinute, Sandbox: s.Settings.SandboxPerMinute,
		Example: s.exampleSearch(false), Fit: s.decisive(), Count: len(s.Listings), Steps: s.steps(),
		Parameters: parameters(nil, s.shortParameters()), FullCount: len(s.Listings),
		Languages:  s.otherLanguages(),
		FullTokens: roundedUp(size, tokenBytes), FullSize: fmt.Sprintf("%d KB", roundedUp(size, 1000)),
	})
	return out.Bytes(), err
}

// otherLanguages returns the languages of the site but that of the guide.
func (s llms) otherLanguages() []render.Language {
	isOwn := func(l render.Language) bool { return l.Tag == s.Settings.Lang }
	return slices.DeleteFunc(slices.Clone(s.Languages), isOwn)
}

// shortParameters returns the parameters of a search, with the facts that they filter by in few words.
func (s llms) shortParameters() []api.Parameter {
	list := s.SearchParameters()
	for i := range list {
		if list[i].Fact != nil {
			list[i].Description = list[i].Short
		}
	}
	return list
}

// steps tells agents how to use the catalogue, with absolute addresses.
func (s llms) steps() []string {
	if !s.Settings.HasServer() {
		return s.Content.Taxonomy.FileSteps(&s.Settings)
	}
	one := "Use " + s.Settings.URL(api.PathProject) + " for one listing."
	return s.Content.Taxonomy.Steps(&s.Settings, s.Settings.SearchBase()+api.PathSearch, one)
}

// decisive returns the labels of facts that people choose by, as within a sentence.
func (s llms) decisive() (labels []string) {
	if s.View.Has("license") {
		labels = append(labels, "licence")
	}
	for i := range s.Content.Taxonomy.Facts {
		if f := &s.Content.Taxonomy.Facts[i]; f.IsCriterion() && f.IsStated() || f.Kind == api.FactSetups {
			labels = append(labels, withinSentence(f.Label))
		}
	}
	return labels
}

// withinSentence returns a label of several words with a lower-case first letter, unless
// its first word is an abbreviation. A label of one word may be a name.
func withinSentence(label string) string {
	first, _, several := strings.Cut(label, " ")
	if !several && !strings.Contains(label, "-") || first == strings.ToUpper(first) {
		return label
	}
	return render.LowerFirst(label)
}

// roundedUp divides and rounds up.
func roundedUp(n, by int) int { return (n + by - 1) / by }
