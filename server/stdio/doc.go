// Package stdio serves one client over a pair of byte streams, as a rule standard input and
// output (transports, stdio). It does I/O, so nothing pure imports it.
//
// # Loop
//
// A server is a Handlers and this:
//
//	err := stdio.Serve(context.Background(), server.Config{Info: info}, h, os.Stdin, os.Stdout, stdio.Options{})
//
// New instead of Serve gives the Server, by which tools, or the rest of the program, tell the
// client something: that lists have changed, that a resource has, a log message.
//
// # Contract
//
//   - Nothing but messages is written to out. What a program prints elsewhere is its own;
//     over standard output it must not print at all (STDIO-008).
//   - Work, queue and end are bounded: see packages host and pipe.
//   - The end of input ends the session, as the specification asks (lifecycle, Shutdown).
//     A client that hangs up otherwise, so that writing fails, ends it at once.
//   - SIGTERM ends the process as ever, unless the program asks for more: with
//     signal.NotifyContext for ctx, open calls may finish.
//
// # Not promised
//
// The wording of errors.
package stdio
