package nethttp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/streams"
)

// stripe is the lock of the sessions that hash to it, and what this process has of them.
type stripe struct {
	mu    sync.Mutex
	live  map[string]*live
	sides map[string]*side // of Options.Companion
}

// stripes is a power of two.
const stripes = 256

func (h *Handler) stripe(id string) *stripe { return &h.stripes[hash(id)>>8&(stripes-1)] }

// live is what this process has of a session: its connections here and the functions that run
// here. A session without either has none. The stripe's lock guards it.
type live struct {
	h       *Handler
	id      string
	calls   *host.Calls
	conns   []*conn
	step    uint64 // the last that this process knows of
	held    int    // it is in use
	watched context.CancelFunc
}

// conn is an HTTP response that reads a stream.
type conn struct {
	at      streams.Conn
	wake    chan struct{} // there may be something new
	answer  chan []byte   // the answer of a POST, to be its body
	waits   bool          // for that
	written atomic.Int64  // the events up to this number were written
	timer   *time.Timer   // of await
	pool    *sync.Pool    // where it came from
}

// newConn returns a conn, if there is one that answered a POST with JSON, that one again. The
// pool is one of the Handler: a channel or a timer that was made within the bubble of a test
// (testing/synctest) may not be used in another one.
func (h *Handler) newConn() *conn {
	if c, ok := h.pool.Get().(*conn); ok {
		return c
	}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &conn{wake: make(chan struct{}, 1), answer: make(chan []byte, 1), timer: timer, pool: &h.pool}
}

// free gives a conn back that nobody else knows any more.
func (c *conn) free() {
	c.timer.Stop()
	select {
	case <-c.wake:
	default:
	}
	c.at, c.waits = streams.Conn{}, false
	c.written.Store(0)
	c.pool.Put(c)
}

