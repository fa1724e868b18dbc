package model_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/randomly"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
)

// failing is a test that may fail. It keeps its log.
type failing struct {
	*testing.T
	log    strings.Builder
	failed bool
}

func (f *failing) Logf(format string, args ...any) { fmt.Fprintf(&f.log, format+"\n", args...) }
func (f *failing) Log(args ...any)                 { fmt.Fprintln(&f.log, args...) }
func (f *failing) Fail()                           { f.failed = true }
func (f *failing) Failed() bool                    { return f.failed }
func (f *failing) Errorf(format string, args ...any) {
	f.Logf(format, args...)
	f.Fail()
}
func (f *failing) Error(args ...any) {
	f.Log(args...)
	f.Fail()
}
func (f *failing) FailNow() {
	f.Fail()
	runtime.Goexit()
}
func (f *failing) Fatalf(format string, args ...any) {
	f.Logf(format, args...)
	f.FailNow()
}
func (f *failing) Fatal(args ...any) {
	f.Log(args...)
	f.FailNow()
}

// broken runs a violated property, and returns what it logs and what it prints.
func broken(t *testing.T, property func(src model.Source) error) (logged, printed string) {
	t.Helper()
	for name, val := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "200ms", "rapid.checks": "500", "rapid.seed": "1"} {
		was := flag.Lookup(name).Value.String()
		if err := flag.Set(name, val); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := flag.Set(name, was); err != nil {
				t.Error(err)
			}
		}()
	}
	f, out, done := &failing{T: t}, strings.Builder{}, make(chan struct{})
	go func() {
		defer close(done)
		randomly.CheckTo(f, &out, property)
	}()
	<-done
	if !f.failed {
		t.Fatal("the property holds")
	}
	return f.log.String(), out.String()
}

// scriptsIn returns the printed transcripts.
func scriptsIn(printed string) (list []string) {
	for part := range strings.SplitSeq(printed, "--------\n") {
		if text, ok := strings.CutPrefix(part, "# "); ok {
			text, _, _ = strings.Cut("# "+text, "\n-----")
			list = append(list, text+"\n")
		}
	}
	return list
}

// mark is the comment where a State differs.
const mark = "# Here the State comes to something else than it should:"

// holds checks that a printed transcript runs with the same result, is small,
// and has a mark above its last step.
func holds(t *testing.T, text, mark string, steps int) *transcript.File {
	t.Helper()
	if err := replay(text, ""); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f, err := transcript.ParseText("random.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Steps) == 0 || len(f.Steps) > steps {
		t.Fatalf("%d steps, want %d at most\n%s", len(f.Steps), steps, text)
	}
	if last := f.Steps[len(f.Steps)-1]; !slices.Contains(last.Comment, mark) {
		t.Errorf("no comment %q above the last step\n%s", mark, text)
	}
	return f
}

// A naive machine with a wrong expectation makes the property fail, and prints
// a transcript of the few relevant steps, with what the State really did and a
// mark where the two differ. Drawn values are not printed.
func TestFailureOfNaive(t *testing.T) {
	for name, c := range map[string]struct {
		party lifecycle.Party
		doubt func(s *model.Step, x *model.Expect)
		steps int
		last  string // in the last step
	}{
		"a server that does not answer ping": {lifecycle.Server, func(s *model.Step, x *model.Expect) {
			if s.Op == verbs.OpReceive && strings.Contains(s.Text, `"method":"ping"`) {
				x.Send = nil
			}
		}, 1, `"method":"ping"`},
		"a server that never gets ready": {lifecycle.Server, func(s *model.Step, x *model.Expect) {
			x.Events = slices.DeleteFunc(x.Events, func(h model.Happening) bool { return h.To == lifecycle.Ready })
		}, 2, "notifications/initialized"},
		"a client that can reset at any time": {lifecycle.Client, func(s *model.Step, x *model.Expect) {
			if s.Op == verbs.OpReset {
				x.Errs = nil
			}
		}, 1, "app reset"},
		"a client that forgets the time": {lifecycle.Client, func(s *model.Step, x *model.Expect) {
			if s.Op == verbs.OpTick {
				x.Send, x.Events = nil, nil
			}
		}, 6, "@ "},
	} {
		t.Run(name, func(t *testing.T) {
			logged, printed := broken(t, func(src model.Source) error {
				run, err := model.NewRun(src, model.RandomSetup(src, c.party), false)
				if err != nil {
					return err
				}
				run.Doubt(c.doubt)
				for range 1 + src.Intn(60) {
					if err := run.Step(); err != nil {
						return err
					}
				}
				return run.Close()
			})
			if n := strings.Count(logged, "draw"); n > 1 || !strings.Contains(logged, "it does not hold") {
				t.Errorf("%d lines of what was drawn:\n%s", n, logged)
			}
			list := scriptsIn(printed)
			if len(list) != 1 {
				t.Fatalf("%d transcripts in\n%s", len(list), printed)
			}
			f := holds(t, list[0], mark, c.steps)
			if last := f.Steps[len(f.Steps)-1].Input; f.Role != c.party || !strings.Contains(last, c.last) {
				t.Errorf("%v, last %s\n%s", f.Role, last, list[0])
			}
		})
	}
}

