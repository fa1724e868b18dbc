package model

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// bucket is a token bucket, filled with time: what an event costs is the time that a
// token takes to come in.
type bucket struct {
	spent int64 // of its capacity
	last  int64 // when that was so
}

// take takes a token out if there is one.
func (b *bucket) take(r lifecycle.Rate, now int64) bool {
	if r.PerSecond == 0 {
		return true
	}
	cost := int64(1e9 / r.PerSecond)
	b.spent, b.last = max(0, b.spent-(now-b.last)), now
	if b.spent+cost > cost*int64(max(r.Burst, 1)) {
		return false
	}
	b.spent += cost
	return true
}

// alive notes that the peer answered a request.
func (n *Naive) alive(r req, m *jsonrpc.Message) {
	n.misses, n.heard = 0, n.now
	if r.machine {
		n.pinging = false
		if m.Err != nil && m.Err.Code == jsonrpc.CodeMethodNotFound {
			n.ping = never
		}
	}
}

// keepAlive sends the ping that is due.
func (n *Naive) keepAlive(x *Expect) {
	if n.phase != lifecycle.Ready || n.ping > n.now {
		return
	}
	n.ping = n.in(n.set.Keepalive.Interval)
	if n.pinging || len(n.reqs) >= n.set.Limits.Outbound {
		return
	}
	n.pinging = true
	n.send(req{method: "ping", machine: true}, lifecycle.RequestOptions{}, nil, x)
	x.Req = 0 // nobody asked for it
}

// older takes out of a result what the negotiated revision does not have.
func (n *Naive) older(body map[string]any, c call, x *Expect) {
	lossy := false
	if structured, ok := body["structuredContent"]; ok && c.method == "tools/call" && (n.revision < "2025-06-18" || !stateless(n.revision) && structured != nil && !isKind(structured, "object")) {
		delete(body, "structuredContent")
		lossy = structured != nil
	}
	if tools, _ := body["tools"].([]any); c.method == "tools/list" {
		for _, t := range tools {
			t := t.(map[string]any)
			for _, name := range []string{"outputSchema", "title", "annotations"} {
				if _, ok := t[name]; ok && n.revision < "2025-06-18" && (name != "annotations" || n.revision == "2024-11-05") {
					lossy = lossy || t[name] != nil
					delete(t, name)
				}
			}
		}
	}
	if lossy {
		x.Events = append(x.Events, Happening{Kind: lifecycle.Downgraded, Call: c.seq, Method: c.method, Revision: n.revision})
	}
}

// ofRevision leaves out what a peer declares that its revision does not have: it has no
// effect.
func ofRevision(caps []string, version string) []string {
	since := map[string]string{
		"completions": "2025-03-26", "elicitation": "2025-06-18", "elicitation.form": "2025-11-25", "elicitation.url": "2025-11-25",
		"sampling.context": "2025-11-25", "sampling.tools": "2025-11-25",
	}
	return slices.DeleteFunc(slices.Clone(caps), func(name string) bool { return version < since[name] })
}
