// Package remote is the client's end of Streamable HTTP over net/http, and of HTTP+SSE for servers
// of 2024-11-05. It does I/O; no pure package imports it. The order of posts, the forms of answers
// and resumption are in package client/exchange.
//
// # Loop
//
// A Transport is for package client/session, which runs the session:
//
//	t, err := remote.New("https://example.com/mcp", remote.Options{})
//	…
//	c, err := session.Connect(ctx, cfg, t, session.Options{})
//	…
//	defer c.Close(ctx)
//
// # Contract
//
//   - Each message is a separate POST, in parallel with others, with three exceptions: initialize
//     is alone, messages after notifications/initialized wait until the server has accepted that,
//     and a cancellation waits for its request.
//   - An answer may be JSON or a stream. A broken stream is resumed by a GET with Last-Event-ID,
//     after the delay that the server asks for (HTTP-106, HTTP-107). With Options.RefusedEnds the
//     session ends instead if no server listens. The stream for messages outside of calls is opened
//     after notifications/initialized; a server without one answers 405, or 404 if it has no route
//     for GET. If it breaks it is reopened while the session lives, with up to Exchange.MaxWait
//     between two attempts, and at once when the server accepts a message in between.
//   - If the server no longer knows the session, the session ends (links.ErrSessionGone); package
//     session opens the next one. The last one ends by DELETE.
//   - A request that could not be sent, or whose answer is lost, fails alone; lifecycle.DeliveryOf
//     tells how far it came (docs/transports.md has the table). Requests are not repeated, unless
//     an HTTP/2 server reports that it did nothing. Notifications and responses are, because that
//     is safe. If notifications/initialized is not accepted, the session ends and another one
//     begins.
//   - Messages, tokens and session ids go only to the origin of the url, never to another one named
//     by a redirect or an endpoint of HTTP+SSE. The token is in the Authorization header of every
//     request and nowhere else (AUTH-025, AUTH-026, AUTH-027). Options.Auth, or Options.Token in
//     short, returns it, and is called again when the server requires another one; then the request
//     is repeated. Each request waits at most until its own context ends.
//   - A request with a DPoP token has its own proof, with the last nonce of the server; if the
//     server requires another nonce it is repeated once.
//   - Without a session, arguments that a tool requires in headers are sent there once the tool was listed. A
//     tool with an invalid x-mcp-header is removed from the list, and logged to Options.Log (TOOL-213).
//   - Heads, bodies, events and waiting messages of a server are bounded. Options have the timeouts
//     of the transport; the State has those of requests.
//   - After Close no goroutine of the Transport runs.
//
// # Not promised
//
// How many connections are open, and the texts of errors and log messages.
package remote
