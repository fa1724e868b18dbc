package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Place is a place within the arguments, returned by At and Pointer. Its methods read the
// value there as the methods of Arguments read a member, and note faults in the same list.
//
// Methods without Or require a value: an absent or null value is a fault, noted
// at the first object on the way that is missing. Methods with Or return otherwise in these
// cases. For both it is a fault (ArgumentNesting) if something on the way is null, or neither an
// object nor an array.
type Place struct {
	in      *Arguments // the object that the path starts at
	member  bool       // it is within a member of in, otherwise in itself
	name    string     // of that member
	indexes []token    // of elements within that member, each in the one before; or a name that no element has
	val     string     // "" if absent
	gone    bool       // something on the way is absent: the path leads to it
	bad     bool       // or cannot be entered, and is val
}

// path returns the way within in.
func (p *Place) path() []token {
	if !p.member {
		return nil
	}
	return append([]token{{name: p.name, named: true}}, p.indexes...)
}

// At returns the place to which the names lead, each within the previous one; without names it is
// the arguments themselves. In an array, a name of digits is an index. A name may be any
// text: dots and slashes have no meaning. Members on the way count as asked for, elements of
// arrays only if At leads there.
func (a *Arguments) At(path ...string) Place {
	p := Place{in: a, val: a.whole}
	if p.val == "" && !a.mute {
		p.val = "{}" // the zero Arguments
	}
	for i, name := range path {
		switch {
		case p.val == "" && i > 0:
			p.gone = true
			return p
		case i > 0 && p.val[0] == '[':
			p.element(name)
			continue
		case i > 0 && p.val[0] != '{':
			p.bad = true
			return p
		case i > 0:
			p.enter()
		}
		p.member, p.name, p.indexes, p.val = true, name, nil, p.in.get(name)
	}
	return p
}

// Pointer returns the place to which a JSON pointer leads (RFC 6901). An invalid pointer
// leads to an absent value.
func (a *Arguments) Pointer(pointer string) Place {
	path, ok := splitPointer(pointer)
	if !ok {
		return Place{in: a, member: true, name: pointer}
	}
	return a.At(path...)
}

// splitPointer returns the names of a JSON pointer.
func splitPointer(pointer string) (path []string, ok bool) {
	switch {
	case pointer == "":
		return nil, true
	case !isPointer(pointer):
		return nil, false
	}
	path = strings.Split(pointer[1:], "/")
	for i, name := range path {
		path[i] = unescaped(name)
	}
	return path, true
}

// element moves to an element of the array.
func (p *Place) element(name string) {
	n, err := strconv.Atoi(name)
	if err != nil || n < 0 || strconv.Itoa(n) != name {
		p.indexes, p.val = append(p.indexes, token{name: name, named: true}), ""
		return
	}
	list, _ := rawjson.Elements(p.val)
	list.Trust(depthWithin)
	p.indexes, p.val = append(p.indexes, token{index: n}), ""
	for val := range list.All {
		if n == 0 {
			p.val = val
			return
		}
		n--
	}
}

// enter moves into the object.
func (p *Place) enter() {
	m := &p.in.list[p.in.find(p.name)]
	switch n := len(p.indexes); {
	case n == 0:
		if m.object == nil {
			m.object = p.opened()
		}
		p.in = m.object
		return
	case n == 1 && p.indexes[0].index < len(m.objects):
		p.in = m.objects[p.indexes[0].index]
		return
	}
	var key []string
	for _, part := range p.indexes {
		key = append(key, strconv.Itoa(part.index))
	}
	name := strings.Join(key, "/")
	if m.places[name] == nil {
		if m.places == nil {
			m.places = map[string]*Arguments{}
		}
		m.places[name] = p.opened()
	}
	p.in = m.places[name]
}

// opened returns a reader of the object.
func (p *Place) opened() *Arguments {
	in := p.in.within(p.path()...)
	in.open(p.val)
	return in
}

// Has reports whether a value other than null is present.
func (p Place) Has() bool { return !p.gone && !p.bad && p.val != "" && p.val != "null" }

// nesting notes that something on the way cannot be entered.
func (p Place) nesting() {
	p.mistyped(ArgumentNesting, "an object")
}

// must returns the value, or "" and notes a fault if it is absent.
func (p Place) must() string {
	switch {
	case p.in == nil: // the zero Place
		return ""
	case p.bad:
		p.nesting()
	case p.gone:
		p.fault(ArgumentMissing, "an object")
	case p.val == "":
		p.fault(ArgumentMissing, "")
	case p.val == "null":
		p.fault(ArgumentNull, "")
	default:
		return p.val
	}
	return ""
}

// may returns the value, "" if it is absent.
func (p Place) may() string {
	switch {
	case p.bad:
		p.nesting()
	case p.Has():
		return p.val
	}
	return ""
}

// Text returns the string at the place, which must be present.
func (p Place) Text() string { return read(p, p.must(), "", Place.text) }

// TextOr returns the string, or otherwise if it is absent or null.
func (p Place) TextOr(otherwise string) string {
	return read(p, p.may(), otherwise, Place.text)
}

