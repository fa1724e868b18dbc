package schema

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

const (
	maxWant  = 256 // bytes of a schema's text in an error
	maxSteps = 64  // names of a path that are followed in a schema, and references at each of them

	maxSought = 32 << 20 // bytes that are read to explain one fault
)

// seeker looks values up for an error, until it has read maxSought bytes.
type seeker struct{ read int }

// get returns a member that is present and not null.
func (s *seeker) get(raw, name string) (val string, ok bool) {
	if s.read += len(raw); s.read > maxSought {
		return "", false
	}
	return get(raw, name)
}

// CheckArguments checks the arguments of a call against the inputSchema of its tool and
// returns a reader of them. check is the Validator; nil means Basic.
//
// Absent or null arguments count as {} if the schema has type object and
// requires nothing. Otherwise the error is ArgumentErrors with one ArgumentNull for all
// arguments and the required names. Arguments that do not satisfy the schema are
// ArgumentErrors too, as Explain makes them. Any other error says that the schema is not usable.
func CheckArguments(check Validator, input, raw jsonrpc.Raw) (*Arguments, error) {
	text := jsonrpc.Raw(strings.Trim(string(raw), space))
	if text == "" || text == "null" {
		if err := absent(string(input)); err != nil {
			return nil, err
		}
		text = "{}"
	}
	if check == nil {
		check = Basic{}
	}
	if err := check.Validate(input, text); err != nil {
		if all := explain(input, text, compiledBy(check, input).faults(text, err)); all != nil {
			return nil, all
		}
		return nil, err
	}
	a := ReadArguments(text)
	if len(a.found.list) > 0 { // faults of the text itself
		return a, a.found.list
	}
	return a, nil
}

// compiledBy returns the schema for Basic and Lenient, and the zero Schema for another Validator,
// which reports a single fault.
func compiledBy(check Validator, input jsonrpc.Raw) (s Schema) {
	switch v := check.(type) {
	case Basic:
		if own, err := v.Compile(input); err == nil {
			s = own
		}
	case Lenient:
		s, _, _ = v.Read(input)
	}
	return s
}

// absent returns the error for absent arguments, or nil if the schema has type object
// and requires nothing.
func absent(input string) error {
	var required []string
	if rawjson.Text(input, "type") == "object" {
		list, _ := get(input, "required")
		if required = texts(list); len(required) == 0 {
			return nil
		}
	}
	return ArgumentErrors{{Kind: ArgumentNull, Want: "an object", Names: Hints(required)}}
}

// get is rawjson.Get for a member that is not null.
func get(raw, name string) (val string, ok bool) {
	val, ok = rawjson.Get(raw, name)
	return val, ok && val != "null"
}

// texts returns the strings of an array.
func texts(raw string) (list []string) {
	a, _ := rawjson.Elements(raw)
	for val := range a.All {
		if s, ok := rawjson.Unquote(val); ok {
			list = append(list, s)
		}
	}
	return list
}

// Explain turns a Validator's error for the arguments of a tool into ArgumentErrors,
// which say what the schema asks for and what the value is. For a Fault about a required name they
// list all that are missing in that object, and for an unexpected name all that the schema
// does not name. An error that is not a Fault becomes one of kind ArgumentSchema, without its
// text. Explain returns nil for nil and for a Fault of the schema itself.
//
// Explain looks up what the schema asks for along properties, items and references; behind
// other keywords Want stays empty. The texts are the schema's own, cut after 256 bytes.
func Explain(input, value jsonrpc.Raw, err error) ArgumentErrors {
	if err == nil {
		return nil
	}
	var f Fault
	if !errors.As(err, &f) {
		return ArgumentErrors{{Kind: ArgumentSchema}}
	}
	switch f.Keyword {
	case KeywordSchema:
		return nil
	case KeywordSyntax:
		return ArgumentErrors{{Kind: ArgumentSyntax}}
	case KeywordLimit:
		return ArgumentErrors{{Kind: ArgumentSchema, Want: "something smaller"}}
	}
	text, fault := trim(string(value))
	if fault != rawjson.OK {
		text = "{}"
	}
	path, _ := splitPointer(f.Path)
	var s seeker
	if f.Keyword == "required" && len(path) > 0 {
		return s.missing(string(input), text, path)
	}
	rule, at := s.ruleAt(string(input), path), s.valueAt(text, path)
	e := &ArgumentError{Path: f.Path, Got: rawjson.Type(at)}
	e.Kind, e.Want = meaning(f.Keyword, rule)
	if e.Kind == ArgumentType && at == "null" && e.Path != "" {
		e.Kind, e.Got = ArgumentNull, ""
	}
	if e.Kind == ArgumentUnexpected {
		e.Got = ""
		if f.Keyword == "additionalProperties" {
			return unexpected(rule, at, f.Path)
		}
	}
	return ArgumentErrors{e}
}

// meaning returns the kind of a fault and what its keyword asks for.
func meaning(keyword, rule string) (ArgumentKind, string) {
	val, ok := rawjson.Get(rule, keyword)
	switch keyword {
	case "type":
		return ArgumentType, typesWanted(val)
	case "enum":
		return ArgumentEnum, listed("one of ", val)
	case "const":
		return ArgumentEnum, strings.Clone(rawjson.Clip(val, maxWant))
	case "pattern", "format":
		if s, _ := rawjson.Unquote(val); s != "" {
			return ArgumentPattern, keyword + " " + strconv.Quote(rawjson.Clip(s, maxWant))
		}
		return ArgumentPattern, keyword
	case "additionalProperties", "unevaluatedProperties", "propertyNames", KeywordFalse:
		return ArgumentUnexpected, ""
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		if ok {
			keyword += " " + strings.Clone(rawjson.Clip(val, maxWant))
		}
		return ArgumentRange, keyword
	}
	return ArgumentSchema, keyword
}

