package server_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// listening returns a server that tells of all changes.
func listening(t *testing.T) (server.State, *server.Handlers) {
	t.Helper()
	_, h := stateless(t)
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(listenConfig(h, catalog), began)
	if err != nil {
		t.Fatal(err)
	}
	return s, h
}

// listenConfig is the Config of a server that tells of all changes.
func listenConfig(h *server.Handlers, c *server.Catalog) server.Config {
	return server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: c, Serve: h.Serve(), Revisions: protocol.AllRevisions(), Subscribe: true,
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged, Limits: lifecycle.Limits{Inbound: 8, Subscriptions: 2},
	}
}

// inSession opens a session beside what is there.
func inSession(s server.State) server.State {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		s, _ = s.Receive(began, jsonrpc.DecodeString(line))
	}
	return s
}

// texts are the messages of an Output.
func texts(o server.Output) string {
	var list []string
	for _, out := range o.Send {
		list = append(list, string(jsonrpc.Append(nil, out.Message)))
	}
	return strings.Join(list, "\n")
}

func listen(id, filter string) jsonrpc.Message {
	return jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":` + filter + `,` + modern("{}") + `}}`)
}

func told(id, method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

// A subscription is acknowledged, told what it asked for and no more, and ended by a result. It is
// one of its connection, beside a session or without one, and a Snapshot keeps it.
//
// rows: SUBS-002 SUBS-003 SUBS-004 SUBS-005 SUBS-006 SUBS-013 SUBS-014 SUBS-015 SUBS-019 SUBS-021 SUBS-022 SUBS-023 SUBS-024 SUBS-026 SUBS-028 META-207 RES-203 LIFE-203
// revisions: 2026-07-28
func TestListen(t *testing.T) {
	for name, open := range map[string]func(*testing.T, server.State) server.State{
		"alone":            func(_ *testing.T, s server.State) server.State { return s },
		"beside a session": func(_ *testing.T, s server.State) server.State { return inSession(s) },
		"restored": func(t *testing.T, s server.State) server.State {
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := listening(t)
			s = open(t, s)
			sessions := strings.Count(name, "beside")
			s, o := s.Receive(began, listen(`1.0`, `{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a:b","no uri","a:b"]}`))
			if got, want := texts(o), told("1.0", "notifications/subscriptions/acknowledged", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`); got != want || o.Fate != lifecycle.FateAccepted {
				t.Errorf("%v %s\nwant %s", o.Fate, got, want)
			}
			s, _ = s.Receive(began, listen(`"x"`, `{"resourcesListChanged":true,"resourceSubscriptions":[]}`))
			if name == "restored" {
				raw := s.Snapshot()
				var err error
				catalog, _ := h.Catalog()
				if s, err = server.Restore(server.Config{
					Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Subscribe: true, Revisions: protocol.AllRevisions(),
					ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged, Limits: lifecycle.Limits{Inbound: 8, Subscriptions: 2},
				}, raw, began); err != nil {
					t.Fatal(err)
				}
			}
			s, o, err := s.Notify(began, protocol.ResourceUpdatedParams{URI: "a:b"}, server.Call{})
			if want := told("1.0", "notifications/resources/updated", `"uri":"a:b"`); texts(o) != want || err != nil {
				t.Errorf("%s\nwant %s, %v", texts(o), want, err)
			}
			for _, n := range []protocol.Params{protocol.ResourceUpdatedParams{URI: "a:c"}, protocol.LoggingMessageParams{Level: "info", Data: "1"}} {
				if _, o, _ := s.Notify(began, n, server.Call{}); len(o.Send) > 0 {
					t.Errorf("%T: %s", n, texts(o))
				}
			}
			more := &server.Handlers{}
			more.Tool(protocol.Tool{Name: "new"}, nil)
			more.Resource(protocol.Resource{URI: "a:b", Name: "b"}, nil)
			catalog, _ := more.Catalog()
			if s, _, err = s.SetCatalog(began, catalog); err != nil {
				t.Fatal(err)
			}
			at, ok := s.NextDeadline()
			s, o = s.Tick(at)
			want := told("1.0", "notifications/tools/list_changed", "")
			if sessions > 0 {
				want = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n" + want
			}
			if texts(o) != want || !ok || at != began.Add(100*time.Millisecond) {
				t.Errorf("%v %s\nwant %s", at, texts(o), want)
			}
			// One is cancelled, the other ended.
			s, o = s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
			if len(o.Send) != 0 || s.Status().Inbound != 1 {
				t.Errorf("%s %+v", texts(o), s.Status())
			}
			s, o = s.InputClosed(began.Add(time.Hour))
			if want := `{"jsonrpc":"2.0","id":"x","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"x","io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}`; texts(o) != want || o.Close == nil {
				t.Errorf("%s\nwant %s, %+v", texts(o), want, o.Close)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A filter names as many uris as Limits.Subscriptions; the same one again, and what is none, do not count.
//
// rows: SUBS-020
// revisions: 2026-07-28
func TestManyURIs(t *testing.T) {
	for more, ok := range map[string]bool{``: true, `,"a:1","a:0","no uri","a:1"`: true, `,"a:2"`: false} {
		s, _ := listening(t)
		s, o := s.Receive(began, listen("1", `{"resourceSubscriptions":["a:0","a:1"`+more+`]}`))
		if got := texts(o); strings.Contains(got, `"resourceSubscriptions":["a:0","a:1"]`) != ok || strings.Contains(got, `"code":-32603`) == ok || s.Status().Inbound == 1 != ok {
			t.Errorf("%s: %s", more, got)
		}
	}
}

// Neither progress nor log messages go out on a subscription, whatever its request says.
//
// rows: SUBS-022
// revisions: 2026-07-28
func TestListenIsQuiet(t *testing.T) {
	s, _ := stateless(t)
	for _, method := range []string{"subscriptions/listen", "tools/call"} {
		s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"name":"echo","notifications":{},`+
			modern("{}", `"progressToken":7,"io.modelcontextprotocol/logLevel":"debug"`)+`}}`))
		call := o.Opened
		_, o1, err1 := s.Notify(began, protocol.LoggingMessageParams{Level: "error", Data: "1"}, call)
		_, o2, err2 := s.Progress(began, call, protocol.ProgressParams{Progress: 1})
		quiet := method == "subscriptions/listen"
		if err1 != nil || err2 != nil || (len(o1.Send) == 0) != quiet || (len(o2.Send) == 0) != quiet || s.Check() != nil {
			t.Errorf("%s: %s %s, %v %v %v", method, texts(o1), texts(o2), err1, err2, s.Check())
		}
	}
}

// Whatever ends a connection with subscriptions and calls ends each of them once, before a session,
// during its handshake and in it, and restored or not: a subscription by its result where messages still
// go out. Nothing goes out after the end.
//
// rows: SUBS-014 SUBS-021 SUBS-028 LIFE-202 LIFE-203
// revisions: 2026-07-28
func TestEndsOfAConnection(t *testing.T) {
	const opens = `{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	first, h := listening(t)
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	cfg := server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Subscribe: true, Revisions: protocol.AllRevisions(),
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged, Limits: lifecycle.Limits{Inbound: 8, Subscriptions: 2},
	}
	for name, end := range map[string]func(s server.State) (server.State, server.Output){
		"input closed":         func(s server.State) (server.State, server.Output) { return s.InputClosed(began) },
		"shut down":            func(s server.State) (server.State, server.Output) { return s.Shutdown(began, 0) },
		"shut down with grace": func(s server.State) (server.State, server.Output) { return s.Shutdown(began, time.Minute) },
		"lost":                 func(s server.State) (server.State, server.Output) { return s.Disconnected(began, nil) },
		"aborted":              func(s server.State) (server.State, server.Output) { return s.Abort(began, nil) },
	} {
		for phase, lines := range map[string][]string{"without a session": nil, "during a handshake": {opens}, "in a session": {opens, `{"jsonrpc":"2.0","method":"notifications/initialized"}`}} {
			for _, restored := range []bool{false, true} {
				s := first
				for _, line := range lines {
					s, _ = s.Receive(began, jsonrpc.DecodeString(line))
				}
				s, _ = s.Receive(began, listen(`"l"`, `{"toolsListChanged":true}`))
				s, _ = s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"echo",`+modern("{}")+`}}`))
				if restored {
					if s, err = server.Restore(cfg, s.Snapshot(), began); err != nil {
						t.Fatal(err)
					}
				}
				ends := map[string]int{}
				closed := false
				step := func(next server.State, o server.Output) {
					if closed && len(o.Send) > 0 {
						t.Errorf("%s, %s: after the end %s", name, phase, texts(o))
					}
					for _, out := range o.Send {
						if out.Final {
							ends[out.Message.ID.String()]++
						}
					}
					for _, ev := range o.Events {
						if ev.Kind == lifecycle.RequestLost {
							ends[ev.ID.String()]++
						}
					}
					closed = closed || o.Close != nil || next.Phase() == lifecycle.Disconnected
					if s = next; s.Check() != nil {
						t.Errorf("%s, %s: %v", name, phase, s.Check())
					}
				}
				s2, o := end(s)
				answered := strings.Contains(texts(o), `"io.modelcontextprotocol/subscriptionId":"l"`)
				if want := name == "input closed" || strings.HasPrefix(name, "shut down"); answered != want {
					t.Errorf("%s, %s: %s", name, phase, texts(o))
				}
				if want := map[bool]int{true: 1}[answered && name != "shut down"]; s2.Status().Inbound != want { // the call may finish
					t.Errorf("%s, %s: %+v", name, phase, s2.Status())
				}
				step(s2, o)
				step(s.Tick(began.Add(time.Hour)))
				for info := range s.Inbound() {
					next, o, err := s.Respond(began, info.Call, protocol.TextResult("late"))
					if err != nil {
						t.Error(err)
					}
					step(next, o)
				}
				if ends[`"l"`] != 1 || ends[`"c"`] != 1 || !closed || s.Status().Inbound != 0 {
					t.Errorf("%s, %s: %v, closed %v, %+v", name, phase, ends, closed, s.Status())
				}
			}
		}
	}
}

