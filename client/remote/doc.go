// Package remote is the client's end of Streamable HTTP over net/http, and of HTTP+SSE for
// servers of 2024-11-05. It does I/O, so nothing pure imports it; what may be posted when,
// what an answer means and when a stream goes on is package client/exchange.
//
// # Loop
//
// A Transport is one for package client/session, which does the rest:
//
//	t, err := remote.New("https://example.com/mcp", remote.Options{})
//	…
//	c, err := session.Connect(ctx, cfg, t, session.Options{})
//	…
//	defer c.Close(ctx)
//
// # Contract
//
//   - Each message is a POST of its own, at once with all others but for three rules:
//     initialize is alone, what follows notifications/initialized waits until the server has
//     taken that, and a cancellation waits for its request.
//   - An answer may be JSON or a stream. A stream that breaks off goes on where it was, by a GET
//     with Last-Event-ID, after the time that the server asks for (HTTP-106, HTTP-107). With
//     Options.RefusedEnds it does not if no server listens: then the session has
//     ended. The stream on which the server speaks by itself is opened after
//     notifications/initialized; a server need not have one, and says so by 405, or by 404
//     where it has no route for GET. If it breaks off it is opened again, for as long as the
//     session lives, with up to Exchange.MaxWait between two attempts; and once at once when
//     the server takes a message meanwhile, which shows that it is back.
//   - A server that no longer knows the session ends it (links.ErrSessionGone); package
//     session opens the next one. The last one ends by DELETE.
//   - A request that could not be sent, or whose answer will not come, fails alone, with an
//     *Error, of which lifecycle.DeliveryOf says how far it came (docs/transports.md has the
//     table). Requests are not made twice, unless a server of HTTP/2 says that it did nothing.
//     Notifications and answers are, for it does no harm. If notifications/initialized is not
//     taken, the session is given up for another one.
//   - Messages, tokens and session ids go to the origin of the url alone: to nobody who is named
//     by a redirect, or by an endpoint of HTTP+SSE. The token is in the Authorization header
//     of every request and nowhere else (AUTH-025, AUTH-026, AUTH-027). Options.Auth, or
//     Options.Token in short, gives it, and is asked for another when the server wants one; then
//     the request is made again. Each request waits for that no longer than its own context.
//   - A request with a token of DPoP has a proof of its own, with the last nonce of the server; for
//     another nonce it is made again once.
//   - Without a session, arguments that a tool wants in headers go there once the tool was listed. A tool whose
//     x-mcp-header is invalid is left out of the list, and Options.Log told (TOOL-213).
//   - What a server sends is bounded: heads, bodies, events, messages that wait. What it does
//     not send is waited for as long as Options say, and requests as long as the State does.
//   - After Close no goroutine of the Transport runs.
//
// # Not promised
//
// How many connections are open, the texts of errors, and what Options.Log says.
package remote
