// Package child runs the servers of a client as child processes, and communicates over their
// standard input and output (transports, stdio). It does I/O; no pure package imports it.
//
// # Loop
//
// A Child is a transport for package client/session, which runs the session:
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
//   - The server writes messages to standard output; cmd.Stderr gets its standard error, which is
//     discarded if that is nil.
//   - A stopped Child always ends, with all processes in its process group: its input ends, after
//     Options.Term it gets SIGTERM, and Options.Kill later SIGKILL (lifecycle, Shutdown). The times
//     of Children run in parallel, so ending several takes as long as the slowest. Without process
//     groups only the server itself is ended.
//   - The unexpected end of a server is an *EndError: how it exited, its last line on standard
//     error, unless that is an *os.File, and the first line that was not a message.
//   - A server that exits by itself ends Receive soon, even if another process holds its output.
//   - A server that does not read is stopped: see package pipe.
//   - A program that ends without stopping its Children, killed or not, closes their input. On Linux they get SIGTERM
//     too, unless cmd.SysProcAttr.Pdeathsig is set; their own children do not. Catch SIGINT and SIGTERM and call
//     StopNow; catch SIGPIPE, so that writing to an ended server fails instead of ending a program whose standard
//     output is the pipe.
//
// # Not promised
//
// How long a misbehaving server lives, beyond the sum of Term, Kill and Linger.
package child
