// Package nethttp serves MCP over Streamable HTTP: its Handler is an http.Handler for one path. It
// does I/O; no pure package imports it.
//
// # Loop
//
// A server is a Handler and an http.Server:
//
//	h, err := nethttp.NewHandler(cfg, handlers, nethttp.Options{})
//	…
//	err = http.ListenAndServe("127.0.0.1:8080", h)
//
// To end, first shut down the Handler, because an http.Server waits for its streams:
//
//	err = errors.Join(h.Shutdown(ctx), srv.Shutdown(ctx))
//
// A session is a Record in a Store: a server.State and a streams.Streams, both values. Each change is a
// turn: the Handler reads the record, makes the next one by a pure transition, and stores it in its place
// if no other turn was stored in between; then come the effects. A connection reads its stream from the
// newest record, from a cursor on. So an idle session is a record without goroutine or timer, no message
// is handed to a connection that may be dead, and any process with the Store serves any session. If no
// other process can see the difference, the function of a call may run before the turn that accepts its
// request: if it returns at once, one turn is enough for both (docs/adr/0020-a-turn-put-off.md).
//
// # Contract
//
// What a client gets:
//
//   - POST of a request: 200 with the answer as JSON if nothing else is sent and it comes
//     within Options.StreamAfter, otherwise as a stream. Of notifications and answers: 202.
//   - GET: a stream for messages outside of calls; with Last-Event-ID, the rest of any stream.
//     Beyond streams.Options.MaxListeners a new one replaces the oldest. 405 if none are allowed,
//     400 for an unknown event, 410 for one whose successors were dropped.
//   - DELETE: 204, and the end of the session.
//   - 400 for a message that is refused, a wrong header, a missing session id; 401 and 403 if
//     the request is not authorized; 403 for a Host, Origin or Sec-Fetch-Site that is not
//     allowed; 404 for a session that has ended, or belongs to another principal; 405, 406,
//     415 as usual; 408 for a body that takes too long, 413 for one that is too long; 503 with
//     Retry-After if a limit of Options is reached, the Store fails or the Handler ends. The
//     body of all these is a JSON-RPC error without id. That of a 503 has data which tell a
//     client whether it may post the request again: retryAfterMs if nothing was done,
//     {"outcome":"unknown"} if that is not known.
//   - A request without a session gets 400 with an error under its own id: -32601 for
//     server/discover of a client that tries a later revision first, which tells it to
//     initialize.
//   - An initialize that names a session is a message of that session, which refuses it: a new
//     session begins without a name (HTTP-047). An initialize that is refused begins no
//     session; its error comes with 200, because 4xx would mean a server of another transport.
//
// With a revision without sessions in Config.Revisions, a POST that names it, in Mcp-Protocol-Version or in
// its _meta, is answered by itself: 400 if its headers contradict its body, its envelope is not valid, or
// its client lacks a capability that the answer needs; 404 for an unknown method; 406 for a subscription of
// a client that accepts only JSON; otherwise like a POST of a session. Errors have the id of the request. A
// lost connection cancels the request. As long as its response lasts it counts as a session, also for
// MaxSessions, Sessions and Status, and has an id that no client can name. Close and Shutdown end its
// subscriptions with their results. GET and DELETE of that revision get 405; if no other revision is
// served, all do.
//
// In a session a lost connection does not cancel a call: its answer is kept, and the client may come back
// for it if it has an event id of the stream, which the first event of a stream carries. A call ends by
// notifications/cancelled, with the session, with its function, or because no client can come back for
// it: its connection was lost streams.Options.Grace ago, before the client could have an event id, or
// Keep ago. It ends earlier, three seconds after its connection was lost, if a call with a connection
// waits for its place; a client that comes back gets an error that says so.
//
// A client that accepts only JSON, or a ResponseWriter that cannot Flush and does not Unwrap to one
// that can, gets the answer of a POST as JSON, however late it comes; other messages within the call
// are dropped.
//
// Options bound what clients can cost; docs/limits.md adds it up. Lower the limits of sessions
// (lifecycle.Limits, streams.Options) for clients that are not trusted. At the limit, the longest idle
// session that no client listens to ends, first one whose handshake is not finished. A principal, or
// without Authenticate an address, has at most three quarters of the sessions and connections; behind
// a proxy all clients have its address. Give the http.Server a ReadHeaderTimeout and an IdleTimeout
// for connections that send no request. The function of a call that was cancelled counts until it
// returns.
//
// Functions run in the process that received their call. Their context has the values of the
// request's context, ends with the call, and is the one for HangUp, SessionFrom and PrincipalFrom.
// A function that panics ends the program, as everywhere in Go, unless Options.Recover is set.
//
// Options.Authenticate returns the principal of each request, before anything is done for it;
// Verified makes one from a Verifier of access tokens and a guard.Policy:
//
//   - A request that is refused, or whose message the token does not allow, changes nothing:
//     401, 403 or 400 with a challenge. Once a message was accepted its answer is none of
//     these, because its client would post it again.
//   - When the token of a request expires (Principal.Expires), and when Revoke names its
//     principal, its stream ends. The client comes back with another token and its last event
//     id, and gets each message once. After Expires a response lasts for another minute if its
//     client could not come back: it has no event id, accepts only JSON, has no session, or
//     uses HTTP+SSE. Then it ends, a session of HTTP+SSE with it. If nothing runs it ends at
//     once, a subscription with its result.
//   - Calls continue, and belong to the principal of their session.
//
// With Options.Companion, each session has a machine that takes part in its turns, as over stdio:
//
//   - registry.Follow offers each session the tools of its principal, and gives calls their
//     deadlines: a call that takes longer is answered with a failed result, and its context
//     ends with registry.ErrTimeout. StepAll applies a change to all sessions at once; without
//     it, each session gets it with its next message. The process that runs a function keeps
//     its deadline; the record does not.
//   - A Companion that answers calls itself needs no goroutine for each, and sends requests to
//     the client itself: package client/gateway serves other servers this way. StepNow tells
//     it that something has arrived for it.
//
// With a Store that processes share, the answer to a request of a function may arrive at another process: it
// stays in the record until the function gets it. If the Table of NewShared is a Cluster, another process
// ends the calls and connections of one that has died; otherwise such calls end by
// lifecycle.Timeouts.Inbound, without an answer of their function. docs/cluster.md says what clients can rely
// on.
//
// On a connection that arrives on a loopback address only names of this machine are accepted as
// Host and in Origin, so that no web page can talk to a server of the user's machine by DNS
// rebinding; see Options.Hosts. On every connection a request without Origin gets 403 if its
// Sec-Fetch-Site says that a page of another origin made it, as browsers do; see Options.AnyOrigin.
// Pages of Options.Origins get the headers of CORS.
//
// # Not promised
//
// The texts of errors, which of two limits is reported if both are reached, the form of snapshots
// between versions of this module, and the size of a Record.
package nethttp
