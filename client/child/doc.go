// Package child runs servers as child processes and carries messages over their standard input and
// output (transports, stdio). It does I/O, so no pure package imports it.
//
// # Loop
//
// Pass a Child to package client/session, which does the rest:
//
//	child, err := child.Start(exec.Command("server", "-flag"), child.Options{})
//	…
//	c, err := session.Connect(ctx, cfg, child, session.Options{})
//
// For other byte streams, such as a net.Pipe in a test, a Unix socket or a TCP connection, Over
// returns a Transport without a process:
//
//	conn, err := child.Over(socket, socket, child.Options{})
//
// Your own driver has a client.State, and calls Send and Receive.
//
// # Contract
//
//   - The server's standard output has only messages; cmd.Stderr gets its standard error, which is
//     discarded if that is nil.
//   - A stopped Child ends, whatever it does, and so do the processes that it started in its
//     process group: its input ends, SIGTERM follows after Options.Term, and SIGKILL after
//     Options.Kill more (lifecycle, Shutdown). Each Child has its own timers, so ending several
//     takes the time of the slowest. On systems without process groups only the server itself is
//     ended.
//   - A server that ends by itself causes an *EndError: how it exited, its last line on standard
//     error, unless that is an *os.File, and the first line that was not a message.
//   - When a server exits by itself, Receive ends soon, even if another process holds its output
//     open.
//   - A server that does not read its input is stopped: see package pipe.
//   - If a program ends without stopping its Children, even by SIGKILL, they get the end of their input. On
//     Linux they also get SIGTERM, unless cmd.SysProcAttr.Pdeathsig is set; processes that they started do
//     not. Catch SIGINT and SIGTERM and call StopNow. Catch SIGPIPE, so that writing to a server that has
//     ended returns an error and does not end a program whose standard output is the pipe.
//
// # Not promised
//
// How long a misbehaving server lives, beyond the sum of Term, Kill and Linger.
package child
