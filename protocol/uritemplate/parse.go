package uritemplate

import (
	"strings"
	"unicode/utf8"
)

// MaxTemplate is the length of the longest template, in bytes.
const MaxTemplate = 2048

// Parse reads a template of any level of RFC 6570. The error is an *Error. Parse rejects
// what the grammar of section 2 does not derive, except the apostrophe: URIs contain
// it, so it may be a literal.
func Parse(template string) (Template, error) {
	if len(template) > MaxTemplate {
		return Template{}, &Error{MaxTemplate, ReasonLength}
	}
	p := parser{s: template, c: &compiled{text: template}, names: map[string]int{}}
	for p.i < len(p.s) {
		reason := Reason(0)
		if p.s[p.i] == '{' {
			reason = p.expression()
		} else {
			reason = p.literal()
		}
		if reason != 0 {
			return Template{}, &Error{p.i, reason}
		}
	}
	p.c.compile()
	p.c.query = newQuery(p.c)
	return Template{p.c}, nil
}

// UnmarshalText reads a template with Parse.
func (t *Template) UnmarshalText(text []byte) error {
	got, err := Parse(string(text))
	if err == nil {
		*t = got
	}
	return err
}

// parser is at byte i of s. If it stops with a Reason, i is the place of the fault.
type parser struct {
	s     string
	i     int
	c     *compiled
	names map[string]int
}

func (p *parser) literal() Reason {
	start := p.i
	for p.i < len(p.s) && p.s[p.i] != '{' {
		if p.s[p.i] == '}' {
			return ReasonClose
		}
		n := literalAt(p.s, p.i)
		if n == 0 {
			return ReasonLiteral
		}
		p.i += n
	}
	p.c.parts = append(p.c.parts, part{literal: p.s[start:p.i]})
	return 0
}

// literalAt returns the length of the literal of RFC 6570, section 2.1, at s[i],
// or 0.
func literalAt(s string, i int) int {
	if s[i] == '%' {
		if _, ok := triplet(s, i); ok {
			return 3
		}
		return 0
	}
	if s[i] < utf8.RuneSelf {
		if kindOf[s[i]] == encoded {
			return 0
		}
		return 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if !iriChar(r) {
		return 0
	}
	return size
}

// iriChar reports whether r is a ucschar or iprivate of RFC 3987.
func iriChar(r rune) bool {
	if r >= 0x10000 {
		return r&0xFFFF < 0xFFFE && r&^0xFFF != 0xE0000
	}
	return 0xA0 <= r && r < 0xFDD0 || 0xFDF0 <= r && r < 0xFFF0
}

func (p *parser) expression() Reason {
	open := p.i
	p.i++
	if p.i < len(p.s) && strings.IndexByte("=,!@|", p.s[p.i]) >= 0 {
		return ReasonOperator
	}
	op, symbol := &operators[0], byte(0)
	for k := 1; p.i < len(p.s) && k < len(operators); k++ {
		if operators[k].symbol == p.s[p.i] {
			op, symbol = &operators[k], p.s[p.i]
			p.i++
			break
		}
	}
	if p.i < len(p.s) && p.s[p.i] == '}' {
		return ReasonEmpty
	}
	from := len(p.c.vars)
	for {
		v := variable{Var: Var{Operator: symbol}, op: op, offset: p.i}
		if reason := p.variable(&v); reason != 0 {
			if p.i == len(p.s) {
				p.i, reason = open, ReasonOpen
			}
			return reason
		}
		p.declare(v)
		p.i++
		if p.s[p.i-1] == '}' {
			break
		}
	}
	p.c.parts = append(p.c.parts, part{op: op, from: from, to: len(p.c.vars)})
	return 0
}

func (p *parser) declare(v variable) {
	first, ok := p.names[v.Name]
	if !ok {
		first = len(p.c.vars)
		p.names[v.Name] = first
	}
	v.first = first
	p.c.repeats = p.c.repeats || ok
	if v.Prefix > 0 {
		p.c.prefixes++
	}
	if v.op.reserved || v.Explode {
		p.c.open++
	}
	p.c.vars = append(p.c.vars, v)
}

// variable reads a varspec (section 2.3), up to the comma or brace after it.
func (p *parser) variable(v *variable) Reason {
	start := p.i
	for p.i < len(p.s) {
		n := nameAt(p.s, p.i)
		if n == 0 {
			break
		}
		p.i += n
		if p.i < len(p.s) && p.s[p.i] == '.' {
			if p.i+1 < len(p.s) && nameAt(p.s, p.i+1) == 0 {
				return ReasonName
			}
			p.i++
		}
	}
	v.Name = p.s[start:p.i]
	if v.Name == "" {
		return ReasonName
	}
	unknown := ReasonName
	if p.accept(':') {
		if v.Prefix = p.number(); v.Prefix == 0 {
			return ReasonPrefix
		}
		unknown = ReasonPrefix
		if p.at('*') {
			return ReasonModifiers
		}
	} else if p.accept('*') {
		v.Explode = true
		if p.at(':') {
			return ReasonModifiers
		}
	}
	if p.at(',') || p.at('}') {
		return 0
	}
	return unknown
}

// nameAt returns the length of the varchar at s[i], or 0.
func nameAt(s string, i int) int {
	if _, ok := triplet(s, i); ok {
		return 3
	}
	if b := s[i]; b == '_' || b != '-' && b != '~' && kindOf[b] == unreserved {
		return 1
	}
	return 0
}

// number reads a max-length. Without one it returns 0 and does not advance.
func (p *parser) number() int {
	start, n := p.i, 0
	for ; p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '9' && p.i-start < 4; p.i++ {
		n = 10*n + int(p.s[p.i]-'0')
	}
	if p.i < len(p.s) && (p.i == start || p.s[start] == '0') {
		p.i = start
		return 0
	}
	return n
}

func (p *parser) at(b byte) bool { return p.i < len(p.s) && p.s[p.i] == b }

func (p *parser) accept(b byte) bool {
	if !p.at(b) {
		return false
	}
	p.i++
	return true
}
