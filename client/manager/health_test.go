package manager_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// silence returns how long a server that says nothing any more is taken to be ready, and to be
// without a miss, from when it was last heard. A request goes out to it after each of asks.
func silence(t *testing.T, health manager.Health, asks ...time.Duration) (lost, missed time.Duration) {
	cfg := config()
	cfg.Health = health
	r := newRig(t, cfg)
	r.now = t0.Add(time.Hour) // an instant of no importance
	r.connect("a", manager.Options{})
	r.sleep(7 * time.Second)
	r.say("a", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	stop := r.now
	for range 1000 {
		if s, _ := r.m.Status("a"); s.Condition != manager.Ready {
			return r.now.Sub(stop), missed
		} else if s.Misses > 0 && missed == 0 {
			missed = r.now.Sub(stop)
		}
		if len(asks) > 0 && r.now.Sub(stop) >= asks[0] {
			asks = asks[1:]
			r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{}))
		}
		r.sleep(time.Second / 2)
	}
	t.Fatal("it is ready for ever")
	return 0, 0
}

// The longest that a server which has stopped, as by SIGSTOP, is taken to be ready: a minute, by
// default, and 40 s after a request. That it may have stopped is known 20 s sooner.
func TestStopped(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		health       manager.Health
		asks         []time.Duration
		lost, missed time.Duration
	}{
		{manager.Health{}, nil, 60 * s, 40 * s},
		{manager.Health{}, []time.Duration{0}, 40 * s, 20 * s},
		{manager.Health{}, []time.Duration{5 * s, 25 * s}, 45 * s, 25 * s},
		{manager.Health{}, []time.Duration{25 * s}, 60 * s, 40 * s}, // its ping was due anyway
		{manager.Health{}, []time.Duration{35 * s}, 60 * s, 40 * s},
		{manager.Health{Misses: 1}, []time.Duration{0}, 30 * s, 20 * s}, // with its request
		{manager.Health{Misses: 1}, nil, 40 * s, 0},
		{manager.Health{Interval: 15 * s}, []time.Duration{0}, 40 * s, 20 * s},
		{manager.Health{Interval: 15 * s}, nil, 45 * s, 25 * s},
	} {
		lost, missed := silence(t, tt.health, tt.asks...)
		if lost != tt.lost || missed != tt.missed {
			t.Errorf("%+v, asked after %v: lost after %v, suspected after %v; want %v and %v", tt.health, tt.asks, lost, missed, tt.lost, tt.missed)
		}
	}
	for at := time.Duration(0); at <= 40*s; at += s / 2 {
		if lost, _ := silence(t, manager.Health{}, at); lost > min(at+40*s, 60*s) {
			t.Errorf("asked after %v it is lost after %v", at, lost)
		}
	}
}

// Many servers do one thing after the other, and answer no ping while they are at work: one that has a request is not
// lost before the time of that is over, and then at once, whatever came after it.
func TestServerAtWork(t *testing.T) {
	const long = 10 * time.Minute
	for _, tt := range []struct {
		name       string
		asks, work time.Duration // when it is asked, after it was heard; how long it works, 0 for ever
		ready      bool
		lost       time.Duration // of a server that is asked again in each minute
	}{
		{name: "it answers", work: long - time.Second, ready: true},
		{name: "it does not", lost: long},
		{name: "asked while a ping was on its way", asks: 29 * time.Second, lost: 29*time.Second + long},
		{name: "asked when it was silent", asks: 31 * time.Second, lost: time.Minute},
	} {
		cfg := config()
		cfg.Health = manager.Health{}
		r := newRig(t, cfg)
		r.connect("a", manager.Options{})
		from := r.now
		r.sleep(tt.asks)
		opt := manager.RequestOptions{Timeout: long, Maximum: long}
		call := sent(r.do(r.m.CallTool(r.now, "a", "t", "", opt)), "a")[0]
		for at := time.Duration(0); at < 2*long; at += time.Second {
			if s, _ := r.m.Status("a"); s.Condition != manager.Ready {
				if lost := r.now.Sub(from); tt.ready || lost != tt.lost {
					t.Errorf("%s: lost after %v, want %v", tt.name, lost, tt.lost)
				}
				break
			}
			switch {
			case tt.work == 0 && at%time.Minute == 59*time.Second:
				r.do(r.m.CallTool(r.now, "a", "t", "", opt))
				r.m, _ = manager.Restore(cfg, r.m.Snapshot(), r.now, func(string) (manager.Options, bool) { return manager.Options{}, true })
			case tt.work > 0 && at == tt.work:
				r.take(r.m.Report(r.now, manager.Report{Kind: manager.Received, Link: r.link("a"), Message: answerTo(call)}))
				if s, _ := r.m.Status("a"); s.Misses != 0 || s.Pending != 1 { // the ping
					t.Errorf("%s: %+v", tt.name, s)
				}
				at = 2 * long
			}
			r.sleep(time.Second)
		}
	}
}

