package relay

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Restore returns the Relay of a snapshot; s is the State that was restored with it. It continues as
// the original would, with all times counted from now. Servers that are not in the snapshot, or have
// another Definition there, are connected in the next step; calls of servers that are no longer there
// are answered in it. NextDeadline says when. cfg may have other times and bounds than before. Handles
// in Actions of the original are not valid in it: report their outcome before, or end the link.
//
// For any data it returns a value that a session can reach, or lifecycle.ErrSnapshot, or an error
// of New for cfg and servers.
func Restore(cfg Config, servers []Server, data []byte, s server.State, now time.Time) (Relay, error) {
	r, err := New(cfg, servers, now)
	if err != nil {
		return Relay{}, err
	}
	f := engine.ReadFields(data)
	if f.Number("relay") != snapshotVersion {
		f.Fail("another version")
	}
	r.opened, r.news = f.Instant("opened"), f.Instant("news")
	r.over, r.resting, r.level = f.Flag("over"), f.Flag("resting"), f.Text("level")
	r.caps = protocol.Capability(f.Number("caps"))
	in := restorer{r: &r, s: s, f: f, ids: map[uint64]bool{}}
	in.servers(now)
	if f.Err() == nil {
		in.tables()
	}
	if f.Err() == nil {
		r = in.changed(now)
	}
	if err := f.Checked(func() error { return r.Check(s) }); err != nil {
		return Relay{}, err
	}
	return r, nil
}

// changed does what SetServers does when servers go, or get other Filters.
func (in *restorer) changed(now time.Time) Relay {
	var st step
	st.begin(in.r, in.s, now)
	st.dropSubs()
	for k, told := range st.r.told {
		if st.r.news == never && st.r.opened != never && told != 0 && st.r.merge(k).version != told && hears(st.s) {
			st.changed()
		}
	}
	return st.r
}

// hears reports whether the client can be told anything that no request of it is about. It is told later what it
// has missed.
func hears(s server.State) bool {
	for range s.Listens() {
		return true
	}
	return s.Phase() == lifecycle.Ready
}

// maxLag is longer than a Manager goes without a step.
const maxLag = uint64(1 << 62)

// restorer reads a snapshot, which may be damaged or forged.
type restorer struct {
	r    *Relay
	s    server.State
	f    *engine.Fields
	ids  map[uint64]bool // of servers in the snapshot
	open map[uint64]bool // calls of the client that the State has
}

// servers reads the servers, and their connections.
func (in *restorer) servers(now time.Time) {
	r, f := in.r, in.f
	last := f.Number("last")
	fresh := r.up
	list := make([]*upstream, fresh.len())
	f.Items("servers", 1<<20, func(raw string) {
		g := in.f.Object(raw)
		u := upstream{id: g.Number("id"), level: g.Text("level"), login: g.Number("login"), rested: g.Flag("rested"), took: int64(g.Number("took") & math.MaxInt64), down: g.Instant("down")}
		name, definition := g.Text("name"), g.Text("definition")
		if in.f.Err() != nil {
			return
		}
		if u.id == 0 || u.id > last || in.ids[u.id] {
			f.Fail("a server twice, or impossible numbers")
			return
		}
		in.ids[u.id] = true
		i := fresh.index(name)
		if i >= 0 && list[i] == nil && fresh.at(i).Definition == definition {
			u.Server, u.scheme = fresh.at(i).Server, fresh.at(i).scheme
			u.Options.Handshake = g.Flag("handshake")
			list[i] = &u
		}
	})
	for i, u := range fresh.all() {
		if list[i] == nil {
			last++
			next := *u
			next.id = last
			list[i] = &next
		}
	}
	r.up, r.lastID = newFleet(list), last // nobody else has these values yet
	if f.Err() != nil {
		return
	}
	cfg := r.clientOf(in.s)
	lag := int64(min(f.Number("lag"), maxLag))
	r.moved = -lag
	m, err := manager.Restore(r.cfg.Manager, []byte(f.Raw("manager")), now.Add(-time.Duration(lag)), func(name string) (manager.Options, bool) {
		u := r.up.named(name)
		if u == nil || !in.ids[u.id] {
			return manager.Options{}, false
		}
		return optionsOf(u, &cfg), true
	})
	if err != nil {
		f.Fail(err.Error())
		return
	}
	r.m = m
	for _, u := range list {
		if st, ok := m.Status(u.Name); ok && r.opened != never {
			u.state = st.Condition
			u.stateless = u.state == manager.Ready && r.upStateless(u)
		}
	}
	r.up = newFleet(list) // which has other conditions now
	all := r.up.servers()
	kept := slices.DeleteFunc(slices.Clone(all), func(sv Server) bool { return !in.ids[r.up.named(sv.Name).id] })
	r.c, err = catalog.Restore(r.cfg.catalog(kept), m, []byte(f.Raw("catalog")), now)
	if err == nil {
		r.c, _, _, err = r.c.Set(m, now, sources(all)) // which asks for nothing: the others are not connected
	}
	if err != nil {
		f.Fail(err.Error())
		return
	}
	for _, u := range list {
		for k := range u.seen {
			u.seen[k] = r.seen(u, k)
		}
	}
}

