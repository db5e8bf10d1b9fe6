package strictyaml

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// explain turns an error of the YAML library into a problem that says what to
// type. The library names what its parser looked for; an editor wants to know
// which character of the line is in the way. The lines are those of the text.
func explain(e *yaml.LoadError, lines []string) Problem {
	line, column := e.Mark.Line, e.Mark.Column
	if line > len(lines) { // behind the last line break
		line, column = len(lines), utf8.RuneCountInString(lines[len(lines)-1])+1
	}
	w := &wrong{lines: lines, line: max(line, 1), column: max(column, 1), start: e.ContextMark}
	message := w.message(e.Message, e.ContextMsg)
	return Problem{w.line, w.column, message}
}

// wrong is a place where the library's parser gave up.
type wrong struct {
	lines        []string
	line, column int
	start        yaml.Mark // where the list, text or mapping begins that is not whole
}

func (w *wrong) message(library, context string) string {
	here := w.rest()
	switch {
	case library == "mapping values are not allowed in this context":
		return w.colon()
	case library == "found character that cannot start any token":
		if strings.HasPrefix(here, "\t") {
			return "there is a tab where spaces are expected: indent with spaces"
		}
		return w.startsWith(here)
	case strings.HasPrefix(library, "found a tab character"):
		if at := strings.IndexByte(w.lines[w.line-1], '\t'); at >= 0 {
			w.column = 1 + utf8.RuneCountInString(w.lines[w.line-1][:at])
		}
		return "there is a tab where spaces are expected: indent with spaces"
	case library == "found unexpected end of stream": // within a quoted text
		w.goTo(w.start)
		return fmt.Sprintf("the quotation mark %s is not closed: add another at the end of the text", firstRune(w.rest()))
	case strings.HasPrefix(library, "did not find expected ',' or"), library == "did not find expected node content":
		return w.brackets(here, strings.HasSuffix(context, "flow sequence") || strings.HasSuffix(context, "flow mapping"))
	case library == "did not find expected key":
		return w.notAKey(here)
	case library == "could not find expected ':'":
		w.goTo(w.start)
		return w.noColon()
	case strings.HasPrefix(library, "unknown anchor"), strings.HasPrefix(context, "while scanning an a"): // anchor, alias
		if w.start.Line > 0 {
			w.goTo(w.start)
		}
		return w.startsWith(w.rest())
	case strings.Contains(context, "a tag"):
		w.goTo(w.start)
		return w.startsWith(w.rest())
	case strings.Contains(context, "block scalar"):
		w.goTo(w.start)
		return w.startsWith(w.rest()) + "; begin a text of several lines on the next line"
	case library == "block sequence entries are not allowed in this context":
		return `put a text that begins with "- " in quotation marks; begin the first entry of a list on a line of its own`
	case library == "mapping keys are not allowed in this context":
		return w.startsWith(here)
	case library == "did not find expected <document start>":
		if strings.HasPrefix(w.lines[0], "%") {
			w.line, w.column = 1, 1
			return "a line that begins with % is not supported: remove it"
		}
		return "this line begins further to the left than the first key: begin every key in the same column"
	case strings.Contains(context, "directive"), library == "found incompatible YAML document":
		w.column = 1
		return "a line that begins with % is not supported: remove it, or put the text in quotation marks"
	case strings.Contains(context, "quoted scalar"): // an escape
		return `\ has a special meaning in double quotation marks: write \\, or use single quotation marks`
	case library == "did not find expected '-' indicator":
		return `the lines above are a list: begin this line with "- ", or indent it if it belongs to the entry above`
	}
	return "is not valid YAML: " + library
}

// goTo sets the place to a mark.
func (w *wrong) goTo(m yaml.Mark) {
	if m.Line >= 1 && m.Line <= len(w.lines) {
		w.line, w.column = m.Line, max(m.Column, 1)
	}
}

// goToBracket sets the place to the last opening bracket before it, if there is one.
func (w *wrong) goToBracket() {
	before := w.before()
	for line := w.line; ; {
		if at := strings.LastIndexAny(before, "[{"); at >= 0 {
			w.line, w.column = line, 1+utf8.RuneCountInString(before[:at])
			return
		}
		if line--; line < 1 {
			return
		}
		before = w.lines[line-1]
	}
}

// rest is the line from the place on.
func (w *wrong) rest() string {
	text := []rune(w.lines[w.line-1])
	return string(text[min(w.column-1, len(text)):])
}

// before is the line up to the place.
func (w *wrong) before() string {
	text := []rune(w.lines[w.line-1])
	return string(text[:min(w.column-1, len(text))])
}

func firstRune(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return "here"
	}
	return string(r)
}

func (w *wrong) startsWith(text string) string {
	return fmt.Sprintf("a text that begins with %s must be in quotation marks", firstRune(text))
}

// curlyQuotes are quotation marks that YAML takes for letters.
const curlyQuotes = "“”„‘’‚«»"

