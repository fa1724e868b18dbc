package registry_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/registry"
)

// C26, C30: groups are switched while a session runs over server/host: the client hears of it, a
// running function is told why it is to stop, a slow one that its time is over, and other tools
// answer at once.
func TestOverHost(t *testing.T) {
	causes := make(chan error, 2)
	waits := func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return protocol.TextResult("too late"), nil
	}
	slow := must(t, registry.Definition{Name: "slow", Tools: []registry.Tool{
		{Tool: protocol.Tool{Name: "wait"}, Func: waits}, {Tool: protocol.Tool{Name: "brief"}, Func: waits, Timeout: 20 * time.Millisecond},
	}})
	reg := from(t, slow, group(t, "g", "x"))
	var view atomic.Pointer[registry.View]
	view.Store(reg.View())
	cfg := reg.View().Config(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, ChangeDelay: -1})
	s, err := server.New(cfg, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	out := new(await.Buffer)
	hears := func(want string) {
		t.Helper()
		await.Eventually(t, "nothing has "+want, func() bool { return strings.Contains(out.String(), want) })
	}
	h := host.New(s, reg.View().Handlers(), pipe.NewWriter(out, 0, 0), host.Options{
		Companion: func(server.Peer) server.Companion { return registry.Follow(view.Load) },
	})
	in, served := make(chan jsonrpc.Message), make(chan error, 1)
	go func() { served <- h.Serve(context.Background(), in) }()
	for _, m := range append(handshake(), calls(2, "brief"), calls(3, "wait"), calls(4, "x")) {
		in <- m
	}
	hears(`"id":4,"result":{"content":[{"type":"text","text":"g.x"}]}`)
	hears(`"id":2,"result":{"content":[{"type":"text","text":"the tool timed out after 20ms; it may have had effects"}],"isError":true}`)
	if err := <-causes; !errors.Is(err, registry.ErrTimeout) {
		t.Error(err)
	}
	reg, _, _ = reg.SetEnabled("slow", false)
	reg, _, _ = reg.Register(group(t, "g", "x", "y"))
	view.Store(reg.View())
	if err := h.StepNow(); err != nil {
		t.Fatal(err)
	}
	hears(`"method":"notifications/tools/list_changed"`)
	hears(`"id":3,"result":{"content":[{"type":"text","text":"removed while the request ran; list again"}],"isError":true}`)
	if err := <-causes; !errors.Is(err, registry.ErrRemoved) {
		t.Error(err)
	}
	in <- calls(5, "y")
	in <- calls(6, "wait")
	hears(`"text":"g.y"`)
	hears(`"id":6,"error":{"code":-32602`)
	close(in)
	if err := <-served; err != nil {
		t.Error(err)
	}
	if strings.Contains(out.String(), "too late") || strings.Count(out.String(), "list_changed") != 1 {
		t.Error(out.String())
	}
}
