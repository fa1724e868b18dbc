// Package provider writes the tools of MCP servers as the providers of models take them, and
// reads the calls that models make: OpenAI (chat completions and responses), Azure OpenAI,
// Anthropic and Gemini, each in its own shape and its own dialect of JSON Schema.
//
// # Loop
//
// A host exports the tools once for each list that it has, and takes whole responses and results
// back and forth:
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
// *toolerror.Error, whose ToolResult Messages sends where there is no result: then the model sees
// what was wrong with its call.
//
// # Contract
//
// The same tools give the same bytes. Names of tools, which may be any text, are mapped one to
// one into what the provider allows; Names maps both ways. So are the names of the properties of
// the root for Anthropic and Gemini, which Call takes back.
//
// Without Strict a schema goes out to OpenAI, Azure and Anthropic as JSON Schema 2020-12, whatever
// draft it is of, but for what they refuse: alternatives at its root become one object with all
// their properties, arrays without items get some, members of a wrong shape go. Definitions are
// under $defs, those that are used.
//
// With Strict it is written in the part of JSON Schema in which the provider holds a model to
// it. For OpenAI and Azure that means that every property is required, so those that need not be
// there may be null instead, and Call takes these nulls away again. No object has properties
// that its schema does not name: an object whose schema says nothing of others is closed
// without a Loss. A tool whose schema cannot be said so goes out as without Strict, and a Loss
// with NotStrict says why: it accepts anything somewhere, has a map or a tuple, alternatives at
// its root, requires what it does not name, refers to itself (Anthropic), or exceeds a limit. The
// limits of a request go to the first tools that fit in.
//
// Gemini has a dialect of its own in any case, without references: they are written out. What it
// is given keeps to the stricter rule of its API and of Vertex AI, where these differ. With
// JSONSchema it is given a part of JSON Schema, for models that take it.
//
// What a provider cannot express is in Lost, with its place and keyword and what was done. Mostly
// the schema that goes out is the wider one without it. So a server still has to check arguments,
// and does.
//
// All functions are total, also for hostile schemas: a schema may be nested 512 deep. Of each
// tool at most 10,000 schemas are written, for Gemini 1 MiB, and schemas within each other at most
// 100; no more than 128 MiB are read to follow references. What lies beyond is a Loss, mostly of
// the keyword "limit". Losses and errors hold names and keywords of schemas, cut after 64 bytes, and
// no values. Of a call at most 1 MiB is kept beside its arguments.
//
// # Not promised
//
// The rules follow what the providers document and refuse, and change as they do. Which hash is in
// a name that had to be changed, and that a changed name stays when another tool comes to the
// list whose name would be the same.
package provider
