package schema

import (
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// String returns the member with that name, which must be a string. An unpaired surrogate,
// which a Go string cannot represent, is a fault.
func (a *Arguments) String(name string) string { return a.At(name).Text() }

// StringOr returns the member, or otherwise if it is absent or null.
func (a *Arguments) StringOr(name, otherwise string) string {
	return a.At(name).TextOr(otherwise)
}

// Int returns the member with that name, which must be a 64-bit integer in any
// spelling: 1e3 and 1000.0 are 1000. It never rounds; a number out of range is a fault.
func (a *Arguments) Int(name string) int64 { return a.At(name).Int() }

// IntOr returns the member, or otherwise if it is absent or null.
func (a *Arguments) IntOr(name string, otherwise int64) int64 {
	return a.At(name).IntOr(otherwise)
}

// Float returns the nearest float64 of the member with that name, which must be a number. One
// beyond the largest float64 is a fault.
func (a *Arguments) Float(name string) float64 { return a.At(name).Float() }

// FloatOr returns the member, or otherwise if it is absent or null.
func (a *Arguments) FloatOr(name string, otherwise float64) float64 {
	return a.At(name).FloatOr(otherwise)
}

// Bool returns the member with that name, which must be true or false.
func (a *Arguments) Bool(name string) bool { return a.At(name).Bool() }

// BoolOr returns the member, or otherwise if it is absent or null.
func (a *Arguments) BoolOr(name string, otherwise bool) bool {
	return a.At(name).BoolOr(otherwise)
}

// Raw returns the text of the member with that name, which may be any value, including null.
// Unexpected members in it are not faults.
func (a *Arguments) Raw(name string) jsonrpc.Raw { return a.At(name).Raw() }

// Strings returns the member with that name, which must be an array of strings. Without
// a fault the list is not nil.
func (a *Arguments) Strings(name string) []string {
	list := make([]string, 0, 4) // most lists are short
	if !a.elements(name, "an array of strings", func(p Place) { list = append(list, p.text()) }) {
		return nil
	}
	return list
}

// Object returns a reader of the member with that name, which must be an object. The reader shares
// the faults of a and is never nil: if the member is missing or not an object, it has
// no members and adds no further faults. The same name always returns the same reader.
func (a *Arguments) Object(name string) *Arguments { return a.At(name).Object() }

// Objects returns readers of the elements of the member with that name, which must be an
// array of objects. The same name always returns the same readers.
func (a *Arguments) Objects(name string) []*Arguments {
	var list []*Arguments
	if i := a.find(name); i >= 0 && a.list[i].objects != nil {
		return slices.Clone(a.list[i].objects)
	}
	a.elements(name, "an array of objects", func(p Place) {
		in := a.list[a.find(name)].places[strconv.Itoa(p.indexes[0].index)]
		if in == nil {
			in = p.opened()
		}
		list = append(list, in)
	})
	if len(list) > 0 {
		a.list[a.find(name)].objects = slices.Clone(list)
	}
	return list
}

// elements calls f for the elements of a member that must be an array. The places share their indexes.
func (a *Arguments) elements(name, want string, f func(p Place)) bool {
	p := a.At(name)
	list, ok := rawjson.Elements(p.must())
	if !ok {
		if p.Has() {
			p.mistyped(ArgumentType, want)
		}
		return false
	}
	p.indexes = []token{{}}
	for val := range list.All {
		p.val = val
		f(p)
		p.indexes[0].index++
	}
	return true
}

// integer returns the number at the place.
func (p Place) integer() int64 {
	n, ok := rawjson.Int(p.val)
	if ok {
		return n
	}
	if d, number := parseDecimal(p.val); number && d.integral() {
		p.mistyped(ArgumentRange, "an integer of 64 bits")
	} else {
		p.mistyped(ArgumentType, "an integer")
	}
	return 0
}

// float returns the number at the place.
func (p Place) float() float64 {
	f, ok := rawjson.Float(p.val)
	if ok {
		return f
	}
	if _, number := parseDecimal(p.val); number {
		p.mistyped(ArgumentRange, "a number of 64 bits")
	} else {
		p.mistyped(ArgumentType, "a number")
	}
	return 0
}

// boolean returns the boolean at the place.
func (p Place) boolean() bool {
	if p.val != "true" && p.val != "false" {
		p.mistyped(ArgumentType, "a boolean")
	}
	return p.val == "true"
}

// text returns the string at the place.
func (p Place) text() string {
	s, ok := rawjson.Unquote(p.val)
	switch {
	case ok:
		return s
	case p.val[0] == '"':
		p.fault(ArgumentText, "")
	default:
		p.mistyped(ArgumentType, "a string")
	}
	return ""
}

// fault notes a fault of the place, and mistyped that it has another type than was asked for.
func (p Place) fault(kind ArgumentKind, want string) { p.in.fault(p.path(), kind, want) }
func (p Place) mistyped(kind ArgumentKind, want string) {
	p.in.mistyped(p.path(), kind, want, p.val)
}
