package peerbugs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// offering is a server with the handlers.
func offering(t *testing.T, h *server.Handlers) verbs.Side {
	t.Helper()
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	return verbs.NewServer(t, server.Config{Catalog: catalog, Serve: h.Serve()}).Open(spoken, "{}")
}

// inline lets the handlers answer a request.
func inline(x verbs.Side, h *server.Handlers, name, params string) lifecycle.Output {
	_, out := h.Handle(x.Server().Receive(x.Now, jsonrpc.DecodeString(line("a", name, params))))
	return out
}

// job lets a Job answer it. A driver may handle a panic in its own way; this one
// treats it as a failure of the request.
func job(t *testing.T, x verbs.Side, h *server.Handlers, name, params string) lifecycle.Output {
	t.Helper()
	x, out := x.Receive(line("a", name, params))
	if len(out.Send) > 0 {
		return out
	}
	j, ok := h.Job(out.Events[0])
	if !ok {
		t.Fatalf("%s %s: no job", name, params)
	}
	s, out, err := x.Server().Finish(x.Now, recovered(j))
	if x.With(s); err != nil {
		t.Fatalf("%s %s: %v", name, params, err)
	}
	return out
}

func recovered(j server.Job) (a server.Answer) {
	defer func() {
		if recover() != nil {
			e := protocol.InternalError("internal error")
			a = server.Answer{Call: j.Call, Err: &e}
		}
	}()
	return j.Run(context.Background(), nil)
}

// Case 58: an unknown tool is -32602, a failed tool says so in its result, and a
// panicking tool is -32603 from the driver; the three are distinct. A JSON-RPC error
// that a tool returns is sent unchanged, wrapped or not.
func Test58ThreeOutcomes(t *testing.T) {
	var h server.Handlers
	rpc := &jsonrpc.Error{Code: 7, Message: "own", Data: `[1]`}
	for name, err := range map[string]error{"fails": errors.New("disk is full"), "rpc": rpc, "wrapped": fmt.Errorf("in here: %w", rpc), "no text": errors.New("")} {
		h.Tool(protocol.Tool{Name: name}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return nil, err
		})
	}
	h.Tool(protocol.Tool{Name: "both"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("half"), errors.New("the rest is missing")
	})
	h.Tool(protocol.Tool{Name: "says so"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.ErrorResult("no"), nil
	})
	h.Tool(protocol.Tool{Name: "panics"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		panic("secret")
	})
	x := offering(t, &h)
	for name, want := range map[string]string{
		"nobody":  `"error":{"code":-32602,"message":"unknown tool"}`,
		"":        `"error":{"code":-32602,"message":"unknown tool"}`,
		"Fails":   `"error":{"code":-32602,"message":"unknown tool"}`,
		"fails":   `"result":{"content":[{"type":"text","text":"disk is full"}],"isError":true}`,
		"no text": `"result":{"content":[{"type":"text","text":""}],"isError":true}`,
		"both":    `"result":{"content":[{"type":"text","text":"the rest is missing"}],"isError":true}`,
		"says so": `"result":{"content":[{"type":"text","text":"no"}],"isError":true}`,
		"rpc":     `"error":{"code":7,"message":"own","data":[1]}`,
		"wrapped": `"error":{"code":7,"message":"own","data":[1]}`,
		"panics":  `"error":{"code":-32603,"message":"internal error"}`,
	} {
		params := fmt.Sprintf(`{"name":%q}`, name)
		want = `{"id":"a",` + want + `}`
		if got := wire(job(t, x, &h, "tools/call", params)); got != want {
			t.Errorf("job of %q: sent %s, want %s", name, got, want)
		}
		if name == "panics" {
			// A State is a value: the one from before the panic is valid and can answer.
			y, out := x.Receive(line("a", "tools/call", params))
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic went nowhere")
					}
				}()
				h.Handle(y.Server(), out)
			}()
			if _, out, err := y.Fail(out.Opened, protocol.InternalError("internal error")); err != nil || wire(out) != want {
				t.Errorf("after a panic: %v, sent %s", err, wire(out))
			}
			continue
		}
		if got := wire(inline(x, &h, "tools/call", params)); got != want {
			t.Errorf("inline %q: sent %s, want %s", name, got, want)
		}
	}
}

