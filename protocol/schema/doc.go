// Package schema checks JSON values against JSON Schema: the arguments of a tool
// against its inputSchema, its structured content against its outputSchema. It
// supports the part of JSON Schema 2020-12 that tools use, reads both sides as text
// and keeps no state between calls.
//
// # Loop
//
// A server compiles a schema once, when it makes the tool, and checks the arguments
// of each call:
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
// JSON Schema library.
//
// CompileLenient is for the schemas of other programs, in a relay for example: it checks
// what it can and reports what it cannot.
//
// A tool reads its arguments with ReadArguments, as exactly as they were checked:
// names are compared byte for byte, and a repeated one is a fault. At and Pointer
// lead to nested values. CheckArguments does both, with the rule for absent arguments and
// with errors that a model can act upon.
//
// # Contract
//
// These keywords are checked: type, enum, const; properties, patternProperties, required,
// additionalProperties, unevaluatedProperties, minProperties, maxProperties, propertyNames,
// dependentRequired, dependentSchemas; items, prefixItems, unevaluatedItems, minItems,
// maxItems, uniqueItems, contains, minContains, maxContains; pattern, minLength, maxLength;
// minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf; allOf, anyOf, oneOf, not,
// if, then, else; $ref to a place or an anchor in the schema, or in a subschema that has an
// $id; $dynamicRef and $recursiveRef. A schema may be true or false anywhere.
//
// All other keywords are ignored. An ignored keyword never makes a value fail. If a value
// would fail only because a schema with an ignored assertion holds, for example under not or
// in the second branch of oneOf, it is accepted. Ignored returns where a schema has such
// keywords.
//
// A pattern has the syntax of ECMA-262 with the flag u, and package regexp matches it if it
// means the same there. A pattern is ignored if it has a lookaround or a reference to a group, if
// implementations differ about it, such as (?i) and [[:alpha:]], or if it is too large: more than
// 4096 bytes or 2048 parts. All patterns of a schema together may have 8192 parts, plus one
// for each 8 bytes of the schema, and at most 65536; those beyond are ignored. A part is
// a character or class, counted as often as it is repeated. A pattern
// that no dialect of regular expressions allows makes the schema unusable.
//
// The keyword format is an annotation, as in 2020-12, unless Basic or Lenient names the
// format: see Formats.
//
// The dialects, named by $schema in the schema, are those that Dialects returns:
//
//   - https://json-schema.org/draft/2020-12/schema
//   - https://json-schema.org/draft/2019-09/schema
//   - http://json-schema.org/draft-07/schema#
//   - http://json-schema.org/draft-06/schema#
//   - http://json-schema.org/draft-04/schema#
//
// A schema without $schema is of the first dialect. It may also have forms that this dialect does
// not allow and that older drafts all read in one way: exclusiveMinimum and exclusiveMaximum
// as booleans next to minimum and maximum, items as an array, with additionalItems, and
// required as a boolean in the schema of a member. With $schema it may not.
//
// What the dialects define differently is read as the named one defines it. In draft-07, siblings
// of $ref are ignored, except for the type of the whole schema, which the protocol requires;
// dependencies is checked; dependentRequired, dependentSchemas, minContains, maxContains, $anchor,
// $dynamicRef and the unevaluated keywords are ignored, as is if in draft-06 and before, and const,
// contains and propertyNames in draft-04. There the keyword for identifiers is id. An identifier that
// is a fragment is an anchor. prefixItems in a dialect before 2020-12 is not usable: the dialect
// ignores it and applies items to all elements, which its author hardly means.
//
// A schema in any other dialect is not read: Basic and Compile return a Fault with its name, and
// CompileLenient returns the Fault and a Schema that accepts every object. Within a schema,
// $schema may only repeat the dialect of the whole. A $ref to an $id outside of the schema is not
// usable: nothing is loaded.
//
// Numbers are exact, whatever their size and spelling: 9007199254740993 is not
// 9007199254740992, 1.0 is an integer and equals 1, and 0.3 is a multiple of
// 0.1. Only exponents beyond 10^18 are not distinguished. Strings are compared by
// value and measured in code points; one with an unpaired surrogate equals only
// the same spelling. Of repeated members the last counts, in
// the schema and in the value; members whose names contain U+FFFD, which may stand for
// something else, all count.
//
// Every error is a Fault. It names the place in the value, the keyword and its place in the
// schema, for the first fault found. Of the value it contains only positions:
// a name that is not in the schema is written as *. The same schema and
// value give the same Fault.
//
// Work is bounded. A step is one schema applied to one value, one member or
// element looked at, one required name, 16 bytes read, hashed or compared, 4 bytes of
// a member name, 8 bytes of a string with escapes for enum, const or uniqueItems, two
// comparisons of a sort, or one digit divided. An entry in a table, such as an element
// under uniqueItems, takes 5, reading a subschema 64, and a part of a pattern
// 4; matching a pattern takes one for each 16 bytes of a text, times its parts. Names and
// constants of the schema are read once, not for every value. Validate takes at most
// 131072 steps plus 16 for each byte of schema and value, and never more than 8388608.
// That is about a second at worst, a few with patterns made for it, and
// some milliseconds for small inputs. At most 2048 schemas and 512 arrays and objects
// may be nested in progress. What needs more, such as a schema that refers to
// itself or branches without end, is a Fault with the keyword "limit",
// wherever in the schema it happens.
//
// The whole schema is read before the value, except for definitions that nothing
// refers to. If a keyword from the list above has an invalid value, or a
// $ref leads nowhere or out of the schema, every value has a Fault with the keyword
// "schema"; Lenient and CompileLenient continue without the keyword. multipleOf
// may have 19 significant digits.
//
// ReadArguments takes time linear in the text for each level of nesting that is read,
// and keeps at most 16 faults.
//
// Basic and Lenient keep no state and are safe for use from several goroutines at once.
//
// # Not promised
//
// Complete JSON Schema, drafts before draft-04 (other types than the seven), other
// vocabularies and remote references (TOOL-207, TOOL-208). Which of several faults is reported. What a
// step is and how many are allowed may change, but they stay bounded (TOOL-209). A later minor
// release may check a keyword that is ignored today.
package schema
