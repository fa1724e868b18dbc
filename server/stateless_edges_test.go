package server_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// sealing returns a server whose resource and prompt ask, and whose state is sealed.
func sealing(t *testing.T, of ...lifecycle.Timeouts) (server.State, *server.Handlers) {
	t.Helper()
	h := &server.Handlers{}
	who := func(q *protocol.Questions) (string, error) {
		a := q.Elicit("who", protocol.ElicitParams{Message: "who?", RequestedSchema: protocol.ElicitSchema{
			Properties: []protocol.Property{{Name: "name", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString}}},
		}})
		if err := q.Open("at 1"); err != nil {
			return "", err
		}
		return q.State() + " " + string(a.Action), nil
	}
	h.Resource(protocol.Resource{URI: "a:b", Name: "b"}, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		text, err := who(protocol.Ask(p))
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: p.URI, Text: text}}}, err
	})
	h.Prompt(protocol.Prompt{Name: "p"}, func(_ context.Context, _ server.Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		text, err := who(protocol.Ask(p))
		return &protocol.GetPromptResult{Messages: []protocol.PromptMessage{{Role: "user", Content: protocol.TextContent(text)}}}, err
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions(),
		StateKeys: [][]byte{[]byte(strings.Repeat("k", 32))}, Timeouts: append(of, lifecycle.Timeouts{})[0],
	}, began)
	if err != nil {
		t.Fatal(err)
	}
	return s, h
}

// A resource and a prompt ask as a tool does, inline and as a Job. The state is sealed for its request:
// brought back with another one, or changed, it is refused.
//
// rows: MRTR-016
// revisions: 2026-07-28
func TestSealedState(t *testing.T) {
	answer := func(s server.State, h *server.Handlers, job bool, method, params string) string {
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`)
		if !job {
			_, o := h.Receive(s, began, m)
			return texts(o)
		}
		s, o := s.Receive(began, m)
		var list []string
		for _, ev := range o.Events {
			j, ok := h.Job(ev)
			if !ok {
				t.Fatal(method)
			}
			_, o, err := s.Finish(began, j.Run(context.Background(), deaf{s}))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, texts(o))
		}
		return strings.Join(list, "\n")
	}
	elicits := modern(`{"elicitation":{}}`)
	for _, c := range []struct{ method, subject, other string }{
		{protocol.MethodResourcesRead, `"uri":"a:b"`, ``},
		{protocol.MethodPromptsGet, `"name":"p"`, `"arguments":{"a":"1"},`},
	} {
		for _, job := range []bool{false, true} {
			s, h := sealing(t)
			asked := answer(s, h, job, c.method, c.subject+","+elicits)
			_, state, ok := strings.Cut(asked, `"requestState":"`)
			state, _, _ = strings.Cut(state, `"`)
			if !ok || strings.Contains(state, "at 1") {
				t.Fatalf("%s %v: %s", c.method, job, asked)
			}
			back := `"inputResponses":{"who":{"action":"decline"}},"requestState":"` + state
			if got := answer(s, h, job, c.method, c.subject+","+back+`",`+elicits); !strings.Contains(got, `at 1 decline`) {
				t.Errorf("%s %v: %s", c.method, job, got)
			}
			if got := answer(s, h, job, c.method, c.subject+","+back+`x",`+elicits); !strings.Contains(got, `"message":"invalid requestState"`) {
				t.Errorf("%s %v: %s", c.method, job, got)
			}
			if job { // of a connection that has ended meanwhile
				s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+c.method+`","params":{`+c.subject+","+back+`",`+elicits+`}}`))
				j, _ := h.Job(o.Events[0])
				_, o, err := s.Finish(began, j.Run(context.Background(), deaf{}))
				if got := texts(o); err != nil || !strings.Contains(got, `"error"`) || strings.Contains(got, "at 1") {
					t.Errorf("%s: %s %v", c.method, got, err)
				}
			}
			if c.other == "" {
				continue
			}
			if got := answer(s, h, job, c.method, c.subject+","+c.other+back+`",`+elicits); !strings.Contains(got, `"message":"invalid requestState"`) {
				t.Errorf("%s %v: %s", c.method, job, got)
			}
		}
	}
	_, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: protocol.AllRevisions(), StateKeys: [][]byte{{1}}}, began)
	var wrong *lifecycle.ConfigError
	if !errors.As(err, &wrong) || wrong.Field != "StateKeys" {
		t.Error(err)
	}
}

