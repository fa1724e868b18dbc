// Package links does the I/O of a machine that connects to many servers, such as manager.Manager:
// it opens, reads, writes and closes one Transport for each Link. Packages client/child and
// client/remote have transports; a program may have its own.
//
// # Loop
//
// A Loop has the machine. A driver calls its verbs with the lock held, and passes a function that
// handles the rest of each step's effects:
//
//	l := links.NewLoop(&d.mu, m, dial.Dialer{}.Dial, links.Options{}, d.act)
//	defer l.Close(ctx)
//	…
//	d.mu.Lock()
//	m, e, err := l.Machine().Connect(time.Now(), "files", opt)
//	l.Step(m, e)
//	d.mu.Unlock()
//
// If another machine makes the steps, such as a relay.Relay, use Links alone: pass Actions to Do, and
// handle their results in Options.Report.
//
// Package client/fleet is a Loop for an application.
//
// # Contract
//
//   - Do and Step never wait. Messages wait in a queue for each Link.
//   - Each ActOpen is followed by OpenFailed, or by Opened and later Ended. If ActClose or ActKill
//     comes before Opened, only Ended follows.
//   - A server that accepts no messages is not read, and is given up after Options.SendTimeout. It
//     delays no other server.
//   - After Close nothing runs, except a Transport that caused ErrCloseTimeout.
//
// # Not promised
//
// The order of reports of different Links, and the texts of errors.
package links
