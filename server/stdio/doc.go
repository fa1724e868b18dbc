// Package stdio serves one client over a pair of byte streams, usually standard input and output
// (transports, stdio). It does I/O, so nothing pure imports it.
//
// # Loop
//
// A server needs Handlers and one call:
//
//	err := stdio.Serve(context.Background(), server.Config{Info: info}, h, os.Stdin, os.Stdout, stdio.Options{})
//
// New instead of Serve returns the Server. With its methods tools, or the rest of the program,
// notify the client: that lists or a resource have changed, or of a log message.
//
// # Contract
//
//   - Only messages are written to out. A program that serves over standard output must not
//     print to it (STDIO-008).
//   - Work, queue and end are bounded: see packages host and pipe.
//   - The end of input ends the session, as the specification requires (lifecycle, Shutdown).
//     A client that closes its end for reading, so that writing fails, ends it at once.
//   - SIGTERM ends the process as usual. With signal.NotifyContext for ctx, open calls may
//     finish first.
//
// # Not promised
//
// The wording of errors.
package stdio
