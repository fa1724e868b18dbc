package attempt_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

var update = flag.Bool("update", false, "write the golden files")

// start is when all schedules begin.
var start = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// good and bad are outcomes.
func good() attempt.Outcome { return attempt.Outcome{Result: protocol.TextResult("ok")} }

func bad(kind toolerror.Kind) attempt.Outcome {
	return attempt.Outcome{Err: &toolerror.Error{Kind: kind}}
}

// run says how one attempt goes: how long it takes and what it comes to. A negative time is
// never.
type run struct {
	takes   time.Duration
	outcome attempt.Outcome
}

// sim drives an Executor in virtual time and writes down what happens. It is the whole driver
// that tests need.
type sim struct {
	t    *testing.T
	x    attempt.Executor
	now  time.Time
	runs map[string][]run // by tool, one for each attempt; the last one repeats
	used map[string]int
	busy []ending // attempts that run, stopped ones included
	log  bytes.Buffer
	// stubborn attempts do not heed Stop: they end later, when nobody waits.
	stubborn bool
	live     map[attempt.Attempt]bool
}

type ending struct {
	at      time.Time
	attempt attempt.Attempt
	outcome attempt.Outcome
}

func newSim(t *testing.T, cfg attempt.Config, runs map[string][]run) *sim {
	t.Helper()
	x, err := attempt.New(cfg, start)
	if err != nil {
		t.Fatal(err)
	}
	return &sim{t: t, x: x, now: start, runs: runs, used: map[string]int{}, live: map[attempt.Attempt]bool{}}
}

func (s *sim) note(format string, args ...any) {
	fmt.Fprintf(&s.log, "%9s  ", "+"+s.now.Sub(start).String())
	fmt.Fprintf(&s.log, format+"\n", args...)
}

// outcome writes an outcome in a few words.
func outcome(o attempt.Outcome) string {
	var b strings.Builder
	if o.Err == nil {
		b.WriteString("ok")
	} else {
		b.WriteString(o.Err.Kind.Code())
		if o.Err.After > 0 {
			fmt.Fprintf(&b, " after %v", o.Err.After)
		}
		if o.Err.Text != "" {
			fmt.Fprintf(&b, " (%s)", o.Err.Text)
		}
	}
	fmt.Fprintf(&b, ", attempts %d, took %v", o.Attempts, o.Elapsed)
	return b.String()
}

// take keeps the next Executor and does what the Output asks for.
func (s *sim) take(x attempt.Executor, out attempt.Output) attempt.Output {
	s.t.Helper()
	s.x = x
	if err := x.Check(); err != nil {
		s.t.Fatalf("%v\n%s", err, s.log.String())
	}
	if out.LateFinish {
		s.note("late outcome dropped")
	}
	for _, p := range out.Stop {
		s.note("stop   %v: %s%s", p.Attempt, p.Why.Code(), parenthesis(p.Reason))
		delete(s.live, p.Attempt)
		if !s.stubborn {
			s.busy = slices.DeleteFunc(s.busy, func(e ending) bool { return e.attempt == p.Attempt })
		}
	}
	for _, st := range out.Start {
		until := ""
		if !st.Deadline.IsZero() {
			until = ", until +" + st.Deadline.Sub(start).String()
		}
		args := ""
		if st.Request.Arguments != "" {
			args = " " + string(st.Request.Arguments)
		}
		s.note("start  %v: %s%s%s", st.Attempt, st.Request.Tool, args, until)
		s.live[st.Attempt] = true
		list := s.runs[st.Request.Tool]
		n := s.used[st.Request.Tool]
		s.used[st.Request.Tool]++
		if len(list) == 0 {
			s.t.Fatalf("nobody says how %s goes", st.Request.Tool)
		}
		if r := list[min(n, len(list)-1)]; r.takes >= 0 {
			s.busy = append(s.busy, ending{s.now.Add(r.takes), st.Attempt, r.outcome})
		}
	}
	for _, d := range out.Done {
		where := ""
		if d.Batch != 0 {
			where = fmt.Sprintf(" (batch %d, index %d)", d.Batch, d.Index)
		}
		s.note("done   %d: %s%s: %s", d.Call, d.Tool, where, outcome(d.Outcome))
	}
	for _, b := range out.Batches {
		var list []string
		for _, r := range b.Results {
			word := "ok"
			if r.Outcome.Err != nil {
				word = r.Outcome.Err.Kind.Code()
			}
			list = append(list, r.Tool+"="+word)
		}
		s.note("batch  %d: [%s], first failure %d", b.Batch, strings.Join(list, " "), b.Failed)
	}
	return out
}

func parenthesis(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func (s *sim) call(r attempt.Request) attempt.CallID {
	s.t.Helper()
	x, out, err := s.x.Call(s.now, r)
	if err != nil {
		s.note("call   %s: %v", r.Tool, err)
		return 0
	}
	s.note("call   %d: %s", out.Call, r.Tool)
	s.take(x, out)
	return out.Call
}

func (s *sim) batch(opt attempt.BatchOptions, tools ...string) attempt.BatchID {
	s.t.Helper()
	list := make([]attempt.Request, len(tools))
	for i, name := range tools {
		list[i] = attempt.Request{Tool: name, Hints: attempt.Hints{Local: true}}
	}
	x, out, err := s.x.Start(s.now, list, opt)
	if err != nil {
		s.note("batch  %v: %v", tools, err)
		return 0
	}
	how := "sequential"
	switch {
	case opt.Strategy == attempt.Parallel:
		how = "parallel"
	case opt.Strategy > 1:
		how = fmt.Sprint("limit ", opt.Strategy)
	}
	s.note("batch  %d: %v, %v", out.Batch, how, tools)
	s.take(x, out)
	return out.Batch
}

// until goes on until the given time, or with zero until nothing happens any more.
func (s *sim) until(d time.Duration) {
	s.t.Helper()
	end := start.Add(d)
	for range 10000 {
		var next time.Time
		which := -1
		for i, e := range s.busy {
			if which < 0 || e.at.Before(next) {
				which, next = i, e.at
			}
		}
		tick, due := s.x.NextDeadline()
		// What ends and is due at the same instant is told first.
		if due && (which < 0 || tick.Before(next)) {
			which, next = -1, tick
		}
		if which < 0 && !due || d > 0 && next.After(end) {
			if d > 0 {
				s.now = end
			}
			return
		}
		s.now = next
		if which >= 0 {
			e := s.busy[which]
			s.busy = slices.Delete(s.busy, which, which+1)
			s.note("ended  %v", e.attempt)
			x, out := s.x.Finish(s.now, e.attempt, e.outcome)
			if !out.LateFinish && !s.live[e.attempt] {
				s.t.Fatalf("%v was stopped and its outcome was taken", e.attempt)
			}
			delete(s.live, e.attempt)
			s.take(x, out)
			continue
		}
		x, out := s.x.Tick(s.now)
		s.take(x, out)
		if after, ok := x.NextDeadline(); ok && !after.After(s.now) {
			s.t.Fatalf("after Tick(%v) the next deadline is %v\n%s", s.now, after, s.log.String())
		}
	}
	s.t.Fatalf("it does not end\n%s", s.log.String())
}
