package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var began = time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC)

// modern is the _meta of a request of 2026-07-28 whose client declares capabilities.
func modern(capabilities string, more ...string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities +
		strings.Join(append([]string{""}, more...), ",") + `}`
}

// stateless returns a server with a tool that echoes, one that asks, a resource and a prompt.
func stateless(t testing.TB) (server.State, *server.Handlers) {
	t.Helper()
	h := &server.Handlers{}
	h.Tool(protocol.Tool{Name: "echo"}, func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(string(p.Arguments)), nil
	})
	h.Tool(protocol.Tool{Name: "ask"}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		q := protocol.Ask(p)
		who := q.Elicit("who", protocol.ElicitParams{Message: "who?", RequestedSchema: protocol.ElicitSchema{
			Properties: []protocol.Property{{Name: "name", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString}}},
		}})
		if err := q.Open("at 1"); err != nil {
			return nil, err
		}
		return protocol.TextResult(q.State() + ": " + string(who.Action) + string(who.Content["name"])), nil
	})
	h.Tool(protocol.Tool{Name: "order", OutputSchema: `{"type":"object","required":["of"]}`}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		q := protocol.Ask(p)
		roots := q.Roots("roots")
		if err := q.Open(""); err != nil {
			return nil, err
		}
		return &protocol.CallToolResult{StructuredContent: protocol.Raw(fmt.Sprintf(`{"of":%d}`, len(roots.Roots)))}, nil
	})
	h.Tool(protocol.Tool{Name: "log"}, func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		err := c.Notify(protocol.LoggingMessageParams{Level: "info", Data: `"i"`})
		if err == nil {
			err = c.Notify(protocol.LoggingMessageParams{Level: "error", Data: `"e"`})
		}
		who := c.State().Client(c.Call())
		return protocol.TextResult(who.Info.Name + " " + who.Revision.String()), err
	})
	h.Resource(protocol.Resource{URI: "a:b", Name: "b"}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: "a:b", Text: "b"}}}, nil
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions(), Logging: true,
	}, began)
	if err != nil {
		t.Fatal(err)
	}
	return s, h
}

const (
	stamp   = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}`
	cached  = `"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}`
	asking  = `"resultType":"input_required","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}`
	newInfo = `"io.modelcontextprotocol/clientInfo":{"name":"me","version":"2"}`
)

