package model

import (
	"cmp"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// modes are the parts of capabilities that are objects.
var modes = map[string][]string{"elicitation": {"form", "url"}, "sampling": {"context", "tools"}}

// handshake is the answer to initialize.
func (n *Naive) handshake(m *jsonrpc.Message, isMalformed bool, x *Expect) {
	i := slices.IndexFunc(n.reqs, func(r req) bool { return r.method == "initialize" })
	version := str(string(m.Body), "protocolVersion")
	result, _ := members(string(m.Body))
	caps, _ := result["capabilities"].(map[string]any)
	peer := flatten(caps, n.set.Party.Peer())
	supported := slices.ContainsFunc(n.set.Revisions, func(r protocol.Revision) bool { return r.String() == version })
	cause := Why{}
	bad := isMalformed || m.Kind == jsonrpc.KindResult && !fits(resultShapes["initialize"], string(m.Body), false)
	body, rest := string(m.Body), any(nil)
	if bad && !isMalformed && result != nil {
		if v := mended(resultShapes["initialize"], result); shaped(resultShapes["initialize"], v, false) {
			x.blame("LIFE-017", m)
			bad, body, rest = false, "", v
		}
	}
	if bad {
		if cause = malformed(m); !isMalformed {
			x.blame("LIFE-017", m)
			cause = Why{Kind: lifecycle.CauseInvalidResponse, Said: true}
		}
		n.failAt(i, cause, x)
		answer := &x.Events[len(x.Events)-1]
		answer.Body, answer.Answer = string(m.Body), failure(m.Err)
	} else {
		x.Events = append(x.Events, Happening{
			Kind: lifecycle.ResponseReceived, Req: n.reqs[i].id, ID: m.ID, Method: "initialize", Body: body, JSON: rest, Answer: failure(m.Err),
			Revision: n.reqs[i].revision,
		})
		n.reqs = slices.Delete(n.reqs, i, i+1)
	}
	n.settle(x)
	if n.phase != lifecycle.Initializing {
		return
	}
	switch {
	case bad:
	case m.Err != nil:
		cause = Why{Kind: lifecycle.CauseRefused, RPC: failure(m.Err)}
	case !supported:
		cause = Why{Kind: lifecycle.CauseUnsupportedRevision, Reason: version}
	case !has(peer, capNames(n.set.Require)):
		cause = Why{Kind: lifecycle.CauseMissingCapability, Reason: anyWords}
	}
	if cause != (Why{}) {
		switch {
		case n.found != "":
			n.establish(n.found, x)
		case n.needless(m) && len(n.reqs) < n.set.Limits.Outbound:
			n.probe(cmp.Or(n.set.Timeouts.Initialize, 5*time.Minute), x)
		default:
			n.failHandshake(cause, x)
		}
		return
	}
	n.found = ""
	n.revision, n.peerCaps, n.peer = version, ofRevision(peer, version), implementation(result["serverInfo"])
	n.move(lifecycle.Ready, Why{}, x)
	x.described(m, n.revision)
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindNotification, Method: "notifications/initialized"})
}

// flatten returns the names of declared capabilities.
func flatten(object map[string]any, of lifecycle.Party) (names []string) {
	known := map[lifecycle.Party][]string{
		lifecycle.Client: {"roots", "sampling", "elicitation"},
		lifecycle.Server: {"tools", "resources", "prompts", "logging", "completions"},
	}
	for _, whole := range known[of] {
		parts, ok := object[whole].(map[string]any)
		if !ok {
			continue
		}
		names = append(names, whole)
		for _, part := range []string{"listChanged", "subscribe"} {
			if parts[part] == true {
				names = append(names, whole+"."+part)
			}
		}
		for _, part := range modes[whole] {
			if parts[part] != nil && (part != "form" || parts["url"] != nil) {
				names = append(names, whole+"."+part)
			}
		}
	}
	return names
}
