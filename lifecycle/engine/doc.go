// Package engine is the machine that both roles share: the rules of JSON-RPC, of the phases
// and of requests in flight. Packages server and client are its only users.
//
// A Core has two halves. The requests are the two tables of what is open, with the clock,
// the numbers, the progress tokens and the rates: they know no phase. The session is the
// phase, the profile that the handshake negotiated, the keepalive and the end: it knows no
// single request. Core joins them, and a role puts its features on top.
//
// What is particular to a method is in its row (protocol.Row): the engine asks the row and
// knows five methods by name, those that it handles itself: initialize,
// notifications/initialized, ping, notifications/cancelled and notifications/progress. It
// knows its role as data (Env.Self, Env.Opens) that it hands to the rows and to the
// transition table.
//
// A message comes in by Receive, which leaves to the role an Intake: a request that passed
// all gates, to be answered at once or to Enter among those that await the application, a
// notification, or the answer to initialize. What the application sends goes out by Send,
// Notify, Progress, Cancel, Respond and Fail. Time passes by Clock and Tick.
//
// # Loop
//
// A dispatcher keeps a [Core] by value in its State. A transition copies the State
// once, works on the copy through the pointer methods of Core, which append to an
// Output, and returns the copy:
//
//	func (s State) Tick(now time.Time) (State, lifecycle.Output) {
//		var o lifecycle.Output
//		s.core.Clock(now)
//		s.core.Tick(&o)
//		return s, o
//	}
//
// # Contract
//
//   - Nothing behind a pointer of a Core is ever changed, so that copies are
//     independent.
//   - A method that returns an error has changed nothing and sent nothing.
//   - What a Core keeps of a message is copied out of it.
//   - [Core.Check] states the invariants, which stand at the types of the two halves.
//
// # Floors
//
// Each file uses what stands before it in this list, and nothing that comes after it, be it
// a call, a type or a field; a test holds it to that.
//
//	floor real meant hash rate env clock uris emit
//	floor tokens requests still inbound outbound progress rounds within
//	floor session core lacks stateless listens send probe invalid batch receive respond end skip
//	floor fields writer check snapshot restore
//
// # Not promised
//
// Names and signatures; the order of fields; the cost of Inbound and Outbound, which is
// linear in what is open.
package engine
