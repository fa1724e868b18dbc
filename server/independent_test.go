package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// requests without a session, of several clients, that say all that a request can say.
var independent = []string{
	`"method":"tools/list","params":{` + modern("{}") + `}`,
	`"method":"tools/call","params":{"name":"log",` + modern(`{"sampling":{}}`, newInfo, `"io.modelcontextprotocol/logLevel":"debug"`) + `}`,
	`"method":"tools/call","params":{"name":"log",` + modern(`{}`) + `}`,
	`"method":"tools/call","params":{"name":"ask",` + modern(`{"elicitation":{}}`) + `}`,
	`"method":"tools/call","params":{"name":"ask",` + modern(`{}`) + `}`,
	`"method":"tools/call","params":{"name":"ask","inputResponses":{"who":{"action":"accept","content":{"name":"Ann"}}},"requestState":"at 1",` + modern(`{"elicitation":{}}`) + `}`,
	`"method":"server/discover","params":{` + modern("{}") + `}`,
	`"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1","io.modelcontextprotocol/clientCapabilities":{}}}`,
	`"method":"resources/read","params":{"uri":"a:c",` + modern("{}") + `}`,
	`"method":"x/y","params":{` + modern("{}") + `}`,
}

func post(h *server.Handlers, s server.State, id int, rest string) (server.State, server.Output) {
	return h.Receive(s, began, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, rest)))
}

// The answer to a request does not depend on the requests before it, nor on the session beside it,
// nor on which State of a server gets it, and nothing of it is kept.
//
// rows: REQM-005 REQM-006 REQM-010 REQM-011 REQM-012 REQM-013 REQM-014 ERA-002 ERA-003 ERA-004 ERA-023 MRTR-009 MRTR-019 VERS-206 TOOL-201 RES-205 JRPC-201 LIFE-202 LOG-204
// revisions: 2026-07-28
func TestIndependent(t *testing.T) {
	fresh, h := stateless(t)
	want := make([]string, len(independent))
	for i, rest := range independent {
		_, o := post(h, fresh, 7, rest)
		want[i] = texts(o)
	}
	for name, start := range map[string]func() server.State{
		"uninitialized": func() server.State { return fresh },
		"initializing": func() server.State {
			s, _ := fresh.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"old","version":"1"}}}`))
			return s
		},
		"ready": func() server.State {
			s, _ := fresh.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"old","version":"1"}}}`))
			s, _ = s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
			s, _ = s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":101,"method":"logging/setLevel","params":{"level":"emergency"}}`))
			return s
		},
	} {
		s := start()
		before, phase := len(s.Snapshot()), s.Phase()
		for i := range independent { // each after each, under one id
			for k, rest := range independent {
				s, _ = post(h, s, 7, independent[i])
				var o server.Output
				if s, o = post(h, s, 7, rest); texts(o) != want[k] {
					t.Fatalf("%s: after %s\n%s is answered %s\nwant %s", name, independent[i], rest, texts(o), want[k])
				}
				if s.Phase() != phase || s.Status().Inbound != 0 || s.Check() != nil {
					t.Fatalf("%s: %+v %v", name, s.Status(), s.Check())
				}
			}
		}
		if after := len(s.Snapshot()); after > before+32 { // counters, which have more digits
			t.Errorf("%s: a snapshot of %d bytes has grown to %d\n%s", name, before, after, s.Snapshot())
		}
	}
	for cut := range len(independent) + 1 { // a history over two States
		one, two := fresh, fresh
		for i, rest := range independent {
			var o server.Output
			if i < cut {
				one, o = post(h, one, 7, rest)
			} else {
				two, o = post(h, two, 7, rest)
			}
			if texts(o) != want[i] {
				t.Errorf("over two States %s is answered %s", rest, texts(o))
			}
		}
	}
	s, _ := fresh.Shutdown(began, time.Minute)
	for _, rest := range independent[:2] {
		if _, o := post(h, s, 7, rest); len(o.Send) > 0 && !strings.Contains(texts(o), "-32603") {
			t.Errorf("while shutting down: %s", texts(o))
		}
	}
}