// What a client brings back is good for as long as people have to answer, from when it was asked: with no
// such time for ever.
//
// rows: MRTR-016
// revisions: 2026-07-28
func TestSealedStateExpires(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for human, ends := range map[time.Duration]time.Duration{0: 10 * time.Minute, time.Minute: time.Minute, lifecycle.NoTimeout: 0, math.MaxInt64: 0} {
		s, h := sealing(t, lifecycle.Timeouts{Human: human})
		ask := func(after time.Duration, back string) string {
			_, o := h.Receive(s, began.Add(after), jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p",`+back+modern(`{"elicitation":{}}`)+`}}`))
			return texts(o)
		}
		_, state, _ := strings.Cut(ask(time.Hour, ""), `"requestState":"`)
		state, _, _ = strings.Cut(state, `"`)
		for _, after := range []time.Duration{0, ends - time.Second, ends, 100 * year} {
			got := ask(time.Hour+max(after, 0), `"inputResponses":{"who":{"action":"decline"}},"requestState":"`+state+`",`)
			if strings.Contains(got, `at 1 decline`) != (ends == 0 || after < ends) {
				t.Errorf("%v after %v: %s", human, after, got)
			}
		}
	}
}

// What server/discover cannot carry is refused where there is no initialize either.
func TestDiscoverResultIsChecked(t *testing.T) {
	_, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: protocol.StatelessRevisions(), Experimental: map[string]protocol.Raw{"a": "x"},
	}, began)
	var wrong *lifecycle.ConfigError
	if !errors.As(err, &wrong) {
		t.Error(err)
	}
}

// A raw result that asks is checked as any other: by what the client has declared.
func TestRawQuestions(t *testing.T) {
	const raw = protocol.Raw(`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`)
	for declared, ok := range map[string]bool{`{"roots":{}}`: true, `{}`: false} {
		s, _ := stateless(t)
		s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",`+modern(declared)+`}}`))
		if len(o.Events) != 1 {
			t.Fatal(texts(o))
		}
		_, o, err := s.Respond(began, o.Events[0].Call, raw)
		if (err == nil) != ok || strings.Contains(texts(o), "roots/list") != ok {
			t.Errorf("%s: %s %v", declared, texts(o), err)
		}
	}
}

// A raw result says of its type what its method has, or is refused; what a custom method has is for the
// application to say.
//
// rows: RSLT-003 MRTR-002 MRTR-003
// revisions: 2026-07-28
func TestRawTypes(t *testing.T) {
	catalog, err := func() (*server.Catalog, error) { _, h := stateless(t); return h.Catalog() }()
	if err != nil {
		t.Fatal(err)
	}
	for _, pass := range []bool{false, true} {
		s, err := server.New(server.Config{
			Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: []string{"tools/call", "resources/read", "tools/list", "x/y"}, Revisions: protocol.AllRevisions(),
			Policy: lifecycle.Policy{PassThrough: pass},
		}, began)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			method, result string
			ok             bool
		}{
			{"tools/call", `{"content":[],"resultType":"complete"}`, true},
			{"tools/call", `{"content":[],"resultType":"input_required"}`, pass},
			{"tools/call", `{"resultType":"input_required","inputRequests":{"a":{"method":"ping"}}}`, pass},
			{"tools/call", `{"resultType":"input_required","requestState":"s"}`, true},
			{"tools/call", `{"content":[],"resultType":"partial"}`, pass},
			{"tools/call", `{"content":[],"resultType":5}`, pass},
			{"tools/list", `{"tools":[],"resultType":"input_required","requestState":"s"}`, pass},
			{"x/y", `{"resultType":"partial"}`, true},
			{"x/y", `{}`, true},
			{"x/y", ``, false}, {"x/y", `5`, false}, {"x/y", `[]`, false}, {"x/y", `null`, false},
		} {
			s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+c.method+`","params":{"name":"echo",`+modern("{}")+`}}`))
			next, o, err := s.Respond(began, o.Opened, protocol.Raw(c.result))
			if (err == nil) != c.ok || (len(o.Send) == 1) != c.ok || (next.Status().Inbound == 0) != c.ok || strings.Count(texts(o), "resultType") > 1 {
				t.Errorf("%s is answered %s (pass through: %v): %v %s", c.method, c.result, pass, err, texts(o))
			}
		}
		for _, none := range []protocol.Result{nil, (*protocol.InputRequired)(nil), &protocol.InputRequired{}, &protocol.InputRequired{Questions: []protocol.Question{{}}}} {
			s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",`+modern("{}")+`}}`))
			if _, o, err := s.Respond(began, o.Opened, none); !errors.Is(err, lifecycle.ErrParams) || len(o.Send) > 0 {
				t.Errorf("%#v: %v %s", none, err, texts(o))
			}
		}
	}
}

