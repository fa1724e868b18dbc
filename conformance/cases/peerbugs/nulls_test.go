package peerbugs_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/model/randomly"
	"github.com/sansmcp/mcp/conformance/model/values"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// application is a side that passes every request to its application.
func application(t *testing.T, role protocol.Party) verbs.Side {
	t.Helper()
	return applicationUnder(t, role, lifecycle.Policy{})
}

func applicationUnder(t *testing.T, role protocol.Party, policy lifecycle.Policy) verbs.Side {
	t.Helper()
	var names []string
	for _, r := range requestsTo[role] {
		names = append(names, r.name)
	}
	if role == protocol.Client {
		return at(verbs.NewClient(t, client.Config{Serve: names, RootsListChanged: true, Policy: policy}), lifecycle.Ready)
	}
	return at(verbs.NewServer(t, server.Config{Serve: names, Logging: true, Policy: policy}), lifecycle.Ready)
}

// wire is a sent message without its common beginning.
func wire(out lifecycle.Output) string {
	return strings.ReplaceAll(strings.Join(verbs.Lines(out), "\n"), `{"jsonrpc":"2.0",`, "{")
}

// Case 3: a nil slice of a result is sent as [], a required nil map as {}.
//
// rows: TOOL-003 TOOL-014 RES-003 RES-006 RES-010 PROMPT-002 PROMPT-006 COMPL-007 ROOT-003
func Test03NilInResults(t *testing.T) {
	for role, results := range map[protocol.Party]map[string]struct {
		r    protocol.Result
		want string
	}{
		protocol.Server: {
			"tools/call":               {protocol.CallToolResult{}, `{"content":[]}`},
			"tools/list":               {protocol.ListToolsResult{}, `{"tools":[]}`},
			"resources/list":           {protocol.ListResourcesResult{}, `{"resources":[]}`},
			"resources/templates/list": {protocol.ListResourceTemplatesResult{}, `{"resourceTemplates":[]}`},
			"resources/read":           {&protocol.ReadResourceResult{}, `{"contents":[]}`},
			"prompts/list":             {protocol.ListPromptsResult{}, `{"prompts":[]}`},
			"prompts/get":              {&protocol.GetPromptResult{}, `{"messages":[]}`},
			"completion/complete":      {protocol.CompleteResult{}, `{"completion":{"values":[]}}`},
			"logging/setLevel":         {protocol.EmptyResult{}, `{}`},
			"resources/subscribe":      {&protocol.EmptyResult{}, `{}`},
			"resources/unsubscribe":    {protocol.Raw(`{}`), `{}`},
		},
		protocol.Client: {
			"roots/list":             {protocol.ListRootsResult{}, `{"roots":[]}`},
			"elicitation/create":     {protocol.ElicitResult{Action: "decline"}, `{"action":"decline"}`},
			"sampling/createMessage": {protocol.CreateMessageResult{Role: "user", Model: "m", Content: []protocol.Content{protocol.TextContent("")}}, `{"role":"user","content":{"type":"text","text":""},"model":"m"}`},
		},
	} {
		x := application(t, role)
		for _, r := range requestsTo[role] {
			c, ok := results[r.name]
			if !ok {
				t.Errorf("%s has no case", r.name)
				continue
			}
			y, out := x.Receive(line("a", r.name, r.params))
			want := `{"id":"a","result":` + c.want + `}`
			if _, out, err := y.Respond(out.Opened, c.r); err != nil || wire(out) != want {
				t.Errorf("%s: sent %s, %v, want %s", r.name, wire(out), err, want)
			}
		}
	}
}

