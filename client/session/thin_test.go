package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Exactly at a limit nothing is left out; one above it, the oldest until a quarter is free, the newest
// never, and changes of phase only if they are too many or too large without the newest.
func TestThinExactly(t *testing.T) {
	const unit = 257 // what an event with a method of one letter weighs
	for name, tt := range map[string]struct {
		many, most int
		adds       string // p: a change of phase, e: another event, each with a letter of body for a unit more
		kept       string
	}{
		"as many as there may be":                  {4, 99 * unit, "eeee", "0123"},
		"one more":                                 {4, 99 * unit, "eeeee", "234"},
		"one more, of eight":                       {8, 99 * unit, "eeeeeeeee", "345678"},
		"as many bytes as there may be":            {99, 4 * unit, "eeee", "0123"},
		"a unit more":                              {99, 4 * unit, "eeeee", "234"},
		"the newest is as large as all may be":     {99, 4 * unit, "eE", "1"},
		"phases are kept":                          {4, 99 * unit, "pepee", "024"},
		"as many phases":                           {3, 99 * unit, "ppp", "012"},
		"one phase more":                           {3, 99 * unit, "pppp", "23"},
		"phases of as many bytes, and the newest":  {99, 2 * unit, "ppp", "012"},
		"phases of more bytes than without newest": {99, 2 * unit, "pppp", "3"},
	} {
		e := newEvents(tt.many, tt.most, false)
		for i, c := range tt.adds {
			ev := client.Event{Kind: lifecycle.Ignored, Method: fmt.Sprint(i)}
			if c == 'p' {
				ev.Kind = lifecycle.PhaseChanged
			}
			if c == 'E' {
				ev.Body = jsonrpc.Raw(strings.Repeat("x", 3*unit))
			}
			e.add(ev)
		}
		got, bytes := "", 0
		for _, ev := range e.list {
			got += ev.Method
			bytes += weight(ev)
		}
		if got != tt.kept || e.bytes != bytes || e.left != len(tt.adds)-len(got) || e.seen != e.left || e.came != len(tt.adds) {
			t.Errorf("%s: %s with %d bytes of %d, left %d, seen %d; want %s", name, got, e.bytes, bytes, e.left, e.seen, tt.kept)
		}
	}
}