// How long a raw result is fresh stays as its function says.
func TestRawFreshness(t *testing.T) {
	s, _ := stateless(t)
	s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b",`+modern("{}")+`}}`))
	if len(o.Events) != 1 {
		t.Fatal(texts(o))
	}
	_, o, err := s.Respond(began, o.Events[0].Call, protocol.Raw(`{"contents":[],"ttlMs":5,"cacheScope":"public"}`))
	if got := texts(o); err != nil || !strings.Contains(got, `"ttlMs":5,"cacheScope":"public"`) || strings.Contains(got, `"ttlMs":0`) {
		t.Errorf("%s %v", got, err)
	}
}

// A result that has a _meta or a type of its own says how long it is fresh as every other one does.
func TestStampBesideMeta(t *testing.T) {
	for _, body := range []string{`{"_meta":{"x/y":1},"contents":[]}`, `{"_meta":null,"contents":[]}`, `{"resultType":"complete","_meta":{},"contents":[]}`} {
		s, _ := stateless(t)
		s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b",`+modern("{}")+`}}`))
		_, o, err := s.Respond(began, o.Events[0].Call, protocol.Raw(body))
		if got := texts(o); err != nil || !strings.Contains(got, `"resultType":"complete","ttlMs":0,"cacheScope":"private"`) || !strings.Contains(got, protocol.MetaServerInfo) {
			t.Errorf("%s: %s %v", body, got, err)
		}
	}
}

// deaf is a Caller of whom nothing but the State is asked.
type deaf struct{ s server.State }

func (d deaf) State() server.State                  { return d.s }
func (deaf) Call() server.Call                      { return server.Call{} }
func (deaf) Progress(protocol.ProgressParams) error { return nil }
func (deaf) Notify(protocol.Params) error           { return nil }
func (deaf) Request(context.Context, protocol.Params, server.RequestOptions) (jsonrpc.Raw, error) {
	return "", errors.New("gone")
}

