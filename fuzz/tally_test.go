package fuzz_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// tally is what the two roles have in common for a fuzzer.
type tally struct {
	t     failer
	s     session.Machine
	rec   *transcript.Recorder // if there is one
	now   time.Time
	calls []lifecycle.Call
	open  map[lifecycle.Call]bool
	reqs  map[lifecycle.Req]bool
	last  lifecycle.Req // of ours
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

func newTally(t failer, s session.Machine) *tally {
	return &tally{t: t, s: s, now: epoch, open: map[lifecycle.Call]bool{}, reqs: map[lifecycle.Req]bool{}}
}

// do does a verb.
func (m *tally) do(v session.Verb) {
	m.t.Helper()
	before := m.s
	next, out, err := m.rec.Do(before, m.now, v)
	if err != nil && (next != before || !out.IsZero()) {
		m.t.Fatal("a verb failed and did something: ", err)
	}
	m.s = next
	if err := next.Check(); err != nil {
		m.t.Fatal(err)
	}
	if m.note(out); !out.Req.IsZero() {
		m.last = out.Req
	}
}

// receive takes in what a line of the stream completes.
func (m *tally) receive(fr *jsonrpc.Framer, line []byte) {
	fr.Push(expand(line))
	for text, ok := fr.NextLine(); ok; text, ok = fr.NextLine() {
		m.do(session.Verb{Op: session.OpReceive, Message: fr.Decoder.Decode(text), Said: []string{string(text)}})
	}
}

// walk runs an input: it feeds the stream to the State, while the application acts by the
// program. What both roles do is done here, the rest is left to own. At the end nothing is
// open.
func (m *tally) walk(stream, program []byte, own func(m *tally, op byte, call lifecycle.Call)) {
	if m.s.Phase() == lifecycle.Uninitialized {
		m.begin()
	}
	var fr jsonrpc.Framer
	for line := range bytes.SplitAfterSeq(stream, []byte("\n")) {
		m.receive(&fr, line)
		if len(program) == 0 {
			continue
		}
		op := program[0]
		program = program[1:]
		m.now = m.now.Add(pause(op))
		m.act(op, own)
		if due, ok := m.s.NextDeadline(); ok && op >= 224 {
			m.now = due
			m.do(session.Verb{Op: session.OpTick})
			if due, ok := m.s.NextDeadline(); ok && !due.After(m.now) {
				m.t.Fatal("after Tick the next deadline is not later")
			}
		}
	}
	m.end()
}

// begin opens the session of a client.
func (m *tally) begin() {
	if m.s.Party() == lifecycle.Client {
		m.do(session.Verb{Op: session.OpInitialize})
	}
}

// act does a step of a program.
func (m *tally) act(op byte, own func(m *tally, op byte, call lifecycle.Call)) {
	call := m.call(op >> 4)
	switch op % 14 {
	case 0:
		m.do(session.Verb{Op: session.OpTick})
	case 2:
		e := protocol.InternalError("x")
		if op >= 128 {
			e = protocol.URLElicitationRequired(asksByPage)
		}
		m.do(session.Verb{Op: session.OpFail, Call: call, Err: &e})
	case 4:
		m.do(session.Verb{Op: session.OpRequest, Params: protocol.PingParams{}})
	case 8, 9, 10, 11:
		end := []session.Op{session.OpInputClosed, session.OpShutdown, session.OpDisconnected, session.OpAbort}[op%14-8]
		m.do(session.Verb{Op: end, Cause: errFuzz, Grace: time.Duration(op) * time.Second})
	case 12:
		if next, _, err := m.rec.Do(m.s, m.now, session.Verb{Op: session.OpReset}); err == nil {
			m.s = next
			m.begin()
		}
	default:
		own(m, op, call)
	}
}

// end cuts the connection: nothing is left open.
func (m *tally) end() {
	m.do(session.Verb{Op: session.OpDisconnected})
	if len(m.open) != 0 || len(m.reqs) != 0 {
		m.t.Fatalf("left over: %v, %v", m.open, m.reqs)
	}
}

// beginning is a State that an input can start with, and what led to it.
type beginning struct {
	s   session.Machine
	rec *transcript.Recorder
}

// receive goes on with a message.
func (x *beginning) receive(m jsonrpc.Message) {
	x.s, _, _ = x.rec.Do(x.s, epoch, session.Verb{Op: session.OpReceive, Message: m, Said: []string{string(jsonrpc.Append(nil, m))}})
}

// play runs an input, and prints its transcript if it fails.
func (x beginning) play(t *testing.T, run func(m *tally)) {
	defer printed(t, x.recorded(run))
	run(newTally(t, x.s))
}

// recorded runs an input with a Recorder.
func (x beginning) recorded(run func(m *tally)) func(failer) ([]*transcript.Recorder, func()) {
	return func(t failer) ([]*transcript.Recorder, func()) {
		m := newTally(t, x.s)
		m.rec = x.rec.Clone()
		return []*transcript.Recorder{m.rec}, func() { run(m) }
	}
}

var errFuzz = errors.New("fuzz")
