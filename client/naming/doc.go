// Package naming says what the tools, prompts and resources of many servers are called. It does no
// I/O.
//
// # Loop
//
// A Form makes qualified names, which tell servers apart and lead back to their server. A Policy says
// where they are used; relay.Config and calls.Config have one. Valid says which names are fit to be shown at all.
//
//	id := form.ID("files", "read")          // mcp.files.read
//	server, tool, ok := form.Parse(id)
//
// # Contract
//
//   - Names are one to one, whatever servers and tools are called, and made of the characters and of
//     the length that the Form says.
//   - All values are plain, and all functions pure.
//
// # Not promised
//
// The hash within a name that was cut, and the wording of errors.
package naming
