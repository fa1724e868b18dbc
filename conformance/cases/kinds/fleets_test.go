package kinds_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

const tool = `{"name":"t","inputSchema":{"type":"object"}}`

// reply is a server's answer to a message of the program; "" for none.
func reply(m jsonrpc.Message) string {
	result := ""
	switch m.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}`
	case "tools/list":
		result = `{"tools":[` + tool + `]}`
	case "resources/list":
		result = `{"resources":[{"uri":"x:1","name":"r"}]}`
	case "resources/templates/list":
		result = `{"resourceTemplates":[]}`
	case "prompts/list":
		result = `{"prompts":[{"name":"p"}]}`
	default:
		return ""
	}
	return `{"jsonrpc":"2.0","id":` + string(m.ID.Append(nil)) + `,"result":` + result + `}`
}

// serve does the actions on connections until none is left.
func serve(todo []manager.Action, opened func(manager.Link) []manager.Action, receive func(manager.Link, jsonrpc.Message) []manager.Action) (last map[string]manager.Action) {
	last = map[string]manager.Action{}
	for len(todo) > 0 {
		a := todo[0]
		todo = todo[1:]
		switch a.Kind {
		case manager.ActOpen:
			last["open "+a.Link.Server] = a
			if a.Endpoint != "slow" {
				todo = append(todo, opened(a.Link)...)
			}
		case manager.ActSend:
			last[a.Out.Message.Method] = a
			if line := reply(a.Out.Message); line != "" {
				todo = append(todo, receive(a.Link, jsonrpc.DecodeString(line))...)
			}
		}
	}
	return last
}

func managerConfig() manager.Config {
	return manager.Config{
		Client:   client.Config{Info: info, Serve: []string{"x/ask"}, Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true},
		Health:   manager.Health{Interval: 3 * time.Hour},
		Timeouts: manager.Timeouts{Connect: 90 * time.Minute, Request: 2 * time.Hour, Ping: 2 * time.Hour, Inbound: 2 * time.Hour, Close: time.Hour + time.Minute},
		Backoff:  backoff.Policy{Base: time.Minute, Jitter: 0.5},
	}
}

func endpoint(name string) manager.Options {
	return manager.Options{Endpoint: name, Supervise: name != "sleeps", OnDemand: name == "sleeps", Resubscribe: name == "a"}
}

// managed is a Manager with a ready server, one that is opening and one on demand,
// a call of the first and a request to it.
func managed(now time.Time) (m manager.Manager, slow manager.Link, asks manager.Call, req client.Req, op manager.Op) {
	m = must(manager.New(managerConfig(), now))
	for _, name := range []string{"a", "slow"} {
		next, out, err := m.Connect(now, name, endpoint(name))
		m = must(next, err)
		last := serve(out.Actions, func(l manager.Link) []manager.Action {
			next, out := m.Report(now, manager.Report{Kind: manager.Opened, Link: l})
			m = next
			return out.Actions
		}, func(l manager.Link, msg jsonrpc.Message) []manager.Action {
			next, out := m.Report(now, manager.Report{Kind: manager.Received, Link: l, Message: msg})
			m = next
			return out.Actions
		})
		slow = last["open slow"].Link
	}
	m, _, err := m.Connect(now, "sleeps", endpoint("sleeps"))
	a, _ := must(m, err).Link("a")
	m, out := m.Report(now, manager.Report{Kind: manager.Received, Link: a, Message: jsonrpc.DecodeString(asked)})
	for _, ev := range out.Events {
		asks = ev.Call
	}
	m, out, err = m.CallTool(now, "a", "t", "", manager.RequestOptions{})
	must(m, err)
	return m, slow, asks, out.Actions[0].Out.Req, out.Op
}

// linkVerbs are the verbs of a machine that accepts reports of links.
func linkVerbs(a, slow manager.Link, req client.Req) map[string][]any {
	verbs := map[string][]any{"Tick": args()}
	for _, r := range []manager.Report{
		{Kind: manager.Opened, Link: slow}, {Kind: manager.OpenFailed, Link: slow, Err: errLost}, {Kind: manager.Ended, Link: a, Err: errLost},
		{Kind: manager.Received, Link: a, Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"d","method":"x/ask"}`)},
		{Kind: manager.SendFailed, Link: a, Req: req, Err: errLost}, {Kind: manager.ResponseLost, Link: a, Req: req, Err: errLost}, {Kind: manager.Paused, Link: a, Req: req},
	} {
		verbs["Report "+r.Kind.String()] = args(r)
	}
	return verbs
}

