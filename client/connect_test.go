package client_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var began = time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC)

// pair is a client and a server that speak to each other.
type pair struct {
	t    *testing.T
	c    client.State
	s    server.State
	h    *server.Handlers
	wire []string
	evs  []client.Event
	// moves is set where both ends are restored from snapshots after each step.
	moves    bool
	cfg      client.Config
	serverOf server.Config
}

func newPair(t *testing.T, of []protocol.Revision, at []protocol.Revision) *pair {
	t.Helper()
	h := &server.Handlers{}
	h.Tool(protocol.Tool{Name: "ask"}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		q := protocol.Ask(p)
		who := q.Elicit("who", protocol.ElicitParams{Message: "who?", RequestedSchema: protocol.ElicitSchema{
			Properties: []protocol.Property{{Name: "name", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString}}},
		}})
		roots := q.Roots("roots")
		if err := q.Open("at 1"); err != nil {
			return nil, err
		}
		return protocol.TextResult(q.State() + ": " + string(who.Content["name"]) + " " + roots.Roots[0].URI), nil
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t: t, h: h}
	info := protocol.Implementation{Name: "n", Version: "1"}
	p.serverOf = server.Config{Info: info, Catalog: catalog, Serve: h.Serve(), Revisions: at}
	p.cfg = client.Config{Info: info, Revisions: of, Serve: []string{protocol.MethodElicitationCreate}, Roots: []protocol.Root{{URI: "file:///a"}}}
	if p.s, err = server.New(p.serverOf, began); err != nil {
		t.Fatal(err)
	}
	if p.c, err = client.New(p.cfg, began); err != nil {
		t.Fatal(err)
	}
	return p
}

// deliver carries messages until nobody says anything more.
func (p *pair) deliver(o client.Output) {
	p.t.Helper()
	p.evs = append(p.evs, o.Events...)
	for _, out := range o.Send {
		text := jsonrpc.Append(nil, out.Message)
		p.wire = append(p.wire, "> "+string(text))
		var back server.Output
		p.s, back = p.h.Receive(p.s, began, jsonrpc.Decode(text))
		for _, b := range back.Send {
			text := jsonrpc.Append(nil, b.Message)
			p.wire = append(p.wire, "< "+string(text))
			var next client.Output
			p.c, next = p.c.Receive(began, jsonrpc.Decode(text))
			p.deliver(next)
		}
	}
	if p.moves {
		var err error
		snapshot := p.c.Snapshot()
		if p.c, err = client.Restore(p.cfg, snapshot, began); err != nil {
			p.t.Fatalf("%v\n%s", err, snapshot)
		}
		if again := p.c.Snapshot(); string(again) != string(snapshot) {
			p.t.Fatalf("%s\nwas %s", again, snapshot)
		}
		if p.s, err = server.Restore(p.serverOf, p.s.Snapshot(), began); err != nil {
			p.t.Fatal(err)
		}
	}
	for _, err := range []error{p.c.Check(), p.s.Check()} {
		if err != nil {
			p.t.Fatalf("%v\n%s", err, strings.Join(p.wire, "\n"))
		}
	}
}

// A client of either era, or of both, reaches a server of either era, or of both, where they have a
// revision in common, and calls a tool that asks: by requests in a session, by results without one.
//
// rows: ERA-001 ERA-009 ERA-010 ERA-018 ERA-019 ERA-021 DISC-012 MRTR-028 MRTR-029 MRTR-032 MRTR-042 ERA-017 VERS-013 VERS-207 REQM-007 REQM-008 ROOT-203
// revisions: 2026-07-28
func TestConnect(t *testing.T) {
	old, now := []protocol.Revision{protocol.Revision20251125}, []protocol.Revision{protocol.Revision20260728}
	both := append(append([]protocol.Revision{}, old...), now...)
	for i, c := range []struct {
		of, at []protocol.Revision
		want   protocol.Revision // zero for none
	}{
		{old, old, old[0]}, {old, now, protocol.Revision{}}, {old, both, old[0]},
		{now, old, protocol.Revision{}}, {now, now, now[0]}, {now, both, now[0]},
		{both, old, old[0]}, {both, now, now[0]}, {both, both, now[0]},
	} {
		p := newPair(t, c.of, c.at)
		p.moves = i%2 == 0
		var o client.Output
		var err error
		p.c, o, err = p.c.Connect(began, "")
		if err != nil {
			t.Fatal(err)
		}
		p.deliver(o)
		if p.c.Revision() != c.want || (p.c.Phase() == lifecycle.Ready) == c.want.IsZero() {
			t.Errorf("%v at %v: %v %v\n%s", c.of, c.at, p.c.Revision(), p.c.Status(), strings.Join(p.wire, "\n"))
			continue
		}
		if c.want.IsZero() || c.want != now[0] {
			continue
		}
		p.wire, p.evs = nil, nil
		p.c, o, err = p.c.Request(began, protocol.CallToolParams{Name: "ask", Meta: `{"k":1}`}, client.RequestOptions{Progress: true})
		if err != nil {
			t.Fatal(err)
		}
		req := o.Req
		p.deliver(o)
		if len(p.evs) != 1 || p.evs[0].Kind != lifecycle.RequestReceived || p.evs[0].Req.Seq() != req.Seq() {
			t.Fatalf("%+v\n%s", p.evs, strings.Join(p.wire, "\n"))
		}
		q := p.evs[0]
		p.evs = nil
		p.c, o, err = p.c.Respond(began, p.c.Call(q.Call.Seq(), q.Call.Key()), protocol.ElicitResult{Action: "accept", Content: map[string]protocol.Raw{"name": `"Ann"`}})
		if err != nil {
			t.Fatal(err)
		}
		p.deliver(o)
		if len(p.evs) != 1 || p.evs[0].Kind != lifecycle.ResponseReceived || p.evs[0].Req.Seq() != req.Seq() || !strings.Contains(string(p.evs[0].Body), `at 1: \"Ann\" file:///a`) {
			t.Errorf("%+v\n%s", p.evs, strings.Join(p.wire, "\n"))
		}
		// Known before, it needs no probe.
		v := p.c.Verdict()
		again := newPair(t, c.of, c.at)
		again.c, o, err = again.c.Connect(began, v)
		if err != nil || len(o.Send) != 0 || again.c.Phase() != lifecycle.Ready || again.c.Revision() != c.want || again.c.Peer().Name != "n" {
			t.Errorf("%v %v %+v", err, again.c.Status(), o)
		}
	}
}