// Case 58: arguments that violate the schema of the tool are a result with isError, or -32602
// with the policy, and the tool does not run in either case.
func Test58ArgumentsThatDoNotFit(t *testing.T) {
	ran := 0
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			ran++
			return protocol.TextResult("x"), nil
		})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, strict := range []bool{false, true} {
		x := verbs.NewServer(t, server.Config{Catalog: catalog, Serve: h.Serve(), Policy: lifecycle.Policy{StrictArguments: strict}}).Open(spoken, "{}")
		for _, arguments := range []string{"", `,"arguments":null`, `,"arguments":{}`, `,"arguments":{"n":"1"}`, `,"arguments":{"n":null}`, `,"arguments":{"n":1.5}`, `,"arguments":{"N":1}`} {
			y, out := x.Receive(line("a", "tools/call", `{"name":"t"`+arguments+`}`))
			want := map[bool]string{false: "result", true: "-32602"}[strict]
			if outcome(out) != want || !strict && !strings.Contains(wire(out), `"isError":true`) || y.Status() != x.Status() {
				t.Errorf("strict %v, %s: sent %s, %+v", strict, arguments, wire(out), y.Status())
			}
		}
		if out := inline(x, &h, "tools/call", `{"name":"t","arguments":{"n":1.0}}`); outcome(out) != "result" {
			t.Errorf("strict %v, good arguments: %s", strict, outcome(out))
		}
	}
	if ran != 2 {
		t.Errorf("the tool ran %d times, want twice", ran)
	}
}

// batching is a full side of the revision with batches.
func batching(t *testing.T, role protocol.Party) verbs.Side {
	usual := spoken
	defer func() { spoken = usual }()
	spoken = protocol.Revision20250326
	return full(t, role, lifecycle.Policy{})
}

// Case 59: in a revision without batches an array is one invalid message, whatever its
// content: nothing in it runs, the session continues, and one -32600 is sent with the policy
// that answers such input (the design: an answer without an id helps no peer, and ends the
// session of some). With batches, each element is a message; answers are sent one by
// one, and a driver may put them in an array.
func Test59Batches(t *testing.T) {
	const two = `{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}`
	call := map[protocol.Party]string{protocol.Server: line("c", "tools/call", `{"name":"t"}`), protocol.Client: line("c", "sampling/createMessage", `{"messages":[],"maxTokens":1}`)}
	for _, role := range roles {
		elements := []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, two, call[role], `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"held"}}`, `1`, `null`, `[]`, ``}
		caps := map[protocol.Party]string{protocol.Server: allOfClient, protocol.Client: allOfServer}[role]
		for _, policy := range []lifecycle.Policy{{}, {AnswerUnreadable: true}} {
			inAll(func() {
				if spoken == protocol.Revision20250326 {
					return // the revision with batches
				}
				x := full(t, role, policy).Open(spoken, caps)
				for _, e := range elements {
					want := ""
					if policy.AnswerUnreadable {
						want = `{` + nullID() + `"error":{"code":-32600,"message":"invalid request"}}`
					}
					y, out := x.Receive("[" + e + "]")
					if wire(out) != want || reports(out) != "violation JRPC-029" || y.Status() != x.Status() {
						t.Errorf("%v, %v, [%s]: sent %s, events %s", role, spoken, e, wire(out), reports(out))
					}
					alive(t, y)
				}
			})
		}
		x := batching(t, role).Open(protocol.Revision20250326, caps)
		y, out := x.Receive("[" + two + "," + call[role] + `,1,{"jsonrpc":"2.0","id":3,"method":"nope"}]`)
		if want := `{"id":1,"result":{}}` + "\n" + `{"id":2,"result":{}}`; !strings.HasPrefix(wire(out), want) || len(out.Send) != 3 || out.Send[2].Message.Err.Code != -32601 {
			t.Errorf("%v: sent %s", role, wire(out))
		}
		if reports(out) != "request received, violation JRPC-043" || y.Status().Inbound != 1 || out.Events[0].Call != out.Opened {
			t.Errorf("%v: events %s, %+v", role, reports(out), y.Status())
		}
		_, out = y.Receive("[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 100) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
		if len(out.Send) != 0 || reports(out) != "violation JRPC-046" {
			t.Errorf("%v, too many: sent %d, events %s", role, len(out.Send), reports(out))
		}
		// We never send one: messages due in one step are single.
		for _, o := range out.Send {
			if o.Message.Kind == jsonrpc.KindBatch {
				t.Errorf("%v sent an array", role)
			}
		}
	}
}

