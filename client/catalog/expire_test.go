package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

const prompts = 3 // the place of the prompts among the lists

// web is a server without sessions: with the members that its lists have beside their items.
type web struct {
	w     *world
	hints string
	tells bool // it declares that it tells of changes
	grant bool // and agrees to it
	open  string
}

// serve answers what is asked of it in place of fake.answer.
func (s *web) serve(line string) (lines []string) {
	m := jsonrpc.DecodeString(line)
	id := string(m.ID.Append(nil))
	changed := ""
	if s.tells {
		changed = `"listChanged":true`
	}
	switch m.Method {
	case protocol.MethodDiscover:
		return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{` + changed + `},"prompts":{}},"ttlMs":0,"cacheScope":"private"}}`}
	case protocol.MethodListen:
		s.open = id
		granted := "{}"
		if s.grant {
			granted = `{"toolsListChanged":true}`
		}
		return []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":` + granted + `,"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`}
	}
	line = s.w.servers["a"].answer(line)
	if strings.HasSuffix(line, "]}}") {
		line = strings.TrimSuffix(line, "}}") + s.hints + "}}"
	}
	return []string{line}
}

// online is a world with one server that has no sessions.
func online(t *testing.T, cfg Config, s *web) *world {
	t.Helper()
	m, err := manager.New(manager.Config{
		Client: client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}, Revisions: protocol.StatelessRevisions()},
		Health: manager.Health{Interval: lifecycle.NoTimeout},
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, m: m, now: t0, servers: map[string]*fake{"a": {lists: [kinds][]string{ofTools: {"x"}, prompts: {"p"}}}}}
	s.w, w.serve = w, s.serve
	cfg.Naming, cfg.Sources = plainly, sources("a")
	if w.c, err = New(cfg, t0); err != nil {
		t.Fatal(err)
	}
	w.connect("a")
	return w
}

// asked returns how often the tools were asked for since the last time.
func (w *world) asked() int {
	n := w.servers["a"].asked[ofTools]
	w.servers["a"].asked[ofTools] = 0
	return n
}

// A server without sessions says how long a list is fresh. At that time exactly it is read again for the next call, which
// does not wait for that; not by itself, and not more than once in MinInterval, whatever the server says.
//
// rows: CACH-008 CACH-009 CACH-010 CACH-011 CACH-018
// revisions: 2026-07-28
func TestExpires(t *testing.T) {
	for hints, want := range map[string]time.Duration{
		`,"ttlMs":5000,"cacheScope":"private"`:             5 * time.Second,
		`,"ttlMs":5e3,"cacheScope":"public"`:               5 * time.Second,
		`,"ttlMs":1,"cacheScope":"public"`:                 time.Second, // MinInterval
		`,"ttlMs":0,"cacheScope":"public"`:                 time.Second,
		`,"ttlMs":-1,"cacheScope":"public"`:                time.Second,
		`,"ttlMs":null,"cacheScope":"public"`:              time.Second,
		`,"ttlMs":"5000","cacheScope":"public"`:            time.Second,
		``:                                                 time.Second,
		`,"ttlMs":9007199254740992,"cacheScope":"private"`: 24 * time.Hour,
		`,"ttlMs":1e400,"cacheScope":"private"`:            24 * time.Hour,
	} {
		for _, cfg := range []Config{{TTL: lifecycle.NoTimeout}, {TTL: 48 * time.Hour, Renew: true}, {TTL: lifecycle.NoTimeout, Lazy: true, Ordered: true}} {
			w := online(t, cfg, &web{hints: hints})
			w.moves = true
			w.seek("x")
			w.asked()
			if w.sleep(want - 1); w.seek("x").Err != nil || w.asked() != 0 {
				t.Errorf("%s: it is read before %v", hints, want)
			}
			if w.sleep(1); w.asked() != 0 {
				t.Errorf("%s: it is read although nobody asks", hints)
			}
			read := w.servers["a"].asked[prompts]
			for range 3 {
				if found := w.seek("x"); found.Err != nil || found.Waits != nil || found.Item.Name != "x" {
					t.Errorf("%s: %+v", hints, found)
				}
			}
			if n := w.asked(); n != 1 || w.servers["a"].asked[prompts] != read {
				t.Errorf("%s: read %d times after %v", hints, n, want)
			}
		}
	}
	w := online(t, Config{TTL: time.Second}, &web{hints: `,"ttlMs":60000`})
	w.asked()
	w.servers["a"].slow = true
	if w.sleep(time.Second); !slices.Equal(w.seek("x").Waits, []string{"a"}) {
		t.Error("TTL does not count")
	}
}

// What a session had, and a list that a server does not have, do not expire.
func TestNeverExpires(t *testing.T) {
	for _, none := range []bool{false, true} {
		servers := two()
		if none {
			servers["a"].none = []int{ofTools}
		}
		cfg := toolsOf("a")
		cfg.TTL = lifecycle.NoTimeout
		w := start(t, cfg, servers)
		w.asked()
		for range 3 {
			w.sleep(48 * time.Hour)
			w.seek("z")
		}
		if n := w.asked(); n != 0 {
			t.Errorf("has none %v: read %d times", none, n)
		}
	}
}

