package calls

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fake is a server of a world. What it answers is what its fields say.
type fake struct {
	tools []string // definitions, or names if they do not begin with {
	page  int      // tools of a page; 0: all
	deaf  bool     // it cannot be opened
	mute  bool     // it does not answer
	slow  bool     // it does not answer tools/list until it is told to
	fail  bool     // it answers tools/list with an error
	none  bool     // it declares no tools
	era   bool     // it has no sessions
	loop  bool     // its cursors repeat
	junk  string   // further text on each page

	opens   int
	link    manager.Link
	up      bool
	lists   int      // requests for a first page
	held    []string // requests that it has not answered
	calls   []string // params of tools/call
	cancels []string // params of notifications/cancelled
	answer  func(params string) string
}

func definition(tool string) string {
	if strings.HasPrefix(tool, "{") {
		return tool
	}
	return `{"name":` + string(rawjson.AppendQuote(nil, tool)) + `,"inputSchema":{"type":"object"}}`
}

// world is a Caller with the servers around it, in virtual time. The servers answer at once.
type world struct {
	t       fataler
	c       Caller
	now     time.Time
	servers map[string]*fake
	out     Output // of everything since clear
	quiet   bool   // no Check after each step
}

func callerConfig() Config {
	return Config{Manager: manager.Config{
		Client:   client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}},
		Health:   manager.Health{Interval: lifecycle.NoTimeout},
		Timeouts: manager.Timeouts{Request: time.Hour},
	}}
}

// plain and kept are policies of tests: plain names, and of a server that is lost as well.
var (
	plain = naming.Policy{Names: naming.Plain, OnConflict: naming.Hidden}
	kept  = naming.Policy{Names: naming.Plain, OnConflict: naming.Hidden, OnLoss: naming.Keep}
)

func newWorld(t fataler, cfg Config) *world {
	t.Helper()
	c, err := New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, c: c, now: t0, servers: map[string]*fake{}}
}

// plainly returns a Config with the policy plain, if it has none.
func plainly(cfg catalog.Config) catalog.Config {
	if cfg.Naming == (naming.Policy{}) {
		cfg.Naming = plain
	}
	return cfg
}

// start is a world with servers of the given tools, all connected. Without a policy of names it has plain.
func start(t fataler, cfg catalog.Config, servers ...*fake) *world {
	t.Helper()
	all := callerConfig()
	all.Catalog = plainly(cfg)
	w := newWorld(t, all)
	for i, f := range servers {
		w.connect(cfg.Sources[i].Name, f)
	}
	w.clear()
	return w
}

func names(list ...string) (servers []catalog.Source) {
	for _, name := range list {
		servers = append(servers, catalog.Source{Name: name})
	}
	return servers
}

func (w *world) connect(name string, f *fake) {
	w.t.Helper()
	w.servers[name] = f
	w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Connect(w.now, name, manager.Options{Supervise: true, TrustAnnotations: name == "trusted"})
	}))
}

// do takes a step that must not fail.
func (w *world) do(c Caller, out Output, err error) Output {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	w.take(c, out)
	return out
}

