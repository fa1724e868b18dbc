package model

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Requests without a session, as in 2026-07-28: each has an envelope in its _meta,
// and nothing of it remains after its answer.

const (
	newest  = "2026-07-28"
	metaKey = "io.modelcontextprotocol/"
)

// stateless reports whether a revision has no session.
func stateless(revision string) bool { return revision >= newest }

// newest returns the newest supported revision, preferring those with a handshake.
func (s *Setup) newest() protocol.Revision {
	return slices.Concat(s.Revisions, s.Stateless)[0]
}

// statelessTables are tables for revisions without a session.
var statelessTables = func() map[string]rule {
	all := maps.Clone(tables)
	for _, name := range []string{
		"ping", "initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
		"notifications/initialized", "notifications/roots/list_changed", "notifications/elicitation/complete",
	} {
		delete(all, name)
	}
	all["server/discover"] = rule{to: lifecycle.Server}
	all["subscriptions/listen"] = rule{to: lifecycle.Server}
	all["notifications/subscriptions/acknowledged"] = rule{to: lifecycle.Client, note: true}
	return all
}()

// standard reports whether some revision has the method.
func standard(method string) bool {
	_, session := tables[method]
	_, alone := statelessTables[method]
	return session || alone
}

// profile is the contents of a request's envelope.
type profile struct {
	caps  []string
	level int // the least severe wanted log message; -1: none
}

// as does something by the rules of a request's profile; nil means the session.
func (n *Naive) as(p *profile, do func()) {
	if p == nil {
		do()
		return
	}
	revision, caps, own := n.revision, n.peerCaps, n.own
	n.revision, n.peerCaps, n.own = newest, p.caps, p
	do()
	n.revision, n.peerCaps, n.own = revision, caps, own
}

// profileOf returns what an open call is made under.
func (n *Naive) profileOf(h lifecycle.Call) *profile {
	if i := n.call(h); i >= 0 {
		return n.calls[i].under
	}
	return nil
}

// ownRevision is the revision named by an event: that of a request without a session.
func (n *Naive) ownRevision() string {
	if n.own == nil {
		return ""
	}
	return newest
}

// enveloped handles a request by its envelope, for a server that supports the era. It
// reports false for one that belongs to the session.
func (n *Naive) enveloped(m *jsonrpc.Message, x *Expect) bool {
	if n.set.Party == lifecycle.Client || len(n.set.Stateless) == 0 {
		return false
	}
	params, _ := members(string(m.Body))
	meta, _ := params["_meta"].(map[string]any)
	version, named := meta[metaKey+"protocolVersion"]
	caps, declared := meta[metaKey+"clientCapabilities"]
	switch {
	case !named && !declared:
		return n.bare(m, x)
	case !isKind(version, "string"), !declares(caps), !describes(meta):
		n.reply(m, jsonrpc.CodeInvalidParams, nil, x)
		x.blame("ERR-005", m)
		x.Events[len(x.Events)-1].Cause = Why{Said: true}
	case version != newest:
		n.reply(m, protocol.CodeUnsupportedVersion, nil, x)
		x.blame("VERS-202", m)
	default:
		p := profile{ofRevision(flatten(caps.(map[string]any), lifecycle.Client), newest), -1}
		p.caps = slices.DeleteFunc(p.caps, func(name string) bool { return name == "roots.listChanged" })
		if level, ok := meta[metaKey+"logLevel"].(string); ok {
			p.level = slices.Index(levels, level)
		}
		sent := len(x.Send)
		n.as(&p, func() { n.judged(m, x) })
		for i := sent; i < len(x.Send); i++ {
			n.as(&p, func() { n.stamp(&x.Send[i], m.Method) })
		}
	}
	return true
}

// bare handles a request without an envelope: it belongs to the session, if there can be
// one and it can have such a request.
func (n *Naive) bare(m *jsonrpc.Message, x *Expect) bool {
	_, old := tables[m.Method]
	_, alone := statelessTables[m.Method]
	switch {
	case len(n.set.Revisions) > 0 && (old || !alone):
		return false
	case m.Method == "initialize":
		n.reply(m, jsonrpc.CodeMethodNotFound, nil, x)
	default:
		n.reply(m, jsonrpc.CodeInvalidParams, nil, x)
		x.blame("REQM-003", m)
	}
	return true
}

// declares reports whether a value is a valid declaration of a client's capabilities.
func declares(v any) bool {
	caps, ok := v.(map[string]any)
	for _, name := range []string{"roots", "sampling", "elicitation", "experimental"} {
		whole, object := caps[name].(map[string]any)
		ok = ok && (caps[name] == nil || object)
		for _, part := range modes[name] {
			_, object := whole[part].(map[string]any)
			ok = ok && (whole[part] == nil || object)
		}
	}
	return ok
}

// describes reports whether the rest of an envelope is valid.
func describes(meta map[string]any) bool {
	who, level := meta[metaKey+"clientInfo"], meta[metaKey+"logLevel"]
	return (who == nil || isKind(who, "impl")) && (level == nil || isKind(level, "level"))
}

// signature is the _meta of a result, with the server's info.
func signature() map[string]any {
	return map[string]any{metaKey + "serverInfo": map[string]any{"name": "machine", "version": "1"}}
}

// cached are the methods whose results have caching members.
var cached = []string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}

// stamp adds to the answer to a request without a session what its revision requires.
func (n *Naive) stamp(s *Sent, method string) {
	switch {
	case n.own == nil:
		return
	case s.Kind == jsonrpc.KindError && s.Code == protocol.CodeResourceNotFound:
		s.Code = jsonrpc.CodeInvalidParams
		s.Given = strings.Replace(s.Given, "-32002 ", "-32602 ", 1)
	case s.Failed:
		s.Alone = true
	case s.Kind == jsonrpc.KindResult:
		body := maps.Clone(s.Body.(map[string]any))
		if body["resultType"] == nil {
			body["resultType"] = "complete"
		}
		if slices.Contains(cached, method) && body["resultType"] == "complete" {
			body["ttlMs"], body["cacheScope"] = json.Number("0"), "private"
		}
		meta := signature()
		if own, ok := body["_meta"].(map[string]any); ok {
			own = maps.Clone(own)
			maps.Copy(own, meta)
			meta = own
		}
		body["_meta"] = meta
		s.Body = body
	}
}

// discovered is the server's answer to server/discover.
func (n *Naive) discovered() map[string]any {
	declared := map[string]any{"experimental": map[string]any{"x": map[string]any{"y": json.Number("1")}}}
	n.declare(declared)
	return map[string]any{"supportedVersions": []any{newest}, "capabilities": declared}
}
