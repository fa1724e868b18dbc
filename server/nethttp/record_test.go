package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// kept is a Store that keeps the snapshots that it has seen.
type kept struct {
	nethttp.Store
	mu   sync.Mutex
	seen []string
}

func (k *kept) Put(ctx context.Context, id string, r nethttp.Record, step uint64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen = append(k.seen, string(r.Snapshot()))
	return k.Store.Put(ctx, id, r, step)
}

// What a snapshot says is what the record was; whatever else the bytes are, it is an error or
// a record that can be written again, and no panic.
func TestRestoreRecord(t *testing.T) {
	k := newKit()
	store := &kept{Store: nethttp.NewMemory()}
	h, s := start(t, k, nethttp.Options{Store: store, StreamAfter: -1})
	p := open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("ask", `{"a":1}`))
	x.next("sampling/createMessage")
	y := p.listen()
	y.cut()
	restore := func(data string) (nethttp.Record, error) {
		return nethttp.RestoreRecord(h.Config(), streams.Options{}, []byte(data), time.Now())
	}
	store.mu.Lock()
	defer store.mu.Unlock()
	for i, data := range store.seen {
		r, err := restore(data)
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if r.Step != uint64(i+1) || r.Active.IsZero() {
			t.Errorf("step %d: %d %v", i, r.Step, r.Active)
		}
		if err := errors.Join(r.State.Check(), r.Streams.Check()); err != nil {
			t.Errorf("step %d: %v", i, err)
		}
		if again := string(r.Snapshot()); again != data {
			t.Errorf("step %d:\n%q\n%q", i, data, again)
		}
	}
	last := store.seen[len(store.seen)-1]
	bad := 0
	for i := range last {
		for _, data := range []string{last[:i], last[:i] + string(last[i]^1) + last[i+1:], last[:i] + last[i+1:]} {
			r, err := restore(data)
			switch {
			case err == nil:
				r.Snapshot()
			case !errors.Is(err, lifecycle.ErrSnapshot):
				t.Errorf("%q: %v", data, err)
			default:
				bad++
			}
		}
	}
	if bad < len(last) {
		t.Errorf("only %d of %d were refused", bad, 3*len(last))
	}
	if _, err := restore(""); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Error(err)
	}
	x.cut()
}

// A record from a clock that is ahead, and one that waited long.
func TestRestoredTimes(t *testing.T) {
	store := &kept{Store: nethttp.NewMemory()}
	h, s := start(t, newKit(), nethttp.Options{Store: store})
	open(t, s.URL, "2025-06-18")
	store.mu.Lock()
	defer store.mu.Unlock()
	data := []byte(store.seen[len(store.seen)-1])
	past := time.Now().Add(-time.Hour)
	r, err := nethttp.RestoreRecord(h.Config(), streams.Options{}, data, past)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Active.Equal(past) {
		t.Errorf("active %v, and now is %v", r.Active, past)
	}
	if r, err = nethttp.RestoreRecord(h.Config(), streams.Options{}, data, time.Now().Add(time.Hour)); err != nil || time.Since(r.Active) > time.Minute {
		t.Error(err, r.Active)
	}
}

// What waits in a record for another process is bounded: an answer too many is replaced by a
// failure, so that nobody waits for ever.
func TestInboxIsBounded(t *testing.T) {
	k := newKit()
	tab := newTable()
	_, _, urlA, urlB := two(t, k, tab, nethttp.Options{StreamAfter: -1, MaxBody: 4 << 20})
	p := open(t, urlA, "2025-06-18")
	q := p.at(urlB)
	// The process of the functions is stuck while all answers come: its Store is.
	var xs []*stream
	var ids []string
	for range 4 {
		x := p.follow("POST", p.callText("ask", `{}`))
		ids = append(ids, requestID(t, x.next("sampling/createMessage").data))
		xs = append(xs, x)
	}
	for _, id := range ids {
		text := strings.Repeat("x", 3<<20)
		q.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","content":{"type":"text","text":%q},"model":"m"}}`, id, text)).want(202)
	}
	for _, x := range xs {
		e := x.next()
		if !strings.Contains(e.data, "model says") && !strings.Contains(e.data, "too many answers wait") {
			t.Errorf("%.300s", e.data)
		}
		x.end()
	}
	quiet(t)
	tab.mu.Lock()
	defer tab.mu.Unlock()
	for _, r := range tab.rows {
		if len(r.data) > 20<<20 {
			t.Errorf("the record has %d bytes", len(r.data))
		}
	}
}

// The Store of one process keeps to the contract.
func TestMemory(t *testing.T) {
	m := nethttp.NewMemory()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if _, err := m.Get(ctx, "a"); !errors.Is(err, nethttp.ErrNoSession) {
		t.Error(err)
	}
	put := func(step, before uint64) error { return m.Put(ctx, "a", nethttp.Record{Step: step}, before) }
	for _, tt := range []struct {
		step, before uint64
		want         error
	}{{2, 1, nethttp.ErrStep}, {1, 0, nil}, {1, 0, nethttp.ErrStep}, {3, 2, nethttp.ErrStep}, {2, 1, nil}, {2, 1, nethttp.ErrStep}, {3, 2, nil}} {
		if err := put(tt.step, tt.before); !errors.Is(err, tt.want) {
			t.Errorf("Put %d over %d: %v, want %v", tt.step, tt.before, err, tt.want)
		}
	}
	if r, err := m.Get(ctx, "a"); err != nil || r.Step != 3 {
		t.Error(r.Step, err)
	}
	if err := m.Wait(ctx, "a", 2); err != nil {
		t.Error(err)
	}
	waited := make(chan error, 2)
	wait := func(step uint64) { waited <- m.Wait(ctx, "a", step) }
	go wait(3)
	go wait(3)
	time.Sleep(5 * time.Millisecond)
	if err := put(4, 3); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := receive(t, waited); err != nil {
			t.Error(err)
		}
	}
	go wait(4)
	time.Sleep(5 * time.Millisecond)
	for range 2 {
		if err := m.Delete(ctx, "a"); err != nil {
			t.Error(err)
		}
	}
	if err := receive(t, waited); err != nil {
		t.Error(err)
	}
	if err := m.Wait(ctx, "a", 4); err != nil {
		t.Error(err)
	}
	if err := put(1, 0); err != nil {
		t.Error(err)
	}
	go wait(1)
	time.Sleep(5 * time.Millisecond)
	cancel()
	if err := receive(t, waited); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
