// Package lifecycle is what a driver imports for both roles: the phases and their
// transition table, events and outputs, handles, causes, limits, timeouts and errors.
//
// # Loop
//
// A driver keeps a State (of package server or client), feeds it and does what each
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
//   - Order inside Send and inside Events is the order of cause. Send is written
//     before Close is acted on.
//   - A [Call] (theirs, we owe an answer) and a [Req] (ours, we wait) are never used
//     again, so a late answer cannot reach a newer request.
//   - A Req ends by exactly one of ResponseReceived and RequestFailed. A Call ends by
//     exactly one of an [Outgoing] with Final, RequestCancelled and RequestLost;
//     RequestExpired tells of a Final that the machine sent itself.
//   - The peer's mistakes are never Go errors: they are a reply where the
//     specification asks for one, and a [Violation] that names the row it broke. The
//     caller's mistakes are never events: they are one of the Err values, and nothing
//     has changed.
//   - Nothing that the peer sends ends a session, except a failed handshake.
//   - Time is an argument, and inside a State it never goes back. A single reading far in
//     the future ends everything that is due by then, and what begins later is not due
//     before the clock has come there; 292 years after the origin nothing is due.
//     No State can tell such a reading from the end of a long sleep, so hand in what
//     time.Now returns, to New, NewSession and Restore as well: its monotonic reading does not
//     jump. A wall clock that somebody sets does.
//   - The phase follows the table that [Transitions] returns, and nothing else moves it.
//
// # Not promised
//
// The texts of errors and causes; which row a message names that breaks several; the
// numbers behind the constants, which must not be stored.
package lifecycle
