package relay_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var (
	t0   = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	info = protocol.Implementation{Name: "relay", Version: "1"}
	all  = client.Config{
		Info: info, Serve: []string{"sampling/createMessage", "elicitation/create", "roots/list"}, RootsListChanged: true,
		Declare:      protocol.CapSamplingTools | protocol.CapElicitationURL | protocol.CapElicitationForm,
		ServeUnknown: true, Policy: lifecycle.Policy{PassThrough: true, KeepNulls: true},
	}
)

// world is a relay with a client in front and servers behind, in memory: each a State of its own,
// joined by the bytes of their messages. What goes out is delivered in the order in which it was
// sent, when the step is over.
type world struct {
	t      tb
	now    time.Time
	cfg    relay.Config
	down   server.Config
	defs   []relay.Server
	r      relay.Relay
	s      server.State
	sAt    time.Time // of the last step of s
	c      client.State
	cc     client.Config
	got    []client.Event // what the client was told
	peers  map[string]*peer
	lines  []string // what went over the wires
	todo   []func()
	moves  bool // the session moves in each step, by its snapshots
	auto   bool // names as they are by default; else plain ones
	busy   bool
	seen   []manager.Event
	sent   lifecycle.Outgoing // to a server, last
	within []lifecycle.Call   // of the messages to the client
}

// tb is what a world needs of a test.
type tb interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// peer is a server, and its connection.
type peer struct {
	name  string
	cfg   server.Config
	h     *server.Handlers
	s     server.State
	link  manager.Link
	open  bool
	calls []server.Event // that its application holds
	heard []server.Event
	got   []jsonrpc.Message
	mute  bool // what it is sent does not reach it
	late  []jsonrpc.Message
	dead  bool // it cannot be opened
	opens int
}

// option changes the world before it begins.
type option func(w *world)

// newWorld returns a world whose client has opened its session, with servers of the given names.
// Each has the tool of its name, which echoes, one with -slow, which its application holds, and
// the tool "both".
func newWorld(t tb, names []string, options ...option) *world {
	t.Helper()
	w := &world{t: t, now: t0, cfg: relay.Config{Info: info}, down: server.Config{Info: info}, peers: map[string]*peer{}, cc: all}
	for _, name := range names {
		p := &peer{name: name, h: &server.Handlers{}}
		for _, tool := range []string{name, "both"} {
			p.h.Tool(protocol.Tool{Name: tool, InputSchema: `{"type":"object","x":9007199254740993}`}, echo(name))
		}
		p.h.Tool(protocol.Tool{Name: name + "-slow", InputSchema: `{"type":"object"}`}, nil)
		w.peers[name] = p
		w.defs = append(w.defs, relay.Server{Name: name, Definition: "1", Options: manager.Options{Endpoint: name}})
	}
	for _, o := range options {
		o(w)
	}
	if !w.auto && w.cfg.Naming.Names == naming.Auto {
		w.cfg.Naming.Names = naming.Plain
	}
	var err error
	if w.c, err = client.New(w.cc, w.now); err != nil {
		t.Fatal(err)
	}
	w.begin()
	return w
}

func echo(name string) server.ToolFunc {
	return func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{Content: []protocol.Content{protocol.TextContent(name)}, StructuredContent: p.Arguments}, nil
	}
}

// begin makes the relay and opens the session.
func (w *world) begin() {
	w.t.Helper()
	var err error
	if w.down, err = w.cfg.Server(w.down); err != nil {
		w.t.Fatal(err)
	}
	if w.s, err = server.New(w.down, w.now); err != nil {
		w.t.Fatal(err)
	}
	if w.r, err = relay.New(w.cfg, w.defs, w.now); err != nil {
		w.t.Fatal(err)
	}
	w.client(must(w.c.Initialize(w.now)))
}

func must[S, O any](s S, out O, err error) (S, O) {
	if err != nil {
		panic(err)
	}
	return s, out
}

func (w *world) wire(from, to string, m jsonrpc.Message) jsonrpc.Message {
	line := jsonrpc.Append(nil, m)
	w.lines = append(w.lines, from+">"+to+" "+string(line))
	return jsonrpc.Decode(line)
}

// later does something when what was sent before has been delivered.
func (w *world) later(do func()) {
	w.todo = append(w.todo, do)
	if w.busy {
		return
	}
	w.busy = true
	for len(w.todo) > 0 {
		next := w.todo[0]
		w.todo = w.todo[1:]
		next()
	}
	w.busy = false
}

// client takes a step of the client.
func (w *world) client(c client.State, out client.Output) {
	w.c = c
	w.got = append(w.got, out.Events...)
	for _, o := range out.Send {
		m := w.wire("client", "relay", o.Message)
		w.later(func() { w.feed(m) })
	}
}

