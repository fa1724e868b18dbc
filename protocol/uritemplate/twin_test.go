package uritemplate_test

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	. "github.com/sansmcp/mcp/protocol/uritemplate"
)

// twin is a simple Match: it tries everything in the order of preference
// and backtracks. It knows only ASCII, names that occur once, and triplets of
// reserved characters. The template is a list of pieces: literals, and the
// variables of an expression.
type twin struct {
	uri    []string // characters and triplets
	pieces []any    // string or []Var
	loose  bool
	found  map[string]Value
}

// twinVar is a variable with its surroundings.
type twinVar struct {
	Var
	last bool   // in its expression
	stop string // what ends its value if the rest can be read
}

func (m *twin) match() bool { return m.piece(0, 0) }

func (m *twin) piece(k, i int) bool {
	if k == len(m.pieces) {
		return i == len(m.uri)
	}
	if s, ok := m.pieces[k].(string); ok {
		return m.lit(i, s, func(i int) bool { return m.piece(k+1, i) })
	}
	vars := m.pieces[k].([]Var)
	stop := ""
	for _, p := range m.pieces[k+1:] {
		vars, ok := p.([]Var)
		if !ok || !strings.ContainsAny(";?&#", string(vars[0].Operator)) {
			break
		}
		stop += string(vars[0].Operator)
	}
	var all []twinVar
	for _, v := range vars {
		all = append(all, twinVar{Var: v})
	}
	for i, v := range vars {
		if !v.Explode {
			all[i].stop = sep(v.Operator)
		}
	}
	all[len(all)-1].last, all[len(all)-1].stop = true, stop
	return m.vars(all, false, i, func(j int) bool {
		if !m.piece(k+1, j) {
			return false
		}
		if i == j {
			for _, v := range vars {
				delete(m.found, v.Name)
			}
		}
		return true
	})
}

func (m *twin) lit(i int, s string, then func(int) bool) bool {
	for _, c := range s {
		if i == len(m.uri) || m.uri[i] != string(c) {
			return false
		}
		i++
	}
	return then(i)
}

func first(op byte) string {
	if op == 0 || op == '+' {
		return ""
	}
	return string(op)
}

func sep(op byte) string {
	switch op {
	case 0, '+', '#':
		return ","
	case '?':
		return "&"
	}
	return string(op)
}

func (m *twin) vars(vars []twinVar, some bool, i int, then func(int) bool) bool {
	if len(vars) == 0 {
		return then(i)
	}
	v, lead := vars[0], first(vars[0].Operator)
	if some {
		lead = sep(v.Operator)
	}
	rest := func(some bool) func(int) bool {
		return func(i int) bool { return m.vars(vars[1:], some, i, then) }
	}
	return m.lit(i, lead, func(i int) bool { return m.value(v, i, rest(true)) }) || rest(some)(i)
}

func (m *twin) value(v twinVar, i int, then func(int) bool) bool {
	done := func(pairs bool) func(int, []string) bool {
		return func(i int, items []string) bool {
			switch {
			case pairs:
				var ps []Pair
				for k := 0; k < len(items); k += 2 {
					ps = append(ps, Pair{items[k], items[k+1]})
				}
				m.found[v.Name] = Pairs(ps...)
			case len(items) == 1:
				m.found[v.Name] = Text(items[0])
			default:
				m.found[v.Name] = List(items...)
			}
			if then(i) {
				return true
			}
			delete(m.found, v.Name)
			return false
		}
	}
	named := strings.IndexByte(";?&", v.Operator) >= 0 && v.Operator != 0
	reserved := v.Operator == '+' || v.Operator == '#'
	s := sep(v.Operator)
	if v.Explode {
		list := func() bool {
			if named {
				return m.members(v, v.Name, s, i, nil, done(false))
			}
			return m.items(v, s, s, i, nil, done(false))
		}
		pairs := func() bool { return m.members(v, "", s, i, nil, done(true)) }
		if named {
			return list() || pairs()
		}
		return pairs() || list()
	}
	without, comma := ",", ","
	if reserved || v.Prefix > 0 {
		without, comma = "", ""
	}
	if s != "." && s != "," {
		without += s
	}
	if !named {
		return m.items(v, without, comma, i, nil, done(false))
	}
	return m.lit(i, v.Name, func(i int) bool {
		return m.lit(i, "=", func(i int) bool { return m.items(v, without, comma, i, nil, done(false)) }) ||
			v.Operator == ';' && done(false)(i, []string{""})
	})
}

