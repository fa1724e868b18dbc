package server_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// rooted is a server that keeps the roots of its client.
type rooted struct {
	t     *testing.T
	s     server.State
	roots server.Roots
	out   server.Output
}

func (r *rooted) receive(line string) {
	r.roots, r.s, r.out = r.roots.Handle(r.s.Receive(t0, jsonrpc.DecodeString(line)))
}

// want asks and returns how many requests went out.
func (r *rooted) want() int {
	r.t.Helper()
	var err error
	r.roots, r.s, r.out, err = r.roots.Want(r.s, t0, server.RequestOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	return len(r.out.Send)
}

func (r *rooted) answer(id int, roots string) {
	r.receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"roots":[%s]}}`, id, roots))
}

func (r *rooted) expect(what string, n int, fresh bool) {
	r.t.Helper()
	if list, f := r.roots.List(); len(list) != n || f != fresh {
		r.t.Errorf("%s: %v, fresh %v", what, list, f)
	}
}

const changed = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`

// However often they are wanted, the roots are asked for once, and once more after a
// change; an answer that a change overtook is old.
//
// rows: ROOT-023 ROOT-024
func TestRoots(t *testing.T) { everywhere(t, roots) }

func roots(t *testing.T) {
	r := &rooted{t: t, s: offer(t, server.Items{Tools: typed}, server.Config{}, spoken.String())}
	r.expect("at first", 0, false)
	if r.want() != 1 || r.want() != 0 || r.want() != 0 {
		t.Error("asked not once")
	}
	r.answer(1, `{"uri":"file:///a"},{"uri":"file:///a/../b"}`)
	r.expect("answered", 2, true)
	if len(r.out.Events) != 2 || r.out.Events[1].Kind != server.RootsRead || r.out.Events[1].Failure() != nil {
		t.Errorf("%+v", r.out)
	}
	if r.want() != 0 {
		t.Error("asked for what is fresh")
	}
	r.receive(changed)
	r.expect("after a change", 2, false)
	if len(r.out.Send) != 0 || len(r.out.Events) != 1 {
		t.Errorf("%+v", r.out)
	}
	if r.want() != 1 {
		t.Error("not asked after a change")
	}
	r.receive(changed)
	r.receive(changed)
	r.answer(2, `{"uri":"file:///b"},{"uri":"file:///c"}`)
	r.expect("overtaken", 2, false)
	if len(r.out.Send) != 1 || r.out.Send[0].Message.Method != "roots/list" {
		t.Fatalf("%+v", r.out)
	}
	if r.want() != 0 {
		t.Error("asked although it is on its way")
	}
	r.answer(3, ``)
	r.expect("at last", 0, true)
	if len(r.out.Send) != 0 {
		t.Errorf("%+v", r.out)
	}
}

// A failure leaves the old copy; a new session knows nothing.
func TestRootsFail(t *testing.T) {
	r := &rooted{t: t, s: offer(t, server.Items{Tools: typed}, server.Config{}, "2025-06-18")}
	r.want()
	r.answer(1, `{"uri":"file:///a"}`)
	r.receive(changed)
	r.want()
	r.receive(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"m"}}`)
	r.expect("refused", 1, false)
	if ev := r.out.Events[0]; ev.Kind != server.RootsRead || ev.Failure() == nil {
		t.Errorf("%+v", ev)
	}
	if r.want() != 1 {
		t.Error("not asked again")
	}
	r.roots, r.s, r.out = r.roots.Handle(r.s.Tick(t0.Add(time.Hour)))
	if ev := r.out.Events[0]; ev.Kind != server.RootsRead || !errors.Is(ev.Failure(), &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}) {
		t.Errorf("%+v", ev)
	}
	r.want()
	r.roots, r.s, r.out = r.roots.Handle(r.s.Disconnected(t0, nil))
	r.expect("disconnected", 1, false)
	if _, _, _, err := r.roots.Want(r.s, t0, server.RequestOptions{}); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
	r.s, _ = r.s.Reset(t0)
	r.receive(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	r.expect("in a new session", 0, false)
	r.receive(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if _, _, _, err := r.roots.Want(r.s, t0, server.RequestOptions{}); !errors.Is(err, lifecycle.ErrCapability) {
		t.Error(err)
	}
}

// Roots that cannot be asked for leave everything as it was.
func TestRootsTooEarly(t *testing.T) {
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	_, next, out, err := server.Roots{}.Want(s, t0, server.RequestOptions{})
	if !errors.Is(err, lifecycle.ErrPhase) || next != s || !out.IsZero() {
		t.Errorf("%v %+v", err, out)
	}
}

// At the end of a session the failure is reported once, also after a change.
func TestRootsAtTheEnd(t *testing.T) {
	r := &rooted{t: t, s: offer(t, server.Items{Tools: typed}, server.Config{}, "2025-06-18")}
	r.want()
	r.receive(changed)
	r.roots, r.s, r.out = r.roots.Handle(r.s.Disconnected(t0, nil))
	if len(r.out.Events) != 2 || r.out.Events[0].Kind != server.RootsRead || r.out.Events[1].Kind != lifecycle.PhaseChanged {
		t.Errorf("%+v", r.out.Events)
	}
}

// What an answer has beside the roots is not kept.
func TestRootsKeepNoMessage(t *testing.T) {
	r := &rooted{t: t, s: offer(t, server.Items{Tools: typed}, server.Config{}, "2025-06-18")}
	r.want()
	roots := []server.Roots{}
	kept := heap(func() any { // may be negative: what was garbage before is gone
		for range 16 {
			x := *r
			x.answer(1, `{"uri":"file:///a","name":"n","x":"`+strings.Repeat("x", 1<<18)+`"}`)
			x.expect("answered", 1, true)
			roots = append(roots, x.roots)
		}
		return roots
	})
	if kept > 1<<18 {
		t.Errorf("roots keep %d bytes", kept)
	}
}

// What Handle was given is not changed by it.
func TestRootsHandleCopies(t *testing.T) {
	r := &rooted{t: t, s: offer(t, server.Items{Tools: typed}, server.Config{}, "2025-06-18")}
	r.want()
	s, out := r.s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`))
	_, _, rest := r.roots.Handle(s, out)
	if len(rest.Events) != 1 || rest.Events[0].Kind != server.RootsRead || len(out.Events) != 1 || out.Events[0].Kind != lifecycle.ResponseReceived {
		t.Errorf("%v became %v", out.Events, rest.Events)
	}
}

// Where it cannot ask once more, Handle says so, but not of a session that has ended.
func TestRootsNotAskedAgain(t *testing.T) {
	r := &rooted{t: t, s: offer(t, server.Items{Tools: typed}, server.Config{Limits: lifecycle.Limits{Outbound: 1}}, "2025-06-18")}
	r.want()
	r.receive(changed)
	causes := func(s server.State, out server.Output) (list []string) {
		t.Helper()
		_, _, out = r.roots.Handle(s, out)
		for _, ev := range out.Events {
			if ev.Kind == server.RootsRead {
				list = append(list, fmt.Sprint(ev.Cause != nil && ev.Cause.Kind == lifecycle.CauseNotSent))
			}
		}
		return list
	}
	if got := causes(r.s.Disconnected(t0, nil)); len(got) != 1 || got[0] != "false" {
		t.Errorf("after the end: %v", got)
	}
	// The application takes the only place before Handle sees the answer.
	s, answered := r.s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`))
	s, _, err := s.Request(t0, protocol.PingParams{}, server.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := causes(s, answered); len(got) != 2 || got[0] != "false" || got[1] != "true" {
		t.Errorf("with too many requests: %v", got)
	}
}
