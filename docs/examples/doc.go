// Package examples has programs to read, run and copy. Each is a command or a package of its own:
//
//   - quickstart: both ends of a session in memory, with every line and event.
//   - stdioserver: a server with a tool for each feature of servers. Run it with any MCP client,
//     or inspect it with the client.
//   - httpserver: the same over Streamable HTTP; package app has the part that both share.
//   - httptiny: a whole server over HTTP, with one tool, in 26 lines.
//   - client: starts any MCP server, or connects to one at a url, shows what it offers and calls
//     a tool; with -i it reads commands.
//   - fleet: connects to several servers at once, and shows the condition and the tools of each;
//     with -watch it opens lost connections again.
//   - catalogue: the tools of several servers, and one of its own, under one set of names: a
//     batch of calls with retries, and the calls of a model.
//   - relay: a server that offers the tools of other servers, and isolates their failures.
//   - gateway: a server in front of those of a configuration file, over standard input and
//     output or HTTP, for any number of clients.
//   - tools: tools that access files, web pages and commands, as far as a list allows: files and
//     search in one folder, pages of some hosts, some commands.
//   - desk: a host of agents whose tools are in its process: groups for each agent and for all,
//     which are added, switched and removed while the agents run.
//   - order: a tool with nested arguments, whose schema is built and whose arguments are read at
//     run time.
//   - protected: a server that requires access tokens, and another scope for changes.
//   - loop: a server whose driver uses only the State, in 60 lines of code.
//   - websocket: both ends over WebSocket, in a separate module.
//   - cluster: the server of httpserver as one of many processes, in a separate module.
//
// Start here:
//
//	go run ./docs/examples/quickstart
//	go run ./docs/examples/client                   # with stdioserver
//	go run ./docs/examples/client -- COMMAND ARGS…  # with a server of yours
//	go run ./docs/examples/client URL               # with one that runs
//	go run ./docs/examples/relay -- COMMAND ARGS… -- COMMAND ARGS…
//	go run ./docs/examples/gateway mcp.json         # as Claude Desktop and others have it
//
// For your own server copy main.go of stdioserver or httpserver, put your tools into its Handlers,
// and keep package server/stdio or server/nethttp as it is. For your own transport read driver.go
// of loop: it does all that a State needs; docs/transports.md has the rules, and
// conformance/transcript the sessions to run over it.
//
// The tests in this folder run the programs as processes, with servers that send nothing, read
// nothing, have ended, do not stop or send too much.
package examples
