package kinds_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

var errLost = errors.New("lost")

const asked = `{"jsonrpc":"2.0","id":"c","method":"x/ask","params":{"_meta":{"progressToken":"p"}}}`

// used returns a ready side with a call and a request under way.
func used(x verbs.Side, caps string) (verbs.Side, lifecycle.Call, lifecycle.Req) {
	x = x.Open(protocol.Revision20250618, caps)
	x, out := x.Receive(asked)
	x, o, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: 2 * time.Hour})
	if err != nil || out.Opened.IsZero() {
		panic(err)
	}
	return x, out.Opened, o.Req
}

// sessionVerbs are the verbs of both sides.
func sessionVerbs(call lifecycle.Call, req lifecycle.Req) map[string][]any {
	return map[string][]any{
		"Receive":      args(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"d","method":"x/ask"}`)),
		"Tick":         args(),
		"Request":      args(protocol.PingParams{}, minute),
		"Cancel":       args(req, "why"),
		"Progress":     args(call, protocol.ProgressParams{Progress: 1}),
		"SendFailed":   args(req, errLost),
		"ResponseLost": args(req, errLost),
		"Abandon":      args(call),
		"InputClosed":  args(),
		"Disconnected": args(errLost),
		"Shutdown":     args(time.Minute),
		"Abort":        args(errLost),
		"Reset":        args(),
		"NewSession":   args(),
		"Respond":      args(call, protocol.Raw(`{}`)),
		"Fail":         args(call, jsonrpc.Error{Code: 1, Message: "m"}),
		"Notify":       args(protocol.RawRequest{Name: "notifications/x"}, call),
		"Finish":       args(lifecycle.Answer{Call: call, Result: protocol.Raw(`{}`)}),
	}
}

func serverConfig() server.Config {
	return server.Config{
		Info: info, Serve: []string{"x/ask", "tools/call"}, Logging: true, Catalog: listing("t"), Declare: protocol.CapToolsListChanged,
		Keepalive: lifecycle.Keepalive{Interval: 3 * time.Hour, Misses: 2}, Timeouts: lifecycle.Timeouts{Inbound: 2 * time.Hour},
	}
}

func offering(tool string) *server.Handlers {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: tool, InputSchema: `{"type":"object"}`}, says)
	return must(h.Sealed())
}

func listing(tool string) *server.Catalog {
	return must(server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: tool, InputSchema: `{"type":"object"}`}}}))
}

func serverRow(t testing.TB) machine {
	x, call, req := used(verbs.NewServer(t, serverConfig()), `{}`)
	ended, _ := x.Server().Disconnected(x.Now, nil)
	verbs := sessionVerbs(call, req)
	verbs["SetCatalog"] = args(listing("u"))
	verbs["Offer"] = args(offering("u"))
	verbs["Answered"] = args(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"e","method":"tools/call","params":{"name":"t","arguments":{}}}`), server.Job{}, lifecycle.Answer{Result: protocol.TextResult("done")})
	verbs["Skip"] = args(uint64(5))
	return machine{
		name: "server.State", now: x.Now, of: thing{x.Server()}, verbs: verbs,
		from: map[string]thing{"Reset": {ended}}, origin: []string{"NewSession"}, two: []string{"Answered"},
		tick: func(v thing, now, beside time.Time) thing { s, _ := v[0].(server.State).Tick(now); return thing{s} },
	}
}

func clientConfig() client.Config {
	return client.Config{
		Info: info, Serve: []string{"x/ask"}, Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true,
		Keepalive: lifecycle.Keepalive{Interval: 3 * time.Hour, Misses: 2}, Timeouts: lifecycle.Timeouts{Inbound: 2 * time.Hour},
	}
}

func clientTick(v thing, now, _ time.Time) thing {
	s, _ := v[len(v)-1].(client.State).Tick(now)
	return append(thing{}, append(v[:len(v)-1:len(v)-1], s)...)
}

func clientRow(t testing.TB) machine {
	x, call, req := used(verbs.NewClient(t, clientConfig()), `{"tools":{}}`)
	ended, _ := x.Client().Disconnected(x.Now, nil)
	verbs := sessionVerbs(call, req)
	verbs["Pause"] = args(req, true)
	verbs["SetRoots"] = args([]protocol.Root{{URI: "file:///b", Name: "b"}})
	verbs["Initialize"] = args()
	verbs["Connect"] = args(client.Verdict(""))
	verbs["RestoreSession"] = args(x.Client().Snapshot())
	return machine{
		name: "client.State", now: x.Now, of: thing{x.Client()}, verbs: verbs,
		from:   map[string]thing{"Reset": {ended}, "Initialize": {must(client.New(clientConfig(), x.Now))}, "Connect": {must(client.New(clientConfig(), x.Now))}},
		origin: []string{"NewSession", "RestoreSession"}, tick: clientTick,
	}
}

