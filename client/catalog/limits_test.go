package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// numbered returns n keys.
func numbered(n int, prefix string) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprint(prefix, i))
	}
	return keys
}

// What a list may have is exact: one item or byte more is dropped, and more than twice as many fail.
func TestItemLimits(t *testing.T) {
	tool := func(name string, size int) string { // an item of so many bytes
		head, tail := `{"name":"`+name+`","inputSchema":{"type":"object"},"title":"`, `"}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	tools := func(n, size int) (list []string) {
		for i := range n {
			list = append(list, tool(string(rune('a'+i)), size))
		}
		return list
	}
	for name, c := range map[string]struct {
		limits  Limits
		keys    []string
		there   int
		dropped error
		n, more int // of Dropped, and Change.More
		fails   bool
	}{
		"items, one less":        {Limits{Items: 3}, numbered(2, "t"), 2, nil, 0, 0, false},
		"items":                  {Limits{Items: 3}, numbered(3, "t"), 3, nil, 0, 0, false},
		"items, one more":        {Limits{Items: 3}, numbered(4, "t"), 3, errTooMany, 1, 0, false},
		"items, twice":           {Limits{Items: 3}, numbered(6, "t"), 3, errTooMany, 3, 0, false},
		"items, more than twice": {Limits{Items: 3}, numbered(7, "t"), 0, nil, 0, 0, true},
		"item":                   {Limits{ItemBytes: 100}, tools(1, 100), 1, nil, 0, 0, false},
		"item, one more":         {Limits{ItemBytes: 100}, tools(1, 101), 0, errTooLong, 1, 0, false},
		"bytes":                  {Limits{Bytes: 200}, tools(2, 100), 2, nil, 0, 0, false},
		"bytes, one less":        {Limits{Bytes: 199}, tools(2, 100), 1, errTooMany, 1, 0, false},
		"bytes, of three":        {Limits{Bytes: 299}, tools(3, 100), 2, errTooMany, 1, 0, false},
		"name":                   {Limits{Name: 4}, []string{"abcd"}, 1, nil, 0, 0, false},
		"name, one more":         {Limits{Name: 4}, []string{"abcde"}, 0, errName, 1, 0, false},
		"dropped":                {Limits{Name: 4, Dropped: 2}, numbered(2, "long"), 0, errName, 2, 0, false},
		"dropped, one more":      {Limits{Name: 4, Dropped: 2}, numbered(3, "long"), 0, errName, 2, 1, false},
		"dropped, two more":      {Limits{Name: 4, Dropped: 1}, numbered(3, "long"), 0, errName, 1, 2, false},
	} {
		f := &fake{}
		f.lists[ofTools] = c.keys
		w := start(t, Config{Sources: sources("a"), Limits: c.limits, Retry: backoffOf(time.Hour)}, map[string]*fake{"a": f})
		st, _ := w.c.Status(protocol.ToolList, "a")
		if st.Items != c.there || st.Failures > 0 != c.fails {
			t.Errorf("%s: %+v", name, st)
		}
		n, more := 0, 0
		for _, ch := range w.all {
			n, more = n+len(ch.Dropped), more+ch.More
			for i, d := range ch.Dropped {
				if !errors.Is(d.Err, c.dropped) || d.Server != "a" || errors.Is(c.dropped, errTooMany) && d.Index != c.there+i {
					t.Errorf("%s: dropped %+v", name, d)
				}
			}
		}
		if n != c.n || more != c.more {
			t.Errorf("%s: %d dropped, %d more", name, n, more)
		}
		if !c.fails { // and nothing of that with PassThrough
			w = start(t, Config{Sources: sources("a"), Limits: c.limits, PassThrough: true}, map[string]*fake{"a": f})
			if st, _ := w.c.Status(protocol.ToolList, "a"); st.Items != len(c.keys) {
				t.Errorf("%s: passed through are %+v", name, st)
			}
		}
	}
}

// Each item of a list is found, however many there are, and nothing else.
func TestEveryItemIsFound(t *testing.T) {
	for n := range 2*few + 2 {
		keys := numbered(n, "t")
		var want []string
		for i := n - 1; i >= 0; i-- { // not in the order of keys
			want = append(want, keys[i])
		}
		f := &fake{}
		f.lists[ofTools] = want
		w := start(t, Config{Sources: []Source{{Name: "a", Filter: Filter{Deny: []Rule{{Name: "t3"}}}}}}, map[string]*fake{"a": f})
		for _, key := range append(keys, "t", "t3", "", "u", "t99") {
			i, ok := w.c.Lookup(protocol.ToolList, key)
			if is := key != "t3" && strings.Contains(" "+strings.Join(keys, " ")+" ", " "+key+" ") && key != ""; ok != is || ok && i.Key != key {
				t.Errorf("of %d: %q is %v %v", n, key, i.Ref(), ok)
			}
		}
		for from := -1; from <= n; from++ {
			at := max(from, 0)
			shown := 0
			for i, item := range w.c.ItemsOf(protocol.ToolList, "a", from) {
				if i != at || item.Key == "t3" {
					t.Errorf("of %d from %d: %d is %v, want place %d", n, from, i, item.Ref(), at)
				}
				at++
				shown++
			}
			if all := n - min(max(n-3, 0), 1); shown != max(all-max(from, 0), 0) {
				t.Errorf("of %d from %d: %d items", n, from, shown)
			}
		}
	}
}

// A list is stale at its TTL exactly, and an announcement waits until MinInterval has passed since the last
// reading began.
func TestListTimes(t *testing.T) {
	f := &fake{}
	f.lists[ofTools] = []string{"x"}
	w := start(t, Config{Kinds: []*protocol.List{protocol.ToolList}, Sources: sources("a"), TTL: time.Minute, MinInterval: time.Second}, map[string]*fake{"a": f})
	stale := func() bool {
		w.c, _ = w.c.Advance(w.now)
		st, _ := w.c.Status(protocol.ToolList, "a")
		return st.Stale
	}
	for _, c := range []struct {
		at   time.Duration
		want bool
	}{{0, false}, {time.Minute - 1, false}, {time.Minute, true}, {time.Minute + 1, true}} {
		if w.now = t0.Add(c.at); stale() != c.want {
			t.Errorf("after %v: stale is %v", c.at, !c.want)
		}
	}
	w = start(t, Config{Kinds: []*protocol.List{protocol.ToolList}, Sources: sources("a"), MinInterval: time.Second}, map[string]*fake{"a": f})
	for i, c := range []struct {
		after time.Duration
		reads int
	}{{0, 1}, {time.Second - 1, 1}, {1, 2}} {
		if i == 0 {
			f.asked[ofTools] = 1
			w.say("a", "tools")
		} else {
			w.sleep(c.after)
		}
		if f.asked[ofTools] != c.reads {
			t.Errorf("step %d: read %d times", i, f.asked[ofTools])
		}
	}
	// Of one that comes later than that, the list is read at once.
	w.sleep(time.Second)
	if w.say("a", "tools"); f.asked[ofTools] != 3 {
		t.Errorf("read %d times", f.asked[ofTools])
	}
}

// What is matched of templates goes to its limits exactly.
func TestTemplateLimits(t *testing.T) {
	vars := func(n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("/{v%d}", i)
		}
		return "f:" + text
	}
	pad := func(n int) string { return "f:" + strings.Repeat("x", n-len("f:{v}")) + "{v}" }
	uri := func(n int) string { return "f:" + strings.Repeat("x", n-2) }
	for name, c := range map[string]struct {
		template, uri string
		want          bool
	}{
		"variables":           {vars(mostVariables), "f:" + strings.Repeat("/a", mostVariables), true},
		"variables, one more": {vars(mostVariables + 1), "f:" + strings.Repeat("/a", mostVariables+1), false},
		"template":            {pad(longestTemplate), uri(longestTemplate), true},
		"template, one more":  {pad(longestTemplate + 1), uri(longestTemplate + 1), false},
		"uri":                 {"f:{v}", uri(longestURI), true},
		"uri, one more":       {"f:{v}", uri(longestURI + 1), false},
	} {
		for _, filter := range []Filter{{}, {Deny: []Rule{{Kind: protocol.ResourceList, Name: "g:*"}}}} {
			f := &fake{}
			f.lists[ofTemplates] = []string{c.template}
			w := start(t, Config{Sources: []Source{{Name: "a", Filter: filter}}}, map[string]*fake{"a": f})
			next, id, ok := w.c.Match(c.uri)
			if ok != c.want || ok && id != (ItemID{Server: "a", Key: c.uri}) {
				t.Errorf("%s: %v, %v", name, id, ok)
			}
			if may := next.May(protocol.ResourceList, ItemID{Server: "a", Key: c.uri}); may != (c.want || len(filter.Deny) == 0) {
				t.Errorf("%s: the server may have it: %v", name, may)
			}
		}
	}
}

// Names of servers go to 1,024 bytes, and servers to their number.
func TestSourceLimits(t *testing.T) {
	for n, good := range map[int]bool{0: false, 1: true, longestName: true, longestName + 1: false} {
		if _, err := New(Config{Sources: sources(strings.Repeat("x", n))}, t0); (err == nil) != good {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for n := 1; n <= 3; n++ {
		_, err := New(Config{Sources: sources(numbered(n, "s")...), Limits: Limits{Sources: 2}}, t0)
		if (err == nil) != (n <= 2) || err != nil && (!errors.Is(err, errTooMany) || !strings.Contains(err.Error(), "3 servers, limit 2")) {
			t.Errorf("%d servers: %v", n, err)
		}
	}
}

// A failure is followed by the delays of Retry, of a millisecond at least.
func TestRetryTimes(t *testing.T) {
	for base, want := range map[time.Duration]time.Duration{time.Second: time.Second, 1: time.Millisecond, time.Millisecond: time.Millisecond, time.Millisecond + 1: time.Millisecond + 1} {
		f := &fake{fails: true}
		w := start(t, Config{Kinds: []*protocol.List{protocol.ToolList}, Sources: sources("a"), Retry: backoffOf(base)}, map[string]*fake{"a": f})
		st, _ := w.c.Status(protocol.ToolList, "a")
		at, ok := w.c.NextDeadline()
		if st.Failures != 1 || !ok || !at.Equal(t0.Add(want)) || !st.RetryAt.Equal(at) {
			t.Errorf("%v: %+v, due %v", base, st, at.Sub(t0))
		}
		if w.sleep(want - 1); failures(w) != 1 {
			t.Errorf("%v: it was read too early", base)
		}
		if w.sleep(1); failures(w) != 2 {
			t.Errorf("%v: it was not read in time", base)
		}
	}
}

func failures(w *world) int {
	st, _ := w.c.Status(protocol.ToolList, "a")
	return st.Failures
}

// A conflict tells of 64 bytes of a name, and a text as long as that is whole.
func TestConflictKeys(t *testing.T) {
	for n, cut := range map[int]bool{longestKey: false, longestKey + len("…"): true, longestKey + 10: true} {
		e := &ConflictError{Name: strings.Repeat("x", n)}
		if got := strings.HasSuffix(e.Error(), `…"`); got != cut {
			t.Errorf("%d bytes: %s", n, e)
		}
	}
}

