// Package provider writes the tools of MCP servers as the providers of models take them, and
// reads the calls that models make: OpenAI (chat completions and responses), Azure OpenAI,
// Anthropic and Gemini, each in its own shape and its own dialect of JSON Schema.
//
// # Loop
//
// A host exports the tools once for each list that it has, and takes them back and forth:
//
//	x, err := provider.Export(provider.Anthropic, tools, provider.Options{Strict: true})
//	request.Tools = x.Tools // JSON
//	…
//	call, err := x.Call(block) // what the model wants
//	if err == nil {
//		result, err = client.CallTool(call.Params)
//	}
//	message, _ := x.Message(call, result) // JSON
//
// An error of Call is a *toolerror.Error, whose ToolResult can be the result: then the model
// sees what was wrong with its call.
//
// # Contract
//
// The same tools give the same bytes. Names of tools, which may be any text, are mapped one to
// one into what the provider allows; Names maps both ways.
//
// Without Strict a schema goes out as it is to OpenAI, Azure and Anthropic, but for keywords
// that they refuse at its root. With Strict it is written in the part of JSON Schema in which
// the provider holds a model to it. For OpenAI and Azure that means that every property is
// required, so those that need not be there may be null instead, and Call takes these nulls
// away again; and that no object has properties that its schema does not name. Gemini has a
// dialect of its own in any case, without references: they are written out.
//
// What a provider cannot express is in Lost, with its place and keyword, and the schema that
// goes out is the wider one without it. So a server still has to check arguments, and does.
// An object whose schema says nothing of other members is closed by Strict without a Loss.
//
// All functions are total, also for hostile schemas: a schema may be nested 512 deep, and of
// the one for Gemini at most 10,000 schemas and 1 MiB are written. The kinds of Loss and the
// errors hold names and keywords of schemas, cut after 64 bytes, and no values.
//
// # Not promised
//
// The dialects follow what the providers document, and change as they do. Which hash is in a
// name that had to be changed.
package provider