func managerRow(t testing.TB) machine {
	now := verbs.Epoch
	m, slow, asks, req, op := managed(now)
	a, _ := m.Link("a")
	opt := manager.RequestOptions{Timeout: time.Minute}
	verbs := linkVerbs(a, slow, req)
	for name, with := range map[string][]any{
		"Connect": args("b", manager.Options{Endpoint: "b", Fallbacks: []manager.Fallback{{Endpoint: "c", Revisions: protocol.Revisions()}}}), "Reconnect": args("a"), "Disconnect": args("a"), "DisconnectAll": args(), "Open": args("sleeps"),
		"List": args("a", "tools/list", manager.Budget{Total: time.Minute}), "Respond": args(asks, protocol.Raw(`{}`)),
		"Fail": args(asks, jsonrpc.Error{Code: 1, Message: "m"}), "Finish": args(asks, client.Answer{Result: protocol.Raw(`{}`)}),
		"Progress": args(asks, protocol.ProgressParams{Progress: 1}), "Notify": args("a", protocol.RawRequest{Name: "notifications/x"}, asks),
		"SetRoots": args("a", []protocol.Root{{URI: "file:///b"}}), "Abandon": args(asks),
		"CallTool": args("a", "t", protocol.Raw(`{}`), opt), "GetPrompt": args("a", "p", protocol.Raw(`{}`), opt),
		"Complete": args("a", protocol.CompleteParams{Ref: protocol.Reference{Type: "ref/prompt", Name: "p"}, Argument: protocol.CompleteArgument{Name: "n"}}, opt),
		"Request":  args("a", protocol.PingParams{}, opt), "Cancel": args(op, "why"), "HealthCheck": args(), "Forget": args("a", "x:1"),
	} {
		verbs[name] = with
	}
	return machine{
		name: "manager.Manager", now: now, of: thing{m}, verbs: verbs,
		tick: func(v thing, now, beside time.Time) thing { m, _ := v[0].(manager.Manager).Tick(now); return thing{m} },
	}
}

func catalogConfig() catalog.Config {
	return catalog.Config{Naming: naming.Policy{Names: naming.Plain}, Sources: []catalog.Source{{Name: "a"}, {Name: "slow"}}, TTL: 90 * time.Minute, Renew: true, Local: []protocol.Tool{{Name: "own", InputSchema: `{"type":"object"}`}}}
}

func catalogRow(t testing.TB) machine {
	now := verbs.Epoch
	m, _, _, _, _ := managed(now)
	ts, m, eff := must(catalog.New(catalogConfig(), now)).Handle(m, now, manager.Effects{})
	serve(eff.Actions, nil, func(l manager.Link, msg jsonrpc.Message) []manager.Action {
		next, out := m.Report(now, manager.Report{Kind: manager.Received, Link: l, Message: msg})
		ts, m, eff = ts.Handle(next, now, out)
		return eff.Actions
	})
	return machine{
		name: "catalog.Catalog", now: now, of: thing{ts, m}, idle: []string{"Settled"},
		verbs: map[string][]any{
			"Seek": args(protocol.ToolList, "nobody", now.Add(time.Minute)), "Attach": args(catalog.Source{Name: "sleeps"}), "Detach": args("a"), "Invalidate": args("a"),
			"Set":   args([]catalog.Source{{Name: "sleeps"}, {Name: "a", Filter: catalog.Filter{Deny: []catalog.Rule{{Name: "x"}}}}}),
			"Await": args(protocol.ToolList, "slow", now), "Advance": args(), "Settled": args(protocol.ToolList, "a"),
			"Refresh": args("a"), "Close": args(), "Handle": args(manager.Effects{}), "Tick": args(),
		},
		tick: func(v thing, now, beside time.Time) thing {
			m, out := v[1].(manager.Manager).Tick(beside)
			t, m, _ := v[0].(catalog.Catalog).Handle(m, now, out)
			t, m, _ = t.Tick(m, now)
			return thing{t, m}
		},
	}
}

