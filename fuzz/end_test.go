package fuzz_test

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

var errFuzz = errors.New("fuzz")

// end is one end of a session, with the books of what it does.
type end struct {
	t     failer
	m     verbs.Machine
	rec   *transcript.Recorder // if there is one
	books *model.Ledger
	calls []lifecycle.Call // all that the application was given
	reqs  []lifecycle.Req  // all there have been
}

func newEnd(t failer, m verbs.Machine, rec *transcript.Recorder) end {
	return end{t: t, m: m, rec: rec, books: model.NewLedger()}
}

// do does a verb, and checks what must hold of any.
func (e *end) do(now time.Time, v verbs.Verb) lifecycle.Output {
	e.t.Helper()
	before := e.m
	next, out, err := e.rec.Do(before, now, v)
	e.m = next
	if bad := errors.Join(next.Check(), e.books.Watch(before, next, now, v, out, err)); bad != nil {
		e.t.Fatalf("%v, %v: %v", e.m.Party(), v.Op, bad)
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestReceived {
			e.calls = append(e.calls, ev.Call)
		}
	}
	for _, o := range out.Send {
		if o.Message.Kind == jsonrpc.KindRequest {
			e.reqs = append(e.reqs, o.Req)
		}
	}
	return out
}

// receive takes a message in.
func (e *end) receive(now time.Time, text []byte, m jsonrpc.Message) lifecycle.Output {
	e.t.Helper()
	return e.do(now, verbs.Verb{Op: verbs.OpReceive, Message: m, Said: []string{string(text)}})
}

// tick lets time pass.
func (e *end) tick(now time.Time) lifecycle.Output {
	e.t.Helper()
	return e.do(now, verbs.Verb{Op: verbs.OpTick})
}

// reset begins a session after one that is over, and opens it if it is that of a client.
func (e *end) reset(now time.Time) lifecycle.Output {
	e.t.Helper()
	if e.do(now, verbs.Verb{Op: verbs.OpReset}); e.m.Phase() != lifecycle.Uninitialized || e.m.Party() == lifecycle.Server {
		return lifecycle.Output{}
	}
	return e.do(now, verbs.Verb{Op: verbs.OpInitialize})
}

// disconnect cuts the connection: nothing is left open.
func (e *end) disconnect(now time.Time) {
	e.t.Helper()
	e.do(now, verbs.Verb{Op: verbs.OpDisconnected})
	if n := e.books.Open(); n != 0 {
		e.t.Fatalf("%v: %d requests are left open", e.m.Party(), n)
	}
	if _, ok := e.m.NextDeadline(); ok {
		e.t.Fatalf("%v: something is due after the end", e.m.Party())
	}
}
