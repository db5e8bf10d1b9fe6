package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"catalog.example/generator"
)

// fromThread leads from a page of GitHub for an issue or a pull request, new or old, to the
// root of the repository.
const fromThread = "../blob/HEAD/"

// formText is a text of a form. GitHub refuses blank ones, and those that its YAML parser
// reads as another type.
type formText string

func (s *formText) UnmarshalYAML(n *yaml.Node) error {
	if n.ShortTag() != "!!str" || strings.TrimSpace(n.Value) == "" || n.Style == 0 && regexp.MustCompile(`^(?i:y|n|yes|no|on|off)$`).MatchString(n.Value) {
		return fmt.Errorf("%q is blank, or needs quotation marks", n.Value)
	}
	*s = formText(n.Value)
	return nil
}

// issueForm is a form as GitHub's form schema describes it, with the types of elements and the
// keys that our forms use:
// https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema
type issueForm struct {
	Name, Description, Title formText
	Body                     []formElement
}

type formElement struct {
	Type, ID   formText
	Attributes struct {
		Label, Description, Placeholder, Value, Render formText
		Options                                        []struct {
			Label    formText
			Required bool
		}
	}
	Validations struct{ Required bool }
}

// formKeys are the keys of an element by its type. It must have the first.
var formKeys = map[formText][]string{
	"markdown":   {"value"},
	"input":      {"label", "id", "description", "placeholder", "value", "required"},
	"textarea":   {"label", "id", "description", "placeholder", "value", "required", "render"},
	"checkboxes": {"label", "id", "description", "options"},
}

// keys returns the keys that an element has.
func (e *formElement) keys() []string {
	var keys []string
	a := &e.Attributes
	for key, has := range map[string]bool{
		"id": e.ID != "", "label": a.Label != "", "description": a.Description != "", "placeholder": a.Placeholder != "",
		"value": a.Value != "", "render": a.Render != "", "options": a.Options != nil, "required": e.Validations.Required,
	} {
		if has {
			keys = append(keys, key)
		}
	}
	return keys
}