// A Seek for a plain name asks every server that may have it, in order, up to the one that does.
func TestSeekAsksInOrder(t *testing.T) {
	for _, names := range []naming.Qualify{naming.Plain, naming.Always} {
		servers, all := map[string]*fake{}, numbered(4, "s")
		for i, name := range all {
			servers[name] = &fake{slow: i != 2}
			servers[name].lists[ofTools] = []string{"own" + name}
		}
		w := start(t, Config{Sources: sources(all...), Naming: naming.Policy{Names: names}, Lazy: true}, servers)
		_, _, found, _ := w.c.Seek(w.m, w.now, protocol.ToolList, "x", time.Time{})
		if want := map[bool]string{true: "s0 s1 s2 s3", false: ""}[names == naming.Plain]; strings.Join(found.Waits, " ") != want {
			t.Errorf("names %v: it waits for %q", names, found.Waits)
		}
		_, _, found, _ = w.c.Seek(w.m, w.now, protocol.ToolList, "mcp.s1.x", time.Time{})
		if strings.Join(found.Waits, " ") != "s1" {
			t.Errorf("names %v: it waits for %q", names, found.Waits)
		}
	}
}

// Effects that have nothing of the Catalog's are returned as they are, without a copy.
func TestHandleReturnsTheEvents(t *testing.T) {
	w := start(t, Config{Sources: sources("a")}, map[string]*fake{"a": {}})
	event := manager.Event{Kind: manager.SessionEvent, Link: manager.Link{Server: "a"}, Session: lifecycle.Event{Kind: lifecycle.NotificationReceived, Method: "x"}}
	own := manager.Event{Kind: manager.SessionEvent, Link: w.servers["a"].link, Session: lifecycle.Event{Kind: lifecycle.NotificationReceived, Method: protocol.ToolList.Changed}}
	for n := range 3 {
		for at := -1; at <= n; at++ {
			var events []manager.Event
			for i := range n {
				event.Session.Body = jsonrpc.Raw(fmt.Sprint(i))
				events = append(events, event)
			}
			if at >= 0 {
				events = append(events[:at:at], append([]manager.Event{own}, events[at:]...)...)
			}
			_, _, u := w.c.Handle(w.m, w.now, manager.Effects{Events: events})
			if len(u.Events) != n {
				t.Errorf("%d of %d events", len(u.Events), n)
			}
			for i, ev := range u.Events {
				if string(ev.Session.Body) != fmt.Sprint(i) {
					t.Errorf("event %d is %q", i, ev.Session.Body)
				}
			}
			if n > 0 && at < 0 && &u.Events[0] != &events[0] {
				t.Error("the events were copied")
			}
		}
	}
}

