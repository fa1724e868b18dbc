package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// TestOutgoing runs machines of both roles at random, also at the revision with batches,
// and takes note of all that goes out. Each Outgoing is one JSON object, whatever came in
// and however much is due at once, so that a client can post it by itself. Each goes out
// once and has one place: a request has an id of its own, every call that began comes to
// one end, which is one Final or none but an event, and nothing belongs to a call after
// its end.
//
// rows: HTTP-005 HTTP-032
func TestOutgoing(t *testing.T) {
	batches, within, finals := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		src := rapidSource{t}
		set := model.RandomSetup(src, []lifecycle.Party{lifecycle.Client, lifecycle.Server}[src.Intn(2)])
		m, err := set.New(model.Origin)
		if err != nil {
			t.Fatal(err)
		}
		gen := model.NewGenerator(src, set)
		ends := map[lifecycle.Call]int{} // of each call that there was
		requests := map[jsonrpc.ID]bool{}
		step := func(s model.Step) {
			next, out, _ := s.Apply(m)
			m = next
			gen.Saw(out)
			for _, ev := range out.Events {
				if ev.Kind == lifecycle.RequestReceived {
					ends[ev.Call] += 0
				}
			}
			for _, o := range out.Send {
				text := jsonrpc.Append(nil, o.Message)
				if back := jsonrpc.Decode(text); o.Message.Kind == jsonrpc.KindBatch || back.Kind == jsonrpc.KindBatch || text[0] != '{' {
					t.Fatalf("%s: no single message goes out: %s", &s, text)
				}
				if o.Message.Kind == jsonrpc.KindRequest {
					if requests[o.Message.ID] {
						t.Fatalf("%s: a second request of that id: %s", &s, text)
					}
					requests[o.Message.ID] = true
				}
				if answers := o.Message.Kind == jsonrpc.KindResult || o.Message.Kind == jsonrpc.KindError && o.Message.ID != jsonrpc.Null; o.Final != answers || o.Final && o.Call.IsZero() {
					t.Fatalf("%s: final %v of %v: %s", &s, o.Final, o.Call, text)
				}
				if o.Call.IsZero() {
					continue
				}
				within++
				if ends[o.Call] > 0 {
					t.Fatalf("%s: %v has ended, and yet: %s", &s, o.Call, text)
				}
				ends[o.Call] += 0
				if o.Final {
					ends[o.Call]++
					finals++
				}
			}
			for _, ev := range out.Events {
				if ev.Kind == lifecycle.RequestCancelled || ev.Kind == lifecycle.RequestLost {
					ends[ev.Call]++
				}
			}
			if s.Op == model.OpReceive && jsonrpc.DecodeString(s.Text).Kind == jsonrpc.KindBatch && len(out.Send) > 1 {
				batches++
			}
		}
		for range 60 {
			step(gen.Next(m))
		}
		last := gen.Next(m)
		step(model.Step{Op: model.OpDisconnected, Now: last.Now})
		for call, n := range ends {
			if n != 1 {
				t.Fatalf("%v has %d ends", call, n)
			}
		}
	})
	if batches == 0 || within == finals || finals == 0 {
		t.Errorf("%d batches with several answers, %d messages of calls, %d of them final: too little to show anything", batches, within, finals)
	}
}
