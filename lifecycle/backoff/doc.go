// Package backoff says when to try again, and when not to: delays that grow, a circuit breaker,
// and how severe a failure is.
//
// # Loop
//
// A caller counts the attempts and keeps a generator for the jitter:
//
//	m.random, u = m.random.Next()
//	wait := policy.Delay(attempt, u) // before the attempt after this one
//	if policy.Exhausted(attempt) { … } // no further attempt
//
// A breaker is asked before each attempt and told of each outcome:
//
//	m.breaker, ok = m.breaker.Allow(now)
//	if !ok { … }                          // wait until m.breaker.Until()
//	m.breaker = m.breaker.Succeeded(now)  // or Failed, or Released
//
// # Contract
//
//   - Everything is a value: no method changes its receiver. Time and randomness are arguments.
//   - Delays are the same on every machine, down to the nanosecond. They never overflow, and
//     Cap bounds them after jitter too.
//   - A zero or earlier time counts as the latest that the breaker has seen.
//   - A Breaker that allowed an attempt whose outcome it is never told does not stay shut: the
//     place is free again after another Cooldown.
//   - AppendJSON and RestoreBreaker carry a breaker to another process; times are written as
//     what is left of them. A Policy is configuration and a Random a number: they need no
//     more.
//
// # Not promised
//
// The texts of errors, and the sequence of Random.
package backoff
