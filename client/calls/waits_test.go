package calls

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// A call that waits for a list ends at its own deadline, and nothing is left of it (A6). The server
// that does not answer holds nobody else up.
func TestWaitsNotForEver(t *testing.T) {
	a := &fake{tools: []string{"x"}, slow: true}
	w := start(t, catalog.Config{Sources: names("a", "b"), Lazy: true, Local: []protocol.Tool{localTool("l")}}, a, &fake{tools: []string{"y"}})
	policy := &attempt.Policy{Attempt: time.Second}
	id := w.do(w.c.Call(w.now, Request{Name: "mcp.a.x", Policy: policy})).Call
	late := w.do(w.c.Call(w.now, Request{Name: "nobody", Policy: policy})).Call
	gone := w.call("x", "")
	for _, name := range []string{"y", "mcp.b.y"} {
		if err := w.ends(w.call(name, "")); err != nil {
			t.Error(err)
		}
	}
	w.call("l", "")
	if len(w.out.LocalStart) != 1 || w.c.waits.Len() == 0 {
		t.Errorf("%+v", w.out.LocalStart)
	}
	w.sleep(time.Second - 1)
	if _, done := w.result(id); done {
		t.Error("too early")
	}
	w.sleep(1)
	for _, id := range []attempt.CallID{id, late} {
		if err := w.ends(id); !errors.Is(err, toolerror.Timeout) {
			t.Error(err)
		}
	}
	w.do(w.c.Cancel(w.now, gone, "not needed"))
	if err := w.ends(gone); !errors.Is(err, toolerror.Cancelled) || w.c.waits.Len() != 0 {
		t.Errorf("%v, %d wait", err, w.c.waits.Len())
	}
	w.release("a")
	if len(a.calls) != 0 {
		t.Error("a call of nobody went out")
	}
}

// A call waits for a server that is being connected, and no longer than that takes.
func TestWaitsForConnect(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		a := &fake{tools: []string{"x"}, mute: true}
		w := start(t, catalog.Config{Sources: names("a"), Lazy: lazy}, a)
		id, other := w.call("x", ""), w.call("mcp.a.none", "")
		if _, done := w.result(id); done {
			t.Fatal("it does not wait")
		}
		w.release("a")
		if err := w.ends(id); err != nil {
			t.Error(err)
		}
		if err := w.ends(other); !errors.Is(err, toolerror.UnknownTool) {
			t.Error(err)
		}
		a = &fake{tools: []string{"x"}, mute: true}
		w = start(t, catalog.Config{Sources: names("a"), Lazy: lazy}, a)
		id = w.call("mcp.a.x", "")
		a.deaf = true
		w.sleep(5 * time.Minute)
		err := w.ends(id)
		var e *toolerror.Error
		var cause *manager.Error
		if !errors.As(err, &e) || e.Kind != toolerror.Unavailable || !errors.As(err, &cause) || cause.Server != "a" || !errors.Is(err, manager.ErrUnavailable) {
			t.Errorf("%v", err)
		}
	}
}

// The policy of a call is its only clock: a request may take longer than requests do by default,
// and a local tool is told how long it has. Without a policy it is the time of the Manager.
func TestDeadlines(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Sources: names("a"), TTL: lifecycle.NoTimeout, Local: []protocol.Tool{localTool("l")}}, a)
	a.mute = true
	policy := &attempt.Policy{Attempt: 3 * time.Hour}
	long := w.do(w.c.Call(w.now, Request{Name: "x", Policy: policy})).Call
	local := w.do(w.c.Call(w.now, Request{Name: "l", Policy: policy})).Call
	none := w.call("x", "")
	if i := w.out.LocalStart[0]; !i.Deadline.Equal(w.now.Add(3 * time.Hour)) {
		t.Errorf("%v", i.Deadline)
	}
	w.sleep(time.Hour) // what a request may take in this world
	if err := w.ends(none); !errors.Is(err, toolerror.Timeout) {
		t.Error(err)
	}
	w.sleep(2*time.Hour - 1)
	if _, done := w.result(long); done {
		t.Error("too early")
	}
	w.sleep(1)
	for _, id := range []attempt.CallID{long, local} {
		if err := w.ends(id); !errors.Is(err, toolerror.Timeout) {
			t.Error(err)
		}
	}
	if len(w.out.LocalStop) != 1 || w.out.LocalStop[0].Why != toolerror.Timeout {
		t.Errorf("%+v", w.out.LocalStop)
	}
}

// What goes out is the same whether a call has waited or not.
func TestArgumentsAfterWaiting(t *testing.T) {
	for _, arguments := range []string{"", "null", "{}", `{"a": 1.0}`, " {} "} {
		var sent [2]string
		for i, lazy := range []bool{false, true} {
			a := &fake{tools: []string{"x"}}
			w := start(t, catalog.Config{Sources: names("a"), Lazy: lazy}, a)
			if err := w.ends(w.call("x", arguments)); err != nil || len(a.calls) != 1 {
				t.Fatalf("%q: %v", arguments, err)
			}
			sent[i] = a.calls[0]
		}
		if sent[0] != sent[1] {
			t.Errorf("%q: %s, after waiting %s", arguments, sent[0], sent[1])
		}
	}
}
