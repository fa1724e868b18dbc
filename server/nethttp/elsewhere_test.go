package nethttp_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
)

// deaf is the way of one process to a table: while it is off, nothing of it is stored.
type deaf struct {
	*table
	off atomic.Bool
}

var errOff = errors.New("the store is away")

func (d *deaf) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	if d.off.Load() {
		return errOff
	}
	return d.table.Put(ctx, id, data, step, keep)
}

// A POST waits at one process for an answer that may be JSON, and what becomes of its call is decided at
// the other, or its own process ends.
func TestDecidedElsewhere(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limit  time.Duration // of calls
		decide func(a *bubble, b *bubble, way *deaf, session string)
		want   string // how the answer begins
		whole  string // the same for a client that takes no streams
	}{
		{"timed out by the clock of the other", time.Second, func(_, _ *bubble, way *deaf, _ string) {
			way.off.Store(true) // so that the other is first
			time.Sleep(1001 * time.Millisecond)
			way.off.Store(false)
		}, `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32603,`, ``},
		{"the same, and the store fails then", time.Second, func(_, _ *bubble, way *deaf, _ string) {
			way.off.Store(true)
			time.Sleep(time.Minute)
		}, `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32603,`, ``},
		{"cancelled at the other", 0, func(_, b *bubble, _ *deaf, session string) {
			<-b.serve("POST", session, "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil).done
		}, `200 text/event-stream `, `202  `},
		{"the session ends at the other", 0, func(_, b *bubble, _ *deaf, session string) {
			<-b.serve("DELETE", session, "", "", nil).done
		}, `200 text/event-stream data: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the answer to the call was lost`, `503 application/json {"jsonrpc":"2.0","error":{"code":-32600,`},
		{"the store is away when a stream would begin", 0, func(a, _ *bubble, way *deaf, _ string) {
			way.off.Store(true)
			time.Sleep(10 * time.Minute)
			way.off.Store(false)
			a.k.free <- struct{}{}
		}, `503 application/json {"jsonrpc":"2.0","error":{"code":-32600,`, `200 application/json {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"free`},
		{"its process ends", 0, func(a, _ *bubble, _ *deaf, _ string) { a.h.Close() }, `200 application/json {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"nethttp: the server ends"}],"isError":true}}`, ``},
	} {
		for _, whole := range []bool{false, true} {
			name, want := tt.name, tt.want
			if whole {
				name, want = name+", for a client without streams", cmp.Or(tt.whole, tt.want)
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cfg := serverConfig
					cfg.HashKey = [16]byte{1}
					cfg.Timeouts = lifecycle.Timeouts{Inbound: tt.limit}
					k, tab := newKit(), newTable()
					way := &deaf{table: tab}
					one := func(tab nethttp.Table) *bubble {
						h, err := nethttp.NewHandler(cfg, k.handlers(), nethttp.Options{Store: nethttp.NewShared(tab), StreamAfter: 10 * time.Minute})
						if err != nil {
							t.Fatal(err)
						}
						return &bubble{t: t, h: h, k: k}
					}
					a, b := one(way), one(tab)
					session := a.open("2025-06-18")
					r := a.serve("POST", session, "", callOf("gate", `{}`), nil, func(r *http.Request) {
						if whole {
							r.Header.Set("Accept", "application/json")
						}
					})
					<-k.begun
					time.Sleep(100 * time.Millisecond) // the table is watched now
					<-b.serve("POST", session, "", `{"jsonrpc":"2.0","id":"p","method":"ping"}`, nil).done
					tt.decide(a, b, way, session)
					time.Sleep(time.Minute)
					if !r.over() {
						t.Error("it still waits")
						r.cut()
						time.Sleep(time.Minute)
					}
					got := fmt.Sprint(r.status(), " ", r.head.Get("Content-Type"), " ", r.text())
					if !strings.HasPrefix(got, want) || want[len(want)-1] == ' ' && got != want {
						t.Errorf("%s\nwant %s", got, want)
					}
					way.off.Store(false)
					a.close()
					b.close()
				})
			})
		}
	}
}

// hasty is the way of one process to a table on which another one is quick: what it stores is covered
// by a turn of that before it hears that it was not stored, perhaps.
type hasty struct {
	*table
	lie  error
	next func() // the turn of the other
}

func (w *hasty) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	err := w.table.Put(ctx, id, data, step, keep)
	if err != nil || w.next == nil {
		return err
	}
	w.next()
	return w.lie
}

