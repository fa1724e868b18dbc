// Package child runs the servers of a client as child processes, and talks to them over
// their standard input and output (transports, stdio). It does I/O, so nothing pure imports
// it.
//
// # Loop
//
// A Child is a transport for package client/session, which does the rest:
//
//	child, err := child.Start(exec.Command("server", "-flag"), child.Options{})
//	…
//	c, err := session.Connect(ctx, cfg, child, session.Options{})
//
// Over any other pair of byte streams, as a net.Pipe in a test, a Unix socket or a TCP connection,
// Over returns one without a process:
//
//	conn, err := child.Over(socket, socket, child.Options{})
//
// A driver of your own owns a client.State, and calls Send and Receive.
//
// # Contract
//
//   - What the server writes on standard output is messages; what cmd.Stderr is set to takes
//     the rest, nothing if it is nil.
//   - A Child that was stopped is gone, however it behaves, and with it what it started in
//     its process group: its input ends, after Options.Term comes SIGTERM, and Options.Kill
//     later SIGKILL (lifecycle, Shutdown). Each Child has clocks of its own, so that to end
//     several costs the time of the slowest. Where there are no process groups only the
//     server itself is ended.
//   - The end of a server that was not told to end is an *EndError: how it exited, its last line on
//     standard error, unless that is an *os.File, and the first line that was no message.
//   - A server that exits by itself ends Receive soon, also if a process that it left
//     behind holds its output.
//   - A server that does not read what it is sent is stopped: see package pipe.
//   - A program that ends without stopping its Children, killed or not, leaves them to see the end
//     of their input. On Linux they get SIGTERM too, unless cmd.SysProcAttr.Pdeathsig says
//     otherwise; what they started themselves does not. Catch SIGINT and SIGTERM and call StopNow; catch SIGPIPE, so that writing to a
//     server that is gone fails and does not end the program where its standard output is
//     the pipe.
//
// # Not promised
//
// How long a server lives that behaves badly, beyond the sum of Term, Kill and Linger.
package child
