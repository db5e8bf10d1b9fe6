package scaffold

import (
	"strings"
	"testing"
)

func TestParseProgram(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Program{
		"https://git.example/owner/catalog":                       {"https://git.example/owner/catalog", ""},
		"https://git.example/owner/catalog.git@v1.2.0":            {"https://git.example/owner/catalog.git", "v1.2.0"},
		"https://git.example:8443/~owner/catalog@feature/x":       {"https://git.example:8443/~owner/catalog", "feature/x"},
		"https://git.example/@owner/catalog":                      {"https://git.example/@owner/catalog", ""},
		"https://git.example/@owner/catalog@v1":                   {"https://git.example/@owner/catalog", "v1"},
		"ssh://git@git.example/owner/catalog":                     {"ssh://git@git.example/owner/catalog", ""},
		"ssh://git@git.example:22/owner/catalog@" + longHash:      {"ssh://git@git.example:22/owner/catalog", longHash},
		"git@git.example:owner/catalog.git":                       {"git@git.example:owner/catalog.git", ""},
		"git@git.example:owner/catalog.git@v1.0.0-rc.1+linux_x86": {"git@git.example:owner/catalog.git", "v1.0.0-rc.1+linux_x86"},
		"file:///srv/git/catalog@main":                            {"file:///srv/git/catalog", "main"},
		"/srv/git/catalog":                                        {"/srv/git/catalog", ""},
		"/srv/git/catalog.git@main":                               {"/srv/git/catalog.git", "main"},
	} {
		if got, err := ParseProgram(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                                       "is not a git address: write https://host/path",
		"catalog":                                "is not a git address",
		"../catalog":                             "is not a git address",
		"git.example/owner/catalog":              "is not a git address",
		"git.example:owner/catalog":              "is not a git address",
		"-u@git.example:x y":                     "white space",
		"--upload-pack=touch":                    "is not a git address",
		"ext::sh -c whoami":                      "white space",
		"ext::sh":                                "is not a git address",
		"http://git.example/owner/catalog":       "is not encrypted",
		"git://git.example/owner/catalog":        "is not encrypted",
		"ftp://git.example/owner/catalog":        "begins with ftp: write",
		"https://":                               "has no host",
		"https://git.example":                    "has no path of a repository",
		"https://git.example/":                   "has no path of a repository",
		"file://host/srv/catalog":                "has a host, which file addresses do not have",
		"/":                                      "has no path of a repository",
		"https://me:secret@git.example/x/y":      "everybody could read",
		"https://token@git.example/x/y":          "everybody could read",
		"ssh://git:secret@git.example/x/y":       "everybody could read",
		"https://git.example/x/y?ref=v1":         "after an @",
		"https://git.example/x/y#v1":             "after an @",
		"https://git.example/x/y@":               `"" is not a version`,
		"https://git.example/x/y@v1..v2":         `"v1..v2" is not a version`,
		"https://git.example/x/y@-b":             `"-b" is not a version`,
		"https://git.example/x/y@$(id)":          "is not a version",
		"https://git.example/x/y@v1.lock":        "is not a version",
		"https://git.example/x\ny":               "white space or another",
		"https://git.example/${{ x }}/y":         "white space",
		"https://git.example/${{x}}/y":           "another character",
		"/srv/$(id)":                             "another character",
		"https://git.example/%zz":                "is not an address",
		"https://git.example/x/y@${{ secrets }}": "is not a version",
	} {
		if got, err := ParseProgram(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, got, err, want)
		}
	}
}

const longHash = "0123456789abcdef0123456789abcdef01234567"

func FuzzParseProgram(f *testing.F) {
	f.Add("git@git.example:owner/catalog.git@v1")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseProgram(text)
		if err != nil {
			return
		}
		whole := p.Address
		if p.Version != "" {
			whole += "@" + p.Version
		}
		if whole != text || strings.HasPrefix(p.Address, "-") || strings.HasPrefix(p.Version, "-") || strings.ContainsAny(p.Address, " \n") {
			t.Errorf("%q becomes %+v", text, p)
		}
	})
}
