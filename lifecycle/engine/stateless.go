package engine

import (
	"iter"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Requests without a session. A request of a stateless revision says in its _meta what it is made
// under: the envelope. The machine makes a Profile of that, which goes with the request, so that the
// rules of a session and those of requests without one can hold beside each other on one connection,
// each for its own (ERA-002, ERA-003, ERA-023). Nothing of a request is kept once it has been answered
// (REQM-005).

// profileOf returns what a request is made under, or nil after answering one that does not say it
// well. A request without an envelope is one of the session.
func (c *Core) profileOf(m *jsonrpc.Message, in *Intake, o *lifecycle.Output) *Profile {
	if len(c.env.Stateless) == 0 {
		return c.prof
	}
	if c.env.Self == protocol.Client {
		if c.prof.Revision.Stateless() { // and no answer: nobody waits for one (JRPC-203)
			o.Opened = lifecycle.Call{}
			Violation("JRPC-204", m, o)
			return nil
		}
		return c.prof
	}
	e, found, err := protocol.MetaOf(m.Body, m.Span).Envelope()
	switch {
	case err != nil:
		ReplyError(m, protocol.InvalidParams("invalid _meta"), o)
		misfit(m, err, o)
		return nil
	case found:
		return c.brought(e, m, in, o)
	case !c.prof.Revision.Stateless() && (c.prof.Revision.Row(m.Method) != nil || !c.alone(m.Method)):
		return c.prof
	case m.Method == protocol.MethodInitialize:
		ReplyError(m, protocol.HandshakeNotServed(c.env.Stateless, cut(rawjson.Text(string(m.Body), "protocolVersion"), c.env.Limits.Text)), o)
		return nil
	}
	// ERA-005, REQM-003
	ReplyError(m, protocol.InvalidParams("no protocol version in _meta"), o)
	Violation("REQM-003", m, o)
	return nil
}

// alone reports whether there are requests of a method without a session alone.
func (c *Core) alone(method string) bool {
	return c.env.Stateless[0].Row(method) != nil && protocol.Revisions()[0].Row(method) == nil
}

// brought makes an envelope the profile of in, or returns nil after refusing its version (VERS-202, VERS-206).
func (c *Core) brought(e protocol.Envelope, m *jsonrpc.Message, in *Intake, o *lifecycle.Output) *Profile {
	for _, rev := range c.env.Stateless {
		if rev.String() == e.Version {
			c.env.bring(rev, e, &in.Profile)
			return &in.Profile
		}
	}
	ReplyError(m, protocol.UnsupportedVersion(c.env.Stateless, cut(e.Version, c.env.Limits.Text)), o)
	Violation("VERS-202", m, o)
	return nil
}

// bring makes p, which is zero, the profile of an envelope, and nothing of the session or of another
// request (REQM-006).
func (e *Env) bring(rev protocol.Revision, env protocol.Envelope, p *Profile) {
	p.Revision = rev
	if env.Capabilities != 0 {
		p.Caps = env.Capabilities & rev.Capabilities()
	}
	if env.Level != "" {
		p.level = uint8(env.Level.Severity() + 1)
	}
	switch {
	case env.Client == "":
	case len(env.Client) <= e.Limits.Text: // REQM-017; then each text in it is
		p.peer = env.Client // a part of the message, until Hold copies it
	default:
		var peer protocol.Implementation
		_ = peer.DecodeJSON(env.Client, jsonrpc.Span{}) // it was checked with the envelope
		p.peer = e.Negotiated(rev, 0, peer, "").peer
	}
}

// Under returns the profile of an open call, and that of the session for any other and for the
// zero Call.
func (c *Core) Under(call lifecycle.Call) *Profile {
	if leaf := c.lookup(call); leaf != nil && leaf.V.ext != nil && leaf.V.ext.profile != nil {
		return leaf.V.ext.profile
	}
	return c.Profile()
}

// Stamp returns a result as a stateless revision wants it: with its type, who made it and, if it is
// one that clients keep, how long it is fresh. A result of a session stays as it is (RSLT-004). What
// the application says itself stays too.
func (c *Core) stamp(row *protocol.Row, body jsonrpc.Raw) jsonrpc.Raw {
	if !c.stamps(row) {
		return body
	}
	var meta, kind, ttl, scope string
	o, _ := rawjson.Members(string(body))
	for {
		key, val, more := o.Next()
		if !more {
			break
		}
		switch key {
		case "_meta":
			meta = val
		case "resultType":
			kind = val
		case "ttlMs":
			ttl = val
		case "cacheScope":
			scope = val
		}
	}
	if kind == "null" || kind == `"complete"` { // as if nothing were said
		kind, body = "", jsonrpc.Raw(rawjson.Set(string(body), "resultType", ""))
	}
	i, head := 0, complete
	switch {
	case !row.Cached || kind != "": // CACH-001, CACH-004
	case ttl == "" && scope == "":
		i, head = 1, cached
	default:
		if ttl == "" || ttl == "null" {
			body = jsonrpc.Raw(rawjson.Set(string(body), "ttlMs", "0"))
		}
		if scope == "" || scope == "null" {
			body = jsonrpc.Raw(rawjson.Set(string(body), "cacheScope", `"private"`))
		}
	}
	if kind != "" {
		head, body = `{"resultType":`+kind, jsonrpc.Raw(rawjson.Set(string(body), "resultType", ""))
	}
	switch {
	case meta == "null":
		meta = ""
		fallthrough
	case meta != "":
		body = jsonrpc.Raw(rawjson.Set(string(body), "_meta", rawjson.Set(meta, protocol.MetaServerInfo, c.env.Stamp.info)))
	case kind != "":
		head += `,"_meta":{"` + protocol.MetaServerInfo + `":` + c.env.Stamp.info + "}"
	default:
		head = c.env.Stamp.heads[i]
	}
	rest := string(body)
	rest = rest[rawjson.Space(rest, 0)+1:]
	if rest = rest[rawjson.Space(rest, 0):]; rest[0] == '}' {
		return jsonrpc.Raw(head + rest)
	}
	return jsonrpc.Raw(head + "," + rest)
}

// stamps reports whether results of the method have a Stamp.
func (c *Core) stamps(row *protocol.Row) bool {
	return row.Revision().Stateless() && c.env.Self == protocol.Server
}

// Conform makes the answers that a stateless request was given at once those of its revision. from
// is how many messages o had before.
func (c *Core) Conform(in *Intake, from int, o *lifecycle.Output) {
	if !in.Brings() {
		return
	}
	for i := from; i < len(o.Send); i++ {
		switch m := &o.Send[i].Message; {
		case m.Kind == jsonrpc.KindResult:
			m.Body = c.stamp(in.Row, m.Body)
		case m.Kind == jsonrpc.KindError:
			e, _ := in.Profile.Revision.DowngradeError(*m.Err)
			m.Err = &e
		}
	}
}

// Held iterates over the open calls that the machine holds, oldest first, with what was kept of each.
func (c *Core) Held() iter.Seq2[lifecycle.Call, string] {
	return func(yield func(lifecycle.Call, string) bool) {
		if !c.holds() {
			return
		}
		for _, leaf := range c.inboundByAge() {
			if leaf.V.ext != nil && leaf.V.ext.held && !yield(c.call(leaf), leaf.V.subject()) {
				return
			}
		}
	}
}

// Tell sends a notification of a subscription, an open call: it says in its _meta which one
// (META-207, SUBS-005).
func (c *Core) Tell(call lifecycle.Call, method string, body jsonrpc.Raw, o *lifecycle.Output) {
	leaf := c.lookup(call)
	if leaf == nil {
		return
	}
	meta, _ := rawjson.Get(string(body), "_meta")
	meta = rawjson.Set(meta, protocol.MetaSubscription, leaf.V.spelledID())
	note(method, jsonrpc.Raw(rawjson.Set(string(body), "_meta", meta)), call, lifecycle.Req{}, o)
}

// spelledID returns the id as the peer wrote it.
func (v *inbound) spelledID() string {
	if v.ext != nil && v.ext.spelling != "" {
		return string(v.ext.spelling)
	}
	return string(v.id.Append(nil))
}

// endHeld ends what the machine holds: such a call would hold up the end for ever. A subscription
// ends with a result that says which one it was (SUBS-014, SUBS-021, LIFE-203).
func (c *Core) endHeld(cause *lifecycle.Cause, o *lifecycle.Output) {
	if !c.holds() {
		return
	}
	for _, leaf := range c.inboundByAge() {
		if x := leaf.V.ext; x == nil || !x.held {
			continue
		}
		c.take(leaf)
		if leaf.V.row.Revision().Stateless() {
			body := jsonrpc.Raw(`{"_meta":{"` + protocol.MetaSubscription + `":` + leaf.V.spelledID() + `}}`)
			c.answer(leaf, jsonrpc.Message{Kind: jsonrpc.KindResult, Body: c.stamp(leaf.V.row, body)}, o)
		} else {
			c.lost(leaf, cause, o)
		}
		c.endWithin(&leaf.V, o)
	}
}

// Envelope returns what a client says of itself in each request of a stateless revision: the members
// of _meta, without braces (REQM-001, REQM-002, REQM-007, ELIC-202).
func Envelope(rev protocol.Revision, capabilities protocol.ClientCapabilities, info protocol.Implementation) string {
	dst := rawjson.AppendQuote([]byte(`"`+protocol.MetaProtocolVersion+`":`), rev.String())
	dst = capabilities.AppendJSON(append(dst, `,"`+protocol.MetaClientCapabilities+`":`...))
	return string(info.AppendJSON(append(dst, `,"`+protocol.MetaClientInfo+`":`...)))
}

// signed returns the _meta of a request with the envelope in it. What the application has in it
// stays, but for members of the envelope (REQM-008).
func (e *Env) signed(rev protocol.Revision, meta protocol.Meta) protocol.Meta {
	env := e.Envelopes[slices.Index(e.Stateless, rev)]
	for _, key := range [...]string{protocol.MetaProtocolVersion, protocol.MetaClientCapabilities, protocol.MetaClientInfo} {
		if strings.Contains(string(meta), key) || strings.IndexByte(string(meta), '\\') >= 0 { // which may spell it
			meta = meta.With(key, "")
		}
	}
	rest := strings.TrimSpace(string(meta))
	if rest == "" || strings.TrimSpace(rest[1:]) == "}" {
		return protocol.Meta("{" + env + "}")
	}
	return protocol.Meta("{" + env + "," + rest[1:])
}

// toldOfAnEnd handles a cancellation of a stateless server. A subscription ends with it as with a
// result (SUBS-015); a server cancels nothing else (SUBS-016), least of all a question, which is no
// request of its own.
func (c *Core) toldOfAnEnd(p *protocol.CancelledParams, m *jsonrpc.Message, o *lifecycle.Output) {
	switch leaf := c.sent(p.RequestID); {
	case leaf == nil:
		ignored("CANC-010", m, o)
	case leaf.V.row.Wait != protocol.WaitListen:
		Violation("SUBS-016", m, o)
	default:
		c.drop(leaf)
		c.fail(leaf, &lifecycle.Cause{Kind: lifecycle.CauseCancelled, Reason: p.Reason}, o)
		c.settle(o)
	}
}
