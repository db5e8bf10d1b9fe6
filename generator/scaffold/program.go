package scaffold

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Program says where the workflow gets the program from.
type Program struct {
	Address string // git address; "" if unknown
	Version string // tag, branch or full commit; "" is the default branch
}

var (
	// version matches names of tags, branches and commits that need no quoting.
	version = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+-]*$`)
	// hostAndPath matches ssh addresses like git@host:path.
	hostAndPath = regexp.MustCompile(`^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^:]+$`)
)

// ParseProgram reads a git address, with an optional version behind the last @ of its path:
// https://…, ssh://…, git@host:path, file:///path or /path.
func ParseProgram(text string) (Program, error) {
	p := Program{Address: text}
	host := 0 // an @ before it belongs to the user, not to a version
	if i := strings.Index(text, "://"); i >= 0 {
		host = i + len("://") + strings.IndexByte(text[i+len("://"):]+"/", '/')
	} else if !strings.HasPrefix(text, "/") {
		host = strings.IndexByte(text, ':') + 1
	}
	if at := strings.LastIndexByte(text, '@'); at > host && text[at-1] != '/' { // /@name/ is a folder
		p.Address, p.Version = text[:at], text[at+1:]
		if !version.MatchString(p.Version) || strings.Contains(p.Version, "..") || strings.Contains(p.Version, "//") ||
			strings.HasSuffix(p.Version, "/") || strings.HasSuffix(p.Version, ".") ||
			strings.HasSuffix(p.Version, ".lock") {
			return Program{}, fmt.Errorf("%q: %q is not a version: give a tag, a branch or a full commit after the @",
				text, p.Version)
		}
	}
	if message := checkAddress(p.Address); message != "" {
		return Program{}, fmt.Errorf("%q %s", text, message)
	}
	return p, nil
}

// checkAddress returns what is wrong with a git address, or "".
func checkAddress(address string) string {
	const forms = "write https://host/path, ssh://git@host/path, git@host:path, file:///path or /path"
	if strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("${}<>|;&*\"'`\\", r)
	}) {
		return "contains white space or another character that is not allowed in an address: " + forms
	}
	if strings.HasPrefix(address, "/") {
		if path.Clean(address) == "/" {
			return "has no path of a repository: " + forms
		}
		return ""
	}
	if !strings.Contains(address, "://") {
		if hostAndPath.MatchString(address) {
			return ""
		}
		return "is not a git address: " + forms
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "is not an address: " + forms
	case u.Scheme == "http" || u.Scheme == "git":
		return "is not encrypted, so others on the network can change the program: use https or ssh"
	case u.Scheme != "https" && u.Scheme != "ssh" && u.Scheme != "file":
		return "begins with " + u.Scheme + ": " + forms
	case u.Scheme == "file" && u.Host != "":
		return "has a host, which file addresses do not have: " + forms
	case u.Scheme != "file" && u.Hostname() == "":
		return "has no host: " + forms
	case strings.Trim(u.Path, "/") == "":
		return "has no path of a repository: " + forms
	case u.RawQuery != "" || u.Fragment != "":
		return "has a query or a fragment: remove it, and give the version after an @"
	}
	if _, hasPassword := u.User.Password(); hasPassword || u.Scheme == "https" && u.User != nil {
		return "contains a user name or a password, which everybody could read in the workflow: remove it"
	}
	return ""
}
