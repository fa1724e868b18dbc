// Package typed makes tools, prompts and resource templates of functions from Go values to Go
// values: the schemas come from the types.
//
// # Loop
//
// A server registers its functions, as with server.Handlers alone:
//
//	type Place struct {
//		City string `json:"city" doc:"Where, for example Paris." schema:"minLength=1"`
//		Days int    `json:"days" doc:"How far ahead." schema:"min=1,max=14,default=3"`
//	}
//
//	typed.Tool(h, protocol.Tool{Name: "forecast"},
//		func(ctx context.Context, c server.Caller, in Place) (Forecast, error) { … })
//
// The rest is as with server.Handlers: h.Catalog, h.Receive, h.Job. Mistakes in the types make
// Catalog fail; MakeTool, MakePrompt and MakeTemplate return the error, together with what they
// register.
//
// # Types
//
// A field of a struct is a member of an object. Its name is that of the json tag, or its own, byte
// for byte. It is required unless it has omitempty or omitzero, a default, the word optional, or is
// a pointer. A pointer may also be null. A field with the json tag "-" is not a member, and neither
// is one that is not exported. Fields of an embedded struct are members of the outer one; of two
// with the same name the less deep one counts.
//
//	bool                        boolean
//	int, int8 … uint64          integer, with the bounds of the type if these are below 2^53
//	float32, float64            number
//	string                      string
//	[]byte                      string of base64
//	time.Time                   string, format date-time
//	big.Int, big.Float          integer, number, of at most 4096 digits
//	Number, json.Number         number, kept as it is written
//	jsonrpc.Raw                 anything, kept as it is written
//	json.RawMessage             the same
//	text marshalers             string
//	slices, arrays              array
//	maps with string keys       object
//	structs                     object without other members; by $defs where it contains itself
//	pointers                    what they point to, or null
//	interfaces without methods  anything, if the schema tag says any: read as a jsonrpc.Raw, written
//	                            from that or a json.RawMessage
//
// All other types, such as chan, func, complex numbers, time.Duration and types that write their
// own JSON, are errors.
//
// The description of a field is its doc tag, or its jsonschema tag if it has no doc tag. Keywords in
// a jsonschema tag, as other libraries read them, are an error. The schema tag is a list of words
// separated by commas, with the meaning of the methods of protocol/schema/build:
//
//	min=0 max=10 above=0 below=10 multipleOf=0.01      numbers
//	minLength=1 maxLength=80 pattern=^a format=uri     strings
//	minItems=1 maxItems=9 unique                       arrays
//	minProps=1 maxProps=9                              maps
//	enum=a|b default=a examples=a|b title=Name         everything
//	items.min=0                                        elements of an array, values of a map
//	optional required nullable any                     the field
//
// A field _ struct{} with the schema tag open allows other members, which are not read.
//
// A value with a comma or a bar must be in single quotes; a quote in it is written twice. A word
// that is unknown, duplicate, or not possible for the type, such as max=300 for an int8, is an
// error.
//
// # Contract
//
//   - Types are inspected when a function is registered, and never again. A call reads and
//     writes by the plan that was made then.
//   - Names are compared byte for byte. An unknown member, a duplicate one, and null for a
//     non-nullable field are faults; nullable fields that are not pointers become zero.
//   - Integers are exact: one that does not fit the type is a fault. 1.0 and 1e3 are integers.
//   - Faults of arguments are schema.ArgumentErrors, the first 16, each with its path. They include
//     names, but no values.
//   - What the schema of a type accepts is read, but for what JSON Schema does not say: integers
//     beyond 64 bits and numbers beyond the largest float64, longer big numbers than those
//     above, strings that are no time, base64 or text of their type, or have an unpaired
//     surrogate, members that are there twice, and more values than a message of its size
//     makes. What the schema refuses by structure is not read; bounds, patterns and enums are
//     those of the Catalog, which checks before a tool is called. Prompts and templates check
//     both themselves.
//   - What is read and written again is the same value. A nil slice is written as [], a nil map as
//     {}, a nil pointer as null.
//   - Reading takes one pass and memory in proportion to the text, writing one pass; both go 512
//     levels deep at most. Texts in what is read share the memory of the message.
//   - Functions of this package may be called from several goroutines at once.
//
// # Not promised
//
// The texts of errors, the names of definitions, the spelling of schemas. More types and tags may
// be added.
package typed
