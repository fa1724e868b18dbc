package nethttp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// The home of a session dies in the middle of calls. Its client is told as soon as it comes back: that a call is lost,
// on its stream, and whoever is asked is the home from then on. The old one, if it wakes, has nothing of the session.
func TestHomeDies(t *testing.T) {
	for _, tt := range []struct {
		name   string
		dies   func(w *town)
		within time.Duration // until clients are told
	}{
		{"killed", func(w *town) { w.kill(0) }, 100 * time.Millisecond},
		{"silent", func(w *town) {
			w.ways[0].cut.Store(true)
			w.lan.set(w.names[0], func(m *machine) { m.hangs = true })
		}, 2 * lease},
		{"begun anew", func(w *town) {
			w.ways[0].cut.Store(true)
			w.lan.set(w.names[0], func(m *machine) { m.down() })
			w.lan.put(w.names[0], w.all[2].h.Internal())
		}, 100 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTown(t, 3, nethttp.Options{StreamAfter: -1})
				a, b := w.all[0], w.all[1]
				session := a.open("2025-11-25")
				r := b.serve("POST", session, "2025-11-25", callID(1, "own-ask"), nil)
				r.has(t, time.Second, "sampling/createMessage")
				id, _, _ := strings.Cut(r.text()[strings.LastIndex(r.text(), "id: ")+4:], "\n")
				listens := b.serve("GET", session, "2025-11-25", "", nil)
				time.Sleep(time.Second)
				died := time.Now()
				tt.dies(w)
				fast := b.serve("POST", session, "2025-11-25", callID(2, "own-fast"), nil)
				<-fast.done
				if told := time.Since(died); told > tt.within {
					t.Error("told after", told)
				}
				if tt.name == "silent" { // it may have read the request
					if fast.status() != http.StatusServiceUnavailable || !strings.Contains(fast.text(), `"outcome":"unknown"`) {
						t.Error(fast.status(), fast.text())
					}
					<-r.done
					<-listens.done
				} else {
					fast.has(t, 0, `"text":"at once"`)
				}
				back := b.serve("GET", session, "2025-11-25", "", nil, func(r *http.Request) { r.Header.Set("Last-Event-ID", id) })
				back.has(t, time.Second, processLost)
				<-back.done
				again := w.all[2].serve("POST", session, "2025-11-25", callID(3, "own-fast"), nil)
				again.has(t, time.Second, `"text":"at once"`)
				if w.sides[1].count() != 1 || w.sides[2].count() != 0 {
					t.Error(w.sides[1].made, w.sides[2].made)
				}
				time.Sleep(lease)
				if w.sides[0].ended(session) == "" {
					t.Error("the Companion of a process without a lease goes on")
				}
				// It wakes.
				w.ways[0].cut.Store(false)
				w.lan.put(w.names[0], a.h.Internal())
				time.Sleep(lease)
				_ = a.h.StepNow(context.Background(), session) // what a server of the old home may say
				late := a.serve("POST", session, "2025-11-25", callID(4, "own-fast"), nil)
				late.has(t, time.Second, `"text":"at once"`)
				if w.sides[0].count() != 1 || w.sides[1].count() != 1 {
					t.Error(w.sides[0].made, w.sides[1].made)
				}
				w.close()
			})
		})
	}
}

// A home that others cannot reach loses its sessions to them, though it lives: all that it had, soon, and not only the
// one that was asked for. An answer that it comes to afterwards goes nowhere.
func TestHomeIsDisplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: time.Hour})
		a, b := w.all[0], w.all[1]
		one, two := a.open("2025-11-25"), a.open("2025-11-25")
		r := b.serve("POST", one, "2025-11-25", callID(1, "own"), nil)
		time.Sleep(time.Second)
		w.lan.kill(w.names[0])
		<-r.done
		b.serve("POST", one, "2025-11-25", callID(2, "own-fast"), nil).has(t, time.Second, "at once")
		w.sides[0].news(one, "too late")
		_ = a.h.StepNow(context.Background(), one)
		time.Sleep(time.Second)
		if w.sides[0].ended(one) == "" || w.sides[0].ended(two) == "" || w.sides[1].ended(one) != "" {
			t.Error(w.sides[0].over, w.sides[1].over)
		}
		w.table.mu.Lock()
		if strings.Contains(w.rows[one].data, "too late") || strings.Contains(r.text(), "too late") {
			t.Error("the answer of a process that is not the home is stored")
		}
		w.table.mu.Unlock()
		w.close()
	})
}

// Many come at once to a session whose home has died, at several processes: one of these is the home, every call is
// answered, once, and nobody is sent in a circle.
func TestManyAtANewHome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 4, nethttp.Options{StreamAfter: time.Hour})
		session := w.all[0].open("2025-11-25")
		w.kill(0)
		var all []*response
		for i := range 100 {
			all = append(all, w.all[1+i%3].serve("POST", session, "2025-11-25", callID(i+1, "own-fast"), nil))
		}
		for i, r := range all {
			if <-r.done; r.status() != http.StatusOK || strings.Count(r.text(), "at once") != 1 {
				t.Error(i, r.status(), r.text())
			}
		}
		calls := 0
		for _, k := range w.sides {
			a, _ := k.of(session)
			calls += len(a.told)
		}
		if calls < 100 || calls > 100+8 { // phases too
			t.Error(calls, "calls")
		}
		homes := 0
		for _, k := range w.sides[1:] {
			if k.count() > 0 && k.ended(session) == "" {
				homes++
			}
		}
		if homes != 1 {
			t.Error(homes, "homes")
		}
		w.close()
	})
}

