package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// withoutSession is a client of a server that offers everything.
func withoutSession(t *testing.T) client.State {
	t.Helper()
	c, err := client.New(client.Config{
		Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.AllRevisions(), Serve: []string{protocol.MethodElicitationCreate},
		Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true, Keepalive: lifecycle.Keepalive{Interval: time.Second, Misses: 3},
	}, began)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err = c.Connect(began, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{}},"instructions":"i"}`)
	if err != nil || c.Phase() != lifecycle.Ready {
		t.Fatalf("%v %v", err, c.Phase())
	}
	return c
}

// Each request says what it is made under, in the same bytes, beside what the application says; what
// only sessions have is not sent.
//
// rows: REQM-001 REQM-002 REQM-007 REQM-008 REQM-015 JRPC-206 JRPC-208 ROOT-201 ROOT-202 PING-201 DISC-006 DISC-007 DISC-012 STDIO-201 ELIC-202 CAP-202
// revisions: 2026-07-28
func TestEveryRequestHasAnEnvelope(t *testing.T) {
	c := withoutSession(t)
	const envelope = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{},"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}`
	ref := protocol.Reference{Type: "ref/prompt", Name: "p"}
	for _, p := range []protocol.Params{
		protocol.DiscoverParams{}, protocol.ListToolsParams{}, protocol.ListToolsParams{Meta: `{"x/y":1}`}, protocol.ListPromptsParams{}, protocol.ListResourcesParams{},
		protocol.ListResourceTemplatesParams{}, protocol.CallToolParams{Name: "t", Meta: ` { "io.modelcontextprotocol/protocolVersion":"1","x/y":1}`},
		protocol.CallToolParams{Name: "t", Meta: `{"io.modelcontextprotocol/\u0070rotocolVersion":"1","x/y":1,"io.modelcontextprotocol\/clientInfo":{}}`}, protocol.GetPromptParams{Name: "p"},
		protocol.ReadResourceParams{URI: "a:b"}, protocol.ListenParams{}, protocol.CompleteParams{Ref: ref, Argument: protocol.CompleteArgument{Name: "a"}},
		protocol.RawRequest{Name: "x/y"}, protocol.RawRequest{Name: "x/y", Body: `{"a":1}`},
	} {
		for _, opt := range []client.RequestOptions{{}, {Progress: true}} {
			_, o, err := c.Request(began, p, opt)
			got := strings.Join(sent(o), " ")
			if err != nil || strings.Count(got, envelope) != 1 || strings.Count(got, "rotocolVersion") != 1 || strings.Count(got, "clientInfo") != 1 || strings.Contains(got, "progressToken") != opt.Progress || strings.Contains(string(p.AppendJSON(nil)), "x/y") != strings.Contains(got, `"x/y":1`) {
				t.Errorf("%s: %v %s", p.Method(), err, got)
			}
		}
	}
	for _, p := range []protocol.Params{
		protocol.PingParams{}, protocol.InitializeParams{}, protocol.SetLevelParams{Level: "info"}, protocol.SubscribeParams{URI: "a:b"}, protocol.UnsubscribeParams{URI: "a:b"},
	} {
		if _, o, err := c.Request(began, p, client.RequestOptions{}); err == nil || len(o.Send) > 0 {
			t.Errorf("%s: %s", p.Method(), sent(o))
		}
	}
	for _, p := range []protocol.Params{protocol.RootsListChangedParams{}, protocol.InitializedParams{}} {
		if _, o, err := c.Notify(began, p, client.Call{}); err == nil || len(o.Send) > 0 {
			t.Errorf("%s: %s", p.Method(), sent(o))
		}
	}
	if _, o, err := c.SetRoots(began, []protocol.Root{{URI: "file:///b"}}); err != nil || len(o.Send) > 0 {
		t.Errorf("SetRoots: %v %s", err, sent(o))
	}
	if _, o, err := c.Notify(began, protocol.RawRequest{Name: "notifications/x"}, client.Call{}); err != nil || strings.Join(sent(o), "") != `{"jsonrpc":"2.0","method":"notifications/x"}` {
		t.Errorf("a custom notification: %v %s", err, sent(o))
	}
	if next, o := c.Tick(began.Add(time.Hour)); len(o.Send) > 0 || next.Phase() != lifecycle.Ready {
		t.Errorf("after an hour: %s %v", sent(o), next.Phase())
	}
	poor, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.AllRevisions()}, began)
	if err != nil {
		t.Fatal(err)
	}
	poor, _, _ = poor.Connect(began, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	if _, o, err := poor.Request(began, protocol.ListPromptsParams{}, client.RequestOptions{}); err == nil || len(o.Send) > 0 {
		t.Errorf("prompts that were not declared: %s", sent(o))
	}
}

