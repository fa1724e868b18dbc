package toolset

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Two names that were cut and are the same in spite of their hashes: the first in the order has
// it, the other is told of, and has its plain name where nobody else does (E8, E9).
func TestCutNamesThatCollide(t *testing.T) {
	for _, policy := range []naming.Conflict{naming.Hidden, naming.Qualified} {
		ts, err := New(Config{Servers: names("a"), Naming: naming.Policy{Names: naming.Plain, OnConflict: policy, OnLoss: naming.Keep}, Limits: Limits{Rejected: 1}}, t0)
		if err != nil {
			t.Fatal(err)
		}
		list := &listing{named: map[string]*tool{}}
		id := naming.Form{}.ID("a", strings.Repeat("x", 200))
		for _, name := range []string{"second", "first", "third"} {
			def := localTool(name)
			n := ts.tool(1, "a", def, protocol.Raw(def.AppendJSON(nil)))
			n.id, n.cut = id, true // as if
			list.tools, list.named[name] = append(list.tools, n), n
		}
		e := *ts.entry(1)
		e.list = list
		ts.set(e)
		var c Change
		ts.install(&c, nil, list)
		if len(c.Rejected) != 1 || c.More != 1 || !errors.Is(c.Rejected[0].Err, ErrCollision) {
			t.Errorf("%s", c.text())
		}
		if b, err := ts.Resolve(id); err != nil || b.Ref.Tool != "first" || b.Name != id {
			t.Errorf("%+v, %v", b, err)
		}
		for _, b := range ts.ListAll() {
			if b.Ref.Tool != "first" && (b.Name != "" || b.ShadowedBy != (Ref{"a", "first"})) {
				t.Errorf("%+v", b)
			}
		}
		if len(ts.List()) != 1 || ts.Check() != nil {
			t.Errorf("%v, %v", ts.IDs(), ts.Check())
		}
	}
}

// What the session lets through is looked at all the same.
func TestReaderTrustsNobody(t *testing.T) {
	ts, _ := New(Config{}, t0)
	r := reader{t: &ts}
	r.read([]protocol.Raw{`{"name":"x"}`, `7`, `{"name":"y","inputSchema":{"type":"object"}}`})
	if len(r.found) != 2 || !errors.Is(r.found[1].Err, ErrTool) || len(r.list.tools) != 1 {
		t.Errorf("%+v", r.found)
	}
	r = reader{t: &ts}
	r.faults(`{"tools":[{"name":"` + protocol.Raw(strings.Repeat("é", 100)) + `"},{"name":"y","inputSchema":{"type":"object"}}]}`)
	if len(r.found) != 1 || len(r.found[0].Tool) > 64 || !strings.HasPrefix(r.found[0].Tool, "éé") {
		t.Errorf("%+v", r.found)
	}
	for _, page := range []protocol.Raw{"", "{}", "[]", `{"tools":5}`, `{"tools":null}`} {
		r = reader{t: &ts}
		r.faults(page)
		if r.found != nil {
			t.Errorf("%s: %+v", page, r.found)
		}
	}
}