// backoffOf is a delay without jitter.
func backoffOf(base time.Duration) backoff.Policy { return backoff.Policy{Base: base, Cap: time.Hour} }

// Values are read down to the depth that is asked for, and below it texts are compared.
func TestCanonicalDepth(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		depth int
		want  bool
	}{
		{"1.0", "1", 0, true}, {"[1.0]", "[1]", 0, false}, {"[1.0]", "[1]", 1, true}, {"[[1.0]]", "[[1]]", 1, false}, {"[[1.0]]", "[[1]]", 2, true},
		{`{"a":1.0}`, `{"a":1}`, 0, false}, {`{"a":1.0}`, `{"a":1}`, 1, true}, {`{"a":{"b":1.0}}`, `{"a":{"b":1}}`, 1, false}, {`{"a":{"b":1.0}}`, `{"a":{"b":1}}`, 2, true},
		{`[{"b":1.0}]`, `[{"b":1}]`, 2, true}, {`{"a":[1.0]}`, `{"a":[1]}`, 1, false},
	} {
		if got := string(canonical(nil, c.a, "", c.depth)) == string(canonical(nil, c.b, "", c.depth)); got != c.want {
			t.Errorf("%s and %s to a depth of %d: %v", c.a, c.b, c.depth, got)
		}
	}
}

