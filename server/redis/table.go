package redis

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/internal/watch"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Options are the settings of a Table. A zero field means its default.
type Options struct {
	// Prefix begins the keys and channels of the Table. All processes that share sessions have the same one, and no
	// other program on the server has it. Default "mcp:".
	Prefix string
	// MaxRecord is how many bytes a record may have; a Put beyond fails before anything is stored. Default 8 MiB.
	MaxRecord int
	// Timeout bounds each request to the server. Default 2 s.
	Timeout time.Duration
}

// The defaults of Options.
const (
	defaultPrefix    = "mcp:"
	defaultMaxRecord = 8 << 20
	defaultTimeout   = 2 * time.Second
)

// poll is how often the steps of sessions that are waited for are read again.
const poll = 2 * time.Second

func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Count("MaxRecord", &o.MaxRecord, defaultMaxRecord)
	f.Time("Timeout", &o.Timeout, defaultTimeout, lifecycle.NeverNone)
	if o.Prefix == "" {
		o.Prefix = defaultPrefix
	}
	return o, f.Err("redis")
}

// Table is a nethttp.Table on a Redis server, with all that one may do beside. Its methods are called from many
// goroutines. Close ends it, and leaves the client open.
type Table interface {
	nethttp.Table
	nethttp.Cluster
	nethttp.Branches
	nethttp.Changes
	io.Closer
}

type table struct {
	client *redis.Client
	opt    Options
	news   *redis.PubSub
	hub    *watch.Hub
	heard  chan struct{} // closed when no more news come
	whole  atomic.Bool   // the user may not append
}

// New returns a Table on the server of a client, which need not have connected yet. The client must
// not make a command again by itself: New returns an error unless MaxRetries and ContextTimeoutEnabled
// are as Dial sets them.
func New(client *redis.Client, opt Options) (Table, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if client == nil {
		return nil, errors.New("redis: the client is nil: want one of Dial")
	}
	switch have := client.Options(); {
	case have.MaxRetries != 0:
		return nil, fmt.Errorf("redis: MaxRetries of the client is %d: want -1, for what is stored twice is stored by another turn", have.MaxRetries)
	case !have.ContextTimeoutEnabled:
		return nil, errors.New("redis: ContextTimeoutEnabled of the client is false: want true, or a server that is silent holds requests up")
	}
	t := &table{client: client, opt: opt, news: client.Subscribe(context.Background()), heard: make(chan struct{})}
	t.hub = watch.New(t, poll)
	go t.hear()
	return t, nil
}

// Close ends the Table.
func (t *table) Close() error {
	err := t.news.Close()
	t.hub.Close()
	<-t.heard
	return err
}

// key is that of a session, and the name of its channel. The braces keep all that a session has in one slot.
func (t *table) key(id string) string { return t.opt.Prefix + "{" + id + "}" }

// stepBytes is how long a step is, which stands in front of the record.
const stepBytes = 8

// prefix is how a step is stored; 0, which is no record, as nothing.
func prefix(step uint64) []byte {
	if step == 0 {
		return nil
	}
	return binary.BigEndian.AppendUint64(nil, step)
}

// stepOf is the inverse of prefix.
func stepOf(row string) uint64 {
	if len(row) < stepBytes {
		return 0
	}
	return binary.BigEndian.Uint64([]byte(row[:stepBytes]))
}

// put sets KEYS[1] to ARGV[2] for ARGV[3] milliseconds if it begins with ARGV[1] and the server is on branch ARGV[5],
// which is empty for any, and tells of step ARGV[4]. A program that may not publish stores nevertheless: who waits asks by
// itself.
var put = redis.NewScript(on + `
if ARGV[5] ~= '' and ARGV[5] ~= on() then return 2 end
if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.pcall('PUBLISH', KEYS[1], ARGV[4])
return 1`)

// errEmpty says that an id is empty.
var errEmpty = errors.New("redis: the id of the session is empty")

// Get implements nethttp.Table.
func (t *table) Get(ctx context.Context, id string) ([]byte, error) {
	data, _, _, err := t.GetSince(ctx, id, "")
	return data, err
}

// record returns what a row has behind its step.
func (t *table) record(row string) ([]byte, error) {
	if len(row) < stepBytes {
		return nil, fmt.Errorf("redis: a record of %d bytes at %q: want at least %d; is another program using the prefix?", len(row), t.opt.Prefix, stepBytes)
	}
	return []byte(row[stepBytes:]), nil
}

// Put implements nethttp.Table. Any error but nethttp.ErrStep and those of an id or a size leaves
// unknown whether the record was stored.
func (t *table) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	return t.put(ctx, "", id, data, step, keep)
}

// put is Put on a branch, which is "" for any.
func (t *table) put(ctx context.Context, branch, id string, data []byte, step uint64, keep time.Duration) error {
	switch {
	case id == "":
		return errEmpty
	case len(data) > t.opt.MaxRecord:
		return fmt.Errorf("redis: a record of %d bytes: want at most MaxRecord, %d; bound what a session keeps by nethttp.Options.Streams: %w", len(data), t.opt.MaxRecord, lifecycle.ErrLimit)
	}
	row := append(append(make([]byte, 0, stepBytes+len(data)), prefix(step)...), data...)
	_, err := t.run(ctx, "put", nethttp.ErrStep, put, []string{t.key(id)}, prefix(step-1), row, millis(keep), step, branch)
	return err
}

// Delete implements nethttp.Table.
func (t *table) Delete(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	if err := t.client.Del(ctx, t.key(id)).Err(); err != nil {
		return fmt.Errorf("redis: delete: %w", err)
	}
	_ = t.client.Publish(ctx, t.key(id), 0).Err() // who waits asks by itself
	return nil
}

// Wait implements nethttp.Table.
func (t *table) Wait(ctx context.Context, id string, step uint64) error {
	return t.hub.Wait(ctx, id, step)
}
