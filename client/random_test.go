package client_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var lines = []string{
	`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"s","title":"S","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a"}]}}`,
	`{"jsonrpc":"2.0","id":3.0,"result":{"content":[],"structuredContent":{"a":1}}}`,
	`{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"m","data":[1]}}`, `{"jsonrpc":"2.0","id":5}`,
	`{"jsonrpc":"2.0","id":"a","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"_meta":{"progressToken":"x"}}}`,
	`{"jsonrpc":"2.0","id":1e0,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`,
	`{"jsonrpc":"2.0","id":-3,"method":"x/custom"}`, `{"jsonrpc":"2.0","id":9,"method":"roots/list"}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":0.5}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"own","progress":7}}`,
	`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
	`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":null}}`,
	`{"jsonrpc":"2.0","id":8,"method":"ping"}`, `{bad`,
}

func config() client.Config {
	return client.Config{
		Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"sampling/createMessage", "elicitation/create", "x/custom"},
		Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true, HashKey: [16]byte{0: 1, 8: 2},
		Timeouts:  lifecycle.Timeouts{Inbound: 20 * time.Second},
		Keepalive: lifecycle.Keepalive{Interval: 7 * time.Second, Misses: 3},
		Limits:    lifecycle.Limits{Logs: lifecycle.Rate{PerSecond: 1}, Progress: lifecycle.Rate{PerSecond: 1}},
	}
}

type op struct {
	kind, pick int
	wait       time.Duration
}

func draw(t *rapid.T) []op {
	ops := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) op {
		return op{rapid.IntRange(0, 16).Draw(t, "kind"), rapid.IntRange(0, 31).Draw(t, "pick"), time.Duration(rapid.IntRange(0, 4000).Draw(t, "ms")) * time.Millisecond}
	}), 2, 60).Draw(t, "ops")
	ops[0], ops[1] = op{kind: 16}, op{kind: 0}
	return ops
}

// apply makes one step and scribbles over what it passed in.
func apply(s client.State, now time.Time, o op) (client.State, client.Output, error) {
	var call client.Call
	for c := range s.Inbound() {
		call = c.Call
	}
	var req client.Req
	for r := range s.Outbound() {
		if req = r.Req; o.pick%2 == 0 {
			break
		}
	}
	var out client.Output
	var err error
	switch o.kind {
	case 0, 1, 2, 3, 4, 5:
		line := []byte(lines[o.pick%len(lines)])
		m := jsonrpc.Decode(line)
		copy(line, "##########")
		s, out = s.Receive(now, m)
	case 6:
		s, out = s.Tick(now)
	case 7:
		content := map[string]jsonrpc.Raw{"a": `1`}
		r := protocol.ElicitResult{Action: "accept", Content: content}
		s, out, err = s.Respond(now, call, r)
		content["a"] = "#"
	case 8:
		s, out, err = s.Progress(now, call, protocol.ProgressParams{Progress: float64(o.pick)})
	case 9, 10:
		args := jsonrpc.Raw(`{"a":[1]}`)
		p := &protocol.CallToolParams{Name: "t", Arguments: args, Meta: `{"v/k":1}`}
		s, out, err = s.Request(now, p, client.RequestOptions{Within: call, ResetOnProgress: o.pick%2 == 0, Timeout: 3 * time.Second})
		p.Name, p.Arguments, p.Meta = "#", "#", "#"
	case 11:
		s, out, err = s.Request(now, protocol.CallToolParams{Name: "t", Meta: `{"progressToken":"own"}`},
			client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})
	case 12:
		s, out, err = s.Cancel(now, req, "r")
	case 13:
		s, out = s.SendFailed(now, req, errors.New("e"))
	case 14:
		roots := []protocol.Root{{URI: fmt.Sprintf("file:///%d", o.pick)}}
		s, out, err = s.SetRoots(now, roots)
		roots[0].URI = "#"
	case 15:
		switch o.pick {
		case 1:
			s, out = s.Disconnected(now, errors.New("gone"))
		case 2:
			s, out = s.InputClosed(now)
		case 3:
			s, out = s.Shutdown(now, 5*time.Second)
		case 4:
			s, out = s.Abort(now, errors.New("a"))
		default:
			s, err = s.Reset(now)
		}
	case 16:
		s, out, err = s.Initialize(now)
	}
	return s, out, err
}

func written(out client.Output) (text string) {
	for _, o := range out.Send {
		text += string(jsonrpc.AppendLine(nil, o.Message)) + fmt.Sprint(o.Call, o.Final)
	}
	for _, ev := range out.Events {
		text += fmt.Sprintln(ev.Kind, ev.Call, ev.Req, ev.ID, ev.Method, ev.Body, ev.Rule, ev.Err, ev.Cause)
	}
	return text + fmt.Sprint(out.Opened, out.Req, out.Close)
}

func render(s client.State, now time.Time) string {
	text := string(s.Snapshot()) + fmt.Sprint(s.Status(), s.Peer(), s.PeerCapabilities())
	for _, probe := range lines {
		next, out := s.Receive(now, jsonrpc.DecodeString(probe))
		text += string(next.Snapshot()) + written(out)
	}
	_, out := s.Shutdown(now, 0)
	return text + written(out)
}

// Every State of a run stays what it was, and a restored one does what it does.
func TestStatesAreValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := config()
		serve, roots := slices.Clone(cfg.Serve), slices.Clone(cfg.Roots)
		cfg.Serve, cfg.Roots = serve, roots
		now := time.Unix(1000, 0)
		s, err := client.New(cfg, now)
		if err != nil {
			t.Fatal(err)
		}
		serve[0], roots[0].URI = "#", "#"

		type past struct {
			s    client.State
			now  time.Time
			text string
		}
		history := []past{{s, now, render(s, now)}}
		twin, seen, shift := s, now, time.Duration(0)
		for i, o := range draw(t) {
			now = now.Add(o.wait)
			next, a, ea := apply(s, now, o)
			other, b, eb := apply(twin, now.Add(shift), o)
			if ea != nil && (next != s || !a.IsZero()) {
				t.Fatalf("step %d %+v: a verb failed and did something: %v", i, o, ea)
			}
			if (ea == nil) != (eb == nil) || written(a) != written(b) || string(next.Snapshot()) != string(other.Snapshot()) {
				t.Fatalf("step %d %+v:\n%s %v %s\n%s %v %s", i, o, written(a), ea, next.Snapshot(), written(b), eb, other.Snapshot())
			}
			if err := next.Check(); err != nil {
				t.Fatal(err)
			}
			if s = next; ea == nil {
				seen = now
			}
			history = append(history, past{s, now, render(s, now)})
			shift += time.Hour
			if twin, err = client.Restore(config(), s.Snapshot(), seen.Add(shift)); err != nil {
				t.Fatalf("%v\n%s", err, s.Snapshot())
			}
			for i := range a.Send {
				a.Send[i] = client.Outgoing{}
			}
			for i := range a.Events {
				a.Events[i] = client.Event{}
			}
		}
		for i, p := range history {
			if got := render(p.s, p.now); got != p.text {
				t.Fatalf("State %d of %d was\n%s\nis\n%s", i, len(history), p.text, got)
			}
		}
	})
}
