// Package build makes JSON Schemas (2020-12) as values: it describes the input and output of a tool
// in Go, checks them for contradictions, and writes them in the order of the description.
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
//   - A Schema does not change. Every method returns a new one, so
//     one may be the base of many. The zero Schema accepts every value.
//   - Check reports what no value can satisfy and what cannot be meant: a minimum above the
//     maximum, an enum without members or with one of another type, a multipleOf that is
//     not positive, a repeated property, a required name without a property, a
//     default or an example that the schema itself refuses, an invalid pattern, a keyword
//     of another type, a reference without a definition. JSON returns the error of Check.
//   - JSON is deterministic: properties, required names, members of an enum, alternatives and
//     definitions are in the order in which they were given, keywords in a fixed order.
//   - An object has only its properties as members, unless Open or Others allows more.
//   - Numbers are JSON text and exact: "0.1" is a tenth and "9007199254740993" is itself.
//     Lengths of strings count code points.
//   - protocol/schema checks everything that is built, except for the keywords that it
//     ignores.
//   - No input causes a panic.
//
// # Not promised
//
// All of JSON Schema: write schemas with other keywords by hand. The order of
// keywords within a schema, and the wording of errors, may change. Check does not find every
// schema that no value satisfies.
package build
