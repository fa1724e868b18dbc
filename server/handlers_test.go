package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// offered has one of each kind. Each function says who it is, or fails.
func offered() *server.Handlers {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		switch string(p.Arguments) {
		case `{"a":"fail"}`:
			return nil, errors.New("it broke")
		case `{"a":"rpc"}`:
			return nil, &jsonrpc.Error{Code: 5, Message: "refused"}
		case `{"a":"value"}`:
			return nil, protocol.InvalidParams("no such thing")
		case `{"a":"nothing"}`:
			return nil, nil
		}
		return protocol.TextResult("tool"), nil
	})
	h.Tool(protocol.Tool{Name: "none", InputSchema: `{"type":"object"}`}, nil)
	read := func(who string) server.ReadFunc {
		return func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: p.URI, Text: who}}}, nil
		}
	}
	match := func(who string) server.TemplateFunc {
		return func(ctx context.Context, c server.Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error) {
			return read(who+" "+vars.Get("n").String())(ctx, c, p)
		}
	}
	h.Resource(protocol.Resource{Name: "r", URI: "x://a/one"}, read("resource"))
	h.Template(protocol.ResourceTemplate{Name: "long", URITemplate: "x://a/b/{n}"}, match("long"))
	h.Template(protocol.ResourceTemplate{Name: "short", URITemplate: "x://a/{n}"}, match("short"))
	h.Prompt(protocol.Prompt{Name: "p"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return &protocol.GetPromptResult{Description: "prompt", Messages: []protocol.PromptMessage{}}, nil
	})
	h.Complete(func(context.Context, server.Caller, protocol.CompleteParams) (*protocol.CompleteResult, error) {
		return &protocol.CompleteResult{Completion: protocol.Completion{Values: []string{"complete"}}}, nil
	})
	return &h
}

// serving returns a ready session that offers what h has.
func serving(t *testing.T, h *server.Handlers) server.State {
	t.Helper()
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server.Config{Catalog: catalog, Serve: append(h.Serve(), "tools/call", "x/own"), Unlisted: true})
	return s
}

// What is registered is listed and served.
func TestRegistered(t *testing.T) {
	h := offered()
	if got, want := h.Serve(), []string{"tools/call", "resources/read", "prompts/get", "completion/complete"}; !slices.Equal(got, want) {
		t.Errorf("serves %v, want %v", got, want)
	}
	s := serving(t, h)
	for method, want := range map[string]jsonrpc.Raw{
		"tools/list":               `{"tools":[{"name":"none","inputSchema":{"type":"object"}},{"name":"t","inputSchema":{"type":"object"}}]}`,
		"resources/list":           `{"resources":[{"name":"r","uri":"x://a/one"}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"name":"short","uriTemplate":"x://a/{n}"},{"name":"long","uriTemplate":"x://a/b/{n}"}]}`,
		"prompts/list":             `{"prompts":[{"name":"p"}]}`,
	} {
		_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"`+method+`"}`))
		got := out.Send[0].Message
		if len(got.Body) != len(want) { // the order of members is the codec's
			t.Errorf("%s: %v %s, want %s", method, got.Err, got.Body, want)
		}
	}
	for part, want := range map[string][]string{
		"tool":      {"tools/call"},
		"resource":  {"resources/read"},
		"template":  {"resources/read"},
		"prompt":    {"prompts/get"},
		"completer": {"completion/complete"},
		"nothing":   nil,
	} {
		var h server.Handlers
		switch part {
		case "tool":
			h.Tool(protocol.Tool{}, nil)
		case "resource":
			h.Resource(protocol.Resource{}, nil)
		case "template":
			h.Template(protocol.ResourceTemplate{}, nil)
		case "prompt":
			h.Prompt(protocol.Prompt{}, nil)
		case "completer":
			h.Complete(func(context.Context, server.Caller, protocol.CompleteParams) (*protocol.CompleteResult, error) {
				return nil, nil
			})
		}
		if got := h.Serve(); !slices.Equal(got, want) {
			t.Errorf("%s: serves %v, want %v", part, got, want)
		}
	}
}

// handled are requests, with what h makes of them: the result, the code of the
// error, or "" where it leaves them to others.
var handled = []struct{ method, params, want string }{
	{"tools/call", `{"name":"t"}`, `{"content":[{"type":"text","text":"tool"}]}`},
	{"tools/call", `{"name":"t","arguments":{"a":"fail"}}`, `{"content":[{"type":"text","text":"it broke"}],"isError":true}`},
	{"tools/call", `{"name":"t","arguments":{"a":"nothing"}}`, `{"content":[{"type":"text","text":"no result"}],"isError":true}`},
	{"tools/call", `{"name":"t","arguments":{"a":"rpc"}}`, `code 5`},
	{"tools/call", `{"name":"t","arguments":{"a":"value"}}`, `code -32602`},
	{"tools/call", `{"name":"none"}`, ``},
	{"resources/read", `{"uri":"x://a/one"}`, `{"contents":[{"uri":"x://a/one","text":"resource"}]}`},
	{"resources/read", `{"uri":"x://a/two"}`, `{"contents":[{"uri":"x://a/two","text":"short two"}]}`},
	{"resources/read", `{"uri":"x://a/b/three"}`, `{"contents":[{"uri":"x://a/b/three","text":"long three"}]}`},
	{"resources/read", `{"uri":"y://a"}`, ``},
	{"prompts/get", `{"name":"p"}`, `{"description":"prompt","messages":[]}`},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`, `{"completion":{"values":["complete"]}}`},
	{"x/own", `{}`, ``},
}

