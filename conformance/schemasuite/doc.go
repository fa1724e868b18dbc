// Package schemasuite holds package protocol/schema to JSON Schema: to the official test
// suite, to a complete implementation, and to the schemas of the tools of public servers.
// It is a module of its own, since the complete implementation is one that the library does
// not depend on.
//
// [Full] is that implementation as a schema.Validator, for servers and clients that want
// what package schema leaves out, as remote references:
//
//	items := server.Items{Tools: tools, Schemas: schemasuite.Full{}}
//
// It gives up what package schema promises beside: work and memory are not bounded.
package schemasuite
