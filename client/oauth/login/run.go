package login

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// begin begins the run that the Flow needs; nil if it needs none.
func (r *Runner) begin(need oauth.Need) *run {
	next := r.f.Want(time.Now(), random(), need)
	if !next.Phase().Running() {
		r.f = next
		return nil
	}
	return r.start(&run{need: need, renewal: need.Status == 0})
}

// start starts a run.
func (r *Runner) start(x *run) *run {
	x.ctx, x.leave = context.WithCancel(r.ctx)
	r.now = x
	r.runs.Go(func() { r.carry(x) })
	return x
}

// wait waits until the run has ended, or needs a person and is Detached. The last caller that leaves ends
// the run.
func (r *Runner) wait(ctx context.Context, x *run) {
	x.waiting++
	for !x.done && ctx.Err() == nil && !r.closed && !(x.away && r.f.Phase() == oauth.Person) {
		r.changed.Wait(ctx, &r.mu)
	}
	if x.waiting--; x.waiting == 0 && !x.done && !r.opt.Detached {
		x.leave()
	}
}

// carry runs x to its end.
func (r *Runner) carry(x *run) {
	defer x.leave()
	r.mu.Lock()
	defer r.mu.Unlock()
	if x.answer != nil {
		r.claim(x)
	} else if x.err = r.open(x); x.err != nil {
		x.renewal = false
	}
	for r.f.Phase().Running() {
		if x.ctx.Err() != nil {
			r.f = r.f.Cancel(time.Now())
			break
		}
		switch r.f.Phase() {
		case oauth.Requesting:
			r.request(x)
		case oauth.Person:
			r.person(x)
		case oauth.Asking:
			r.ask(x)
		default:
			at, _ := r.f.NextDeadline()
			r.until(x, at, oauth.Waiting)
		}
		r.changed.Wake()
	}
	if x.gone {
		r.unlocked()
	} else {
		r.save("")
	}
	r.release()
	if a := x.answer; a != nil { // it came too late
		a.done, a.err, x.answer = true, errState, nil
	}
	if x.done, r.now = true, nil; x.err == nil {
		x.err = failure(r.f)
	}
	if f := r.f.Failure(); f != nil && f.Reason == oauth.Unreachable && x.last != nil {
		x.err = fmt.Errorf("%w: %w", x.err, x.last)
	}
	r.changed.Wake()
}

// save saves the Record of the Flow, with a login that waits for its person.
func (r *Runner) save(parks oauth.Secret) {
	f := r.f
	r.mu.Unlock()
	r.close(f, parks)
	r.mu.Lock()
}

// request sends the request of the Flow. It continues after the last waiting caller has left.
func (r *Runner) request(x *run) {
	call := r.f.Call()
	r.mu.Unlock()
	a, err := r.do(call)
	r.mu.Lock()
	if x.last = err; err != nil {
		r.f = r.f.Unanswered(time.Now(), random())
	} else {
		r.f = r.f.Respond(time.Now(), random(), a)
	}
	r.f = r.f.Tick(time.Now(), random()) // the run's deadline may have passed
}

// ask calls Give, which may take until the end of the run.
func (r *Runner) ask(x *run) {
	a := r.f.Ask()
	at, _ := r.f.NextDeadline()
	ctx, end := context.WithDeadline(x.ctx, at)
	defer end()
	r.mu.Unlock()
	given, err := r.give(ctx, a)
	r.mu.Lock()
	if x.renewal = false; err != nil {
		r.abandon(x, err)
	} else {
		r.f = r.f.Given(time.Now(), random(), given)
	}
}

// abandon ends a run with an error that does not come from the Flow.
func (r *Runner) abandon(x *run, err error) {
	x.err = fmt.Errorf("login: %w", err)
	r.f = r.f.Cancel(time.Now())
}

// elsewhere begins the run again with another port in the redirect: another program has taken the one that
// was free.
func (r *Runner) elsewhere(x *run) (err error) {
	r.release()
	if r.held, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	r.config.Redirect = redirectAt(r.held.Addr().String())
	now := time.Now()
	f, err := oauth.Restore(r.config, r.at, r.f.Cancel(now).Snapshot(oauth.With))
	if err != nil {
		return err
	}
	if x.need.Status == 0 {
		x.need.Status = http.StatusUnauthorized // because the token could not be renewed
	}
	r.f = f.Want(now, random(), x.need)
	return nil
}

// until waits until a time, while the Flow is in a phase.
func (r *Runner) until(x *run, at time.Time, phase oauth.Phase) {
	ctx, stop := context.WithDeadline(x.ctx, at)
	defer stop()
	for r.f.Phase() == phase && ctx.Err() == nil && x.answer == nil {
		r.changed.Wait(ctx, &r.mu)
	}
	if x.ctx.Err() == nil && ctx.Err() != nil {
		r.f = r.f.Tick(time.Now(), random())
	}
}

// person shows a person the page, and waits for the answer.
func (r *Runner) person(x *run) {
	x.renewal = false
	switch is := r.f.Record().Pending; { // let others use the Store while the person is away
	case !r.shares():
		r.save("")
	case is != x.parked:
		x.parked, x.shared = is, false
		r.save(is)
		x.shared = r.kept.pending == is
	default: // do not restore a login that another process has claimed
		r.unlocked()
	}
	p := r.f.Page()
	if p.URL == "" {
		return
	}
	if r.opt.Detached {
		x.away = true
		r.changed.Wake()
		r.until(x, p.Until, oauth.Person)
		if x.away = false; x.answer != nil {
			r.claim(x)
		}
		return
	}
	stop, err := r.listen()
	switch {
	case err != nil && r.chosen && r.elsewhere(x) == nil:
		return
	case err != nil:
		r.abandon(x, err)
		return
	}
	defer r.runs.Go(stop)
	ctx, end := context.WithCancel(x.ctx)
	defer end()
	r.runs.Go(func() {
		err := r.shown(ctx, p)
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil && r.f.Page() == p {
			r.abandon(x, err)
			r.changed.Wake()
		}
	})
	r.until(x, p.Until, oauth.Person)
}
