// Package links does the I/O of a machine that connects to many servers, such as manager.Manager:
// it opens, reads, writes and closes one Transport for each Link. The transports come from packages
// client/child and client/remote, or from a program.
//
// # Loop
//
// A Loop has the machine. A driver calls its verbs with the lock held, and a function gets the rest
// of each step's results:
//
//	l := links.NewLoop(&d.mu, m, dial.Dialer{}.Dial, links.Options{}, d.act)
//	defer l.Close(ctx)
//	…
//	d.mu.Lock()
//	m, e, err := l.Machine().Connect(time.Now(), "files", opt)
//	l.Step(m, e)
//	d.mu.Unlock()
//
// A machine whose steps are made elsewhere, as those of a relay.Relay are, uses only Links: Actions go
// to Do, and their outcomes to Options.Report.
//
// Package client/fleet is a Loop for an application.
//
// # Contract
//
//   - Do and Step never block. Each Link has a queue of messages to send.
//   - Each ActOpen is answered by OpenFailed, or by Opened and, in the end, Ended. One that
//     ActClose or ActKill ends before Opened is answered by Ended alone.
//   - A server that does not read its messages is not read either, and its Link ends after
//     Options.SendTimeout. It does not delay others.
//   - After Close nothing runs, except transports reported by ErrCloseTimeout.
//
// # Not promised
//
// The order of reports of different Links, and the texts of errors.
package links