// A turn that was stored, though the store said that it was not, is known below those that other
// processes made on top of it: the call is run once, and has its answer.
func TestStoreIsUnsureBelow(t *testing.T) {
	for _, lie := range []error{nethttp.ErrStep, errors.New("the connection broke")} {
		for _, others := range []int{1, 2, 8} {
			t.Run(fmt.Sprint(lie, ", ", others), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cfg := serverConfig
					cfg.HashKey = [16]byte{1}
					k, tab := newKit(), newTable()
					way := &hasty{table: tab, lie: lie}
					var all []*bubble
					for i := range others + 1 {
						store := nethttp.NewShared(tab)
						if i == 0 {
							store = nethttp.NewShared(way)
						}
						h, err := nethttp.NewHandler(cfg, k.handlers(), nethttp.Options{Store: store})
						if err != nil {
							t.Fatal(err)
						}
						all = append(all, &bubble{t: t, h: h, k: k})
					}
					session := all[0].open("2025-06-18")
					way.next = func() {
						for range 2 {
							for _, b := range all[1:] {
								r := b.serve("POST", session, "", `{"jsonrpc":"2.0","id":"p","method":"ping"}`, nil)
								if <-r.done; r.status() != http.StatusOK {
									t.Error(r.status(), r.text())
								}
							}
						}
					}
					for range 3 {
						r := all[0].serve("POST", session, "", callOf("gate", `{}`), nil)
						k.free <- struct{}{}
						<-r.done
						if got := r.text(); r.status() != http.StatusOK || strings.Count(got, `"text":"free {}"`) != 1 {
							t.Error(r.status(), got)
						}
					}
					if n := len(k.begun); n != 3 {
						t.Error(n, "functions ran")
					}
					way.next = nil
					<-all[0].serve("DELETE", session, "", "", nil).done
					for _, b := range all {
						b.close()
					}
				})
			})
		}
	}
}

// ahead is the way to a table of a process whose clock is an hour ahead of those of others: what they have stored
// looks old to it.
type ahead struct{ *table }

var active = regexp.MustCompile(`"active":(\d+)`)

func (w *ahead) Get(ctx context.Context, id string) ([]byte, error) {
	data, err := w.table.Get(ctx, id)
	return active.ReplaceAllFunc(data, func(b []byte) []byte {
		name, text, _ := strings.Cut(string(b), ":")
		n, _ := strconv.ParseInt(text, 10, 64)
		return fmt.Appendf(nil, "%s:%d", name, n-int64(time.Hour))
	}), err
}

// How long a record is kept is told as a time from now on, so that a process whose clock is ahead or behind removes
// no session by what it stores.
func TestKeptByOtherClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := serverConfig
		cfg.HashKey = [16]byte{1}
		k := newKit()
		h, err := nethttp.NewHandler(cfg, k.handlers(), nethttp.Options{Store: nethttp.NewShared(&ahead{newTable()}), IdleTimeout: 30 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		b := &bubble{t: t, h: h, k: k}
		session := b.open("2025-06-18")
		r := b.serve("POST", session, "", callOf("gate", `{}`), nil)
		<-k.begun
		k.free <- struct{}{}
		if <-r.done; r.status() != http.StatusOK || !strings.Contains(r.text(), `"text":"free {}"`) {
			t.Error(r.status(), r.text())
		}
		b.close()
	})
}

// Progress that the store does not take is dropped: the function that makes it does not fail.
func TestProgressIsNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := serverConfig
		cfg.HashKey = [16]byte{1}
		k, way := newKit(), &deaf{table: newTable()}
		h, err := nethttp.NewHandler(cfg, k.handlers(), nethttp.Options{Store: nethttp.NewShared(way)})
		if err != nil {
			t.Fatal(err)
		}
		b := &bubble{t: t, h: h, k: k}
		r := b.serve("POST", b.open("2025-06-18"), "", callOf("steps", `{}`), nil)
		for i := range 3 {
			way.off.Store(i == 1)
			k.free <- struct{}{}
			synctest.Wait()
		}
		<-r.done
		got := r.text()
		for text, n := range map[string]int{`"progress":1`: 1, `"progress":2`: 0, `"progress":3`: 1, `"text":"stepped"`: 1} {
			if strings.Count(got, text) != n {
				t.Errorf("%s is not there %d times: %s", text, n, got)
			}
		}
		b.close()
	})
}
