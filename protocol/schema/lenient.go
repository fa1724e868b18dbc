package schema

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
)

// maxFaults is how many faults of one schema are reported.
const maxFaults = 16

// CompileLenient reads the schema of a tool from another program, and omits what
// Compile would refuse: the Schema checks the rest, and no value fails that could
// satisfy the omitted part. The value must always be an object. faults lists
// what was omitted, in reading order, at most 16 places; it is empty
// exactly if Compile has no error. If the schema is not an object or needs too much work,
// nothing else is checked.
func CompileLenient(schema jsonrpc.Raw) (s Schema, faults []Fault) {
	return Lenient{}.Compile(schema)
}

// Compile is CompileLenient with the formats of l.
func (l Lenient) Compile(schema jsonrpc.Raw) (s Schema, faults []Fault) {
	s, faults, _ = l.Read(schema)
	return s, faults
}

// Read is like Compile and also returns what Ignored returns for the schema, in one pass.
func (l Lenient) Read(schema jsonrpc.Raw) (s Schema, faults []Fault, ignored []string) {
	c := compiler{work: newWork(allowed(len(schema))), lenient: true, formats: l.Formats}
	r := c.compile(string(schema))
	if c.dead {
		return Schema{}, append(c.faults, *c.fault), c.ignored
	}
	if !r.isObject {
		if len(c.faults) == 0 || c.faults[0].Path != "" && c.faults[0].Path != "/$schema" && !slices.Contains(c.faults, noObject) {
			c.faults = append(c.faults, noObject)
		}
		if r.never { // the schema is false
			r = newRule()
		}
		r.types, r.isObject = kindObject, true
	}
	return r.compiled(len(schema)), c.faults, c.ignored
}

// Lenient is the Validator for the schemas of other programs: it checks what it can, like
// CompileLenient, where Basic refuses every value if a schema is not
// usable. Validate does not report what is not checked; server.Catalog.Unchecked and
// CompileLenient do.
type Lenient struct {
	// Formats are the formats to check; zero checks none.
	Formats Formats
}

// Validate returns nil or a Fault, never with KeywordSchema.
func (l Lenient) Validate(schema, value jsonrpc.Raw) error {
	c := compiler{work: newWork(allowed(len(schema) + len(value))), lenient: true, formats: l.Formats}
	r := c.compile(string(schema))
	if c.dead {
		r, c.steps = anything, allowed(len(value))
	}
	return validate(c.steps, r, value)
}

var anything = newRule()

// snapshot is a rule before a keyword was read, with the parts that it owns.
type snapshot struct {
	rule    rule
	number  numberRule
	array   arrayRule
	object  objectRule
	branch  branchRule
	special extra
}

func (s *snapshot) take(r *rule) {
	s.rule, s.number, s.array, s.object, s.branch = *r, *r.numberRule, *r.arrayRule, *r.objectRule, *r.branchRule
	if r.more != nil {
		s.special = *r.more
	}
}

func (s *snapshot) put(r *rule) {
	*r = s.rule
	restore(r.numberRule, anyNumber, s.number)
	restore(r.arrayRule, anyArray, s.array)
	restore(r.objectRule, anyNames, s.object)
	restore(r.branchRule, anyBranch, s.branch)
	restore(r.more, nil, s.special)
}

// restore puts back a part that is not shared.
func restore[T any](part, shared *T, before T) {
	if part != shared {
		*part = before
	}
}

// note records that the part at the path is not usable.
func (c *compiler) note() {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, c.unusable())
	}
	c.foreign = ""
}

// spare skips the part at the path, if the compiler is lenient.
func (c *compiler) spare() bool {
	if c.dead || !c.lenient {
		return c.bad()
	}
	c.note()
	return true
}

// without omits a keyword. What it says is then unknown, and so is what depends on it.
func (r *rule) without(key string) {
	r.unsure = true
	switch key {
	case "properties", "patternProperties": // any member might be one of them
		r.patterns = true
	case "prefixItems": // which elements are behind it is not known
		r.blind = true
	case "minContains":
		r.adrift = true
	}
}
