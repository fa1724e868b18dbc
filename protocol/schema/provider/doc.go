// Package provider writes the tools of MCP servers in the form that providers of models accept, and
// reads the calls that models make: OpenAI (chat completions and responses), Azure OpenAI,
// Anthropic and Gemini, each with its own shape and its own dialect of JSON Schema.
//
// # Loop
//
// A host exports each list of tools once, and converts whole responses and results:
//
//	x, err := provider.Export(provider.Anthropic, tools, provider.Options{Strict: true})
//	request.Tools = x.Tools // JSON
//	…
//	turn, err := x.Calls(response) // what the model says and wants
//	for i, call := range turn.Calls {
//		if call.Err == nil {
//			results[i], err = client.CallTool(call.Params)
//		}
//	}
//	messages, _ := x.Messages(turn.Calls, results)
//	request.Messages = append(append(request.Messages, turn.History...), messages...) // JSON
//
// Call, Message and AppendCall do the same for one call. The fault of a call, Call.Err, is a
// *toolerror.Error. Without a result Messages sends its ToolResult, which tells the model
// what was wrong with its call.
//
// # Contract
//
// The same tools give the same bytes. Names of tools may be any text and are mapped one to
// one to names that the provider allows; Names maps both ways. For Anthropic and Gemini the names of
// the root's properties are mapped too, and Call maps them back.
//
// Without Strict a schema goes to OpenAI, Azure and Anthropic as JSON Schema 2020-12, whatever
// its draft, except for what they refuse: alternatives at its root become one object with all
// their properties, arrays without items get some, and members of a wrong shape are dropped. Only
// definitions in use are written, under $defs.
//
// With Strict a schema is written in the part of JSON Schema that the provider enforces on the
// model. For OpenAI and Azure every property is then required, so optional ones
// may be null, and Call removes these nulls. No object has properties
// that its schema does not name: an object whose schema does not mention others is closed
// without a Loss. A tool whose schema cannot be written like this is exported as without Strict, and a
// Loss with NotStrict says why: it accepts anything somewhere, has a map or a tuple, alternatives at
// its root, requires what it does not name, refers to itself (Anthropic), or exceeds a limit. The
// limits of a request apply to the tools in order.
//
// Gemini always has its own dialect, without references: they are written out. The schema follows the
// stricter rule where its API and Vertex AI differ. With
// JSONSchema it is a part of JSON Schema, for models that accept it.
//
// Lost lists what a provider cannot express, with place, keyword and action. Mostly
// the exported schema is wider without it. So a server must still check arguments,
// and does.
//
// All functions accept hostile schemas: a schema may be nested 512 deep. Of each
// tool at most 10,000 schemas are written, for Gemini 1 MiB, with at most 100 nested schemas;
// at most 128 MiB are read to follow references. What exceeds this is a Loss, mostly of
// the keyword "limit". Losses and errors contain names and keywords of schemas, cut after 64 bytes, and
// no values. At most 1 MiB of a call is kept in addition to its arguments.
//
// # Not promised
//
// The rules follow what the providers document and refuse, and change with them. The hash in
// a changed name may change, and a changed name may change again when a tool with a conflicting name
// joins the list.
package provider
