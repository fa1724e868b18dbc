// Package naming makes the names of tools, prompts and resources of many servers. It does no I/O.
//
// # Loop
//
// A Form makes qualified names, which identify their server. A Policy says where they are used;
// relay.Config and catalog.Config have one. Valid reports which names can be shown safely.
//
//	id := form.ID("files", "read")          // mcp.files.read
//	server, tool, ok := form.Parse(id)
//
// # Contract
//
//   - Names are one to one for all names of servers and tools. The Form says which characters they have,
//     and how many.
//   - All values are plain, and all functions pure.
//
// # Not promised
//
// The hash within a name that was cut, and the wording of errors.
package naming
