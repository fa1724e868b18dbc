package manager_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// within lets time pass until something happens, and returns how long that took; at most a day.
func (r *rig) within(happens func(out manager.Effects) bool) time.Duration {
	r.t.Helper()
	from := r.now
	for r.now.Sub(from) < 24*time.Hour {
		due, ok := r.m.NextDeadline()
		if !ok {
			break
		}
		r.now = due
		if happens(r.take(r.m.Tick(r.now))) {
			return r.now.Sub(from)
		}
	}
	return -1
}

func changedTo(want manager.Condition) func(manager.Effects) bool {
	return func(out manager.Effects) bool {
		for _, ev := range events(out, manager.ServerChanged) {
			if ev.To == want {
				return true
			}
		}
		return false
	}
}

func endOf(op manager.Op) func(manager.Effects) bool {
	return func(out manager.Effects) bool { _, n := ended(out, op); return n == 1 }
}

// times has, for each time that a connection may have of its own, how long what it bounds takes.
// The server is connected, and ready but for Connect.
var times = map[string]func(r *rig) time.Duration{
	"Timeouts.Connect": func(r *rig) time.Duration {
		r.do(r.m.Reconnect(r.now, "a"))
		return r.within(changedTo(manager.Failed))
	},
	"Timeouts.Request": func(r *rig) time.Duration {
		return r.within(endOf(r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op))
	},
	"Timeouts.Maximum": func(r *rig) time.Duration {
		op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Progress: true, ResetOnProgress: true, Timeout: lifecycle.NoTimeout})).Op
		return r.within(endOf(op))
	},
	"Timeouts.Ping": func(r *rig) time.Duration {
		return r.within(endOf(r.do(r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{})).Op))
	},
	"Timeouts.Close": func(r *rig) time.Duration {
		r.take(r.m.Disconnect(r.now, "a"))
		return r.within(func(out manager.Effects) bool {
			return len(out.Actions) > 0 && out.Actions[0].Kind == manager.ActKill
		})
	},
	"Timeouts.Inbound": func(r *rig) time.Duration {
		r.say("a", `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
		return r.within(func(out manager.Effects) bool {
			for _, ev := range events(out, manager.SessionEvent) {
				if ev.Session.Kind == lifecycle.RequestExpired {
					return true
				}
			}
			return false
		})
	},
	"Health.Interval": func(r *rig) time.Duration {
		return r.within(func(out manager.Effects) bool { return len(sent(out, "a")) > 0 })
	},
	"Health.Misses": func(r *rig) time.Duration { // in pings, of a second each
		d := r.within(changedTo(manager.Failed))
		return d - r.interval
	},
}

// What Options set goes before the Config, member by member: a member that is not in the table of
// times has no test (rows B15, B26, E18).
func TestOverrides(t *testing.T) {
	const common, own = 50 * time.Second, 7 * time.Second
	members := map[string]reflect.Type{"Timeouts": reflect.TypeFor[manager.Timeouts](), "Health": reflect.TypeFor[manager.Health]()}
	for group, of := range members {
		for i := range of.NumField() {
			name := group + "." + of.Field(i).Name
			measure := times[name]
			if measure == nil {
				t.Errorf("%s is in no table: measure what it bounds", name)
				continue
			}
			for _, here := range []string{"Config", "Options"} {
				cfg, opt := config(), manager.Options{}
				cfg.Client.Serve = []string{"sampling/createMessage"}
				set := func(of any, d time.Duration) {
					f := reflect.ValueOf(of).Elem().FieldByName(group).Field(i)
					if f.Kind() == reflect.Int {
						d /= time.Second
					}
					f.SetInt(int64(d))
				}
				health := group == "Health"
				if health {
					cfg.Health.Interval, cfg.Timeouts.Ping = 20*time.Second, time.Second
				}
				set(&cfg, common)
				want := common
				if here == "Options" {
					set(&opt, own)
					want = own
				}
				r := newRig(t, cfg)
				r.interval = cfg.Health.Interval
				r.now = t0.Add(time.Hour)
				r.connect("a", opt)
				if got := measure(r); got != want {
					t.Errorf("%s of %s: it takes %v, want %v", name, here, got, want)
				}
			}
		}
	}
}

// What the other members of Options do is tested where they are; a new one needs a test too.
func TestOptionsAreTested(t *testing.T) {
	tested := map[string]string{
		"Endpoint": "TestConnect", "Fallbacks": "TestFallbacks", "Replace": "TestReplaceForgets", "Client": "TestOwnSettings",
		"Timeouts": "TestOverrides", "Health": "TestOverrides", "Meta": "TestMeta", "TrustAnnotations": "client/calls TestTrustEnds",
		"Supervise": "TestBackoffSchedule", "OnDemand": "TestOnDemand", "Resubscribe": "TestResume", "Handshake": "TestHandshakeIsKnown",
	}
	of := reflect.TypeFor[manager.Options]()
	for i := range of.NumField() {
		if name := of.Field(i).Name; tested[name] == "" {
			t.Errorf("Options.%s: name the test of it", name)
		}
	}
}

// Row B4: in every state but Failed a name is in use, and what has it goes on. A new state fails
// the test until it says how a server comes to it.
func TestNameInUse(t *testing.T) {
	supervised := manager.Options{Supervise: true}
	for s := manager.Idle; s <= manager.Closed; s++ {
		r := newRig(t, config())
		switch s {
		case manager.Idle:
			r.do(r.m.Connect(r.now, "a", manager.Options{OnDemand: true}))
		case manager.Connecting:
			r.do(r.m.Connect(r.now, "a", supervised))
		case manager.Handshaking:
			r.do(r.m.Connect(r.now, "a", supervised))
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
		case manager.Restoring:
			r.connect("a", manager.Options{Supervise: true, Resubscribe: true})
			r.subscribe("a", "a:1")
			r.reopen("a")
		case manager.Ready:
			r.connect("a", supervised)
		case manager.Waiting:
			r.do(r.m.Connect(r.now, "a", supervised))
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
		case manager.Failed:
			r.do(r.m.Connect(r.now, "a", manager.Options{}))
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
		case manager.Draining, manager.Closed:
			continue // of an incarnation: the name is free (TestSameName)
		default:
			t.Errorf("how does a server come to be %v?", s)
			continue
		}
		before, _ := r.m.Status("a")
		if before.Condition != s {
			t.Fatalf("it is %v, want %v", before.Condition, s)
		}
		m, out, err := r.m.Connect(r.now.Add(time.Hour), "a", manager.Options{})
		if s == manager.Failed {
			if err != nil {
				t.Errorf("%v: %v", s, err)
			}
			continue
		}
		after, _ := m.Status("a")
		if !errors.Is(err, manager.ErrNameInUse) || !out.IsZero() || m.Step() != r.m.Step() || after != before {
			t.Errorf("%v: %v, and then it is %+v", s, err, after)
		}
		if _, out, err = r.m.Connect(r.now, "a", manager.Options{Replace: true}); err != nil || opens(out) != 1 {
			t.Errorf("replacing one that is %v: %v", s, err)
		}
	}
}
