package limits_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// statelessClient is a client of a server without sessions, whose answer to the probe has size bytes.
func statelessClient(t testing.TB, l lifecycle.Limits, size int) client.State {
	t.Helper()
	s, err := client.New(client.Config{
		Info: protocol.Implementation{Name: "c", Version: "1"}, Limits: l, Revisions: protocol.StatelessRevisions(), Roots: []protocol.Root{},
		Serve: []string{protocol.MethodElicitationCreate, protocol.MethodRootsList},
	}, t0)
	if err == nil {
		s, _, err = s.Connect(t0, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	const head, tail = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private","instructions":"`, `"}`
	s, _ = feed(s, `{"jsonrpc":"2.0","id":1,"result":`+head+strings.Repeat("i", max(size-len(head)-len(tail), 0))+tail+`}`)
	if s.Phase() != lifecycle.Ready {
		t.Fatal(s.Status())
	}
	return s
}

// roundBrims fill what a client keeps of a server without sessions.
var roundBrims = []brim{
	{"rounds", "", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := statelessClient(t, s.Limits, 0)
		asked := 0
		// ask answers a call with a question whose key has so many bytes, and a state of so many.
		ask := func(key, state int, questions bool) (out lifecycle.Output) {
			var err error
			if x, out, err = x.Request(t0, protocol.CallToolParams{Name: "a"}, client.RequestOptions{}); err != nil {
				t.Fatal(err)
			}
			asked++
			requests := ""
			if questions {
				requests = `"inputRequests":{"` + long(key, asked) + `":{"method":"roots/list","pad":"` + pad[:len(pad)/8] + `"}},`
			}
			x, out = feed(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required",%s"requestState":"%s","pad":%q}}`, ids(out)[0], requests, strings.Repeat("s", state), pad))
			return out
		}
		return func() any {
				for range min(s.Inbound, s.Outbound) {
					ask(s.Text, s.Schema, true)
				}
				return &x
			}, func(t *testing.T) {
				if n := x.Status().Inbound; n != min(s.Inbound, s.Outbound) {
					t.Errorf("%d questions are open", n)
				}
				for name, c := range map[string]struct{ key, state int }{"a longer key": {s.Text + 1, 1}, "a longer state": {9, s.Schema + 1}} {
					x = statelessClient(t, s.Limits, 0)
					out := ask(c.key, c.state, true)
					if last := out.Events[len(out.Events)-1]; last.Kind != lifecycle.RequestFailed || !errors.Is(last.Cause, &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse}) {
						t.Errorf("%s: %+v", name, out.Events)
					}
				}
			}
	}},
	{"verdict", "", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		var x client.State
		return func() any {
				x = statelessClient(t, s.Limits, s.Schema)
				return &x
			}, func(t *testing.T) {
				if n := len(x.Verdict()); n != s.Schema {
					t.Errorf("%d bytes", n)
				}
				if v := statelessClient(t, s.Limits, s.Schema+1).Verdict(); v != "" {
					t.Errorf("one byte more: %d bytes", len(v))
				}
			}
	}},
}
