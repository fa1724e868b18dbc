package schema

import (
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// String returns the member of that name, which has to be a string. One with an unpaired
// surrogate, which no Go string can hold as text, is a fault.
func (a *Arguments) String(name string) string {
	val := a.must(name)
	if val == "" {
		return ""
	}
	return a.text(val, token{name: name, named: true})
}

// StringOr returns the member, or otherwise if it is not there or null.
func (a *Arguments) StringOr(name, otherwise string) string {
	return optional(a, name, otherwise, a.String)
}

// Int returns the member of that name, which has to be an integer of 64 bits, in any
// spelling: 1e3 and 1000.0 are 1000. It is exact; what does not fit is a fault.
func (a *Arguments) Int(name string) int64 {
	val := a.must(name)
	if val == "" {
		return 0
	}
	return a.integer(val, token{name: name, named: true})
}

// IntOr returns the member, or otherwise if it is not there or null.
func (a *Arguments) IntOr(name string, otherwise int64) int64 {
	return optional(a, name, otherwise, a.Int)
}

// Float returns the member of that name, which has to be a number: the nearest float64. One
// beyond the largest float64 is a fault.
func (a *Arguments) Float(name string) float64 {
	val := a.must(name)
	if val == "" {
		return 0
	}
	return a.float(val, token{name: name, named: true})
}

// FloatOr returns the member, or otherwise if it is not there or null.
func (a *Arguments) FloatOr(name string, otherwise float64) float64 {
	return optional(a, name, otherwise, a.Float)
}

// Bool returns the member of that name, which has to be true or false.
func (a *Arguments) Bool(name string) bool {
	val := a.must(name)
	return val != "" && a.boolean(val, token{name: name, named: true})
}

// BoolOr returns the member, or otherwise if it is not there or null.
func (a *Arguments) BoolOr(name string, otherwise bool) bool {
	return optional(a, name, otherwise, a.Bool)
}

// Raw returns the text of the member of that name, which may be anything, also null. The
// names in it are not looked at.
func (a *Arguments) Raw(name string) jsonrpc.Raw {
	val := a.get(name)
	if val == "" {
		a.fault([]token{{name: name, named: true}}, ArgumentMissing, "")
	}
	return jsonrpc.Raw(val)
}

// Strings returns the member of that name, which has to be an array of strings. Without
// a fault the list is never nil.
func (a *Arguments) Strings(name string) []string {
	list := []string{}
	if !a.elements(name, "an array of strings", func(i int, val string) {
		list = append(list, a.text(val, token{name: name, named: true}, token{index: i}))
	}) {
		return nil
	}
	return list
}

// Object returns a reader of the member of that name, which has to be an object. It shares
// the faults of a, and is never nil: where the member is missing or not an object, the reader has
// no members and adds no further faults. For one name it is always the same reader.
func (a *Arguments) Object(name string) *Arguments {
	val := a.must(name)
	if val == "" {
		in := a.within(token{name: name, named: true})
		in.mute = true
		return in
	}
	i := a.find(name)
	if a.list[i].object == nil {
		a.list[i].object = a.within(token{name: name, named: true})
		a.list[i].object.open(val)
	}
	return a.list[i].object
}

// Objects returns readers of the elements of the member of that name, which has to be an
// array of objects. For one name they are always the same readers.
func (a *Arguments) Objects(name string) []*Arguments {
	var list []*Arguments
	if i := a.find(name); i >= 0 && a.list[i].objects != nil {
		return slices.Clone(a.list[i].objects)
	}
	a.elements(name, "an array of objects", func(i int, val string) {
		in := a.list[a.find(name)].places[strconv.Itoa(i)]
		if in == nil {
			in = a.within(token{name: name, named: true}, token{index: i})
			in.open(val)
		}
		list = append(list, in)
	})
	if len(list) > 0 {
		a.list[a.find(name)].objects = slices.Clone(list)
	}
	return list
}

// elements calls f for the elements of a member that has to be an array.
func (a *Arguments) elements(name, want string, f func(i int, val string)) bool {
	val := a.must(name)
	if val == "" {
		return false
	}
	list, ok := rawjson.Elements(val)
	if !ok {
		a.mistyped([]token{{name: name, named: true}}, ArgumentType, want, val)
		return false
	}
	i := 0
	for val := range list.All {
		f(i, val)
		i++
	}
	return true
}

// integer returns the number val, which stands at the end of the path.
func (a *Arguments) integer(val string, path ...token) int64 {
	n, ok := rawjson.Int(val)
	if ok {
		return n
	}
	if d, number := parseDecimal(val); number && d.integral() {
		a.mistyped(path, ArgumentRange, "an integer of 64 bits", val)
	} else {
		a.mistyped(path, ArgumentType, "an integer", val)
	}
	return 0
}

// float returns the number val.
func (a *Arguments) float(val string, path ...token) float64 {
	f, ok := rawjson.Float(val)
	if ok {
		return f
	}
	if _, number := parseDecimal(val); number {
		a.mistyped(path, ArgumentRange, "a number of 64 bits", val)
	} else {
		a.mistyped(path, ArgumentType, "a number", val)
	}
	return 0
}

// boolean returns the boolean val.
func (a *Arguments) boolean(val string, path ...token) bool {
	if val != "true" && val != "false" {
		a.mistyped(path, ArgumentType, "a boolean", val)
	}
	return val == "true"
}

// text returns the string val, which stands at the end of the path.
func (a *Arguments) text(val string, path ...token) string {
	s, ok := rawjson.Unquote(val)
	switch {
	case ok:
		return s
	case val[0] == '"':
		a.fault(path, ArgumentText, "")
	default:
		a.mistyped(path, ArgumentType, "a string", val)
	}
	return ""
}

func optional[T any](a *Arguments, name string, otherwise T, get func(string) T) T {
	if !a.Has(name) {
		return otherwise
	}
	return get(name)
}
