package manager_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
)

// world is a Manager, a naive driver with naive servers, and what they know of each other.
type world struct {
	t     *rapid.T
	cfg   manager.Config
	opt   map[string]manager.Options
	m     manager.Manager
	now   time.Time
	last  time.Time                          // of the last step
	wires []*wire                            // every transport that there ever was
	by    map[manager.Link]*wire             // the same
	state map[manager.Link]manager.Condition // as ServerChanged tells it
	begun map[manager.Op]string              // what must be in the answer, "" for what is no request
	ended map[manager.Op]bool
	until map[manager.Op]time.Time // when each has to have ended, if it is ticked then
	human time.Time                // until when a question of a server may hold operations up
	subs  map[manager.Op][2]string // what subscriptions are about: name and uri
	want  map[string][]string      // what is to be restored of each name, in order
	names map[string]bool          // what there is
	calls []manager.Call
	past  []past
	tag   int
}

// wire is what a naive driver knows of one transport.
type wire struct {
	link    manager.Link
	opened  bool // reported
	closing bool // ActClose came
	over    bool // killed, or reported gone
	asked   []asked
}

type asked struct {
	id     int64
	method string
	tag    string
}

// past is an older Manager and what it looked like.
type past struct {
	m    manager.Manager
	text string
}

// step is one transition, made on a Manager and on what was restored from its snapshot.
type step func(m manager.Manager) (manager.Manager, manager.Effects, error)

func (w *world) do(name string, f step) manager.Effects {
	twin, err := manager.Restore(w.cfg, w.m.Snapshot(), w.last, w.options)
	if err != nil {
		w.t.Fatalf("restore: %v\n%s", err, w.m.Snapshot())
	}
	was := w.m
	m, out, err := f(w.m)
	twin, out2, err2 := f(twin)
	if fmt.Sprint(err) != fmt.Sprint(err2) || render(out, w.now) != render(out2, w.now) {
		w.t.Fatalf("%s: restored\n%v %s, original\n%v %s", name, err2, render(out2, w.now), err, render(out, w.now))
	}
	if e := m.Check(); e != nil {
		w.t.Fatalf("%s: %v", name, e)
	}
	if err != nil {
		if !out.IsZero() || string(m.Snapshot()) != string(was.Snapshot()) {
			w.t.Fatalf("%s: %v changes the Manager", name, err)
		}
		return out
	}
	a, b := string(m.Snapshot()), string(twin.Snapshot())
	if a != b {
		w.t.Fatalf("%s: snapshots differ:\n%s\n%s", name, a, b)
	}
	w.m, w.last = m, w.now
	w.absorb(name, out)
	return out
}

func (w *world) options(name string) (manager.Options, bool) { return w.opt[name], true }

