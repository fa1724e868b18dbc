// Package streams is the server's end of Streamable HTTP as a value beside a server.State:
// which stream a message goes out on, what is kept of it, and who may read it again.
//
// # Loop
//
// Messages are not pushed to connections but pulled by them. A session over HTTP is a State
// and a Streams. Whatever happens is a transition of both, and no I/O:
//
//	d.s, out = d.h.Receive(d.s, now, m)              // a POST
//	d.x, d.s, reply, eff = d.x.Post(d.s, now, m, out)
//	d.x, d.s, eff = d.x.Handle(s, now, out)          // every other Output
//	d.x, d.s, c, eff, err = d.x.Listen(d.s, now)     // a GET
//	d.x, d.s, c, after, eff, err = d.x.Resume(d.s, now, lastEventID)
//	d.x, d.s, eff = d.x.Detach(d.s, now, c)          // a connection is gone
//	d.x, d.s, eff = d.x.Tick(d.s, now)               // NextDeadline has come
//
// A connection, which is one HTTP response with SSE, has a Conn and a cursor. It reads what
// stands after its cursor in the newest Streams, writes that, and waits until the stream is
// among Effects.Touched:
//
//	for after := 0; ; {
//		events, end := newest().Read(c, after)
//		for _, e := range events {
//			write(e) // id, data, retry
//			after = e.N
//		}
//		if end != streams.Open {
//			break
//		}
//		wait(c.Stream)
//	}
//
// So no message is ever handed to a connection that may be dead. It stands in the value until
// Options end it, any process that has the value may serve the stream, and a slow reader
// costs what the value keeps for it.
//
// The response to a POST is JSON while that is possible: wait a little, and if Answer has it,
// write that and call Answered; otherwise call Begin and read.
//
// # Contract
//
//   - A Streams is never changed; every transition returns the next. It goes with the State
//     of the same step: keep both together, and store both or neither.
//   - Each message goes out on one stream, and no stream has one twice (HTTP-032, HTTP-033). An
//     answer stands on the stream of the POST that asked, and on no GET stream but one that
//     resumes it (HTTP-028).
//   - A client that resumes with the id of the last event that it has gets what follows, once
//     and in order, and nothing of another stream (HTTP-038, HTTP-039).
//   - Nothing is lost but by Options, and then it is told: to the client by Dropped and
//     ErrDropped, to the driver by Effects.Lost. A request of ours that is lost fails with
//     CauseNotSent. What Wrote told of counts as arrived until its client resumes before it: HTTP
//     has no other word of that. So what was written to a connection that died, with a client that
//     does not come back to its stream, is gone without Lost or Dropped; it is not sent on another
//     stream, where it could come twice (HTTP-033).
//   - A lost connection cancels nothing (HTTP-020). A call whose answer can reach no client is
//     given up: Options.Grace after its connection was lost, if its client can have no event id to
//     come back with, else Options.Keep after. What is sent within the call does not put that off.
//   - What is kept is bounded, whatever the client does: docs/limits.md. Event ids that the
//     client made up are ErrEvent.
//   - Event ids are stream-number, unique in the session, and never used again. Number 1 is that of
//     the priming event (HTTP-103); messages follow from 2 on.
//   - Time is an argument. A zero or earlier time counts as the latest seen.
//   - No transition is linear in the streams that are open or the events that are kept, but
//     for the end of the session and DetachAll; Snapshot and Restore are. What waits for a GET
//     stream is moved to one once, and what is given up is counted once.
//
// # What is decided here
//
// A call that the client cancels gets no answer: its stream ends without one, and the
// response to the POST is an SSE stream that ends. A POST whose connection is lost before
// Begin, or before its client can have an event id, cannot be resumed: its messages are given
// up as they come. Messages that belong to no call wait for a GET stream for Options.Keep;
// those that were not written to one go to the next if no client comes back for it.
//
// When MaxBytes is reached, these go first: events that were written, of streams that have
// ended, then of those without a connection, then of the rest; then those that wait, of
// streams that have ended, of no stream, of those without a connection; then those that a
// slow connection has not read; then answers. Answers that wait have MaxAnswers for
// themselves, so that a large one pushes nothing out.
//
// # Not promised
//
// Which of several GET streams gets a message, the form of a Snapshot, and how much is kept
// beside the limits.
package streams