func callerRow(t testing.TB) machine {
	now := verbs.Epoch
	cfg := calls.Config{Manager: managerConfig(), Catalog: catalogConfig(), Attempts: execConfig()}
	c := must(calls.New(cfg, now))
	var slow manager.Link
	var last map[string]manager.Action
	drive := func(next calls.Caller, out calls.Output, err error) calls.Output {
		c = must(next, err)
		last = serve(out.Actions, func(l manager.Link) []manager.Action {
			next, out := c.Report(now, manager.Report{Kind: manager.Opened, Link: l})
			c = next
			return out.Actions
		}, func(l manager.Link, msg jsonrpc.Message) []manager.Action {
			next, out := c.Report(now, manager.Report{Kind: manager.Received, Link: l, Message: msg})
			c = next
			return out.Actions
		})
		return out
	}
	for _, name := range []string{"a", "slow"} {
		drive(c.Manage(now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			return m.Connect(now, name, endpoint(name))
		}))
		slow = last["open slow"].Link
	}
	drive(c.Call(now, calls.Request{Name: "t"}))
	req := last["tools/call"].Out.Req
	batch := drive(c.Batch(now, []calls.Request{{Name: "own"}, {Name: "t"}}, attempt.BatchOptions{Strategy: attempt.Parallel}))
	a, _ := c.Manager().Link("a")
	verbs := linkVerbs(a, slow, req)
	for name, with := range map[string][]any{
		"Call": args(calls.Request{Name: "own"}), "Batch": args([]calls.Request{{Name: "own"}, {Name: "t"}}, attempt.BatchOptions{}),
		"Cancel": args(attempt.CallID(1), "why"), "CancelBatch": args(batch.Batch, "why"), "Finish": args(batch.LocalStart[0].Attempt, attempt.Outcome{Result: protocol.TextResult("x")}),
		"Manage": args(func(m manager.Manager) (manager.Manager, manager.Effects, error) { return m, manager.Effects{}, nil }),
		"Catalog": args(func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return t, m, catalog.Update{}, nil
		}),
		"SetLocal": args([]protocol.Tool{{Name: "own", InputSchema: `{"type":"object"}`}}), "Close": args(),
	} {
		verbs[name] = with
	}
	return machine{
		name: "calls.Caller", now: now, of: thing{c}, verbs: verbs,
		tick: func(v thing, now, beside time.Time) thing { c, _ := v[0].(calls.Caller).Tick(now); return thing{c} },
	}
}

func relayConfig() relay.Config { return relay.Config{Info: info, Manager: managerConfig()} }

func relayServers() []relay.Server {
	return []relay.Server{{Name: "a", Definition: "1", Options: manager.Options{Endpoint: "a"}}, {Name: "slow", Definition: "1", Options: manager.Options{Endpoint: "slow"}}}
}

// relayed is a Relay with a call under way.
func relayed(now time.Time) (r relay.Relay, s server.State, slow manager.Link, req client.Req) {
	cfg := relayConfig()
	s = must(server.New(must(cfg.Server(server.Config{Info: info})), now))
	r = must(relay.New(cfg, relayServers(), now))
	for _, line := range []string{
		verbs.InitializeLine("2025-06-18", `{"roots":{"listChanged":true}}`), verbs.Initialized, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp.a.t","arguments":{}}}`,
	} {
		next, out := s.Receive(now, jsonrpc.DecodeString(line))
		var eff relay.Effects
		r, s, eff = r.Handle(next, now, out)
		last := serve(eff.Actions, func(l manager.Link) []manager.Action {
			r, s, eff = r.Report(s, now, manager.Report{Kind: manager.Opened, Link: l})
			return eff.Actions
		}, func(l manager.Link, msg jsonrpc.Message) []manager.Action {
			r, s, eff = r.Report(s, now, manager.Report{Kind: manager.Received, Link: l, Message: msg})
			return eff.Actions
		})
		if a, ok := last["open slow"]; ok {
			slow = a.Link
		}
		req = last["tools/call"].Out.Req
	}
	return r, s, slow, req
}

func relayRow(t testing.TB) machine {
	now := verbs.Epoch
	r, s, slow, req := relayed(now)
	if slow.IsZero() || req.IsZero() {
		t.Fatal("nothing is under way", slow, req)
	}
	var a manager.Link
	for _, st := range r.Statuses() {
		if st.Link.Server == "a" {
			a = st.Link
		}
	}
	_, out := s.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","arguments":{}}}`))
	verbs := linkVerbs(a, slow, req)
	for name, with := range map[string][]any{
		"SetServers": args(append(relayServers(), relay.Server{Name: "b", Definition: "1", Options: manager.Options{Endpoint: "b"}})),
		"Restart":    args("a"), "Close": args(), "Rest": args(), "Handle": args(out), "Resume": args(),
	} {
		verbs[name] = with
	}
	return machine{
		name: "relay.Relay", now: now, of: thing{r, s}, verbs: verbs,
		tick: func(v thing, now, beside time.Time) thing {
			s, out := v[1].(server.State).Tick(beside)
			r, s, _ := v[0].(relay.Relay).Handle(s, now, out)
			r, s, _ = r.Tick(s, now)
			return thing{r, s}
		},
	}
}

