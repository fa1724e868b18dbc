package mapping_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A side without a name or a version is refused.
func TestNameAndVersionAreRequired(t *testing.T) {
	for _, who := range []protocol.Implementation{{}, {Name: "n"}, {Version: "1"}} {
		if _, err := server.New(server.Config{Info: who}, verbs.Epoch); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("server %+v: %v", who, err)
		}
		if _, err := client.New(client.Config{Info: who}, verbs.Epoch); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("client %+v: %v", who, err)
		}
	}
}

func call(name string) jsonrpc.Message {
	return jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"` + name + `"}}`)
}

// serving returns a ready session of a server with the tools of h.
func serving(t *testing.T, groups ...*server.Handlers) server.State {
	t.Helper()
	var items server.Items
	var serve []string
	for _, h := range groups {
		items.Tools = append(items.Tools, h.Items().Tools...)
		serve = append(serve, h.Serve()...)
	}
	catalog, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	return verbs.NewServer(t, server.Config{Catalog: catalog, Serve: serve}).Open(protocol.Revision20250618, "{}").Server()
}

// Whatever a function returns, the call is answered once and the session continues.
func TestAnswersOfHandlers(t *testing.T) {
	blocks := func(list ...protocol.Content) *protocol.CallToolResult {
		return &protocol.CallToolResult{Content: list}
	}
	const internal = `{"id":9,"error":{"code":-32603,"message":"internal error"}}`
	var h server.Handlers
	wants := map[string]string{}
	tool := func(name, want string, r *protocol.CallToolResult, err error) {
		h.Tool(protocol.Tool{Name: name}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return r, err
		})
		wants[name] = want
	}
	tool("good", `{"id":9,"result":{"content":[{"type":"text","text":"x"}]}}`, protocol.TextResult("x"), nil)
	tool("none", `{"id":9,"result":{"content":[{"type":"text","text":"no result"}],"isError":true}}`, nil, nil)
	tool("failed", `{"id":9,"result":{"content":[{"type":"text","text":"no disk"}],"isError":true}}`, nil, errors.New("no disk"))
	tool("refused", `{"id":9,"error":{"code":-32602,"message":"m"}}`, nil, &jsonrpc.Error{Code: -32602, Message: "m"})
	tool("code 0", internal, nil, &jsonrpc.Error{Message: "m"})
	tool("half a block", internal, blocks(protocol.Content{Type: "image"}), nil)
	tool("no kind", internal, blocks(protocol.Content{}), nil)
	tool("unknown kind without text", internal, blocks(protocol.Content{Type: "new"}), nil)
	tool("unknown kind", `{"id":9,"result":{"content":[{"type":"new","a":1}]}}`, blocks(protocol.Content{Type: "new", Raw: `{"type":"new","a":1}`}), nil)
	tool("bad structure", internal, &protocol.CallToolResult{StructuredContent: `[`}, nil)
	s := serving(t, &h)
	for name, want := range wants {
		received, out := s.Receive(verbs.Epoch, call(name))
		inline, rest := h.Handle(received, out)
		job, ok := h.Job(out.Events[0])
		if !ok {
			t.Fatal(name)
		}
		apart, later, _ := received.Finish(verbs.Epoch, job.Run(context.Background(), nil))
		for how, got := range map[string]struct {
			s   server.State
			out server.Output
		}{"Handle": {inline, rest}, "Job": {apart, later}} {
			if wire(got.out) != want || !got.out.Send[0].Final {
				t.Errorf("%s, %s: sent %s, want %s", name, how, wire(got.out), want)
			}
			if st := got.s.Status(); st.Inbound != 0 || st.Phase != lifecycle.Ready || got.s.Check() != nil {
				t.Errorf("%s, %s: %+v, %v", name, how, st, got.s.Check())
			}
		}
	}
}

// Groups of tools are separate Handlers: they fold one after the other, a name belongs to
// one of them, the list is in the order of names, and a group can be removed.
func TestGroupsOfTools(t *testing.T) {
	group := func(text string, names ...string) *server.Handlers {
		h := new(server.Handlers)
		for _, name := range names {
			h.Tool(protocol.Tool{Name: name}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return protocol.TextResult(text), nil
			})
		}
		return h
	}
	first, second := group("first", "d", "b"), group("second", "c", "a")
	s := serving(t, first, second)
	ask := func(m jsonrpc.Message) string {
		_, out := server.RejectUnhandled(second.Handle(first.Handle(s.Receive(verbs.Epoch, m))))
		return wire(out)
	}
	text := func(s string) string { return `{"id":9,"result":{"content":[{"type":"text","text":"` + s + `"}]}}` }
	const unknown = `{"id":9,"error":{"code":-32602,"message":"unknown tool"}}`
	for name, want := range map[string]string{"a": text("second"), "b": text("first"), "c": text("second"), "d": text("first"), "e": unknown} {
		if got := ask(call(name)); got != want {
			t.Errorf("%s: sent %s, want %s", name, got, want)
		}
	}
	item := func(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }
	if want := `{"id":9,"result":{"tools":[` + item("a") + `,` + item("b") + `,` + item("c") + `,` + item("d") + `]}}`; ask(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`)) != want {
		t.Errorf("want %s", want)
	}

	if _, err := server.NewCatalog(server.Items{Tools: append(first.Items().Tools, protocol.Tool{Name: "b"})}); err == nil {
		t.Error("two tools of one name are listed")
	}

	// Without the first group its tools are unknown; a running call is still answered.
	running, out := s.Receive(verbs.Epoch, call("b"))
	job, ok := first.Job(out.Events[0])
	if !ok {
		t.Fatal("b has no function")
	}
	rest, err := second.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = running.SetCatalog(verbs.Epoch, rest); err != nil {
		t.Fatal(err)
	}
	if _, out, err := s.Finish(verbs.Epoch.Add(time.Second), job.Run(context.Background(), nil)); err != nil || wire(out) != text("first") {
		t.Errorf("the call that runs: sent %s, %v", wire(out), err)
	}
	s, _, _ = s.Finish(verbs.Epoch, job.Run(context.Background(), nil))
	if got := ask(call("b")); got != unknown {
		t.Errorf("sent %s, want %s", got, unknown)
	}
	if got := ask(call("a")); got != text("second") {
		t.Errorf("sent %s", got)
	}
}

