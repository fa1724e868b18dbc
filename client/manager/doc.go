// Package manager connects a client to many named servers: it opens links, performs handshakes,
// pings and reconnects. A Manager is an immutable value. It does no I/O.
//
// # Loop
//
// Keep the Manager in a struct field, report what happens, and do what the Effects of each step say:
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
// Report each event of a transport by a Report with its Link; at NextDeadline, call Tick:
//
//	d.m, out = d.m.Report(time.Now(), manager.Report{Kind: manager.Received, Link: link, Message: msg})
//	…
//	d.m, out = d.m.Tick(time.Now())
//
// Package client/links has a driver.
//
// # Contract
//
//   - A Manager never changes. Every transition returns the next one; the old one stays valid. Only
//     one goroutine at a time may make transitions.
//   - Report, Tick and Abandon are total, for any Link. Other verbs return an *Error for the
//     caller's mistakes, with the Manager unchanged and no Effects.
//   - Time is an argument. A zero or earlier time counts as the latest seen.
//   - A Link is opened once and ends once: by a Report, or by ActClose, which is followed by a
//     Report within Timeouts.Close or by ActKill. A Report of a Link that has ended changes nothing
//     except LateReports.
//   - An Op ends by exactly one OpDone, at the latest at its own deadline. Disconnect always ends,
//     and frees the name first.
//   - Each connection has its own client.State: ids, tokens, subscriptions and handles of different
//     servers are separate. A step for one server takes O(log n) in the number of servers, and no
//     server can delay another. HealthCheck and DisconnectAll process all servers.
//   - A supervised connection that is lost is opened again after Backoff.Delay(1), then Delay(2)
//     and so on, not before its Breaker allows it, until it was ready for StableFor, or
//     Backoff.Attempts have failed. If the server lacks a revision or a required capability, it is
//     not tried again.
//   - With Resubscribe, the log level and then the subscriptions of the last session, in the order
//     in which they were first made, are restored before the server is Ready. If the server refuses
//     one, that is reported, and the subscription is dropped.
//   - Nothing depends on the order of a Go map, and Config.Seed is the only source of randomness.
//
// # Not promised
//
// The wording of errors, and the values of Epochs.
package manager
