package remote_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A client of both eras reaches servers of either over HTTP, calls a tool that asks, and hears within a call.
func TestBothEras(t *testing.T) {
	for name, c := range map[string]struct {
		at   []protocol.Revision
		want protocol.Revision
	}{
		"a server with sessions":    {protocol.Revisions(), protocol.Revision20251125},
		"a server without sessions": {protocol.StatelessRevisions(), protocol.Revision20260728},
		"a server with both":        {protocol.AllRevisions(), protocol.Revision20260728},
	} {
		t.Run(name, func(t *testing.T) {
			h := &server.Handlers{}
			h.Tool(protocol.Tool{Name: "ask"}, func(_ context.Context, caller server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				_ = caller.Progress(protocol.ProgressParams{Progress: 1})
				q := protocol.Ask(p)
				who := q.Elicit("who", protocol.ElicitParams{Message: "who?", RequestedSchema: protocol.ElicitSchema{
					Properties: []protocol.Property{{Name: "name", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString}}},
				}})
				if err := q.Open("s"); err != nil {
					return nil, err
				}
				return protocol.TextResult("hello " + string(who.Content["name"])), nil
			})
			started, ended := make(chan struct{}), make(chan struct{})
			h.Tool(protocol.Tool{Name: "wait"}, func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				close(started)
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			})
			handler, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: c.at, StateKeys: [][]byte{[]byte(strings.Repeat("k", 32))}}, h, nethttp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer handler.Close()
			s := httptest.NewServer(handler)
			defer s.Close()
			tr, err := remote.New(s.URL, remote.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
			defer stop()
			cl, err := session.Connect(ctx, client.Config{
				Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.AllRevisions(), Serve: []string{protocol.MethodElicitationCreate},
			}, tr, session.Options{Serve: func(context.Context, *session.Client, client.Event) (protocol.Result, error) {
				return protocol.ElicitResult{Action: protocol.ActionAccept, Content: map[string]protocol.Raw{"name": `"Ann"`}}, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer cl.Close(ctx)
			if got := cl.State().Revision(); got != c.want {
				t.Errorf("%v", got)
			}
			progress := 0
			r, err := cl.CallTool(ctx, protocol.CallToolParams{Name: "ask"}, session.RequestOptions{OnProgress: func(protocol.ProgressParams) { progress++ }})
			if err != nil || r.Content[0].Text != `hello "Ann"` {
				t.Errorf("%+v %v", r, err)
			}
			call, cancel := context.WithCancel(ctx)
			go func() {
				<-started
				cancel()
			}()
			if _, err := cl.CallTool(call, protocol.CallToolParams{Name: "wait"}, session.RequestOptions{}); err == nil {
				t.Error("it was not cancelled")
			}
			select {
			case <-ended:
			case <-ctx.Done():
				t.Error("the function goes on")
			}
			tools, err := cl.Tools(ctx)
			if err != nil || len(tools) != 2 {
				t.Errorf("%v %v", tools, err)
			}
		})
	}
}
