package server_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var lines = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"roots":{"listChanged":true}},"clientInfo":{"name":"c","title":"C","version":"1"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"x"}}}`,
	`{"jsonrpc":"2.0","id":3.0,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":0}}}`,
	`{"jsonrpc":"2.0","id":"\u0061","method":"x/custom","params":{}}`,
	`{"jsonrpc":"2.0","id":-4,"method":"resources/read","params":{"uri":"a:b"}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`,
	`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"m"}}`,
	`{"jsonrpc":"2.0","id":3,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"t"}}}`,
	`{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"a:b/"}}`,
	`{"jsonrpc":"2.0","id":6,"method":"logging/setLevel","params":{"level":"error"}}`,
	`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":8,"method":"ping"}`, `{bad`,
}

// op is one input of a random run: what happens and how much time passes before.
type op struct {
	kind, pick int
	wait       time.Duration
}

func config(t interface{ Fatal(...any) }) (server.Config, *server.Catalog) {
	catalog := func(name string) *server.Catalog {
		c, err := server.NewCatalog(server.Items{
			Tools:     []protocol.Tool{{Name: name, InputSchema: `{"type":"object"}`}},
			Resources: []protocol.Resource{{URI: "a:b", Name: "b"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	return server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog("t"),
		Serve:       []string{"tools/call", "resources/read", "x/custom"},
		ListChanged: protocol.CapToolsListChanged, Subscribe: true, Logging: true, HashKey: [16]byte{0: 1, 8: 2},
		Timeouts:  lifecycle.Timeouts{Inbound: 20 * time.Second},
		Keepalive: lifecycle.Keepalive{Interval: 7 * time.Second, Misses: 3},
		Limits: lifecycle.Limits{
			Requests: lifecycle.Rate{PerSecond: 2, Burst: 5}, Progress: lifecycle.Rate{PerSecond: 1, Burst: 2}, Logs: lifecycle.Rate{PerSecond: 1, Burst: 2},
		},
	}, catalog("t2")
}

// apply makes one step on a State whose time is now.
func apply(s server.State, now time.Time, o op, other *server.Catalog) (server.State, server.Output, error) {
	var call server.Call
	for c := range s.Inbound() {
		call = c.Call
		if o.pick%2 == 0 {
			break
		}
	}
	var req server.Req
	for r := range s.Outbound() {
		req = r.Req
	}
	var out server.Output
	var err error
	switch o.kind {
	case 0, 1, 2, 3, 4, 5, 6:
		s, out = s.Receive(now, jsonrpc.DecodeString(lines[o.pick%len(lines)]))
	case 7:
		s, out = s.Tick(now)
	case 8:
		s, out, err = s.Respond(now, call, protocol.Raw(`{"content":[],"contents":[]}`))
	case 9:
		s, out, err = s.Progress(now, call, protocol.ProgressParams{Progress: float64(o.pick)})
	case 10:
		s, out, err = s.Request(now, protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}, Meta: `{"a":1}`},
			server.RequestOptions{Within: call, ResetOnProgress: o.pick%2 == 0, Timeout: 3 * time.Second})
	case 11:
		s, out, err = s.Request(now, protocol.ListRootsParams{Meta: `{"progressToken":"own"}`}, server.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})
	case 12:
		s, out, err = s.Notify(now, protocol.LoggingMessageParams{Level: "error", Data: `1`}, server.Call{})
	case 13:
		s, out, err = s.Cancel(now, req, "r")
	case 14:
		if o.pick%8 == 0 {
			s, out = s.Shutdown(now, 4*time.Second)
		} else {
			s, out, err = s.SetCatalog(now, other)
		}
	case 15:
		switch o.pick {
		case 1:
			s, out = s.Disconnected(now, errors.New("gone"))
		case 2:
			s, out = s.InputClosed(now)
		default:
			s, err = s.Reset(now)
		}
	}
	return s, out, err
}

var compare = cmp.Options{
	cmp.AllowUnexported(jsonrpc.ID{}),
	cmp.Comparer(func(a, b lifecycle.Call) bool { return a.Seq() == b.Seq() && a.Key() == b.Key() }),
	cmp.Comparer(func(a, b lifecycle.Req) bool { return a.Seq() == b.Seq() }),
	cmp.Comparer(func(a, b protocol.Revision) bool { return a == b }),
	cmp.Comparer(func(a, b jsonrpc.Message) bool {
		return string(jsonrpc.Append(nil, a)) == string(jsonrpc.Append(nil, b))
	}),
	cmp.Comparer(func(a, b *lifecycle.Cause) bool {
		return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
	}),
}

// A restored session does what the original does, whenever the snapshot was taken.
func TestRestoredSessionsBehaveAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, other := config(t)
		now := time.Unix(1000, 0)
		s, err := server.New(cfg, now)
		if err != nil {
			t.Fatal(err)
		}
		twin, shift := s, time.Duration(0)
		ops := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) op {
			return op{rapid.IntRange(0, 15).Draw(t, "kind"), rapid.IntRange(0, 31).Draw(t, "pick"), time.Duration(rapid.IntRange(0, 4000).Draw(t, "ms")) * time.Millisecond}
		}), 1, 60).Draw(t, "ops")
		swapped, seen := false, now // seen is the clock of s: an error leaves it as it was
		for i, o := range ops {
			if i < 2 {
				o = op{kind: 0, pick: i} // most runs should get past the handshake
			}
			now = now.Add(o.wait)
			var a, b server.Output
			var ea, eb error
			s, a, ea = apply(s, now, o, other)
			twin, b, eb = apply(twin, now.Add(shift), o, other)
			if (ea == nil) != (eb == nil) {
				t.Fatalf("%+v: %v, but restored %v", o, ea, eb)
			}
			if ea == nil {
				seen = now
			}
			if diff := cmp.Diff(a, b, compare); diff != "" {
				t.Fatalf("%+v: %s", o, diff)
			}
			if x, y := s.Snapshot(), twin.Snapshot(); string(x) != string(y) {
				t.Fatalf("%+v:\n%s\n%s", o, x, y)
			}
			swapped = swapped || o.kind == 14 && o.pick%8 != 0
			c := cfg
			if swapped {
				c.Catalog = other
			}
			shift += time.Hour
			if twin, err = server.Restore(c, s.Snapshot(), seen.Add(shift)); err != nil {
				t.Fatalf("%v\n%s", err, s.Snapshot())
			}
		}
	})
}

