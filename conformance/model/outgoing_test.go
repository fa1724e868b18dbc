package model_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/randomly"
	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// outgoing takes note of what goes out in one random run.
type outgoing struct {
	t        failer
	m        session.Machine
	rec      *transcript.Recorder
	gen      *model.Generator
	ends     map[lifecycle.Call]int // of each call that there was
	requests map[jsonrpc.ID]bool

	batches, within, finals int // how much there was of what this is about
}

// run runs a machine of either role, half of the time at the revision with batches.
func (g *outgoing) run(src model.Source) {
	set := model.RandomSetup(src, []lifecycle.Party{lifecycle.Client, lifecycle.Server}[src.Intn(2)])
	if src.Intn(2) == 1 {
		set.Revisions, set.Declare = []protocol.Revision{protocol.Revision20250326}, 0
		set.Serve = slices.DeleteFunc(set.Serve, func(name string) bool { return name == "elicitation/create" })
	}
	m, err := set.New(model.Origin)
	if err != nil {
		g.t.Fatal(err)
	}
	g.m, g.rec, g.gen = m, set.Record(), model.NewGenerator(src, set)
	g.ends, g.requests = map[lifecycle.Call]int{}, map[jsonrpc.ID]bool{}
	var last model.Step
	for range 60 {
		s := g.gen.Next(g.m)
		if s.Op == session.OpReceive && last.Op == session.OpReceive && src.Intn(4) == 3 {
			s.Text = "[" + last.Text + "," + s.Text + "]"
		}
		g.step(s)
		last = s
	}
	for range 6 { // so that much goes out at once
		g.step(model.Step{Op: session.OpRequest, Now: last.Now, Params: raw("ping", "")})
	}
	g.step(model.Step{Op: session.OpShutdown, Now: last.Now})
	g.step(model.Step{Op: session.OpDisconnected, Now: last.Now})
	for call, n := range g.ends {
		if n != 1 {
			g.t.Fatalf("%v has %d ends", call, n)
		}
	}
}

// hold is run with what fails as an error.
func (g *outgoing) hold(src model.Source) error {
	err := caught(func(t failer) {
		g.t = t
		g.run(src)
	})
	if err == nil || g.rec == nil {
		return err
	}
	return model.Fail(err, g.rec.Steps(), err.Error(), g.rec)
}

func (g *outgoing) step(s model.Step) {
	next, out, _ := s.Record(g.rec, g.m)
	g.m = next
	g.gen.Saw(out)
	if !out.Opened.IsZero() {
		g.ends[out.Opened] += 0
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestReceived {
			g.ends[ev.Call] += 0
		}
	}
	texts := map[string]bool{}
	for _, o := range out.Send {
		g.sent(&s, o)
		text := string(jsonrpc.Append(nil, o.Message))
		if o.Message.Method != "" && texts[text] { // answers count by their calls
			g.t.Fatalf("%s: goes out twice: %s", &s, text)
		}
		texts[text] = true
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestCancelled || ev.Kind == lifecycle.RequestLost {
			g.ends[ev.Call]++
		}
	}
	if s.Op == session.OpReceive && jsonrpc.DecodeString(s.Text).Kind == jsonrpc.KindBatch && len(out.Send) > 1 {
		g.batches++
	}
}

func (g *outgoing) sent(s *model.Step, o lifecycle.Outgoing) {
	text := jsonrpc.Append(nil, o.Message)
	if back := jsonrpc.Decode(text); o.Message.Kind == jsonrpc.KindBatch || back.Kind == jsonrpc.KindBatch || text[0] != '{' {
		g.t.Fatalf("%s: no single message goes out: %s", s, text)
	}
	if o.Message.Kind == jsonrpc.KindRequest {
		if g.requests[o.Message.ID] {
			g.t.Fatalf("%s: a second request of that id: %s", s, text)
		}
		g.requests[o.Message.ID] = true
	}
	answers := o.Message.Kind == jsonrpc.KindResult || o.Message.Kind == jsonrpc.KindError && o.Message.ID != jsonrpc.Null && !o.Message.ID.IsZero()
	if o.Final != answers || o.Final && o.Call.IsZero() {
		g.t.Fatalf("%s: final %v of %v: %s", s, o.Final, o.Call, text)
	}
	if o.Call.IsZero() {
		return
	}
	if g.ends[o.Call] > 0 {
		g.t.Fatalf("%s: %v has ended, and yet: %s", s, o.Call, text)
	}
	g.within++
	g.ends[o.Call] += 0
	if o.Final {
		g.ends[o.Call]++
		g.finals++
	}
}

// TestOutgoing runs machines of both roles at random, also at the revision with batches,
// and takes note of all that goes out. Each Outgoing is one JSON object, whatever came in
// and however much is due at once, so that a client can post it by itself. Each goes out
// once and has one place: no request or notification is there twice, a request has an id of its own, every call that began comes to
// one end, which is one Final or none but an event, and nothing belongs to a call after
// its end.
//
// rows: HTTP-005 HTTP-032
// revisions: all
func TestOutgoing(t *testing.T) {
	g := new(outgoing)
	for seed := range 40 { // always the same, so that they show enough
		if err := g.hold(rand.New(rand.NewSource(int64(seed)))); err != nil {
			fails(t, err, seed)
		}
	}
	if g.batches < 3 || g.within-g.finals < 3 || g.finals < 100 {
		t.Fatalf("%d batches with several answers, %d messages of calls, %d of them final: too little to show anything", g.batches, g.within, g.finals)
	}
	randomly.Check(t, func(src model.Source) error { return new(outgoing).hold(src) })
}
