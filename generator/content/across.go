package content

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/token"
	"catalog.example/api/spelling"
	"catalog.example/generator/rule"
	"github.com/bmatcuk/doublestar/v4"
)

// acrossListings checks that slugs, names and aliases are unique and that links between files lead
// somewhere. It warns if several listings have the same repository. The listings must be sorted by
// slug.
func (l *loader) acrossListings(listings []*Listing, pages []*Page) {
	slugs := map[string]*Listing{}
	names := map[string]*Listing{}
	repositories := map[string]*Listing{}
	// taken returns the first listing with a key. If there is none, it records x as the first.
	taken := func(by map[string]*Listing, key string, x *Listing) *Listing {
		if first, ok := by[key]; ok || key == "" {
			return first
		}
		by[key] = x
		return nil
	}
	copied := map[*Listing]*Listing{} // by a copy of it, whose other values are the same, too
	for _, x := range listings {
		if first := taken(slugs, x.Slug, x); first != nil {
			l.find(Finding{x.File, 1, 1, rule.Unique,
				fmt.Sprintf("the slug %q is taken by %s: rename the file", x.Slug, first.File)})
			copied[x] = first
			continue
		}
		if first := taken(names, NameKey(x.Name), x); first != nil {
			l.find(x.At(rule.Unique,
				fmt.Sprintf("name: %q is taken by %s: choose another name, or remove one of the two listings", x.Name,
					first.File), "name"))
			copied[x] = first
		}
		if first := taken(repositories, repositoryKey(x.RepositoryURL), x); first != nil && first != copied[x] {
			l.find(x.At(rule.SameRepository,
				fmt.Sprintf("repositoryUrl: %s is also the repository of %s: if they are one tool, remove one of the "+
					"two listings", x.RepositoryURL, first.File), "repositoryUrl"))
		}
	}
	l.aliases(listings, names, copied)
	l.references(listings, slugs)
	formerly(listings, func(x *Listing) (string, []string) { return x.Slug, x.Formerly },
		func(r rule.Rule, message string, n, i int) {
			l.find(listings[n].At(r, "formerly: "+message, "formerly", i))
		})
	l.links(listings, pages)
}

// Reference is a list of other listings in the front matter of a listing.
type Reference struct {
	Path  []string // its key, or the two keys that lead to it
	Slugs []string
}

// Key returns the last key of the path.
func (r *Reference) Key() string { return r.Path[len(r.Path)-1] }

// References returns the lists of other listings in the front matter.
func (l *Listing) References() []Reference {
	list := []Reference{{[]string{api.RunsWithKey}, l.RunsWith}}
	for _, fact := range l.FitNotes {
		if slugs, ok := fact.Value.([]string); ok && fact.Kind == api.FactRelation {
			list = append(list, Reference{[]string{factsKey, fact.Key}, slugs})
		}
	}
	return list
}

// references checks that the listings which others name exist.
func (l *loader) references(listings []*Listing, slugs map[string]*Listing) {
	present := map[string]string{} // slugs by former slug
	for _, x := range listings {
		for _, former := range x.Formerly {
			present[former] = x.Slug
		}
	}
	all, suggestions := slices.Sorted(maps.Keys(slugs)), 0
	for _, x := range listings {
		for _, in := range x.References() {
			for i, slug := range in.Slugs {
				if slugs[slug] != nil {
					continue
				}
				remedy := "write the slug of a listing, or remove it"
				if now := present[slug]; now != "" {
					remedy = "it is now " + now
				} else if slices.ContainsFunc(l.taxonomy.retired, func(r Retired) bool {
					return slices.Contains(r.Slugs(), slug)
				}) {
					remedy = "it has left the catalogue, so remove it"
				} else if suggestions++; suggestions <= MaxSuggestions {
					if near := spelling.Nearest(slug, all, 3); len(near) > 0 {
						remedy = "did you mean " + strings.Join(near, ", ") + "?"
					}
				}
				at := []any{in.Path[0], i}
				if len(in.Path) > 1 {
					at = []any{in.Path[0], in.Path[1], i}
				}
				message := fmt.Sprintf("%s: there is no listing %s: %s", in.Key(), quote(slug), remedy)
				l.find(x.At(rule.Value, message, at...))
			}
		}
	}
}

