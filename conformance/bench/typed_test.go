package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	gosdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	sansserver "github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

// A typed tool, one that reads its arguments and writes its result by hand, and
// the typed tools of the others: the same schemas, checked in and out, and the same answer.

type addArgs struct {
	A    int64  `json:"a"`
	B    int64  `json:"b"`
	Note string `json:"note,omitempty"`
}

type addResult struct {
	Sum  int64  `json:"sum"`
	Note string `json:"note"`
}

const (
	addCall = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":40,"b":2,"note":"the answer"}}}`
	addWant = `{"sum":42,"note":"the answer"}`
)

// addByHand is the careful version without typed.
func addByHand(_ context.Context, _ sansserver.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
	args := schema.ReadArguments(p.Arguments)
	sum, note := args.Int("a")+args.Int("b"), args.StringOr("note", "")
	if err := args.Err(); err != nil {
		return nil, err
	}
	text := jsonrpc.Raw(fmt.Sprintf(`{"sum":%d,"note":%s}`, sum, protocol.StringValue(note)))
	return &protocol.CallToolResult{Content: []protocol.Content{protocol.TextContent(string(text))}, StructuredContent: text}, nil
}

// addLean does the least for the answer: it looks up three members and appends.
func addLean(_ context.Context, _ sansserver.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
	get := func(name string) string {
		raw, _ := rawjson.Get(string(p.Arguments), name)
		return raw
	}
	a, ok := rawjson.Int(get("a"))
	b, ok2 := rawjson.Int(get("b"))
	note, _ := rawjson.Unquote(get("note"))
	if !ok || !ok2 {
		return nil, errors.New("a and b have to be integers")
	}
	text := append(strconv.AppendInt([]byte(`{"sum":`), a+b, 10), `,"note":`...)
	raw := jsonrpc.Raw(append(rawjson.AppendQuote(text, note), '}'))
	return &protocol.CallToolResult{Content: []protocol.Content{protocol.TextContent(string(raw))}, StructuredContent: raw}, nil
}

func addTyped(_ context.Context, _ sansserver.Caller, in addArgs) (addResult, error) {
	return addResult{in.A + in.B, in.Note}, nil
}

// typedServers are servers with the one tool add.
func typedServers(tb testing.TB) map[string]server {
	sans := func(other sansserver.ToolFunc) server {
		t, f, err := typed.MakeTool(protocol.Tool{Name: "add"}, addTyped)
		if err != nil {
			tb.Fatal(err)
		}
		if other != nil {
			f = other
		}
		h := new(sansserver.Handlers)
		h.Tool(t, f)
		catalog, err := h.Catalog()
		if err != nil {
			tb.Fatal(err)
		}
		s, err := sansserver.New(sansserver.Config{Info: protocol.Implementation{Name: "bench-server", Version: "1.0.0"}, Catalog: catalog, Serve: h.Serve()}, time.Now())
		if err == nil {
			s, err = sansOpened(s)
		}
		if err != nil {
			tb.Fatal(err)
		}
		return &sansServer{s: s, h: h}
	}
	g := gosdkmcp.NewServer(&gosdkmcp.Implementation{Name: "bench-server", Version: "1.0.0"}, &gosdkmcp.ServerOptions{Logger: quiet})
	gosdkmcp.AddTool(g, &gosdkmcp.Tool{Name: "add"}, func(_ context.Context, _ *gosdkmcp.CallToolRequest, in addArgs) (*gosdkmcp.CallToolResult, addResult, error) {
		return nil, addResult{in.A + in.B, in.Note}, nil
	})
	gp := &gosdkServerPeer{conn: must(gosdkOpened(g, 64))(tb)}
	m := mcpserver.NewMCPServer("bench-server", "1.0.0", mcpserver.WithInputSchemaValidation())
	m.AddTool(mcp.NewTool("add", mcp.WithInputSchema[addArgs](), mcp.WithOutputSchema[addResult]()),
		mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in addArgs) (addResult, error) {
			return addResult{in.A + in.B, in.Note}, nil
		}))
	ctx, err := mcpgoOpen(m, mcpserver.NewInProcessSession("s1", nil))
	if err != nil {
		tb.Fatal(err)
	}
	return map[string]server{"lean": sans(addLean), "by-hand": sans(addByHand), "sansmcp": sans(nil), "go-sdk": gp, "mcp-go": &mcpgoServerPeer{ctx: ctx, server: m}}
}

// TestTypedServers shows that all answers are equal.
func TestTypedServers(t *testing.T) {
	for name, s := range typedServers(t) {
		defer s.Close()
		resp, err := s.Dispatch([]byte(addCall))
		if err != nil {
			t.Fatal(name, err)
		}
		var answer struct {
			Result struct {
				StructuredContent json.RawMessage
				Content           []struct{ Text string }
			}
		}
		if err := json.Unmarshal(resp, &answer); err != nil || sorted(answer.Result.StructuredContent) != sorted([]byte(addWant)) ||
			answer.Result.Content[0].Text != string(answer.Result.StructuredContent) {
			t.Errorf("%s: %s, %v", name, resp, err)
		}
	}
}

// sorted returns an object with its members in the order of their names.
func sorted(raw []byte) string {
	var v map[string]any
	if json.Unmarshal(raw, &v) != nil {
		return "no object"
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// TestTypedCost allows a typed call at most 3 allocations more than the leanest one. The
// time is for BenchmarkTyped.
func TestTypedCost(t *testing.T) {
	servers := typedServers(t)
	allocs := map[string]float64{}
	for _, name := range []string{"lean", "sansmcp"} {
		allocs[name] = testing.AllocsPerRun(1000, func() {
			if _, err := servers[name].Dispatch([]byte(addCall)); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Logf("%v allocations", allocs)
	if allocs["sansmcp"] > allocs["lean"]+3 {
		t.Errorf("%v allocations", allocs)
	}
	for _, s := range servers {
		s.Close()
	}
}

// BenchmarkTyped measures one call of a typed tool, raw request in, raw response out.
func BenchmarkTyped(b *testing.B) {
	servers := typedServers(b)
	for _, name := range []string{"lean", "by-hand", "sansmcp", "go-sdk", "mcp-go"} {
		b.Run(name, func(b *testing.B) {
			msg := []byte(addCall)
			measure(b, func() error {
				_, err := servers[name].Dispatch(msg)
				return err
			})
		})
		servers[name].Close()
	}
}
