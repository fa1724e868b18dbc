package server_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// manners returns Handlers whose tools answer in every manner there is.
func manners() *server.Handlers {
	h := new(server.Handlers)
	tool := func(name, output string, f func(c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error)) {
		h.Tool(protocol.Tool{Name: name, InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`, OutputSchema: jsonrpc.Raw(output)},
			func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return f(c, p)
			})
	}
	for name, r := range map[string]*protocol.CallToolResult{
		"text": protocol.TextResult("x"), "none": nil, "structured": {StructuredContent: `{"a":1}`}, "broken": {Content: []protocol.Content{{Type: "image"}}},
		"embedded": {Content: []protocol.Content{protocol.EmbeddedContent(protocol.TextResource("a:b", "", "x"))}},
	} {
		tool(name, "", func(server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) { return r, nil })
	}
	for name, err := range map[string]error{
		"fails": errors.New("no"), "refuses": &jsonrpc.Error{Code: -5, Message: "m"}, "code 0": &jsonrpc.Error{Message: "m"}, "value": protocol.InvalidParams("m"),
	} {
		tool(name, "", func(server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) { return nil, err })
	}
	tool("promises", `{"type":"object","required":["a"]}`, func(_ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{StructuredContent: p.Arguments}, nil
	})
	tool("looks", "", func(c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(fmt.Sprint(c.Call(), c.State().Status().Inbound)), nil
	})
	tool("reports", "", func(c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		err := c.Progress(protocol.ProgressParams{Progress: 1, Message: "m"})
		return protocol.TextResult(fmt.Sprint(err, c.Progress(protocol.ProgressParams{Progress: 1}))), nil
	})
	tool("logs", "", func(c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(fmt.Sprint(c.Notify(protocol.LoggingMessageParams{Level: "error", Data: "1"}))), nil
	})
	h.Tool(protocol.Tool{Name: "left", InputSchema: `{"type":"object"}`}, nil)
	others(h)
	return h
}

// manner does with a call what the name says: the same for all that are not tools.
func manner(c server.Caller, name string) (text string, err error) {
	switch name {
	case "fails":
		return "", errors.New("no")
	case "refuses":
		return "", protocol.ResourceNotFound("a:b")
	case "looks":
		return fmt.Sprint(c.Call(), c.State().Status().Inbound), nil
	case "reports":
		return fmt.Sprint(c.Progress(protocol.ProgressParams{Progress: 1}), c.Notify(protocol.LoggingMessageParams{Level: "error", Data: "1"})), nil
	}
	return "x", nil
}

var manyManners = []string{"plain", "fails", "refuses", "looks", "reports", "none", "left", "hidden"}

// others adds resources, templates, prompts and completion.
func others(h *server.Handlers) {
	read := func(c server.Caller, name, uri string) (*protocol.ReadResourceResult, error) {
		if name == "none" {
			return nil, nil
		}
		text, err := manner(c, name)
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(uri, "", text)}}, err
	}
	for _, name := range manyManners[:len(manyManners)-1] {
		f := func(_ context.Context, c server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return read(c, name, p.URI)
		}
		g := func(_ context.Context, c server.Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
			if name == "none" {
				return nil, nil
			}
			text, err := manner(c, name)
			return &protocol.GetPromptResult{Description: fmt.Sprint(text, p.Arguments)}, err
		}
		if name == "left" {
			f, g = nil, nil
		}
		h.Resource(protocol.Resource{URI: "a:" + name, Name: name}, f)
		h.Prompt(protocol.Prompt{Name: name, Arguments: []protocol.PromptArgument{{Name: "n", Required: name == "plain"}}}, g)
	}
	for _, template := range []string{"t:{name}", "{scheme}::{name}"} { // 1:: is no scheme, which is reported
		h.Template(protocol.ResourceTemplate{URITemplate: template, Name: template}, func(_ context.Context, c server.Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error) {
			return read(c, vars.Get("name").String(), "t:x")
		})
	}
	h.Complete(func(_ context.Context, c server.Caller, p protocol.CompleteParams) (*protocol.CompleteResult, error) {
		text, err := manner(c, p.Argument.Value)
		return &protocol.CompleteResult{Completion: protocol.Completion{Values: []string{text}}}, err
	})
}

// otherLines are requests for what others adds.
func otherLines() (lines []string) {
	for i, name := range manyManners {
		for j, meta := range []string{``, `,"_meta":{"progressToken":"p"}`, `,"_meta":1`} {
			id := []string{`7`, `"s"`, `1e1`}[(i+j)%3]
			for method, params := range map[string]string{
				"resources/read": `"uri":"a:` + name + `"`, "prompts/get": `"name":"` + name + `"`,
				"completion/complete": `"ref":{"type":"ref/prompt","name":"plain"},"argument":{"name":"n","value":"` + name + `"}`,
			} {
				lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`, id, method, params, meta))
			}
		}
		lines = append(lines, `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"t:`+name+`"}}`,
			`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"`+name+`","arguments":{"n":"1"}}}`,
			`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"`+name+`","arguments":{"n":1}}}`)
	}
	return append(lines, `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"1::text"}}`, `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":""}}`, `{"jsonrpc":"2.0","id":7,"method":"resources/read"}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"a:\ud800"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"who"},"argument":{"name":"n","value":""}}}`)
}