// The same holds for runs of seeds, which rapid does not shrink: of a long run only the steps
// remain that lead to the failing one, although its handles and ids
// change without the earlier steps.
func TestFailureOfASeed(t *testing.T) {
	for name, c := range map[string]struct {
		party lifecycle.Party
		fault func(s *model.Step, x *model.Expect) bool
		steps int
	}{
		"the answer to a call": {lifecycle.Server, func(s *model.Step, x *model.Expect) bool {
			return s.Op == verbs.OpRespond && len(x.Send) > 0
		}, 4},
		"an answer to a ping": {lifecycle.Client, func(s *model.Step, x *model.Expect) bool {
			return len(x.Events) > 0 && x.Events[0].Kind == lifecycle.ResponseReceived && x.Events[0].Method == "ping"
		}, 4},
		"progress of a call": {lifecycle.Server, func(s *model.Step, x *model.Expect) bool {
			return s.Op == verbs.OpProgress && len(x.Send) > 0
		}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			for seed := int64(0); err == nil && seed < 50; seed++ {
				src := rand.New(rand.NewSource(seed))
				run, e := model.NewTopicRun(src, "notifications/progress", c.party)
				if e != nil {
					t.Fatal(e)
				}
				seen := 0
				run.Doubt(func(s *model.Step, x *model.Expect) {
					if !c.fault(s, x) {
						return
					}
					if seen++; seen > 2 || seen < 0 { // by then much precedes it
						x.Close, seen = model.Why{Kind: lifecycle.CauseAborted}, -1000
					}
				})
				for n := 0; err == nil && n < 200; n++ {
					err = run.Step()
				}
			}
			var out strings.Builder
			if err := model.Print(&out, err); err != nil || out.Len() == 0 {
				t.Fatal("nothing is printed", err)
			}
			holds(t, scriptsIn(out.String())[0], mark, c.steps)
		})
	}
}

// If an end of a Pair fails, both are printed, first the one that took the last step.
func TestFailureOfAPair(t *testing.T) {
	_, printed := broken(t, func(src model.Source) error {
		p, err := model.NewPair(src)
		if err != nil {
			return err
		}
		p.Watch = func(m verbs.Machine, s *model.Step, out lifecycle.Output) error {
			if m.Party() == lifecycle.Server && m.Phase() == lifecycle.Ready {
				return errors.New("too good")
			}
			return nil
		}
		return p.Session()
	})
	list := scriptsIn(printed)
	if len(list) != 2 {
		t.Fatalf("%d transcripts in\n%s", len(list), printed)
	}
	holds(t, list[0], "# too good", 4)
	for i, role := range []string{"server", "client"} {
		if !strings.Contains(list[i], "\n# role: "+role+"\n") {
			t.Errorf("transcript %d is not of the %s\n%s", i, role, list[i])
		}
		if err := replay(list[i], ""); err != nil {
			t.Error(err)
		}
	}
}