// A server has no list if it says so by its capabilities, its revision or -32601.
func TestWithout(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{lifecycle.ErrCapability, true}, {fmt.Errorf("x: %w", lifecycle.ErrCapability), true}, {lifecycle.ErrRevision, true}, {fmt.Errorf("x: %w", lifecycle.ErrRevision), true},
		{&manager.Error{Code: jsonrpc.CodeMethodNotFound}, true}, {fmt.Errorf("x: %w", &manager.Error{Code: jsonrpc.CodeMethodNotFound}), true},
		{&manager.Error{Code: jsonrpc.CodeInternalError}, false}, {errors.New("x"), false}, {lifecycle.ErrLimit, false},
	} {
		if without(c.err) != c.want {
			t.Errorf("%v: %v", c.err, !c.want)
		}
	}
}

// A resource that is listed and passes is there, though no template makes it; another is only if one does.
func TestMayRead(t *testing.T) {
	f := &fake{}
	f.lists[ofResources] = []string{"note:x", "file:/b", "file:/A%42"}
	f.lists[ofTemplates] = []string{"file:/{p}"}
	w := start(t, Config{Sources: []Source{{Name: "a", Filter: Filter{Deny: []Rule{{Kind: protocol.ResourceList, Name: "file:/b"}, {Kind: protocol.ResourceList, Name: "file:/A%42"}}}}}}, map[string]*fake{"a": f})
	for uri, want := range map[string]bool{
		"note:x": true, "note:y": false, "file:/b": false, "file:/%62": false, "file:/b?q": false, "file:/c": true, "file:/A%42": false, "file:/AB": false, "file:/%41B": false, "file:/AC": true,
	} {
		if w.c.May(protocol.ResourceList, ItemID{"a", uri}) != want {
			t.Errorf("%s: %v", uri, !want)
		}
	}
}

// When a server is detached, names of others that look like its own are theirs, of every kind.
func TestNamesAreFreeAfterDetach(t *testing.T) {
	b := &fake{}
	b.lists[ofTools], b.lists[3], b.lists[ofResources], b.lists[ofTemplates] = []string{"mcp.a.x"}, []string{"mcp.a.p"}, []string{"a+f:/r"}, []string{"a+f:/{r}"}
	w := start(t, Config{Sources: sources("a", "b"), Naming: naming.Policy{Names: naming.Plain}}, map[string]*fake{"a": {}, "b": b})
	look := func(want bool) {
		t.Helper()
		for k, of := range protocol.Lists() {
			if i, ok := w.c.Lookup(of, b.lists[k][0]); ok != want || ok && (i.Server != "b" || i.Name != b.lists[k][0]) {
				t.Errorf("%s of %s: %v %v", b.lists[k][0], of.Member, i.Ref(), ok)
			}
		}
	}
	look(false)
	w.verb(w.c.Detach(w.m, w.now, "a"))
	look(true)
}

// A zero time is told as such.
func TestZeroTime(t *testing.T) {
	if _, err := New(Config{}, time.Time{}); err == nil || err.Error() != "catalog: now is the zero time: want the time of the first step" {
		t.Error(err)
	}
}
