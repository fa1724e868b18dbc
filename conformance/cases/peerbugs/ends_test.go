package peerbugs_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// ends are the ways to end a session at once.
var ends = map[string]verbs.Verb{
	"the transport is gone": {Op: verbs.OpDisconnected, Cause: errors.New("reset")},
	"gone without a cause":  {Op: verbs.OpDisconnected},
	"no grace":              {Op: verbs.OpShutdown},
	"aborted":               {Op: verbs.OpAbort, Cause: errors.New("disk")},
}

// Case 15: when the peer disconnects, each request of ours fails and each of the peer's is
// lost, once; later events end nothing again and send nothing.
func Test15NothingWaitsForADeadPeer(t *testing.T) {
	for _, role := range roles {
		for name, end := range ends {
			x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
			r := requestTo(role.Peer())
			open1 := map[string]int{}
			x, a := ask(x, r, lifecycle.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})
			x, b := ask(x, r, lifecycle.RequestOptions{})
			x, call := open(t, x, `"s"`, "{}")
			x, c := ask(x, r, lifecycle.RequestOptions{Within: call})
			for _, h := range []fmt.Stringer{a, b, c, call} {
				open1[h.String()] = 1
			}
			note := func(out lifecycle.Output) {
				for _, ev := range out.Events {
					switch ev.Kind {
					case lifecycle.RequestFailed, lifecycle.ResponseReceived:
						open1[ev.Req.String()]--
					case lifecycle.RequestLost, lifecycle.RequestCancelled, lifecycle.RequestExpired:
						open1[ev.Call.String()]--
					}
				}
			}
			x, out, _ := x.Do(end)
			if note(out); x.Status().Inbound != 0 || x.Status().Outbound != 0 {
				t.Errorf("%v, %s: %+v", role, name, x.Status())
			}
			for h, n := range open1 {
				if n != 0 {
					t.Errorf("%v, %s: %s ended %d times", role, name, h, 1-n)
				}
			}
			// New requests fail at once, and nothing ends twice.
			if _, _, err := x.Request(protocol.RawRequest{Name: r.name, Body: jsonrpc.Raw(r.params)}, lifecycle.RequestOptions{}); !errors.Is(err, lifecycle.ErrPhase) {
				t.Errorf("%v, %s: a request gives %v", role, name, err)
			}
			if _, _, err := finish(x, call); !errors.Is(err, lifecycle.ErrGone) {
				t.Errorf("%v, %s: an answer gives %v", role, name, err)
			}
			for _, later := range []verbs.Verb{
				{Op: verbs.OpTick}, {Op: verbs.OpReceive, Message: jsonrpc.DecodeString(line("late", r.name, r.params))},
				{Op: verbs.OpSendFailed, Req: a}, ends["the transport is gone"], ends["no grace"],
			} {
				if x, out, _ = x.After(24 * time.Hour).Do(later); len(out.Send) != 0 {
					t.Errorf("%v, %s: later sent %q", role, name, verbs.Lines(out))
				}
				note(out)
			}
			for h, n := range open1 {
				if n != 0 {
					t.Errorf("%v, %s: in the end %s ended %d times", role, name, h, 1-n)
				}
			}
		}
	}
}

// Case 15: when the peer only stops sending, our requests fail, and what it asked can
// still be answered.
func Test15EndOfInput(t *testing.T) {
	for _, role := range roles {
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		r := requestTo(role.Peer())
		x, _ = ask(x, r, lifecycle.RequestOptions{})
		x, _ = ask(x, r, lifecycle.RequestOptions{})
		x, call := open(t, x, `"s"`, "{}")
		x, out := x.InputClosed()
		if failed(out) != "req 1 input closed, req 2 input closed" && failed(out) != "req 2 input closed, req 3 input closed" {
			t.Errorf("%v: %s", role, failed(out))
		}
		if _, _, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{}); !errors.Is(err, lifecycle.ErrPhase) {
			t.Errorf("%v: a ping gives %v", role, err)
		}
		_, out, err := finish(x, call)
		if err != nil || len(out.Send) != 1 || out.Close == nil {
			t.Errorf("%v: the last answer: %v, sent %q, close %v", role, err, verbs.Lines(out), out.Close)
		}
	}
}