// A list whose changes its server tells of does not expire, once that has agreed to it; a change counts at once.
//
// rows: CACH-014 SUBS-009
// revisions: 2026-07-28
func TestToldOfChanges(t *testing.T) {
	for _, grant := range []bool{false, true} {
		s := &web{tells: true, grant: grant}
		w := online(t, Config{}, s)
		w.sleep(5 * time.Second)
		w.asked()
		if w.seek("x"); (w.asked() == 0) != grant {
			t.Errorf("agreed to: %v", grant)
		}
		w.servers["a"].lists[ofTools] = []string{"x", "y"}
		w.report(manager.Report{Kind: manager.Received, Link: w.servers["a"].link, Message: jsonrpc.DecodeString(
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + s.open + `}}}`)})
		if w.sleep(5 * time.Second); w.names(protocol.ToolList) != "x y" {
			t.Error(w.names(protocol.ToolList))
		}
	}
}

// A list that has not expired and is the same for all is not read again when its server comes back. One that depends on who
// asks is, as is one of another server under the name, one that has changed, and what a session had.
//
// rows: CACH-013
// revisions: 2026-07-28
func TestOutlastsALink(t *testing.T) {
	const public, private = `,"ttlMs":60000,"cacheScope":"public"`, `,"ttlMs":60000,"cacheScope":"private"`
	for name, c := range map[string]struct {
		hints string
		after time.Duration
		do    func(w *world)
		reads int
	}{
		"public":     {hints: public},
		"private":    {hints: private, reads: 1},
		"no scope":   {hints: `,"ttlMs":60000`, reads: 1},
		"expired":    {hints: public, after: time.Minute, reads: 1},
		"stale":      {hints: public, do: func(w *world) { w.verb(w.c.Invalidate(w.m, w.now)) }, reads: 1},
		"another":    {hints: public, do: func(w *world) { w.connectWith("a", manager.Options{Supervise: true, Replace: true}) }, reads: 1},
		"on request": {hints: public, do: func(w *world) { w.verb(w.c.Refresh(w.m, w.now)) }, reads: 1},
	} {
		for _, lazy := range []bool{false, true} {
			w := online(t, Config{TTL: lifecycle.NoTimeout, Lazy: lazy}, &web{hints: c.hints})
			w.moves = true
			w.seek("x")
			w.asked()
			w.sleep(c.after)
			if c.do != nil {
				c.do(w)
			}
			if name != "another" && name != "on request" {
				w.lose("a")
				w.sleep(10 * time.Second)
			}
			st, _ := w.c.Status(protocol.ToolList, "a")
			if n := w.asked(); n != c.reads || st.Health != Healthy || w.names(protocol.ToolList) != "x" {
				t.Errorf("%s: read %d times, %v", name, n, st.Health)
			}
		}
	}
}

// What expired serves as long as it cannot be read again, and a list of several pages is read from its start.
//
// rows: CACH-015 CACH-016 CACH-017
// revisions: 2026-07-28
func TestExpiredServes(t *testing.T) {
	refuses, begun := false, 0
	s := &web{}
	w := online(t, Config{Naming: naming.Policy{}}, s)
	w.serve = func(line string) []string {
		m := jsonrpc.DecodeString(line)
		id := string(m.ID.Append(nil))
		switch cursor := strings.Contains(line, `"cursor"`); {
		case m.Method != protocol.ToolList.Method:
			return s.serve(line)
		case !cursor:
			begun++
			return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}],"nextCursor":"2","ttlMs":2000,"cacheScope":"public"}}`}
		case refuses:
			return []string{`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":"no such cursor"}}`}
		}
		return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[{"name":"y","inputSchema":{"type":"object"}}],"ttlMs":60000,"cacheScope":"public"}}`}
	}
	w.verb(w.c.Refresh(w.m, w.now))
	if begun != 1 || w.names(protocol.ToolList) != "x y" {
		t.Fatal(begun, w.names(protocol.ToolList))
	}
	refuses = true
	w.sleep(2 * time.Second) // the shortest of its pages
	for i := range 3 {
		if found := w.seek("y"); found.Err != nil || found.Waits != nil {
			t.Errorf("%d: %+v", i, found)
		}
	}
	if st, _ := w.c.Status(protocol.ToolList, "a"); begun != 2 || st.Failures != 1 || w.names(protocol.ToolList) != "x y" {
		t.Error(begun, fmt.Sprintf("%+v", st), w.names(protocol.ToolList))
	}
	refuses = false
	if w.sleep(time.Hour); begun != 3 || w.seek("y").Err != nil {
		t.Error("it is not read again:", begun)
	}
}