// check returns what GitHub would refuse a form for.
func (f *issueForm) check() []string {
	var wrong []string
	add := func(format string, arguments ...any) { wrong = append(wrong, fmt.Sprintf(format, arguments...)) }
	// GitHub does not show forms with shorter names.
	if len(f.Name) < 4 || f.Description == "" {
		add("the name is %q, the description %q", f.Name, f.Description)
	}
	fields := 0
	ids, labels := map[formText]bool{}, map[formText]bool{}
	label := func(s formText) {
		if s == "" || labels[s] {
			add("the label %q is empty or stands twice", s)
		}
		labels[s] = true
	}
	for i := range f.Body {
		e := &f.Body[i]
		allowed, known := formKeys[e.Type]
		if !known {
			add("element %d: unknown type %q", i, e.Type)
			continue
		}
		keys := e.keys()
		if !slices.Contains(keys, allowed[0]) {
			add("element %d: no %s", i, allowed[0])
		}
		for _, key := range keys {
			if !slices.Contains(allowed, key) {
				add("element %d: %s has no %s", i, e.Type, key)
			}
		}
		if e.Type == "markdown" {
			continue
		}
		fields++
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]+$`).MatchString(string(e.ID)) || ids[e.ID] {
			add("element %d: the id %q is wrong or stands twice", i, e.ID)
		}
		ids[e.ID] = true
		label(e.Attributes.Label)
		if e.Type == "checkboxes" && len(e.Attributes.Options) == 0 {
			add("element %d: no options", i)
		}
		for _, option := range e.Attributes.Options {
			label(option.Label)
		}
	}
	if fields == 0 {
		add("nothing can be filled in")
	}
	return wrong
}

// texts returns the texts that people read, as Markdown.
func (f *issueForm) texts() string {
	texts := []formText{f.Name, f.Description}
	for _, e := range f.Body {
		texts = append(texts, e.Attributes.Label, e.Attributes.Description, e.Attributes.Value)
		for _, option := range e.Attributes.Options {
			texts = append(texts, option.Label)
		}
	}
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(string(text) + "\n\n")
	}
	return b.String()
}

// readForms returns the issue forms by file name.
func readForms(t *testing.T) map[string]*issueForm {
	t.Helper()
	files, err := filepath.Glob("../../.github/ISSUE_TEMPLATE/*")
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]*issueForm{}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "config.yml" {
			continue
		}
		f := new(issueForm)
		var document yaml.Node
		if err := yaml.Load([]byte(readText(t, file)), &document); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := document.Load(f, yaml.WithKnownFields()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if line := emptyValue(&document); line > 0 {
			t.Errorf("%s:%d: a key without a value", name, line)
		}
		forms[name] = f
	}
	return forms
}

// emptyValue returns the line of the first value that is empty, or 0. GitHub refuses such keys,
// and decoding leaves them out.
func emptyValue(n *yaml.Node) int {
	if n.ShortTag() == "!!null" {
		return n.Line
	}
	for _, inner := range n.Content {
		if line := emptyValue(inner); line > 0 {
			return line
		}
	}
	return 0
}

// TestCommunityForms checks that GitHub can read the issue forms, and that what they name
// exists.
func TestCommunityForms(t *testing.T) {
	t.Parallel()
	forms, names, links := readForms(t), map[formText]bool{}, 0
	for file, f := range forms {
		for _, wrong := range f.check() {
			t.Errorf("%s: %s", file, wrong)
		}
		if names[f.Name] {
			t.Errorf("%s: another form is called %q", file, f.Name)
		}
		names[f.Name] = true
		links += checkDocument(t, f.texts(), fromThread).links
	}
	for _, file := range []string{"wrong-fact.yml", "new-tool.yml", "defect.yml"} {
		if forms[file] == nil {
			t.Errorf("there is no %s", file)
		}
	}
	if links < 2 {
		t.Errorf("only %d links were seen", links)
	}
}

// TestCommunityPrefill checks that the addresses in catalog.yml lead to forms and fill in fields
// that they have, and that a report needs a source.
func TestCommunityPrefill(t *testing.T) {
	t.Parallel()
	settings, err := generator.LoadSettings("../../catalog.yml", func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	forms := readForms(t)
	for name, address := range map[string]string{"wrong-fact.yml": settings.ReportURL, "new-tool.yml": settings.SuggestURL} {
		u, err := url.Parse(address)
		if err != nil || u.Query().Get("template") != name || forms[name] == nil {
			t.Errorf("%s does not lead to %s (%v)", address, name, err)
			continue
		}
		for id := range u.Query() {
			if id != "template" && id != "title" && !slices.ContainsFunc(forms[name].Body, func(e formElement) bool { return string(e.ID) == id && (e.Type == "input" || e.Type == "textarea") }) {
				t.Errorf("%s has no field %q for %s", name, id, address)
			}
		}
	}
	if !slices.ContainsFunc(forms["wrong-fact.yml"].Body, func(e formElement) bool { return e.ID == "source" && e.Validations.Required }) {
		t.Error("a report needs no source")
	}
	if !strings.Contains(settings.ReportURL, "listing={page}") {
		t.Errorf("%s does not name the listing", settings.ReportURL)
	}
}

// TestCommunityContact checks that people who find a vulnerability are sent where SECURITY.md sends
// them.
func TestCommunityContact(t *testing.T) {
	t.Parallel()
	var config struct {
		BlankIssuesEnabled *bool                                 `yaml:"blank_issues_enabled"`
		ContactLinks       []struct{ Name, URL, About formText } `yaml:"contact_links"`
	}
	if err := yaml.Load([]byte(readText(t, "../../.github/ISSUE_TEMPLATE/config.yml")), &config, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	var settings struct{ Contact formText }
	if err := yaml.Load([]byte(readText(t, "../../catalog.yml")), &settings); err != nil {
		t.Fatal(err)
	}
	if config.BlankIssuesEnabled == nil || *config.BlankIssuesEnabled {
		t.Error("blank issues are on")
	}
	if len(config.ContactLinks) == 0 {
		t.Error("there are no contact links")
	}
	for _, link := range config.ContactLinks {
		if link.URL != settings.Contact || link.Name == "" || link.About == "" {
			t.Errorf("%+v, want the contact %q of catalog.yml", link, settings.Contact)
		}
	}
}

// TestCommunityPullRequests checks the template of pull requests as the documents are checked.
func TestCommunityPullRequests(t *testing.T) {
	t.Parallel()
	seen := checkDocument(t, readText(t, "../../.github/pull_request_template.md"), fromThread)
	if seen.targets == 0 || seen.commands < 2 || seen.links == 0 {
		t.Errorf("only %+v were seen", seen)
	}
}
