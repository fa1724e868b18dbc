package schema

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
)

// maxFaults is how many faults of one schema are told apart.
const maxFaults = 16

// CompileLenient reads the schema of a tool from another program, and leaves out what
// Compile would refuse it for: the Schema checks the rest, and no value fails that could
// satisfy what was left out; that the value is an object is always checked. faults says
// what was left out, in the order in which it was read, the first 16 places; it is empty
// exactly if Compile has no error. Of a schema that is not an object, or needs more work than
// is allowed, nothing else is checked.
func CompileLenient(schema jsonrpc.Raw) (s Schema, faults []Fault) {
	return Lenient{}.Compile(schema)
}

// Compile is CompileLenient with the formats of l.
func (l Lenient) Compile(schema jsonrpc.Raw) (s Schema, faults []Fault) {
	s, faults, _ = l.Read(schema)
	return s, faults
}

// Read is Compile that also returns what Ignored returns for the schema, in one go.
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

// Lenient is the Validator for the schemas of others: it checks what it can, as
// CompileLenient has it, where Basic refuses every value because of a schema that is not
// usable. What is not checked is not reported by Validate; server.Catalog.Unchecked and
// CompileLenient tell.
type Lenient struct {
	// Formats are the formats that are checked; zero checks no format.
	Formats Formats
}

// Validate returns nil or a Fault, which has never KeywordSchema.
func (l Lenient) Validate(schema, value jsonrpc.Raw) error {
	c := compiler{work: newWork(allowed(len(schema) + len(value))), lenient: true, formats: l.Formats}
	r := c.compile(string(schema))
	if c.dead {
		r, c.steps = anything, allowed(len(value))
	}
	return validate(c.steps, r, value)
}

var anything = newRule()

// snapshot is a rule as it was before a keyword, with the parts that are its own.
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

// note writes down that what the path leads to is not usable.
func (c *compiler) note() {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, c.unusable())
	}
	c.foreign = ""
}

// spare goes on without what the path leads to, if that is wanted.
func (c *compiler) spare() bool {
	if c.dead || !c.lenient {
		return c.bad()
	}
	c.note()
	return true
}

// without leaves a keyword out. What it would have said is not known then, nor is what
// depends on it.
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
