package schema

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPattern    = 4096 // bytes of a pattern that is matched
	maxGroups     = 64   // nested open groups
	propertyParts = 32   // a Unicode class takes some kilobytes
	maxRepeat     = 1000 // the largest repetition, which is also the limit of package regexp
)

// nodeOp is the kind of a part of a regular expression.
type nodeOp uint8

const (
	nodeEmpty nodeOp = iota
	nodeSet
	nodeCat
	nodeAlt
	nodeRepeat
	nodeBegin
	nodeEnd
	nodeWord
	nodeNotWord
)

type node struct {
	op       nodeOp
	set      charClass
	list     []*node
	min, max int // of a repetition; max is -1 without a maximum
}

// regexParser reads a pattern as ECMA-262 does with the flag u. It also reads what other
// engines read in the same way and ECMA-262 only without the flag, such as \- and a brace
// that is not a quantifier. It gives up on the rest: lookarounds and references to a
// group, which package regexp lacks, what ECMA-262 lacks, and what
// engines differ about.
type regexParser struct {
	text       string
	at         int
	open       int
	properties int
}

// parse returns nil if it gives up.
func (p *regexParser) parse() *node {
	if len(p.text) > maxPattern || !utf8.ValidString(p.text) {
		return nil
	}
	n := p.alternatives()
	if p.at < len(p.text) {
		return nil
	}
	return n
}

// next skips prefix if it comes next.
func (p *regexParser) next(prefix string) bool {
	if !strings.HasPrefix(p.text[p.at:], prefix) {
		return false
	}
	p.at += len(prefix)
	return true
}

func (p *regexParser) alternatives() *node {
	alt := &node{op: nodeAlt}
	for {
		cat := &node{op: nodeCat}
		for p.at < len(p.text) && p.text[p.at] != '|' && p.text[p.at] != ')' {
			n := p.atom()
			if n == nil {
				return nil
			}
			if n = p.repeated(n); n == nil {
				return nil
			}
			cat.list = append(cat.list, n)
		}
		alt.list = append(alt.list, cat)
		if !p.next("|") {
			break
		}
	}
	if len(alt.list) == 1 {
		return alt.list[0]
	}
	return alt
}

// repeated reads the quantifier of n, if any.
func (p *regexParser) repeated(n *node) *node {
	least, most := 0, -1
	switch {
	case p.next("*"):
	case p.next("+"):
		least = 1
	case p.next("?"):
		most = 1
	case p.at < len(p.text) && p.text[p.at] == '{':
		end, ok := quantifier(p.text, p.at)
		if !ok {
			return nil
		}
		if end == p.at { // a literal brace
			return n
		}
		from, to, two := strings.Cut(p.text[p.at+1:end-1], ",")
		if least = times(from); !two {
			most = least
		} else if to != "" {
			most = times(to)
		}
		if max(least, most) > maxRepeat {
			return nil
		}
		p.at = end
	default:
		return n
	}
	p.next("?") // lazy: it matches the same strings
	switch {
	case p.at < len(p.text) && p.text[p.at] == '+': // without going back
		return nil
	case n.op >= nodeBegin: // of nothing
		return nil
	}
	return &node{op: nodeRepeat, list: []*node{n}, min: least, max: most}
}

// times reads the number of a quantifier.
func times(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return maxRepeat + 1
	}
	return n
}

func (p *regexParser) atom() *node {
	c, size := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += size
	switch c {
	case '^':
		return &node{op: nodeBegin}
	case '$':
		return &node{op: nodeEnd}
	case '.':
		return named('.')
	case '(':
		return p.group()
	case '[':
		return p.class()
	case '\\':
		return p.escape()
	case '*', '+', '?':
		return nil
	case '{': // what other readers may take for a quantifier is not read
		if rest := p.text[p.at:]; rest != "" && strings.IndexByte("0123456789,", rest[0]) >= 0 {
			return nil
		}
	}
	return &node{op: nodeSet, set: single(c)}
}

func (p *regexParser) group() *node {
	if p.open++; p.open > maxGroups {
		return nil
	}
	switch {
	case p.next("?:"):
	case p.next("?<"):
		name, _, ok := strings.Cut(p.text[p.at:], ">")
		if !ok || !identifier(name) { // or a lookbehind
			return nil
		}
		p.at += len(name) + 1
	case p.next("?"):
		return nil
	}
	n := p.alternatives()
	if n == nil || !p.next(")") {
		return nil
	}
	p.open--
	return &node{op: nodeCat, list: []*node{n}} // it may be repeated, whatever is in it
}

// identifier reports whether s is a valid group name.
func identifier(s string) bool {
	for i, c := range s {
		if c != '_' && c != '$' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

func (p *regexParser) escape() *node {
	if p.at == len(p.text) {
		return nil
	}
	c := p.text[p.at]
	switch {
	case c == 'b':
		p.at++
		return &node{op: nodeWord}
	case c == 'B':
		p.at++
		return &node{op: nodeNotWord}
	case strings.IndexByte("dDwWsS", c) >= 0:
		p.at++
		return named(c)
	}
	set, ok := p.escaped()
	if !ok {
		return nil
	}
	return &node{op: nodeSet, set: set}
}

// named returns the class of one letter, or of a dot.
func named(name byte) *node {
	ranges, _ := classOf(name)
	return &node{op: nodeSet, set: charClass{ranges: ranges}}
}
