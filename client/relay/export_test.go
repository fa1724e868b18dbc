package relay

import (
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// Broken returns values that no step leads to, by what is wrong with them.
func Broken(r Relay) map[string]Relay {
	list := map[string]Relay{}
	with := func(name string, change func(*Relay)) {
		next := r
		change(&next)
		list[name] = next
	}
	server := func(name string, change func(*upstream)) {
		with(name, func(r *Relay) {
			u := *r.up.at(0)
			change(&u)
			r.up = r.up.with(0, &u)
		})
	}
	var n uint64
	var c call
	for leaf := range r.calls.All() {
		if n, c = leaf.Key, leaf.V; c.waits == nil {
			break
		}
	}
	with("a call that is not found", func(r *Relay) { r.byOp, _ = r.byOp.Delete(c.op) })
	with("a call that is found elsewhere", func(r *Relay) { r.byOp = r.byOp.Put(c.op, never, n+1) })
	with("a call that is not open", func(r *Relay) { r.put(999, never, call{op: 999, server: c.server}) })
	with("a call that waits", func(r *Relay) {
		r.calls = r.calls.Put(n, never, call{op: c.op, server: c.server, waits: &waiting{kind: -1}})
	})
	with("a call that is nowhere", func(r *Relay) { r.calls = r.calls.Put(n, never, call{server: c.server}) })
	with("a wrong load", func(r *Relay) { r.loads = r.loads.Put(c.server, never, load{99, n}) })
	with("a load too many", func(r *Relay) { r.loads = r.loads.Put(99, never, load{}) })
	with("a load too few", func(r *Relay) { r.loads = table.Table[load]{} })
	with("an operation too many", func(r *Relay) { r.byOp = r.byOp.Put(99, never, n) })
	with("waits and is not open", func(r *Relay) { r.put(99, never, call{waits: &waiting{kind: -1}}) })
	with("waiting", func(r *Relay) { r.waiting++ })
	with("bytes", func(r *Relay) { r.bytes++ })
	with("an ask that is not open", func(r *Relay) {
		for leaf := range r.asks.All() {
			r.asks, _ = r.asks.Delete(leaf.Key)
			r.asks = r.asks.Put(999, never, leaf.V)
		}
	})
	with("an ask twice", func(r *Relay) {
		for leaf := range r.asks.All() {
			for again := range r.asks.All() {
				r.asks = r.asks.Put(again.Key, never, leaf.V)
			}
		}
	})
	with("over", func(r *Relay) { r.over = true })
	server("name", func(u *upstream) { u.Name = "x" })
	server("id", func(u *upstream) { u.id = 99 })
	server("seen", func(u *upstream) { u.seen[0] = 99 })
	with("number", func(r *Relay) { r.lastID = 0 })
	with("lists", func(r *Relay) { r.c, _ = catalog.New(r.cfg.catalog(r.up.servers()), r.clock.Time()) })
	with("no server in the catalog", func(r *Relay) { r.c = catalog.Catalog{} })
	with("two of one name", func(r *Relay) { r.up = r.up.with(0, r.up.at(1)) })
	return list
}

// BrokenListening is Broken of what a client listens to without a session, where one resource has a server and one has none.
func BrokenListening(r Relay) map[string]Relay {
	list := map[string]Relay{}
	with := func(name string, change func(*Relay)) {
		next := r
		change(&next)
		list[name] = next
	}
	for uri, h := range r.heard.All() {
		hash, what := r.hash(uri), "a resource with a server: "
		if !h.placed() {
			what = "a resource without: "
		}
		more, elsewhere := *h, *h
		more.n++
		elsewhere.server, elsewhere.target = r.up.at(1).id, "x:other"
		with(what+"a count too high", func(r *Relay) { r.heard = r.heard.Put(hash, uri, more) })
		with(what+"not heard", func(r *Relay) { r.heard = r.heard.Delete(hash, uri) })
		with(what+"heard elsewhere", func(r *Relay) { r.heard = r.heard.Put(hash, uri, elsewhere) })
		with(what+"looked for where it is not", func(r *Relay) {
			r.unplaced = r.unplaced.Delete(hash, uri)
			r.unplaced = r.unplaced.Put(r.hash("x:other"), "x:other", struct{}{})
		})
		if h.placed() {
			with(what+"looked for", func(r *Relay) { r.unplaced = r.unplaced.Put(hash, uri, struct{}{}) })
		} else {
			with(what+"not looked for", func(r *Relay) { r.unplaced = r.unplaced.Delete(hash, uri) })
		}
	}
	for leaf := range r.listening.All() {
		with("a subscription that is not open", func(r *Relay) {
			r.listening, _ = r.listening.Delete(leaf.Key)
			r.listening = r.listening.Put(999, never, leaf.V)
		})
		with("a subscription to nothing", func(r *Relay) { r.listening = r.listening.Put(leaf.Key, never, nil) })
	}
	for leaf := range r.wants.All() {
		w := leaf.V
		of := func(name string, change func(*wanted)) {
			next := w
			change(&next)
			with("a server that does not know: "+name, func(r *Relay) { r.wants = r.wants.Put(leaf.Key, never, next) })
		}
		of("of any", func(w *wanted) { *w = wanted{} })
		of("the uris", func(w *wanted) { w.heard = table.Index[struct{}]{} })
		of("how many", func(w *wanted) {
			for key, n := range w.targets.All() {
				w.targets = w.targets.Put(r.hash(key), key, *n+1)
			}
		})
		of("those of the session", func(w *wanted) { w.subs = w.subs.Put(r.hash("x:other"), "x:other", struct{}{}) })
		with("no server knows", func(r *Relay) { r.wants, _ = r.wants.Delete(leaf.Key) })
		with("another server knows", func(r *Relay) { r.wants = r.wants.Put(99, never, w) })
	}
	return list
}

// Lost is what a client is told of a request that its server did not answer, for this cause.
func Lost(r Relay, name string, cause *lifecycle.Cause) jsonrpc.Error {
	st := step{r: r}
	return st.lost(nil, &manager.Event{Link: manager.Link{Server: name}}, server.Event{Cause: cause})
}

// Checked returns at how many subscriptions a step looks in which a driver reports something.
func Checked(r Relay, s server.State, now time.Time, report manager.Report) int {
	var st step
	st.begin(&r, s, now)
	st.upward(st.r.m.Report(st.now, report))
	st.run()
	return st.checked
}

// CheckedBy is Checked for what the client does.
func CheckedBy(r Relay, s server.State, now time.Time, out server.Output) int {
	var st step
	st.begin(&r, s, now)
	st.push(work{client: out.Events, ends: out.Close != nil})
	st.listened(out.Send)
	st.run()
	return st.checked
}
