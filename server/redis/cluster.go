package redis

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sansmcp/mcp/server/nethttp"
)

// Times are milliseconds of the server's clock. Marks are texts of the same length, because numbers of Lua have 53
// bits.
const now = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) `

var (
	// join makes the lease of ARGV[1] end in ARGV[2] milliseconds.
	join = redis.NewScript(now + `redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) return 1`)
	// renew is join for a lease that has not ended.
	renew = redis.NewScript(now + `
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or tonumber(ends) <= now then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return 1`)
	// expire ends the lease of ARGV[1].
	expire = redis.NewScript(`redis.call('ZADD', KEYS[1], 'XX', 0, ARGV[1]) return 1`)
	// own notes session ARGV[2] with mark ARGV[3] in KEYS[2], if the lease of ARGV[1] has not ended.
	own = redis.NewScript(now + `
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or tonumber(ends) <= now then return 0 end
local mark = redis.call('HGET', KEYS[2], ARGV[2])
if not mark or mark < ARGV[3] then redis.call('HSET', KEYS[2], ARGV[2], ARGV[3]) end
return 1`)
	// disown removes it, unless it has a higher mark.
	disown = redis.NewScript(on + `
if ARGV[3] ~= '' and ARGV[3] ~= on() then return 2 end
local mark = redis.call('HGET', KEYS[1], ARGV[1])
if mark and mark <= ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1`)
	// leave removes process ARGV[1], its notes, its claim and its lease.
	leave = redis.NewScript(on + `
if ARGV[2] ~= '' and ARGV[2] ~= on() then return 2 end
redis.call('DEL', KEYS[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1`)
	// lost returns at most ARGV[3] processes whose lease has ended, each claimed in KEYS[2] for ARGV[1] and ARGV[2]
	// milliseconds.
	lost = redis.NewScript(now + `
local list = {}
for _, process in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
	local claim, ends, by = redis.call('HGET', KEYS[2], process)
	if claim then ends, by = string.match(claim, '^(%d+) (.*)$') end
	if not claim or by == ARGV[1] or tonumber(ends) <= now then
		redis.call('HSET', KEYS[2], process, string.format('%.0f %s', now + ARGV[2], ARGV[1]))
		list[#list + 1] = process
		if #list == tonumber(ARGV[3]) then break end
	end
end
return list`)
)

// scanned is how many sessions Owned requests at a time, told how many processes Lost returns.
const (
	scanned = 500
	told    = 16
)

func (t *table) leases() string              { return t.opt.Prefix + "leases" }
func (t *table) owned(process string) string { return t.opt.Prefix + "of:{" + process + "}" }
func (t *table) claims() string              { return t.opt.Prefix + "claims" }

func mark(n uint64) string { return fmt.Sprintf("%016x", n) }

func millis(d time.Duration) int64 { return max(1, d.Milliseconds()) }

// run runs a script and returns its result. If that is 0 the error is refused, if it is 2, which means that the server is
// on another branch, it is nethttp.ErrBranch.
func (t *table) run(ctx context.Context, what string, refused error, s *redis.Script, keys []string, args ...any) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	n, err = s.Run(ctx, t.client, keys, args...).Int()
	switch {
	case err != nil:
		err = fmt.Errorf("redis: %s: %w", what, err)
	case n == 0:
		err = refused
	case n == 2:
		err = nethttp.ErrBranch
	}
	return n, err
}

// Join implements nethttp.Cluster.
func (t *table) Join(ctx context.Context, process string, lease time.Duration) error {
	_, err := t.run(ctx, "join", nil, join, []string{t.leases()}, process, millis(lease))
	return err
}

// Renew implements nethttp.Cluster.
func (t *table) Renew(ctx context.Context, process string, lease time.Duration) error {
	_, err := t.run(ctx, "renew", nethttp.ErrLease, renew, []string{t.leases()}, process, millis(lease))
	return err
}

// Expire implements nethttp.Cluster.
func (t *table) Expire(ctx context.Context, process string) error {
	_, err := t.run(ctx, "expire", nil, expire, []string{t.leases()}, process)
	return err
}

// Own implements nethttp.Cluster.
func (t *table) Own(ctx context.Context, process, session string, n uint64) error {
	_, err := t.run(ctx, "own", nethttp.ErrLease, own, []string{t.leases(), t.owned(process)}, process, session, mark(n))
	return err
}

// Disown implements nethttp.Cluster.
func (t *table) Disown(ctx context.Context, process, session string, n uint64) error {
	return t.disown(ctx, "", process, session, n)
}

// disown is Disown on a branch, which is "" for any.
func (t *table) disown(ctx context.Context, branch, process, session string, n uint64) error {
	_, err := t.run(ctx, "disown", nil, disown, []string{t.owned(process)}, session, mark(n), branch)
	return err
}

// Owned implements nethttp.Cluster.
func (t *table) Owned(ctx context.Context, process, cursor string) (sessions []string, next string, err error) {
	var at uint64
	if cursor != "" {
		if at, err = strconv.ParseUint(cursor, 10, 64); err != nil {
			return nil, "", fmt.Errorf("redis: invalid cursor: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	pairs, at, err := t.client.HScan(ctx, t.owned(process), at, "", scanned).Result()
	if err != nil {
		return nil, "", fmt.Errorf("redis: owned: %w", err)
	}
	for i := 0; i < len(pairs); i += 2 { // the others are marks
		sessions = append(sessions, pairs[i])
	}
	if at > 0 {
		next = strconv.FormatUint(at, 10)
	}
	return sessions, next, nil
}

// Lost implements nethttp.Cluster.
func (t *table) Lost(ctx context.Context, by string, claim time.Duration) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	list, err := lost.Run(ctx, t.client, []string{t.leases(), t.claims()}, by, millis(claim), told).StringSlice()
	if err != nil {
		return nil, fmt.Errorf("redis: lost: %w", err)
	}
	return list, nil
}

// Leave implements nethttp.Cluster.
func (t *table) Leave(ctx context.Context, process string) error { return t.leave(ctx, "", process) }

// leave is Leave on a branch, which is "" for any.
func (t *table) leave(ctx context.Context, branch, process string) error {
	_, err := t.run(ctx, "leave", nil, leave, []string{t.owned(process), t.claims(), t.leases()}, process, branch)
	return err
}
