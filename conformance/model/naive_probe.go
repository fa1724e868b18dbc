package model

import (
	"cmp"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// How a client finds out whether a server needs a handshake.

// opens reports whether the answer to a request opens the connection.
func (r req) opens() bool { return r.method == "initialize" || r.probe }

// connect opens the connection of a client.
func (n *Naive) connect(s *Step, x *Expect) {
	alone := len(n.set.Stateless) > 0
	switch known := string(s.Verdict); {
	case !alone || s.Verdict == client.NeedsHandshake && len(n.set.Revisions) > 0:
		n.initialize(x)
	case n.set.Party != lifecycle.Client || n.phase != lifecycle.Uninitialized:
		x.Errs = []error{lifecycle.ErrPhase}
	case known != "" && s.Verdict != client.NeedsHandshake:
		n.move(lifecycle.Initializing, Why{}, x)
		n.establish(known, x)
	default:
		n.probe(cmp.Or(n.set.Timeouts.Probe, 5*time.Second), x)
		n.move(lifecycle.Initializing, Why{}, x)
	}
}

// probe asks the server what it is.
func (n *Naive) probe(timeout time.Duration, x *Expect) {
	params := map[string]any{}
	n.sign(params)
	n.send(req{method: "server/discover", probe: true, revision: newest}, lifecycle.RequestOptions{Timeout: timeout}, params, x)
}

// sign puts into params what each request without a session says.
func (n *Naive) sign(params map[string]any) {
	caps := map[string]any{"experimental": map[string]any{"x": map[string]any{"y": jsonNumber(1)}}}
	n.declare(caps)
	if roots, ok := caps["roots"].(map[string]any); ok {
		delete(roots, "listChanged") // roots are asked for when they are needed
	}
	meta, _ := params["_meta"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
	}
	meta[metaKey+"protocolVersion"], meta[metaKey+"clientCapabilities"] = newest, caps
	meta[metaKey+"clientInfo"] = map[string]any{"name": "machine", "version": "1"}
	params["_meta"] = meta
}

// fallBack sends initialize in place of the probe. It reports false if there is no revision for it.
func (n *Naive) fallBack(x *Expect) bool {
	if len(n.set.Revisions) == 0 {
		return false
	}
	n.hello(x)
	x.Req = 0 // nobody asked for it
	return true
}

// answersProbe deals with the answer to the probe.
func (n *Naive) answersProbe(m *jsonrpc.Message, isMalformed bool, x *Expect) {
	i := slices.IndexFunc(n.reqs, func(r req) bool { return r.probe })
	bad := isMalformed || m.Kind == jsonrpc.KindResult && !describesServer(string(m.Body))
	r := n.reqs[i]
	n.reqs = slices.Delete(n.reqs, i, i+1)
	h := Happening{
		Kind: lifecycle.ResponseReceived, Req: r.id, ID: m.ID, Method: r.method, Body: string(m.Body), Answer: failure(m.Err), Revision: newest,
	}
	if bad {
		h.Kind, h.Cause = lifecycle.RequestFailed, Why{Kind: lifecycle.CauseInvalidResponse, Said: !isMalformed}
	}
	x.Events = append(x.Events, h)
	if n.settle(x); n.phase != lifecycle.Initializing {
		return
	}
	switch {
	case m.Kind == jsonrpc.KindResult && !bad:
		n.establish(string(m.Body), x)
	case m.Err != nil && m.Err.Code == protocol.CodeUnsupportedVersion: // there is no other one to try
		if slices.Contains(supported(m.Err), newest) || !n.handshakes(supported(m.Err)) || !n.fallBack(x) {
			n.failHandshake(Why{Kind: lifecycle.CauseUnsupportedRevision, RPC: failure(m.Err)}, x)
		}
	case m.Err != nil && modern(m.Err.Code):
		n.failHandshake(Why{Kind: lifecycle.CauseRefused, RPC: failure(m.Err)}, x)
	case !n.fallBack(x):
		n.failHandshake(Why{Kind: lifecycle.CauseUnsupportedRevision, RPC: failure(m.Err), Reason: anyWords}, x)
	}
}

// describesServer reports whether a text is what a server says of itself.
func describesServer(text string) bool {
	v, _ := members(text)
	kind := v["resultType"]
	return fits(resultShapes["server/discover"], text, false) && (kind == nil || kind == "complete")
}

// modern reports whether only servers without sessions have the error.
func modern(code int64) bool { return -32022 <= code && code <= -32020 }

// supported returns the revisions that an error names.
func supported(e *jsonrpc.Error) []string {
	data, _ := members(string(e.Data))
	return names(data["supported"])
}

// names returns the strings of an array.
func names(v any) (list []string) {
	all, _ := v.([]any)
	for _, v := range all {
		if s, ok := v.(string); ok {
			list = append(list, s)
		}
	}
	return list
}

// handshakes reports whether a revision with a handshake that this side speaks is among names.
func (n *Naive) handshakes(names []string) bool {
	return slices.ContainsFunc(n.set.Revisions, func(r protocol.Revision) bool { return slices.Contains(names, r.String()) })
}

// establish makes the connection ready by what the server says of itself.
func (n *Naive) establish(text string, x *Expect) {
	v, _ := members(text)
	versions := names(v["supportedVersions"])
	caps, _ := v["capabilities"].(map[string]any)
	peer := flatten(caps, lifecycle.Server)
	switch ok := slices.Contains(versions, newest); {
	case !ok && n.handshakes(versions) && n.fallBack(x):
	case !ok:
		n.failHandshake(Why{Kind: lifecycle.CauseUnsupportedRevision}, x)
	case !has(peer, capNames(n.set.Require)):
		n.failHandshake(Why{Kind: lifecycle.CauseMissingCapability, Reason: anyWords}, x)
	default:
		meta, _ := v["_meta"].(map[string]any)
		n.revision, n.peerCaps, n.peer = newest, peer, protocol.Implementation{}
		if who := meta[metaKey+"serverInfo"]; isKind(who, "impl") {
			n.peer = implementation(who)
		}
		n.move(lifecycle.Ready, Why{}, x)
		ev := &x.Events[len(x.Events)-1]
		ev.Body, ev.Revision = text, newest
	}
}

// foundLate keeps the answer to a probe that was given up: it counts if the server refuses initialize.
func (n *Naive) foundLate(m *jsonrpc.Message) {
	id, _ := m.ID.Int64()
	v, _ := members(string(m.Body))
	if len(n.set.Stateless) > 0 && n.phase == lifecycle.Initializing && m.Kind == jsonrpc.KindResult && uint64(id) > n.lastBefore &&
		describesServer(string(m.Body)) && slices.Contains(names(v["supportedVersions"]), newest) {
		n.found = string(m.Body)
	}
}

// needless reports whether a server that refuses initialize says that it needs none. It is not asked
// for ever.
func (n *Naive) needless(m *jsonrpc.Message) bool {
	id, _ := m.ID.Int64()
	if m.Err == nil || len(n.set.Stateless) == 0 || uint64(id)-n.lastBefore > 3 {
		return false
	}
	names := supported(m.Err)
	return slices.Contains(names, newest) || names == nil && modern(m.Err.Code)
}
