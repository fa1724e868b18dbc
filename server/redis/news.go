package redis

import (
	"context"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Subscribe implements watch.Source. The server confirms it later, to hear.
func (t *table) Subscribe(ctx context.Context, ids []string) error {
	return t.news.Subscribe(ctx, t.keys(ids)...)
}

// Unsubscribe implements watch.Source.
func (t *table) Unsubscribe(ctx context.Context, ids []string) error {
	return t.news.Unsubscribe(ctx, t.keys(ids)...)
}

// Steps implements watch.Source.
func (t *table) Steps(ctx context.Context, ids []string) ([]uint64, error) {
	heads := make([]*redis.StringCmd, len(ids))
	_, err := t.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, id := range ids {
			heads[i] = p.GetRange(ctx, t.key(id), 0, stepBytes-1)
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

func (t *table) keys(ids []string) []string {
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = t.key(id)
	}
	return keys
}

// hear takes what the server tells, until the Table is closed. The client subscribes again by itself where
// it lost its connection, and the server confirms that too.
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
