// Package spdx parses SPDX licence expressions (SPDX 2.3, annex D). It takes a text and
// returns its licences, how they are combined, and which of them alone suffice.
//
//	or       = and *("OR" and)
//	and      = operand *("AND" operand)
//	operand  = identifier ["WITH" identifier] / "(" or ")"
//
// Operators are case-insensitive. Any other word is an identifier, except for a
// DocumentRef-… without :LicenseRef-…. The package does not know the SPDX licence list.
package spdx

import (
	"slices"
	"strings"
)

const (
	And  = "AND"
	Or   = "OR"
	With = "WITH"

	// RefPrefix begins the identifier of a licence that is not in the SPDX list.
	RefPrefix = "LicenseRef-"
)

// maxBrackets limits opening brackets, so that nesting cannot exhaust the stack. The 120 characters
// that a listing's licence may have leave room for 58 pairs.
const maxBrackets = 100

// License is one licence of an expression.
type License struct {
	ID        string // as written, such as MIT, AFL-3.0+ or LicenseRef-Own
	Exception string // the exception after WITH, or ""
}

func (l License) String() string {
	if l.Exception == "" {
		return l.ID
	}
	return l.ID + " " + With + " " + l.Exception
}

// Family returns the identifier in lower case without +, -only and -or-later, and without the
// exception. AGPL-3.0-only, AGPL-3.0-or-later and AGPL-3.0+ have the same family.
func (l License) Family() string {
	id := strings.ToLower(l.ID)
	for _, suffix := range []string{"+", "-only", "-or-later"} {
		id = strings.TrimSuffix(id, suffix)
	}
	return id
}

// Keys returns, in lower case, the texts by which a search finds the licence: the licence as
// written, the licence without its exception (which only adds permissions), and its family.
func (l License) Keys() []string {
	return []string{strings.ToLower(l.String()), strings.ToLower(l.ID), l.Family()}
}

// IsRef reports whether the licence is a LicenseRef-…, in this or another document.
func (l License) IsRef() bool { return strings.Contains(l.ID, RefPrefix) }

// Expression is a licence expression. The zero value is not valid.
type Expression struct {
	Tokens   []string  // identifiers, operators and brackets, as written
	Licenses []License // in the order of the text, with repetitions
}

// Parse parses an expression. It returns false if the text is not valid.
func Parse(text string) (e Expression, ok bool) {
	if strings.Count(text, "(") > maxBrackets {
		return e, false
	}
	e.Tokens = strings.Fields(strings.ReplaceAll(strings.ReplaceAll(text, "(", " ( "), ")", " ) "))
	p := parser{rest: e.Tokens, judge: func(l License) Truth { e.Licenses = append(e.Licenses, l); return Unknown }}
	if p.or(); p.invalid || len(p.rest) > 0 {
		return Expression{}, false
	}
	return e, true
}

// Operator returns a token in upper case, and whether it is an operator.
func Operator(token string) (string, bool) {
	token = strings.ToUpper(token)
	return token, token == And || token == Or || token == With
}

// Has reports whether the expression contains an operator.
func (e Expression) Has(operator string) bool {
	return slices.ContainsFunc(e.Tokens, func(token string) bool { return strings.EqualFold(token, operator) })
}

// SingleID returns the identifier if the expression is a single licence that has no exception and
// is not a LicenseRef-….
func (e Expression) SingleID() (id string, ok bool) {
	if len(e.Licenses) != 1 || e.Licenses[0].Exception != "" || e.Licenses[0].IsRef() {
		return "", false
	}
	return e.Licenses[0].ID, true
}

// Sufficient returns the licences that alone suffice to use the work, each once. Either side of an
// OR suffices, but neither side of an AND. The list may be empty.
func (e Expression) Sufficient() []License {
	var list []License
	for _, license := range e.Licenses {
		isLicense := func(l License) Truth {
			if l == license {
				return Yes
			}
			return No
		}
		if !slices.Contains(list, license) && e.Judge(isLicense) == Yes {
			list = append(list, license)
		}
	}
	return list
}

// Truth is a three-valued logic value. AND is the minimum of its operands, OR the maximum.
type Truth int

const (
	No Truth = iota
	Unknown
	Yes
)

// Judge evaluates the expression, with judge giving the value of each licence. It parses the tokens
// again, so that no syntax tree need be stored.
func (e Expression) Judge(judge func(License) Truth) Truth {
	p := parser{rest: e.Tokens, judge: judge}
	return p.or()
}

// parser is a recursive descent parser that evaluates the expression as it parses.
type parser struct {
	rest    []string // tokens not yet parsed
	judge   func(License) Truth
	invalid bool
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
		p.invalid = !p.accept(")") || p.invalid
		return truth
	}
	l := License{ID: p.identifier()}
	if p.accept(With) {
		l.Exception = p.identifier()
	}
	return p.judge(l)
}

func (p *parser) identifier() (id string) {
	if len(p.rest) > 0 {
		id, p.rest = p.rest[0], p.rest[1:]
	}
	_, isOperator := Operator(id)
	isIncompleteRef := strings.HasPrefix(id, "DocumentRef-") && !strings.Contains(id, ":"+RefPrefix)
	p.invalid = p.invalid || isOperator || isIncompleteRef || id == "" || id == "(" || id == ")"
	return id
}

// accept consumes the next token if it is the given operator or bracket.
func (p *parser) accept(token string) bool {
	ok := len(p.rest) > 0 && strings.EqualFold(p.rest[0], token)
	if ok {
		p.rest = p.rest[1:]
	}
	return ok
}
