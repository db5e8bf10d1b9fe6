package page

import (
	"encoding/json"
	"html/template"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// suggestPage is the form with which people who do not use git suggest a listing. Its script writes the
// file of the listing and passes it to the address of the setting suggest_url.
type suggestPage struct{ *catalog }

// suggestView is the view of the form.
type suggestView struct {
	Address string       // the setting suggest_url, with its placeholders
	ByHand  template.URL // the same without what the form writes
	Keys    string       // the keys of front matter in canonical order, as JSON
	Letters string       // how names of files write letters: see letters
	Fields  []inputView  // what a listing begins with
	Facts   []inputView  // what is known of it
	MaxText int          // characters of the text
}

// inputView is a field of the form. Its Kind is the kind of a fact, or "lines", "line" or "address".
type inputView struct {
	Key, Label, Hint string
	Kind             string
	Required         bool
	IsTyped          bool         // its values are no texts: true and false
	Most             int          // characters of a line
	Least, Highest   *float64     // of a number
	Options          []answerView // of a choice; Parameter and Count are not set
}

// maxSuggested is the most characters of the text of a listing.
const maxSuggested = 2000

func (s suggestPage) show() (*render.Page, error) {
	keys, err := json.Marshal(s.frontMatter().Keys())
	if err != nil {
		return nil, err
	}
	title := s.View.SuggestText()
	return &render.Page{
		Kind: "suggest", Title: title, Path: site.SuggestPath, Crumbs: render.Crumbs(title),
		Description: s.T("Fill in what you know. The form writes the listing, and you send it to the editors."),
		Data: suggestView{Address: s.Settings.SuggestURL, Keys: string(keys), MaxText: maxSuggested,
			Letters: letters(s.Settings.Lang),
			ByHand:  render.OwnerLink(s.Settings.SuggestByHand(title)), Fields: s.fields(), Facts: s.facts()},
	}, nil
}

// letters lists what content.Slug writes for Latin, Greek and Cyrillic letters and for some signs: each before its
// replacement, separated by spaces.
func letters(lang string) string {
	var list []string
	add := func(first, last rune) {
		for r := first; r <= last; r++ {
			written := content.Slug("x"+string(r)+"x", lang)
			list = append(list, string(r)+strings.Trim(written[1:len(written)-1], "-")) // blanks are around an &
		}
	}
	add('&', '\'')
	add('@', '@')
	add('ß', 'ſ')
	add('ά', 'ώ')
	add('а', 'џ')
	return strings.Join(list, " ")
}

// frontMatter describes what listings can say.
func (s suggestPage) frontMatter() *content.FrontMatter {
	return content.NewFrontMatter(&s.Settings, &s.Content.Taxonomy)
}

// fields returns the fields of a listing that are not facts.
func (s suggestPage) fields() (list []inputView) {
	matter := s.frontMatter()
	has := matter.Has
	list = append(list,
		inputView{Key: "name", Label: s.T("Name"), Kind: "line", Required: true, Most: content.MaxName},
		inputView{Key: "purpose", Label: s.T("What it does, in one sentence"), Kind: "line", Required: true,
			Most: api.MaxPurpose},
		inputView{Key: "category", Label: s.T("Category"), Kind: string(api.FactChoice), Required: true,
			Options: s.categoryOptions()})
	if has("repositoryUrl") {
		list = append(list, inputView{Key: "repositoryUrl", Label: s.T("Source repository"), Kind: "address",
			Required: matter.Requires("repositoryUrl")})
	}
	if has("homepageUrl") {
		list = append(list, inputView{Key: "homepageUrl", Label: s.T("Homepage"), Kind: "address"})
	}
	if has("license") {
		list = append(list, inputView{Key: "license", Label: s.T("Licence"), Kind: "line", Most: content.MaxShort,
			Hint: s.T("Its SPDX identifier, such as Apache-2.0")})
	}
	list = append(list, inputView{Key: "jobs", Label: s.T("What people do with it"), Kind: "lines",
		Hint: s.T("One in a line, in the words of those who need it")})
	if s.View.HasPlatforms() {
		platforms := inputView{Key: "platforms", Label: s.T("Platforms"), Kind: string(api.FactChoices)}
		for _, p := range s.Content.Taxonomy.Platforms {
			platforms.Options = append(platforms.Options, answerView{Value: p.Slug, Label: p.Name})
		}
		list = append(list, platforms)
	}
	return list
}

// categoryOptions returns all categories, in the order of their groups.
func (s suggestPage) categoryOptions() (list []answerView) {
	for _, g := range s.categoryGroups() {
		for _, c := range g.Categories {
			list = append(list, answerView{Value: c.Slug, Label: c.Name})
		}
	}
	return list
}

// facts returns the facts that listings state and that have a simple value.
func (s suggestPage) facts() (list []inputView) {
	for i := range s.Content.Taxonomy.Facts {
		f := &s.Content.Taxonomy.Facts[i]
		if !f.IsStated() {
			continue
		}
		in := inputView{Key: "fitNotes." + f.Key, Label: s.FactLabel(f), Hint: f.Meaning, Kind: string(f.Kind)}
		switch f.Kind {
		case api.FactYesNo:
			in.Kind, in.IsTyped = string(api.FactChoice), true
			in.Options = []answerView{{Value: "true", Label: s.FactText(f, true)},
				{Value: "false", Label: s.FactText(f, false)}}
		case api.FactChoice, api.FactChoices:
			for _, o := range f.Values {
				in.Options = append(in.Options, answerView{Value: o.Slug, Label: s.OptionLabel(f, o.Label)})
			}
		case api.FactNumber:
			in.Least, in.Highest = f.Least, f.Most
			if f.Unit != "" {
				in.Label += " (" + f.Unit + ")"
			}
		case api.FactText:
			in.Kind, in.Most = "line", content.MaxShort
		case api.FactTexts:
			in.Kind = "lines"
		default:
			continue
		}
		list = append(list, in)
	}
	return list
}
