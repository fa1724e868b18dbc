// Package client is the dispatcher of an MCP client: the whole behaviour of the
// client's end of a session as a value, with no I/O.
//
// # Loop
//
// Keep the [State] in a struct field, open the session, feed it what arrives, and do
// what the [Output] asks for: write Send, look at Events, then act on Close.
//
//	d.s, out, err = d.s.Initialize(time.Now())               // once, first of all
//	d.s, out = d.s.Receive(time.Now(), jsonrpc.Decode(line)) // a message arrived
//	d.s, out = d.s.Tick(time.Now())                          // NextDeadline has come
//	d.s, out, err = d.s.Request(time.Now(), params, opt)     // out.Req is the handle
//
// [Pager] walks one listing. [Retries] say when a request can be made again that needs a page to be
// gone to first. Lists of many servers that stay current are a catalog.Catalog. What stands
// beside a State takes State, time, the rest, and returns itself, State, Output, error:
//
//	d.p, d.s, out, err = d.p.Next(d.s, time.Now(), opt)      // a Pager
//	d.r, ready = d.r.Take(ev)                                // Retries, with every Event
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
//   - A [Req] ends by exactly one of: ResponseReceived, RequestFailed. Handles belong to
//     the State that made them, and to those that follow from it; Restore makes new ones.
//   - Send is in the order in which the server has to take it. A transport that posts
//     each message by itself waits until notifications/initialized was accepted before
//     it posts what comes after, and until a request was accepted before it posts the
//     notifications/cancelled that names the same Outgoing.Req. All else may overtake
//     each other.
//   - notifications/initialized goes out in the step that accepts the
//     InitializeResult, and nothing but pings before it.
//   - Sampling and elicitation are never answered by the machine.
//
// # Not promised
//
// The size of a State, the order of events of different requests in one Output
// beyond the order of cause, and the wording of error messages.
package client
