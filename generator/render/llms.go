package render

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/memo"
)

// tokenBytes is about the number of bytes of English, Markdown or JSON in a token of a
// language model.
const tokenBytes = 4

// llms writes llms.txt, the guide for agents in the format of llmstxt.org, and
// llms-full.txt, with all listings, whose size llms.txt names.
func (r *renderer) llms() error {
	texts := make([]markdown, len(r.Listings))
	for i, l := range r.Listings {
		if r.markdown.full.Lookup("listing") == nil { // an owner's template may show no listing
			break
		}
		text, err := memo.Of(r.Memo, memo.KeyOf("llms-full.txt", r.key[:], l.Key[:]), func() (markdown, error) {
			var out strings.Builder
			err := r.markdown.full.ExecuteTemplate(&out, "listing", &l.Project)
			return markdown(out.String()), err
		})
		if err != nil {
			return fmt.Errorf("llms-full.txt: %w", err)
		}
		texts[i] = text
	}
	full := r.buffer()
	defer r.buffers.Put(full)
	err := r.markdown.full.Execute(full, struct {
		Site     *siteView
		Count    int
		Listings []markdown // each rendered by the template "listing"
	}{&r.view, len(r.Listings), texts})
	if err != nil {
		return fmt.Errorf("llms-full.txt: %w", err)
	}
	if err := r.write("llms-full.txt", full.Bytes()); err != nil {
		return err
	}
	var out bytes.Buffer
	err = r.markdown.guide.Execute(&out, struct {
		Site                              *siteView
		BaseURL, SearchBase, Key, Example string
		OpenAPI, Index                    string   // addresses
		Fit                               []string // facts that people choose by
		Count, Anonymous, Sandbox         int
		Parameters                        []parameterView
		FullCount, FullTokens             int
		FullSize                          string
		Steps                             []string // how agents use the catalogue (spec 1)
	}{
		&r.view, r.Settings.BaseURL, r.Settings.SearchBase(), r.Settings.SandboxKey, r.exampleSearch(false), api.Address(&r.Settings, api.PathOpenAPI), api.Address(&r.Settings, api.PathIndex), r.decisive(), len(r.Listings), r.Settings.AnonymousPerMinute, r.Settings.SandboxPerMinute,
		parameters(nil, r.searchParameters()),
		len(r.Listings), roundedUp(full.Len(), tokenBytes), fmt.Sprintf("%d KB", roundedUp(full.Len(), 1000)),
		r.steps(),
	})
	if err != nil {
		return fmt.Errorf("llms.txt: %w", err)
	}
	return r.write("llms.txt", out.Bytes())
}

// steps tells agents how to use the catalogue, with absolute addresses.
func (r *renderer) steps() []string {
	if !r.Settings.HasServer() {
		return r.Content.Taxonomy.FileSteps(&r.Settings)
	}
	return r.Content.Taxonomy.Steps(r.Settings.SearchBase()+api.PathSearch, "Use "+r.Settings.URL(api.PathProject)+" for one listing.")
}

// decisive returns the labels of facts that people choose by, as within a sentence.
func (r *renderer) decisive() (labels []string) {
	if r.view.Has("license") {
		labels = append(labels, "licence")
	}
	for i := range r.Content.Taxonomy.Facts {
		if f := &r.Content.Taxonomy.Facts[i]; f.IsCriterion() && f.Derived == nil || f.Kind == api.FactSetups {
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
	return lowerFirst(label)
}

func lowerFirst(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:n]) + text[n:]
}

// roundedUp divides and rounds up.
func roundedUp(n, by int) int { return (n + by - 1) / by }