// absorb checks an Output against what the world knows.
func (w *world) absorb(name string, out manager.Effects) {
	for _, a := range out.Actions {
		x := w.by[a.Link]
		switch {
		case a.Kind == manager.ActOpen:
			if x != nil || !a.By.After(w.now) {
				w.t.Fatalf("%s: %v is opened twice, or by %v", name, a.Link, a.By)
			}
			x = &wire{link: a.Link}
			w.wires, w.by[a.Link] = append(w.wires, x), x
		case x == nil || x.over:
			w.t.Fatalf("%s: %v %v, which is over", name, a.Kind, a.Link)
		case a.Kind == manager.ActSend:
			if !x.opened || x.closing {
				w.t.Fatalf("%s: %v is sent to, opened %v closing %v", name, a.Link, x.opened, x.closing)
			}
			if msg := a.Out.Message; msg.Kind == jsonrpc.KindRequest {
				id, _ := msg.ID.Int64()
				x.asked = append(x.asked, asked{id, msg.Method, tagOf(string(msg.Body))})
			}
		case a.Kind == manager.ActClose:
			if x.closing {
				w.t.Fatalf("%s: %v is closed twice", name, a.Link)
			}
			x.closing = true
		case a.Kind == manager.ActKill:
			if !x.closing {
				w.t.Fatalf("%s: %v is killed and was not closed", name, a.Link)
			}
			x.over = true
		}
	}
	for _, ev := range out.Events {
		switch ev.Kind {
		case manager.OpDone:
			want, known := w.begun[ev.Op]
			if !known && ev.Op == out.Op {
				known = true
			}
			if !known || w.ended[ev.Op] {
				w.t.Fatalf("%s: %v ends, known %v, ended %v", name, ev.Op, known, w.ended[ev.Op])
			}
			w.ended[ev.Op] = true
			if s, ok := w.subs[ev.Op]; ok && ev.Err == nil && w.opt[s[0]].Resubscribe && !slices.Contains(w.want[s[0]], s[1]) {
				w.want[s[0]] = append(w.want[s[0]], s[1])
			}
			if ev.Session.Kind == lifecycle.ResponseReceived && ev.Err == nil && want != "" && tagOf(string(ev.Session.Body)) != want {
				w.t.Fatalf("%s: %v of %s got %s", name, ev.Op, want, ev.Session.Body)
			}
		case manager.ServerChanged:
			from := w.state[ev.Link]
			if ev.From != from && !(from == manager.Idle && (ev.From == manager.Waiting || ev.From == manager.Failed || ev.From == manager.Connecting || ev.From == manager.Handshaking)) {
				w.t.Fatalf("%s: %v goes from %v, and was %v", name, ev.Link, ev.From, from)
			}
			w.state[ev.Link] = ev.To
		case manager.RestoreFailed:
			if i := slices.Index(w.want[ev.Link.Server], ev.URI); i >= 0 {
				w.want[ev.Link.Server] = slices.Delete(slices.Clone(w.want[ev.Link.Server]), i, i+1)
			}
		case manager.SessionEvent:
			end := ev.Session.Kind == lifecycle.RequestLost
			if x := w.by[ev.Link]; x == nil || x.over && !end {
				w.t.Fatalf("%s: an event of %v, which is over", name, ev.Link)
			}
			if ev.Session.Kind == lifecycle.RequestReceived {
				w.calls = append(w.calls, ev.Call)
			}
		}
	}
	if n := w.m.Pending(); n != len(w.begun)-w.endedOnes()+w.fresh(out) {
		w.t.Fatalf("%s: %d operations are open, %d of %d have ended", name, n, w.endedOnes(), len(w.begun))
	}
}

// fresh is 1 for an operation that began and did not end.
func (w *world) fresh(out manager.Effects) int {
	if _, known := w.begun[out.Op]; out.Op.IsZero() || known || w.ended[out.Op] {
		return 0
	}
	return 1
}

func (w *world) endedOnes() int {
	n := 0
	for op := range w.ended {
		if _, known := w.begun[op]; known {
			n++
		}
	}
	return n
}

// tagOf finds the tag in a body.
func tagOf(body string) string {
	if i := strings.Index(body, "tag-"); i >= 0 {
		return body[i:][:strings.IndexByte(body[i:], '"')]
	}
	return ""
}

// begin notes the operation of a step, and how long it may take.
func (w *world) begin(out manager.Effects, tag string, most time.Duration) {
	if !out.Op.IsZero() {
		w.begun[out.Op] = tag
		w.until[out.Op] = w.now.Add(most)
		if w.human.After(w.now) {
			w.until[out.Op] = w.human.Add(most)
		}
	}
}

// question notes that a server asks the user, for whom its operations wait (TIME-021).
func (w *world) question() {
	w.human = w.now.Add(10 * time.Minute)
	for op, until := range w.until {
		w.until[op] = until.Add(10 * time.Minute)
	}
}

// opening is how long an attempt may take, and restoring what there was.
const opening = 40 * time.Second

// connect connects, and notes what there is.
func (w *world) connect(name string, opt manager.Options) {
	out := w.do("connect "+name, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		m, out, err := m.Connect(w.now, name, opt)
		if err == nil {
			w.opt[name] = opt
		}
		return m, out, err
	})
	if !out.Op.IsZero() {
		w.names[name], w.want[name] = true, nil
	}
	w.begin(out, "", opening)
}

// work is the next thing that a server does that works.
func (w *world) work() {
	for _, x := range w.wires {
		switch {
		case x.over:
		case x.opened && len(x.asked) > 0:
			how := ""
			if x.asked[0].method == "resources/subscribe" && rapid.IntRange(0, 5).Draw(w.t, "refuse") == 0 {
				how = "error"
			}
			w.answer(x, 0, how)
			return
		case !x.opened && !x.closing:
			x.opened = true
			w.do("opened "+x.link.String(), func(m manager.Manager) (manager.Manager, manager.Effects, error) {
				return total(m.Report(w.now, manager.Report{Kind: manager.Opened, Link: x.link}))
			})
			return
		}
	}
}

