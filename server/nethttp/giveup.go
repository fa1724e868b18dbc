package nethttp

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
)

// giveUp answers a call that no function runs any more, and cancels the requests made within it.
func (t *turn) giveUp(seq uint64, why jsonrpc.Error) {
	var call server.Call
	for info := range t.State.Inbound() {
		if info.Call.Seq() == seq {
			call = info.Call
		}
	}
	if call.IsZero() {
		return
	}
	var asked []server.Req
	for info := range t.State.Outbound() {
		if info.Within.Seq() == seq {
			asked = append(asked, info.Req)
		}
	}
	for _, req := range asked {
		if s, out, err := t.State.Cancel(t.now, req, why.Message); err == nil {
			t.step(s, out)
		}
	}
	_ = t.fail(call, why) // lifecycle.ErrGone: it is answered already
}

// inherit gives up the calls of a Companion that was dropped here, for a new one that does not know them.
func (t *turn) inherit(a *tenure) {
	if a == nil {
		return
	}
	for _, e := range t.owners.Of(a.process) {
		if e.Call != 0 {
			t.giveUp(e.Call, answerLost)
		}
	}
}
