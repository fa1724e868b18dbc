package server_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// typed is a tool with both schemas, loose one with a promise of any object, plain one
// with none.
var typed = []protocol.Tool{
	{
		Name: "typed", InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
		OutputSchema: `{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`,
	},
	{Name: "loose", OutputSchema: `{"type":"object"}`},
	{Name: "plain"},
}

func offer(t *testing.T, items server.Items, cfg server.Config, revision string) server.State {
	t.Helper()
	c, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Info, cfg.Catalog, cfg.Serve = protocol.Implementation{Name: "s", Version: "1"}, c, append(cfg.Serve, "tools/call")
	if spoken.Stateless() {
		cfg.Revisions = revisions()
	}
	s, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	if spoken.Stateless() {
		return s
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+`","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`))
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return s
}

func callTool(s server.State, id int, name, arguments string) (server.State, server.Output) {
	if arguments != "" {
		arguments = `,"arguments":` + arguments
	}
	return s.Receive(t0, said(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q%s}}`, id, name, arguments)))
}

// Arguments are checked before the application sees them; what is wrong goes to the
// model, or is -32602 by policy.
//
// rows: TOOL-039
func TestArguments(t *testing.T) { anywhere(t, arguments) }

func arguments(t *testing.T) {
	for _, strict := range []bool{false, true} {
		s := offer(t, server.Items{Tools: typed}, server.Config{Policy: lifecycle.Policy{StrictArguments: strict}}, spoken.String())
		for arguments, good := range map[string]bool{
			`{"n":1}`: true, `{"n":1.0,"more":[]}`: true, ` { "n" : 9007199254740993 } `: true,
			``: false, `{}`: false, `null`: false, `{"n":"1"}`: false, `{"n":1.5}`: false, `{"N":1}`: false, `{"n":null}`: false,
		} {
			next, out := callTool(s, 5, "typed", arguments)
			if good {
				if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.RequestReceived || len(out.Send) != 0 {
					t.Errorf("%s: %+v", arguments, out)
				}
				continue
			}
			if len(out.Events) != 0 || len(out.Send) != 1 || !out.Send[0].Final || next.Status().Inbound != 0 {
				t.Errorf("%s: %+v", arguments, out)
				continue
			}
			switch m := out.Send[0].Message; {
			case strict && (m.Err == nil || m.Err.Code != jsonrpc.CodeInvalidParams || m.Err.Message != "invalid arguments" || !strings.Contains(string(m.Err.Data), `\"/n\"`)):
				t.Errorf("strict, %s: %+v", arguments, m)
			case !strict:
				r, err := protocol.Decode[protocol.CallToolResult](m.Body)
				if err != nil || !r.IsError || len(r.Content) != 1 || !strings.Contains(r.Content[0].Text, `"/n"`) {
					t.Errorf("%s: %s %v", arguments, m.Body, err)
				}
			}
		}
		for _, name := range []string{"loose", "plain"} {
			for _, arguments := range []string{``, `null`, `{}`, `{"x":[1]}`} {
				if _, out := callTool(s, 5, name, arguments); len(out.Events) != 1 || len(out.Send) != 0 {
					t.Errorf("%s %s: %+v", name, arguments, out)
				}
			}
		}
	}
}

// A result that breaks the promise of its tool never goes out as a success.
//
// rows: TOOL-026 TOOL-027
func TestStructuredResults(t *testing.T) { anywhere(t, structuredResults) }

func structuredResults(t *testing.T) {
	if !spoken.Structured() {
		return
	}
	for _, c := range []struct {
		tool, result, sent string // sent "": a failed result and a LocalViolation
	}{
		{"typed", `{"content":[],"structuredContent":{"a":1}}`, `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`},
		{"typed", `{"content":[],"structuredContent":{}}`, ""},
		{"typed", `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":"1"},"isError":false}`, ""},
		{"typed", `{"content":[{"type":"text","text":"x"}]}`, ""},
		{"typed", `{"content":[],"structuredContent":null}`, ""},
		{"typed", `{"content":[{"type":"text","text":"x"}],"isError":true}`, `{"content":[{"type":"text","text":"x"}],"isError":true}`},
		{"typed", `{"content":[],"structuredContent":{},"isError":true}`, `{"content":[{"type":"text","text":"{}"}],"structuredContent":{},"isError":true}`},
		{"loose", `{"content":[{"type":"text","text":"x"}],"structuredContent":{"b":2}}`, `{"content":[{"type":"text","text":"x"}],"structuredContent":{"b":2}}`},
		{"loose", `{"content":[{"type":"text","text":"x"}]}`, ""},
		{"plain", `{"content":[{"type":"text","text":"x"}]}`, `{"content":[{"type":"text","text":"x"}]}`},
		{"plain", `{"content":[{"type":"text","text":"x"}],"structuredContent":{"b":2}}`, `{"content":[{"type":"text","text":"x"}],"structuredContent":{"b":2}}`},
	} {
		s := offer(t, server.Items{Tools: typed}, server.Config{}, spoken.String())
		s, out := callTool(s, 5, c.tool, `{"n":1}`)
		call := out.Opened
		for verb, do := range map[string]func() (server.State, server.Output, error){
			"Respond": func() (server.State, server.Output, error) { return s.Respond(t0, call, jsonrpc.Raw(c.result)) },
			"Finish": func() (server.State, server.Output, error) {
				return s.Finish(t0, server.Answer{Call: call, Result: jsonrpc.Raw(c.result)})
			},
			"after a snapshot": func() (server.State, server.Output, error) {
				cat, _ := server.NewCatalog(server.Items{Tools: typed})
				r, err := server.Restore(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: cat, Serve: []string{"tools/call"}, Revisions: revisions()}, s.Snapshot(), t0)
				if err != nil {
					t.Fatal(err)
				}
				return r.Respond(t0, r.Call(call.Seq(), call.Key()), jsonrpc.Raw(c.result))
			},
		} {
			next, out, err := do()
			out = plain(out)
			if err != nil || len(out.Send) != 1 || next.Status().Inbound != 0 {
				t.Fatalf("%s: %s %s: %v %+v", verb, c.tool, c.result, err, out)
			}
			body := out.Send[0].Message.Body
			if c.sent != "" {
				if string(body) != c.sent || len(out.Events) != 0 {
					t.Errorf("%s: %s %s: sent %s, %+v", verb, c.tool, c.result, body, out.Events)
				}
				continue
			}
			r, err := protocol.Decode[protocol.CallToolResult](body)
			if err != nil || !r.IsError || len(r.Content) != 1 || r.StructuredContent != "" {
				t.Errorf("%s: %s %s: sent %s", verb, c.tool, c.result, body)
			}
			if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.LocalViolation || out.Events[0].Rule != "TOOL-026" || out.Events[0].Call.Seq() != call.Seq() || out.Events[0].Method != "tools/call" {
				t.Errorf("%s: %s %s: %+v", verb, c.tool, c.result, out.Events)
			} else if cause := out.Events[0].Cause; cause == nil || !strings.HasPrefix(cause.Err.Error(), `server: tool "`+c.tool+`": structuredContent: `) {
				t.Errorf("%s: %s %s: %+v", verb, c.tool, c.result, cause)
			}
		}
	}
}

