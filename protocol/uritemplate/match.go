package uritemplate

// MaxWork is the largest product of the length of a URI and the size of a template that
// Match accepts. A variable adds about seven to the size, an exploded one up to twenty:
// templates with at most 14 plain variables match URIs up to MaxURI, one with 300 those up to
// about 2000 characters. It bounds the time of one Match to about a tenth of a second.
const MaxWork = 1 << 22

// MaxURI is the length of the longest URI that is matched, in bytes. It bounds the
// memory of a match: some bits for each byte of the URI and variable of the
// template.
const MaxURI = 1 << 15

// Match is the reverse of Expand: it returns the values from which the template
// makes the URI, in the order of the variables, without the undefined ones. It
// reports false if the URI is not an expansion of the template, apart from the order of
// parameters, or exceeds MaxURI or MaxWork. The section Contract of the package
// documentation says how a URI is read, and which of several readings is chosen.
func (t Template) Match(uri string) (Values, bool) {
	m, ok := newMatcher(uri)
	for mode := exact; ok && mode < modes; mode++ {
		if values, ok := m.match(t.get(), mode); ok {
			return values, true
		}
	}
	return nil, false
}

// matcher matches one uri against one template after another.
type matcher struct {
	uri   []token
	width int      // words per token in can
	can   []uint64 // one bit for each token and instruction: set if the end can be reached from here
	work  int      // instructions looked at
	near  []int    // opRun: characters up to the nearest place where it may stop, -1 without one
}

func newMatcher(uri string) (*matcher, bool) {
	if len(uri) > MaxURI {
		return nil, false
	}
	tokens, ok := scan(uri)
	return &matcher{uri: tokens}, ok
}

// match reads the URI with its parameters in the order of the template and then, if
// that differs and fails, in their own order.
func (m *matcher) match(c *compiled, mode int) (Values, bool) {
	if (len(m.uri)+1)*len(c.prog) > MaxWork {
		return nil, false
	}
	if c.query != nil {
		if sorted := c.query.sort(m.uri); sorted != nil {
			given := m.uri
			m.uri = sorted
			values, ok := m.read(c, mode)
			if m.uri = given; ok {
				return values, true
			}
		}
	}
	return m.read(c, mode)
}

func (m *matcher) read(c *compiled, mode int) (Values, bool) {
	if in := &c.prog[0]; in.op == opLit && !m.at(0, c.lits[in.from:in.to]) {
		return nil, false
	}
	m.look(c, mode)
	if !m.reaches(0, 0) {
		return nil, false
	}
	return c.merge(m.walk(c, mode))
}

// at reports whether the tokens lit begin at i.
func (m *matcher) at(i int, lit []token) bool {
	if len(m.uri)-i < len(lit) {
		return false
	}
	for k, t := range lit {
		if u := m.uri[i+k]; u.b != t.b || u.kind != t.kind {
			return false
		}
	}
	return true
}

func (m *matcher) reaches(i int, pc int32) bool { return has(m.can[i*m.width:], pc) }

func has(row []uint64, pc int32) bool { return row[pc>>6]>>(pc&63)&1 != 0 }

