// Package streams is the server's end of Streamable HTTP as a value that accompanies a
// server.State: it decides which stream a message is sent on, what is kept of it, and which client
// may read it again.
//
// # Loop
//
// Messages are not pushed to connections; connections pull them. A session over HTTP is a State and
// a Streams. Each change is a transition of both, without I/O:
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
// after its cursor in the newest Streams, writes them, and waits until the stream is in
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
// So no message is ever handed to a connection that may be dead. It stays in the value until
// Options drop it, any process that has the value may serve the stream, and a slow reader costs
// only what the value keeps for it.
//
// The response to a POST is JSON if possible: wait a little, and if Answer has it, write that and
// call Answered; otherwise call Begin and read.
//
// # Contract
//
//   - A Streams is never changed; every transition returns the next. It belongs to the State
//     of the same step: keep both together, and store both or neither.
//   - Each message is sent on one stream, and no stream has it twice (HTTP-032, HTTP-033). An
//     answer is on the stream of the POST that asked, and on no GET stream except one that
//     resumes it (HTTP-028).
//   - A client that resumes with the id of its last event gets what follows, once and in
//     order, and nothing of another stream (HTTP-038, HTTP-039).
//   - Messages are dropped only as Options say, and the drop is reported: to the client by
//     Dropped and ErrDropped, to the driver by Effects.Lost. An outbound request that is
//     dropped fails with CauseNotSent. Events reported by Wrote count as received until the
//     client resumes before them, because HTTP confirms nothing. So what was written to a
//     connection that died is lost without Lost or Dropped if its client does not come back
//     to the stream; it is not sent on another stream, where it could arrive twice (HTTP-033).
//   - A lost connection cancels nothing (HTTP-020). A call whose answer can reach no client is
//     abandoned: Options.Grace after its connection was lost, if its client can have no event
//     id to come back with, otherwise after Options.Keep. Messages within the call do not
//     extend that time.
//   - What is kept is bounded, whatever the client does: docs/limits.md. Event ids that the
//     client made up are ErrEvent.
//   - Event ids are stream-number, unique in the session, and never used again. Number 1 is
//     the priming event (HTTP-103); messages have 2 and above.
//   - Time is an argument. A zero or earlier time counts as the latest seen.
//   - No transition is linear in the open streams or the kept events, except the end of the
//     session and DetachAll; Snapshot and Restore are. A message that waits for a GET stream
//     is moved to one once, and a dropped one is counted once.
//
// # Decisions
//
// A call that the client cancels gets no answer: its stream ends without one, and the response to
// the POST is an SSE stream that ends. A POST whose connection is lost before Begin, or before its
// client can have an event id, cannot be resumed: its messages are dropped as they come. Messages
// outside of calls wait for a GET stream for Options.Keep. Those that were not written to one go to
// the next if the client does not resume it.
//
// At MaxBytes, these are dropped first: events that were written, first those of ended streams,
// then those without a connection, then the others; then events that wait, of ended streams, of no
// stream, of those without a connection; then those that a slow connection has not read; then
// answers. Answers that wait have MaxAnswers for themselves, so that a large one displaces nothing
// else.
//
// # Not promised
//
// Which of several GET streams gets a message, the form of a Snapshot, and how much is kept in
// addition to the limits.
package streams