// items reads texts with a separator, or one text if sep is "".
func (m *twin) items(v twinVar, without, sep string, i int, items []string, then func(int, []string) bool) bool {
	return m.text(v, without, i, func(i int, s string) bool {
		items := append(items[:len(items):len(items)], s)
		more := func() bool {
			return sep != "" && m.lit(i, sep, func(i int) bool { return m.items(v, without, sep, i, items, then) })
		}
		if v.Operator == 0 && !v.Explode && !v.last {
			return then(i, items) || more()
		}
		return more() || then(i, items)
	})
}

// members reads texts with a name before each; name "" matches any, which becomes an item.
func (m *twin) members(v twinVar, name, sep string, i int, items []string, then func(int, []string) bool) bool {
	next := func(i int, items []string) bool {
		return m.lit(i, sep, func(i int) bool { return m.members(v, name, sep, i, items, then) }) || then(i, items)
	}
	without := sep
	if sep == "." && !m.loose {
		without = ""
	}
	value := func(i int, items []string) bool {
		return m.lit(i, "=", func(i int) bool {
			return m.text(v, without, i, func(i int, s string) bool { return next(i, append(items[:len(items):len(items)], s)) })
		}) || v.Operator == ';' && next(i, append(items[:len(items):len(items)], ""))
	}
	if name != "" {
		return m.lit(i, name, func(i int) bool { return value(i, items) })
	}
	return m.text(v, without+"=", i, func(i int, s string) bool { return value(i, append(items[:len(items):len(items)], s)) })
}

func (m *twin) text(v twinVar, without string, i int, then func(int, string) bool) bool {
	allowed := func(c string) bool {
		switch {
		case len(c) > 1:
			return true
		case strings.Contains(without, c):
			return false
		case v.Operator == '+' || v.Operator == '#' || !strings.Contains("!&,;=/?#", c):
			return true
		case strings.Contains("/?", c):
			return m.loose && strings.IndexByte("?&", v.Operator) >= 0
		}
		return m.loose && c != "#"
	}
	end := i
	for end < len(m.uri) && allowed(m.uri[end]) && (v.Prefix == 0 || end-i < v.Prefix) {
		end++
	}
	upTo := func(end int) bool {
		s := strings.Join(m.uri[i:end], "")
		if v.Operator != '+' && v.Operator != '#' {
			s = strings.NewReplacer("%2C", ",", "%2F", "/", "%3D", "=").Replace(s)
		}
		return then(end, s)
	}
	for j := i; j <= end && j < len(m.uri); j++ {
		if v.stop != "" && strings.Contains(v.stop, m.uri[j]) && upTo(j) {
			return true
		}
	}
	for ; end >= i; end-- {
		if upTo(end) {
			return true
		}
	}
	return false
}

var alphabet = []string{"a", "b", "a", "b", "x", ".", ",", "=", "/", ";", "&", "?", "#", "!", "%2C", "%2F", "%3D"}

// uris draws short URIs made of what templates look for.
func uris() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 12), func(s []string) string { return strings.Join(s, "") })
}

// pieces draws templates that twin accepts: names are a, b, c… in turn.
func pieces() *rapid.Generator[[]any] {
	return rapid.Custom(func(t *rapid.T) []any {
		var all []any
		name := byte('a')
		for range rapid.IntRange(1, 3).Draw(t, "pieces") {
			if rapid.IntRange(0, 2).Draw(t, "literal") == 0 {
				all = append(all, rapid.SampledFrom([]string{"a", "x", "/", ",", "=", ".", "b/", "?a=", "?b=x", "&a=x", "f:///"}).Draw(t, "text"))
				continue
			}
			op := rapid.SampledFrom([]byte("\x00\x00+#./;?&")).Draw(t, "operator")
			var vars []Var
			for range rapid.IntRange(1, 3).Draw(t, "variables") {
				v := Var{Name: string(name), Operator: op}
				switch rapid.IntRange(0, 3).Draw(t, "modifier") {
				case 0:
					v.Explode = true
				case 1:
					v.Prefix = rapid.IntRange(1, 3).Draw(t, "prefix")
				}
				vars = append(vars, v)
				name++
			}
			all = append(all, vars)
		}
		return all
	})
}

