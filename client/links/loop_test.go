package links

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

// embedded is a machine with a Manager inside, whose steps ask for more than that.
type embedded struct{ m manager.Manager }

type more struct{ manager.Effects }

func (e embedded) Report(now time.Time, r manager.Report) (embedded, more) {
	m, f := e.m.Report(now, r)
	return embedded{m}, more{f}
}

func (e embedded) Tick(now time.Time) (embedded, more) {
	m, f := e.m.Tick(now)
	return embedded{m}, more{f}
}

func (e embedded) NextDeadline() (time.Time, bool) { return e.m.NextDeadline() }

// A Loop dials again when that is due, as the machine says, until it is closed: then it ticks no
// more. A step within a step is one, and the timer follows the last of them.
func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := manager.New(manager.Config{
			Client: client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}, HashKey: [16]byte{1}},
		}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		dials, steps := 0, 0
		var mu sync.Mutex
		var l *Loop[embedded, more]
		dial := func(context.Context, any) (Transport, error) { dials++; return nil, errors.New("refused") }
		l = NewLoop(&mu, embedded{m}, dial, Options{}, func(out more) {
			if mu.TryLock() {
				t.Error("a step without the lock")
			}
			steps++
			for _, ev := range out.Events {
				if ev.Kind == manager.ServerChanged && ev.To == manager.Waiting && ev.Link.Epoch == 1 {
					m, e, err := l.Machine().m.Connect(time.Now(), "b", manager.Options{Endpoint: "b"})
					if err != nil {
						t.Error(err)
					}
					l.Step(embedded{m}, more{e})
				}
			}
		})
		mu.Lock()
		m, e, err := l.Machine().m.Connect(time.Now(), "a", manager.Options{Endpoint: "a", Supervise: true})
		l.Step(embedded{m}, more{e})
		mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		mu.Lock()
		a, _ := l.Machine().m.Status("a")
		b, ok := l.Machine().m.Status("b")
		mu.Unlock()
		if dials < 4 || steps < dials || !ok || b.Condition != manager.Failed || a.Dials != dials-1 {
			t.Errorf("%d dials, %d steps, %+v, %+v", dials, steps, a, b)
		}
		if err := l.Close(t.Context()); err != nil {
			t.Error(err)
		}
		before := steps
		mu.Lock()
		l.Step(l.Machine(), more{}) // by somebody who comes late
		mu.Unlock()
		time.Sleep(time.Hour)
		if steps != before+1 || l.Links().Len() != 0 {
			t.Errorf("%d steps after Close, %d links", steps-before, l.Links().Len())
		}
	})
}