// tables reads what is under way.
func (in *restorer) tables() {
	r, f := in.r, in.f
	in.open = openCalls(in.s)
	most := len(f.Raw("calls")) + len(f.Raw("asks")) + len(f.Raw("parked")) + len(f.Raw("subscriptions"))
	f.Items("calls", most, in.call)
	f.Items("asks", most, in.ask)
	f.Items("parked", most, in.parked)
	f.Items("subscriptions", most, func(raw string) {
		if s := in.sub(raw); s != nil && r.subscribed(s.uri) == nil && r.up.get(s.server) != nil {
			r.keep(*s, true)
		}
	})
	f.Items("listens", len(f.Raw("listens")), in.listen)
	copy(r.told[:], in.numbers(f, "told"))
}

// call reads a call. One whose server is gone, or whose operation the Manager does not have, is answered
// in the next step.
func (in *restorer) call(raw string) {
	g, r := in.f.Object(raw), in.r
	seq, due := g.Number("call"), never
	c := call{
		key: g.Number("key"), op: g.Number("op"), server: g.Number("server"), progress: g.Flag("progress"), begins: g.Flag("begins"),
		about: g.Number("about"), round: g.Number("round"),
	}
	if rev := in.s.Client(in.s.Call(seq, c.key)).Revision; rev.Stateless() {
		c.rev = rev
	}
	if text := g.Raw("sub"); text != "" {
		c.sub = in.sub(text)
	}
	if text := g.Raw("retry"); text != "" {
		h := in.f.Object(text)
		c.retry = &retry{method: h.Text("method"), body: jsonrpc.Raw(strings.Clone(h.Raw("body"))), again: h.Flag("again")}
		c.retry.rest, c.retry.slow = in.numbers(h, "rest"), in.numbers(h, "slow")
	}
	if text := g.Raw("waits"); text != "" {
		h := in.f.Object(text)
		due = h.Instant("due")
		c.waits = &waiting{method: h.Text("method"), body: jsonrpc.Raw(strings.Clone(h.Raw("body"))), by: h.Instant("by"), kind: int(min(h.Number("kind"), kinds+1)) - 1}
	}
	switch {
	case in.f.Err() != nil:
		return
	case !in.open[seq], r.calls.Get(seq) != nil, c.op != 0 && r.byOp.Get(c.op) != nil, (c.waits == nil) != (c.op != 0), c.waits != nil && c.waits.kind >= kinds:
		in.f.Fail("a call that is not open, or twice")
		return
	case c.waits == nil && (r.up.get(c.server) == nil || !in.pending(c.op)):
		due, c = r.clock.Now(), call{key: c.key, rev: c.rev, waits: &waiting{kind: -1}}
	}
	r.put(seq, due, c)
}

// numbers reads numbers.
func (in *restorer) numbers(h *engine.Fields, name string) (ids []uint64) {
	h.Items(name, len(h.Raw(name)), func(raw string) {
		id, err := strconv.ParseUint(raw, 10, 64)
		if err != nil {
			in.f.Fail("no number")
		}
		ids = append(ids, id)
	})
	return ids
}

