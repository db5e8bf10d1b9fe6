package main

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The licences that components have, by SPDX identifier. {…} stands for up to 15 words,
// such as the name of a copyright holder.
//
//go:embed licences
var licenceFiles embed.FS

// remarks are texts around licences that do not change what the licences allow or require.
// A person has read each of them.
var remarks = []string{
	"MIT License",
	"The MIT License (MIT)",
	"All rights reserved.",
	// The end of Apache-2.0, which is about how to use it. Some copies lack it.
	"END OF TERMS AND CONDITIONS",
	`APPENDIX: How to apply the Apache License to your work.
	To apply the Apache License to your work, attach the following boilerplate notice, with the fields enclosed by brackets "[]" replaced with your own identifying information. (Don't include the brackets!) The text should be enclosed in the appropriate comment syntax for the file format. We also recommend that a file or class name and description of purpose be included on the same "printed page" as the copyright notice for easier identification within third-party archives.`,
	`Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the License. You may obtain a copy of the License at
	http://www.apache.org/licenses/LICENSE-2.0
	Unless required by applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and limitations under the License.`,
	// The MCP SDK: the licences for documentation are for nothing that is linked.
	`The MCP project is undergoing a licensing transition from the MIT License to the Apache License, Version 2.0 ("Apache-2.0"). All new code and specification contributions to the project are licensed under Apache-2.0. Documentation contributions (excluding specifications) are licensed under CC-BY-4.0.
	Contributions for which relicensing consent has been obtained are licensed under Apache-2.0. Contributions made by authors who originally licensed their work under the MIT License and who have not yet granted explicit permission to relicense remain licensed under the MIT License.
	No rights beyond those granted by the applicable original license are conveyed for such contributions.`,
	`Creative Commons Attribution 4.0 International (CC-BY-4.0)
	Documentation in this project (excluding specifications) is licensed under CC-BY-4.0. See https://creativecommons.org/licenses/by/4.0/legalcode for the full license text.`,
	// The Go fonts.
	`These fonts were created by the Bigelow & Holmes foundry specifically for the Go project. See https://blog.golang.org/go-fonts for details.
	They are licensed under the same open source license as the rest of the Go project's software:`,
	`Distribution of this font is governed by the following license. If you do not agree to this license, including the disclaimer, do not distribute or modify this font.`,
}

// alsoUnder are licences of parts of modules that do not ship the text.
var alsoUnder = map[string]struct{ license, why string }{
	"go.yaml.in/yaml/v4": {"MIT", "Its NOTICE says that the files ported from libyaml are under this licence."},
	rootsModule:          {"MPL-2.0", "The certificates come from Mozilla's list, the file certdata.txt of NSS, which is under this licence. It is at https://hg.mozilla.org/projects/nss."},
}

// classify returns the licences of a component as an SPDX expression, and adds the texts
// that the component lacks. Some licences may be for parts that are not linked.
func (c *component) classify() (string, error) {
	found := map[string]bool{}
	for _, t := range c.texts {
		switch name := strings.ToLower(path.Base(t.title)); {
		case strings.HasPrefix(name, "notice"), strings.HasPrefix(name, "patents"), strings.HasPrefix(name, "copyright"):
			continue // beside a licence; not one
		}
		ids, err := classify(t.body)
		if err != nil {
			return "", fmt.Errorf("%s: %w", t.title, err)
		}
		for _, id := range ids {
			found[id] = true
		}
	}
	if len(found) == 0 {
		return "", errors.New("it has no licence file, so it cannot be released")
	}
	if also, ok := alsoUnder[c.name]; ok {
		body, err := licenceFiles.ReadFile("licences/" + also.license + ".txt")
		if err != nil {
			return "", err
		}
		found[also.license] = true
		c.texts = append(c.texts, text{also.license + ": " + also.why, string(body)})
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " AND "), nil
}

// classify returns the SPDX identifiers of the licences in a text, sorted. It fails if
// there is anything else in it but copyright notices and known remarks.
func classify(body string) ([]string, error) {
	known, err := readLicences()
	if err != nil {
		return nil, err
	}
	rest := words(body)
	var ids []string
	for _, l := range known {
		before := rest
		for { // of two in a row, one pass replaces only the first
			replaced := l.pattern.ReplaceAllString(rest, " | ")
			if replaced == rest {
				break
			}
			rest = replaced
		}
		if rest != before && l.id != "" {
			ids = append(ids, l.id)
		}
	}
	rest = strings.TrimSpace(strings.ReplaceAll(rest, "|", " "))
	if rest != "" || len(ids) == 0 {
		return nil, fmt.Errorf("the text %q is not of a known licence: read it, and add the licence to cmd/dist/licences, or the text around it to `remarks` in cmd/dist/licences.go", shorten(rest))
	}
	slices.Sort(ids)
	return ids, nil
}

// licence is a licence, or a remark without id.
type licence struct {
	id      string
	pattern *regexp.Regexp
}

// readLicences returns the known licences, the longest first, and then the remarks.
var readLicences = sync.OnceValues(func() ([]licence, error) {
	entries, err := licenceFiles.ReadDir("licences")
	if err != nil {
		return nil, err
	}
	var all []licence
	for _, e := range entries {
		body, err := licenceFiles.ReadFile("licences/" + e.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, licence{strings.TrimSuffix(e.Name(), ".txt"), pattern(string(body))})
	}
	// A short licence may be a part of a longer one.
	longestFirst := func(a, b licence) int { return len(b.pattern.String()) - len(a.pattern.String()) }
	slices.SortStableFunc(all, longestFirst)
	var around []licence
	for _, r := range remarks {
		around = append(around, licence{"", pattern(r)})
	}
	slices.SortStableFunc(around, longestFirst)
	return append(all, around...), nil
})

var (
	copyrightLine = regexp.MustCompile(`(?im)^[\s*#/]*(?:(?:portions )?copyright\s*(?:\(c\)|©|[\[{]?[0-9y]{4})|©).*$`)
	// aside are lines that say which files a licence is for, and a heading inside of one.
	aside    = regexp.MustCompile(`(?im)^\s*(?:(?:files:|this license applies to) \S+\s*$|disclaimer:)`)
	listMark = regexp.MustCompile(`(?mi)^[\s*]*\(?(?:[0-9]{1,2}|[a-z])[.)]\s+`)
	noWord   = regexp.MustCompile(`[^\pL\pN…]+`)
)

// words returns the words of a text in small letters, with a space on both sides of each,
// without copyright notices, names of files, the marks of lists, and punctuation.
func words(body string) string {
	body = copyrightLine.ReplaceAllString(body, "")
	body = aside.ReplaceAllString(body, "")
	body = listMark.ReplaceAllString(body, "")
	return " " + strings.TrimSpace(noWord.ReplaceAllString(strings.ToLower(body), " ")) + " "
}

// pattern returns a regular expression for the words of a text.
func pattern(body string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(strings.TrimSpace(words(body)))
	return regexp.MustCompile(` ` + strings.ReplaceAll(quoted, "…", `(?:[^ |]+ ){0,14}?[^ |]+`) + ` `)
}

// shorten returns the beginning of a text.
func shorten(s string) string {
	if r := []rune(s); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return s
}
