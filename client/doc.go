// Package client implements the client's end of an MCP session as a value, without I/O.
//
// # Loop
//
// Keep the [State] in a struct field, open the session, pass it each message, and do
// what the [Output] asks for: write Send, look at Events, then act on Close.
//
//	d.s, out, err = d.s.Initialize(time.Now())               // once, first of all
//	d.s, out = d.s.Receive(time.Now(), jsonrpc.Decode(line)) // a message arrived
//	d.s, out = d.s.Tick(time.Now())                          // NextDeadline has come
//	d.s, out, err = d.s.Request(time.Now(), params, opt)     // out.Req is the handle
//
// [Pager] walks one listing. [Retries] report when a request that first needs a visit to a page can
// be repeated. For current lists of many servers see a catalog.Catalog. Machines that work with a
// State take State, time, the rest, and return themselves, State, Output, error:
//
//	d.p, d.s, out, err = d.p.Next(d.s, time.Now(), opt)      // a Pager
//	d.r, ready = d.r.Take(ev)                                // Retries, with every Event
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
//   - A [Req] ends by exactly one of: ResponseReceived, RequestFailed. Handles belong to
//     the State that made them, and to those that follow from it; Restore makes new ones.
//   - Send is in the order in which the server has to take it. A transport that posts each message
//     separately waits until notifications/initialized is accepted before it posts later messages,
//     and until a request is accepted before it posts the notifications/cancelled of the same
//     Outgoing.Req. Other messages may overtake each other.
//   - notifications/initialized is sent in the step that accepts the InitializeResult; only pings
//     are sent before it.
//   - Sampling and elicitation are never answered by the machine.
//
// # Not promised
//
// The size of a State, the order of events of different requests in one Output beyond causal order,
// and the texts of errors.
package client