// feed hands a message of the client to the relay.
func (w *world) feed(m jsonrpc.Message) {
	s, out := w.s.Receive(w.now, m)
	w.relay(w.r.Handle(s, w.now, out))
}

// relay takes a step of the relay, and delivers what it sends.
func (w *world) relay(r relay.Relay, s server.State, eff relay.Effects) {
	w.t.Helper()
	if s != w.s {
		w.sAt = w.now
	}
	w.r, w.s = r, s
	w.seen = append(w.seen, eff.Servers...)
	if err := r.Check(s); err != nil {
		w.t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		w.t.Fatal(err)
	}
	if w.moves {
		w.move()
	}
	for _, o := range eff.Send {
		m := w.wire("relay", "client", o.Message)
		w.within = append(w.within, o.Call)
		w.later(func() { w.client(w.c.Receive(w.now, m)) })
	}
	for _, a := range eff.Actions {
		w.later(func() { w.act(a) })
	}
}

// move takes the relay and its State to another machine.
func (w *world) move() {
	w.t.Helper()
	was := string(w.r.Snapshot())
	s, err := server.Restore(w.down, w.s.Snapshot(), w.sAt)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := relay.Restore(w.cfg, w.defs, []byte(was), s, w.now)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, was)
	}
	if is := string(r.Snapshot()); is != was {
		w.t.Fatalf("restored as\n%s\nwas\n%s", is, was)
	}
	w.r, w.s = r, s
}

// act does what the relay asks for with a connection.
func (w *world) act(a manager.Action) {
	w.t.Helper()
	p := w.peers[a.Link.Server]
	switch a.Kind {
	case manager.ActOpen:
		if a.Endpoint == nil && !w.moves {
			w.t.Fatal("no endpoint")
		}
		p.opens++
		if p.dead {
			w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.OpenFailed, Link: a.Link, Err: errors.New("refused")}))
			return
		}
		w.boot(p, a.Link)
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Opened, Link: a.Link}))
	case manager.ActSend:
		m := w.wire("relay", p.name, a.Out.Message)
		w.sent = a.Out
		switch {
		case !p.open || p.link != a.Link:
		case p.mute:
			p.late = append(p.late, m)
		default:
			p.got = append(p.got, m)
			w.server(p, p.h, m)
		}
	case manager.ActClose, manager.ActKill:
		if p.open && p.link == a.Link {
			p.open = false
		}
		if a.Kind == manager.ActClose {
			w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Ended, Link: a.Link}))
		}
	}
}

// boot starts a server.
func (w *world) boot(p *peer, link manager.Link) {
	catalog, err := p.h.Catalog()
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := p.cfg
	cfg.Info, cfg.Catalog = protocol.Implementation{Name: p.name, Version: "1"}, catalog
	cfg.Serve = append(p.h.Serve(), cfg.Serve...)
	cfg.Policy = lifecycle.Policy{PassThrough: true, KeepNulls: true}
	if cfg.ListChanged == 0 {
		cfg.ListChanged = listChanged(catalog.Offers())
	}
	if p.s, err = server.New(cfg, w.now); err != nil {
		w.t.Fatal(err)
	}
	p.link, p.open, p.calls, p.late = link, true, nil, nil
}

func listChanged(of protocol.Capability) (set protocol.Capability) {
	for _, l := range protocol.Lists() {
		if of.Has(l.Cap) {
			set |= l.Change
		}
	}
	return set
}

// server takes a message to a server.
func (w *world) server(p *peer, h *server.Handlers, m jsonrpc.Message) {
	w.serve(p)(h.Handle(p.s.Receive(w.now, m)))
}

// serve takes a step of a server.
func (w *world) serve(p *peer) func(server.State, server.Output) {
	return func(s server.State, out server.Output) {
		p.s = s
		for _, ev := range out.Events {
			p.heard = append(p.heard, ev)
			if ev.Kind == lifecycle.RequestReceived {
				p.calls = append(p.calls, ev)
			}
		}
		link := p.link
		for _, o := range out.Send {
			m := w.wire(p.name, "relay", o.Message)
			w.later(func() {
				w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Received, Link: link, Message: m}))
			})
		}
	}
}

// say has a server send any message.
func (w *world) say(name, line string) {
	p := w.peers[name]
	w.lines = append(w.lines, name+">relay "+line)
	w.later(func() {
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Received, Link: p.link, Message: jsonrpc.DecodeString(line)}))
	})
}

// speak ends the silence of a server.
func (w *world) speak(name string) {
	p := w.peers[name]
	p.mute = false
	late := p.late
	p.late = nil
	for _, m := range late {
		w.later(func() { p.got = append(p.got, m); w.server(p, p.h, m) })
	}
}