// Of several faults the one that is checked first decides the code.
//
// rows: ERR-213 ERR-212 ERR-012 VERS-202 REQM-003
// revisions: 2026-07-28
func TestOrderOfChecks(t *testing.T) {
	s, h := stateless(t)
	s, _ = s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",`+modern("{}")+`}}`)) // stays open
	old := strings.ReplaceAll(modern("{}"), "2026-07-28", "1")
	for i, c := range []struct{ message, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":5}`, ``},
		{`{"jsonrpc":"2.0","id":1,"method":"x/y","params":{"_meta":{}}}`, ``}, // an id in flight
		{`{"jsonrpc":"1.0","id":2,"method":"x/y","params":{` + old + `}}`, `-32600`},
		{`{"jsonrpc":"2.0","id":2,"method":"x/y","params":5}`, `-32600`},
		{`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"_meta":{}}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":2,"method":"server/discover"}`, `-32602`},
		{`{"jsonrpc":"2.0","id":2,"method":"x/y","params":{` + old + `}}`, `-32022`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":5,` + old + `}}`, `-32022`},
		{`{"jsonrpc":"2.0","id":2,"method":"x/y","params":{` + modern("{}") + `}}`, `-32601`},
		{`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":5,` + modern("{}") + `}}`, `-32601`}, // no capability of the server
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":5,` + modern("{}") + `}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"none","inputResponses":5,` + modern("{}") + `}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask",` + modern("{}") + `}}`, `-32021`},
	} {
		_, o := h.Receive(s, began, jsonrpc.DecodeString(c.message))
		if got := texts(o); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%d: %s is answered %s, want %s", i, c.message, got, c.want)
		}
	}
}

// What a server may not do without a session gives an error and sends nothing.
//
// rows: JRPC-202 JRPC-205 JRPC-207 STDIO-202 TRANS-201 MRTR-002 MRTR-003 MRTR-006 CANC-203 PROG-201 PROG-202 LOG-202 PING-201 PING-202 SUBS-016
// revisions: 2026-07-28
func TestNotWithoutSession(t *testing.T) {
	s, _ := stateless(t)
	s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask",`+modern("{}", `"progressToken":"p"`)+`}}`))
	call := o.Opened
	for name, do := range map[string]func() (server.State, server.Output, error){
		"a request": func() (server.State, server.Output, error) {
			return s.Request(began, protocol.ListRootsParams{}, server.RequestOptions{Within: call})
		},
		"a ping": func() (server.State, server.Output, error) {
			return s.Request(began, protocol.PingParams{}, server.RequestOptions{Within: call})
		},
		"asks nothing": func() (server.State, server.Output, error) { return s.Respond(began, call, &protocol.InputRequired{}) },
		"asks for roots": func() (server.State, server.Output, error) {
			return s.Respond(began, call, &protocol.InputRequired{Questions: []protocol.Question{{Key: "k", Params: protocol.ListRootsParams{}}}})
		},
		"a completion": func() (server.State, server.Output, error) {
			return s.Notify(began, protocol.ElicitationCompleteParams{ElicitationID: "e"}, call)
		},
	} {
		next, o, err := do()
		if err == nil || len(o.Send) > 0 || next.Status().Inbound != 1 {
			t.Errorf("%s: %v %s", name, err, texts(o))
		}
	}
	s, o, err := s.Progress(began, call, protocol.ProgressParams{Progress: 1})
	if want := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`; texts(o) != want || err != nil {
		t.Errorf("%s %v", texts(o), err)
	}
	for name, line := range map[string]string{
		"a result":     `{"jsonrpc":"2.0","id":1,"result":{}}`,
		"progress":     `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2}}`,
		"cancels none": `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`,
	} {
		if next, o := s.Receive(began, jsonrpc.DecodeString(line)); len(o.Send) > 0 || next.Status().Inbound != 1 {
			t.Errorf("%s: %s", name, texts(o))
		}
	}
	if _, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)); texts(o) != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("a ping is answered %s", texts(o))
	}
	gone, _ := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	ended, _, _ := s.Respond(began, call, protocol.TextResult("done"))
	for name, s := range map[string]server.State{"cancelled": gone, "answered": ended} {
		_, o1, err1 := s.Respond(began, call, protocol.TextResult("late"))
		_, o2, err2 := s.Progress(began, call, protocol.ProgressParams{Progress: 2})
		_, o3, err3 := s.Notify(began, protocol.LoggingMessageParams{Level: "error", Data: "1"}, call)
		if n := len(o1.Send) + len(o2.Send) + len(o3.Send); n > 0 || err1 == nil || err2 == nil || err3 == nil {
			t.Errorf("%s: %d messages, %v, %v, %v", name, n, err1, err2, err3)
		}
	}
}

// Listens are bounded, keep their ids as they were spelled, and each is told what it asked for: of a
// resource, that and what is below.
//
// rows: SUBS-001 SUBS-003 SUBS-004 SUBS-005 SUBS-006 SUBS-013 SUBS-020 SUBS-023 SUBS-019
// revisions: 2026-07-28
func TestListens(t *testing.T) {
	s, _ := listening(t)
	for filter, want := range map[string]string{
		`5`: "-32602", `null`: "-32602", `[]`: "-32602", `{"toolsListChanged":1}`: "-32602", `{"resourceSubscriptions":"a:b"}`: "-32602", `{"resourceSubscriptions":[1]}`: "-32602",
		`{"resourceSubscriptions":["a:1","a:2","a:3"]}`: "-32603",
		`{}`: `"notifications":{}`, `{"promptsListChanged":true}`: `"notifications":{}`, `{"toolsListChanged":false,"else":1}`: `"notifications":{}`,
		`{"toolsListChanged":true}`: `{"toolsListChanged":true}`, `{"resourcesListChanged":true}`: `{"resourcesListChanged":true}`,
	} {
		if _, o := s.Receive(began, listen("1", filter)); !strings.Contains(texts(o), want) || len(o.Send) != 1 {
			t.Errorf("%s is answered %s, want %s", filter, texts(o), want)
		}
	}
	for _, id := range []string{`1`, `"1"`, `1e0`, `12345678901234567890`, `"a\u0062\"é"`, `""`} {
		l, o := s.Receive(began, listen(id, `{"resourceSubscriptions":["a:"]}`))
		if !strings.HasSuffix(texts(o), `"io.modelcontextprotocol/subscriptionId":`+id+`}}}`) {
			t.Errorf("%s is acknowledged by %s", id, texts(o))
		}
		if _, o = l.InputClosed(began); !strings.HasPrefix(texts(o), `{"jsonrpc":"2.0","id":`+id+`,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`,`) {
			t.Errorf("%s ends with %s", id, texts(o))
		}
	}
	l := s
	var o server.Output
	for i := range 3 { // of eight open requests two may be listens
		l, o = l.Receive(began, listen(fmt.Sprint(i), `{"resourceSubscriptions":["a:b"]}`))
		if refused := strings.Contains(texts(o), "-32603"); refused != (i == 2) || l.Check() != nil {
			t.Errorf("listen %d: %s %v", i, texts(o), l.Check())
		}
	}
	_, o, err := l.Notify(began, protocol.ResourceUpdatedParams{URI: "a:b"}, server.Call{})
	if len(o.Send) != 2 || err != nil || o.Send[0].Call == o.Send[1].Call {
		t.Errorf("%s %v", texts(o), err)
	}
	l, _ = l.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`))
	if _, o, _ = l.Notify(began, protocol.ResourceUpdatedParams{URI: "a:b"}, server.Call{}); len(o.Send) != 1 {
		t.Errorf("after a cancellation: %s", texts(o))
	}
	if l, o = l.Receive(began, listen("3", `{}`)); !strings.Contains(texts(o), "acknowledged") {
		t.Errorf("a place is free: %s", texts(o))
	}
	for l.Phase() != lifecycle.Disconnected {
		l, _ = l.Disconnected(began, nil)
	}
	if l.Status().Inbound != 0 {
		t.Errorf("%+v", l.Status())
	}
}
