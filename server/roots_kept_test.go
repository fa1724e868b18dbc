package server_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

func rootedServer(t *testing.T) *rooted {
	t.Helper()
	return &rooted{t: t, s: offer(t, server.Items{Tools: typed}, server.Config{}, "2025-06-18")}
}

// read returns the RootsRead of the last step.
func (r *rooted) read() server.Event {
	r.t.Helper()
	for _, ev := range r.out.Events {
		if ev.Kind == server.RootsRead {
			return ev
		}
	}
	r.t.Fatalf("nothing was read: %+v", r.out.Events)
	return server.Event{}
}

// Every root is kept as the client wrote it, with name and _meta, also one whose uri the
// specification forbids, which the State reports. One without a uri is none.
func TestRootsAreKeptAsTheyAre(t *testing.T) {
	r := rootedServer(t)
	r.want()
	r.answer(1, `{"uri":"file:///Users/Jane Doe/proj","name":"the project","_meta":{"a":[1,"b"]}},
		{"uri":"","name":"nowhere"},{"uri":"/etc"},{"uri":"file:///a/../b","name":""},{"uri":"https://x","_meta":{}},{"uri":"file:///ok"},{"uri":"file:///ok"}`)
	want := []protocol.Root{
		{URI: "file:///Users/Jane Doe/proj", Name: "the project", Meta: `{"a":[1,"b"]}`},
		{URI: "/etc"}, {URI: "file:///a/../b"}, {URI: "https://x", Meta: `{}`}, {URI: "file:///ok"}, {URI: "file:///ok"},
	}
	list, fresh := r.roots.List()
	if diff := cmp.Diff(want, list); diff != "" || !fresh {
		t.Errorf("fresh %v:\n%s", fresh, diff)
	}
	if ev := r.out.Events[0]; ev.Kind != lifecycle.Violation || ev.Rule != "ROOT-005" {
		t.Errorf("%+v", ev)
	}
	if err := r.read().Failure(); err != nil {
		t.Error(err)
	}
}

// Of more roots than the limits allow the first are kept, and the others are reported. The
// copy is fresh all the same: to ask again would give no more. A new session has the limits
// too.
func TestRootsLimits(t *testing.T) {
	many := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"uri":"file:///%04d"}`, i)) // 12 bytes
		}
		return strings.Join(list, ",")
	}
	for _, c := range []struct {
		roots, bytes int
		answer       string
		n            int
		all          bool
	}{
		{0, 0, many(1000), 1000, true}, {0, 0, many(1001), 1000, false},
		{-1, -1, many(1000), 1000, true}, {math.MinInt, math.MinInt, many(1001), 1000, false},
		{2, 0, many(2), 2, true}, {2, 0, many(3), 2, false}, {2000, 0, many(1001), 1001, true},
		{2, 0, many(2) + `,{"uri":""}`, 2, true},
		{0, 2 * 76, many(2), 2, true}, {0, 2*76 - 1, many(2), 1, false}, {0, 1, many(1), 0, false},
		{0, 0, `{"uri":"file:///` + strings.Repeat("x", 1<<20-64-8) + `"}`, 1, true},
		{0, 0, `{"uri":"file:///` + strings.Repeat("x", 1<<20-64-7) + `"}`, 0, false},
		{0, 200, `{"uri":"file:///a","name":"` + strings.Repeat("x", 127) + `"}`, 1, true},
		{0, 200, `{"uri":"file:///a","name":"` + strings.Repeat("x", 128) + `"}`, 0, false},
		{0, 200, `{"uri":"file:///a","_meta":{"m":"` + strings.Repeat("x", 119) + `"}}`, 1, true},
		{0, 200, `{"uri":"file:///a","_meta":{"m":"` + strings.Repeat("x", 120) + `"}}`, 0, false},
	} {
		r := rootedServer(t)
		r.roots = server.Roots{MaxRoots: c.roots, MaxBytes: c.bytes}
		for session, id := range []int{1, 2} {
			if session > 0 {
				r.roots, r.s, _ = r.roots.Handle(r.s.Disconnected(t0, nil))
				r.s, _ = r.s.Reset(t0)
				r.receive(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`)
				r.receive(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				r.expect("in a new session", 0, false)
			}
			if r.want() != 1 {
				t.Fatal("not asked")
			}
			r.answer(id, c.answer)
			r.expect(fmt.Sprint(c.roots, c.bytes, len(c.answer)), c.n, true)
			err := r.read().Failure()
			if errors.Is(err, server.ErrRoots) == c.all || c.all != (err == nil) {
				t.Errorf("%d roots, %d bytes: %v", c.roots, c.bytes, err)
			}
			if r.want() != 0 {
				t.Error("asked for what is fresh")
			}
		}
	}
}

