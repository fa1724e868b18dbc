package schema

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Steps returns the steps that Basic.Validate takes without a limit, and the limit.
func Steps(schema, value string) (taken, most int) {
	const plenty = math.MaxInt
	left, _ := Within(plenty, schema, value)
	return plenty - left, allowed(len(schema) + len(value))
}

// Within is Basic.Validate with another number of steps.
func Within(steps int, schema, value string) (left int, err error) {
	w := newWork(steps)
	c := compiler{work: w}
	r := c.compile(schema)
	if w.dead {
		return w.steps, *w.fault
	}
	text, fault := trim(cmp.Or(value, "{}"))
	if fault != rawjson.OK {
		return w.steps, Fault{Keyword: KeywordSyntax}
	}
	return evaluate(w.steps, r, text, nil)
}

// The limits.
const (
	FreeSteps = freeSteps
	ByteSteps = byteSteps
	MostSteps = mostSteps
	MaxDepth  = maxDepth
	MaxFaults = maxFaults
)

// MatchSteps returns the steps of a match.
func MatchSteps(bytes, size int) int { return matchSteps(bytes, size) }

// MatchPattern matches a pattern; read reports whether it is matched or ignored.
func MatchPattern(pattern, text string) (matches, read bool) {
	r := regexOf(pattern, maxProgram)
	if r == nil {
		return false, false
	}
	return r.re.MatchString(text), true
}

// MatchTwin matches a pattern as ECMA-262 defines it, with backtracking.
func MatchTwin(pattern, text string) bool {
	n := (&regexParser{text: pattern}).parse()
	runes := []rune(text)
	for at := range len(runes) + 1 {
		if n.match(runes, at, func(int) bool { return true }) {
			return true
		}
	}
	return false
}

func (n *node) match(text []rune, at int, then func(at int) bool) bool {
	word := func(i int) bool {
		return 0 <= i && i < len(text) && strings.ContainsRune("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", text[i])
	}
	switch n.op {
	case nodeSet:
		return at < len(text) && n.set.has(text[at]) && then(at+1)
	case nodeBegin:
		return at == 0 && then(at)
	case nodeEnd:
		return at == len(text) && then(at)
	case nodeWord:
		return word(at-1) != word(at) && then(at)
	case nodeNotWord:
		return word(at-1) == word(at) && then(at)
	case nodeAlt:
		return slices.ContainsFunc(n.list, func(m *node) bool { return m.match(text, at, then) })
	case nodeRepeat:
		return n.times(0, text, at, then)
	}
	if len(n.list) == 0 {
		return then(at)
	}
	rest := &node{op: nodeCat, list: n.list[1:]}
	return n.list[0].match(text, at, func(at int) bool { return rest.match(text, at, then) })
}

// times matches the rest of a repetition after done repetitions. An empty repetition counts only
// if it is required.
func (n *node) times(done int, text []rune, at int, then func(at int) bool) bool {
	if n.max < 0 || done < n.max {
		again := func(next int) bool {
			return (next > at || done < n.min) && n.times(done+1, text, next, then)
		}
		if n.list[0].match(text, at, again) {
			return true
		}
	}
	return done >= n.min && then(at)
}

func (c charClass) has(r rune) bool {
	in := false
	for i := 0; i < len(c.ranges); i += 2 {
		in = in || c.ranges[i] <= r && r <= c.ranges[i+1]
	}
	for rest := c.classes; rest != ""; {
		name, after, _ := strings.Cut(rest[3:], "}")
		t := unicode.Categories[name]
		if t == nil {
			t = unicode.Scripts[name]
		}
		in = in || unicode.Is(t, r) == (rest[1] == 'p')
		rest = after
	}
	return in != c.negated
}
