// Package links does the I/O of a machine that connects to many servers, such as
// manager.Manager: it opens, reads, writes and closes one Transport for each Link. The transports
// are those of packages client/child and client/remote, or of a program.
//
// # Loop
//
// A Loop has the machine. A driver calls its verbs, with the lock held, and is told of the rest of
// what a step asks for by a function:
//
//	l := links.NewLoop(&d.mu, m, dial.Dialer{}.Dial, links.Options{}, d.act)
//	defer l.Close(ctx)
//	…
//	d.mu.Lock()
//	m, e, err := l.Machine().Connect(time.Now(), "files", opt)
//	l.Step(m, e)
//	d.mu.Unlock()
//
// A machine whose steps are made elsewhere, as those of a relay.Relay are, has Links alone: Actions go
// to Do, and what comes of them to Options.Report.
//
// Package client/fleet is a Loop for an application.
//
// # Contract
//
//   - Do and Step never wait. What is to be sent waits in a queue for each Link.
//   - Each ActOpen is answered by OpenFailed, or by Opened and, in the end, Ended. One that
//     ActClose or ActKill ends before Opened is answered by Ended alone.
//   - A server that does not take what it is sent is not read, and is given up after
//     Options.SendTimeout. It holds up no other.
//   - After Close nothing runs, but what ErrCloseTimeout is about.
//
// # Not promised
//
// The order of reports of different Links, and the texts of errors.
package links
