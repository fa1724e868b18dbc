// Package stdio is the driver of the example programs: it runs a server.State over a pair
// of byte streams, and starts, feeds and ends the servers of a client. What a session does
// is in the State; here is what only a driver can do, a file each:
//
//   - host.go, the loop: one goroutine owns the State, whatever happens comes to it.
//   - writer.go: what is to be sent waits in a queue bounded by bytes, so that reading
//     never waits for writing.
//   - read.go: the messages of a stream.
//   - jobs.go: functions run beside the loop, so many at a time, each until its call ends.
//   - caller.go: the way back of a call to its session.
//   - child.go: a server as a child process, which is gone soon after its client.
//
// A server is four lines:
//
//	host := stdio.NewHost(os.Stdout, stdio.Options{})
//	s, err := server.New(config, time.Now()) // with the Catalog and Serve of the Handlers
//	…
//	err = host.Serve(s, handlers, os.Stdin)
//
// # What is bounded
//
// A peer that does not read: its queue fills up to Options.QueueBytes, then the loop takes
// nothing in that could make it longer, neither messages nor the answers of functions, and
// goes on when there is room. A peer that waits for us to read before it reads would wait
// for ever, so after Options.Stall in which it has read nothing the connection is closed
// with ErrStalled.
//
// Work: Options.MaxRunning functions run at a time. One whose call has ended counts until
// it returns, for that is how long it costs something; its context tells it to. Calls
// beyond that wait, up to Options.MaxWaiting and Options.CallBytes, then they are refused.
//
// The end: after the end of input open calls have Options.Drain to finish, then their
// functions are told and Serve returns, whether they listen or not.
//
// A function that panics ends the program, as everywhere in Go.
package stdio
