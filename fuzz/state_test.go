package fuzz_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var (
	epoch = time.Unix(1_000_000, 0)
	who   = protocol.Implementation{Name: "fuzz", Version: "1"}
)

// tally is what the two roles have in common for a fuzzer.
type tally struct {
	t     *testing.T
	now   time.Time
	calls []lifecycle.Call
	open  map[lifecycle.Call]bool
	reqs  map[lifecycle.Req]bool
}

// note checks what every Output has to keep to.
func (m *tally) note(out lifecycle.Output) {
	m.t.Helper()
	for _, o := range out.Send {
		line := jsonrpc.Append(nil, o.Message)
		if back := jsonrpc.Decode(line); back.Kind != o.Message.Kind {
			m.t.Fatalf("sent %s, which reads as %v (%v)", line, back.Kind, back.Fault)
		}
		if bytes.Contains(line, []byte(`"params":null`)) {
			m.t.Fatalf("sent %s", line)
		}
		if o.Final && m.open[o.Call] {
			m.close(o.Call)
		}
	}
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			m.calls = append(m.calls, ev.Call)
			m.open[ev.Call] = true
		case lifecycle.RequestCancelled, lifecycle.RequestLost:
			m.close(ev.Call)
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			if !m.reqs[ev.Req] {
				m.t.Fatalf("%v ended twice or was never sent", ev.Req)
			}
			delete(m.reqs, ev.Req)
		}
	}
	if !out.Req.IsZero() {
		m.reqs[out.Req] = true
	}
}

func (m *tally) close(call lifecycle.Call) {
	if !m.open[call] {
		m.t.Fatalf("%v ended twice", call)
	}
	delete(m.open, call)
}

// call picks one of the calls there have been.
func (m *tally) call(b byte) lifecycle.Call {
	if len(m.calls) == 0 {
		return lifecycle.Call{}
	}
	return m.calls[int(b)%len(m.calls)]
}

func newTally(t *testing.T) *tally {
	return &tally{t: t, now: epoch, open: map[lifecycle.Call]bool{}, reqs: map[lifecycle.Req]bool{}}
}

var errFuzz = errors.New("fuzz")

func FuzzServer(f *testing.F) {
	addSeeds(f)
	catalog, err := server.NewCatalog(server.Items{
		Tools:     []protocol.Tool{{Name: "t", InputSchema: `{"type":"object"}`}},
		Resources: []protocol.Resource{{URI: "a:b", Name: "b"}},
		Prompts:   []protocol.Prompt{{Name: "p", Arguments: []protocol.PromptArgument{{Name: "x", Required: true}}}},
		PageSize:  1,
	})
	if err != nil {
		f.Fatal(err)
	}
	first, err := server.New(server.Config{
		Info: who, Catalog: catalog, Subscribe: true, Logging: true,
		Serve:    []string{"tools/call", "resources/read", "prompts/get", "completion/complete", "x/custom"},
		Timeouts: lifecycle.Timeouts{Inbound: time.Minute}, Limits: lifecycle.Limits{Inbound: 4, Outbound: 4, Subscriptions: 2},
	}, epoch)
	if err != nil {
		f.Fatal(err)
	}
	starts := []server.State{first}
	for _, revision := range revisions {
		s := first
		s, _ = s.Receive(epoch, opening(0, revision))
		s, _ = s.Receive(epoch, opening(1, revision))
		if s.Status().Revision.String() != revision {
			f.Fatal("no handshake at ", revision)
		}
		starts = append(starts, s)
	}
	f.Fuzz(func(t *testing.T, stream, program []byte) {
		m := newTally(t)
		s, program := pickStart(starts, program)
		take := func(next server.State, out server.Output) {
			s = next
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			m.note(out)
		}
		verb := func(next server.State, out server.Output, err error) {
			if err != nil && (next != s || !out.IsZero()) {
				t.Fatal("a verb failed and did something: ", err)
			}
			take(next, out)
		}
		var fr jsonrpc.Framer
		for line := range bytes.SplitAfterSeq(stream, []byte("\n")) {
			fr.Push(expand(line))
			for msg, ok := fr.Next(); ok; msg, ok = fr.Next() {
				take(s.Receive(m.now, msg))
			}
			if len(program) == 0 {
				continue
			}
			op := program[0]
			program = program[1:]
			m.now = m.now.Add(pause(op))
			call := m.call(op >> 4)
			switch op % 14 {
			case 0:
				take(s.Tick(m.now))
			case 1:
				verb(s.Respond(m.now, call, protocol.TextResult("x")))
			case 2:
				verb(s.Fail(m.now, call, protocol.InternalError("x")))
			case 3:
				verb(s.Progress(m.now, call, protocol.ProgressParams{Progress: float64(op)}))
			case 4:
				verb(s.Request(m.now, protocol.PingParams{}, server.RequestOptions{}))
			case 5:
				verb(s.Request(m.now, protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}},
					server.RequestOptions{Within: call, ResetOnProgress: true, Timeout: time.Second}))
			case 6:
				verb(s.Notify(m.now, protocol.LoggingMessageParams{Level: "error", Data: "1"}, server.Call{}))
			case 7:
				take(s.Abandon(m.now, call))
			case 8:
				take(s.InputClosed(m.now))
			case 9:
				take(s.Shutdown(m.now, time.Duration(op)*time.Second))
			case 10:
				take(s.Disconnected(m.now, errFuzz))
			case 11:
				take(s.Abort(m.now, errFuzz))
			case 12:
				if next, err := s.Reset(m.now); err == nil {
					s = next
				}
			case 13:
				verb(s.SetCatalog(m.now, catalog))
			}
			if due, ok := s.NextDeadline(); ok && op >= 224 {
				m.now = due
				take(s.Tick(m.now))
				if due, ok := s.NextDeadline(); ok && !due.After(m.now) {
					t.Fatal("after Tick the next deadline is not later")
				}
			}
		}
		take(s.Disconnected(m.now, nil))
		if len(m.open) != 0 || len(m.reqs) != 0 {
			t.Fatalf("left over: %v, %v", m.open, m.reqs)
		}
	})
}

