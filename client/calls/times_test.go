package calls

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// mute is a world whose server answers no call, with a Request time of a second.
func mute(t *testing.T, policy attempt.Policy) (*world, *fake) {
	t.Helper()
	cfg := callerConfig()
	cfg.Manager.Timeouts = manager.Timeouts{Request: time.Second, Maximum: 5 * time.Second}
	cfg.Manager.Client.Serve = []string{"elicitation/create"}
	cfg.Catalog, cfg.Attempts.Policy = catalog.Config{Sources: names("a")}, policy
	w, a := newWorld(t, cfg), &fake{tools: []string{"x"}}
	w.connect("a", a)
	w.clear()
	a.mute = true
	return w, a
}

// TestAttemptTimes: what Policy.Attempt and Total mean for a request to a server, wherever the policy
// is set: zero is the time of the Manager, and NoTimeout no end.
func TestAttemptTimes(t *testing.T) {
	never := time.Duration(0)
	for _, c := range []struct {
		policy attempt.Policy
		want   time.Duration
	}{
		{attempt.Policy{}, time.Second},
		{attempt.Policy{Attempt: lifecycle.NoTimeout}, never},
		{attempt.Policy{Attempt: lifecycle.NoTimeout, Total: lifecycle.NoTimeout}, never},
		{attempt.Policy{Total: lifecycle.NoTimeout}, time.Second},
		{attempt.Policy{Attempt: 5 * time.Second}, 5 * time.Second},
		{attempt.Policy{Attempt: lifecycle.NoTimeout, Total: 3 * time.Second}, 3 * time.Second},
		{attempt.Policy{Total: 3 * time.Second}, 3 * time.Second},
	} {
		for _, where := range []string{"config", "batch", "request"} {
			cfg, opt, r := attempt.Policy{}, attempt.BatchOptions{}, Request{Name: "x"}
			switch p := c.policy; where {
			case "config":
				cfg = p
			case "batch":
				opt.Policy = &p
			default:
				r.Policy = &p
			}
			w, _ := mute(t, cfg)
			id := w.do(w.c.Batch(w.now, []Request{r}, opt)).Call
			began := w.now
			for range 10 {
				w.sleep(500 * time.Millisecond)
				if _, ok := w.result(id); ok {
					break
				}
			}
			o, ok := w.result(id)
			switch {
			case c.want == never:
				if w.sleep(time.Hour); ok {
					t.Errorf("%s %+v: ended after %v", where, c.policy, w.now.Sub(began))
				}
			case !ok || w.now.Sub(began) != c.want || !errors.Is(o.Err, toolerror.Timeout):
				t.Errorf("%s %+v: %v after %v, %v", where, c.policy, ok, w.now.Sub(began), o.Err)
			}
		}
	}
}

// TestResetOnProgress: progress restarts the time of an attempt only where that is asked for: the
// policy's up to Total, and to the Maximum of the Manager without one, as the Manager's own.
func TestResetOnProgress(t *testing.T) {
	for _, c := range []struct {
		resets bool
		policy attempt.Policy
		want   time.Duration
	}{
		{false, attempt.Policy{}, time.Second},
		{true, attempt.Policy{}, 5 * time.Second},
		{false, attempt.Policy{Attempt: 2 * time.Second}, 2 * time.Second},
		{true, attempt.Policy{Attempt: 2 * time.Second, Total: 7 * time.Second}, 7 * time.Second},
		{true, attempt.Policy{Attempt: 2 * time.Second}, 5 * time.Second},
		{true, attempt.Policy{Attempt: 2 * time.Second, Total: lifecycle.NoTimeout}, 5 * time.Second},
		{true, attempt.Policy{Attempt: lifecycle.NoTimeout, Total: 9 * time.Second}, 9 * time.Second},
	} {
		w, a := mute(t, c.policy)
		id := w.do(w.c.Call(w.now, Request{Name: "x", Progress: true, ResetOnProgress: c.resets})).Call
		token := str(str(a.calls[0], "_meta"), "progressToken")
		began := w.now
		for n := 1; ; n++ {
			w.sleep(500 * time.Millisecond)
			if _, ok := w.result(id); ok || w.now.Sub(began) > time.Minute {
				break
			}
			w.say("a", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+token+`,"progress":`+strconv.Itoa(n)+`}}`)
		}
		if took := w.now.Sub(began); took != c.want {
			t.Errorf("%+v: %v, want %v", c, took, c.want)
		}
	}
}

// TestTimeWhileAsked: the time of the Manager stands still while the server asks the user, and that
// of the policy goes on.
func TestTimeWhileAsked(t *testing.T) {
	for _, c := range []struct {
		policy attempt.Policy
		want   time.Duration
	}{
		{attempt.Policy{}, 4 * time.Second}, // a second after the answer
		{attempt.Policy{Attempt: 2 * time.Second}, 2 * time.Second},
		{attempt.Policy{Total: 2 * time.Second}, 2 * time.Second},
	} {
		w, _ := mute(t, c.policy)
		id := w.do(w.c.Call(w.now, Request{Name: "x"})).Call
		began := w.now
		w.say("a", `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}`)
		for range 20 {
			w.sleep(500 * time.Millisecond)
			if _, ok := w.result(id); ok {
				break
			}
			if w.now.Sub(began) == 3*time.Second {
				w.say("a", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`)
			}
		}
		if took := w.now.Sub(began); took != c.want {
			t.Errorf("%+v: %v, want %v", c.policy, took, c.want)
		}
	}
}

// TestProgressOfAttempts: progress says which attempt it is of, and a batch which calls are its own.
func TestProgressOfAttempts(t *testing.T) {
	w, a := mute(t, attempt.Policy{Attempt: time.Second, RetryUnsafe: true, Retry: backoff.Policy{Base: time.Second, Attempts: 2}})
	w.call("x", "")
	out := w.do(w.c.Batch(w.now, []Request{{Name: "x"}, {Name: "x", Progress: true}}, attempt.BatchOptions{Strategy: attempt.Parallel}))
	if out.Call != 2 {
		t.Errorf("the first call of the batch is %d", out.Call)
	}
	if out := w.do(w.c.Batch(w.now, nil, attempt.BatchOptions{})); out.Call != 0 || out.Batch == 0 {
		t.Errorf("an empty batch: %d, %d", out.Call, out.Batch)
	}
	tell := func() {
		for _, params := range a.calls {
			if token := str(str(params, "_meta"), "progressToken"); token != "" {
				w.say("a", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+token+`,"progress":1}}`)
			}
		}
		a.calls = nil
	}
	tell()
	w.sleep(2 * time.Second)
	tell()
	if len(w.out.Progress) != 2 {
		t.Fatalf("%+v", w.out.Progress)
	}
	for i, p := range w.out.Progress {
		if p.Call != out.Call+1 || p.Attempt != i+1 {
			t.Errorf("%d: %+v", i, p)
		}
	}
}