// Damaged snapshots are refused with ErrSnapshot, or give a State that is sound.
func TestDamagedSnapshots(t *testing.T) {
	cfg, _ := config(t)
	now := time.Unix(1000, 0)
	s, err := server.New(cfg, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[:6] {
		s, _ = s.Receive(now, jsonrpc.DecodeString(line))
	}
	s, _, err = s.Request(now, protocol.ListRootsParams{}, server.RequestOptions{Progress: true})
	if err != nil {
		t.Fatal(err)
	}
	good := string(s.Snapshot())
	for i := range len(good) {
		for _, bad := range []string{good[:i], good[:i] + good[i+1:], good[:i] + "9" + good[i+1:], good[:i] + `"` + good[i:]} {
			r, err := server.Restore(cfg, []byte(bad), now)
			if err != nil {
				if !errors.Is(err, lifecycle.ErrSnapshot) {
					t.Fatalf("%v for %s", err, bad)
				}
				continue
			}
			if err := r.Check(); err != nil {
				t.Fatalf("%v for %s", err, bad)
			}
			r.Disconnected(now, nil)
			r.Tick(now.Add(time.Hour))
		}
	}
	if _, err := server.Restore(cfg, []byte(strings.Replace(good, "server", "client", 1)), now); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Errorf("a snapshot of the other role: %v", err)
	}
}

// Another catalog on restore is a change of the lists.
func TestRestoreWithAnotherCatalog(t *testing.T) {
	cfg, other := config(t)
	cfg.Keepalive = lifecycle.Keepalive{}
	now := time.Unix(1000, 0)
	s, err := server.New(cfg, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[:2] {
		s, _ = s.Receive(now, jsonrpc.DecodeString(line))
	}
	cfg.Catalog = other
	s, err = server.Restore(cfg, s.Snapshot(), now)
	if err != nil {
		t.Fatal(err)
	}
	due, ok := s.NextDeadline()
	if !ok {
		t.Fatal("nothing is due")
	}
	_, out := s.Tick(due)
	if len(out.Send) != 1 || out.Send[0].Message.Method != "notifications/tools/list_changed" {
		t.Errorf("sent %v", out.Send)
	}
}
