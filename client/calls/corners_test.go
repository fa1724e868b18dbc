package calls

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// The error about an unknown tool has the names of up to a thousand tools.
func TestHintsAreFew(t *testing.T) {
	for n, want := range map[int]bool{1000: true, 1001: false} {
		var tools []protocol.Tool
		for i := range n {
			tools = append(tools, localTool(fmt.Sprint("t", i)))
		}
		_, err := start(t, catalog.Config{Local: tools}).c.t.Lookup("none")
		var e *toolerror.Error
		if !errors.As(err, &e) || (e.Names != nil) != want {
			t.Errorf("of %d tools there are names: %v", n, !want)
		}
	}
}

// Messages that were not sent, and answers that cannot come, end their calls alone.
func TestSendFailed(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Sources: names("a")}, a)
	a.mute = true
	reqs := map[string]client.Req{}
	call := func() attempt.CallID {
		c, out, err := w.c.Call(w.now, Request{Name: "x"})
		for _, act := range out.Actions {
			reqs[fmt.Sprint(out.Call)] = act.Out.Req
		}
		return w.do(c, out, err).Call
	}
	first, second, third := call(), call(), call()
	w.take(w.c.Report(w.now, manager.Report{Kind: manager.SendFailed, Link: a.link, Req: reqs[fmt.Sprint(first)], Err: errors.New("broken pipe")}))
	w.take(w.c.Report(w.now, manager.Report{Kind: manager.ResponseLost, Link: a.link, Req: reqs[fmt.Sprint(second)], Err: errors.New("stream")}))
	if w.ends(first) == nil || w.ends(second) == nil {
		t.Errorf("%v, %v", w.ends(first), w.ends(second))
	}
	if _, done := w.result(third); done {
		t.Error("the third ends too")
	}
	// The attempt of a request is not finished by the application.
	leaf := w.c.calls.Get(uint64(third))
	w.take(w.c.Finish(w.now, leaf.V.attempt, attempt.Outcome{}))
	if _, done := w.result(third); done {
		t.Error("the third ends")
	}
	w.release("a")
	if err := w.ends(third); err != nil {
		t.Error(err)
	}
	if n := w.c.Manager().Len(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// A refused verb changes nothing.
func TestRefusedVerbs(t *testing.T) {
	cfg := callerConfig()
	cfg.Attempts = attempt.Config{Running: 1, Queue: 1}
	cfg.Catalog.Local = []protocol.Tool{localTool("l")}
	w := newWorld(t, cfg)
	w.call("l", "")
	w.call("l", "")
	before := w.c.Status()
	if _, _, err := w.c.Call(w.now, Request{Name: "l"}); !errors.Is(err, attempt.ErrOverloaded) {
		t.Error(err)
	}
	if _, _, err := w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Request(w.now, "nobody", protocol.PingParams{}, manager.RequestOptions{})
	}); !errors.Is(err, manager.ErrUnknownServer) {
		t.Error(err)
	}
	if _, _, err := w.c.Catalog(w.now, verbs(w, "nobody")["detach"]); !errors.Is(err, catalog.ErrServer) {
		t.Error(err)
	}
	if w.c.Status() != before {
		t.Errorf("%+v", w.c.Status())
	}
}

// A batch that fails at once stops what it began in the same step.
func TestFailFast(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Naming: kept, Sources: names("a"), Local: []protocol.Tool{localTool("l")}}, a)
	a.deaf = true
	w.lose("a")
	w.do(w.c.Batch(w.now, []Request{{Name: "l"}, {Name: "x"}, {Name: "x"}, {Name: "l"}}, attempt.BatchOptions{Strategy: attempt.Parallel, FailFast: true, Immediate: true}))
	if len(w.out.Batches) != 1 || w.out.Batches[0].Failed < 0 || w.c.calls.Len() != 0 {
		t.Errorf("%+v", w.out.Batches)
	}
	for _, i := range w.out.LocalStart {
		revoked := false
		for _, r := range w.out.LocalStop {
			revoked = revoked || r.Attempt == i.Attempt
		}
		if !revoked {
			t.Errorf("%v goes on", i.Attempt)
		}
	}
}

// After an end to the attempts to read a list, an announcement or another connection begins anew;
// one of a server that is not in the catalog is for the application.
func TestAnnouncementAfterTheLastAttempt(t *testing.T) {
	a := &fake{tools: []string{"x"}, fail: true}
	w := start(t, catalog.Config{Sources: names("a"), Retry: backoff.Policy{Attempts: 2}}, a)
	w.sleep(time.Hour)
	if a.lists != 2 {
		t.Fatalf("%d listings", a.lists)
	}
	a.fail = false
	w.announce("a", "x", "y")
	if w.ids() != "x y" {
		t.Errorf("%q", w.ids())
	}
	w.connect("b", &fake{tools: []string{"z"}})
	w.clear()
	w.announce("b", "z")
	if len(w.out.Events) != 1 {
		t.Errorf("%+v", w.out.Events)
	}
	// The lost listing of a connection is begun again on the next, for who waits for it.
	w = start(t, catalog.Config{Sources: names("a"), Lazy: true}, a)
	a.slow = true
	id := w.call("mcp.a.x", "")
	a.held, a.slow = nil, false
	w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Connect(w.now, "a", manager.Options{Replace: true})
	}))
	if err := w.ends(id); err != nil {
		t.Error(err)
	}
}

