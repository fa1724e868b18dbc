package nethttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc64"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/server/internal/delta"
	"github.com/sansmcp/mcp/server/nethttp"
)

// journal is a nethttp.Changes on any Table: a mark is the length of an entry and a checksum of it.
type journal struct {
	t nethttp.Table
	b nethttp.Branches

	whole                                 bool // it appends nothing
	wrong                                 bool // what follows a mark is of another record
	appends, read, put, appended, longest atomic.Int64
}

// journaled returns a Table on t that has Changes too.
func journaled(t nethttp.Table) (nethttp.Table, *journal) {
	j := &journal{t: t}
	j.b, _ = t.(nethttp.Branches)
	c, _ := t.(nethttp.Cluster)
	switch {
	case j.b != nil:
		return struct {
			nethttp.Table
			nethttp.Cluster
			nethttp.Branches
			nethttp.Changes
		}{t, c, j.b, j}, j
	case c != nil:
		return struct {
			nethttp.Table
			nethttp.Cluster
			nethttp.Changes
		}{t, c, j}, j
	}
	return struct {
		nethttp.Table
		nethttp.Changes
	}{t, j}, j
}

// record returns the record of an entry.
func record(entry string) string {
	data, _, _ := delta.Read([]byte(entry), len(entry)*100)
	return string(data)
}

func entryMark(entry []byte) string {
	return fmt.Sprintf("%d %x", len(entry), crc64.Checksum(entry, crc64.MakeTable(crc64.ECMA)))
}

func (j *journal) GetSince(ctx context.Context, id, mark string) (data []byte, all bool, next string, err error) {
	if data, err = j.t.Get(ctx, id); err != nil {
		return nil, false, "", err
	}
	next = entryMark(data)
	if j.wrong && mark != "" {
		return delta.Change(nil, bytes.Repeat([]byte("x"), 100), bytes.Repeat([]byte("x"), 101)), false, next, nil
	}
	var n int
	if _, err := fmt.Sscan(mark, &n); err != nil || n > len(data) || entryMark(data[:n]) != mark {
		n = 0
	}
	j.read.Add(int64(len(data) - n))
	return data[n:], n == 0, next, nil
}

func (j *journal) Append(ctx context.Context, branch uint64, id, mark string, data []byte, step uint64, keep time.Duration) (string, error) {
	entry := data
	if mark != "" {
		now, err := j.t.Get(ctx, id)
		switch {
		case j.whole:
			return "", errors.ErrUnsupported
		case err != nil && !errors.Is(err, nethttp.ErrNoSession):
			return "", err
		case err != nil, entryMark(now) != mark:
			return "", nethttp.ErrStep
		}
		entry = append(now[:len(now):len(now)], data...)
	}
	var err error
	if branch != 0 {
		err = j.b.PutOn(ctx, branch, id, entry, step, keep)
	} else {
		err = j.t.Put(ctx, id, entry, step, keep)
	}
	if err == nil && mark != "" {
		j.appends.Add(1)
		j.appended.Add(int64(len(data)))
	} else if err == nil {
		j.put.Add(int64(len(data)))
	}
	j.longest.Store(max(j.longest.Load(), int64(len(entry))))
	return strings.Clone(entryMark(entry)), err
}
