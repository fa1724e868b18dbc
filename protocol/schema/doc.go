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
// names are compared byte for byte, and one that is there twice is a fault. At and Pointer
// lead to what lies deeper. CheckArguments does both, with the rule for absent arguments and
// with errors that a model can act upon.
//
// # Contract
//
// These keywords are checked: type, enum, const; properties, patternProperties, required,
// additionalProperties, unevaluatedProperties, minProperties, maxProperties, propertyNames,
// dependentRequired, dependentSchemas; items, prefixItems, unevaluatedItems, minItems,
// maxItems, uniqueItems, contains, minContains, maxContains; pattern, minLength, maxLength;
// minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf; allOf, anyOf, oneOf, not,
// if, then, else; $ref to a place or an anchor in the schema, or in one within it that has an
// $id; $dynamicRef and $recursiveRef. A schema may be true or false wherever a schema may be.
//
// All other keywords are ignored. An ignored keyword never makes a value fail. Where a value
// would have to be rejected because a schema with an ignored assertion holds, as under not or
// in the second branch of oneOf, it is accepted. Ignored returns where a schema has such
// keywords.
//
// A pattern is read as ECMA-262 has it with the flag u, and matched by package regexp where
// that means the same. One with a lookaround or a reference to a group, one that readers of
// patterns differ about, as (?i) and [[:alpha:]], one of more than 4096 bytes, and one that is
// too large, with more than 2048 parts, is ignored, and so are those beyond the parts that all
// patterns of a schema may have together: 8192, one more for each 8 bytes of the schema, and
// never more than 65536. A part is a character or class as often as it is repeated. A pattern
// that no dialect of regular expressions allows makes the schema unusable.
//
// The keyword format is an annotation, as 2020-12 has it, unless Basic or Lenient names the
// format: see Formats.
//
// The dialects, as $schema names them in the schema, are those that Dialects returns:
//
//   - https://json-schema.org/draft/2020-12/schema
//   - https://json-schema.org/draft/2019-09/schema
//   - http://json-schema.org/draft-07/schema#
//   - http://json-schema.org/draft-06/schema#
//   - http://json-schema.org/draft-04/schema#
//
// A schema without $schema is of the first one. It may have forms that this dialect does
// not allow and that older drafts read in one way: exclusiveMinimum and exclusiveMaximum
// may be booleans beside minimum and maximum, items an array, with additionalItems, and
// required a boolean in the schema of a member. With $schema it may not. What the dialects define differently is read as the named one
// defines it: in draft-07 nothing counts beside $ref (but the type of the whole schema,
// which the protocol asks for), dependencies is checked, and dependentRequired,
// dependentSchemas, minContains, maxContains, $anchor, $dynamicRef and the unevaluated
// keywords say nothing, nor do if in draft-06 and before, and const, contains and
// propertyNames in draft-04, where the keyword for identifiers is id; an identifier that is a
// fragment is an anchor. prefixItems in a
// dialect before 2020-12 is not usable: the dialect ignores it and applies items to all
// elements, which its author hardly means. A schema in any other dialect is not read:
// Basic and Compile return a Fault with its name, and CompileLenient returns the Fault and
// a Schema that accepts every object. Within a schema $schema may only repeat the dialect
// of the whole. A $ref to an $id that is not in the schema is not usable: nothing is read
// from elsewhere.
//
// Numbers are exact, whatever their size and spelling: 9007199254740993 is not
// 9007199254740992, 1.0 is an integer and equals 1, and 0.3 is a multiple of
// 0.1. Only exponents beyond 10^18 are not told apart. Strings are compared by
// value and measured in code points; one with an unpaired surrogate equals itself
// as it is spelled and nothing else. Of members that repeat, the last counts, in
// the schema and in the value; those whose names hold U+FFFD, which may stand for
// something else, count each.
//
// Every error is a Fault. It says where in the value, which keyword and where in the
// schema that stands, for the first fault that is found, and holds nothing of the value
// but positions: a name that is not in the schema is written as *. The same schema and
// value give the same Fault.
//
// Work is bounded. A step is one schema applied to one value, one member or
// element looked at, one required name, 16 bytes read, hashed or compared, 4 bytes of
// a member name, 8 bytes of a string with escapes for enum, const or uniqueItems, two
// comparisons of a sort, or one digit divided; an entry in a table, as an element
// under uniqueItems, takes 5, reading a schema within the schema 64, and a part of a pattern
// 4; a pattern takes one for each 16 bytes of a text, times its parts. Names and
// constants of the schema are read once, not for every value. Validate takes at most
// 131072 steps and 16 for each byte of schema and value, and never more than 8388608,
// which is about a second at worst, or a few with patterns that are made for it, and
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
// Basic and Lenient keep nothing and are safe for use from several goroutines at once.
//
// # Not promised
//
// Complete JSON Schema, drafts before draft-04 (other types than the seven), other
// vocabularies and remote references (TOOL-207, TOOL-208). Which of several faults is reported. What a step is and
// how many are allowed may change, that they are bounded will not (TOOL-209). A keyword that is ignored today may be checked by
// a later minor release.
package schema
