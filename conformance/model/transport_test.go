package model_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/randomly"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// link carries messages one way.
type link interface {
	put(m jsonrpc.Message)
	take() []jsonrpc.Message // what has arrived
}

// queue is a link in memory: nothing is ever bytes.
type queue struct{ messages []jsonrpc.Message }

func (q *queue) put(m jsonrpc.Message) { q.messages = append(q.messages, m) }

func (q *queue) take() []jsonrpc.Message {
	list := q.messages
	q.messages = nil
	return list
}

// stream is a link of bytes, framed like stdio and cut anywhere.
type stream struct {
	bytes  []byte
	framer jsonrpc.Framer
	cut    *rand.Rand
}

func (s *stream) put(m jsonrpc.Message) { s.bytes = jsonrpc.AppendLine(s.bytes, m) }

func (s *stream) take() (list []jsonrpc.Message) {
	for len(s.bytes) > 0 {
		n := 1 + s.cut.Intn(len(s.bytes))
		s.framer.Push(s.bytes[:n])
		s.bytes = s.bytes[n:]
		for m, ok := s.framer.Next(); ok; m, ok = s.framer.Next() {
			list = append(list, m)
		}
	}
	return list
}

// trace is the effects of a step. Positions of large members are omitted: a
// message that was not read from text does not have them.
func trace(m verbs.Machine, out lifecycle.Output, err error) string {
	var b strings.Builder
	for _, o := range out.Send {
		fmt.Fprintf(&b, "%s %v %v\n", jsonrpc.Append(nil, o.Message), o.Call, o.Final)
	}
	for _, ev := range out.Events {
		ev.Span = jsonrpc.Span{}
		b.WriteString(model.Render(ev) + "\n")
	}
	fmt.Fprintf(&b, "%v %v %v %v, %v %s\n", out.Opened, out.Req, out.Close, err, m.Phase(), m.Snapshot())
	return b.String()
}

// joined runs a client and a server joined by two links. The seed determines the acts of both
// applications, and when arrived messages are handled.
func joined(t failer, seed int64, toServer, toClient link) (traces []string) {
	src := rand.New(rand.NewSource(seed))
	ends := [2]verbs.Machine{}
	var gens [2]*model.Generator
	in, out := [2]link{toClient, toServer}, [2]link{toServer, toClient}
	for i, party := range []lifecycle.Party{lifecycle.Client, lifecycle.Server} {
		set := model.RandomSetup(src, party)
		m, err := set.New(model.Origin)
		if err != nil {
			t.Fatal(err)
		}
		ends[i], gens[i] = m, model.NewGenerator(src, set)
	}
	now := model.Origin
	do := func(i int, next verbs.Machine, o lifecycle.Output, err error) {
		ends[i] = next
		gens[i].Saw(o)
		for _, sent := range o.Send {
			out[i].put(sent.Message)
		}
		traces = append(traces, fmt.Sprintf("%v %s", next.Party(), trace(next, o, err)))
	}
	apply := func(i int, s model.Step) {
		s.Now = now
		next, o, err := s.Apply(ends[i])
		do(i, next, o, err)
	}
	apply(0, model.Step{Op: verbs.OpInitialize})
	for range 80 {
		switch i := src.Intn(2); src.Intn(4) {
		case 0:
			apply(i, gens[i].Verb(ends[i]))
		case 1:
			now = now.Add(time.Duration(src.Intn(4)) * 500 * time.Millisecond)
			apply(i, model.Step{Op: verbs.OpTick})
		default:
			for _, m := range in[i].take() {
				next, o := ends[i].Receive(now, m)
				do(i, next, o, nil)
			}
		}
	}
	return traces
}