func pagerRow(t testing.TB) machine {
	x, _, _ := used(verbs.NewClient(t, clientConfig()), `{"tools":{}}`)
	return machine{
		name: "client.Pager", now: x.Now, of: thing{must(client.NewPager("tools/list")), x.Client()},
		verbs: map[string][]any{"Next": args(minute)}, tick: clientTick,
	}
}

func serverTick(v thing, now, _ time.Time) thing {
	s, _ := v[len(v)-1].(server.State).Tick(now)
	return append(thing{}, append(v[:len(v)-1:len(v)-1], s)...)
}

func rootsRow(t testing.TB) machine {
	x, _, _ := used(verbs.NewServer(t, serverConfig()), `{"roots":{"listChanged":true}}`)
	return machine{
		name: "server.Roots", now: x.Now, of: thing{server.Roots{}, x.Server()},
		verbs: map[string][]any{"Want": args(minute)}, tick: serverTick,
	}
}

// post passes a message to a session over HTTP.
func post(x streams.Streams, s server.State, now time.Time, line string) (streams.Streams, server.State, streams.Reply, server.Output) {
	m := jsonrpc.DecodeString(line)
	s, out := s.Receive(now, m)
	x, s, reply, _ := x.Post(s, now, m, out)
	return x, s, reply, out
}

func streamsUsed() (streams.Streams, server.State, streams.Conn, streams.Conn, server.Call, time.Time) {
	now := verbs.Epoch
	s := must(server.New(serverConfig(), now))
	x := streams.New(streamsOptions)
	x, s, _, _ = post(x, s, now, verbs.InitializeLine("2025-11-25", `{"roots":{}}`))
	x, s, _, _ = post(x, s, now, verbs.Initialized)
	x, s, listener, _, err := x.Listen(s, now)
	if err != nil {
		panic(err)
	}
	x, s, reply, out := post(x, s, now, asked)
	x, s, _ = x.Begin(s, now, reply.Conn)
	s, o, err := s.Request(now, protocol.PingParams{}, lifecycle.RequestOptions{Timeout: 2 * time.Hour})
	x, s, _ = x.Handle(s, now, must(o, err))
	return x, s, listener, reply.Conn, out.Opened, now
}

var streamsOptions = streams.Options{Keep: 90 * time.Minute}

func streamsRow(t testing.TB) machine {
	x, s, listener, conn, call, now := streamsUsed()
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"d","method":"x/ask"}`)
	_, answered, err := s.Respond(now, call, protocol.Raw(`{}`))
	_, received := s.Receive(now, m)
	fx, fs, fresh, _ := post(x, s, now, `{"jsonrpc":"2.0","id":"e","method":"x/ask"}`)
	detached, ds, _ := x.Detach(s, now, listener)
	if err != nil {
		t.Fatal(err)
	}
	return machine{
		name: "streams.Streams", now: now, of: thing{x, s},
		verbs: map[string][]any{
			"Shrink": args(1 << 20), "Listen": args(), "Resume": args(fmt.Sprintf("%d-1", conn.Stream)), "Detach": args(conn), "DetachAll": args(),
			"HangUp": args(call, time.Second), "Tick": args(), "Handle": args(answered), "Post": args(m, received), "PostStream": args(m, received),
			"Answered": args(conn), "Begin": args(fresh.Conn), "Wrote": args(listener, 2),
		},
		from: map[string]thing{"Listen": {detached, ds}, "Resume": {detached, ds}, "Begin": {fx, fs}},
		idle: []string{"Answered", "Shrink", "Tick"},
		tick: func(v thing, now, beside time.Time) thing {
			// A Tick without effect does not keep the time, so a message is needed.
			x, s, _ := v[0].(streams.Streams).Tick(v[1].(server.State), now)
			m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"tick","method":"x/ask"}`)
			s, out := s.Receive(beside, m)
			x, s, _, _ = x.Post(s, now, m, out)
			return thing{x, s}
		},
	}
}

func says(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
	return protocol.TextResult("said"), nil
}
