package redis

import (
	"context"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// source is the watch.Source of a Table.
type source struct{ t *table }

// Subscribe implements watch.Source. hear gets the confirmation of the server later.
func (s source) Subscribe(ctx context.Context, ids []string) error {
	return s.t.news.Subscribe(ctx, s.keys(ids)...)
}

// Unsubscribe implements watch.Source.
func (s source) Unsubscribe(ctx context.Context, ids []string) error {
	return s.t.news.Unsubscribe(ctx, s.keys(ids)...)
}

// Steps implements watch.Source.
func (s source) Steps(ctx context.Context, ids []string) ([]uint64, error) {
	heads := make([]*redis.StringCmd, len(ids))
	_, err := s.t.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, id := range ids {
			heads[i] = p.GetRange(ctx, s.t.key(id), 0, stepBytes-1)
		}
		return nil
	})
	steps := make([]uint64, 0, len(ids))
	for _, head := range heads {
		if err != nil && head.Err() != nil {
			break
		}
		steps = append(steps, stepOf(head.Val()))
	}
	return steps, err
}

func (s source) keys(ids []string) []string {
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = s.t.key(id)
	}
	return keys
}

// hear handles the messages of the server, until the Table is closed. The client subscribes again by
// itself after it has lost its connection, and the server confirms that too.
func (t *table) hear() {
	defer close(t.heard)
	id := func(channel string) string {
		return strings.TrimSuffix(strings.TrimPrefix(channel, t.opt.Prefix+"{"), "}")
	}
	for m := range t.news.ChannelWithSubscriptions(redis.WithChannelSize(1000)) {
		switch m := m.(type) {
		case *redis.Subscription:
			if m.Kind == "subscribe" {
				t.hub.Confirmed(id(m.Channel))
			}
		case *redis.Message:
			if step, err := strconv.ParseUint(m.Payload, 10, 64); err == nil {
				t.hub.News(id(m.Channel), step)
			}
		}
	}
}
