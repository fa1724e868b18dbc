package fuzz_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// tally is a session that runs an input.
type tally struct {
	end
	now time.Time
}

// call picks one of the calls so far.
func (m *tally) call(b byte) lifecycle.Call {
	if len(m.calls) == 0 {
		return lifecycle.Call{}
	}
	return m.calls[int(b)%len(m.calls)]
}

// last is our last request.
func (m *tally) last() lifecycle.Req {
	if len(m.reqs) == 0 {
		return lifecycle.Req{}
	}
	return m.reqs[len(m.reqs)-1]
}

// verb does a verb.
func (m *tally) verb(v verbs.Verb) {
	m.t.Helper()
	m.do(m.now, v)
}

// walk runs an input: it feeds the stream to the State, while the program drives the
// application. It does what both roles have in common, and leaves the rest to own. At the end
// nothing is open.
func (m *tally) walk(stream, program []byte, own func(m *tally, op byte, call lifecycle.Call)) {
	if m.m.Phase() == lifecycle.Uninitialized && m.m.Party() == lifecycle.Client {
		m.verb(verbs.Verb{Op: verbs.OpInitialize})
	}
	var fr jsonrpc.Framer
	for line := range bytes.SplitAfterSeq(stream, []byte("\n")) {
		fr.Push(expand(line))
		for text, ok := fr.NextLine(); ok; text, ok = fr.NextLine() {
			m.receive(m.now, text, fr.Decoder.Decode(text))
		}
		if len(program) == 0 {
			continue
		}
		op := program[0]
		program = program[1:]
		m.now = m.now.Add(pause(op))
		m.act(op, own)
		if due, ok := m.m.NextDeadline(); ok && op >= 224 {
			m.now = due
			m.tick(m.now)
		}
	}
	m.disconnect(m.now)
}

// act does a step of a program.
func (m *tally) act(op byte, own func(m *tally, op byte, call lifecycle.Call)) {
	call := m.call(op >> 4)
	switch op % 14 {
	case 0:
		m.verb(verbs.Verb{Op: verbs.OpTick})
	case 2:
		e := protocol.InternalError("x")
		if op >= 128 {
			e = protocol.URLElicitationRequired(asksByPage)
		}
		m.verb(verbs.Verb{Op: verbs.OpFail, Call: call, Err: &e})
	case 4:
		m.verb(verbs.Verb{Op: verbs.OpRequest, Params: protocol.PingParams{}})
	case 8, 9, 10, 11:
		end := []verbs.Op{verbs.OpInputClosed, verbs.OpShutdown, verbs.OpDisconnected, verbs.OpAbort}[op%14-8]
		m.verb(verbs.Verb{Op: end, Cause: errFuzz, Grace: time.Duration(op) * time.Second})
	case 12:
		m.reset(m.now)
	default:
		own(m, op, call)
	}
}

// beginning is an initial State of an input, and what led to it.
type beginning struct {
	s   verbs.Machine
	rec *transcript.Recorder
}

// receive continues with a message.
func (x *beginning) receive(m jsonrpc.Message) {
	x.s, _, _ = x.rec.Do(x.s, epoch, verbs.Verb{Op: verbs.OpReceive, Message: m, Said: []string{string(jsonrpc.Append(nil, m))}})
}

// begin returns a session that continues from there.
func (x *beginning) begin(t failer, rec *transcript.Recorder) *tally {
	return &tally{newEnd(t, x.s, rec), epoch}
}

// play runs an input, and prints its transcript if it fails.
func (x beginning) play(t *testing.T, run func(m *tally)) {
	defer printed(t, x.recorded(run))
	run(x.begin(t, nil))
}

// recorded runs an input with a Recorder.
func (x beginning) recorded(run func(m *tally)) func(failer) ([]*transcript.Recorder, func()) {
	return func(t failer) ([]*transcript.Recorder, func()) {
		m := x.begin(t, x.rec.Clone())
		return []*transcript.Recorder{m.rec}, func() { run(m) }
	}
}
