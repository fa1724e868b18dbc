// Package schema checks JSON values against JSON Schema: the arguments of a tool
// against its inputSchema, its structured content against its outputSchema. It
// knows the part of JSON Schema 2020-12 that tools use, reads both sides as text
// and keeps nothing between two calls.
//
// # Loop
//
// A server looks at a schema once, when it makes the tool, and at the arguments
// whenever the tool is called:
//
//	input, err := schema.Compile(tool.InputSchema)
//	if err != nil {
//		return err // a mistake of the program
//	}
//	…
//	if err := input.Validate(call.Arguments); err != nil {
//		return protocol.InvalidParams(err.Error())
//	}
//
// Package server does this for the tools of a catalog. A client does the same with
// outputSchema and the structured content of a result. Validator is the interface
// for both; Basic, Lenient and None implement it, and so may a wrapper of a complete
// implementation of JSON Schema.
//
// The schemas of others, as a relay has them, are read with CompileLenient, which
// checks what it can and says what it cannot.
//
// A tool reads its arguments with ReadArguments, as exactly as they were checked:
// names are compared byte for byte, and one that is there twice is a fault.
//
// # Contract
//
// These keywords are checked: type, enum, const; properties, required,
// additionalProperties, minProperties, maxProperties; items, prefixItems,
// minItems, maxItems, uniqueItems; minLength, maxLength; minimum, maximum,
// exclusiveMinimum, exclusiveMaximum, multipleOf; allOf, anyOf, oneOf, not, if,
// then, else; and $ref to # or to a JSON pointer within the schema, as
// #/$defs/name. A schema may be true or false wherever a schema may be. Forms of
// older drafts that mean one thing are read as these drafts say: exclusiveMinimum
// and exclusiveMaximum may be booleans beside minimum and maximum, and items an array,
// with additionalItems. Beside $ref other keywords count, whatever $schema says.
//
// All other keywords are ignored, among them pattern, patternProperties, format,
// contains, propertyNames, $id, $anchor and what begins with dependent or
// unevaluated. An ignored keyword never makes a value fail. Where a value would
// have to be rejected because a schema with an ignored assertion holds, as under
// not or in the second branch of oneOf, it is accepted, and beside
// patternProperties so is any member that properties does not name.
//
// Numbers are exact, whatever their size and spelling: 9007199254740993 is not
// 9007199254740992, 1.0 is an integer and equals 1, and 0.3 is a multiple of
// 0.1. Only exponents beyond 10^18 are not told apart. Strings are compared by
// value and measured in code points; one with an unpaired surrogate equals itself
// as it is spelled and nothing else. Of members that repeat, the last counts, in
// the schema and in the value; those whose names hold U+FFFD, which may stand for
// something else, count each.
//
// Every error is a Fault. It says where and which keyword, for the first fault
// that is found, and holds nothing of the value but positions: a name that is not
// in the schema is written as *. The same schema and value give the same Fault.
//
// Work is bounded. A step is one schema applied to one value, one member or
// element looked at, one required name, 16 bytes read, hashed or compared, 4 bytes of
// a member name, 8 bytes of a string with escapes for enum, const or uniqueItems, two
// comparisons of a sort, or one digit divided; an entry in a table, as an element
// under uniqueItems, takes 5, and reading a schema within the schema 64. Names and
// constants of the schema are read once, not for every value. Validate takes at most 131072 steps and 16 for each byte of schema
// and value, and never more than 8388608, which is about a second at worst and
// some milliseconds for what is small. At most 2048 schemas are open within each
// other, and 512 arrays and objects. What needs more, as a schema that refers to
// itself without end or branches without end, is a Fault with the keyword "limit",
// wherever in the schema it happens.
//
// A schema is read whole before the value is, but for definitions that nothing
// refers to. If a keyword from the list above has a value it cannot have, or a
// $ref leads nowhere or out of the schema, that is a Fault with the keyword
// "schema" for every value; Lenient and CompileLenient go on without it. multipleOf
// may have 19 significant digits.
//
// ReadArguments takes time linear in the text for each level of nesting that is read,
// and keeps at most 16 faults.
//
// Basic is empty and safe for use from several goroutines at once.
//
// # Not promised
//
// Complete JSON Schema, its older drafts (required as a boolean, other types than
// the seven, references to an id), other vocabularies and remote references. Which
// of several faults is reported. What a step is and how many are allowed may change,
// that they are bounded will not. A keyword that is ignored today may be checked by
// a later minor release.
package schema
