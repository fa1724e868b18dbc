// Package schemasuite tests package protocol/schema against the official JSON Schema test
// suite, a complete implementation, and the schemas of the tools of public servers.
// It is a separate module, because the library does not depend on the complete
// implementation.
//
// [Full] is that implementation as a schema.Validator, for servers and clients that need
// what package schema lacks, such as remote references:
//
//	items := server.Items{Tools: tools, Schemas: schemasuite.Full{}}
//
// It lacks the other promises of package schema: work and memory are not bounded.
package schemasuite
