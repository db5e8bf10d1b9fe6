package strictyaml

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"go.yaml.in/yaml/v4"
)

const sameColumn = ": begin it in the same column as the other keys"

// remedy says what to type to correct an error of the YAML library. See remedies.txt.
type remedy struct {
	library string
	atStart bool
	text    string
}

//go:embed remedies.txt
var remediesText string

var remedies = func() (list []remedy) {
	for line := range strings.Lines(remediesText) {
		if library, text, ok := strings.Cut(line, " = "); ok {
			library, atStart := strings.CutPrefix(library, "^")
			list = append(list, remedy{library, atStart, strings.TrimSpace(text)})
		}
	}
	return list
}()

// explain converts an error of the YAML library to a Problem that says what to type.
func explain(e *yaml.LoadError, lines []string) Problem {
	p := Problem{Line: max(e.Mark.Line, 1), Column: max(e.Mark.Column, 1)}
	if p.Line > len(lines) { // after the last line break
		p.Line, p.Column = len(lines), utf8.RuneCountInString(lines[len(lines)-1])+1
	}
	switch e.Message {
	case "mapping values are not allowed in this context":
		return explainColon(p, lines)
	case "did not find expected key":
		return explainKey(p, lines)
	}
	for _, r := range remedies {
		if !strings.Contains(e.Message, r.library) && !strings.Contains(e.ContextMsg, r.library) {
			continue
		}
		if start := e.ContextMark; r.atStart && start.Line >= 1 && start.Line <= len(lines) {
			p.Line, p.Column = start.Line, max(start.Column, 1)
		}
		_, rest := p.split(lines)
		char := []rune(rest + "?")[:1]
		if char[0] == '\t' {
			r = remedies[0]
		}
		p.Message = strings.NewReplacer("{char}", string(char), "{text}", short(rest)).Replace(r.text)
		break
	}
	return p
}

// explainColon explains a ": " where YAML does not allow one: inside an unquoted text, after a line
// that is not a key with a value, or on a line indented below a key that already has a value.
func explainColon(p Problem, lines []string) Problem {
	before, rest := p.split(lines)
	if key, text, found := strings.Cut(strings.TrimLeft(before, " -"), ":"); found {
		p.Message = `a text that contains ": " must be in quotation marks`
		if whole := strings.TrimSpace(text + rest); whole == short(whole) {
			p.Message += fmt.Sprintf(": write %s: %s", strings.TrimSpace(key), quoted(whole))
		}
		return p
	}
	p.Column = indentation(before) + 1
	if above := p.Line - 1; above > 0 && p.Column-1 <= indentation(lines[above-1]) {
		p.Line = above
		_, text := p.split(lines)
		p.Message = fmt.Sprintf(`%q is not a key with a value: write ": " after the key`, short(text))
		return p
	}
	p.Message = fmt.Sprintf("this line is indented by %s, but the key above already has a value%s",
		api.Count(p.Column-1, "space"), sameColumn)
	return p
}

// explainKey explains text where YAML expects a key: after the end of a value, or on a line whose
// indentation matches no line above it.
func explainKey(p Problem, lines []string) Problem {
	before, _ := p.split(lines)
	before = strings.TrimRight(before, " ")
	if end := strings.TrimRight(before, `'"]}`); end != before {
		if opened, ok := openedAbove(p, lines, before); ok {
			return opened
		}
		p.Message = fmt.Sprintf("the text continues after the closing %s: "+
			"put the whole text in quotation marks that it does not contain", before[len(before)-1:])
		return p
	}
	p.Message = fmt.Sprintf("this line is indented by %s, which matches no line above it%s or entries",
		api.Count(p.Column-1, "space"), sameColumn)
	return p
}

// openedAbove looks for the quotation mark that closes at the end of before, if that one seems to begin a value. The
// text above then lacks its closing mark.
func openedAbove(p Problem, lines []string, before string) (Problem, bool) {
	mark := before[len(before)-1:]
	start := strings.TrimRight(before[:len(before)-1], " ")
	if mark != `"` && mark != "'" || start != "" && !strings.HasSuffix(start, "-") && !strings.HasSuffix(start, ":") {
		return p, false
	}
	for n := p.Line - 2; n >= 0; n-- {
		if before, _, ok := strings.Cut(lines[n], mark); ok && strings.Count(lines[n], mark) == 1 {
			return Problem{n + 1, utf8.RuneCountInString(before) + 1,
				fmt.Sprintf("the quotation mark %s is not closed: add another at the end of the text", mark)}, true
		}
	}
	return p, false
}

// split splits the line of a problem at its column.
func (p Problem) split(lines []string) (before, rest string) {
	text := []rune(lines[p.Line-1])
	at := min(p.Column-1, len(text))
	return string(text[:at]), string(text[at:])
}

// indentation returns the number of spaces at the beginning of a line.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// quoted returns a text in quotation marks.
func quoted(text string) string {
	if strings.ContainsAny(text, `"\`) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return `"` + text + `"`
}

// maxQuoted is the maximum length of a text quoted in a message, in characters.
const maxQuoted = 40

func short(text string) string { return api.Shorten(text, maxQuoted) }