// links checks the links in texts to files of the content folder.
func (l *loader) links(listings []*Listing, pages []*Page) {
	fileOf := map[string][]string{} // files by the path of their page
	var files []string
	var documents []*Document
	for _, x := range listings {
		page := api.FolderProjects + "/" + x.Slug + "/"
		fileOf[page] = append(fileOf[page], x.File)
		if CheckSlug(x.Slug) != "" { // links may already use the name that the file will get
			slug := Slug(x.Slug, l.options.Settings.Lang)
			page = api.FolderProjects + "/" + slug + "/"
			fileOf[page] = append(fileOf[page], path.Join(path.Dir(x.File), slug+".md"))
		}
		files, documents = append(files, x.File), append(documents, &x.Document)
	}
	for _, p := range pages {
		fileOf[p.Slug+"/"] = []string{p.File}
		files, documents = append(files, p.File), append(documents, &p.Document)
	}
	suggestions := 0
	for _, d := range documents {
		for _, link := range d.Links {
			message := ""
			if link.Wrong != "" {
				message = fmt.Sprintf("the link to %s %s", quote(link.Address), link.Wrong)
			} else if link.File != "" && !slices.Contains(fileOf[link.Path], link.File) {
				kind := "listing"
				if path.Dir(link.File) == "pages" {
					kind = "page"
				}
				remedy := noRemedy
				if suggestions++; suggestions <= MaxSuggestions {
					remedy = remedyForLink(d.File, link.File, files)
				}
				message = fmt.Sprintf("the link leads to %s, but there is no such %s: %s", link.Address, kind, remedy)
			}
			if message != "" {
				l.find(Finding{d.File, link.Line, link.Column, rule.Link, message})
			}
		}
	}
}

// MaxSuggestions is the number of dead links for which a similar file is suggested. Comparing
// thousands of links with all files would take too long.
const MaxSuggestions = 200

const noRemedy = "correct the link or remove it"

// remedyForLink suggests the file that a wrong link probably means.
func remedyForLink(from, wrong string, files []string) string {
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".md"))
	}
	name := strings.ToLower(strings.TrimSuffix(path.Base(wrong), ".md"))
	i := slices.Index(names, name)
	if near := spelling.Nearest(name, names, 1); i < 0 && len(near) > 0 {
		i = slices.Index(names, near[0])
	}
	if i < 0 {
		return noRemedy
	}
	to, err := filepath.Rel(path.Dir(from), files[i])
	if err != nil {
		to = files[i]
	}
	return fmt.Sprintf("did you mean %s?", filepath.ToSlash(to))
}

// aliases checks that no alias is also a name or an alias of another listing. That a listing has the aliases of the one
// that it copies is not reported.
func (l *loader) aliases(listings []*Listing, names map[string]*Listing, copied map[*Listing]*Listing) {
	aliases := map[string]*Listing{}
	for _, x := range listings {
		for i, alias := range x.Aliases {
			key, message := NameKey(alias), ""
			if first, ok := names[key]; ok && first != x && first != copied[x] {
				message = fmt.Sprintf("aliases: %s is the name of %s, and people who type it look for that listing: "+
					"remove it", quote(alias), first.File)
			} else if first, ok := aliases[key]; ok && first != x && first != copied[x] {
				message = fmt.Sprintf("aliases: %s is already an alias in %s: remove it from one of them", quote(alias),
					first.File)
			} else if key != "" {
				aliases[key] = x
			}
			if message != "" {
				l.find(x.At(rule.Unique, message, "aliases", i))
			}
		}
	}
}

// NameKey returns the same key for names that people cannot tell apart.
func NameKey(name string) string { return strings.Join(strings.Fields(token.Fold(name)), " ") }

// markdownEndings lists the extensions of Markdown files, including those that only other programs
// use.
var markdownEndings = []string{".md", ".markdown", ".mdown", ".mkd", ".mdx"}

