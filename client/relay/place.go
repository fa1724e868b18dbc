package relay

import (
	"math"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// place finds the server of a request that names something, or is a custom one, and passes it on,
// or answers it where there is none; false if that cannot be decided yet.
func (st *step) place(ev *server.Event) bool {
	row := st.row(ev.Method)
	if row == nil {
		u := st.route(ev.Method)
		if u == nil {
			st.fail(ev.Call, protocol.MethodNotFound())
			return true
		}
		return st.pass(ev, passage{to: u.id, body: ev.Body})
	}
	kind := kindOf(row.Names)
	switch {
	case kind == tools || kind == prompts:
		name, progress := glance(ev, protocol.Lists()[kind].Key)
		return st.placeName(ev, row, kind, name, passage{body: ev.Body, progress: progress})
	case kind >= 0:
		uri, progress := glance(ev, "uri")
		return st.placeURI(ev, row, uri, passage{body: ev.Body, progress: progress})
	}
	_, progress := glance(ev, "")
	return st.placeRef(ev, row, passage{body: ev.Body, progress: progress})
}

// glance returns a member of params that is a string, and whether the client asked for progress.
// The State has read the params, and refused what two readers could understand differently, so
// this is no more than a look for where things are.
func glance(ev *server.Event, member string) (value string, progress bool) {
	o, _ := rawjson.Members(string(ev.Body))
	o.Trust(math.MaxInt32) // whatever its Decoder allowed
	o.Jump(int(ev.Span.Start), int(ev.Span.End))
	for {
		name, val, ok := o.Next()
		if !ok {
			return value, progress
		}
		switch name {
		case member:
			value, _ = rawjson.Unquote(val)
		case "_meta":
			_, progress = protocol.Meta(val).ProgressToken()
		}
	}
}

// placeName is place for a tool or prompt.
func (st *step) placeName(ev *server.Event, row *protocol.Row, kind int, name string, p passage) bool {
	t, ok := st.find(kind, name)
	if ok && kind == tools && st.doubts(t.server) {
		u := st.r.up.get(t.server)
		if st.until, st.of = never, u.Name; st.last {
			st.fail(ev.Call, unavailable("the tools of the server are not known at the moment", u.Name, 0))
		}
		return st.last
	}
	if ok && t.key != name {
		p.body = set(ev.Body, protocol.Lists()[kind].Key, t.key)
	}
	return st.placeNamed(ev, t, ok, kind, name, p, row.Names.Unknown(name))
}

// placeNamed places a request for what a name stands for, if ok; else one for what nobody lists, which only a
// server alone may have.
func (st *step) placeNamed(ev *server.Event, t target, ok bool, kind int, name string, p passage, unknown jsonrpc.Error) bool {
	switch {
	case ok && t.server == 0:
	case ok:
		p.to = t.server
		return st.pass(ev, p)
	case st.awaits(false, kind):
		return false
	case len(st.r.up) == 1 && st.r.has(st.r.up[0], kind, name): // where there are more, it may be for one that is away
		p.to = st.r.up[0].id
		return st.pass(ev, p)
	}
	st.fail(ev.Call, unknown)
	return true
}

// doubts reports whether a tool that passes the Filter by its annotations may have others by now: they
// are from an earlier session, or the server said that its list is another one, and none was read
// since the client asked.
func (st *step) doubts(id uint64) bool {
	u := st.r.up.get(id)
	if u == nil || u.state != manager.Ready || !u.annotated() {
		return false
	}
	l, _ := st.r.c.Status(protocol.ToolList, u.Name)
	return l.Stale && !l.Asked.After(st.r.clock.At(max(st.came, u.down)))
}

// find returns what a name or uri stands for: what is listed, or any that names its server. The
// server is 0 for one that is withdrawn.
func (st *step) find(kind int, name string) (target, bool) {
	of := protocol.Lists()[kind]
	st.r.c = st.r.c.Claim(of)
	id, ok := st.r.c.Owner(of, name)
	if !ok || id.Server == "" {
		return target{}, ok
	}
	u := st.r.up.named(id.Server)
	return target{u.id, id.Key}, st.mayHave(u, kind, id.Key)
}

// mayHave reports whether a server has an item, as far as is known: one whose list was not read
// yet may.
func (st *step) mayHave(u *upstream, kind int, key string) bool {
	if of := protocol.Lists()[kind]; !u.starting() {
		if l, _ := st.r.c.Status(of, u.Name); u.state == manager.Ready || l.Version != 0 {
			return st.r.has(u, kind, key)
		}
	}
	return true
}

// has reports whether there may be an item, by the Filter of its server.
func (r *Relay) has(u *upstream, kind int, key string) bool {
	return r.c.May(protocol.Lists()[kind], catalog.ItemID{Server: u.Name, Key: key})
}

// placeURI is place for a resource that is read, subscribed to, or no more.
func (st *step) placeURI(ev *server.Event, row *protocol.Row, uri string, p passage) bool {
	t, ok := st.findURI(uri)
	if row.Setting == protocol.SettingUnsubscribe {
		if had := st.r.subscribed(uri); had != nil {
			t, ok = target{had.server, had.target}, true
		}
	}
	p.setting = row.Setting
	if ok && t.server == 0 {
		st.fail(ev.Call, row.Names.Unknown(uri))
		return true
	}
	if !ok {
		if st.awaits(false, resources, templates) {
			return false
		}
		rest := st.having(row.Gate, uri)
		if len(rest) == 0 || st.r.cfg.Naming.URIs == naming.Always { // nobody is told of what is for others
			st.fail(ev.Call, row.Names.Unknown(uri))
			return true
		}
		t = target{rest[0], uri}
		if len(rest) > 1 {
			p.retry = &retry{method: strings.Clone(ev.Method), body: jsonrpc.Raw(strings.Clone(string(p.body))), rest: rest[1:]}
		}
	}
	if t.key != uri {
		p.body = set(ev.Body, "uri", t.key)
	}
	p.to = t.server
	if row.Setting != protocol.SettingNone {
		p.sub = &sub{uri: strings.Clone(uri), server: t.server, target: strings.Clone(t.key)}
	}
	return st.pass(ev, p)
}

// findURI returns what a uri stands for: a resource that is listed, one that names its server,
// or what a template of a server matches.
func (st *step) findURI(uri string) (target, bool) {
	if t, ok := st.find(resources, uri); ok {
		return t, true
	}
	c, id, ok := st.r.c.Match(uri)
	st.r.c = c
	if !ok {
		return target{}, false
	}
	return target{st.r.up.named(id.Server).id, uri}, true
}

// having returns the servers that have the capability and may have a uri that none lists, in their
// order, but for those that did not answer the last ping: these come last.
func (st *step) having(gate protocol.Capability, uri string) (ids []uint64) {
	var silent []uint64
	for _, u := range st.r.up {
		if u.state != manager.Ready || !u.caps.Has(gate) || !st.r.has(u, resources, uri) {
			continue
		}
		if s, _ := st.r.m.Status(u.Name); s.Misses > 0 {
			silent = append(silent, u.id)
		} else {
			ids = append(ids, u.id)
		}
	}
	return append(ids, silent...)
}

// placeRef is place for a completion: of an argument of a prompt, or of a variable of a template.
func (st *step) placeRef(ev *server.Event, row *protocol.Row, p passage) bool {
	ref, _ := rawjson.Get(string(ev.Body), "ref")
	kind, member := prompts, "name"
	if rawjson.Text(ref, "type") == "ref/resource" {
		kind, member = templates, "uri"
	}
	name := rawjson.Text(ref, member)
	t, ok := st.find(kind, name)
	if !ok && kind == templates {
		t, ok = st.findURI(name)
	}
	if ok && t.key != name {
		inner := string(set(jsonrpc.Raw(ref), member, t.key))
		p.body = jsonrpc.Raw(rawjson.Set(string(ev.Body), "ref", inner))
	}
	return st.placeNamed(ev, t, ok, kind, name, p, protocol.InvalidParams("unknown ref"))
}

// passage is a request on its way to a server.
type passage struct {
	to       uint64
	body     jsonrpc.Raw
	progress bool // the client asked for progress
	setting  protocol.Setting
	sub      *sub   // of a subscription, or its end
	retry    *retry // whom to ask next
}

// pass passes a request on to its server; false if the server is starting. One that is away, or
// takes no more, costs the client an error at once.
func (st *step) pass(ev *server.Event, p passage) bool {
	u := st.r.up.get(p.to)
	switch {
	case u == nil:
		st.fail(ev.Call, unavailable("the server is gone; the request did not run", "", 0))
		return true
	case u.starting():
		st.until, st.of = clock.Later(u.down, st.r.cfg.Held.Time), u.Name
		return false
	case p.sub != nil && p.setting == protocol.SettingUnsubscribe && u.state != manager.Ready:
		st.r.unsubscribed(p.sub.uri) // nothing comes of it, whatever the server thinks
		st.finish(server.Answer{Call: ev.Call, Result: jsonrpc.Raw("{}")})
		return true
	case p.sub != nil && p.setting == protocol.SettingSubscribe && !st.r.room(p.sub.uri):
		st.fail(ev.Call, protocol.InternalError("too many subscriptions"))
		return true
	}
	params := decoded(ev.Method, p.body)
	if p.body == ev.Body {
		params.Span = ev.Span
	}
	m, out, err := st.r.m.Request(st.now, u.Name, params, manager.RequestOptions{
		Timeout: st.timeout(p.retry), ReplaceToken: true, ResetOnProgress: p.progress && st.r.cfg.CallTimeout != lifecycle.NoTimeout,
	})
	if err != nil {
		st.fail(ev.Call, st.refused(u, err))
		return true
	}
	op := out.Op.Seq()
	st.r.calls = st.r.calls.Put(op, never, call{
		seq: ev.Call.Seq(), key: ev.Call.Key(), server: u.id, progress: p.progress, sub: p.sub,
		begins: p.setting == protocol.SettingSubscribe, retry: p.retry,
	})
	st.r.byCall = st.r.byCall.Put(ev.Call.Seq(), never, op)
	st.count(u.id, op, 1)
	st.upward(m, out)
	return true
}

// timeout returns how long a request may take: one that is asked of several servers in turn does not
// wait behind one that has stopped.
func (st *step) timeout(asked *retry) time.Duration {
	most := st.r.cfg.CallTimeout
	if asked == nil {
		return most
	}
	turn := st.r.cfg.Lists.Hold
	if asked.again {
		turn = st.r.cfg.Held.Time
	}
	if most == lifecycle.NoTimeout {
		return turn
	}
	return min(most, turn)
}

// decoded returns params that a message had, or that were made of those of one.
func decoded(method string, body jsonrpc.Raw) protocol.RawRequest {
	return protocol.RawRequest{Name: method, Body: body, Decoded: true}
}

// count keeps which calls a server has.
func (st *step) count(id, op uint64, by int) {
	var l load
	if leaf := st.r.loads.Get(id); leaf != nil {
		l = leaf.V
	}
	l.n += by
	l.ops ^= op
	if l.n == 0 {
		st.r.loads, _ = st.r.loads.Delete(id)
		return
	}
	st.r.loads = st.r.loads.Put(id, never, l)
}

// closeCall forgets a call that was passed on.
func (st *step) closeCall(op uint64) (call, bool) {
	t, leaf := st.r.calls.Delete(op)
	if leaf == nil {
		return call{}, false
	}
	st.r.calls = t
	st.r.byCall, _ = st.r.byCall.Delete(leaf.V.seq)
	st.count(leaf.V.server, op, -1)
	return leaf.V, true
}

// within returns the call that a server is working on, if it is exactly one.
func (st *step) within(id uint64) server.Call {
	leaf := st.r.loads.Get(id)
	if leaf == nil || leaf.V.n != 1 {
		return server.Call{}
	}
	c := st.r.calls.Get(leaf.V.ops).V
	return st.s.Call(c.seq, c.key)
}

// room reports whether one more subscription can be kept.
func (r *Relay) room(uri string) bool {
	return r.subscribed(uri) != nil || r.subs.Len() < r.cfg.subscriptions()
}

// matches reports whether a route is one for a method.
func (to Route) matches(method string) bool {
	n := len(to.Method)
	return n == 0 || to.Method == method || to.Method[n-1] == '/' && len(method) > n && method[:n] == to.Method
}