// A function gets all that the params of its method have, however Receive came by them.
func TestReceivedParams(t *testing.T) {
	meta := protocol.Meta(`{"progressToken":"p","x":1}`)
	want := []codec{
		&protocol.CallToolParams{Name: "a:b", Arguments: `{"n":1}`, Meta: meta}, &protocol.ReadResourceParams{URI: "a:b", Meta: meta},
		&protocol.GetPromptParams{Name: "a:b", Arguments: map[string]string{"n": "1"}, Meta: meta},
		&protocol.CompleteParams{
			Ref: protocol.Reference{Type: protocol.RefPrompt, Name: "a:b"}, Argument: protocol.CompleteArgument{Name: "n", Value: "v"},
			Context: &protocol.CompleteContext{Arguments: map[string]string{"n": "1"}}, Meta: meta,
		},
	}
	var got any
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "a:b"}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		got = &p
		return protocol.TextResult(""), nil
	})
	h.Resource(protocol.Resource{URI: "a:b"}, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		got = &p
		return &protocol.ReadResourceResult{}, nil
	})
	h.Prompt(protocol.Prompt{Name: "a:b"}, func(_ context.Context, _ server.Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		got = &p
		return &protocol.GetPromptResult{}, nil
	})
	h.Complete(func(_ context.Context, _ server.Caller, p protocol.CompleteParams) (*protocol.CompleteResult, error) {
		got = &p
		return &protocol.CompleteResult{}, nil
	})
	for _, p := range want {
		for v, i := reflect.ValueOf(p).Elem(), 0; i < v.NumField(); i++ {
			if v.Type().Field(i).Name != "Input" && v.Field(i).IsZero() { // which is no member
				t.Errorf("%T: the test lacks a value for %s", p, v.Type().Field(i).Name)
			}
		}
		for _, passing := range []bool{false, true} {
			catalog, err := h.Catalog()
			if err != nil {
				t.Fatal(err)
			}
			s, _ := open(t, server.Config{Catalog: catalog, Serve: h.Serve(), Policy: lifecycle.Policy{PassThrough: passing}})
			got = nil
			h.Receive(s, t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, p.Method(), p.AppendJSON(nil))))
			if !reflect.DeepEqual(got, any(p)) {
				t.Errorf("%s: %+v, want %+v", p.Method(), got, p)
			}
		}
	}
}

type codec interface {
	protocol.Params
	AppendJSON(dst []byte) []byte
}

