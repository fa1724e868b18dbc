package attempt_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

const sec = time.Second

// thrice tries a call three times with 1 s and 2 s between.
var thrice = attempt.Policy{Retry: backoff.Policy{Base: sec, Attempts: 3}}

var local = attempt.Hints{Local: true}

// schedules are what exactly happens when, in virtual time: testdata has what each writes down.
var schedules = []struct {
	name string
	cfg  attempt.Config
	runs map[string][]run
	do   func(s *sim)
}{
	{
		// Rows D4, D5, D8: one call with retries; the delays are 1 s, 2 s, 4 s.
		name: "retries", cfg: attempt.Config{Policy: attempt.Policy{Retry: backoff.Policy{Base: sec, Attempts: 4}}},
		runs: map[string][]run{
			"flaky": {{sec, bad(toolerror.ConnectionLost)}, {sec, bad(toolerror.Timeout)}, {sec, bad(toolerror.ConnectionLost)}, {sec, good()}},
			"dead":  {{sec, bad(toolerror.ConnectionLost)}},
			"wrong": {{sec, bad(toolerror.Handler)}},
		},
		do: func(s *sim) {
			s.call(attempt.Request{Tool: "flaky", Hints: local})
			s.until(0)
			s.call(attempt.Request{Tool: "dead", Hints: local})
			s.until(0)
			s.call(attempt.Request{Tool: "wrong", Hints: local})
			s.until(0)
		},
	},
	{
		// Row D8: a Base of Immediate tries again in the same step.
		name: "immediate", cfg: attempt.Config{Policy: attempt.Policy{Retry: backoff.Policy{Base: backoff.Immediate, Attempts: 3}}},
		runs: map[string][]run{"dead": {{sec, bad(toolerror.ConnectionLost)}}},
		do: func(s *sim) {
			s.call(attempt.Request{Tool: "dead", Hints: local})
			s.until(0)
		},
	},
	{
		// Row D9: without a hint of somebody who is trusted nothing is tried again that may have
		// had effects; what did not begin is.
		name: "hints", cfg: attempt.Config{Policy: thrice},
		runs: map[string][]run{
			"lost":        {{sec, bad(toolerror.ConnectionLost)}},
			"unavailable": {{sec, bad(toolerror.Unavailable)}, {sec, good()}},
		},
		do: func(s *sim) {
			s.call(attempt.Request{Tool: "lost"})
			s.call(attempt.Request{Tool: "unavailable"})
			s.until(0)
			s.call(attempt.Request{Tool: "lost", Hints: attempt.Hints{Idempotent: true}})
			s.until(0)
			p := thrice
			p.RetryUnsafe = true
			s.call(attempt.Request{Tool: "lost", Policy: &p})
			s.until(0)
		},
	},
	{
		// Rows D7, E21, F "Timeout expiry": each attempt has its time and the call has its own; a
		// late outcome is dropped.
		name: "timeouts", cfg: attempt.Config{Policy: attempt.Policy{Attempt: 2 * sec, Total: 8 * sec, Retry: backoff.Policy{Base: sec, Attempts: 5}}},
		runs: map[string][]run{
			"slow": {{3 * sec, good()}},
			"just": {{2 * sec, good()}},
			"mute": {{takes: -1}},
		},
		do: func(s *sim) {
			s.stubborn = true
			s.call(attempt.Request{Tool: "slow", Hints: local})
			s.until(0)
			s.call(attempt.Request{Tool: "just"})
			s.until(0)
			s.call(attempt.Request{Tool: "mute"})
			s.until(0)
		},
	},
	{
		// The wait that a failure asks for counts if it is longer than the delay, up to Cap.
		name: "after", cfg: attempt.Config{Policy: attempt.Policy{Retry: backoff.Policy{Base: sec, Cap: 10 * sec, Attempts: 3}}},
		runs: map[string][]run{
			"busy": {{0, attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.RateLimited, After: 7 * sec}}}, {0, good()}},
			"long": {{0, attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.Unavailable, After: 11 * sec}}}},
		},
		do: func(s *sim) {
			s.call(attempt.Request{Tool: "busy"})
			s.call(attempt.Request{Tool: "long"})
			s.until(0)
		},
	},
	{
		// Rows D10, D11: one after the other, retries included; failures do not stop it.
		name: "sequential", cfg: attempt.Config{Policy: thrice}, runs: batchRuns(),
		do: func(s *sim) { s.batch(attempt.BatchOptions{}, "a", "flaky", "wrong", "b"); s.until(0) },
	},
	{
		// Rows D10, D11, D12: all at once; the same tool twice runs twice.
		name: "parallel", cfg: attempt.Config{Policy: thrice}, runs: batchRuns(),
		do: func(s *sim) {
			s.batch(attempt.BatchOptions{Strategy: attempt.Parallel}, "b", "flaky", "wrong", "a", "a")
			s.until(0)
		},
	},
	{
		// Row D11: a sliding window; a call between two attempts keeps its place.
		name: "limited", cfg: attempt.Config{Policy: thrice}, runs: batchRuns(),
		do: func(s *sim) {
			s.batch(attempt.BatchOptions{Strategy: 2}, "a", "flaky", "b", "a", "wrong", "a")
			s.until(0)
		},
	},
	{
		// Row D11: an empty batch is done at once.
		name: "empty", do: func(s *sim) { s.batch(attempt.BatchOptions{FailFast: true}) },
	},
	{
		// Row E22: fail-fast, sequential: nothing begins after the failure.
		name: "failfast-sequential", cfg: attempt.Config{Policy: thrice}, runs: batchRuns(),
		do: func(s *sim) { s.batch(attempt.BatchOptions{FailFast: true}, "a", "wrong", "b", "c"); s.until(0) },
	},
	{
		// Row E22: fail-fast, limited and graceful: what runs may end, what waits does not.
		name: "failfast-graceful", cfg: attempt.Config{Policy: thrice}, runs: batchRuns(),
		do: func(s *sim) {
			s.batch(attempt.BatchOptions{FailFast: true, Strategy: 4}, "b", "wrong", "flaky", "mute", "c")
			s.until(0)
		},
	},
	{
		// Row E22: fail-fast, immediate.
		name: "failfast-immediate", cfg: attempt.Config{Policy: thrice}, runs: batchRuns(),
		do: func(s *sim) {
			s.batch(attempt.BatchOptions{FailFast: true, Immediate: true, Strategy: attempt.Parallel}, "b", "wrong", "mute")
			s.until(0)
		},
	},
	{
		// Row E22: a batch is cancelled gracefully; a second time stops what still runs.
		name: "cancel-graceful", cfg: attempt.Config{Policy: thrice}, runs: batchRuns(),
		do: func(s *sim) {
			id := s.batch(attempt.BatchOptions{Strategy: 3}, "b", "mute", "flaky", "a", "a")
			s.until(2 * sec)
			s.cancelBatch(id, "the user left")
			s.until(0)
			s.batch(attempt.BatchOptions{Strategy: 2}, "mute", "a", "a")
			s.until(12 * sec)
			s.cancelBatch(2, "once")
			s.until(13 * sec)
			s.cancelBatch(2, "twice")
			s.until(0)
		},
	},
	{
		// Row E22: a batch is cancelled at once; what comes later is dropped.
		name: "cancel-immediate", cfg: attempt.Config{Policy: thrice}, runs: batchRuns(),
		do: func(s *sim) {
			s.stubborn = true
			id := s.batch(attempt.BatchOptions{Strategy: 2, Immediate: true}, "b", "flaky", "a")
			s.until(1500 * time.Millisecond)
			s.cancelBatch(id, "the user left")
			s.until(0)
		},
	},
	{
		// Row E20: single calls are cancelled while they run, wait, queue and are held.
		name: "cancel-call", cfg: attempt.Config{Policy: thrice, Running: 1}, runs: batchRuns(),
		do: func(s *sim) {
			first := s.call(attempt.Request{Tool: "mute"})
			queued := s.call(attempt.Request{Tool: "a"})
			s.until(sec)
			s.cancel(queued, "not needed")
			s.cancel(first, "too slow")
			s.cancel(first, "again")
			waiting := s.call(attempt.Request{Tool: "flaky", Hints: local})
			s.until(2500 * time.Millisecond)
			s.cancel(waiting, "")
			s.batch(attempt.BatchOptions{}, "b", "a", "c")
			s.cancel(waiting+2, "skipped")
			s.until(0)
		},
	},
	{
		// Rows E22, E23: places and tokens per lane, first come first served within a lane; lane
		// slow does not hold lane fast up.
		name: "lanes", cfg: attempt.Config{Running: 3, Lanes: []attempt.Lane{
			{Name: "slow", Running: 1},
			{Name: "metered", Rate: attempt.Rate{Tokens: 2, Per: 3 * sec, Burst: 2}},
		}},
		runs: batchRuns(),
		do: func(s *sim) {
			for range 3 {
				s.call(attempt.Request{Tool: "b", Lane: "slow"})
			}
			for range 5 {
				s.call(attempt.Request{Tool: "a", Lane: "metered"})
			}
			s.call(attempt.Request{Tool: "c", Lane: "fast"})
			s.until(0)
		},
	},
	{
		// Row E23: a lane that rejects what is over its rate.
		name: "reject", cfg: attempt.Config{Lane: attempt.Lane{Rate: attempt.Rate{Tokens: 1, Per: 3 * sec}, Reject: true}}, runs: batchRuns(),
		do: func(s *sim) {
			s.call(attempt.Request{Tool: "a"})
			s.until(500 * time.Millisecond)
			s.call(attempt.Request{Tool: "a"})
			s.until(3 * sec)
			s.call(attempt.Request{Tool: "a"})
			s.batch(attempt.BatchOptions{Strategy: attempt.Parallel, FailFast: true, Immediate: true}, "a", "b")
			s.until(6 * sec)
			// The first starts and is withdrawn in the same step, since the second is rejected.
			s.batch(attempt.BatchOptions{Strategy: attempt.Parallel, FailFast: true, Immediate: true}, "a", "b")
			s.until(0)
		},
	},
	{
		// Row E22: the queue is bounded; a batch is taken whole or not at all.
		name: "overload", cfg: attempt.Config{Running: 1, Queue: 2, Lanes: []attempt.Lane{{Name: "narrow", Queue: 1}}}, runs: batchRuns(),
		do: func(s *sim) {
			s.call(attempt.Request{Tool: "b"})
			s.call(attempt.Request{Tool: "a", Lane: "narrow"})
			s.call(attempt.Request{Tool: "a", Lane: "narrow"})
			s.batch(attempt.BatchOptions{}, "a", "b")
			s.call(attempt.Request{Tool: "a"})
			s.call(attempt.Request{Tool: "a"})
			s.until(0)
			s.batch(attempt.BatchOptions{}, "a", "b", "c", "a")
			s.batch(attempt.BatchOptions{}, "a", "b", "c")
			s.until(0)
		},
	},
	{
		// A call whose total time is over while it waits for a place or a token ends there.
		name: "total-in-queue", cfg: attempt.Config{Running: 1, Policy: attempt.Policy{Total: 3 * sec, Retry: backoff.Policy{Base: sec, Attempts: 3}}},
		runs: map[string][]run{"long": {{10 * sec, good()}}, "a": {{sec, good()}}, "fails": {{0, bad(toolerror.ConnectionLost)}}},
		do: func(s *sim) {
			s.call(attempt.Request{Tool: "fails", Hints: local})
			s.call(attempt.Request{Tool: "long", Policy: &attempt.Policy{}})
			s.call(attempt.Request{Tool: "a"})
			s.until(0)
		},
	},
}