// Handle answers inline what a Job answers, and neither touches what is not theirs.
func TestHandled(t *testing.T) {
	h := offered()
	s := serving(t, h)
	for _, tt := range handled {
		asked, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"`+tt.method+`","params":`+tt.params+`}`))
		if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.RequestReceived {
			t.Fatalf("%s %s: %v", tt.method, tt.params, out)
		}
		ev := out.Events[0]
		job, mine := h.Job(ev)
		next, rest := h.Handle(asked, out)
		if mine != (tt.want != "") {
			t.Errorf("%s %s: a Job: %v", tt.method, tt.params, mine)
		}
		if tt.want == "" {
			if job.Method != "" || !job.Call.IsZero() || len(rest.Events) != 1 || len(rest.Send) != 0 || next != asked {
				t.Errorf("%s %s: %+v %+v", tt.method, tt.params, job, rest)
			}
			continue
		}
		if job.Method != tt.method || job.Call != ev.Call {
			t.Errorf("%s %s: the Job is of %s, %v", tt.method, tt.params, job.Method, job.Call)
		}
		_, finished, err := asked.Finish(t0, job.Run(context.Background(), nil))
		if err != nil {
			t.Errorf("%s %s: %v", tt.method, tt.params, err)
		}
		for how, o := range map[string]server.Output{"inline": rest, "as a Job": finished} {
			if len(o.Send) != 1 || len(o.Events) != 0 {
				t.Errorf("%s %s %s: %+v", tt.method, tt.params, how, o)
				continue
			}
			m := o.Send[0].Message
			if got := string(m.Body); m.Err == nil && got != tt.want || m.Err != nil && fmt.Sprint("code ", m.Err.Code) != tt.want {
				t.Errorf("%s %s %s: %s %v, want %s", tt.method, tt.params, how, got, m.Err, tt.want)
			}
		}
		if rest.Opened != out.Opened || next.Status().Inbound != asked.Status().Inbound-1 {
			t.Errorf("%s %s: opened %v, %d in flight", tt.method, tt.params, rest.Opened, next.Status().Inbound)
		}
	}
	// Events that ask nothing, and requests whose params are not what they should be.
	for _, ev := range []server.Event{
		{Kind: lifecycle.NotificationReceived, Method: "tools/call", Body: `{"name":"t"}`},
		{Kind: lifecycle.RequestReceived, Method: "tools/call", Body: `{"name":1}`},
		{Kind: lifecycle.RequestReceived, Method: "resources/read", Body: `{"uri":1}`},
		{Kind: lifecycle.RequestReceived, Method: "prompts/get", Body: `{"name":1}`},
		{Kind: lifecycle.RequestReceived, Method: "completion/complete", Body: `{"ref":1}`},
	} {
		_, mine := h.Job(ev)
		_, rest := h.Handle(s, server.Output{Events: []server.Event{ev}})
		if mine || len(rest.Events) != 1 || len(rest.Send) != 0 {
			t.Errorf("%v: a Job: %v, the rest %+v", ev, mine, rest)
		}
	}
	var none server.Handlers
	if _, mine := none.Job(server.Event{Kind: lifecycle.RequestReceived, Method: "completion/complete", Body: jsonrpc.Raw(handled[10].params)}); mine {
		t.Error("nobody completes")
	}
}

// Of an Output with many events each goes its way, in order.
func TestHandleFolds(t *testing.T) {
	h := offered()
	s := serving(t, h)
	m := jsonrpc.DecodeString(`[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},
		{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}},
		{"jsonrpc":"2.0","id":3,"method":"x/own"},
		{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"none"}},
		{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"p"}},
		{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`)
	s, out := s.Receive(t0, m)
	kinds := func(o server.Output) (list []string) {
		for _, ev := range o.Events {
			list = append(list, ev.Kind.String()+" "+ev.Method)
		}
		return list
	}
	whole := len(out.Events)
	next, rest := h.Handle(s, out)
	if len(rest.Events) != whole-2 || len(rest.Send) != 2 || rest.Send[0].Message.ID != jsonrpc.Int(2) || rest.Send[1].Message.ID != jsonrpc.Int(5) {
		t.Fatalf("%v, sent %v", kinds(rest), rest.Send)
	}
	if len(out.Events) != whole {
		t.Error("Handle changed what it was given")
	}
	// The last fold refuses what is left and keeps what asks nothing.
	last, end := server.RejectUnhandled(next, rest)
	for _, ev := range end.Events {
		if ev.Kind == lifecycle.RequestReceived {
			t.Errorf("%v is left", ev)
		}
	}
	if len(end.Events) != whole-4 || len(end.Send) != 4 || end.Send[2].Message.Err == nil || end.Send[3].Message.Err == nil {
		t.Fatalf("%v, sent %v", kinds(end), end.Send)
	}
	if got := end.Send[2].Message.Err.Code; got != jsonrpc.CodeInternalError {
		t.Errorf("what nobody answers: %d", got)
	}
	if got := end.Send[3].Message.Err.Code; got != jsonrpc.CodeInvalidParams {
		t.Errorf("a tool that nobody has: %d", got)
	}
	if got := last.Status().Inbound; got != 1 { // that of open
		t.Errorf("%d in flight", got)
	}
}

// The last fold answers requests alone, whatever call another event is about.
func TestRefuseAnswersRequestsAlone(t *testing.T) {
	s, call := open(t, server.Config{Serve: []string{"tools/call"}})
	for _, kind := range []lifecycle.EventKind{lifecycle.Violation, lifecycle.Downgraded, lifecycle.RequestCancelled, lifecycle.KindUser} {
		next, out := server.RejectUnhandled(s, server.Output{Events: []server.Event{{Kind: kind, Call: call, Method: "tools/call"}}})
		if next != s || len(out.Send) != 0 || len(out.Events) != 1 {
			t.Errorf("%v: %+v", kind, out)
		}
	}
}

// References are looked up where the catalog has all that they could mean, and left to the
// application where it lists resources itself.
func TestUnknownReferences(t *testing.T) {
	catalog := catalogOf(t, "tools", "templates", "resources", "prompts")
	for own, refused := range map[string][2]bool{
		"completion/complete": {true, true}, "resources/list": {false, true}, "resources/templates/list": {false, true}, "prompts/list": {true, false},
	} {
		s, _ := open(t, server.Config{Catalog: catalog, Serve: []string{"tools/call", "resources/read", "prompts/get", "completion/complete", own}})
		for i, ref := range []string{`{"type":"ref/resource","uri":"a:b"}`, `{"type":"ref/prompt","name":"p"}`} {
			_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":`+ref+`,"argument":{"name":"a","value":""}}}`))
			if got := len(out.Send) == 1 && out.Send[0].Message.Err != nil; got != refused[i] {
				t.Errorf("where the application answers %s, %s is refused: %v", own, ref, got)
			}
		}
	}
}

