package nethttp_test

import (
	"context"
	"testing"

	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// A client that takes JSON alone gets its answer, however much else is sent within the call: that is
// not kept for it.
func TestWholeAnswersAfterMuch(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{Streams: streams.Options{MaxBytes: 30_000}})
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		p := open(t, s.URL, version)
		for range 3 {
			p.do(p.request(context.Background(), "POST", p.callText("big", `{}`), set("Accept", "application/json"))).want(200, `"result"`)
		}
	}
}
