package typed_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// open returns a ready session with what h has.
func open(t testing.TB, h *server.Handlers) server.State {
	t.Helper()
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve()}, t0)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return s
}

// ask returns what the server answers to a request.
func ask(t testing.TB, h *server.Handlers, s server.State, method, params string) string {
	t.Helper()
	_, out := h.Receive(s, t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":`+params+`}`))
	if len(out.Send) != 1 {
		t.Fatalf("%+v", out)
	}
	return string(jsonrpc.Append(nil, out.Send[0].Message))
}

type none struct{}

// What a function returns goes out as its type says.
func TestOutcomes(t *testing.T) {
	var typedNil *jsonrpc.Error
	h := new(server.Handlers)
	add := func(name string) protocol.Tool { return protocol.Tool{Name: name} }
	typed.Tool(h, add("struct"), func(context.Context, server.Caller, none) (struct{ List []int }, error) {
		return struct{ List []int }{}, nil
	})
	typed.Tool(h, add("pointer"), func(context.Context, server.Caller, none) (*inner, error) { return &inner{1, 2}, nil })
	typed.Tool(h, add("nil"), func(context.Context, server.Caller, none) (*inner, error) { return nil, nil })
	typed.Tool(h, add("map"), func(context.Context, server.Caller, map[string]int) (map[string]int, error) { return nil, nil })
	typed.Tool(h, add("string"), func(context.Context, server.Caller, none) (string, error) { return "<&>", nil })
	typed.Tool(h, add("block"), func(context.Context, server.Caller, none) (protocol.Content, error) {
		return protocol.TextContent("b"), nil
	})
	typed.Tool(h, add("blocks"), func(context.Context, server.Caller, none) ([]protocol.Content, error) { return nil, nil })
	typed.Tool(h, add("whole"), func(context.Context, server.Caller, none) (protocol.CallToolResult, error) {
		return *protocol.TextResult("w"), nil
	})
	typed.Tool(h, add("result"), func(context.Context, server.Caller, none) (*protocol.CallToolResult, error) {
		return protocol.TextResult("r"), nil
	})
	typed.Tool(h, add("no result"), func(context.Context, server.Caller, none) (*protocol.CallToolResult, error) { return nil, nil })
	typed.Tool(h, add("error"), func(context.Context, server.Caller, none) (inner, error) { return inner{1, 2}, errors.New("as it is") })
	typed.Tool(h, add("rpc"), func(context.Context, server.Caller, none) (string, error) {
		e := jsonrpc.Error{Code: -32050, Message: "m", Data: "1"}
		return "", fmt.Errorf("wrapped: %w", &e)
	})
	typed.Tool(h, add("typed nil"), func(context.Context, server.Caller, none) (string, error) { return "fine", typedNil })
	typed.Tool(h, add("nan"), func(context.Context, server.Caller, none) (struct{ F float64 }, error) {
		return struct{ F float64 }{math.NaN()}, nil
	})
	typed.Tool(h, add("broken promise"), func(context.Context, server.Caller, none) (struct {
		N int `schema:"max=1"`
	}, error) {
		return struct {
			N int `schema:"max=1"`
		}{2}, nil
	})
	typed.Tool(h, protocol.Tool{Name: "own", InputSchema: `{"type":"object"}`, OutputSchema: `{"type":"object","required":["x"]}`},
		func(context.Context, server.Caller, none) (none, error) { return none{}, nil })
	s := open(t, h)
	for name, want := range map[string]string{
		"struct":         `"result":{"content":[{"type":"text","text":"{\"List\":[]}"}],"structuredContent":{"List":[]}}}`,
		"pointer":        `"result":{"content":[{"type":"text","text":"{\"a\":1,\"b\":2}"}],"structuredContent":{"a":1,"b":2}}}`,
		"nil":            `"result":{"content":[{"type":"text","text":"no result"}],"isError":true}}`,
		"map":            `"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}}`,
		"string":         `"result":{"content":[{"type":"text","text":"<&>"}]}}`,
		"block":          `"result":{"content":[{"type":"text","text":"b"}]}}`,
		"blocks":         `"result":{"content":[]}}`,
		"whole":          `"result":{"content":[{"type":"text","text":"w"}]}}`,
		"result":         `"result":{"content":[{"type":"text","text":"r"}]}}`,
		"no result":      `"result":{"content":[{"type":"text","text":"no result"}],"isError":true}}`,
		"error":          `"result":{"content":[{"type":"text","text":"as it is"}],"isError":true}}`,
		"rpc":            `"error":{"code":-32050,"message":"m","data":1}}`,
		"typed nil":      `"result":{"content":[{"type":"text","text":"fine"}]}}`,
		"nan":            `"result":{"content":[{"type":"text","text":"typed: the value has a number without a JSON form"}],"isError":true}}`,
		"broken promise": `"result":{"content":[{"type":"text","text":"the tool gave a result that its output schema does not allow: the value at \"/N\" fails maximum"}],"isError":true}}`,
		"own":            `"result":{"content":[{"type":"text","text":"the tool gave a result that its output schema does not allow: the value at \"/x\" fails required"}],"isError":true}}`,
	} {
		if got := ask(t, h, s, "tools/call", `{"name":"`+name+`"}`); got != `{"jsonrpc":"2.0","id":7,`+want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := ask(t, h, s, "tools/call", `{"name":"own","arguments":{"x":1}}`); !strings.Contains(got, `invalid arguments: \"/x\" is not expected`) {
		t.Error(got)
	}
	for _, tool := range h.Items().Tools {
		has := tool.OutputSchema != ""
		if want := strings.Contains("struct pointer nil map error nan broken promise own", tool.Name); has != want {
			t.Errorf("%s: output schema %s", tool.Name, tool.OutputSchema)
		}
	}
}

// Mistakes in types make Catalog fail, and with it NewCatalog for the items; the others are
// registered all the same.
func TestMistakesMakeCatalogFail(t *testing.T) {
	for want, add := range map[string]func(h *server.Handlers){
		`tool "x": arguments: struct { C chan int }.C: chan int has`: func(h *server.Handlers) {
			typed.Tool(h, protocol.Tool{Name: "x"}, func(context.Context, server.Caller, struct{ C chan int }) (string, error) { return "", nil })
		},
		`tool "x": arguments: int is not an object`: func(h *server.Handlers) {
			typed.Tool(h, protocol.Tool{Name: "x"}, func(context.Context, server.Caller, int) (string, error) { return "", nil })
		},
		`tool "x": result: []int is not an object`: func(h *server.Handlers) {
			typed.Tool(h, protocol.Tool{Name: "x"}, func(context.Context, server.Caller, none) ([]int, error) { return nil, nil })
		},
		`tool "x": result: int is not an object`: func(h *server.Handlers) {
			typed.Tool(h, protocol.Tool{Name: "x"}, func(context.Context, server.Caller, none) (*int, error) { return nil, nil })
		},
		`tool "x": the function is nil`: func(h *server.Handlers) { typed.Tool[none, string](h, protocol.Tool{Name: "x"}, nil) },
		`prompt "x": the function is nil`: func(h *server.Handlers) {
			typed.Prompt[none](h, protocol.Prompt{Name: "x"}, nil)
		},
		`prompt "x": struct { A []int }: the field of "A"`: func(h *server.Handlers) {
			typed.Prompt(h, protocol.Prompt{Name: "x"}, func(context.Context, server.Caller, struct{ A []int }) (*protocol.GetPromptResult, error) {
				return nil, nil
			})
		},
		`prompt "x": string is not a struct`: func(h *server.Handlers) {
			typed.Prompt(h, protocol.Prompt{Name: "x"}, func(context.Context, server.Caller, string) (*protocol.GetPromptResult, error) { return nil, nil })
		},
		`prompt "x": chan int`: func(h *server.Handlers) {
			typed.Prompt(h, protocol.Prompt{Name: "x"}, func(context.Context, server.Caller, chan int) (*protocol.GetPromptResult, error) { return nil, nil })
		},
		`template "x:{a}{b}": the variable "b" has no field`: func(h *server.Handlers) {
			typed.Template(h, protocol.ResourceTemplate{URITemplate: "x:{a}{b}"}, func(context.Context, server.Caller, string, struct {
				A int `json:"a"`
			}) (*protocol.ReadResourceResult, error) {
				return nil, nil
			})
		},
		`template "x:": the field of "A" is no variable`: func(h *server.Handlers) {
			typed.Template(h, protocol.ResourceTemplate{URITemplate: "x:"}, func(context.Context, server.Caller, string, struct{ A int }) (*protocol.ReadResourceResult, error) {
				return nil, nil
			})
		},
		`template "x:{": `: func(h *server.Handlers) {
			typed.Template(h, protocol.ResourceTemplate{URITemplate: "x:{"}, func(context.Context, server.Caller, string, none) (*protocol.ReadResourceResult, error) {
				return nil, nil
			})
		},
		`template "x:": the function is nil`: func(h *server.Handlers) {
			typed.Template[none](h, protocol.ResourceTemplate{URITemplate: "x:"}, nil)
		},
	} {
		h := new(server.Handlers)
		typed.Tool(h, protocol.Tool{Name: "good"}, func(context.Context, server.Caller, none) (string, error) { return "", nil })
		add(h)
		_, err := h.Catalog()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if _, err = server.NewCatalog(h.Items()); err == nil || len(h.Items().Tools) != 1 {
			t.Errorf("%v, %d tools", err, len(h.Items().Tools))
		}
	}
}
