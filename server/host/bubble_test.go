package host_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// After Serve nothing is left of a Host with a Work of its own, and after Close nothing of one that
// several share, also if it is closed while a function runs: a bubble ends only when no goroutine
// is left in it.
func TestNothingIsLeft(t *testing.T) {
	for name, shared := range map[string]bool{"its own": false, "shared": true} {
		for _, early := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var opt host.Options
					if shared {
						opt.Work = host.NewWork(host.WorkOptions{})
					}
					ran := 0
					h := new(server.Handlers)
					h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
						if ran++; early && shared {
							opt.Work.Close()
						}
						return protocol.TextResult("done"), nil
					})
					for range 2 { // a closed Work runs calls all the same
						cfg, err := host.Config(server.Config{Info: who}, h)
						if err != nil {
							t.Fatal(err)
						}
						s, err := server.New(cfg, time.Now())
						if err != nil {
							t.Fatal(err)
						}
						in := make(chan jsonrpc.Message)
						served := make(chan error, 1)
						go func() { served <- host.New(s, h, pipe.NewWriter(discard{}, 0, 0), opt).Serve(context.Background(), in) }()
						for _, line := range []string{
							`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
							`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
							`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`,
						} {
							in <- jsonrpc.DecodeString(line)
							synctest.Wait()
						}
						close(in)
						if err := <-served; err != nil {
							t.Error(err)
						}
					}
					if shared {
						opt.Work.Close()
						opt.Work.Close()
					}
					if ran != 2 {
						t.Errorf("the tool ran %d times", ran)
					}
				})
			})
		}
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
