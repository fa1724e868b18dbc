package catalog

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// tools is the Config of a Catalog of tools alone, with plain names.
func toolsOf(names ...string) Config {
	return Config{Kinds: []*protocol.List{protocol.ToolList}, Naming: plainly, Sources: sources(names...)}
}

// seek looks for a tool, since now.
func (w *world) seek(name string) Found {
	w.t.Helper()
	c, m, found, u := w.c.Seek(w.m, w.now, protocol.ToolList, name, time.Time{})
	w.take(c, m, u)
	return found
}

// verb takes a verb of the Catalog.
func (w *world) verb(c Catalog, m manager.Manager, u Update, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	w.take(c, m, u)
}

// A name is there as long as its list is fresh; afterwards it is waited for, once for all who look (A6, A7).
func TestSeek(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		cfg := toolsOf("a", "b")
		cfg.TTL, cfg.Ordered = time.Minute, ordered
		w := start(t, cfg, two())
		w.moves = true
		if found := w.seek("y"); found.Err != nil || found.Item.Server != "b" || found.Waits != nil || found.Item.Ref() != (ItemID{"b", "y"}) || found.Item.Local() {
			t.Errorf("%+v", found)
		}
		if n := w.c.NumberOf(protocol.ToolList, "y"); n == 0 || w.c.NumberOf(protocol.ToolList, "none")+w.c.NumberOf(nil, "y") != 0 {
			t.Error(n)
		}
		w.sleep(time.Minute)
		for _, s := range w.servers {
			s.slow = true
		}
		want := []string{"b"}
		if ordered {
			want = []string{"a", "b"}
		}
		for range 2 {
			if found := w.seek("y"); !slices.Equal(found.Waits, want) || w.c.Settled(protocol.ToolList, "b", w.now) {
				t.Errorf("%+v", found)
			}
		}
		w.release("b")
		w.release("a")
		if found := w.seek("y"); found.Waits != nil || found.Item.Server != "b" || w.servers["b"].asked[ofTools] != 2 || !w.c.Settled(protocol.ToolList, "b", w.now) {
			t.Errorf("%+v", found)
		}
		if found := w.seek("none"); !errors.Is(found.Err, ErrUnknown) || found.Waits != nil {
			t.Errorf("%+v", found)
		}
		if _, _, found, _ := w.c.Seek(w.m, w.now, nil, "y", w.now); !errors.Is(found.Err, ErrUnknown) || !errors.Is(w.c.Missing(nil, "y"), ErrUnknown) {
			t.Errorf("%+v", found)
		}
		if !w.c.Settled(nil, "b", w.now) || !w.c.Settled(protocol.ToolList, "none", w.now) {
			t.Error("somebody waits for nobody")
		}
		c, _, _ := w.c.Close(w.m, w.now)
		if _, _, found, _ := c.Seek(w.m, w.now, protocol.ToolList, "y", w.now); !errors.Is(found.Err, errClosed) || !errors.Is(c.Missing(protocol.ToolList, "y"), errClosed) || !c.Closed() {
			t.Errorf("%+v", found)
		}
	}
}

// What cannot be read keeps what was read last, or with Omit nothing; it is asked for again after a while,
// and the error of what is not known says when (A8, E10).
func TestFailures(t *testing.T) {
	for _, stale := range []Stale{Keep, Omit} {
		cfg := toolsOf("a", "b")
		cfg.TTL, cfg.Stale, cfg.Retry = lifecycle.NoTimeout, stale, backoff.Policy{Base: time.Second, Attempts: 2}
		servers := two()
		servers["b"].fails = true
		w := start(t, cfg, servers)
		var missing *manager.Error
		if err := w.c.Missing(protocol.ToolList, "mcp.b.y"); !errors.As(err, &missing) || missing.Server != "b" || !missing.RetryAt.Equal(w.now.Add(time.Second)) {
			t.Errorf("%v, %+v", err, missing)
		}
		if err := w.c.Missing(protocol.ToolList, "mcp.a.y"); !errors.Is(err, ErrUnknown) {
			t.Error(err)
		}
		if at, ok := w.c.NextDeadline(); !ok || !at.Equal(w.now.Add(time.Second)) {
			t.Error(at, ok)
		}
		w.servers["a"].fails = true
		w.say("a", "tools")
		w.sleep(time.Second)
		if names := w.names(protocol.ToolList); (names == "x") != (stale == Keep) || names != "x" && names != "" {
			t.Errorf("%d: %q", stale, names)
		}
		if st, _ := w.c.Status(protocol.ToolList, "b"); st.Failures != 2 || !st.Stale || st.Reading {
			t.Errorf("%+v", st)
		}
		if found := w.seek("mcp.b.y"); found.Waits != nil || found.Err == nil {
			t.Errorf("%+v", found)
		}
		if w.sleep(time.Hour); nowOf(w.c) != w.now {
			t.Error(nowOf(w.c))
		}
		if _, ok := w.c.NextDeadline(); ok {
			t.Error("it is tried without end")
		}
		w.servers["a"].fails, w.servers["b"].fails = false, false
		w.say("a", "tools")
		w.sleep(time.Second)
		w.verb(w.c.Refresh(w.m, w.now, "b"))
		if got := w.names(protocol.ToolList); got != "x mcp.b.x y" {
			t.Errorf("%q", got)
		}
	}
}