// An announcement of a connection that is over says nothing about the list of the present one. It is
// kept from the driver as each of a server of the catalog.Catalog is; that of another server is not.
func TestAnnouncementOfAnotherConnection(t *testing.T) {
	w := start(t, catalog.Config{Sources: names("a")}, &fake{tools: []string{"x"}})
	link, _ := w.c.m.Link("a")
	for _, c := range []struct {
		link        manager.Link
		told, stale bool
	}{
		{manager.Link{Server: "a", Epoch: link.Epoch + 1}, false, false},
		{manager.Link{Server: "b", Epoch: 1}, true, false},
		{link, false, true},
	} {
		ts, _, f := w.c.t.Handle(w.c.m, w.now, manager.Effects{Events: []manager.Event{{
			Kind: manager.SessionEvent, Link: c.link,
			Session: client.Event{Kind: lifecycle.NotificationReceived, Method: "notifications/tools/list_changed"},
		}}})
		st, _ := ts.Status(protocol.ToolList, "a")
		if told := len(f.Events) == 1; told != c.told || st.Stale != c.stale {
			t.Errorf("%+v: the driver is told: %v, the list is stale: %v", c.link, told, st.Stale)
		}
	}
}

// What an operation of a call tells beside its progress and its end goes to the driver, and the call
// goes on.
func TestEventOfACall(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Sources: names("a")}, a)
	a.mute = true
	id := w.call("x", "")
	link, _ := w.c.m.Link("a")
	w.clear()
	for leaf := range w.c.ops.All() {
		w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			return m, manager.Effects{Events: []manager.Event{{
				Kind: manager.SessionEvent, Link: link, Op: manager.OpOf(leaf.Key),
				Session: client.Event{Kind: lifecycle.Violation},
			}}}, nil
		}))
	}
	if _, over := w.result(id); over || len(w.out.Events) != 1 || w.out.Events[0].Session.Kind != lifecycle.Violation {
		t.Errorf("over: %v, %+v", over, w.out.Events)
	}
}

// Close of a catalog alone.
func TestCloseCatalog(t *testing.T) {
	w := start(t, catalog.Config{Sources: names("a"), Local: []protocol.Tool{localTool("l")}}, &fake{tools: []string{"x"}})
	ts, m, f := w.c.t.Close(w.c.m, w.now)
	if len(f.Changes) != 2 || ts.Len() != 0 || !ts.Closed() || ts.Check() != nil {
		t.Errorf("%+v", f.Changes)
	}
	ts, m, f = ts.Close(m, w.now)
	if f.Changes != nil {
		t.Errorf("%+v", f.Changes)
	}
	ts, _, f = ts.Handle(m, w.now, manager.Effects{Events: []manager.Event{{Kind: manager.OpDone}}})
	if len(f.Events) != 1 || ts.Check() != nil {
		t.Errorf("%+v", f)
	}
}

// Check finds what is wrong.
func TestCheck(t *testing.T) {
	w := start(t, catalog.Config{Sources: names("a", "b"), Local: []protocol.Tool{localTool("l")}}, &fake{tools: []string{"x"}}, &fake{tools: []string{"y"}, slow: true})
	w.call("x", "")
	w.servers["a"].mute = true
	w.call("x", "")
	w.call("mcp.b.y", "")
	w.call("l", "")
	if err := w.c.Check(); err != nil {
		t.Fatal(err)
	}
	alter := func(id uint64, do func(*call)) func(*Caller) {
		return func(c *Caller) {
			rec := c.calls.Get(id).V
			do(&rec)
			c.calls = c.calls.Put(id, table.Never, rec)
		}
	}
	for name, breaks := range map[string]func(*Caller){
		"schema":         func(c *Caller) { c.t.used = c.t.used.Put(99, table.Never, &used{id: catalog.ItemID{Server: "q"}}) },
		"executor":       func(c *Caller) { c.calls, _ = c.calls.Delete(2) },
		"waits":          alter(3, func(rec *call) { rec.waits = []string{"q"} }),
		"waits too many": func(c *Caller) { c.wait("q", 3) },
		"request":        alter(2, func(rec *call) { rec.op = manager.OpOf(99) }),
		"request gone":   func(c *Caller) { c.ops = c.ops.Put(99, table.Never, 2) },
		"does nothing":   alter(4, func(rec *call) { rec.bound = nil }),
	} {
		c := w.c
		breaks(&c)
		if c.Check() == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

// Status says how a list is, also where it cannot be read.
func TestStatus(t *testing.T) {
	a := &fake{tools: []string{"x", "y"}}
	w := start(t, catalog.Config{Sources: names("a", "b"), TTL: time.Minute}, a)
	status := func() catalog.Status {
		st, ok := w.c.t.Status(protocol.ToolList, "a")
		if !ok {
			t.Fatal("no status")
		}
		if st.Version == 0 {
			t.Error("a list without a version")
		}
		st.Version = 0
		return st
	}
	if got := status(); got != (catalog.Status{Server: "a", Items: 2, Asked: t0}) {
		t.Errorf("%+v", got)
	}
	a.fail = true
	w.sleep(time.Minute)
	w.call("x", "")
	if got := status(); got != (catalog.Status{Server: "a", Items: 2, Asked: t0, Stale: true, Failures: 1, RetryAt: t0.Add(time.Minute + time.Second)}) {
		t.Errorf("%+v", got)
	}
	a.fail, a.slow = false, true
	w.onList(verbs(w, "a")["refresh"])
	if got := status(); !got.Reading || got.Failures != 0 {
		t.Errorf("%+v", got)
	}
	if got, _ := w.c.t.Status(protocol.ToolList, "b"); got != (catalog.Status{Server: "b", Health: catalog.Unavailable, Stale: true}) {
		t.Errorf("%+v", got)
	}
	if _, ok := w.c.t.Status(protocol.ToolList, "c"); ok {
		t.Error("a status of nobody")
	}
}
