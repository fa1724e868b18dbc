package relay

import (
	"math"
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// place finds the server of a request that names something, or is a custom one, and passes it on,
// or answers it where there is none; false if that cannot be decided yet.
func (st *step) place(ev *server.Event) bool {
	row := st.row(ev.Revision, ev.Method)
	if row == nil {
		u := st.route(ev.Method)
		if u == nil {
			st.fail(ev.Call, protocol.MethodNotFound())
			return true
		}
		return st.pass(ev, call{server: u.id}, ev.Body)
	}
	kind, member := kindOf(row.Names), ""
	if kind >= 0 {
		member = row.Names.Key
	}
	name, progress := glance(ev, member)
	c := call{progress: progress}
	if row.Asks && ev.Revision.Stateless() {
		c.rev, c.about = ev.Revision, st.r.about(ev.Method, name)
		if in, _ := protocol.ReadResponses(ev.Body, ev.Span); in != nil && in.State != "" {
			t, _ := st.find(kind, name)
			st.resume(ev, c, in, t.server, kind, name)
			return true
		}
	}
	switch {
	case kind < 0:
		return st.placeRef(ev, c)
	case kind == resources:
		return st.placeURI(ev, row, name, c)
	default:
		return st.placeName(ev, row.Names, kind, name, c)
	}
}

// glance returns a member of params that is a string, and whether the client asked for progress.
// The State has read the params, and refused what two readers could understand differently, so
// this is no more than a look for where things are.
func glance(ev *server.Event, member string) (value string, progress bool) {
	o, _ := rawjson.Members(string(ev.Body))
	o.Trust(math.MaxInt32) // whatever its Decoder allowed
	o.Jump(int(ev.Span.Start), int(ev.Span.End))
	for name, val := range o.All {
		switch name {
		case member:
			value, _ = rawjson.Unquote(val)
		case "_meta":
			_, progress = protocol.Meta(val).ProgressToken()
		}
	}
	return value, progress
}

// placeName is place for a tool or prompt.
func (st *step) placeName(ev *server.Event, of *protocol.List, kind int, name string, c call) bool {
	t, ok := st.find(kind, name)
	if ok && kind == tools && st.doubts(t.server) {
		u := st.r.up.get(t.server)
		if st.until, st.of = never, u.Name; st.last {
			st.fail(ev.Call, unavailable("the tools of the server are not known yet; try again later", u.Name, 0))
		}
		return st.last
	}
	body := ev.Body
	if ok && t.key != name {
		body = set(body, of.Key, t.key)
	}
	return st.placeNamed(ev, t, ok, kind, name, c, body, of.Unknown(name))
}

// placeNamed places a request for what a name stands for, if ok; else one for what nobody lists, which only a
// server alone may have.
func (st *step) placeNamed(ev *server.Event, t target, ok bool, kind int, name string, c call, body jsonrpc.Raw, unknown jsonrpc.Error) bool {
	switch {
	case ok && t.server == 0:
	case ok:
		c.server = t.server
		return st.pass(ev, c, body)
	case st.awaits(false, kind):
		return false
	case st.r.up.len() == 1 && st.r.has(st.r.up.at(0), kind, name): // where there are more, it may be for one that is away
		c.server = st.r.up.at(0).id
		return st.pass(ev, c, body)
	}
	st.fail(ev.Call, st.unknownOf(unknown))
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

// find returns what a name or uri stands for: what is listed, any that names its server, or a uri that a template of a
// server matches. The server is 0 for one that is withdrawn.
func (st *step) find(kind int, name string) (target, bool) {
	of := protocol.Lists()[kind]
	st.r.c = st.r.c.Claim(of)
	id, ok := st.r.c.Owner(of, name)
	if ok && id.Server == "" {
		return target{}, true
	}
	if u := st.r.up.named(id.Server); ok && st.mayHave(u, kind, id.Key) {
		return target{u.id, id.Key}, true
	}
	if kind == resources {
		if st.r.c, id, ok = st.r.c.Match(name); ok {
			return target{st.r.up.named(id.Server).id, name}, true
		}
	}
	return target{}, false
}

// placeURI is place for a resource that is read, subscribed to, or no more.
func (st *step) placeURI(ev *server.Event, row *protocol.Row, uri string, c call) bool {
	t, ok := st.find(resources, uri)
	if row.Setting == protocol.SettingUnsubscribe {
		if had := st.r.subscribed(uri); had != nil {
			t, ok = target{had.server, had.target}, true
		}
	}
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
			c.retry = &retry{method: strings.Clone(ev.Method), body: jsonrpc.Raw(strings.Clone(string(ev.Body))), rest: rest[1:]}
		}
	}
	body := ev.Body
	if t.key != uri {
		body = set(body, "uri", t.key)
	}
	c.server, c.begins = t.server, row.Setting == protocol.SettingSubscribe
	if row.Setting != protocol.SettingNone {
		c.sub = &sub{uri: strings.Clone(uri), server: t.server, target: strings.Clone(t.key)}
	}
	return st.pass(ev, c, body)
}

// having returns the servers that have the capability and may have a uri that none lists, in their
// order, but for those that did not answer the last ping: these come last.
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

// placeRef is place for a completion: of an argument of a prompt, or of a variable of a template.
func (st *step) placeRef(ev *server.Event, c call) bool {
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
	body := ev.Body
	if ok && t.key != name {
		inner := string(set(jsonrpc.Raw(ref), member, t.key))
		body = jsonrpc.Raw(rawjson.Set(string(body), "ref", inner))
	}
	return st.placeNamed(ev, t, ok, kind, name, c, body, protocol.InvalidParams("unknown ref"))
}

// route returns the server that a custom method goes to; nil if there is none. Nobody knows what a
// custom method does, so one that no Route names goes to no server that a Filter restricts: it may
// be another spelling of tools/call.
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