// Case 22: a waiting list change is dropped with the session, however
// that ends, even if another session follows on the State.
func Test22ChangesAreDroppedWithTheSession(t *testing.T) {
	catalog := func(n int) *server.Catalog {
		c, err := server.NewCatalog(server.Items{Tools: tools(n), Resources: []protocol.Resource{}, Prompts: []protocol.Prompt{}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	ways := map[string]verbs.Verb{"grace": {Op: verbs.OpShutdown, Grace: time.Minute}, "end of input": {Op: verbs.OpInputClosed}}
	maps.Copy(ways, ends)
	for name, end := range ways {
		x := verbs.NewServer(t, server.Config{
			Catalog: catalog(0), Serve: []string{"tools/call", "resources/read", "prompts/get"}, ListChanged: protocol.CapToolsListChanged, ChangeDelay: time.Second,
		}).Open(spoken, "{}")
		if name == "grace" || name == "end of input" {
			x, _ = x.Receive(line("held", "resources/read", `{"uri":"a:b"}`)) // so that the session does not end at once
		}
		x, out, err := x.Offer(catalog(1))
		if err != nil || !out.IsZero() {
			t.Fatalf("SetCatalog: %v, sent %q", err, verbs.Lines(out))
		}
		armed, out := x.Tick(time.Second)
		if wire(out) != `{"method":"notifications/tools/list_changed"}` {
			t.Fatalf("in a session that goes on: sent %q", verbs.Lines(out))
		}
		if _, out, _ = armed.Do(end); len(out.Send) > 1 {
			t.Errorf("%s: sent %q", name, verbs.Lines(out))
		}
		x, out, _ = x.Do(end)
		for range 2 {
			if len(out.Send) != 0 {
				t.Errorf("%s: sent %q", name, verbs.Lines(out))
			}
			x, out = x.Tick(time.Second)
		}
		if x, out = x.Disconnected(nil); len(out.Send) != 0 {
			t.Errorf("%s: sent %q", name, verbs.Lines(out))
		}
		if x, err = x.Reset(); err != nil {
			t.Fatal(name, err)
		}
		x, _ = x.Begin(spoken, "{}")
		x, out = x.Finish(spoken, "{}")
		silent(t, name+", the next session", out, "phase changed")
		_, out = x.Tick(time.Second)
		silent(t, name+", the next session, later", out, "")
	}
}

// tools are n tools.
func tools(n int) []protocol.Tool {
	list := make([]protocol.Tool, n)
	for i := range list {
		list[i] = protocol.Tool{Name: fmt.Sprintf("t%d", i)}
	}
	return list
}

// Case 37: on every event the application calls back, with any verb, before the
// next event. Nothing panics, and every request of both sides ends exactly once. (A
// State makes no callbacks, so it is never re-entered in the middle of a change.)
func Test37CallbacksOnEveryEvent(t *testing.T) {
	ready := map[protocol.Party]verbs.Side{}
	for _, role := range roles {
		ready[role] = at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := &reentrant{rt: rt, x: ready[rapid.SampledFrom(roles).Draw(rt, "role")], calls: map[lifecycle.Call]int{}, reqs: map[lifecycle.Req]int{}, budget: 60}
		for range rapid.IntRange(1, 10).Draw(rt, "messages") {
			w.act(true)
		}
		var out lifecycle.Output
		w.x, out = w.x.Disconnected(nil)
		w.budget = 0
		w.take(out)
		for call, n := range w.calls {
			if n != 0 {
				rt.Errorf("%v ended %d times", call, 1-n)
			}
		}
		for req, n := range w.reqs {
			if n != 0 {
				rt.Errorf("%v ended %d times", req, 1-n)
			}
		}
	})
}

// reentrant is an application that calls back on every event.
type reentrant struct {
	rt     *rapid.T
	x      verbs.Side
	calls  map[lifecycle.Call]int // 1 while open, 0 when ended once
	reqs   map[lifecycle.Req]int
	budget int // how many more callbacks
}

// take processes an Output, and calls back on each event.
func (w *reentrant) take(out lifecycle.Output) {
	if !out.Req.IsZero() {
		w.reqs[out.Req]++
	}
	for _, o := range out.Send {
		if o.Final && w.calls[o.Call] != 0 { // its RequestExpired or our own Respond
			w.calls[o.Call]--
		}
	}
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			w.calls[ev.Call]++
		case lifecycle.RequestCancelled, lifecycle.RequestLost:
			w.calls[ev.Call]--
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			w.reqs[ev.Req]--
		}
		if w.budget > 0 {
			w.budget--
			w.act(false)
		}
	}
}

// act calls a verb: with calm only peer messages and requests, otherwise any.
func (w *reentrant) act(calm bool) {
	r, own := requestTo(w.x.Role), requestTo(w.x.Role.Peer())
	var out lifecycle.Output
	last := 12
	if calm {
		last = 4
	}
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(w.rt, "which") }
	var call lifecycle.Call
	for c := range w.x.Inbound() {
		if call = c.Call; pick(2) == 0 {
			break
		}
	}
	var req lifecycle.Req
	for q := range w.x.Outbound() {
		if req = q.Req; pick(2) == 0 {
			break
		}
	}
	switch rapid.IntRange(0, last).Draw(w.rt, "verb") {
	case 0:
		w.x, out = w.x.Receive(line(fmt.Sprint(pick(4)), r.name, r.params))
	case 1:
		w.x, out, _ = w.x.Request(protocol.RawRequest{Name: own.name, Body: jsonrpc.Raw(own.params)}, lifecycle.RequestOptions{Within: call, Timeout: ms, Progress: true})
	case 2:
		w.x, out = w.x.Receive(w.x.Result(own.result))
	case 3:
		w.x, out = cancel(w.x, fmt.Sprintf("%q", fmt.Sprint(pick(4))))
	case 4:
		w.x, out = w.x.Tick(ms / 2)
	case 5:
		w.x, out, _ = finish(w.x, call)
	case 6:
		w.x, out, _ = w.x.Fail(call, jsonrpc.Error{Code: 1, Message: "m"})
	case 7:
		w.x, out, _ = w.x.Cancel(req, "no")
	case 8:
		w.x, out = w.x.SendFailed(req, nil)
	case 9:
		w.x, out, _ = w.x.Progress(call, protocol.ProgressParams{Progress: float64(pick(9))})
	case 10:
		w.x, out = w.x.InputClosed()
	case 11:
		w.x, out = w.x.Shutdown(time.Duration(pick(3)) * ms)
	case 12:
		w.x, out = w.x.Abort(nil)
	}
	w.take(out)
}
