package schema

import "math"

// kinds is a set of the types of JSON Schema.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindObject
	kindArray
	kindNumber
	kindInteger
	kindString
	anyKind kinds = 1<<iota - 1
)

func kindNamed(name string) kinds {
	switch name {
	case "null":
		return kindNull
	case "boolean":
		return kindBoolean
	case "object":
		return kindObject
	case "array":
		return kindArray
	case "number":
		return kindNumber
	case "integer":
		return kindInteger
	case "string":
		return kindString
	}
	return 0
}

// slot is what a rule says of a member of one name. It is found by the name that the
// value has, so that no name of the schema is read again for every object.
type slot struct {
	rule       *rule // of properties; nil if the name is not there
	need       int   // its place in required, counted from one; 0 if it is not there
	mark       int   // its place in marked, in the same way
	dependency *dependency
}

// dependency is what follows from a member being there.
type dependency struct {
	keyword string // that of needs
	needs   []int  // the marks of the members that have to be there
	rule    *rule  // what the object has to satisfy
}

// rule is a schema that was read. A nil rule is an absent keyword.
type rule struct {
	never    bool // the schema is false
	unsure   bool // it has assertions that are not checked
	isObject bool // its type is "object", not in a list

	types    kinds
	enum     map[string]bool // canonical texts; nil: absent
	constant string          // canonical text; "": absent
	ref      *rule

	minimum, maximum           *decimal
	exclusiveMin, exclusiveMax *decimal
	multipleOf                 *divisor
	length                     count

	prefix []*rule
	items  *rule // of the elements behind the prefix
	tuple  bool  // prefix is that of older drafts: items as an array, additionalItems behind it
	blind  bool  // items says nothing, since a prefix is not known
	unique bool
	count  count // of elements

	contains *rule
	held     count // of elements that satisfy contains
	adrift   bool  // how many have to is not known

	names      map[string]slot // of properties and required
	required   []string        // each name once
	marked     []string        // the names that others need, each once
	naming     *rule           // of the names of members
	additional *rule
	patterns   bool  // patternProperties may take what properties does not
	size       count // of members

	allOf, anyOf, oneOf []*rule
	not                 *rule
	cond, then, els     *rule
	compound            bool // one of these is there, or ref
}

// set puts what a rule says of a name.
func (r *rule) set(name string, s slot) {
	if r.names == nil {
		r.names = map[string]slot{}
	}
	r.names[name] = s
}

func newRule() *rule {
	return &rule{types: anyKind, length: anyCount, count: anyCount, size: anyCount, held: count{1, math.MaxInt64}}
}

// arrays reports whether there is a keyword for arrays.
func (r *rule) arrays() bool {
	return r.items != nil || len(r.prefix) > 0 || r.unique || r.contains != nil || !r.count.any()
}

// objects reports whether there is a keyword for objects.
func (r *rule) objects() bool {
	return len(r.names) > 0 || r.additional != nil || r.naming != nil || !r.size.any()
}

// numbers reports whether there is a keyword for numbers.
func (r *rule) numbers() bool {
	return r.minimum != nil || r.maximum != nil || r.exclusiveMin != nil || r.exclusiveMax != nil || r.multipleOf != nil
}
