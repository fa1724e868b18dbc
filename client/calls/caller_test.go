package calls

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

func failing(code string) func(string) string {
	return func(line string) string {
		return `{"jsonrpc":"2.0","id":` + str(line, "id") + `,` + code + `}`
	}
}

// A call runs once, on the tool that its name led to: the failure of a local tool is how the call
// ends, also where a server has a tool of that name, and that of a server is not tried elsewhere
// (A5, A20, D4, E1, E2).
func TestResolveOnceRunOnce(t *testing.T) {
	a := &fake{tools: []string{"x", "y"}, answer: failing(`"result":{"isError":true,"content":[{"type":"text","text":"no"}]}`)}
	b := &fake{tools: []string{"x", "y"}}
	w := start(t, catalog.Config{Sources: names("a", "b"), Local: []protocol.Tool{localTool("x")}}, a, b)
	id := w.call("x", `{"n":1}`)
	if len(w.out.LocalStart) != 1 || w.out.LocalStart[0].Tool != "x" || w.out.LocalStart[0].Arguments != `{"n":1}` || !w.out.LocalStart[0].Deadline.IsZero() {
		t.Fatalf("%+v", w.out.LocalStart)
	}
	w.take(w.c.Finish(w.now, w.out.LocalStart[0].Attempt, attempt.FromError("x", toolerror.Failure("x", "broken"))))
	if err := w.ends(id); !errors.Is(err, toolerror.Handler) || len(a.calls)+len(b.calls) != 0 {
		t.Errorf("%v, %d calls of servers", err, len(a.calls)+len(b.calls))
	}
	id = w.call("y", "")
	if err := w.ends(id); !errors.Is(err, toolerror.RemoteTool) || len(a.calls) != 1 || len(b.calls) != 0 {
		t.Errorf("%v, calls %v and %v", err, a.calls, b.calls)
	}
	if o, _ := w.result(id); o.Result == nil || len(o.Result.Content) != 1 || o.Attempts != 1 {
		t.Errorf("%+v", o)
	}
	// What a crashed tool was is for the program alone.
	id = w.call("x", "")
	cause := errors.New("crash")
	w.take(w.c.Finish(w.now, w.out.LocalStart[1].Attempt, attempt.FromError("x", cause)))
	if err := w.ends(id); !errors.Is(err, toolerror.Execution) || !errors.Is(err, cause) {
		t.Error(err)
	}
	// A late outcome is dropped and counted.
	w.take(w.c.Finish(w.now, w.out.LocalStart[1].Attempt, attempt.Outcome{}))
	if st := w.c.Status(); st.Late != 1 || st.Ended != 3 || st.Running != 0 {
		t.Errorf("%+v", st)
	}
}

// A name that nobody has ends the call, with the names that there are (F3, D4).
func TestUnknownTool(t *testing.T) {
	w := start(t, catalog.Config{Sources: names("a")}, &fake{tools: []string{"read", "write"}})
	err := w.ends(w.call("raed", ""))
	var e *toolerror.Error
	if !errors.As(err, &e) || e.Kind != toolerror.UnknownTool || e.Tool != "raed" {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"read", "write"}, e.Names); diff != "" {
		t.Error(diff)
	}
}

// Arguments are checked before anything goes out, also those of a call that has waited (E4, F4).
func TestArguments(t *testing.T) {
	a := &fake{tools: []string{`{"name":"x","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`}}
	for _, lazy := range []bool{false, true} {
		for arguments, want := range map[string]error{`{"n":1}`: nil, `{"n":"a"}`: toolerror.InvalidArguments, `[]`: toolerror.InvalidArguments, ``: toolerror.NullArguments, `null`: toolerror.NullArguments} {
			a.calls = nil
			w := start(t, catalog.Config{Sources: names("a"), Lazy: lazy}, a)
			err := w.ends(w.call("x", arguments))
			if want == nil && err != nil || !errors.Is(err, want) || want != nil && len(a.calls) != 0 {
				t.Errorf("lazy %v, %s: %v, %v", lazy, arguments, err, a.calls)
			}
			if want == nil || arguments == `[]` {
				continue
			}
			policy := &attempt.Policy{Unchecked: true}
			id := w.do(w.c.Call(w.now, Request{Name: "x", Arguments: protocol.Raw(arguments), Policy: policy})).Call
			if err := w.ends(id); err != nil || len(a.calls) != 1 {
				t.Errorf("unchecked: lazy %v, %s: %v, %v", lazy, arguments, err, a.calls)
			}
		}
	}
}

