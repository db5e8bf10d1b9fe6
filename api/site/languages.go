package site

import "strings"

// languageNames are the English names of the languages whose words a search knows: see package token.
var languageNames = map[string]string{
	"da": "Danish", "de": "German", "en": "English", "es": "Spanish", "fi": "Finnish", "fr": "French",
	"it": "Italian", "ja": "Japanese", "nb": "Norwegian", "nl": "Dutch", "nn": "Norwegian", "no": "Norwegian",
	"pt": "Portuguese", "ru": "Russian", "sv": "Swedish", "th": "Thai", "zh": "Chinese",
}

// LanguageName returns the English name of the language of the site, for texts that programs read.
func (s *Settings) LanguageName() string {
	base, _, _ := strings.Cut(strings.ToLower(s.Lang), "-")
	if name, ok := languageNames[base]; ok {
		return name
	}
	return "the language with the code " + s.Lang
}

// NoLanguages are language tags that Settings.Languages cannot have, because other files are in the folders of
// these names.
var NoLanguages = []string{"api", "mcp"}

// In returns the settings of the pages in one of the Languages. They are below the path of its name, and so is
// everything else that belongs to them.
func (s Settings) In(lang string) Settings {
	s.Lang = lang
	s.BaseURL += "/" + lang
	if s.SearchURL != "" {
		s.SearchURL += "/" + lang
	}
	return s
}
