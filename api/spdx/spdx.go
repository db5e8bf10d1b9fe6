// Package spdx reads SPDX licence expressions (SPDX 2.3, annex D). A text goes in.
// Out come its licences, how they go together, and which of them alone suffice.
//
//	or       = and *("OR" and)
//	and      = operand *("AND" operand)
//	operand  = identifier ["WITH" identifier] / "(" or ")"
//
// Case does not matter for operators. Any other word is an identifier, but a
// DocumentRef-… needs its :LicenseRef-…. The SPDX list of licences is not known here.
package spdx

import (
	"slices"
	"strings"
)

const (
	And  = "AND"
	Or   = "OR"
	With = "WITH"

	// RefPrefix begins the name of a licence that the SPDX list does not have.
	RefPrefix = "LicenseRef-"
)

// maxBrackets bounds brackets, so that nested ones do not exhaust the stack. The 120
// characters of a listing's licence have room for 58 pairs.
const maxBrackets = 100

// License is one licence of an expression.
type License struct {
	ID        string // as written, such as MIT, AFL-3.0+ or LicenseRef-Own
	Exception string // what follows WITH, or ""
}

func (l License) String() string {
	if l.Exception == "" {
		return l.ID
	}
	return l.ID + " " + With + " " + l.Exception
}

// Family returns what AGPL-3.0-only, AGPL-3.0-or-later and AGPL-3.0+ have in common:
// the identifier in lower case, without its end and without the exception.
func (l License) Family() string {
	id := strings.ToLower(l.ID)
	for _, end := range []string{"+", "-only", "-or-later"} {
		id = strings.TrimSuffix(id, end)
	}
	return id
}

// IsRef tells whether the licence is a LicenseRef-…, also one of another document.
func (l License) IsRef() bool { return strings.Contains(l.ID, RefPrefix) }

// Expression is a licence expression. The zero Expression is none.
type Expression struct {
	Tokens   []string  // identifiers, operators and brackets, as written
	Licenses []License // in the order of the text, each as often as it is written
}

// Parse reads an expression. It returns false for other texts.
func Parse(text string) (e Expression, ok bool) {
	if strings.Count(text, "(") > maxBrackets {
		return e, false
	}
	e.Tokens = strings.Fields(strings.ReplaceAll(strings.ReplaceAll(text, "(", " ( "), ")", " ) "))
	p := parser{rest: e.Tokens, ask: func(l License) Truth { e.Licenses = append(e.Licenses, l); return Unknown }}
	if p.or(); p.bad || len(p.rest) > 0 {
		return Expression{}, false
	}
	return e, true
}

// Operator returns a token in upper case, and whether it is an operator.
func Operator(token string) (string, bool) {
	token = strings.ToUpper(token)
	return token, token == And || token == Or || token == With
}

// Has tells whether an operator stands in the expression.
func (e Expression) Has(operator string) bool {
	return slices.ContainsFunc(e.Tokens, func(token string) bool { return strings.EqualFold(token, operator) })
}

// SingleID returns the identifier of an expression that is one licence without an
// exception, and no LicenseRef-….
func (e Expression) SingleID() (id string, ok bool) {
	if len(e.Licenses) != 1 || e.Licenses[0].Exception != "" || e.Licenses[0].IsRef() {
		return "", false
	}
	return e.Licenses[0].ID, true
}

// Sufficient returns the licences that alone suffice to use the work, each once: those
// on one side of an OR, but not those of an AND. Often there is none.
func (e Expression) Sufficient() []License {
	var list []License
	for _, one := range e.Licenses {
		alone := func(l License) Truth {
			if l == one {
				return Yes
			}
			return No
		}
		if !slices.Contains(list, one) && e.Judge(alone) == Yes {
			list = append(list, one)
		}
	}
	return list
}

// Truth is an answer about licences: an AND has the least of its answers, an OR the greatest.
type Truth int

const (
	No Truth = iota
	Unknown
	Yes
)

// Judge answers a question about the expression by the answers for its licences: of
// an OR one Yes is enough, of an AND each must be Yes. It reads the tokens again, so
// that no tree of them is kept.
func (e Expression) Judge(ask func(License) Truth) Truth {
	p := parser{rest: e.Tokens, ask: ask}
	return p.or()
}

// parser is a recursive descent over the grammar that judges what it reads.
type parser struct {
	rest []string // tokens that have not been read
	ask  func(License) Truth
	bad  bool
}

func (p *parser) or() Truth {
	truth := p.and()
	for p.accept(Or) {
		truth = max(truth, p.and())
	}
	return truth
}

func (p *parser) and() Truth {
	truth := p.operand()
	for p.accept(And) {
		truth = min(truth, p.operand())
	}
	return truth
}

func (p *parser) operand() Truth {
	if p.accept("(") {
		truth := p.or()
		p.bad = !p.accept(")") || p.bad
		return truth
	}
	l := License{ID: p.identifier()}
	if p.accept(With) {
		l.Exception = p.identifier()
	}
	return p.ask(l)
}

func (p *parser) identifier() (id string) {
	if len(p.rest) > 0 {
		id, p.rest = p.rest[0], p.rest[1:]
	}
	_, operator := Operator(id)
	halfRef := strings.HasPrefix(id, "DocumentRef-") && !strings.Contains(id, ":"+RefPrefix)
	p.bad = p.bad || operator || halfRef || id == "" || id == "(" || id == ")"
	return id
}

// accept reads the next token if it is the given operator or bracket.
func (p *parser) accept(token string) bool {
	ok := len(p.rest) > 0 && strings.EqualFold(p.rest[0], token)
	if ok {
		p.rest = p.rest[1:]
	}
	return ok
}