// A request with an envelope is answered by the rules of its revision from the first message on.
//
// rows: ERR-201 ERR-202 ERR-203 ERR-207 RES-201 REQM-014 LOG-206 REQM-003 REQM-004 REQM-009 VERS-201 VERS-202 VERS-203 DISC-001 DISC-005 ERA-005 ERA-007 JRPC-208 RSLT-001 META-202 MRTR-001 MRTR-006 MRTR-007 MRTR-008 MRTR-010 MRTR-011 MRTR-012 LOG-202 LOG-203 LOG-205 CACH-001 CACH-004 CACH-007 PROMPT-201 ERA-022 ELIC-202
// revisions: 2026-07-28
func TestStateless(t *testing.T) {
	for name, c := range map[string]struct{ method, params, want string }{
		"discover":      {"server/discover", modern("{}"), `"result":{` + cached + `,"supportedVersions":["2026-07-28"],"capabilities":{"logging":{},"resources":{},"tools":{}}}`},
		"tool":          {"tools/call", `"name":"echo","arguments":{"a":1},` + modern("{}"), `"result":{` + stamp + `,"content":[{"type":"text","text":"{\"a\":1}"}]}`},
		"list":          {"resources/list", modern("{}"), `"result":{` + cached + `,"resources":[{"uri":"a:b","name":"b"}]}`},
		"read":          {"resources/read", `"uri":"a:b",` + modern("{}"), `"result":{` + cached + `,"contents":[{"uri":"a:b","text":"b"}]}`},
		"no resource":   {"resources/read", `"uri":"a:c",` + modern("{}"), `"error":{"code":-32602,"message":"resource not found","data":{"uri":"a:c"}}`},
		"other version": {"tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}`, `"error":{"code":-32022,"message":"unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}`},
		"no version":    {"tools/list", `"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}`, `"error":{"code":-32602,"message":"invalid _meta"}`},
		"odd client":    {"tools/list", modern("{}", `"io.modelcontextprotocol/clientInfo":1`), `"error":{"code":-32602,"message":"invalid _meta"}`},
		"odd level":     {"tools/list", modern("{}", `"io.modelcontextprotocol/logLevel":"loud"`), `"error":{"code":-32602,"message":"invalid _meta"}`},
		"initialize":    {"initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"},` + modern("{}"), `"error":{"code":-32601,"message":"method not found"}`},
		"ping":          {"ping", modern("{}"), `"error":{"code":-32601,"message":"method not found"}`},
		"level":         {"logging/setLevel", `"level":"info",` + modern("{}"), `"error":{"code":-32601,"message":"method not found"}`},
		"no envelope":   {"server/discover", `"_meta":{}`, `"error":{"code":-32602,"message":"no protocol version in _meta"}`},
		"of a session":  {"tools/list", ``, `"error":{"code":-32600,"message":"the session is not initialized"}`},
		"asks": {"tools/call", `"name":"ask",` + modern(`{"elicitation":{}}`),
			`"result":{` + asking + `,"inputRequests":{"who":{"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}},"requestState":"at 1"}`},
		"asks one who cannot": {"tools/call", `"name":"ask",` + modern(`{}`), `"error":{"code":-32021,"message":"missing required client capability","data":{"requiredCapabilities":{"elicitation":{}}}}`},
		"answers": {"tools/call", `"name":"ask","inputResponses":{"who":{"action":"accept","content":{"name":"Ann"}},"else":{}},"requestState":"at 1",` + modern(`{"elicitation":{}}`),
			`"result":{` + stamp + `,"content":[{"type":"text","text":"at 1: accept\"Ann\""}]}`},
		"asks for structured content": {"tools/call", `"name":"order",` + modern(`{"roots":{}}`), `"result":{` + asking + `,"inputRequests":{"roots":{"method":"roots/list","params":{}}}}`},
		"structured content": {"tools/call", `"name":"order","inputResponses":{"roots":{"roots":[{"uri":"file:///a"}]}},` + modern(`{"roots":{}}`),
			`"result":{` + stamp + `,"content":[{"type":"text","text":"{\"of\":1}"}],"structuredContent":{"of":1}}`},
		"odd answers": {"tools/call", `"name":"ask","inputResponses":{"who":1},` + modern(`{"elicitation":{}}`), `"error":{"code":-32602,"message":"invalid input responses"}`},
		"log": {"tools/call", `"name":"log",` + modern(`{}`, newInfo, `"io.modelcontextprotocol/logLevel":"error"`),
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"e"}} "result":{` + stamp + `,"content":[{"type":"text","text":"me 2026-07-28"}]}`},
		"no log": {"tools/call", `"name":"log",` + modern(`{}`), `"result":{` + stamp + `,"content":[{"type":"text","text":" 2026-07-28"}]}`},
	} {
		for _, way := range []string{"receive", "handle"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				s, h := stateless(t)
				m := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + c.method + `","params":{` + strings.TrimPrefix(c.params, ",") + `}}`))
				var o lifecycle.Output
				if way == "receive" {
					s, o = h.Receive(s, began, m)
				} else {
					s, o = h.Handle(s.Receive(began, m))
				}
				var texts []string
				for _, out := range o.Send {
					text := string(jsonrpc.Append(nil, out.Message))
					if rest, ok := strings.CutPrefix(text, `{"jsonrpc":"2.0","id":1,`); ok {
						text = strings.TrimSuffix(rest, "}")
					}
					texts = append(texts, text)
				}
				if got := strings.Join(texts, " "); got != c.want {
					t.Errorf("%s\nwant %s", got, c.want)
				}
				if s.Status().Inbound != 0 || s.Phase() != lifecycle.Uninitialized {
					t.Errorf("%+v", s.Status())
				}
				if err := s.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A call without a session allocates as often as one of a session: its profile is kept only if the function
// looks at its call, and the stamp on its result is written with it.
//
// rows: REQM-016
// revisions: 2026-07-28
func TestAllocationsOfStateless(t *testing.T) {
	s, h := stateless(t)
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1},` + modern("{}", newInfo) + `}}`)
	var dst []byte
	if n := testing.AllocsPerRun(100, func() {
		_, o := h.Receive(s, began, jsonrpc.Decode(line))
		dst = jsonrpc.AppendLine(dst[:0], o.Send[0].Message)
	}); n > 4 {
		t.Errorf("%v allocations, at most 4", n)
	}
}

// BenchmarkStateless answers one call from bytes to bytes, in a session and without one, of a server of
// both eras.
func BenchmarkStateless(b *testing.B) {
	s, h := stateless(b)
	session := inSession(s)
	for _, c := range []struct {
		name string
		of   server.State
		meta string
	}{{"session", session, `"_meta":{}`}, {"without", s, modern("{}", newInfo)}} {
		line := []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello world","n":12345},` + c.meta + `}}`)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				_, o := h.Receive(c.of, began, jsonrpc.Decode(line))
				dst = jsonrpc.AppendLine(dst[:0], o.Send[0].Message)
			}
		})
	}
}