// Servers that are opened on demand are opened by who looks for what they may have, and one by who waits for
// it alone (A1, A11).
func TestDemand(t *testing.T) {
	w := start(t, toolsOf("a", "b"), nil)
	w.servers = two()
	for name := range w.servers {
		w.connectWith(name, manager.Options{OnDemand: true})
	}
	if found := w.seek("y"); len(found.Waits) != 2 {
		t.Errorf("%+v", found)
	}
	if found := w.seek("y"); found.Item.Server != "b" || found.Item.Health != Healthy {
		t.Errorf("%+v", found)
	}
	m, e := w.m.DisconnectAll(w.now)
	w.manage(m, e)
	c, m, waits, u := w.c.Await(w.m, w.now, protocol.ToolList, "b", w.now)
	if w.take(c, m, u); !waits {
		t.Error("nobody waits")
	}
	if _, _, waits, u = w.c.Await(w.m, w.now, protocol.ToolList, "b", w.now); waits || u.Actions != nil {
		t.Error("somebody waits")
	}
	if !w.c.Settled(protocol.ToolList, "a", w.now) {
		t.Error("who is closed is waited for")
	}
	w.verb(w.c.Refresh(w.m, w.now))
	if st, _ := w.c.Status(protocol.ToolList, "a"); st.Health != Healthy {
		t.Errorf("%+v", st)
	}
	if c, m, waits, _ = w.c.Await(w.m, w.now, protocol.ToolList, "none", w.now); waits || c.Len() != 3 || m.Len() != 2 {
		t.Error("nobody is waited for")
	}
}

