package nethttp_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// expire ends the leases of processes, as if these were stopped for as long and their clocks with them.
func (c *cluster) expire(names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		c.processes[name].until = time.Now().Add(-time.Second)
	}
}

func (c *cluster) names() (list []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.processes {
		list = append(list, name)
	}
	return list
}

// closed is a line on which a process cannot begin another lease while it is shut.
type closed struct {
	*line
	shut atomic.Bool
}

func (l *closed) Join(ctx context.Context, p string, lease time.Duration) error {
	if l.shut.Load() {
		return errOff
	}
	return l.line.Join(ctx, p, lease)
}

// A process was stopped for so long that others took over from it, and does not know: its own clock says that it has
// a lease. What its functions come to is dropped, each call is answered once, it starts nothing under its old id, and
// afterwards it serves as any other.
func TestPausedProcessWakes(t *testing.T) {
	for _, known := range []bool{false, true} { // it hears of it by the record of a session, or by the Cluster
		synctest.Test(t, func(t *testing.T) { wakes(t, known) })
	}
}

func wakes(t *testing.T, known bool) {
	c := newCluster()
	first, k := &closed{line: &line{cluster: c}}, newKit()
	a := newShared(t, k, first, nethttp.Options{Lease: lease, StreamAfter: -1})
	old := c.names()
	b := newShared(t, newKit(), &line{cluster: c}, nethttp.Options{Lease: lease})
	taken, fresh, other := a.open("2025-11-25"), a.open("2025-11-25"), a.open("2025-11-25")
	r := a.serve("POST", taken, "2025-11-25", callOf("gate", `{}`), nil)
	<-k.begun
	news := a.serve("GET", taken, "2025-11-25", "", nil)
	waits := a.serve("POST", fresh, "2025-11-25", callOf("gate", `{}`), nil, func(r *http.Request) { r.Header.Set("Accept", "application/json") })
	<-k.begun
	synctest.Wait()
	first.cut.Store(true) // it is stopped
	c.expire(old...)
	time.Sleep(lease/3 + 10*time.Millisecond) // the other looks
	back := b.resume(taken, r.last())
	back.has(t, 0, processLost)
	first.shut.Store(true)
	first.cut.Store(false) // it goes on
	at := other            // which the other does not know of
	if known {
		at = taken
	}
	late := a.serve("POST", at, "2025-11-25", strings.Replace(callOf("gate", `{}`), `"id":1`, `"id":7`, 1), nil)
	if time.Sleep(time.Millisecond); late.status() != http.StatusServiceUnavailable || !strings.Contains(late.text(), "retryAfterMs") || len(k.begun) > 0 {
		t.Error("a call at a process without a lease:", late.status(), late.text())
	}
	k.free <- struct{}{}
	k.free <- struct{}{}
	first.shut.Store(false)
	time.Sleep(lease)
	for _, x := range []*response{r, waits} {
		if !x.over() || strings.Contains(x.text(), "free") {
			t.Error("what it had goes on:", x.over(), x.status(), x.text())
		}
	}
	if n := strings.Count(back.text(), `"id":1,`); n != 1 || !back.over() {
		t.Errorf("%d answers: %s", n, back.text())
	}
	if !news.over() {
		t.Error("its stream goes on")
	}
	again := a.serve("POST", taken, "2025-11-25", callOf("echo", `{}`), nil)
	again.has(t, time.Second, `"text":"echo {}"`)
	a.close()
	b.close()
}
