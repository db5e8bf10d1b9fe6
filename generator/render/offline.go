package render

import (
	"fmt"
	"io/fs"
)

// prepareOffline names the code of the page that switches the service worker on and off, if the site has one.
func (s *Shared) prepareOffline() error {
	if !s.Settings.KeepsOffline() {
		return nil
	}
	code, err := fs.ReadFile(s.Site.Templates, "assets/offline.js")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	if code, err = s.Minify("assets/offline.js", code); err != nil {
		return err
	}
	s.View.Offline = s.keep("assets/offline.js", code)
	return nil
}
