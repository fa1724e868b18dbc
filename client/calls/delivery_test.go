package calls

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// TestDelivery: a call that has waited for a list or a server, and for nothing else, was not sent,
// whatever ends it. One that went out may have run, also if a later attempt does not get so far.
func TestDelivery(t *testing.T) {
	strict := `{"name":"x","inputSchema":{"type":"object","required":["n"]}}`
	second := attempt.Policy{Attempt: time.Second}
	again := attempt.Policy{Attempt: time.Second, RetryUnsafe: true, Retry: backoff.Policy{Base: time.Second, Attempts: 2}}
	cancel := func(w *world, id attempt.CallID) { w.do(w.c.Cancel(w.now, id, "")) }
	late := func(w *world, _ attempt.CallID) { w.sleep(time.Second) }
	release := func(w *world, _ attempt.CallID) { w.release("a") }
	for name, c := range map[string]struct {
		slow   bool // it waits for the list
		tool   string
		args   protocol.Raw
		policy attempt.Policy
		then   func(w *world, id attempt.CallID)
		want   lifecycle.Delivery
	}{
		"waits, cancelled":       {true, "x", `{"n":1}`, second, cancel, lifecycle.NotSent},
		"waits, out of time":     {true, "x", `{"n":1}`, second, late, lifecycle.NotSent},
		"waits, closed":          {true, "x", `{"n":1}`, second, func(w *world, _ attempt.CallID) { w.take(w.c.Close(w.now)) }, lifecycle.NotSent},
		"waits, wrong arguments": {true, "x", `{}`, second, release, lifecycle.NotSent},
		"waits, no such tool":    {true, "y", `{}`, second, release, lifecycle.NotSent},
		"waits, answered":        {true, "x", `{"n":1}`, second, release, lifecycle.Answered},
		"wrong arguments":        {false, "x", `{}`, second, release, lifecycle.NotSent},
		"no such tool":           {false, "y", `{}`, second, release, lifecycle.NotSent},
		"sent, cancelled":        {false, "x", `{"n":1}`, second, cancel, lifecycle.MayHaveRun},
		"sent, out of time":      {false, "x", `{"n":1}`, second, late, lifecycle.MayHaveRun},
		"sent, lost":             {false, "x", `{"n":1}`, second, func(w *world, _ attempt.CallID) { w.lose("a") }, lifecycle.MayHaveRun},
		"sent, lost, then away": {false, "x", `{"n":1}`, again, func(w *world, _ attempt.CallID) {
			w.servers["a"].deaf = true
			w.lose("a")
			w.sleep(time.Second)
		}, lifecycle.MayHaveRun},
		"waits, then sent, out of time": {true, "x", `{"n":1}`, second, func(w *world, id attempt.CallID) {
			w.servers["a"].mute = true
			for _, line := range w.servers["a"].held {
				w.say("a", w.servers["a"].answers(line))
			}
			w.sleep(time.Second)
		}, lifecycle.MayHaveRun},
	} {
		a := &fake{tools: []string{strict}, slow: c.slow}
		w := start(t, catalog.Config{Sources: names("a"), Lazy: c.slow}, a)
		a.mute = !c.slow
		id := w.do(w.c.Call(w.now, Request{Name: c.tool, Arguments: c.args, Policy: &c.policy})).Call
		if len(w.out.Done) == 0 {
			c.then(w, id)
		}
		o, ok := w.result(id)
		if !ok || o.Delivery != c.want || o.Err != nil && lifecycle.DeliveryOf(o.Err) != c.want || (o.Err == nil) != (c.want == lifecycle.Answered) {
			t.Errorf("%s: %v, %v, want %v: %v", name, ok, o.Delivery, c.want, o.Err)
		}
	}
}
