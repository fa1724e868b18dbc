// Package lifecycle has the types that drivers of both roles use: phases and their transition
// table, events, outputs, handles, causes, limits, timeouts and errors.
//
// # Loop
//
// A driver keeps a State (of package server or client), passes messages to it and does what each
// [Output] asks for:
//
//	for _, o := range out.Send {
//		w.Write(jsonrpc.AppendLine(buf[:0], o.Message))
//	}
//	for _, ev := range out.Events {
//		switch ev.Kind { … } // unknown kinds can be ignored
//	}
//	if out.Close != nil {
//		w.Close()
//	}
//
// Between messages it waits until NextDeadline and calls Tick.
//
// # Contract
//
//   - Send and Events are in causal order. Write Send before acting on Close.
//   - A [Call] (an inbound request) and a [Req] (an outbound request) are never reused, so a late
//     answer cannot reach a newer request.
//   - A Req ends by exactly one of ResponseReceived and RequestFailed. A Call ends by exactly one
//     of an [Outgoing] with Final, RequestCancelled and RequestLost; RequestExpired reports a Final
//     that the machine sent itself.
//   - The peer's mistakes are never Go errors: they cause a reply if the specification requires
//     one, and a [Violation] that names the requirement row. The caller's mistakes are never
//     events: they return one of the Err values and change nothing.
//   - No message of the peer ends a session, except a failed handshake.
//   - Time is an argument, and never goes back inside a State. A single reading far in the future
//     expires every deadline up to it, and later deadlines wait until the clock has reached it;
//     deadlines end 292 years after the origin. A State cannot tell such a reading from the end of
//     a long sleep, so pass the value of time.Now, also to New, NewSession and Restore: its
//     monotonic reading does not jump when the wall clock is set.
//   - Only the transitions in the table of [Transitions] change the phase.
//
// # Not promised
//
// The texts of errors and causes; which row a Violation names if a message breaks several; the
// values of the constants, which must not be stored.
package lifecycle
