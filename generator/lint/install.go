package lint

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// installSites maps each kind of link to the pages that it must lead to, each given as a host and
// the beginning of a path. A link with a command may lead to any page, because it leads to the page
// that states the command.
var installSites = map[string][]string{
	"pip":       api.Registries["pip"],
	"npm":       api.Registries["npm"],
	"brew":      api.Registries["brew"],
	"store":     stores,
	"extension": stores,
}

// stores lists the pages of apps and extensions in app stores.
var stores = []string{
	"apps.apple.com/", "play.google.com/store/apps/", "f-droid.org/", "apps.microsoft.com/", "flathub.org/",
	"snapcraft.io/", "store.steampowered.com/app/", "chromewebstore.google.com/detail/", "addons.mozilla.org/",
	"microsoftedge.microsoft.com/addons/", "marketplace.visualstudio.com/items", "open-vsx.org/extension/",
	"plugins.jetbrains.com/plugin/", "obsidian.md/plugins", "community.obsidian.md/plugins/",
	"apps.nextcloud.com/apps/", "zed.dev/extensions", "wordpress.org/plugins/",
}

// fileEndings lists the extensions of files to install. A link directly to such a file soon leads
// to an old version.
var fileEndings = []string{".exe", ".msi", ".dmg", ".pkg", ".deb", ".rpm", ".appimage", ".zip", ".gz", ".rb", ".apk",
	".whl"}

// checkInstallLinks warns of install links that do not lead to a page of their kind, and of labels
// that are used twice.
func checkInstallLinks(_ *catalog, l *content.Listing, found *findings) {
	labels := map[string]bool{}
	for i, link := range l.InstallLinks {
		folded := strings.ToLower(link.Label)
		if labels[folded] {
			found.at(&l.Document, rule.InstallLink, at("installLinks", i, "label"),
				"label: %q is used twice: say how the links differ", link.Label)
		}
		labels[folded] = true
		if message := wrongSite(&link); message != "" {
			found.at(&l.Document, rule.InstallLink, at("installLinks", i, "url"), "url: %s", message)
		}
		if link.Command != nil && !link.Clone && inClone.MatchString(*link.Command) {
			found.at(&l.Document, rule.InstallLink, at("installLinks", i, "command"), "command: %q uses files of the "+
				"repository, so it seems to work only in a clone: add clone: true", *link.Command)
		}
	}
}

// inClone matches commands that use files of a repository: a Compose file, a script, or the folder
// itself.
var inClone = regexp.MustCompile(`^(?:sudo )?(?:docker[ -]compose |\./|make\b|(?:ba)?sh [\w./-]+\.sh\b|` +
	`(?:uv run |python3? )[\w./-]+\.py\b)|\s\.(?:\s|$)`)

// wrongSite says what is wrong with the page that a link leads to, or returns "".
func wrongSite(link *api.InstallLink) string {
	u, err := url.Parse(link.URL)
	if err != nil {
		return "" // reported by the checks of the front matter
	}
	address := strings.ToLower(u.Host) + u.Path
	sites := installSites[link.Kind]
	switch {
	case u.Host == "hub.docker.com" && address != strings.ToLower(address):
		return "names on Docker Hub have no capital letters: write them in lower case"
	case slices.Contains(fileEndings, strings.ToLower(path.Ext(u.Path))) && !strings.HasPrefix(address,
		"formulae.brew.sh/"):
		return "leads to one file, which becomes outdated: link to the page that offers it"
	case len(sites) == 0, link.Command != nil,
		slices.ContainsFunc(sites, func(site string) bool { return strings.HasPrefix(address, site) }):
		return ""
	}
	return fmt.Sprintf("a link of the kind %s must lead to one of %s: change the kind, or add the command that the "+
		"makers give on that page", link.Kind, strings.Join(sites, ", "))
}
