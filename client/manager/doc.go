// Package manager connects a client to many named servers: it opens links, performs handshakes,
// pings and reconnects. A Manager is an immutable value. It does no I/O.
//
// # Loop
//
// Keep the Manager in a struct field, tell it what happens, and do what the Effects of each step ask for:
//
//	d.m, out, err = d.m.Connect(time.Now(), "files", manager.Options{Endpoint: cmd, Supervise: true})
//	…
//	for _, a := range out.Actions {
//		switch a.Kind {
//		case manager.ActOpen:  // dial a.Endpoint, then report Opened or OpenFailed
//		case manager.ActSend:  // write a.Out.Message to the transport of a.Link
//		case manager.ActClose: // close it once all is sent, then report Ended
//		case manager.ActKill:  // tear it down
//		}
//	}
//	for _, ev := range out.Events {
//		switch ev.Kind {
//		case manager.OpDone:       // what ev.Op came to
//		case manager.SessionEvent: // a request of a server (ev.Call), a notification, progress (ev.Op)
//		}
//	}
//
// Each thing that happens to a transport is a Report with its Link; when NextDeadline has come, call
// Tick:
//
//	d.m, out = d.m.Report(time.Now(), manager.Report{Kind: manager.Received, Link: link, Message: msg})
//	…
//	d.m, out = d.m.Tick(time.Now())
//
// Package client/host has a driver.
//
// # Contract
//
//   - A Manager is never changed. Every transition returns the next one; an old one stays
//     valid. One goroutine at a time makes the transitions.
//   - Report, Tick and Abandon are total, whatever Link they name. Other verbs return an *Error for
//     the caller's mistakes, with the Manager as it was and nothing to do.
//   - Time is an argument. A zero or earlier time counts as the latest seen.
//   - A Link is opened once and ends once: by a Report, or by ActClose, after which there is a
//     Report within Timeouts.Close or ActKill. A Report of a Link that has ended changes nothing but
//     LateReports.
//   - An Op ends by exactly one OpDone, at the latest when its own time is up. Disconnect always
//     ends, and frees the name first.
//   - Each connection has a client.State of its own: ids, tokens, subscriptions and handles of
//     different servers never meet. A step about one server takes O(log n) in the number of
//     servers, and what a server does or does not do delays no other. HealthCheck and
//     DisconnectAll touch all of them.
//   - A supervised connection that is lost is opened again after Backoff.Delay(1), then
//     Delay(2) and so on, not before its Breaker lets it, until it was ready for StableFor, or
//     Backoff.Attempts have failed. A revision or a capability that the server does not have is
//     not tried again.
//   - With Resubscribe, the log level and then the subscriptions of the last session, in the
//     order in which they were first made, are restored before the server is Ready. What the
//     server refuses is reported and forgotten.
//   - Nothing depends on the order of a Go map, and randomness is Config.Seed alone.
//
// # Not promised
//
// The wording of errors, and the numbers of Epochs.
package manager
