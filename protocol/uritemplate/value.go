package uritemplate

import (
	"slices"
	"strings"
)

// Kind is what a Value is.
type Kind uint8

// The kinds of values in RFC 6570, section 2.3.
const (
	KindUndefined Kind = iota // no value; it expands to nothing
	KindText                  // a string, which may be empty
	KindList                  // a list of strings
	KindPairs                 // an associative array, ordered
)

// Pair is one member of an associative array.
type Pair struct {
	// Name is the key.
	Name string
	// Value is what the key stands for.
	Value string
}

// Value is the value of a variable. The zero Value is undefined. Values do not
// change and may be shared.
type Value struct {
	kind  Kind
	text  string
	items []string // pairs: name, value, name, value
}

// Text returns a Value that is one string. The empty string is defined.
func Text(s string) Value { return Value{kind: KindText, text: s} }

// List returns a Value that is a list. A list without items is undefined, by RFC
// 6570, section 2.3.
func List(items ...string) Value {
	if len(items) == 0 {
		return Value{}
	}
	return Value{kind: KindList, items: slices.Clone(items)}
}

// Pairs returns a Value that is an associative array in the order given. Without
// pairs it is undefined.
func Pairs(pairs ...Pair) Value {
	if len(pairs) == 0 {
		return Value{}
	}
	v := Value{kind: KindPairs, items: make([]string, 0, 2*len(pairs))}
	for _, p := range pairs {
		v.items = append(v.items, p.Name, p.Value)
	}
	return v
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// Defined reports whether v is not undefined.
func (v Value) Defined() bool { return v.kind != KindUndefined }

// String returns a text as it is, and the items of a list, or alternating names and values
// of pairs, joined by commas. It encodes nothing. Undefined is "".
func (v Value) String() string {
	if v.kind == KindText {
		return v.text
	}
	return strings.Join(v.items, ",")
}

// List returns the items of a list, a text as its only item, and alternating names and values
// of pairs. It is nil if v is undefined. The caller owns the slice.
func (v Value) List() []string {
	if v.kind == KindText {
		return []string{v.text}
	}
	return slices.Clone(v.items)
}

// Pairs returns the members of pairs, and nil for other kinds. The caller owns
// the slice.
func (v Value) Pairs() []Pair {
	if v.kind != KindPairs {
		return nil
	}
	pairs := make([]Pair, 0, len(v.items)/2)
	for i := 0; i < len(v.items); i += 2 {
		pairs = append(pairs, Pair{v.items[i], v.items[i+1]})
	}
	return pairs
}

// Equal reports whether v and w have the same kind and the same strings in the
// same order.
func (v Value) Equal(w Value) bool {
	return v.kind == w.kind && v.text == w.text && slices.Equal(v.items, w.items)
}

// Binding is a variable with its value.
type Binding struct {
	// Name is the name of the variable as the template spells it.
	Name string
	// Value is its value.
	Value Value
}

// Values are variables with their values, in order. Variables that are not
// listed are undefined. Of bindings with the same name the first counts.
type Values []Binding

// Get returns the value of a variable, undefined if absent. Names are
// compared byte for byte. Time is linear in the number of bindings.
func (v Values) Get(name string) Value {
	for i := range v {
		if v[i].Name == name {
			return v[i].Value
		}
	}
	return Value{}
}