func (c *conn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (h *Handler) newLive(st *stripe, id string) *live {
	l := &live{h: h, id: id}
	owner := h.due.owner(id)
	if owner == "" && h.opt.Authenticate != nil {
		owner = nobody
	}
	l.calls = h.work.NewCalls(l, owner)
	if st.live == nil {
		st.live = map[string]*live{}
	}
	st.live[id] = l
	return l
}

// nobody owns the sessions of the Principal without an ID: together, for each of them may be of anybody.
const nobody = "\x00"

// connections returns those that read here.
func (l *live) connections() []*conn {
	if l == nil {
		return nil
	}
	return l.conns
}

// awaits reports whether a function here waits for the request.
func (l *live) awaits(req uint64) bool { return l != nil && l.calls.Awaits(req) }

// effects does what a turn asks for of what this process has of the session.
func (l *live) effects(ctx context.Context, st *stripe, t *turn) {
	l.held++
	l.step = t.Step
	for _, ev := range t.claimed {
		l.calls.Deliver(ev)
	}
	l.calls.Handle(t.out)
	for _, call := range t.failed { // their answers are in the streams, and not in the Output
		l.calls.Handle(server.Output{Send: []server.Outgoing{{Call: call, Final: true}}})
	}
	if t.missed {
		l.calls.Reconcile(t.State)
	}
	for _, c := range l.conns {
		if t.missed || t.gone || t.over || slices.Contains(t.touched, c.at.Stream) {
			c.signal()
		}
	}
	if t.detach != nil {
		l.drop(t.detach)
	}
	for _, ev := range t.out.Events {
		if ev.Kind == lifecycle.RequestReceived {
			l.start(ctx, st, t, ev)
		}
	}
	l.held--
	l.tidy(st)
}

// start runs the function of a request, or refuses it.
func (l *live) start(ctx context.Context, st *stripe, t *turn, ev server.Event) {
	values := t.ctx
	if values == nil { // no request led to it
		values = ctx
	}
	run := &running{Context: values, h: l.h, id: l.id, seq: ev.Call.Seq(), key: ev.Call.Key()}
	functions := st.sides[l.id].handlers()
	if functions == nil {
		functions = l.h.app.Load().handlers
	}
	refused := l.calls.Start(run, functions, ev)
	if refused == nil {
		return
	}
	err := l.h.turnLocked(ctx, st, l.id, func(t *turn) error {
		return t.fail(ev.Call, *refused)
	})
	if err != nil && !errors.Is(err, lifecycle.ErrGone) {
		l.h.opt.Log.Error("nethttp: a call is not answered", "err", err)
	}
}

// fail answers a call, whose handle may be that of an earlier State.
func (t *turn) fail(call server.Call, e jsonrpc.Error) error {
	s, out, err := t.State.Fail(t.now, t.State.Call(call.Seq(), call.Key()), e)
	if err == nil {
		t.failed = append(t.failed, call)
		t.step(s, out)
	}
	return err
}

// drop takes a connection out.
func (l *live) drop(c *conn) {
	l.conns = slices.DeleteFunc(l.conns, func(d *conn) bool { return d == c })
}

// tidy drops l if nothing is left of it.
func (l *live) tidy(st *stripe) {
	if l.held > 0 || len(l.conns) > 0 || !l.calls.Idle() || st.live[l.id] != l {
		return
	}
	delete(st.live, l.id)
	l.h.due.rest(l.id)
	if l.watched != nil {
		l.watched()
	}
}

// lost takes in that there is no record any more: another process has ended the session.
func (h *Handler) lost(st *stripe, id string) {
	h.due.forget(id)
	sd := st.sides[id]
	delete(st.sides, id)
	defer h.part(sd)
	if l := st.live[id]; l != nil {
		l.calls.Reconcile(server.State{})
		for _, c := range l.conns {
			c.signal()
		}
		l.tidy(st)
	}
}

// Turn implements host.Turner.
func (l *live) Turn(f func(s server.State, now time.Time) (server.State, server.Output, error)) error {
	err := l.h.turn(context.Background(), l.id, func(t *turn) error {
		s, out, err := f(t.State, t.now)
		if err != nil && out.IsZero() {
			return err
		}
		if s.Step() == t.State.Step() {
			t.same = true
			return err
		}
		t.step(s, out)
		return err
	})
	if errors.Is(err, ErrNoSession) {
		return lifecycle.ErrGone
	}
	return err
}

// State returns the session as it is, for server.Caller; the zero State after its end.
func (l *live) State() server.State {
	r, err := l.h.opt.Store.Get(context.Background(), l.id)
	if err != nil {
		return server.State{}
	}
	return r.State
}

// Idle is called when the last function has returned.
func (l *live) Idle() {
	st := l.h.stripe(l.id)
	st.mu.Lock()
	defer st.mu.Unlock()
	l.tidy(st)
}

// watch takes in what other processes do to the session, from now on until nothing of it is
// left here. Where nobody else has the Store there are none.
func (h *Handler) watch(id string) {
	if h.alone {
		return
	}
	st := h.stripe(id)
	st.mu.Lock()
	defer st.mu.Unlock()
	if l := st.live[id]; l != nil {
		l.watch()
	}
}

// watch is Handler.watch. The stripe is locked.
func (l *live) watch() {
	h := l.h
	if h.alone || l.watched != nil || h.ctx.Err() != nil {
		return
	}
	var ctx context.Context
	ctx, l.watched = context.WithCancel(h.ctx)
	step := l.step
	h.wg.Add(1)
	go func() {
		defer h.wg.Done()
		l.look(ctx, step)
	}()
}

// look is the goroutine of watch.
func (l *live) look(ctx context.Context, step uint64) {
	for ctx.Err() == nil {
		before := step
		var err error
		step, err = l.lookOnce(ctx, step)
		switch {
		case errors.Is(err, ErrNoSession):
			return
		case err != nil:
			pause(ctx, storeRetry)
		case step == before: // Wait returned early, and may do so again
			pause(ctx, lookPause)
		}
	}
}

func (l *live) lookOnce(ctx context.Context, step uint64) (_ uint64, err error) {
	defer l.h.recovered(&err)
	if err := l.h.opt.Store.Wait(ctx, l.id, step); err != nil {
		return step, err
	}
	return l.catchUp(ctx, step)
}

// storeRetry is how long a Store that failed is left alone, lookPause one that had no news.
const (
	storeRetry = time.Second
	lookPause  = 10 * time.Millisecond
)

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// catchUp takes in the turns that other processes have made.
func (l *live) catchUp(ctx context.Context, step uint64) (uint64, error) {
	st := l.h.stripe(l.id)
	st.mu.Lock()
	defer st.mu.Unlock()
	if l.step > step { // turns of this process
		step = l.step
	}
	r, err := l.h.opt.Store.Get(ctx, l.id)
	switch {
	case errors.Is(err, ErrNoSession):
		l.h.lost(st, l.id)
		return step, err
	case err != nil || r.Step == l.step:
		return step, err
	}
	if slices.ContainsFunc(r.inbox, func(p parked) bool { return l.awaits(p.Req) }) {
		// A turn that changes nothing but to take them out; it sees what was missed.
		return l.step, l.h.turnLocked(ctx, st, l.id, func(*turn) error { return nil })
	}
	if r.over { // its record goes soon
		l.h.due.at(l.id, time.Now().Add(overTimeout))
	}
	l.step = r.Step
	l.calls.Reconcile(r.State)
	for _, c := range l.conns {
		c.signal()
	}
	return r.Step, nil
}
