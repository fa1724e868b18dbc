// Package manager connects a client to many named servers: it opens links, performs handshakes,
// pings and reconnects. A Manager is an immutable value. It does no I/O.
//
// # Loop
//
// Keep the Manager in a struct field, report what happens, and do what the Effects of each step ask for:
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
// Package client/links has a driver.
//
// # Contract
//
//   - A Manager is immutable. Every transition returns the next one; old ones stay valid. One
//     goroutine at a time makes the transitions.
//   - Report, Tick and Abandon accept any Link. Other verbs return an *Error for the caller's
//     mistakes, with the unchanged Manager and nothing to do.
//   - Time is an argument. A zero or earlier time counts as the latest seen.
//   - A Link is opened once and ends once: by a Report, or by ActClose, after which there is a
//     Report within Timeouts.Close or ActKill. A Report of an ended Link changes only LateReports.
//   - An Op ends by exactly one OpDone, at the latest at its timeout. Disconnect always ends, and
//     frees the name first.
//   - Each connection has its own client.State: ids, tokens, subscriptions and handles of different
//     servers are separate. A step about one server takes O(log n) in the number of servers, and no
//     server delays another. HealthCheck and DisconnectAll touch all of them.
//   - A lost supervised connection is reopened after Backoff.Delay(1), then Delay(2) and so on,
//     when its Breaker allows it, until it was ready for StableFor, or Backoff.Attempts have
//     failed. If the server lacks a revision or a capability, it is not retried.
//   - With Resubscribe, the log level and then the subscriptions of the last session, in the order
//     in which they were first made, are restored before the server is Ready. Refused ones are
//     reported and removed.
//   - A Manager is deterministic; all randomness comes from Config.Seed.
//
// # Not promised
//
// The wording of errors, and the numbers of Epochs.
package manager
