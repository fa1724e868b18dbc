package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fake is a server of a world: what it lists of each kind, as keys.
type fake struct {
	lists [kinds][]string
	none  []int // kinds that it answers with -32601
	fails bool  // it answers lists with -32603
	plain bool  // it declares nothing
	slow  bool  // it does not answer lists until it is told to
	link  manager.Link
	asked [kinds]int
	held  []string
}

// world is a Manager and a Catalog with the servers around them, in virtual time.
type world struct {
	t       *testing.T
	m       manager.Manager
	c       Catalog
	now     time.Time
	servers map[string]*fake
	all     []Change
	steps   int
	moves   bool                       // it goes on with what was restored: with other numbers of items
	serve   func(line string) []string // what its server answers; nil: as fake does
}

// start is a world with servers, all connected.
func start(t *testing.T, cfg Config, servers map[string]*fake) *world {
	t.Helper()
	m, err := manager.New(manager.Config{
		Client: client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}}, Health: manager.Health{Interval: lifecycle.NoTimeout},
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, m: m, now: t0, servers: servers}
	if w.c, err = New(cfg, t0); err != nil {
		t.Fatal(err)
	}
	for _, s := range cfg.Sources {
		if servers[s.Name] != nil {
			w.connect(s.Name)
		}
	}
	return w
}

func sources(names ...string) (list []Source) {
	for _, name := range names {
		list = append(list, Source{Name: name})
	}
	return list
}

func (w *world) connect(name string) {
	w.t.Helper()
	w.connectWith(name, manager.Options{Supervise: true})
}

func (w *world) connectWith(name string, opt manager.Options) {
	w.t.Helper()
	m, e, err := w.m.Connect(w.now, name, opt)
	if err != nil {
		w.t.Fatal(err)
	}
	w.manage(m, e)
}

// manage takes a step of the Manager.
func (w *world) manage(m manager.Manager, e manager.Effects) {
	w.t.Helper()
	w.take(w.c.Handle(m, w.now, e))
}

// take takes a step, and has the servers answer.
func (w *world) take(c Catalog, m manager.Manager, u Update) {
	w.t.Helper()
	w.c, w.m = c, m
	if err := c.Check(); err != nil {
		w.t.Fatal(err)
	}
	w.all = append(w.all, u.Changes...)
	w.move()
	for _, a := range u.Actions {
		f := w.servers[a.Link.Server]
		switch a.Kind {
		case manager.ActOpen:
			f.link = a.Link
			w.report(manager.Report{Kind: manager.Opened, Link: a.Link})
		case manager.ActClose:
			w.report(manager.Report{Kind: manager.Ended, Link: a.Link})
		case manager.ActSend:
			line := string(jsonrpc.Append(nil, a.Out.Message))
			answers := []string{}
			if w.serve != nil {
				answers = w.serve(line)
			} else {
				answers = append(answers, f.answer(line))
			}
			for _, line := range answers {
				if line != "" {
					w.report(manager.Report{Kind: manager.Received, Link: a.Link, Message: jsonrpc.DecodeString(line)})
				}
			}
		}
	}
}

// move restores the Catalog from its snapshot, which is the same again, and goes on with that in every other
// step. Local tools, and what is closed, are in no snapshot.
func (w *world) move() {
	w.t.Helper()
	w.steps++
	if w.c.closed || w.c.local.all() != nil {
		return
	}
	cfg := *w.c.cfg
	for leaf := range w.c.sources.All() {
		cfg.Sources = append(cfg.Sources, leaf.V.Source)
	}
	was := w.c.Snapshot()
	c, err := Restore(cfg, w.m, was, w.now)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, was)
	}
	if is := c.Snapshot(); string(is) != string(was) {
		w.t.Fatalf("restored as\n%s\nwas\n%s", is, was)
	}
	if w.moves && w.steps%2 == 0 {
		w.c = c
	}
}

func (w *world) report(r manager.Report) {
	w.t.Helper()
	w.manage(w.m.Report(w.now, r))
}

// say has a server announce that lists have changed.
func (w *world) say(name, what string) {
	w.t.Helper()
	w.report(manager.Report{Kind: manager.Received, Link: w.servers[name].link, Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/` + what + `/list_changed"}`)})
}

// sleep lets time pass.
func (w *world) sleep(d time.Duration) {
	w.t.Helper()
	w.now = w.now.Add(d)
	w.manage(w.m.Tick(w.now))
	w.take(w.c.Tick(w.m, w.now))
}

// release has a server answer what it has held.
func (w *world) release(name string) {
	w.t.Helper()
	f := w.servers[name]
	f.slow = false
	for _, line := range f.held {
		w.report(manager.Report{Kind: manager.Received, Link: f.link, Message: jsonrpc.DecodeString(f.answer(line))})
	}
}

func (w *world) lose(name string) {
	w.t.Helper()
	w.report(manager.Report{Kind: manager.Ended, Link: w.servers[name].link, Err: errors.New("gone")})
}

// answer is what a server answers, "" for nothing.
func (f *fake) answer(line string) string {
	id, _ := rawjson.Get(line, "id")
	val, _ := rawjson.Get(line, "method")
	method, _ := rawjson.Unquote(val)
	result := "{}"
	kind := slices.IndexFunc(protocol.Lists(), func(l *protocol.List) bool { return l.Method == method })
	switch {
	case id == "":
		return ""
	case method == "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}`
		if f.plain {
			result = `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`
		}
	case kind >= 0 && f.fails:
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"not now"}}`
	case kind >= 0 && f.slow:
		f.held = append(f.held, line)
		return ""
	case kind >= 0 && slices.Contains(f.none, kind):
		f.asked[kind]++
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"no such method"}}`
	case kind >= 0:
		f.asked[kind]++
		of := protocol.Lists()[kind]
		var items []string
		for _, key := range f.lists[kind] {
			items = append(items, `{"`+of.Key+`":"`+key+`","name":"`+key+`","inputSchema":{"type":"object"}}`)
		}
		if of.Key == "name" {
			for i, key := range f.lists[kind] {
				if items[i] = `{"name":"` + key + `","inputSchema":{"type":"object"}}`; key[0] == '{' {
					items[i] = key
				}
			}
		}
		result = `{"` + of.Member + `":[` + strings.Join(items, ",") + `]}`
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

// names returns the names of a list.
func (w *world) names(kind *protocol.List) string {
	var list []string
	for i := range w.c.Items(kind, false) {
		list = append(list, i.Name)
	}
	return strings.Join(list, " ")
}
