package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// render shows everything that can be seen of a State, and what it would do next.
func render(s server.State, now time.Time) string {
	text := string(s.Snapshot()) + fmt.Sprint(s.Status(), s.Peer(), s.PeerCapabilities(), s.Capabilities())
	due, ok := s.NextDeadline()
	text += fmt.Sprint(due, ok)
	for _, probe := range []string{
		`{"jsonrpc":"2.0","id":"p1","method":"tools/list"}`, `{"jsonrpc":"2.0","id":"p2","method":"tools/call","params":{"name":"t"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`,
	} {
		next, out := s.Receive(now, jsonrpc.DecodeString(probe))
		text += string(next.Snapshot()) + written(out)
	}
	next, out := s.Shutdown(now, 0)
	return text + string(next.Snapshot()) + written(out)
}

func written(out server.Output) (text string) {
	for _, o := range out.Send {
		text += string(jsonrpc.AppendLine(nil, o.Message)) + fmt.Sprint(o.Call, o.Final)
	}
	for _, ev := range out.Events {
		text += fmt.Sprintln(ev.Kind, ev.Call, ev.Req, ev.ID, ev.Method, ev.Body, ev.Rule)
	}
	return text + fmt.Sprint(out.Opened, out.Req, out.Close)
}

// spoil overwrites what the caller owns.
func spoil(data []byte) {
	for i := range data {
		data[i] = '#'
	}
}

// Every State of a run stays what it was, although the caller scribbles over all that
// it passed in and all that it got out.
func TestPastStatesNeverChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, other := config(t)
		serve, experimental := slices.Clone(cfg.Serve), map[string]jsonrpc.Raw{"x": `{}`}
		cfg.Serve, cfg.Experimental = serve, experimental
		cfg.Revisions = protocol.Revisions()
		now := time.Unix(1000, 0)
		s, err := server.New(cfg, now)
		if err != nil {
			t.Fatal(err)
		}
		serve[0], cfg.Revisions[0] = "#", protocol.Revision{}
		experimental["x"] = `#`

		type past struct {
			s    server.State
			now  time.Time
			text string
		}
		var history []past
		keep := func() { history = append(history, past{s, now, render(s, now)}) }
		keep()
		for i := range rapid.IntRange(1, 50).Draw(t, "steps") {
			kind, pick := rapid.IntRange(0, 15).Draw(t, "kind"), rapid.IntRange(0, 31).Draw(t, "pick")
			if i < 2 {
				kind, pick = 0, i
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond)
			var out server.Output
			switch {
			case kind < 7:
				line := []byte(lines[pick%len(lines)])
				m := jsonrpc.Decode(line)
				spoil(line)
				s, out = s.Receive(now, m)
				for i := range m.Batch() {
					m.Batch()[i] = jsonrpc.Message{}
				}
			case kind == 10:
				messages := []protocol.SamplingMessage{{Role: "user", Content: []protocol.Content{protocol.TextContent("hello")}}}
				total := 0.5
				p := &protocol.CreateMessageParams{Messages: messages, MaxTokens: 1, Temperature: &total, StopSequences: []string{"a"}}
				s, out, _ = s.Request(now, p, server.RequestOptions{Progress: true})
				messages[0], p.StopSequences[0], total, p.MaxTokens = protocol.SamplingMessage{}, "#", 9, -1
			case kind == 8:
				for c := range s.Inbound() {
					content := []protocol.Content{protocol.TextContent("x"), protocol.LinkContent(protocol.Resource{URI: "a:b", Name: "n"})}
					r := &protocol.CallToolResult{Content: content}
					if c.Method != "tools/call" {
						break
					}
					s, out, err = s.Respond(now, c.Call, r)
					if err != nil {
						t.Fatal(err)
					}
					content[0], content[1].Link.URI, r.IsError = protocol.Content{}, "#", true
					break
				}
			case kind == 9:
				for c := range s.Inbound() {
					total := 10.0
					p := protocol.ProgressParams{Progress: float64(i), Total: &total}
					s, out, _ = s.Progress(now, c.Call, p)
					total = -1
					break
				}
			default:
				s, out, _ = apply(s, now, op{kind: kind, pick: pick}, other)
			}
			keep()
			for i := range out.Send {
				out.Send[i] = server.Outgoing{}
			}
			for i := range out.Events {
				if c := out.Events[i].Cause; c != nil && c.Kind == lifecycle.CauseNone {
					t.Fatal("a cause of no kind")
				}
				out.Events[i] = server.Event{}
			}
		}
		for i, p := range history {
			if got := render(p.s, p.now); got != p.text {
				t.Fatalf("State %d of %d was\n%s\nis\n%s", i, len(history), p.text, got)
			}
		}
	})
}