// ignoredFiles warns of files that look like content but are not read, because of their names or
// because the setting include does not match them. It ignores files that the settings exclude.
func (l *loader) ignoredFiles(c *Content, listings []string) error {
	leftOut := map[string][]string{} // Markdown files by top folder
	listed := map[string]bool{}
	folders := map[string]bool{}
	for _, file := range listings {
		listed[file] = true
		folders[strings.SplitN(file, "/", 2)[0]] = strings.Contains(file, "/")
	}
	excluded := func(file string) bool {
		return slices.ContainsFunc(l.options.Settings.Exclude, func(glob string) bool {
			return doublestar.MatchUnvalidated(glob, file)
		})
	}
	warn := func(file, rename string) {
		l.find(Finding{file, 1, 1, rule.NotRead, "is not read because of its name: rename it to " + rename})
	}
	err := fs.WalkDir(l.root, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == "." {
			return err
		}
		if hidden := strings.HasPrefix(entry.Name(), "."); hidden && entry.IsDir() {
			return fs.SkipDir
		} else if hidden || entry.IsDir() {
			return nil
		}
		if main := l.checkTranslation(file); main != "" {
			c.Translations[main] = append(c.Translations[main], file)
			return nil
		}
		top := strings.SplitN(file, "/", 2)[0]
		ending := path.Ext(file)
		stem := strings.TrimSuffix(file, ending)
		markdown := slices.Contains(markdownEndings, strings.ToLower(ending))
		switch {
		case top == "taxonomy":
			lower, name := strings.ToLower(ending), path.Base(stem)+".yml"
			if ending != ".yml" && (lower == ".yaml" || lower == ".yml") && slices.Contains(taxonomyFiles, name) {
				warn(file, name)
			}
			if hint := translationHint(path.Base(stem)); hint != "" && ending == ".yml" {
				l.find(Finding{file, 1, 1, rule.NotRead, "is not read" + hint})
			}
		case top == "pages":
			if markdown && (ending != ".md" || path.Dir(file) != "pages") {
				warn(file, "pages/"+path.Base(stem)+".md")
			}
		case folders[top] && markdown && !listed[file] && ending != ".md" && !excluded(file) && !excluded(stem+".md"):
			warn(file, path.Base(stem)+".md")
		case ending == ".md" && top != file && !listed[file] && !excluded(file):
			leftOut[top] = append(leftOut[top], file)
		}
		return nil
	})
	if len(listings) > 0 { // another finding reports that there are no listings
		l.findLeftOut(leftOut)
	}
	return err
}

// findLeftOut warns, once for each top folder, of Markdown files that are not read as listings.
func (l *loader) findLeftOut(leftOut map[string][]string) {
	for top, files := range leftOut {
		what := "is"
		if more := len(files) - 1; more > 0 {
			what = fmt.Sprintf("and %s below %s are", api.Count(more, "more file"), top)
		}
		message := fmt.Sprintf("%s not read, because no glob in the setting include, which is %v, matches: "+
			"change include, or add a glob to exclude", what, l.options.Settings.Include)
		l.find(Finding{files[0], 1, 1, rule.NotRead, message})
	}
}

// repositoryKey returns the same key for addresses of the same repository.
func repositoryKey(address string) string {
	key := strings.ToLower(strings.TrimRight(address, "/"))
	return strings.TrimSuffix(strings.TrimPrefix(key, "https://"), ".git")
}

// FindListing returns the listing with the given name, slug, alias or repository address, ignoring
// case, or nil if there is none.
func (c *Content) FindListing(name, repositoryURL string) *Listing {
	key := NameKey(name)
	for _, l := range c.Listings {
		if repositoryURL != "" && repositoryKey(l.RepositoryURL) == repositoryKey(repositoryURL) {
			return l
		}
		names := append([]string{l.Name, l.Slug}, l.Aliases...)
		if key != "" && slices.ContainsFunc(names, func(s string) bool { return NameKey(s) == key }) {
			return l
		}
	}
	return nil
}
