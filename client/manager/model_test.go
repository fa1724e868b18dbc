package manager_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
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

// TestModel drives a Manager with servers that open or not, are mute, answer late, twice or
// wrongly, and whose names are replaced: each operation ends exactly once and with its own
// answer, nothing is sent to what is over, old values stay as they were, and what is restored
// from a snapshot does the same at each step (rows B13, B25, E30, E31, F5, F8, G).
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		actions := w.actions()
		for _, name := range []string{"a", "b"} {
			w.connect(name, manager.Options{Endpoint: name, Supervise: true, Resubscribe: true})
		}
		for range 6 {
			w.work()
		}
		// What leads on is done more often than what ends something.
		actions["work again"], actions["request again"], actions["request once more"] = actions["work"], actions["request"], actions["request"]
		actions["sleep again"] = actions["sleep"]
		t.Repeat(actions)
		w.quiesce()
	})
}

func (w *world) actions() map[string]func(*rapid.T) {
	draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(w.t, "n") }
	return map[string]func(*rapid.T){
		"connect": func(t *rapid.T) {
			name := w.name()
			opt := manager.Options{
				Endpoint: name, Replace: draw(3) == 0, Supervise: draw(3) > 0, Resubscribe: draw(2) == 0,
				Meta: protocol.Raw([]string{"", `{"trace":"t"}`}[draw(2)]),
			}
			if draw(3) == 0 {
				opt.Fallbacks = []manager.Fallback{{Endpoint: "other", Revisions: protocol.Revisions()[1:]}}
			}
			w.connect(name, opt)
		},
		"opened": func(t *rapid.T) {
			x := w.anyWire()
			if x == nil {
				return
			}
			if !x.over {
				x.opened = true
			}
			w.do("opened "+x.link.String(), func(m manager.Manager) (manager.Manager, manager.Effects, error) {
				return total(m.Report(w.now, manager.Report{Kind: manager.Opened, Link: x.link}))
			})
		},
		"gone": func(t *rapid.T) {
			x := w.anyWire()
			if x == nil {
				return
			}
			var cause error
			if draw(2) == 0 {
				cause = errors.New("broken pipe")
			}
			opened := x.opened
			x.over = true
			w.do("gone "+x.link.String(), func(m manager.Manager) (manager.Manager, manager.Effects, error) {
				if !opened {
					return total(m.Report(w.now, manager.Report{Kind: manager.OpenFailed, Link: x.link, Err: cause}))
				}
				return total(m.Report(w.now, manager.Report{Kind: manager.Ended, Link: x.link, Err: cause}))
			})
		},
		"answer": func(t *rapid.T) {
			x := w.anyWire()
			if x == nil || len(x.asked) == 0 {
				return
			}
			w.answer(x, draw(len(x.asked)), rapid.SampledFrom([]string{"", "", "", "odd", "error"}).Draw(w.t, "how"))
		},
		"work": func(t *rapid.T) { // servers that work
			for range 1 + draw(8) {
				w.work()
			}
		},
		"lose": func(t *rapid.T) { // a connection that is open
			for _, x := range w.wires {
				if x.opened && !x.over && !x.closing {
					x.over = true
					w.do("lose "+x.link.String(), func(m manager.Manager) (manager.Manager, manager.Effects, error) {
						return total(m.Report(w.now, manager.Report{Kind: manager.Ended, Link: x.link, Err: errors.New("EOF")}))
					})
					return
				}
			}
		},
		"say": func(t *rapid.T) {
			if x := w.anyWire(); x != nil {
				w.tag++
				w.receive(x, []string{
					`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
					fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, w.tag),
					fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, w.tag),
					`{"jsonrpc":"2.0","id":999,"result":{}}`,
					`nonsense`,
				}[draw(5)])
			}
		},
		"request": func(t *rapid.T) {
			name := w.usable()
			w.tag++
			tag := fmt.Sprintf("tag-%d", w.tag)
			kind := draw(6)
			out := w.do("request "+name, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
				switch kind {
				case 0:
					return m.List(w.now, name, "tools/list", manager.Budget{})
				case 1:
					return m.Ping(w.now, name)
				case 2:
					return m.Subscribe(w.now, name, "file:///"+tag[len(tag)-1:], manager.RequestOptions{})
				case 3:
					return m.SetLevel(w.now, name, "error", manager.RequestOptions{})
				}
				return m.CallTool(w.now, name, "x", protocol.Raw(`{"tag":"`+tag+`"}`), manager.RequestOptions{ResetOnProgress: kind == 4})
			})
			switch kind {
			case 1:
				w.begin(out, "", 4*time.Second)
			case 2:
				w.subs[out.Op] = [2]string{name, "file:///" + tag[len(tag)-1:]}
				fallthrough
			case 0, 3:
				w.begin(out, "", 15*time.Second)
			case 4: // progress, if there is any, can extend it
				w.begin(out, tag, time.Hour)
			default:
				w.begin(out, tag, 15*time.Second)
			}
		},
		"cancel": func(t *rapid.T) {
			if len(w.begun) > 0 {
				op := manager.OpOf(uint64(draw(len(w.begun)) + 1))
				w.do("cancel", func(m manager.Manager) (manager.Manager, manager.Effects, error) {
					return m.Cancel(w.now, op, "enough")
				})
			}
		},
		"sendFailed": func(t *rapid.T) {
			if x := w.anyWire(); x != nil {
				seq := uint64(draw(6) + 1)
				w.do("send failed", func(m manager.Manager) (manager.Manager, manager.Effects, error) {
					s, _ := m.Client(x.link.Server)
					return total(m.Report(w.now, manager.Report{Kind: manager.SendFailed, Link: x.link, Req: s.Req(seq), Err: errors.New("full")}))
				})
			}
		},
		"respond": func(t *rapid.T) {
			if len(w.calls) > 0 {
				call := w.calls[draw(len(w.calls))]
				w.do("respond", func(m manager.Manager) (manager.Manager, manager.Effects, error) {
					if s, ok := m.Client(call.Link.Server); ok {
						call.Call = s.Call(call.Call.Seq(), call.Call.Key())
					}
					return m.Respond(w.now, call, protocol.Raw(`{"role":"user","content":{"type":"text","text":"x"},"model":"m"}`))
				})
			}
		},
		"disconnect": func(t *rapid.T) {
			name := w.name()
			all := draw(4) == 0
			out := w.do("disconnect", func(m manager.Manager) (manager.Manager, manager.Effects, error) {
				if all {
					return total(m.DisconnectAll(w.now))
				}
				return total(m.Disconnect(w.now, name))
			})
			if all {
				w.names, w.want = map[string]bool{}, map[string][]string{}
			}
			delete(w.names, name)
			delete(w.want, name)
			w.begin(out, "", 3*time.Second)
		},
		"reconnect": func(t *rapid.T) {
			name := w.name()
			w.begin(w.do("reconnect", func(m manager.Manager) (manager.Manager, manager.Effects, error) { return m.Reconnect(w.now, name) }), "", opening)
		},
		"health": func(t *rapid.T) {
			w.begin(w.do("health", func(m manager.Manager) (manager.Manager, manager.Effects, error) { return total(m.HealthCheck(w.now)) }), "", opening)
		},
		"sleep": func(t *rapid.T) {
			if due, ok := w.m.NextDeadline(); ok && draw(3) > 0 {
				if due.After(w.now) {
					w.now = due
				}
			} else {
				w.now = w.now.Add(time.Duration(draw(20_000)) * time.Millisecond)
			}
			if draw(4) > 0 {
				w.tick()
			}
		},
		"keep": func(t *rapid.T) {
			if len(w.past) < 20 {
				w.past = append(w.past, past{w.m, string(w.m.Snapshot())})
			}
		},
		"": func(t *rapid.T) {
			for _, p := range w.past {
				if string(p.m.Snapshot()) != p.text {
					t.Fatalf("an old Manager has changed")
				}
			}
			if n := w.m.Len(); n > w.cfg.MaxServers || n != len(w.names) {
				t.Fatalf("%d servers, and it should be %d", n, len(w.names))
			}
			for name := range w.names {
				if got := slices.Collect(w.m.Subscriptions(name)); !slices.Equal(got, w.want[name]) {
					t.Fatalf("%s: subscriptions %v, want %v", name, got, w.want[name])
				}
			}
		},
	}
}

// quiesce disconnects everything and lets time pass: nothing is left.
func (w *world) quiesce() {
	w.begin(w.do("disconnect all", func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return total(m.DisconnectAll(w.now))
	}), "", 3*time.Second)
	w.now = w.now.Add(time.Hour)
	w.tick()
	for op := range w.begun {
		if !w.ended[op] {
			w.t.Fatalf("%v has not ended", op)
		}
	}
	for _, x := range w.wires {
		if !x.over {
			w.t.Fatalf("%v was never closed", x.link)
		}
	}
	if _, ok := w.m.NextDeadline(); ok || w.m.Len() != 0 || w.m.Pending() != 0 {
		w.t.Fatalf("something is left: %s", w.m.Snapshot())
	}
}
