package calls

import (
	"testing"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// A call that ends in the step in which its turn comes has not been sent, whether Close ends it
// or its batch. (conformance/explore, calls/lane: "call; time; call; call; cancel; call")
func TestEndedBeforeItBegan(t *testing.T) {
	begin := func(running int) *world {
		cfg := callerConfig()
		cfg.Catalog = plainly(catalog.Config{Sources: names("a")})
		cfg.Attempts.Lane.Running = running
		w := newWorld(t, cfg)
		w.connect("a", &fake{tools: []string{"t"}})
		w.servers["a"].mute = true
		return w
	}
	for what, end := range map[string]func() (*world, attempt.CallID){
		"close": func() (*world, attempt.CallID) {
			w := begin(1)
			w.call("t", "")
			id := w.call("t", "")
			w.take(w.c.Close(w.now))
			return w, id
		},
		"batch": func() (*world, attempt.CallID) { // the first fails, for its server is away
			w := begin(0)
			w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
				m, out := m.Disconnect(w.now, "a")
				return m, out, nil
			}))
			out := w.do(w.c.Batch(w.now, []Request{{Name: "t"}, {Name: "t"}}, attempt.BatchOptions{Strategy: attempt.Parallel, FailFast: true, Immediate: true}))
			return w, out.Call + 1
		},
	} {
		w, id := end()
		if o, ok := w.result(id); !ok || o.Err == nil || o.Delivery != lifecycle.NotSent || lifecycle.DeliveryOf(o.Err) != lifecycle.NotSent {
			t.Errorf("%s: %+v, %v: %v", what, o, ok, lifecycle.DeliveryOf(o.Err))
		}
		if n := len(w.servers["a"].calls); n > 1 {
			t.Errorf("%s: %d calls went out", what, n)
		}
	}
}
