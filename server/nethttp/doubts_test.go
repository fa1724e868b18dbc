package nethttp_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/nethttp"
)

// flaky is the way of one process to a table that may be away, or do what it is told and not say so.
type flaky struct {
	*table
	mu   sync.Mutex
	away bool
	next func(put func() error) error // what becomes of the next Put
}

func (f *flaky) set(away bool, next func(put func() error) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away, f.next = away, next
}

func (f *flaky) gone() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away {
		return errOff
	}
	return nil
}

func (f *flaky) Get(ctx context.Context, id string) ([]byte, error) {
	if err := f.gone(); err != nil {
		return nil, err
	}
	return f.table.Get(ctx, id)
}

func (f *flaky) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	put := func() error { return f.table.Put(ctx, id, data, step, keep) }
	f.mu.Lock()
	next := f.next
	f.next = nil
	f.mu.Unlock()
	if next != nil {
		return next(put)
	}
	if err := f.gone(); err != nil {
		return err
	}
	return put()
}

// newShared returns a handler in a bubble on a table.
func newShared(t *testing.T, k *kit, tab nethttp.Table, opt nethttp.Options) *bubble {
	t.Helper()
	return newKeyed(t, k, tab, opt, 1)
}

// newKeyed is newShared with a HashKey. Changes are appended.
func newKeyed(t *testing.T, k *kit, tab nethttp.Table, opt nethttp.Options, key byte) *bubble {
	t.Helper()
	tab, _ = journaled(tab)
	return newWhole(t, k, tab, opt, key)
}

// newWhole is newKeyed on a table as it is.
func newWhole(t *testing.T, k *kit, tab nethttp.Table, opt nethttp.Options, key byte) *bubble {
	t.Helper()
	cfg := serverConfig
	cfg.HashKey = [16]byte{key}
	opt.Store = nethttp.NewShared(tab)
	h, err := nethttp.NewHandler(cfg, k.handlers(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return &bubble{t: t, h: h, k: k}
}

// The answer of a function waits for a store that is away, as long as Work.KeepAnswer says.
func TestAnswerWaitsForTheStore(t *testing.T) {
	for away, want := range map[time.Duration]string{20 * time.Second: `"text":"free {}"`, 2 * time.Minute: ""} {
		synctest.Test(t, func(t *testing.T) {
			k, way := newKit(), &flaky{table: newTable()}
			b := newShared(t, k, way, nethttp.Options{StreamAfter: time.Hour, Work: host.WorkOptions{KeepAnswer: time.Minute}})
			session := b.open("2025-06-18")
			r := b.serve("POST", session, "", callOf("gate", `{}`), nil)
			<-k.begun
			way.set(true, nil)
			k.free <- struct{}{}
			time.Sleep(away)
			if n := b.h.Status().Running; n != 1 && want != "" {
				t.Error(n, "functions count as running")
			}
			way.set(false, nil)
			time.Sleep(2 * time.Second)
			if got := r.text(); r.over() != (want != "") || !strings.Contains(got, want) {
				t.Errorf("away for %v: %v %s", away, r.over(), got)
			}
			r.cut()
			b.close()
		})
	}
}

// What becomes of a POST whose turn the store does not say that it has stored: its client is told what is known,
// the function of its call runs once if it was stored, and never if it was not.
func TestTurnInDoubt(t *testing.T) {
	const unknown, retry = `"data":{"outcome":"unknown"}`, `"retryAfterMs":1000`
	for _, tt := range []struct {
		name string
		put  func(way *flaky, put func() error) error
		code int
		text string
		runs int // before the client asks again
	}{
		{"stored, and away for 20 s", func(way *flaky, put func() error) error {
			way.set(true, nil)
			_ = put()
			return errOff
		}, 503, unknown, 1},
		{"not stored, and away for 20 s", func(way *flaky, _ func() error) error {
			way.set(true, nil)
			return errOff
		}, 503, unknown, 0},
		{"stored after a minute, and not before", func(_ *flaky, put func() error) error {
			time.AfterFunc(time.Minute, func() { _ = put() })
			return errOff
		}, 503, retry, 0},
		{"stored while the store is away", func(way *flaky, put func() error) error {
			way.set(true, nil)
			time.AfterFunc(10*time.Second, func() { _ = put() })
			return errOff
		}, 503, unknown, 1},
		{"stored after the store was away", func(way *flaky, put func() error) error {
			way.set(true, nil)
			time.AfterFunc(time.Minute, func() { _ = put() })
			return errOff
		}, 503, unknown, 0},
		{"stored, and not told", func(_ *flaky, put func() error) error {
			_ = put()
			return errOff
		}, 200, `"text":"free {}"`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k, way := newKit(), &flaky{table: newTable()}
				b := newShared(t, k, way, nethttp.Options{StreamAfter: time.Hour})
				session := b.open("2025-06-18")
				way.set(false, func(put func() error) error { return tt.put(way, put) })
				r := b.serve("POST", session, "", callOf("gate", `{}`), nil)
				time.Sleep(20 * time.Second)
				way.set(false, nil)
				k.free <- struct{}{}
				time.Sleep(2 * time.Minute)
				if got := r.text(); !r.over() || r.status() != tt.code || !strings.Contains(got, tt.text) {
					t.Error(r.over(), r.status(), got)
				}
				if n := len(k.begun); n != tt.runs {
					t.Errorf("%d functions ran, want %d", n, tt.runs)
				}
				k.free <- struct{}{}
				again := b.serve("POST", session, "", callOf("gate", `{}`), nil)
				<-again.done
				if again.status() != http.StatusOK || !strings.Contains(again.text(), `"text":"free {}"`) {
					t.Error("again:", again.status(), again.text())
				}
				b.close()
			})
		})
	}
}

