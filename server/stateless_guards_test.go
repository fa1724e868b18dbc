package server_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// askingAll is a server with a tool, a resource and a prompt that ask one question and give the state.
func askingAll(t *testing.T, state string) (server.State, *server.Handlers) {
	t.Helper()
	h := &server.Handlers{}
	ask := func(q *protocol.Questions) (string, error) {
		a := q.Elicit("who", protocol.ElicitParams{Message: "who?"})
		err := q.Open(state)
		return q.State() + " " + string(a.Action), err
	}
	h.Tool(protocol.Tool{Name: "n"}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		text, err := ask(protocol.Ask(p))
		if err != nil {
			return nil, err
		}
		return protocol.TextResult(text), nil
	})
	h.Resource(protocol.Resource{URI: "a:n", Name: "n"}, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		text, err := ask(protocol.Ask(p))
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: p.URI, Text: text}}}, err
	})
	h.Prompt(protocol.Prompt{Name: "n"}, func(_ context.Context, _ server.Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		text, err := ask(protocol.Ask(p))
		return &protocol.GetPromptResult{Messages: []protocol.PromptMessage{{Role: "user", Content: protocol.TextContent(text)}}}, err
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions(),
		StateKeys: [][]byte{[]byte(strings.Repeat("k", 32))},
	}, began)
	if err != nil {
		t.Fatal(err)
	}
	return s, h
}

// askers are the methods that may ask, with what they are about.
var askers = map[string]string{protocol.MethodToolsCall: `"name":"n"`, protocol.MethodResourcesRead: `"uri":"a:n"`, protocol.MethodPromptsGet: `"name":"n"`}

// as answers a request, in the name of a principal.
func as(t *testing.T, who string, s server.State, h *server.Handlers, method, params string) string {
	t.Helper()
	s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`))
	if len(o.Events) != 1 {
		t.Fatalf("%s: %s", params, texts(o))
	}
	j, ok := h.Job(o.Events[0])
	if !ok {
		t.Fatal(method)
	}
	_, o, err := s.Finish(began, j.Run(context.WithValue(context.Background(), server.PrincipalKey{}, who), deaf{s}))
	if err != nil {
		t.Error(err)
	}
	return texts(o)
}

// What is sealed is good for its principal alone, and for the same request whatever its _meta says. A
// function that gives no state gets none back, and needs none.
//
// rows: MRTR-016 MRTR-017
// revisions: 2026-07-28
func TestSealedFor(t *testing.T) {
	elicits := modern(`{"elicitation":{}}`)
	const back = `,"inputResponses":{"who":{"action":"decline"}}`
	for method, subject := range askers {
		s, h := askingAll(t, "at 1")
		first := as(t, "alice", s, h, method, subject+","+elicits)
		_, state, ok := strings.Cut(first, `"requestState":"`)
		state, _, _ = strings.Cut(state, `"`)
		if !ok {
			t.Fatal(first)
		}
		for who, good := range map[string]bool{"alice": true, "bob": false, "": false} {
			for _, meta := range []string{elicits, modern(`{"elicitation":{}}`, `"progressToken":7`), modern(`{"elicitation":{},"roots":{}}`, newInfo)} {
				got := as(t, who, s, h, method, subject+back+`,"requestState":"`+state+`",`+meta)
				if strings.Contains(got, "at 1 decline") != good || strings.Contains(got, `"message":"invalid requestState"`) == good {
					t.Errorf("%s of %q: %s", method, who, got)
				}
			}
		}
		s, h = askingAll(t, "")
		if got := as(t, "alice", s, h, method, subject+","+elicits); strings.Contains(got, "requestState") || !strings.Contains(got, "inputRequests") {
			t.Errorf("%s: %s", method, got)
		}
		if got := as(t, "alice", s, h, method, subject+back+","+elicits); !strings.Contains(got, `" decline"`) {
			t.Errorf("%s: %s", method, got)
		}
	}
}