// There are servers that leave pings unanswered: what they answer shows that they live, and when they stop they are lost
// as soon as others.
func TestNoPings(t *testing.T) {
	cfg := config()
	cfg.Health = manager.Health{}
	r := newRig(t, cfg)
	r.connect("a", manager.Options{})
	r.all = manager.Effects{}
	var told []int
	var asked []string
	heard := r.now
	for s, _ := r.m.Status("a"); s.Condition == manager.Ready; s, _ = r.m.Status("a") {
		r.sleep(time.Second)
		happened := r.all
		r.all = manager.Effects{}
		for _, ev := range events(happened, manager.PingsMissed) {
			told = append(told, ev.Misses)
		}
		for _, line := range sent(happened, "a") {
			method := rawjson.Text(line, "method")
			asked = append(asked, method)
			if method == "tools/list" && len(asked) < 8 {
				r.m, _ = manager.Restore(cfg, r.m.Snapshot(), r.now, func(string) (manager.Options, bool) { return manager.Options{}, true })
				r.take(r.m.Report(r.now, manager.Report{Kind: manager.Received, Link: r.link("a"), Message: listed(line)}))
				heard = r.now
			}
		}
	}
	want := []string{"ping", "notifications/cancelled", "tools/list", "tools/list", "tools/list", "tools/list", "tools/list", "tools/list"}
	if !slices.Equal(asked[:len(want)], want) {
		t.Errorf("%q", asked)
	}
	if lost := r.now.Sub(heard); lost != time.Minute || !slices.Equal(told, []int{1, 0, 1, 2, 3}) {
		t.Errorf("lost after %v, misses %v", lost, told)
	}
}

// A connection costs no pings while messages come in, and one in each Interval while it is idle;
// one that works on a request in silence has one in each Timeouts.Ping.
func TestPingTraffic(t *testing.T) {
	for _, tt := range []struct {
		name       string
		every      time.Duration // a message comes in; 0: never
		asks, busy bool          // a request is answered at once; one is never answered
		want       int           // pings within ten minutes
	}{
		{"idle", 0, false, false, 20},
		{"notified", 29 * time.Second, false, false, 0},
		{"asked", 29 * time.Second, true, false, 0},
		{"busy", 0, false, true, 60},
		{"busy and heard", 9 * time.Second, false, true, 0},
	} {
		cfg := config()
		cfg.Health = manager.Health{}
		r := newRig(t, cfg)
		r.connect("a", manager.Options{})
		if tt.busy {
			r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: time.Hour, Maximum: time.Hour}))
		}
		pings := 0
		for second := 1; second <= 600; second++ {
			r.all = manager.Effects{}
			r.sleep(time.Second)
			for _, line := range sent(r.all, "a") {
				pings++
				r.take(r.m.Report(r.now, manager.Report{Kind: manager.Received, Link: r.link("a"), Message: answerTo(line)}))
			}
			if tt.every > 0 && time.Duration(second)*time.Second%tt.every == 0 {
				if tt.asks {
					out := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{}))
					r.take(r.m.Report(r.now, manager.Report{Kind: manager.Received, Link: r.link("a"), Message: answerTo(sent(out, "a")[0])}))
				} else {
					r.say("a", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
				}
			}
		}
		if pings != tt.want {
			t.Errorf("%s: %d pings, want %d", tt.name, pings, tt.want)
		}
	}
}