// Lists are read again when they are wanted, when time says so or when the program does; what is on its
// way from before is given up (A9, A10).
func TestAgain(t *testing.T) {
	cfg := toolsOf("a", "b")
	cfg.TTL, cfg.Renew, cfg.MinInterval = time.Minute, true, time.Second
	w := start(t, cfg, two())
	if at, ok := w.c.NextDeadline(); !ok || !at.Equal(w.now.Add(time.Minute)) {
		t.Error(at, ok)
	}
	if w.sleep(time.Minute); w.servers["a"].asked[ofTools] != 2 {
		t.Error(w.servers["a"].asked)
	}
	w.verb(w.c.Invalidate(w.m, w.now, "a"))
	if w.servers["a"].asked[ofTools] != 3 || w.servers["b"].asked[ofTools] != 2 {
		t.Error(w.servers["a"].asked, w.servers["b"].asked)
	}
	w.servers["a"].slow = true
	w.verb(w.c.Refresh(w.m, w.now, "a"))
	w.verb(w.c.Invalidate(w.m, w.now))
	if len(w.servers["a"].held) != 2 {
		t.Errorf("%q", w.servers["a"].held)
	}
	w.verb(w.c.Detach(w.m, w.now, "a"))
	if w.names(protocol.ToolList) != "x y" || !slices.Equal(w.c.Sources(), []string{"b"}) {
		t.Errorf("%q of %q", w.names(protocol.ToolList), w.c.Sources())
	}
	for name, err := range map[string]error{
		"Refresh": last4(w.c.Refresh(w.m, w.now, "a")), "Invalidate": last4(w.c.Invalidate(w.m, w.now, "b", "a")), "Detach": last4(w.c.Detach(w.m, w.now, "a")),
		"Attach": last4(w.c.Attach(w.m, w.now, Source{Name: "b"})),
	} {
		if !errors.Is(err, ErrServer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.verb(w.c.Attach(w.m, w.now, Source{Name: "c"}))
	w.connectWith("a", manager.Options{Replace: true})
	c, _, u := w.c.Close(w.m, w.now)
	if len(u.Changes) == 0 || c.Len() != 0 {
		t.Errorf("%+v", u.Changes)
	}
	for name, err := range map[string]error{
		"Refresh": last4(c.Refresh(w.m, w.now, "a")), "Detach": last4(c.Detach(w.m, w.now, "a")), "Attach": last4(c.Attach(w.m, w.now, Source{Name: "d"})),
	} {
		if !errors.Is(err, errClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, _, u = c.Close(w.m, w.now); u.Changes != nil || c.Check() != nil {
		t.Errorf("%+v", u)
	}
}

func last4[A, B, C any](_ A, _ B, _ C, err error) error { return err }

// Local tools go before those of servers, whose names they do not take for ever (A4).
func TestLocal(t *testing.T) {
	cfg := toolsOf("a", "b")
	cfg.Local, cfg.Naming.OnConflict, cfg.Naming.OnLoss = []protocol.Tool{localTool("l")}, naming.Hidden, naming.Keep
	w := start(t, cfg, two())
	if found := w.seek("l"); !found.Item.Local() || found.Item.Health.String() != "healthy" || !found.Item.Trusted {
		t.Errorf("%+v", found)
	}
	c, ch, err := w.c.SetLocal([]protocol.Tool{localTool("x")})
	if err != nil || len(ch.Added) != 1 || len(ch.Removed) != 1 || len(ch.Dropped) != 1 || ch.Dropped[0].Err.Error() == "" {
		t.Errorf("%+v, %v", ch, err)
	}
	w.c = c
	if x, _ := w.c.Lookup(protocol.ToolList, "x"); !x.Local() || len(x.Shadows) != 2 || x.Ref().String() != `"x"` {
		t.Errorf("%+v", x)
	}
	if x, _ := w.c.Lookup(protocol.ToolList, "mcp.b.x"); x.ShadowedBy != (ItemID{Key: "x"}) || x.Ref().String() != `"x" of "b"` {
		t.Errorf("%+v", x)
	}
	w.lose("a")
	w.servers["a"].fails = true
	if x, _ := w.c.Lookup(protocol.ToolList, "mcp.a.x"); x.Health.String() != "unavailable" {
		t.Errorf("%+v", x)
	}
	if c, ch, err = w.c.SetLocal(nil); err != nil || len(ch.Removed) != 1 {
		t.Errorf("%+v, %v", ch, err)
	}
	if w.c = c; w.names(protocol.ToolList) != "x y" {
		t.Errorf("%q", w.names(protocol.ToolList))
	}
	for _, list := range [][]protocol.Tool{{localTool("mcp.a.q")}, {{}}} {
		if _, _, err := w.c.SetLocal(list); err == nil {
			t.Errorf("%+v is taken", list)
		}
	}
	c, ch, _ = w.c.SetLocal([]protocol.Tool{localTool("mcp.c.x"), localTool("l")})
	if _, _, _, err := c.Attach(w.m, w.now, Source{Name: "c"}); !conflicts(err) {
		t.Error(err)
	}
	c, _, u := c.Close(w.m, w.now)
	if _, _, err := c.SetLocal(nil); !errors.Is(err, errClosed) || len(u.Changes) == 0 {
		t.Errorf("%v, %+v", err, u)
	}
}

// A server that declares nothing has nothing, and one that does not answer a ping is degraded.
func TestDeclaresNothing(t *testing.T) {
	servers := two()
	servers["a"].plain = true
	w := start(t, toolsOf("a", "b"), servers)
	if st, ok := w.c.Status(protocol.ToolList, "a"); !ok || st.Items != 0 || st.Asked.IsZero() || servers["a"].asked[ofTools] != 0 {
		t.Errorf("%+v", st)
	}
	if Degraded.String() != "degraded" {
		t.Error(Degraded)
	}
	if c, now := w.c.Advance(w.now.Add(time.Hour)); !now.Equal(w.now.Add(time.Hour)) || nowOf(c) != now {
		t.Error(now)
	}
}

// nowOf returns the latest time that a step was given.
func nowOf(c Catalog) time.Time {
	_, now := c.Advance(time.Time{})
	return now
}