// Cancelling a call tells the server, by the id of its request; what comes later is dropped (E20,
// F7).
func TestCancel(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Sources: names("a"), Local: []protocol.Tool{localTool("l")}}, a)
	a.mute = true
	id := w.call("x", "")
	w.do(w.c.Cancel(w.now, id, "enough"))
	if err := w.ends(id); !errors.Is(err, toolerror.Cancelled) {
		t.Error(err)
	}
	if len(a.cancels) != 1 || str(a.cancels[0], "reason") != "enough" || str(a.cancels[0], "requestId") != str(a.held[0], "id") {
		t.Errorf("%v of %v", a.cancels, a.held)
	}
	timed := w.do(w.c.Call(w.now, Request{Name: "x", Policy: &attempt.Policy{Attempt: time.Second}})).Call
	w.sleep(time.Second)
	if err := w.ends(timed); !errors.Is(err, toolerror.Timeout) || len(a.cancels) != 2 {
		t.Errorf("%v, %v", err, a.cancels)
	}
	w.release("a")
	if n := len(w.out.Done); n != 2 || w.c.ops.Len() != 0 || w.c.calls.Len() != 0 {
		t.Errorf("%d ends, %d requests, %d calls", n, w.c.ops.Len(), w.c.calls.Len())
	}
	id = w.call("l", "")
	w.do(w.c.Cancel(w.now, id, "enough"))
	if len(w.out.LocalStop) != 1 || w.out.LocalStop[0].Attempt != w.out.LocalStart[0].Attempt || w.out.LocalStop[0].Why != toolerror.Cancelled {
		t.Errorf("%+v", w.out.LocalStop)
	}
	if _, _, err := w.c.Cancel(w.now, id, ""); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
}

// A batch of local tools and those of servers: results come in the order of the requests, with
// unknown ones and such that have to wait among them (E32, D11).
func TestBatch(t *testing.T) {
	for _, strategy := range []int{0, attempt.Parallel} {
		a, b := &fake{tools: []string{"x"}}, &fake{tools: []string{"y"}, slow: true}
		w := start(t, catalog.Config{Sources: names("a", "b"), Lazy: true, Local: []protocol.Tool{localTool("l")}}, a, b)
		out := w.do(w.c.Batch(w.now, []Request{{Name: "mcp.b.y"}, {Name: "l"}, {Name: "mcp.a.x"}, {Name: "mcp.a.none"}, {Name: "l"}}, attempt.BatchOptions{Strategy: strategy}))
		if out.Batch == 0 {
			t.Fatal("no handle")
		}
		w.sleep(time.Second)
		w.release("b")
		for n := 0; n < len(w.out.LocalStart); n++ {
			w.take(w.c.Finish(w.now, w.out.LocalStart[n].Attempt, attempt.Outcome{Result: protocol.TextResult(w.out.LocalStart[n].Tool)}))
		}
		if len(w.out.Batches) != 1 || w.out.Batches[0].Batch != out.Batch || w.out.Batches[0].Failed != 3 {
			t.Fatalf("%v: %+v", strategy, w.out.Batches)
		}
		var got []string
		for _, r := range w.out.Batches[0].Results {
			if r.Outcome.Err != nil {
				got = append(got, r.Tool+": "+r.Outcome.Err.Kind.Code())
			} else {
				got = append(got, r.Tool+": "+string(r.Outcome.Value()))
			}
		}
		want := []string{`mcp.b.y: "y"`, `l: "l"`, `mcp.a.x: "x"`, "mcp.a.none: unknown_function", `l: "l"`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", strategy, diff)
		}
	}
	w := start(t, catalog.Config{Sources: names("a")}, &fake{tools: []string{"x"}, mute: true})
	out := w.do(w.c.Batch(w.now, []Request{{Name: "x"}, {Name: "x"}}, attempt.BatchOptions{Immediate: true}))
	w.do(w.c.CancelBatch(w.now, out.Batch, "enough"))
	if len(w.out.Batches) != 1 {
		t.Errorf("%+v", w.out.Batches)
	}
	if _, _, err := w.c.Batch(w.now, []Request{{Name: "x"}}, attempt.BatchOptions{Grace: -5}); err == nil {
		t.Error("a negative grace")
	}
}