// What a Catalog was made of may be changed afterwards.
func TestCatalogKeepsNothing(t *testing.T) {
	hint := true
	tools := []protocol.Tool{{Name: "a", InputSchema: `{"type":"object"}`, Annotations: &protocol.ToolAnnotations{ReadOnlyHint: &hint}}}
	prompts := []protocol.Prompt{{Name: "p", Arguments: []protocol.PromptArgument{{Name: "x", Required: true}}}}
	c, err := server.NewCatalog(server.Items{Tools: tools, Prompts: prompts})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1, 0)
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: c, Serve: []string{"tools/call", "prompts/get"},
	}, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[:2] {
		s, _ = s.Receive(now, jsonrpc.DecodeString(line))
	}
	ask := func() (text string) {
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`,
			`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"p"}}`,
		} {
			_, out := s.Receive(now, jsonrpc.DecodeString(line))
			text += written(out)
		}
		return text
	}
	before := ask()
	tools[0].Name, hint, prompts[0].Arguments[0] = "#", false, protocol.PromptArgument{}
	if after := ask(); after != before {
		t.Errorf("was %s\nis %s", before, after)
	}
}

// A catalog keeps what it needs of an item, and not the text that the item was cut from,
// whatever part of it that is.
func TestCatalogPinsNothing(t *testing.T) {
	const size = 1 << 20
	cut := func(part string) string { return (part + strings.Repeat("x", size))[:len(part)] }
	const form = `{"type":"object","properties":{"n":{"enum":["a","b"]}},"required":["n"]}`
	tool := func(name, input, output string, v schema.Validator) server.Items {
		return server.Items{Tools: []protocol.Tool{{Name: name, InputSchema: jsonrpc.Raw(input), OutputSchema: jsonrpc.Raw(output)}}, Schemas: v}
	}
	for name, items := range map[string]func() server.Items{
		"tool":   func() server.Items { return tool(cut("name"), form, form, nil) },
		"input":  func() server.Items { return tool("name", cut(form), form, nil) },
		"output": func() server.Items { return tool("name", form, cut(form), nil) },
		"lenient": func() server.Items {
			return tool(cut("name"), cut(form), cut(`{"type":"object","minLength":-1}`), schema.Lenient{})
		},
		"own": func() server.Items { return tool("name", cut(form), cut(form), upper{}) },
		"resource": func() server.Items {
			return server.Items{Resources: []protocol.Resource{{URI: cut("a:b"), Name: cut("n")}}}
		},
		"template": func() server.Items {
			return server.Items{ResourceTemplates: []protocol.ResourceTemplate{{URITemplate: cut("a:{b}"), Name: cut("n")}}}
		},
		"prompt": func() server.Items { return server.Items{Prompts: []protocol.Prompt{{Name: cut("prompt")}}} },
		"argument": func() server.Items {
			return server.Items{Prompts: []protocol.Prompt{{Name: "p", Arguments: []protocol.PromptArgument{{Name: cut("argument"), Required: true}}}}}
		},
		"of argument": func() server.Items {
			return server.Items{Prompts: []protocol.Prompt{{Name: cut("p"), Arguments: []protocol.PromptArgument{{Name: "argument", Required: true}}}}}
		},
	} {
		if kept := heap(func() any {
			c, err := server.NewCatalog(items())
			if err != nil {
				t.Fatal(name, err)
			}
			return c
		}); kept > size/2 {
			t.Errorf("%s: a catalog keeps %d bytes", name, kept)
		}
	}
}
