// Package nethttp serves MCP over Streamable HTTP: its Handler is an http.Handler for one path. It
// does I/O, so nothing pure imports it.
//
// # Loop
//
// A server is a Handler and an http.Server:
//
//	h, err := nethttp.NewHandler(cfg, handlers, nethttp.Options{})
//	…
//	err = http.ListenAndServe("127.0.0.1:8080", h)
//
// To end, shut the Handler down first, because an http.Server waits for its streams:
//
//	err = errors.Join(h.Shutdown(ctx), srv.Shutdown(ctx))
//
// A session is a Record in a Store: a server.State and a streams.Streams, both values. Whatever
// happens is a turn: the record is read, a pure transition makes the next one, and that is stored in
// its place if no other turn was stored meanwhile; then come the effects. A connection reads its
// stream out of the newest record, from a cursor on. So an idle session is a record without goroutine
// or timer, no message is handed to a connection that may be dead, and any process with the Store
// serves any session. Where no other process can look, the function of a call may run before the turn that
// takes its request in: if it returns at once, one turn does for both (docs/adr/0020-a-turn-put-off.md).
//
// # Contract
//
// What a client gets:
//
//   - POST of a request: 200 with the answer as JSON if it comes alone within
//     Options.StreamAfter, else as a stream of its own. Of notifications and answers: 202.
//   - GET: a stream for what belongs to no call; with Last-Event-ID, the rest of any stream. One
//     more than streams.Options.MaxListeners takes the place of the oldest. 405 if there are none
//     at all, 400 for an event that never was, 410 for one after which nothing is kept.
//   - DELETE: 204, and the end of the session.
//   - 400 for a message that is not taken, a header that is wrong, no session id; 401 and 403 for
//     who is not authorized; 403 for a Host, Origin or Sec-Fetch-Site that is not allowed; 404 for
//     a session that has ended, or belongs to another principal; 405, 406, 415 as ever; 408 for a
//     body that takes too long, 413 for one that is too long; 503 with Retry-After where a limit
//     of Options is reached, the Store fails or the Handler ends. The body of all these is a
//     JSON-RPC error without id. That of a 503 has data, by which a client knows whether it may post the
//     request again: retryAfterMs if nothing was done, {"outcome":"unknown"} if that is not known.
//   - A request without session is 400 with an error under its own id: -32601 for
//     server/discover of a client that tries a later revision first, which tells it to
//     initialize.
//   - An initialize that names a session is a message of that session, and refused by it: a new
//     session begins without a name (HTTP-047). One that is refused begins no session, and
//     the error comes with 200, because 4xx would mean a server of another transport.
//
// With a revision without sessions in Config.Revisions, a POST that names it, in Mcp-Protocol-Version or
// in its _meta, is answered by itself: 400 where its headers do not say what its body says, its envelope is
// not good, or its client lacks what the answer needs; 404 for an unknown method; 406 for a
// subscription that takes JSON alone; else as a POST of a session. Errors have the id of the request.
// A lost connection cancels it. As long as its response lasts it counts as a session, for
// MaxSessions, Sessions and Status too, and has an id that no client can name. Close and Shutdown end
// its subscriptions with their results. GET and DELETE of that revision are 405, and where no other
// one is served all are.
//
// In a session a lost connection cancels no call: its answer is kept, and the client may come back for it
// if it has an event id of the stream, which the first event of a stream is. A call ends
// by notifications/cancelled, with the session, with its function, or because no client can come back
// for it: its connection was lost streams.Options.Grace ago, before the client could have an event id,
// or Keep ago. It ends earlier, three seconds after its connection was lost, if a call with a
// connection waits for its place; a client that comes back is answered with an error that says so.
//
// A client that accepts JSON alone, or a ResponseWriter that cannot Flush and does not Unwrap to one
// that can, gets the answer of a POST as JSON, however late it comes; what else is sent within the
// call is left out.
//
// Options bound what clients can cost, and docs/limits.md has what that adds up to: take the limits of
// sessions (lifecycle.Limits, streams.Options) down for clients that are not trusted. If there is no
// room, the longest idle session that nobody listens to ends, first one whose handshake is not
// finished. A principal, or without Authenticate an address, has three quarters of the sessions and
// connections at most; behind a proxy all clients have its address. Give the http.Server a
// ReadHeaderTimeout and an IdleTimeout for connections that send no request. The function of a call
// that was cancelled counts until it returns.
//
// Functions run in the process that their call came to. Their context has the values of the
// request's, ends with the call, and is what HangUp, SessionFrom and PrincipalFrom take. A
// function that panics ends the program, as everywhere in Go, unless Options.Recover is set.
//
// With Options.Authenticate each request says whom it comes from, before anything is done for it;
// Verified makes it of a Verifier of access tokens and a guard.Policy:
//
//   - A request that is refused, or whose message the token does not allow, changes nothing: 401, 403 or
//     400 with a challenge. Once a message was taken its answer is none of these, for its client would
//     post it again.
//   - When the token of a request counts no more (Principal.Expires), and when Revoke names its
//     principal, its stream ends. The client comes back with another token and its last event id, and
//     gets each message once. After Expires a response goes on for a minute whose client could not come
//     back: it has no event id, takes JSON alone, has no session, or uses HTTP+SSE. Then it ends, a
//     session of HTTP+SSE with it, and where nothing runs it ends at once, a subscription with its
//     result.
//   - Calls go on, and belong to the principal of their session.
//
// With Options.Companion, each session has a machine that takes part in its turns, as over stdio:
//
//   - registry.Follow offers each session the tools of its principal, and gives them their time: a
//     call that takes longer is answered with a failed result, and its context ends with
//     registry.ErrTimeout. StepAll tells sessions of a change at once; without it, each learns of it
//     with its next message. The process that runs a function keeps its time, not the record.
//   - One that answers calls itself needs no goroutine for each, and asks the client by itself:
//     package client/gateway serves other servers so. StepNow tells it that something has
//     come for it.
//
// With a Store that processes share, the answer to a request of a function may come to another
// process: it stands in the record until the function has it. If the Table of NewShared is a Cluster, another
// process ends the calls and connections of one that has died; otherwise the function of that answers
// nothing, and lifecycle.Timeouts.Inbound ends its call. docs/cluster.md says what clients can rely on.
//
// On a connection that arrives on a loopback address only names of this machine are accepted as
// Host and in Origin, so that no web page can talk to a server of the user's machine by DNS
// rebinding; see Options.Hosts. On every connection a request without Origin is 403 if its
// Sec-Fetch-Site says that a page of another origin makes it, as browsers do; see
// Options.AnyOrigin. Pages of Options.Origins are served with the headers of CORS.
//
// # Not promised
//
// The texts of errors, which of two limits is reported where both are reached, the form of
// snapshots between versions of this module, and the size of a Record.
package nethttp
