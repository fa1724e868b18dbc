package model

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// notify sends a notification, or says why not.
func (n *Naive) notify(s *Step, x *Expect) {
	if s.Params == nil {
		x.Errs = []error{lifecycle.ErrParams, lifecycle.ErrPhase}
		return
	}
	p := s.Params()
	name, text := p.Method(), string(p.AppendJSON(nil))
	r, ok := n.rule(name)
	known := standard(name)
	refuse := func(when bool, err error) {
		if when {
			x.Errs = append(x.Errs, err)
		}
	}
	ready := n.phase == lifecycle.Ready || r.early && n.phase == lifecycle.Initializing || n.set.Party == lifecycle.Server && stateless(n.known()) && n.live()
	refuse(!ready || n.closed, lifecycle.ErrPhase)
	refuse(known && !ok, lifecycle.ErrRevision)
	own := []string{"notifications/initialized", "notifications/cancelled", "notifications/progress", acknowledged}
	refuse(name == "" || slices.Contains(own, name) || known && (!r.note || r.to&n.set.Party.Peer() == 0), lifecycle.ErrParams)
	refuse(!has(n.caps, r.need) || !has(n.peerCaps, r.asks), lifecycle.ErrCapability)
	refuse(!s.Call.IsZero() && n.call(s.Call) < 0, lifecycle.ErrGone)
	params, isObject := members(text)
	refuse(!isObject || known && !fits(paramShapes[name], text, false), lifecycle.ErrParams)
	refuse(name == "notifications/elicitation/complete" && !slices.Contains(n.ends, str(text, "elicitationId")), lifecycle.ErrParams)
	if len(x.Errs) > 0 {
		return
	}
	n.forget(str(text, "elicitationId"))
	switch uri := str(text, "uri"); {
	case stateless(n.known()) && n.set.Party == lifecycle.Server && !n.goesOut(name, text):
		return
	case name == "notifications/message":
		if slices.Index(levels, str(text, "level")) < n.least() {
			return
		}
		if !n.logsOut.take(n.set.Limits.Logs, n.now) {
			n.dropped++
			return
		}
	case name == "notifications/resources/updated":
		if !slices.ContainsFunc(n.subs, func(s string) bool {
			return (s == uri || strings.HasSuffix(s, "/") && strings.HasPrefix(uri, s)) && (!n.unknownURI("resources/read", uri) || !n.unknownURI("resources/read", s))
		}) {
			return
		}
	}
	n.unset(paramShapes[name], params, false)
	var body any = params
	if len(params) == 0 {
		body = nil
	}
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindNotification, Method: name, Body: body, Call: s.Call.Seq()})
}
