// Package stdio serves one client over a pair of byte streams, usually standard input and output
// (transports, stdio). It does I/O; no pure package imports it.
//
// # Loop
//
// A server is a Handlers and this:
//
//	err := stdio.Serve(context.Background(), server.Config{Info: info}, h, os.Stdin, os.Stdout, stdio.Options{})
//
// New instead of Serve gives the Server, with which the program sends notifications to the client:
// changed lists, changed resources, log messages.
//
// # Contract
//
//   - Only messages are written to out. If that is standard output, the program must not print to
//     it (STDIO-008).
//   - Work, queue and end are bounded: see packages host and pipe.
//   - The end of input ends the session, as the specification asks (lifecycle, Shutdown). If
//     writing fails, it ends at once.
//   - SIGTERM ends the process, as by default. With signal.NotifyContext for ctx, open calls may
//     finish.
//
// # Not promised
//
// The wording of errors.
package stdio
