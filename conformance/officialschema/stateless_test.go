package officialschema_test

import (
	"context"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/officialschema"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// without is a client and a server without a session, whose messages are all checked against the
// official schema.
type without struct {
	t       *testing.T
	book    *officialschema.Book
	c       client.State
	s       server.State
	h       server.Handlers
	methods map[jsonrpc.ID]string
	seen    map[string]int
}

func newWithout(t *testing.T) *without {
	t.Helper()
	books, err := officialschema.Books()
	if err != nil {
		t.Fatal(err)
	}
	x := &without{t: t, book: books[protocol.Revision20260728], methods: map[jsonrpc.ID]string{}, seen: map[string]int{}}
	form := protocol.ElicitSchema{Properties: []protocol.Property{{Name: "name", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString}}}}
	x.h.Tool(protocol.Tool{Name: "ask", Title: "Ask", OutputSchema: `{"type":"object"}`, Execution: &protocol.ToolExecution{TaskSupport: "forbidden"}, Meta: `{"a":1}`}, func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		_ = c.Notify(protocol.LoggingMessageParams{Level: "error", Logger: "l", Data: `{"a":1}`})
		_ = c.Progress(protocol.ProgressParams{Progress: 1, Message: "half"})
		q := protocol.Ask(p)
		q.Elicit("form", protocol.ElicitParams{Message: "who?", RequestedSchema: form})
		q.Elicit("page", protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "go", URL: "https://a.example/", ElicitationID: "e"})
		q.Sample("poem", protocol.CreateMessageParams{MaxTokens: 5, Messages: []protocol.SamplingMessage{{Role: "user", Content: []protocol.Content{protocol.TextContent("go")}}}})
		q.Roots("roots")
		if err := q.Open("s"); err != nil {
			return nil, err
		}
		return &protocol.CallToolResult{Content: []protocol.Content{protocol.TextContent("done")}, StructuredContent: `{"a":1}`, Meta: `{"k":2}`}, nil
	})
	x.h.Resource(protocol.Resource{URI: "a:b", Name: "b", Title: "B"}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: "a:b", Text: "b"}}}, nil
	})
	x.h.Template(protocol.ResourceTemplate{URITemplate: "a:{x}", Name: "x"}, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams, _ uritemplate.Values) (*protocol.ReadResourceResult, error) {
		return nil, protocol.ResourceNotFound(p.URI)
	})
	x.h.Prompt(protocol.Prompt{Name: "p", Arguments: []protocol.PromptArgument{{Name: "a"}}}, func(_ context.Context, _ server.Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		q := protocol.Ask(p)
		q.Elicit("form", protocol.ElicitParams{Message: "who?", RequestedSchema: form})
		if err := q.Open(""); err != nil {
			return nil, err
		}
		return &protocol.GetPromptResult{Messages: []protocol.PromptMessage{{Role: "user", Content: protocol.TextContent("p")}}}, nil
	})
	catalog, err := x.h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	info := protocol.Implementation{Name: "n", Version: "1", Title: "N", WebsiteURL: "https://a.example/"}
	if x.s, err = server.New(server.Config{
		Info: info, Revisions: protocol.AllRevisions(), Catalog: catalog, Serve: x.h.Serve(), Subscribe: true, Logging: true, ChangeDelay: -1, Instructions: "i",
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged,
	}, model.Origin); err != nil {
		t.Fatal(err)
	}
	cfg := client.Config{
		Info: info, Serve: []string{protocol.MethodElicitationCreate, protocol.MethodSamplingCreateMessage}, Roots: []protocol.Root{{URI: "file:///a"}},
		Declare: protocol.CapElicitationURL | protocol.CapElicitationForm, Revisions: protocol.AllRevisions(),
	}
	if x.c, err = client.New(cfg, model.Origin); err != nil {
		t.Fatal(err)
	}
	return x
}

// line checks a message against the schema.
func (x *without) line(from lifecycle.Party, m jsonrpc.Message) jsonrpc.Message {
	x.t.Helper()
	text := string(jsonrpc.Append(nil, m))
	line, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		x.t.Fatal(err)
	}
	if m.Kind == jsonrpc.KindRequest {
		x.methods[m.ID] = m.Method
	}
	names, err := x.book.Check(from, line, x.methods[m.ID])
	if err != nil {
		x.t.Errorf("%s: %v", text, err)
	}
	for _, name := range names {
		x.seen[name]++
	}
	return jsonrpc.Decode([]byte(text))
}

// carry passes messages between the two until none is left, and answers questions.
func (x *without) carry(o client.Output, err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
	for _, out := range o.Send {
		var back server.Output
		x.s, back = x.h.Receive(x.s, model.Origin, x.line(lifecycle.Client, out.Message))
		x.back(back)
	}
	for _, ev := range o.Events {
		if ev.Kind != lifecycle.RequestReceived {
			continue
		}
		var r protocol.Result = protocol.ElicitResult{Action: "accept", Content: map[string]protocol.Raw{"name": `"Ann"`}}
		switch {
		case ev.Method == protocol.MethodSamplingCreateMessage:
			r = protocol.CreateMessageResult{Role: "assistant", Model: "m", Content: []protocol.Content{protocol.TextContent("a poem")}}
		case strings.Contains(string(ev.Body), `"url"`):
			r = protocol.ElicitResult{Action: "accept"}
		}
		var next client.Output
		x.c, next, err = x.c.Respond(model.Origin, ev.Call, r)
		x.carry(next, err)
	}
}