// In a session the members of a request that brings answers mean nothing.
func TestAnswersInASession(t *testing.T) {
	s, h := stateless(t)
	s = inSession(s)
	_, o := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","inputResponses":5,"requestState":5}}`))
	if got := texts(o); !strings.Contains(got, `"result"`) {
		t.Error(got)
	}
}

// What a client declares that its revision does not have is not declared.
func TestDeclaredInARequest(t *testing.T) {
	s, _ := stateless(t)
	s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",`+modern(`{"roots":{"listChanged":true},"sampling":{}}`)+`}}`))
	if c := s.Client(o.Opened); c.Capabilities != protocol.CapRoots|protocol.CapSampling {
		t.Error(c.Capabilities)
	}
}

// A subscription is granted what is declared and no more, whatever small Limits there are, and hears of
// nothing that nobody may read.
//
// rows: SUBS-003 SUBS-004 SUBS-020
// revisions: 2026-07-28
func TestGranted(t *testing.T) {
	h := &server.Handlers{}
	h.Tool(protocol.Tool{Name: "t"}, nil)
	h.Prompt(protocol.Prompt{Name: "p"}, nil)
	h.Resource(protocol.Resource{URI: "a:b", Name: "b"}, nil)
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	open := func(changes protocol.Capability, subscribe bool, limits lifecycle.Limits) server.State {
		t.Helper()
		s, err := server.New(server.Config{
			Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions(),
			ListChanged: changes, Subscribe: subscribe, Limits: limits,
		}, began)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const all = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a:b","a:c"]}`
	for want, changes := range map[string]protocol.Capability{
		`{"toolsListChanged":true}`: protocol.CapToolsListChanged, `{"promptsListChanged":true}`: protocol.CapPromptsListChanged,
		`{"resourcesListChanged":true}`: protocol.CapResourcesListChanged, `{}`: 0,
	} {
		if _, o := open(changes, false, lifecycle.Limits{}).Receive(began, listen("1", all)); !strings.Contains(texts(o), `"notifications":`+want+`,"_meta"`) {
			t.Errorf("%v: %s", changes, texts(o))
		}
	}
	s := open(0, true, lifecycle.Limits{})
	s, _ = s.Receive(began, listen("1", all))
	for uri, told := range map[string]bool{"a:b": true, "a:c": false} {
		if _, o, err := s.Notify(began, protocol.ResourceUpdatedParams{URI: uri}, server.Call{}); (len(o.Send) == 1) != told || err != nil {
			t.Errorf("%s: %s %v", uri, texts(o), err)
		}
	}
	for limits, n := range map[lifecycle.Limits]int{
		{Inbound: 1}: 1, {Inbound: 3}: 1, {Inbound: 8}: 2, {Schema: 9}: 1, {Schema: 8}: 0,
	} {
		s, got := open(0, true, limits), 0
		for _, id := range []string{"1", "2", "3"}[:max(n, 1)+1] {
			if limits.Schema != 0 && id != "1" {
				break // it is the length of one that counts
			}
			var o server.Output
			if s, o = s.Receive(began, listen(id, `{"resourceSubscriptions":["a:b","a:c"]}`)); strings.Contains(texts(o), "acknowledged") {
				got++
			}
		}
		if got != n {
			t.Errorf("%+v: %d subscriptions, want %d", limits, got, n)
		}
	}
}

// A server without a session says nothing that belongs to no request, and needs nobody to listen for it.
//
// rows: SUBS-004 JRPC-207
// revisions: 2026-07-28
func TestNobodyListens(t *testing.T) {
	for _, revisions := range [][]protocol.Revision{protocol.StatelessRevisions(), protocol.AllRevisions()} {
		s, err := server.New(server.Config{
			Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: revisions, Logging: true, ServeUnknown: true,
		}, began)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []protocol.Params{protocol.LoggingMessageParams{Level: "error", Data: "1"}, protocol.RawRequest{Name: "notifications/x"}} {
			if _, o, _ := s.Notify(began, n, server.Call{}); len(o.Send) > 0 {
				t.Errorf("%v: %s", revisions, texts(o))
			}
		}
	}
}