func execConfig() attempt.Config {
	return attempt.Config{Running: 3, Lanes: []attempt.Lane{{Name: "b"}, {Name: "a", Running: 2}}, Policy: attempt.Policy{
		Attempt: 90 * time.Minute, Total: 5 * time.Hour, Retry: backoff.Policy{Base: time.Minute, Attempts: 3, Jitter: 0.5},
	}}
}

func executed(now time.Time) attempt.Executor {
	x := must(attempt.New(execConfig(), now))
	for range 2 {
		next, _, err := x.Call(now, attempt.Request{Tool: "t", Lane: "a", Hints: attempt.Hints{Local: true}})
		x = must(next, err)
	}
	next, _, err := x.Start(now, []attempt.Request{{Tool: "u"}, {Tool: "v", Lane: "a"}, {Tool: "w"}}, attempt.BatchOptions{Strategy: attempt.Parallel, Grace: 90 * time.Minute})
	return must(next, err)
}

func execRow(t testing.TB) machine {
	now := verbs.Epoch
	first := attempt.Attempt{Call: 1, Number: 1}
	return machine{
		name: "attempt.Executor", now: now, of: thing{executed(now)},
		verbs: map[string][]any{
			"Call": args(attempt.Request{Tool: "x", Arguments: `{"a":1}`}), "Start": args([]attempt.Request{{Tool: "x"}, {Tool: "y"}}, attempt.BatchOptions{}),
			"Hold": args(first, true), "Extend": args(first), "Finish": args(first, attempt.Outcome{Err: unavailable()}), "Cancel": args(attempt.CallID(1), "why"), "CancelBatch": args(attempt.BatchID(1), "why"),
			"CancelAll": args("why"), "Tick": args(),
		},
		tick: func(v thing, now, beside time.Time) thing { x, _ := v[0].(attempt.Executor).Tick(now); return thing{x} },
	}
}

func exchangeRow(t testing.TB) machine {
	x := exchange.Listen(exchange.Options{}, exchange.Session{ID: "s", Revision: protocol.Revision20250618})
	stream := x.Respond(verbs.Epoch, exchange.Head{Status: 200, ContentType: "text/event-stream"})
	return machine{
		name: "exchange.Exchange", back: true, now: verbs.Epoch, of: thing{stream},
		verbs: map[string][]any{
			"Respond": args(exchange.Head{Status: 503}), "Body": args([]byte(`{}`)), "Event": args(sse.Event{ID: "1", Data: "{}"}), "Tick": args(),
			"Unanswered": args(lifecycle.NotSent), "Closed": args(), "Reached": args(),
		},
		from: map[string]thing{"Respond": {x}, "Unanswered": {x}},
		tick: func(v thing, now, beside time.Time) thing { return thing{v[0].(exchange.Exchange).Tick(now)} },
	}
}

// waitingRow is an Exchange that waits.
func waitingRow(t testing.TB) machine {
	m := exchangeRow(t)
	m.name = "exchange.Exchange that waits"
	m.of = thing{m.of[0].(exchange.Exchange).Closed(m.now)}
	m.from = nil
	return m
}

func orderRow(t testing.TB) machine {
	now := verbs.Epoch
	x, _, req := used(verbs.NewClient(t, clientConfig()), `{}`)
	o := exchange.Order{Grace: 90 * time.Minute}.Add(lifecycle.Outgoing{Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), Req: req})
	o, ticket, _, _ := o.Next(now)
	_, out, err := x.Client().Cancel(now, req, "why")
	o = must(o.Add(out.Send...), err)
	return machine{
		name: "exchange.Order", now: now, of: thing{o}, verbs: map[string][]any{"Next": args(), "Sent": args(ticket)},
		tick: func(v thing, now, beside time.Time) thing {
			o, _, _, _ := v[0].(exchange.Order).Next(now)
			return thing{o}
		},
	}
}
