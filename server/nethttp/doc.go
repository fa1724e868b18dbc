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
// turn: it reads the record, computes the next one by a pure transition, stores it if no other turn was
// stored in between, and then acts. A connection reads its stream from the newest record, at a cursor. So
// an idle session is a record without goroutine or timer, messages do not depend on one connection, and
// any process with the Store can serve any session. If no other process shares the Store, the function of
// a call may run before its request enters the State: if it returns at once, one turn handles both
// (docs/adr/0020-a-turn-put-off.md).
//
// # Contract
//
// What a client gets:
//
//   - POST of a request: 200 with the answer as JSON if it is the only message and ready within
//     Options.StreamAfter, otherwise as a stream. For notifications and responses: 202.
//   - GET: a stream for messages outside of calls; with Last-Event-ID, the rest of any stream.
//     Beyond streams.Options.MaxListeners a new one replaces the oldest. 405 if that is 0, 400 for
//     an unknown event, 410 for one whose successors were dropped.
//   - DELETE: 204, and the end of the session.
//   - 400 for a message that is not accepted, an invalid header, a missing session id; 401 and 403
//     without authorization; 403 for a Host, Origin or Sec-Fetch-Site that is not allowed; 404 for a
//     session that has ended, or belongs to another principal; 405, 406, 415 as usual; 408 for a body
//     that takes too long, 413 for one that is too long; 503 with Retry-After if a limit of Options is
//     reached, the Store fails or the Handler ends. The body of all these is a JSON-RPC error without
//     id. The data of a 503 tell a client whether it may repeat the request: retryAfterMs if it had no
//     effect, {"outcome":"unknown"} if that is unknown.
//   - A request without session is 400 with an error with its own id: -32601 for server/discover of
//     a newer client, which makes it send initialize.
//   - An initialize with a session id is a message of that session, which refuses it; to begin a
//     new session omit the id (HTTP-047). The error of a refused initialize has status 200, because
//     4xx would mean a server of another transport.
//
// With a revision without sessions in Config.Revisions, a POST that names it, in Mcp-Protocol-Version or in
// its _meta, is answered separately: 400 if its headers contradict its body, its envelope is invalid, or
// its client lacks a required capability; 404 for an unknown method; 406 for a subscription that accepts
// only JSON; otherwise as a POST of a session. Errors have the id of the request. A lost connection cancels
// it. During its response it counts as a session, also for MaxSessions, Sessions and Status, with an id
// that no client can use. Close and Shutdown end its subscriptions with their results. GET and DELETE of
// that revision are 405.
//
// In a session a lost connection does not cancel a call: its answer is kept, and the client can resume
// the stream if it has an event id, which the first event provides. A call ends by
// notifications/cancelled, with the session, with its function, or when it can no longer be resumed:
// streams.Options.Grace after its connection was lost without an event id, otherwise Keep after that. It
// ends earlier, three seconds after its connection was lost, if a call with a connection needs its slot;
// a client that resumes gets an error that says so.
//
// A client that accepts only JSON, or a ResponseWriter that cannot Flush (nor Unwrap to one that
// can), gets the answer of a POST as JSON, without a time limit; other messages of the call are
// dropped.
//
// Options bound what clients can cost; docs/limits.md has the totals. Lower the limits of sessions
// (lifecycle.Limits, streams.Options) for untrusted clients. At the limit, the longest idle session
// without a connection ends, first one with an unfinished handshake. A principal, or without
// Authenticate an address, gets at most three quarters of the sessions and connections; behind a proxy
// all clients have its address. Give the http.Server a ReadHeaderTimeout and an IdleTimeout for idle
// connections. The function of a cancelled call counts until it returns.
//
// Functions run in the process that received their call. Their context has the values of the
// request's context, ends with the call, and is the argument of HangUp, SessionFrom and
// PrincipalFrom. A panic of a function ends the program, unless Options.Recover is set.
//
// With Options.Authenticate each request says whom it comes from, before anything is done for it;
// Verified makes it of a Verifier of access tokens and a guard.Policy:
//
//   - A request that is refused, or whose message the token does not allow, changes nothing: 401, 403 or
//     400 with a challenge. An accepted message never gets these, because its client would post it
//     again.
//   - When the token of a request counts no more (Principal.Expires), and when Revoke names its
//     principal, its stream ends. The client resumes it with another token and its last event id, and
//     gets each message once. A response that cannot be resumed (it has no event id, is JSON, has no
//     session, or uses HTTP+SSE) continues for a minute after Expires while a call runs. Then it ends,
//     with its session for HTTP+SSE, and with its result for a subscription.
//   - Calls continue, and belong to the principal of their session.
//
// With Options.Companion, each session has a machine that takes part in its turns, as over stdio:
//
//   - registry.Follow offers each session the tools of its principal, and gives them their time: a
//     call that takes longer is answered with a failed result, and its context ends with
//     registry.ErrTimeout. StepAll tells sessions of a change at once; without it, each learns of it
//     with its next message. The process that runs a function keeps its time, not the record.
//   - One that answers calls itself needs no goroutine per call, and can ask the client: package
//     client/gateway is one. StepNow tells it that it has input.
//
// With a Store that processes share, the answer to a request of a function may come to another process: it
// stands in the record until the function has it. If the Table of NewShared is a Cluster, another process
// ends the calls and connections of one that has died; otherwise those calls get no answer, and
// lifecycle.Timeouts.Inbound ends its call. docs/cluster.md lists the guarantees for clients.
//
// On a connection that arrives on a loopback address only names of this machine are accepted as
// Host and in Origin, which prevents web pages from reaching a local server by DNS rebinding; see
// Options.Hosts. On every connection a request without Origin is 403 if its Sec-Fetch-Site says
// that a page of another origin makes it, as browsers do; see Options.AnyOrigin. Pages of
// Options.Origins are served with the headers of CORS.
//
// # Not promised
//
// The texts of errors, which of two exceeded limits is reported, the form of snapshots between
// versions of this module, and the size of a Record.
package nethttp