// What is wrong with params is said in the event.
func TestMisfitHasItsCause(t *testing.T) {
	s, _ := open(t, server.Config{Serve: []string{"tools/call"}})
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":1}}`, `{"jsonrpc":"2.0","id":2,"method":"ping","params":[]}`,
	} {
		_, out := s.Receive(t0, jsonrpc.DecodeString(line))
		if len(out.Events) != 1 || out.Events[0].Rule != "ERR-005" || out.Events[0].Cause == nil || out.Events[0].Cause.Err == nil {
			t.Errorf("%s: %+v", line, out.Events)
		}
	}
}

// The refusals are those that the specification asks for.
func TestRefusal(t *testing.T) {
	for method, want := range map[string]int64{
		"tools/call": -32602, "prompts/get": -32602, "resources/read": -32002, "resources/subscribe": -32002, "x/own": -32603, "completion/complete": -32603,
	} {
		e := server.UnhandledError(server.Event{Method: method, Body: `{"uri":"a:b"}`})
		if e.Code != want || want == -32002 && e.Data != `{"uri":"a:b"}` {
			t.Errorf("%s: %+v, want %d", method, e, want)
		}
	}
}

// A catalog refuses what nobody could ask for, and what is there twice, in each list.
func TestRefusedItems(t *testing.T) {
	schema := jsonrpc.Raw(`{"type":"object"}`)
	for name, items := range map[string]server.Items{
		"a negative page":         {PageSize: -1},
		"a tool of another type":  {Tools: []protocol.Tool{{Name: "a", InputSchema: `{"type":"string"}`}}},
		"a tool without a name":   {Tools: []protocol.Tool{{InputSchema: schema}}},
		"two tools":               {Tools: []protocol.Tool{{Name: "a", InputSchema: schema}, {Name: "b", InputSchema: schema}, {Name: "a", InputSchema: schema}}},
		"two resources":           {Resources: []protocol.Resource{{Name: "a", URI: "a:b"}, {Name: "b", URI: "a:b"}}},
		"two templates":           {ResourceTemplates: []protocol.ResourceTemplate{{Name: "a", URITemplate: "a:b"}, {Name: "b", URITemplate: "a:b"}}},
		"two prompts":             {Prompts: []protocol.Prompt{{Name: "a"}, {Name: "a"}}},
		"a resource of no uri":    {Resources: []protocol.Resource{{Name: "a", URI: "no uri"}}},
		"metadata that is none":   {Prompts: []protocol.Prompt{{Name: "a", Meta: `[]`}}},
		"an audience of nobody":   {Resources: []protocol.Resource{{Name: "a", URI: "a:b", Annotations: &protocol.Annotations{Audience: []protocol.Role{"x"}}}}},
		"a prompt without a name": {Prompts: []protocol.Prompt{{}}},
	} {
		if c, err := server.NewCatalog(items); err == nil || c != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Lists made of the same beginning are lists of their own.
func TestItemsAreSharedByNobody(t *testing.T) {
	var h server.Handlers
	for _, name := range []string{"a", "b", "c"} { // one place is left for a fourth
		h.Tool(protocol.Tool{Name: name}, nil)
		h.Resource(protocol.Resource{Name: name, URI: "x:" + name}, nil)
		h.Template(protocol.ResourceTemplate{Name: name, URITemplate: "x:" + name + "{n}"}, nil)
		h.Prompt(protocol.Prompt{Name: name}, nil)
	}
	grown := func(name string) server.Items {
		items := h.Items()
		items.Tools = append(items.Tools, protocol.Tool{Name: name})
		items.Resources = append(items.Resources, protocol.Resource{Name: name, URI: "x:" + name})
		items.ResourceTemplates = append(items.ResourceTemplates, protocol.ResourceTemplate{Name: name})
		items.Prompts = append(items.Prompts, protocol.Prompt{Name: name})
		return items
	}
	x, _ := grown("x"), grown("y")
	if x.Tools[3].Name != "x" || x.Resources[3].Name != "x" || x.ResourceTemplates[3].Name != "x" || x.Prompts[3].Name != "x" {
		t.Errorf("%+v", x)
	}
}

// A Job that nobody made answers that there is no result.
func TestNoJob(t *testing.T) {
	if a := (server.Job{}).Run(context.Background(), server.Caller(nil)); a.Err == nil || a.Err.Code != jsonrpc.CodeInternalError || a.Result != nil {
		t.Errorf("%+v", a)
	}
}
