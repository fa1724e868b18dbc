package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A Table with nethttp.Changes appends only to the entry that was read, and returns the changes
// after an entry.
func changes(t *testing.T, s Store) {
	a, ok := s.Table(t).(nethttp.Changes)
	if !ok {
		t.Skip("this store appends nothing")
	}
	b := s.Table(t).(nethttp.Changes)
	plain := s.Table(t)
	t.Run("entry", func(t *testing.T) { appended(t, a, b, plain) })
	t.Run("one of many", func(t *testing.T) { appendRace(t, []nethttp.Changes{a, b}, plain) })
	t.Run("size", func(t *testing.T) { appendSize(t, s.Largest, a, plain) })
	if s.Expires {
		t.Run("expiry", func(t *testing.T) { appendExpiry(t, a, b) })
	}
}

func wantSince(t *testing.T, c nethttp.Changes, id, mark, data string, all bool) (next string) {
	t.Helper()
	got, whole, next, err := c.GetSince(background(t), id, mark)
	if err != nil || string(got) != data || whole != all {
		t.Errorf("%q, all %v, %v, want %q, all %v", got, whole, err, data, all)
	}
	return next
}

// appended makes an entry, appends to it at two processes, and replaces it.
func appended(t *testing.T, a, b nethttp.Changes, plain nethttp.Table) {
	ctx, id := background(t), fresh()
	add := func(c nethttp.Changes, mark, data string, step uint64) string {
		t.Helper()
		next, err := c.Append(ctx, 0, id, mark, []byte(data), step, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	_, _, _, err := a.GetSince(ctx, id, "")
	wantErr(t, "GetSince of none", err, nethttp.ErrNoSession)
	one := add(a, "", "one", 1)
	if read := wantSince(t, b, id, "", "one", true); wantSince(t, b, id, read, "", false) != read {
		t.Error("the mark of an entry changes by itself")
	}
	wantSince(t, a, id, one, "", false)
	two := add(a, one, ", two", 2)
	for _, late := range []string{one, two} {
		_, err = b.Append(ctx, 0, id, late, []byte("too late"), 2, time.Minute)
		wantErr(t, "Append of step 2 again", err, nethttp.ErrStep)
	}
	three := add(b, wantSince(t, b, id, one, ", two", false), ", three", 3)
	wantSince(t, a, id, two, ", three", false)
	wantSince(t, a, id, one, ", two, three", false)
	want(t, plain, id, []byte("one, two, three"))
	_, err = a.Append(ctx, 0, id, two, []byte("too late"), 4, time.Minute)
	wantErr(t, "Append to an entry of before", err, nethttp.ErrStep)
	wantErr(t, "Put of step 3 again", plain.Put(ctx, id, nil, 3, time.Minute), nethttp.ErrStep)

	other := add(a, "", "another, that is longer than what was there before", 4)
	want(t, plain, id, []byte("another, that is longer than what was there before"))
	wantSince(t, b, id, three, "another, that is longer than what was there before", true)
	_, err = b.Append(ctx, 0, id, three, []byte("too late"), 5, time.Minute)
	wantErr(t, "Append to an entry that was replaced", err, nethttp.ErrStep)
	wantSince(t, b, id, add(a, other, "!", 5), "", false)
	must(t, plain.Delete(ctx, id))
	_, _, _, err = a.GetSince(ctx, id, other)
	wantErr(t, "GetSince after Delete", err, nethttp.ErrNoSession)
	_, err = a.Append(ctx, 0, id, other, []byte("x"), 5, time.Minute)
	wantErr(t, "Append after Delete", err, nethttp.ErrStep)
}

// appendRace appends concurrently: one change for each step is stored, and each reader gets the same entry.
func appendRace(t *testing.T, tabs []nethttp.Changes, plain nethttp.Table) {
	ctx, id := background(t), fresh()
	must(t, plain.Put(ctx, id, []byte("begin"), 1, time.Minute))
	have, mark := []byte{}, ""
	for step := uint64(2); step <= 15; step++ {
		var wg sync.WaitGroup
		var stored atomic.Int32
		for i := range 6 {
			wg.Go(func() {
				c := tabs[i%len(tabs)]
				_, _, at, err := c.GetSince(ctx, id, "")
				if err == nil {
					_, err = c.Append(ctx, 0, id, at, fmt.Appendf(nil, ", %d by %d", step, i), step, time.Minute)
				}
				if err == nil {
					stored.Add(1)
				} else if !errors.Is(err, nethttp.ErrStep) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		data, all, next, err := tabs[step%2].GetSince(ctx, id, mark)
		must(t, err)
		if all {
			have = nil
		}
		have, mark = append(have, data...), next
		entry, err := plain.Get(ctx, id)
		if must(t, err); !bytes.Equal(have, entry) || stored.Load() != 1 {
			t.Fatalf("step %d was stored %d times, and is %q, want %q", step, stored.Load(), have, entry)
		}
	}
}

// appendSize appends until the entry is too long.
func appendSize(t *testing.T, most int, c nethttp.Changes, plain nethttp.Table) {
	if most == 0 {
		t.Skip("a record may have any length")
	}
	ctx, id, part := background(t), fresh(), bytes.Repeat([]byte("0123456789abcdef"), most/64)
	mark, err := c.Append(ctx, 0, id, "", part, 1, time.Minute)
	must(t, err)
	entry := bytes.Clone(part)
	for step := uint64(2); ; step++ {
		next, err := c.Append(ctx, 0, id, mark, part, step, time.Minute)
		if errors.Is(err, lifecycle.ErrLimit) && len(entry)+len(part) > most {
			break
		}
		must(t, err)
		entry, mark = append(entry, part...), next
	}
	want(t, plain, id, entry)
}

// appendExpiry keeps an entry alive while something is appended to it, and not much longer.
func appendExpiry(t *testing.T, a, b nethttp.Changes) {
	const keep = 2 * time.Second
	ctx, id := background(t), fresh()
	mark, err := a.Append(ctx, 0, id, "", []byte("begin"), 1, keep)
	must(t, err)
	step, whole := uint64(1), 0
	for begin := time.Now(); time.Since(begin) < 3*keep; time.Sleep(keep / 8) {
		step++
		_, _, at, err := a.GetSince(ctx, id, mark)
		must(t, err)
		if mark, err = a.Append(ctx, 0, id, at, []byte("."), step, keep); errors.Is(err, lifecycle.ErrLimit) {
			whole++
			mark, err = a.Append(ctx, 0, id, "", []byte("begin"), step, keep)
		}
		must(t, err)
	}
	if uint64(whole) > step/3 {
		t.Errorf("%d of %d were put as a whole", whole, step)
	}
	for began := time.Now(); ; time.Sleep(keep / 8) {
		data, _, _, err := b.GetSince(context.Background(), id, "")
		if errors.Is(err, nethttp.ErrNoSession) {
			return
		}
		if must(t, err); time.Since(began) > patience || !bytes.HasPrefix(data, []byte("begin")) {
			t.Fatalf("%q after %v", data, time.Since(began))
		}
	}
}
