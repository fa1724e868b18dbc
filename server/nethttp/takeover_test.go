package nethttp_test

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
)

// hooked is a line of which a test says what its methods do first. A nil function does nothing.
type hooked struct {
	*line
	get    func(id string) ([]byte, error) // what Get returns; nil and nil for what is stored
	put    func(id string) error
	disown func()
	lost   func() bool // Lost tells of nobody
}

func (l *hooked) Get(ctx context.Context, id string) ([]byte, error) {
	if l.get != nil {
		if data, err := l.get(id); data != nil || err != nil {
			return data, err
		}
	}
	return l.line.Get(ctx, id)
}

func (l *hooked) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	if l.put != nil {
		if err := l.put(id); err != nil {
			return err
		}
	}
	return l.line.Put(ctx, id, data, step, keep)
}

func (l *hooked) Disown(ctx context.Context, p, session string, mark uint64) error {
	if l.disown != nil {
		l.disown()
	}
	return l.line.Disown(ctx, p, session, mark)
}

func (l *hooked) Lost(ctx context.Context, by string, claim time.Duration) ([]string, error) {
	if l.lost != nil && l.lost() {
		return nil, nil
	}
	return l.line.Lost(ctx, by, claim)
}

// known returns how many processes a cluster knows.
func (c *cluster) known() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.processes)
}

// A lease is renewed while sessions are disowned that the process has nothing of any more, however long that takes.
func TestDisownIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &hooked{line: &line{cluster: newCluster()}}
		l.disown = func() { time.Sleep(lease/3 - time.Millisecond) }
		k := newKit()
		b := newShared(t, k, l, nethttp.Options{Lease: lease})
		for range 10 {
			<-b.serve("POST", b.open("2025-11-25"), "2025-11-25", callOf("echo", `{}`), nil).done
		}
		r := b.serve("POST", b.open("2025-11-25"), "2025-11-25", callOf("gate", `{}`), nil)
		<-k.begun
		time.Sleep(2 * time.Minute)
		k.free <- struct{}{}
		if r.has(t, time.Second, `"text":"free {}"`); len(k.ended) > 0 {
			t.Error("a function was ended:", <-k.ended)
		}
		b.close()
	})
}

// A session that cannot be read or stored holds up no other one of a process that has died. The process is known until
// that session has been seen to.
func TestOneSessionFails(t *testing.T) {
	for name, fault := range map[string]func(l *hooked, bad func(id string) bool){
		"it cannot be stored": func(l *hooked, bad func(string) bool) {
			l.put = func(id string) error {
				if bad(id) {
					return lifecycle.ErrLimit
				}
				return nil
			}
		},
		"it cannot be read": func(l *hooked, bad func(string) bool) {
			l.get = func(id string) ([]byte, error) {
				if bad(id) {
					return []byte("damaged"), nil
				}
				return nil, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, k := newCluster(), newKit()
				first := &line{cluster: c}
				a := newShared(t, k, first, nethttp.Options{Lease: lease, StreamAfter: -1})
				way := &hooked{line: &line{cluster: c}}
				var sessions, events []string
				for range 5 {
					id := a.open("2025-11-25")
					sessions = append(sessions, id)
				}
				slices.Sort(sessions)
				var mended atomic.Bool
				fault(way, func(id string) bool { return id == sessions[0] && !mended.Load() })
				b := newShared(t, newKit(), way, nethttp.Options{Lease: lease, StreamAfter: -1})
				for _, id := range sessions {
					r := a.serve("POST", id, "2025-11-25", callOf("gate", `{}`), nil)
					<-k.begun
					synctest.Wait()
					events = append(events, r.last())
				}
				first.cut.Store(true)
				time.Sleep(lease * 3 / 2)
				for i, id := range sessions[1:] {
					r := b.resume(id, events[i+1])
					r.has(t, 0, processLost)
					r.cut()
				}
				time.Sleep(6 * lease)
				if n := c.known(); n != 2 {
					t.Errorf("%d processes are known", n)
				}
				mended.Store(true)
				time.Sleep(3 * lease)
				r := b.resume(sessions[0], events[0])
				r.has(t, 0, processLost)
				time.Sleep(4 * lease)
				if n := c.known(); n != 1 {
					t.Errorf("%d processes are known", n)
				}
				b.close()
				first.cut.Store(false)
				a.close()
			})
		})
	}
}

// resume goes on with a stream after an event.
func (b *bubble) resume(session, after string) *response {
	r := b.serve("GET", session, "2025-11-25", "", nil, func(r *http.Request) { r.Header.Set("Last-Event-ID", after) })
	synctest.Wait()
	return r
}

// A process with another HashKey can take over from nobody, and keeps no other process from it.
func TestOtherKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		first, k, all := members(t, c, 1, nethttp.Options{StreamAfter: -1})
		a := all[0]
		var later atomic.Bool // the one with the key waits until the other has claimed
		way := &hooked{line: &line{cluster: c}, lost: func() bool { return !later.Load() }}
		b := newShared(t, newKit(), way, nethttp.Options{Lease: lease})
		x := newKeyed(t, newKit(), &line{cluster: c}, nethttp.Options{Lease: lease}, 2)
		session := a.open("2025-11-25")
		r := a.serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
		<-k[0].begun
		synctest.Wait()
		first.cut.Store(true)
		time.Sleep(2 * lease)
		later.Store(true)
		time.Sleep(2 * lease)
		b.resume(session, r.last()).has(t, 0, processLost)
		time.Sleep(4 * lease)
		if n := c.known(); n != 2 {
			t.Errorf("%d processes are known", n)
		}
		first.cut.Store(false)
		for _, h := range []*bubble{a, b, x} {
			h.close()
		}
	})
}
