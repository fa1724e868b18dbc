package nethttp_test

import (
	"context"
	"encoding/binary"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/nethttp"
)

// line is the way of one process to a cluster. While it is cut, nothing comes through: to the others the process is
// dead.
type line struct {
	*cluster
	cut atomic.Bool
	own atomic.Bool // Own fails

	gets atomic.Int64
}

func (l *line) err() error {
	if l.cut.Load() {
		return errOff
	}
	return nil
}

func (l *line) Get(ctx context.Context, id string) ([]byte, error) {
	l.gets.Add(1)
	if err := l.err(); err != nil {
		return nil, err
	}
	return l.cluster.Get(ctx, id)
}

func (l *line) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	if err := l.err(); err != nil {
		return err
	}
	return l.cluster.Put(ctx, id, data, step, keep)
}

func (l *line) Join(ctx context.Context, p string, lease time.Duration) error {
	if err := l.err(); err != nil {
		return err
	}
	return l.cluster.Join(ctx, p, lease)
}

func (l *line) Renew(ctx context.Context, p string, lease time.Duration) error {
	if err := l.err(); err != nil {
		return err
	}
	return l.cluster.Renew(ctx, p, lease)
}

func (l *line) Own(ctx context.Context, p, session string, mark uint64) error {
	if err := l.err(); err != nil || l.own.Load() {
		return errOff
	}
	return l.cluster.Own(ctx, p, session, mark)
}

func (l *line) Lost(ctx context.Context, by string, claim time.Duration) ([]string, error) {
	if err := l.err(); err != nil {
		return nil, err
	}
	return l.cluster.Lost(ctx, by, claim)
}

// lease is that of the tests.
const lease = 3 * time.Second

// members returns handlers in a bubble that share a cluster, and the way of the first one to it.
func members(t *testing.T, c *cluster, n int, opt nethttp.Options) (first *line, k []*kit, all []*bubble) {
	opt.Lease = lease
	for range n {
		l := &line{cluster: c}
		k = append(k, newKit())
		all = append(all, newShared(t, k[len(k)-1], l, opt))
		if first == nil {
			first = l
		}
	}
	return first, k, all
}

// has waits until the response has the text.
func (r *response) has(t *testing.T, within time.Duration, text string) {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end) && !strings.Contains(r.text(), text); {
		time.Sleep(10 * time.Millisecond)
	}
	if got := r.text(); !strings.Contains(got, text) {
		t.Errorf("%s is not there after %v: %d %s", text, within, r.status(), got)
	}
}

const processLost = `"id":1,"error":{"code":-32603,"message":"the process that ran the call was lost: the call may have had effects","data":{"outcome":"unknown","reason":"process lost"}}`

// A process dies with a call, a question within it and a stream that listens: the others answer the call with an
// error that says so, withdraw the question, and send what comes to the stream that is there. The id of the call can be used again.
func TestProcessDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		first, k, all := members(t, c, 3, nethttp.Options{StreamAfter: -1})
		a, b, d := all[0], all[1], all[2]
		session := a.open("2025-11-25")
		listens := a.serve("GET", session, "2025-11-25", "", nil)
		r := a.serve("POST", session, "2025-11-25", callOf("ask", `{}`), nil)
		<-k[0].begun
		r.has(t, time.Second, "sampling/createMessage")
		id, _, _ := strings.Cut(r.text()[strings.LastIndex(r.text(), "id: ")+4:], "\n")
		first.cut.Store(true) // it dies
		died := time.Now()
		r.cut()
		listens.cut()
		// The id is taken as long as the process may live.
		early := b.serve("POST", session, "2025-11-25", callOf("echo", `{}`), nil)
		if <-early.done; early.status() != http.StatusBadRequest {
			t.Error("the id of a call that may run:", early.status(), early.text())
		}
		back := b.serve("GET", session, "2025-11-25", "", nil, func(r *http.Request) { r.Header.Set("Last-Event-ID", id) })
		back.has(t, lease*3/2, processLost)
		back.has(t, 0, "notifications/cancelled")
		if after := time.Since(died); after > lease*3/2 {
			t.Errorf("its client is told after %v", after)
		}
		<-back.done // the stream of the call ends
		news := d.serve("GET", session, "2025-11-25", "", nil)
		time.Sleep(time.Second)
		if err := b.h.Notify(context.Background(), session, protocol.LoggingMessageParams{Level: "info", Data: `"news"`}); err != nil {
			t.Fatal(err)
		}
		news.has(t, time.Second, "news")
		again := d.serve("POST", session, "2025-11-25", callOf("echo", `{}`), nil)
		again.has(t, time.Second, `"text":"echo {}"`)
		time.Sleep(4 * lease)
		c.mu.Lock()
		if len(c.processes) != 2 {
			t.Errorf("%d processes are known", len(c.processes))
		}
		c.mu.Unlock()
		// It was not dead: it has ended all that it had, and begins anew.
		if err := <-k[0].ended; err == nil {
			t.Error("its function runs on")
		}
		first.cut.Store(false)
		time.Sleep(lease)
		late := a.serve("POST", session, "2025-11-25", callOf("echo", `{}`), nil)
		late.has(t, time.Second, `"text":"echo {}"`)
		news.cut()
		for _, x := range all {
			x.close()
		}
	})
}