// Uris that a function has to agree to are not listened to without a session, where nobody asks it.
//
// rows: SUBS-003
// revisions: 2026-07-28
func TestListenIsGuarded(t *testing.T) {
	for _, of := range [][]protocol.Revision{protocol.AllRevisions(), protocol.StatelessRevisions()} {
		for guarded, want := range map[bool]string{true: `"notifications":{}`, false: `"notifications":{"resourceSubscriptions":["a:b"]}`} {
			h := new(server.Handlers)
			h.Resource(protocol.Resource{URI: "a:b", Name: "b"}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
				return &protocol.ReadResourceResult{}, nil
			})
			if guarded {
				h.Subscribe(func(context.Context, server.Caller, protocol.SubscribeParams) error { return nil })
			}
			catalog, err := h.Catalog()
			if err != nil {
				t.Fatal(err)
			}
			cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: of, Catalog: catalog, Serve: h.Serve()}
			cfg.Subscribe = !guarded
			if of[0] == of[len(of)-1] { // which has no such method
				cfg.Serve = slices.DeleteFunc(cfg.Serve, func(name string) bool { return name == protocol.MethodResourcesSubscribe })
			}
			s, err := server.New(cfg, began)
			if err != nil {
				t.Fatal(err)
			}
			if _, o := s.Receive(began, listen("1", `{"resourceSubscriptions":["a:b"]}`)); !strings.Contains(texts(o), want) {
				t.Errorf("%v, guarded %v: %s", of, guarded, texts(o))
			}
		}
	}
}

