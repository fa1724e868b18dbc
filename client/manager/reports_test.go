package manager_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// request returns the handle of the last request that a step sends.
func request(out manager.Effects) (req client.Req) {
	for _, a := range out.Actions {
		if a.Kind == manager.ActSend && a.Out.Message.Kind == jsonrpc.KindRequest {
			req = a.Out.Req
		}
	}
	return req
}

// A ping that did not get out, or whose answer is lost, is one without a sign of life: the
// connection is lost in the step of the last one (E18).
func TestPingsThatAreLost(t *testing.T) {
	cfg := config()
	cfg.Health = manager.Health{Interval: time.Second, Misses: 2}
	r := newRig(t, cfg)
	r.connect("s", manager.Options{Supervise: true})
	link := r.link("s")
	r.sleep(time.Second)
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.SendFailed, Link: link, Req: request(r.out), Err: errors.New("full")}))
	if s, _ := r.m.Status("s"); s.Condition != manager.Ready || s.Misses != 1 {
		t.Fatalf("after one ping: %v, %d misses", s.Condition, s.Misses)
	}
	r.sleep(time.Second)
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.ResponseLost, Link: link, Req: request(r.out), Err: errors.New("cut")}))
	if s, _ := r.m.Status("s"); s.Condition != manager.Waiting || !errors.Is(s.Err, manager.ErrSilent) {
		t.Errorf("after two pings: %v, %v", s.Condition, s.Err)
	}
}

// A person who logs in while a server is connected to takes longer than the server may: the time of the handshake stands
// still meanwhile, for as long as a person has, and that of subscriptions that are restored after it.
func TestPersonWhileConnecting(t *testing.T) {
	patient := func() *rig {
		cfg := config()
		cfg.Client.Timeouts.Human, cfg.Timeouts.Connect = 5*time.Minute, 30*time.Second
		return newRig(t, cfg)
	}
	paused := func(r *rig, resumed bool) {
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.Paused, Link: r.link("s"), Req: lastReq(r.all), Resumed: resumed}))
	}
	condition := func(r *rig, want manager.Condition) {
		t.Helper()
		if s, _ := r.m.Status("s"); s.Condition != want {
			t.Errorf("%v, want %v: %v", s.Condition, want, s.Err)
		}
	}
	for _, opt := range []manager.Options{{Supervise: true}, {Supervise: true, Client: &client.Config{Info: config().Client.Info, Revisions: protocol.AllRevisions()}}} {
		r := patient()
		r.do(r.m.Connect(r.now, "s", opt))
		out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("s")}))
		first := out.Actions[len(out.Actions)-1].Out.Message
		r.sleep(time.Second)
		paused(r, false)
		r.sleep(4 * time.Minute)
		paused(r, true)
		r.sleep(4 * time.Second)
		condition(r, manager.Handshaking)
		if first.Method == protocol.MethodInitialize {
			r.say("s", hello(lastID(t, out)))
		} else {
			r.say("s", `{"jsonrpc":"2.0","id":`+first.ID.String()+`,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}`)
		}
		condition(r, manager.Ready)

		// A person who does not come, and a server that is silent afterwards.
		for _, comes := range []bool{false, true} {
			r := patient()
			r.do(r.m.Connect(r.now, "s", manager.Options{Supervise: true}))
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("s")}))
			paused(r, false)
			rest := 5 * time.Minute
			if comes {
				rest = 30 * time.Second
				r.sleep(time.Minute)
				paused(r, true)
			}
			r.sleep(rest - 1)
			condition(r, manager.Handshaking)
			r.sleep(1)
			condition(r, manager.Waiting)
		}
	}
	// A person has no end of time, until the Config has one.
	cfg := config()
	cfg.Client.Timeouts.Human = lifecycle.NoTimeout
	r := newRig(t, cfg)
	r.do(r.m.Connect(r.now, "s", manager.Options{Supervise: true}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("s")}))
	paused(r, false)
	for _, human := range []time.Duration{lifecycle.NoTimeout, time.Hour} {
		r.sleep(100 * time.Hour)
		condition(r, manager.Handshaking)
		cfg.Client.Timeouts.Human = human
		m, err := manager.Restore(cfg, r.m.Snapshot(), r.now, func(string) (manager.Options, bool) { return manager.Options{Supervise: true}, true })
		if err != nil {
			t.Fatal(err)
		}
		r.take(m, manager.Effects{})
	}
	r.sleep(time.Hour)
	condition(r, manager.Waiting)

	r = patient()
	r.connect("s", manager.Options{Supervise: true, Resubscribe: true})
	r.subscribe("s", "file:///a")
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("s")}))
	r.sleep(time.Second)
	r.shake("s")
	condition(r, manager.Restoring)
	paused(r, false)
	r.sleep(4 * time.Minute)
	condition(r, manager.Restoring)
	paused(r, true)
	r.sleep(30*time.Second - 1)
	condition(r, manager.Restoring)
}