// usable draws a name, mostly of a server that is ready.
func (w *world) usable() string {
	var list []string
	for s := range w.m.Statuses() {
		if s.Condition == manager.Ready {
			list = append(list, s.Link.Server)
		}
	}
	if len(list) == 0 || rapid.IntRange(0, 7).Draw(w.t, "any") == 0 {
		return w.name()
	}
	return rapid.SampledFrom(list).Draw(w.t, "ready")
}

func (w *world) name() string {
	return rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(w.t, "name")
}

// anyWire draws a transport, mostly one of the newest.
func (w *world) anyWire() *wire {
	if len(w.wires) == 0 {
		return nil
	}
	n := len(w.wires)
	return w.wires[n-1-rapid.IntRange(0, min(n, 8)-1).Draw(w.t, "wire")]
}

// answer answers one of the requests that a transport has carried.
func (w *world) answer(x *wire, i int, how string) {
	q := x.asked[i]
	x.asked = append(x.asked[:i:i], x.asked[i+1:]...)
	body := `{}`
	switch {
	case q.method == "initialize":
		body = fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"s","version":"1"}}`, caps)
		if how == "odd" {
			body = `{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`
		}
	case q.method == "tools/call":
		body = fmt.Sprintf(`{"content":[{"type":"text","text":"%s"}]}`, q.tag)
	case q.method == "tools/list":
		body = `{"tools":[{"name":"x","inputSchema":{"type":"object"}}],"nextCursor":"more"}`
		if how == "odd" {
			body = `{"tools":[]}`
		}
	}
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, q.id, body)
	if how == "error" {
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"no"}}`, q.id)
	}
	w.receive(x, text)
}

func (w *world) receive(x *wire, text string) {
	msg := jsonrpc.DecodeString(text)
	w.do("receive "+x.link.String()+" "+text, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		m, out := m.Report(w.now, manager.Report{Kind: manager.Received, Link: x.link, Message: msg})
		return m, out, nil
	})
}

// tick ticks and checks that nothing is due any more.
func (w *world) tick() {
	w.do("tick", func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		m, out := m.Tick(w.now)
		return m, out, nil
	})
	if due, ok := w.m.NextDeadline(); ok && !due.After(w.now) {
		w.t.Fatalf("a deadline at %v after a tick at %v", due, w.now)
	}
	for op, until := range w.until {
		if !w.ended[op] && !until.After(w.now) {
			w.t.Fatalf("%v should have ended at %v", op, until)
		}
	}
}

// total makes a step of a method that cannot fail.
func total(m manager.Manager, out manager.Effects) (manager.Manager, manager.Effects, error) {
	return m, out, nil
}

func newWorld(t *rapid.T) *world {
	cfg := config()
	cfg.Client.Serve = []string{"sampling/createMessage"}
	cfg.Timeouts = manager.Timeouts{Connect: 20 * time.Second, Request: 15 * time.Second, Close: 3 * time.Second, Ping: 4 * time.Second, Inbound: time.Minute}
	cfg.Budget = manager.Budget{Total: cfg.Timeouts.Request}
	cfg.Health = manager.Health{Interval: 10 * time.Second, Misses: 2}
	cfg.Backoff = backoff.Policy{Base: time.Second, Cap: 8 * time.Second, Attempts: 5, Jitter: 0.5}
	cfg.Breaker = backoff.BreakerOptions{Threshold: 3, Cooldown: 12 * time.Second}
	cfg.StableFor = 9 * time.Second
	cfg.MaxServers = 3
	cfg.Budget.Pages = 3
	m, err := manager.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	return &world{
		t: t, cfg: cfg, m: m, now: t0, last: t0, opt: map[string]manager.Options{}, by: map[manager.Link]*wire{},
		state: map[manager.Link]manager.Condition{}, begun: map[manager.Op]string{}, ended: map[manager.Op]bool{},
		until: map[manager.Op]time.Time{}, subs: map[manager.Op][2]string{}, want: map[string][]string{}, names: map[string]bool{},
	}
}
