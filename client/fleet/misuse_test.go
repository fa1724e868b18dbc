//go:build unix

package fleet_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Values that nobody should hand in are refused, and the Fleet goes on.
func TestMisuse(t *testing.T) {
	f := start(t, settings(), fleet.Options{
		Serve: func(_ context.Context, _ *fleet.Fleet, ev manager.Event) (protocol.Result, error) {
			switch ev.Link.Server {
			case "typed nil":
				return (*protocol.CreateMessageResult)(nil), nil
			case "wrong":
				return protocol.ElicitResult{Action: "no such"}, nil
			case "nil error":
				return nil, (*jsonrpc.Error)(nil)
			}
			return nil, nil
		},
	})
	ctx := t.Context()
	for range 2 {
		err := f.Set(ctx, []fleet.Definition{
			{Name: "nil", Options: opts(nil)},
			{Name: "nil pointer", Options: opts((*dial.Command)(nil))},
			{Name: "function", Options: opts(func() {})},
			{Name: "typed nil", Options: opts(command("good"))},
			{Name: "wrong", Options: opts(command("good"))},
			{Name: "nil error", Options: opts(command("good"))},
			{Name: "nothing", Options: opts(command("good"))},
		})
		wantErr(t, err, lifecycle.ErrConfig)
		if n := strings.Count(err.Error(), "want a Command or a URL"); n != 3 {
			t.Errorf("%d errors: %v", n, err)
		}
	}
	err := f.Set(ctx, []fleet.Definition{{Name: "one", Options: opts(nil)}, {Name: "one", Options: opts(nil)}})
	if want := `fleet: Definition.Name is "one": want each name once`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, name := range []string{"typed nil", "wrong", "nil error", "nothing"} {
		if text := mustCall(t, f, name, "ask"); !strings.Contains(text, "-32603") && !strings.Contains(text, "internal error") {
			t.Errorf("%s: %s", name, text)
		}
	}
	_, err = f.Server("nothing").Request(ctx, nil, fleet.RequestOptions{})
	wantErr(t, err, lifecycle.ErrParams)
	_, err = f.Server("nothing").Request(ctx, protocol.CallToolParams{}, fleet.RequestOptions{})
	wantErr(t, err, lifecycle.ErrParams)
	_, err = f.Server("nothing").List(ctx, "no/list", manager.Budget{})
	if err == nil {
		t.Error("no error")
	}
	if err := notify(ctx, f, "nothing", nil); err == nil {
		t.Error("no error")
	}
	if err := join(ctx, f, strings.Repeat("x", 5000), opts(command("good"))); err == nil {
		t.Error("no error")
	}
	mustCall(t, f, "nothing", "echo")
}
