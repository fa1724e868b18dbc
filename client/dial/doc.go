// Package dial opens the transports of links.Links and fleet.Fleet: child processes by package
// client/child and remote servers by package client/remote. It does I/O, so no pure package imports
// it.
//
// # Loop
//
// A Dialer has the settings that all servers share, an endpoint those of one server:
//
//	f, err := fleet.New(cfg, fleet.Options{Dial: dial.Dialer{}.Dial})
//	…
//	err = f.Set(ctx, []fleet.Definition{
//		{Name: "files", Options: manager.Options{Endpoint: dial.Command{Args: []string{"server", "-flag"}}}},
//		{Name: "search", Options: manager.Options{Endpoint: dial.URL{URL: "https://example.com/mcp"}}},
//	})
//
// # Contract
//
//   - A Command starts a process in its own process group; the handshake shows whether the process
//     speaks MCP. It ends with its connection, and so do processes that it started.
//   - A URL gets no request before the handshake. Tokens and header fields are sent only to its
//     origin. Fields that identify a user (Authorization, Cookie, Proxy-Authorization, and the user
//     of a url) are sent over http only to this machine, unless InsecureToken allows more.
//   - The connection to a URL ends when no server listens there any longer, and its calls end too
//     (remote.Options.RefusedEnds). A Manager that supervises it opens another.
//   - Endpoints are compared by Equal, so that fleet.Fleet.Set recognizes an unchanged definition.
//
// # Not promised
//
// The texts of errors.
package dial
