// Package examples holds programs to read, run and copy. Each is a command or a package of
// its own:
//
//   - quickstart: both ends of a session in memory, and what each hears.
//   - stdioserver: a server with a tool for each thing that a server can do. Run it under
//     any MCP client, or look at it with the client.
//   - httpserver: the same over Streamable HTTP; package app has what both serve.
//   - httptiny: a whole server over HTTP, with one tool, in 26 lines.
//   - client: starts any MCP server, or goes to one at a url, shows what it offers and calls
//     a tool; with -i it does what is typed.
//   - fleet: connects to several servers at once, and shows how each does and which tools it
//     has; with -watch it opens again what is lost.
//   - catalogue: the tools of several servers, and one of its own, under one set of names: a
//     batch of calls with retries, and the calls of a model.
//   - relay: a server that offers the tools of other servers, whose trouble it keeps from
//     the rest.
//   - gateway: a server in front of those of a configuration file, over standard input and
//     output or HTTP, for any number of clients.
//   - tools: tools that reach out of the process, as far as a list allows: files and search
//     in one folder, pages of some hosts, some commands.
//   - desk: a host of agents whose tools are in its process: groups for each agent and for all,
//     which are added, switched and taken away while the agents run.
//   - order: a tool with nested arguments, whose schema is built and whose arguments are read at
//     run time.
//   - protected: a server that takes access tokens, and wants another scope for what changes
//     something.
//   - loop: a server whose driver is written on the State alone, in 60 lines of code.
//   - websocket: both ends over WebSocket, in a module of its own.
//   - cluster: the server of httpserver as one of many processes, in a module of its own.
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
// For a server of your own copy main.go of stdioserver or httpserver, put your tools into its
// Handlers, and keep package server/stdio or server/nethttp as it is. For a transport of your
// own read driver.go of loop: it is all that a State needs; docs/transports.md has the rules,
// and conformance/transcript the sessions to run over it.
//
// The tests in this folder run the programs as processes, with servers that are mute, deaf,
// dead, stubborn or too talkative.
package examples
