// Package client holds the client's end of an MCP session as a value without I/O.
//
// # Loop
//
// Keep the [State] in a struct field, open the session, pass it what arrives, and do what
// the [Output] says: write Send, handle Events, then act on Close.
//
//	d.s, out, err = d.s.Initialize(time.Now())               // once, first of all
//	d.s, out = d.s.Receive(time.Now(), jsonrpc.Decode(line)) // a message arrived
//	d.s, out = d.s.Tick(time.Now())                          // NextDeadline has come
//	d.s, out, err = d.s.Request(time.Now(), params, opt)     // out.Req is the handle
//
// A [Pager] reads one paginated list. [Retries] report when a request that needs the user to visit
// a page can be repeated. For lists of many servers that stay current, use catalog.Catalog. Types
// that accompany a State take State, time and arguments, and return themselves, State, Output and
// error:
//
//	d.p, d.s, out, err = d.p.Next(d.s, time.Now(), opt)      // a Pager
//	d.r, ready = d.r.Take(ev)                                // Retries, with every Event
//
// # Contract
//
//   - A State never changes. Every transition returns the next one; the old one stays
//     valid.
//   - Receive is total: no message makes it fail. Other methods return an error for the
//     caller's mistakes, with the State unchanged and nothing to send.
//   - Time is an argument. A zero or earlier time counts as the latest seen; a time far in
//     the future is believed (package lifecycle, Contract).
//   - Outputs are new memory; arguments are copied or encoded, so the caller may change
//     them afterwards.
//   - A [Req] ends by exactly one of ResponseReceived and RequestFailed. A handle belongs
//     to the State that made it and to the States that follow; Restore makes new handles.
//   - Send is in the order in which the server must receive it. A transport that posts
//     each message separately waits until notifications/initialized is accepted before it
//     posts later messages, and until a request is accepted before it posts the
//     notifications/cancelled that names the same Outgoing.Req. All other messages may
//     overtake each other.
//   - notifications/initialized is sent in the step that accepts the InitializeResult;
//     before it, only pings are.
//   - The machine never answers sampling or elicitation: the application does.
//
// # Not promised
//
// The size of a State, the order of events of different requests in one Output unless one
// causes the other, and the wording of error messages.
package client