// TestCustomTransport joins a client and a server by queues of messages, a transport
// outside of the specification, and again by bytes in the framing of stdio. Both
// behave in the same way.
//
// rows: TRANS-003
// revisions: all
func TestCustomTransport(t *testing.T) {
	ready := 0
	for seed := range int64(20) { // fixed, so that they show enough
		if sameTraces(t, seed, seed) {
			ready++
		}
	}
	if ready < 5 {
		t.Fatalf("only %d of 20 sessions were ever ready", ready)
	}
	rapid.Check(t, func(t *rapid.T) {
		sameTraces(t, rapid.Int64().Draw(t, "seed"), rapid.Int64().Draw(t, "cuts"))
	})
}

// sameTraces joins both ends by either transport and reports whether they became ready.
func sameTraces(t failer, seed, cuts int64) (ready bool) {
	cut := rand.New(rand.NewSource(cuts))
	queued := joined(t, seed, &queue{}, &queue{})
	framed := joined(t, seed, &stream{cut: cut}, &stream{cut: cut})
	for i := range min(len(queued), len(framed)) {
		if queued[i] != framed[i] {
			t.Fatalf("step %d, through queues:\n%s\nas lines:\n%s", i, queued[i], framed[i])
		}
	}
	if len(queued) != len(framed) {
		t.Fatalf("%d steps through queues, %d as lines", len(queued), len(framed))
	}
	return slices.ContainsFunc(queued, func(s string) bool { return strings.HasPrefix(s, "client") && strings.Contains(s, " ready {") })
}

// TestTraceDependsOnMessages runs a machine under random steps and then feeds the same
// messages, as one stream of bytes cut anywhere, with line breaks of either kind
// and blank lines between them, to another one of the same Config, and one by one in a reused
// buffer to a third. All three have the same effects, step by step: a
// machine does not depend on how a message arrived.
//
// rows: TRANS-004
// revisions: all
func TestTraceDependsOnMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := randomly.Source{T: t}
		set := model.RandomSetup(src, []lifecycle.Party{lifecycle.Client, lifecycle.Server}[src.Intn(2)])
		first, err := set.New(model.Origin)
		if err != nil {
			t.Fatal(err)
		}
		gen := model.NewGenerator(src, set)
		gen.Wild = src.Intn(2) == 1
		var steps []model.Step
		var want []string
		var bytes []byte
		for range 40 {
			s := gen.Next(first)
			if s.Op == verbs.OpReceive && (strings.ContainsAny(s.Text, "\r\n") || strings.TrimSpace(s.Text) == "") {
				continue // not a line
			}
			next, out, err := s.Apply(first)
			gen.Saw(out)
			first = next
			steps, want = append(steps, s), append(want, trace(next, out, err))
			if s.Op == verbs.OpReceive {
				bytes = append(bytes, s.Text+[]string{"\n", "\r\n", "\n\n", "\r\n \t\n"}[src.Intn(4)]...)
			}
		}
		var framer jsonrpc.Framer
		var buf []byte
		second, err := set.New(model.Origin)
		if err != nil {
			t.Fatal(err)
		}
		third := second
		for i, s := range steps {
			var two, three lifecycle.Output
			var err2, err3 error
			if s.Op == verbs.OpReceive {
				m, ok := framer.Next()
				for ; !ok && len(bytes) > 0; m, ok = framer.Next() {
					n := min(1+src.Intn(200), len(bytes))
					framer.Push(bytes[:n])
					bytes = bytes[n:]
				}
				if !ok {
					t.Fatalf("step %d: the stream lost %s", i, s.Text)
				}
				second, two = second.Receive(s.Now, m)
				buf = append(buf[:0], s.Text...)
				third, three = third.Receive(s.Now, jsonrpc.Decode(buf))
			} else {
				second, two, err2 = s.Apply(second)
				third, three, err3 = s.Apply(third)
			}
			if got := trace(second, two, err2); got != want[i] {
				t.Fatalf("step %d, %s, from a stream:\n%s\nwant\n%s", i, &s, got, want[i])
			}
			if got := trace(third, three, err3); got != want[i] {
				t.Fatalf("step %d, %s, from a buffer:\n%s\nwant\n%s", i, &s, got, want[i])
			}
		}
	})
}
