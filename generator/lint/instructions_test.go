package lint

import (
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// TestInstructionWords checks that texts generated from the expressions are found.
func TestInstructionWords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, i := range instructions() {
		tree, err := syntax.Parse(i.phrase().String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		matched := 0
		for range 2000 {
			text := matching(random, tree)
			if !i.phrase().MatchString(text) {
				continue // a word boundary between letters
			}
			matched++
			if len(i.find(text, requiredWordsIn(text))) == 0 {
				t.Fatalf("%q matches %s, but is not found with %q", text, i.phrase(), i.required)
			}
		}
		if matched < 100 {
			t.Errorf("only %d texts match %s", matched, i.phrase())
		}
	}
}

// matching generates a text that an expression matches, ignoring its assertions.
func matching(random *rand.Rand, re *syntax.Regexp) string {
	repeat := func(least, most int) string {
		var out strings.Builder
		for range least + random.IntN(most-least+1) {
			out.WriteString(matching(random, re.Sub[0]))
		}
		return out.String()
	}
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		pairs := slices.Collect(slices.Chunk(re.Rune, 2))
		span := pairs[random.IntN(len(pairs))]
		return string(span[0] + random.Int32N(min(span[1]-span[0], 60)+1))
	case syntax.OpStar:
		return repeat(0, 2)
	case syntax.OpPlus:
		return repeat(1, 2)
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpRepeat:
		return repeat(re.Min, re.Max)
	case syntax.OpAlternate:
		return matching(random, re.Sub[random.IntN(len(re.Sub))])
	case syntax.OpConcat, syntax.OpCapture:
		var out strings.Builder
		for _, sub := range re.Sub {
			out.WriteString(matching(random, sub))
		}
		return out.String()
	}
	return ""
}
