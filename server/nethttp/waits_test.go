package nethttp_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// silence is how long a store that is silent is waited for, each time: the Timeout of a Table.
const silence = 2 * time.Second

// mute is the way of a process to a cluster that does not answer from some time on.
func mute() (l *hooked, silent *atomic.Bool) {
	l, silent = &hooked{line: &line{cluster: newCluster()}}, new(atomic.Bool)
	quiet := func() error {
		if !silent.Load() {
			return nil
		}
		time.Sleep(silence)
		return errOff
	}
	l.get = func(string) ([]byte, error) { return nil, quiet() }
	l.put = func(string) error { return quiet() }
	return l, silent
}

// A store is silent while many requests come to one session: each is told so once one of them has waited for the store.
func TestManyWaitForASilentStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, silent := mute()
		b := newShared(t, newKit(), l, nethttp.Options{Lease: time.Hour})
		session := b.open("2025-11-25")
		silent.Store(true)
		began := time.Now()
		var all []*response
		for i := range 20 {
			all = append(all, b.serve("POST", session, "2025-11-25", callID(i, "echo"), nil))
		}
		for _, r := range all {
			if <-r.done; r.status() != http.StatusServiceUnavailable || !strings.Contains(r.text(), "retryAfterMs") {
				t.Error(r.status(), r.text())
			}
		}
		if took := time.Since(began); took > 2*silence {
			t.Error("it took", took)
		}
		b.close()
	})
}

// A stream has ended, and the turn that says so cannot be stored: its client does not wait for that.
func TestStreamEndsWithoutTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &hooked{line: &line{cluster: newCluster()}}
		var silent atomic.Bool
		var puts atomic.Int64
		l.put = func(string) error {
			if silent.Load() && puts.Add(1) > 1 {
				time.Sleep(silence)
				return errOff
			}
			return nil
		}
		b := newShared(t, newKit(), l, nethttp.Options{Lease: time.Hour, StreamAfter: -1})
		session := b.open("2025-11-25")
		r := b.serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
		<-b.k.begun
		time.Sleep(time.Second)
		silent.Store(true)
		b.k.free <- struct{}{}
		r.has(t, time.Second, `"text":"free {}"`)
		if !within(2*silence+time.Second, r.over) {
			t.Error("the stream goes on")
		}
		silent.Store(false)
		time.Sleep(time.Minute)
		if _, idle := b.h.Idle(session); !idle || strings.Contains(record(l.at(session)), `"s":1,"g":1`) {
			t.Error("its connection is still there:", record(l.at(session)))
		}
		b.close()
	})
}

// A process loses its lease while the store is silent: who waits at it is told within a lease and a half, or comes back.
func TestSilentStoreAndNoLease(t *testing.T) {
	for _, tt := range []struct {
		name, version, tool string
		after               time.Duration
		whole               bool
		within              time.Duration // after the store fell silent
		want                string        // how the response ends
	}{
		{"a stream that can be resumed", "2025-11-25", "steps", -1, false, lease * 3 / 2, `"progress":1}}` + "\n\n"},
		{"a stream that cannot", "2025-06-18", "steps", -1, false, 4 * lease, `"data":{"outcome":"unknown","reason":"answer lost"}}}` + "\n\n"},
		{"no stream yet", "2025-11-25", "gate", time.Hour, false, lease*2/3 + 2*silence, `"data":{"outcome":"unknown"}}}`},
		{"JSON alone", "2025-11-25", "gate", time.Hour, true, lease*2/3 + 2*silence, `"data":{"outcome":"unknown"}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, silent := mute()
				b := newShared(t, newKit(), l, nethttp.Options{Lease: lease, StreamAfter: tt.after})
				session := b.open(tt.version)
				r := b.serve("POST", session, tt.version, callOf(tt.tool, `{}`), nil, func(r *http.Request) {
					if tt.whole {
						r.Header.Set("Accept", "application/json")
					}
				})
				<-b.k.begun
				time.Sleep(10 * lease)
				if tt.version == "2025-11-25" && tt.tool == "steps" {
					b.k.free <- struct{}{}
					r.has(t, time.Second, `"progress":1`)
				}
				l.cut.Store(true)
				silent.Store(true)
				b.k.free <- struct{}{} // it has the stream looked at
				if !within(tt.within+100*time.Millisecond, r.over) {
					t.Error("it still waits:", r.status(), r.text())
				}
				if !strings.HasSuffix(r.text(), tt.want) {
					t.Errorf("%d %s, want %s", r.status(), r.text(), tt.want)
				}
				silent.Store(false)
				l.cut.Store(false)
				r.cut()
				b.close()
			})
		})
	}
}

// The home of a session is silent, and the process that has passed a request on to it cannot read the store either: the
// client is told that nobody knows.
func TestSilentHomeAndStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: -1})
		a, b := w.all[0], w.all[1]
		session := a.open("2025-11-25")
		<-a.serve("POST", session, "2025-11-25", callID(1, "own-fast"), nil).done
		w.lan.set(w.names[0], func(m *machine) { m.hangs = true })
		r := b.serve("POST", session, "2025-11-25", callID(2, "own-fast"), nil)
		time.Sleep(10 * time.Millisecond) // it is passed on
		w.ways[1].cut.Store(true)
		if !within(3*lease, r.over) || !strings.Contains(r.text(), `{"outcome":"unknown"}`) {
			t.Error("it is not told:", r.status(), r.text())
		}
		w.ways[1].cut.Store(false)
		r.cut()
		w.close()
	})
}
