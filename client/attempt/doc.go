// Package attempt runs calls of tools under a policy: timeouts of attempts and of calls, retries
// with back-off, batches, and limits of running and waiting calls. It is independent of servers:
// Output says what to start and stop; the driver reports outcomes. Local and remote tools are
// called in the same way.
//
// # Loop
//
// Keep the Executor in a struct field, report what happens, and do what each Output says:
//
//	h.x, out, err = h.x.Call(now, attempt.Request{Tool: "search", Arguments: args})
//	…
//	for _, s := range out.Stop {
//		cancel(s.Attempt) // a request by its id, a function by its context
//	}
//	for _, s := range out.Start {
//		begin(s.Attempt, s.Request) // and later: h.x, out = h.x.Finish(now, s.Attempt, outcome)
//	}
//	for _, r := range out.Done {
//		deliver(r.Call, r.Outcome)
//	}
//
// Between these, wait until NextDeadline and call Tick. FromEvent converts the end of a request to
// an outcome, and FromError any error.
//
// # Contract
//
//   - Each call ends exactly once: with the first success, with the last failure, as a Timeout
//     when its total time is over, or as Cancelled. Each batch is done exactly once, when all its
//     calls have ended, with one result for each request in the order of the requests.
//   - A deadline expires at the first Tick at or after it: an outcome that is reported before
//     counts.
//   - After Stop a later outcome of the attempt is dropped and counted. It never reaches another
//     attempt. An attempt that an Output starts is not stopped in the same Output.
//   - A call that waits for its next attempt keeps its slot in the batch, but not its slot among
//     the running attempts.
//   - A failure is retried only if Retryable and the policy allow it. A call that may have had
//     effects needs a trusted hint, or Policy.RetryUnsafe. A call ends with its last failure at once
//     if its total time is over before the next attempt, or if the failure asks for more time than
//     the longest delay.
//   - Outcome.Delivery is that of the worst attempt of a call: NotSent if none has begun, or if the
//     driver has held all of them (Hold).
//   - Calls start in the order in which they began to wait. A call whose lane is at its limit does
//     not delay calls of other lanes.
//   - Time and randomness are arguments. A zero or earlier time counts as the latest seen.
//   - An Executor is immutable. A verb that returns an error changes nothing.
//   - A step takes time linear in the number of calls that it starts, stops and ends, each O(log n)
//     in the number of live calls. Memory is linear in the live calls and the results of open
//     batches. The arguments of a call are kept until its last attempt begins.
//   - An Executor cannot be restored from a snapshot: its attempts run in one process.
//
// # Not promised
//
// The texts of errors, and the order between the lists of an Output, except that Stop comes before
// Start.
package attempt
