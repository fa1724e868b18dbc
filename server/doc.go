// Package server is the dispatcher of an MCP server: the whole behaviour of the
// server's end of a session as a value, with no I/O.
//
// # Loop
//
// Keep the [State] in a struct field, feed it what arrives, and do what the
// [Output] asks for: write Send, look at Events, then act on Close.
//
//	d.s, out = d.s.Receive(time.Now(), jsonrpc.Decode(line)) // a message arrived
//	d.s, out = d.s.Tick(time.Now())                          // NextDeadline has come
//	d.s, out, err = d.s.Respond(time.Now(), call, result)    // the application is done
//
// [Handlers] turns plain functions into answers: inline with [Handlers.Receive], which
// folds State.Receive and [Handlers.Handle] into one, or
// as a [Job] that any goroutine of the driver may run, with a [Caller] of the driver's and
// a context that ends with the call. [Roots] keeps the roots of the
// client. What stands beside a State takes State, time, the rest, and returns itself, State,
// Output, error; the time is left out where an Output brings it:
//
//	d.r, d.s, out = d.r.Handle(d.s.Receive(time.Now(), m))   // Roots, with every Output
//	d.r, d.s, out, err = d.r.Want(d.s, time.Now(), opt)
//
// # Contract
//
//   - A State is never changed. Every transition returns the next one; an old one
//     stays valid.
//   - Receive is total: a peer cannot make it fail. Verbs return an error for the
//     caller's mistakes, with the State as it was and nothing to send.
//   - Time is an argument. A zero or earlier time counts as the latest seen; one far in the
//     future counts too (package lifecycle, Contract).
//   - Outputs are fresh; arguments are copied or encoded, so that the caller may
//     change them afterwards.
//   - A [Call] ends by exactly one of: an [Outgoing] with Final, RequestCancelled,
//     RequestLost; Output.EndedCalls lists those that ended in a step. RequestExpired
//     tells of a Final that the machine sent itself. Requests of ours that were made
//     within a call that ends in any other way than by an answer are withdrawn.
//   - Handles belong to the State that made them, and to those that follow from it.
//     Restore makes new ones.
//   - The [Catalog] checks the arguments and the structured results of its tools: what
//     breaks an inputSchema does not reach the application, and what breaks an outputSchema
//     goes out as a failed result.
//   - The machine answers by itself only what [Config] holds; the application
//     answers what Config.Serve names. What a Catalog does not list is unknown.
//   - A request that comes before initialize, over HTTP one without a session, is
//     answered by a State before its handshake: ping with a result, what no supported
//     revision has, as server/discover of a client that tries a later one first, with
//     -32601, everything else with -32600. The client falls back to initialize.
//
// # Not promised
//
// The size of a State, the order of events of different requests in one Output
// beyond the order of cause, and the wording of error messages.
package server