// Listens has each subscription of a client without a session, with what it gets.
func TestOpenSubscriptions(t *testing.T) {
	for range (server.State{}).Listens() {
		t.Error("the zero State has one")
	}
	_, h := listening(t)
	h.Prompt(protocol.Prompt{Name: "p"}, nil)
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: append(h.Serve(), "prompts/get"), Revisions: protocol.AllRevisions(), Subscribe: true,
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged,
	}, began)
	if err != nil {
		t.Fatal(err)
	}
	filters := []string{
		`{"toolsListChanged":true}`, `{"promptsListChanged":true}`, `{"resourcesListChanged":true}`, `{"resourceSubscriptions":["a:b","a:c"]}`, `{}`,
	}
	for i, f := range filters {
		s, _ = s.Receive(began, listen(strconv.Itoa(100+i), f))
	}
	var got []string
	for _, filter := range s.Listens() {
		got = append(got, string(filter.AppendJSON(nil)))
	}
	if !slices.Equal(got, filters) {
		t.Errorf("%q", got)
	}
	for range s.Listens() {
		break
	}
}

// A change is told once, to who listens without a session, while a session on the same connection is being opened, and nothing
// is due again and again until that has happened.
//
// revisions: 2026-07-28
// rows: SUBS-024
func TestListenBesideAHandshake(t *testing.T) {
	s, h := listening(t)
	s, _ = s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	s, _ = s.Receive(began, listen("1", `{"toolsListChanged":true}`))
	items := h.Items()
	items.Tools = items.Tools[:1]
	other, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err = s.SetCatalog(began, other)
	if err != nil {
		t.Fatal(err)
	}
	due, ok := s.NextDeadline()
	if !ok {
		t.Fatal("nothing is due")
	}
	s, o := s.Tick(due)
	if got, want := texts(o), told("1", "notifications/tools/list_changed", ""); got != want {
		t.Errorf("told\n%s\nwant\n%s", got, want)
	}
	again, err := server.Restore(listenConfig(h, other), s.Snapshot(), due)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]server.State{"as it is": s, "restored": again} {
		if at, ok := s.NextDeadline(); ok {
			t.Errorf("%s: due again at %v", name, at.Sub(due))
		}
		if _, o := s.Receive(due, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); !strings.Contains(texts(o), `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`) {
			t.Errorf("%s: the session is told %s", name, texts(o))
		}
	}
}

// What changes is no part of a call without a session in which it is told: who listens hears of it.
//
// revisions: 2026-07-28
// rows: META-207 SUBS-006
func TestChangesWithinACall(t *testing.T) {
	s, _ := listening(t)
	s, _ = s.Receive(began, listen("1", `{"toolsListChanged":true}`))
	s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo",`+modern("{}")+`}}`))
	if len(o.Send) > 0 {
		t.Fatal(texts(o))
	}
	call := o.Opened
	_, o, err := s.Notify(began, protocol.ToolListChangedParams{}, call)
	if got, want := texts(o), told("1", "notifications/tools/list_changed", ""); err != nil || got != want || o.Send[0].Call == call {
		t.Errorf("told %s, %v", got, err)
	}
	if _, o, err = s.Notify(began, protocol.AcknowledgedParams{}, call); err == nil {
		t.Errorf("acknowledged by the application: %s", texts(o))
	}
}