// look finds out, from the end of the URI to its start, which instructions can
// succeed where. So walk never has to go back.
func (m *matcher) look(c *compiled, mode int) {
	prog := c.prog
	m.width = (len(prog) + 63) / 64
	size := m.width * (len(m.uri) + 1)
	if cap(m.can) < size {
		m.can = make([]uint64, size)
	}
	m.can = m.can[:size]
	clear(m.can)
	if cap(m.near) < len(prog) {
		m.near = make([]int, len(prog))
	}
	m.near = m.near[:len(prog)]
	for pc := range m.near {
		m.near[pc] = -1
	}
	for i := len(m.uri); i >= 0; i-- {
		row := m.can[i*m.width:][:m.width]
		m.work += len(prog)
		for pc := len(prog) - 1; pc >= 0; pc-- {
			in := &prog[pc]
			ok := false
			switch in.op {
			case opAccept:
				ok = i == len(m.uri)
			case opLit:
				end := i + int(in.to-in.from)
				ok = end <= len(m.uri) && m.reaches(end, in.next) && m.at(i, c.lits[in.from:in.to])
			case opRun:
				near := m.near[pc]
				switch {
				case has(row, in.next):
					near = 0
				case i == len(m.uri) || near >= 0 && m.uri[i].kind&in.set[mode] == 0:
					near = -1
				case near >= 0 && m.uri[i].lead:
					near++
				}
				m.near[pc] = near
				ok = near >= 0 && (in.max == 0 || near <= int(in.max))
			case opSplit:
				ok = has(row, in.next) || has(row, in.alt)
			default:
				ok = has(row, in.next)
			}
			if ok {
				row[pc>>6] |= 1 << (pc & 63)
			}
		}
	}
}

// walk runs the program, which can succeed, and returns a value for each variable.
func (m *matcher) walk(c *compiled, mode int) []Value {
	values := make([]Value, len(c.vars))
	var items []string
	i, open, pc := 0, 0, int32(0)
	for c.prog[pc].op != opAccept {
		in := &c.prog[pc]
		pc = in.next
		switch in.op {
		case opLit:
			i += int(in.to - in.from)
		case opRun:
			end := m.longest(i, in, mode)
			items = append(items, decode(m.uri[i:end], in.reserved))
			i = end
		case opSplit:
			if !m.reaches(i, in.next) {
				pc = in.alt
			}
		case opEmpty:
			items = append(items, "")
		case opDone:
			v := Value{kind: KindPairs, items: items}
			if !in.pairs {
				v = Value{kind: KindList, items: items}
				if len(items) == 1 {
					v = Text(items[0])
				}
			}
			values[in.from] = v
			items = nil
		case opOpen:
			open = i
		case opClose:
			if i == open {
				clear(values[in.from:in.to])
			}
		}
	}
	return values
}

// longest returns the end of the run at i: the longest after which the rest of the
// URI can be matched, unless there is an earlier place to stop.
func (m *matcher) longest(i int, in *inst, mode int) int {
	end, n := i, 0
	for j := i; ; j++ {
		if m.reaches(j, in.next) {
			end = j
			if j < len(m.uri) && m.uri[j].kind&in.stop != 0 {
				return end
			}
		}
		if j == len(m.uri) || m.uri[j].kind&in.set[mode] == 0 {
			return end
		}
		if m.uri[j].lead {
			n++
		}
		if in.max > 0 && n > int(in.max) {
			return end
		}
	}
}

// merge makes one binding for each name. It reports false if variables with one name
// disagree.
func (c *compiled) merge(values []Value) (Values, bool) {
	if c.repeats {
		best := make([]Value, len(values))
		for i, v := range values {
			// A prefix is no longer than the whole.
			if b := &best[c.vars[i].first]; !b.Defined() || len(v.text) > len(b.text) {
				*b = v
			}
		}
		for i, v := range values {
			if !c.vars[i].agrees(v, best[c.vars[i].first]) {
				return nil, false
			}
		}
		values = best
	}
	bound := make(Values, 0, len(values))
	for i, v := range values {
		if v.Defined() {
			bound = append(bound, Binding{c.vars[i].Name, v})
		}
	}
	return bound, true
}

// agrees reports whether a variable with the value whole is spelled as in spelled.
func (v *variable) agrees(spelled, whole Value) bool {
	switch {
	case !spelled.Defined():
		return !whole.Defined() || whole.Equal(Text("")) && v.op.first == ""
	case v.Prefix > 0 && whole.kind == KindText:
		return spelled.text == truncate(whole.text, v.Prefix, v.op.reserved)
	}
	return spelled.Equal(whole)
}
