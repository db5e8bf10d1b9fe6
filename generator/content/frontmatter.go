package content

import (
	"bytes"
	"fmt"
	"slices"

	"catalog.example/api"
	"catalog.example/generator/canonical"
	"catalog.example/generator/memo"
	"catalog.example/generator/regular"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// problems returns the decoder's problems as findings.
func problems(file string, list []strictyaml.Problem) []Finding {
	findings := make([]Finding, len(list))
	for i, p := range list {
		findings[i] = Finding{file, p.Line, p.Column, rule.FrontMatter, p.Message}
	}
	return findings
}

// split is a Markdown file, split into front matter and text.
type split struct {
	frontMatter []byte
	body        []byte
	bodyLine    int // line of its file on which the body begins, from 1
}

// decodeFile works like decodeFrontMatter, and also requires the whole file to be UTF-8.
func decodeFile(file string, text []byte, t *translation, into any, without ...string) (
	split, *strictyaml.Document, []Finding,
) {
	if p, bad := strictyaml.Encoding(text, 1); bad {
		return split{}, nil, []Finding{{file, p.Line, p.Column, rule.Encoding, p.Message}}
	}
	return decodeFrontMatter(file, text, t, into, without...)
}

// decodeFrontMatter splits a file and decodes its front matter, ignoring the keys in without. The texts of a
// translation replace those of the file. doc is nil if the front matter cannot be decoded.
func decodeFrontMatter(file string, text []byte, t *translation, into any, without ...string) (
	parts split, doc *strictyaml.Document, findings []Finding,
) {
	parts, message := splitFrontMatter(text)
	if message != "" {
		return parts, nil, []Finding{{file, 1, 1, rule.FrontMatter, message}}
	}
	doc, wrong := strictyaml.Parse(parts.frontMatter, frontMatterLine)
	if doc != nil {
		doc.Remove(without...)
		findings = t.replace(doc, &parts)
		wrong = doc.Decode(into)
	}
	return parts, doc, append(problems(file, wrong), findings...)
}

// unquoted reports texts without quotation marks that other YAML parsers reject or read as
// something else. It skips lines that already have findings.
func (m *FrontMatter) unquoted(file string, doc *strictyaml.Document, others []Finding) (findings []Finding) {
	if doc.Root() == nil {
		return nil
	}
	for _, n := range canonical.Unquoted(doc.Root(), m.form.Dates) {
		line := n.Line + frontMatterLine - 1
		if slices.ContainsFunc(others, func(f Finding) bool { return f.Line == line }) {
			continue
		}
		findings = append(findings, Finding{file, line, n.Column, rule.Quotes,
			fmt.Sprintf("other YAML parsers do not read %s as text: put it in quotation marks, or run: catalog fmt",
				quote(n.Value))})
	}
	return findings
}

// ReadFile returns the text of a listing's file and its decoded front matter. It does not check the
// text. The error comes from the file system or says what is wrong with the file.
func (m *FrontMatter) ReadFile(name string) (text []byte, f *api.ProjectDetail, err error) {
	text, err = regular.ReadText(name, maxListing)
	if err != nil {
		return nil, nil, err
	}
	f = m.empty()
	if _, _, wrong := decodeFrontMatter(name, text, nil, f); len(wrong) > 0 {
		return nil, nil, fmt.Errorf("line %d:%d: %s", wrong[0].Line, wrong[0].Column, wrong[0].Message)
	}
	return text, f, nil
}

// CheckEdit returns the first mistake that an edit of a listing's file adds, or nil.
func (m *FrontMatter) CheckEdit(file string, before, after []byte, today api.Date) error {
	if len(after) > maxListing {
		return fmt.Errorf("would have %d bytes, and at most %d are allowed: shorten its text, or remove install links",
			len(after), maxListing)
	}
	check := newListingChecker(m, memo.Key{}, today)
	_, old := check.listing(file, before, nil)
	_, found := check.listing(file, after, nil)
	for _, f := range found {
		isOld := func(o Finding) bool { return o.Rule == f.Rule && o.Message == f.Message }
		if f.Rule.Severity == rule.Error && !slices.ContainsFunc(old, isOld) {
			return fmt.Errorf("would have a mistake: %s", f.Message)
		}
	}
	return nil
}

// frontMatterLine is the line of a file on which its front matter begins.
const frontMatterLine = 2

// Split returns the front matter of a Markdown file and the text below it. ok is false if the file has no front
// matter.
func Split(file []byte) (frontMatter, text []byte, ok bool) {
	parts, message := splitFrontMatter(file)
	return parts.frontMatter, parts.body, message == ""
}

// splitFrontMatter splits a file at its --- lines. The message says what is wrong, or is "".
func splitFrontMatter(file []byte) (split, string) {
	file = bytes.TrimPrefix(file, []byte("\ufeff")) // a byte order mark, which some editors write
	message := "the front matter is missing: the file must begin with a line ---"
	lines, start, end := 0, 0, 0 // start: of the front matter; end: of the current line
	for line := range bytes.Lines(file) {
		lines++
		end += len(line)
		switch marks := string(bytes.TrimRight(line, " \t\r\n")) == "---"; {
		case lines == 1 && !marks:
			return split{}, message
		case lines == 1:
			start, message = end, "the front matter is not closed: a line --- must end it"
		case marks:
			return split{file[start : end-len(line)], file[end:], lines + 1}, ""
		}
	}
	return split{}, message
}
