package spdx

import (
	"slices"
	"strings"
	"unicode"
)

// longNames are the names of families of licences, as people write them out. Longer names come first.
var longNames = strings.NewReplacer(
	"gnu affero general public", "agpl", "affero general public", "agpl",
	"gnu affero gpl", "agpl", "affero gpl", "agpl",
	"gnu lesser general public", "lgpl", "lesser general public", "lgpl",
	"gnu general public", "gpl", "general public", "gpl", "mozilla public", "mpl", "eclipse public", "epl",
	"boost software", "bsl", "business source", "busl", "server side public", "sspl",
)

// noWords are words of licences' names that tell no licence from another.
var noWords = []string{"the", "license", "licence", "licensed", "version", "v", "gnu", "clause"}

// Spelling returns the words of a licence's name in a form that is the same for its usual spellings:
// GPL-3.0-or-later, GPL-3.0+ and "GPL v3 or later" have the same one, as have Apache-2.0, "Apache 2" and "Apache
// License 2.0". Different licences have different ones.
func Spelling(name string) []string {
	var words []string
	isDigit := false
	for _, r := range strings.ReplaceAll(strings.ToLower(name), "+", " or later ") {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			words = append(words, "")
			continue
		case len(words) == 0, unicode.IsDigit(r) != isDigit:
			words = append(words, "")
		}
		isDigit = unicode.IsDigit(r)
		words[len(words)-1] += string(r)
	}
	words = strings.Fields(longNames.Replace(strings.Join(slices.DeleteFunc(words, isEmpty), " ")))
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(noWords, w) })
	for i := len(words) - 1; i > 0; i-- {
		switch {
		case words[i] == "0" && isNumber(words[i-1]) && (i+1 == len(words) || !isNumber(words[i+1])):
			words = slices.Delete(words, i, i+1) // 3.0 is 3, and 2.0.1 is not 2.1
		case isNumber(words[i]):
			words[i-1] = strings.TrimSuffix(words[i-1], "v") // of GPLv3
		}
	}
	if n := len(words) - 1; n > 0 && words[n] == "bsd" { // 3-clause BSD
		words = slices.Insert(words[:n], 0, "bsd")
	}
	return words
}

func isNumber(word string) bool { return word[0] >= '0' && word[0] <= '9' }

func isEmpty(word string) bool { return word == "" }
