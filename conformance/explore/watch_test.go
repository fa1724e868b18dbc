package explore_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/conformance/explore"
)

// A step that does not return is reported with its trace, wherever it is taken, and so is a function in Do.
func TestWatch(t *testing.T) {
	for name, tt := range map[string]struct {
		run   func(w *explore.World[int], lim explore.Limits)
		trace string
		steps int
	}{
		"search": {func(w *explore.World[int], lim explore.Limits) { w.Search(lim) }, "on; on; on 1", 3},
		"walk":   {func(w *explore.World[int], lim explore.Limits) { w.Walk(1, 300, lim) }, "on; on; on 1", 3},
		"replay": {func(w *explore.World[int], lim explore.Limits) { _, _ = w.Replay("on; on; on 1; on", lim) }, "on; on; on 1", 3},
		"nothing": {func(w *explore.World[int], lim explore.Limits) {
			lim.Watch.Do("w", func() { w.Step(3, explore.Action{}, nil) })
		}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stuck, got := make(chan bool), explore.Fault{}
				w := &explore.World[int]{
					Name: "w", Ops: []string{"on"},
					Actions: func(dst []explore.Action, n *int) []explore.Action {
						if *n == 2 {
							return append(dst, explore.Action{Arg: 1})
						}
						return append(dst, explore.Action{})
					},
					Step: func(n int, a explore.Action, _ *explore.Report) (int, bool) {
						time.Sleep(time.Second)
						if a.Arg == 1 || n == 3 {
							<-stuck
						}
						return n + 1, true
					},
					Check: func(*int, *explore.Report) {},
					Form:  func(n *int) []byte { return []byte{byte(*n)} },
				}
				watch := explore.NewWatch(10*time.Second, func(world string, f *explore.Fault) {
					got = *f
					close(stuck)
				})
				defer watch.Stop()
				time.Sleep(time.Minute) // nothing is watched meanwhile
				tt.run(w, explore.Limits{Watch: watch, States: 4})
				if got.Trace != tt.trace || got.Steps != tt.steps || got.What == "" {
					t.Errorf("told of %q in %d steps, %q; want %q in %d", got.Trace, got.Steps, got.What, tt.trace, tt.steps)
				}
			})
		})
	}
}
