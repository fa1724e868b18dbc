// Package naming makes names for the tools, prompts and resources of many servers. It does no I/O.
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
//   - Qualified names are unique for each pair of server and tool. The Form defines their characters and
//     length.
//   - All types are plain values, and all functions are pure.
//
// # Not promised
//
// The hash within a name that was cut, and the wording of errors.
package naming
