package relay_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

func TestSettings(t *testing.T) {
	check := func(cfg relay.Config) error {
		_, err := relay.New(cfg, nil, t0)
		if _, also := cfg.Server(server.Config{Info: info}); (also == nil) != (err == nil) {
			t.Errorf("New says %v, Server %v", err, also)
		}
		return err
	}
	settings.Test(t, "relay", relay.Config{Info: info}, check, settings.Wants{
		"CallTimeout": "positive, 0 for 10m0s, or NoTimeout", "MessageBytes": "positive, or 0 for 16777216", "Held.Requests": "positive, or 0 for 256",
		"Held.Bytes": "positive, or 0 for 33554432", "Held.Time": "positive, or 0 for 30s", "Lists.Hold": "positive, or 0 for 5s",
		"Lists.Announce": "positive, or 0 for 50ms", "Lists.MinInterval": "positive, or 0 for 1s", "Lists.PageItems": "positive, or 0 for 1000",
		"Lists.PageBytes":     "positive, or 0 for 4194304",
		"Naming.Form.Profile": "0 to 1", "Naming.Form.Max": "32 or more, or 0 for 128", "Naming.Names": "0 to 2", "Naming.URIs": "0 to 2",
		"Naming.OnConflict": "0 to 1", "Naming.OnLoss": "0 to 1",
	})
	for want, wrong := range map[string]func(*relay.Config){
		`Info is "relay": want a name and a version`:             func(c *relay.Config) { c.Info.Version = "" },
		"want capabilities that a relay passes on, or 0 for all": func(c *relay.Config) { c.Offer = protocol.CapSampling },
	} {
		cfg := relay.Config{Info: info}
		wrong(&cfg)
		if err := check(cfg); !errors.Is(err, lifecycle.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// The most extreme values that are good, one at a time.
	const most, long = math.MaxInt, time.Duration(math.MaxInt64)
	for name, right := range map[string]func(*relay.Config){
		"Offer": func(c *relay.Config) { c.Offer = protocol.CapTools }, "OnLoss": func(c *relay.Config) { c.Naming.OnLoss = naming.Keep },
		"CallTimeout": func(c *relay.Config) { c.CallTimeout = lifecycle.NoTimeout }, "MessageBytes": func(c *relay.Config) { c.MessageBytes = most },
		"Held": func(c *relay.Config) { c.Held = relay.Held{Requests: most, Bytes: most, Time: long} }, "Hold": func(c *relay.Config) { c.Lists.Hold = long },
		"Announce": func(c *relay.Config) { c.Lists.Announce = long }, "MinInterval": func(c *relay.Config) { c.Lists.MinInterval = long },
		"Page": func(c *relay.Config) { c.Lists.PageItems, c.Lists.PageBytes = most, most },
	} {
		w := newWorld(t, []string{"a"}, config(relay.Config{Info: info}), func(w *world) { right(&w.cfg) })
		if name != "MinInterval" && name != "Offer" {
			w.result(w.call("a"))
		}
		w.pass(time.Hour)
	}
	for want, sv := range map[string]relay.Server{
		`relay: server "a" Startup is -7ns: want positive`:                                               {Name: "a", Startup: -7},
		`relay: server "a" Filter.Allow[0].Name is "[": want a pattern of path.Match`:                    {Name: "a", Filter: catalog.Filter{Allow: []catalog.Rule{{Name: "["}}}},
		`relay: server "a" Filter.Deny[0].Kind is "prompts": want protocol.ToolList or nil: only tools `: {Name: "a", Filter: catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.PromptList, ReadOnly: protocol.Ptr(true)}}}},
	} {
		if _, err := relay.New(relay.Config{Info: info}, []relay.Server{sv}, t0); !errors.Is(err, lifecycle.ErrConfig) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What the caller gave stays as it was, and what it changes afterwards changes nothing: the order of
// routes, servers, rules.
func TestNothingIsShared(t *testing.T) {
	routes := []relay.Route{{"acme/", "a"}, {"acme/long/", "b"}, {"", "a"}}
	servers := []relay.Server{{Name: "a", Options: manager.Options{Endpoint: "a"}}, {Name: "b", Options: manager.Options{Endpoint: "b"}, Filter: catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.ToolList, Name: "both"}}}}}
	was, had := slices.Clone(routes), slices.Clone(servers)
	w := newWorld(t, []string{"a", "b"}, config(relay.Config{Info: info, Routes: routes}), func(w *world) {
		w.defs = servers
		for _, p := range w.peers {
			p.cfg.ServeUnknown = true
		}
	})
	if !slices.Equal(routes, was) {
		t.Errorf("the routes of the caller are %v", routes)
	}
	if servers[0].Name != had[0].Name || servers[1].Name != had[1].Name {
		t.Error("the servers of the caller are others")
	}
	routes[1].Server, servers[1].Filter.Deny[0].Name = "a", "*"
	old, s := w.r, w.s
	snapshot := string(old.Snapshot())
	w.request(protocol.RawRequest{Name: "acme/long/x", Body: "{}"}, client.RequestOptions{})
	if !w.askedFor("b", "acme/long/x") {
		t.Error("the route is another")
	}
	w.result(w.call("b"))
	list := w.r.Statuses()
	list[0].Link.Server = "x"
	if w.r.Statuses()[0].Link.Server != "a" {
		t.Error("statuses are shared")
	}
	w.pass(time.Minute)
	if string(old.Snapshot()) != snapshot || old.Check(s) != nil {
		t.Error("an old value has changed")
	}
}

// Times count from the latest that was seen: each verb an hour after the origin, and then with a zero
// time, does what it does at once.
func TestZeroTimes(t *testing.T) {
	w := newWorld(t, []string{"a", "mute"}, mute("mute"))
	w.pass(time.Hour)
	now := w.now
	req := w.call("mcp.mute.mute") // it has not come for long
	if e := w.fault(req); e.Code != -32603 {
		t.Errorf("%+v", e)
	}
	for name, do := range map[string]func(r relay.Relay, s server.State) relay.Relay{
		"Handle": func(r relay.Relay, s server.State) relay.Relay {
			r, _, _ = r.Handle(s, time.Time{}, server.Output{})
			return r
		},
		"Tick": func(r relay.Relay, s server.State) relay.Relay { r, _, _ = r.Tick(s, time.Time{}); return r },
		"Restart": func(r relay.Relay, s server.State) relay.Relay {
			r, _, _, _ = r.Restart(s, time.Time{}, "mute")
			return r
		},
		"SetServers": func(r relay.Relay, s server.State) relay.Relay {
			r, _, _, _ = r.SetServers(s, time.Time{}, append(slices.Clone(w.defs), relay.Server{Name: "new"}))
			return r
		},
		"Close": func(r relay.Relay, s server.State) relay.Relay { r, _, _ = r.Close(s, time.Time{}); return r },
		"Rest":  func(r relay.Relay, s server.State) relay.Relay { r, _, _ = r.Rest(s, time.Time{}); return r },
	} {
		r := do(w.r, w.s)
		if at, ok := r.NextDeadline(); ok && at.Before(now) {
			t.Errorf("%s: due %v before the latest time", name, now.Sub(at))
		}
		if d := r.Startup("new"); name == "SetServers" && d != 0 {
			t.Errorf("what has just begun took %v", d)
		}
	}
}