// take takes a step and lets the servers answer.
func (w *world) take(c Caller, out Output) {
	w.t.Helper()
	todo := []manager.Action{}
	step := func(c Caller, out Output) {
		w.c = c
		if !w.quiet {
			if err := c.Check(); err != nil {
				w.t.Fatal(err)
			}
		}
		todo = append(todo, out.Actions...)
		w.out.Merge(out.Effects)
		w.out.Changes = append(w.out.Changes, out.Changes...)
		w.out.Settled = append(w.out.Settled, out.Settled...)
		w.out.LocalStart = append(w.out.LocalStart, out.LocalStart...)
		w.out.LocalStop = append(w.out.LocalStop, out.LocalStop...)
		w.out.Progress = append(w.out.Progress, out.Progress...)
		w.out.Done = append(w.out.Done, out.Done...)
		w.out.Batches = append(w.out.Batches, out.Batches...)
	}
	step(c, out)
	for len(todo) > 0 {
		a := todo[0]
		todo = todo[1:]
		f := w.servers[a.Link.Server]
		switch a.Kind {
		case manager.ActOpen:
			f.opens++
			f.link, f.up = a.Link, !f.deaf
			if f.deaf {
				step(w.c.Report(w.now, manager.Report{Kind: manager.OpenFailed, Link: a.Link, Err: errors.New("refused")}))
				continue
			}
			step(w.c.Report(w.now, manager.Report{Kind: manager.Opened, Link: a.Link}))
		case manager.ActClose:
			f.up = false
			step(w.c.Report(w.now, manager.Report{Kind: manager.Ended, Link: a.Link}))
		case manager.ActSend:
			line := string(jsonrpc.Append(nil, a.Out.Message))
			if a.Link != f.link || !f.up {
				continue
			}
			if answer := f.receive(line); answer != "" {
				step(w.c.Report(w.now, manager.Report{Kind: manager.Received, Link: a.Link, Message: jsonrpc.DecodeString(answer)}))
			}
		}
	}
}

func str(raw, key string) string {
	val, _ := rawjson.Get(raw, key)
	if s, ok := rawjson.Unquote(val); ok {
		return s
	}
	return val
}

// receive is what a server does with a message; "" is no answer.
func (f *fake) receive(line string) string {
	params, _ := rawjson.Get(line, "params")
	method := str(line, "method")
	if method == "notifications/cancelled" {
		f.cancels = append(f.cancels, params)
	}
	if method == "tools/call" {
		f.calls = append(f.calls, params)
	}
	if method == "tools/list" && str(params, "cursor") == "" {
		f.lists++
	}
	if f.mute || f.slow && method == "tools/list" {
		f.held = append(f.held, line)
		return ""
	}
	return f.answers(line)
}

