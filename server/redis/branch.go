package redis

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// on is a function of the scripts: it returns the name of the branch that the server is on, or nothing if a script may
// not know. The name is the beginning of master_replid, which changes when a replica replaces its master, and when a
// server starts.
const on = `
local function on()
	local info = redis.pcall('INFO', 'replication')
	return type(info) == 'string' and string.match(info, 'master_replid:(%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x)') or ''
end`

var branch = redis.NewScript(on + ` return on()`)

// Branch implements nethttp.Branches. It is 0 for a server that is not Redis and has no such name.
func (t *table) Branch(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	name, err := branch.Run(ctx, t.client, nil).Text()
	if err != nil {
		return 0, fmt.Errorf("redis: branch: %w", err)
	}
	n, _ := strconv.ParseUint(name, 16, 64) // '' is 0
	return n, nil
}

// PutOn implements nethttp.Branches.
func (t *table) PutOn(ctx context.Context, branch uint64, id string, data []byte, step uint64, keep time.Duration) error {
	return t.put(ctx, mark(branch), id, data, step, keep)
}

// DisownOn implements nethttp.Branches.
func (t *table) DisownOn(ctx context.Context, branch uint64, process, session string, n uint64) error {
	return t.disown(ctx, mark(branch), process, session, n)
}

// LeaveOn implements nethttp.Branches.
func (t *table) LeaveOn(ctx context.Context, branch uint64, process string) error {
	return t.leave(ctx, mark(branch), process)
}
