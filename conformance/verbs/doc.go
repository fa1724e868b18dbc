// Package verbs drives a session of either role through one set of methods, so that one
// test covers both.
//
// A Machine is a server.State or a client.State. A Verb is a transition with its
// arguments, as data: code that draws, reads, records or repeats transitions uses
// Verbs, and Machine.Do does them. A Side is one end of a session for a test: a Machine, the
// role, the time of the next step and the test for failures. Both are values like a State:
// keep an old one and continue from it twice; compare two Machines with ==.
//
// After every step a Side checks its invariants: those of the State,
// that PhaseChanged occurs exactly when the phase changes, that nothing is sent in a
// phase without messages or after the close action, and that then no deadline is left.
package verbs
