package schema

import (
	"math"
	"slices"
)

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

var kindNames = [...]string{"null", "boolean", "object", "array", "number", "integer", "string"}

func kindNamed(name string) kinds {
	if i := slices.Index(kindNames[:], name); i >= 0 {
		return 1 << i
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

// rule is a schema that was read. A nil rule is an absent keyword. What few of the schemas
// within a schema have is in parts of its own, which rules without it share.
type rule struct {
	never     bool // the schema is false
	unsure    bool // it has assertions that are not checked
	isObject  bool // its type is "object", not in a list
	wanted    bool // the member that it is of has to be there
	tuple     bool // prefix is that of older drafts: items as an array, additionalItems behind it
	blind     bool // items says nothing, since a prefix is not known
	unique    bool // uniqueItems
	adrift    bool // how many elements have to satisfy contains is not known
	marksHeld bool // unevaluatedItems leaves out those that do
	patterns  bool // patternProperties may take what properties does not
	compound  bool // there is a reference or branch

	types    kinds
	enum     map[string]bool // canonical texts; nil: absent
	constant string          // canonical text; "": absent
	ref      *target
	length   count

	*numberRule
	*arrayRule
	*objectRule
	*branchRule
	more *extra // nil: none of it
}

type numberRule struct {
	minimum, maximum           *decimal
	exclusiveMin, exclusiveMax *decimal
	multipleOf                 *divisor

	kept [2]decimal // which is as many bounds as most have
	many int
}

// keep returns where d is kept.
func (n *numberRule) keep(d decimal) *decimal {
	if n.many == len(n.kept) {
		own := d
		return &own
	}
	n.many++
	n.kept[n.many-1] = d
	return &n.kept[n.many-1]
}

type arrayRule struct {
	prefix   []*rule
	items    *rule // of the elements behind the prefix
	count    count // of elements
	contains *rule
	held     count // of elements that satisfy contains
}

type objectRule struct {
	names      map[string]slot // of properties and required
	required   []string        // each name once
	marked     []string        // the names that others need, each once
	naming     *rule           // of the names of members
	additional *rule
	size       count // of members
}

type branchRule struct {
	allOf, anyOf, oneOf []*rule
	not                 *rule
	cond, then, els     *rule
}

// The parts of rules that say nothing. They do not change.
var (
	anyNumber = &numberRule{}
	anyArray  = &arrayRule{count: anyCount, held: count{1, math.MaxInt64}}
	anyNames  = &objectRule{size: anyCount}
	anyBranch = &branchRule{}
)

// ofNumbers, ofArrays, ofObjects and ofBranches return a part of the rule, to be filled.
func (r *rule) ofNumbers() *numberRule  { return own(&r.numberRule, anyNumber) }
func (r *rule) ofArrays() *arrayRule    { return own(&r.arrayRule, anyArray) }
func (r *rule) ofObjects() *objectRule  { return own(&r.objectRule, anyNames) }
func (r *rule) ofBranches() *branchRule { return own(&r.branchRule, anyBranch) }

// own makes a part that is shared one of the rule alone.
func own[T any](part **T, shared *T) *T {
	if *part == shared {
		copied := *shared
		*part = &copied
	}
	return *part
}

// target is a rule that others refer to.
type target struct {
	rule
	place string // the JSON pointer to it
}

// extra is what a rule says with the keywords that few schemas have.
type extra struct {
	pattern     *regex
	patterns    []patternRule // of patternProperties
	format      Formats       // of which one a string has to be; 0: none
	restMembers *rule         // unevaluatedProperties
	restItems   *rule         // unevaluatedItems
	dynamic     *dynamic      // $dynamicRef or $recursiveRef
	scope       *scope        // of the resource that is entered here
}

// patternRule is a member of patternProperties.
type patternRule struct {
	*regex
	text string
	rule *rule
}

// beyond returns the extra of the rule, to be filled.
func (r *rule) beyond() *extra {
	if r.more == nil {
		r.more = &extra{}
	}
	return r.more
}

// set puts what a rule says of a name.
func (r *rule) set(name string, s slot) {
	o := r.ofObjects()
	if o.names == nil {
		o.names = map[string]slot{}
	}
	o.names[name] = s
}

func newRule() *rule {
	return &rule{types: anyKind, length: anyCount, numberRule: anyNumber, arrayRule: anyArray, objectRule: anyNames, branchRule: anyBranch}
}

// arrays reports whether there is a keyword for arrays.
func (r *rule) arrays() bool {
	return r.items != nil || len(r.prefix) > 0 || r.unique || r.contains != nil || !r.count.any()
}

// objects reports whether there is a keyword for objects.
func (r *rule) objects() bool {
	return len(r.names) > 0 || r.additional != nil || r.naming != nil || !r.size.any() || r.more != nil && len(r.more.patterns) > 0
}

// numbers reports whether there is a keyword for numbers.
func (r *rule) numbers() bool {
	return r.minimum != nil || r.maximum != nil || r.exclusiveMin != nil || r.exclusiveMax != nil || r.multipleOf != nil
}
