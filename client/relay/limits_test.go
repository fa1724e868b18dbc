package relay

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// newRelay returns a Relay of one server, at a time that is not its origin.
func newRelay(t *testing.T, cfg Config) Relay {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cfg.Info = protocol.Implementation{Name: "relay", Version: "1"}
	r, err := New(cfg, []Server{{Name: "a", Options: manager.Options{Endpoint: "a"}}}, now)
	if err != nil {
		t.Fatal(err)
	}
	r.clock.Take(now.Add(time.Hour))
	return r
}

// How long others wait for a server that is starting, to the nanosecond.
func TestExpectedBy(t *testing.T) {
	const hold = 5 * time.Second
	r := newRelay(t, Config{Lists: Lists{Hold: hold}})
	for _, c := range []struct {
		startup, took, age time.Duration // age since it began to start
		list               bool
		want               time.Duration // from then; 0: they do not wait
	}{
		{0, 0, 0, true, hold},
		{0, 0, hold - 1, true, hold},
		{0, 0, hold, true, 0},
		{0, 0, hold + 1, false, 0},
		{lifecycle.NoTimeout, 0, 0, true, 0},
		{hold, 0, 0, true, hold},
		{hold + 1, 0, 0, true, 0},
		{1, 0, 0, true, time.Second + 2},
		{time.Second, 0, 0, true, 3 * time.Second},
		{time.Second, 0, 3*time.Second - 1, true, 3 * time.Second},
		{time.Second, 0, 3 * time.Second, true, 0},
		{2*time.Second - 1, 0, 0, true, hold - 2},
		{2 * time.Second, 0, 0, true, hold},
		{hold/2 - 1, 0, 0, true, hold},
		{hold / 2, 0, 0, true, hold},
		{0, time.Second, 0, true, 0}, // lists wait for the first start alone
		{0, time.Second, 0, false, 3 * time.Second},
		{hold, time.Second, 0, false, 3 * time.Second}, // this session knows better
		{0, hold + 1, 0, false, 0},
	} {
		now := r.clock.Now()
		u := upstream{Server: Server{Name: "a", Startup: c.startup}, state: manager.Connecting, took: int64(c.took), down: now - int64(c.age)}
		until, ok := r.expectedBy(&u, tools, c.list)
		if ok != (c.want != 0) || ok && until != u.down+int64(c.want) {
			t.Errorf("%+v: %v, %v", c, time.Duration(until-u.down), ok)
		}
	}
}

// A Route has its method, or what begins with it and a slash.
func TestRouteMatches(t *testing.T) {
	for _, c := range []struct {
		route, method string
		want          bool
	}{
		{"", "a", true}, {"", "", true}, {"a", "a", true}, {"a", "ab", false}, {"a", "a/b", false}, {"ab", "a", false},
		{"a/", "a/b", true}, {"a/", "a/", true}, {"a/", "a", false}, {"a/", "b/b", false}, {"a/", "ab", false}, {"/", "/x", true}, {"a/b/", "a/b/c/d", true},
	} {
		if (Route{Method: c.route}).matches(c.method) != c.want {
			t.Errorf("%q and %q: %v", c.route, c.method, !c.want)
		}
	}
}

// A request that was passed on may take CallTimeout; one that is asked in turn waits no longer than its turn.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		call  time.Duration
		asked *retry
		want  time.Duration
	}{
		{time.Minute, nil, time.Minute},
		{lifecycle.NoTimeout, nil, lifecycle.NoTimeout},
		{time.Minute, &retry{}, 2 * time.Second},
		{time.Second, &retry{}, time.Second},
		{lifecycle.NoTimeout, &retry{}, 2 * time.Second},
		{time.Minute, &retry{again: true}, 20 * time.Second},
		{lifecycle.NoTimeout, &retry{again: true}, 20 * time.Second},
	} {
		st := step{r: newRelay(t, Config{CallTimeout: c.call, Lists: Lists{Hold: 2 * time.Second}, Held: Held{Time: 20 * time.Second}})}
		if got := st.timeout(c.asked); got != c.want {
			t.Errorf("%v, %+v: %v, want %v", c.call, c.asked, got, c.want)
		}
	}
}

// A subscription covers what is below it, down to 256 slashes, and of no other server.
func TestCovered(t *testing.T) {
	r := newRelay(t, Config{})
	uri := func(n int) string { return "f:" + strings.Repeat("/", n) }
	for n, want := range map[int]bool{1: true, 255: true, 256: true, 257: false} {
		of := r
		of.keep(sub{uri(n), 1, uri(n)}, true)
		if of.covered(uri(n)+"x", 1) != want || !of.covered(uri(n), 1) || of.covered(uri(n)+"x", 2) || of.covered(uri(n), 2) {
			t.Errorf("%d slashes: %v", n, !want)
		}
		if of.covered(strings.TrimSuffix(uri(n), "/"), 1) {
			t.Errorf("%d slashes: what is above is covered", n)
		}
	}
}

// As many subscriptions are kept as the limit says, and the same one again.
func TestRoom(t *testing.T) {
	var cfg Config
	cfg.Manager.Client.Limits.Subscriptions = 2
	for _, most := range []int{2, 1000} {
		r := newRelay(t, cfg)
		for i := range most {
			if !r.room("new") {
				t.Errorf("no room after %d of %d", i, most)
			}
			r.keep(sub{uri: strings.Repeat("x", i+1), server: 1}, true)
		}
		if r.room("new") || !r.room("x") {
			t.Errorf("%d: %v, %v", most, r.room("new"), r.room("x"))
		}
		r.keep(sub{uri: "x"}, false)
		if !r.room("new") {
			t.Errorf("%d: no room after an end", most)
		}
		cfg.Manager.Client.Limits.Subscriptions = 0
	}
}

// Changes are announced at their time exactly.
func TestAnnouncedInTime(t *testing.T) {
	for _, c := range []struct{ now, news int64 }{{9, 10}, {10, 10}, {11, 10}} {
		st := step{r: newRelay(t, Config{})}
		st.r.news = st.r.clock.Now() + c.news - c.now
		st.tell()
		if told := st.r.news == never; told != (c.now >= c.news) {
			t.Errorf("announced at %d of %d: %v", c.now, c.news, told)
		}
	}
}
