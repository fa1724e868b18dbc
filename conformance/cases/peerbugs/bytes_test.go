package peerbugs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Case 24: arguments reach the handler, and structured content the client, byte for byte,
// directly and through a relay.
func Test24NumbersKeepTheirDigits(t *testing.T) {
	c, s := application(t, protocol.Client), application(t, protocol.Server)
	const args, structured = `{"id":9007199254740993,"f":1e400,"d":0.1}`, `{"id":9007199254740993}`
	check := func(t failer, args, structured jsonrpc.Raw) {
		for name, h := range hops(t, c, s) {
			r := protocol.CallToolResult{Content: []protocol.Content{protocol.TextContent("t")}, StructuredContent: structured}
			body, end := h.do(protocol.CallToolParams{Name: "t", Arguments: args}, lifecycle.RequestOptions{}, lifecycle.Answer{Result: r})
			p, err := protocol.Decode[protocol.CallToolParams](body)
			if err != nil || p.Arguments != args {
				t.Fatalf("%s: arguments %s, %v, want %s", name, p.Arguments, err, args)
			}
			back, err := protocol.Decode[protocol.CallToolResult](end.Body)
			if err != nil || back.StructuredContent != structured {
				t.Fatalf("%s: structured content %s, %v, want %s", name, back.StructuredContent, err, structured)
			}
		}
	}
	check(t, args, structured)
	rapid.Check(t, func(rt *rapid.T) { check(rt, jsonrpc.Raw(userObject(rt, 3)), jsonrpc.Raw(userObject(rt, 3))) })
}

// Case 24: the same for Handlers, inline and as a Job.
func Test24HandlersSeeTheBytes(t *testing.T) {
	var h server.Handlers
	var saw jsonrpc.Raw
	h.Tool(protocol.Tool{Name: "t"}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		saw = p.Arguments
		return &protocol.CallToolResult{StructuredContent: p.Arguments, Content: []protocol.Content{protocol.TextContent("")}}, nil
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	x := verbs.NewServer(t, server.Config{Catalog: catalog, Serve: h.Serve()}).Open(spoken, "{}")
	rapid.Check(t, func(rt *rapid.T) {
		args := userObject(rt, 3)
		_, out := x.Server().Receive(x.Now, jsonrpc.DecodeString(line("a", "tools/call", `{"name":"t","arguments":`+args+`}`)))
		want := `{"id":"a","result":{"content":[{"type":"text","text":""}],"structuredContent":` + args + `}}`
		s, _ := x.Server().Receive(x.Now, jsonrpc.DecodeString(line("a", "tools/call", `{"name":"t","arguments":`+args+`}`)))
		if _, inline := h.Handle(s, out); wire(inline) != want || string(saw) != args {
			rt.Fatalf("inline: saw %s, sent %s, want %s", saw, wire(inline), want)
		}
		saw = ""
		job, ok := h.Job(out.Events[0])
		if !ok {
			rt.Fatalf("no job for %s", args)
		}
		if _, later, err := s.Finish(x.Now, job.Run(context.Background(), nil)); err != nil || wire(later) != want || string(saw) != args {
			rt.Fatalf("job: saw %s, sent %s, %v, want %s", saw, wire(later), err, want)
		}
	})
}

// Case 24: a schema sees the digits too, and its check leaves the text unchanged.
func Test24ChecksAreExact(t *testing.T) {
	var h server.Handlers
	const schema = `{"type":"object","properties":{"id":{"const":9007199254740993},"f":{"minimum":1e399}}}`
	h.Tool(protocol.Tool{Name: "t", InputSchema: schema, OutputSchema: schema}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{StructuredContent: p.Arguments, Content: []protocol.Content{protocol.TextContent("")}}, nil
	})
	x := offering(t, &h)
	for args, good := range map[string]bool{
		`{"id":9007199254740993,"f":1e400,"d":0.1}`: true, `{ "id" : 9007199254740993.0 , "x":-0.0 }`: true, `{"id":9007199254740992}`: false, `{"id":9007199254740994}`: false,
		`{"id":9.007199254740993e15}`: true, `{"f":1e398}`: false, `{"f":9.99e398}`: false,
	} {
		out := inline(x, &h, "tools/call", `{"name":"t","arguments":`+args+`}`)
		if passed := strings.HasSuffix(wire(out), `"structuredContent":`+args+`}}`); passed != good || !passed && !strings.Contains(wire(out), `"isError":true`) {
			t.Errorf("%s: sent %s, want it good %v", args, wire(out), good)
		}
	}
}