// colon tells of a colon that YAML takes for the one behind a key.
func (w *wrong) colon() string {
	before := strings.TrimLeft(w.before(), " -")
	key, text, found := strings.Cut(before, ":")
	text = strings.TrimSpace(text)
	switch {
	case found && strings.ContainsAny(firstRune(text), curlyQuotes):
		return fmt.Sprintf(`%s is not a quotation mark in YAML: write " or '`, firstRune(text))
	case found:
		message := `a text that contains ": " must be in quotation marks`
		if whole := strings.TrimSpace(text + w.rest()); whole == short(whole) {
			message += fmt.Sprintf(": write %s: %s", strings.TrimSpace(key), quoted(whole))
		}
		return message
	}
	w.column = w.indentation() + 1
	for above := w.line - 1; above > 0; above-- {
		text := strings.TrimSpace(w.lines[above-1])
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if !strings.Contains(text, ": ") && !strings.HasSuffix(text, ":") {
			w.line = above
			w.column = w.indentation() + 1
			return noKey(text)
		}
		break
	}
	return fmt.Sprintf("this line is indented by %s, but the key above has a value already: begin it in the same column as the other keys", spaces(w.column-1))
}

// brackets tells of a list in [ ] or a mapping in { } that does not end, or in
// which there is something that YAML cannot place.
func (w *wrong) brackets(here string, within bool) string {
	first := firstRune(here)
	if strings.ContainsAny(first, ",]}") {
		if first == "," {
			return "there is nothing before this comma: remove the comma, or put the text in quotation marks"
		}
		return w.startsWith(here)
	}
	sameLine := within && w.line == w.start.Line && strings.TrimSpace(here) != ""
	if within {
		w.goTo(w.start)
	} else {
		w.goToBracket()
	}
	open := firstRune(w.rest())
	closing := map[string]string{"[": "]", "{": "}"}[open]
	if closing == "" {
		return "a value is missing here, or a bracket above is not closed"
	}
	if sameLine {
		return fmt.Sprintf("a comma or %s is missing after an entry of %s: a text that contains a quotation mark, a bracket or a comma must be in quotation marks", closing, open)
	}
	comment := ""
	if _, _, found := cutComment(w.rest()); found {
		comment = "; \" #\" begins a comment unless it is in quotation marks"
	}
	return fmt.Sprintf("%s is not closed: add %s after the last entry%s", open, closing, comment)
}

// notAKey tells of something else where a key is expected.
func (w *wrong) notAKey(here string) string {
	before := strings.TrimRight(w.before(), " ")
	switch {
	case strings.HasSuffix(before, "'"), strings.HasSuffix(before, `"`):
		mark := before[len(before)-1:]
		if mark == "'" {
			return "the text continues after the closing ': put the whole text in double quotation marks, or write '' for ' within it"
		}
		return `the text continues after the closing ": put the whole text in single quotation marks, or write \" for " within it`
	case strings.HasSuffix(before, "]"), strings.HasSuffix(before, "}"):
		return "the text continues after the closing bracket: put the whole text in quotation marks"
	case strings.HasPrefix(here, "- "), here == "-":
		return fmt.Sprintf("there is a list entry where a key is expected: indent it like the other entries (this one has %s)", spaces(w.column-1))
	}
	return fmt.Sprintf("this line is indented by %s, which matches no line above it: begin it in the same column as the other keys", spaces(w.column-1))
}

// noColon tells of a line that should be a key.
func (w *wrong) noColon() string {
	text := strings.TrimSpace(w.rest())
	if strings.HasPrefix(text, "-") && len(text) > 1 {
		return fmt.Sprintf(`a space is missing after the hyphen: write "- %s"`, short(strings.TrimSpace(text[1:])))
	}
	return noKey(text) + "; a text that continues from the line above must be indented further than its key"
}

func noKey(text string) string {
	return fmt.Sprintf(`%q is not a key with a value: write ": " after the key`, short(text))
}

// indentation is the number of spaces at the beginning of the line.
func (w *wrong) indentation() int {
	line := w.lines[w.line-1]
	return len(line) - len(strings.TrimLeft(line, " "))
}

// quoted is a text as YAML takes it for one.
func quoted(text string) string {
	text = short(strings.TrimSpace(text))
	if strings.ContainsAny(text, `"\`) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return `"` + text + `"`
}

func spaces(n int) string {
	if n == 1 {
		return "1 space"
	}
	return fmt.Sprintf("%d spaces", n)
}

// short bounds a text that a message quotes.
func short(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// Encoding returns what is wrong with how a text is stored: that it is not UTF-8,
// or holds characters that no YAML or Markdown file may hold. Lines are counted
// from firstLine.
func Encoding(text []byte, firstLine int) (Problem, bool) {
	if len(text) >= 2 && (text[0] == 0xff && text[1] == 0xfe || text[0] == 0xfe && text[1] == 0xff) {
		return Problem{firstLine, 1, "the file is UTF-16: save it as UTF-8"}, true
	}
	unseen := func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n\u0085", r) || r == 0xFFFE || r == 0xFFFF
	}
	if utf8.Valid(text) && !bytes.ContainsFunc(text, unseen) {
		return Problem{}, false
	}
	for i, l := range splitLines(text) {
		column := 0
		for j, r := range l {
			column++
			if _, size := utf8.DecodeRuneInString(l[j:]); r == utf8.RuneError && size == 1 {
				return Problem{firstLine + i, column, fmt.Sprintf("the file is not valid UTF-8: the byte here is 0x%02x; save the file as UTF-8", l[j])}, true
			}
			if unseen(r) {
				return Problem{firstLine + i, column, fmt.Sprintf("there is an invisible character here (%U): remove it", r)}, true
			}
		}
	}
	return Problem{}, false
}