// A call to a server that is lost in the middle ends; if it may be made again, it is, on the new
// connection (E11, E14).
func TestRetryAfterLoss(t *testing.T) {
	a := &fake{tools: []string{`{"name":"x","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`}}
	w := start(t, catalog.Config{Sources: names("trusted")}, a)
	a.mute = true
	policy := &attempt.Policy{Retry: backoff.Policy{Attempts: 4, Base: time.Second}}
	id := w.do(w.c.Call(w.now, Request{Name: "x", Policy: policy})).Call
	w.lose("trusted")
	a.mute, a.held = false, nil
	w.sleep(10 * time.Second)
	if err := w.ends(id); err != nil || a.opens != 2 {
		t.Errorf("%v, opened %d times", err, a.opens)
	}
	if o, _ := w.result(id); o.Attempts != 3 {
		t.Errorf("%d attempts", o.Attempts) // the second found no server yet
	}
}

// Progress of a call is told with its handle; other events of servers pass (B25).
func TestProgress(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Sources: names("a", "b")}, a, &fake{tools: []string{"y"}})
	a.mute = true
	out := w.do(w.c.Call(w.now, Request{Name: "x", Progress: true, Meta: `{"k":1}`}))
	token := str(str(a.calls[0], "_meta"), "progressToken")
	if str(str(a.calls[0], "_meta"), "k") != "1" || token == "" {
		t.Fatal(a.calls)
	}
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1}}`
	w.say("b", progress)
	if len(w.out.Progress) != 0 {
		t.Error("progress of another server")
	}
	w.say("a", progress)
	if len(w.out.Progress) != 1 || w.out.Progress[0].Call != out.Call || str(string(w.out.Progress[0].Params), "progress") != "1" {
		t.Errorf("%+v", w.out.Progress)
	}
	w.clear()
	w.say("a", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	if n := len(w.out.Events); n == 0 || w.out.Events[n-1].Session.Kind != lifecycle.NotificationReceived || w.out.Events[n-1].Link != a.link {
		t.Errorf("%+v", w.out.Events)
	}
}

// Close ends everything, and closes what there is; nothing works afterwards (A11, A12).
func TestClose(t *testing.T) {
	a, b := &fake{tools: []string{"x"}}, &fake{tools: []string{"y"}, slow: true}
	w := start(t, catalog.Config{Sources: names("a", "b"), Lazy: true, Local: []protocol.Tool{localTool("l")}}, a, b)
	w.call("mcp.a.x", "")
	a.mute = true
	ids := []attempt.CallID{w.call("mcp.b.y", ""), w.call("mcp.a.x", ""), w.call("l", "")}
	w.clear()
	w.take(w.c.Close(w.now))
	for i, want := range []error{toolerror.ConnectionLost, toolerror.ConnectionLost, toolerror.Cancelled} {
		if err := w.ends(ids[i]); !errors.Is(err, want) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if len(w.out.LocalStop) != 1 || a.up || b.up || w.c.t.Len() != 0 || w.c.m.Len() != 0 || !w.c.t.Closed() {
		t.Errorf("%+v", w.out)
	}
	if w.c.ops.Len()+w.c.waits.Len()+w.c.calls.Len() != 0 {
		t.Error("something is left")
	}
	_, _, err := w.c.Call(w.now, Request{Name: "l"})
	_, _, err2 := w.c.Batch(w.now, []Request{{Name: "l"}}, attempt.BatchOptions{})
	_, err3 := w.c.t.Lookup("l")
	_, _, err4 := w.c.SetLocal(w.now, nil)
	for _, err := range []error{err, err2, err3, err4} {
		if !errors.Is(err, lifecycle.ErrClosed) {
			t.Error(err)
		}
	}
	for name, verb := range verbs(w, "a") {
		if _, _, _, err := verb(w.c.t.Catalog, w.c.m); !errors.Is(err, lifecycle.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, found, _ := w.c.t.Seek(w.c.m, w.now, protocol.ToolList, "l", time.Time{}); !errors.Is(found.Err, lifecycle.ErrClosed) {
		t.Error(found.Err)
	}
	before := w.c
	w.take(w.c.Close(w.now))
	if diff := cmp.Diff(before.Status(), w.c.Status()); diff != "" {
		t.Error(diff)
	}
	if at, ok := w.c.NextDeadline(); ok {
		t.Errorf("it is due at %v", at)
	}
}

// verbs are those that take names of servers.
func verbs(w *world, server string) map[string]func(catalog.Catalog, manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
	return map[string]func(catalog.Catalog, manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error){
		"attach": func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return t.Attach(m, w.now, catalog.Source{Name: server})
		},
		"detach": func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return t.Detach(m, w.now, server)
		},
		"invalidate": func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return t.Invalidate(m, w.now, server)
		},
		"refresh": func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return t.Refresh(m, w.now, server)
		},
	}
}

// Failures of connections are those of tools, with what is known (E10).
func TestFault(t *testing.T) {
	w := start(t, catalog.Config{})
	if e := w.c.t.fault("x", &manager.Error{Class: manager.ClassUnavailable, RetryAt: w.now.Add(time.Minute)}); e.After != time.Minute {
		t.Errorf("%+v", e)
	}
	if e := w.c.t.fault("x", lifecycle.ErrClosed); !errors.Is(e, lifecycle.ErrClosed) {
		t.Errorf("%v", e)
	}
}

// A server that is not there any more is not called, whatever was bound to it (E7).
func TestDetachedWhileItWaits(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Sources: names("a")}, a)
	a.mute = true
	out := w.do(w.c.Batch(w.now, []Request{{Name: "x"}, {Name: "x"}}, attempt.BatchOptions{}))
	w.onList(verbs(w, "a")["detach"])
	w.release("a")
	if len(w.out.Batches) != 1 || w.out.Batches[0].Batch != out.Batch {
		t.Fatalf("%+v", w.out.Batches)
	}
	first, second := w.out.Batches[0].Results[0].Outcome, w.out.Batches[0].Results[1].Outcome
	if first.Err != nil || !errors.Is(second.Err, toolerror.Unavailable) || len(a.calls) != 1 {
		t.Errorf("%v, %v, %v", first.Err, second.Err, a.calls)
	}
	if err := w.ends(w.call("x", "")); !errors.Is(err, toolerror.UnknownTool) || strings.Contains(w.ids(), "x") {
		t.Error(err)
	}
}

// What the parts of a Caller refuse, it refuses.
func TestCallerConfig(t *testing.T) {
	bad := callerConfig()
	bad.Catalog.TTL = -3
	if _, err := New(bad, t0); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	bad = callerConfig()
	bad.Attempts.Queue = -1
	if _, err := New(bad, t0); err == nil {
		t.Error("a negative queue")
	}
	bad = callerConfig()
	bad.Manager.MaxServers = -1
	if _, err := New(bad, t0); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
}
