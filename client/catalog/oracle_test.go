package catalog

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// What annotations say, against the words of the specification: every pair of hints, absent, odd
// and among others, with every rule about them.
func TestHints(t *testing.T) {
	hints := []string{"", "true", "false", "1"}
	rules := []*bool{nil, yes, no}
	for _, ro := range hints {
		for _, de := range hints {
			members := []string{`"title":"x"`}
			if ro != "" {
				members = append(members, `"readOnlyHint":`+ro)
			}
			if de != "" {
				members = append(members, `"destructiveHint":`+de)
			}
			raw := jsonrpc.Raw(`{"name":"a","annotations":{` + strings.Join(members, ",") + `}}`)
			// Whether the tool may read alone, and may destroy, may be unknown.
			reads, destroys := []bool{ro == "true"}, []bool{de != "false"}
			if ro == "1" {
				reads = []bool{true, false}
			}
			if de == "1" {
				destroys = []bool{true, false}
			}
			for _, wantRO := range rules {
				for _, wantDE := range rules {
					some, all := false, true
					for _, r := range reads {
						for _, d := range destroys {
							d = d && !r
							fits := (wantRO == nil || *wantRO == r) && (wantDE == nil || *wantDE == d)
							some, all = some || fits, all && fits
						}
					}
					rule := Rule{ReadOnly: wantRO, Destructive: wantDE}
					if !rule.hints() {
						some, all = true, true
					}
					if got := (Filter{Allow: []Rule{rule}}).Passes(tools, "a", raw); got && !all {
						t.Errorf("%s: allowed by %v", raw, show(rule))
					} else if !got && all && len(reads) == 1 && len(destroys) == 1 {
						t.Errorf("%s: not allowed by %v", raw, show(rule))
					}
					if got := (Filter{Deny: []Rule{rule}}).Passes(tools, "a", raw); got && some {
						t.Errorf("%s: not denied by %v", raw, show(rule))
					} else if !got && !some && len(reads) == 1 && len(destroys) == 1 {
						t.Errorf("%s: denied by %v", raw, show(rule))
					}
				}
			}
		}
	}
}

func show(r Rule) string {
	text := ""
	for name, h := range map[string]*bool{"readOnly": r.ReadOnly, "destructive": r.Destructive} {
		if h != nil && *h {
			text += " " + name
		} else if h != nil {
			text += " not " + name
		}
	}
	return text
}

// Patterns are those of path.Match, but that * and ? match slashes: every short pattern with every
// short name, against a matcher that knows nothing of paths.
func TestPatterns(t *testing.T) {
	names := texts("ab/", 2)
	for _, pattern := range texts(`ab/*?[]\^-`, 4) {
		want, ok := parse(pattern)
		for _, name := range names {
			got, valid := matches(pattern, name)
			if valid != ok {
				t.Fatalf("%q is valid: %v", pattern, valid)
			}
			if valid && got != want.match(name) {
				t.Errorf("%q matches %q: %v", pattern, name, got)
			}
		}
	}
	// Longer ones: what stands behind the brackets is outside of them.
	for pattern, want := range map[string]bool{"[ab]/c": true, "[^b]/c": true, `[\]a]/c`: true, "[b]/c": false, "[a-c]?c": true, "[a][/]c": false, "*[c]": true} {
		if got, ok := matches(pattern, "a/c"); got != want || ok != (pattern != "[a][/]c") {
			t.Errorf("%q: %v, %v", pattern, got, ok)
		}
	}
}

// texts returns all texts of up to n of the characters.
func texts(chars string, n int) []string {
	all, last := []string{""}, []string{""}
	for range n {
		var next []string
		for _, s := range last {
			for i := range len(chars) {
				next = append(next, s+chars[i:i+1])
			}
		}
		all, last = append(all, next...), next
	}
	return all
}

// glob is a pattern in parts: each is a set of characters, or nil for any number of any.
type glob []func(c byte) bool

func (g glob) match(name string) bool {
	if len(g) == 0 {
		return name == ""
	}
	if g[0] == nil {
		return g[1:].match(name) || name != "" && g.match(name[1:])
	}
	return name != "" && g[0](name[0]) && g[1:].match(name[1:])
}

// parse reads a pattern; ok is false for a malformed one, and for one with a slash in brackets.
func parse(p string) (g glob, ok bool) {
	for p != "" {
		c := p[0]
		switch p = p[1:]; c {
		case '*':
			g = append(g, nil)
		case '?':
			g = append(g, func(byte) bool { return true })
		case '\\':
			if p == "" {
				return nil, false
			}
			c = p[0]
			p = p[1:]
			g = append(g, func(b byte) bool { return b == c })
		case '[':
			set, rest, valid := class(p)
			if !valid {
				return nil, false
			}
			g, p = append(g, set), rest
		default:
			g = append(g, func(b byte) bool { return b == c })
		}
	}
	return g, true
}

// class reads what stands in brackets, behind the first.
func class(p string) (set func(byte) bool, rest string, ok bool) {
	not := strings.HasPrefix(p, "^")
	p = strings.TrimPrefix(p, "^")
	var ranges [][2]byte
	one := func() (c byte, ok bool) {
		if p == "" || p[0] == '-' || p[0] == ']' || p[0] == '/' {
			return 0, false
		}
		if p[0] == '\\' {
			if p = p[1:]; p == "" {
				return 0, false
			}
		}
		c, p = p[0], p[1:]
		return c, true
	}
	for !strings.HasPrefix(p, "]") || len(ranges) == 0 {
		lo, ok := one()
		hi := lo
		if ok && strings.HasPrefix(p, "-") {
			p = p[1:]
			hi, ok = one()
		}
		if !ok {
			return nil, "", false
		}
		ranges = append(ranges, [2]byte{lo, hi})
	}
	return func(c byte) bool {
		for _, r := range ranges {
			if r[0] <= c && c <= r[1] {
				return !not
			}
		}
		return not
	}, p[1:], true
}

// Every kind of item can be filtered by its name alone, whatever its text is.
func TestKinds(t *testing.T) {
	for _, l := range protocol.Lists() {
		for _, raw := range []jsonrpc.Raw{"", "{}", "null", `{"annotations":1}`} {
			f := Filter{Deny: []Rule{{Kind: l, Name: "a"}}}
			if f.Passes(l, "a", raw) || !f.Passes(l, "b", raw) {
				t.Errorf("%s with %q", l.Member, raw)
			}
		}
	}
}
