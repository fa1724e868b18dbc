// Package dial opens the transports of links.Links and fleet.Fleet: child processes over package
// client/child and servers over package client/remote. It does I/O; no pure package imports it.
//
// # Loop
//
// A Dialer has the settings that all servers share, and an endpoint has its own:
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
//   - An opened Command runs in its own process group; the handshake shows whether it works. It
//     ends with its connection, with its child processes.
//   - A URL gets no request before the handshake. Tokens and header fields go only to its origin.
//     Credentials (Authorization, Cookie, Proxy-Authorization, and the user of a url) go over http
//     only to this machine, unless InsecureToken allows more.
//   - The connection to a URL ends, with its calls, when no server listens there
//     (remote.Options.RefusedEnds): a supervising Manager opens another.
//   - Endpoints are compared by Equal, so that an unchanged definition is recognized when it is
//     read again (fleet.Fleet.Set).
//
// # Not promised
//
// The texts of errors.
package dial
