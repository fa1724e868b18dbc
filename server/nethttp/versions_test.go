package nethttp_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

var update = flag.Bool("update", false, "write testdata anew")

// golden is a record of version 1 as the release before nethttp.Changes stored it: a session of 2025-11-25 with a call
// that asks, and two events on its stream.
const (
	golden   = "testdata/record-1"
	goldenID = "GOLDENGOLDENGOLDENGOLDEN22"
)

// A session that the version before has stored goes on: its stream is resumed, the answer to its question is taken, and
// what follows is appended to the record.
func TestGoldenRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if *update {
			tab := newTable()
			k := newKit()
			b := newShared(t, k, tab, nethttp.Options{StreamAfter: -1})
			session := b.open("2025-11-25")
			r := b.serve("POST", session, "2025-11-25", callOf("ask", `{}`), nil)
			r.asked(t)
			if err := os.WriteFile(golden, []byte(record(tab.at(session))), 0o644); err != nil {
				t.Fatal(err)
			}
			r.cut()
			<-r.done
			b.h.Close()
		}
		data, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		tab := newTable()
		tab.rows[goldenID] = row{string(data), 5}
		k := newKit()
		b := newShared(t, k, tab, nethttp.Options{StreamAfter: -1})
		r := b.serve("GET", goldenID, "2025-11-25", "", nil, resumedAt("1-1"))
		r.has(t, time.Second, "sampling/createMessage")
		for i := range 20 {
			b.serve("POST", goldenID, "2025-11-25", callID(10+i, "echo"), nil).has(t, time.Second, "echo")
		}
		if entry := tab.at(goldenID); record(entry) == entry {
			t.Error("nothing was appended to the record")
		}
		r.cut()
		<-r.done
		b.h.Close()
	})
}

// What a process of the version before reads where a turn was appended is no record to it.
func TestAppendedIsNoRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab, k := newTable(), newKit()
		b := newShared(t, k, tab, nethttp.Options{StreamAfter: -1})
		session := b.open("2025-11-25")
		var waits []*response
		for i := range 20 {
			waits = append(waits, b.serve("POST", session, "2025-11-25", callID(i, "gate"), nil))
			<-k.begun
		}
		entry := tab.at(session)
		if record(entry) == entry {
			t.Fatal("nothing was appended")
		}
		if _, err := nethttp.RestoreRecord(b.h.Config(), streams.Options{}, []byte(entry), time.Now()); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Error(err)
		}
		for _, r := range waits {
			k.free <- struct{}{}
			<-r.done
		}
		b.h.Close()
	})
}

// newer is the way to a cluster of a process whose records have a later version, and which reads those of before as well.
type newer struct{ *line }

func (n newer) Get(ctx context.Context, id string) ([]byte, error) {
	data, err := n.line.Get(ctx, id)
	return []byte(strings.Replace(string(data), `{"v":2,`, `{"v":1,`, 1)), err
}

func (n newer) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	return n.line.Put(ctx, id, []byte(strings.Replace(string(data), `{"v":1,`, `{"v":2,`, 1)), step, keep)
}

// While a process of a later version is updated beside one of this: this one's sessions are served by both, and one that
// the later one has made a turn of by that alone. A client that comes to this one is told to try again, with all it may
// ask for, and the record stays as it is: also where its process dies, and where it was idle for long, until
// another one of the later version comes.
func TestTwoVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		opt := nethttp.Options{StreamAfter: -1, Lease: lease, IdleTimeout: time.Hour}
		la, kb := &line{cluster: c}, newKit()
		a := newWhole(t, newKit(), newer{la}, opt, 1)
		b := newShared(t, kb, &line{cluster: c}, opt)
		session := b.open("2025-11-25")
		for i, p := range []*bubble{b, a} {
			p.serve("POST", session, "2025-11-25", callID(10+i, "echo"), nil).has(t, time.Second, "echo")
		}
		open := a.serve("POST", session, "2025-11-25", callID(20, "gate"), nil)
		<-a.k.begun
		synctest.Wait()
		stored := func() string {
			c.table.mu.Lock()
			defer c.table.mu.Unlock()
			return c.rows[session].data
		}
		before := stored()
		refused := func() {
			t.Helper()
			for i, r := range []*response{
				b.serve("POST", session, "2025-11-25", callID(30, "echo"), nil), b.serve("GET", session, "2025-11-25", "", nil),
				b.serve("GET", session, "2025-11-25", "", nil, resumedAt("1-1")), b.serve("DELETE", session, "2025-11-25", "", nil),
				b.serve("POST", session, "2025-11-25", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":20}}`, nil),
			} {
				<-r.done
				if r.status() != 503 || r.head.Get("Retry-After") == "" {
					t.Error(i, r.status(), r.head, r.text())
				}
			}
			if stored() != before {
				t.Errorf("the record is %s, and was %s", stored(), before)
			}
		}
		refused()
		la.cut.Store(true) // it dies
		time.Sleep(20 * lease)
		refused()
		next := newWhole(t, newKit(), newer{&line{cluster: c}}, opt, 1)
		time.Sleep(6 * lease)
		if text := record(stored()); strings.Contains(text, `"c":`) {
			t.Error("nobody has taken over:", text)
		}
		next.serve("POST", session, "2025-11-25", callID(40, "echo"), nil).has(t, time.Second, "echo")
		<-open.done
		b.h.Close()
		next.h.Close()
		a.h.Close()
	})
}
