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
