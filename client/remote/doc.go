// Package remote is the client's end of Streamable HTTP over net/http, and of HTTP+SSE for
// servers of 2024-11-05. It does I/O, so no pure package imports it. Package
// client/exchange decides what may be posted when, what a response means and when a stream
// is resumed.
//
// # Loop
//
// Pass the Transport to package client/session, which does the rest:
//
//	t, err := remote.New("https://example.com/mcp", remote.Options{})
//	…
//	c, err := session.Connect(ctx, cfg, t, session.Options{})
//	…
//	defer c.Close(ctx)
//
// # Contract
//
//   - Each message is a separate POST, at the same time as others, with three exceptions:
//     initialize is alone, messages after notifications/initialized wait until the server
//     has accepted that, and a cancellation waits for its request.
//   - A response may be JSON or a stream. A stream that breaks off is resumed by a GET with
//     Last-Event-ID, after the time that the server asks for (HTTP-106, HTTP-107), except with
//     Options.RefusedEnds if no server listens: then the session has ended. The GET stream for
//     the server's other messages is opened after notifications/initialized; a server without
//     one answers 405, or 404 if it has no route for GET. If that stream breaks off it is opened
//     again, as long as the session lasts, with up to Exchange.MaxWait between two attempts; and
//     once immediately if the server accepts a message in between, which shows that it is
//     available again.
//   - A server that no longer knows the session ends it (links.ErrSessionGone); package
//     session opens the next one. Close ends the last one by DELETE.
//   - A request that could not be sent, or whose response will not arrive, fails alone, with
//     an error whose lifecycle.DeliveryOf says how far it got (docs/transports.md has the
//     table). Requests are not repeated, unless an HTTP/2 server reports that it did nothing.
//     Notifications and answers are, because that is harmless. If the server does not accept
//     notifications/initialized, the session is replaced by a new one.
//   - Messages, tokens and session ids go only to the origin of the url, whatever a redirect or
//     an endpoint of HTTP+SSE names. The token is in the Authorization header of every request
//     and nowhere else (AUTH-025, AUTH-026, AUTH-027). Options.Auth, or Options.Token for short,
//     returns it. If the server refuses the token, it is called for another, and the request is
//     repeated. Each request waits for that until its own context ends.
//   - A request with a DPoP token has its own proof, with the server's last nonce; if the server
//     requires another nonce, the request is repeated once.
//   - Without a session, arguments that a tool requires in headers are sent there once the tool has been
//     listed. A tool whose x-mcp-header is invalid is dropped from the list, and logged to Options.Log
//     (TOOL-213).
//   - What a server sends is bounded: headers, bodies, events, waiting messages. Silence is
//     bounded by the Options, and for requests by the timeouts of the State.
//   - After Close no goroutine of the Transport runs.
//
// # Not promised
//
// The number of open connections, the texts of errors, and the contents of Options.Log.
package remote
