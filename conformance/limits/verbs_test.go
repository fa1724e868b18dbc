package limits_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// phaseEntries feed messages of every kind in every phase of both roles.
func phaseEntries(t *testing.T) (list []entry) {
	at := map[string]func(jsonrpc.Message){}
	{
		fresh, ready := theServer(t, roomy), readyServer(t, roomy)
		begun, _ := feed(fresh, hello)
		asked, _, err := ready.Request(t0, protocol.ListRootsParams{}, server.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ending, _ := asked.Shutdown(t0, time.Hour)
		gone, _ := ready.Disconnected(t0, nil)
		failed, _ := ready.Abort(t0, nil)
		again, err := gone.Reset(t0)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range []server.State{fresh, begun, ready, asked, ending, gone, failed, again} {
			at[fmt.Sprintf("server %d, %v", i, s.Phase())] = to(s)
		}
	}
	{
		begun, ready := theClient(t, roomy), readyClient(t, roomy)
		asked, _, err := ready.Request(t0, protocol.ListToolsParams{}, client.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ending, _ := asked.Shutdown(t0, time.Hour)
		gone, _ := ready.Disconnected(t0, nil)
		failed, _ := ready.Abort(t0, nil)
		for i, s := range []client.State{begun, ready, asked, ending, gone, failed} {
			at[fmt.Sprintf("client %d, %v", i, s.Phase())] = to(s)
		}
	}
	pad := many("{", `"k%d":"v"`, "}")
	for name, receive := range at {
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a","x":$}}`, `{"jsonrpc":"2.0","id":9,"method":"ping","params":$}`,
			`{"jsonrpc":"2.0","id":9,"method":"x","params":$}`, `{"jsonrpc":"2.0","method":"x","params":$}`, `{"jsonrpc":"2.0","method":"notifications/initialized","params":$}`,
			`{"jsonrpc":"2.0","id":2,"result":$}`, `{"jsonrpc":"2.0","id":1,"result":$}`, `{"jsonrpc":"2.0","id":99,"result":$}`, `{"jsonrpc":"2.0","id":"$","result":{}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":$}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"m","data":$}}`,
			`{"id":9,"method":"x","params":$}`, `{"id":1,"result":$}`, `[{"jsonrpc":"2.0","id":9,"method":"x","params":$}]`, `{"jsonrpc":"2.0","id":9,"method":"x","params":$`,
		} {
			list = append(list, entry{one: true, name: name + ", " + line, most: 8, of: func(n int) func() {
				text := pad(n)
				if strings.Contains(line, `"$"`) {
					text = strings.Repeat("x", n)
				}
				data := []byte(strings.Replace(line, "$", text, 1))
				return func() { receive(jsonrpc.Decode(data)) }
			}})
		}
	}
	// A batch, under the revision that has them.
	s := theServer(t, roomy)
	s, _ = feed(s, strings.Replace(hello, "2025-11-25", "2025-03-26", 1))
	s, _ = feed(s, initialized)
	for _, item := range []string{
		`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"%d","method":"x","params":{}}`,
		`{"jsonrpc":"2.0","method":"x"}`, `{"jsonrpc":"2.0","id":%d,"result":{}}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"a:%[1]d/"}}`,
	} {
		of := many("[", item, "]")
		list = append(list, entry{name: "batch of " + item, of: func(n int) func() {
			data := []byte(of(n))
			return func() {
				_, out := s.Receive(t0, jsonrpc.Decoder{MaxBatch: 1 << 20}.Decode(data))
				if len(out.Send)+len(out.Events) < n/100 {
					panic("the batch was refused")
				}
			}
		}})
	}
	return list
}

// must panics for an error: the input is valid.
func must[S any](s S, out lifecycle.Output, err error) {
	if err != nil {
		panic(err)
	}
	sink = out.Send
}

// verbEntries feed the verbs of the application.
func verbEntries(t *testing.T) (list []entry) {
	add := func(name string, most float64, of func(n int) func()) {
		list = append(list, entry{name: name, of: of, most: most})
	}
	one := func(name string, most float64, of func(n int) func()) {
		list = append(list, entry{name: name, of: of, most: most, one: true})
	}
	s := readyServer(t, roomy)
	open := func(method, params string) (server.State, server.Call) {
		next, out := feed(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params))
		if out.Opened.IsZero() || len(out.Send) > 0 {
			t.Fatalf("%s: %v", method, out)
		}
		return next, out.Opened
	}
	for method, params := range map[string]string{
		"tools/list": `{}`, "tools/call": `{"name":"a"}`, "resources/list": `{}`, "resources/read": `{"uri":"a:b"}`, "resources/templates/list": `{}`,
		"prompts/list": `{}`, "prompts/get": `{"name":"a"}`, "completion/complete": `{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":""}}`, "x/served": `{}`,
	} {
		x, call := open(method, params)
		list = append(list, filled("Finish with Raw, "+method, resultsOf[method], 16, func(text string) func() {
			return func() {
				x, out, _ := x.Finish(t0, server.Answer{Call: call, Result: jsonrpc.Raw(text)})
				_, sink = x, out.Send
			}
		})...)
		for i, of := range listsOf[method] {
			add(fmt.Sprintf("Finish with Raw, %s, list %d", method, i), 16, func(n int) func() {
				text := of(n)
				return func() {
					_, out, _ := x.Finish(t0, server.Answer{Call: call, Result: jsonrpc.Raw(text)})
					sink = out.Send
				}
			})
		}
	}
	call, handle := open("tools/call", `{"name":"a","_meta":{"progressToken":"p"}}`)
	for name, part := range map[string]string{"text": "x", "escapes": "\n", "controls": "\x01", "not UTF-8": "\xff", "wide": "ü"} {
		word := func(n int) string { return strings.Repeat(part, n/len(part)) }
		add("Respond, one block, "+name, 0, func(n int) func() {
			r := protocol.TextResult(word(n))
			return func() { must(call.Respond(t0, handle, r)) }
		})
		add("Respond, error text, "+name, 0, func(n int) func() {
			err := errors.New(word(n))
			return func() { must(call.Respond(t0, handle, protocol.ErrorResult(err.Error()))) }
		})
		add("Fail, "+name, 0, func(n int) func() {
			e := jsonrpc.Error{Code: 1, Message: word(n)}
			return func() { _, out, _ := call.Fail(t0, handle, e); sink = out.Send }
		})
		add("Progress, "+name, 0, func(n int) func() {
			p := protocol.ProgressParams{Progress: 1, Message: word(n)}
			return func() { _, out, _ := call.Progress(t0, handle, p); sink = out.Send }
		})
		add("Notify, "+name, 0, func(n int) func() {
			p := protocol.LoggingMessageParams{Level: "error", Logger: word(n), Data: `1`}
			return func() { _, out, _ := call.Notify(t0, p, handle); sink = out.Send }
		})
		add("Request, "+name, 0, func(n int) func() {
			p := protocol.CreateMessageParams{MaxTokens: 1, SystemPrompt: word(n), StopSequences: []string{word(n / 2)}}
			return func() { _, out, _ := s.Request(t0, p, server.RequestOptions{Progress: true}); sink = out.Send }
		})
	}
	add("Respond, many blocks", 40, func(n int) func() {
		r := protocol.CallToolResult{Content: make([]protocol.Content, n/64)}
		for i := range r.Content {
			r.Content[i] = protocol.TextContent("hello")
		}
		return func() { must(call.Respond(t0, handle, r)) }
	})
	for _, sh := range shapes {
		one("Notify with data, "+sh.name, 12, func(n int) func() {
			p := protocol.LoggingMessageParams{Level: "error", Data: jsonrpc.Raw(sh.of(n))}
			return func() { must(call.Notify(t0, p, handle)) }
		})
		one("Request with Raw, "+sh.name, 12, func(n int) func() {
			p := protocol.RawRequest{Name: "x/y", Body: jsonrpc.Raw(`{"a":` + sh.of(n) + `,"_meta":{"b":1}}`)}
			return func() { must(s.Request(t0, p, server.RequestOptions{Progress: true})) }
		})
		one("Request with a form, "+sh.name, 12, func(n int) func() {
			p := protocol.RawRequest{Name: "elicitation/create", Body: jsonrpc.Raw(`{"message":"m","requestedSchema":{"type":"object","properties":` + sh.of(n) + `}}`)}
			return func() { _, out, _ := s.Request(t0, p, server.RequestOptions{}); sink = out.Send }
		})
	}
	// An update of a uri with many slashes, and a subscription that covers it.
	watching := readyServer(t, roomy)
	for i := range 100 {
		watching, _ = feed(watching, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"b:/%d/"}}`, i, i))
	}
	add("Notify of an update, slashes", 12, func(n int) func() {
		p := protocol.ResourceUpdatedParams{URI: "a:" + strings.Repeat("/", n)}
		return func() { must(watching.Notify(t0, p, server.Call{})) }
	})
	// Verbs that end many requests at once.
	crowd := func(n int) (server.State, []server.Call) {
		x, calls := readyServer(t, roomy), []server.Call(nil)
		for i := range n / 256 {
			var out server.Output
			x, out = feed(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","method":"tools/call","params":{"name":"a"}}`, i))
			calls = append(calls, out.Opened)
			var err error
			if x, _, err = x.Request(t0, protocol.ListRootsParams{}, server.RequestOptions{Within: out.Opened}); err != nil {
				t.Fatal(err)
			}
		}
		return x, calls
	}
	add("Tick, all requests are due", 0, func(n int) func() {
		x, _ := crowd(n)
		return func() { _, out := x.Tick(t0.Add(time.Hour)); sink = out.Send }
	})
	add("Disconnected", 0, func(n int) func() {
		x, _ := crowd(n)
		return func() { _, out := x.Disconnected(t0, nil); sink = out.Events }
	})
	add("Shutdown", 0, func(n int) func() {
		x, _ := crowd(n)
		return func() { _, out := x.Shutdown(t0, 0); sink = out.Send }
	})
	add("Fail, one call after the other", 0, func(n int) func() {
		x, calls := crowd(n)
		return func() {
			x := x
			for _, c := range calls {
				var out server.Output
				x, out, _ = x.Fail(t0, c, jsonrpc.Error{Code: 1})
				sink = out.Send
			}
		}
	})
	add("a call with many requests within it, cancelled", 0, func(n int) func() {
		x, out := feed(readyServer(t, roomy), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}`)
		for range n / 256 {
			var err error
			if x, _, err = x.Request(t0, protocol.ListRootsParams{}, server.RequestOptions{Within: out.Opened}); err != nil {
				t.Fatal(err)
			}
		}
		return func() {
			_, out := feed(x, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
			sink = out.Send
		}
	})

	// The same for a client, where it differs.
	c := readyClient(t, roomy)
	asked, out := feed(c, `{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}`)
	list = append(list, filled("client, Finish with Raw, elicitation/create", resultsOf["elicitation/create"], 16, func(text string) func() {
		return func() {
			_, out, _ := asked.Finish(t0, client.Answer{Call: out.Opened, Result: jsonrpc.Raw(text)})
			sink = out.Send
		}
	})...)
	for i, of := range listsOf["elicitation/create"] {
		add(fmt.Sprintf("client, Finish with Raw, elicitation/create, list %d", i), 24, func(n int) func() {
			text := of(n)
			return func() {
				_, out, _ := asked.Finish(t0, client.Answer{Call: out.Opened, Result: jsonrpc.Raw(text)})
				sink = out.Send
			}
		})
	}
	sampled, sampling := feed(c, `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[]}}`)
	list = append(list, filled("client, Finish with Raw, sampling/createMessage", resultsOf["sampling/createMessage"], 8, func(text string) func() {
		return func() {
			_, out, _ := sampled.Finish(t0, client.Answer{Call: sampling.Opened, Result: jsonrpc.Raw(text)})
			sink = out.Send
		}
	})...)
	for _, sh := range shapes {
		one("client, Request with an output schema, "+sh.name, 12, func(n int) func() {
			opt := client.RequestOptions{OutputSchema: jsonrpc.Raw(`{"type":"object","properties":{"a":{"enum":` + sh.of(n) + `}}}`)}
			return func() { must(c.Request(t0, protocol.CallToolParams{Name: "a"}, opt)) }
		})
		one("client, Request with arguments, "+sh.name, 12, func(n int) func() {
			p := protocol.CallToolParams{Name: "a", Arguments: jsonrpc.Raw(`{"a":` + sh.of(n) + `}`)}
			return func() { must(c.Request(t0, p, client.RequestOptions{})) }
		})
	}
	add("client, SetRoots", 40, func(n int) func() {
		roots := make([]protocol.Root, n/64)
		for i := range roots {
			roots[i].URI = fmt.Sprintf("file:///%d", i)
		}
		return func() { must(c.SetRoots(t0, roots)) }
	})
	// Functions looked up by name.
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("x"), nil
	})
	h.Template(protocol.ResourceTemplate{URITemplate: "c:{+path}{?q*}", Name: "c"}, nil)
	for method, templates := range map[string][]string{
		"tools/call": {`{"name":"t","arguments":$}`, `{"name":$}`}, "resources/read": {`{"uri":$}`}, "prompts/get": {`{"name":"p","arguments":$}`},
	} {
		list = append(list, filled("Handlers.Handle, "+method, templates, 24, func(text string) func() {
			x, out := feed(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, text))
			return func() {
				_, got := h.Handle(x, out)
				for _, ev := range out.Events {
					_, sink = h.Job(ev)
				}
				sink = got.Send
			}
		})...)
	}
	return list
}
