package relay_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// fieldsOf returns the paths of the fields of a struct, those of the structs of its package too.
func fieldsOf(v reflect.Type, path string) (list []string) {
	for _, f := range reflect.VisibleFields(v) {
		if f.Type.Kind() == reflect.Struct && strings.HasSuffix(f.Type.PkgPath(), "client/relay") {
			list = append(list, fieldsOf(f.Type, path+f.Name+".")...)
			continue
		}
		list = append(list, path+f.Name)
	}
	return list
}

// Each setting has a default for zero, and one wrong value that is refused with the name of the
// field, the value and what it may be. A field that is not in the table fails the test.
func TestSettings(t *testing.T) {
	const most = 1<<63 - 1
	for field, c := range map[string]struct {
		wrong func(*relay.Config)
		want  string
		right func(*relay.Config) // the most extreme value that is good
	}{
		"Info":              {func(c *relay.Config) { c.Info.Version = "" }, `Info is "relay": want a name and a version`, nil},
		"Manager":           {}, // the Manager's own
		"Routes":            {}, // any
		"Offer":             {func(c *relay.Config) { c.Offer = protocol.CapSampling }, "want capabilities that a relay passes on, or 0 for all", func(c *relay.Config) { c.Offer = protocol.CapTools }},
		"Naming":            {func(c *relay.Config) { c.Naming.Form.Max = 1 }, "Naming.Form.Max is 1: want 32 or more, or 0 for 128", func(c *relay.Config) { c.Naming.OnLoss = naming.Keep }},
		"CallTimeout":       {func(c *relay.Config) { c.CallTimeout = -2 }, "CallTimeout is -2ns: want positive, 0 for 10m0s, or NoTimeout", func(c *relay.Config) { c.CallTimeout = lifecycle.NoTimeout }},
		"MessageBytes":      {func(c *relay.Config) { c.MessageBytes = -1 }, "MessageBytes is -1: want positive, or 0 for 16777216", func(c *relay.Config) { c.MessageBytes = most }},
		"Held.Requests":     {func(c *relay.Config) { c.Held.Requests = -1 }, "Held.Requests is -1: want positive, or 0 for 256", func(c *relay.Config) { c.Held.Requests = most }},
		"Held.Bytes":        {func(c *relay.Config) { c.Held.Bytes = -1 }, "Held.Bytes is -1: want positive, or 0 for 33554432", func(c *relay.Config) { c.Held.Bytes = most }},
		"Held.Time":         {func(c *relay.Config) { c.Held.Time = lifecycle.NoTimeout }, "Held.Time is -1ns: want positive, or 0 for 30s", func(c *relay.Config) { c.Held.Time = most }},
		"Lists.Hold":        {func(c *relay.Config) { c.Lists.Hold = -1 }, "Lists.Hold is -1ns: want positive, or 0 for 5s", func(c *relay.Config) { c.Lists.Hold = most }},
		"Lists.Announce":    {func(c *relay.Config) { c.Lists.Announce = -1 }, "Lists.Announce is -1ns: want positive, or 0 for 50ms", func(c *relay.Config) { c.Lists.Announce = most }},
		"Lists.MinInterval": {func(c *relay.Config) { c.Lists.MinInterval = -1 }, "Lists.MinInterval is -1ns: want positive, or 0 for 1s", func(c *relay.Config) { c.Lists.MinInterval = most }},
		"Lists.PageItems":   {func(c *relay.Config) { c.Lists.PageItems = -1 }, "Lists.PageItems is -1: want positive, or 0 for 1000", func(c *relay.Config) { c.Lists.PageItems = most }},
		"Lists.PageBytes":   {func(c *relay.Config) { c.Lists.PageBytes = -1 }, "Lists.PageBytes is -1: want positive, or 0 for 4194304", func(c *relay.Config) { c.Lists.PageBytes = most }},
	} {
		if !slices.Contains(fieldsOf(reflect.TypeFor[relay.Config](), ""), field) {
			t.Errorf("there is no %s", field)
		}
		if c.wrong == nil {
			continue
		}
		cfg := relay.Config{Info: info}
		c.wrong(&cfg)
		_, err := relay.New(cfg, nil, t0)
		_, also := cfg.Server(server.Config{Info: info})
		for _, err := range []error{err, also} {
			if !errors.Is(err, lifecycle.ErrConfig) || !strings.HasPrefix(err.Error(), "relay: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", field, err)
			}
		}
		if c.right == nil {
			continue
		}
		w := newWorld(t, []string{"a"}, config(relay.Config{Info: info}), func(w *world) { c.right(&w.cfg) })
		if field != "Lists.MinInterval" && field != "Offer" {
			w.result(w.call("a"))
		}
		w.pass(time.Hour)
	}
	if n := len(fieldsOf(reflect.TypeFor[relay.Config](), "")); n != 15 {
		t.Errorf("%d settings: each has to be in the table", n)
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
