package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// styles are the parts of the stylesheet. An owner's rules come last, after those that follow from settings,
// so that they take precedence. All are in one file, because each additional stylesheet delays the first
// display of a page.
var styles = []string{"assets/style.css", blocksStyle, cardsStyle, placesStyle, languagesStyle, extraStyle}

// Parts of the stylesheet. blocksStyle shows rows of listings as blocks: always with the layout cards, to
// which cardsStyle belongs, else on narrow screens. placesStyle is for maps.
const (
	blocksStyle = "assets/blocks.css"
	cardsStyle  = "assets/cards.css"
	placesStyle = "assets/places.css"
	// languagesStyle is for sites in several languages.
	languagesStyle = "assets/languages.css"
	extraStyle     = "assets/extra.css"
	narrow         = "(max-width: 59.99rem)"
)

// style returns the stylesheet. The error lists every mistake, because browsers and the minifier
// silently skip mistakes.
func (s *Shared) style() ([]byte, error) {
	var all []byte
	var problems []error
	for i, file := range styles {
		text, err := fs.ReadFile(s.Site.Templates, file)
		if err != nil {
			return nil, err
		}
		problems = append(problems, checkCSS(file, text, i == 0)...)
		if file == blocksStyle {
			all = append(all, s.wordsOfBlocks()...)
		}
		switch {
		case file == blocksStyle && !s.Settings.HasCards():
			text = fmt.Appendf(nil, "@media %s {\n%s}", narrow, text)
		case file == cardsStyle && !s.Settings.HasCards(), file == placesStyle && s.Content.Taxonomy.PlaceFact() == nil,
			file == languagesStyle && s.Languages == nil:
			continue
		case file == extraStyle:
			rules, err := look(&s.Settings, string(all))
			if err != nil {
				problems = append(problems, err)
			}
			all = append(all, rules...)
		}
		all = append(append(all, text...), '\n')
	}
	return all, errors.Join(problems...)
}

// wordsOfBlocks sets the words that stand before figures where the heads of columns are out of sight.
func (s *Shared) wordsOfBlocks() string {
	quoted := func(text string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return fmt.Sprintf(":root { --compare: %s; --updated: %s; --licence: %s; }\n",
		quoted(s.T("Compare")), quoted(s.T("updated")), quoted(s.T("licence")))
}

// checkCSS returns the mistakes of a stylesheet with line and column. Only the first part
// of a stylesheet can import others.
func checkCSS(file string, text []byte, first bool) (problems []error) {
	add := func(line, column int, message string) {
		problems = append(problems, fmt.Errorf("%s:%d:%d: %s", file, line, column, message))
	}
	at := func(offset int, message string) {
		line, column, _ := parse.Position(bytes.NewReader(text), offset)
		add(line, column, message)
	}
	// The parser closes what is open at the end, as browsers do.
	var open []int // offsets of { without } so far
	lexer, offset := css.NewLexer(parse.NewInputBytes(bytes.Clone(text))), 0
	for {
		kind, token := lexer.Next()
		if kind == css.ErrorToken {
			break
		}
		switch {
		case kind == css.LeftBraceToken:
			open = append(open, offset)
		case kind == css.RightBraceToken && len(open) > 0:
			open = open[:len(open)-1]
		case kind == css.CommentToken && !bytes.HasSuffix(token, []byte("*/")):
			at(offset, "this comment does not end: write */ after it")
		case kind == css.BadStringToken:
			at(offset, "this text has no closing quotation mark")
		case kind == css.BadURLToken:
			at(offset, "this url() is wrong: put quotation marks around the address")
		case kind == css.AtKeywordToken && bytes.EqualFold(token, []byte("@import")) && !first:
			at(offset, "@import has no effect here, because style.css comes first: copy the rules into this file")
		}
		offset += len(token)
	}
	for _, offset := range open {
		at(offset, "this { has no matching }")
	}
	parser := css.NewParser(parse.NewInputBytes(bytes.Clone(text)), false)
	for {
		if kind, _, _ := parser.Next(); kind != css.ErrorGrammar {
			continue
		}
		err := parser.Err()
		if problem, ok := errors.AsType[*parse.Error](err); ok {
			add(problem.Line, problem.Column, problem.Message)
		} else if errors.Is(err, io.EOF) {
			return problems
		} else {
			return append(problems, fmt.Errorf("%s: %w", file, err))
		}
	}
}