// Case 25: < > and & are sent unescaped, from typed values and at every depth, and user
// data keeps its spelling.
func Test25NoHTMLEscapes(t *testing.T) {
	const text = "<a>&b'\"\u2028"
	const quoted = "\"<a>&b'\\\"\u2028\""
	c, s := application(t, protocol.Client), application(t, protocol.Server)
	escaped := func(what string, out lifecycle.Output, err error, n int) {
		t.Helper()
		if err != nil || len(out.Send) != 1 {
			t.Fatalf("%s: %v, sent %q", what, err, verbs.Lines(out))
		}
		got := verbs.Lines(out)[0]
		if strings.Count(got, "<a>&b") != n || strings.Contains(got, `\u003`) || strings.Contains(got, `\u0026`) || strings.Contains(got, `\u2028`) {
			t.Errorf("%s: sent %s, want the text %d times and no escapes", what, got, n)
		}
	}
	meta := protocol.Meta(`{"m/m":` + quoted + `}`)
	note := &protocol.Annotations{LastModified: text}
	answers := map[string]struct {
		r protocol.Result
		n int
	}{
		"tools/call": {protocol.CallToolResult{Content: []protocol.Content{
			protocol.TextContent(text), protocol.EmbeddedContent(protocol.TextResource("a:b", "a/b", text)), protocol.LinkContent(protocol.Resource{URI: "a:b", Name: text, Title: text}),
			{Type: "text", Text: text, Annotations: note, Meta: meta},
		}, StructuredContent: jsonrpc.Raw(`{"s":` + quoted + `}`), Meta: meta}, 9},
		"tools/list":          {protocol.ListToolsResult{Tools: []protocol.Tool{{Name: text, Title: text, Description: text, InputSchema: jsonrpc.Raw(`{"type":"object","title":` + quoted + `}`), Meta: meta}}}, 5},
		"resources/read":      {protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource("a:b", "a/b", text)}}, 1},
		"prompts/get":         {protocol.GetPromptResult{Description: text, Messages: []protocol.PromptMessage{{Role: "user", Content: protocol.TextContent(text)}}}, 2},
		"completion/complete": {protocol.CompleteResult{Completion: protocol.Completion{Values: []string{text}}}, 1},
	}
	for _, r := range requestsTo[protocol.Server] {
		a, ok := answers[r.name]
		if !ok {
			continue
		}
		x, out := s.Receive(line("a", r.name, r.params))
		call := out.Opened
		_, out, err := x.Respond(call, a.r)
		escaped(r.name, out, err, a.n)
		_, out, err = x.Fail(call, jsonrpc.Error{Code: 1, Message: text, Data: quoted})
		escaped(r.name+" fails", out, err, 2)
		if r.name == "tools/call" {
			_, out, err = x.Progress(call, protocol.ProgressParams{Progress: 1, Message: text})
			if len(out.Send) != 0 || err != nil {
				t.Errorf("progress that nobody asked for: %v, sent %q", err, verbs.Lines(out))
			}
		}
	}
	for _, p := range []protocol.Params{
		protocol.LoggingMessageParams{Level: "info", Logger: text, Data: quoted}, protocol.RawRequest{Name: "x/own", Body: jsonrpc.Raw(`{"a":` + quoted + `,"b":[` + quoted + `]}`)},
	} {
		_, out, err := s.Notify(p)
		escaped(p.Method(), out, err, 2)
	}
	for p, n := range map[protocol.Params]int{
		protocol.CallToolParams{Name: text, Arguments: jsonrpc.Raw(`{"a":` + quoted + `}`), Meta: meta}: 3, protocol.SetLevelParams{Level: "info", Meta: meta}: 1,
		&protocol.GetPromptParams{Name: text, Arguments: map[string]string{text: text}}: 3,
	} {
		_, out, err := c.Request(p, lifecycle.RequestOptions{Progress: true})
		escaped(p.Method(), out, err, n)
	}
	// Data escaped by its author stays escaped.
	_, out, err := c.Request(protocol.CallToolParams{Name: "t", Arguments: `{"a":"\u003c\u0026<"}`}, lifecycle.RequestOptions{})
	if err != nil || !strings.Contains(verbs.Lines(out)[0], `{"a":"\u003c\u0026<"}`) {
		t.Errorf("%v, sent %q", err, verbs.Lines(out))
	}
}