// Nobody is told a thousand names.
func TestHintsAreFew(t *testing.T) {
	var tools []protocol.Tool
	for i := range 1001 {
		tools = append(tools, localTool(fmt.Sprint("t", i)))
	}
	ts, err := New(Config{Local: tools}, t0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ts.Resolve("none")
	var e *toolerror.Error
	if !errors.As(err, &e) || e.Names != nil {
		t.Errorf("%v", err)
	}
	for n := range ts.tools {
		if n.def.Name != "t0" {
			t.Error(n.def.Name)
		}
		break
	}
	w := many(t, 2)
	seen := 0
	for range w.c.t.tools {
		if seen++; seen == 3 {
			break
		}
	}
	if seen != 3 {
		t.Errorf("%d tools", seen)
	}
}

// Messages that were not sent, and answers that cannot come, end their calls alone.
func TestSendFailed(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, Config{Servers: names("a")}, a)
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
	cfg.Exec = attempt.Config{Running: 1, Queue: 1}
	cfg.Tools.Local = []protocol.Tool{localTool("l")}
	w := newWorld(t, cfg)
	w.call("l", "")
	w.call("l", "")
	before := w.c.Status()
	if _, _, err := w.c.Call(w.now, Request{Name: "l"}); !errors.Is(err, attempt.ErrOverloaded) {
		t.Error(err)
	}
	if _, _, err := w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Ping(w.now, "nobody")
	}); !errors.Is(err, manager.ErrUnknownServer) {
		t.Error(err)
	}
	if _, _, err := w.c.Catalogue(w.now, verbs(w, "nobody")["detach"]); !errors.Is(err, ErrServer) {
		t.Error(err)
	}
	if w.c.Status() != before {
		t.Errorf("%+v", w.c.Status())
	}
}

// A batch that fails at once stops what it began in the same step.
func TestFailFast(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, Config{Naming: kept, Servers: names("a"), Local: []protocol.Tool{localTool("l")}}, a)
	a.deaf = true
	w.lose("a")
	w.do(w.c.Batch(w.now, []Request{{Name: "l"}, {Name: "x"}, {Name: "x"}, {Name: "l"}}, attempt.BatchOptions{Strategy: attempt.Parallel, FailFast: true, Cancel: attempt.Immediate}))
	if len(w.out.Batches) != 1 || w.out.Batches[0].Failed < 0 || w.c.calls.Len() != 0 {
		t.Errorf("%+v", w.out.Batches)
	}
	for _, i := range w.out.Invoke {
		revoked := false
		for _, r := range w.out.Revoke {
			revoked = revoked || r.Attempt == i.Attempt
		}
		if !revoked {
			t.Errorf("%v goes on", i.Attempt)
		}
	}
}

// After an end to the attempts to read a list, an announcement or another connection begins anew;
// one of a server that is not in the catalogue is for the application.
func TestAnnouncementAfterTheLastAttempt(t *testing.T) {
	a := &fake{tools: []string{"x"}, fail: true}
	w := start(t, Config{Servers: names("a"), Retry: backoff.Policy{Attempts: 2}}, a)
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
	w = start(t, Config{Servers: names("a"), Lazy: true}, a)
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
// kept from the driver as each of a server of the Toolset is; that of another server is not.
func TestAnnouncementOfAnotherConnection(t *testing.T) {
	w := start(t, Config{Servers: names("a")}, &fake{tools: []string{"x"}})
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
		if told := len(f.Events) == 1; told != c.told || ts.named("a").old != c.stale {
			t.Errorf("%+v: the driver is told: %v, the list is old: %v", c.link, told, ts.named("a").old)
		}
	}
}

// What an operation of a call tells beside its progress and its end goes to the driver, and the call
// goes on.
func TestEventOfACall(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, Config{Servers: names("a")}, a)
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

