package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Store is a store for Tables.
type Store struct {
	// Table returns a Table as for another process. The test closes it.
	Table func(t *testing.T) nethttp.Table
	// Expires reports whether the store drops expired entries.
	Expires bool
	// Largest is the size limit of a record in bytes, 0 for none.
	Largest int
	// Stop stops the store, and Start starts it with its data. They are nil if it cannot be stopped.
	Stop, Start func(t *testing.T)
}

// patience is how long anything may take to happen.
const patience = 20 * time.Second

// Test tests everything that a nethttp.Table promises.
func Test(t *testing.T, s Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Store)
	}{
		{"entries", entries},
		{"one of many Puts", race},
		{"a chain of Puts", chain},
		{"ids", ids},
		{"expiry", expiry},
		{"size", size},
		{"wake", wake},
		{"contexts", contexts},
		{"changes", changes},
		{"cluster", cluster},
		{"away", away},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, s) })
	}
}

func fresh() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	b := make([]byte, 26)
	for i := range b {
		b[i] = letters[rand.IntN(len(letters))]
	}
	return string(b)
}

func background(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func want(t *testing.T, tab nethttp.Table, id string, data []byte) {
	t.Helper()
	got, err := tab.Get(background(t), id)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v, want %d", len(got), err, len(data))
	}
}

// An entry is made, replaced and removed, and each process sees what the other has stored.
func entries(t *testing.T, s Store) {
	a, b, id, ctx := s.Table(t), s.Table(t), fresh(), background(t)
	_, err := a.Get(ctx, id)
	wantErr(t, "Get of none", err, nethttp.ErrNoSession)
	wantErr(t, "Put after none", a.Put(ctx, id, []byte("x"), 2, time.Minute), nethttp.ErrStep)
	must(t, a.Delete(ctx, id))
	must(t, a.Put(ctx, id, []byte("one"), 1, time.Minute))
	want(t, b, id, []byte("one"))
	wantErr(t, "first Put again", b.Put(ctx, id, []byte("x"), 1, time.Minute), nethttp.ErrStep)
	must(t, b.Put(ctx, id, nil, 2, time.Minute))
	want(t, a, id, nil)
	for _, step := range []uint64{1, 2, 4, 1 << 40} {
		wantErr(t, fmt.Sprint("Put of ", step, " after 2"), a.Put(ctx, id, []byte("x"), step, time.Minute), nethttp.ErrStep)
	}
	want(t, b, id, nil)
	must(t, a.Put(ctx, id, []byte("\x00\xff three"), 3, time.Minute))
	want(t, b, id, []byte("\x00\xff three"))
	must(t, b.Delete(ctx, id))
	must(t, b.Delete(ctx, id))
	_, err = a.Get(ctx, id)
	wantErr(t, "Get after Delete", err, nethttp.ErrNoSession)
	wantErr(t, "Put after Delete", a.Put(ctx, id, []byte("x"), 4, time.Minute), nethttp.ErrStep)
	must(t, a.Put(ctx, id, []byte("again"), 1, time.Minute))
	want(t, b, id, []byte("again"))
}