// Case 3 for requests, lists, and results of handlers.
//
// rows: SAMP-002 ELIC-002
func Test03NilElsewhere(t *testing.T) {
	x := application(t, protocol.Server)
	for want, p := range map[string]protocol.Params{
		`{"id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`:                                  protocol.CreateMessageParams{MaxTokens: 1},
		`{"id":1,"method":"elicitation/create","params":{"message":"","requestedSchema":{"type":"object","properties":{}}}}`: protocol.ElicitParams{},
		`{"id":1,"method":"roots/list"}`: protocol.ListRootsParams{},
	} {
		if _, out, err := x.Request(p, lifecycle.RequestOptions{}); err != nil || wire(out) != want {
			t.Errorf("sent %s, %v, want %s", wire(out), err, want)
		}
	}
	for name, roots := range map[string][]protocol.Root{"nil": nil, "empty": {}} {
		c, _, err := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Ready).Client().SetRoots(verbs.Epoch, roots)
		if err != nil {
			t.Fatal(err)
		}
		if _, out := c.Receive(verbs.Epoch, jsonrpc.DecodeString(line("a", "roots/list", ""))); wire(out) != `{"id":"a","result":{"roots":[]}}` {
			t.Errorf("%s roots: sent %s", name, wire(out))
		}
	}
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{}, nil
	})
	h.Tool(protocol.Tool{Name: "nil", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return nil, nil
	})
	h.Prompt(protocol.Prompt{Name: "p"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return &protocol.GetPromptResult{}, nil
	})
	h.Prompt(protocol.Prompt{Name: "nil"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return nil, nil
	})
	h.Complete(func(context.Context, server.Caller, protocol.CompleteParams) (*protocol.CompleteResult, error) {
		return &protocol.CompleteResult{}, nil
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	x = at(verbs.NewServer(t, server.Config{Catalog: catalog, Serve: h.Serve()}), lifecycle.Ready)
	for _, c := range []struct{ name, params, want string }{
		{"tools/call", `{"name":"t"}`, `{"id":"a","result":{"content":[]}}`},
		{"tools/call", `{"name":"nil"}`, `{"id":"a","result":{"content":[{"type":"text","text":"no result"}],"isError":true}}`},
		{"prompts/get", `{"name":"p"}`, `{"id":"a","result":{"messages":[]}}`},
		{"prompts/get", `{"name":"nil"}`, `{"id":"a","error":{"code":-32603,"message":"internal error"}}`},
		{"completion/complete", requestNamed("completion/complete").params, `{"id":"a","result":{"completion":{"values":[]}}}`},
		{"prompts/list", "", `{"id":"a","result":{"prompts":[{"name":"nil"},{"name":"p"}]}}`},
	} {
		if _, out := h.Handle(x.Server().Receive(x.Now, jsonrpc.DecodeString(line("a", c.name, c.params)))); wire(out) != c.want {
			t.Errorf("%s %s: sent %s, want %s", c.name, c.params, wire(out), c.want)
		}
	}
}

// some draws one of the values or the zero value.
func some[T any](t *rapid.T, values ...T) T {
	var zero T
	return rapid.SampledFrom(append(values, zero)).Draw(t, "value")
}

// outgoing draws params and a result for each method that the role sends, with any of the
// optional members unset.
func outgoing(t *rapid.T, role protocol.Party) (params []protocol.Params, results map[string]protocol.Result) {
	d := values.Drawer{Source: randomly.Source{T: t}, Narrow: true}
	if role == protocol.Client {
		return []protocol.Params{
				values.Of[protocol.ListToolsParams](d), values.Of[protocol.PingParams](d), values.Of[protocol.CallToolParams](d),
				values.Of[protocol.GetPromptParams](d), values.Of[protocol.CompleteParams](d),
			}, map[string]protocol.Result{
				"roots/list": values.Of[protocol.ListRootsResult](d), "elicitation/create": values.Of[protocol.ElicitResult](d),
				"sampling/createMessage": values.Of[protocol.CreateMessageResult](d),
			}
	}
	return []protocol.Params{
			values.Of[protocol.LoggingMessageParams](d), values.Of[protocol.CreateMessageParams](d), values.Of[protocol.ElicitParams](d),
		}, map[string]protocol.Result{
			"tools/call": values.Of[protocol.CallToolResult](d), "tools/list": values.Of[protocol.ListToolsResult](d),
			"resources/list": values.Of[protocol.ListResourcesResult](d), "prompts/list": values.Of[protocol.ListPromptsResult](d),
			"prompts/get": values.Of[protocol.GetPromptResult](d), "completion/complete": values.Of[protocol.CompleteResult](d),
		}
}

// Case 53: an unset optional member is omitted, at every depth, and null occurs
// only in users' data.
//
// rows: SCHEMA-024 JRPC-028
func Test53NoNullForUnset(t *testing.T) {
	if got := nulls(`{"a":null,"b":[1,null],"_meta":{"c":null},"d":{"e":{"f":null}}}`); len(got) != 3 {
		t.Fatalf("nulls finds %v", got)
	}
	sides := map[protocol.Party]verbs.Side{}
	for _, role := range roles {
		sides[role] = application(t, role)
	}
	went, refused := map[string]int{}, 0
	rapid.Check(t, func(rt *rapid.T) {
		role := rapid.SampledFrom(roles).Draw(rt, "role")
		x := sides[role]
		check := func(what string, out lifecycle.Output, err error) {
			if err != nil { // for other drawn values
				refused++
				return
			}
			if went[what]++; len(out.Send) != 1 {
				rt.Fatalf("%s: sent %q", what, verbs.Lines(out))
			}
			if paths := nulls(verbs.Lines(out)[0]); len(paths) != 0 {
				rt.Errorf("null at %v of %s", paths, verbs.Lines(out)[0])
			}
		}
		params, results := outgoing(rt, role)
		for _, p := range params {
			_, out, err := x.Request(p, lifecycle.RequestOptions{Progress: rapid.Bool().Draw(rt, "progress")})
			if errors.Is(err, lifecycle.ErrParams) {
				_, out, err = x.Notify(p)
			}
			check(p.Method(), out, err)
		}
		for _, r := range requestsTo[role] {
			if result := results[r.name]; result != nil {
				y, out := x.Receive(line("a", r.name, r.params))
				_, out, err := y.Respond(out.Opened, result)
				check(r.name, out, err)
			}
		}
	})
	total := 0
	for _, n := range went {
		total += n
	}
	if len(went) != 11 || total < 3*refused {
		t.Errorf("%v went out, %d were refused", went, refused)
	}
}

// Case 53: the handshake with any configuration.
//
// rows: SCHEMA-024 CAP-007 CAP-008
func Test53NoNullInHandshakes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		who := protocol.Implementation{Name: "n", Version: "1", Title: some(rt, "t")}
		experimental := some(rt, map[string]jsonrpc.Raw{}, map[string]jsonrpc.Raw{"x": "{}"})
		c := verbs.NewClient(t, client.Config{Info: who, Roots: some(rt, []protocol.Root{}), Serve: some(rt, []string{"sampling/createMessage"}), Experimental: experimental})
		c, hello, err := c.Initialize()
		if err != nil {
			rt.Fatal(err)
		}
		s := verbs.NewServer(t, server.Config{
			Info: who, Instructions: some(rt, "i"), Logging: some(rt, true), Experimental: experimental,
			Serve: some(rt, []string{"tools/call"}, []string{"prompts/get", "completion/complete"}),
		})
		_, answer := s.Receive(verbs.Lines(hello)[0])
		_, done := c.Receive(verbs.Lines(answer)[0])
		for _, out := range []lifecycle.Output{hello, answer, done} {
			if len(out.Send) != 1 || len(nulls(verbs.Lines(out)[0])) != 0 {
				rt.Errorf("sent %q", verbs.Lines(out))
			}
		}
	})
}
