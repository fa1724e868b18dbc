// Package backoff decides when to retry: growing delays, a circuit breaker, and the severity of
// failures.
//
// # Loop
//
// A caller counts the attempts and keeps a generator for the jitter:
//
//	m.random, u = m.random.Next()
//	wait := policy.Delay(attempt, u) // before the attempt after this one
//	if policy.Exhausted(attempt) { … } // no further attempt
//
// Ask a breaker before each attempt, and report each outcome to it:
//
//	m.breaker, ok = m.breaker.Allow(now)
//	if !ok { … }                          // wait until m.breaker.Until()
//	m.breaker = m.breaker.Succeeded(now)  // or Failed, or Released
//
// # Contract
//
//   - Everything is a value: no method changes its receiver. Time and randomness are arguments.
//   - Delays are the same on every machine, to the nanosecond. They never overflow; Cap bounds them
//     after jitter too.
//   - A zero or earlier time counts as the latest that the breaker has seen.
//   - A Breaker that never learns the outcome of an attempt frees its place after another Cooldown.
//   - AppendJSON and RestoreBreaker move a breaker to another process, with the remaining times. A
//     Policy is configuration and a Random a number.
//
// # Not promised
//
// The texts of errors, and the sequence of Random.
package backoff