// Case 60: a handler sees the same empty object whether arguments are absent, null or {}.
func Test60NoArguments(t *testing.T) {
	var saw []jsonrpc.Raw
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "t"}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		saw = append(saw, p.Arguments)
		return protocol.TextResult("x"), nil
	})
	h.Prompt(protocol.Prompt{Name: "p"}, func(_ context.Context, _ server.Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		if len(p.Arguments) != 0 || p.Arguments["a"] != "" {
			t.Errorf("the prompt got %v", p.Arguments)
		}
		return &protocol.GetPromptResult{}, nil
	})
	x := offering(t, &h)
	for _, arguments := range []string{"", `,"arguments":null`, `,"arguments":{}`} {
		for _, run := range []func() lifecycle.Output{
			func() lifecycle.Output { return inline(x, &h, "tools/call", `{"name":"t"`+arguments+`}`) },
			func() lifecycle.Output { return job(t, x, &h, "tools/call", `{"name":"t"`+arguments+`}`) },
			func() lifecycle.Output { return inline(x, &h, "prompts/get", `{"name":"p"`+arguments+`}`) },
		} {
			if out := run(); outcome(out) != "result" {
				t.Errorf("%s: %s", arguments, outcome(out))
			}
		}
	}
	if len(saw) != 6 {
		t.Fatalf("called %d times", len(saw))
	}
	for _, args := range saw {
		if args != "{}" {
			t.Errorf("the handler saw %q", saw)
			break
		}
	}
	// An empty object with spaces counts too, and what is not an object is refused.
	if saw = nil; outcome(inline(x, &h, "tools/call", `{"name":"t","arguments":{ }}`)) != "result" || saw[0] != "{ }" {
		t.Errorf("saw %q", saw)
	}
	for _, arguments := range []string{`[]`, `""`, `0`, `false`} {
		if out := inline(x, &h, "tools/call", `{"name":"t","arguments":`+arguments+`}`); outcome(out) != "-32602" {
			t.Errorf("%s: %s", arguments, outcome(out))
		}
	}
}

// Case 64: what the list does not have cannot be called, in that session from then on:
// a hidden tool is unknown. Open calls may finish, and another session has its
// own list.
func Test64HiddenIsUnknown(t *testing.T) {
	var h server.Handlers
	for _, name := range []string{"a", "b", "c"} {
		h.Tool(protocol.Tool{Name: name}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(name), nil
		})
		h.Prompt(protocol.Prompt{Name: name}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
			return &protocol.GetPromptResult{}, nil
		})
	}
	all := offering(t, &h)
	for hidden := range 8 {
		items := server.Items{Tools: []protocol.Tool{}, Prompts: []protocol.Prompt{}}
		for i, tool := range h.Items().Tools {
			if hidden>>i&1 == 0 {
				items.Tools, items.Prompts = append(items.Tools, tool), append(items.Prompts, h.Items().Prompts[i])
			}
		}
		catalog, err := server.NewCatalog(items)
		if err != nil {
			t.Fatal(err)
		}
		x, out := all.Receive(line("open", "tools/call", `{"name":"a"}`))
		call := out.Opened
		s, _, err := x.Server().SetCatalog(x.Now, catalog)
		if err != nil {
			t.Fatal(err)
		}
		x = x.With(s)
		_, out = x.Receive(line("l", "tools/list", ""))
		for i, name := range []string{"a", "b", "c"} {
			hides := hidden>>i&1 == 1
			if strings.Contains(wire(out), `{"name":"`+name+`"`) == hides {
				t.Errorf("%s is hidden %v, listed as %s", name, hides, wire(out))
			}
			for method, refusal := range map[string]string{"tools/call": "unknown tool", "prompts/get": "unknown prompt"} {
				got, want := inline(x, &h, method, `{"name":"`+name+`"}`), map[bool]string{true: "-32602", false: "result"}[hides]
				if outcome(got) != want || hides && wire(got) != `{"id":"a","error":{"code":-32602,"message":"`+refusal+`"}}` {
					t.Errorf("%s of %s, hidden %v: %s", method, name, hides, wire(got))
				}
				if outcome(inline(all, &h, method, `{"name":"`+name+`"}`)) != "result" {
					t.Errorf("%s of %s: hidden in another session", method, name)
				}
			}
		}
		if _, out, err := x.Respond(call, protocol.TextResult("x")); err != nil || len(out.Send) != 1 {
			t.Errorf("what was open: %v, sent %q", err, verbs.Lines(out))
		}
	}
}