// Case 49: structured content is present exactly if the tool returned some, with any kind of
// nil; a null of another server, which violates the schema, is forwarded as absent, or
// as null if the policy keeps it.
func Test49StructuredContent(t *testing.T) {
	var typed *protocol.CallToolResult
	var h server.Handlers
	for name, r := range map[string]*protocol.CallToolResult{
		"none": {}, "empty": {StructuredContent: ""}, "typed nil": typed, "object": {StructuredContent: "{}", Content: []protocol.Content{protocol.TextContent("t")}},
	} {
		h.Tool(protocol.Tool{Name: name}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return r, nil
		})
	}
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	x := verbs.NewServer(t, server.Config{Catalog: catalog, Serve: h.Serve()}).Open(spoken, "{}")
	for name, want := range map[string]string{
		"none": `{"content":[]}`, "empty": `{"content":[]}`, "typed nil": `{"content":[{"type":"text","text":"no result"}],"isError":true}`,
		"object": `{"content":[{"type":"text","text":"t"}],"structuredContent":{}}`,
	} {
		_, out := h.Handle(x.Server().Receive(x.Now, jsonrpc.DecodeString(line("a", "tools/call", fmt.Sprintf(`{"name":%q}`, name)))))
		if got := wire(out); got != `{"id":"a","result":`+want+`}` {
			t.Errorf("%s: sent %s, want %s", name, got, want)
		}
	}
	for _, keep := range []bool{true, false} {
		policy := lifecycle.Policy{KeepNulls: keep}
		for name, hop := range hops(t, applicationUnder(t, protocol.Client, policy), applicationUnder(t, protocol.Server, policy)) {
			for _, body := range []string{
				`{"content":[],"structuredContent":null}`, `{"content":[]}`, `{"structuredContent":{"a":null},"content":[{"type":"text","text":"x"}]}`, `{"content":[],"isError":true,"structuredContent":null}`,
			} {
				want := body
				if !keep {
					want = strings.Replace(body, `,"structuredContent":null`, "", 1)
				}
				_, end := hop.do(protocol.CallToolParams{Name: "t"}, lifecycle.RequestOptions{}, lifecycle.Answer{Result: jsonrpc.Raw(body)})
				r, err := protocol.Decode[protocol.CallToolResult](end.Body)
				if string(end.Body) != want || err != nil || strings.Contains(body, `"structuredContent":null`) && r.StructuredContent != "" {
					t.Errorf("%s: %s became %s, %q, %v", name, body, end.Body, r.StructuredContent, err)
				}
			}
		}
	}
	if _, _, err := x.Respond(lifecycle.Call{}, typed); err == nil {
		t.Error("a nil result of a type is a result")
	}
}