// Two subscriptions on one connection are told apart by their ids, have no time limit, and end each by
// itself.
//
// rows: SUBS-007 SUBS-008 SUBS-010 SUBS-011 SUBS-013 SUBS-017 STDIO-204
// revisions: 2026-07-28
func TestListensApart(t *testing.T) {
	c := withoutSession(t)
	var reqs [2]client.Req
	for i := range reqs {
		var o client.Output
		var err error
		if c, o, err = c.Request(began, protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ToolsListChanged: true}}, client.RequestOptions{}); err != nil {
			t.Fatal(err)
		}
		reqs[i] = o.Req
	}
	called, _, err := c.Request(began, protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const changed, acknowledged = "notifications/tools/list_changed", "notifications/subscriptions/acknowledged"
	note := func(s client.State, method, id string) (client.State, client.Output) {
		params := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}`
		if method == acknowledged {
			params += `,"notifications":{}`
		}
		return s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"`+method+`","params":{`+params+`}}`))
	}
	for id, want := range map[string]client.Req{`1`: reqs[0], `2`: reqs[1], `2.0`: reqs[1], `3`: {}, `4`: {}, `"1"`: {}, `null`: {}, `-1`: {}, `1.5`: {}} {
		for _, method := range []string{changed, acknowledged} {
			_, o := note(called, method, id)
			rules := ""
			for _, ev := range o.Events {
				rules += ev.Rule
			}
			last := o.Events[len(o.Events)-1]
			switch delivered := last.Kind == lifecycle.NotificationReceived; {
			case want.IsZero():
				// That a list has changed is delivered if no subscription is named: it is for all.
				hint := method == changed && (id == "null" || id == "1.5")
				if rules != "SUBS-008" || delivered != hint || len(o.Events) != 1+map[bool]int{true: 1}[hint] {
					t.Errorf("%s of %s: %s %s", method, id, kinds(o), rules)
				}
			case !delivered && method == changed, last.Req != want, (rules == "SUBS-010") != (method == changed), len(o.Send) > 0:
				t.Errorf("%s of %s: %+v", method, id, o.Events)
			}
		}
	}
	for id := range reqs {
		c, _ = c.Receive(began, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":%d}}}`, id+1)))
	}
	if next, o := c.Tick(began.Add(1000 * time.Hour)); len(o.Events) > 0 || next.Status().Outbound != 2 {
		t.Errorf("after long: %s", kinds(o))
	}
	if _, o := note(c, changed, `1`); kinds(o) != lifecycle.NotificationReceived.String() {
		t.Errorf("once it is acknowledged: %s", kinds(o))
	}
	if restored, err := c.RestoreSession(began, c.Snapshot()); err != nil {
		t.Error(err)
	} else if _, o := note(restored, changed, `1`); kinds(o) != lifecycle.NotificationReceived.String() {
		t.Errorf("restored: %s", kinds(o))
	}
	c, o, err := c.Cancel(began, reqs[0], "")
	for _, method := range []string{changed, acknowledged} { // which was on its way
		if _, o := note(c, method, `1`); kinds(o) != lifecycle.Ignored.String() {
			t.Errorf("%s after its end: %s", method, kinds(o))
		}
	}
	if got := strings.Join(sent(o), " "); err != nil || !strings.Contains(got, `"method":"notifications/cancelled","params":{"requestId":1`) {
		t.Errorf("%v %s", err, got)
	}
	c, o = c.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}`))
	if kinds(o) != lifecycle.ResponseReceived.String() || o.Events[0].Req != reqs[1] || c.Status().Outbound != 0 || c.Check() != nil {
		t.Errorf("%s %+v", kinds(o), c.Status())
	}
}

// A client does not ask to be told of what the server has not declared.
//
// rows: SUBS-029
// revisions: 2026-07-28
func TestListensToWhatIsDeclared(t *testing.T) {
	poor, err := withoutSession(t).NewSession(began)
	if err != nil {
		t.Fatal(err)
	}
	poor, _, _ = poor.Connect(began, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}}}`)
	for _, f := range []protocol.SubscriptionFilter{{ToolsListChanged: true}, {PromptsListChanged: true}, {ResourcesListChanged: true}, {ResourceSubscriptions: []string{"a:b"}}} {
		if _, o, err := poor.Request(began, protocol.ListenParams{Notifications: f}, client.RequestOptions{}); !errors.Is(err, lifecycle.ErrCapability) || len(o.Send) > 0 {
			t.Errorf("%+v: %s, %v", f, sent(o), err)
		}
		if _, o, err := withoutSession(t).Request(began, protocol.ListenParams{Notifications: f}, client.RequestOptions{}); err != nil || len(o.Send) != 1 {
			t.Errorf("%+v, which is declared: %v", f, err)
		}
	}
	if _, _, err := poor.Request(began, protocol.ListenParams{}, client.RequestOptions{}); err != nil {
		t.Errorf("a subscription to nothing: %v", err)
	}
}

