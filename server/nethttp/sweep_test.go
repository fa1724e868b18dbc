package nethttp_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// unrenewed is the way to a cluster on which leases are not renewed for a while. joined has each Join.
type unrenewed struct {
	*hooked
	denied atomic.Bool
	joined chan struct{}
}

func (u *unrenewed) Renew(ctx context.Context, p string, lease time.Duration) error {
	if u.denied.Load() {
		return errOff
	}
	return u.hooked.Renew(ctx, p, lease)
}

func (u *unrenewed) Join(ctx context.Context, p string, lease time.Duration) error {
	for range 1000 { // what there is of the lease before is being dropped by now
		runtime.Gosched()
	}
	defer func() { u.joined <- struct{}{} }()
	return u.hooked.Join(ctx, p, lease)
}

// A process whose lease has ended drops what it had, which takes long where the store is slow. What it has begun under
// its next lease meanwhile goes on.
func TestSweepIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &unrenewed{hooked: &hooked{line: &line{cluster: newCluster()}}, joined: make(chan struct{}, 10)}
		var slow atomic.Pointer[string]
		hold, held := make(chan struct{}), make(chan struct{}, 100)
		u.get = func(id string) ([]byte, error) {
			if s := slow.Load(); s != nil && *s == id {
				held <- struct{}{}
				<-hold
			}
			return nil, nil
		}
		k := newKit()
		b := newShared(t, k, u, nethttp.Options{Lease: lease, StreamAfter: -1})
		<-u.joined
		var sessions []string
		for range 20 {
			id := b.open("2025-11-25")
			b.serve("POST", id, "2025-11-25", callOf("gate", `{}`), nil)
			<-k.begun
			sessions = append(sessions, id)
		}
		time.Sleep(lease) // the first beats are over
		slow.Store(&sessions[0])
		b.serve("POST", sessions[0], "2025-11-25", callOf("echo", `{}`), nil)
		<-held // the session is locked
		u.denied.Store(true)
		<-u.joined // its lease has ended, and another one has begun: no time passes from here on, with the lock awaited
		u.denied.Store(false)
		var calls []*response
		for _, id := range sessions[1:] {
			calls = append(calls, b.serve("POST", id, "2025-11-25", strings.Replace(callOf("gate", `{}`), `"id":1`, `"id":2`, 1), nil))
			<-k.begun
		}
		slow.Store(nil)
		close(hold)
		synctest.Wait()
		for range sessions {
			<-k.ended
		}
		if n := len(k.ended); n > 0 {
			t.Errorf("%d functions were ended: %v", n, <-k.ended)
		}
		for range calls {
			k.free <- struct{}{}
		}
		for _, r := range calls {
			r.has(t, time.Second, `"text":"free {}"`)
		}
		b.close()
	})
}
