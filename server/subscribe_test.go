package server_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// asked sends a request with one string in its params, and returns whether it succeeded.
func asked(t *testing.T, s server.State, method, name, val string) (server.State, bool) {
	t.Helper()
	s, out := s.Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":"r","method":%q,"params":{%q:%q}}`, method, name, val)))
	if len(out.Send) != 1 || s.Check() != nil {
		t.Fatalf("%s %s: %v, %v", method, val, out, s.Check())
	}
	return s, out.Send[0].Message.Err == nil
}

// updated returns for which uris an update goes out.
func updated(t *testing.T, s server.State, uris ...string) (list []string) {
	t.Helper()
	for _, uri := range uris {
		_, out, err := s.Notify(t0, protocol.ResourceUpdatedParams{URI: uri}, server.Call{})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Send) > 0 {
			list = append(list, uri)
		}
	}
	return list
}

// Each subscription is one of its own: for its uri, and for what lies below if it ends at
// a slash; asking twice makes no second one, and taking one back leaves the others.
func TestSubscriptions(t *testing.T) {
	s, _ := open(t, server.Config{Serve: []string{"tools/call", "resources/read"}, Subscribe: true, Limits: lifecycle.Limits{Subscriptions: 3, Text: 40}})
	uris := []string{"a:1", "a:2", "a:dir/", "a:dir/x", "a:dir/x/y", "a:dir", "a:3", "a:" + strings.Repeat("long", 20)}
	expect := func(want ...string) {
		t.Helper()
		if got := updated(t, s, uris...); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("updates go out for %v, want %v", got, want)
		}
	}
	do := func(method, uri string, want bool) {
		t.Helper()
		var ok bool
		if s, ok = asked(t, s, "resources/"+method, "uri", uri); ok != want {
			t.Errorf("%s %s: %v", method, uri, ok)
		}
	}
	expect()
	do("unsubscribe", "a:1", true)
	do("subscribe", "a:1", true)
	do("subscribe", "a:2", true)
	do("subscribe", "a:1", true)
	expect("a:1", "a:2")
	do("subscribe", "a:dir/", true)
	expect("a:1", "a:2", "a:dir/", "a:dir/x", "a:dir/x/y")
	do("subscribe", "a:3", false) // one too many
	do("subscribe", "a:2", true)  // but this one is there
	do("unsubscribe", "a:2", true)
	do("unsubscribe", "a:3", true)
	expect("a:1", "a:dir/", "a:dir/x", "a:dir/x/y")
	do("subscribe", "a:3", true)
	expect("a:1", "a:dir/", "a:dir/x", "a:dir/x/y", "a:3")

	// They end with the session.
	s, _ = s.Disconnected(t0, nil)
	s, err := s.Reset(t0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[:2] {
		s, _ = s.Receive(t0, jsonrpc.DecodeString(line))
	}
	expect()
}

// Of two uris that have one place in the table, under a HashKey of zeros, the second is
// refused, and nothing about it reaches the first.
func TestSubscriptionsOfOnePlace(t *testing.T) {
	const first, second = "a:5c8288c0aa5c5f18", "a:d10fd490752c2627"
	if engine.Hash([2]uint64{}, 'u', first) != engine.Hash([2]uint64{}, 'u', second) {
		t.Fatal("the hash is another one")
	}
	s, _ := open(t, server.Config{Serve: []string{"tools/call", "resources/read"}, Subscribe: true})
	for _, step := range []struct {
		method, uri string
		ok          bool
	}{{"subscribe", first, true}, {"subscribe", second, false}, {"unsubscribe", second, true}, {"subscribe", second, false}} {
		var ok bool
		if s, ok = asked(t, s, "resources/"+step.method, "uri", step.uri); ok != step.ok {
			t.Errorf("%s %s: %v", step.method, step.uri, ok)
		}
		if got := updated(t, s, first, second); len(got) != 1 || got[0] != first {
			t.Errorf("after %s %s updates go out for %v", step.method, step.uri, got)
		}
	}
}