// kill ends a server.
func (w *world) kill(name string) {
	p := w.peers[name]
	if p.open {
		p.open = false
		w.later(func() {
			w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Ended, Link: p.link, Err: errors.New("killed")}))
		})
	}
}

// pass lets time pass for the relay and its servers.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	for end := w.now.Add(d); ; {
		t, ok := w.r.NextDeadline()
		if next, some := w.s.NextDeadline(); some && (!ok || next.Before(t)) {
			t, ok = next, true
		}
		if !ok || t.After(end) {
			w.now = end
			return
		}
		if t.After(w.now) {
			w.now = t
		}
		w.tick()
	}
}

func (w *world) tick() {
	w.t.Helper()
	w.later(func() {
		s, out := w.s.Tick(w.now)
		w.relay(w.r.Handle(s, w.now, out))
	})
	w.later(func() {
		w.relay(w.r.Tick(w.s, w.now))
		if t, ok := w.r.NextDeadline(); ok && !t.After(w.now) {
			w.t.Fatalf("after a tick the next deadline is not later: %v", t.Sub(w.now))
		}
	})
}

// request has the client ask.
func (w *world) request(p protocol.Params, opt client.RequestOptions) client.Req {
	w.t.Helper()
	c, out, err := w.c.Request(w.now, p, opt)
	if err != nil {
		w.t.Fatal(err)
	}
	w.client(c, out)
	return out.Req
}

// call has the client call a tool.
func (w *world) call(tool string) client.Req {
	w.t.Helper()
	return w.request(protocol.CallToolParams{Name: tool, Arguments: `{"a":1}`}, client.RequestOptions{Progress: true})
}

// end returns how a request ended; false if it is still open.
func (w *world) end(req client.Req) (client.Event, bool) {
	for _, ev := range w.got {
		if ev.Req == req && (ev.Kind == lifecycle.ResponseReceived || ev.Kind == lifecycle.RequestFailed) {
			return ev, true
		}
	}
	return client.Event{}, false
}

// result returns the result of a request.
func (w *world) result(req client.Req) string {
	w.t.Helper()
	ev, ok := w.end(req)
	if !ok || ev.Err != nil || ev.Kind != lifecycle.ResponseReceived {
		w.t.Fatalf("the request came to %v %v %v %+v", ok, ev.Kind, ev.Cause, ev.Err)
	}
	return string(ev.Body)
}

// fault returns the error that a request was answered with.
func (w *world) fault(req client.Req) jsonrpc.Error {
	w.t.Helper()
	ev, ok := w.end(req)
	if !ok || ev.Err == nil {
		w.t.Fatalf("the request came to %v %v %s", ok, ev.Kind, ev.Body)
	}
	return *ev.Err
}

// ask makes a request and returns its result.
func (w *world) ask(method, params string) string {
	w.t.Helper()
	return w.result(w.request(protocol.RawRequest{Name: method, Body: jsonrpc.Raw(params)}, client.RequestOptions{}))
}

// list returns the names in a list, all pages of it.
func (w *world) list(method string) (names []string) {
	w.t.Helper()
	of := protocol.ListOf(method)
	params := ""
	for {
		body := w.ask(method, params)
		_, items, _ := strings.Cut(body, `"`+of.Key+`":"`)
		for items != "" {
			name, rest, _ := strings.Cut(items, `"`)
			names = append(names, name)
			_, items, _ = strings.Cut(rest, `"`+of.Key+`":"`)
		}
		_, cursor, more := strings.Cut(body, `"nextCursor":"`)
		if !more {
			return names
		}
		cursor, _, _ = strings.Cut(cursor, `"`)
		params = `{"cursor":"` + cursor + `"}`
	}
}

// count returns how many notifications of a method the client has got.
func (w *world) count(method string) (n int) {
	for _, ev := range w.got {
		if ev.Kind == lifecycle.NotificationReceived && ev.Method == method {
			n++
		}
	}
	return n
}

// held returns the call that the application of a server holds.
func (w *world) held(name string) server.Call {
	w.t.Helper()
	p := w.peers[name]
	if len(p.calls) == 0 {
		w.t.Fatal(name, "holds no call")
	}
	return p.calls[len(p.calls)-1].Call
}

// on takes a verb of a server's State.
func (w *world) on(name string) func(server.State, server.Output, error) server.Req {
	w.t.Helper()
	return func(s server.State, out server.Output, err error) server.Req {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
		w.serve(w.peers[name])(s, out)
		return out.Req
	}
}

// noTimeout leaves the end of a request to the relay.
var noTimeout = client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout}
