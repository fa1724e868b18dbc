package manager_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

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
				n := draw(5)
				if n == 2 {
					w.question()
				}
				w.receive(x, []string{
					`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
					fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, w.tag),
					fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, w.tag),
					`{"jsonrpc":"2.0","id":999,"result":{}}`,
					`nonsense`,
				}[n])
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
					return m.Request(w.now, name, protocol.PingParams{}, manager.RequestOptions{})
				case 2:
					return m.Request(w.now, name, protocol.SubscribeParams{URI: "file:///" + tag[len(tag)-1:]}, manager.RequestOptions{})
				case 3:
					return m.Request(w.now, name, protocol.SetLevelParams{Level: "error"}, manager.RequestOptions{})
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
