// Package verbs drives a session of either role through one set of methods, so that a
// test is written once for both.
//
// A Machine is a server.State or a client.State. A Verb is a transition with its
// arguments, as data: whoever draws, reads, records or repeats transitions deals with
// Verbs, and Machine.Do does them. A Side is one end of a session for a test: a Machine, the
// role, the time of the next step and where failures go. Both are values as a State is:
// keep an old one and go on from it twice; compare two Machines with ==.
//
// After every step a Side checks what holds for all of them: the invariants of the State,
// that PhaseChanged comes exactly when the phase changes, that nothing goes out in a
// phase without messages and nothing after the close action, and that then nothing is due.
package verbs
