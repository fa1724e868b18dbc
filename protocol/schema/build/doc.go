// Package build makes JSON Schemas (2020-12) as values: what a tool takes and gives, said in
// Go, checked for contradictions and written in the order in which it was said.
//
// # Loop
//
// A program describes the arguments of a tool once:
//
//	input, err := build.Object(
//		build.Prop("city", build.String().MinLength(1).Description("Where.")),
//		build.Optional("days", build.Integer().Min("1").Max("14").Default("3")),
//	).JSON()
//	if err != nil {
//		return err // a mistake of the program
//	}
//	h.Tool(protocol.Tool{Name: "forecast", InputSchema: input}, forecast)
//
// Package server/typed does this from Go types.
//
// # Contract
//
//   - A Schema does not change. Every method returns another one and leaves its own alone, so
//     that one may be the start of many. The zero Schema accepts every value.
//   - Check reports what no value can satisfy or what was not meant: a minimum above the
//     maximum, an enum without members or with one that the type refuses, a multipleOf that is
//     not above zero, a property that is there twice, a required name without a property, a
//     default or an example that the schema itself refuses, a pattern that is none, a keyword
//     of another type, a reference to nothing. JSON returns what Check finds.
//   - JSON is deterministic: properties, required names, members of an enum, alternatives and
//     definitions stand in the order in which they were given, keywords in one fixed order.
//   - An object has no other members than its properties, unless Open or Others allows them.
//   - Numbers are JSON text and exact: "0.1" is a tenth and "9007199254740993" is itself.
//     Lengths of strings count code points.
//   - What is built is checked by protocol/schema as it is written, but for what that package
//     ignores.
//   - Nothing here panics, whatever it is given.
//
// # Not promised
//
// All of JSON Schema: other keywords are for schemas that are written by hand. The order of
// keywords within a schema, and the wording of errors, may change. Check does not find every
// schema that no value satisfies.
package build
