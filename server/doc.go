// Package server implements the server's end of an MCP session as a value, without I/O.
//
// # Loop
//
// Keep the [State] in a struct field, pass it each message, and do what the
// [Output] asks for: write Send, look at Events, then act on Close.
//
//	d.s, out = d.s.Receive(time.Now(), jsonrpc.Decode(line)) // a message arrived
//	d.s, out = d.s.Tick(time.Now())                          // NextDeadline has come
//	d.s, out, err = d.s.Respond(time.Now(), call, result)    // the application is done
//
// [Handlers] turns plain functions into answers: inline with [Handlers.Receive], which folds
// State.Receive and [Handlers.Handle] into one, or as a [Job] that any goroutine of the driver may
// run, with a [Caller] of the driver's and a context that ends with the call. [Roots] keeps the
// roots of the client. Machines that work with a State take State, time, the rest, and return
// themselves, State, Output, error; the time is left out where an Output brings it:
//
//	d.r, d.s, out = d.r.Handle(d.s.Receive(time.Now(), m))   // Roots, with every Output
//	d.r, d.s, out, err = d.r.Want(d.s, time.Now(), opt)
//
// # Contract
//
//   - A State is immutable. Every transition returns the next one; old ones stay valid.
//   - Receive accepts any message. Verbs return an error for the caller's mistakes, with the
//     unchanged State and nothing to send.
//   - Time is an argument. A zero or earlier time counts as the latest seen; one far in the future
//     counts (package lifecycle, Contract).
//   - The caller owns Outputs; arguments are copied or encoded, so the caller may change them
//     afterwards.
//   - A [Call] ends by exactly one of: an [Outgoing] with Final, RequestCancelled, RequestLost;
//     Output.EndedCalls lists those that ended in a step. RequestExpired reports a Final that the
//     machine sent itself. If a call ends without an answer, requests made within it are cancelled.
//   - Handles belong to the State that made them, and to those that follow from it.
//     Restore makes new ones.
//   - The [Catalog] checks the arguments and the structured results of its tools: arguments that
//     violate an inputSchema do not reach the application, and results that violate an outputSchema
//     are sent as failed results.
//   - The machine answers requests from [Config]; the application answers the
//     methods of Config.Serve. Names that a Catalog does not list are unknown.
//   - A State before its handshake answers requests before initialize, over HTTP those without a
//     session: ping with a result, methods of no supported revision, such as server/discover of a
//     newer client, with -32601, all others with -32600. The client falls back to initialize.
//
// # Not promised
//
// The size of a State, the order of events of different requests in one Output beyond causal order,
// and the texts of errors.
package server