// Of concurrent Puts of one step, exactly the successful one is stored.
func race(t *testing.T, s Store) {
	tabs, ctx := []nethttp.Table{s.Table(t), s.Table(t), s.Table(t)}, background(t)
	id := fresh()
	for step := uint64(1); step <= 20; step++ {
		var stored atomic.Int32
		var which atomic.Value
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				data := fmt.Sprint(step, " of ", i)
				switch err := tabs[i%len(tabs)].Put(ctx, id, []byte(data), step, time.Minute); {
				case err == nil:
					stored.Add(1)
					which.Store(data)
				case !errors.Is(err, nethttp.ErrStep):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := stored.Load(); n != 1 {
			t.Fatalf("step %d was stored %d times", step, n)
		}
		want(t, tabs[step%3], id, []byte(which.Load().(string)))
	}
}

// Processes that each put the step after the one that they read lose nothing.
func chain(t *testing.T, s Store) {
	ctx, id, first := background(t), fresh(), s.Table(t)
	must(t, first.Put(ctx, id, []byte{1}, 1, time.Minute))
	const each, processes = 15, 4
	var wg sync.WaitGroup
	for range processes {
		tab := s.Table(t)
		wg.Go(func() {
			for done := 0; done < each; {
				data, err := tab.Get(ctx, id)
				if err != nil {
					t.Error(err)
					return
				}
				switch err := tab.Put(ctx, id, append(data[:len(data):len(data)], 1), uint64(len(data))+1, time.Minute); {
				case err == nil:
					done++
				case !errors.Is(err, nethttp.ErrStep):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	want(t, first, id, bytes.Repeat([]byte{1}, 1+each*processes))
}

// Invalid ids reach no session with another id.
func ids(t *testing.T, s Store) {
	tab, ctx, id := s.Table(t), background(t), fresh()
	must(t, tab.Put(ctx, id, []byte("mine"), 1, time.Minute))
	for _, odd := range []string{"", "*", ">", "?", id[:25] + "*", id + ".x", id + "}", id + " ", "\x00", "é"} {
		if data, err := tab.Get(ctx, odd); err == nil {
			t.Errorf("%q has %q", odd, data)
		}
		_ = tab.Put(ctx, odd, []byte("odd"), 2, time.Minute) // the result does not matter
		_ = tab.Delete(ctx, odd)
		want(t, tab, id, []byte("mine"))
	}
}

// An entry without further Puts expires, one with them does not.
func expiry(t *testing.T, s Store) {
	if !s.Expires {
		t.Skip("this store forgets nothing by itself")
	}
	tab, ctx, left, kept := s.Table(t), background(t), fresh(), fresh()
	const keep = 2 * time.Second
	begin := time.Now()
	must(t, tab.Put(ctx, left, []byte("x"), 1, keep))
	must(t, tab.Put(ctx, kept, []byte("x"), 1, keep))
	woken := make(chan error, 1)
	go func() { woken <- waitFor(ctx, tab, left, 1) }()
	step := uint64(1)
	for time.Since(begin) < 2*keep {
		time.Sleep(keep / 8)
		step++
		must(t, tab.Put(ctx, kept, []byte("x"), step, keep))
		if _, err := tab.Get(ctx, left); err != nil && time.Since(begin) < keep*9/10 {
			t.Fatalf("%v after %v", err, time.Since(begin))
		}
	}
	for {
		if _, err := tab.Get(ctx, left); errors.Is(err, nethttp.ErrNoSession) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		time.Sleep(keep / 8)
	}
	wantErr(t, "Put after what was forgotten", tab.Put(ctx, left, nil, 2, keep), nethttp.ErrStep)
	want(t, tab, kept, []byte("x"))
	if err := <-woken; err != nil {
		t.Error("who waited for what was forgotten:", err)
	}
}

// A record of the maximum size is stored, and a longer one changes nothing.
func size(t *testing.T, s Store) {
	tab, ctx, id := s.Table(t), background(t), fresh()
	most := s.Largest
	if most == 0 {
		most = 4 << 20
	}
	data := bytes.Repeat([]byte("0123456789abcdef"), most/16+1)[:most]
	must(t, tab.Put(ctx, id, data, 1, time.Minute))
	want(t, s.Table(t), id, data)
	if s.Largest == 0 {
		return
	}
	if err := tab.Put(ctx, id, append(data, 'x'), 2, time.Minute); !errors.Is(err, lifecycle.ErrLimit) || errors.Is(err, nethttp.ErrStep) {
		t.Errorf("a record that is too long: %v", err)
	}
	want(t, tab, id, data)
	must(t, tab.Put(ctx, id, []byte("short"), 2, time.Minute))
}
