// Package engine is the machine that both roles share: the tables of inbound and
// outbound requests, deadlines, progress, cancellation, and the end of a session.
// It has no compatibility promise: packages server and client are its only users.
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
//   - [Core.Check] states the invariants.
//
// # Not promised
//
// Names and signatures; the order of fields; the cost of [Core.Inbound] and
// [Core.Outbound], which is linear in what is open.
package engine
