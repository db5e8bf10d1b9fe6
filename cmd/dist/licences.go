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

	"github.com/google/licensecheck"
)

// allowed lists the SPDX identifiers of the licences that components may have.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "MPL-2.0"}

// aside matches lines that separate licences, and lines that say which files a licence is for.
var aside = regexp.MustCompile(`(?m)^(?:---+|(?:Files:|This license applies to) \S+)$`)

// alsoUnder lists the licences of parts of modules, where the module does not ship the licence
// text.
var alsoUnder = map[string]struct{ license, why string }{
	"go.yaml.in/yaml/v4": {"MIT", "Its NOTICE says that the files ported from libyaml are under this licence."},
	rootsModule: {"MPL-2.0",
		"The certificates come from Mozilla's list, the file certdata.txt of NSS, which is under this licence. It is " +
			"at https://hg.mozilla.org/projects/nss."},
}

// licenceFiles holds the texts that the modules in alsoUnder do not ship.
//
//go:embed licences/MIT.txt licences/MPL-2.0.txt
var licenceFiles embed.FS

// remarks lists texts around licences, one per line, that do not change what the licences allow or
// require: titles, remarks of the Go fonts, and remarks of the MCP SDK about the licence of its
// documentation, which is not linked. A person has read each of them.
//
//go:embed licences/remarks.txt
var remarks string

// findLicences sets the licence of a component, as an SPDX expression, and its texts, including
// texts that its module does not ship. Some licences may be for parts that are not linked.
func (c *component) findLicences() error {
	var err error
	if c.texts, err = licenceTexts(c.folders, c.root); err != nil {
		return err
	}
	if c.name == scowl { // SPDX does not list its terms; the package has them
		c.license = scowl
		return nil
	}
	found := map[string]bool{}
	for _, t := range c.texts {
		switch name := strings.ToLower(path.Base(t.title)); {
		case strings.HasPrefix(name, "notice"), strings.HasPrefix(name, "patents"),
			strings.HasPrefix(name, "copyright"):
			continue // not a licence
		}
		ids, err := classify(t.body)
		if err != nil {
			return fmt.Errorf("%s: %w", t.title, err)
		}
		for _, id := range ids {
			found[id] = true
		}
	}
	if len(found) == 0 {
		return errors.New("it has no licence file, so it cannot be released")
	}
	if also, ok := alsoUnder[c.name]; ok {
		body, err := licenceFiles.ReadFile("licences/" + also.license + ".txt")
		if err != nil {
			return err
		}
		found[also.license] = true
		c.texts = append(c.texts, text{also.license + ": " + also.why, string(body)})
	}
	c.license = strings.Join(slices.Sorted(maps.Keys(found)), " AND ")
	return nil
}

// classify returns the SPDX identifiers of the licences in a text, sorted. It returns an error
// if one of them is not allowed, or if the text contains more than licences and known remarks.
func classify(body string) ([]string, error) {
	var rest strings.Builder
	ids, end := map[string]bool{}, 0
	for _, m := range licensecheck.Scan([]byte(body)).Match {
		if m.IsURL {
			continue // the address of a licence belongs to the text around it
		}
		if !slices.Contains(allowed, m.ID) {
			return nil, fmt.Errorf("the licence %s is not allowed: read it, and add it to `allowed` in "+
				"cmd/dist/licences.go", m.ID)
		}
		ids[m.ID] = true
		rest.WriteString(body[end:m.Start] + "\n")
		end = m.End
	}
	rest.WriteString(body[end:])
	around := strings.Join(strings.Fields(aside.ReplaceAllString(rest.String(), "")), " ")
	for remark := range strings.Lines(remarks) {
		around = strings.ReplaceAll(around, strings.TrimSpace(remark), "")
	}
	if around = strings.TrimSpace(around); around != "" || len(ids) == 0 {
		return nil, fmt.Errorf("the text %.300q is not from a known licence: read it, and add it to "+
			"cmd/dist/licences/remarks.txt if it changes nothing", around)
	}
	return slices.Sorted(maps.Keys(ids)), nil
}