func templates() *rapid.Generator[string] { return rapid.Map(pieces(), text) }

// text spells a template.
func text(pieces []any) string {
	var b strings.Builder
	for _, p := range pieces {
		if s, ok := p.(string); ok {
			b.WriteString(s)
			continue
		}
		for i, v := range p.([]Var) {
			switch {
			case i > 0:
				b.WriteString(",")
			case v.Operator > 0:
				b.WriteString("{" + string(v.Operator))
			default:
				b.WriteString("{")
			}
			b.WriteString(v.Name)
			if v.Explode {
				b.WriteString("*")
			}
			if v.Prefix > 0 {
				b.WriteString(":" + string('0'+byte(v.Prefix)))
			}
		}
		b.WriteString("}")
	}
	return b.String()
}

// sorted returns the URI with its parameters in the order of the template, if that has them
// in one place: for each variable in turn the parameters with its name, one or, exploded,
// all; then, at the first exploded variable, the rest.
func sorted(pieces []any, uri []string) []string {
	var vars []Var
	text := func(params string) {
		for _, p := range strings.Split(params, "&") {
			name, _, _ := strings.Cut(p, "=")
			vars = append(vars, Var{Name: name})
		}
	}
	begin, k := "", 0
	for i, p := range pieces {
		v, ok := p.([]Var)
		if !ok || v[0].Operator != '?' && v[0].Operator != '&' {
			continue
		}
		switch {
		case k == 0:
			begin = string(v[0].Operator)
			if s, ok := pieces[max(i-1, 0)].(string); ok && begin == "&" && strings.Contains(s, "?") {
				begin = "?"
				_, s, _ = strings.Cut(s, "?")
				text(s)
			}
		case i != k:
			return uri
		}
		vars, k = append(vars, v...), i+1
	}
	if k > 0 && k < len(pieces) {
		if s, ok := pieces[k].(string); ok && s[0] == '&' {
			text(s[1:])
		}
	}
	if len(vars) == 0 {
		return uri
	}
	start := slices.IndexFunc(uri, func(c string) bool { return c == begin })
	if start < 0 {
		return uri
	}
	end := len(uri)
	if i := slices.Index(uri[start:], "#"); i >= 0 {
		end = start + i
	}
	left := strings.Split(strings.Join(uri[start+1:end], ""), "&")
	at := make([][]string, len(vars))
	rest := -1
	for i, v := range vars {
		if v.Explode && rest < 0 {
			rest = i
		}
		var others []string
		for _, p := range left {
			if name, _, _ := strings.Cut(p, "="); name == v.Name && (v.Explode || at[i] == nil) {
				at[i] = append(at[i], p)
			} else {
				others = append(others, p)
			}
		}
		left = others
	}
	switch {
	case rest >= 0 && len(left) > 0:
		// In the order of the URI, with those that have the name of the variable.
		mine := at[rest]
		at[rest] = nil
		for _, p := range strings.Split(strings.Join(uri[start+1:end], ""), "&") {
			if i := slices.Index(left, p); i >= 0 {
				left = slices.Delete(left, i, i+1)
			} else if i := slices.Index(mine, p); i >= 0 {
				mine = slices.Delete(mine, i, i+1)
			} else {
				continue
			}
			at[rest] = append(at[rest], p)
		}
	case len(left) > 0:
		return uri
	}
	all := strings.Join(slices.Concat(at...), "&")
	return append(append(slices.Clone(uri[:start+1]), unit.FindAllString(all, -1)...), uri[end:]...)
}
