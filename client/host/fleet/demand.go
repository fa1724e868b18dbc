package fleet

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// wake opens a server of manager.Options.OnDemand that is not ready, and waits until it is. What
// cannot be opened now is left to fail by what it is wanted for. Errors: why it is not ready, the
// cause of ctx, ErrClosed.
func (f *Fleet) wake(ctx context.Context, server string) error {
	f.mu.Lock()
	opt, _ := f.m.Options(server)
	s, _ := f.m.Status(server)
	if !opt.OnDemand || s.Condition == manager.Ready || f.ending {
		f.mu.Unlock()
		return nil
	}
	w := new(waiter)
	err := f.start(w, func(now time.Time) (manager.Manager, manager.Effects, error) { return f.m.Open(now, server) })
	f.mu.Unlock()
	if err != nil {
		return nil
	}
	_, err = f.outlive(ctx, w) // others may wait for it too
	return err
}
