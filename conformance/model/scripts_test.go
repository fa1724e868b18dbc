package model_test

import (
	"math/rand"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

func receive(text string) model.Step { return model.Step{Op: verbs.OpReceive, Text: text} }

// at is a step some time after the beginning.
func at(d time.Duration, s model.Step) model.Step {
	s.Now = model.Origin.Add(d)
	return s
}

func ask(p func() (name, body string), opt lifecycle.RequestOptions) model.Step {
	return model.Step{Op: verbs.OpRequest, Params: raw(p()), Options: opt}
}

func ping() (name, body string) { return "ping", "" }

func pingWith(token string) func() (name, body string) {
	return func() (name, body string) { return "ping", `{"_meta":{` + token + `}}` }
}

// script is the part after the handshake.
type script struct {
	party lifecycle.Party
	set   func(*model.Setup)
	steps []model.Step
}

var tick = model.Step{Op: verbs.OpTick}

// scripts are cases that random runs seldom reach, such as former findings.
var scripts = map[string]script{
	"a batch whose calls are closed in it": {lifecycle.Server, nil, []model.Step{
		receive(`[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t1"}},{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}]`),
		receive(`[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t1"}},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t1"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}]`),
	}},
	"a batch that ends the session halfway": {lifecycle.Client, nil, []model.Step{
		ask(ping, lifecycle.RequestOptions{}), {Op: verbs.OpShutdown, Grace: time.Minute},
		receive(`[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":3,"method":"ping"}]`),
	}},
	"a ping of the keepalive that is cancelled": {lifecycle.Client, everySecond, []model.Step{
		at(time.Second, tick), at(time.Second, model.Step{Op: verbs.OpCancel, Req: lifecycle.MakeReq(nil, 2)}), at(2*time.Second, tick),
		at(2*time.Second, model.Step{Op: verbs.OpSendFailed, Req: lifecycle.MakeReq(nil, 3)}), at(3*time.Second, tick),
		at(3*time.Second, receive(`{"jsonrpc":"2.0","id":4}`)), at(4*time.Second, tick),
	}},
	"a peer that answers pings with method not found": {lifecycle.Client, everySecond, []model.Step{
		at(time.Second, tick), at(time.Second, receive(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"m"}}`)), at(time.Minute, tick),
	}},
	"a reset fills the buckets": {
		lifecycle.Server, func(s *model.Setup) { s.Limits.Requests = lifecycle.Rate{PerSecond: 1} }, []model.Step{
			receive(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), receive(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`),
			{Op: verbs.OpDisconnected}, {Op: verbs.OpReset},
			receive(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`),
			receive(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), receive(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`),
		},
	},
	"progress right at the deadline": {lifecycle.Client, nil, []model.Step{
		ask(ping, lifecycle.RequestOptions{ResetOnProgress: true, Timeout: 10, Maximum: 25}),
		at(9, receive(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`)),
		at(19, receive(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":2}}`)), at(19, tick),
		ask(ping, lifecycle.RequestOptions{ResetOnProgress: true, Timeout: 10, Maximum: 12}),
		at(28, receive(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1}}`)), at(30, tick), at(31, tick),
	}},
	"an answer that comes too late to finish": {lifecycle.Server, nil, []model.Step{
		receive(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t1"}}`),
		receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`),
		at(time.Hour, model.Step{Op: verbs.OpFinish, Call: lifecycle.MakeCall(nil, 2, 2), Result: result(`{"content":[]}`)}),
		at(time.Second, ask(ping, lifecycle.RequestOptions{})),
	}},
	"a shutdown that waits for both tables": {lifecycle.Client, nil, []model.Step{
		receive(`{"jsonrpc":"2.0","id":2,"method":"custom/one"}`), ask(ping, lifecycle.RequestOptions{}),
		{Op: verbs.OpShutdown, Grace: 5 * time.Second}, receive(`{"jsonrpc":"2.0","id":2,"result":{}}`),
		{Op: verbs.OpAbandon, Call: lifecycle.MakeCall(nil, 1, 2)}, receive(`{"jsonrpc":"2.0","id":9,"method":"ping"}`),
	}},
	"numbers that serve as tokens": {lifecycle.Client, nil, []model.Step{
		ask(pingWith(`"progressToken":3`), lifecycle.RequestOptions{}), ask(ping, lifecycle.RequestOptions{Progress: true}),
		ask(pingWith(`"progressToken":4`), lifecycle.RequestOptions{}), ask(pingWith(`"progress\u0054oken":4`), lifecycle.RequestOptions{}),
		receive(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1}}`),
		receive(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":4,"progress":1}}`),
		ask(pingWith(`"progressToken":"x"`), lifecycle.RequestOptions{ReplaceToken: true}),
		receive(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}`),
	}},
	"a bad InitializeResult": {lifecycle.Client, nil, []model.Step{
		{Op: verbs.OpDisconnected}, {Op: verbs.OpReset}, {Op: verbs.OpInitialize}, ask(ping, lifecycle.RequestOptions{}),
		receive(`{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18"}}`), {Op: verbs.OpFail, Failure: &jsonrpc.Error{Code: 1}},
	}},
	"changes that follow each other": {
		lifecycle.Server, func(s *model.Setup) { s.ListChanged, s.ChangeDelay = true, time.Second }, []model.Step{
			{Op: verbs.OpOffer, Offer: model.Offer{Tools: []string{"t1", "t2"}}},
			at(500*time.Millisecond, model.Step{Op: verbs.OpOffer, Offer: model.Offer{Tools: []string{}}}),
			at(999*time.Millisecond, tick), at(time.Second, tick), at(time.Minute, tick),
		},
	},
}

func everySecond(s *model.Setup) { s.Keepalive.Interval = time.Second }

// TestScripts runs the scripts next to the naive machines.
func TestScripts(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			set := setups[script.party]
			if script.set != nil {
				script.set(&set)
			}
			run, err := model.NewRun(rand.New(rand.NewSource(1)), set, false)
			if err != nil {
				t.Fatal(err)
			}
			var steps []model.Step
			if script.party == lifecycle.Client {
				steps = append(steps, model.Step{Op: verbs.OpInitialize})
			}
			handshake, _ := lines(script.party)
			for _, line := range handshake {
				steps = append(steps, receive(line))
			}
			for _, s := range append(steps, script.steps...) {
				if s.Now.IsZero() {
					s.Now = model.Origin
				}
				if err := run.Do(s); err != nil {
					fails(t, err)
				}
			}
			if err := run.Close(); err != nil {
				fails(t, err)
			}
		})
	}
}

// A Source made of bytes gives the same run each time, and ends.
func TestBytes(t *testing.T) {
	data := make([]byte, 2000)
	rand.New(rand.NewSource(3)).Read(data)
	text := ""
	for range 2 {
		src := model.NewBytes(data)
		run, err := model.NewRun(src, model.RandomSetup(src, lifecycle.Server), true)
		if err != nil {
			t.Fatal(err)
		}
		for !src.Done() {
			if err := run.Step(); err != nil {
				fails(t, err)
			}
		}
		if got := run.Transcript(); text != "" && got != text {
			t.Errorf("the same bytes give another run:\n%s\n%s", text, got)
		}
		text = run.Transcript()
	}
}
