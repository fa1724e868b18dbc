package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A mark is how an entry begins and how it ends, and its length in front: a record begins with the turn that made it, and
// what is appended ends in a checksum, so no other entry has the same ones.
const (
	markHead = 96
	markTail = 16
)

// ends are the parts of a mark.
type ends struct {
	size       int
	head, tail string
}

func (e ends) mark() string { return strconv.Itoa(e.size) + " " + e.head + e.tail }

// of is the inverse of mark; it returns the zero ends for what is none.
func of(mark string) ends {
	size, text, _ := strings.Cut(mark, " ")
	n, err := strconv.Atoi(size)
	if err != nil || len(text) != min(n, markHead)+min(n, markTail) {
		return ends{}
	}
	return ends{n, text[:min(n, markHead)], text[min(n, markHead):]}
}

// after returns the ends of an entry to which data was appended.
func (e ends) after(data []byte) ends {
	head := e.head + string(data[:min(len(data), markHead-len(e.head))])
	tail := e.tail + string(data[max(0, len(data)-markTail):])
	return ends{e.size + len(data), head, tail[max(0, len(tail)-markTail):]}
}

// since returns what KEYS[1] has behind its step and ARGV[3] bytes that begin with ARGV[1] and end in ARGV[2], and
// whether these are there; else all of it.
var since = redis.NewScript(`
local skip = 8 + ARGV[3]
if ARGV[3] ~= '0' and redis.call('GETRANGE', KEYS[1], 8, 7 + #ARGV[1]) == ARGV[1] and redis.call('GETRANGE', KEYS[1], skip - #ARGV[2], skip - 1) == ARGV[2] then
	return {1, redis.call('GETRANGE', KEYS[1], skip, -1)}
end
return {0, redis.call('GET', KEYS[1])}`)

// add appends ARGV[2] to KEYS[1] as step ARGV[4], whose bytes are ARGV[9], for ARGV[3] milliseconds, if it begins with step
// ARGV[1] and ARGV[6] and is ARGV[8] bytes after the step that end in ARGV[7]. ARGV[5] is the branch, as that of put. A
// server undoes nothing of a script that fails: so what is appended comes last. A server that is full refuses the first
// write of a script alone, by OOM, which passes.
var add = redis.NewScript(on + `
if ARGV[5] ~= '' and ARGV[5] ~= on() then return 2 end
if redis.call('GETRANGE', KEYS[1], 0, 7 + #ARGV[6]) ~= ARGV[1] .. ARGV[6] then return 0 end
if redis.call('GETRANGE', KEYS[1], 8 + ARGV[8] - #ARGV[7], -1) ~= ARGV[7] then return 0 end
local function refused(...)
	local got = redis.pcall(...)
	if type(got) == 'number' then return nil end
	if string.sub(got.err, 1, 3) == 'OOM' then return got end
	return 3
end
local no = refused('SETRANGE', KEYS[1], 0, ARGV[9])
if no then return no end
no = refused('PEXPIRE', KEYS[1], ARGV[3]) or refused('APPEND', KEYS[1], ARGV[2])
if no then redis.call('SETRANGE', KEYS[1], 0, ARGV[1]) return no end
redis.pcall('PUBLISH', KEYS[1], ARGV[4])
return 1`)

// GetSince implements nethttp.Changes.
func (t *table) GetSince(ctx context.Context, id, mark string) (data []byte, all bool, next string, err error) {
	have := of(mark)
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	got, err := since.Run(ctx, t.client, []string{t.key(id)}, have.head, have.tail, have.size).Slice()
	if err != nil {
		return nil, false, "", fmt.Errorf("redis: get: %w", err)
	}
	same, _ := got[0].(int64)
	text, ok := got[1].(string)
	switch {
	case !ok:
		return nil, false, "", nethttp.ErrNoSession
	case same == 1:
		data = []byte(text)
		return data, false, have.after(data).mark(), nil
	}
	if data, err = t.record(text); err != nil {
		return nil, false, "", err
	}
	return data, true, ends{}.after(data).mark(), nil
}

// Append implements nethttp.Changes. A user of the server who may not append stores whole records from then on.
func (t *table) Append(ctx context.Context, branch uint64, id, after string, data []byte, step uint64, keep time.Duration) (string, error) {
	on := ""
	if branch != 0 {
		on = mark(branch)
	}
	have := of(after)
	switch {
	case have.size == 0:
		return ends{}.after(data).mark(), t.put(ctx, on, id, data, step, keep)
	case t.whole.Load():
		return "", errors.ErrUnsupported
	case have.size+len(data) > t.opt.MaxRecord:
		return "", fmt.Errorf("redis: a record and changes of %d bytes: %w", have.size+len(data), lifecycle.ErrLimit)
	}
	stored, err := t.run(ctx, "append", nethttp.ErrStep, add, []string{t.key(id)},
		prefix(step-1), data, millis(keep), step, on, have.head, have.tail, have.size, prefix(step))
	switch {
	case err != nil:
		return "", err
	case stored == 3: // it has no right to do that, and the record is as it was
		t.whole.Store(true)
		return "", errors.ErrUnsupported
	}
	return have.after(data).mark(), nil
}
