package nethttp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// telling is a way to a branched cluster.
type telling struct {
	*line
	b *branched
}

func (l telling) Branch(ctx context.Context) (uint64, error) { return l.b.Branch(ctx) }

func (l telling) PutOn(ctx context.Context, branch uint64, id string, data []byte, step uint64, keep time.Duration) error {
	if err := l.err(); err != nil {
		return err
	}
	return l.b.PutOn(ctx, branch, id, data, step, keep)
}

func (l telling) DisownOn(ctx context.Context, branch uint64, process, session string, mark uint64) error {
	return l.b.DisownOn(ctx, branch, process, session, mark)
}

func (l telling) LeaveOn(ctx context.Context, branch uint64, process string) error {
	return l.b.LeaveOn(ctx, branch, process)
}

// The store loses turns of a session that has a home. What the Companion knows of it is not so any more: it is told
// that its session is gone, the call that it had answered is answered as lost, and a stream that nobody reads is not
// read. The next request makes another Companion, at one process alone. One whose session has lost nothing goes on.
func TestHomeOnPromotedStore(t *testing.T) {
	for name, tt := range map[string]struct {
		loses, first bool // turns; the next request comes before the home looks
	}{"the home looks first": {true, false}, "a request comes first": {true, true}, "nothing is lost": {false, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newBranched()
				w := newTownOn(t, 2, nethttp.Options{StreamAfter: -1}, c.cluster, func(l *line) nethttp.Table { return telling{l, c} })
				a, b := w.all[0], w.all[1]
				session := a.open("2025-11-25")
				listens := b.serve("GET", session, "2025-11-25", "", nil)
				time.Sleep(time.Second)
				r := b.serve("POST", session, "2025-11-25", callID(1, "own"), nil)
				r.has(t, time.Second, "id: ")
				if c.keep(); !tt.loses {
					time.Sleep(lease)
				}
				w.sides[0].news(session, "news")
				if err := a.h.StepNow(context.Background(), session); err != nil {
					t.Fatal(err)
				}
				<-r.done
				r.has(t, 0, `"text":"news"`)
				listens.cut()
				<-listens.done
				time.Sleep(time.Second)
				if !tt.loses {
					c.keep()
				}
				c.promote()
				if tt.first {
					b.serve("POST", session, "2025-11-25", callID(2, "own-fast"), nil).has(t, lease, `"text":"at once"`)
				}
				time.Sleep(2 * lease)
				if tt.loses {
					back := b.serve("GET", session, "2025-11-25", "", nil, resumedAt(idLines.FindStringSubmatch(r.text())[1]))
					back.has(t, lease, `"reason":"answer lost"`)
					if !within(lease, back.over) {
						t.Error("nobody answers the call")
						back.cut()
					}
				}
				c.table.mu.Lock()
				if data := record(w.rows[session].data); strings.Contains(data, `"s":`) {
					t.Error("a stream that nobody reads is read:", data[:strings.Index(data, `"owners"`)+400])
				}
				c.table.mu.Unlock()
				b.serve("POST", session, "2025-11-25", callID(3, "own-fast"), nil).has(t, lease, `"text":"at once"`)
				if gone := w.sides[0].ended(session) != ""; gone != tt.loses || w.sides[0].count() != map[bool]int{false: 1, true: 2}[tt.loses] || w.sides[1].count() != 0 {
					t.Error(gone, w.sides[0].made, w.sides[1].made)
				}
				w.close()
			})
		})
	}
}

// The store loses the turn that made a process the home, and another one is it: the first one ends what it has, also of
// a session that nobody asks it for.
func TestHomeIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newBranched()
		w := newTownOn(t, 2, nethttp.Options{StreamAfter: -1}, c.cluster, func(l *line) nethttp.Table { return telling{l, c} })
		a, b := w.all[0], w.all[1]
		session := a.begin("2025-11-25")
		c.keep()
		<-a.serve("POST", session, "2025-11-25", initialized, nil).done
		a.serve("POST", session, "2025-11-25", callID(1, "own-fast"), nil).has(t, time.Second, "at once")
		c.promote()
		<-b.serve("POST", session, "2025-11-25", initialized, nil).done
		b.serve("POST", session, "2025-11-25", callID(2, "own-fast"), nil).has(t, lease, "at once")
		time.Sleep(2 * lease)
		if w.sides[0].ended(session) == "" || w.sides[1].count() != 1 {
			t.Error(w.sides[0].made, w.sides[1].made, w.sides[0].over)
		}
		w.close()
	})
}
