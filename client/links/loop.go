package links

import (
	"context"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// Todo is the effects of a step; a Loop performs its Actions.
type Todo interface {
	// Todo returns the Actions for the Links, in order.
	Todo() []manager.Action
}

// Machine is what a Loop runs: a manager.Manager, or a machine that contains one. M is its own
// type, and E the type of its effects.
type Machine[M any, E Todo] interface {
	// Report handles a report about a Link.
	Report(now time.Time, r manager.Report) (M, E)
	// Tick expires deadlines.
	Tick(now time.Time) (M, E)
	// NextDeadline returns when to call Tick; false if there is no deadline.
	NextDeadline() (time.Time, bool)
}

// Loop runs a machine over Links: it passes on their reports, and calls Tick at each deadline.
type Loop[M Machine[M, E], E Todo] struct {
	lock  sync.Locker // guards all fields except links
	links *Links
	act   func(E)
	timer *time.Timer // the next deadline
	m     M
	ended bool
}

// NewLoop returns a Loop of a machine. Call Close at the end. lock guards the machine and other
// state of the driver. act is called in each step, with the lock held, after the Actions have been
// performed: it handles the rest, must not wait, and may run further steps. The Loop sets
// opt.Report.
func NewLoop[M Machine[M, E], E Todo](lock sync.Locker, m M, dial Dial, opt Options, act func(E)) *Loop[M, E] {
	l := &Loop[M, E]{lock: lock, m: m, act: act}
	opt.Report = func(r manager.Report) {
		lock.Lock()
		defer lock.Unlock()
		l.Step(l.m.Report(time.Now(), r))
	}
	l.links = New(dial, opt)
	l.timer = time.AfterFunc(time.Hour, l.tick)
	l.arm()
	return l
}

// Machine returns the current machine. The caller holds the lock.
func (l *Loop[M, E]) Machine() M { return l.m }

// Links returns the Links of the machine, for Full.
func (l *Loop[M, E]) Links() *Links { return l.links }

// Step applies the result of a verb of the machine: the next machine and its effects. The caller
// has held the lock since before the verb.
func (l *Loop[M, E]) Step(m M, e E) {
	l.m = m
	l.links.Do(e.Todo())
	l.act(e)
	l.arm()
}

// arm sets the timer to the next deadline.
func (l *Loop[M, E]) arm() {
	if t, ok := l.m.NextDeadline(); ok && !l.ended {
		l.timer.Reset(time.Until(t))
	} else {
		l.timer.Stop()
	}
}

func (l *Loop[M, E]) tick() {
	l.lock.Lock()
	defer l.lock.Unlock()
	if !l.ended {
		l.Step(l.m.Tick(time.Now()))
	}
}

// Close ends all Links, as Links.Close does, and then the ticks. The caller must not hold the lock.
// Errors: those of Links.Close.
func (l *Loop[M, E]) Close(ctx context.Context) error {
	err := l.links.Close(ctx)
	l.lock.Lock()
	defer l.lock.Unlock()
	l.ended = true
	l.timer.Stop()
	return err
}