// A request that a home may have read is not made again: its client is told that nobody knows. One whose connection
// was refused is, and one that no connection could be had for was not made.
func TestForwardedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: time.Hour})
		session := w.all[0].open("2025-11-25")
		w.lan.set(w.names[0], func(m *machine) { m.breaks = true })
		for _, tt := range [][2]string{{"POST", `"outcome":"unknown"`}, {"GET", "retryAfterMs"}, {"DELETE", `"outcome":"unknown"`}} {
			method, want, body := tt[0], tt[1], ""
			if method == "POST" {
				body = callID(1, "own-fast")
			}
			sent := w.lan.sent
			r := w.all[1].serve(method, session, "2025-11-25", body, nil)
			if <-r.done; r.status() != http.StatusServiceUnavailable || !strings.Contains(r.text(), want) {
				t.Error(method, r.status(), r.text())
			}
			if w.lan.sent != sent+1 || w.sides[1].count() != 0 {
				t.Error(method, w.lan.sent-sent, "times")
			}
		}
		w.close()
	})
}

// The home becomes another one while a request is on its way: the process that gets it does nothing, and says so.
func TestHomeMovesMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: time.Hour})
		session := w.all[0].open("2025-11-25")
		moved := 0
		w.lan.set(w.names[0], func(m *machine) {
			m.serves = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				w.cluster.mu.Lock()
				w.table.mu.Lock()
				row := w.rows[session]
				for a := range w.processes {
					for b := range w.processes {
						if strings.Contains(row.data, a) && a != b && moved == 0 {
							moved++
							row.data = strings.ReplaceAll(row.data, a, b)
						}
					}
				}
				w.rows[session] = row
				w.table.mu.Unlock()
				w.cluster.mu.Unlock()
				w.all[0].h.Internal().ServeHTTP(rw, r)
			})
		})
		r := w.all[1].serve("POST", session, "2025-11-25", callID(1, "own-fast"), nil)
		if <-r.done; r.status() != http.StatusOK || !strings.Contains(r.text(), "at once") || moved != 1 {
			t.Error(moved, r.status(), r.text())
		}
		if w.sides[0].ended(session) == "" || w.sides[1].count() != 1 {
			t.Error("the old home goes on")
		}
		w.close()
	})
}

// A session that nobody uses is noted for its home as long as that has a Companion for it, which costs the store nothing.
func TestHomeIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 1, nethttp.Options{})
		session := w.all[0].open("2025-11-25")
		gets := w.ways[0].gets.Load()
		time.Sleep(10 * time.Minute)
		if n := w.ways[0].gets.Load(); n > gets+1 { // one for the time of its handshake
			t.Error(n-gets, "records are read")
		}
		w.cluster.mu.Lock()
		for _, p := range w.processes {
			if len(p.sessions) != 1 {
				t.Error(p.sessions)
			}
		}
		w.cluster.mu.Unlock()
		<-w.all[0].serve("DELETE", session, "2025-11-25", "", nil).done
		w.close()
	})
}

// A client that leaves leaves the home too.
func TestClientLeavesHome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: -1})
		session := w.all[0].open("2025-11-25")
		r := w.all[1].serve("GET", session, "2025-11-25", "", nil)
		time.Sleep(time.Second)
		if n := w.all[0].h.Status().Connections; n != 1 {
			t.Error(n, "connections")
		}
		r.cut()
		<-r.done
		time.Sleep(time.Second)
		if n := w.all[0].h.Status().Connections; n != 0 {
			t.Error(n, "connections")
		}
		w.close()
	})
}

// A request is passed on maxForwards times at most: whoever sends it back is not asked for ever.
func TestForwardsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: time.Hour})
		session := w.all[0].open("2025-11-25")
		w.lan.set(w.names[0], func(m *machine) {
			m.serves = http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusMisdirectedRequest) })
		})
		sent := w.lan.sent
		r := w.all[1].serve("POST", session, "2025-11-25", callID(1, "own-fast"), nil)
		if <-r.done; r.status() != http.StatusServiceUnavailable || !strings.Contains(r.text(), "retryAfterMs") {
			t.Error(r.status(), r.text())
		}
		if n := w.lan.sent - sent; n != 4 {
			t.Error(n, "times")
		}
		w.close()
	})
}

// A proxy of Internal.Transport that is down says nothing of the home behind it.
func TestProxyIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: time.Hour})
		session := w.all[0].open("2025-11-25")
		w.lan.set(w.names[0], func(m *machine) { m.behind = true })
		r := w.all[1].serve("POST", session, "2025-11-25", callID(1, "own-fast"), nil)
		if <-r.done; r.status() != http.StatusServiceUnavailable || w.sides[1].count() != 0 {
			t.Error(r.status(), r.text())
		}
		w.all[0].serve("POST", session, "2025-11-25", callID(2, "own-fast"), nil).has(t, time.Second, "at once")
		if w.sides[0].ended(session) != "" {
			t.Error("the home is taken for dead")
		}
		w.close()
	})
}

// Close ends what is passed on.
func TestCloseEndsWhatIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: -1})
		session := w.all[0].open("2025-11-25")
		listens := w.all[1].serve("GET", session, "2025-11-25", "", nil)
		time.Sleep(time.Second)
		w.all[1].h.Close()
		time.Sleep(time.Second)
		select {
		case <-listens.done:
		default:
			t.Error("a stream goes on after Close")
		}
		w.close()
	})
}
