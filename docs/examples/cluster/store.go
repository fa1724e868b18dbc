package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/server/jetstream"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/redis"
)

// memory is the store of a single process.
const memory = "memory"

// open returns the table of a store and the function that closes it; a nil table for memory.
func open(ctx context.Context, url string, replicas int) (nethttp.Table, func(), error) {
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case memory:
		return nil, func() {}, nil
	case "redis", "rediss", "unix":
		return openRedis(url)
	case "nats", "tls":
		return openNATS(ctx, url, replicas)
	default:
		return nil, nil, fmt.Errorf("-store is of %q: want memory, redis://… or nats://…", scheme) // no more of it: there may be a password
	}
}

func openRedis(url string) (nethttp.Table, func(), error) {
	client, err := redis.Dial(url)
	if err != nil {
		return nil, nil, err
	}
	table, err := redis.New(client, redis.Options{})
	if err != nil {
		return nil, nil, err
	}
	return table, func() {
		_ = table.Close()
		_ = client.Close()
	}, nil
}

// patience is how long a NATS cluster may take to start.
const patience = time.Minute

func openNATS(ctx context.Context, urls string, replicas int) (nethttp.Table, func(), error) {
	conn, err := jetstream.Dial(urls)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		table, err := jetstream.New(ctx, conn, jetstream.Options{Replicas: replicas})
		if err == nil {
			return table, func() {
				_ = table.Close()
				conn.Close()
			}, nil
		}
		select {
		case <-ctx.Done():
			conn.Close()
			return nil, nil, err
		case <-time.After(time.Second): // its servers elect a leader
		}
	}
}