// answers is the answer to a message, "" for none.
func (f *fake) answers(line string) string {
	id, _ := rawjson.Get(line, "id")
	params, _ := rawjson.Get(line, "params")
	ok := func(result string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":` + f.fit(result) + `}` }
	method := str(line, "method")
	switch {
	case id == "":
		return ""
	case method == "server/discover" && f.era:
		return ok(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	case method == "initialize":
		capabilities := `{"tools":{"listChanged":true}}`
		if f.none {
			capabilities = `{}`
		}
		return ok(`{"protocolVersion":` + fmt.Sprintf("%q", str(params, "protocolVersion")) + `,"capabilities":` + capabilities + `,"serverInfo":{"name":"x","version":"1"}}`)
	case method == "tools/list" && f.fail:
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"no list"}}`
	case method == "tools/list":
		return ok(f.pageAt(str(params, "cursor")))
	case method == "tools/call" && f.answer != nil:
		return f.answer(line)
	case method == "tools/call":
		return ok(`{"content":[{"type":"text","text":` + fmt.Sprintf("%q", str(params, "name")) + `}]}`)
	}
	return ok(`{}`)
}

func (f *fake) pageAt(cursor string) string {
	from, next := 0, ""
	fmt.Sscan(cursor, &from)
	to := len(f.tools)
	if f.page > 0 && from+f.page < to {
		to = from + f.page
		next = fmt.Sprintf(`,"nextCursor":"%d"`, to)
	}
	if f.loop {
		next = `,"nextCursor":"0"`
	}
	var list []string
	for _, tool := range f.tools[from:to] {
		list = append(list, definition(tool))
	}
	return `{"tools":[` + strings.Join(list, ",") + `]` + next + `,"junk":"` + f.junk + `"}`
}

// release has a server answer what it has held.
func (w *world) release(name string) {
	w.t.Helper()
	f := w.servers[name]
	f.mute, f.slow = false, false
	held := f.held
	f.held = nil
	for _, line := range held {
		if answer := f.answers(line); answer != "" {
			w.take(w.c.Report(w.now, manager.Report{Kind: manager.Received, Link: f.link, Message: jsonrpc.DecodeString(answer)}))
		}
	}
}

// say has a server send a message.
func (w *world) say(name, line string) {
	w.t.Helper()
	w.take(w.c.Report(w.now, manager.Report{Kind: manager.Received, Link: w.servers[name].link, Message: jsonrpc.DecodeString(line)}))
}

// announce has a server announce a change of its tools.
func (w *world) announce(name string, tools ...string) {
	w.t.Helper()
	w.servers[name].tools = tools
	w.say(name, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
}

// lose breaks the connection to a server.
func (w *world) lose(name string) {
	w.t.Helper()
	w.servers[name].up = false
	w.take(w.c.Report(w.now, manager.Report{Kind: manager.Ended, Link: w.servers[name].link, Err: errors.New("gone")}))
}

// sleep lets time pass, with a Tick at each deadline.
func (w *world) sleep(d time.Duration) {
	w.t.Helper()
	until := w.now.Add(d)
	for n := 0; ; n++ {
		at, ok := w.c.NextDeadline()
		if !ok || at.After(until) {
			break
		}
		if n > 10_000 {
			w.t.Fatal("it ticks without end")
		}
		w.now = at
		w.take(w.c.Tick(w.now))
		if at, ok := w.c.NextDeadline(); ok && !at.After(w.now) {
			w.t.Fatalf("after Tick it is due at %v, and it is %v", at, w.now)
		}
	}
	w.now = until
	w.take(w.c.Tick(w.now))
}

// clear forgets what came out so far.
func (w *world) clear() { w.out = Output{} }

// call calls a tool.
func (w *world) call(name, arguments string) attempt.CallID {
	w.t.Helper()
	return w.do(w.c.Call(w.now, Request{Name: name, Arguments: protocol.Raw(arguments)})).Call
}

// result returns how a call ended; false if it has not.
func (w *world) result(id attempt.CallID) (attempt.Outcome, bool) {
	for _, r := range w.out.Done {
		if r.Call == id {
			return r.Outcome, true
		}
	}
	return attempt.Outcome{}, false
}

// ends returns the error of a call that has ended, nil if it went well.
func (w *world) ends(id attempt.CallID) error {
	w.t.Helper()
	o, ok := w.result(id)
	if !ok {
		w.t.Fatalf("call %d has not ended", id)
	}
	if o.Err == nil {
		return nil
	}
	return o.Err
}

func (w *world) onList(verb func(catalog.Catalog, manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error)) {
	w.t.Helper()
	w.do(w.c.Catalog(w.now, verb))
}

// changes returns the changes since clear, as text.
func (w *world) changes() string {
	var b strings.Builder
	for _, c := range w.out.Changes {
		b.WriteString(text(c) + "\n")
	}
	return b.String()
}

// text is a Change for a person.
func text(c catalog.Change) string {
	s := fmt.Sprintf("%q", c.Server)
	for _, part := range []struct {
		what string
		refs []catalog.ItemID
	}{{"added", c.Added}, {"removed", c.Removed}, {"changed", c.Changed}} {
		for i, r := range part.refs {
			if i == 0 {
				s += " " + part.what
			}
			s += " " + r.Key
		}
	}
	for _, r := range c.Dropped {
		s += fmt.Sprintf(" rejected %s %q %d (%v)", r.Server, r.Key, r.Index, r.Err)
	}
	if c.More > 0 {
		s += fmt.Sprintf(" and %d more", c.More)
	}
	if c.Health != c.Before {
		s += fmt.Sprintf(" %v->%v", c.Before, c.Health)
	}
	if c.Listed {
		s += " listed"
	}
	if c.Err != nil {
		s += " failed"
	}
	return s
}

func (w *world) ids() string { return strings.Join(w.c.t.names(), " ") }

func jsonrpcOf(line string) jsonrpc.Message { return jsonrpc.DecodeString(line) }

// fataler is what *testing.T and *rapid.T have in common.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}