func FuzzClient(f *testing.F) {
	addSeeds(f)
	first, err := client.New(client.Config{
		Info: who, Serve: []string{"sampling/createMessage", "elicitation/create", "x/custom"},
		Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true,
		Timeouts: lifecycle.Timeouts{Inbound: time.Minute}, Limits: lifecycle.Limits{Inbound: 4, Outbound: 4},
	}, epoch)
	if err != nil {
		f.Fatal(err)
	}
	starts := []client.State{first}
	for _, revision := range revisions {
		s, _, err := first.Initialize(epoch)
		if err != nil {
			f.Fatal(err)
		}
		s, _ = s.Receive(epoch, opening(2, revision))
		if s.Status().Revision.String() != revision {
			f.Fatal("no handshake at ", revision)
		}
		starts = append(starts, s)
	}
	f.Fuzz(func(t *testing.T, stream, program []byte) {
		m := newTally(t)
		s, program := pickStart(starts, program)
		var last client.Req
		take := func(next client.State, out client.Output) {
			s = next
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			if m.note(out); !out.Req.IsZero() {
				last = out.Req
			}
		}
		verb := func(next client.State, out client.Output, err error) {
			if err != nil && (next != s || !out.IsZero()) {
				t.Fatal("a verb failed and did something: ", err)
			}
			take(next, out)
		}
		if s == first {
			verb(s.Initialize(m.now))
		}
		var fr jsonrpc.Framer
		for line := range bytes.SplitAfterSeq(stream, []byte("\n")) {
			fr.Push(expand(line))
			for msg, ok := fr.Next(); ok; msg, ok = fr.Next() {
				take(s.Receive(m.now, msg))
			}
			if len(program) == 0 {
				continue
			}
			op := program[0]
			program = program[1:]
			m.now = m.now.Add(pause(op))
			call := m.call(op >> 4)
			switch op % 14 {
			case 0:
				take(s.Tick(m.now))
			case 1:
				verb(s.Respond(m.now, call, protocol.ElicitResult{Action: "decline"}))
			case 2:
				verb(s.Fail(m.now, call, protocol.InternalError("x")))
			case 3:
				verb(s.Cancel(m.now, last, "x"))
			case 4:
				verb(s.Request(m.now, protocol.PingParams{}, client.RequestOptions{}))
			case 5, 6:
				verb(s.Request(m.now, protocol.CallToolParams{Name: "t"}, client.RequestOptions{ResetOnProgress: true, Timeout: time.Second}))
			case 7:
				take(s.SendFailed(m.now, last, errFuzz))
			case 8:
				take(s.InputClosed(m.now))
			case 9:
				take(s.Shutdown(m.now, time.Duration(op)*time.Second))
			case 10:
				take(s.Disconnected(m.now, errFuzz))
			case 11:
				take(s.Abort(m.now, errFuzz))
			case 12:
				if next, err := s.Reset(m.now); err == nil {
					s = next
					verb(s.Initialize(m.now))
				}
			case 13:
				verb(s.SetRoots(m.now, []protocol.Root{{URI: "file:///b"}}))
			}
		}
		take(s.Disconnected(m.now, nil))
		if len(m.open) != 0 || len(m.reqs) != 0 {
			t.Fatalf("left over: %v, %v", m.open, m.reqs)
		}
	})
}
