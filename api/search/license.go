package search

import (
	"slices"
	"strings"
)

// sufficientLicenses returns the licences of an SPDX expression (SPDX 2.3,
// annex D) that alone suffice to use the work: the legs of an OR, never those
// of an AND. Where no single one does, it is the whole expression.
func sufficientLicenses(expression string) []string {
	p := licenseParser{tokens: licenseTokens(expression)}
	tree := p.or()
	if p.bad || len(p.tokens) > 0 {
		return []string{expression}
	}
	var legs []string
	for _, atom := range tree.atoms(nil) {
		if tree.holds(atom) && !slices.Contains(legs, atom) {
			legs = append(legs, atom)
		}
	}
	if len(legs) == 0 {
		return []string{expression}
	}
	return legs
}

// licenseKeys returns the folded texts by which a licence is asked for: itself,
// for the GNU licences also without -only and -or-later, and without an
// exception, which only ever adds permissions.
func licenseKeys(license string) []string {
	key := strings.ToLower(license)
	keys := []string{key}
	base, _, hasException := strings.Cut(key, " with ")
	if hasException {
		keys = append(keys, base)
	}
	for _, suffix := range []string{"-only", "-or-later", "+"} {
		if family, ok := strings.CutSuffix(base, suffix); ok {
			keys = append(keys, family)
		}
	}
	return keys
}

func licenseTokens(expression string) []string {
	return strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(expression))
}

// licenseNode is an atom, or an operator over two nodes.
type licenseNode struct {
	atom        string
	and         bool
	left, right *licenseNode
}

func (n *licenseNode) atoms(list []string) []string {
	if n.left == nil {
		return append(list, n.atom)
	}
	return n.right.atoms(n.left.atoms(list))
}

// holds tells whether the expression is satisfied by that one licence.
func (n *licenseNode) holds(atom string) bool {
	switch {
	case n.left == nil:
		return n.atom == atom
	case n.and:
		return n.left.holds(atom) && n.right.holds(atom)
	default:
		return n.left.holds(atom) || n.right.holds(atom)
	}
}

// licenseParser is a recursive descent over the grammar or := and (OR and)*,
// and := atom (AND atom)*, atom := ID [WITH ID] | "(" or ")".
type licenseParser struct {
	tokens []string
	depth  int
	bad    bool
}

// maxLicenseDepth bounds nesting, so that no expression exhausts the stack.
const maxLicenseDepth = 50

func (p *licenseParser) accept(word string) bool {
	if len(p.tokens) > 0 && strings.EqualFold(p.tokens[0], word) {
		p.tokens = p.tokens[1:]
		return true
	}
	return false
}

func (p *licenseParser) or() *licenseNode {
	n := p.and()
	for p.accept("OR") {
		n = &licenseNode{left: n, right: p.and()}
	}
	return n
}

func (p *licenseParser) and() *licenseNode {
	n := p.primary()
	for p.accept("AND") {
		n = &licenseNode{and: true, left: n, right: p.primary()}
	}
	return n
}

func (p *licenseParser) primary() *licenseNode {
	if p.depth++; p.depth > maxLicenseDepth {
		p.bad, p.tokens = true, nil
	}
	defer func() { p.depth-- }()
	if p.accept("(") {
		n := p.or()
		if !p.accept(")") {
			p.bad = true
		}
		return n
	}
	if len(p.tokens) == 0 || p.tokens[0] == ")" {
		p.bad = true
		return &licenseNode{}
	}
	atom := p.tokens[0]
	p.tokens = p.tokens[1:]
	if p.accept("WITH") && len(p.tokens) > 0 {
		atom += " WITH " + p.tokens[0]
		p.tokens = p.tokens[1:]
	}
	return &licenseNode{atom: atom}
}
