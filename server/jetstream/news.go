package jetstream

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// news is the watch.Source of a Table.
type news struct {
	t    *table
	up   chan nats.Status // the connection is open again
	done sync.WaitGroup

	subs map[string]*nats.Subscription
}

// begin has what was lost with a connection asked for once there is another one.
func (n *news) begin() {
	n.up = n.t.conn.StatusChanged(nats.CONNECTED)
	n.done.Go(func() {
		for range n.up {
			n.t.hub.Confirmed()
		}
	})
}

// end ends the subscriptions. Nobody calls other methods any more.
func (n *news) end() {
	n.t.conn.RemoveStatusListener(n.up)
	for _, sub := range n.subs {
		_ = sub.Unsubscribe() // it fails for a connection that is closed
	}
	n.done.Wait()
}

// Subscribe implements watch.Source.
func (n *news) Subscribe(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if n.subs[id] != nil {
			continue
		}
		sub, err := n.t.conn.Subscribe(n.t.root+"w."+id, n.told)
		if err != nil {
			return err
		}
		n.subs[id] = sub
	}
	if err := n.t.conn.FlushWithContext(ctx); err != nil {
		return err
	}
	n.t.hub.Confirmed(ids...)
	return nil
}

// told takes what the stream has stored: the headers of it.
func (n *news) told(m *nats.Msg) {
	step, _ := strconv.ParseUint(m.Header.Get(headerStep), 10, 64) // none is 0
	n.t.hub.News(strings.TrimPrefix(m.Subject, n.t.root+"w."), step)
}

// Unsubscribe implements watch.Source.
func (n *news) Unsubscribe(_ context.Context, ids []string) error {
	for _, id := range ids {
		if sub := n.subs[id]; sub != nil {
			_ = sub.Unsubscribe() // it fails for a connection that is closed
			delete(n.subs, id)
		}
	}
	return nil
}

// Steps implements watch.Source.
func (n *news) Steps(ctx context.Context, ids []string) ([]uint64, error) {
	steps := make([]uint64, 0, len(ids))
	for _, id := range ids {
		r, err := n.t.read(ctx, id)
		if err != nil {
			return steps, err
		}
		steps = append(steps, r.step)
	}
	return steps, nil
}