// Int returns the 64-bit integer at the place, which must be present, in any spelling: 1e3 and 1000.0
// are 1000. It never rounds: 1.5 is not an integer, and a number that does not fit is out of range.
func (p Place) Int() int64 { return read(p, p.must(), 0, Place.integer) }

// IntOr returns the integer, or otherwise if it is absent or null.
func (p Place) IntOr(otherwise int64) int64 {
	return read(p, p.may(), otherwise, Place.integer)
}

// IntBetween returns the integer at the place, which must be present and in the range from min to
// max, both included.
func (p Place) IntBetween(lo, hi int64) int64 {
	val := p.must()
	n := read(p, val, 0, Place.integer)
	if _, ok := rawjson.Int(val); ok && (n < lo || n > hi) {
		p.mistyped(ArgumentRange, "an integer from "+strconv.FormatInt(lo, 10)+" to "+strconv.FormatInt(hi, 10))
		return 0
	}
	return n
}

// Float returns the nearest float64 of the number at the place, which must be present.
func (p Place) Float() float64 { return read(p, p.must(), 0, Place.float) }

// FloatOr returns the number, or otherwise if it is absent or null.
func (p Place) FloatOr(otherwise float64) float64 {
	return read(p, p.may(), otherwise, Place.float)
}

// Bool returns the boolean at the place, which must be present.
func (p Place) Bool() bool { return read(p, p.must(), false, Place.boolean) }

// BoolOr returns the boolean, or otherwise if it is absent or null.
func (p Place) BoolOr(otherwise bool) bool {
	return read(p, p.may(), otherwise, Place.boolean)
}

// OneOf returns the string at the place, which must be present and one of these.
func (p Place) OneOf(values ...string) string {
	val := p.must()
	if val == "" {
		return ""
	}
	s := p.text()
	if val[0] == '"' && !slices.Contains(values, s) {
		list := make([]string, 0, len(values))
		for _, v := range values[:min(len(values), maxHints)] {
			list = append(list, strconv.Quote(rawjson.Clip(v, maxName)))
		}
		p.fault(ArgumentEnum, "one of "+strings.Join(list, ", "))
		return ""
	}
	return s
}

// Array returns the elements of the array at the place, which must be present, as places. Without a
// fault the list is not nil.
func (p Place) Array() []Place { return p.places(p.must()) }

// ArrayOr returns the elements of the array, nil if it is absent or null.
func (p Place) ArrayOr() []Place { return p.places(p.may()) }

func (p Place) places(val string) []Place {
	if val == "" {
		return nil
	}
	list, ok := rawjson.Elements(val)
	if !ok {
		p.mistyped(ArgumentType, "an array")
		return nil
	}
	places := []Place{}
	list.Trust(depthWithin)
	for val := range list.All {
		e := p
		e.indexes, e.val = append(slices.Clone(p.indexes), token{index: len(places)}), val
		places = append(places, e)
	}
	return places
}

// Object returns a reader of the object at the place, which must be present, like Arguments.Object.
// It is never nil.
func (p Place) Object() *Arguments { return p.object(p.must()) }

// ObjectOr returns a reader of the object, nil if it is absent or null.
func (p Place) ObjectOr() *Arguments {
	val := p.may()
	if val == "" {
		return nil
	}
	return p.object(val)
}

func (p Place) object(val string) *Arguments {
	switch {
	case p.in == nil:
		return &Arguments{mute: true}
	case !p.member:
		return p.in
	case val != "":
		p.enter()
		return p.in
	}
	in := p.in.within(p.path()...)
	in.mute = true
	return in
}

// Raw returns the text of the value, which must be present and may be any, including null. Unexpected
// members in it are not faults.
func (p Place) Raw() jsonrpc.Raw {
	if p.val == "null" && !p.bad && !p.gone {
		return "null"
	}
	return jsonrpc.Raw(p.must())
}

// read returns what get makes of the place, or otherwise if val, the value there, is empty.
func read[T any](p Place, val string, otherwise T, get func(Place) T) T {
	if val == "" {
		return otherwise
	}
	return get(p)
}

// Need is a required argument.
type Need struct {
	// Path are the names that lead to it, as for At.
	Path []string
	// Type is its JSON Schema type, such as "integer"; "" is any but null.
	Type string
}

// Require asks for several arguments at once and notes the faults of all in order. It
// reports whether there are none. It checks the type of each, and each counts as asked for. An
// integer may have any size.
func (a *Arguments) Require(needs ...Need) bool {
	before := len(a.findings().list)
	for _, need := range needs {
		p := a.At(need.Path...)
		kind := kindNamed(need.Type)
		if kind == kindNull && p.val == "null" && !p.bad {
			continue
		}
		val := p.must()
		if val == "" || kind == 0 {
			continue
		}
		has := kindNamed(rawjson.Type(val))
		if d, ok := parseDecimal(val); kind == kindInteger && ok && d.integral() {
			has = kindInteger
		}
		if has != kind {
			p.mistyped(ArgumentType, article(need.Type))
		}
	}
	return len(a.found.list) == before
}