// A server need not agree to all that a subscription asks for. What it leaves out is told once, with the
// acknowledgement, also after a restore; of a filter that is too long to be kept nothing is told.
//
// rows: SUBS-009
// revisions: 2026-07-28
func TestNotAllAcknowledged(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	for name, c := range map[string]struct {
		asked     protocol.SubscriptionFilter
		got, want string
	}{
		"all":          {protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:b"}}, `{"resourceSubscriptions":["a:b"],"toolsListChanged":true}`, ""},
		"more":         {protocol.SubscriptionFilter{ToolsListChanged: true}, `{"promptsListChanged":true,"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`, ""},
		"nothing":      {protocol.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}, `{}`, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`},
		"one resource": {protocol.SubscriptionFilter{ResourceSubscriptions: []string{"a:b", "a:c", "a:d"}}, `{"resourceSubscriptions":["a:c"]}`, `{"resourceSubscriptions":["a:b","a:d"]}`},
		"asked none":   {protocol.SubscriptionFilter{}, `{"toolsListChanged":true}`, ""},
		"long":         {protocol.SubscriptionFilter{ResourceSubscriptions: []string{"a:" + long}}, `{}`, ""},
	} {
		s, o, err := withoutSession(t).Request(began, protocol.ListenParams{Notifications: c.asked}, client.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		restored, err := s.RestoreSession(began, s.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		ack := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":` + c.got + `}}`)
		for _, s := range []client.State{s, restored} {
			for _, want := range []string{c.want, ""} { // the second acknowledgement says no more
				var told client.Output
				s, told = s.Receive(began, ack)
				var got client.Event
				for _, ev := range told.Events {
					if ev.Kind == lifecycle.Downgraded {
						got = ev
					}
				}
				if string(got.Body) != want || want != "" && (got.Req.Seq() != o.Req.Seq() || got.Method != protocol.MethodListen) || s.Check() != nil {
					t.Errorf("%s: %+v, want %s", name, got, want)
				}
			}
		}
	}
}

// A subscription has to be acknowledged in the time of any request, if it was given none of its own. A
// snapshot keeps what is left of that.
//
// rows: SUBS-012
// revisions: 2026-07-28
func TestAcknowledgedInTime(t *testing.T) {
	for name, c := range map[string]struct {
		opt        client.RequestOptions
		acks       bool
		before     time.Duration // when it has to be acknowledged; 0: whenever
		afterwards time.Duration // how long it lasts from then on; 0: for ever
	}{
		"never":          {before: 60 * time.Second},
		"acknowledged":   {acks: true, before: 60 * time.Second},
		"with a maximum": {opt: client.RequestOptions{Maximum: time.Hour}, acks: true, before: 60 * time.Second, afterwards: time.Hour - time.Second},
		"with a timeout": {opt: client.RequestOptions{Timeout: 3 * time.Minute}, before: 3 * time.Minute},
		"without any":    {opt: client.RequestOptions{Timeout: lifecycle.NoTimeout}},
	} {
		s := withoutSession(t)
		s, o, err := s.Request(began, protocol.ListenParams{}, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		req, now := o.Req, began
		due := func(after time.Duration) bool {
			at, ok := s.NextDeadline()
			return ok == (after > 0) && (!ok || at.Equal(now.Add(after)))
		}
		if !due(c.before) {
			t.Errorf("%s: to be acknowledged in another time", name)
		}
		if c.acks {
			now = began.Add(time.Second)
			s, _ = s.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`))
			if !due(c.afterwards) {
				t.Errorf("%s: it lasts for another time", name)
			}
			continue
		}
		if c.before == 0 {
			continue
		}
		_, o = s.Tick(began.Add(c.before))
		if kinds(o) != lifecycle.RequestFailed.String() || o.Events[0].Req != req || o.Events[0].Cause.Kind != lifecycle.CauseTimedOut || !strings.Contains(strings.Join(sent(o), ""), "notifications/cancelled") {
			t.Errorf("%s: %s, sent %v", name, kinds(o), sent(o))
		}
	}
}
