package relay_test

import (
	"context"
	"errors"
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

// The defaults of Lists.Hold and Held.Time.
const (
	defaultHold     = 5 * time.Second
	defaultHeldTime = 30 * time.Second
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
	sent   lifecycle.Outgoing                     // to a server, last
	within []lifecycle.Call                       // of the messages to the client
	watch  func(server string, m jsonrpc.Message) // sees what the servers are sent; nil: nobody
	other  func(m jsonrpc.Message) bool           // takes what is not for the client; nil: nothing
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
	mute  bool   // what it is sent does not reach it
	slow  string // a method of requests that do not
	late  []jsonrpc.Message
	dead  bool  // it cannot be opened
	why   error // it is dead; nil for another reason
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
	w.client(must(w.c.Connect(w.now, "")))
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
	for _, ev := range eff.Events {
		if ev.Kind == lifecycle.RequestFailed {
			w.t.Errorf("the application is told the end of %v, which a server asked: %v", ev.Req, ev.Kind)
		}
	}
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
		if w.other != nil && w.other(m) {
			continue
		}
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
			err := p.why
			if err == nil {
				err = errors.New("refused")
			}
			w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.OpenFailed, Link: a.Link, Err: err}))
			return
		}
		w.boot(p, a.Link)
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Opened, Link: a.Link}))
	case manager.ActSend:
		m := w.wire("relay", p.name, a.Out.Message)
		if w.watch != nil {
			w.watch(p.name, m)
		}
		w.sent = a.Out
		switch {
		case !p.open || p.link != a.Link:
		case p.mute, p.slow != "" && p.slow == m.Method:
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