// Close of a Toolset alone.
func TestCloseToolset(t *testing.T) {
	w := start(t, Config{Servers: names("a"), Local: []protocol.Tool{localTool("l")}}, &fake{tools: []string{"x"}})
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
	w := start(t, Config{Servers: names("a", "b"), Local: []protocol.Tool{localTool("l")}}, &fake{tools: []string{"x"}}, &fake{tools: []string{"y"}, slow: true})
	w.call("x", "")
	w.servers["a"].mute = true
	w.call("x", "")
	w.call("mcp.b.y", "")
	w.call("l", "")
	if err := w.c.Check(); err != nil {
		t.Fatal(err)
	}
	x := w.c.t.find("x")
	change := func(do func(e *entry)) func(*Caller) {
		return func(c *Caller) {
			e := *c.t.entry(1)
			do(&e)
			c.t.entries = c.t.entries.Put(1, c.t.due(&e), &e)
		}
	}
	alter := func(id uint64, do func(*call)) func(*Caller) {
		return func(c *Caller) {
			rec := c.calls.Get(id).V
			do(&rec)
			c.calls = c.calls.Put(id, table.Never, rec)
		}
	}
	for name, breaks := range map[string]func(*Caller){
		"due":           func(c *Caller) { c.t.entries = c.t.entries.Put(1, 0, c.t.entry(1)) },
		"due otherwise": func(c *Caller) { c.t.entries = c.t.entries.Put(1, table.Never-5, c.t.entry(1)) },
		"number":        func(c *Caller) { c.t.uid = 0 },
		"not found":     func(c *Caller) { c.t.names = c.t.names.remove(byPlain, "x", x, false) },
		"counted":       func(c *Caller) { c.t.listed++ },
		"schema":        func(c *Caller) { c.t.inputs = c.t.inputs.Put(99, table.Never, nil) },
		"name too many": func(c *Caller) { c.t.names = c.t.names.add(byPlain, "q", x) },
		"look-alike":    func(c *Caller) { c.t.names = c.t.names.add(byLook, "q", x) },
		"order": func(c *Caller) {
			c.t.names = c.t.names.put(slot{kind: byPlain, text: "x", tools: []*tool{x, c.t.local.tools[0]}})
		},
		"another":         func(c *Caller) { c.t.names = c.t.names.add(byID, "x", c.t.local.tools[0]) },
		"server":          func(c *Caller) { c.t.names = c.t.names.put(slot{kind: byServer, text: "a", n: 7}) },
		"server too many": func(c *Caller) { c.t.names = c.t.names.put(slot{kind: byServer, text: "q", n: 7}) },
		"listing":         change(func(e *entry) { e.op = manager.OpOf(99) }),
		"fresh":           func(c *Caller) { c.t.good, _ = c.t.good.Delete(1) },
		"stale":           func(c *Caller) { c.t.open = c.t.open.Put(1, table.Never, nothing{}) },
		"gone":            func(c *Caller) { c.t.open = c.t.open.Put(99, table.Never, nothing{}) },
		"too many":        func(c *Caller) { c.t.cfg.Limits.Tools = 0 },
		"executor":        func(c *Caller) { c.calls, _ = c.calls.Delete(2) },
		"waits":           alter(3, func(rec *call) { rec.waits = []string{"q"} }),
		"waits too many":  func(c *Caller) { c.wait("q", 3) },
		"request":         alter(2, func(rec *call) { rec.op = manager.OpOf(99) }),
		"request gone":    func(c *Caller) { c.ops = c.ops.Put(99, table.Never, 2) },
		"does nothing":    alter(4, func(rec *call) { rec.invoked = false }),
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
	w := start(t, Config{Servers: names("a", "b"), TTL: time.Minute}, a)
	status := func() Status {
		st, ok := w.c.t.Status("a")
		if !ok {
			t.Fatal("no status")
		}
		return st
	}
	if got := status(); got != (Status{Server: "a", Tools: 2, Asked: t0}) {
		t.Errorf("%+v", got)
	}
	a.fail = true
	w.sleep(time.Minute)
	w.call("x", "")
	if got := status(); got != (Status{Server: "a", Tools: 2, Asked: t0, Stale: true, Failures: 1, RetryAt: t0.Add(time.Minute + time.Second)}) {
		t.Errorf("%+v", got)
	}
	a.fail, a.slow = false, true
	w.toolset(verbs(w, "a")["refresh"])
	if got := status(); !got.Reading || got.Failures != 0 {
		t.Errorf("%+v", got)
	}
	if got, _ := w.c.t.Status("b"); got != (Status{Server: "b", Health: Unavailable, Stale: true}) {
		t.Errorf("%+v", got)
	}
	if _, ok := w.c.t.Status("c"); ok {
		t.Error("a status of nobody")
	}
}
