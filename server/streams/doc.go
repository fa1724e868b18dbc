// Package streams is the server's end of Streamable HTTP as a value, used with a server.State: it
// routes messages to streams, keeps them, and lets connections resume.
//
// # Loop
//
// Messages are not pushed to connections but pulled by them. A session over HTTP is a State and a
// Streams. Each change is a transition of both, without I/O:
//
//	d.s, out = d.h.Receive(d.s, now, m)              // a POST
//	d.x, d.s, reply, eff = d.x.Post(d.s, now, m, out)
//	d.x, d.s, eff = d.x.Handle(s, now, out)          // every other Output
//	d.x, d.s, c, eff, err = d.x.Listen(d.s, now)     // a GET
//	d.x, d.s, c, after, eff, err = d.x.Resume(d.s, now, lastEventID)
//	d.x, d.s, eff = d.x.Detach(d.s, now, c)          // a connection is gone
//	d.x, d.s, eff = d.x.Tick(d.s, now)               // NextDeadline has come
//
// A connection, which is one HTTP response with SSE, has a Conn and a cursor. It reads the events
// after its cursor from the newest Streams, writes them, and waits until the stream is in
// Effects.Touched:
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
// So messages are never given to a connection that may be dead. They stay in the value within
// Options, any process with the value can serve the stream, and a slow reader costs only what the
// value keeps.
//
// The response to a POST should be JSON if possible: wait briefly, and if Answer has it, write it
// and call Answered; otherwise call Begin and read.
//
// # Contract
//
//   - A Streams is immutable; every transition returns the next. Store it together with the State
//     of the same step.
//   - Each message goes out on one stream, and no stream has one twice (HTTP-032, HTTP-033). An
//     answer is on the stream of its POST, and on no GET stream except one that resumes it
//     (HTTP-028).
//   - A client that resumes with the id of its last event gets the following ones, once and in
//     order, and nothing of another stream (HTTP-038, HTTP-039).
//   - Messages are lost only by Options, and losses are reported: to the client by Dropped and
//     ErrDropped, to the driver by Effects.Lost. A lost outbound request fails with CauseNotSent.
//     Events reported by Wrote count as received until their client resumes before them, because
//     HTTP has no acknowledgement. So events written to a connection that died, whose client does
//     not resume its stream, are lost without Lost or Dropped; they are not sent on another stream,
//     where they could arrive twice (HTTP-033).
//   - A lost connection cancels nothing (HTTP-020). A call whose answer can no longer be delivered
//     ends: Options.Grace after its connection was lost without an event id, otherwise Options.Keep
//     after that. Messages within the call do not extend this.
//   - Memory is bounded: docs/limits.md. Invented event ids are ErrEvent.
//   - Event ids are stream-number, unique in the session, and never used again. Number 1 is that of
//     the priming event (HTTP-103); messages follow from 2 on.
//   - Time is an argument. A zero or earlier time counts as the latest seen.
//   - Only the end of the session, DetachAll, Snapshot and Restore take time linear in open streams
//     or kept events. A message that waits for a GET stream moves to one once, and a dropped one is
//     counted once.
//
// # Decisions
//
// A cancelled call gets no answer: its stream ends without one, and the response to the POST is an
// SSE stream that ends. A POST whose connection is lost before Begin, or without an event id,
// cannot be resumed: its messages are dropped. Messages outside of calls wait for a GET stream for
// Options.Keep; those that were not written to one go to the next if no client resumes it.
//
// When MaxBytes is reached, these go first: events that were written, of streams that have ended,
// then of those without a connection, then of the rest; then those that wait, of streams that have
// ended, of no stream, of those without a connection; then those that a slow connection has not
// read; then answers. Waiting answers have their own limit, MaxAnswers, so a large one displaces
// nothing else.
//
// # Not promised
//
// Which of several GET streams gets a message, and the format of a Snapshot.
package streams
