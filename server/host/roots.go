package host

import (
	"context"
	"slices"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Roots returns the roots of the client. It asks the client once, and again after an announced
// change; not within a call, because several callers may wait for the answer. Errors: those of
// server.Roots, and the cause of ctx.
func (d *Host) Roots(ctx context.Context) ([]protocol.Root, error) {
	answer := make(chan rootsAnswer, 1)
	err := d.Turn(func(s server.State, now time.Time) (_ server.State, out server.Output, err error) {
		if d.roots, s, out, err = d.roots.Want(s, now, server.RequestOptions{}); err != nil {
			return s, out, err
		}
		if list, fresh := d.roots.List(); fresh {
			answer <- rootsAnswer{list: list}
		} else {
			d.waiting = append(d.waiting, answer)
		}
		return s, out, nil
	})
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		return a.list, a.err
	case <-ctx.Done():
		_ = d.Turn(func(s server.State, _ time.Time) (server.State, server.Output, error) { // the answer serves those who ask next
			d.waiting = slices.DeleteFunc(d.waiting, func(c chan<- rootsAnswer) bool { return c == answer })
			return s, server.Output{}, nil
		})
		return nil, context.Cause(ctx)
	case <-d.done:
		return nil, lifecycle.ErrGone
	}
}
