// Package dial opens the transports of links.Links and fleet.Fleet: child processes over
// package client/child and servers over package client/remote. It does I/O, so nothing pure
// imports it.
//
// # Loop
//
// A Dialer has the settings that all servers share, and an endpoint what is its own:
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
//   - A Command that is opened runs, in a process group of its own; whether it speaks is found
//     out by the handshake. It ends with its connection, and what it started with it.
//   - A URL is not talked to before the handshake. Tokens and header fields go to its origin
//     alone. Those that name a user (Authorization, Cookie, Proxy-Authorization, and what stands
//     before the @ of a url) go over http to this machine alone, unless InsecureToken allows
//     more.
//   - The connection to a URL ends when nothing listens there any longer, and calls of it with it
//     (remote.Options.RefusedEnds): a Manager that supervises it opens another.
//   - Endpoints are compared by Equal, so that a definition that was read again is known to be
//     the same (fleet.Fleet.Set).
//
// # Not promised
//
// The texts of errors.
package dial