// A server that is heard of again after a miss is as good as any.
func TestSuspicionEnds(t *testing.T) {
	cfg := config()
	cfg.Health = manager.Health{}
	r := newRig(t, cfg)
	r.connect("a", manager.Options{})
	r.sleep(50 * time.Second) // two pings are unanswered
	if s, _ := r.m.Status("a"); s.Misses != 2 {
		t.Fatalf("%+v", s)
	}
	r.say("a", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	from := r.now
	r.all = manager.Effects{}
	r.sleep(30*time.Second - 1)
	if s, _ := r.m.Status("a"); s.Misses != 0 || s.Condition != manager.Ready {
		t.Fatalf("%+v", s)
	}
	for _, a := range r.all.Actions {
		if a.Kind == manager.ActSend && a.Out.Message.Method == "ping" {
			t.Fatalf("it is pinged %v after it was heard of", r.now.Sub(from))
		}
	}
	r.sleep(30*time.Second + 1)
	if s, _ := r.m.Status("a"); s.Condition != manager.Failed {
		t.Fatalf("%+v", s) // 60 s after it was heard of
	}
}

// A server that was at work when it was pinged for the first time, and says everything in its turn afterwards, answers
// pings: it is not asked for lists for ever.
func TestPingsAnsweredLate(t *testing.T) {
	cfg := config()
	cfg.Health = manager.Health{}
	r := newRig(t, cfg)
	r.connect("a", manager.Options{})
	r.all = manager.Effects{}
	r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{}))
	r.sleep(25 * time.Second)
	for _, line := range sent(r.all, "a") {
		if rawjson.Text(line, "method") != protocol.MethodCancelled {
			id, _ := rawjson.Get(line, "id")
			r.say("a", `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[],"tools":[]}}`)
		}
	}
	r.all = manager.Effects{}
	r.sleep(30 * time.Second)
	if lines := sent(r.all, "a"); len(lines) != 1 || rawjson.Text(lines[0], "method") != "ping" {
		t.Errorf("%q", lines)
	}
}

// Pings that cannot even be sent, as to a server that is being started again, are sent no faster than others while the
// server may be at work.
func TestPingsThatFailAtOnce(t *testing.T) {
	cfg := config()
	cfg.Health = manager.Health{}
	r := newRig(t, cfg)
	r.connect("a", manager.Options{})
	r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: time.Hour}))
	for range 100 {
		r.sleep(9 * time.Second)
		r.say("a", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	}
	link, pings := r.link("a"), 0
	r.sleep(10 * time.Second)
	for end := r.now.Add(time.Minute); r.now.Before(end); r.sleep(time.Second) {
		for req := request(r.out); !req.IsZero() && pings < 100; req = request(r.out) {
			pings++
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.SendFailed, Link: link, Req: req, Err: errors.New("refused")}))
			r.sleep(0)
		}
	}
	if s, _ := r.m.Status("a"); pings != 8 || s.Condition != manager.Ready {
		t.Errorf("%d pings, %v", pings, s.Condition)
	}
}

// listed is what a server without tools says when it is asked for them.
func listed(line string) jsonrpc.Message {
	id, _ := rawjson.Get(line, "id")
	return jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[]}}`)
}

// answerTo is what a server says to a request.
func answerTo(line string) jsonrpc.Message {
	id, _ := rawjson.Get(line, "id")
	return jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
}
