package fuzz_test

import (
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/conformance/transcript"
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
	l.do(i, func(m session.Machine, now time.Time) (session.Machine, lifecycle.Output, error) {
		return m.Request(now, p, opt)
	})
}

// answer deals with a call or a request of end i.
func (l *link) answer(i, how int) {
	e, which := &l.ends[i], l.next()
	call, req := e.call(which>>3), e.req(which>>3)
	switch how {
	case 11:
		results := []protocol.Result{protocol.TextResult("x"), protocol.Raw(`{"content":[],"x":null}`), protocol.Raw(`{"contents":[]}`), protocol.EmptyResult{},
			protocol.ElicitResult{Action: "decline"},
			protocol.ElicitResult{Action: "accept", Content: map[string]protocol.Raw{"m": `["b"]`}}, protocol.Raw(`{"messages":[]}`), protocol.Raw(`{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`)}
		l.do(i, func(m session.Machine, now time.Time) (session.Machine, lifecycle.Output, error) {
			return m.Respond(now, call, results[which&7%len(results)])
		})
	case 12:
		l.do(i, func(m session.Machine, now time.Time) (session.Machine, lifecycle.Output, error) {
			return m.Progress(now, call, protocol.ProgressParams{Progress: float64(which)})
		})
	default:
		switch which & 7 {
		case 0, 1:
			l.do(i, func(m session.Machine, now time.Time) (session.Machine, lifecycle.Output, error) {
				return m.Cancel(now, req, "x")
			})
		case 2:
			next, out := e.of().SendFailed(l.now, req, errFuzz)
			l.took(i, next, out)
		case 3:
			next, out := e.of().ResponseLost(l.now, req, errFuzz)
			l.took(i, next, out)
		case 4:
			next, out := e.of().Abandon(l.now, call)
			l.took(i, next, out)
		default:
			l.do(i, func(m session.Machine, now time.Time) (session.Machine, lifecycle.Output, error) {
				return m.Fail(now, call, protocol.InvalidParams("x"))
			})
		}
	}
}

// tell sends a notification, or changes what end i lists.
func (l *link) tell(i int) {
	how := l.next()
	within := l.ends[i].call(how >> 4)
	if how&8 != 0 {
		within = lifecycle.Call{}
	}
	l.do(i, func(m session.Machine, now time.Time) (session.Machine, lifecycle.Output, error) {
		switch {
		case how&7 < 2 && i == server1:
			return m.SetCatalog(now, l.set.catalog[how&1])
		case how&7 < 2:
			return m.SetRoots(now, []protocol.Root{{URI: []string{"file:///a", "file:///b"}[how&1]}})
		case how&7 == 3 && i == server1:
			return m.Notify(now, protocol.ElicitationCompleteParams{ElicitationID: asksByPage.ElicitationID}, within)
		case how&7 < 4:
			return m.Notify(now, protocol.LoggingMessageParams{Level: "error", Data: "1"}, within)
		case how&7 < 6:
			return m.Notify(now, protocol.ResourceUpdatedParams{URI: "a:b/c"}, within)
		}
		return m.Notify(now, protocol.RawRequest{Name: "notifications/own", Body: `{"a":1}`}, within)
	}, transcript.CatalogOptions(l.set.items[how&1])...)
}

// end ends the session of end i in one of the ways, or begins another one.
func (l *link) end(i int) {
	e, how := &l.ends[i], l.next()
	var next session.Machine
	var out lifecycle.Output
	switch how & 7 {
	case 0:
		next, out = e.of().InputClosed(l.now)
	case 1:
		next, out = e.of().Disconnected(l.now, errFuzz)
	case 2:
		next, out = e.of().Shutdown(l.now, time.Duration(how)*time.Second)
	case 3:
		next, out = e.of().Abort(l.now, errFuzz)
	default:
		reset, err := e.of().Reset(l.now)
		if err != nil {
			return
		}
		e.m, e.closed = reset, false
		if i == client0 {
			l.do(i, session.Machine.Initialize)
		}
		return
	}
	l.took(i, next, out)
}

// finish lets time pass until nothing is due, then cuts the link: nothing stays open.
func (l *link) finish() {
	for i := range l.ends {
		for range 50 {
			due, ok := l.ends[i].m.NextDeadline()
			if !ok {
				break
			}
			l.now = later(l.now, due)
			l.tick(i)
		}
		next, out := l.ends[i].of().Disconnected(l.now, nil)
		l.took(i, next, out)
		if n := count(l.ends[i].open) + count(l.ends[i].wait); n != 0 {
			l.t.Fatalf("end %d: %d requests are left open", i, n)
		}
		if _, ok := next.NextDeadline(); ok {
			l.t.Fatalf("end %d: something is due after the end", i)
		}
	}
}
