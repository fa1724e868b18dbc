package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// offers is a Companion that has functions of its own.
type offers struct {
	h     *server.Handlers
	steps int
}

func (o *offers) Step(s server.State, _ time.Time, out server.Output) (server.State, server.Output, time.Time) {
	o.steps++
	return s, out, time.Time{}
}
func (o *offers) Commit()                    {}
func (o *offers) Handlers() *server.Handlers { return o.h }

// saying returns functions with tools of these names, which say theirs.
func saying(names ...string) *server.Handlers {
	h := new(server.Handlers)
	for _, name := range names {
		h.Tool(protocol.Tool{Name: name, InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("this is " + name), nil
		})
	}
	return h
}

// A session has the functions of its Companion, as they are before each message, and those of the Host
// where it has none. Functions that make no catalog offer nothing.
func TestFunctionsOfACompanion(t *testing.T) {
	o := &offers{h: saying("own")}
	// A turn alone may look at the Companion.
	p := meet(t.Context(), t, host.Options{Companion: func(server.Peer) server.Companion { return o }}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("of the Host"), nil
	})
	has := func(h *server.Handlers) {
		t.Helper()
		if err := p.host.Turn(func(s server.State, _ time.Time) (server.State, server.Output, error) {
			o.h = h
			return s, server.Output{}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	asks := func(id, method, params string) string {
		t.Helper()
		p.said.Reset()
		p.say(`{"jsonrpc":"2.0","id":"` + id + `","method":"` + method + `","params":` + params + `}`)
		p.hears(`"id":"` + id + `"`)
		return p.said.String()
	}
	if got := asks("1", "tools/list", "{}"); !strings.Contains(got, `"name":"own"`) || strings.Contains(got, `"name":"t"`) {
		t.Error(got)
	}
	if got := asks("2", "tools/call", `{"name":"own"}`); !strings.Contains(got, "this is own") {
		t.Error(got)
	}
	// Other functions of the Host are none of this session's, until it has none of its own.
	if err := p.host.Replace(saying("next")); err != nil {
		t.Error(err)
	}
	if got := asks("3", "tools/list", "{}"); !strings.Contains(got, `"name":"own"`) || strings.Contains(got, "next") {
		t.Error(got)
	}
	has(nil)
	if got := asks("4", "tools/call", `{"name":"next"}`); !strings.Contains(got, "this is next") {
		t.Error(got)
	}
	has(saying("twice", "twice"))
	if got := asks("5", "tools/list", "{}"); !strings.Contains(got, `"tools":[]`) {
		t.Error(got)
	}
	steps := 0
	count := func(s server.State, _ time.Time) (server.State, server.Output, error) {
		steps = o.steps
		return s, server.Output{}, nil
	}
	_ = p.host.Turn(count)
	before := steps
	if err := p.host.StepNow(); err != nil {
		t.Error(err)
	}
	_ = p.host.Turn(count)
	if steps != before+2 { // that of the turn which counted, and the one that was asked for
		t.Errorf("%d steps, want %d", steps, before+2)
	}
	if err := p.host.Replace(nil); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	close(p.in)
	if err := p.end(); err != nil {
		t.Error(err)
	}
	if err := p.host.StepNow(); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
}
