package importer

import "catalog.example/api/site"

// testSettings are the settings of internal tests.
var testSettings = func() *site.Settings {
	s := site.Defaults()
	return &s
}()