// The level that the client set counts from then on, and until the session ends.
func TestLevels(t *testing.T) {
	for _, first := range []protocol.LoggingLevel{"", "warning"} {
		s, _ := open(t, server.Config{Serve: []string{"tools/call"}, Logging: true, LogLevel: first})
		logged := func(level protocol.LoggingLevel) bool {
			_, out, err := s.Notify(t0, protocol.LoggingMessageParams{Level: level, Data: `1`}, server.Call{})
			if err != nil {
				t.Fatal(err)
			}
			return len(out.Send) == 1
		}
		if logged("debug") != (first == "") || !logged("warning") || !logged("error") {
			t.Errorf("from %q: debug %v, warning %v, error %v", first, logged("debug"), logged("warning"), logged("error"))
		}
		var ok bool
		if s, ok = asked(t, s, "logging/setLevel", "level", "error"); !ok || logged("warning") || !logged("error") || !logged("critical") {
			t.Errorf("set to error: %v, warning %v, error %v", ok, logged("warning"), logged("error"))
		}
		if s, ok = asked(t, s, "logging/setLevel", "level", "debug"); !ok || !logged("debug") {
			t.Errorf("set to debug: %v, debug %v", ok, logged("debug"))
		}
		s, _ = s.Disconnected(t0, nil)
		s, _ = s.Reset(t0)
		for _, line := range lines[:2] {
			s, _ = s.Receive(t0, jsonrpc.DecodeString(line))
		}
		if logged("info") != (first == "") {
			t.Errorf("in the next session info: %v", logged("info"))
		}
	}
}

// A catalog that was set outlives the session: it is this side's.
func TestCatalogOutlivesTheSession(t *testing.T) {
	c, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "later", InputSchema: `{"type":"object"}`}}})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server.Config{Serve: []string{"tools/call"}})
	if s, _, err = s.SetCatalog(t0, c); err != nil {
		t.Fatal(err)
	}
	s, _ = s.Disconnected(t0, nil)
	if s, err = s.Reset(t0); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[:2] {
		s, _ = s.Receive(t0, jsonrpc.DecodeString(line))
	}
	_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
	if len(out.Send) != 1 || !strings.Contains(string(out.Send[0].Message.Body), "later") {
		t.Errorf("%v", out.Send)
	}
}

// In a batch an event is about the call that its own message opened, and about none where
// that opened none.
func TestBatchEventsNameTheirOwnCall(t *testing.T) {
	s, _ := open(t, server.Config{Serve: []string{"tools/call"}})
	_, out := s.Receive(t0, jsonrpc.DecodeString(`[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","method":"tools/call"}]`))
	if len(out.Events) != 2 || out.Events[0].Call.IsZero() || out.Events[1].Kind != lifecycle.Violation || !out.Events[1].Call.IsZero() || out.Opened != out.Events[0].Call {
		t.Errorf("%+v", out)
	}
}

