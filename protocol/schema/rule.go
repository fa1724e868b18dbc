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

// slot is what a rule says of a member with one name. It is found by the name in the
// value, so that names of the schema are not read again for every object.
type slot struct {
	rule       *rule // of properties; nil without one
	need       int   // its place in required, counted from one; 0 if absent
	mark       int   // its place in marked, likewise
	dependency *dependency
}

// dependency is what the presence of a member requires.
type dependency struct {
	keyword string // the keyword with needs
	needs   []int  // the marks of the required members
	rule    *rule  // the schema for the object
}

// rule is a compiled schema. A nil rule is an absent keyword. Rare keywords
// are in separate parts, which rules without them share.
type rule struct {
	never     bool // the schema is false
	unsure    bool // it has unchecked assertions
	isObject  bool // its type is "object", not in a list
	wanted    bool // the member with this schema is required
	tuple     bool // prefix has the form of older drafts: items as an array, with additionalItems
	blind     bool // items is ignored, because the prefix is unknown
	unique    bool // uniqueItems
	adrift    bool // the number of elements for contains is unknown
	marksHeld bool // elements that satisfy contains count as evaluated
	patterns  bool // patternProperties may apply to members that are not in properties
	compound  bool // has a reference or branch

	types    kinds
	enum     map[string]bool // canonical texts; nil: absent
	constant string          // canonical text; "": absent
	ref      *target
	length   count

	*numberRule
	*arrayRule
	*objectRule
	*branchRule
	more *extra // nil: none
}

type numberRule struct {
	minimum, maximum           *decimal
	exclusiveMin, exclusiveMax *decimal
	multipleOf                 *divisor

	kept [2]decimal // room for the number of bounds that most rules have
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
	items    *rule // of the elements after the prefix
	count    count // of elements
	contains *rule
	held     count // of elements that satisfy contains
}

type objectRule struct {
	names      map[string]slot // of properties and required
	required   []string        // each name once
	marked     []string        // the names that other members require, each once
	naming     *rule           // for the names of members
	additional *rule
	size       count // of members
}

type branchRule struct {
	allOf, anyOf, oneOf []*rule
	not                 *rule
	cond, then, els     *rule
}

// The empty parts of rules. They do not change.
var (
	anyNumber = &numberRule{}
	anyArray  = &arrayRule{count: anyCount, held: count{1, math.MaxInt64}}
	anyNames  = &objectRule{size: anyCount}
	anyBranch = &branchRule{}
)

// ofNumbers, ofArrays, ofObjects and ofBranches return a part of the rule, to set.
func (r *rule) ofNumbers() *numberRule  { return own(&r.numberRule, anyNumber) }
func (r *rule) ofArrays() *arrayRule    { return own(&r.arrayRule, anyArray) }
func (r *rule) ofObjects() *objectRule  { return own(&r.objectRule, anyNames) }
func (r *rule) ofBranches() *branchRule { return own(&r.branchRule, anyBranch) }

// own replaces a shared part with one that only the rule has.
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

// extra has the rare keywords of a rule.
type extra struct {
	pattern     *regex
	patterns    []patternRule // of patternProperties
	format      Formats       // a string must conform to; 0: none
	restMembers *rule         // unevaluatedProperties
	restItems   *rule         // unevaluatedItems
	dynamic     *dynamic      // $dynamicRef or $recursiveRef
	scope       *scope        // of the resource that begins here
}

// patternRule is a member of patternProperties.
type patternRule struct {
	*regex
	text string
	rule *rule
}

// beyond returns the extra of the rule, to set.
func (r *rule) beyond() *extra {
	if r.more == nil {
		r.more = &extra{}
	}
	return r.more
}

// set sets what a rule says of a name.
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

// arrays reports whether the rule has a keyword for arrays.
func (r *rule) arrays() bool {
	return r.items != nil || len(r.prefix) > 0 || r.unique || r.contains != nil || !r.count.any()
}

// objects reports whether the rule has a keyword for objects.
func (r *rule) objects() bool {
	return len(r.names) > 0 || r.additional != nil || r.naming != nil || !r.size.any() || r.more != nil && len(r.more.patterns) > 0
}

// numbers reports whether the rule has a keyword for numbers.
func (r *rule) numbers() bool {
	return r.minimum != nil || r.maximum != nil || r.exclusiveMin != nil || r.exclusiveMax != nil || r.multipleOf != nil
}
