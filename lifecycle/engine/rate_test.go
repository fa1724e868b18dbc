package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// A rate that is used up is used up after a restore too, for as long, whatever the rate: be
// it so slow that its instants reach the end of time.
func TestRestoreRate(t *testing.T) {
	for _, r := range []lifecycle.Rate{
		{PerSecond: 1}, {PerSecond: 10, Burst: 7}, {PerSecond: 1e9, Burst: 3}, {PerSecond: 1e-9, Burst: 2}, {PerSecond: 1e-12, Burst: 4}, {PerSecond: 1e-12, Burst: 5},
		{PerSecond: 1e-12, Burst: 1 << 30}, {PerSecond: 1e-300, Burst: 9},
	} {
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			env := toolServer()
			env.Limits.Requests, env.Timeouts.Inbound = r, lifecycle.NoTimeout
			c := ready(env, protocol.Revision20250618)
			asks := 0
			ask := func() (refused bool) {
				var o lifecycle.Output
				asks++
				m := jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t"}}`, asks))
				c.Receive(&m, new(engine.Intake), &o)
				return len(o.Send) == 1 && strings.Contains(sent(&o), "too many requests")
			}
			for full := false; asks < 20 && !full; {
				full = ask()
			}
			if asks == 20 || asks == 1 {
				t.Fatalf("%d pass at one instant", asks-1)
			}
			d, err := restored(&c, env)
			if err != nil || string(d.Snapshot().Dst) != string(c.Snapshot().Dst) || !strings.Contains(string(d.Snapshot().Dst), `"requestRate":`) {
				t.Fatalf("%v\n%s\nwant\n%s", err, d.Snapshot().Dst, c.Snapshot().Dst)
			}
			c = d
			if !ask() {
				t.Error("after a restore one more passes at once")
			}
			if r.PerSecond < 1 {
				return // no clock goes that far
			}
			c.Clock(origin.Add(time.Duration(1e9 / r.PerSecond)))
			if ask() || !ask() {
				t.Error("at its pace not one more passes")
			}
		})
	}
}
