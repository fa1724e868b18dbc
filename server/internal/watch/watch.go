// Package watch is shared by the Tables of package nethttp over a network: it knows which callers wait for which
// session, subscribes to these sessions, and reads again what a lost message may have said.
package watch

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Source is a store that reports steps. Its methods are called by one goroutine.
type Source interface {
	// Subscribe makes the store call Hub.News for sessions from now on, and Hub.Confirmed once it has
	// begun.
	Subscribe(ctx context.Context, ids []string) error
	// Unsubscribe ends that.
	Unsubscribe(ctx context.Context, ids []string) error
	// Steps returns the stored steps of sessions, 0 for none. With an error it returns those that it has read, from
	// the first one on.
	Steps(ctx context.Context, ids []string) ([]uint64, error)
}

const (
	linger = 10 * time.Second       // how long a session without waiting callers stays subscribed
	retry  = 500 * time.Millisecond // after an error of the Source
	bound  = 5 * time.Second        // for one method of the Source
	batch  = 500                    // the most sessions in one call of a method of the Source
)

// Hub has the callers that wait, by session. It is ready after New.
type Hub struct {
	source Source
	poll   time.Duration
	poke   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}

	mu  sync.Mutex
	ids map[string]*watched
}

// watched is a session that callers wait for, or did a moment ago.
type watched struct {
	waiters    map[*waiter]struct{}
	left       time.Time // when the last caller left
	subscribed bool
	confirmed  bool
	known      bool   // step was reported or read after the subscription was confirmed
	step       uint64 // the newest step, 0 for none
	check      bool   // step may be old
	told       bool   // a message has arrived since the last check began
}

type waiter struct {
	step uint64
	over chan struct{}
}

// New returns a Hub that reads the steps of sessions every poll, because messages may be lost. It runs a
// goroutine until Close.
func New(source Source, poll time.Duration) *Hub {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Hub{source: source, poll: poll, poke: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}), ids: map[string]*watched{}}
	go h.run(ctx)
	return h
}

// Close ends the goroutine. Callers of Wait continue until their contexts end.
func (h *Hub) Close() {
	h.cancel()
	<-h.done
}

// Wait implements nethttp.Table.
func (h *Hub) Wait(ctx context.Context, id string, step uint64) error {
	w := &waiter{step: step, over: make(chan struct{})}
	h.mu.Lock()
	s := h.ids[id]
	if s == nil {
		s = &watched{waiters: map[*waiter]struct{}{}}
		h.ids[id] = s
	}
	if s.known && s.news(step) {
		h.mu.Unlock()
		return ctx.Err()
	}
	s.waiters[w] = struct{}{}
	s.check = s.check || s.confirmed && !s.known
	if !s.subscribed || s.check {
		h.wake()
	}
	h.mu.Unlock()
	select {
	case <-w.over:
		return nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s.leave(w)
	return ctx.Err()
}

// news reports whether a caller that has seen step must look again. Messages may be late, so a smaller step is not
// news.
func (s *watched) news(step uint64) bool { return s.step > step || s.step == 0 }

func (s *watched) leave(w *waiter) {
	if delete(s.waiters, w); len(s.waiters) == 0 {
		s.left = time.Now()
	}
}

// take handles a stored step, and wakes the callers that have not seen it. A step that was read is current, so a
// smaller one is news too: the store has lost the others.
func (s *watched) take(step uint64, read bool) {
	switch {
	case read && s.told && step < s.step: // it was read before the message
		s.check = true
		return
	case read, step == 0, step > s.step:
		s.step = step
	}
	s.known = s.confirmed
	for w := range s.waiters {
		if read && step != w.step || s.news(w.step) {
			close(w.over)
			s.leave(w)
		}
	}
}

// News reports that a step of a session was stored, 0 that it was removed.
func (h *Hub) News(id string, step uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.ids[id]; s != nil {
		s.told = true
		s.take(step, false)
	}
}

// Confirmed reports that the store reports steps of these sessions from now on; without ids, of all that are
// subscribed. Earlier steps may be missing.
func (h *Hub) Confirmed(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(ids) == 0 {
		ids = slices.Collect(maps.Keys(h.ids))
	}
	for _, id := range ids {
		if s := h.ids[id]; s != nil && s.subscribed {
			s.confirmed, s.known, s.check = true, false, len(s.waiters) > 0
		}
	}
	h.wake()
}

func (h *Hub) wake() {
	select {
	case h.poke <- struct{}{}:
	default:
	}
}

func (h *Hub) run(ctx context.Context) {
	defer close(h.done)
	tick, again := time.Tick(h.poll), time.NewTimer(h.poll)
	for {
		select {
		case <-h.poke:
		case <-again.C:
		case <-tick:
			h.mu.Lock()
			for _, s := range h.ids {
				s.check = s.check || len(s.waiters) > 0
			}
			h.mu.Unlock()
		case <-ctx.Done():
			return
		}
		if !h.turn(ctx) {
			again.Reset(retry)
		}
	}
}

// turn does the pending work, and reports whether all of it succeeded.
func (h *Hub) turn(ctx context.Context) bool {
	ok := true
	add := h.pick(func(s *watched) bool {
		add := !s.subscribed && len(s.waiters) > 0
		s.subscribed = s.subscribed || add
		return add
	})
	each(add, func(ids []string) {
		if h.do(ctx, h.source.Subscribe, ids) != nil {
			ok = false
			h.each(ids, func(s *watched) { s.subscribed = false })
		}
	})
	now := time.Now()
	each(h.pick(func(s *watched) bool {
		check := s.check
		if check {
			s.check, s.told = false, false
		}
		return check
	}), func(ids []string) {
		ok = h.read(ctx, ids) && ok
	})
	drop := h.pick(func(s *watched) bool { return len(s.waiters) == 0 && now.Sub(s.left) >= linger })
	h.mu.Lock()
	kept := drop[:0]
	for _, id := range drop {
		if s := h.ids[id]; len(s.waiters) == 0 { // no caller came in between
			delete(h.ids, id)
			kept = append(kept, id)
		}
	}
	h.mu.Unlock()
	each(kept, func(ids []string) { _ = h.do(ctx, h.source.Unsubscribe, ids) }) // an additional message does no harm
	return ok
}

func (h *Hub) do(ctx context.Context, f func(context.Context, []string) error, ids []string) error {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	return f(ctx, ids)
}

// read reads the steps of sessions.
func (h *Hub) read(ctx context.Context, ids []string) bool {
	var steps []uint64
	err := h.do(ctx, func(ctx context.Context, ids []string) (err error) {
		steps, err = h.source.Steps(ctx, ids)
		return err
	}, ids)
	n := min(len(steps), len(ids))
	i := 0
	h.each(ids[:n], func(s *watched) {
		s.take(steps[i], true)
		i++
	})
	h.each(ids[n:], func(s *watched) { s.check = true })
	return err == nil && n == len(ids)
}

func (h *Hub) pick(which func(*watched) bool) (ids []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, s := range h.ids {
		if which(s) {
			ids = append(ids, id)
		}
	}
	return ids
}

// each calls f for sessions; only the goroutine of the caller removes sessions.
func (h *Hub) each(ids []string, f func(*watched)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		f(h.ids[id])
	}
}

// each calls f for ids in batches.
func each(ids []string, f func([]string)) {
	for len(ids) > 0 {
		n := min(batch, len(ids))
		f(ids[:n])
		ids = ids[n:]
	}
}
