package schema

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// charClass is a set of characters: ranges, each by its first and last character, and
// Unicode classes in the syntax of package regexp.
type charClass struct {
	ranges  []rune
	classes string
	negated bool
}

// one reports whether the class is a single character, as the ends of a range must be.
func (c charClass) one() bool {
	return len(c.ranges) == 2 && c.ranges[0] == c.ranges[1] && c.classes == ""
}

// write appends the class in the syntax of package regexp.
func (c charClass) write(b *strings.Builder) {
	switch {
	case len(c.ranges) == 0 && c.classes == "":
		c = charClass{ranges: []rune{0, unicode.MaxRune}, negated: !c.negated} // package regexp has no empty class
	case c.one() && !c.negated:
		escape(b, c.ranges[0])
		return
	}
	b.WriteByte('[')
	if c.negated {
		b.WriteByte('^')
	}
	for i := 0; i < len(c.ranges); i += 2 {
		escape(b, c.ranges[i])
		b.WriteByte('-')
		escape(b, c.ranges[i+1])
	}
	b.WriteString(c.classes)
	b.WriteByte(']')
}

// escape appends a literal character.
func escape(b *strings.Builder, c rune) {
	if c < utf8.RuneSelf && alphanumeric(byte(c)) {
		b.WriteByte(byte(c))
		return
	}
	b.WriteString(`\x{` + strconv.FormatInt(int64(c), 16) + `}`)
}

// The classes of ECMA-262: \d and \w are ASCII, \s is Unicode white space and line ends, and a
// dot is anything but line ends.
var (
	rangesEnds   = []rune{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
	letterRanges = map[byte][]rune{
		'd': {'0', '9'},
		'w': {'0', '9', 'A', 'Z', '_', '_', 'a', 'z'},
		's': {'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff},
	}
)

// others returns the complement of ranges, which are in order.
func others(ranges []rune) []rune {
	var out []rune
	next := rune(0)
	for i := 0; i < len(ranges); i += 2 {
		if next < ranges[i] {
			out = append(out, next, ranges[i]-1)
		}
		next = ranges[i+1] + 1
	}
	return append(out, next, unicode.MaxRune)
}

// classOf returns the ranges of the one-letter classes, and of a dot.
func classOf(name byte) (ranges []rune, ok bool) {
	if name == '.' {
		return others(rangesEnds), true
	}
	if ranges, ok = letterRanges[name|0x20]; ok && name < 'a' { // a capital: the complement
		ranges = others(ranges)
	}
	return ranges, ok
}

// class reads a class after its bracket. As in ECMA-262 it may be empty. Forms that other
// engines treat specially, such as [[:alpha:]] and [a&&b], are not read.
func (p *regexParser) class() *node {
	all := charClass{negated: p.next("^")}
	for {
		switch rest := p.text[p.at:]; {
		case rest == "", strings.HasPrefix(rest, "[:"), strings.HasPrefix(rest, "[."), strings.HasPrefix(rest, "[="), strings.HasPrefix(rest, "&&"):
			return nil
		case rest[0] == ']':
			p.at++
			return &node{op: nodeSet, set: all}
		}
		part, ok := p.member()
		if !ok {
			return nil
		}
		if rest := p.text[p.at:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			p.at++
			last, ok := p.member()
			if !ok || !part.one() || !last.one() || part.ranges[0] > last.ranges[0] {
				return nil // an end is a class, which ECMA-262 does not allow
			}
			part.ranges = []rune{part.ranges[0], last.ranges[0]}
		}
		all.ranges = append(all.ranges, part.ranges...)
		all.classes += part.classes
	}
}

// member reads one character or class within a class.
func (p *regexParser) member() (c charClass, ok bool) {
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += size
	if r != '\\' {
		return single(r), size > 0
	}
	if p.next("b") {
		return single('\b'), true
	}
	if p.at < len(p.text) {
		if ranges, ok := classOf(p.text[p.at]); ok && p.text[p.at] != '.' {
			p.at++
			return charClass{ranges: ranges}, true
		}
	}
	return p.escaped()
}

func single(c rune) charClass { return charClass{ranges: []rune{c, c}} }

// escaped reads an escape, after its backslash, of a character or a Unicode class, inside or
// outside of a class.
func (p *regexParser) escaped() (set charClass, ok bool) {
	c, size := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += size
	switch c {
	case 't', 'n', 'v', 'f', 'r':
		c = rune("\t\n\v\f\r"[strings.IndexByte("tnvfr", byte(c))])
	case '0':
		if p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
			return set, false
		}
		c = 0
	case 'c':
		if p.at == len(p.text) || p.text[p.at]|0x20 < 'a' || p.text[p.at]|0x20 > 'z' {
			return set, false
		}
		c = rune(p.text[p.at] & 0x1f)
		p.at++
	case 'x':
		c, ok = p.hex(2)
		return single(c), ok
	case 'u':
		c, ok = p.unicode()
		return single(c), ok
	case 'p', 'P':
		return p.property(c == 'P')
	default: // a letter or digit has a meaning, or none that is known; no other character has
		if size == 0 || c < utf8.RuneSelf && alphanumeric(byte(c)) {
			return set, false
		}
	}
	return single(c), true
}

// property reads \p{name} after the letter: a general category, by its short or long
// name, or a script.
func (p *regexParser) property(negated bool) (c charClass, ok bool) {
	if !p.next("{") {
		return c, false
	}
	name, _, ok := strings.Cut(p.text[p.at:], "}")
	if !ok {
		return c, false
	}
	p.at += len(name) + 1
	script, is := strings.CutPrefix(name, "Script=")
	if !is {
		script, is = strings.CutPrefix(name, "sc=")
	}
	if is {
		if name = script; unicode.Scripts[name] == nil {
			return c, false
		}
	} else {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "General_Category="), "gc=")
		if short := unicode.CategoryAliases[name]; short != "" {
			name = short
		}
		if unicode.Categories[name] == nil {
			return c, false
		}
	}
	p.properties++
	if negated {
		return charClass{classes: `\P{` + name + `}`}, true
	}
	return charClass{classes: `\p{` + name + `}`}, true
}

// hex reads n hexadecimal digits.
func (p *regexParser) hex(n int) (c rune, ok bool) {
	if len(p.text) < p.at+n {
		return 0, false
	}
	v, err := strconv.ParseUint(p.text[p.at:p.at+n], 16, 32)
	p.at += n
	return rune(v), err == nil && v <= unicode.MaxRune
}

// unicode reads an escape \u after the letter: four digits, two such escapes for one
// character, or digits in braces. Half a surrogate pair is no code point.
func (p *regexParser) unicode() (c rune, ok bool) {
	if p.next("{") {
		n := strings.IndexByte(p.text[p.at:], '}')
		if n < 1 || n > 8 {
			return 0, false
		}
		c, ok = p.hex(n)
		p.at++
		return c, ok && !utf16.IsSurrogate(c)
	}
	if c, ok = p.hex(4); !ok || !utf16.IsSurrogate(c) {
		return c, ok
	}
	if !p.next(`\u`) {
		return 0, false
	}
	low, ok := p.hex(4)
	c = utf16.DecodeRune(c, low)
	return c, ok && c != unicode.ReplacementChar
}
