// Package exec runs calls of tools under a policy: timeouts of attempts and of calls, retries
// with back-off, batches under a strategy, limits of what runs and waits. It is a machine with
// explicit time that knows nothing of servers: its outputs say what to start and what to stop,
// and outcomes are handed in. Local and remote tools are called alike.
//
// # Loop
//
// Keep the Executor in a struct field, hand in what happens, and do what each Output asks for:
//
//	h.x, out, err = h.x.Call(now, exec.Request{Tool: "search", Arguments: args})
//	…
//	for _, s := range out.Stop {
//		cancel(s.Attempt) // a request by its id, a function by its context
//	}
//	for _, s := range out.Start {
//		begin(s.Attempt, s.Request) // and later: h.x, out = h.x.Resolve(now, s.Attempt, outcome)
//	}
//	for _, r := range out.Done {
//		answer(r.Call, r.Outcome)
//	}
//
// Between these, wait until NextDeadline and call Tick. FromEvent, FromError and Normalize make
// outcomes of what a session, a program or a tool says.
//
// # Contract
//
//   - Each call settles exactly once: with the first good outcome, with the last failure, as a
//     Timeout when its total time is over, or as Cancelled. Each batch is done exactly once, when
//     all its calls have settled, with one result for each request in the order of the requests.
//   - A deadline is due at its very instant, and not before Tick: an outcome that is handed in
//     first counts.
//   - After Stop nobody waits for the attempt. What it comes to later is dropped and counted; it
//     never reaches another attempt. An attempt that an Output starts is not stopped in the same
//     Output.
//   - A call that waits for its next attempt keeps its place in the batch, but not its place among
//     the attempts that run.
//   - A failure is tried again only where Retryable and the policy allow it: after an attempt that
//     may have had effects not without a hint that is trusted, or Policy.Unsafe. There is no
//     waiting for an attempt that would come when the total time is over: the call ends with its
//     last failure at once. Nor for a failure that asks for more time than the longest delay.
//   - Calls start in the order in which they began to wait, but for those whose lane is at its
//     limit: nobody else waits for them. No more attempts run than the limits say.
//   - Time and randomness are arguments. A zero or earlier time counts as the latest seen.
//   - No verb changes the Executor that it is called on. A verb that returns an error changes
//     nothing.
//   - A step takes time in proportion to what it starts, stops and settles, each with the logarithm
//     of the number of live calls. Memory is in proportion to the live calls and to the results of
//     batches that are not done; the arguments of a call are kept until its last attempt begins.
//   - An Executor stays with its process: attempts run behind it, which nothing moves.
//
// # Not promised
//
// The texts of errors, and the order between the lists of an Output, but that Stop comes before
// Start.
package exec