// A process that cannot renew its lease ends what it has before others do: the client of a POST that waits is told
// that nobody knows, a stream that can be resumed ends, one that cannot has the error once others have taken over.
func TestLeaseEnds(t *testing.T) {
	for _, tt := range []struct {
		name, revision string
		after          time.Duration
		accept         string
		status         int
		early, late    string // after two thirds of a lease; after two leases more
	}{
		{"waits for JSON", "2025-11-25", time.Hour, "", 503, `"data":{"outcome":"unknown"}`, ""},
		{"takes JSON alone", "2025-11-25", -1, "application/json", 503, `"data":{"outcome":"unknown"}`, ""},
		{"can resume", "2025-11-25", -1, "", 200, "id: ", ""},
		{"cannot resume", "2025-06-18", -1, "", 200, "", processLost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, k, all := members(t, newCluster(), 2, nethttp.Options{StreamAfter: tt.after})
				a, b := all[0], all[1]
				session := a.open(tt.revision)
				r := a.serve("POST", session, tt.revision, callOf("gate", `{}`), nil, func(r *http.Request) {
					if tt.accept != "" {
						r.Header.Set("Accept", tt.accept)
					}
				})
				<-k[0].begun
				synctest.Wait() // its stream has begun
				first.cut.Store(true)
				time.Sleep(lease*2/3 + 10*time.Millisecond)
				if err := <-k[0].ended; err == nil {
					t.Error("the function goes on")
				}
				time.Sleep(5 * time.Second) // what asks the store gives up
				if r.status() != tt.status || !strings.Contains(r.text(), tt.early) || r.over() != (tt.late == "") {
					t.Error(r.over(), r.status(), r.text())
				}
				first.cut.Store(false)
				time.Sleep(2 * lease)
				if !r.over() || !strings.Contains(r.text(), tt.late) {
					t.Error(r.over(), r.status(), r.text())
				}
				again := b.serve("POST", session, tt.revision, callOf("echo", `{}`), nil)
				again.has(t, time.Second, `"text":"echo {}"`)
				a.close()
				b.close()
			})
		})
	}
}

// Processes that live keep what they have for as long as it takes, and a session that nobody has anything of is
// forgotten by the cluster after a while.
func TestLeaseIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		_, k, all := members(t, c, 2, nethttp.Options{})
		session := all[0].open("2025-11-25")
		r := all[0].serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
		<-k[0].begun
		time.Sleep(time.Hour)
		noted := func() (n int) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.processes) != 2 {
				t.Errorf("%d processes", len(c.processes))
			}
			for _, p := range c.processes {
				n += len(p.sessions)
			}
			return n
		}
		if n := noted(); n != 1 {
			t.Errorf("%d sessions are noted", n)
		}
		k[0].free <- struct{}{}
		<-r.done
		r.has(t, 0, `"text":"free {}"`)
		time.Sleep(2 * time.Minute)
		if n := noted(); n != 0 {
			t.Errorf("%d sessions are noted for nothing", n)
		}
		<-all[0].serve("POST", session, "2025-11-25", callOf("echo", `{}`), nil).done
		if n := noted(); n != 1 {
			t.Errorf("%d sessions are noted", n)
		}
		for _, b := range all {
			b.close()
		}
	})
}

// What cannot be noted is not begun: the client may post it again.
func TestNotNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, k, all := members(t, newCluster(), 1, nethttp.Options{})
		session := all[0].open("2025-11-25")
		first.own.Store(true)
		r := all[0].serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
		if <-r.done; r.status() != http.StatusServiceUnavailable || !strings.Contains(r.text(), "retryAfterMs") || len(k[0].begun) > 0 {
			t.Error(r.status(), r.text())
		}
		first.own.Store(false)
		k[0].free <- struct{}{}
		r = all[0].serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
		r.has(t, time.Second, `"text":"free {}"`)
		all[0].close()
	})
}

// older is the way to a cluster on which records come as a version before owners stored them.
type older struct{ *line }

var sinceOwners = regexp.MustCompile(`,"owners":\[[^]]*\]|,"s":\d+`)

func (o older) Get(ctx context.Context, id string) ([]byte, error) {
	data, err := o.line.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	n, k := binary.Uvarint(data)
	head := sinceOwners.ReplaceAll(data[k:k+int(n)], nil)
	return append(append(binary.AppendUvarint(nil, uint64(len(head))), head...), data[k+int(n):]...), nil
}

// A call in a record without owners is answered by the process that has it.
func TestRecordsWithoutOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		k := newKit()
		a := newShared(t, k, older{&line{cluster: c}}, nethttp.Options{Lease: lease})
		session := a.open("2025-11-25")
		r := a.serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
		<-k.begun
		c.table.mu.Lock()
		if text := c.rows[session].data; !strings.Contains(text, `"owners":[{"c":2,`) || !strings.Contains(text, `{"s":1,"g":1,`) {
			t.Error("no owners are stored:", text)
		}
		c.table.mu.Unlock()
		time.Sleep(2 * lease)
		k.free <- struct{}{}
		r.has(t, time.Second, `"text":"free {}"`)
		a.close()
	})
}
