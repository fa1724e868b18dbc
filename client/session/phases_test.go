package session

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
)

// However a session ends, Options.Event hears of each phase once, in order, and the State is in the last one:
// nothing waits in it, and it has nothing due.
func TestPhasesAreTold(t *testing.T) {
	for name, tt := range map[string]struct {
		opt Options
		end func(p *peer, c *Client)
	}{
		"the server ends": {end: func(p *peer, _ *Client) { p.in <- news{err: io.EOF} }},
		"it fails":        {end: func(p *peer, _ *Client) { p.in <- news{err: errors.New("reset")} }},
		"gone for good":   {opt: Options{Reopen: -1}, end: func(p *peer, _ *Client) { p.in <- news{err: links.ErrSessionGone} }},
		"gone, and anew": {end: func(p *peer, _ *Client) {
			p.in <- news{err: links.ErrSessionGone}
			p.shake()
			p.in <- news{err: io.EOF}
		}},
		"closed":            {end: func(_ *peer, c *Client) { _ = c.Close(context.Background()) }},
		"closed in the end": {opt: Options{Grace: time.Minute}, end: func(p *peer, c *Client) { go p.skip(); _ = c.Close(context.Background()) }},
		"closed at once": {opt: Options{Grace: time.Minute}, end: func(_ *peer, c *Client) {
			over, end := context.WithCancel(context.Background())
			end()
			_ = c.Close(over)
		}},
		"it takes no more":   {opt: Options{SendTimeout: time.Second}, end: func(*peer, *Client) {}},
		"a Send that breaks": {end: func(p *peer, _ *Client) { p.skip(); p.in <- news{err: io.ErrClosedPipe} }},
	} {
		t.Run(name, func(t *testing.T) {
			var told []client.Event
			tt.opt.Event = func(_ *Client, ev client.Event) {
				if ev.Kind == lifecycle.PhaseChanged {
					told = append(told, ev)
				}
			}
			session(t, tt.opt, func(t *testing.T, p *peer, c *Client) {
				failed := ask(t.Context(), c)
				if name != "it takes no more" && name != "a Send that breaks" {
					p.hear("resources/read")
				}
				go tt.end(p, c)
				if within(t, failed) == nil {
					t.Error("the request did not fail")
				}
				within(t, c.Done())
				synctest.Wait()
				at := lifecycle.Uninitialized
				for _, ev := range told {
					begins := ev.From == lifecycle.Uninitialized && !at.Live() // a new session, which nothing tells
					if ev.From != at && !begins || ev.To == at {
						t.Errorf("it is told that %v became %v, after %v", ev.From, ev.To, at)
					}
					at = ev.To
				}
				status := c.State().Status()
				if status.Phase != at || status.Phase.Live() || status.Outbound != 0 || len(c.waiting) != 0 {
					t.Errorf("the State is %+v, told was %v last, %d wait", status, at, len(c.waiting))
				}
				if due, ok := c.State().NextDeadline(); ok {
					t.Error("due is", due)
				}
			})
		})
	}
}