// ask reads a request of a server.
func (in *restorer) ask(raw string) {
	g := in.f.Object(raw)
	req := g.Number("req")
	call, ok := in.asked(g)
	switch {
	case in.f.Err() != nil || !ok:
	case req == 0 || in.r.asks.Get(req) != nil:
		in.f.Fail("a request of a server twice")
	default:
		in.r.asks = in.r.asks.Put(req, never, call)
	}
}

// asked reads which request of a server is meant; false for one of a server that is gone.
func (in *restorer) asked(g *engine.Fields) (call manager.Call, ok bool) {
	name, epoch, seq, key := g.Text("name"), g.Number("epoch"), g.Number("call"), g.Number("key")
	if in.f.Err() != nil {
		return call, false
	}
	c, ok := in.r.m.Client(name)
	if link, _ := in.r.m.Link(name); !ok || link.Epoch != epoch {
		return call, false
	}
	if seq == 0 {
		in.f.Fail("a request without a number")
	}
	return manager.Call{Link: manager.Link{Server: name, Epoch: epoch}, Call: c.Call(seq, key)}, true
}

// parked reads a call that the client is to make again. One whose operation the Manager does not have has
// ended.
func (in *restorer) parked(raw string) {
	g, r := in.f.Object(raw), in.r
	op, due := g.Number("op"), g.Instant("due")
	p := parked{server: g.Number("server"), about: g.Number("about"), caps: protocol.Capability(g.Number("caps")), round: g.Number("round")}
	p.rev, _ = protocol.ParseRevision(g.Text("revision"))
	result, fault := g.Raw("result"), g.Raw("error")
	g.Items("questions", maxQuestions, func(raw string) {
		h := in.f.Object(raw)
		q := question{key: h.Text("question"), round: h.Number("round"), method: h.Text("method"), body: jsonrpc.Raw(strings.Clone(h.Raw("body")))}
		var is bool
		if q.call, is = in.asked(h); is {
			p.questions = append(p.questions, q)
		}
	})
	g.Items("progress", maxProgress, func(raw string) { p.progress = append(p.progress, jsonrpc.Raw(strings.Clone(raw))) })
	var e jsonrpc.Error
	switch {
	case in.f.Err() != nil:
		return
	case op == 0, !p.rev.Stateless(), r.parked.Get(op) != nil, r.byOp.Get(op) != nil,
		fault != "" && e.UnmarshalJSON([]byte(fault)) != nil:
		in.f.Fail("a parked call that is none")
		return
	case fault != "":
		p.ended, p.until, p.err = true, g.Instant("until"), &e
	case result != "":
		p.ended, p.until, p.result = true, g.Instant("until"), jsonrpc.Raw(strings.Clone(result))
	case r.up.get(p.server) == nil || !in.pending(op):
		e = errOfLost()
		p.questions, p.ended, p.until, p.err = nil, true, due, &e
	}
	r.putParked(op, due, p)
}

// listen reads a subscription without a session.
func (in *restorer) listen(raw string) {
	g, r := in.f.Object(raw), in.r
	seq := g.Number("call")
	var uris []string
	g.Items("heard", len(raw), func(raw string) {
		s := in.sub(raw)
		if s == nil {
			return
		}
		h := heard{sub: *s, guessed: in.f.Object(raw).Flag("guessed")}
		if old := r.heard.Get(r.hash(s.uri), s.uri); old != nil {
			h = *old
		} else if h.server == 0 || r.up.get(h.server) == nil {
			h.server, h.target, h.guessed = 0, "", false
		}
		h.n++
		r.hear(h)
		uris = append(uris, h.uri)
	})
	if in.f.Err() == nil && (r.listening.Get(seq) != nil || len(uris) == 0) {
		in.f.Fail("a subscription twice, or to nothing")
	}
	r.listening = r.listening.Put(seq, never, uris)
}

// pending reports whether the Manager has an operation, whose end is still to come.
func (in *restorer) pending(op uint64) bool {
	_, _, err := in.r.m.Cancel(time.Time{}, manager.OpOf(op), "")
	return err == nil
}

// sub reads a subscription.
func (in *restorer) sub(raw string) *sub {
	g := in.f.Object(raw)
	s := &sub{g.Text("uri"), g.Number("server"), g.Text("target")}
	if in.f.Err() != nil {
		return nil
	}
	return s
}