// Changes are announced once ChangeDelay is over, counted from the first of them, and at
// once where it is negative.
func TestAnnouncements(t *testing.T) {
	serve := []string{"tools/call", "resources/read", "prompts/get"}
	changes := protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged
	one := func(kind string) *server.Catalog {
		var items server.Items
		switch kind {
		case "tools":
			items.Tools = []protocol.Tool{{Name: "b", InputSchema: `{"type":"object"}`}}
		case "resources":
			items.Resources = []protocol.Resource{{Name: "b", URI: "a:b"}}
		case "templates":
			items.ResourceTemplates = []protocol.ResourceTemplate{{Name: "b", URITemplate: "a:{b}"}}
		case "prompts":
			items.Prompts = []protocol.Prompt{{Name: "b"}}
		}
		c, err := server.NewCatalog(items)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for kind, want := range map[string]string{
		"tools": "notifications/tools/list_changed", "resources": "notifications/resources/list_changed",
		"templates": "notifications/resources/list_changed", "prompts": "notifications/prompts/list_changed", "nothing": "",
	} {
		for _, delay := range []time.Duration{0, time.Minute, -1} {
			s, _ := open(t, server.Config{Serve: serve, ListChanged: changes, ChangeDelay: delay})
			wait := map[time.Duration]time.Duration{0: 100 * time.Millisecond, time.Minute: time.Minute, -1: 0}[delay]
			s, out, err := s.SetCatalog(t0, one(kind))
			if err != nil {
				t.Fatal(err)
			}
			due, waits := s.NextDeadline()
			if waits != (want != "" && wait > 0) || waits && !due.Equal(t0.Add(wait)) {
				t.Errorf("%s, %v: due at %v %v", kind, delay, due, waits)
			}
			if waits {
				if s, out, err = s.SetCatalog(t0.Add(wait/2), one(kind)); err != nil || len(out.Send) != 0 {
					t.Errorf("%s, %v: a second one sends %v: %v", kind, delay, out.Send, err)
				}
				if s, out = s.Tick(due.Add(-1)); len(out.Send) != 0 {
					t.Errorf("%s, %v: announced too early", kind, delay)
				}
				s, out = s.Tick(due)
			}
			sent := ""
			for _, o := range out.Send {
				sent += o.Message.Method
			}
			if sent != want {
				t.Errorf("%s, %v: announced %q, want %q", kind, delay, sent, want)
			}
			if _, again := s.NextDeadline(); again {
				t.Errorf("%s, %v: it is due again", kind, delay)
			}
			// Back again: that is a change too.
			if s, _, err = s.SetCatalog(t0.Add(time.Hour), nil); err != nil {
				t.Fatal(err)
			}
			if _, out = s.Tick(t0.Add(2 * time.Hour)); want != "" && wait > 0 && len(out.Send) != 1 {
				t.Errorf("%s, %v: the way back is not announced", kind, delay)
			}
		}
	}
	s, _ := open(t, server.Config{Serve: []string{"tools/call"}})
	for kind, want := range map[string]error{"tools": nil, "resources": lifecycle.ErrCapability, "templates": lifecycle.ErrCapability, "prompts": lifecycle.ErrCapability} {
		if _, _, err := s.SetCatalog(t0, one(kind)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", kind, err, want)
		}
	}
	s, _ = open(t, server.Config{Serve: []string{"tools/call"}, ListChanged: 0})
	if s, out, err := s.SetCatalog(t0, one("tools")); err != nil || len(out.Send) != 0 {
		t.Errorf("a change that was not declared: %v %v", out.Send, err)
	} else if _, waits := s.NextDeadline(); waits {
		t.Error("a change that was not declared waits")
	}
	var zero server.State
	if zero.Check() == nil {
		t.Error("the zero State is sound")
	}
}

// A client that subscribes before it has its answers gets over no limit, and no agreement
// that is not kept.
func TestSubscriptionsAgreedAtOnce(t *testing.T) {
	s, _ := open(t, server.Config{
		Serve:  []string{"tools/call", "resources/read", "resources/subscribe", "resources/unsubscribe"},
		Limits: lifecycle.Limits{Subscriptions: 1}, Subscribe: true,
	})
	var calls []server.Call
	for i, uri := range []string{"a:1", "a:2", "a:1"} {
		var out server.Output
		s, out = s.Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":%q}}`, 70+i, uri)))
		calls = append(calls, out.Opened)
	}
	for i, call := range calls {
		_, finished, err := s.Finish(t0, server.Answer{Call: call, Result: protocol.EmptyResult{}})
		var out server.Output
		var err2 error
		s, out, err2 = s.Respond(t0, call, protocol.EmptyResult{})
		if err != nil || err2 != nil || s.Check() != nil || len(out.Send) != 1 || (out.Send[0].Message.Err == nil) != (i != 1) {
			t.Errorf("answer %d: %v, %v, %v", i, out, err2, s.Check())
		}
		if !reflect.DeepEqual(out, finished) {
			t.Errorf("answer %d: %v, finished %v", i, out, finished)
		}
	}
	if got := updated(t, s, "a:1", "a:2"); len(got) != 1 || got[0] != "a:1" {
		t.Errorf("updates go out for %v", got)
	}
}