// batchRuns says how the tools of most batches go.
func batchRuns() map[string][]run {
	return map[string][]run{
		"a":     {{sec, good()}},
		"b":     {{4 * sec, good()}},
		"c":     {{sec / 2, good()}},
		"wrong": {{sec, bad(toolerror.Handler)}},
		"mute":  {{takes: -1}},
		"flaky": {{sec, bad(toolerror.ConnectionLost)}, {sec, bad(toolerror.Timeout)}, {sec, good()}},
	}
}

func (s *sim) cancel(id attempt.CallID, reason string) {
	s.t.Helper()
	x, out, err := s.x.Cancel(s.now, id, reason)
	if err != nil {
		s.note("cancel %d: %v", id, err)
		return
	}
	s.note("cancel %d", id)
	s.take(x, out)
}

func (s *sim) cancelBatch(id attempt.BatchID, reason string) {
	s.t.Helper()
	x, out, err := s.x.CancelBatch(s.now, id, reason)
	if err != nil {
		s.note("cancel batch %d: %v", id, err)
		return
	}
	s.note("cancel batch %d", id)
	s.take(x, out)
}

// TestSchedules is rows D4, D5, D6 (whoever calls need not wait), D7, D8, D9, D10, D11, D12, E20,
// E21, E22, E23, E33 (batches are in scope here) and F7 "Timeout expiry", to the nanosecond.
func TestSchedules(t *testing.T) {
	for _, sc := range schedules {
		t.Run(sc.name, func(t *testing.T) {
			s := newSim(t, sc.cfg, sc.runs)
			sc.do(s)
			golden(t, "schedule-"+sc.name+".txt", s.log.String())
			if st := s.x.Status(); st.Running+st.Waiting+st.Batches > 0 {
				t.Errorf("left over: %+v", st)
			}
		})
	}
}