// The driver handles a panic of a function. Nothing has been sent, and its State is
// valid: it answers the call and continues.
func TestPanicOfAFunction(t *testing.T) {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "a"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		panic("secret")
	})
	s, out := serving(t, &h).Receive(verbs.Epoch, call("a"))
	for name, do := range map[string]func(){
		"Handle": func() { h.Handle(s, out) },
		"Run": func() {
			job, _ := h.Job(out.Events[0])
			job.Run(context.Background(), nil)
		},
	} {
		func() {
			defer func() {
				if recover() != "secret" {
					t.Errorf("%s: the panic does not arrive", name)
				}
			}()
			do()
		}()
		next, o, err := s.Fail(verbs.Epoch, out.Opened, protocol.InternalError("internal error"))
		if err != nil || wire(o) != `{"id":9,"error":{"code":-32603,"message":"internal error"}}` || next.Status().Inbound != 0 || next.Check() != nil {
			t.Errorf("%s: sent %s, %v", name, wire(o), err)
		}
	}
}

// A tool without a function is listed and its call is an event, and so is every call
// without a catalog; Refuse answers the rest, as for an unknown tool.
func TestCallsLeftToTheApplication(t *testing.T) {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "a"}, nil)
	bare := verbs.NewServer(t, server.Config{Serve: []string{"tools/call"}}).Open(protocol.Revision20250618, "{}").Server()
	for name, s := range map[string]server.State{"listed": serving(t, &h), "no catalog": bare} {
		s, out := h.Handle(s.Receive(verbs.Epoch, call("a")))
		if len(out.Send) != 0 || len(out.Events) != 1 || out.Events[0].Kind != lifecycle.RequestReceived || out.Events[0].Call != out.Opened {
			t.Errorf("%s: sent %s, events %s", name, wire(out), verbs.Kinds(out))
		}
		_, done, err := s.Respond(verbs.Epoch, out.Opened, protocol.TextResult("x"))
		if want := `{"id":9,"result":{"content":[{"type":"text","text":"x"}]}}`; err != nil || wire(done) != want {
			t.Errorf("%s: sent %s, %v", name, wire(done), err)
		}
		left, done := server.RejectUnhandled(s, out)
		if want := `{"id":9,"error":{"code":-32602,"message":"unknown tool"}}`; wire(done) != want || left.Status().Inbound != 0 {
			t.Errorf("%s: sent %s, want %s", name, wire(done), want)
		}
	}
}