// The client is told the path of what breaks an outputSchema, cut, and nothing that another Validator
// says, for that may hold the values.
func TestTextsOfBrokenResults(t *testing.T) {
	long := strings.Repeat("ü", 300)
	for what, c := range map[string]struct {
		v              schema.Validator
		output, result string
		want           string
	}{
		"path":    {nil, `{"type":"object","properties":{"a":{"items":{"type":"string"}}}}`, `{"a":["",1]}`, `: the value at "/a/1" fails type`},
		"long":    {nil, `{"type":"object","properties":{"` + long + `":false}}`, `{"` + long + `":1}`, "ü…\" fails"},
		"missing": {nil, `{"type":"object"}`, ``, ": structuredContent is missing"},
		"other":   {leaky{}, `{"type":"object"}`, `{"a":"secret"}`, "does not allow"},
	} {
		s := offer(t, server.Items{Tools: []protocol.Tool{{Name: "t", OutputSchema: jsonrpc.Raw(c.output)}}, Schemas: c.v}, server.Config{}, "2025-06-18")
		s, out := callTool(s, 5, "t", `{}`)
		_, out, err := s.Respond(t0, out.Opened, &protocol.CallToolResult{StructuredContent: jsonrpc.Raw(c.result)})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := protocol.Decode[protocol.CallToolResult](out.Send[0].Message.Body)
		if got := r.Content[0].Text; !r.IsError || !strings.Contains(got, c.want) || len(got) > 400 || strings.Contains(got, "secret") || what == "other" && !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %s", what, got)
		}
		if cause := out.Events[0].Cause; strings.Contains(cause.Err.Error(), "secret") != (what == "other") {
			t.Errorf("%s: %v", what, cause.Err)
		}
	}
}

// leaky is a Validator whose error has the value.
type leaky struct{}

func (leaky) Validate(_, value jsonrpc.Raw) error {
	if strings.Contains(string(value), "secret") {
		return errors.New(string(value))
	}
	return nil
}

// A revision without structured content has no promise to break.
func TestStructuredResultsOfOldRevisions(t *testing.T) {
	s := offer(t, server.Items{Tools: typed}, server.Config{}, "2025-03-26")
	s, out := callTool(s, 5, "typed", `{"n":1}`)
	_, out, err := s.Respond(t0, out.Opened, protocol.TextResult("x"))
	if err != nil || len(out.Events) != 0 || string(out.Send[0].Message.Body) != `{"content":[{"type":"text","text":"x"}]}` {
		t.Error(err, out)
	}
}

// What counts is the catalog of the moment.
func TestChecksFollowTheCatalog(t *testing.T) {
	s := offer(t, server.Items{Tools: typed}, server.Config{}, "2025-06-18")
	s, out := callTool(s, 5, "typed", `{"n":1}`)
	call := out.Opened
	c, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "typed", InputSchema: `{"type":"object","required":["m"]}`}}})
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.SetCatalog(t0, c); err != nil {
		t.Fatal(err)
	}
	if _, out, err := s.Respond(t0, call, protocol.TextResult("x")); err != nil || len(out.Events) != 0 {
		t.Error(err, out)
	}
	if _, out := callTool(s, 6, "typed", `{"n":1}`); len(out.Events) != 0 || len(out.Send) != 1 {
		t.Error(out)
	}
	if _, out := callTool(s, 6, "typed", `{"m":1}`); len(out.Events) != 1 {
		t.Error(out)
	}
}