// The process that has the clock that is ahead ends no session that others serve, and one that nobody serves
// after IdleTimeout by what it saw itself.
func TestAheadEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, tab := newKit(), newTable()
		opt := nethttp.Options{IdleTimeout: 30 * time.Minute}
		a, b := newShared(t, k, tab, opt), newShared(t, k, &ahead{tab}, opt)
		session := a.open("2025-06-18")
		ping := func(at *bubble) *response {
			r := at.serve("POST", session, "", `{"jsonrpc":"2.0","id":"p","method":"ping"}`, nil)
			<-r.done
			return r
		}
		ping(b)
		for i := range 10 {
			time.Sleep(20 * time.Minute)
			if r := ping(a); r.status() != http.StatusOK {
				t.Fatal(fmt.Sprint(i), r.status(), r.text())
			}
		}
		a.close() // nobody else ends it now
		time.Sleep(2 * time.Hour)
		if r := ping(b); r.status() != http.StatusNotFound {
			t.Error(r.status(), r.text())
		}
		b.close()
	})
}

// While the store takes its time with one session, no other one waits.
func TestNobodyWaitsForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, way := newKit(), &flaky{table: newTable()}
		b := newShared(t, k, way, nethttp.Options{})
		var pair []string
		for seen := []string{}; len(pair) == 0; {
			id := b.open("2025-06-18")
			if i := slices.IndexFunc(seen, func(old string) bool { return nethttp.SameStripe(old, id) }); i >= 0 {
				pair = []string{seen[i], id}
			}
			seen = append(seen, id)
		}
		way.set(false, func(put func() error) error {
			time.Sleep(time.Minute)
			return put()
		})
		slow := b.serve("POST", pair[0], "", callOf("echo", `{}`), nil)
		synctest.Wait()
		quick := b.serve("POST", pair[1], "", callOf("echo", `{}`), nil)
		quick.has(t, time.Second, `"text":"echo {}"`)
		if slow.over() {
			t.Error("the store was quick")
		}
		slow.has(t, 2*time.Minute, `"text":"echo {}"`)
		b.close()
	})
}

// A turn that is stored below those of so many others that nobody can tell leaves no call open that nobody runs.
func TestUnknownLeavesNoCall(t *testing.T) {
	for _, once := range []bool{false, true} { // the store fails once more
		synctest.Test(t, func(t *testing.T) {
			k, c := newKit(), newCluster()
			way := &flaky{table: c.table}
			opt := nethttp.Options{StreamAfter: time.Hour, Lease: time.Minute}
			b := newShared(t, k, struct {
				nethttp.Table
				nethttp.Cluster
			}{way, c}, opt)
			session := b.open("2025-06-18")
			way.set(false, func(put func() error) error {
				way.set(true, nil)
				_ = put()
				return errOff
			})
			r := b.serve("POST", session, "", callOf("gate", `{}`), nil)
			time.Sleep(time.Second)
			var others []*bubble
			for range 12 {
				other := newShared(t, k, c, opt)
				ping := other.serve("POST", session, "", `{"jsonrpc":"2.0","id":"p","method":"ping"}`, nil)
				if <-ping.done; ping.status() != http.StatusOK {
					t.Error(ping.status(), ping.text())
				}
				others = append(others, other)
			}
			way.set(false, nil)
			if once {
				way.set(false, func(func() error) error { return errOff })
			}
			<-r.done
			time.Sleep(10 * time.Second)
			if !strings.Contains(r.text(), `"outcome":"unknown"`) || len(k.begun) > 0 {
				t.Error(r.status(), r.text(), len(k.begun))
			}
			again := others[0].serve("POST", session, "", callOf("echo", `{}`), nil) // with the same id
			if <-again.done; again.status() != http.StatusOK {
				t.Error("again:", again.status(), again.text())
			}
			b.close()
			for _, other := range others {
				other.close()
			}
		})
	}
}
