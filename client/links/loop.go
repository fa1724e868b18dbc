package links

import (
	"context"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// Todo is what a step of a machine asks for, of which a Loop does the Actions.
type Todo interface {
	// Todo returns what is to be done with the Links, in order.
	Todo() []manager.Action
}

// Machine is what a Loop runs: a manager.Manager, or what has one inside. M is its own type, and E
// that of what a step asks for.
type Machine[M any, E Todo] interface {
	// Report handles what happened to a Link.
	Report(now time.Time, r manager.Report) (M, E)
	// Tick lets time pass.
	Tick(now time.Time) (M, E)
	// NextDeadline returns when Tick is next due; false if nothing waits.
	NextDeadline() (time.Time, bool)
}

// Loop runs a machine over Links: it reports what happens to them, and calls Tick when it is due.
type Loop[M Machine[M, E], E Todo] struct {
	lock  sync.Locker // guards all but links
	links *Links
	act   func(E)
	timer *time.Timer // the next deadline
	m     M
	ended bool
}

// NewLoop returns a Loop of a machine. Close is due. lock guards the machine and whatever the
// driver keeps beside it. act is called in each step, with the lock held, when the Actions have been
// done: it does the rest, never waits, and may take further steps. opt.Report is the Loop's own.
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

// Machine returns the machine as it is now. The lock is held.
func (l *Loop[M, E]) Machine() M { return l.m }

// Links returns the Links of the machine, for Full.
func (l *Loop[M, E]) Links() *Links { return l.links }

// Step takes what a verb of the machine has returned: the next machine, and what is to be done. The
// lock is held, since before the verb.
func (l *Loop[M, E]) Step(m M, e E) {
	l.m = m
	l.links.Do(e.Todo())
	l.act(e)
	l.arm()
}

// arm sets the timer.
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

// Close ends all Links, as Links.Close does, and then the ticks. The lock is not held. Errors:
// those of Links.Close.
func (l *Loop[M, E]) Close(ctx context.Context) error {
	err := l.links.Close(ctx)
	l.lock.Lock()
	defer l.lock.Unlock()
	l.ended = true
	l.timer.Stop()
	return err
}