// Case 51: the schemas of a tool are listed byte for byte, with any keywords; no
// schema is listed as {"type":"object"}, and we never add a null.
func Test51SchemasKeepTheirBytes(t *testing.T) {
	base := verbs.NewServer(t, server.Config{})
	listed := func(t failer, tool protocol.Tool) protocol.Tool {
		catalog, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{tool, {Name: "other"}}, PageSize: 1})
		if err != nil {
			t.Fatalf("%s: %v", tool.InputSchema, err)
		}
		s, err := server.New(server.Config{Info: verbs.Who, Catalog: catalog, Serve: []string{"tools/call"}}, verbs.Epoch)
		if err != nil {
			t.Fatalf("%v", err)
		}
		x := base.With(s).Open(spoken, "{}")
		_, out := x.Receive(line("a", "tools/list", `{}`))
		r, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
		if err != nil || len(r.Tools) != 1 {
			t.Fatalf("listed as %s, %v", wire(out), err)
		}
		back := r.Tools[0]
		if back.InputSchema != "" && !strings.Contains(wire(out), `"inputSchema":`+string(back.InputSchema)) {
			t.Fatalf("listed as %s", wire(out))
		}
		return back
	}
	if back := listed(t, protocol.Tool{Name: "a"}); back.InputSchema != `{"type":"object"}` || back.OutputSchema != "" {
		t.Errorf("no schema is listed as %q, %q", back.InputSchema, back.OutputSchema)
	}
	for _, schema := range []jsonrpc.Raw{
		`{"type":"object"}`, `{"type":"object","properties":{}}`, `{"type":"object","required":[]}`, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"a":{"type":"integer","maximum":9007199254740993}},"type":"object","properties":{"x":{"$ref":"#/$defs/a"}}}`,
		`{ "type" : "object" , "x-odd":[1.0,{"b":null}], "default":null, "patternProperties":{"^<&>$":true}, "properties":{"z":{},"a":{"enum":[null]}} }`,
		`{"properties":{"a":{"type":["string","null"]}},"type":"\u006fbject","unevaluatedProperties":false,"examples":[{"a":null}]}`,
	} {
		if back := listed(t, protocol.Tool{Name: "a", InputSchema: schema, OutputSchema: schema}); back.InputSchema != schema || back.OutputSchema != schema {
			t.Errorf("%s is listed as %s, %s", schema, back.InputSchema, back.OutputSchema)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		schema := jsonrpc.Raw(`{"type":"object","x":` + userData(rt, 3) + `,"properties":{"a":` + userObject(rt, 2) + `}}`)
		if back := listed(rt, protocol.Tool{Name: "a", InputSchema: schema}); back.InputSchema != schema {
			rt.Errorf("%s is listed as %s", schema, back.InputSchema)
		}
	})
}

// Case 52: each hint of a tool is true, false or absent, and survives a
// catalog.
func Test52HintsHaveThreeValues(t *testing.T) {
	names := []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
	for n := range 81 + 1 {
		var want []string
		var a *protocol.ToolAnnotations
		if n < 81 {
			a = &protocol.ToolAnnotations{}
			for i, p := range []**bool{&a.ReadOnlyHint, &a.DestructiveHint, &a.IdempotentHint, &a.OpenWorldHint} {
				if v := n / []int{1, 3, 9, 27}[i] % 3; v > 0 {
					hint := v == 2
					*p = &hint
					want = append(want, fmt.Sprintf("%q:%v", names[i], hint))
				}
			}
		}
		text := `"inputSchema":{"type":"object"}`
		if a != nil {
			text += `,"annotations":{` + strings.Join(want, ",") + `}`
		}
		catalog, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "t", Annotations: a}}})
		if err != nil {
			t.Fatal(err)
		}
		x := verbs.NewServer(t, server.Config{Catalog: catalog, Serve: []string{"tools/call"}}).Open(spoken, "{}")
		_, out := x.Receive(line("a", "tools/list", ""))
		if want := `{"id":"a","result":{"tools":[{"name":"t",` + text + `}]}}`; wire(out) != want {
			t.Errorf("sent %s, want %s", wire(out), want)
		}
		r, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
		if again := string(r.AppendJSON(nil)); err != nil || again != string(out.Send[0].Message.Body) {
			t.Errorf("%v, encoded again: %s", err, again)
		}
	}
}
