package streams_test

import (
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/streams"
)

// A session that ends in the step of a POST ends the stream of that POST with the others, even where the Output does
// not say that its call has ended.
func TestPostThatEndsTheSession(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	m := decode(callText(2, "wait"))
	s, out := d.h.Receive(d.s, d.now, m)
	out.Close = &lifecycle.Cause{Kind: lifecycle.CauseLost}
	x, _, reply, _ := d.x.Post(s, d.now, m, out)
	if err := x.Check(); err != nil {
		t.Fatal(err)
	}
	if _, end := x.Read(reply.Conn, 0); end != streams.Ended {
		t.Errorf("the stream is %v", end)
	}
}