// typesWanted writes the value of type as "a string or null".
func typesWanted(val string) string {
	var list []string
	if s, ok := rawjson.Unquote(val); ok {
		list = []string{s}
	} else {
		list = texts(val)
	}
	for i, s := range list {
		if kindNamed(s) == 0 {
			return ""
		}
		list[i] = article(s)
	}
	return strings.Join(list, " or ")
}

// listed writes the values of an array.
func listed(before, val string) string {
	a, ok := rawjson.Elements(val)
	if !ok {
		return ""
	}
	var list []string
	for one := range a.All {
		if list = append(list, rawjson.Clip(one, maxName)); len(list) == maxHints {
			break
		}
	}
	return rawjson.Clip(before+strings.Join(list, ", "), maxWant)
}

// missing returns the names that the object around the path requires and lacks.
func (s *seeker) missing(input, value string, path []string) (all ArgumentErrors) {
	last := len(path) - 1
	rule, object := s.ruleAt(input, path[:last]), s.valueAt(value, path[:last])
	list, _ := get(rule, "required")
	names := append([]string{path[last]}, texts(list)...)
	open := make(map[string]bool, len(names)) // required, absent and not yet added
	for _, name := range names {
		open[name] = true
	}
	var here []string
	for name := range memberNames(object) { // the value may be large: keep no more of it
		delete(open, name)
		if len(here) < maxLooked {
			here = append(here, name)
		}
	}
	before, hint := pointerOf(path[:last]), Hints(here)
	for i, name := range names {
		if !open[name] || len(all) == maxArgumentErrors || i > 0 && object == "" {
			continue
		}
		delete(open, name)
		_, want := meaning("type", s.ruleAt(input, append(path[:last:last], name)))
		all = append(all, &ArgumentError{Path: within(before, name), Kind: ArgumentMissing, Want: want, Names: hint})
	}
	if all == nil { // the Validator means another value
		all = ArgumentErrors{{Path: within(before, path[last]), Kind: ArgumentMissing}}
	}
	return all
}

// unexpected returns the members of an object that its schema does not name.
func unexpected(rule, object, pointer string) (all ArgumentErrors) {
	properties, _ := get(rule, "properties")
	names := slices.Collect(memberNames(properties))
	hint := Hints(names)
	_, patterns := get(rule, "patternProperties")
	if rule != "" && !patterns {
		known := map[string]bool{}
		for _, name := range names {
			known[name] = true
		}
		for name := range memberNames(object) {
			if known[name] {
				continue
			}
			if len(all) == maxArgumentErrors {
				break
			}
			known[name] = true
			all = append(all, &ArgumentError{Path: within(pointer, name), Kind: ArgumentUnexpected, Names: hint})
		}
	}
	if all == nil {
		all = ArgumentErrors{{Path: pointer, Kind: ArgumentUnexpected, Names: hint}}
	}
	return all
}

func memberNames(object string) iter.Seq[string] {
	return func(yield func(string) bool) {
		o, _ := rawjson.Members(object)
		for name := range o.All {
			if !yield(name) {
				return
			}
		}
	}
}

func pointerOf(path []string) string {
	var w work
	for _, name := range path {
		w.name(name)
	}
	return w.pointer()
}

// within returns the pointer to a member, with its name cut.
func within(pointer, name string) string { return pointer + "/" + escaped(rawjson.Clip(name, maxName)) }

// valueAt returns the value at a path, "" if there is none.
func (s *seeker) valueAt(val string, path []string) string {
	for _, name := range path {
		if val == "" {
			return ""
		}
		if s.read += len(val); s.read > maxSought {
			return ""
		}
		if val[0] != '[' {
			val, _ = rawjson.Get(val, name)
			continue
		}
		p := Place{val: val}
		p.element(name)
		val = p.val
	}
	return val
}

// ruleAt returns the schema of the value at a path, "" if it is not obvious.
func (s *seeker) ruleAt(root string, path []string) string {
	rule := s.deref(root, root)
	if len(path) > maxSteps {
		return ""
	}
	for _, name := range path {
		next := ""
		if properties, ok := s.get(rule, "properties"); ok {
			next, _ = s.get(properties, name)
		}
		if _, err := strconv.Atoi(name); err == nil && next == "" {
			next = s.elementRule(rule, name)
		}
		if next == "" {
			next, _ = s.get(rule, "additionalProperties")
		}
		rule = s.deref(root, next)
	}
	return rule
}

// elementRule returns the schema of an element of an array.
func (s *seeker) elementRule(rule, name string) string {
	for _, keyword := range [...]string{"prefixItems", "items"} {
		val, ok := s.get(rule, keyword)
		if ok && val[0] == '[' {
			if val = s.valueAt(val, []string{name}); val != "" {
				return val
			}
		} else if ok {
			return val
		}
	}
	return ""
}

// deref follows the references of a schema within its root.
func (s *seeker) deref(root, rule string) string {
	for range maxSteps {
		ref, _ := s.get(rule, "$ref")
		pointer, ok := rawjson.Unquote(ref)
		if !ok || pointer == "" || pointer[0] != '#' {
			return rule
		}
		path, ok := splitPointer(pointer[1:])
		if !ok {
			return ""
		}
		rule = s.valueAt(root, path)
	}
	return ""
}
