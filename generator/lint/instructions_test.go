package lint

import (
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// Every match of an instruction has the words by which it is looked for: texts made from
// the expressions are found.
func TestWordsThatInstructionsNeed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range instructions {
		tree, err := syntax.Parse(instructions[i].phrase.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		made := 0
		for range 2000 {
			text := matching(random, tree)
			if !instructions[i].phrase.MatchString(text) {
				continue // a word boundary between letters
			}
			made++
			if len(instructions[i].in(text, neededIn(text))) == 0 {
				t.Fatalf("%q matches %s, and is not found by %q", text, instructions[i].phrase, instructions[i].needs)
			}
		}
		if made < 100 {
			t.Errorf("only %d texts match %s", made, instructions[i].phrase)
		}
	}
}

// matching returns a text that an expression matches, but for its assertions.
func matching(random *rand.Rand, e *syntax.Regexp) string {
	repeated := func(least, most int) string {
		var out strings.Builder
		for range least + random.IntN(most-least+1) {
			out.WriteString(matching(random, e.Sub[0]))
		}
		return out.String()
	}
	switch e.Op {
	case syntax.OpLiteral:
		return string(e.Rune)
	case syntax.OpCharClass:
		pairs := slices.Collect(slices.Chunk(e.Rune, 2))
		span := pairs[random.IntN(len(pairs))]
		return string(span[0] + random.Int32N(min(span[1]-span[0], 60)+1))
	case syntax.OpStar:
		return repeated(0, 2)
	case syntax.OpPlus:
		return repeated(1, 2)
	case syntax.OpQuest:
		return repeated(0, 1)
	case syntax.OpRepeat:
		return repeated(e.Min, e.Max)
	case syntax.OpAlternate:
		return matching(random, e.Sub[random.IntN(len(e.Sub))])
	case syntax.OpConcat, syntax.OpCapture:
		var out strings.Builder
		for _, sub := range e.Sub {
			out.WriteString(matching(random, sub))
		}
		return out.String()
	}
	return ""
}
