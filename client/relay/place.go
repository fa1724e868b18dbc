package relay

import (
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// place finds the server of a request that names an item, or of a custom one, and forwards it, or
// answers it if there is none; false if that cannot be decided yet. row is that of its method.
func (st *step) place(ev *server.Event, row *protocol.Row) bool {
	p := decoded(ev.Method, ev.Body)
	p.Span = ev.Span
	if row == nil {
		u := st.route(ev.Method)
		if u == nil {
			st.fail(ev.Call, protocol.MethodNotFound())
			return true
		}
		return st.pass(ev, u, call{}, p)
	}
	p, info := p.Read(row)
	kind, name := kindOf(row.Names), info.Subject
	var c call
	if info.Meta != "" {
		_, c.progress = info.Meta.ProgressToken()
	}
	if row.Asks && ev.Revision.Stateless() {
		c.rev, c.about = ev.Revision, st.r.about(ev.Method, name)
		if in, _ := protocol.ReadResponses(ev.Body, ev.Span); in != nil && in.State != "" {
			t, _ := st.find(kind, name)
			st.resume(ev, c, in, t.on, kind, name)
			return true
		}
	}
	switch {
	case kind < 0:
		return st.placeRef(ev, c, p)
	case kind == resources:
		return st.placeURI(ev, row, name, c, p)
	default:
		return st.placeName(ev, row.Names, kind, name, c, p)
	}
}

// renamed returns params whose item has another name at the server.
func renamed(p protocol.RawRequest, member, key string) protocol.RawRequest {
	p.Body, p.Span = set(p.Body, member, key), jsonrpc.Span{}
	return p
}

// placeName places a request for a tool or prompt.
func (st *step) placeName(ev *server.Event, of *protocol.List, kind int, name string, c call, p protocol.RawRequest) bool {
	t, ok := st.find(kind, name)
	if ok && kind == tools && st.doubts(t.on) {
		if st.until, st.of = never, t.on.Name; st.last {
			st.fail(ev.Call, unavailable("the tools of the server are not known yet; try again later", t.on.Name, 0))
		}
		return st.last
	}
	if ok && t.key != name {
		p = renamed(p, of.Key, t.key)
	}
	return st.placeNamed(ev, t, ok, kind, name, c, p, of)
}

// placeNamed places a request for t, if ok; otherwise for an unlisted name, which only a single server may
// have. of is the list that the method names an item of; nil if the name is in a ref.
func (st *step) placeNamed(ev *server.Event, t target, ok bool, kind int, name string, c call, p protocol.RawRequest, of *protocol.List) bool {
	switch {
	case ok && t.on == nil:
	case ok:
		return st.pass(ev, t.on, c, p)
	case st.awaits(false, kind):
		return false
	case st.r.up.len() == 1 && st.r.has(st.r.up.at(0), kind, name): // with several servers it may belong to an unavailable one
		return st.pass(ev, st.r.up.at(0), c, p)
	}
	unknown := protocol.InvalidParams("unknown ref")
	if of != nil {
		unknown = of.Unknown(name)
	}
	st.fail(ev.Call, st.unknownOf(unknown))
	return true
}

// doubts reports whether a tool that passes the Filter by its annotations may have others now: they
// are from an earlier session, or the server has announced a change of its list, and the list has not
// been read since the client's request.
func (st *step) doubts(u *upstream) bool {
	if u == nil || u.state != manager.Ready || !u.annotated() {
		return false
	}
	now, _ := st.r.c.Advance(st.now)
	l, _ := now.Status(protocol.ToolList, u.Name)
	return l.Stale && !l.Asked.After(st.r.clock.At(max(st.came, u.down)))
}

// find returns the server and key of a name or uri: a listed one, or one that names its server. There is
// no server if the name is withdrawn.
func (st *step) find(kind int, name string) (target, bool) {
	of := protocol.Lists()[kind]
	st.r.c = st.r.c.Claim(of)
	id, ok := st.r.c.Owner(of, name)
	if ok && id.Server == "" {
		return target{}, true
	}
	if u := st.r.up.named(id.Server); ok && st.mayHave(u, kind, id.Key) {
		return target{u, id.Key}, true
	}
	if kind == resources {
		if st.r.c, id, ok = st.r.c.Match(name); ok {
			return target{st.r.up.named(id.Server), name}, true
		}
	}
	return target{}, false
}

// placeURI places a request to read, subscribe to or unsubscribe from a resource.
func (st *step) placeURI(ev *server.Event, row *protocol.Row, uri string, c call, p protocol.RawRequest) bool {
	t, ok := st.find(resources, uri)
	if row.Setting == protocol.SettingUnsubscribe {
		if had := st.r.subscribed(uri); had != nil {
			t, ok = target{st.r.up.get(had.server), had.target}, true
		}
	}
	if ok && t.on == nil {
		st.fail(ev.Call, row.Names.Unknown(uri))
		return true
	}
	if !ok {
		if st.awaits(false, resources, templates) {
			return false
		}
		rest := st.having(row.Gate, uri)
		if len(rest) == 0 || st.r.cfg.Naming.URIs == naming.Always { // do not send a uri to a server that it is not for
			st.fail(ev.Call, row.Names.Unknown(uri))
			return true
		}
		t = target{st.r.up.get(rest[0]), uri}
		if len(rest) > 1 {
			c.retry = &retry{method: strings.Clone(ev.Method), body: jsonrpc.Raw(strings.Clone(string(ev.Body))), rest: rest[1:]}
		}
	}
	if t.key != uri {
		p = renamed(p, "uri", t.key)
	}
	c.begins = row.Setting == protocol.SettingSubscribe
	if row.Setting != protocol.SettingNone {
		c.sub = &sub{uri: strings.Clone(uri), server: t.on.id, target: strings.Clone(t.key)}
	}
	return st.pass(ev, t.on, c, p)
}

// having returns the servers that have the capability and may have a uri that none lists, in order,
// with those that did not answer the last ping at the end.
func (st *step) having(gate protocol.Capability, uri string) (ids []uint64) {
	var silent []uint64
	for _, u := range st.r.up.all() {
		if u.state != manager.Ready || !st.r.capabilities(u).Has(gate) || !st.r.has(u, resources, uri) {
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

// placeRef places a completion request: for an argument of a prompt, or a variable of a template.
func (st *step) placeRef(ev *server.Event, c call, p protocol.RawRequest) bool {
	ref, _ := rawjson.Get(string(ev.Body), "ref")
	kind, member := prompts, "name"
	if rawjson.Text(ref, "type") == "ref/resource" {
		kind, member = templates, "uri"
	}
	name := rawjson.Text(ref, member)
	t, ok := st.find(kind, name)
	if !ok && kind == templates {
		t, ok = st.find(resources, name)
	}
	if ok && t.key != name {
		inner := string(set(jsonrpc.Raw(ref), member, t.key))
		p.Body, p.Span = jsonrpc.Raw(rawjson.Set(string(p.Body), "ref", inner)), jsonrpc.Span{}
	}
	return st.placeNamed(ev, t, ok, kind, name, c, p, nil)
}

// route returns the server for a custom method; nil if there is none. The effects of a custom
// method are unknown, so without a Route it does not go to a server with a restricting Filter: it
// may be another spelling of tools/call.
func (st *step) route(method string) *upstream {
	for _, to := range st.r.cfg.Routes {
		if to.matches(method) {
			u := st.r.up.named(to.Server)
			if u == nil || to.Method == "" && u.restricted() {
				return nil
			}
			return u
		}
	}
	if st.r.up.len() == 1 && !st.r.up.at(0).restricted() {
		return st.r.up.at(0)
	}
	return nil
}