// What a Roots keeps alive is less than twice its limit, whatever the roots are like.
func TestRootsKeepLittle(t *testing.T) {
	for name, item := range map[string]string{
		"small": `{"uri":"x"}`, "named": `{"uri":"file:///a","name":"n","_meta":{}}`, "large": `{"uri":"file:///` + strings.Repeat("x", 1<<16) + `"}`,
		"one": `{"uri":"file:///` + strings.Repeat("x", 1<<20-200) + `"}`,
	} {
		r := rootedServer(t)
		r.roots.MaxRoots = 1 << 30
		r.want()
		text := strings.Repeat(item+",", 3<<20/(len(item)+1)) + item
		msg := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"roots":[` + text + `]}}`)
		s, out := r.s.Receive(t0, msg)
		got := heap(func() any {
			roots, _, _ := r.roots.Handle(s, out)
			if list, _ := roots.List(); len(list) == 0 {
				t.Error(name, "nothing is kept")
			}
			return roots
		})
		t.Logf("%s: %d bytes are kept", name, got)
		if got > 2<<20 {
			t.Errorf("%s: %d bytes are kept", name, got)
		}
		if len(text) != len(msg.Body)-len(`{"roots":[]}`) || len(out.Events) == 0 {
			t.Error(name, "the answer is gone")
		}
	}
}

// Roots are not fresh while the session is not ready; they are there until the next one
// begins.
func TestRootsAreNotFreshOutOfSession(t *testing.T) {
	for name, end := range map[string]func(server.State) (server.State, server.Output){
		"disconnected": func(s server.State) (server.State, server.Output) { return s.Disconnected(t0, nil) },
		"shut down":    func(s server.State) (server.State, server.Output) { return s.Shutdown(t0, time.Minute) },
		"aborted":      func(s server.State) (server.State, server.Output) { return s.Abort(t0, errors.New("e")) },
	} {
		r := rootedServer(t)
		r.want()
		r.answer(1, `{"uri":"file:///a"}`)
		r.expect(name, 1, true)
		r.roots, r.s, r.out = r.roots.Handle(end(r.s))
		r.expect(name, 1, false)
		if _, _, _, err := r.roots.Want(r.s, t0, server.RequestOptions{}); !errors.Is(err, lifecycle.ErrPhase) {
			t.Error(name, err)
		}
	}

	// An answer that comes in while the session is shutting down is kept and not fresh.
	r := rootedServer(t)
	r.want()
	r.roots, r.s, r.out = r.roots.Handle(r.s.Shutdown(t0, time.Minute))
	r.answer(1, `{"uri":"file:///a"}`)
	r.expect("shutting down", 1, false)
}

// What goes out after an answer that a change overtook is asked with the same options, but
// belongs to no call and takes no other request's place: both are over by then.
func TestRootsAskAgainOnTheirOwn(t *testing.T) {
	r := &rooted{t: t, s: offer(t, server.Items{Tools: typed}, server.Config{Serve: []string{"x/y"}}, "2025-06-18")}
	s, out := r.s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"c","method":"x/y"}`))
	call := out.Opened
	s, out, err := s.Request(t0, protocol.PingParams{}, server.RequestOptions{})
	if err != nil || call.IsZero() {
		t.Fatal(call, err)
	}
	ping := out.Req
	opt := server.RequestOptions{Within: call, Replaces: ping, Timeout: 7 * time.Second, Maximum: 9 * time.Second, Progress: true}
	if r.roots, r.s, r.out, err = r.roots.Want(s, t0, opt); err != nil {
		t.Fatal(err)
	}
	if n := len(r.out.Send); n != 2 || r.out.Send[1].Call != call || r.out.Send[0].Message.Method != "notifications/cancelled" {
		t.Fatalf("%+v", r.out.Send)
	}
	r.receive(changed)
	r.answer(2, `{"uri":"file:///a"}`)
	if len(r.out.Send) != 1 || !r.out.Send[0].Call.IsZero() || r.out.Send[0].Message.Method != "roots/list" || string(r.out.Send[0].Message.Body) != `{"_meta":{"progressToken":3}}` {
		t.Fatalf("%+v", r.out.Send)
	}
	n := 0
	for req := range r.s.Outbound() {
		n++
		if req.Method != "roots/list" || !req.Deadline.Equal(t0.Add(7*time.Second)) || !req.Maximum.Equal(t0.Add(9*time.Second)) {
			t.Errorf("%+v", req)
		}
	}
	if n != 1 {
		t.Errorf("%d requests are open", n)
	}
	// The end of the call does not end it.
	r.roots, r.s, r.out = r.roots.Handle(r.s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`)))
	r.answer(3, `{"uri":"file:///b"}`)
	r.expect("asked again", 1, true)
}

// A Want that is refused leaves the Roots as they were, also where the State is another one.
func TestRootsRefusedStayAsTheyWere(t *testing.T) {
	r := rootedServer(t)
	r.want()
	r.answer(1, `{"uri":"file:///a"}`)
	early, err := r.s.NewSession(t0)
	if err != nil {
		t.Fatal(err)
	}
	read := r.roots
	r.want()
	r.receive(changed)
	r.want()
	for what, roots := range map[string]server.Roots{"new": {MaxRoots: 3}, "read": read, "asking": r.roots} {
		for name, s := range map[string]server.State{"zero": {}, "uninitialized": early} {
			next, after, out, err := roots.Want(s, t0, server.RequestOptions{})
			if !errors.Is(err, lifecycle.ErrPhase) || !out.IsZero() || after != s || !reflect.DeepEqual(next, roots) {
				t.Errorf("%s Roots and the %s State: %v, %+v", what, name, err, next)
			}
		}
	}
}

// Roots that nobody asked for take nothing in, and the zero State gives them nothing.
func TestRootsOfNothing(t *testing.T) {
	var none server.Roots
	if list, fresh := none.List(); list != nil || fresh {
		t.Error(list, fresh)
	}
	for _, ev := range []server.Event{{}, {Kind: lifecycle.ResponseReceived, Body: `{"roots":[{"uri":"file:///a"}]}`}, {Kind: lifecycle.RequestFailed}} {
		next, s, out := none.Handle(server.State{}, server.Output{Events: []server.Event{ev}})
		if list, fresh := next.List(); list != nil || fresh || s != (server.State{}) || len(out.Events) != 1 || out.Events[0].Kind != ev.Kind {
			t.Errorf("%v became %+v", ev.Kind, out)
		}
	}
	if _, _, out, err := none.Want(server.State{}, t0, server.RequestOptions{}); !errors.Is(err, lifecycle.ErrPhase) || !out.IsZero() {
		t.Error(err)
	}
}

// A Roots that was waiting for an answer in one State asks anew in another one, although
// that has the same wire ids; its limits stay.
func TestRootsOfAnotherState(t *testing.T) {
	r := rootedServer(t)
	r.roots.MaxRoots = 1
	other := rootedServer(t).s
	if r.want() != 1 {
		t.Fatal("not asked")
	}
	r.s = other
	if r.want() != 1 {
		t.Error("waits for an answer to the other State")
	}
	r.answer(1, `{"uri":"file:///a"},{"uri":"file:///b"}`)
	r.expect("answered", 1, true)
	r.s = rootedServer(t).s
	r.roots, r.s, _ = r.roots.Handle(r.s, server.Output{})
	r.expect("in another State", 0, false)
}

// A client that announces a change before each of its answers is not asked for ever. Its
// roots are there, not fresh, and the next Want asks again.
func TestRootsThatAlwaysChange(t *testing.T) {
	r := rootedServer(t)
	for round := range 3 {
		if r.want() != 1 {
			t.Fatal("not asked")
		}
		id := 2*round + 1
		for asked := 1; asked > 0 && id < 50; id++ {
			if r.receive(changed); len(r.out.Send) != 0 {
				t.Fatalf("%+v", r.out.Send)
			}
			r.answer(id, `{"uri":"file:///a"}`)
			r.expect("answered", 1, false)
			asked = len(r.out.Send)
		}
		if asked := id - 2*round - 1; asked != 2 {
			t.Fatalf("round %d: asked %d times", round, asked)
		}
	}
	r.want()
	r.answer(7, `{"uri":"file:///a"}`)
	r.expect("at last", 1, true)
}