// Handles that were given out before a Snapshot are good after Restore, as Links and Ops are:
// the connections of a driver outlive the value (B25).
func TestHandlesAfterRestore(t *testing.T) {
	cfg := config()
	cfg.Client.Serve = []string{protocol.MethodSamplingCreateMessage}
	r := newRig(t, cfg)
	r.connect("s", manager.Options{})
	link := r.link("s")
	r.do(r.m.CallTool(r.now, "s", "one", "", manager.RequestOptions{}))
	one, opOne := request(r.out), r.out.Op
	r.do(r.m.CallTool(r.now, "s", "two", "", manager.RequestOptions{}))
	two, opTwo := request(r.out), r.out.Op
	var calls []manager.Call
	for _, id := range []string{"1", "2", "3", "4"} {
		r.say("s", `{"jsonrpc":"2.0","id":"`+id+`","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":1}}`)
		calls = append(calls, r.out.Events[0].Call)
	}
	m, err := manager.Restore(cfg, r.m.Snapshot(), r.now, func(string) (manager.Options, bool) { return manager.Options{}, true })
	if err != nil {
		t.Fatal(err)
	}
	r.m = m
	done := func(op manager.Op) bool {
		return slices.ContainsFunc(r.out.Events, func(ev manager.Event) bool { return ev.Kind == manager.OpDone && ev.Op == op })
	}
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.SendFailed, Link: link, Req: one, Err: errors.New("full")}))
	if !done(opOne) {
		t.Error("SendFailed changes nothing")
	}
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.ResponseLost, Link: link, Req: two, Err: errors.New("cut")}))
	if !done(opTwo) {
		t.Error("ResponseLost changes nothing")
	}
	said := protocol.Raw(`{"role":"assistant","model":"m","content":{"type":"text","text":"!"}}`)
	r.do(r.m.Respond(r.now, calls[0], said))
	r.do(r.m.Fail(r.now, calls[1], jsonrpc.Error{Code: -1, Message: "no"}))
	r.do(r.m.Finish(r.now, calls[2], client.Answer{Result: said}))
	r.take(r.m.Abandon(r.now, calls[3]))
	s, _ := r.m.Client("s")
	for info := range s.Inbound() {
		t.Errorf("%v is open", info.ID)
	}
}

// A Report of a kind that there is not, or that comes at the wrong time, is counted and changes
// nothing else.
func TestReportKinds(t *testing.T) {
	if s := manager.Received.String() + " " + manager.ReportKind(99).String() + " " + manager.ReportKind(0).String(); s != "received report(?) report(?)" {
		t.Error(s)
	}
	r := newRig(t, config())
	r.do(r.m.Connect(r.now, "s", manager.Options{}))
	for i, kinds := range [][]manager.ReportKind{
		{0, 8, 99, manager.Received, manager.SendFailed, manager.ResponseLost, manager.Paused},
		{0, 8, 99, manager.Opened},
	} {
		if i == 1 {
			r.shake("s")
		}
		for _, k := range kinds {
			late, was := r.m.LateReports(), r.m
			s, _ := was.Status("s")
			ping := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"ping","id":1}`)
			out := r.take(r.m.Report(r.now, manager.Report{Kind: k, Link: r.link("s"), Message: ping, Err: errors.New("full")}))
			if after, _ := r.m.Status("s"); r.m.LateReports() != late+1 || !out.IsZero() || after != s {
				t.Errorf("%v: %v: %+v, %+v", s.Condition, k, out, after)
			}
		}
	}
}
