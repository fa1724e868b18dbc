package fuzz_test

import (
	"time"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

func (e *linkEnd) call(n int) lifecycle.Call {
	if len(e.calls) == 0 {
		return lifecycle.Call{}
	}
	return e.calls[len(e.calls)-1-n%len(e.calls)]
}

func (e *linkEnd) req(n int) lifecycle.Req {
	if len(e.reqs) == 0 {
		return lifecycle.Req{}
	}
	return e.reqs[len(e.reqs)-1-n%len(e.reqs)]
}

var linkParams = [2][]protocol.Params{
	client0: {
		protocol.PingParams{}, protocol.CallToolParams{Name: "t", Arguments: `{"n":1}`}, protocol.CallToolParams{Name: "t", Arguments: `{"n":"x"}`},
		protocol.CallToolParams{Name: "u"}, protocol.ListToolsParams{}, protocol.SubscribeParams{URI: "a:b/"}, protocol.ReadResourceParams{URI: "a:b/c"},
		protocol.GetPromptParams{Name: "p"}, protocol.SetLevelParams{Level: "error"}, protocol.RawRequest{Name: "x/own", Body: `{"a":[1]}`},
	},
	server1: {
		protocol.PingParams{}, protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}}, protocol.ListRootsParams{},
		protocol.ElicitParams{Message: "m", RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{{Name: "a", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString}}}}},
		protocol.RawRequest{Name: "x/own"}, asksByPage, asksForSeveral,
		protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}, ToolChoice: &protocol.ToolChoice{Mode: protocol.ToolChoiceAuto}},
	},
}

func (l *link) request(i int) {
	e, how := &l.ends[i], l.next()
	opt := lifecycle.RequestOptions{Progress: how&16 != 0, ResetOnProgress: how&32 != 0}
	if how&64 != 0 {
		opt.Within = e.call(l.next())
	}
	if how&128 != 0 {
		opt.Timeout, opt.Replaces = time.Second, e.req(l.next())
	}
	p := linkParams[i][how&15%len(linkParams[i])]
	l.do(i, verbs.Verb{Op: verbs.OpRequest, Params: p, Options: opt})
}

// answer answers a call or a request of end i.
func (l *link) answer(i, how int) {
	e, which := &l.ends[i], l.next()
	call, req := e.call(which>>3), e.req(which>>3)
	v := verbs.Verb{Call: call, Req: req, Cause: errFuzz, Reason: "x"}
	switch how {
	case 11:
		results := []protocol.Result{protocol.TextResult("x"), protocol.Raw(`{"content":[],"x":null}`), protocol.Raw(`{"contents":[]}`), protocol.EmptyResult{},
			protocol.ElicitResult{Action: "decline"},
			protocol.ElicitResult{Action: "accept", Content: map[string]protocol.Raw{"m": `["b"]`}}, protocol.Raw(`{"messages":[]}`), protocol.Raw(`{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`)}
		v.Op, v.Result = verbs.OpRespond, results[which&7%len(results)]
	case 12:
		v.Op, v.Progress.Progress = verbs.OpProgress, float64(which)
	default:
		e := protocol.InvalidParams("x")
		v.Err = &e
		v.Op = []verbs.Op{
			verbs.OpCancel, verbs.OpCancel, verbs.OpSendFailed, verbs.OpResponseLost, verbs.OpAbandon, verbs.OpFail, verbs.OpFail, verbs.OpFail,
		}[which&7]
	}
	l.do(i, v)
}

// tell sends a notification, or changes the lists of end i.
func (l *link) tell(i int) {
	how := l.next()
	within := l.ends[i].call(how >> 4)
	if how&8 != 0 {
		within = lifecycle.Call{}
	}
	v := verbs.Verb{Op: verbs.OpNotify, Call: within}
	switch {
	case how&7 < 2:
		v.Op, v.Catalog, v.Said = verbs.OpOffer, l.set.catalog[how&1], transcript.CatalogOptions(l.set.items[how&1])
		v.Roots = []protocol.Root{{URI: []string{"file:///a", "file:///b"}[how&1]}}
	case how&7 == 3 && i == server1:
		v.Params = protocol.ElicitationCompleteParams{ElicitationID: asksByPage.ElicitationID}
	case how&7 < 4:
		v.Params = protocol.LoggingMessageParams{Level: "error", Data: "1"}
	case how&7 < 6:
		v.Params = protocol.ResourceUpdatedParams{URI: "a:b/c"}
	default:
		v.Params = protocol.RawRequest{Name: "notifications/own", Body: `{"a":1}`}
	}
	l.do(i, v)
}

// end ends the session of end i in one of the ways, or begins a new one.
func (l *link) end(i int) {
	how := l.next()
	ways := []verbs.Op{verbs.OpInputClosed, verbs.OpDisconnected, verbs.OpShutdown, verbs.OpAbort}
	if how&7 < len(ways) {
		l.do(i, verbs.Verb{Op: ways[how&7], Cause: errFuzz, Grace: time.Duration(how) * time.Second})
		return
	}
	l.sent(i, l.ends[i].reset(l.now))
}

// finish lets time pass until no deadline is left, then cuts the link: nothing stays open.
func (l *link) finish() {
	for i := range l.ends {
		for range 50 {
			due, ok := l.ends[i].m.NextDeadline()
			if !ok {
				break
			}
			l.now = later(l.now, due)
			l.sent(i, l.ends[i].tick(l.now))
		}
		l.ends[i].disconnect(l.now)
	}
}
