// Package server implements the server's end of an MCP session as a value, without I/O.
//
// # Loop
//
// Keep the [State] in a struct field, pass it what arrives, and do what the [Output] says: write
// Send, handle Events, then act on Close.
//
//	d.s, out = d.s.Receive(time.Now(), jsonrpc.Decode(line)) // a message arrived
//	d.s, out = d.s.Tick(time.Now())                          // NextDeadline has come
//	d.s, out, err = d.s.Respond(time.Now(), call, result)    // the application is done
//
// [Handlers] answers requests by plain functions: inline with [Handlers.Receive], which combines
// State.Receive and [Handlers.Handle], or as a [Job] that any goroutine of the driver may run, with
// a [Caller] of the driver and a context that ends with the call. [Roots] keeps the roots of the
// client. The methods of a machine that works on a State accept the State, the time and the rest,
// and return the machine, the State, the Output and the error; those that accept an Output need no
// time:
//
//	d.r, d.s, out = d.r.Handle(d.s.Receive(time.Now(), m))   // Roots, with every Output
//	d.r, d.s, out, err = d.r.Want(d.s, time.Now(), opt)
//
// # Contract
//
//   - A State is never changed. Every transition returns the next one; an old one
//     stays valid.
//   - Receive is total: a peer cannot make it fail. Verbs return an error for a mistake of
//     the caller; then the State is unchanged and nothing is sent.
//   - Time is an argument. A zero or earlier time counts as the latest seen; one far in the
//     future counts too (package lifecycle, Contract).
//   - Outputs are fresh; arguments are copied or encoded, so that the caller may
//     change them afterwards.
//   - A [Call] ends by exactly one of: an [Outgoing] with Final, RequestCancelled,
//     RequestLost; Output.EndedCalls lists the calls that ended in a step. RequestExpired
//     reports a Final that the machine sent itself. If a call ends other than by an answer,
//     the requests that were made within it are cancelled.
//   - Handles belong to the State that made them, and to the States that follow from it.
//     Restore makes new ones.
//   - The [Catalog] checks the arguments and the structured results of its tools: arguments
//     that violate an inputSchema do not reach the application, and a result that violates
//     an outputSchema is sent as a failed one.
//   - The machine answers by itself only what [Config] contains; the application answers
//     what Config.Serve names. Names that the Catalog does not list are unknown.
//   - A State before its handshake answers the requests that come before initialize, or over
//     HTTP without a session: ping with a result; a method that no supported revision has,
//     such as the server/discover of a client that tries a later revision first, with
//     -32601; everything else with -32600. The client falls back to initialize.
//
// # Not promised
//
// The size of a State, the wording of error messages, and the order of events of different requests
// in one Output beyond the order of cause.
package server