// In a session a function that asks cannot be answered inline, and as a Job it gets the error of a
// request that nobody answered.
func TestAskInASession(t *testing.T) {
	s, h := sealing(t)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		s, _ = s.Receive(began, jsonrpc.DecodeString(line))
	}
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}`)
	if _, o := h.Receive(s, began, m); !strings.Contains(texts(o), `"error":{"code":-32603`) {
		t.Error(texts(o))
	}
	s, o := s.Receive(began, m)
	if len(o.Events) != 1 {
		t.Fatal(texts(o), o.Events)
	}
	if c := s.Client(o.Events[0].Call); c.Revision != protocol.Revision20251125 || c.Info.Name != "c" {
		t.Error(c)
	}
	j, ok := h.Job(o.Events[0])
	if !ok {
		t.Fatal("no Job")
	}
	_, o, err := s.Finish(began, j.Run(context.Background(), deaf{s}))
	if err != nil || !strings.Contains(texts(o), `"error"`) {
		t.Error(texts(o), err)
	}
}

// A subscription to a uri that ends in a slash is told of what is below (SUBS-023).
//
// rows: SUBS-023
// revisions: 2026-07-28
func TestListenBelow(t *testing.T) {
	h := &server.Handlers{}
	for _, uri := range []string{"file:///d/", "file:///d/x", "file:///dx"} {
		h.Resource(protocol.Resource{URI: uri, Name: "n"}, nil)
	}
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: []string{protocol.MethodResourcesRead}, Revisions: protocol.AllRevisions(), Subscribe: true,
	}, began)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(began, listen(`1`, `{"resourceSubscriptions":["file:///d/"]}`))
	for uri, want := range map[string]bool{"file:///d/x": true, "file:///d/": true, "file:///dx": false} {
		_, o, err := s.Notify(began, protocol.ResourceUpdatedParams{URI: uri}, server.Call{})
		if (len(o.Send) > 0) != want || err != nil {
			t.Errorf("%s: %s, %v", uri, texts(o), err)
		}
	}
	if _, _, err := s.Notify(began, protocol.ResourceUpdatedParams{URI: "file:///d/x", Meta: "x"}, server.Call{}); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
}

// A version that is long is cut before it is sent back, by whatever message it comes.
func TestLongVersion(t *testing.T) {
	alone, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: protocol.StatelessRevisions()}, began)
	if err != nil {
		t.Fatal(err)
	}
	_, a := alone.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+strings.Repeat("ü", 1<<16)+`"}}`))
	if got := texts(a); !strings.Contains(got, `"code":-32601`) || !strings.Contains(got, "üü") || len(got) > 1<<16 {
		t.Errorf("%d %.200s", len(got), got)
	}
	s, h := stateless(t)
	long := strings.Replace(modern("{}"), "2026-07-28", strings.Repeat("ü", 1<<16), 1)
	_, o := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+long+`}}`))
	if got := texts(o); !strings.Contains(got, `"code":-32022`) || len(got) > 1<<16 {
		t.Errorf("%d %.200s", len(got), got)
	}
}

// What is kept of a call and of a subscription is a few texts, and not the message that they came in: who
// the client is, the id and what the subscription is to.
//
// rows: REQM-017
// revisions: 2026-07-28
func TestMessagesAreNotPinned(t *testing.T) {
	const size = 1 << 20
	for name, method := range map[string]string{
		"a call":         `"method":"tools/call","params":{"name":"echo",`,
		"a subscription": `"method":"subscriptions/listen","params":{"notifications":{},`,
	} {
		for _, client := range []string{newInfo, `"io.modelcontextprotocol/clientInfo":{"name":"` + strings.Repeat("n", size/2) + `","version":"1"}`} {
			s, _ := stateless(t)
			kept := heap(func() any {
				var o server.Output
				line := `{"jsonrpc":"2.0","id":"i",` + method + modern("{}", client) + `,"more":"` + strings.Repeat("x", size) + `"}}`
				if s, o = s.Receive(began, jsonrpc.Decode([]byte(line))); s.Status().Inbound != 1 {
					t.Fatal(texts(o))
				}
				return &s
			})
			if kept > size/4 {
				t.Errorf("%s keeps %d bytes", name, kept)
			}
			for info := range s.Inbound() {
				if c := s.Client(info.Call); c.Info.Name == "" {
					t.Errorf("%s: %+v", name, c)
				}
			}
		}
	}
}

// A method that sessions have too is one of the session where a request says nothing of itself, also in a session of a revision
// that lacks it.
//
// revisions: 2026-07-28
// rows: ERA-005
func TestMethodsOfBothEras(t *testing.T) {
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: append(protocol.StatelessRevisions(), protocol.Revision20241105),
	}, began)
	if err != nil {
		t.Fatal(err)
	}
	for method, code := range map[string]int64{"elicitation/create": -32601, "sampling/createMessage": -32601, "server/discover": -32602, "subscriptions/listen": -32602} {
		_, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`))
		if len(o.Send) != 1 || o.Send[0].Message.Err == nil || o.Send[0].Message.Err.Code != code {
			t.Errorf("%s: %s", method, texts(o))
		}
	}
}
