package schema

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Arguments reads the arguments of a tool, or any other JSON object, member by member.
// It compares names byte for byte after resolving escapes, so that the tool reads exactly
// what the schema checked: "PATH" is not "path", and an object with a repeated
// name is refused.
//
// Arguments collects faults, and its methods return zero values for them; Err returns them.
// Use no value before Err has returned nil. The zero Arguments is an object without
// members. Arguments is for one goroutine at a time.
type Arguments struct {
	at     argumentPath
	list   []argument
	index  map[string]int // of the list, if it is long
	others bool           // unexpected members are not faults
	mute   bool           // the object is absent, which was reported
	found  *findings      // nil: none yet; shared with the objects within
	inner  []*Arguments
	whole  string   // the text of all
	missed []string // absent names that were asked for, the first ones
}

type argument struct {
	name, val string
	asked     bool
	twice     bool                  // the name is repeated
	object    *Arguments            // what Object has returned for it
	objects   []*Arguments          // and Objects
	places    map[string]*Arguments // and At, for elements of arrays, by the indexes
}

// argumentPath is the path to an object within the arguments. It becomes text if needed.
type argumentPath struct {
	outer *argumentPath
	part  token
}

// ReadArguments returns a reader of the members of raw. Empty and null count as
// {}, since arguments may be absent. Err reports a raw that is not a JSON object or repeats a
// name. raw may be nested 512 deep. The time is linear in the length of
// raw for each level of nesting that is read.
func ReadArguments(raw jsonrpc.Raw) *Arguments {
	a := &Arguments{found: &findings{}}
	text, fault := trim(string(raw))
	switch {
	case raw == "" || text == "null":
		a.whole = "{}"
	case fault != rawjson.OK:
		a.mute = true
		a.fault(nil, ArgumentSyntax, "")
	default:
		a.open(text)
	}
	return a
}

// open reads the members of text, which is valid JSON.
func (a *Arguments) open(text string) {
	a.whole = text
	o, ok := rawjson.Members(text)
	if !ok {
		a.mute = true
		a.mistyped(nil, ArgumentType, "an object", text)
		return
	}
	for name, val := range o.All {
		if i := a.find(name); i >= 0 {
			if a.list[i].twice {
				continue
			}
			a.list[i].twice = true
			a.fault([]token{{name: name, named: true}}, ArgumentRepeated, "")
			continue
		}
		a.list = append(a.list, argument{name: name, val: val})
		switch {
		case a.index != nil:
			a.index[name] = len(a.list) - 1
		case len(a.list) > few:
			a.index = make(map[string]int, 2*len(a.list))
			for i := range a.list {
				a.index[a.list[i].name] = i
			}
		}
	}
}

func (a *Arguments) find(name string) int {
	if a.index != nil {
		if i, ok := a.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range a.list {
		if a.list[i].name == name {
			return i
		}
	}
	return -1
}

// get returns the text of a member and marks it as asked for; "" if it is absent. A
// name with U+FFFD may have been another one, and matches nothing.
func (a *Arguments) get(name string) string {
	i := a.find(name)
	if i < 0 || strings.Contains(name, "\ufffd") {
		if len(a.missed) < maxHints && !slices.Contains(a.missed, name) {
			a.missed = append(a.missed, name)
		}
		return ""
	}
	a.list[i].asked = true
	return a.list[i].val
}

// Has reports whether the member is present and not null, and makes it an expected one. Call it
// before a method for an optional member.
func (a *Arguments) Has(name string) bool { return a.At(name).Has() }

// AllowOthers allows members that were not asked for, in this object alone.
func (a *Arguments) AllowOthers() { a.others = true }

// Err returns nil if every value asked for was as required and no other members exist, otherwise
// ArgumentErrors. Unexpected members are faults of the object that has them, and come last.
// Call it on the outermost Arguments after reading all values: objects within share its faults.
func (a *Arguments) Err() error {
	a.unexpected()
	if a.found == nil || len(a.found.list) == 0 {
		return nil
	}
	return a.found.list
}

func (a *Arguments) unexpected() {
	for i := range a.list {
		if !a.list[i].asked && !a.others { // again, if Err is called again: note drops the second
			a.fault([]token{{name: a.list[i].name, named: true}}, ArgumentUnexpected, "")
		}
	}
	for _, in := range a.inner {
		in.unexpected()
	}
}

// within returns an Arguments for an object inside, still without members.
func (a *Arguments) within(parts ...token) *Arguments {
	in := &Arguments{found: a.findings(), mute: a.mute, at: a.at}
	for _, part := range parts {
		outer := in.at
		in.at = argumentPath{outer: &outer, part: part}
	}
	a.inner = append(a.inner, in)
	return in
}
