package token

import (
	"slices"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Content returns the folded words of a text without English function words.
func Content(text string) []string {
	return slices.DeleteFunc(Of(text), func(w string) bool { return FunctionWords[w] })
}

// Stem returns the English stem of a folded word (Snowball's Porter 2).
func Stem(word string) string {
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// Stems returns the stem of each word.
func Stems(list []string) []string {
	stems := make([]string, len(list))
	for i, w := range list {
		stems[i] = Stem(w)
	}
	return stems
}

// FunctionWords lists the English words that have no meaning of their own in a query.
var FunctionWords = Set(`
	a about all also am an and any are as at be been but by can could did do does for from get give had has have
	help her here him his how i if in into is it its just like look looking lets let make me my need needs of on
	onto or our out over please s she should so some something someone such t than that the their them then
	there these they thing things this those to up us use used using very via want wants was way we were what
	whats when where which who whose whom why will with without would you your should must may might shall wanna
	gonna im ive id dont doesnt cant isnt wont theres arent hasnt havent wouldnt thats whos youre only too
	though although because since per`)

// Set returns a set of the words in a text.
func Set(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