func (x *without) back(o server.Output) {
	x.t.Helper()
	for _, out := range o.Send {
		var next client.Output
		x.c, next = x.c.Receive(model.Origin, x.line(lifecycle.Server, out.Message))
		x.carry(next, nil)
	}
}

func (x *without) request(p protocol.Params) client.Output {
	x.t.Helper()
	var o client.Output
	var err error
	x.c, o, err = x.c.Request(model.Origin, p, client.RequestOptions{Progress: true})
	x.carry(o, err)
	return o
}

// TestStateless checks messages without a session against the official schema: the envelope of each
// request, the stamps of each result, questions and their answers, subscriptions, errors.
//
// rows: SCHEMA-201 SCHEMA-202 RSLT-001 RSLT-002 CACH-001 CACH-003 DISC-002 MRTR-004 MRTR-035 SUBS-001 SUBS-003 SUBS-014 ERR-202 ERR-203 SAMP-201 ELIC-205 JRPC-001 JRPC-002 JRPC-003 TOOL-003 TOOL-004 TOOL-012 RES-003 RES-004 RES-005 RES-006 RES-010 RES-011 PROMPT-002 PROMPT-003 PROMPT-005
// revisions: 2026-07-28
func TestStateless(t *testing.T) {
	x := newWithout(t)
	var o client.Output
	var err error
	x.c, o, err = x.c.Connect(model.Origin, "")
	x.carry(o, err)
	if x.c.Revision() != protocol.Revision20260728 {
		t.Fatalf("%v", x.c.Status())
	}
	heard := x.request(protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:b"}}})
	more := x.request(protocol.ListenParams{Notifications: protocol.SubscriptionFilter{PromptsListChanged: true, ResourcesListChanged: true}})
	for _, p := range []protocol.Params{
		protocol.ListToolsParams{}, protocol.ListResourcesParams{}, protocol.ListResourceTemplatesParams{}, protocol.ListPromptsParams{}, protocol.DiscoverParams{},
		protocol.CallToolParams{Name: "ask", Arguments: `{"a":1}`, Meta: `{"io.modelcontextprotocol/logLevel":"info","x/y":1}`}, protocol.CallToolParams{Name: "none"},
		protocol.ReadResourceParams{URI: "a:b"}, protocol.ReadResourceParams{URI: "a:none"}, protocol.GetPromptParams{Name: "p"}, protocol.RawRequest{Name: "x/y"},
	} {
		x.request(p)
	}
	var so server.Output
	x.s, so, err = x.s.Notify(model.Origin, protocol.ResourceUpdatedParams{URI: "a:b"}, server.Call{})
	if err != nil {
		t.Fatal(err)
	}
	x.back(so)
	x.h.Tool(protocol.Tool{Name: "new"}, nil)
	x.h.Prompt(protocol.Prompt{Name: "new"}, nil)
	x.h.Resource(protocol.Resource{URI: "a:new", Name: "new"}, nil)
	catalog, err := x.h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	x.s, so, err = x.s.SetCatalog(model.Origin, catalog)
	if err != nil {
		t.Fatal(err)
	}
	x.back(so)
	x.c, o, err = x.c.Cancel(model.Origin, heard.Req, "enough")
	x.carry(o, err)
	// The answers to a client of another version, or with fewer capabilities.
	for _, meta := range []string{
		`{"io.modelcontextprotocol/protocolVersion":"1","io.modelcontextprotocol/clientCapabilities":{}}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`,
	} {
		x.s, so = x.h.Receive(x.s, model.Origin, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"ask","_meta":`+meta+`}}`))
		for _, out := range so.Send {
			x.line(lifecycle.Server, out.Message)
		}
	}
	x.s, so = x.s.InputClosed(model.Origin)
	x.back(so)
	if x.c.Status().Outbound != 0 || more.Req.IsZero() {
		t.Error("a subscription is open after its server's end")
	}
	for _, name := range []string{
		"DiscoverRequest", "DiscoverResult", "SubscriptionsListenRequest", "SubscriptionsListenResult", "SubscriptionsAcknowledgedNotification", "InputRequiredResult",
		"CallToolRequest", "CallToolResult", "ListToolsResult", "ListPromptsResult", "ListResourcesResult", "ListResourceTemplatesResult", "ReadResourceResult", "GetPromptResult",
		"ResourceUpdatedNotification", "ToolListChangedNotification", "PromptListChangedNotification", "ResourceListChangedNotification", "LoggingMessageNotification",
		"ProgressNotification", "CancelledNotification", "UnsupportedProtocolVersionError", "MissingRequiredClientCapabilityError",
	} {
		if x.seen[name] == 0 {
			t.Errorf("no line was a %s", name)
		}
	}
}