// Receive of Handlers comes to what Handle makes of what State.Receive says, to the last
// field and in every State, and so does what follows.
func TestReceiveIsHandle(t *testing.T) {
	h := manners()
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	base := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: append(h.Serve(), "x/own"), Logging: true}
	with := func(change func(*server.Config)) server.Config {
		cfg := base
		change(&cfg)
		return cfg
	}
	var lines []string
	for _, name := range []string{
		"text", "none", "structured", "broken", "embedded", "fails", "refuses", "code 0", "value", "promises", "looks", "reports", "logs", "left", "hidden", "",
	} {
		for i, rest := range []string{``, `,"arguments":{"n":1,"a":"x"}`, `,"arguments":{"n":"x"}`, `,"arguments":null`, `,"arguments":[1]`, `,"_meta":{"progressToken":"p"}`} {
			id := []string{`7`, `"s"`, `1e1`}[i%3]
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q%s}}`, id, name, rest))
		}
	}
	for _, name := range []string{"text", "structured", "broken", "fails", "looks", "hidden"} {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":%q,"arguments":{"n":1,"a":"x"}}}`, name))
	}
	lines = append(lines, otherLines()...)
	lines = append(lines, `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":7,"method":"ping"}`, `{"jsonrpc":"2.0","id":7,"method":"x/own"}`,
		`{"jsonrpc":"2.0","method":"tools/call"}`, `{"jsonrpc":"2.0","id":7,"result":{}}`, `{`, `[{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"text"}}]`)
	tight, err := server.New(with(func(c *server.Config) { c.Limits.Text = 1 }), t0)
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]server.Config{
		"plain": base, "strict": with(func(c *server.Config) { c.Policy.StrictArguments = true }), "passing": with(func(c *server.Config) { c.Policy.PassThrough = true }),
		"open": with(func(c *server.Config) { c.Unlisted = true }), "listing itself": with(func(c *server.Config) { c.Serve = append(h.Serve(), "tools/list") }),
		"slow": with(func(c *server.Config) { c.Limits.Requests = lifecycle.Rate{PerSecond: 1} }), "full": with(func(c *server.Config) { c.Limits.Inbound = 1 }),
		"patient": with(func(c *server.Config) { c.Timeouts.Inbound = time.Minute }), "both eras": with(func(c *server.Config) { c.Revisions = protocol.AllRevisions() }),
	} {
		for _, revision := range []string{"2025-06-18", "2025-03-26", "2024-11-05"} {
			fresh, err := server.New(cfg, t0)
			if err != nil {
				t.Fatal(name, err)
			}
			greeted, _ := fresh.Receive(t0, greeting(revision))
			ready := handshaken(fresh, revision)
			used, _ := ready.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"left"}}`))
			ending, _ := used.Shutdown(t0, time.Hour)
			gone, _ := ready.Disconnected(t0, nil)
			for _, s := range []server.State{{}, fresh, greeted, ready, used, ending, gone} {
				for _, line := range lines {
					m, now := jsonrpc.DecodeString(line), t0.Add(time.Second)
					want, wantOut := h.Handle(s.Receive(now, m))
					got, out := h.Receive(s, now, m)
					if !reflect.DeepEqual(out, wantOut) || string(got.Snapshot()) != string(want.Snapshot()) || got.Status() != want.Status() {
						t.Fatalf("%s, %s, %v: %s\n%+v\nwant %+v\n%s\n%s", name, revision, s.Phase(), line, out, wantOut, got.Snapshot(), want.Snapshot())
					}
					answeredEarly(t, h, s, now, m, got, out, handshaken(fresh, "2024-11-05"), handshaken(tight, revision))
				}
			}
		}
	}
}

// greeting is an initialize request.
func greeting(revision string) jsonrpc.Message {
	return jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
}

// handshaken returns a State after its handshake.
func handshaken(s server.State, revision string) server.State {
	s, _ = s.Receive(t0, greeting(revision))
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return s
}

// answeredEarly holds a request whose function runs first against what Receive comes to. others are States with the
// same catalog, of another revision or Config.
func answeredEarly(t *testing.T, h *server.Handlers, s server.State, now time.Time, m jsonrpc.Message, want server.State, wantOut server.Output, others ...server.State) {
	t.Helper()
	job, ok := h.Early(s, now, m, 0)
	_, received := s.Receive(now, m)
	handed := slices.ContainsFunc(received.Events, func(ev server.Event) bool {
		_, found := h.Job(ev)
		return found && m.Kind == jsonrpc.KindRequest && ev.Method != protocol.MethodResourcesSubscribe
	})
	if ok != handed {
		t.Fatalf("%s: early: %v, want %v", m.Body, ok, handed)
	}
	if _, beside := h.Early(s, now, m, 1000000); beside {
		t.Fatalf("%s: early, beside as many as may not be open", m.Body)
	}
	if !ok {
		return
	}
	c := &unused{s: s}
	a := job.Run(context.Background(), c)
	if c.used {
		return
	}
	open, opened := s.Receive(now, m)
	a.Call = opened.Opened
	_, _, fits := open.Finish(now, a)
	same := func(s server.State, j server.Job, want server.State, wantOut server.Output, wantErr error) {
		t.Helper()
		got, out, err := s.Answered(now, m, j, a)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%s: %v, want %v", m.Body, err, wantErr)
		}
		if !reflect.DeepEqual(out, wantOut) || string(got.Snapshot()) != string(want.Snapshot()) || got.Status() != want.Status() {
			t.Fatalf("%s\n%+v\nwant %+v\n%s\n%s", m.Body, out, wantOut, got.Snapshot(), want.Snapshot())
		}
	}
	same(s, server.Job{}, want, wantOut, fits)
	same(s, job, want, wantOut, fits)
	for _, moved := range append(moves(t, s, now, m), others...) { // what was read before helps no State that would read it otherwise
		to, out, err := moved.Answered(now, m, server.Job{}, a)
		same(moved, job, to, out, err)
	}
}

// moves returns States that s may be when the answer of a function comes that ran first.
func moves(t *testing.T, s server.State, now time.Time, m jsonrpc.Message) (list []server.State) {
	t.Helper()
	add := func(s server.State, _ server.Output) { list = append(list, s) }
	add(s.Receive(now, m)) // the id is in use
	other := m
	other.ID = jsonrpc.Int(1 << 40)
	add(s.Receive(now, other)) // a limit of one, or a rate, leaves no room
	add(s.Shutdown(now, time.Hour))
	add(s.Disconnected(now, nil))
	add(s.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)))
	empty, err := new(server.Handlers).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	if to, out, err := s.SetCatalog(now, empty); err == nil {
		add(to, out)
	}
	return list
}

// unused is a Caller that tells whether it was used.
type unused struct {
	s    server.State
	used bool
}

func (c *unused) Call() server.Call                      { c.used = true; return server.Call{} }
func (c *unused) State() server.State                    { c.used = true; return c.s }
func (c *unused) Progress(protocol.ProgressParams) error { c.used = true; return nil }
func (c *unused) Notify(protocol.Params) error           { c.used = true; return nil }
func (c *unused) Request(context.Context, protocol.Params, server.RequestOptions) (jsonrpc.Raw, error) {
	c.used = true
	return "", server.ErrInline
}

// A read that is answered at once costs the text of the message, the place of the answer,
// what its function makes, and the body.
func TestAllocationsOfARead(t *testing.T) {
	h := new(server.Handlers)
	text := strings.Repeat("a line of text\n", 70)
	h.Resource(protocol.Resource{URI: "a:b", Name: "b"}, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(p.URI, "text/plain", text)}}, nil
	})
	s := serving(t, h)
	line := []byte(`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"a:b"}}`)
	var buf []byte
	got := testing.AllocsPerRun(100, func() {
		_, o := h.Receive(s, t0, jsonrpc.Decode(line))
		buf = jsonrpc.AppendLine(buf[:0], o.Send[0].Message)
	})
	if got > 5 || !strings.Contains(string(buf), `a line of text\na line`) {
		t.Errorf("%v allocations, at most 5: %s", got, buf)
	}
}
